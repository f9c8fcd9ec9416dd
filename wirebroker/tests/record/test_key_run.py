"""KeyRuns finds the keys that `RecordBatch.keys` does, or leaves the batch to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.record.builder import build_batch, build_keyed_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.errors import RecordError
from wirebroker.record.key_run import KeyRuns
from wirebroker.record.record_batch import HEADER_SIZE, Record, RecordBatch

sizes = st.sampled_from([None, 0, 1, 40, 63, 64, 300])
runs = st.tuples(sizes, sizes, st.integers(1, 150), st.sampled_from([0, 1, 100, -70_000]))


def key_run(batch: RecordBatch, layouts: KeyRuns | None = None) -> list[bytes] | None:
    """The keys of *batch*, found by its layout; its records are where the layout says."""
    data = bytes(batch.uncompressed())
    found = (layouts or KeyRuns()).find(batch, data)
    if found is None:
        return None
    keys = list(found.keys(data))
    places = [found.record(delta) for delta in range(batch.record_count)]
    assert [data[key:value] for _, _, key, value, _ in places] == keys
    assert [0, *(place[-1] for place in places)] == [*(place[0] for place in places), len(data)]
    return keys


def parsed(count: int, key_bytes: int = 6, value_bytes: int = 20) -> RecordBatch:
    rows = [(b"%0*d" % (key_bytes, number), b"v" * value_bytes) for number in range(count)]
    return RecordBatch.parse(build_keyed_batch(rows, 1))


@pytest.mark.parametrize("count", [4, 64, 65, 1000, 8192])
@pytest.mark.parametrize("value_bytes", [0, 20, 970])
def test_keys_of_records_that_are_alike(count: int, value_bytes: int) -> None:
    assert key_run(parsed(count, value_bytes=value_bytes)) == [b"%06d" % number for number in range(count)]


@pytest.mark.parametrize("count", [1, 3, 8193])
def test_few_records_and_many_are_left_to_keys(count: int) -> None:
    assert key_run(parsed(count)) is None


def test_longer_keys_are_left_to_keys() -> None:
    assert key_run(parsed(10, 63)) is not None
    assert key_run(parsed(10, 64)) is None


@given(st.lists(runs, min_size=1, max_size=3), st.sampled_from([Codec.NONE, Codec.GZIP]), st.integers(1, 2))
def test_the_keys_are_those_of_the_records(
    rows: list[tuple[int | None, int | None, int, int]], codec: Codec, gap: int
) -> None:
    records: list[Record] = []
    for key, value, count, step in rows:
        for _ in range(count):
            number = len(records)
            texts = [None if size is None else (b"%d:" % number * size)[:size] for size in (key, value)]
            records.append(Record(5 + number * gap, 10**12 + number * step, texts[0], texts[1], []))
    batch = RecordBatch.parse(build_batch(records, compression=Compression(codec)))
    found = key_run(batch)
    if found is not None:
        assert list(enumerate(found, 5)) == [(each.offset, each.key) for each in records]


@given(st.integers(0, 2500), st.integers(1, 255), st.sampled_from([20, 100]))
def test_damaged_records_are_not_keys_of_others(place: int, flip: int, count: int) -> None:
    whole = parsed(count)
    data = bytearray(whole.buffer)
    data[HEADER_SIZE + place % (len(data) - HEADER_SIZE)] ^= flip
    batch = RecordBatch.parse(data)
    found = key_run(batch)
    if found is not None:
        try:
            assert list(enumerate(found)) == list(batch.keys())
        except RecordError:
            pytest.fail("keys refuses these records")


def test_a_known_layout_is_tried_with_the_next_batch_and_another_one_is_found() -> None:
    layouts = KeyRuns()

    def keys(key_bytes: int, value_bytes: int, count: int = 80, delta: int = 0) -> list[bytes] | None:
        made = (Record(n, n * delta, b"%0*d" % (key_bytes, n), b"v" * value_bytes, []) for n in range(count))
        return key_run(RecordBatch.parse(build_batch(list(made))), layouts)

    for key_bytes, value_bytes in ((6, 20), (6, 20), (7, 19), (20, 6), (6, 20)):
        assert keys(key_bytes, value_bytes) == [b"%0*d" % (key_bytes, n) for n in range(80)]
    assert keys(6, 20, 10, 0) == [b"%06d" % n for n in range(10)]
    assert keys(6, 20, 10, 6) == [b"%06d" % n for n in range(10)]
    assert keys(6, 20, 10, 7) == [b"%06d" % n for n in range(10)]
    assert keys(6, 19, 10, -9) is None  # some timestamp deltas take two bytes


@given(st.integers(0, 2500), st.integers(1, 255), st.sampled_from([20, 100]))
def test_a_known_layout_does_not_hide_damage(place: int, flip: int, count: int) -> None:
    whole = parsed(count)
    layouts = KeyRuns()
    assert key_run(whole, layouts) is not None
    data = bytearray(whole.buffer)
    data[HEADER_SIZE + place % (len(data) - HEADER_SIZE)] ^= flip
    batch = RecordBatch.parse(data)
    assert key_run(batch, layouts) == key_run(batch)


def test_a_batch_with_gaps_is_left_to_keys() -> None:
    records = [Record(offset, 1, b"k", b"v", []) for offset in (0, 1, 3, 4)]
    assert key_run(RecordBatch.parse(build_batch(records))) is None
