"""The connections of a broker: a request that waits holds up nobody else, and none is forgotten when it ends."""

from __future__ import annotations

import math
import socket
from struct import pack, unpack
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
import trio
import trio.testing

from wirebroker.handlers.context import RequestContext, Services
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.frames import BufferPool
from wirebroker.protocol.messages.heartbeat import HeartbeatResponse
from wirebroker.protocol.messages.produce import ProduceResponse, TopicProduceResponse
from wirebroker.server import connection as connection_module
from wirebroker.server.connection import Connection
from wirebroker.server.processor import DRAIN_S, Processor
from wirebroker.server.socket_wait import SocketSet
from wirebroker.turns import Turns

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    Handler = Callable[[RequestContext, Any], Awaitable[Any]]

PRODUCE, HEARTBEAT = 0, 12  # a route whose answers may leave together, and one that may wait for long


class Stage:
    """A processor, handlers that do as they are told, and peers."""

    def __init__(self) -> None:
        self.routes = RouteTable()
        self.services = SimpleNamespace()
        self.processor = Processor(math.inf)
        self.pool = BufferPool(keep=2)
        self.calls: list[tuple[str, int]] = []  # client, number
        self.waiting: dict[tuple[str, int], trio.Event] = {}
        self.cancelled: list[tuple[str, int]] = []
        self.seen: list[bytes] = []
        self.waits: Callable[[str, int], bool] = lambda _client, _number: False
        self.peers: list[socket.socket] = []
        self.set(PRODUCE, self.produce)
        self.set(HEARTBEAT, self.heartbeat)

    def set(self, api_key: int, handler: Handler) -> None:
        bound = self.routes.find(api_key, 3)
        assert bound is not None
        bound.handler = handler

    async def _called(self, context: RequestContext, number: int) -> None:
        call = (str(context.client_id), number)
        self.calls.append(call)
        if self.waits(*call):
            event = self.waiting[call] = trio.Event()
            try:
                await event.wait()
            except trio.Cancelled:
                self.cancelled.append(call)
                raise

    async def produce(self, context: RequestContext, request: Any) -> ProduceResponse:
        await self._called(context, request.timeout_ms)
        self.seen += [bytes(data.records) for topic in request.topic_data for data in topic.partition_data]
        return ProduceResponse(responses=[TopicProduceResponse(str(request.timeout_ms))])

    async def heartbeat(self, context: RequestContext, request: Any) -> HeartbeatResponse:
        await self._called(context, request.generation_id)
        return HeartbeatResponse(error_code=request.generation_id)

    def connect(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        theirs.setblocking(False)
        context = RequestContext(cast(Services, self.services), routes=self.routes)
        self.processor.add(Connection(ours, context, self.pool, 1_000_000))
        self.peers.append(theirs)
        return theirs


@pytest.fixture
async def stage(nursery: trio.Nursery) -> AsyncIterator[Stage]:
    made = Stage()
    nursery.start_soon(made.processor.run)
    await trio.testing.wait_all_tasks_blocked()
    yield made
    for peer in made.peers:
        peer.close()
    nursery.cancel_scope.cancel()


def frame(api_key: int, client: str, number: int, body: bytes) -> bytes:
    head = pack(">hhih", api_key, 3, number, len(client)) + client.encode()
    return pack(">i", len(head) + len(body)) + head + body


def produce(client: str, number: int, records: bytes = b"") -> bytes:
    body = pack(">hhiih", -1, 1, number, 1, 1) + b"t" + pack(">iii", 1, 0, len(records)) + records
    return frame(PRODUCE, client, number, body)


def heartbeat(client: str, number: int) -> bytes:
    return frame(HEARTBEAT, client, number, pack(">hih", 0, number, 0) + pack(">h", -1))


def answers(peer: socket.socket) -> list[int]:
    """The correlation ids of the answers that have come."""
    found = []
    try:
        data = peer.recv(1_000_000)
    except BlockingIOError:
        return []
    while data:
        size, number = unpack(">ii", data[:8])
        found.append(number)
        data = data[4 + size :]
    return found


@pytest.mark.parametrize("request_of", [produce, heartbeat])
async def test_a_request_that_waits_holds_up_its_own_connection_only(
    stage: Stage, request_of: Callable[[str, int], bytes]
) -> None:
    stage.waits = lambda client, number: (client, number) in {("a", 2), ("b", 1)}
    one, two, three = stage.connect(), stage.connect(), stage.connect()
    one.send(request_of("a", 1) + request_of("a", 2) + request_of("a", 3))
    two.send(request_of("b", 1) + request_of("b", 2))
    three.send(request_of("c", 1))
    await trio.testing.wait_all_tasks_blocked()
    assert [answers(each) for each in (one, two, three)] == [[1], [], [1]]
    three.send(request_of("c", 2))
    one.send(request_of("a", 4))
    await trio.testing.wait_all_tasks_blocked()
    assert [answers(each) for each in (one, two, three)] == [[], [], [2]]
    stage.waiting["a", 2].set()
    await trio.testing.wait_all_tasks_blocked()
    assert [answers(each) for each in (one, two, three)] == [[2, 3, 4], [], []]
    stage.waiting["b", 1].set()
    await trio.testing.wait_all_tasks_blocked()
    assert answers(two) == [1, 2]
    for client in "abc":
        numbers = [number for name, number in stage.calls if name == client]
        assert numbers == sorted(numbers)


async def test_answers_leave_before_a_later_request_waits(stage: Stage) -> None:
    stage.waits = lambda _, number: number in (3, 4, 6)
    peer = stage.connect()
    peer.send(b"".join(produce("a", number) for number in range(1, 8)))
    seen = []
    for number in (3, 4, 6):
        await trio.testing.wait_all_tasks_blocked()
        seen.append(answers(peer))
        stage.waiting["a", number].set()
    await trio.testing.wait_all_tasks_blocked()
    assert [*seen, answers(peer)] == [[1, 2], [3], [4, 5], [6, 7]]


async def test_an_answer_that_a_thread_encodes_leaves_when_it_is_whole(stage: Stage) -> None:
    encoded = trio.Event()

    async def encode(write: Callable[..., None], response: Any, out: bytearray) -> None:
        """As a worker thread that is slow in the middle of it."""
        whole = bytearray()
        write(response, whole)
        out += whole[:3]
        await encoded.wait()
        out += whole[3:]

    async def long_answer(context: RequestContext, request: Any) -> ProduceResponse:
        if request.timeout_ms == 2:
            context.turns = Turns()
            context.turns.taken = 1
        return await stage.produce(context, request)

    stage.services.replicas = SimpleNamespace(workers=SimpleNamespace(run=encode))
    stage.set(PRODUCE, long_answer)
    peer = stage.connect()
    peer.send(b"".join(produce("a", number) for number in range(1, 4)))
    await trio.testing.wait_all_tasks_blocked()
    assert answers(peer) == [1]
    encoded.set()
    await trio.testing.wait_all_tasks_blocked()
    assert answers(peer) == [2, 3]


async def test_answers_of_quick_requests_leave_together(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "TURN_S", math.inf)  # a slow machine would send them one by one
    ours, theirs = socket.socketpair()
    sends = []

    class Counting(socket.socket):
        def send(self, data: Any, flags: int = 0) -> int:
            sends.append(bytes(data))
            return super().send(data, flags)

    counting = Counting(ours.family, ours.type, ours.proto, ours.detach())
    counting.setblocking(False)
    context = RequestContext(cast(Services, stage.services), routes=stage.routes)
    stage.processor.add(Connection(counting, context, stage.pool, 1_000_000))
    stage.peers.append(theirs)
    theirs.send(b"".join(produce("a", number) for number in range(1, 21)))
    await trio.testing.wait_all_tasks_blocked()
    assert answers(theirs) == list(range(1, 21))
    assert len(sends) == 1


async def test_others_have_their_turn_while_one_has_sent_much(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "TURN_S", 0)  # every request ends a turn
    one, two = stage.connect(), stage.connect()
    one.send(b"".join(produce("a", number) for number in range(1, 5)))
    two.send(b"".join(produce("b", number) for number in range(1, 5)))
    await trio.testing.wait_all_tasks_blocked()
    assert [number for _, number in stage.calls] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert answers(one) == answers(two) == [1, 2, 3, 4]


async def test_one_that_waited_goes_on_with_what_came_meanwhile(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "TURN_S", 0)
    stage.waits = lambda _, number: number == 2
    peer = stage.connect()
    peer.send(b"".join(produce("a", number) for number in range(1, 6)))
    await trio.testing.wait_all_tasks_blocked()
    stage.waiting["a", 2].set()
    await trio.testing.wait_all_tasks_blocked()
    assert answers(peer) == [1, 2, 3, 4, 5]


async def test_many_that_wait_and_end_leave_few_tasks(stage: Stage) -> None:
    before = trio.lowlevel.current_statistics().tasks_living
    stage.waits = lambda _client, _number: True
    peers = [stage.connect() for _ in range(60)]
    for number in (1, 2):
        for at, peer in enumerate(peers):
            peer.send(heartbeat(str(at), number))
        await trio.testing.wait_all_tasks_blocked()
        assert len(stage.calls) == 60 * number
        assert trio.lowlevel.current_statistics().tasks_living >= before + 60
        for at in range(60):
            stage.waiting[str(at), number].set()
        await trio.testing.wait_all_tasks_blocked()
        assert [answers(peer) for peer in peers] == [[number]] * 60
        assert trio.lowlevel.current_statistics().tasks_living <= before + 20


async def test_records_stay_as_they_are_while_their_request_waits(stage: Stage) -> None:
    stage.waits = lambda client, _: client == "slow"
    slow, quick = stage.connect(), stage.connect()
    slow.send(produce("slow", 1, b"first" * 100))
    await trio.testing.wait_all_tasks_blocked()
    for number in range(1, 10):
        quick.send(produce("quick", number, b"other" * 100))
        await trio.testing.wait_all_tasks_blocked()
    stage.waiting["slow", 1].set()
    await trio.testing.wait_all_tasks_blocked()
    assert stage.seen == [b"other" * 100] * 9 + [b"first" * 100]


@pytest.mark.parametrize("noticed", ["at once", "by and by"])
async def test_a_long_poll_whose_peer_has_left_is_given_up(stage: Stage, noticed: str) -> None:
    stage.waits = lambda _client, _number: True
    peer = stage.connect()
    peer.send(heartbeat("a", 1))
    await trio.testing.wait_all_tasks_blocked()
    if noticed == "at once":
        peer.close()
    else:
        peer.shutdown(socket.SHUT_WR)  # the connection is open in the other direction
        await trio.testing.wait_all_tasks_blocked()
        assert not stage.cancelled
        stage.processor.close_idle(-math.inf)
    await trio.testing.wait_all_tasks_blocked()
    assert stage.cancelled == [("a", 1)]
    assert not stage.processor.connections


async def test_a_write_whose_peer_has_left_is_finished(stage: Stage) -> None:
    stage.waits = lambda _client, _number: True
    peer = stage.connect()
    peer.send(produce("a", 1, b"data"))
    await trio.testing.wait_all_tasks_blocked()
    peer.close()
    await trio.testing.wait_all_tasks_blocked()
    stage.waiting["a", 1].set()
    await trio.testing.wait_all_tasks_blocked()
    assert stage.seen == [b"data"]
    assert not stage.cancelled
    assert not stage.processor.connections


async def test_silent_connections_are_closed_and_half_a_frame_is_worth_a_line(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    silent, half, waits, brisk = (stage.connect() for _ in range(4))
    stage.waits = lambda client, _: client == "waits"
    half.send(b"\0\0\0\xffhalf")
    waits.send(heartbeat("waits", 1))
    await trio.testing.wait_all_tasks_blocked()
    oldest = max(each.last_active for each in stage.processor.connections)
    brisk.send(heartbeat("brisk", 1))
    await trio.testing.wait_all_tasks_blocked()
    stage.processor.close_idle(math.nextafter(oldest, math.inf))
    assert silent.recv(1) == half.recv(1) == b""
    assert len(stage.processor.connections) == 2
    assert caplog.messages == ["peer=127.0.0.1 client_id=None: closing: half a frame, and nothing since"]


async def test_stop_closes_idle_connections_and_lets_requests_end(
    stage: Stage, autojump_clock: trio.testing.MockClock
) -> None:
    stage.waits = lambda client, _: client != "idle"
    idle, ends, never = stage.connect(), stage.connect(), stage.connect()
    idle.send(heartbeat("idle", 1))
    ends.send(heartbeat("ends", 1))
    never.send(heartbeat("never", 1))
    await trio.testing.wait_all_tasks_blocked()
    assert answers(idle) == [1]
    began = trio.current_time()
    stage.processor.stop()
    await trio.testing.wait_all_tasks_blocked()
    assert idle.recv(1) == b""
    stage.waiting["ends", 1].set()
    await trio.testing.wait_all_tasks_blocked()
    assert answers(ends) == [1]
    assert ends.recv(1) == b""
    await trio.sleep(DRAIN_S)
    await trio.testing.wait_all_tasks_blocked()
    assert stage.cancelled == [("never", 1)]
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
