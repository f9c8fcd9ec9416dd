"""ReleaseProfile: features and behaviour by release."""

from __future__ import annotations

import subprocess
import sys

import pytest

from wirebroker.protocol.errors import ErrorCode
from wirebroker.releases.features import FEATURES, Feature, features_of
from wirebroker.releases.profile import WIREBROKER, ReleaseProfile
from wirebroker.releases.versions import RELEASES, UnknownRelease


def test_features_are_those_of_the_release() -> None:
    assert set(FEATURES) <= set(RELEASES)
    assert features_of("2.8") == ()
    assert features_of("3.3") == (Feature("metadata.version", 1, 7, 7),)
    assert Feature("transaction.version", 0, 2, 2) in features_of("4.1")
    assert Feature("share.version", 0, 1, 0) in features_of("4.1")


def test_wirebroker_itself() -> None:
    assert WIREBROKER.release is None
    assert WIREBROKER.api_versions is None
    assert WIREBROKER.features == (Feature("transaction.version", 0, 2, 2),)
    assert WIREBROKER.features_epoch == 0  # from there on Java producers believe the features
    assert WIREBROKER.older_codes(ErrorCode) == {}
    assert WIREBROKER.key_differences() is None
    assert WIREBROKER.is_at_least(RELEASES[-1])
    assert not WIREBROKER.is_zookeeper_era


def test_an_unknown_release_is_refused() -> None:
    with pytest.raises(UnknownRelease, match=r"1\.2 is no release"):
        ReleaseProfile("1.2")


@pytest.mark.parametrize(
    ("version", "wanted", "level"), [(None, 2, 2), (None, 0, 0), ("3.9", 2, 0), ("4.1", 2, 2), ("4.1", 1, 1)]
)
def test_transaction_version(version: str | None, wanted: int, level: int) -> None:
    profile = ReleaseProfile(version, wanted)
    assert profile.transaction_version == level
    levels = [each.level for each in profile.features if each.name == "transaction.version"]
    assert levels == [level] * (version != "3.9")


@pytest.mark.parametrize(
    ("version", "epoch", "advertises"),
    [("2.3", -1, False), ("2.4", -1, True), ("2.6", -1, True), ("2.7", 0, True), (None, 0, True)],
)
def test_api_versions_beside_the_table(version: str | None, epoch: int, advertises: bool) -> None:
    profile = ReleaseProfile(version)
    assert (profile.features_epoch, profile.advertises_on_unsupported_version) == (epoch, advertises)


@pytest.mark.parametrize(("version", "zookeeper"), [("0.8.2", True), ("3.2.3", True), ("3.3", False), ("4.3", False)])
def test_zookeeper_era(version: str, zookeeper: bool) -> None:
    assert ReleaseProfile(version).is_zookeeper_era == zookeeper


@pytest.mark.parametrize(
    ("version", "limits"),
    [(None, True), ("0.8.2", False), ("2.8.2", False), ("3.6", False), ("3.7.0", True), ("3.9", True), ("4.3", True)],
)
def test_min_isr_is_limited_to_the_replicas_since_3_7(version: str | None, limits: bool) -> None:
    assert ReleaseProfile(version).limits_min_isr_to_replicas == limits


@pytest.mark.parametrize(("version", "refuses"), [(None, False), ("2.8.2", True), ("3.5", True), ("3.6", False)])
def test_producers_may_set_log_append_time_since_3_6(version: str | None, refuses: bool) -> None:
    assert ReleaseProfile(version).refuses_log_append_time == refuses


def test_a_broker_that_emulates_nothing_does_not_import_the_tables() -> None:
    code = (
        "import sys; import wirebroker.config.load, wirebroker.handlers.routes as r; r.RouteTable().find(18, 0)\n"
        "wirebroker.config.load.load()\n"
        "print([m for m in sys.modules if m.startswith('wirebroker.releases.')])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {name.strip(" '").rpartition(".")[2] for name in result.stdout.strip().strip("[]").split(",")}
    assert imported == {"profile", "versions", "features"}
