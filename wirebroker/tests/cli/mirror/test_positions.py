"""Positions of a mirror, and the translation of offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.mirror.groups import translated_offsets
from wirebroker.cli.mirror.positions import Checkpoint, Position
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    from pathlib import Path

AT = TopicPartition("t", 0)


def position() -> Position:
    """10, 11, 12, a control batch, 14, 15, then 17 and 19."""
    found = Position(10, 0)
    found.advance(range(10, 13), 13)
    found.advance(range(14, 16), 16)
    found.advance((17, 19), 20)
    return found


@pytest.mark.parametrize(
    ("offset", "translated"),
    [(0, 0), (10, 0), (12, 2), (13, 3), (14, 3), (15, 4), (16, 5), (17, 5), (18, 6), (19, 6), (20, 7), (99, 7)],
)
def test_translate(offset: int, translated: int) -> None:
    assert position().translate(offset) == translated


def test_nothing_copied_yet() -> None:
    assert Position(5, 2).translate(4) == 2


def test_one_sync_where_both_count_alike() -> None:
    found = Position(0, 4)
    for first in range(0, 100, 10):
        found.advance(range(first, first + 10), first + 10)
    assert found.document() == {"source": 100, "destination": 104, "syncs": [(0, 4)]}


def test_the_file(tmp_path: Path) -> None:
    path = str(tmp_path / "checkpoint.json")
    checkpoint = Checkpoint(path, "a", "b")
    checkpoint.names["t"] = "x.t"
    checkpoint.positions[AT] = position()
    checkpoint.save()
    again = Checkpoint(path, "a", "b")
    assert again.names == {"t": "x.t"}
    assert [again.positions[AT].translate(offset) for offset in range(10, 21)] == [
        position().translate(offset) for offset in range(10, 21)
    ]
    with pytest.raises(ClientError, match="of the destination cluster b, not c"):
        Checkpoint(path, "a", "c")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 1, "source": "a", "destination": "b", "topics": 3}'])
def test_another_file(text: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text(text)
    with pytest.raises(ClientError, match="is no checkpoint of a mirror"):
        Checkpoint(str(tmp_path / "f"), "a", "b")


def test_offsets_of_a_group() -> None:
    committed = {AT: 14, TopicPartition("other", 0): 7}
    assert translated_offsets(committed, {AT: position()}, {"t": "x.t"}) == {TopicPartition("x.t", 0): 3}
