"""Listener: no peer is accepted early, connection quotas hold, and connections without a reader are closed."""

from __future__ import annotations

import math
import socket
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
import trio
import trio.testing

from wirebroker.config.dynamic_config import DynamicConfig
from wirebroker.config.keys import UNLIMITED
from wirebroker.handlers.context import RequestContext, Services
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.frames import BufferPool
from wirebroker.quota.managers import QuotaManagers
from wirebroker.server.connection import Connection
from wirebroker.server.connection_quotas import ConnectionQuotas
from wirebroker.server.connection_settings import ConnectionSettings
from wirebroker.server.listener import Listener
from wirebroker.server.processor import Processor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.config.server import BrokerConfig


SERVICES = cast(Services, SimpleNamespace(routes=RouteTable(), quotas=QuotaManagers()))


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with ours, theirs:
        yield ours, theirs


def test_the_port_is_taken_before_peers_are_let_in() -> None:
    listener = Listener("PLAINTEXT", "127.0.0.1", 0)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", listener.port))
    listener.listen()
    with pytest.raises(OSError, match="in use"):
        Listener("PLAINTEXT", "127.0.0.1", listener.port)
    socket.create_connection(("127.0.0.1", listener.port)).close()
    listener.close()


def test_a_peer_that_left_during_a_long_poll_is_noticed(pair: tuple[socket.socket, socket.socket]) -> None:
    connection = Connection(
        pair[0], RequestContext(SERVICES, routes=RouteTable()), ConnectionSettings(BufferPool(), 1000)
    )
    connection._serving = True
    assert not connection.is_abandoned()
    pair[1].send(b"one more request")
    assert not connection.is_abandoned()
    pair[0].recv(100)
    pair[1].close()
    assert connection.is_abandoned()
    connection._serving = False  # the loop will see it itself
    assert not connection.is_abandoned()


def quota_of(most: int = 1000, **settings: object) -> ConnectionQuotas:
    limits = {"max_connections": 1000, "max_connections_per_ip": 1000, "max_connections_per_ip_overrides": ""}
    limits["max_connection_creation_rate"] = UNLIMITED
    config = SimpleNamespace(**limits | settings)
    return ConnectionQuotas(DynamicConfig(cast("BrokerConfig", config)), most)


def serve(nursery: trio.Nursery, listener: Listener, quota: ConnectionQuotas | None = None) -> Processor:
    """Have a new processor, which is returned, serve the peers of *listener*."""
    processor = Processor(math.inf)
    nursery.start_soon(processor.run)
    settings = ConnectionSettings(BufferPool(), 1000)
    nursery.start_soon(listener.serve, SERVICES, processor, settings, quota or quota_of())
    return processor


@pytest.mark.parametrize(("most", "max_connections"), [(1, 1000), (1000, 1)])
async def test_without_room_for_more_new_peers_wait_and_others_stay(
    nursery: trio.Nursery, most: int, max_connections: int
) -> None:
    quota = quota_of(most, max_connections=max_connections)
    listener = Listener("PLAINTEXT", "127.0.0.1", 0)
    listener.listen()
    serve(nursery, listener, quota)
    hello = b"\0\0\0\x0a\0\x12\0\0\0\0\0\1\xff\xff"  # ApiVersions
    address = ("127.0.0.1", listener.port)
    async with await trio.open_tcp_stream(*address) as first, await trio.open_tcp_stream(*address) as second:
        await second.send_all(hello)
        await first.send_all(hello)
        assert await first.receive_some(1)
        assert quota.count == 1
        await first.aclose()
        assert await second.receive_some(1)
    listener.stop_accepting()
    listener.close()
    nursery.cancel_scope.cancel()


async def test_a_peer_with_too_many_connections_is_hung_up_on(nursery: trio.Nursery) -> None:
    listener = Listener("PLAINTEXT", "127.0.0.1", 0)
    listener.listen()
    quota = quota_of(max_connections_per_ip=2)
    serve(nursery, listener, quota)
    address = ("127.0.0.1", listener.port)
    async with await trio.open_tcp_stream(*address), await trio.open_tcp_stream(*address) as second:
        async with await trio.open_tcp_stream(*address) as third:
            assert await third.receive_some(1) == b""
        assert quota.count == 2
        await second.aclose()
        await trio.testing.wait_all_tasks_blocked()
        assert quota.count == 1
        async with await trio.open_tcp_stream(*address) as fourth:
            await fourth.send_all(b"\0\0\0\x0a\0\x12\0\0\0\0\0\1\xff\xff")
            assert await fourth.receive_some(1)
    listener.stop_accepting()
    listener.close()
    nursery.cancel_scope.cancel()


def test_limits_of_single_peers() -> None:
    quota = quota_of(max_connections_per_ip=1, max_connections_per_ip_overrides="127.0.0.2:3, [::1]:0,no.such.host.:5")
    assert [quota.enter("127.0.0.2") for _ in range(4)] == [True, True, True, False]
    assert [quota.enter("127.0.0.3") for _ in range(2)] == [True, False]
    assert not quota.enter("::1")
    quota.leave("127.0.0.2")
    assert quota.enter("127.0.0.2")
    assert quota.count == 4


