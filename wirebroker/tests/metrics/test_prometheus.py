"""The text format of Prometheus, read back by its own parser."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from wirebroker.metrics import catalogue
from wirebroker.metrics.metric import Distribution, Kind, Metric, distribution
from wirebroker.metrics.prometheus import confluent_name, prometheus_name, render


def samples(text: bytes) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


@pytest.mark.parametrize(
    ("metric", "name", "confluent"),
    [
        (
            catalogue.MESSAGES_IN,
            "kafka_server_brokertopicmetrics_messagesin_total",
            "kafka_server_brokertopicmetrics_messagesinpersec",
        ),
        (
            catalogue.NETWORK_IDLE,
            "kafka_network_socketserver_networkprocessoravgidle_percent",
            "kafka_network_socketserver_networkprocessoravgidlepercent",
        ),
        (catalogue.TOTAL_TIME, "kafka_network_requestmetrics_totaltimems", "kafka_network_requestmetrics_totaltimems"),
        (
            catalogue.CONNECTION_COUNT,
            "kafka_server_socket_server_metrics_connection_count",
            "kafka_server_socketservermetrics_connection_count",
        ),
        (
            catalogue.NUM_GROUPS,
            "kafka_coordinator_group_groupmetadatamanager_numgroups",
            "kafka_coordinator_group_groupmetadatamanager_numgroups",
        ),
        (catalogue.GROUP_LAG, "kafka_consumergroup_lag", "kafka_consumergroup_lag"),
    ],
)
def test_names_are_those_of_the_rules_of_the_jmx_exporter(metric: Metric, name: str, confluent: str) -> None:
    assert (prometheus_name(metric), confluent_name(metric)) == (name, confluent)


def test_no_two_metrics_have_the_same_name() -> None:
    names = [prometheus_name(metric) for metric in catalogue.ALL]
    assert len(set(names)) == len(names)


def test_values_are_read_back_with_their_labels() -> None:
    times = distribution(7, [0.5, 1.5])
    found = samples(
        render(
            [
                (catalogue.MESSAGES_IN, [(("",), 12), (('t"\\\n',), 5)]),
                (catalogue.TOTAL_TIME, [(("Produce",), times)]),
                (catalogue.NUM_GROUPS, [((), 3)]),
            ]
        )
    )
    name = "kafka_server_brokertopicmetrics_messagesin_total"
    assert found[name, frozenset()] == 12
    assert found[name, frozenset({("topic", 't"\\\n')})] == 5
    label = ("request", "Produce")
    assert found["kafka_network_requestmetrics_totaltimems", frozenset({label, ("quantile", "0.99")})] == 1.5
    assert found["kafka_network_requestmetrics_totaltimems_count", frozenset({label})] == 7
    assert found["kafka_coordinator_group_groupmetadatamanager_numgroups", frozenset()] == 3


def test_a_metric_without_values_has_no_lines() -> None:
    assert render([(catalogue.GROUP_LAG, [])]) == b""


def test_figures_of_a_distribution() -> None:
    found = distribution(1000, [3.0, 1.0, 2.0])
    assert found == Distribution(1000, 1.0, 3.0, 2.0, 1.0, (2.0, 3.0, 3.0, 3.0, 3.0, 3.0))
    assert distribution(0, []).percentiles == (0.0,) * 6


def test_counters_end_with_total() -> None:
    """Prometheus and its tools tell counters by their names."""
    for metric in catalogue.ALL:
        if metric.kind in (Kind.COUNTER, Kind.METER):
            assert prometheus_name(metric).endswith("_total"), metric
