"""The plugin of pytest that kills the servers that a test has created, and leaves those of longer fixtures.

It is registered by name, as pytest does not call the hook of a conftest.py for fixtures of the session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tools.jvm.server_process import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Generator

_BEFORE_THE_CALL = pytest.StashKey[int]()
"""How many servers there were when the test itself began."""
_servers_of_many_tests: set[ServerProcess] = set()
"""Servers of fixtures of a module, package or session."""


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    """Remember the servers of fixtures that outlive a test, which may ask for them in its body."""
    before = len(ServerProcess.instances)
    try:
        return (yield)
    finally:
        if fixturedef.scope != "function":
            _servers_of_many_tests.update(ServerProcess.instances[before:])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    item.stash[_BEFORE_THE_CALL] = len(ServerProcess.instances)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Kill the servers that the test itself has created, after its fixtures had the chance to stop them."""
    created = ServerProcess.instances[item.stash.get(_BEFORE_THE_CALL, len(ServerProcess.instances)) :]
    created = [server for server in created if server not in _servers_of_many_tests]
    try:
        return (yield)
    finally:
        for server in created:
            server.kill()
            ServerProcess.instances.remove(server)


def pytest_sessionfinish() -> None:
    for server in ServerProcess.instances:
        server.kill()
