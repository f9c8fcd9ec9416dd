"""The request time of connections: what counts, and how clients over request_percentage are throttled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio

from wirebroker.protocol.messages.heartbeat import HeartbeatResponse
from wirebroker.quota.manager import ClientQuotaManager
from wirebroker.replication.worker_threads import WorkerThreads
from wirebroker.server.response_sender import ResponseSender
from wirebroker.tests.server.processor_harness import (
    HEARTBEAT,
    PRODUCE,
    ProcessorHarness,
    answers,
    heartbeat,
    produce,
    running_processor,
)

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator

    from trio.testing import MockClock

    from wirebroker.handlers.context import RequestContext

USER = (("user", "ANONYMOUS"),)
PERCENT = 10.0
WINDOW_S = 10  # of eleven samples the current one counts by what has passed of it


class WorkHarness:
    """Handlers of Produce and Heartbeat that take the event loop for as long as a test says."""

    def __init__(self, processor: ProcessorHarness, monkeypatch: pytest.MonkeyPatch) -> None:
        self.processor = processor
        self.now_s = 100.0
        self.work_s = 0.0
        self.wait_s = 0.0
        self.response: Any = HeartbeatResponse()
        monkeypatch.setattr("wirebroker.quota.request_time.perf_counter", lambda: self.now_s)
        processor.set(PRODUCE, self.handle_produce)
        processor.set(HEARTBEAT, self.handle_heartbeat)

    def limit(self, percent: float | None) -> None:
        self.processor.services.quotas.update({USER: {} if percent is None else {"request_percentage": percent}})

    async def handle_produce(self, context: RequestContext, request: Any) -> None:
        self.now_s += self.work_s

    async def handle_heartbeat(self, context: RequestContext, request: Any) -> Any:
        self.now_s += self.work_s
        if self.wait_s:
            await trio.sleep(self.wait_s)
        self.response = HeartbeatResponse()
        return self.response

    async def ask(self, peer: socket.socket, number: int) -> int:
        """Return the throttle time of a Heartbeat, which has to be answered at once."""
        peer.send(heartbeat("c", number))
        await trio.sleep(self.wait_s + 0.001)
        assert answers(peer) == [number]
        return int(self.response.throttle_time_ms)


@pytest.fixture
async def harness(nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[WorkHarness]:
    async with running_processor(nursery, ProcessorHarness()) as processor:
        yield WorkHarness(processor, monkeypatch)


async def test_a_client_over_its_quota_is_throttled_for_a_sample_at_most(
    harness: WorkHarness, autojump_clock: MockClock
) -> None:
    harness.limit(PERCENT)
    peer = harness.processor.connect()
    harness.work_s = 1.0
    assert await harness.ask(peer, 1) == 0  # ten percent of the window
    harness.work_s = 0.01
    assert await harness.ask(peer, 2) == pytest.approx(100, abs=20)
    await trio.sleep(0.2)
    harness.work_s = 5.0
    assert await harness.ask(peer, 3) == 1000
    peer.send(heartbeat("c", 4))
    await trio.sleep(0.9)
    assert answers(peer) == []  # the connection is muted
    await trio.sleep(0.2)
    assert answers(peer) == [4]


async def test_waiting_does_not_count(harness: WorkHarness, autojump_clock: MockClock) -> None:
    harness.limit(PERCENT)
    harness.wait_s = 30.0
    harness.work_s = 0.01
    peer = harness.processor.connect()
    for number in range(3):
        assert await harness.ask(peer, number) == 0
        harness.now_s += 30  # of the clock that would have gone on


async def test_work_in_a_thread_counts(harness: WorkHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    harness.limit(PERCENT)
    threads = WorkerThreads()

    def work() -> None:
        # the request gives the loop back first, or the time would count as the loop's, too
        trio.from_thread.run_sync(int)
        harness.now_s += 5

    async def handle(context: RequestContext, request: Any) -> Any:
        await threads.run(work)
        await threads.run_each(lambda _: work(), [1])
        harness.response = HeartbeatResponse()
        return harness.response

    harness.processor.set(HEARTBEAT, handle)
    seen: list[float] = []
    recorded = trio.Event()
    record = ClientQuotaManager.record_and_throttle_ms

    def spy(manager: ClientQuotaManager, user: str, client_id: str | None, value: float, now_ms: int) -> int:
        seen.append(value)
        recorded.set()
        return record(manager, user, client_id, value, now_ms)

    monkeypatch.setattr(ClientQuotaManager, "record_and_throttle_ms", spy)
    peer = harness.processor.connect()
    peer.send(heartbeat("c", 1))
    await recorded.wait()
    assert seen == [pytest.approx(1000)]


async def test_the_time_after_the_response_counts_for_the_next_request(
    harness: WorkHarness, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.limit(PERCENT)
    peer = harness.processor.connect()
    flush = ResponseSender.flush

    def slow_flush(sender: ResponseSender) -> bool:
        harness.now_s += 2
        return flush(sender)

    monkeypatch.setattr(ResponseSender, "flush", slow_flush)
    assert await harness.ask(peer, 1) == 0
    monkeypatch.setattr(ResponseSender, "flush", flush)
    assert await harness.ask(peer, 2) == 1000


async def test_another_client_is_not_throttled(harness: WorkHarness, autojump_clock: MockClock) -> None:
    harness.processor.services.quotas.update({(("client-id", "d"),): {"request_percentage": 0.001}})
    harness.work_s = 5.0
    peer = harness.processor.connect()
    for number in range(3):
        assert await harness.ask(peer, number) == 0


async def test_a_produce_without_a_response_is_exempt(harness: WorkHarness, autojump_clock: MockClock) -> None:
    harness.limit(PERCENT)
    harness.work_s = 5.0
    peer = harness.processor.connect()
    peer.send(produce("c", 1) + produce("c", 2))
    await trio.sleep(0.1)
    harness.work_s = 0.0
    assert await harness.ask(peer, 3) == 0


async def test_the_quota_is_set_and_removed_while_the_connection_is_used(
    harness: WorkHarness, autojump_clock: MockClock
) -> None:
    peer = harness.processor.connect()
    harness.work_s = 5.0
    assert await harness.ask(peer, 1) == 0
    harness.limit(PERCENT)
    assert await harness.ask(peer, 2) == 1000
    await trio.sleep(1)
    harness.limit(None)
    assert await harness.ask(peer, 3) == 0


async def test_without_the_quota_no_time_is_measured(harness: WorkHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    def clock() -> float:
        raise AssertionError("the clock was asked")

    monkeypatch.setattr("wirebroker.quota.request_time.perf_counter", clock)
    peer = harness.processor.connect()
    peer.send(heartbeat("c", 1))
    await trio.testing.wait_all_tasks_blocked(0.01)
    assert answers(peer) == [1]
