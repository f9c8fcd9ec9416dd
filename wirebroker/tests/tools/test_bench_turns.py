"""The rows that compare two clusters: medians, ranges, ratios, and whether the target is met."""

from __future__ import annotations

from tools.bench.turns import Unit, at_least, at_most

RATE, TIME = Unit("/s", 0), Unit(" s", 2)


def test_a_rate_has_to_be_a_multiple_of_the_other_one() -> None:
    row = at_least("records", [3000, 1000, 1500], [900, 1000, 1100], RATE, 1.5)
    assert (row.ours, row.theirs) == ("1,500/s (1,000-3,000)", "1,000/s (900-1,100); 1.50 x")
    assert (row.target, row.met) == ("≥ 1.5 x", True)
    assert at_least("records", [1499], [1000], RATE, 1.5).met is False


def test_a_time_has_to_be_a_part_of_the_other_one() -> None:
    row = at_most("processor time", [0.5], [1.0], TIME, 0.5)
    assert (row.ours, row.theirs, row.target, row.met) == ("0.50 s", "1.00 s; 0.50 x", "≤ 0.5 x", True)
    assert at_most("processor time", [0.51], [1.0], TIME, 0.5).met is False
    assert at_most("processor time", [0.51], [1.0], TIME, None).met is None


def test_one_cluster_alone_meets_and_misses_nothing() -> None:
    row = at_least("records", [], [2.0], RATE, 1.5)
    assert (row.ours, row.theirs, row.met) == ("-", "2/s", None)
