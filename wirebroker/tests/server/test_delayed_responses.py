"""Responses that wait for an operation: order, what is served meanwhile, the bounds, and connections that end."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.protocol.messages.produce import ProduceResponse, TopicProduceResponse
from wirebroker.server.delayed_responses import MAX_UNANSWERED
from wirebroker.tests.clocks import let_pass
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
    from collections.abc import AsyncIterator

    from trio.testing import MockClock

    from wirebroker.handlers.context import RequestContext


HOLDING = 900
"""Requests with this number and above, below 1000, hold back those behind them."""


class Operation:
    """An operation that a test completes."""

    def __init__(self, *, holds_requests: bool = False) -> None:
        self.holds_requests = holds_requests
        self.may_complete = self.condition_is_met = False
        self.tries = 0
        self.is_completed = False
        self.is_cancelled = False
        self.on_response: Any = None

    def complete(self) -> None:
        self.is_completed = True
        if self.on_response is not None:
            self.on_response()

    def change(self, *, condition_is_met: bool) -> None:
        self.may_complete, self.condition_is_met = True, condition_is_met
        self.on_response()

    def try_complete(self) -> bool:
        self.tries += 1
        self.may_complete, self.is_completed = False, self.condition_is_met
        return self.is_completed

    def cancel(self) -> None:
        self.is_completed = self.is_cancelled = True


class DelayingHarness(ProcessorHarness):
    """A harness whose Produce requests with a number below 1000 wait for an operation."""

    def __init__(self, idle_s: float = math.inf) -> None:
        super().__init__(idle_s)
        self.operations: dict[int, Operation] = {}
        self.response_bytes = 1

    async def produce(self, context: RequestContext, request: Any) -> ProduceResponse:
        number = request.timeout_ms
        self.calls.append((str(context.client_id), number))
        if number < 1000:
            operation: Any = Operation(holds_requests=number >= HOLDING)
            context.delayed = self.operations[number] = operation
        return ProduceResponse(responses=[TopicProduceResponse("t" * self.response_bytes)])

    @property
    def served(self) -> list[int]:
        return [number for _, number in self.calls]

    async def complete(self, *numbers: int) -> None:
        for number in numbers:
            self.operations[number].complete()
        await wait_all_tasks_blocked()


@pytest.fixture
async def harness(nursery: trio.Nursery) -> AsyncIterator[DelayingHarness]:
    async with running_processor(nursery, DelayingHarness()) as harness:
        yield harness


async def test_a_response_leaves_when_its_operation_is_complete(harness: DelayingHarness) -> None:
    peer = harness.connect()
    peer.send(produce("a", 1))
    await wait_all_tasks_blocked()
    assert (harness.served, answers(peer)) == ([1], [])
    assert [len(free) for free in harness.pool._free.values()] == [1, 0]  # the receive buffer was given back
    await harness.complete(1)
    assert answers(peer) == [1]
    peer.send(produce("a", 1001))
    await wait_all_tasks_blocked()
    assert answers(peer) == [1001]


async def test_requests_behind_it_are_served_and_answered_in_order(harness: DelayingHarness) -> None:
    peer, other = harness.connect(), harness.connect()
    peer.send(produce("a", 1) + produce("a", 2) + produce("a", 1001))
    await wait_all_tasks_blocked()
    peer.send(heartbeat("a", 3) + produce("a", 4))
    other.send(produce("b", 1002))
    await wait_all_tasks_blocked()
    assert sorted(harness.served) == [1, 2, 3, 4, 1001, 1002]
    assert (answers(peer), answers(other)) == ([], [1002])
    await harness.complete(4, 2)
    assert answers(peer) == []
    await harness.complete(1)
    assert answers(peer) == [1, 2, 1001, 3, 4]


async def test_operations_that_are_complete_at_once_cost_no_wait(harness: DelayingHarness) -> None:
    async def complete(context: RequestContext, request: Any) -> ProduceResponse:
        response = await DelayingHarness.produce(harness, context, request)
        if request.timeout_ms in harness.operations:
            harness.operations[request.timeout_ms].complete()
        return response

    harness.set(PRODUCE, complete)
    peer = harness.connect()
    peer.send(produce("a", 1) + produce("a", 1001))
    await wait_all_tasks_blocked()
    assert answers(peer) == [1, 1001]


async def test_a_response_leaves_while_a_later_request_is_being_served(harness: DelayingHarness) -> None:
    harness.waits = lambda _, number: number == 2
    peer = harness.connect()
    peer.send(produce("a", 1) + heartbeat("a", 2) + produce("a", 1003))
    await wait_all_tasks_blocked()
    assert harness.served == [1, 2]
    await harness.complete(1)
    assert answers(peer) == [1]
    harness.waiting["a", 2].set()
    await wait_all_tasks_blocked()
    assert answers(peer) == [2, 1003]


async def test_a_delayed_request_behind_one_that_was_being_served_waits_for_its_own_operation(
    harness: DelayingHarness,
) -> None:
    harness.waits = lambda _, number: number == 2
    peer = harness.connect()
    peer.send(produce("a", 1) + heartbeat("a", 2) + produce("a", 3) + produce("a", 1004))
    await wait_all_tasks_blocked()
    await harness.complete(1)
    harness.waiting["a", 2].set()
    await wait_all_tasks_blocked()
    assert answers(peer) == [1, 2]
    await harness.complete(3)
    assert answers(peer) == [3, 1004]


@pytest.mark.parametrize("behind", [2, 1001])
async def test_fifty_requests_are_unanswered_at_most(harness: DelayingHarness, behind: int) -> None:
    peer = harness.connect()
    numbers = [1, *range(behind, behind + 70)]
    for number in numbers:
        peer.send(produce("a", number))
        await wait_all_tasks_blocked()
    assert harness.served == numbers[:MAX_UNANSWERED]
    found = []
    for number in numbers:
        if number < 1000:
            await harness.complete(number)
        found += answers(peer)
    assert found == harness.served == numbers
    peer.send(produce("a", 1999))
    await wait_all_tasks_blocked()
    assert answers(peer) == [1999]


@pytest.mark.parametrize("seed", range(20))
async def test_responses_keep_the_order_of_requests_whatever_completes_first(
    harness: DelayingHarness, seed: int
) -> None:
    random = Random(seed)
    harness.waits = lambda _, number: number % 5 == 0
    peer = harness.connect()
    sent: list[int] = []
    found: list[int] = []

    async def complete_one() -> bool:
        waiting = [each for each in harness.operations.values() if not each.is_completed]
        events = [event for event in harness.waiting.values() if not event.is_set()]
        if waiting and (not events or random.random() < 0.7):
            random.choice(waiting).complete()
        elif events:
            events[0].set()
        else:
            return False
        await wait_all_tasks_blocked()
        return True

    for number in range(1, 200):
        kind = random.random()
        if kind < 0.5:
            peer.send(produce("a", number))
            sent.append(number)
        elif kind < 0.8:
            peer.send(produce("a", 1000 + number))
            sent.append(1000 + number)
        else:
            peer.send(heartbeat("a", number))
            sent.append(number)
        if random.random() < 0.5:
            await wait_all_tasks_blocked()
        if random.random() < 0.6:
            await complete_one()
        found += answers(peer)
        assert found == sent[: len(found)]
    while await complete_one():
        pass
    assert found + answers(peer) == sent
    assert len(set(harness.served)) == len(sent)


async def test_fifty_requests_that_have_come_at_once_are_unanswered_at_most(harness: DelayingHarness) -> None:
    peer = harness.connect()
    peer.send(b"".join(produce("a", number) for number in range(1, 121)))
    await wait_all_tasks_blocked()
    found = []
    for number in range(1, 121):
        assert len(harness.served) < number + MAX_UNANSWERED
        await harness.complete(number)
        found += answers(peer)
    assert found == harness.served == list(range(1, 121))


async def test_a_megabyte_of_responses_is_held_back_at_most(harness: DelayingHarness) -> None:
    harness.response_bytes = 30_000
    peer = harness.connect()
    for number in (1, *range(1001, 1045)):
        peer.send(produce("a", number))
        await wait_all_tasks_blocked()
    assert len(harness.served) == 1 + 35  # 35 * 30 kB are more than 1 MB
    harness.operations[1].complete()
    found: list[int] = []
    data = b""
    with trio.fail_after(5):
        while len(found) < 45:  # more than the socket takes at once
            await trio.lowlevel.wait_readable(peer)
            data += peer.recv(1_000_000)
            while len(data) >= 8 and len(data) >= 4 + int.from_bytes(data[:4], "big"):
                found.append(int.from_bytes(data[4:8], "big"))
                data = data[4 + int.from_bytes(data[:4], "big") :]
    assert found == [1, *range(1001, 1045)]


async def test_an_operation_whose_peer_has_left_is_cancelled(harness: DelayingHarness) -> None:
    peer = harness.connect()
    peer.send(produce("a", 1) + produce("a", 2))
    await wait_all_tasks_blocked()
    harness.operations[1].complete()
    peer.close()
    await wait_all_tasks_blocked()
    assert harness.operations[2].is_cancelled
    assert harness.processor.connections == []


async def test_a_connection_that_waits_is_not_idle(nursery: trio.Nursery, mock_clock: MockClock) -> None:
    async with running_processor(nursery, DelayingHarness(idle_s=600)) as harness:
        peer = harness.connect()
        peer.send(produce("a", 1))
        await wait_all_tasks_blocked()
        harness.processor.connections[0].last_active -= 1000
        await let_pass(mock_clock, 1000)
        assert len(harness.processor.connections) == 1
        await harness.complete(1)
        assert answers(peer) == [1]
        await let_pass(mock_clock, 60)
        assert harness.processor.connections == []


async def test_a_processor_that_stops_sends_what_is_completed_soon(harness: DelayingHarness) -> None:
    peer = harness.connect()
    peer.send(produce("a", 1) + produce("a", 1002))
    await wait_all_tasks_blocked()
    harness.processor.stop()
    await wait_all_tasks_blocked()
    await harness.complete(1)
    assert answers(peer) == [1, 1002]
    assert harness.processor.connections == []


async def test_the_response_of_a_handler_that_failed_does_not_wait(harness: DelayingHarness) -> None:
    async def fail(context: RequestContext, _: Any) -> None:
        operation: Any = Operation()
        context.delayed = operation
        raise ValueError("failed")

    harness.set(HEARTBEAT, fail)
    peer = harness.connect()
    peer.send(heartbeat("a", 1) + produce("a", 1002))
    await wait_all_tasks_blocked()
    assert answers(peer) == [1, 1002]


async def test_nothing_is_served_behind_a_request_that_holds_others_back(harness: DelayingHarness) -> None:
    peer, other = harness.connect(), harness.connect()
    peer.send(produce("a", 1) + produce("a", HOLDING) + produce("a", 1001))
    other.send(produce("b", 1002))
    await wait_all_tasks_blocked()
    assert (sorted(harness.served), answers(other)) == (sorted([1, HOLDING, 1002]), [1002])  # turns may end between
    await harness.complete(1)
    assert answers(peer) == [1]
    await harness.complete(HOLDING)
    assert (harness.served[-1], answers(peer)) == (1001, [HOLDING, 1001])


async def test_a_request_that_comes_while_another_holds_it_back_is_served_afterwards(harness: DelayingHarness) -> None:
    peer = harness.connect()
    for turn in range(3):
        peer.send(produce("a", HOLDING + turn))
        await wait_all_tasks_blocked()
        peer.send(produce("a", 1001 + turn))
        await wait_all_tasks_blocked()
        assert harness.served[-1] == HOLDING + turn
        await harness.complete(HOLDING + turn)
        assert answers(peer) == [HOLDING + turn, 1001 + turn]


async def test_an_operation_is_tried_once_for_all_changes_of_a_turn(harness: DelayingHarness) -> None:
    peer, other = harness.connect(), harness.connect()
    peer.send(produce("a", HOLDING))
    await wait_all_tasks_blocked()
    operation = harness.operations[HOLDING]

    async def change(context: RequestContext, request: Any) -> ProduceResponse:
        before = operation.tries
        for is_met in (False, request.timeout_ms == 1002):
            operation.change(condition_is_met=is_met)
            assert operation.tries == before
        return ProduceResponse(responses=[])

    harness.set(PRODUCE, change)
    other.send(produce("b", 1001))
    await wait_all_tasks_blocked()
    assert (operation.tries, answers(other), answers(peer)) == (1, [1001], [])
    other.send(produce("b", 1002))
    await wait_all_tasks_blocked()
    assert (operation.tries, answers(other), answers(peer)) == (2, [1002], [HOLDING])


async def test_an_operation_that_holds_requests_back_is_cancelled_when_its_peer_has_left(
    harness: DelayingHarness,
) -> None:
    peer, other = harness.connect(), harness.connect()
    for each in (peer, other):
        each.send(produce("a", HOLDING + (each is other)))
    await wait_all_tasks_blocked()
    harness.processor.close_abandoned()
    peer.close()
    await wait_all_tasks_blocked()
    harness.processor.close_abandoned()
    await wait_all_tasks_blocked()
    assert [harness.operations[HOLDING + each].is_cancelled for each in (0, 1)] == [True, False]
    assert len(harness.processor.connections) == 1
    await harness.complete(HOLDING + 1)
    assert answers(other) == [HOLDING + 1]
