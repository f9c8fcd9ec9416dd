"""Keys and values in one go, as coordinators write and replay them: the same bytes and records as the general way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.record.builder import build_batch, build_keyed_batch, simple_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.errors import RecordError
from wirebroker.record.record_batch import HEADER_SIZE, Record, RecordBatch

blobs = st.one_of(st.binary(max_size=3), st.integers(0, 300).map(lambda size: b"x" * size))
maybe = st.none() | blobs


@given(st.lists(st.tuples(blobs, maybe), min_size=1, max_size=80), st.integers(0, 2**45), st.sampled_from(Codec))
def test_a_keyed_batch_has_the_bytes_of_a_simple_one(
    pairs: list[tuple[bytes, bytes | None]], at_ms: int, codec: Codec
) -> None:
    assert bytes(build_keyed_batch(pairs, at_ms, codec=codec)) == simple_batch(pairs, timestamp=at_ms, codec=codec)


@given(
    st.lists(st.tuples(maybe, maybe, st.integers(0, 2**40), st.booleans()), min_size=1, max_size=80),
    st.sampled_from([Codec.NONE, Codec.GZIP]),
)
def test_keyed_records_are_the_records_without_the_rest(
    rows: list[tuple[bytes | None, bytes | None, int, bool]], codec: Codec
) -> None:
    records = [
        Record(7 + 3 * n, time_ms, key, value, [(b"h", None)] if headed else [])
        for n, (key, value, time_ms, headed) in enumerate(rows)
    ]
    batch = RecordBatch.parse(build_batch(records, compression=Compression(codec)))
    assert list(batch.keyed_records()) == [(each.offset, each.key, each.value) for each in batch.records()]
    assert list(batch.keys()) == [(each.offset, each.key) for each in batch.records()]


@pytest.mark.parametrize("at", [HEADER_SIZE, HEADER_SIZE + 4, HEADER_SIZE + 6], ids=["record", "key", "value"])
@pytest.mark.parametrize("byte", [0x7E, 0xFE], ids=["longer than the batch", "more bytes follow"])
def test_lengths_that_do_not_add_up_are_refused(at: int, byte: int) -> None:
    data = build_keyed_batch([(b"k", b"v")], 1)
    data[at] = byte
    with pytest.raises(RecordError):
        list(RecordBatch.parse(data).keyed_records())
    if at != HEADER_SIZE + 6:  # the value's length, which `keys` does not read
        with pytest.raises(RecordError):
            list(RecordBatch.parse(data).keys())


def test_a_batch_that_compaction_emptied_has_none() -> None:
    batch = RecordBatch.parse(build_batch([], offsets=(5, 9)))
    assert [*batch.keyed_records(), *batch.keys()] == []


def test_bytes_after_the_last_record_are_refused() -> None:
    batch = RecordBatch.parse(build_keyed_batch([(b"k", b"v"), (b"l", None)], 1))
    batch.record_count = 1
    for records in (batch.keyed_records(), batch.keys()):
        with pytest.raises(RecordError, match="after the last record"):
            list(records)
