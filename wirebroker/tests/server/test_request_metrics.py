"""Requests are counted and timed: those that are pipelined, and one that waits for another client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio
import trio.testing

from wirebroker.tests.server.processor_harness import (
    HEARTBEAT,
    PRODUCE,
    ProcessorHarness,
    heartbeat,
    produce,
    running_processor,
)

if TYPE_CHECKING:
    from wirebroker.metrics.request_metrics import RequestMetrics


def metrics(harness: ProcessorHarness, api_key: int) -> RequestMetrics:
    route = harness.routes.find(api_key, 3)
    assert route is not None
    return route.metrics


async def test_pipelined_requests_are_counted_each(nursery: trio.Nursery) -> None:
    async with running_processor(nursery, ProcessorHarness()) as harness:
        peer = harness.connect()
        requests = [produce("c", number) for number in range(3)]
        peer.send(b"".join(requests))
        await trio.testing.wait_all_tasks_blocked()
        found = metrics(harness, PRODUCE)
        assert found.counts[3] == sum(found.counts) == 3
        sizes = [each.size_bytes for each in found.latest()]
        assert sizes == [len(request) - 4 for request in requests]
        assert all(each.total_s >= each.queue_s >= 0 and each.remote_s == 0 for each in found.latest())


async def test_a_wait_for_another_client_is_remote_time(nursery: trio.Nursery) -> None:
    async with running_processor(nursery, ProcessorHarness()) as harness:
        harness.waits = lambda client, _: client == "waits"
        peer = harness.connect()
        peer.send(heartbeat("waits", 1))
        await trio.testing.wait_all_tasks_blocked()
        assert sum(metrics(harness, HEARTBEAT).counts) == 0
        harness.waiting["waits", 1].set()
        await trio.testing.wait_all_tasks_blocked()
        (found,) = metrics(harness, HEARTBEAT).latest()
        assert 0 < found.remote_s <= found.total_s


async def test_errors_are_counted_by_code(nursery: trio.Nursery) -> None:
    async with running_processor(nursery, ProcessorHarness()) as harness:
        peer = harness.connect()
        peer.send(heartbeat("c", 27) + heartbeat("c", 0))
        await trio.testing.wait_all_tasks_blocked()
        assert sum(metrics(harness, HEARTBEAT).counts) == 2
        assert metrics(harness, HEARTBEAT).errors == {27: 1}