def arrivals(quota: ConnectionQuotas, count: int) -> int:
    """How many of *count* peers that come now get in now."""
    found = 0
    while found < count and not quota.delay_s():
        assert quota.enter("127.0.0.1")
        found += 1
    return found


async def test_new_connections_a_second(autojump_clock: trio.testing.MockClock) -> None:
    quota = quota_of(max_connection_creation_rate=4)
    assert arrivals(quota, 1000) == 40
    assert quota.delay_s() == 0.25
    await trio.sleep(0.25)
    assert arrivals(quota, 1000) == 1
    await trio.sleep(4)
    assert arrivals(quota, 1000) == 16
    await trio.sleep(1000)
    assert arrivals(quota, 1000) == 40


async def test_a_peer_that_is_hung_up_on_counts_as_new(autojump_clock: trio.testing.MockClock) -> None:
    quota = quota_of(max_connection_creation_rate=1, max_connections_per_ip=0)
    for _ in range(10):
        assert not quota.delay_s()
        assert not quota.enter("127.0.0.1")
    assert quota.delay_s()


async def test_the_pace_may_change_meanwhile() -> None:
    config = SimpleNamespace(max_connection_creation_rate=0, max_connections_per_ip_overrides="")
    quota = ConnectionQuotas(DynamicConfig(cast("BrokerConfig", config)), 1000)
    assert quota.delay_s() == math.inf
    config.max_connection_creation_rate = UNLIMITED
    assert not quota.delay_s()


async def test_peers_wait_until_it_is_their_turn(nursery: trio.Nursery, autojump_clock: trio.testing.MockClock) -> None:
    config = SimpleNamespace(
        max_connections=1000, max_connections_per_ip=1000, max_connections_per_ip_overrides="",
        max_connection_creation_rate=0,
    )  # fmt: skip
    quota = ConnectionQuotas(DynamicConfig(cast("BrokerConfig", config)), 1000)
    listener = Listener("PLAINTEXT", "127.0.0.1", 0)
    listener.listen()
    serve(nursery, listener, quota)
    async with await trio.open_tcp_stream("127.0.0.1", listener.port) as peer:
        await peer.send_all(b"\0\0\0\x0a\0\x12\0\0\0\0\0\1\xff\xff")
        with trio.move_on_after(0.25):
            assert await peer.receive_some(1) == b"nothing yet"
        assert quota.count == 0
        config.max_connection_creation_rate = 1000
        assert await peer.receive_some(1)
        assert quota.count == 1
    listener.stop_accepting()
    listener.close()
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize("asked_bytes", [60_000, 100_000])
async def test_connections_have_the_receive_buffer_that_was_asked_for(nursery: trio.Nursery, asked_bytes: int) -> None:
    listener = Listener("PLAINTEXT", "127.0.0.1", 0, receive_buffer_bytes=asked_bytes)
    listener.listen()
    processor = serve(nursery, listener)
    async with await trio.open_tcp_stream("127.0.0.1", listener.port):
        await trio.testing.wait_all_tasks_blocked()
        (connection,) = processor.connections
        assert connection._sock.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) == 2 * asked_bytes
    listener.stop_accepting()
    listener.close()
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize(("asked_bytes", "least_bytes"), [(102_400, 400 * 1024), (1_000_000, 1_000_000)])
async def test_connections_have_the_send_buffer_that_was_asked_for_or_what_is_good_for_them(
    nursery: trio.Nursery, asked_bytes: int, least_bytes: int
) -> None:
    listener = Listener("PLAINTEXT", "127.0.0.1", 0, send_buffer_bytes=asked_bytes)
    listener.listen()
    processor = serve(nursery, listener)
    async with await trio.open_tcp_stream("127.0.0.1", listener.port):
        await trio.testing.wait_all_tasks_blocked()
        (connection,) = processor.connections
        # Linux keeps books of its own in there and so takes twice as much
        assert connection._sock.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) == 2 * least_bytes
    listener.stop_accepting()
    listener.close()
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize("local_host", ["127.0.0.1", "127.0.0.2"])
async def test_connections_from_the_same_machine_are_not_paced(
    nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch, local_host: str
) -> None:
    listener = Listener("PLAINTEXT", "", 0)
    inherited = congestion_control(listener._sock)
    monkeypatch.setattr("wirebroker.server.listener._WITHOUT_PACING", b"cubic" if inherited == b"reno" else b"reno")
    monkeypatch.setattr(listener, "_has_pacing", True)  # as with bbr, which this machine may not have
    listener.listen()
    processor = serve(nursery, listener)
    async with await trio.open_tcp_stream(local_host, listener.port, local_address="127.0.0.1"):
        await trio.testing.wait_all_tasks_blocked()
        (connection,) = processor.connections
        same = local_host == "127.0.0.1"  # to this process, a peer with another address is on another machine
        assert (congestion_control(connection._sock) != inherited) == same
    listener.stop_accepting()
    listener.close()
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize(("system", "has_pacing"), [(b"bbr", True), (b"cubic", False), (b"reno", False)])
def test_only_a_congestion_control_with_pacing_is_replaced(
    monkeypatch: pytest.MonkeyPatch, system: bytes, has_pacing: bool
) -> None:
    class Socket(socket.socket):
        """A socket of a system whose congestion control is *system*."""

        def getsockopt(self, level: int, option: int, *size: int) -> int | bytes:  # type: ignore[override]
            if (level, option) == (socket.IPPROTO_TCP, socket.TCP_CONGESTION):
                return system.ljust(16, b"\0")
            return super().getsockopt(level, option, *size)

    monkeypatch.setattr("wirebroker.server.listener.socket.socket", Socket)
    listener = Listener("PLAINTEXT", "127.0.0.1", 0)
    listener.close()
    assert listener._has_pacing == has_pacing


