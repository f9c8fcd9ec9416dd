"""RecordBatch: a record batch (message format 2) as a view over bytes.

Layout, big-endian (KIP-98; bit 6 of the attributes KIP-534)::

     0 base_offset i64 | 8 batch_length i32 (bytes after this field) | 12 partition_leader_epoch i32 | 16 magic i8 = 2
    17 crc u32 (CRC-32C of byte 21 to the end) | 21 attributes i16 | 23 last_offset_delta i32 | 27 base_timestamp i64
    35 max_timestamp i64 | 43 producer_id i64 | 51 producer_epoch i16 | 53 base_sequence i32 | 57 record_count i32
    61 records, compressed as a whole if the attributes say so

    attributes: bits 0-2 codec, 3 LogAppendTime, 4 transactional, 5 control, 6 base_timestamp is a delete horizon

    record: length varint | attributes i8 | timestamp delta varlong | offset delta varint | key length varint, key
            | value length varint, value | header count varint | headers (key length, key, value length, value)
            (length -1 is null; everything but the attributes is zig-zag encoded)

A broker sets base_offset and partition_leader_epoch; both lie outside the checksum, so a stamped batch stays valid.
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.record.compression import Codec, decompress
from wirebroker.record.crc32c import crc32c
from wirebroker.record.errors import IncompleteBatchError, RecordError
from wirebroker.record.varint import read_varint, read_varlong

if TYPE_CHECKING:
    from collections.abc import Iterator

# At the same places in all formats; formats 0 and 1 call the first two offset and message size (`legacy.py`).
LENGTH_AT = 8
LOG_OVERHEAD = 12  # offset and length, which the length does not count
MAGIC_AT = 16
MIN_LENGTH = 14  # the length of the smallest message of all: format 0, key and value null

HEADER_SIZE = 61
NO_TIMESTAMP = -1
NO_PRODUCER_ID = -1
NO_SEQUENCE = -1

HEADER = Struct(">qiibIhiqqqhii")
_STAMP = Struct(">qii")  # base offset, batch length (as it was), leader epoch
CRC_AT, ATTRIBUTES_AT, LAST_OFFSET_DELTA_AT, MAX_TIMESTAMP_AT = 17, 21, 23, 35

_CODECS: Final = tuple(map(Codec, range(len(Codec))))  # an index takes a seventh of the time of `Codec(number)`
CODEC_MASK, LOG_APPEND_TIME, TRANSACTIONAL, CONTROL, DELETE_HORIZON = 0x07, 0x08, 0x10, 0x20, 0x40

#: Enough for what producers send in practice; a log's reader may ask for more.
DECOMPRESS_LIMIT_BYTES = 256 << 20


class TimestampType(IntEnum):
    """Whether the timestamps of records are the producer's or the broker's."""

    CREATE_TIME = 0
    LOG_APPEND_TIME = 1


class Record(NamedTuple):
    """One record.  The sequence number of record *n* is the batch's base_sequence + n."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: list[tuple[bytes, bytes | None]]


class BatchProducer(NamedTuple):
    """The producer of a batch, as its header has it (KIP-98)."""

    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = -1
    base_sequence: int = NO_SEQUENCE
    """Of the first record; a transaction marker has none."""


NO_PRODUCER: Final = BatchProducer()


