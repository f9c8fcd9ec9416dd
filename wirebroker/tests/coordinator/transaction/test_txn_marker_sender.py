"""TxnMarkerSender: every partition gets its marker, once if possible, through errors and restarts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, cast

import pytest
import trio
import trio.testing

from wirebroker.coordinator.transaction.requests import MarkersWritten, PendingMarkers
from wirebroker.coordinator.transaction.txn_marker_sender import _STARTED_IN_A_TURN, TxnMarkerSender
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.coordinator.transaction.txn_shard_harness import T0, T1, U0

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.coordinator.runtime import CoordinatorRuntime
    from wirebroker.replication.txn_marker_writer import TxnMarker

E = ErrorCode
MANY = 200


def markers(*partitions: TopicPartition, transactional_id: str = "x", committed: bool = True) -> PendingMarkers:
    return PendingMarkers(transactional_id, 100, 1, committed, 2, partitions or (T0, T1))


class FakeMarkerWriter:
    """Answers with the given codes, then NONE; can wait before that."""

    def __init__(self, *answers: dict[TopicPartition, ErrorCode] | Exception) -> None:
        self.answers = list(answers)
        self.calls: list[tuple[TxnMarker, list[TopicPartition]]] = []
        self.gate: trio.Event | None = None

    async def write(self, marker: TxnMarker, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, ErrorCode]:
        self.calls.append((marker, list(partitions)))
        if self.gate is not None:
            await self.gate.wait()
        answer = self.answers.pop(0) if self.answers else {}
        if isinstance(answer, Exception):
            raise answer
        return {each: answer.get(each, E.NONE) for each in partitions}

    @property
    def asked(self) -> list[list[TopicPartition]]:
        return [partitions for _, partitions in self.calls]


class FakeRuntime:
    def __init__(self, *faults: ErrorCode) -> None:
        self.faults = list(faults)
        self.completed: list[tuple[int, PendingMarkers]] = []

    async def request(self, index: int, request: MarkersWritten) -> None:
        await trio.lowlevel.checkpoint()
        if self.faults:
            raise ApiError(self.faults.pop(0))
        self.completed.append((index, request.markers))


class SenderHarness:
    def __init__(self, writer: FakeMarkerWriter, *faults: ErrorCode) -> None:
        self.writer, self.runtime = writer, FakeRuntime(*faults)
        self.sender = TxnMarkerSender(writer, cast("CoordinatorRuntime", self.runtime))

    async def settle(self, nursery: trio.Nursery) -> None:
        """Run until nothing is left to do."""
        nursery.start_soon(self.sender.run)
        for _ in range(200):
            await trio.sleep(0.1)
            if not self.sender.pending:
                break
        nursery.cancel_scope.cancel()


async def run(harness: SenderHarness, *decided: PendingMarkers) -> None:
    for each in decided:
        harness.sender.send(3, 43, each)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(harness.settle, nursery)


async def test_markers_are_written_then_the_shard_completes(autojump_clock: trio.testing.MockClock) -> None:
    harness = SenderHarness(FakeMarkerWriter())
    await run(harness, markers())
    assert harness.writer.calls == [((100, 1, 43, True, 2), [T0, T1])]
    assert harness.runtime.completed == [(3, markers())]


@pytest.mark.parametrize("before_run", [True, False])
async def test_the_tasks_of_many_transactions_begin_in_several_turns(
    before_run: bool, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    harness = SenderHarness(FakeMarkerWriter())
    decided = [markers(T0, transactional_id=str(number)) for number in range(MANY)]
    if not before_run:
        nursery.start_soon(harness.sender.run)
        await trio.testing.wait_all_tasks_blocked()
    for each in decided:
        harness.sender.send(3, 43, each)
    if before_run:
        nursery.start_soon(harness.sender.run)
    begun = []
    while harness.sender.pending:
        before = len(harness.writer.calls)
        await trio.lowlevel.checkpoint()
        begun.append(len(harness.writer.calls) - before)
    assert max(begun) <= 2 * _STARTED_IN_A_TURN  # of a turn of the event loop, and the one that it overlaps
    assert sorted(harness.runtime.completed) == sorted((3, each) for each in decided)
    nursery.cancel_scope.cancel()


async def test_only_failed_partitions_are_retried(autojump_clock: trio.testing.MockClock) -> None:
    writer = FakeMarkerWriter(
        {T0: E.NOT_LEADER_OR_FOLLOWER, U0: E.KAFKA_STORAGE_ERROR}, RuntimeError("a bug"), {U0: E.NOT_ENOUGH_REPLICAS}
    )
    harness = SenderHarness(writer)
    await run(harness, markers(T0, T1, U0))
    assert writer.asked == [[T0, T1, U0], [T0, U0], [T0, U0], [U0]]
    assert len(harness.runtime.completed) == 1


@pytest.mark.parametrize(
    "code", [E.UNKNOWN_TOPIC_OR_PARTITION, E.UNSUPPORTED_FOR_MESSAGE_FORMAT, E.INVALID_PRODUCER_EPOCH]
)
async def test_codes_that_need_no_retry(code: ErrorCode, autojump_clock: trio.testing.MockClock) -> None:
    harness = SenderHarness(FakeMarkerWriter({T0: code}))
    await run(harness, markers())
    assert harness.writer.asked == [[T0, T1]]
    assert len(harness.runtime.completed) == 1


async def test_a_newer_coordinator_takes_over(autojump_clock: trio.testing.MockClock) -> None:
    harness = SenderHarness(FakeMarkerWriter({T0: E.TRANSACTION_COORDINATOR_FENCED}))
    await run(harness, markers())
    assert (len(harness.writer.calls), harness.runtime.completed) == (1, [])


async def test_pauses_grow_to_a_second(autojump_clock: trio.testing.MockClock) -> None:
    harness = SenderHarness(FakeMarkerWriter(*[{T0: E.KAFKA_STORAGE_ERROR}] * 12))
    started = trio.current_time()
    await run(harness, markers(T0))
    assert len(harness.writer.calls) == 13
    assert 6 < trio.current_time() - started < 8


async def test_completion_is_repeated_until_the_shard_is_loaded(autojump_clock: trio.testing.MockClock) -> None:
    harness = SenderHarness(FakeMarkerWriter(), E.COORDINATOR_NOT_AVAILABLE, E.COORDINATOR_LOAD_IN_PROGRESS)
    await run(harness, markers())
    assert len(harness.writer.calls) == 1, "the markers are in"
    assert len(harness.runtime.completed) == 1


async def test_an_unloaded_shard_needs_no_completion(autojump_clock: trio.testing.MockClock) -> None:
    harness = SenderHarness(FakeMarkerWriter(), E.NOT_COORDINATOR)
    await run(harness, markers())
    assert (harness.runtime.completed, harness.sender.pending) == ([], 0)


async def test_markers_asked_for_again_are_not_sent_twice(autojump_clock: trio.testing.MockClock) -> None:
    harness = SenderHarness(FakeMarkerWriter())
    harness.writer.gate = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(harness.settle, nursery)
        await trio.testing.wait_all_tasks_blocked()
        for each in (markers(T0, T1), markers(T1, T0), markers(transactional_id="y")):
            harness.sender.send(3, 43, each)
            await trio.testing.wait_all_tasks_blocked()
        harness.writer.gate.set()
    assert len(harness.writer.calls) == len(harness.runtime.completed) == 2


async def test_a_second_run_continues_the_first(autojump_clock: trio.testing.MockClock) -> None:
    harness = SenderHarness(FakeMarkerWriter())
    harness.writer.gate = trio.Event()
    harness.sender.send(3, 43, markers())
    with trio.move_on_after(1):
        await harness.sender.run()
    assert harness.runtime.completed == []
    harness.writer.gate = None
    await run(harness)
    assert len(harness.runtime.completed) == 1


async def test_markers_of_a_shard_that_moved_end(autojump_clock: trio.testing.MockClock) -> None:
    harness = SenderHarness(FakeMarkerWriter())
    harness.writer.gate = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(harness.sender.run)
        harness.sender.send(3, 43, markers())
        await trio.testing.wait_all_tasks_blocked()
        harness.sender.remove_shard(4)
        assert harness.sender.pending == 1
        harness.sender.remove_shard(3)
        assert harness.sender.pending == 0
        harness.sender.send(3, 43, markers())  # elected again, while the old ones are still being cancelled
        await trio.testing.wait_all_tasks_blocked()
        harness.writer.gate.set()
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert len(harness.runtime.completed) == 1


async def test_thousands_of_partitions_leave_room_for_others(autojump_clock: trio.testing.MockClock) -> None:
    many = tuple(TopicPartition("t", index) for index in range(1000))
    harness = SenderHarness(FakeMarkerWriter())
    others: list[int] = []

    async def other() -> None:
        while True:
            others.append(len(harness.writer.calls))
            await trio.lowlevel.checkpoint()

    harness.sender.send(3, 43, markers(*many))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(other)
        with trio.move_on_after(5, shield=True):
            nursery.start_soon(harness.sender.run)
            while harness.sender.pending:
                await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    steps = [after - before for before, after in pairwise(others)]
    assert max(steps) <= 2, "trio lets both run once a turn, in any order"
    assert others[-1] > 10
    assert sum(map(len, harness.writer.asked)) == 1000
