"""Connections whose requests the fast path of Fetch takes: alone or pipelined, the responses are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.handlers.known_consumer_fetch import KnownConsumerFetch
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.frames import BufferPool
from wirebroker.protocol.headers import write_request_header
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from wirebroker.record.legacy import any_batches
from wirebroker.storage.files import Files
from wirebroker.tests.handlers import fetch_harness
from wirebroker.tests.handlers.fetch_harness import FetchHarness
from wirebroker.tests.server.test_known_produce import Client

if TYPE_CHECKING:
    from pathlib import Path

FETCH, VERSION, RECORDS = 1, 11, 6


def frame(correlation_id: int, offset: int) -> bytes:
    """Return a request for the batches from *offset* on, with its size."""
    wanted = FetchPartition(0, fetch_offset=offset, partition_max_bytes=1 << 20)
    topics = [FetchTopic("t", bytes(16), [wanted])]
    out = bytearray(4)
    write_request_header(out, FETCH, VERSION, correlation_id, "consumer")
    FetchRequest(max_wait_ms=0, min_bytes=1, max_bytes=1 << 20, session_epoch=-1, topics=topics).write(out, VERSION)
    out[:4] = (len(out) - 4).to_bytes(4, "big")
    return bytes(out)


def offsets(client: Client) -> list[tuple[int, list[int]]]:
    """Return correlation id and offsets of each response that has come, and forget them."""
    found, at, received = [], 0, memoryview(client.received)
    while at < len(received):
        size = int.from_bytes(received[at : at + 4], "big")
        response, end = FetchResponse.read(received, at + 8, VERSION)
        at += 4 + size
        assert end == at
        (data,) = response.responses[0].partitions
        assert isinstance(data.records, memoryview)
        id_ = int.from_bytes(received[end - size : end - size + 4], "big")
        found.append((id_, [each.base_offset for each in any_batches(data.records)]))
    client.received = b""
    return found


@pytest.mark.parametrize("size", [10, 20_000])
async def test_requests_alone_and_pipelined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(fetch_harness, "FakeDisk", Files)
    served: list[bool] = []
    serve = KnownConsumerFetch.serve

    def count(*arguments: Any) -> Any:
        route = serve(*arguments)
        served.append(route is not None)
        return route

    monkeypatch.setattr(KnownConsumerFetch, "serve", count)
    harness = FetchHarness({"t": 1}, dirs=(tmp_path,))
    for _ in range(RECORDS):
        await harness.append(0, b"x" * size)
    client = Client(RouteTable(), harness, BufferPool(keep=2))
    last = RECORDS - 1
    try:
        for number in range(3):
            client.peer.send(frame(number, last))
            client.serve()
            assert offsets(client) == [(number, [last])]
        assert client.served_known == 2
        served.clear()
        wanted = [last, last, RECORDS, last, last]
        client.peer.send(b"".join(frame(10 + number, offset) for number, offset in enumerate(wanted)))
        client.serve()
        assert offsets(client) == [
            (10 + number, [last] if offset == last else []) for number, offset in enumerate(wanted)
        ]
    finally:
        client.close()
    assert served == [True, True, False, True, True]
    stats = harness.partition().stats
    assert stats.fetch_requests == 3 + len(wanted)
