from __future__ import annotations

from wirebroker.pipelines.delays import DelayRow
from wirebroker.pipelines.report import as_json, carrier_table, table, worst_table

ROWS = [
    DelayRow("AA", "2013-01-01T09:00:00Z", 6, 5, 50, 10.0),
    DelayRow("AA", "2013-01-01T10:00:00Z", 1, 1, 400, 400.0),
    DelayRow("UA", "2013-01-01T09:00:00Z", 8, 8, 800, 100.0),
    DelayRow("ZZ", "2013-01-01T09:00:00Z", 1, 0, None, None),
]


def test_table_lines_up() -> None:
    assert table(("name", "n"), [("a", "10"), ("long name", "1")]).splitlines() == [
        "name        n",
        "---------  --",
        "a          10",
        "long name   1",
    ]


def test_carriers_are_rolled_up_most_delayed_first() -> None:
    lines = carrier_table(ROWS, {"UA": "United", "AA": "American"}).splitlines()[2:]
    assert [line.split() for line in lines] == [
        ["UA", "United", "1", "8", "0", "100.0", "100.0"],
        ["AA", "American", "2", "7", "1", "75.0", "400.0"],
        ["ZZ", "1", "1", "1", "-", "-"],
    ]


def test_the_worst_hours_leave_out_the_nearly_empty() -> None:
    lines = worst_table(ROWS).splitlines()[2:]
    assert [line.split() for line in lines] == [
        ["2013-01-01T09:00:00Z", "UA", "8", "8", "100.0"],
        ["2013-01-01T09:00:00Z", "AA", "6", "5", "10.0"],
    ]


def test_json_has_every_window() -> None:
    answer = as_json(ROWS, equal=True)
    assert answer["equal"] is True
    assert answer["windows"][3] == {
        "carrier": "ZZ",
        "hour": "2013-01-01T09:00:00Z",
        "flights": 1,
        "departed": 0,
        "delay_minutes": None,
        "mean_delay": None,
    }
