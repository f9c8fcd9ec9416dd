"""The three forms of a command's result: an aligned table, one JSON document, and text with a tab between cells.

    COLUMNS = (Column("TOPIC", "topic"), Column("LAG", "lag", align=">"))
    print_records(COLUMNS, rows, args.format)

Every command prints through this file, so that `--format` means the same everywhere.  JSON keys are snake_case.  The
tables of `transactions` equal those of kafka-transactions.sh to the last tab, which no format of tabulate or rich does:
so `table_lines` is our own.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

FORMATS: Final = ("table", "json", "text")
_NO_VALUE: Final = "-"


class Column(NamedTuple):
    """One column of a table: its title, its key in JSON, and how its cells are aligned."""

    title: str
    key: str
    align: Literal["<", ">"] = "<"
    max_width: int | None = None
    """The widest that the column becomes; a longer cell moves the rest of its line to the right."""


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add `--format`."""
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="table",
        help="an aligned table (default), one JSON document, or lines without a header and a tab between cells",
    )


def print_records(columns: Sequence[Column], rows: Iterable[Sequence[Any]], form: str) -> None:
    """Print *rows* in the form that `--format` names; None is null in JSON and a dash elsewhere."""
    if form == "json":
        print_json(as_objects(columns, rows))
    elif form == "text":
        print_lines(text_lines(rows))
    else:
        print_lines(table_lines(columns, rows))


def print_json(document: Any) -> None:
    """Print one JSON document; only ASCII, so that it is valid whatever the terminal's encoding."""
    import json  # takes time that commands without JSON save

    print(json.dumps(document, indent=2))


def print_lines(lines: Iterable[str]) -> None:
    """Print *lines* to standard output."""
    for line in lines:
        print(line)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one: "1 topic", "2 topics"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def as_objects(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    """One object for each row, keyed by the columns' keys."""
    return [{column.key: cell for column, cell in zip(columns, row, strict=True)} for row in rows]


def text_lines(rows: Iterable[Sequence[Any]]) -> list[str]:
    """One line for each row, a tab between cells."""
    return ["\t".join(as_cell(cell) for cell in row) for row in rows]


def table_lines(
    columns: Sequence[Column],
    rows: Iterable[Sequence[Any]],
    *,
    separator: str = " ",
    rule: bool = False,
) -> list[str]:
    """The header and *rows*, each column as wide as its widest cell.

    Args:
        columns: one for each cell of a row.
        rows: the cells; values are turned into text by `as_cell`.
        separator: stands between cells; one that ends with a tab also stands behind the last cell, which is then
            padded, as kafka-transactions.sh prints its tables.
        rule: whether a line of dashes stands below the header.
    """
    lines = [[column.title for column in columns], *([as_cell(cell) for cell in row] for row in rows)]
    widths = [
        min(max(map(len, cells)), column.max_width or sys.maxsize)
        for column, cells in zip(columns, zip(*lines, strict=True), strict=True)
    ]
    if rule:
        lines.insert(1, ["-" * width for width in widths])
    padded = [
        [f"{cell:{column.align}{width}}" for column, cell, width in zip(columns, line, widths, strict=True)]
        for line in lines
    ]
    if separator.endswith("\t"):
        return ["".join(f"{cell}{separator}" for cell in line) for line in padded]
    return [separator.join(line).rstrip() for line in padded]


def as_cell(value: Any) -> str:
    """*value* as the text of one cell; names are the users', so control characters are shown as escapes."""
    if value is None:
        return _NO_VALUE
    if isinstance(value, list | tuple):
        return ",".join(map(as_cell, value))
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
