"""ShardTimers: the timers of all shards of a runtime, on the broker's timing wheel.

A timer that is due joins a queue, from which one task fires them in order, as what a shard does then may have to wait
for the disk.  Timers that are replaced or cancelled leave the wheel at once: members that come and go, and sessions
that each heartbeat prolongs, leave nothing behind.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import trio

from wirebroker.loop_budget import LoopBudget
from wirebroker.timer.timer_task import TimerTask

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable

    from wirebroker.coordinator.shard_context import ShardContext
    from wirebroker.timer.timer import Timer


class ShardTimer(TimerTask):
    """The timer *key* of one shard."""

    __slots__ = ("_timers", "context", "key")

    def __init__(self, timers: ShardTimers, context: ShardContext, key: Hashable) -> None:
        super().__init__()
        self._timers = timers
        self.context = context
        self.key = key

    def run(self) -> None:
        """Have the timer fired, after those that are due already."""
        self._timers.is_due(self)


class ShardTimers:
    """Sets timers in `ShardContext.timers`, and fires those that are due."""

    def __init__(self, timer: Timer) -> None:
        self.timer = timer
        self._due: deque[ShardTimer] = deque()
        self._is_due = trio.Event()

    def set(self, context: ShardContext, key: Hashable, due_ms: int | None) -> None:
        """Set the timer *key* of a shard, in place of an earlier one; None cancels it."""
        if due_ms is None:
            timer = context.timers.pop(key, None)
            if timer is not None:
                self.timer.cancel(timer)
            return
        timer = context.timers.get(key)
        if timer is None:
            timer = context.timers[key] = ShardTimer(self, context, key)
        else:
            self.timer.cancel(timer)
        self.timer.add(timer, due_ms)

    def cancel_all(self, context: ShardContext) -> None:
        """Cancel the timers of a shard that is closed."""
        for timer in context.timers.values():
            self.timer.cancel(timer)
        context.timers.clear()

    def is_due(self, timer: ShardTimer) -> None:
        """Queue *timer*."""
        self._due.append(timer)
        self._is_due.set()

    async def run(self, fire: Callable[[ShardContext, Hashable], Awaitable[None]]) -> None:
        """Call *fire* for each timer that is due, in order; runs until cancelled."""
        due = self._due
        while True:
            await self._is_due.wait()
            self._is_due = trio.Event()
            budget = LoopBudget()
            while due:
                timer = due.popleft()
                timers, key = timer.context.timers, timer.key
                if timers.get(key) is timer and not timer.is_pending:  # else it was cancelled or set anew meanwhile
                    del timers[key]
                    await fire(timer.context, key)
                await budget.yield_if_due()
