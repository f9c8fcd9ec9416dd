"""Errands: every partition gets its marker, once if possible, and whatever happens meanwhile."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import pytest
import trio
import trio.testing

from wirebroker.coordinator.transaction.markers import MarkerSender
from wirebroker.coordinator.transaction.requests import MarkersWritten, WriteMarkers
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.tests.coordinator.transaction.stage import T0, T1, U0

if TYPE_CHECKING:
    from wirebroker.coordinator.runtime import CoordinatorRuntime

E = ErrorCode


def errand(*partitions: TopicPartition, transactional_id: str = "x", committed: bool = True) -> WriteMarkers:
    return WriteMarkers(transactional_id, 100, 1, committed, 2, partitions or (T0, T1))


class Writer:
    """Answers as told, then NONE; can wait before it does."""

    def __init__(self, *answers: dict[TopicPartition, ErrorCode] | Exception) -> None:
        self.answers = list(answers)
        self.calls: list[tuple[Any, ...]] = []
        self.gate: trio.Event | None = None

    async def write(self, *call: Any) -> dict[TopicPartition, ErrorCode]:
        self.calls.append((*call[:4], list(call[4]), call[5]))
        if self.gate is not None:
            await self.gate.wait()
        answer = self.answers.pop(0) if self.answers else {}
        if isinstance(answer, Exception):
            raise answer
        return {each: answer.get(each, E.NONE) for each in call[4]}

    @property
    def asked(self) -> list[list[TopicPartition]]:
        return [call[4] for call in self.calls]


class Runtime:
    def __init__(self, *faults: ErrorCode) -> None:
        self.faults = list(faults)
        self.completed: list[tuple[int, WriteMarkers]] = []

    async def request(self, index: int, request: MarkersWritten) -> None:
        await trio.lowlevel.checkpoint()
        if self.faults:
            raise ApiError(self.faults.pop(0))
        self.completed.append((index, request.errand))


class House:
    def __init__(self, writer: Writer, *faults: ErrorCode) -> None:
        self.writer, self.runtime = writer, Runtime(*faults)
        self.sender = MarkerSender(writer, cast("CoordinatorRuntime", self.runtime))

    async def settle(self, nursery: trio.Nursery) -> None:
        """Run until nothing is left to do."""
        nursery.start_soon(self.sender.run)
        for _ in range(200):
            await trio.sleep(0.1)
            if not self.sender.under_way:
                break
        nursery.cancel_scope.cancel()


async def run(house: House, *errands: WriteMarkers) -> None:
    for each in errands:
        house.sender.start(3, 43, each)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(house.settle, nursery)


async def test_markers_then_the_news_of_them(autojump_clock: trio.testing.MockClock) -> None:
    house = House(Writer())
    await run(house, errand())
    assert house.writer.calls == [(100, 1, 43, True, [T0, T1], 2)]
    assert house.runtime.completed == [(3, errand())]


async def test_only_what_failed_is_tried_again(autojump_clock: trio.testing.MockClock) -> None:
    writer = Writer(
        {T0: E.NOT_LEADER_OR_FOLLOWER, U0: E.KAFKA_STORAGE_ERROR}, RuntimeError("a bug"), {U0: E.NOT_ENOUGH_REPLICAS}
    )
    house = House(writer)
    await run(house, errand(T0, T1, U0))
    assert writer.asked == [[T0, T1, U0], [T0, U0], [T0, U0], [U0]]
    assert len(house.runtime.completed) == 1


@pytest.mark.parametrize(
    "code", [E.UNKNOWN_TOPIC_OR_PARTITION, E.UNSUPPORTED_FOR_MESSAGE_FORMAT, E.INVALID_PRODUCER_EPOCH]
)
async def test_what_counts_as_done(code: ErrorCode, autojump_clock: trio.testing.MockClock) -> None:
    house = House(Writer({T0: code}))
    await run(house, errand())
    assert house.writer.asked == [[T0, T1]]
    assert len(house.runtime.completed) == 1


async def test_a_newer_coordinator_takes_over(autojump_clock: trio.testing.MockClock) -> None:
    house = House(Writer({T0: E.TRANSACTION_COORDINATOR_FENCED}))
    await run(house, errand())
    assert (len(house.writer.calls), house.runtime.completed) == (1, [])


async def test_pauses_grow_to_a_second(autojump_clock: trio.testing.MockClock) -> None:
    house = House(Writer(*[{T0: E.KAFKA_STORAGE_ERROR}] * 12))
    started = trio.current_time()
    await run(house, errand(T0))
    assert len(house.writer.calls) == 13
    assert 6 < trio.current_time() - started < 8


async def test_the_news_is_repeated_until_the_shard_has_it(autojump_clock: trio.testing.MockClock) -> None:
    house = House(Writer(), E.COORDINATOR_NOT_AVAILABLE, E.COORDINATOR_LOAD_IN_PROGRESS)
    await run(house, errand())
    assert len(house.writer.calls) == 1, "the markers are in"
    assert len(house.runtime.completed) == 1


async def test_a_shard_that_moved_needs_no_news(autojump_clock: trio.testing.MockClock) -> None:
    house = House(Writer(), E.NOT_COORDINATOR)
    await run(house, errand())
    assert (house.runtime.completed, house.sender.under_way) == ([], 0)


async def test_a_shard_that_asks_again_is_not_heard_twice(autojump_clock: trio.testing.MockClock) -> None:
    house = House(Writer())
    house.writer.gate = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(house.settle, nursery)
        await trio.testing.wait_all_tasks_blocked()
        for each in (errand(T0, T1), errand(T1, T0), errand(transactional_id="y")):
            house.sender.start(3, 43, each)
            await trio.testing.wait_all_tasks_blocked()
        house.writer.gate.set()
    assert len(house.writer.calls) == len(house.runtime.completed) == 2


async def test_a_run_that_failed_is_taken_up(autojump_clock: trio.testing.MockClock) -> None:
    house = House(Writer())
    house.writer.gate = trio.Event()
    house.sender.start(3, 43, errand())
    with trio.move_on_after(1):
        await house.sender.run()
    assert house.runtime.completed == []
    house.writer.gate = None
    await run(house)
    assert len(house.runtime.completed) == 1


async def test_errands_of_a_shard_that_moved_end(autojump_clock: trio.testing.MockClock) -> None:
    house = House(Writer())
    house.writer.gate = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(house.sender.run)
        house.sender.start(3, 43, errand())
        await trio.testing.wait_all_tasks_blocked()
        house.sender.forget(4)
        assert house.sender.under_way == 1
        house.sender.forget(3)
        assert house.sender.under_way == 0
        house.sender.start(3, 43, errand())  # elected again, while the old errand is still on its way out
        await trio.testing.wait_all_tasks_blocked()
        house.writer.gate.set()
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert len(house.runtime.completed) == 1


async def test_thousands_of_partitions_leave_room_for_others(autojump_clock: trio.testing.MockClock) -> None:
    many = tuple(TopicPartition("t", index) for index in range(1000))
    house = House(Writer())
    others: list[int] = []

    async def other() -> None:
        while True:
            others.append(len(house.writer.calls))
            await trio.lowlevel.checkpoint()

    house.sender.start(3, 43, errand(*many))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(other)
        with trio.move_on_after(5, shield=True):
            nursery.start_soon(house.sender.run)
            while house.sender.under_way:
                await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    steps = [after - before for before, after in pairwise(others)]
    assert max(steps) <= 2, "trio lets both run once a turn, in any order"
    assert others[-1] > 10
    assert sum(map(len, house.writer.asked)) == 1000
