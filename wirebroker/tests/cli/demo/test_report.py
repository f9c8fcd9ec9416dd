"""Tables, bars and files of the flights demo's results."""

from __future__ import annotations

import csv
import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.cli.demo.report import Report, bar
from wirebroker.pipelines.delays import DelayRow

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    DelayRow("AA", "2013-01-01T09:00:00Z", 6, 5, 50, 10.0),
    DelayRow("AA", "2013-01-02T10:00:00Z", 1, 1, 400, 400.0),
    DelayRow("UA", "2013-01-01T09:00:00Z", 8, 8, 800, 100.0),
    DelayRow("ZZ", "2013-01-01T09:00:00Z", 1, 0, None, None),
]
FACTS: dict[str, Any] = {"bootstrap": "b:1", "flights": 16, "batches": 2, "late": 0}
AIRLINES = {"UA": "United", "AA": "American"}
BLOCKS = "▏▎▍▌▋▊▉█"


def report(*differences: str) -> Report:
    results = {**FACTS, "windows": ROWS, "differences": list(differences), "airlines": AIRLINES}
    return Report.of(json.loads(json.dumps(results)))


def cells(lines: list[str], header: str) -> list[list[str]]:
    """The rows of the table whose header begins with *header*, without their bars."""
    at = next(index for index, line in enumerate(lines) if line.startswith(header))
    rows = lines[at + 2 : at + 2 + lines[at + 2 :].index("")]
    return [[cell for cell in row.split() if cell.strip(BLOCKS)] for row in rows]


def test_carriers_are_added_up_most_delayed_first() -> None:
    assert cells(report().lines(), "CARRIER") == [
        ["UA", "United", "1", "8", "0", "100.0", "100.0"],
        ["AA", "American", "2", "7", "1", "75.0", "400.0"],
        ["ZZ", "1", "1", "1", "-", "-"],
    ]


def test_the_worst_hours_have_several_flights() -> None:
    assert cells(report().lines(), "HOUR") == [
        ["2013-01-01T09:00:00Z", "UA", "8", "8", "100.0"],
        ["2013-01-01T09:00:00Z", "AA", "6", "5", "10.0"],
    ]


def test_few_days_are_shown_by_day_and_many_by_month() -> None:
    assert cells(report().lines(), "FROM") == [["2013-01-01", "65.4"], ["2013-01-02", "400.0"]]
    year = [DelayRow("AA", f"2013-{month:02}-{day:02}T09:00:00Z", 1, 1, 5, 5.0) for month in (1, 2) for day in range(9)]
    many = Report(year, {}, **FACTS, differences=[])
    assert cells(many.lines(), "FROM") == [["2013-01", "5.0"], ["2013-02", "5.0"]]


def test_bars_of_a_table_begin_in_one_column() -> None:
    carriers = [line for line in report().lines() if line.startswith(("UA ", "AA "))]
    assert len(carriers[0]) == max(map(len, carriers)), "the longest bar is the first"
    assert len({line.index("█") for line in carriers}) == 1


@pytest.mark.parametrize(
    ("value", "shown"), [(8.0, "████"), (4.0, "██"), (1.0, "▌"), (0.1, ""), (0.25, "▏"), (0.0, ""), (-3.0, "")]
)
def test_a_bar_is_in_proportion(value: float, shown: str) -> None:
    assert bar(value, 8.0, width=4) == shown
    assert bar(value, 0.0, width=4) == ""


def test_a_bar_on_a_terminal_without_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
        assert bar(4.0, 8.0, width=4) == "##"


def test_equal_and_unequal_results() -> None:
    assert report().lines()[-1] == "Equal: all 4 windows are those computed from the data frame."
    wrong = report("AA 2013-01-01T09:00:00Z: missing")
    assert not wrong.is_equal
    assert wrong.lines()[-2:] == [
        "NOT EQUAL: 1 windows differ from the data frame's (0 events came too late):",
        "  AA 2013-01-01T09:00:00Z: missing",
    ]


def test_json_has_every_window(capsys: pytest.CaptureFixture[str]) -> None:
    report().print("json")
    answer = json.loads(capsys.readouterr().out)
    assert {name: answer[name] for name in FACTS} == FACTS
    assert answer["equal"] is True
    assert "airlines" not in answer
    assert answer["windows"][3] == {
        "carrier": "ZZ",
        "hour": "2013-01-01T09:00:00Z",
        "flights": 1,
        "departed": 0,
        "delay_minutes": None,
        "mean_delay": None,
    }


def test_text_has_a_line_for_each_carrier(capsys: pytest.CaptureFixture[str]) -> None:
    report().print("text")
    assert capsys.readouterr().out.splitlines()[0] == "UA United\t1\t8\t0\t100.0\t100.0"


def test_files(tmp_path: Path) -> None:
    for name in ("r.csv", "r.json"):
        (tmp_path / name).write_text("what was there before")
        report().write(tmp_path / name)
    with (tmp_path / "r.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == dict(zip(DelayRow._fields, map(str, ROWS[0]), strict=True))
    assert rows[3]["mean_delay"] == ""
    assert json.loads((tmp_path / "r.json").read_text()) == report().document()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.csv", "r.json"]


def test_an_unfinished_file_is_removed(tmp_path: Path) -> None:
    broken = Report(ROWS, {}, **FACTS, differences=[object()])
    with pytest.raises(TypeError):
        broken.write(tmp_path / "r.json")
    assert list(tmp_path.iterdir()) == []
