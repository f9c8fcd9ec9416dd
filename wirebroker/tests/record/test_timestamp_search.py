"""Search by timestamp in one batch: the same answer as reading every record, at every piece boundary."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.record import timestamp_search
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression, decompressed_pieces
from wirebroker.record.errors import DecompressionLimitError, RecordError
from wirebroker.record.record_batch import LOG_APPEND_TIME, Record, RecordBatch
from wirebroker.record.timestamp_search import first_record_at_or_after

if TYPE_CHECKING:
    from collections.abc import Iterator

BASE_OFFSET, NOW = 1000, 1_700_000_000_000
deltas = st.one_of(st.integers(-100, 300), st.integers(-(1 << 20), 1 << 22), st.integers(-NOW, 1 << 45))
records = st.lists(st.tuples(deltas, st.sampled_from([0, 3, 60, 130, 9000, 70_000])), min_size=1, max_size=40)


def batch_of(rows: list[tuple[int, int]], codec: Codec = Codec.NONE) -> RecordBatch:
    made = [Record(BASE_OFFSET + i, NOW + delta, b"k", b"v" * size, []) for i, (delta, size) in enumerate(rows)]
    return RecordBatch.parse(build_batch(made, compression=Compression(codec)))


def expected(batch: RecordBatch, timestamp: int, start_offset: int) -> tuple[int, int] | None:
    for record in batch.records():
        if record.timestamp >= timestamp and record.offset >= start_offset:
            return record.timestamp, record.offset
    return None


@given(records, st.sampled_from(list(Codec)), st.sampled_from([1, 7, 33, 1000, 65536]), st.data())
def test_finds_what_reading_every_record_finds(
    rows: list[tuple[int, int]], codec: Codec, piece_bytes: int, data: st.DataObject
) -> None:
    batch = batch_of(rows, codec)
    delta = data.draw(st.one_of(deltas, st.sampled_from([row[0] for row in rows]).map(lambda each: each + 1), deltas))
    start_offset = data.draw(st.integers(BASE_OFFSET - 1, BASE_OFFSET + len(rows)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timestamp_search, "_PIECE_BYTES", piece_bytes)
        found = first_record_at_or_after(batch, NOW + delta, start_offset)
    assert found == expected(batch, NOW + delta, start_offset)


@pytest.mark.parametrize(("timestamp", "found"), [(NOW + 5, (NOW + 5, BASE_OFFSET + 3)), (NOW + 6, None)])
def test_with_log_append_time_every_record_has_the_batch_s(timestamp: int, found: tuple[int, int] | None) -> None:
    batch = batch_of([(0, 3), (2, 3), (1, 3), (5, 3)])
    batch.attributes |= LOG_APPEND_TIME
    assert batch.max_timestamp == NOW + 5
    assert first_record_at_or_after(batch, timestamp, BASE_OFFSET + 3) == found


def test_stops_decompressing_with_the_piece_that_the_record_is_in(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = []

    def counted(codec: Codec, data: memoryview | bytes, limit_bytes: int, piece_bytes: int) -> Iterator[bytes]:
        for piece in decompressed_pieces(codec, data, limit_bytes, piece_bytes):
            pieces.append(len(piece))
            yield piece

    monkeypatch.setattr(timestamp_search, "decompressed_pieces", counted)
    batch = batch_of([(each, 1000) for each in range(1000)], Codec.ZSTD)
    assert first_record_at_or_after(batch, NOW + 100, 0) == (NOW + 100, BASE_OFFSET + 100)
    assert sum(pieces) < 300_000


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.ZSTD])
@pytest.mark.parametrize("size", [10, 1000, 100_000])
def test_a_search_pauses_between_pieces(codec: Codec, size: int) -> None:
    count = 2_000_000 // size if size < 100_000 else 20
    batch = batch_of([(each, size) for each in range(count)], codec)
    for wanted in range(0, count, count // 7):
        pauses: list[None] = []
        found = first_record_at_or_after(batch, NOW + wanted, 0, pause=partial(pauses.append, None))
        assert found == (NOW + wanted, BASE_OFFSET + wanted)
        assert abs(len(pauses) - wanted * size / (64 << 10)) <= 1 + wanted * 20 / (64 << 10)


def test_more_than_the_limit_is_refused_when_it_is_reached() -> None:
    batch = batch_of([(each, 1000) for each in range(1000)], Codec.ZSTD)
    assert first_record_at_or_after(batch, NOW + 100, 0, 300_000) is not None
    with pytest.raises(DecompressionLimitError):
        first_record_at_or_after(batch, NOW + 900, 0, 300_000)


@pytest.mark.parametrize("count", [1, 2, 4, 5])
def test_a_record_count_that_is_wrong(count: int) -> None:
    batch = batch_of([(0, 3), (1, 3), (2, 3)])
    batch.record_count = count
    with pytest.raises(RecordError):
        first_record_at_or_after(batch, NOW + 10, 0)


@pytest.mark.parametrize("length", [0x01, 0x02, 0x7E])
def test_a_record_length_that_cannot_be(length: int) -> None:
    data = bytearray(batch_of([(0, 3), (1, 3), (2, 3)]).buffer)
    data[61] = length
    with pytest.raises(RecordError):
        first_record_at_or_after(RecordBatch.parse(data), NOW + 10, 0)
