"""IdleRatio: the part of the last minute in which the event loop had nothing to do."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

WINDOW: Final = 12
"""Samples that are kept: those of a minute, at a tick every five seconds."""


class IdleRatio:
    """Compares the idle time of the event loop now and a minute ago.

    Args:
        idle_s: Returns a number that grows by the seconds for which the loop is idle.
        clock: Monotonic seconds.
    """

    def __init__(self, idle_s: Callable[[], float], clock: Callable[[], float]) -> None:
        self._idle_s, self._clock = idle_s, clock
        self.started_idle_s = idle_s()
        self._samples: deque[tuple[float, float]] = deque([(clock(), idle_s())], maxlen=WINDOW)

    def tick(self) -> None:
        """Take a sample; to be called every five seconds."""
        self._samples.append((self._clock(), self._idle_s()))

    @property
    def total_s(self) -> float:
        """For how many seconds the loop was idle so far."""
        return max(0.0, self._idle_s() - self.started_idle_s)

    @property
    def value(self) -> float:
        """The ratio, from 0 to 1."""
        then, idle_then = self._samples[0]
        elapsed = self._clock() - then
        return min(1.0, max(0.0, (self._idle_s() - idle_then) / elapsed)) if elapsed > 0 else 1.0
