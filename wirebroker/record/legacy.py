"""LegacyBatch and LegacyRecord: messages of formats 0 and 1, which Kafka wrote before 0.11, as views over bytes.

Layout, big-endian (KIP-32 for format 1; KIP-31 for its relative offsets)::

     0 offset i64 | 8 size i32 (bytes after this field) | 12 crc u32 (CRC-32 of byte 16 to the end) | 16 magic i8
    17 attributes i8 | format 1: 18 timestamp i64 | key length i32, key | value length i32, value (length -1 is null)

    attributes: bits 0-2 codec (no zstd), bit 3 LogAppendTime (format 1)

There are no batches: a set is messages back to back.  With a codec, a wrapper takes the place of a batch: its value is
a compressed set, its key null, its offset that of the *last* message inside.  Offsets inside are absolute in format 0;
in format 1 they count from the first one (though some clients count from elsewhere, so only their distance to the last
one is taken), the wrapper's timestamp is the largest one inside, or with LogAppendTime that of every message.
The offset lies outside the checksum.

`LegacyBatch` has the attributes of a RecordBatch, so that readers of logs need not tell them apart.
"""

from __future__ import annotations

import zlib
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.record.compression import Codec, Compression, compress, decompress
from wirebroker.record.errors import IncompleteBatchError, RecordError
from wirebroker.record.lz4_header import with_old_checksum, with_right_checksum
from wirebroker.record.record_batch import (
    CODEC_MASK,
    DECOMPRESS_LIMIT_BYTES,
    LENGTH_AT,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    MAGIC_AT,
    MIN_LENGTH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    Record,
    RecordBatch,
    TimestampType,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

START = Struct(">qiIbb")  # offset, size, crc, magic, attributes
TIMESTAMP = Struct(">q")
LENGTH = Struct(">i")
CRC_AT, ATTRIBUTES_AT, TIMESTAMP_AT = 12, 17, 18
OVERHEAD = (26, 34)  # bytes of a message besides key and value, by format


class LegacyRecord(NamedTuple):
    """One message of a set, in place."""

    offset: int
    magic: int
    attributes: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    at: int
    end: int


class LegacyBatch:
    """One message that is not inside another: a wrapper with all that it holds, or a record on its own."""

    __slots__ = ("attributes", "buffer", "crc", "last_offset", "magic", "max_timestamp", "size_bytes")

    # what these formats do not have
    partition_leader_epoch = -1
    producer_id = NO_PRODUCER_ID
    producer_epoch = -1
    base_sequence = NO_SEQUENCE
    last_sequence = NO_SEQUENCE
    has_producer_id = False
    is_transactional = False
    is_control = False
    delete_horizon_ms = None

    buffer: memoryview
    last_offset: int
    crc: int
    magic: int
    attributes: int
    max_timestamp: int

    def __init__(self, buffer: memoryview | bytes | bytearray, at: int = 0) -> None:
        """Unpack the start of the message at *at* (34 bytes, or all of the smallest, must be there)."""
        self.last_offset, size, self.crc, self.magic, self.attributes = START.unpack_from(buffer, at)
        self.size_bytes: int = size + LOG_OVERHEAD
        self.max_timestamp = TIMESTAMP.unpack_from(buffer, at + TIMESTAMP_AT)[0] if self.magic else NO_TIMESTAMP

    @classmethod
    def parse(cls, buffer: memoryview | bytes | bytearray, at: int = 0) -> LegacyBatch:
        """Return the message that starts at *at*; its checksum is not checked.

        Raises IncompleteBatchError when the buffer ends before the message, RecordError when it cannot be one.
        """
        left = len(buffer) - at
        if left < LOG_OVERHEAD + MIN_LENGTH:
            raise IncompleteBatchError(f"{left} bytes are no message")
        magic = buffer[at + MAGIC_AT]
        size = LENGTH.unpack_from(buffer, at + LENGTH_AT)[0] + LOG_OVERHEAD
        if magic > 1:
            raise RecordError(f"magic {magic}")
        if size < OVERHEAD[magic]:
            raise RecordError(f"a message of {size} bytes")
        if left < size:
            raise IncompleteBatchError(f"{left} bytes of a message of {size}")
        batch = cls(buffer, at)
        batch.buffer = memoryview(buffer)[at : at + size]
        return batch

    def is_valid(self) -> bool:
        """Whether the checksum is right."""
        return zlib.crc32(self.buffer[MAGIC_AT:]) == self.crc

    @property
    def codec(self) -> Codec:
        """The codec of the message.  Raises RecordError for unused numbers."""
        try:
            return Codec(self.attributes & CODEC_MASK)
        except ValueError:
            raise RecordError(f"unknown codec {self.attributes & CODEC_MASK}") from None

    @property
    def timestamp_type(self) -> TimestampType | None:
        """None in format 0, which has no timestamps."""
        if not self.magic:
            return None
        return TimestampType.LOG_APPEND_TIME if self.attributes & LOG_APPEND_TIME else TimestampType.CREATE_TIME

    @property
    def next_offset(self) -> int:
        return self.last_offset + 1

    @property
    def base_offset(self) -> int:
        """The first offset inside.  Decompresses a wrapper."""
        return next(iter(self.inner()))[0] if self.attributes & CODEC_MASK else self.last_offset

    @property
    def record_count(self) -> int:
        """The number of records.  Decompresses a wrapper."""
        return len(self.inner()) if self.attributes & CODEC_MASK else 1

    def outer(self) -> LegacyRecord:
        """Return the message itself: the wrapper, if it is one."""
        return read_legacy_record(bytes(self.buffer), 0, self.size_bytes)

    def inner(self, limit_bytes: int = DECOMPRESS_LIMIT_BYTES) -> list[tuple[int, LegacyRecord]]:
        """Return (absolute offset, message) of each message in a wrapper; never empty.  Raises RecordError."""
        return self._numbered(unwrap(self.outer(), self.codec, limit_bytes))

    def _numbered(self, data: bytes) -> list[tuple[int, LegacyRecord]]:
        found = list(legacy_records(data))
        if not found:
            raise RecordError("a wrapper without messages")
        if not self.magic:
            return [(each.offset, each) for each in found]
        base = 0
        if self.last_offset:  # from some clients the wrapper comes with 0
            base = self.last_offset - found[-1].offset
            if base < 0:
                raise RecordError(f"wrapper offset {self.last_offset} below {found[-1].offset} inside")
        return [(base + each.offset, each) for each in found]

    def records(self, limit_bytes: int = DECOMPRESS_LIMIT_BYTES) -> Iterator[Record]:
        """Yield every record with its absolute offset.  Raises RecordError."""
        if not self.attributes & CODEC_MASK:
            outer = self.outer()
            yield Record(outer.offset, outer.timestamp, outer.key, outer.value, [])
            return
        for offset, each in self.inner(limit_bytes):
            yield self._record(offset, each)

    def _record(self, offset: int, message: LegacyRecord) -> Record:
        if message.attributes & CODEC_MASK:
            raise RecordError("a compressed message inside a compressed one")
        timestamp = message.timestamp
        if message.magic and self.magic and self.attributes & LOG_APPEND_TIME:
            timestamp = self.max_timestamp
        return Record(offset, timestamp, message.key, message.value, [])

    def checked_records(self) -> Iterator[tuple[Record, int, bool]]:
        """Yield every record with its own checksum, and whether that is right; `records` checks none."""
        if not self.attributes & CODEC_MASK:
            for record in self.records():
                yield record, self.crc, self.is_valid()
            return
        data = unwrap(self.outer(), self.codec, DECOMPRESS_LIMIT_BYTES)
        for offset, each in self._numbered(data):
            crc = int.from_bytes(data[each.at + CRC_AT : each.at + MAGIC_AT], "big")
            yield self._record(offset, each), crc, is_valid(data, each)

    def keyed_records(
        self, limit_bytes: int = DECOMPRESS_LIMIT_BYTES
    ) -> Iterator[tuple[int, bytes | None, bytes | None]]:
        """Yield (offset, key, value) of every record."""
        for record in self.records(limit_bytes):
            yield record.offset, record.key, record.value

    def keys(self, limit_bytes: int = DECOMPRESS_LIMIT_BYTES) -> Iterator[tuple[int, bytes | None]]:
        """Yield (offset, key) of every record."""
        for record in self.records(limit_bytes):
            yield record.offset, record.key

    def __repr__(self) -> str:
        return f"<LegacyBatch ..{self.last_offset} magic={self.magic} attributes={self.attributes:#x}>"


AnyBatch = RecordBatch | LegacyBatch


def parse_any(buffer: memoryview | bytes | bytearray, at: int = 0) -> AnyBatch:
    """Return the batch at *at*, of any format.  Raises RecordError, IncompleteBatchError."""
    if len(buffer) - at > MAGIC_AT and buffer[at + MAGIC_AT] < 2:
        return LegacyBatch.parse(buffer, at)
    return RecordBatch.parse(buffer, at)


def any_batches(buffer: memoryview | bytes | bytearray) -> Iterator[AnyBatch]:
    """Yield every whole batch, of any format, without one that is cut off at the end.  Raises RecordError."""
    view = memoryview(buffer)
    at, end = 0, len(view)
    while at < end:
        try:
            batch = parse_any(view, at)
        except IncompleteBatchError:
            return
        yield batch
        at += batch.size_bytes


# -- messages of a set


def read_legacy_record(data: bytes, at: int, end: int) -> LegacyRecord:
    """Return the message at *at*, which must be whole before *end*; its checksum is not checked."""
    if end - at < LOG_OVERHEAD + MIN_LENGTH:
        raise IncompleteBatchError(f"{end - at} bytes are no message")
    offset, size, _, magic, attributes = START.unpack_from(data, at)
    stop = at + LOG_OVERHEAD + size
    if size < MIN_LENGTH or magic not in (0, 1):
        raise RecordError(f"no message begins here (size {size}, magic {magic})")
    if stop > end:
        raise IncompleteBatchError(f"{end - at} bytes of a message of {stop - at}")
    timestamp = NO_TIMESTAMP
    place = at + TIMESTAMP_AT
    if magic:
        if stop - at < OVERHEAD[1]:
            raise RecordError(f"a message of {stop - at} bytes")
        timestamp = TIMESTAMP.unpack_from(data, place)[0]
        place += 8
    (length,) = LENGTH.unpack_from(data, place)
    place += 4
    key = value = None
    if length >= 0:
        key = data[place : place + length]
        place += length
    if place + 4 > stop:
        raise RecordError(f"a key of {length} bytes in a message of {stop - at}")
    (length,) = LENGTH.unpack_from(data, place)
    place += 4
    if length >= 0:
        value = data[place : place + length]
        place += length
    if place != stop:
        raise RecordError(f"a message of {stop - at} bytes whose fields take {place - at}")
    return LegacyRecord(offset, magic, attributes, timestamp, key, value, at, stop)


def legacy_records(data: bytes) -> Iterator[LegacyRecord]:
    """Yield every message of a set.  Raises RecordError, IncompleteBatchError if the last one is cut off."""
    at, end = 0, len(data)
    while at < end:
        message = read_legacy_record(data, at, end)
        yield message
        at = message.end


def is_valid(data: bytes, message: LegacyRecord) -> bool:
    """Whether the checksum of *message* in *data* is right."""
    return zlib.crc32(data[message.at + MAGIC_AT : message.end]) == int.from_bytes(
        data[message.at + CRC_AT : message.at + MAGIC_AT], "big"
    )


def unwrap(wrapper: LegacyRecord, codec: Codec, limit_bytes: int) -> bytes:
    """Return the set inside a wrapper.  Raises RecordError, DecompressionLimitError."""
    if codec is Codec.ZSTD:
        raise RecordError("zstd in a message of the old formats")
    packed = wrapper.value
    if packed is None:
        raise RecordError("a wrapper without a value")
    if codec is Codec.LZ4 and not wrapper.magic:
        packed = with_right_checksum(packed)
    return decompress(codec, packed, limit_bytes)


def wrap(
    set_bytes: bytes,
    magic: int,
    compression: Compression,
    last_offset: int,
    *,
    timestamp: int = NO_TIMESTAMP,
    log_append_time: bool = False,
) -> bytes:
    """Return a wrapper around a set; *timestamp* and *log_append_time* are ignored in format 0."""
    packed = compress(compression.codec, set_bytes, compression.level)
    if compression.codec is Codec.LZ4 and not magic:
        packed = with_old_checksum(packed)
    attributes = compression.codec | (LOG_APPEND_TIME if log_append_time and magic else 0)
    return build_legacy_record(last_offset, magic, None, packed, timestamp=timestamp, attributes=attributes)


def build_legacy_record(
    offset: int,
    magic: int,
    key: bytes | None,
    value: bytes | None,
    *,
    timestamp: int = NO_TIMESTAMP,
    attributes: int = 0,
) -> bytes:
    """Build one message."""
    body = bytearray((magic, attributes))
    if magic:
        body += TIMESTAMP.pack(timestamp)
    for part in (key, value):
        if part is None:
            body += b"\xff\xff\xff\xff"
        else:
            body += LENGTH.pack(len(part))
            body += part
    return _HEAD.pack(offset, len(body) + 4, zlib.crc32(body)) + body


_HEAD = Struct(">qiI")
