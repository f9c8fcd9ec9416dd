"""What a producer may append: Apache Kafka 3.9's checks in its order, with its error codes.

How deep a check goes is a matter of cost.  The header and the checksum are always checked.  Batches of up to 32
records, and all batches for compacted topics (null keys), are read field by field.  Larger ones have their chain of
record lengths followed (``walk.py``), which proves the record count and that every record can be found; that costs
about as much as the checksum for equally long records and 0.1 us a record otherwise, where reading all fields would
cost 1 us a record, twenty times the rest of a produce request.  What stays unchecked in a large batch is the inside
of a record (under a checksum that its producer computed) and whether max_timestamp is right.  Compressed batches are
decompressed for the same checks.  Timestamp bounds are looked at in every record where a topic sets them.

Data that its codec cannot read and the unused codec numbers are refused with -1, as Kafka does.

Differences from Kafka, on purpose: null records are refused with 87 (Kafka never answers), a decompression bomb is
refused with 10 (Kafka reads it through), since a producer that meant well splits its batch then and goes on.
"""

from __future__ import annotations

import ctypes
from itertools import islice
from struct import Struct
from typing import NoReturn

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.compression import Codec, decompress
from wirebroker.record.crc32c import crc32c
from wirebroker.record.faults import OverLimit, RecordError
from wirebroker.record.record_batch import (
    ATTRIBUTES_AT,
    CODEC_MASK,
    CONTROL,
    HEADER_SIZE,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    NO_TIMESTAMP,
    Record,
    RecordBatch,
)
from wirebroker.record.rewrite import with_codec, with_timestamp
from wirebroker.record.walk import chain, walk
from wirebroker.record.walk_runs import walk_runs

FULL_WALK_RECORDS = 32
WALKED_SINGLY_RECORDS = 256  # looking for runs in batches of mixed sizes costs 10 %, finding them saves 85 %
COPIED_BYTES = 16 << 10  # single bytes of bytes are read faster than of a view, which pays for a copy of this much
UNBOUNDED_MS = (1 << 63) - 1

#: Decompressed bytes allowed per batch: this, or eight times its size if that is more.
MIN_DECOMPRESS_LIMIT_BYTES = 64 << 20

# What `area_at_once` lets through takes 5 ms at most; a hop to a thread takes 0.1 ms.
FIELDS_READ_AT_ONCE = 1024  # records, 1 us each to check and 10 us each to say which of them are refused
LENGTHS_FOLLOWED_AT_ONCE = 32 << 10
DECOMPRESSED_AT_ONCE_BYTES = 1 << 20
RECODED_AT_ONCE_BYTES = 32 << 10  # gzip compresses 30 MB/s

RECORDS_NAMED = 1000
"""How many refused records of a batch an answer names; all of the batch is refused with them."""

V0_OVERHEAD = 14  # the least a message of any format can announce as its length
HEADER_SIZE_UP_TO_MAGIC = 17
_STAMP = Struct(">qii")  # base offset, batch length (as it was), leader epoch


class NotOneBatch(ApiError):
    """What came is not one whole batch of this format: refused before the log is looked at."""


class RecordsRefused(ApiError):
    """Single records break a rule of the topic; *indexes* says which (KIP-467)."""

    def __init__(self, code: ErrorCode, detail: str, indexes: list[int]) -> None:
        super().__init__(code, detail)
        self.indexes = indexes


