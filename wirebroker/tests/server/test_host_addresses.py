"""HostAddresses: names are resolved in threads, each once, and have no effect before."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
import trio
import trio.testing

from wirebroker.config.dynamic_config import DynamicConfig
from wirebroker.server.connection_quotas import ConnectionQuotas

if TYPE_CHECKING:
    from wirebroker.config.server import BrokerConfig

RATE = "connection_creation_rate"
ADDRESS = "192.0.2.1"


class NameServer:
    """Resolves names to `ADDRESS` as soon as `answers` is set, and notes in which thread it was asked for them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers = threading.Event()
        self.asked: list[str] = []
        self.unknown: set[str] = set()
        self.in_loop = False
        self._loop = threading.get_ident()
        monkeypatch.setattr("socket.getaddrinfo", self._getaddrinfo)

    def _getaddrinfo(self, host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        self.asked.append(host)
        if threading.get_ident() == self._loop:
            self.in_loop = True
        else:
            self.answers.wait()
        if host in self.unknown:
            raise OSError("no such name")
        return [(2, 1, 6, "", (ADDRESS, 0))]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> NameServer:
    return NameServer(monkeypatch)


def quotas_with(overrides: str = "") -> tuple[ConnectionQuotas, SimpleNamespace]:
    config = SimpleNamespace(
        max_connections=1000, max_connections_per_ip=1000, max_connections_per_ip_overrides=overrides,
        max_connection_creation_rate=-1,
    )  # fmt: skip
    return ConnectionQuotas(DynamicConfig(cast("BrokerConfig", config)), 1000), config


async def asked(names: NameServer, count: int) -> None:
    while len(names.asked) < count:
        await trio.lowlevel.checkpoint()


async def resolved(quotas: ConnectionQuotas, *hosts: str) -> None:
    while not all(ADDRESS in quotas._hosts.of(host) for host in hosts):
        await trio.lowlevel.checkpoint()


async def test_a_slow_name_server_holds_no_connection(nursery: trio.Nursery, names: NameServer) -> None:
    quotas, _ = quotas_with("slow.example:1")
    nursery.start_soon(quotas.resolve_hosts)
    await asked(names, 1)
    assert [quotas.enter(ADDRESS) for _ in range(2)] == [True, True]  # the name has no effect yet
    names.answers.set()
    await resolved(quotas, "slow.example")
    assert not quotas.enter(ADDRESS)
    assert not names.in_loop
    nursery.cancel_scope.cancel()


async def test_a_slow_name_server_does_not_hold_a_change_of_quotas(nursery: trio.Nursery, names: NameServer) -> None:
    quotas, _ = quotas_with()
    nursery.start_soon(quotas.resolve_hosts)
    quotas.update_ip_rates({(("ip", "slow.example"),): {RATE: 0.1}})
    assert not any(quotas.throttle_s(ADDRESS) for _ in range(9))
    names.answers.set()
    await resolved(quotas, "slow.example")
    assert any(quotas.throttle_s(ADDRESS) for _ in range(9))
    assert not names.in_loop
    nursery.cancel_scope.cancel()


async def test_only_new_names_are_resolved(nursery: trio.Nursery, names: NameServer) -> None:
    names.answers.set()
    quotas, config = quotas_with("a.example:1")
    nursery.start_soon(quotas.resolve_hosts)
    for host in ("b.example", "c.example"):
        quotas.update_ip_rates({(("ip", "b.example"),): {RATE: 1.0}, (("ip", host),): {RATE: 1.0}})
        await resolved(quotas, "a.example", "b.example", host)
    assert sorted(names.asked) == ["a.example", "b.example", "c.example"]
    quotas.update_ip_rates({})
    assert ADDRESS not in quotas._hosts.of("b.example"), "it is forgotten, and resolved anew when a quota names it"
    config.max_connections_per_ip_overrides = "192.0.2.7:1,[2001:DB8::1]:2"
    quotas._update_overrides(cast("BrokerConfig", config))
    assert quotas._overrides == {"192.0.2.7": 1, "2001:DB8::1": 2, "2001:db8::1": 2}
    assert len(names.asked) == 3, "addresses are not resolved"
    nursery.cancel_scope.cancel()


async def test_a_name_that_was_unknown_is_resolved_at_the_next_change(
    nursery: trio.Nursery, names: NameServer, caplog: pytest.LogCaptureFixture
) -> None:
    names.answers.set()
    names.unknown.add("new.example")
    quotas, _ = quotas_with()
    nursery.start_soon(quotas.resolve_hosts)
    quotas.update_ip_rates({(("ip", "new.example"),): {RATE: 1.0}})
    while not caplog.messages:
        await trio.lowlevel.checkpoint()
    names.unknown.clear()
    quotas.update_ip_rates({(("ip", "new.example"),): {RATE: 2.0}})
    await resolved(quotas, "new.example")
    assert names.asked == ["new.example"] * 2
    assert caplog.messages == [
        "connection_creation_rate: host new.example cannot be resolved, so its limit has no effect: no such name"
    ]
    nursery.cancel_scope.cancel()


async def test_a_name_that_is_removed_while_it_is_resolved_has_no_effect(
    nursery: trio.Nursery, names: NameServer
) -> None:
    quotas, _ = quotas_with()
    nursery.start_soon(quotas.resolve_hosts)
    quotas.update_ip_rates({(("ip", "slow.example"),): {RATE: 0.1}})
    await asked(names, 1)
    quotas.update_ip_rates({})
    names.answers.set()
    while quotas._hosts._resolving:
        await trio.lowlevel.checkpoint()
    assert not quotas._hosts._addresses
    nursery.cancel_scope.cancel()
