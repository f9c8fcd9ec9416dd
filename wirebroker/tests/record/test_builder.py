"""Builder and reader are each other's inverse, for all codecs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.record.builder import build_batch, simple_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.errors import DecompressionLimitError, IncompleteBatchError, RecordError
from wirebroker.record.record_batch import (
    HEADER_SIZE,
    TRANSACTIONAL,
    BatchProducer,
    Record,
    RecordBatch,
    TimestampType,
    batches,
)

maybe_bytes = st.none() | st.binary(max_size=100)
records = st.lists(
    st.builds(
        Record,
        offset=st.just(0),
        timestamp=st.integers(-(1 << 61), 1 << 61),
        key=maybe_bytes,
        value=maybe_bytes,
        headers=st.lists(st.tuples(st.binary(max_size=20), maybe_bytes), max_size=3),
    ),
    min_size=1,
    max_size=40,
)


@given(records, st.sampled_from(Codec), st.integers(0, 1 << 62), st.data())
def test_round_trip(written: list[Record], codec: Codec, base_offset: int, draw: st.DataObject) -> None:
    gaps = draw.draw(st.lists(st.integers(1, 3), min_size=len(written), max_size=len(written)))
    offset = base_offset - gaps[0]
    placed = []
    for item, gap in zip(written, gaps, strict=True):
        offset += gap
        placed.append(item._replace(offset=offset))
    data = build_batch(
        placed, compression=Compression(codec), producer=BatchProducer(7, 3, 11), attributes=TRANSACTIONAL
    )
    batch = RecordBatch.parse(b"..." + data + b"...", 3)
    assert batch.is_valid()
    assert list(batch.records()) == placed
    assert bytes(batch.buffer) == data
    assert (batch.base_offset, batch.last_offset, batch.next_offset) == (base_offset, offset, offset + 1)
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (7, 3, 11)
    assert batch.last_sequence == 11 + offset - base_offset
    assert batch.partition_leader_epoch == -1
    assert batch.record_count == len(placed)
    assert batch.is_transactional
    assert not batch.is_control
    assert batch.codec is codec
    assert batch.base_timestamp == placed[0].timestamp
    assert batch.max_timestamp == max(r.timestamp for r in placed)


def test_append_time() -> None:
    data = build_batch([Record(0, 5, None, b"a", [])], append_time_ms=99)
    batch = RecordBatch.parse(data)
    assert batch.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert batch.max_timestamp == 99
    assert [r.timestamp for r in batch.records()] == [99]


def test_empty_batch_keeps_its_offsets() -> None:
    """Compaction leaves such a header behind, for the producer's last sequence."""
    data = build_batch([], producer=BatchProducer(1, 0, 3), offsets=(10, 14))
    batch = RecordBatch.parse(data)
    assert len(data) == HEADER_SIZE
    assert list(batch.records()) == []
    assert (batch.next_offset, batch.last_sequence) == (15, 7)
    assert batch.is_valid()


def test_simple_batch() -> None:
    batch = RecordBatch.parse(simple_batch([b"a", None, (b"k", b"v")], timestamp=7, base_offset=3))
    assert list(batch.records()) == [
        Record(3, 7, None, b"a", []),
        Record(4, 7, None, None, []),
        Record(5, 7, b"k", b"v", []),
    ]


def test_sequences_wrap() -> None:
    records = [Record(n, 0, None, b"", []) for n in range(5)]
    batch = RecordBatch.parse(build_batch(records, producer=BatchProducer(1, 0, (1 << 31) - 3)))
    assert batch.last_sequence == 1


def test_batches_leave_out_what_is_cut_off() -> None:
    one, two = simple_batch([b"a"]), simple_batch([b"b"], base_offset=1)
    assert [b.base_offset for b in batches(one + two)] == [0, 1]
    for cut in range(len(one), len(one + two)):
        assert [b.base_offset for b in batches((one + two)[:cut])] == [0]
    assert list(batches(b"")) == []


def test_batches_stop_at_nonsense() -> None:
    found = batches(simple_batch([b"a"]) + bytes(100))
    assert next(found).base_offset == 0
    with pytest.raises(RecordError):
        next(found)


@pytest.mark.parametrize("cut", [0, 11, 16, 60, 61, 70])
def test_incomplete(cut: int) -> None:
    data = simple_batch([b"some value"])
    assert cut < len(data)
    with pytest.raises(IncompleteBatchError):
        RecordBatch.parse(data[:cut])


def test_limit_of_the_reader() -> None:
    batch = RecordBatch.parse(simple_batch([bytes(1000)] * 100, codec=Codec.ZSTD))
    assert len(list(batch.records(1 << 20))) == 100
    with pytest.raises(DecompressionLimitError):
        list(batch.records(1000))


def test_unused_codec_numbers() -> None:
    data = bytearray(simple_batch([b"a"]))
    data[22] = 5
    batch = RecordBatch.parse(data)
    with pytest.raises(RecordError):
        batch.codec  # noqa: B018
    with pytest.raises(RecordError):
        list(batch.records())


def test_damage_in_a_record_is_found_when_reading() -> None:
    data = bytearray(simple_batch([b"abc", b"def"]))
    data[61] += 2
    with pytest.raises(RecordError):
        list(RecordBatch.parse(data).records())


def test_repr_names_what_matters() -> None:
    assert "5..6" in repr(RecordBatch.parse(simple_batch([b"a", b"b"], base_offset=5)))
