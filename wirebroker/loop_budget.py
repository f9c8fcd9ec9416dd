"""LoopBudget: the time for which one task may keep the event loop before it yields to the other tasks."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeVar

import trio

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")

BUDGET_S: Final = 0.005
"""How long one task may keep the loop: a tenth of the lag that the benchmark allows."""


class LoopBudget:
    """The loop time that is left to one task; its clock starts when the object is made.

    A task that goes through thousands of items calls `yield_if_due` for each of them, or `collect` with all of them.
    """

    __slots__ = ("_budget_s", "_ends", "_turns", "yields")

    def __init__(self, budget_s: float | None = None, turns: int = 1) -> None:
        """Begin with the whole budget.

        Args:
            budget_s: How long the task may keep the loop.
            turns: How often all other tasks run before this one does again.  A request takes several of the loop's
                turns from the arrival of its bytes to its response; a task that is in no hurry delays it in only one.
        """
        self._turns = turns
        self._budget_s = BUDGET_S if budget_s is None else budget_s
        self._ends = perf_counter() + self._budget_s
        self.yields = 0
        """How often the task has yielded."""

    async def yield_if_due(self) -> None:
        """Let other tasks run if the budget is spent, and start a new one; cheap enough to be called for every item."""
        if perf_counter() >= self._ends:
            self.yields += 1
            for _ in range(self._turns):
                await trio.lowlevel.checkpoint()
            self._ends = perf_counter() + self._budget_s

    async def collect(self, items: Iterable[T]) -> list[T]:
        """Return *items* as a list, and let other tasks run meanwhile whenever the budget is spent.

        A generator is evaluated item by item.
        """
        collected: list[T] = []
        for item in items:
            collected.append(item)
            if perf_counter() >= self._ends:
                await self.yield_if_due()
        return collected

    def part(self, tasks: int) -> LoopBudget:
        """Return a budget for one of *tasks* tasks that work side by side: all of them run in each turn of the loop."""
        return LoopBudget(self._budget_s / tasks)

    def charge(self, seconds: float) -> None:
        """Shorten the budget by the cost of later work for an item, such as its part of the encoding."""
        self._ends -= seconds
