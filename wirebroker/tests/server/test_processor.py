"""The connections of a broker: a request that waits holds up nobody else, and none is forgotten when it ends."""

from __future__ import annotations

import math
import socket
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
import trio
import trio.testing

from wirebroker.handlers.context import RequestContext, Services
from wirebroker.loop_budget import LoopBudget
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.server import connection as connection_module
from wirebroker.server.connection import Connection
from wirebroker.server.connection_settings import ConnectionSettings
from wirebroker.server.processor import DRAIN_S
from wirebroker.server.socket_wait import SocketSet

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from wirebroker.protocol.messages.produce import ProduceResponse

    Handler = Callable[[RequestContext, Any], Awaitable[Any]]

from wirebroker.tests.clocks import let_pass
from wirebroker.tests.server.processor_harness import (
    PRODUCE,
    ProcessorHarness,
    answers,
    heartbeat,
    produce,
    running_processor,
)


@pytest.fixture
async def harness(nursery: trio.Nursery) -> AsyncIterator[ProcessorHarness]:
    async with running_processor(nursery, ProcessorHarness()) as harness:
        yield harness


@pytest.mark.parametrize("request_of", [produce, heartbeat])
async def test_a_request_that_waits_holds_up_its_own_connection_only(
    harness: ProcessorHarness, request_of: Callable[[str, int], bytes]
) -> None:
    harness.waits = lambda client, number: (client, number) in {("a", 2), ("b", 1)}
    one, two, three = harness.connect(), harness.connect(), harness.connect()
    one.send(request_of("a", 1) + request_of("a", 2) + request_of("a", 3))
    two.send(request_of("b", 1) + request_of("b", 2))
    three.send(request_of("c", 1))
    await trio.testing.wait_all_tasks_blocked()
    assert [answers(each) for each in (one, two, three)] == [[1], [], [1]]
    three.send(request_of("c", 2))
    one.send(request_of("a", 4))
    await trio.testing.wait_all_tasks_blocked()
    assert [answers(each) for each in (one, two, three)] == [[], [], [2]]
    harness.waiting["a", 2].set()
    await trio.testing.wait_all_tasks_blocked()
    assert [answers(each) for each in (one, two, three)] == [[2, 3, 4], [], []]
    harness.waiting["b", 1].set()
    await trio.testing.wait_all_tasks_blocked()
    assert answers(two) == [1, 2]
    for client in "abc":
        numbers = [number for name, number in harness.calls if name == client]
        assert numbers == sorted(numbers)


async def test_answers_leave_before_a_later_request_waits(harness: ProcessorHarness) -> None:
    harness.waits = lambda _, number: number in (3, 4, 6)
    peer = harness.connect()
    peer.send(b"".join(produce("a", number) for number in range(1, 8)))
    seen = []
    for number in (3, 4, 6):
        await trio.testing.wait_all_tasks_blocked()
        seen.append(answers(peer))
        harness.waiting["a", number].set()
    await trio.testing.wait_all_tasks_blocked()
    assert [*seen, answers(peer)] == [[1, 2], [3], [4, 5], [6, 7]]


async def test_an_answer_that_a_thread_encodes_leaves_when_it_is_whole(harness: ProcessorHarness) -> None:
    encoded = trio.Event()

    async def encode(
        work: Callable[..., None], write: Callable[..., None], response: Any, out: WireBuffer, version: int
    ) -> None:
        """As a worker thread that is slow in the middle of it."""
        whole = WireBuffer()
        work(write, response, whole, version)
        out += whole[:3]
        await encoded.wait()
        out += whole[3:]

    async def long_answer(context: RequestContext, request: Any) -> ProduceResponse:
        if request.timeout_ms == 2:
            context.loop_budget = LoopBudget()
            context.loop_budget.yields = 1
        return await harness.produce(context, request)

    harness.services.replicas = SimpleNamespace(workers=SimpleNamespace(run=encode))
    harness.set(PRODUCE, long_answer)
    peer = harness.connect()
    peer.send(b"".join(produce("a", number) for number in range(1, 4)))
    await trio.testing.wait_all_tasks_blocked()
    assert answers(peer) == [1]
    encoded.set()
    await trio.testing.wait_all_tasks_blocked()
    assert answers(peer) == [2, 3]


