"""The route table: every handler exists, and every range of versions is one that the generated messages have."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import wirebroker
from wirebroker.handlers.routes import ROUTES, Route, RouteTable
from wirebroker.protocol.api import API, ApiKey
from wirebroker.releases.profile import ReleaseProfile

TABLE = RouteTable(ReleaseProfile(in_cluster=True))
STANDALONE = RouteTable()
SPECS = Path(wirebroker.__file__).parent.parent / "protocol_specs"


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.key.name)
def test_handler_and_versions(route: Route) -> None:
    bound = RouteTable(ReleaseProfile(in_cluster=route.in_cluster)).find(route.key, route.max_version)
    assert bound is not None
    assert inspect.iscoroutinefunction(bound.handler)
    info = API[route.key]
    assert info.min_version <= route.min_version <= route.max_version <= info.max_version
    for version in range(route.min_version, route.max_version + 1):
        assert version in bound.readers
        assert version in bound.writers
    assert STANDALONE.find(route.key, route.max_version + 1) is None
    assert (STANDALONE.find(route.key, route.max_version) is None) == route.in_cluster


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.key.name)
def test_the_head_of_the_handler_module_names_the_api(route: Route) -> None:
    assert API[route.key].name in head(route.handler.partition(":")[0])


def head(module: str) -> str:
    """Return the first docstring of a module of handlers."""
    text = import_module(f"wirebroker.handlers.{module}").__doc__
    assert text is not None
    return text


@pytest.mark.parametrize("module", sorted({route.handler.partition(":")[0] for route in ROUTES}))
def test_the_head_of_a_handler_module_names_its_specs_and_versions(module: str) -> None:
    named = re.findall(r"\b(\d+_[a-z_]+) \(v(\d+)(?:-v(\d+))?\)", head(module))
    routes = {
        f"{route.key:02}_{route.key.name.lower()}": (route.min_version, route.max_version)
        for route in ROUTES
        if route.handler.partition(":")[0] == module
    }
    assert {spec: (int(low), int(high or low)) for spec, low, high in named} == routes
    for spec in routes:
        assert (SPECS / spec).exists()
    assert re.search(r"^Specs?: protocol_specs/", head(module), re.MULTILINE)
    assert re.search(r"^Waits: ", head(module), re.MULTILINE)


def test_each_key_once_and_in_order() -> None:
    keys = [key for key, _, _ in STANDALONE.advertised()]
    assert keys == sorted(set(keys))
    assert keys == sorted(int(route.key) for route in ROUTES if route.listed and not route.in_cluster)


def test_a_broker_in_a_cluster_serves_requests_of_the_controller_and_no_versions_above_3_9() -> None:
    versions = {key: (low, high) for key, low, high in TABLE.advertised()}
    of_controller = {4: (0, 7), 5: (0, 4), 6: (0, 8), 7: (0, 3), 56: (0, 3), 67: (0, 0)}
    refused = {57: (0, 1), 58: (0, 0), 68: (0, 0), 69: (0, 0)}
    assert {key: versions[key] for key in of_controller | refused} == of_controller | refused
    assert versions[ApiKey.PRODUCE] == (0, 11)
    assert versions[ApiKey.END_TXN] == (0, 4)
    assert TABLE.profile.transaction_version == 0
    assert versions.pop(ApiKey.ALTER_USER_SCRAM_CREDENTIALS) == (0, 0)
    assert set(versions) - set(of_controller) - set(refused) <= {key for key, _, _ in STANDALONE.advertised()}


def test_wirebroker_s_own_apis_are_served_and_not_advertised() -> None:
    assert TABLE.find(ApiKey.INSPECT, 0) is not None
    assert ApiKey.INSPECT not in [key for key, _, _ in TABLE.advertised()]


def test_produce_is_advertised_from_zero_and_served_from_three_by_4_0() -> None:
    assert TABLE.find(ApiKey.PRODUCE, 0) is not None
    table = RouteTable(ReleaseProfile("4.0"))
    assert (0, 0, 12) in table.advertised()
    assert table.find(ApiKey.PRODUCE, 2) is None
    assert table.find(ApiKey.PRODUCE, 3) is not None
