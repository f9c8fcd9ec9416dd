"""Keys: metrics, reporters and client telemetry."""

from __future__ import annotations

from wirebroker.config.keys import BOOLEAN, CLUSTER_WIDE, INT, LIST, LONG, LOW, STRING, inert
from wirebroker.config.values import at_least

# fmt: off
KEYS = (
    inert("auto.include.jmx.reporter", BOOLEAN, True, LOW,
        text="Report metrics over JMX even when no reporter is named."),
    inert("kafka.metrics.polling.interval.secs", INT, 10, LOW, at_least(1),
        text="How often the older reporters are asked."),
    inert("kafka.metrics.reporters", LIST, (), LOW,
        text="Java classes of the older metrics reporters."),
    inert("metric.reporters", LIST, (), LOW, scope=CLUSTER_WIDE,
        text="Java classes of metrics reporters."),
    inert("metrics.num.samples", INT, 2, LOW, at_least(1),
        text="Samples to keep for each metric."),
    inert("metrics.recording.level", STRING, "INFO", LOW,
        text="Which metrics to record: INFO, DEBUG or TRACE."),
    inert("metrics.sample.window.ms", LONG, 30_000, LOW, at_least(1),
        text="How long a sample is."),
    inert("telemetry.max.bytes", INT, 1 << 20, LOW, at_least(1),
        text="The most bytes that a client may push as telemetry (KIP-714)."),
)
# fmt: on
