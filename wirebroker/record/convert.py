"""Conversion of records: up to format 2 on append, down to format 1 or 0 for old clients and topics.

Down-conversion loses headers, producer ids, transactions and leader epochs, to format 0 timestamps, too.  Up-converted
messages of format 0 have timestamp -1.  The codec stays, except zstd, which the old formats lack.
"""

from __future__ import annotations

import zlib
from struct import Struct
from typing import TYPE_CHECKING

from wirebroker.record.compression import Codec, Compression
from wirebroker.record.errors import RecordError
from wirebroker.record.legacy import LENGTH, wrap
from wirebroker.record.legacy_encoder import LegacyEncoder
from wirebroker.record.record_batch import LOG_APPEND_TIME, NO_TIMESTAMP, RecordBatch, read_record
from wirebroker.record.record_scan import step_over

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wirebroker.record.legacy import AnyBatch
    from wirebroker.record.record_batch import Record

_HEAD = Struct(">qiI")  # offset, size, crc
_BODY = (Struct(">bbi"), Struct(">bbqi"))  # magic, attributes, in format 1 timestamp, key length
_NULL = LENGTH.pack(-1)


class NotConvertibleError(Exception):
    """Formats 0 and 1 do not have the codec of the batch."""


def encode_set(records: Iterable[Record], magic: int, append_time_ms: int | None = None) -> list[bytes]:
    """Encode *records* in format 0 or 1; return two pieces for each message (the first ends with its checksum).

    *append_time_ms*, if not None, takes the place of all timestamps.
    """
    out: list[bytes] = []
    add, pack_head, pack_body, pack_length, crc32 = out.append, _HEAD.pack, _BODY[magic].pack, LENGTH.pack, zlib.crc32
    attributes = 0 if append_time_ms is None else LOG_APPEND_TIME
    for offset, timestamp, key, value, _ in records:
        key_bytes = -1 if key is None else len(key)
        if not magic:
            start = pack_body(0, 0, key_bytes)
        else:
            start = pack_body(1, attributes, timestamp if append_time_ms is None else append_time_ms, key_bytes)
        body = start + (key or b"") + (_NULL if value is None else pack_length(len(value)) + value)
        add(pack_head(offset, len(body) + 4, crc32(body)))
        add(body)
    return out


def down_convert(batch: AnyBatch, magic: int, first_offset: int = 0) -> bytes:
    """Return *batch* in format *magic*, which is below its own; no bytes if no record is left.

    Without a codec, records below *first_offset* are left out.  With one they come along, as readers work out a
    wrapper's base offset from all that it holds.

    Raises NotConvertibleError for zstd, RecordError for records that cannot be read.
    """
    codec = batch.codec
    if codec is Codec.ZSTD:
        raise NotConvertibleError("zstd")
    append_time_ms = batch.max_timestamp if batch.attributes & LOG_APPEND_TIME and batch.magic else None
    if isinstance(batch, RecordBatch):
        return _from_batch(batch, magic, codec, first_offset, append_time_ms)
    records = list(batch.records())
    if codec is not Codec.NONE:
        return wrapped(records, magic, Compression(codec), append_time_ms)
    if records[0].offset < first_offset:
        return b""
    return b"".join(encode_set(records, magic, append_time_ms))


def _from_batch(batch: RecordBatch, magic: int, codec: Codec, first_offset: int, append_time_ms: int | None) -> bytes:
    """Return a batch of format 2 in format *magic*."""
    count = batch.record_count
    if not count:  # left behind by compaction
        return b""
    data, at, start = bytes(batch.uncompressed()), 0, batch.base_offset
    if codec is Codec.NONE and start < first_offset:
        at, count = _skip(batch, data, first_offset)
        if not count:
            return b""
    elif codec is not Codec.NONE and magic:
        start = -read_record(data, 0, 0, 0, None)[0].offset  # relative offsets count from the first record
    encoder = LegacyEncoder(magic, start, batch.base_timestamp, append_time_ms)
    encoder.encode(data, at, count)
    converted = b"".join(encoder.pieces)
    if codec is Codec.NONE:
        return converted
    return wrap(
        converted,
        magic,
        Compression(codec),
        batch.base_offset + encoder.last_offset - start,
        timestamp=encoder.max_timestamp,
        log_append_time=append_time_ms is not None,
    )


def _skip(batch: RecordBatch, data: bytes, first_offset: int) -> tuple[int, int]:
    """Return (position, number of records left) behind the records below *first_offset*."""
    count = batch.record_count
    if batch.last_offset_delta == count - 1:
        skipped = min(first_offset - batch.base_offset, count)
        try:
            return step_over(data, 0, skipped), count - skipped
        except IndexError:
            raise RecordError("records run past the end of the batch") from None
    at = 0
    while count:  # with gaps, as compaction leaves them
        record, after = read_record(data, at, batch.base_offset, 0, None)
        if record.offset >= first_offset:
            break
        at = after
        count -= 1
    return at, count


def wrapped(
    records: Sequence[Record], magic: int, compression: Compression, append_time_ms: int | None = None
) -> bytes:
    """Return one wrapper around *records*, at least one, which keep their offsets."""
    last_offset, timestamp = records[-1].offset, NO_TIMESTAMP
    if magic:
        timestamp = max(record.timestamp for record in records) if append_time_ms is None else append_time_ms
        base_offset = records[0].offset
        records = [record._replace(offset=record.offset - base_offset) for record in records]
    inside = b"".join(encode_set(records, magic, append_time_ms))
    append_time = append_time_ms is not None
    return wrap(inside, magic, compression, last_offset, timestamp=timestamp, log_append_time=append_time)
