"""One listening socket: nobody is let in early, and nobody stays who has left or does not read."""

from __future__ import annotations

import math
import socket
from contextlib import suppress
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
import trio
import trio.testing

from wirebroker.config.keys import UNLIMITED
from wirebroker.handlers.context import RequestContext, Services
from wirebroker.handlers.routes import EVERYTHING
from wirebroker.protocol.frames import BufferPool
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.server.connection import Connection
from wirebroker.server.listener import Listener
from wirebroker.server.processor import Processor
from wirebroker.server.quota import ConnectionQuota
from wirebroker.server.sending import PeerStalled, send_answers
from wirebroker.storage.files import File, Files
from wirebroker.storage.log_slice import LogSlice

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wirebroker.config.server import BrokerConfig


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


async def test_a_peer_that_does_not_read_is_given_up(
    pair: tuple[socket.socket, socket.socket], autojump_clock: trio.testing.MockClock
) -> None:
    out = WireBuffer(bytes(8_000_000))
    with pytest.raises(PeerStalled):
        await send_answers(pair[0], out, 600.0)
    assert trio.current_time() == 600


async def test_one_that_reads_slowly_gets_everything(pair: tuple[socket.socket, socket.socket]) -> None:
    pair[1].setblocking(False)
    size_bytes = 3_000_000
    received = 0

    async def read() -> None:
        nonlocal received
        while received < size_bytes:
            await trio.lowlevel.wait_readable(pair[1])
            received += len(pair[1].recv(100_000))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read)
        await send_answers(pair[0], WireBuffer(bytes(size_bytes)), 600.0)
    assert received == size_bytes


@pytest.fixture
def numbers(tmp_path: Path) -> tuple[File, bytes]:
    """A file whose bytes tell where they are."""
    data = b"".join(number.to_bytes(4, "big") for number in range(1_000_000))
    path = tmp_path / "numbers"
    path.write_bytes(data)
    return Files().open(str(path)), data


@pytest.mark.parametrize("reader", ["in the same loop", "in a thread"])
async def test_file_ranges_arrive_whole_through_a_small_buffer(
    pair: tuple[socket.socket, socket.socket], numbers: tuple[File, bytes], reader: str
) -> None:
    pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 50_000)
    file, data = numbers
    expected = b"head" + data[8:-4] + b"tail"
    received = bytearray()

    async def read_in_turns() -> None:
        pair[1].setblocking(False)
        while len(received) < len(expected):
            await trio.lowlevel.wait_readable(pair[1])
            received.extend(pair[1].recv(70_000))

    def read_at_once() -> None:
        while len(received) < len(expected):
            received.extend(pair[1].recv(70_000))

    async with trio.open_nursery() as nursery:
        if reader == "in a thread":
            nursery.start_soon(trio.to_thread.run_sync, read_at_once)
        else:
            nursery.start_soon(read_in_turns)
        out = WireBuffer(b"headtail")
        out.detached.append((4, LogSlice(file, 8, len(data) - 12, 0)))
        await send_answers(pair[0], out, 600.0)
    assert bytes(received) == expected
    assert not out
    assert not out.detached


def test_a_peer_that_left_during_a_long_poll_is_noticed(pair: tuple[socket.socket, socket.socket]) -> None:
    connection = Connection(pair[0], RequestContext(cast(Services, None)), BufferPool(), 1000)
    connection._serving = True
    assert not connection.is_abandoned()
    pair[1].send(b"one more request")
    assert not connection.is_abandoned()
    pair[0].recv(100)
    pair[1].close()
    assert connection.is_abandoned()
    connection._serving = False  # the loop will see it itself
    assert not connection.is_abandoned()


def serve(
    nursery: trio.Nursery, listener: Listener, quota: ConnectionQuota | None = None, **settings: int
) -> Processor:
    """Have what connects to *listener* served; returns by whom."""
    processor = Processor(math.inf)
    services = cast(Services, SimpleNamespace(routes=EVERYTHING))
    nursery.start_soon(processor.run)
    nursery.start_soon(
        partial(listener.serve, services, processor, BufferPool(), limit_bytes=1000, quota=quota, **settings)
    )
    return processor


def quota_of(most: int = 1000, **settings: object) -> ConnectionQuota:
    limits = {"max_connections": 1000, "max_connections_per_ip": 1000, "max_connections_per_ip_overrides": ""}
    limits["max_connection_creation_rate"] = UNLIMITED
    config = SimpleNamespace(**limits | settings)
    return ConnectionQuota(lambda: cast("BrokerConfig", config), most)


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


def arrivals(quota: ConnectionQuota, count: int) -> int:
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
    config = SimpleNamespace(max_connection_creation_rate=0)
    quota = ConnectionQuota(lambda: cast("BrokerConfig", config), 1000)
    assert quota.delay_s() == math.inf
    config.max_connection_creation_rate = UNLIMITED
    assert not quota.delay_s()


async def test_peers_wait_until_it_is_their_turn(nursery: trio.Nursery, autojump_clock: trio.testing.MockClock) -> None:
    config = SimpleNamespace(
        max_connections=1000, max_connections_per_ip=1000, max_connections_per_ip_overrides="",
        max_connection_creation_rate=0,
    )  # fmt: skip
    quota = ConnectionQuota(lambda: cast("BrokerConfig", config), 1000)
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
    listener = Listener("PLAINTEXT", "127.0.0.1", 0)
    listener.listen()
    processor = serve(nursery, listener, send_buffer_bytes=asked_bytes)
    async with await trio.open_tcp_stream("127.0.0.1", listener.port):
        await trio.testing.wait_all_tasks_blocked()
        (connection,) = processor.connections
        # Linux keeps books of its own in there and so takes twice as much
        assert connection._sock.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) == 2 * least_bytes
    listener.stop_accepting()
    listener.close()
    nursery.cancel_scope.cancel()


async def test_a_peer_that_speaks_http_is_told_as_such(nursery: trio.Nursery, caplog: pytest.LogCaptureFixture) -> None:
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
