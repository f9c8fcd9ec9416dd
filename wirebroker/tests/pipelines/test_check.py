"""Windows from Spark compared with those from pandas."""

from __future__ import annotations

from wirebroker.pipelines.check import differences
from wirebroker.pipelines.delays import DelayRow

NINE = DelayRow("AA", "2013-01-01T09:00:00Z", 3, 2, 7, 3.5)
TEN = DelayRow("AA", "2013-01-01T10:00:00Z", 1, 0, None, None)


def test_equal_rows_in_any_order() -> None:
    assert differences([TEN, NINE], [NINE, TEN]) == []


def test_a_missing_window() -> None:
    assert differences([NINE], [NINE, TEN]) == ["AA 2013-01-01T10:00:00Z: missing"]


def test_an_unexpected_window() -> None:
    assert differences([NINE, TEN], [NINE]) == ["AA 2013-01-01T10:00:00Z: not in the data frame"]


def test_a_duplicate_window() -> None:
    assert differences([NINE, NINE], [NINE]) == ["AA 2013-01-01T09:00:00Z: there twice"]


def test_a_different_value() -> None:
    off = NINE._replace(mean_delay=3.5000000000000004)
    (line,) = differences([off], [NINE])
    assert "found (3, 2, 7, 3.5000000000000004), the data frame has (3, 2, 7, 3.5)" in line
