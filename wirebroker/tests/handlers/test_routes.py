"""The table is true: every handler exists, every range is one that the generated messages have."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

from wirebroker.handlers import routes
from wirebroker.handlers.routes import ROUTES, Route
from wirebroker.protocol.api import API, ApiKey


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.key.name)
def test_handler_and_versions(route: Route) -> None:
    bound = routes.find(route.key, route.max_version)
    assert bound is not None
    assert inspect.iscoroutinefunction(bound.handler)
    info = API[route.key]
    assert info.min_version <= route.min_version <= route.max_version <= info.max_version
    for version in range(route.min_version, route.max_version + 1):
        assert version in bound.readers
        assert version in bound.writers
    assert routes.find(route.key, route.max_version + 1) is None


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.key.name)
def test_its_module_tells_of_it(route: Route) -> None:
    module = import_module(f"wirebroker.handlers.{route.handler.partition(':')[0]}")
    assert module.__doc__ is not None
    assert API[route.key].name in module.__doc__


def test_each_key_once_and_in_order() -> None:
    keys = [key for key, _, _ in routes.advertised()]
    assert keys == sorted(set(keys))
    assert keys == sorted(int(route.key) for route in ROUTES if route.listed)


def test_our_own_apis_are_served_and_not_listed() -> None:
    assert routes.find(ApiKey.INSPECT, 0) is not None
    assert ApiKey.INSPECT not in [key for key, _, _ in routes.advertised()]


def test_produce_is_advertised_from_zero_and_served_from_three_by_4_0() -> None:
    assert routes.find(ApiKey.PRODUCE, 0) is not None
    table = routes.RouteTable("4.0")
    assert (0, 0, 12) in table.advertised()
    assert table.find(ApiKey.PRODUCE, 2) is None
    assert table.find(ApiKey.PRODUCE, 3) is not None
