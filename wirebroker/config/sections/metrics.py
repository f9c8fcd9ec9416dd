"""Keys: metrics, reporters and client telemetry."""

from __future__ import annotations

from wirebroker.config.keys import BOOLEAN, CLUSTER_WIDE, INT, LIST, LONG, LOW, STRING, inert
from wirebroker.config.values import at_least

KEYS = (
    inert("auto.include.jmx.reporter", BOOLEAN, True, LOW),
    inert("kafka.metrics.polling.interval.secs", INT, 10, LOW, at_least(1)),
    inert("kafka.metrics.reporters", LIST, (), LOW),
    inert("metric.reporters", LIST, (), LOW, scope=CLUSTER_WIDE),
    inert("metrics.num.samples", INT, 2, LOW, at_least(1)),
    inert("metrics.recording.level", STRING, "INFO", LOW),
    inert("metrics.sample.window.ms", LONG, 30_000, LOW, at_least(1)),
    inert("telemetry.max.bytes", INT, 1 << 20, LOW, at_least(1)),
)
