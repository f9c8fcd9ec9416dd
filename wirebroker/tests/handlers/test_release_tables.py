"""The faces of Kafka's releases: what the history says, and what is left of our own table behind one."""

from __future__ import annotations

import re

import pytest

from wirebroker.config.releases import RELEASES, known_release, release_of
from wirebroker.config.values import ConfigError
from wirebroker.handlers.release_tables import FEATURES, HISTORY, Served, apis_of, features_of
from wirebroker.handlers.routes import EVERYTHING, ROUTES, Feature, RouteTable
from wirebroker.protocol.api import API, ApiKey


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
    assert known_release(version) is None


@pytest.mark.parametrize("version", ["", "5.0", "1.2", "2", "0.10", "latest", "3.9-IV0", "2.9.1"])
def test_no_release(version: str) -> None:
    with pytest.raises(ConfigError, match="no release of Apache Kafka"):
        release_of(version)
    assert known_release(version) is not None


def test_names_in_the_history_are_those_of_the_specs() -> None:
    rows = re.findall(r"^ ?(\d+) (\w+) ", HISTORY, re.MULTILINE)
    assert [int(key) for key, _ in rows] == sorted(int(key) for key, _ in rows)
    assert all(API[int(key)].name == name for key, name in rows if int(key) in API)


@pytest.mark.parametrize("release", RELEASES)
def test_ranges_only_grow_but_for_what_4_0_dropped(release: str) -> None:
    now = apis_of(release)
    assert all(0 <= api.advertised <= api.lowest <= api.highest for api in now.values())
    before = RELEASES.index(release) - 1
    if before >= 0:
        for key, api in apis_of(RELEASES[before]).items():
            if key in now:
                assert now[key].highest >= api.highest
                assert now[key].lowest == api.lowest or (release in {"1.0", "4.0", "4.1"})


@pytest.mark.parametrize(
    ("release", "key", "served"),
    [
        ("0.8.2", ApiKey.API_VERSIONS, None),
        ("0.8.2", ApiKey.JOIN_GROUP, None),
        ("0.9.0", ApiKey.PRODUCE, Served(0, 0, 1)),
        ("0.10.0", ApiKey.API_VERSIONS, Served(0, 0, 0)),
        ("0.10.1", ApiKey.CONTROLLED_SHUTDOWN, Served(1, 1, 1)),
        ("2.0", ApiKey.FETCH, Served(0, 0, 8)),
        ("2.8", ApiKey.LEADER_AND_ISR, Served(0, 0, 5)),
        ("3.3", ApiKey.LEADER_AND_ISR, None),
        ("3.9", ApiKey.DESCRIBE_TOPIC_PARTITIONS, Served(0, 0, 0)),
        ("4.0", ApiKey.JOIN_GROUP, Served(2, 2, 9)),
        ("4.1", ApiKey.JOIN_GROUP, Served(0, 0, 9)),
        ("4.1", ApiKey.PRODUCE, Served(0, 3, 13)),
    ],
)
def test_known_facts(release: str, key: ApiKey, served: Served | None) -> None:
    assert apis_of(release).get(key) == served


def test_features_are_those_of_the_release() -> None:
    assert set(FEATURES) <= set(RELEASES)
    assert features_of("2.8") == []
    assert features_of("3.3") == [Feature("metadata.version", 1, 7, 7)]
    assert Feature("transaction.version", 0, 2, 2) in features_of("4.1")
    assert Feature("share.version", 0, 1, 0) in features_of("4.1")


@pytest.mark.parametrize("release", RELEASES)
def test_a_table_serves_what_both_serve(release: str) -> None:
    table, apis = RouteTable(release), apis_of(release)
    shown = {key: (low, high) for key, low, high in table.advertised()}
    assert set(shown) <= set(apis)
    for route in ROUTES:
        if not route.listed:
            assert table.find(route.key, route.min_version) is not None
            continue
        api = apis.get(route.key)
        both = api is not None and api.lowest <= route.max_version and route.min_version <= api.highest
        assert both == table.serves(route.key) == (route.key in shown)
        for version in range(route.min_version, route.max_version + 1):
            wanted = api is not None and api.lowest <= version <= api.highest
            assert (table.find(route.key, version) is not None) == wanted, (route.key, version)
        if api is not None and both:
            assert shown[route.key][1] == min(api.highest, route.max_version)


def test_without_a_release_everything_is_served() -> None:
    assert [key for key, _, _ in EVERYTHING.advertised()] == sorted(route.key for route in ROUTES if route.listed)
    assert EVERYTHING.release is None
    assert [tuple(each) for each in EVERYTHING.features] == [("transaction.version", 0, 2, 2)]
    assert EVERYTHING.features_epoch == 0  # from there on Java producers believe the features


@pytest.mark.parametrize(
    ("release", "wanted", "level"), [(None, 2, 2), (None, 0, 0), ("3.9", 2, 0), ("4.1", 2, 2), ("4.1", 1, 1)]
)
def test_the_version_of_transactions(release: str | None, wanted: int, level: int) -> None:
    table = RouteTable(release, wanted)
    assert table.transaction_version == level
    assert [each.level for each in table.features if each.name == "transaction.version"] == [level] * (release != "3.9")


@pytest.mark.parametrize(
    ("release", "epoch", "names_versions"), [("2.3", -1, False), ("2.4", -1, True), ("2.6", -1, True), ("2.7", 0, True)]
)
def test_what_changed_beside_the_versions(release: str, epoch: int, names_versions: bool) -> None:
    table = RouteTable(release)
    assert (table.features_epoch, table.names_versions) == (epoch, names_versions)
