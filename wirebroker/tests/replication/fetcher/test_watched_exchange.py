"""WatchedExchange: responses are handled when the socket is reported; the task goes on with all that is unusual."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest
import trio
import trio.lowlevel
import trio.testing

from wirebroker.client.broker_channel import BrokerChannel, ChannelError, ChannelSettings
from wirebroker.model import BrokerEndpoint
from wirebroker.protocol.messages.fetch import FetchableTopicResponse, FetchRequest, FetchResponse, PartitionData
from wirebroker.replication.fetcher.leader_endpoint import STREAMED_FROM
from wirebroker.replication.fetcher.watched_exchange import WatchedExchange

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

VERSION = 12


class Sockets:
    """Watched sockets that the test reports."""

    def __init__(self) -> None:
        self.watched: dict[int, tuple[Callable[[], None], Callable[[], None]]] = {}
        self.is_open = True

    def watch(self, fd: int, on_readable: Callable[[], None], on_closed: Callable[[], None]) -> bool:
        if self.is_open:
            self.watched[fd] = on_readable, on_closed
        return self.is_open

    def unwatch(self, fd: int) -> None:
        self.watched.pop(fd, None)

    def report(self) -> None:
        ((on_readable, _),) = self.watched.values()
        on_readable()

    def close(self) -> None:
        ((_, on_closed),) = self.watched.values()
        self.watched.clear()
        on_closed()


class Exchanges:
    """A channel to a leader that the test plays, with the handled responses."""

    def __init__(self) -> None:
        self.sockets = Sockets()
        self.leader, ours = socket.socketpair()
        self.leader.settimeout(5)
        self._ours = ours
        self.channel = BrokerChannel(BrokerEndpoint(2, "leader", 9092), ChannelSettings("c", 30.0), self._connect)
        self.frame = self.channel.encode(FetchRequest(), VERSION)
        self.handled: list[bytes] = []
        self.handles = 0
        """How many responses lead to another request."""
        self.error: Exception | None = None
        self.outcome: list[bytes | ChannelError | None] = []
        self.exchange = WatchedExchange(self.channel, lambda: self.sockets, self._handle)

    async def _connect(self, _: BrokerEndpoint) -> trio.socket.SocketType:
        await trio.lowlevel.checkpoint()
        return trio.socket.from_stdlib_socket(self._ours)

    def _handle(self, body: memoryview, at: int) -> bytearray | None:
        if self.error is not None:
            raise self.error
        self.handled.append(bytes(body[at:]))
        return self.frame if len(self.handled) <= self.handles else None

    async def run(self) -> None:
        """Exchange, and add what comes of it to `outcome`."""
        try:
            received = await self.exchange.exchange(self.frame, VERSION)
        except ChannelError as error:
            self.outcome.append(error)
        else:
            self.outcome.append(None if received is None else bytes(received[0][received[1] :]))

    def request(self) -> bytes:
        """Receive the next request; return its correlation id."""
        assert len(self.leader.recv(len(self.frame), socket.MSG_WAITALL)) == len(self.frame)
        return bytes(self.frame[8:12])


def response(records: bytes) -> bytes:
    """Return the body of a response."""
    body = bytearray()
    data = PartitionData(partition_index=0, records=records)
    FetchResponse(session_id=7, responses=[FetchableTopicResponse(topic="t", partitions=[data])]).write(body, VERSION)
    return bytes(body)


def framed(correlation_id: bytes, body: bytes) -> bytes:
    return (len(body) + 5).to_bytes(4, "big") + correlation_id + b"\0" + body


@pytest.fixture
async def exchanges() -> AsyncIterator[Exchanges]:
    """A channel that is connected, after a first exchange in the event loop."""
    found = Exchanges()
    with found.leader:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(found.run)
            await trio.testing.wait_all_tasks_blocked()
            found.leader.send(framed(found.request(), response(b"first")))
        assert found.outcome == [response(b"first")]
        found.outcome.clear()
        assert not found.sockets.watched
        yield found
        found.channel.close()


async def test_responses_are_handled_until_one_is_the_last(exchanges: Exchanges) -> None:
    exchanges.handles = 2
    bodies = [response(each) for each in (b"a", b"bb", b"ccc")]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(exchanges.run)
        await trio.testing.wait_all_tasks_blocked()
        for count, body in enumerate(bodies, 1):
            exchanges.leader.send(framed(exchanges.request(), body))
            assert not exchanges.outcome
            exchanges.sockets.report()
            assert len(exchanges.handled) == count
    assert exchanges.handled == bodies
    assert exchanges.outcome == [None]
    assert not exchanges.sockets.watched


@pytest.mark.parametrize("first", [0, 3, 7, 20])
async def test_a_response_in_pieces_is_the_tasks(exchanges: Exchanges, first: int) -> None:
    body = response(b"x" * 100)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(exchanges.run)
        await trio.testing.wait_all_tasks_blocked()
        frame = framed(exchanges.request(), body)
        if first:
            exchanges.leader.send(frame[:first])
        exchanges.sockets.report()
        await trio.testing.wait_all_tasks_blocked()
        assert not exchanges.outcome
        exchanges.leader.send(frame[first:])
    assert exchanges.outcome == [body]
    assert not exchanges.handled
    assert not exchanges.sockets.watched


async def test_a_large_response_is_begun(exchanges: Exchanges) -> None:
    body = response(bytes(STREAMED_FROM + 1))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(exchanges.run)
        await trio.testing.wait_all_tasks_blocked()
        frame = framed(exchanges.request(), body)
        nursery.start_soon(trio.to_thread.run_sync, lambda: exchanges.leader.sendall(frame))
        while not exchanges.outcome:
            await trio.lowlevel.checkpoint()
            if exchanges.sockets.watched:
                exchanges.sockets.report()
        (begun,) = exchanges.outcome
        assert isinstance(begun, bytes)
        assert exchanges.channel.missing_bytes == len(body) - len(begun)
        received = memoryview(begun)
        while exchanges.channel.missing_bytes:
            received = await exchanges.channel.receive_more(received, 1 << 20, FetchRequest.API_KEY)
    assert received == body


async def test_a_leader_that_answers_another_request(exchanges: Exchanges) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(exchanges.run)
        await trio.testing.wait_all_tasks_blocked()
        exchanges.leader.send(framed(b"\1\2\3\4", response(b"")))
        exchanges.sockets.report()
    (error,) = exchanges.outcome
    assert isinstance(error, ChannelError)
    assert f"response to request {0x01020304}" in str(error)
    assert not exchanges.sockets.watched
    assert not exchanges.channel.is_connected


async def test_a_leader_that_hangs_up(exchanges: Exchanges) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(exchanges.run)
        await trio.testing.wait_all_tasks_blocked()
        exchanges.request()
        exchanges.leader.close()
        exchanges.sockets.report()
    (error,) = exchanges.outcome
    assert "closed by the other broker" in str(error)
    assert not exchanges.sockets.watched
    assert not exchanges.channel.is_connected


async def test_cancellation_closes_the_connection(exchanges: Exchanges) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(exchanges.run)
        await trio.testing.wait_all_tasks_blocked()
        assert exchanges.sockets.watched
        nursery.cancel_scope.cancel()
    assert not exchanges.sockets.watched
    assert not exchanges.channel.is_connected
    assert not exchanges.outcome


async def test_an_error_of_the_handler_is_raised_in_the_task(exchanges: Exchanges) -> None:
    exchanges.error = ZeroDivisionError("in the handler")

    async def run() -> None:
        with pytest.raises(ZeroDivisionError, match="in the handler"):
            await exchanges.run()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await trio.testing.wait_all_tasks_blocked()
        exchanges.leader.send(framed(exchanges.request(), response(b"")))
        exchanges.sockets.report()
    assert not exchanges.sockets.watched
    assert not exchanges.channel.is_connected


@pytest.mark.parametrize("is_open", [True, False])
async def test_the_task_receives_itself_when_nobody_polls_any_more(exchanges: Exchanges, is_open: bool) -> None:
    exchanges.sockets.is_open = is_open
    async with trio.open_nursery() as nursery:
        nursery.start_soon(exchanges.run)
        await trio.testing.wait_all_tasks_blocked()
        if is_open:
            exchanges.sockets.close()
        exchanges.leader.send(framed(exchanges.request(), response(b"x")))
    assert exchanges.outcome == [response(b"x")]
    assert not exchanges.handled
