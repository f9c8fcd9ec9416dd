"""LoopBudget: the time for which one task may keep the event loop before it yields to the other tasks.

Tasks that yield at the same time go on one after the other, one in each turn of the event loop, and with less time
each: 50 tasks with 5 ms would make a turn of 250 ms, in which nobody else is served.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

import trio

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")

BUDGET_S: Final = 0.005
"""How long one task may keep the loop: a tenth of the lag that the benchmark allows."""
_LEAST_S: Final = 0.0003
"""The least time of one of many tasks that yield; a turn of the loop costs a fifth of that."""


class _Line:
    """The tasks that yield in one event loop: the first goes on in the next turn, the others one in each turn."""

    length: ClassVar[int] = 0
    """The number of tasks that yield now."""

    def __init__(self) -> None:
        self._lot = trio.lowlevel.ParkingLot()
        self._is_letting_out = False

    async def wait(self) -> None:
        """Let other tasks run until it is the turn of this one."""
        _Line.length += 1
        try:
            if _Line.length == 1:
                await trio.lowlevel.checkpoint()
                return
            if not self._is_letting_out:
                self._is_letting_out = True
                trio.lowlevel.spawn_system_task(self._let_out)
            await self._lot.park()
        finally:
            _Line.length -= 1

    async def _let_out(self) -> None:
        try:
            while self._lot:
                await trio.lowlevel.checkpoint()
                self._lot.unpark()
        finally:
            self._is_letting_out = False


_LINE: Final[trio.lowlevel.RunVar[_Line]] = trio.lowlevel.RunVar("tasks that yield")


def _line() -> _Line:
    """Return the line of the running event loop."""
    try:
        return _LINE.get()
    except LookupError:
        line = _Line()
        _LINE.set(line)
        return line


def _share_of(budget_s: float) -> float:
    """Return the part of *budget_s* for a task beside those that yield now."""
    return max(budget_s / (1 + _Line.length), min(budget_s, _LEAST_S))


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
        self._ends = perf_counter() + (_share_of(self._budget_s) if _Line.length else self._budget_s)
        self.yields = 0
        """How often the task has yielded."""

    async def yield_if_due(self) -> None:
        """Let other tasks run if the budget is spent, and start a new one; cheap enough to be called for every item."""
        if perf_counter() >= self._ends:
            self.yields += 1
            await _line().wait()
            for _ in range(1, self._turns):
                await trio.lowlevel.checkpoint()
            self._ends = perf_counter() + _share_of(self._budget_s)

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
