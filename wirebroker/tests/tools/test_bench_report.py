"""Medians, ratios pair by pair, and what counts as a target met."""

from __future__ import annotations

import pytest

from tools.bench.compare import NAMES, Plan, Row
from tools.bench.metrics import Metric, Target, at_least, at_most
from tools.bench.raw_client import Timing
from tools.bench.report import cells, met, ratios, spread, table


def row(target: Target | None, kafka: list[float], wirebroker: list[float]) -> Row:
    return Row("some", Metric("something", "MB/s", 0, target), kafka, wirebroker)


def test_ratios_pair_rounds_and_skip_what_has_no_partner() -> None:
    assert ratios(row(None, [100, 200, 0, 5], [200, 100, 7])) == [2.0, 0.5]


@pytest.mark.parametrize(
    ("target", "kafka", "wirebroker", "verdict"),
    [
        (at_least(2), [10, 10, 10], [20, 19, 21], True),
        (at_least(2), [10, 10, 10], [19, 19, 30], False),
        (at_most(0.5), [10, 10], [4, 5], True),
        (at_most(0.5), [10, 10], [6, 7], False),
        (at_most(50, absolute=True), [1], [49], True),
        (at_most(50, absolute=True), [1000], [51], False),
        (None, [1], [1], None),
        (at_least(1), [], [1], None),
    ],
)
def test_met(target: Target | None, kafka: list[float], wirebroker: list[float], verdict: bool | None) -> None:
    assert met(row(target, kafka, wirebroker)) is verdict


def test_spread() -> None:
    assert spread([], 0) == "-"
    assert spread([1234.5], 1) == "1,234.5"
    assert spread([3, 1, 2], 0) == "2 (1-3)"


def test_table_row_and_what_could_not_be_measured() -> None:
    good = row(at_least(1.5), [100, 100], [200, 220])
    assert cells(good) == ("something", "MB/s", "100 (100-100)", "210 (200-220)", "2.10 (2.00-2.20)", "≥ 1.5", "yes")
    bad = Row("groups", Metric("consuming", "msg/s"), [1.0], [], "wirebroker: no groups")
    assert table([good, bad]).endswith("Not measured:\n- groups: wirebroker: no groups")


def test_percentiles_are_measured_values() -> None:
    timing = Timing(1.0, 100, 0, [float(number) for number in range(100, 0, -1)])
    assert (timing.percentile(50), timing.percentile(99), timing.percentile(100)) == (51, 100, 100)


def test_plan_takes_beginnings_of_names() -> None:
    assert [name for name in NAMES if Plan(only=["one-record"]).wants(name)] == [
        "one-record-1",
        "one-record-5",
        "one-record-50",
    ]
    assert all(Plan().wants(name) for name in NAMES)
