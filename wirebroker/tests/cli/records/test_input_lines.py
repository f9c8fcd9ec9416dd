"""Lines of standard input as records."""

from __future__ import annotations

import io

import pytest

from wirebroker.cli.records.input_lines import LineLayout, parse_line, split
from wirebroker.cli.records.json_record import OutgoingRecord


@pytest.mark.parametrize(
    ("data", "delimiter", "parts"),
    [
        (b"a\nb\n", b"\n", [b"a", b"b"]),
        (b"a\n\nb", b"\n", [b"a", b"", b"b"]),
        (b"a||b||", b"||", [b"a", b"b"]),
        (b"a|b||c\n", b"||", [b"a|b", b"c\n"]),
        (b"", b"|", []),
    ],
)
def test_split(data: bytes, delimiter: bytes, parts: list[bytes]) -> None:
    assert list(split(io.BufferedReader(io.BytesIO(data)), delimiter)) == parts


@pytest.mark.parametrize(
    ("line", "layout", "record"),
    [
        (b"k:v", LineLayout(), OutgoingRecord(b"k:v")),
        (b"k:v:w", LineLayout(b":"), OutgoingRecord(b"v:w", b"k")),
        (b":v", LineLayout(b":"), OutgoingRecord(b"v", b"")),
        (b":", LineLayout(b":", null_marker=b""), OutgoingRecord(None, None)),
        (b"v", LineLayout(b":", ignore_error=True), OutgoingRecord(b"v")),
        (b"a:1,b:\tk\tv", LineLayout(b"\t", b"\t"), OutgoingRecord(b"v", b"k", (("a", b"1"), ("b", b"")))),
        (b"NULL\tv", LineLayout(None, b"\t", null_marker=b"NULL"), OutgoingRecord(b"v")),
        (b"a:NULL\tv", LineLayout(None, b"\t", null_marker=b"NULL"), OutgoingRecord(b"v", None, (("a", None),))),
    ],
)
def test_parse_line(line: bytes, layout: LineLayout, record: OutgoingRecord) -> None:
    assert parse_line(line, layout) == record


@pytest.mark.parametrize(
    ("line", "layout", "says"),
    [
        (b"v", LineLayout(b":"), "no key separator ':'"),
        (b"v", LineLayout(None, b"\t"), r"no headers delimiter '\\t'"),
        (b"a\tv", LineLayout(None, b"\t"), "no separator ':' in header 'a'"),
    ],
)
def test_a_missing_separator(line: bytes, layout: LineLayout, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse_line(line, layout)
