"""Metric: one metric under Kafka's name, and the values that it may have."""

from __future__ import annotations

from enum import Enum
from math import dist
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Kind(Enum):
    """The attributes that the MBean of a metric has."""

    GAUGE = "gauge"
    """Value."""
    METER = "meter"
    """Count, and rates of it over 1, 5 and 15 minutes."""
    HISTOGRAM = "histogram"
    """Count, Min, Max, Mean, StdDev and percentiles."""
    COUNTER = "counter"
    """A number that only grows, of metrics that only Prometheus has."""


PERCENTILES: Final = (0.5, 0.75, 0.95, 0.98, 0.99, 0.999)
"""The percentiles that Kafka's histograms have."""


class Distribution(NamedTuple):
    """The value of a histogram: the number of all observations, and the figures of the latest of them."""

    observations: int
    minimum: float
    maximum: float
    mean: float
    deviation: float
    percentiles: tuple[float, ...]
    """In the order of PERCENTILES."""


NO_OBSERVATIONS: Final = Distribution(0, 0.0, 0.0, 0.0, 0.0, (0.0,) * len(PERCENTILES))

Value = int | float | Distribution


def distribution(count: int, observations: Sequence[float]) -> Distribution:
    """Return the figures of *observations*, which are the latest of *count*."""
    if not observations:
        return NO_OBSERVATIONS._replace(observations=count)
    ordered = sorted(observations)
    size = len(ordered)
    mean = sum(ordered) / size
    deviation = dist(ordered, (mean,) * size) / (size - 1) ** 0.5 if size > 1 else 0.0
    percentiles = tuple([ordered[min(size - 1, int(quantile * size))] for quantile in PERCENTILES])
    return Distribution(count, ordered[0], ordered[-1], mean, deviation, percentiles)


class Metric(NamedTuple):
    """One metric; with *tags* there is an MBean for each combination of their values."""

    domain: str
    """As `kafka.server`."""
    type: str
    """As `BrokerTopicMetrics`."""
    name: str
    """As `MessagesInPerSec`; empty if *domain* is empty, and *type* the whole name of a metric of Prometheus."""
    kind: Kind
    text: str
    """The meaning, as a sentence."""
    tags: tuple[str, ...] = ()

    def mbean(self, values: Sequence[str] = ()) -> str:
        """Return the name of the MBean that has *values* of the tags; a tag with an empty value is left out."""
        tags = "".join(f",{tag}={value}" for tag, value in zip(self.tags, values, strict=True) if value)
        return f"{self.domain}:type={self.type}" + (f",name={self.name}" if self.name else "") + tags


class Columns:
    """The rows of a metric as two columns, of which that of tags is shared by all metrics of the same objects."""

    __slots__ = ("tags", "values")

    def __init__(self, tags: Sequence[tuple[str, ...]], values: Sequence[int | float]) -> None:
        self.tags, self.values = tags, values

    def __len__(self) -> int:
        return len(self.tags)

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], Value]]:
        return zip(self.tags, self.values, strict=True)


Rows = list[tuple[tuple[str, ...], Value]]
"""The values of the tags, and the value, of each MBean of a metric."""
Snapshot = list[tuple[Metric, Rows | Columns]]
"""The metrics of a broker at one moment."""


def figures(pairs: Iterable[tuple[Metric, int | float]]) -> Snapshot:
    """Return the snapshot of metrics without tags, which have one value each."""
    return [(metric, [((), value)]) for metric, value in pairs]
