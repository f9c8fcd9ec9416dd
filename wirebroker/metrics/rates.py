"""Rates: how quickly counters grow, as averages that weigh the last 1, 5 and 15 minutes (Kafka: Meter).

Counters are read every TICK_S, which costs requests nothing; the averages are those of the load of Unix systems.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.metrics.metric import Distribution, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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

    def update(self, count: float, elapsed_s: float, weights: Sequence[float]) -> None:
        rate = max(0.0, count - self.count) / elapsed_s
        old = self.averages
        if old is None:
            self.averages = [rate] * len(MINUTES)
        else:
            self.averages = [each + weight * (rate - each) for each, weight in zip(old, weights, strict=True)]
        self.count = count


class Rates:
    """The rates of all counters and histograms of a broker."""

    def __init__(self) -> None:
        self._series: dict[tuple[str, tuple[str, ...]], _Series] = {}
        self._last_s: float | None = None

    def tick(self, snapshot: Snapshot, now_s: float) -> Iterator[None]:
        """Take the counts of *snapshot* into account, and yield after each; at the end `of` knows the new rates.

        Counters that are not in *snapshot* any more are forgotten.
        """
        is_first = self._last_s is None
        elapsed_s = 0.0 if self._last_s is None else now_s - self._last_s
        weights = [1 - exp(-elapsed_s / (60 * minutes)) for minutes in MINUTES]
        series: dict[tuple[str, tuple[str, ...]], _Series] = {}
        for metric, rows in snapshot:
            if metric.kind is Kind.GAUGE:
                continue
            base = _key(metric)
            for values, value in rows:
                count = value.observations if isinstance(value, Distribution) else value
                each = self._series.get((base, values))
                if each is None:  # a counter that begins between two ticks has begun with 0
                    each = _Series(count if is_first else 0, now_s - elapsed_s)
                series[base, values] = each
                if elapsed_s > 0:
                    each.update(count, elapsed_s, weights)
                yield
        self._series, self._last_s = series, now_s

    def of(self, metric: Metric, values: tuple[str, ...]) -> MeterRates:
        """Return the rates of one counter; 0 before its second tick."""
        series = self._series.get((_key(metric), values))
        if series is None or self._last_s is None or self._last_s <= series.since_s:
            return MeterRates(0.0, (0.0,) * len(MINUTES))
        mean = (series.count - series.first) / (self._last_s - series.since_s)
        return MeterRates(mean, tuple(series.averages or (0.0,) * len(MINUTES)))


def _key(metric: Metric) -> str:
    return metric.mbean(("",) * len(metric.tags))