async def test_a_connection_stays_paced_if_the_system_allows_nothing_else(
    nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener = Listener("PLAINTEXT", "127.0.0.1", 0)
    monkeypatch.setattr("wirebroker.server.listener._WITHOUT_PACING", b"unknown")
    monkeypatch.setattr(listener, "_has_pacing", True)
    listener.listen()
    processor = serve(nursery, listener)
    async with await trio.open_tcp_stream("127.0.0.1", listener.port):
        await trio.testing.wait_all_tasks_blocked()
        (connection,) = processor.connections
        assert congestion_control(connection._sock) == congestion_control(listener._sock)
    listener.stop_accepting()
    listener.close()
    nursery.cancel_scope.cancel()


def congestion_control(sock: socket.socket) -> bytes:
    """Return the name of the congestion control of *sock*."""
    return sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0")


async def test_a_peer_with_http_is_named_in_the_log(nursery: trio.Nursery, caplog: pytest.LogCaptureFixture) -> None:
    listener = Listener("PLAINTEXT", "127.0.0.1", 0)
    listener.listen()
    serve(nursery, listener)
    async with await trio.open_tcp_stream("127.0.0.1", listener.port) as peer:
        await peer.send_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        with suppress(trio.BrokenResourceError):  # what it sent is not read to its end
            assert await peer.receive_some(1) == b""
    (line,) = caplog.messages
    assert line.startswith(f"peer=127.0.0.1: closing: it speaks HTTP, and listener {listener} ")
    listener.stop_accepting()
    listener.close()
    nursery.cancel_scope.cancel()


async def test_connections_a_second_of_one_address(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    quota = quota_of()
    quota.update_ip_rates({(("ip", "127.0.0.1"),): {"connection_creation_rate": 0.2}, (("user", "u"),): {"x": 1.0}})
    listener = Listener("PLAINTEXT", "127.0.0.1", 0)
    listener.listen()
    processor = serve(nursery, listener, quota)
    address = ("127.0.0.1", listener.port)
    peers = [await trio.open_tcp_stream(*address) for _ in range(4)]
    await peers[0].send_all(b"\0\0\0\x0a\0\x12\0\0\0\0\0\1\xff\xff")
    assert await peers[0].receive_some(1)
    assert len(processor.connections) == quota.count == 2  # 0.2 a second over ten seconds
    started = trio.current_time()
    assert await peers[3].receive_some(1) == b""
    assert 0.9 <= trio.current_time() - started <= 1.1  # throttled for one sample at most
    quota.update_ip_rates({})
    for peer in peers:
        await peer.aclose()
    async with await trio.open_tcp_stream(*address) as peer:
        await peer.send_all(b"\0\0\0\x0a\0\x12\0\0\0\0\0\1\xff\xff")
        assert await peer.receive_some(1)
    listener.stop_accepting()
    listener.close()
    nursery.cancel_scope.cancel()


async def test_the_rates_of_hosts_and_of_all_other_addresses(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wirebroker.server.host_addresses._resolved", lambda name: frozenset({"127.0.0.1"}))
    quota = quota_of()
    nursery.start_soon(quota.resolve_hosts)
    key = "connection_creation_rate"
    quota.update_ip_rates({(("ip", "localhost"),): {key: 1.0}, (("ip", None),): {key: 2.0}})
    while "127.0.0.1" not in quota._hosts.of("localhost"):
        await trio.lowlevel.checkpoint()  # a thread resolves the name
    for host, count in (("127.0.0.1", 10), ("127.0.0.2", 20), ("127.0.0.3", 20)):
        assert sum(not quota.throttle_s(host) for _ in range(30)) == count
    await trio.sleep(60)
    assert sum(not quota.throttle_s("127.0.0.1") for _ in range(30)) == 10
    nursery.cancel_scope.cancel()
