"""KeyedRuns finds, and refuses, what `RecordBatch.keyed_records` does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.record.builder import build_batch, build_keyed_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.errors import RecordError
from wirebroker.record.keyed_runs import MOST, KeyedRuns
from wirebroker.record.record_batch import HEADER_SIZE, Record, RecordBatch

Pair = tuple[bytes | None, bytes | None]

sizes = st.sampled_from([None, 0, 1, 40, 63, 64, 300])
runs = st.tuples(sizes, sizes, st.integers(1, 150), st.sampled_from([0, 1, 100, -70_000]), st.booleans())


def pieces(batch: RecordBatch) -> list[Pair]:
    return [pair for piece in KeyedRuns().pieces(batch) for pair in piece]


def pairs(batch: RecordBatch) -> list[Pair]:
    return [(key, value) for _, key, value in batch.keyed_records()]


@given(st.lists(runs, min_size=1, max_size=4), st.sampled_from([Codec.NONE, Codec.GZIP]), st.integers(1, 3))
def test_keys_and_values_are_those_of_the_records(
    rows: list[tuple[int | None, int | None, int, int, bool]], codec: Codec, gap: int
) -> None:
    records: list[Record] = []
    for key, value, count, step, headed in rows:
        for _ in range(count):
            number = len(records)
            texts = [None if size is None else (b"%d:" % number * size)[:size] for size in (key, value)]
            headers: list[tuple[bytes, bytes | None]] = [(b"h", None)] if headed and number % 3 else []
            records.append(Record(5 + number * gap, 10**12 + number * step, texts[0], texts[1], headers))
    batch = RecordBatch.parse(build_batch(records, compression=Compression(codec)))
    assert pieces(batch) == [(each.key, each.value) for each in records]


def test_a_long_run_comes_in_pieces() -> None:
    rows = [(b"%06d" % number, b"v") for number in range(20_000)]
    found = [list(piece) for piece in KeyedRuns().pieces(RecordBatch.parse(build_keyed_batch(rows, 1)))]
    assert [pair for piece in found for pair in piece] == rows
    assert 5 <= len(found) <= 9
    assert max(map(len, found)) == MOST


@given(st.integers(0, 2000), st.integers(1, 255), st.booleans())
def test_damage_is_judged_as_by_keyed_records(place: int, flip: int, knows_shape: bool) -> None:
    rows = [(b"key%04d" % number, b"value%d" % (number % 10)) for number in range(100)]
    data = build_keyed_batch(rows, 1)
    data[HEADER_SIZE + place % (len(data) - HEADER_SIZE)] ^= flip
    batch = RecordBatch.parse(data)
    runs = KeyedRuns()
    if knows_shape:
        list(runs.pieces(RecordBatch.parse(build_keyed_batch(rows, 1))))
    try:
        expected = pairs(batch)
    except RecordError:
        with pytest.raises(RecordError):
            list(runs.pieces(batch))
    else:
        assert [pair for piece in runs.pieces(batch) for pair in piece] == expected


def test_the_shape_of_an_earlier_batch_is_compared() -> None:
    runs = KeyedRuns()
    for key, value in ((b"k" * 5, b"v" * 9), (b"k" * 9, b"v" * 5), (b"k" * 7, b"v" * 7), (b"k" * 5, b"v" * 9)) * 2:
        rows = [(key, value)] * 20
        assert [list(piece) for piece in runs.pieces(RecordBatch.parse(build_keyed_batch(rows, 1)))] == [rows]


def test_a_batch_that_compaction_emptied_has_none() -> None:
    assert pieces(RecordBatch.parse(build_batch([], offsets=(5, 9)))) == []
