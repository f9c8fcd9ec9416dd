"""WatchedSockets: functions are called for sockets beside those of clients, while the processor polls."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from wirebroker.client.broker_channel import BrokerChannel, ChannelError, ChannelSettings
from wirebroker.model import BrokerEndpoint
from wirebroker.protocol.messages.fetch import FetchRequest
from wirebroker.replication.fetcher.watched_exchange import WatchedExchange
from wirebroker.server.processor import Processor
from wirebroker.server.socket_wait import NO_BUSY_POLL

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        yield ours, theirs


class Watcher:
    """Receives what comes on a watched socket."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.received: list[bytes] = []
        self.closed = 0
        self.came = trio.Event()

    def on_readable(self) -> None:
        self.received.append(self._sock.recv(100))
        self.came.set()

    def on_closed(self) -> None:
        self.closed += 1

    async def next(self) -> bytes:
        await self.came.wait()
        self.came = trio.Event()
        return self.received[-1]


async def test_a_function_is_called_whenever_its_socket_can_be_read(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = ends
    processor, watcher = Processor(60.0, NO_BUSY_POLL), Watcher(ours)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(processor.run)
        await trio.testing.wait_all_tasks_blocked()
        assert processor.watched.watch(ours.fileno(), watcher.on_readable, watcher.on_closed)
        for sent in (b"a", b"b", b"c"):
            theirs.send(sent)
            assert await watcher.next() == sent
        processor.watched.unwatch(ours.fileno())
        processor.watched.unwatch(ours.fileno())
        theirs.send(b"d")
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert watcher.received == [b"a", b"b", b"c"]
        assert ours.recv(100) == b"d"
        processor.stop()
    assert not watcher.closed


async def test_a_processor_that_ends_says_so_once(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = ends
    processor, watcher = Processor(60.0, NO_BUSY_POLL), Watcher(ours)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(processor.run)
        await trio.testing.wait_all_tasks_blocked()
        assert processor.watched.watch(ours.fileno(), watcher.on_readable, watcher.on_closed)
        theirs.send(b"a")
        await watcher.next()
        processor.stop()
    assert watcher.closed == 1
    assert not processor.watched.watch(ours.fileno(), watcher.on_readable, watcher.on_closed)


def test_nothing_is_watched_before_the_processor_runs(ends: tuple[socket.socket, socket.socket]) -> None:
    processor, watcher = Processor(60.0), Watcher(ends[0])
    assert not processor.watched.watch(ends[0].fileno(), watcher.on_readable, watcher.on_closed)
    processor._sockets._epoll.close()


async def test_a_socket_is_watched_once(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, _ = ends
    processor, watcher = Processor(60.0, NO_BUSY_POLL), Watcher(ours)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(processor.run)
        await trio.testing.wait_all_tasks_blocked()
        assert processor.watched.watch(ours.fileno(), watcher.on_readable, watcher.on_closed)
        assert not processor.watched.watch(ours.fileno(), watcher.on_readable, watcher.on_closed)
        processor.watched.unwatch(ours.fileno())
        processor.stop()


async def test_the_processor_survives_a_leader_that_hangs_up(ends: tuple[socket.socket, socket.socket]) -> None:
    """The channel closes its socket while the processor reports it."""
    ours, leader = socket.socketpair()
    processor = Processor(60.0, NO_BUSY_POLL)

    async def connect(_: BrokerEndpoint) -> trio.socket.SocketType:
        await trio.lowlevel.checkpoint()
        return trio.socket.from_stdlib_socket(ours)

    channel = BrokerChannel(BrokerEndpoint(2, "leader", 9092), ChannelSettings("c", 30.0), connect)
    exchange = WatchedExchange(channel, lambda: processor.watched, lambda *_: None)
    frame = channel.encode(FetchRequest(), 12)
    answer = (5).to_bytes(4, "big")

    async def ask() -> None:
        assert await exchange.exchange(frame, 12) is not None
        with pytest.raises(ChannelError, match="closed by the other broker"):
            await exchange.exchange(frame, 12)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(processor.run)
        await trio.testing.wait_all_tasks_blocked()
        async with trio.open_nursery() as asking:
            asking.start_soon(ask)
            await trio.testing.wait_all_tasks_blocked()
            leader.recv(1000)
            leader.send(answer + bytes(frame[8:12]) + b"\0")
            await trio.testing.wait_all_tasks_blocked()
            assert leader.recv(1000) == frame
            leader.close()
        watcher = Watcher(ends[0])
        assert processor.watched.watch(ends[0].fileno(), watcher.on_readable, watcher.on_closed)
        ends[1].send(b"still there")
        assert await watcher.next() == b"still there"
        processor.watched.unwatch(ends[0].fileno())
        processor.stop()
