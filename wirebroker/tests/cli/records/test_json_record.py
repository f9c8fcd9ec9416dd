"""Records as JSON lines, out and in again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.cli.records.json_record import OutgoingRecord, from_json, to_json
from wirebroker.tests.cli.records.messages import FakeMessage

optional_bytes = st.none() | st.binary(max_size=20)
names = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    optional_bytes,
    optional_bytes,
    st.lists(st.tuples(names, optional_bytes)),
)
def test_a_record_survives_the_way_out_and_in(
    key: bytes | None, value: bytes | None, headers: list[tuple[str, bytes | None]]
) -> None:
    line = to_json(FakeMessage(value, key, headers))
    assert "\n" not in line
    assert from_json(line.encode()) == OutgoingRecord(value, key, tuple(headers), 3, 1_700_000_000_000)


def test_the_names() -> None:
    document = json.loads(to_json(FakeMessage(b"\xff", None, [("h", b"x"), ("h", None)])))
    assert document == {
        "topic": "t",
        "partition": 3,
        "offset": 7,
        "timestamp": 1_700_000_000_000,
        "timestamp_type": "CreateTime",
        "key": None,
        "value_base64": "/w==",
        "headers": [{"key": "h", "value": "x"}, {"key": "h", "value": None}],
    }
    assert json.loads(to_json(FakeMessage(a_timestamp=(0, -1))))["timestamp"] is None


def test_values_that_are_no_text() -> None:
    record = from_json(b'{"value": {"a": [1, null]}, "key": 7, "headers": {"h": "x", "n": null}}')
    assert record == OutgoingRecord(b'{"a":[1,null]}', b"7", (("h", b"x"), ("n", None)))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"{", "no JSON: "),
        (b"7", "not a JSON object"),
        (b'{"key": "k"}', 'no "value"'),
        (b'{"value_base64": "?"}', '"value_base64" is no base64'),
        (b'{"value_base64": 1}', '"value_base64" is no base64'),
        (b'{"value": "", "partition": "0"}', '"partition" is not a whole number'),
        (b'{"value": "", "timestamp": -1}', '"timestamp" is not a whole number'),
        (b'{"value": "", "headers": ["h"]}', '"headers" is not a list'),
    ],
)
def test_lines_that_are_no_record(line: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        from_json(line)
