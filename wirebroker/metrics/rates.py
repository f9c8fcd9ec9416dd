"""Rates: how quickly counters grow, as averages that weigh the last 1, 5 and 15 minutes (Kafka: Meter).

Counters are read every TICK_S, which costs requests nothing; the averages are those of the load of Unix systems.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.metrics.metric import Distribution, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.metrics.metric import Metric, Snapshot

TICK_S: Final = 5.0
MINUTES: Final = (1, 5, 15)


class MeterRates(NamedTuple):
    """Events per second."""

    mean: float
    """Since the first tick."""
    by_minutes: tuple[float, ...]
    """In the order of MINUTES."""


class _Series:
    __slots__ = ("averages", "count", "first", "since_s")

    def __init__(self, count: float, now_s: float) -> None:
        self.count = self.first = count
        self.since_s = now_s
        self.averages: Sequence[float] | None = None


class Rates:
    """The rates of all counters and histograms of a broker."""

    def __init__(self) -> None:
        self._series: dict[tuple[str, tuple[str, ...]], _Series] = {}
        self._last_s: float | None = None

    def tick(self, snapshot: Snapshot, now_s: float) -> None:
        """Take the counts of *snapshot* into account; counters that are not in it any more are forgotten."""
        elapsed_s = 0.0 if self._last_s is None else now_s - self._last_s
        is_first, self._last_s = self._last_s is None, now_s
        before, self._series = self._series, {}
        weights = [1 - exp(-elapsed_s / (60 * minutes)) for minutes in MINUTES]
        for metric, rows in snapshot:
            if metric.kind is Kind.GAUGE:
                continue
            base = metric.mbean(("",) * len(metric.tags))
            for values, value in rows:
                count = value.observations if isinstance(value, Distribution) else value
                series = before.get((base, values))
                if series is None:  # a counter that begins between two ticks has begun with 0
                    series = _Series(count if is_first else 0, now_s - elapsed_s)
                self._series[base, values] = series
                if elapsed_s > 0:
                    rate = max(0.0, count - series.count) / elapsed_s
                    old = series.averages
                    if old is None:
                        series.averages = [rate] * len(MINUTES)
                    else:
                        series.averages = [
                            each + weight * (rate - each) for each, weight in zip(old, weights, strict=True)
                        ]
                    series.count = count

    def of(self, metric: Metric, values: tuple[str, ...]) -> MeterRates:
        """Return the rates of one counter; 0 before its second tick."""
        series = self._series.get((metric.mbean(("",) * len(metric.tags)), values))
        if series is None or self._last_s is None or self._last_s <= series.since_s:
            return MeterRates(0.0, (0.0,) * len(MINUTES))
        mean = (series.count - series.first) / (self._last_s - series.since_s)
        return MeterRates(mean, tuple(series.averages or (0.0,) * len(MINUTES)))