class RecordBatch:
    """The header's fields as plain attributes, and the batch's bytes as *buffer* (exactly size_bytes long)."""

    __slots__ = (
        "attributes",
        "base_offset",
        "base_sequence",
        "base_timestamp",
        "batch_length",
        "buffer",
        "crc",
        "last_offset_delta",
        "magic",
        "max_timestamp",
        "partition_leader_epoch",
        "producer_epoch",
        "producer_id",
        "record_count",
        "size_bytes",
    )

    buffer: memoryview
    base_offset: int
    batch_length: int
    partition_leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int

    def __init__(self, buffer: memoryview | bytes | bytearray, at: int = 0) -> None:
        """Unpack the header at *at* (61 bytes must be there); checks nothing and leaves *buffer* unset."""
        (
            self.base_offset,
            self.batch_length,
            self.partition_leader_epoch,
            self.magic,
            self.crc,
            self.attributes,
            self.last_offset_delta,
            self.base_timestamp,
            self.max_timestamp,
            self.producer_id,
            self.producer_epoch,
            self.base_sequence,
            self.record_count,
        ) = HEADER.unpack_from(buffer, at)
        self.size_bytes = self.batch_length + LOG_OVERHEAD

    @classmethod
    def parse(cls, buffer: memoryview | bytes | bytearray, at: int = 0) -> RecordBatch:
        """Return the batch that starts at *at*.

        Raises IncompleteBatchError when the buffer ends before the batch does, RecordError when the magic or the length
        cannot be right.  The checksum is not checked: see `is_valid`.
        """
        if len(buffer) - at < HEADER_SIZE:
            raise IncompleteBatchError(f"{len(buffer) - at} bytes are no batch header")
        batch = cls(buffer, at)
        if batch.magic != 2:
            raise RecordError(f"magic {batch.magic}")
        size = batch.size_bytes
        if size < HEADER_SIZE:
            raise RecordError(f"batch length {batch.batch_length} is below the header's")
        if len(buffer) - at < size:
            raise IncompleteBatchError(f"{len(buffer) - at} bytes of a batch of {size}")
        batch.buffer = memoryview(buffer)[at : at + size]
        return batch

    @property
    def last_offset(self) -> int:
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        return self.base_offset + self.last_offset_delta + 1

    @property
    def last_sequence(self) -> int:
        """Sequence of the last offset, -1 without a producer id; 2**31-1 is followed by 0."""
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return self.base_sequence + self.last_offset_delta & 0x7FFFFFFF

    @property
    def codec(self) -> Codec:
        """The codec of the record area.  Raises RecordError for the unused numbers 5-7."""
        try:
            return _CODECS[self.attributes & CODEC_MASK]
        except IndexError:
            raise RecordError(f"unknown codec {self.attributes & CODEC_MASK}") from None

    @property
    def is_transactional(self) -> bool:
        return self.attributes & TRANSACTIONAL != 0

    @property
    def is_control(self) -> bool:
        return self.attributes & CONTROL != 0

    @property
    def has_producer_id(self) -> bool:
        return self.producer_id > NO_PRODUCER_ID

    @property
    def timestamp_type(self) -> TimestampType:
        return TimestampType.LOG_APPEND_TIME if self.attributes & LOG_APPEND_TIME else TimestampType.CREATE_TIME

    @property
    def delete_horizon_ms(self) -> int | None:
        """When tombstones and markers of a compacted batch may be removed, kept in the base timestamp."""
        return self.base_timestamp if self.attributes & DELETE_HORIZON else None

    def is_valid(self) -> bool:
        """Whether the checksum is right.  Also guards against a batch cut short on disk and filled with zeros."""
        return bool(crc32c(self.buffer[ATTRIBUTES_AT:]) == self.crc)

    def uncompressed(self, limit_bytes: int = DECOMPRESS_LIMIT_BYTES) -> memoryview | bytes:
        """Return the record area: in place when not compressed, else new bytes, at most *limit_bytes*.

        Raises RecordError for data that the codec cannot read, DecompressionLimitError beyond the limit.
        """
        area = self.buffer[HEADER_SIZE:]
        codec = self.codec
        return area if codec is Codec.NONE else decompress(codec, area, limit_bytes)

    def records(self, limit_bytes: int = DECOMPRESS_LIMIT_BYTES) -> Iterator[Record]:
        """Yield every record.  Raises RecordError if they are not what the header says, and as `uncompressed`."""
        if self.record_count == 0:  # left behind by compaction: the header alone keeps the producer's last sequence
            return
        data = bytes(self.uncompressed(limit_bytes))
        append_time = self.max_timestamp if self.attributes & LOG_APPEND_TIME else None
        at = 0
        for left in range(self.record_count - 1, -1, -1):
            record, at = read_record(data, at, self.base_offset, self.base_timestamp, append_time)
            if left == 0 and at != len(data):
                raise RecordError(f"{len(data) - at} bytes after the last record")
            yield record

    def keyed_records(
        self, limit_bytes: int = DECOMPRESS_LIMIT_BYTES
    ) -> Iterator[tuple[int, bytes | None, bytes | None]]:
        """Yield (offset, key, value) of every record: `records` at a third of the cost, for readers of millions."""
        if self.record_count == 0:
            return
        data = bytes(self.uncompressed(limit_bytes))
        base_offset = self.base_offset
        at = 0
        try:
            for _ in range(self.record_count):
                number = data[at]
                at += 1
                if number & 0x81:  # more than one byte, or negative
                    number, at = _varint_again(data, at)
                end = at + (number >> 1)
                at += 1
                while data[at] > 0x7F:  # the timestamp
                    at += 1
                at += 1
                number = data[at]
                at += 1
                if number & 0x81:
                    number, at = _varint_again(data, at)
                offset = base_offset + (number >> 1)
                number = data[at]
                at += 1
                if number & 0x81:
                    number, at = _varint_again(data, at)
                key = value = None
                if number >= 0:
                    key = data[at : at + (number >> 1)]
                    at += number >> 1
                number = data[at]
                at += 1
                if number & 0x81:
                    number, at = _varint_again(data, at)
                if number >= 0:
                    value = data[at : at + (number >> 1)]
                    at += number >> 1
                if at >= end or end > len(data):
                    raise RecordError(f"a record of {len(data)} bytes of them ends at {end}, its fields at {at}")
                at = end  # past the headers
                yield offset, key, value
        except IndexError:
            raise RecordError("a record runs past the end") from None
        if at != len(data):
            raise RecordError(f"{len(data) - at} bytes after the last record")

    def keys(self, limit_bytes: int = DECOMPRESS_LIMIT_BYTES) -> Iterator[tuple[int, bytes | None]]:
        """Yield (offset, key) of every record, whose values and headers are not looked at."""
        if self.record_count == 0:
            return
        data = bytes(self.uncompressed(limit_bytes))
        base_offset = self.base_offset
        at = 0
        try:
            for _ in range(self.record_count):
                number = data[at]
                if number > 0x7F and (second := data[at + 1]) < 0x80:  # most records have more than 63 bytes
                    at += 2
                    end = at + (second << 6) + ((number & 0x7F) >> 1)
                else:
                    number, at = _varint_again(data, at + 1)
                    end = at + (number >> 1)
                at += 1
                while data[at] > 0x7F:  # the timestamp
                    at += 1
                number = data[at + 1]
                at += 2
                if number & 0x81:  # more than one byte, or negative
                    number, at = _varint_again(data, at)
                offset = base_offset + (number >> 1)
                number = data[at]
                at += 1
                if number & 0x81:
                    number, at = _varint_again(data, at)
                key = None
                if number >= 0:
                    key = data[at : at + (number >> 1)]
                    at += number >> 1
                if at >= end or end > len(data):
                    raise RecordError(f"a record of {len(data)} bytes of them ends at {end}, its key at {at}")
                at = end
                yield offset, key
        except IndexError:
            raise RecordError("a record runs past the end") from None
        if at != len(data):
            raise RecordError(f"{len(data) - at} bytes after the last record")

    def __repr__(self) -> str:
        return (
            f"<RecordBatch {self.base_offset}..{self.last_offset} epoch={self.partition_leader_epoch}"
            f" producer={self.producer_id}/{self.producer_epoch}/{self.base_sequence}"
            f" attributes={self.attributes:#x} size_bytes={self.size_bytes}>"
        )


