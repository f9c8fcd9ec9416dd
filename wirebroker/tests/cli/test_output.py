"""Tables, JSON and text that commands print."""

from __future__ import annotations

import json

import pytest

from wirebroker.cli.output import Column, as_cell, counted, print_records, table_lines
from wirebroker.cli.standard_streams import print_error

COLUMNS = (Column("TOPIC", "topic"), Column("LAG", "lag", align=">"))
ROWS = [("flights", 7), ("t", None)]


def test_a_table_is_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    print_records(COLUMNS, ROWS, "table")
    assert capsys.readouterr().out == "TOPIC   LAG\nflights   7\nt         -\n"


def test_json_has_the_columns_keys(capsys: pytest.CaptureFixture[str]) -> None:
    print_records(COLUMNS, ROWS, "json")
    assert json.loads(capsys.readouterr().out) == [{"topic": "flights", "lag": 7}, {"topic": "t", "lag": None}]


def test_text_has_no_header(capsys: pytest.CaptureFixture[str]) -> None:
    print_records(COLUMNS, ROWS, "text")
    assert capsys.readouterr().out == "flights\t7\nt\t-\n"


def test_a_table_without_rows_is_its_header() -> None:
    assert table_lines(COLUMNS, []) == ["TOPIC LAG"]


def test_a_rule_below_the_header() -> None:
    assert table_lines(COLUMNS, [("a", 1)], separator="  ", rule=True) == ["TOPIC  LAG", "-----  ---", "a        1"]


def test_a_tab_behind_each_padded_cell() -> None:
    assert table_lines(COLUMNS[:1], [("a",)], separator="\t") == ["TOPIC\t", "a    \t"]


def test_a_cell_longer_than_the_column_may_be() -> None:
    columns = (Column("PATH", "path", max_width=5), Column("WHAT", "what"))
    assert table_lines(columns, [("/a", "x"), ("/a/b/c/d", "y")]) == ["PATH  WHAT", "/a    x", "/a/b/c/d y"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0, "0"), (["t-0", "t-1"], "t-0,t-1"), ("名前", "名前"), ("a\x1b[2Jb\n", r"a\x1b[2Jb\n")],
)  # fmt: skip
def test_cells(value: object, text: str) -> None:
    assert as_cell(value) == text


def test_counts_have_their_noun() -> None:
    assert [counted(number, "topic") for number in (0, 1, 2)] == ["0 topics", "1 topic", "2 topics"]


def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_error("first\n  second")
    assert capsys.readouterr().err == "wirebroker: first second\n"