class AppendRules:
    """What a topic's configuration asks of a batch; made once when the configuration changes.

    Args:
        max_message_bytes: ``max.message.bytes``, for the whole batch.
        compacted: whether ``cleanup.policy`` has ``compact``, so that every record needs a key.
        log_append_time: ``message.timestamp.type`` is LogAppendTime.
        timestamp_before_max_ms, timestamp_after_max_ms: how far a CreateTime may be from the broker's clock.
        codec: ``compression.type``; None keeps the producer's.
        level: of that codec, None for its usual one.
        magic: the message format that the log keeps (``message.format.version``); here only 2 is written, see
            ``validate_old.py`` for the others.
    """

    __slots__ = (
        "codec",
        "compacted",
        "level",
        "log_append_time",
        "magic",
        "max_message_bytes",
        "time_bounded",
        "timestamp_after_max_ms",
        "timestamp_before_max_ms",
    )

    def __init__(
        self,
        max_message_bytes: int = 1048588,
        compacted: bool = False,
        log_append_time: bool = False,
        timestamp_before_max_ms: int = UNBOUNDED_MS,
        timestamp_after_max_ms: int = UNBOUNDED_MS,
        codec: Codec | None = None,
        level: int | None = None,
        magic: int = 2,
    ) -> None:
        self.max_message_bytes = max_message_bytes
        self.magic = magic
        self.compacted = compacted
        self.log_append_time = log_append_time
        self.timestamp_before_max_ms = timestamp_before_max_ms
        self.timestamp_after_max_ms = timestamp_after_max_ms
        self.codec = codec
        self.level = level
        self.time_bounded = not log_append_time and (
            timestamp_before_max_ms < UNBOUNDED_MS or timestamp_after_max_ms < UNBOUNDED_MS
        )


def check_batch(
    records: memoryview | None, rules: AppendRules, now_ms: int, *, zstd_allowed: bool = True
) -> RecordBatch:
    """Judge the records of one partition in a Produce request (v3 and later); return them as a batch to append.

    The batch is a view of *records*, changed in place where the topic's settings ask for it (*records* is copied if
    it is read-only then), or new bytes after a change of codec; its own size_bytes may be less than what came, as
    trailing bytes are dropped.  *zstd_allowed* is false below Produce v7.  Raises ApiError.

    `check_header` and `check_records` are its two halves, for callers that leave the second one to a thread where
    `area_at_once` says that it takes long.
    """
    return check_records(check_header(records, rules, zstd_allowed=zstd_allowed), rules, now_ms)


def check_header(records: memoryview | None, rules: AppendRules, *, zstd_allowed: bool = True) -> RecordBatch:
    """Judge the header and the checksum of a batch; return it, its records not looked at yet.  Raises ApiError."""
    if records is None:
        raise NotOneBatch(ErrorCode.INVALID_RECORD, "no records")
    if len(records) < HEADER_SIZE:
        check_frame(records, zstd_allowed)
    batch = RecordBatch(records)
    attributes = batch.attributes
    size = batch.size_bytes
    if size != len(records) or batch.magic != 2 or (attributes & CODEC_MASK == 4 and not zstd_allowed):
        check_frame(records, zstd_allowed)
        records = records[:size]
    if batch.base_offset:
        raise ApiError(ErrorCode.INVALID_RECORD, f"base offset {batch.base_offset} in a produced batch")
    if size > rules.max_message_bytes:
        _check_size(size, rules)
    if size < HEADER_SIZE or crc32c(records[ATTRIBUTES_AT:]) != batch.crc:
        raise ApiError(ErrorCode.CORRUPT_MESSAGE, "the checksum does not match")
    batch.buffer = records
    count = batch.record_count
    if count <= 0 or batch.last_offset_delta != count - 1:
        raise ApiError(
            ErrorCode.INVALID_RECORD, f"{count} records with a last offset delta of {batch.last_offset_delta}"
        )
    if attributes & CONTROL:
        raise ApiError(ErrorCode.INVALID_RECORD, "clients may not write control records")
    if batch.producer_id >= 0 > batch.base_sequence:
        raise ApiError(ErrorCode.INVALID_RECORD, f"sequence {batch.base_sequence} with a producer id")
    return batch


def area_at_once(batch: RecordBatch, rules: AppendRules) -> memoryview | bytes | None:
    """The record area, decompressed; None if that or `check_records` may take more than some 5 ms.

    Raises ApiError for data that its codec cannot read.
    """
    fields_are_read = rules.compacted or rules.time_bounded
    if batch.record_count > (FIELDS_READ_AT_ONCE if fields_are_read else LENGTHS_FOLLOWED_AT_ONCE):
        return None
    codec, size = batch.attributes & CODEC_MASK, batch.size_bytes
    recoded = rules.codec is not None and rules.codec != codec
    if not codec:
        return None if recoded and size > RECODED_AT_ONCE_BYTES else batch.buffer[HEADER_SIZE:]
    most = RECODED_AT_ONCE_BYTES if recoded else DECOMPRESSED_AT_ONCE_BYTES
    if size > most // 4:
        return None
    return _decompressed(batch, most)


