"""DelayedOperation and its purgatory: one completion, timeouts, and the purge of completed operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from trio.testing import wait_all_tasks_blocked

from wirebroker.replication.delayed_operation import DelayedOperation, DelayedOperationPurgatory
from wirebroker.tests.clocks import let_pass
from wirebroker.timer.timer import Timer

if TYPE_CHECKING:
    import trio
    from trio.testing import MockClock


class Operation(DelayedOperation):
    """An operation that watches two keys, and is complete when a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.is_met = False
        self.is_watching = False
        self.seen: list[str] = []

    def try_complete(self) -> bool:
        return self.is_met and self.force_complete()

    def watch(self) -> None:
        self.is_watching = True

    @property
    def watched(self) -> int:
        return 2

    def stop_watching(self) -> None:
        self.is_watching = False

    def on_complete(self) -> None:
        self.seen.append("complete")

    def on_expiration(self) -> None:
        self.seen.append("expired")


@pytest.fixture
async def timer(nursery: trio.Nursery, mock_clock: MockClock) -> Timer:
    timer = Timer()
    nursery.start_soon(timer.run)
    await wait_all_tasks_blocked()
    return timer


async def test_an_operation_whose_condition_is_met_does_not_wait(timer: Timer) -> None:
    purgatory = DelayedOperationPurgatory[Operation](timer, 10)
    operation = Operation()
    operation.is_met = True
    assert purgatory.try_complete_else_watch(operation, 1000)
    assert operation.seen == ["complete"]
    assert not operation.is_watching
    assert (purgatory.num_delayed, len(timer)) == (0, 0)


async def test_an_operation_completes_once(timer: Timer, mock_clock: MockClock) -> None:
    purgatory = DelayedOperationPurgatory[Operation](timer, 10)
    operation = Operation()
    assert not purgatory.try_complete_else_watch(operation, 1000)
    assert (purgatory.num_delayed, len(timer), operation.is_watching) == (1, 1, True)
    assert not operation.try_complete()
    operation.is_met = True
    assert operation.try_complete()
    assert not operation.try_complete()
    assert (purgatory.num_delayed, len(timer)) == (0, 0)
    await let_pass(mock_clock, 2)
    assert operation.seen == ["complete"]


async def test_an_operation_expires(timer: Timer, mock_clock: MockClock) -> None:
    purgatory = DelayedOperationPurgatory[Operation](timer, 10)
    first, second = Operation(), Operation()
    purgatory.try_complete_else_watch(first, 1000)
    purgatory.try_complete_else_watch(second, 2000)
    await let_pass(mock_clock, 1)
    assert (first.seen, second.seen) == (["complete", "expired"], [])
    assert purgatory.num_delayed == 1


async def test_a_cancelled_operation_does_not_respond(timer: Timer, mock_clock: MockClock) -> None:
    purgatory = DelayedOperationPurgatory[Operation](timer, 10)
    operation = Operation()
    purgatory.try_complete_else_watch(operation, 1000)
    operation.cancel()
    await let_pass(mock_clock, 2)
    assert operation.seen == []
    assert not operation.force_complete()
    assert (purgatory.num_delayed, len(timer)) == (0, 0)


async def test_a_closed_purgatory_lets_nothing_wait(timer: Timer) -> None:
    purgatory = DelayedOperationPurgatory[Operation](timer, 10)
    operations = [Operation() for _ in range(3)]
    for operation in operations[:2]:
        purgatory.try_complete_else_watch(operation, 1000)
    purgatory.close()
    assert purgatory.try_complete_else_watch(operations[2], 1000)
    assert [operation.seen for operation in operations] == [["complete"]] * 3


@pytest.mark.parametrize(("interval", "kept"), [(0, [0, 0, 0, 0, 0]), (5, [2, 4, 0, 2, 4])])
async def test_completed_operations_are_purged_when_there_are_enough(
    timer: Timer, interval: int, kept: list[int]
) -> None:
    purgatory = DelayedOperationPurgatory[Operation](timer, interval)
    operations, seen = [], []
    for _ in range(5):
        operation = Operation()
        purgatory.try_complete_else_watch(operation, 1000)
        operation.force_complete()
        operations.append(operation)
        seen.append(purgatory.num_purgeable)
    assert seen == kept
    assert sum(2 for operation in operations if operation.is_watching) == kept[-1]
