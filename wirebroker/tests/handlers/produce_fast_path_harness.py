"""The harness of the fast path of Produce: requests, and a connection that serves them."""

from __future__ import annotations

from struct import pack
from typing import Any

from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.produce_fast_path import (
    KnownDelayedProduce,
    serve_known_produce,
)
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.headers import write_request_header
from wirebroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.server.dispatch import read_request, serve
from wirebroker.tests.handlers.fetch_harness import FetchHarness
from wirebroker.tests.storage.fakes.logs import batch

VERSIONS = range(3, 13)
PRODUCE = 0


def request(*partitions: tuple[str, int, bytes], acks: int = 1, transactional_id: str | None = None) -> ProduceRequest:
    topics: dict[str, list[PartitionProduceData]] = {}
    for topic, index, records in partitions:
        topics.setdefault(topic, []).append(PartitionProduceData(index, memoryview(records)))
    data = [TopicProduceData(topic, bytes(16), each) for topic, each in topics.items()]
    return ProduceRequest(transactional_id, acks, 1000, data)


def frame(asked: ProduceRequest, version: int, correlation_id: int = 7, client_id: str | None = "c") -> memoryview:
    out = WireBuffer()
    write_request_header(out, PRODUCE, version, correlation_id, client_id)
    asked.write(out, version)
    return memoryview(bytearray(out))


def records(*values: bytes, **more: Any) -> bytes:
    return bytes(batch(*values, **more).buffer)


class Producer:
    """A connection's requests to the partitions of topic t, served as `Connection` does."""

    def __init__(self) -> None:
        self.harness = FetchHarness({"t": 2})
        self.context = RequestContext(self.harness.services, routes=RouteTable())
        self.out = WireBuffer()

    def partition(self, index: int = 0) -> Any:
        return self.harness.partition(index)

    async def general(self, received: memoryview) -> bytes:
        """Have the general path serve a request, remember it, and return the response."""
        out = WireBuffer()
        read = read_request(received, self.context, out)
        assert read is not None
        assert await serve(read, self.context, out) is None
        if read.route.remember is not None:
            read.route.remember(self.context, received, read.body)
        return bytes(out)

    def fast(self, received: memoryview) -> bytes | None:
        """Return the response of the fast path, None if it leaves the request to the general path."""
        if self.context.unpack_produce is None:
            return None
        out = WireBuffer()
        route = serve_known_produce(received, self.context, out)
        assert not isinstance(route, KnownDelayedProduce)
        assert (route is None) == (not out)
        return None if route is None else bytes(out)

    async def produce(self, received: memoryview) -> tuple[bytes, bool]:
        """Return the response, and whether it is that of the fast path."""
        answer = self.fast(received)
        return (await self.general(received), False) if answer is None else (answer, True)


def decoded(answer: bytes, version: int) -> tuple[int, ProduceResponse]:
    """Return the correlation id and the response of an answer, whose size is right."""
    assert answer[:4] == pack(">i", len(answer) - 4)
    at = 9 if version >= 9 else 8
    response, end = ProduceResponse.read(memoryview(answer), at, version)
    assert end == len(answer)
    return int.from_bytes(answer[4:8], "big"), response
