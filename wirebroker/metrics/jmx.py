"""Metrics as MBeans: their names and attributes, as Kafka's JMX tools, the CSV reporter and Graphite have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.metrics.metric import PERCENTILES, Distribution, Kind
from wirebroker.metrics.rates import MINUTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.metrics.metric import Metric, Snapshot, Value
    from wirebroker.metrics.rates import Rates

_RATE_NAMES: Final = {1: "OneMinuteRate", 5: "FiveMinuteRate", 15: "FifteenMinuteRate"}
_PERCENTILE_NAMES: Final = tuple(f"{quantile * 100:g}thPercentile".replace(".", "") for quantile in PERCENTILES)


def mbeans(snapshot: Snapshot, rates: Rates) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the name and the attributes of every MBean; metrics that are none of Kafka's keep their own names."""
    for metric, rows in snapshot:
        for values, value in rows:
            yield name_of(metric, values), attributes(metric, values, value, rates)


def name_of(metric: Metric, values: tuple[str, ...]) -> str:
    """Return the name of the MBean; of a metric without domain the name of Prometheus, with its labels."""
    if metric.domain:
        name = metric.mbean(values)
        return name.replace(f",name={metric.name}", "") if metric.type.islower() else name
    labels = ",".join(f"{tag}={value}" for tag, value in zip(metric.tags, values, strict=True) if value)
    return f"{metric.type}:{labels}" if labels else metric.type


def attributes(metric: Metric, values: tuple[str, ...], value: Value, rates: Rates) -> dict[str, float]:
    """Return attribute -> value; metrics of Kafka's newer kind are attributes of an MBean by themselves."""
    if not isinstance(value, Distribution):
        if metric.type.islower() and metric.domain:
            return {metric.name: value}
        if metric.kind is Kind.GAUGE:
            return {"Value": value}
        return {"Count": value, **_rates(metric, values, rates)}
    return {
        "Count": value.observations,
        "Min": value.minimum,
        "Max": value.maximum,
        "Mean": value.mean,
        "StdDev": value.deviation,
        **dict(zip(_PERCENTILE_NAMES, value.percentiles, strict=True)),
        **_rates(metric, values, rates),
    }


def _rates(metric: Metric, values: tuple[str, ...], rates: Rates) -> dict[str, float]:
    found = rates.of(metric, values)
    by_minutes = zip(MINUTES, found.by_minutes, strict=True)
    return {"MeanRate": found.mean, **{_RATE_NAMES[minutes]: rate for minutes, rate in by_minutes}}
