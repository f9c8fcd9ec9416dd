"""Keys: metrics, reporters and client telemetry."""

from __future__ import annotations

from typing import Final

from wirebroker.config.effects import partial_effect
from wirebroker.config.keys import BOOLEAN, CLUSTER_WIDE, INT, LIST, LONG, STRING, ignored_key, key
from wirebroker.config.values import at_least, between, host_and_port

CSV_REPORTER: Final = "kafka.metrics.KafkaCSVMetricsReporter"

# fmt: off
KEYS = (
    ignored_key("auto.include.jmx.reporter", BOOLEAN, True,
        text="Report metrics over JMX even when no reporter is named."),
    key("kafka.csv.metrics.dir", STRING, "kafka_metrics", internal=True,
        text="Where kafka.metrics.KafkaCSVMetricsReporter writes a CSV file for each MBean; files that are there are "
             "continued, where Apache Kafka deletes the directory."),
    key("kafka.csv.metrics.reporter.enabled", BOOLEAN, False, internal=True,
        text="Whether kafka.metrics.KafkaCSVMetricsReporter, if kafka.metrics.reporters has it, writes its files."),
    key("kafka.metrics.polling.interval.secs", INT, 10, at_least(1),
        text="How often kafka.metrics.KafkaCSVMetricsReporter writes a line to each file."),
    key("kafka.metrics.reporters", LIST, (),
        effect=partial_effect(f"{CSV_REPORTER} is the only reporter", complete_with=((CSV_REPORTER,),)),
        text=f"Java classes of the older metrics reporters, of which {CSV_REPORTER} is known by its name."),
    ignored_key("metric.reporters", LIST, (), scope=CLUSTER_WIDE,
        text="Java classes of metrics reporters."),
    ignored_key("metrics.num.samples", INT, 2, at_least(1),
        text="Samples to keep for each metric."),
    ignored_key("metrics.recording.level", STRING, "INFO",
        text="Which metrics to record: INFO, DEBUG or TRACE."),
    ignored_key("metrics.sample.window.ms", LONG, 30_000, at_least(1),
        text="How long a sample is."),
    key("wirebroker.metrics.graphite", STRING, None, host_and_port, internal=True,
        text="HOST:PORT of a Graphite server (carbon, plaintext protocol over TCP) that metrics are sent to."),
    key("wirebroker.metrics.host", STRING, "0.0.0.0", internal=True,
        text="Address on which metrics are served."),
    key("wirebroker.metrics.port", INT, -1, between(-1, 65_535), internal=True,
        text="Port on which metrics are served over HTTP: /metrics for Prometheus, /jmx as JSON, /healthz and /readyz. "
             "-1 serves none, 0 takes any free port, which the log names."),
    key("wirebroker.metrics.prefix", STRING, "", internal=True,
        text="Beginning of the paths of metrics that are sent to Graphite or StatsD, such as kafka.broker1."),
    key("wirebroker.metrics.report.interval.ms", INT, 10_000, at_least(100), internal=True,
        text="How often metrics are sent to Graphite or StatsD."),
    key("wirebroker.metrics.statsd", STRING, None, host_and_port, internal=True,
        text="HOST:PORT of a StatsD server that metrics are sent to over UDP, as gauges."),
    ignored_key("telemetry.max.bytes", INT, 1 << 20, at_least(1),
        text="The most bytes that a client may push as telemetry (KIP-714)."),
)
# fmt: on
