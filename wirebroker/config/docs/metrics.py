"""Texts of the keys in `sections/metrics.py`."""

from __future__ import annotations

TEXTS = {
    "auto.include.jmx.reporter": "Report metrics over JMX even when no reporter is named.",
    "kafka.metrics.polling.interval.secs": "How often the older reporters are asked.",
    "kafka.metrics.reporters": "Java classes of the older metrics reporters.",
    "metric.reporters": "Java classes of metrics reporters.",
    "metrics.num.samples": "Samples to keep for each metric.",
    "metrics.recording.level": "Which metrics to record: INFO, DEBUG or TRACE.",
    "metrics.sample.window.ms": "How long a sample is.",
    "telemetry.max.bytes": "The most bytes that a client may push as telemetry (KIP-714).",
}
