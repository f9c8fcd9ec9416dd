"""Figures of a performance test, and Kafka's lines with them."""

from __future__ import annotations

import pytest

from wirebroker.cli.perf.consume import Consumed
from wirebroker.cli.perf.statistics import MB, LatencyStatistics, percentiles_ms


def test_the_lines_of_a_window_and_of_the_run() -> None:
    statistics = LatencyStatistics(4, 100.0)
    for latency_s in (0.001, 0.002, 0.003):
        statistics.record(latency_s, MB)
    assert statistics.window(102.0).line() == (
        "3 records sent, 1.5 records/sec (1.50 MB/sec), 2.0 ms avg latency, 3.0 ms max latency."
    )
    statistics.record(0.010, MB)
    assert statistics.total(104.0).line() == (
        "4 records sent, 1.000000 records/sec (1.00 MB/sec), 4.00 ms avg latency, 10.00 ms max latency, "
        "3 ms 50th, 10 ms 95th, 10 ms 99th, 10 ms 99.9th."
    )


def test_a_run_without_records() -> None:
    total = LatencyStatistics(0, 0.0).total(0.0)
    assert total.document()["p50_latency_ms"] == 0
    assert total.records_sent == 0


def test_a_sample_of_many_latencies() -> None:
    statistics = LatencyStatistics(1_000_000, 0.0)
    for number in range(1000):
        statistics.record(number / 1000, 1)
    assert len(statistics._latencies) == 500
    assert statistics.total(1.0).records_sent == 1000


@pytest.mark.parametrize(("count", "expected"), [(1, (0, 0, 0, 0)), (100, (50, 95, 99, 99)), (0, (0, 0, 0, 0))])
def test_percentiles(count: int, expected: tuple[int, ...]) -> None:
    assert percentiles_ms([number / 1000 for number in reversed(range(count))]) == expected


def test_the_columns_of_a_consumer() -> None:
    cells = Consumed(1_000, 3_500, 1000, 10 * MB, 500).cells()
    assert cells[0].endswith(":01:000")
    assert cells[2:] == ("10.0000", "4.0000", "1000", "400.0000", "500", "2000", "5.0000", "500.0000")
