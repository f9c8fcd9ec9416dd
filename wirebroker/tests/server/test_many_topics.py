"""Produce requests of many topics are decoded in a thread, those with large records are not."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tools.codegen import codecs
from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.headers import write_request_header
from wirebroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.replication.worker_threads import WorkerThreads
from wirebroker.server.dispatch import LARGE_REQUEST_BYTES, read_request, serve

MANY = 1025


class Producer:
    """Sends Produce requests, and notes in which thread each is decoded."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.in_loop: list[bool] = []
        self.seen: Any = None
        services = SimpleNamespace(replicas=SimpleNamespace(workers=WorkerThreads()))
        self.context = RequestContext(cast(Any, services), routes=RouteTable())
        route = self.context.routes.find(ProduceRequest.API_KEY, version)
        assert route is not None
        read, loop = route.readers[version], threading.get_ident()

        def reader(*arguments: Any) -> Any:
            self.in_loop.append(threading.get_ident() == loop)
            return read(*arguments)

        async def handle(context: RequestContext, request: ProduceRequest) -> ProduceResponse:
            self.seen = request
            return ProduceResponse()

        served: Any = SimpleNamespace(
            api_key=0,
            handler=handle,
            has_records=True,
            flexible_from=route.flexible_from,
            searched_for_errors=None,
            readers={version: reader},
            writers=route.writers,
        )
        self.context.routes = cast(Any, SimpleNamespace(find=lambda *_: served))

    async def send(self, request: ProduceRequest) -> None:
        out = WireBuffer()
        write_request_header(out, ProduceRequest.API_KEY, self.version, 7, "client")
        codecs.write(request, out, self.version)
        decoded = read_request(memoryview(bytearray(out)), self.context, WireBuffer())
        assert decoded is not None
        await serve(decoded, self.context, WireBuffer())
        assert decoded.body is self.seen, "the fast path looks at it"


def request(topics: int, records_bytes: int, version: int, transactional_id: str | None) -> ProduceRequest:
    data = [
        TopicProduceData(
            name=f"t{number}" if version < 13 else "",
            topic_id=number.to_bytes(16, "big") if version >= 13 else bytes(16),
            partition_data=[PartitionProduceData(0, memoryview(bytes(records_bytes)))],
        )
        for number in range(topics)
    ]
    return ProduceRequest(transactional_id if version >= 3 else None, 1, 1000, data)


@pytest.mark.parametrize("transactional_id", [None, "x" * 200])
@pytest.mark.parametrize("version", [0, 2, 3, 8, 9, 12, 13])
@pytest.mark.parametrize(
    ("topics", "records_bytes", "in_loop"),
    [(MANY, 60, False), (MANY - 1, 100, True), (1, 2 * LARGE_REQUEST_BYTES, True), (MANY, 0, True)],
)
async def test_where_a_produce_is_decoded(
    version: int, transactional_id: str | None, topics: int, records_bytes: int, in_loop: bool
) -> None:
    producer = Producer(version)
    asked = request(topics, records_bytes, version, transactional_id)
    await producer.send(asked)
    assert producer.in_loop == [in_loop]
    assert producer.seen == asked
