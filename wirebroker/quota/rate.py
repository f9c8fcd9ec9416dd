"""Rate over samples: the measure of Kafka's quotas (Kafka: Rate, SampledStat)."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

LONGEST_MS: Final = 2**31 - 1
"""The longest throttle time that a response can tell."""


class QuotaWindow(NamedTuple):
    """The samples that a quota is measured over: `quota.window.num` of `quota.window.size.seconds`."""

    samples: int = 11
    size_s: int = 1

    @property
    def size_ms(self) -> int:
        """Length of one sample, in milliseconds."""
        return self.size_s * 1000


class _Sample:
    """The sum of what was recorded in one sample."""

    __slots__ = ("last_ms", "start_ms", "value")

    def __init__(self, now_ms: int) -> None:
        self.reset(now_ms)

    def reset(self, now_ms: int) -> None:
        self.start_ms = self.last_ms = now_ms
        self.value = 0.0


class Rate:
    """Units per second over the samples of a window.

    A sample begins with the first record after the one before is complete, so a pause makes no empty samples.  The time
    that values are divided by is that since the oldest sample began, and at least `samples - 1` whole samples and
    what has passed of the current one.
    """

    __slots__ = ("_current", "_samples", "_window")

    def __init__(self, window: QuotaWindow) -> None:
        self._window = window
        self._samples: list[_Sample] = []
        self._current = 0

    def record(self, value: float, now_ms: int) -> None:
        """Add *value*, which may be negative, to the current sample."""
        samples = self._samples
        if not samples:
            samples.append(_Sample(now_ms))
        sample = samples[self._current]
        if now_ms - sample.start_ms >= self._window.size_ms:
            self._current = (self._current + 1) % (self._window.samples + 1)  # one more: a sample overlaps the window
            if self._current == len(samples):
                samples.append(_Sample(now_ms))
            else:
                samples[self._current].reset(now_ms)
            sample = samples[self._current]
        sample.value += value
        sample.last_ms = now_ms

    def measure(self, now_ms: int) -> float:
        """Return the rate, in units per second."""
        window_ms = self.window_ms(now_ms)
        return sum(each.value for each in self._samples) / (window_ms / 1000)

    def window_ms(self, now_ms: int) -> int:
        """Return the time that the rate is measured over, in milliseconds, at least 1."""
        count, size_ms = self._window.samples, self._window.size_ms
        oldest_ms = now_ms
        for sample in self._samples:
            if now_ms - sample.last_ms >= count * size_ms:
                sample.reset(now_ms)
            oldest_ms = min(oldest_ms, sample.start_ms)
        elapsed_ms = now_ms - oldest_ms
        elapsed_ms += max(0, count - 1 - elapsed_ms // size_ms) * size_ms
        return max(elapsed_ms, 1)

    def throttle_ms(self, limit: float, now_ms: int) -> int:
        """Return the milliseconds after which the rate is down to *limit* if nothing is recorded; 0 if it is not above.

        The excess over the limit, divided by the limit, times the window; LONGEST_MS for a limit of 0, which only a
        broker of Apache Kafka with ZooKeeper accepts.
        """
        excess = self.measure(now_ms) - limit
        if excess <= 0:
            return 0
        if limit <= 0:
            return LONGEST_MS
        return math.floor(excess / limit * self.window_ms(now_ms) + 0.5)