async def test_answers_of_pipelined_requests_are_sent_together(
    harness: ProcessorHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "TURN_S", math.inf)  # a slow machine would send them one by one
    ours, theirs = socket.socketpair()
    sends = []

    class Counting(socket.socket):
        def send(self, data: Any, flags: int = 0) -> int:
            sends.append(bytes(data))
            return super().send(data, flags)

    counting = Counting(ours.family, ours.type, ours.proto, ours.detach())
    counting.setblocking(False)
    context = RequestContext(cast(Services, harness.services), routes=harness.routes)
    harness.processor.add(Connection(counting, context, ConnectionSettings(harness.pool, 1_000_000)))
    harness.peers.append(theirs)
    theirs.send(b"".join(produce("a", number) for number in range(1, 21)))
    await trio.testing.wait_all_tasks_blocked()
    assert answers(theirs) == list(range(1, 21))
    assert len(sends) == 1


async def test_others_have_their_turn_while_one_has_sent_much(
    harness: ProcessorHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "TURN_S", 0)  # every request ends a turn
    one, two = harness.connect(), harness.connect()
    one.send(b"".join(produce("a", number) for number in range(1, 5)))
    two.send(b"".join(produce("b", number) for number in range(1, 5)))
    await trio.testing.wait_all_tasks_blocked()
    assert [number for _, number in harness.calls] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert answers(one) == answers(two) == [1, 2, 3, 4]


async def test_a_connection_that_waited_continues_with_buffered_requests(
    harness: ProcessorHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "TURN_S", 0)
    harness.waits = lambda _, number: number == 2
    peer = harness.connect()
    peer.send(b"".join(produce("a", number) for number in range(1, 6)))
    await trio.testing.wait_all_tasks_blocked()
    harness.waiting["a", 2].set()
    await trio.testing.wait_all_tasks_blocked()
    assert answers(peer) == [1, 2, 3, 4, 5]


async def test_many_that_wait_and_end_leave_few_tasks(harness: ProcessorHarness) -> None:
    before = trio.lowlevel.current_statistics().tasks_living
    harness.waits = lambda _client, _number: True
    peers = [harness.connect() for _ in range(60)]
    for number in (1, 2):
        for at, peer in enumerate(peers):
            peer.send(heartbeat(str(at), number))
        await trio.testing.wait_all_tasks_blocked()
        assert len(harness.calls) == 60 * number
        assert trio.lowlevel.current_statistics().tasks_living >= before + 60
        for at in range(60):
            harness.waiting[str(at), number].set()
        await trio.testing.wait_all_tasks_blocked()
        assert [answers(peer) for peer in peers] == [[number]] * 60
        assert trio.lowlevel.current_statistics().tasks_living <= before + 20


async def test_a_long_pipeline_holds_up_no_request_that_comes_meanwhile(
    harness: ProcessorHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "TURN_S", 0)
    one, two = harness.connect(), harness.connect()

    def send_another(client: str, number: int) -> bool:
        if (client, number) == ("a", 5):
            two.send(produce("b", 1))
        return False

    harness.waits = send_another
    one.send(b"".join(produce("a", number) for number in range(1, 51)))
    await trio.testing.wait_all_tasks_blocked()
    assert harness.calls.index(("b", 1)) <= 6
    assert len(harness.calls) == 51
    received: list[int] = []
    while found := answers(one):
        received += found
    assert received == list(range(1, 51))


