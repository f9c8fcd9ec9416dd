"""LoopBudget: how many turns of the loop other tasks get when a task has spent its budget."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import trio

from wirebroker.loop_budget import _LEAST_S, LoopBudget, _Line
from wirebroker.monitoring import collector
from wirebroker.monitoring.collector import Collector

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

RESULTS = 5
TASKS = 20


class TurnCounter:
    """Counts the turns of the loop that one task gets."""

    def __init__(self) -> None:
        self.turns = 0
        self._scope = trio.CancelScope()

    async def run(self, work: Callable[[], Awaitable[object]]) -> int:
        """Return how many turns another task gets while *work* runs."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._count)
            await trio.lowlevel.checkpoint()
            before = self.turns
            await work()
            found = self.turns - before
            self._scope.cancel()
        return found

    async def _count(self) -> None:
        with self._scope:
            while True:
                await trio.lowlevel.checkpoint()
                self.turns += 1


@pytest.mark.parametrize("turns", [1, 3])
async def test_other_tasks_get_as_many_turns_as_the_budget_says(turns: int) -> None:
    budget = LoopBudget(0.0, turns)
    assert await TurnCounter().run(budget.yield_if_due) == pytest.approx(turns, abs=1)
    assert budget.yields == 1


async def test_items_are_collected_with_a_turn_behind_each_if_the_budget_is_spent() -> None:
    budget = LoopBudget(0.0)
    assert await budget.collect(number * 2 for number in range(RESULTS)) == [0, 2, 4, 6, 8]
    assert budget.yields == RESULTS
    budget = LoopBudget(1000.0)
    assert await budget.collect(range(RESULTS)) == [*range(RESULTS)]
    assert budget.yields == 0


async def test_tasks_that_yield_at_the_same_time_go_on_one_in_each_turn() -> None:
    order: list[int] = []

    async def work(number: int) -> None:
        budget = LoopBudget(0.0)
        for _ in range(2):
            await budget.yield_if_due()
            order.append(number)

    async def work_of_all() -> None:
        async with trio.open_nursery() as nursery:
            for number in range(TASKS):
                nursery.start_soon(work, number)

    turns = await TurnCounter().run(work_of_all)
    assert turns >= 2 * TASKS - 2
    assert set(order[TASKS:]) == {*range(TASKS)}
    assert set(order[:TASKS]) == {*range(TASKS)}


async def test_a_task_that_is_cancelled_leaves_the_others_their_turns() -> None:
    done: list[int] = []

    async def work(number: int) -> None:
        await LoopBudget(0.0).yield_if_due()
        done.append(number)

    async with trio.open_nursery() as nursery:
        with trio.CancelScope() as scope:
            nursery.start_soon(work, 1)
            nursery.start_soon(work, 2)
            await trio.lowlevel.checkpoint()
            scope.cancel()
            await LoopBudget(0.0).yield_if_due()
    assert sorted(done) == [1, 2]
    assert _Line.length == 0


async def test_tasks_have_less_time_while_others_yield(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.loop_budget.perf_counter", lambda: 0.0)
    monkeypatch.setattr(_Line, "length", 4)
    assert LoopBudget(1.0)._ends == 0.2
    monkeypatch.setattr(_Line, "length", 10_000)
    assert LoopBudget(1.0)._ends == _LEAST_S


def test_tasks_that_work_side_by_side_share_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.loop_budget.perf_counter", lambda: 0.0)
    assert LoopBudget(1.0).part(4)._ends == 0.25


async def test_a_budget_that_is_left_gives_no_turn() -> None:
    assert await TurnCounter().run(LoopBudget(1000.0, 3).yield_if_due) == 0


async def test_a_scrape_gives_other_tasks_several_turns_after_each_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request needs more than one turn of the loop, and would wait for a part of the scrape in each of them."""

    async def snapshot(*_: object, **__: object) -> list[object]:
        return []

    monkeypatch.setattr(collector, "_BUDGET_S", 0.0)
    monkeypatch.setattr(Collector, "_snapshot", snapshot)
    sources: Any = SimpleNamespace()

    async def scrape() -> None:
        assert len(await Collector(sources).collect(lambda _: range(RESULTS))) == RESULTS

    assert await TurnCounter().run(scrape) >= 3 * RESULTS - 1
