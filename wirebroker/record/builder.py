"""Write record batches (message format v2; the layout is drawn in ``record_batch.py``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.record.compression import Codec, compress
from wirebroker.record.crc32c import crc32c
from wirebroker.record.record_batch import (
    ATTRIBUTES_AT,
    CONTROL,
    CRC_AT,
    HEADER,
    HEADER_SIZE,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    NO_TIMESTAMP,
    TRANSACTIONAL,
    Record,
    TimestampType,
)
from wirebroker.record.varint import encode_varint

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NULL = encode_varint(-1)


def build_batch(
    records: Iterable[Record],
    *,
    base_offset: int | None = None,
    last_offset: int | None = None,
    codec: Codec = Codec.NONE,
    level: int | None = None,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    transactional: bool = False,
    control: bool = False,
    leader_epoch: int = -1,
    timestamp_type: TimestampType = TimestampType.CREATE_TIME,
    append_time_ms: int = NO_TIMESTAMP,
) -> bytes:
    """Build one batch.  Gaps between the records' offsets are kept (compaction leaves some).

    Args:
        records: in offset order; at least one, unless base_offset and last_offset say what the batch stands for.
        base_offset: where the batch starts; the first record's offset if not given.
        last_offset: where it ends; the last record's offset if not given.
        level: the codec's level, None for its usual one.
        append_time_ms: with LOG_APPEND_TIME the time of every record; their own timestamps stay in the deltas.
    """
    records = list(records)
    if base_offset is None:
        base_offset = records[0].offset
    if last_offset is None:
        last_offset = records[-1].offset
    base_timestamp = records[0].timestamp if records else NO_TIMESTAMP
    area: bytes | bytearray = encode_records(records, base_offset, base_timestamp)
    if codec is not Codec.NONE:
        area = compress(codec, bytes(area), level)
    if timestamp_type is TimestampType.LOG_APPEND_TIME:
        max_timestamp = append_time_ms
    else:
        max_timestamp = max((record.timestamp for record in records), default=NO_TIMESTAMP)
    attributes = int(codec)
    if timestamp_type is TimestampType.LOG_APPEND_TIME:
        attributes |= LOG_APPEND_TIME
    if transactional:
        attributes |= TRANSACTIONAL
    if control:
        attributes |= CONTROL
    header = bytearray(
        HEADER.pack(
            base_offset,
            HEADER_SIZE - LOG_OVERHEAD + len(area),
            leader_epoch,
            2,
            0,
            attributes,
            last_offset - base_offset,
            base_timestamp,
            max_timestamp,
            producer_id,
            producer_epoch,
            base_sequence,
            len(records),
        )
    )
    crc = crc32c(area, crc32c(header[21:]))
    header[17:21] = crc.to_bytes(4, "big")
    return bytes(header + area)


def simple_batch(
    values: Iterable[bytes | tuple[bytes | None, bytes | None] | None],
    *,
    timestamp: int = 0,
    base_offset: int = 0,
    codec: Codec = Codec.NONE,
) -> bytes:
    """A batch of values, or of (key, value) pairs, all with one timestamp: for internal topics' records and tests."""
    records = [
        Record(base_offset + n, timestamp, *(item if isinstance(item, tuple) else (None, item)), headers=[])
        for n, item in enumerate(values)
    ]
    return build_batch(records, base_offset=base_offset, codec=codec)


def build_keyed_batch(
    pairs: Iterable[tuple[bytes, bytes | None]], timestamp_ms: int, producer_id: int = -1, producer_epoch: int = -1
) -> bytearray:
    """What `simple_batch` builds of (key, value) pairs, writable, at a third of the cost: for coordinators.

    With a producer it is part of that one's transaction, and begins with sequence 0, as Kafka's coordinators write it.
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
    length = len(out) - LOG_OVERHEAD
    attributes, sequence = (0, -1) if producer_id < 0 else (TRANSACTIONAL, 0)
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
    """The record area before compression."""
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
