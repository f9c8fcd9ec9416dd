"""Names of releases, and the release that a version belongs to."""

from __future__ import annotations

import pytest

from wirebroker.config.values import kafka_version
from wirebroker.releases.versions import RELEASES, UnknownRelease, is_at_least, release_of


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("2.0", "2.0"),
        ("2.0.1", "2.0"),
        ("0.10.2.2", "0.10.2"),
        ("0.9.0.1", "0.9.0"),
        (" 3.9 ", "3.9"),
        ("4.1.0", "4.1"),
        ("0.11", "0.11.0"),
    ],
)
def test_a_version_belongs_to_a_release(version: str, release: str) -> None:
    assert release_of(version) == release
    assert kafka_version(version) is None


@pytest.mark.parametrize("version", ["", "5.0", "1.2", "2", "0.10", "latest", "3.9-IV0", "2.9.1"])
def test_a_version_of_no_release(version: str) -> None:
    with pytest.raises(UnknownRelease, match="no release of Apache Kafka"):
        release_of(version)
    assert kafka_version(version) is not None


def test_releases_are_ordered_by_their_place_in_the_list() -> None:
    assert is_at_least("0.10.0", "0.9.0")
    assert not is_at_least("0.11.0", "1.0")
    assert all(is_at_least(release, release) for release in RELEASES)
