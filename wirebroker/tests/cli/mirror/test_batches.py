"""Batches of the source as batches for the destination."""

from __future__ import annotations

import pytest

from wirebroker.cli.mirror.batches import AbortedTransactions, mirrored, next_sequence, stamp
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.record_batch import CONTROL, TRANSACTIONAL, BatchProducer, Record, RecordBatch, batches

NONE = AbortedTransactions(())


def records(*offsets: int) -> list[Record]:
    return [Record(offset, 1000 + offset, b"k%d" % offset, b"v" * offset, [(b"h", None)]) for offset in offsets]


def parsed(*data: bytes) -> list[RecordBatch]:
    return list(batches(b"".join(data)))


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.ZSTD])
def test_the_record_area_stays_as_it_is(codec: Codec) -> None:
    producer = BatchProducer(7, 3, 40)
    data = build_batch(records(5, 6, 7), compression=Compression(codec), producer=producer, attributes=TRANSACTIONAL)
    (batch,) = mirrored(parsed(data), 0, NONE)
    assert (batch.source_offsets, batch.next_offset) == (range(5, 8), 8)
    stamp(batch.data, 99, 1, 12)
    copy = RecordBatch.parse(batch.data)
    assert copy.is_valid()
    assert bytes(copy.buffer[61:]) == data[61:]
    assert (copy.producer_id, copy.producer_epoch, copy.base_sequence) == (99, 1, 12)
    assert (copy.base_offset, copy.partition_leader_epoch, copy.is_transactional) == (0, -1, False)
    assert [record[1:] for record in copy.records()] == [record[1:] for record in records(5, 6, 7)]


def test_gaps_are_closed() -> None:
    (batch,) = mirrored(parsed(build_batch(records(5, 7, 9))), 0, NONE)
    assert batch.source_offsets == (5, 7, 9)
    stamp(batch.data, 1, 0, 0)
    copy = RecordBatch.parse(batch.data)
    assert copy.is_valid()
    assert [record[0] for record in copy.records()] == [0, 1, 2]
    assert [record[1:] for record in copy.records()] == [record[1:] for record in records(5, 7, 9)]


def test_log_append_time_becomes_the_timestamp_of_the_records() -> None:
    (batch,) = mirrored(parsed(build_batch(records(0, 1), append_time_ms=777)), 0, NONE)
    copy = RecordBatch.parse(batch.data)
    assert [record.timestamp for record in copy.records()] == [777, 777]
    assert copy.timestamp_type.name == "CREATE_TIME"


def test_a_batch_in_which_the_position_is() -> None:
    data = parsed(build_batch(records(0, 1)), build_batch(records(2, 3, 4)))
    (batch,) = mirrored(data, 3, NONE)
    assert batch.source_offsets == (3, 4)


def test_control_batches_and_aborted_transactions_are_left_out() -> None:
    def of(producer_id: int, *offsets: int, attributes: int = TRANSACTIONAL) -> bytes:
        return build_batch(records(*offsets), producer=BatchProducer(producer_id, 0, 0), attributes=attributes)

    marker = TRANSACTIONAL | CONTROL
    data = parsed(of(1, 0), of(2, 1), of(1, 2, attributes=marker), of(1, 3), of(2, 4, attributes=marker))
    found = mirrored(data, 0, AbortedTransactions([(0, 1)]))
    assert [batch.source_offsets for batch in found] == [range(1, 2), range(3, 4)]


def test_an_empty_batch_that_compaction_left() -> None:
    assert list(mirrored(parsed(build_batch([], offsets=(3, 8))), 0, NONE)) == []


def test_next_sequence() -> None:
    assert next_sequence(5, 3) == 8
    assert next_sequence((1 << 31) - 2, 3) == 1
