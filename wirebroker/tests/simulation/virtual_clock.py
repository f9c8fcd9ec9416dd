"""EventSchedule: calls that are due at a virtual time, such as the arrival of a message."""

from __future__ import annotations

import heapq
import math
from itertools import count
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Callable


class EventSchedule:
    """Makes calls in the order of their times; those of one time in the order in which they were scheduled."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()
        self._sleep = trio.CancelScope()

    def call_at(self, at: float, call: Callable[[], None]) -> None:
        """Have *call* made at *at* of trio's clock, soon if that is over."""
        heapq.heappush(self._heap, (at, next(self._numbers), call))
        if at < self._sleep.deadline:
            self._sleep.deadline = at

    def call_later(self, delay_s: float, call: Callable[[], None]) -> None:
        """Have *call* made in *delay_s* seconds."""
        self.call_at(trio.current_time() + delay_s, call)

    async def run(self) -> None:
        """Make the calls, until cancelled."""
        while True:
            with trio.CancelScope(deadline=self._heap[0][0] if self._heap else math.inf) as self._sleep:
                await trio.sleep_forever()
            while self._heap and self._heap[0][0] <= trio.current_time():
                heapq.heappop(self._heap)[2]()
