"""The lines of `consume --format table`."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from wirebroker.cli.records.record_table import RecordTable


class Message(NamedTuple):
    """A message of librdkafka."""

    of_key: bytes | None
    of_value: bytes | None
    of_timestamp: tuple[int, int] = (1, 1_700_000_000_123)
    of_headers: Any = None

    def topic(self) -> str:
        return "flights"

    def partition(self) -> int:
        return 3

    def offset(self) -> int:
        return 42

    def timestamp(self) -> tuple[int, int]:
        return self.of_timestamp

    def key(self) -> bytes | None:
        return self.of_key

    def value(self) -> bytes | None:
        return self.of_value

    def headers(self) -> Any:
        return self.of_headers


@pytest.mark.parametrize(
    ("message", "cells"),
    [
        (Message(b"k", b"v v"), "2023-11-14T22:13:20.123Z k            -            v v"),
        (Message(None, b"\xff\n", (0, 0)), "-                        -            -            \\xff\\n"),
        (Message(None, None, (1, 1 << 60), [("h", b"1"), ("i", None)]), f"{1 << 60:<24} -            h=1,i=-      -"),
    ],
)
def test_lines(message: Message, cells: str) -> None:
    table = RecordTable(["flights"])
    header, line = table(message).decode().splitlines()
    assert header == "TOPIC   PARTITION     OFFSET TIMESTAMP                KEY          HEADERS      VALUE"
    assert line == f"flights         3         42 {cells}"
    assert table(message).decode() == f"{line}\n"
