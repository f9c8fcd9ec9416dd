"""Every MBean of Apache Kafka 3.9.1 is answered under its name, or there is a reason why not."""

from __future__ import annotations

from wirebroker.metrics import catalogue
from wirebroker.tests.monitoring.kafka_mbeans import BOTH, KRAFT, UNANSWERED, ZOOKEEPER, mbeans

ANSWERED = {
    f"{metric.domain}:{metric.type}" + ("" if metric.type.islower() else f" {metric.name}")
    for metric in catalogue.ALL
    if metric.domain
}
OF_KAFKA = {*mbeans(BOTH), *mbeans(ZOOKEEPER), *mbeans(KRAFT)}
NOT_AT_ONCE = {
    "kafka.server:DelayedProduceMetrics ExpiresPerSec",
    "kafka.server:FetcherLagMetrics ConsumerLag",
    "kafka.server:FetcherStats BytesPerSec",
    "kafka.server:FetcherStats RequestsPerSec",
}
"""MBeans that a broker has once it follows a partition, or a Produce request has expired."""


def test_every_mbean_is_answered_or_has_a_reason() -> None:
    assert set(UNANSWERED) == OF_KAFKA - ANSWERED


def test_no_metric_has_a_name_that_kafka_does_not_have() -> None:
    assert ANSWERED - OF_KAFKA == NOT_AT_ONCE
