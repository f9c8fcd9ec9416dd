"""Build record batches (message format 2; the layout is drawn in ``record_batch.py``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.record.compression import NO_COMPRESSION, Codec, Compression, compress
from wirebroker.record.crc32c import crc32c
from wirebroker.record.record_batch import (
    ATTRIBUTES_AT,
    CRC_AT,
    HEADER,
    HEADER_SIZE,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    NO_PRODUCER,
    NO_TIMESTAMP,
    TRANSACTIONAL,
    BatchProducer,
    Record,
)
from wirebroker.record.varint import encode_varint

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NULL = encode_varint(-1)


def build_batch(
    records: Iterable[Record],
    *,
    compression: Compression = NO_COMPRESSION,
    producer: BatchProducer = NO_PRODUCER,
    attributes: int = 0,
    append_time_ms: int | None = None,
    offsets: tuple[int, int] | None = None,
) -> bytes:
    """Build one batch.  Gaps between the records' offsets are kept (compaction leaves some).

    Args:
        records: In offset order; at least one, unless *offsets* are given.
        compression: The codec of the record area, and its level.
        producer: The fields of an idempotent or transactional producer.
        attributes: TRANSACTIONAL and CONTROL, where they apply.
        append_time_ms: With LogAppendTime the time of every record; their own timestamps stay in the deltas.
        offsets: The base offset and the last offset of the batch, if they are not those of the records.
    """
    records = list(records)
    base_offset, last_offset = offsets or (records[0].offset, records[-1].offset)
    base_timestamp = records[0].timestamp if records else NO_TIMESTAMP
    area: bytes | bytearray = encode_records(records, base_offset, base_timestamp)
    if compression.codec is not Codec.NONE:
        area = compress(compression.codec, bytes(area), compression.level)
    attributes |= compression.codec
    if append_time_ms is None:
        max_timestamp = max((record.timestamp for record in records), default=NO_TIMESTAMP)
    else:
        max_timestamp = append_time_ms
        attributes |= LOG_APPEND_TIME
    header = bytearray(
        HEADER.pack(
            base_offset,
            HEADER_SIZE - LOG_OVERHEAD + len(area),
            -1,
            2,
            0,
            attributes,
            last_offset - base_offset,
            base_timestamp,
            max_timestamp,
            *producer,
            len(records),
        )
    )
    crc = crc32c(area, crc32c(header[ATTRIBUTES_AT:]))
    header[CRC_AT:ATTRIBUTES_AT] = crc.to_bytes(4, "big")
    return bytes(header + area)


def simple_batch(
    values: Iterable[bytes | tuple[bytes | None, bytes | None] | None],
    *,
    timestamp: int = 0,
    base_offset: int = 0,
    codec: Codec = Codec.NONE,
) -> bytes:
    """Build a batch of values, or of (key, value) pairs, all with one timestamp: for internal topics and tests."""
    records = [
        Record(base_offset + n, timestamp, *(item if isinstance(item, tuple) else (None, item)), headers=[])
        for n, item in enumerate(values)
    ]
    return build_batch(records, compression=Compression(codec))


def build_keyed_batch(
    pairs: Iterable[tuple[bytes, bytes | None]],
    timestamp_ms: int,
    producer_id: int = -1,
    producer_epoch: int = -1,
    *,
    codec: Codec = Codec.NONE,
) -> bytearray:
    """The batch of (key, value) pairs that `simple_batch` builds, writable, at a third of the cost: for coordinators.

    With a producer id the batch is transactional, and begins with sequence 0, as Kafka's coordinators write it.
    """
    out = bytearray(HEADER_SIZE)
    count = 0
    for key, value in pairs:
        # attributes and timestamp delta are 0, there are no headers
        fields = b"\0\0" + encode_varint(count) + encode_varint(len(key)) + key
        fields += NULL if value is None else encode_varint(len(value)) + value
        out += encode_varint(len(fields) + 1)
        out += fields
        out.append(0)
        count += 1
    attributes, sequence = (0, -1) if producer_id < 0 else (TRANSACTIONAL, 0)
    if codec is not Codec.NONE:
        out[HEADER_SIZE:] = compress(codec, bytes(out[HEADER_SIZE:]))
        attributes |= codec
    length = len(out) - LOG_OVERHEAD
    HEADER.pack_into(
        out,
        0,
        0,
        length,
        -1,
        2,
        0,
        attributes,
        count - 1,
        timestamp_ms,
        timestamp_ms,
        producer_id,
        producer_epoch,
        sequence,
        count,
    )
    with memoryview(out) as view:
        crc = crc32c(view[ATTRIBUTES_AT:])
    out[CRC_AT:ATTRIBUTES_AT] = crc.to_bytes(4, "big")
    return out


def encode_records(records: Sequence[Record], base_offset: int, base_timestamp: int) -> bytearray:
    """Return the record area before compression."""
    out = bytearray()
    for record in records:
        body = bytearray(1)  # record attributes: no bit has a meaning yet
        body += encode_varint(record.timestamp - base_timestamp)
        body += encode_varint(record.offset - base_offset)
        _put_bytes(body, record.key)
        _put_bytes(body, record.value)
        body += encode_varint(len(record.headers))
        for name, value in record.headers:
            _put_bytes(body, name)
            _put_bytes(body, value)
        out += encode_varint(len(body))
        out += body
    return out


def _put_bytes(out: bytearray, value: bytes | None) -> None:
    if value is None:
        out += NULL
    else:
        out += encode_varint(len(value))
        out += value
