"""Bytes of Apache Kafka 3.9.1: we read them as it does, and write the same where no compressor has a say."""

from __future__ import annotations

import pytest

from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.control import EndTxnMarker, build_marker, read_marker
from wirebroker.record.crc32c import crc32c
from wirebroker.record.record_batch import BatchProducer, Record, RecordBatch, TimestampType, stamp
from wirebroker.record.validate import AppendRules, check_batch
from wirebroker.tests.record.golden import (
    ABORT_MARKER,
    APPEND_TIME,
    COMMIT_MARKER,
    JAVA,
    JAVA_PLAIN,
    JAVA_TIMES,
    java_records,
)
from wirebroker.tests.record.produce_cases import patched


@pytest.mark.parametrize("codec", JAVA)
def test_java_batches_are_read(codec: str) -> None:
    batch = RecordBatch.parse(JAVA[codec])
    assert batch.is_valid()
    assert batch.codec.name.lower() == codec
    assert list(batch.records()) == java_records(codec)
    assert batch.max_timestamp == max(JAVA_TIMES[codec])


@pytest.mark.parametrize("codec", JAVA)
def test_java_batches_are_accepted_unchanged(codec: str) -> None:
    data = bytearray(JAVA[codec])
    batch = check_batch(memoryview(data), AppendRules(), now_ms=0)
    stamp(batch, 0, 0)
    assert data == JAVA[codec]


def test_the_plain_batch_is_written_byte_for_byte() -> None:
    batch = RecordBatch.parse(JAVA_PLAIN)
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence, batch.last_sequence) == (1000, 0, 0, 0)
    built = build_batch(list(batch.records()), producer=BatchProducer(1000, 0, 0))
    assert patched(built, partition_leader_epoch=0) == JAVA_PLAIN


def test_append_time_replaces_the_records_own() -> None:
    batch = RecordBatch.parse(APPEND_TIME)
    assert batch.is_valid()
    assert batch.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert list(batch.records()) == [
        Record(0, 1795260382675, None, b"a", []),
        Record(1, 1795260382675, None, b"\xff\x00bin", []),
    ]


def test_we_set_the_append_time_as_kafka_did() -> None:
    sent = bytearray(APPEND_TIME)
    sent[21:23] = bytes(2)  # CreateTime, as the producer sent it
    sent[17:21] = crc32c(sent[21:]).to_bytes(4, "big")
    now_ms = RecordBatch.parse(APPEND_TIME).max_timestamp
    batch = check_batch(memoryview(sent), AppendRules(log_append_time=True), now_ms)
    assert batch.max_timestamp == now_ms
    assert sent == APPEND_TIME


@pytest.mark.parametrize(("golden", "committed", "producer_id"), [(COMMIT_MARKER, True, 4), (ABORT_MARKER, False, 3)])
def test_markers(golden: bytes, committed: bool, producer_id: int) -> None:
    batch = RecordBatch.parse(golden)
    assert batch.is_valid()
    assert batch.is_control
    assert batch.is_transactional
    assert read_marker(batch) == EndTxnMarker(committed, 0)
    built = build_marker(
        committed=committed,
        producer_id=producer_id,
        producer_epoch=0,
        coordinator_epoch=0,
        timestamp=batch.base_timestamp,
        base_offset=batch.base_offset,
    )
    assert patched(built, partition_leader_epoch=0) == golden


def test_snappy_is_written_as_java_writes_it() -> None:
    """Two snappy encoders may differ in matches, not in framing."""
    built = build_batch(java_records("snappy"), compression=Compression(Codec.SNAPPY))
    java = JAVA["snappy"]
    assert built[61:77] == java[61:77]
    assert int.from_bytes(built[77:81], "big") == len(built) - 81