def check_records(
    batch: RecordBatch, rules: AppendRules, now_ms: int, area: memoryview | bytes | None = None
) -> RecordBatch:
    """The rest of `check_batch`: judge the records and return the batch as the topic's settings want it.

    *area* is what `area_at_once` returned.  Raises ApiError.
    """
    attributes, count = batch.attributes, batch.record_count
    codec = attributes & CODEC_MASK
    if area is None:
        area = _decompressed(batch) if codec else batch.buffer[HEADER_SIZE:]
    assert area is not None
    highest = batch.max_timestamp
    try:
        if count <= FULL_WALK_RECORDS or rules.compacted:
            highest = _walk_all(batch, area, rules, now_ms)
        else:
            data, at = _underlying(area)
            widest = chain(data, at, at + len(area), count, rules.time_bounded)
            if rules.time_bounded and not _surely_within_bounds(batch, widest, rules, now_ms):
                highest = _walk_all(batch, area, rules, now_ms)
    except RecordError as fault:
        raise ApiError(ErrorCode.INVALID_RECORD, str(fault)) from None

    if attributes & LOG_APPEND_TIME and (rules.log_append_time or batch.max_timestamp == NO_TIMESTAMP):
        raise ApiError(ErrorCode.INVALID_TIMESTAMP, "a producer may not set LogAppendTime")
    if rules.log_append_time:
        highest = now_ms
        attributes |= LOG_APPEND_TIME
    else:
        attributes &= ~LOG_APPEND_TIME
    if rules.codec is not None and rules.codec != codec:
        batch = with_codec(batch, area, rules.codec, rules.level, attributes, highest)
        _check_size(batch.size_bytes, rules)
    elif highest != batch.max_timestamp or attributes != batch.attributes:
        with_timestamp(batch, attributes, highest)
    return batch


def stamp(batch: RecordBatch, base_offset: int, leader_epoch: int) -> None:
    """Write the offset and the epoch that the leader gives the batch into its (writable) bytes.

    Neither is covered by the checksum, so nothing else changes.
    """
    batch.base_offset = base_offset
    batch.partition_leader_epoch = leader_epoch
    _STAMP.pack_into(batch.buffer, 0, base_offset, batch.batch_length, leader_epoch)


def check_frame(records: memoryview | None, zstd_allowed: bool) -> None:
    """Refuse *records* that are not one whole batch of format 2; nothing else of the batch is looked at.

    Bytes after one whole batch that do not amount to another are no fault; they are dropped.
    """
    size = None if records is None else _next_batch_size(records, 0)
    if records is None or size is None:
        raise NotOneBatch(ErrorCode.INVALID_RECORD, "no whole record batch")
    magic = records[HEADER_SIZE_UP_TO_MAGIC - 1]
    if magic != 2:
        raise NotOneBatch(ErrorCode.INVALID_RECORD, f"magic {magic}, this version of Produce takes 2 only")
    if records[ATTRIBUTES_AT + 1] & CODEC_MASK == 4 and not zstd_allowed:
        raise ApiError(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, "zstd needs Produce v7")
    if _next_batch_size(records, size) is not None:
        raise NotOneBatch(ErrorCode.INVALID_RECORD, "more than one record batch")


def _next_batch_size(records: memoryview, at: int) -> int | None:
    """Size of the batch (of any format) at *at*, None if it is not all there; ApiError if it cannot be one."""
    left = len(records) - at
    if left < LOG_OVERHEAD:
        return None
    length = int.from_bytes(records[at + 8 : at + 12], "big", signed=True)
    if length < V0_OVERHEAD:
        raise ApiError(ErrorCode.CORRUPT_MESSAGE, f"batch length {length}")
    if left < HEADER_SIZE_UP_TO_MAGIC:
        return None
    magic = records[at + HEADER_SIZE_UP_TO_MAGIC - 1]
    if magic > 2:
        raise ApiError(ErrorCode.CORRUPT_MESSAGE, f"magic {magic}")
    size = length + LOG_OVERHEAD
    return None if left < size else size


