"""The text format of Prometheus, read back by its own parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.parser import text_string_to_metric_families

from wirebroker.metrics import catalogue
from wirebroker.metrics.metric import Columns, Distribution, Kind, Metric, distribution
from wirebroker.metrics.prometheus import _BLOCK, confluent_name, prometheus_name, render

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.core import Metric as PrometheusMetric
    from prometheus_client.core import Sample

    from wirebroker.metrics.metric import Snapshot


def text_of(snapshot: Snapshot) -> bytes:
    return b"".join(render(snapshot))


def samples(text: bytes) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def families(text: bytes) -> list[tuple[str, str, str, list[Sample]]]:
    found = text_string_to_metric_families(text.decode())
    return [(family.name, family.type, family.documentation, family.samples) for family in found]


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
        text_of(
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


def test_columns_are_rendered_as_rows_are_and_as_prometheus_client_renders_them() -> None:
    tags = [(topic, str(number)) for topic in ("orders", 'a "%s"\\\n') for number in range(3 * _BLOCK // 2)]
    values = [10**12 + number for number in range(len(tags))]
    other = [-number for number in range(len(tags))]
    columns: Snapshot = [(catalogue.LOG_SIZE, Columns(tags, values)), (catalogue.LOG_SEGMENTS, Columns(tags, other))]
    rows: Snapshot = [(metric, list(found)) for metric, found in columns]
    assert text_of(columns) == text_of(rows)

    class Families:
        def collect(self) -> Iterator[PrometheusMetric]:
            for metric, found in columns:
                family = GaugeMetricFamily(prometheus_name(metric), metric.text, labels=metric.tags)
                for each, value in found:
                    assert isinstance(value, int)
                    family.add_metric(each, value)
                yield family

    registry = CollectorRegistry()
    registry.register(Families())
    assert families(text_of(columns)) == families(generate_latest(registry))


def test_pieces_are_short_so_that_other_tasks_run_between_them() -> None:
    tags = [("t", str(number)) for number in range(10_000)]
    pieces = list(render([(catalogue.LOG_SIZE, Columns(tags, range(10_000)))]))
    assert max(piece.count(b"\n") for piece in pieces) <= _BLOCK


def test_a_metric_without_values_has_no_lines() -> None:
    assert text_of([(catalogue.GROUP_LAG, [])]) == b""


def test_figures_of_a_distribution() -> None:
    found = distribution(1000, [3.0, 1.0, 2.0])
    assert found == Distribution(1000, 1.0, 3.0, 2.0, 1.0, (2.0, 3.0, 3.0, 3.0, 3.0, 3.0))
    assert distribution(0, []).percentiles == (0.0,) * 6


def test_counters_end_with_total() -> None:
    """Prometheus and its tools tell counters by their names."""
    for metric in catalogue.ALL:
        if metric.kind in (Kind.COUNTER, Kind.METER):
            assert prometheus_name(metric).endswith("_total"), metric
