"""Histogram: the number of observations, and the latest of them (Kafka: com.yammer.metrics.core.Histogram)."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from wirebroker.metrics.metric import distribution

if TYPE_CHECKING:
    from wirebroker.metrics.metric import Distribution

KEPT: Final = 1024


class Histogram:
    """Observations of something that is too rare to cost anything; may be updated in several threads at a time.

    Attributes:
        count: The number of observations; two threads at the same moment may count as one.
    """

    __slots__ = ("_latest", "count")

    def __init__(self) -> None:
        self.count = 0
        self._latest: deque[float] = deque(maxlen=KEPT)

    def update(self, value: float) -> None:
        """Take an observation into account."""
        self.count += 1
        self._latest.append(value)

    def value(self) -> Distribution:
        """Return the figures of the latest 1,024 observations."""
        return distribution(self.count, self._latest.copy())