@pytest.mark.parametrize("request_of", [produce, heartbeat])
async def test_responses_that_are_sent_together_reach_their_peers(
    harness: ProcessorHarness, request_of: Callable[[str, int], bytes]
) -> None:
    """One request of many peers waits: responses before it have been sent, and those behind it do not wait."""
    harness.waits = lambda client, number: (client, number) == ("20", 2)
    peers = [harness.connect() for _ in range(50)]
    for number in (1, 3):
        for at, peer in enumerate(peers):
            peer.send(request_of(str(at), number) + request_of(str(at), number + 1))
        await trio.testing.wait_all_tasks_blocked()
        waiting = [[1], []][number // 2]
        expected = [[number, number + 1] if at != 20 else waiting for at in range(50)]
        assert [answers(peer) for peer in peers] == expected
    harness.waiting["20", 2].set()
    await trio.testing.wait_all_tasks_blocked()
    assert answers(peers[20]) == [2, 3, 4]


@pytest.mark.parametrize("at", [10, 39])  # in the first group, and in the last one
async def test_a_peer_that_does_not_read_holds_up_no_response_that_is_sent_with_its_own(
    harness: ProcessorHarness,
    at: int,
) -> None:
    peers = [harness.connect() for _ in range(40)]
    full = peers[at]
    sock = harness.processor.connections[at]._sock
    size_bytes = 0
    with suppress(BlockingIOError):
        while True:
            size_bytes += sock.send(bytes(1000))
    for number, peer in enumerate(peers):
        peer.send(produce(str(number), 1))
    await trio.testing.wait_all_tasks_blocked()
    assert len(harness.calls) == 40
    assert all(answers(peer) == [1] for peer in peers if peer is not full)
    full.send(produce(str(at), 2))
    await trio.testing.wait_all_tasks_blocked()
    while size_bytes:
        size_bytes -= len(full.recv(size_bytes))
    received: list[int] = []
    with trio.fail_after(5):
        while len(received) < 2:
            await trio.testing.wait_all_tasks_blocked(0.001)
            received += answers(full)
    assert received == [1, 2]


async def test_records_stay_as_they_are_while_their_request_waits(harness: ProcessorHarness) -> None:
    harness.waits = lambda client, _: client == "slow"
    slow, quick = harness.connect(), harness.connect()
    slow.send(produce("slow", 1, b"first" * 100))
    await trio.testing.wait_all_tasks_blocked()
    for number in range(1, 10):
        quick.send(produce("quick", number, b"other" * 100))
        await trio.testing.wait_all_tasks_blocked()
    harness.waiting["slow", 1].set()
    await trio.testing.wait_all_tasks_blocked()
    assert harness.seen == [b"other" * 100] * 9 + [b"first" * 100]


@pytest.mark.parametrize("noticed", ["at once", "by and by"])
async def test_a_long_poll_ends_when_its_peer_disconnects(harness: ProcessorHarness, noticed: str) -> None:
    harness.waits = lambda _client, _number: True
    peer = harness.connect()
    peer.send(heartbeat("a", 1))
    await trio.testing.wait_all_tasks_blocked()
    if noticed == "at once":
        peer.close()
    else:
        peer.shutdown(socket.SHUT_WR)  # the connection is open in the other direction
        await trio.testing.wait_all_tasks_blocked()
        assert not harness.cancelled
        harness.processor.close_abandoned()
    await trio.testing.wait_all_tasks_blocked()
    assert harness.cancelled == [("a", 1)]
    assert not harness.processor.connections


async def test_a_write_whose_peer_has_left_is_finished(harness: ProcessorHarness) -> None:
    harness.waits = lambda _client, _number: True
    peer = harness.connect()
    peer.send(produce("a", 1, b"data"))
    await trio.testing.wait_all_tasks_blocked()
    peer.close()
    await trio.testing.wait_all_tasks_blocked()
    harness.waiting["a", 1].set()
    await trio.testing.wait_all_tasks_blocked()
    assert harness.seen == [b"data"]
    assert not harness.cancelled
    assert not harness.processor.connections


async def test_silent_connections_are_closed_and_half_a_frame_is_worth_a_line(
    nursery: trio.Nursery, mock_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_processor(nursery, ProcessorHarness(idle_s=600)) as harness:
        silent, half, waits, brisk = (harness.connect() for _ in range(4))
        harness.waits = lambda client, _: client == "waits"
        half.send(b"\0\0\0\xffhalf")
        waits.send(heartbeat("waits", 1))
        await trio.testing.wait_all_tasks_blocked()
        await let_pass(mock_clock, 599)
        assert len(harness.processor.connections) == 4
        for connection in harness.processor.connections:
            connection.last_active -= 600  # of the clock that the requests' times are measured with
        brisk.send(heartbeat("brisk", 1))
        await trio.testing.wait_all_tasks_blocked()
        await let_pass(mock_clock, 1)
        assert silent.recv(1) == half.recv(1) == b""
        assert len(harness.processor.connections) == 2
        assert caplog.messages == ["peer=127.0.0.1 client_id=None: closing: idle in the middle of a request"]
        harness.waiting["waits", 1].set()
        await trio.testing.wait_all_tasks_blocked()
        await let_pass(mock_clock, 60)  # the tenth part of the time, as it was busy
        assert [each._context.client_id for each in harness.processor.connections] == ["brisk"]
        await let_pass(mock_clock, 540)
        assert len(harness.timer) == 1  # it is looked at again


@pytest.mark.parametrize("heard", [True, False])
async def test_after_a_standstill_sockets_are_read_before_connections_are_idle(
    nursery: trio.Nursery, mock_clock: trio.testing.MockClock, heard: bool
) -> None:
    async with running_processor(nursery, ProcessorHarness(idle_s=600)) as harness:
        peer = harness.connect()
        await trio.testing.wait_all_tasks_blocked()
        harness.processor.connections[0].last_active -= 3600
        if heard:
            peer.send(heartbeat("a", 1))  # while the process was stopped
        await let_pass(mock_clock, 3600)
        assert len(harness.processor.connections) == int(heard)
        assert answers(peer) == ([1] if heard else [])


async def test_closed_connections_leave_no_timer(nursery: trio.Nursery) -> None:
    async with running_processor(nursery, ProcessorHarness(idle_s=600)) as harness:
        peers = [harness.connect() for _ in range(3)]
        await trio.testing.wait_all_tasks_blocked()
        assert len(harness.timer) == 3
        for peer in peers:
            peer.close()
        await trio.testing.wait_all_tasks_blocked()
        assert len(harness.timer) == 0


async def test_stop_closes_idle_connections_and_lets_requests_end(
    harness: ProcessorHarness, autojump_clock: trio.testing.MockClock
) -> None:
    harness.waits = lambda client, _: client != "idle"
    idle, ends, never = harness.connect(), harness.connect(), harness.connect()
    idle.send(heartbeat("idle", 1))
    ends.send(heartbeat("ends", 1))
    never.send(heartbeat("never", 1))
    await trio.testing.wait_all_tasks_blocked()
    assert answers(idle) == [1]
    began = trio.current_time()
    harness.processor.stop()
    await trio.testing.wait_all_tasks_blocked()
    assert idle.recv(1) == b""
    harness.waiting["ends", 1].set()
    await trio.testing.wait_all_tasks_blocked()
    assert answers(ends) == [1]
    assert ends.recv(1) == b""
    await trio.sleep(DRAIN_S)
    await trio.testing.wait_all_tasks_blocked()
    assert harness.cancelled == [("never", 1)]
    assert never.recv(1) == b""
    assert trio.current_time() - began == DRAIN_S


async def test_sockets_that_are_always_ready_leave_the_loop_to_other_tasks() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.send(b"x")
        sockets = SocketSet()
        sockets.open()
        sockets.add(ours.fileno())
        ran = 0

        async def other() -> None:
            nonlocal ran
            for _ in range(100):
                await trio.lowlevel.checkpoint()
                ran += 1

        async with trio.open_nursery() as nursery:
            nursery.start_soon(other)
            for _ in range(110):
                assert [fd for fd, _ in await sockets.wait()] == [ours.fileno()]
        assert ran == 100
        sockets.close()


async def test_a_socket_that_is_paused_is_not_reported() -> None:
    (ours, theirs), (others, peers) = socket.socketpair(), socket.socketpair()
    with ours, theirs, others, peers:
        sockets = SocketSet()
        sockets.open()
        for sock in (ours, others):
            sockets.add(sock.fileno())
        theirs.send(b"x")
        peers.send(b"x")
        assert {fd for fd, _ in await sockets.wait()} == {ours.fileno(), others.fileno()}
        sockets.pause(ours.fileno())
        assert {fd for fd, _ in await sockets.wait()} == {others.fileno()}
        sockets.resume(ours.fileno())
        sockets.discard(others.fileno())
        assert {fd for fd, _ in await sockets.wait()} == {ours.fileno()}
        sockets.close()
