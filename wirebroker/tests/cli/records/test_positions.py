"""Options that name a position."""

from __future__ import annotations

import argparse

import pytest

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.records.positions import BEGINNING, END, Start, add_positions, start_of


def parsed(*words: str) -> Start | None:
    parser = argparse.ArgumentParser()
    add_positions(parser)
    return start_of(parser.parse_args(words))


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ((), None),
        (("--from-beginning",), Start(offset=BEGINNING)),
        (("--offset", "end"), Start(offset=END)),
        (("--offset", "12"), Start(offset=12)),
        (("-o-3",), Start(tail=3)),
        (("--tail", "3"), Start(tail=3)),
        (("--from-timestamp", "1700000000000"), Start(timestamp_ms=1_700_000_000_000)),
        (("--from-timestamp", "1970-01-01T00:00:01"), Start(timestamp_ms=1000)),
        (("--from-timestamp", "1970-01-01T01:00:01+01:00"), Start(timestamp_ms=1000)),
        (("--from-timestamp", "1970-01-02"), Start(timestamp_ms=86_400_000)),
    ],
)
def test_start_of(words: tuple[str, ...], start: Start | None) -> None:
    assert parsed(*words) == start


@pytest.mark.parametrize(
    "words",
    [("--offset", "x"), ("--tail", "-1"), ("--from-timestamp", "noon"), ("--from-beginning", "--offset", "1")],
)
def test_what_is_no_position(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        parsed(*words)