def _check_size(size: int, rules: AppendRules) -> None:
    if size > rules.max_message_bytes:
        raise ApiError(
            ErrorCode.MESSAGE_TOO_LARGE, f"batch of {size} bytes, max.message.bytes is {rules.max_message_bytes}"
        )


def _decompressed(batch: RecordBatch, most: int | None = None) -> bytes | None:
    """The record area; None if it is larger than *most* and may be."""
    limit = max(MIN_DECOMPRESS_LIMIT_BYTES, 8 * batch.size_bytes)
    try:
        return decompress(batch.codec, batch.buffer[HEADER_SIZE:], limit if most is None else most)
    except OverLimit as fault:
        if most is not None:
            return None
        raise ApiError(ErrorCode.MESSAGE_TOO_LARGE, str(fault)) from None
    except RecordError as fault:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, str(fault)) from None  # seen: Kafka has no better code for it


def _walk_all(batch: RecordBatch, area: memoryview | bytes, rules: AppendRules, now_ms: int) -> int:
    """Read every record; return the highest timestamp.  RecordError for bad structure, ApiError for bad content."""
    append_time = batch.max_timestamp if batch.attributes & LOG_APPEND_TIME else None
    size, count = len(area), batch.record_count
    data = bytes(area) if size <= COPIED_BYTES or count > FULL_WALK_RECORDS else area
    if count > WALKED_SINGLY_RECORDS and isinstance(data, bytes):
        lowest, highest, null_keys = walk_runs(data, 0, size, count, batch.base_timestamp, append_time)
    else:
        lowest, highest, null_keys = walk(data, 0, size, count, batch.base_timestamp, append_time)
    if rules.time_bounded and highest != NO_TIMESTAMP:
        if now_ms - lowest > rules.timestamp_before_max_ms:
            _refuse(batch, ErrorCode.INVALID_TIMESTAMP, f"timestamp {lowest} is too far in the past", rules, now_ms)
        if highest - now_ms > rules.timestamp_after_max_ms:
            _refuse(batch, ErrorCode.INVALID_TIMESTAMP, f"timestamp {highest} is too far in the future", rules, now_ms)
    if rules.compacted and null_keys:
        detail = f"{null_keys} records without a key for a compacted topic"
        _refuse(batch, ErrorCode.INVALID_RECORD, detail, rules, now_ms)
    return highest


def _refuse(batch: RecordBatch, code: ErrorCode, detail: str, rules: AppendRules, now_ms: int) -> NoReturn:
    """Say which records are at fault; reads them once more, which only a refused batch pays for."""

    def breaks_a_rule(record: Record) -> bool:
        if rules.compacted and record.key is None:
            return True
        age_ms = now_ms - record.timestamp
        timed = rules.time_bounded and record.timestamp != NO_TIMESTAMP
        return timed and (age_ms > rules.timestamp_before_max_ms or -age_ms > rules.timestamp_after_max_ms)

    indexes = (index for index, record in enumerate(batch.records()) if breaks_a_rule(record))
    raise RecordsRefused(code, detail, list(islice(indexes, RECORDS_NAMED)))


def _surely_within_bounds(batch: RecordBatch, widest: int, rules: AppendRules, now_ms: int) -> bool:
    """Whether no timestamp can be out of bounds, given how many bytes the widest timestamp delta takes.

    One byte reaches 64 ms from the base timestamp, two 8 s, three 17 min: enough to spare nearly every batch the walk.
    """
    reach = 64 << 7 * (widest - 1)
    return (
        not batch.attributes & LOG_APPEND_TIME
        and now_ms - (batch.base_timestamp - reach) <= rules.timestamp_before_max_ms
        and batch.base_timestamp + reach - now_ms <= rules.timestamp_after_max_ms
    )


def _underlying(area: memoryview | bytes) -> tuple[bytes | bytearray, int]:
    """The bytearray that *area* is a part of, and where: slices of it are several times faster than of a view."""
    if isinstance(area, bytes):
        return area, 0
    whole = area.obj
    if type(whole) is bytearray and not area.readonly:
        byte = ctypes.c_char
        return whole, ctypes.addressof(byte.from_buffer(area)) - ctypes.addressof(byte.from_buffer(whole))
    return bytes(area), 0
