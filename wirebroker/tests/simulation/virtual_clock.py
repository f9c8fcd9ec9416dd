"""VirtualClock: trio's clock in a simulation, which goes on only when no task can run, and then to the next event.

An event is a task's deadline, or a call that is due at a time, such as the arrival of a message.  Calls are made by the
clock itself: a task that made them would cost two turns of the event loop for each message.
"""

from __future__ import annotations

import heapq
import math
from itertools import count
from typing import TYPE_CHECKING

from trio.abc import Clock

if TYPE_CHECKING:
    from collections.abc import Callable


class VirtualClock(Clock):
    """Makes calls in the order of their times; those of one time in the order in which they were scheduled."""

    def __init__(self) -> None:
        self._now = 0.0
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()

    def call_at(self, at: float, call: Callable[[], None]) -> None:
        """Have *call* made at *at*, soon if that is over."""
        heapq.heappush(self._heap, (at, next(self._numbers), call))

    def call_later(self, delay_s: float, call: Callable[[], None]) -> None:
        """Have *call* made in *delay_s* seconds."""
        self.call_at(self._now + delay_s, call)

    # -- what trio calls

    def start_clock(self) -> None:
        """Begin at 0."""

    def current_time(self) -> float:
        """Return the virtual seconds since the beginning."""
        return self._now

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Go on to *deadline* or to the next call, and return 0: trio asks when no task can run."""
        heap = self._heap
        next_at = min(heap[0][0], deadline) if heap else deadline
        if math.isinf(next_at):
            return math.inf  # trio waits for itself, at the end of a run
        self._now = max(self._now, next_at)
        while heap and heap[0][0] <= self._now:
            heapq.heappop(heap)[2]()
        return 0.0
