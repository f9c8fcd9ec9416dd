"""Timer: a timing wheel on the event loop's monotonic clock, and the task that runs what is due (Kafka: SystemTimer).

The task sleeps until the next bucket that has tasks, so pending timers cost no wake-ups.  A timer that is added costs
one, if it is due before all others; one that is cancelled costs at most the wake-up for its bucket.
"""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.loop_budget import LoopBudget
from wirebroker.timer.timing_wheel import WHEEL_SIZE, TimingWheel

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.timer.timer_task import TimerTask

logger = logging.getLogger(__name__)

_LATE_MS: Final = 500
CATCH_UP_S: Final = 0.1
"""A bucket that is later than `_LATE_MS` means that this process was stopped.  Bytes that clients sent meanwhile are in
their sockets, so timers wait until these are read: heartbeats prolong sessions, and connections are not idle."""


class Timer:
    """The pending timers of a broker; `run` runs them."""

    def __init__(self) -> None:
        self._wheel = TimingWheel()
        self.now_s: Callable[[], float] = trio.current_time
        """Returns the time of the event loop's clock, in seconds."""
        self._sleep = trio.CancelScope()
        self._wakes_ms = -math.inf
        """When `run` looks for buckets that are due; -inf while it does."""

    def __len__(self) -> int:
        return len(self._wheel)

    def now_ms(self) -> int:
        """Return the time of the event loop's clock, which is monotonic, in milliseconds."""
        return int(1000 * self.now_s())

    def add(self, task: TimerTask, expiration_ms: int) -> None:
        """Have `task.run()` called at *expiration_ms* of `now_ms`, soon if that is over.  *task* must not be pending.

        Timers of the same millisecond are run in any order.
        """
        wheel = self._wheel
        now_ms = int(1000 * self.now_s())
        if now_ms >= wheel.current_ms + WHEEL_SIZE:
            wheel.advance_clock(now_ms)
        task.expiration_ms = expiration_ms
        if not wheel.add(task):
            task.expiration_ms = wheel.current_ms + 1
            wheel.add(task)
        if task.expiration_ms < self._wakes_ms:
            self._wake_up_earlier()

    def cancel(self, task: TimerTask) -> None:
        """Do not run *task*; no effect if it is not pending."""
        self._wheel.cancel(task)

    def _wake_up_earlier(self) -> None:
        expiration_ms = self._wheel.next_expiration()
        if expiration_ms is not None and expiration_ms < self._wakes_ms:
            self._wakes_ms = expiration_ms
            self._sleep.deadline = expiration_ms / 1000

    async def run(self) -> None:
        """Run the tasks that are due, until cancelled."""
        self.now_s = trio.lowlevel.current_clock().current_time  # half the price of trio.current_time
        is_caught_up = False
        slept_until_ms = 0
        while True:
            expiration_ms = self._wheel.next_expiration()
            now_ms = max(self.now_ms(), slept_until_ms)  # 1000 * (1001 / 1000) is less than 1001
            if expiration_ms is None or expiration_ms > now_ms:
                is_caught_up = False
                slept_until_ms = await self._sleep_until(math.inf if expiration_ms is None else expiration_ms)
            elif now_ms - expiration_ms > _LATE_MS and not is_caught_up:
                is_caught_up = True
                await trio.sleep(CATCH_UP_S)
            else:
                await self._run_due(now_ms)

    async def _sleep_until(self, expiration_ms: float) -> int:
        """Sleep until *expiration_ms*, or the earlier one of a timer that is added meanwhile; return which."""
        self._wakes_ms = expiration_ms
        with trio.CancelScope(deadline=expiration_ms / 1000) as self._sleep:
            await trio.sleep_forever()
        until_ms, self._wakes_ms = int(self._wakes_ms), -math.inf
        return until_ms

    async def _run_due(self, now_ms: int) -> None:
        wheel = self._wheel
        budget = LoopBudget()
        while (expiration_ms := wheel.next_expiration()) is not None and expiration_ms <= now_ms:
            task = wheel.poll(now_ms)
            if task is not None:
                try:
                    task.run()
                except Exception:
                    logger.exception("timer %s: failed; other timers go on", type(task).__name__)
            await budget.yield_if_due()