def stamp(batch: RecordBatch, base_offset: int, leader_epoch: int) -> None:
    """Write the offset and the epoch that the leader gives the batch into its (writable) bytes.

    Neither is covered by the checksum, so nothing else changes.
    """
    batch.base_offset = base_offset
    batch.partition_leader_epoch = leader_epoch
    _STAMP.pack_into(batch.buffer, 0, base_offset, batch.batch_length, leader_epoch)


def batches(buffer: memoryview | bytes | bytearray) -> Iterator[RecordBatch]:
    """Yield every whole batch from the start of *buffer*, without one that is cut off at the end, as consumers do.

    Raises RecordError where the bytes cannot be a batch.
    """
    view = memoryview(buffer)
    at, end = 0, len(view)
    while at < end:
        try:
            batch = RecordBatch.parse(view, at)
        except IncompleteBatchError:
            return
        yield batch
        at += batch.size_bytes


def read_record(
    data: bytes, at: int, base_offset: int, base_timestamp: int, append_time: int | None
) -> tuple[Record, int]:
    """Return the record at *at* and the position after it.  Raises RecordError if its lengths do not add up."""
    try:
        length, at = read_varint(data, at)
        end = at + length
        if length < 0 or end > len(data):
            raise RecordError(f"record length {length} with {len(data) - at} bytes left")
        delta, at = read_varlong(data, at + 1)  # the byte of record attributes has no meaning yet
        offset_delta, at = read_varint(data, at)
        key, at = _read_bytes(data, at, end)
        value, at = _read_bytes(data, at, end)
        count, at = read_varint(data, at)
        if count < 0 or count > end - at:
            raise RecordError(f"{count} headers in {end - at} bytes")
        headers: list[tuple[bytes, bytes | None]] = []
        for _ in range(count):
            name, at = _read_bytes(data, at, end)
            if name is None:
                raise RecordError("a header without a key")
            header_value, at = _read_bytes(data, at, end)
            headers.append((name, header_value))
    except IndexError:
        raise RecordError("a record runs past the end") from None
    if at != end:
        raise RecordError(f"record length says {length}, its fields take {length + at - end}")
    timestamp = base_timestamp + delta if append_time is None else append_time
    return Record(base_offset + offset_delta, timestamp, key, value, headers), at


def _varint_again(data: bytes, at: int) -> tuple[int, int]:
    """Read the varint whose first byte was before *at*; return twice its value, or -1 for null, and the position."""
    value, at = read_varint(data, at - 1)
    return (value << 1 if value >= 0 else -1), at


def _read_bytes(data: bytes, at: int, end: int) -> tuple[bytes | None, int]:
    length, at = read_varint(data, at)
    if length < 0:
        return None, at
    if length > end - at:
        raise RecordError(f"{length} bytes announced, {end - at} left in the record")
    return data[at : at + length], at + length
