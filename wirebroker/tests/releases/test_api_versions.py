"""The APIs of releases, and the route table restricted to them."""

from __future__ import annotations

import re

import pytest

from wirebroker.handlers.routes import ROUTES, RouteTable
from wirebroker.protocol.api import API, ApiKey
from wirebroker.releases.api_versions import HISTORY, VersionRange, api_versions
from wirebroker.releases.profile import ReleaseProfile
from wirebroker.releases.versions import RELEASES

STANDALONE_ROUTES = [route for route in ROUTES if not route.in_cluster]


def test_the_names_in_the_table_are_those_of_the_specs() -> None:
    rows = re.findall(r"^ ?(\d+) (\w+) ", HISTORY, re.MULTILINE)
    assert [int(key) for key, _ in rows] == sorted(int(key) for key, _ in rows)
    assert all(API[int(key)].name == name for key, name in rows if int(key) in API)


@pytest.mark.parametrize("release", RELEASES)
def test_ranges_only_grow_except_where_4_0_removed_versions(release: str) -> None:
    now = api_versions(release)
    assert all(0 <= api.advertised <= api.lowest <= api.highest for api in now.values())
    before = RELEASES.index(release) - 1
    if before >= 0:
        for key, api in api_versions(RELEASES[before]).items():
            if key in now:
                assert now[key].highest >= api.highest
                assert now[key].lowest == api.lowest or (release in {"1.0", "4.0", "4.1"})


@pytest.mark.parametrize(
    ("release", "key", "versions"),
    [
        ("0.8.2", ApiKey.API_VERSIONS, None),
        ("0.8.2", ApiKey.JOIN_GROUP, None),
        ("0.9.0", ApiKey.PRODUCE, VersionRange(0, 0, 1)),
        ("0.10.0", ApiKey.API_VERSIONS, VersionRange(0, 0, 0)),
        ("0.10.1", ApiKey.CONTROLLED_SHUTDOWN, VersionRange(1, 1, 1)),
        ("2.0", ApiKey.FETCH, VersionRange(0, 0, 8)),
        ("2.8", ApiKey.LEADER_AND_ISR, VersionRange(0, 0, 5)),
        ("3.3", ApiKey.LEADER_AND_ISR, None),
        ("3.9", ApiKey.DESCRIBE_TOPIC_PARTITIONS, VersionRange(0, 0, 0)),
        ("4.0", ApiKey.JOIN_GROUP, VersionRange(2, 2, 9)),
        ("4.1", ApiKey.JOIN_GROUP, VersionRange(0, 0, 9)),
        ("4.1", ApiKey.PRODUCE, VersionRange(0, 3, 13)),
    ],
)
def test_ranges_of_single_releases(release: str, key: ApiKey, versions: VersionRange | None) -> None:
    assert api_versions(release).get(key) == versions


@pytest.mark.parametrize("release", RELEASES)
def test_the_route_table_of_a_release_is_the_intersection(release: str) -> None:
    table, apis = RouteTable(ReleaseProfile(release)), api_versions(release)
    shown = {key: (low, high) for key, low, high in table.advertised()}
    assert set(shown) <= set(apis)
    for route in STANDALONE_ROUTES:
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


def test_a_broker_with_zookeeper_does_not_serve_what_needs_kraft() -> None:
    table = RouteTable(ReleaseProfile(in_cluster=True))
    for key in (ApiKey.LIST_CONFIG_RESOURCES, ApiKey.DESCRIBE_TOPIC_PARTITIONS):
        assert RouteTable(ReleaseProfile("3.9")).serves(key)
        assert not table.serves(key)


def test_without_emulation_all_routes_are_served_and_advertised_if_listed() -> None:
    table = RouteTable()
    assert [key for key, _, _ in table.advertised()] == sorted(route.key for route in STANDALONE_ROUTES if route.listed)
    for route in STANDALONE_ROUTES:
        assert table.find(route.key, route.min_version) is not None
        assert table.find(route.key, route.max_version) is not None
