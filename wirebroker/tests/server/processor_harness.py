"""ProcessorHarness: a processor, its peers, and requests for them to send."""

from __future__ import annotations

import math
import socket
from contextlib import asynccontextmanager
from struct import pack, unpack
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import trio
import trio.testing

from wirebroker.handlers.context import RequestContext, Services
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.frames import BufferPool
from wirebroker.protocol.messages.heartbeat import HeartbeatResponse
from wirebroker.protocol.messages.produce import ProduceResponse, TopicProduceResponse
from wirebroker.quota.managers import QuotaManagers
from wirebroker.server.connection import Connection
from wirebroker.server.connection_settings import ConnectionSettings
from wirebroker.server.processor import Processor
from wirebroker.timer.timer import Timer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    Handler = Callable[[RequestContext, Any], Awaitable[Any]]

PRODUCE, HEARTBEAT = 0, 12  # a route whose answers may leave together, and one that may wait for long


Harness = TypeVar("Harness", bound="ProcessorHarness")


class ProcessorHarness:
    """A processor, peers, and handlers that answer or wait as a test says."""

    def __init__(self, idle_s: float = math.inf) -> None:
        self.routes = RouteTable()
        self.services = SimpleNamespace(quotas=QuotaManagers())
        self.timer = Timer()
        self.processor = Processor(idle_s, timer=self.timer)
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
        bound.handler, bound.remember = handler, None

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
        self.processor.add(Connection(ours, context, ConnectionSettings(self.pool, 1_000_000)))
        self.peers.append(theirs)
        return theirs


@asynccontextmanager
async def running_processor(nursery: trio.Nursery, made: Harness) -> AsyncIterator[Harness]:
    """The harness *made*, whose processor runs in *nursery*, which is cancelled at the end."""
    nursery.start_soon(made.timer.run)
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
