"""Checks of a produced batch: those of Apache Kafka 3.9, in its order, with its errors.

The depth of a check is a matter of cost.  The header and the checksum are always checked.  Batches of up to 32
records, and all batches for compacted topics (null keys), are read field by field.  Larger ones have their chain of
record lengths followed (``record_scan.py``), which proves the record count and that every record can be found; that
costs about as much as the checksum for equally long records and 0.1 us a record otherwise, where reading all fields
would cost 1 us a record, twenty times the rest of a produce request.  In a large batch the fields inside of records
(under a checksum that the producer computed) and max_timestamp stay unchecked.  Compressed batches
are decompressed for the same checks.  Timestamp bounds are looked at in every record where a topic sets them.

Data that its codec cannot read and the unused codec numbers are refused with -1, as Kafka does.

Differences from Kafka, on purpose: null records are refused with 87 (Kafka never answers), a decompression bomb is
refused with 10 (Kafka reads it through), since a producer that meant well splits its batch then and goes on.
"""

from __future__ import annotations

import ctypes
from itertools import islice
from typing import NoReturn

from wirebroker.record.compression import Codec, decompress
from wirebroker.record.crc32c import crc32c
from wirebroker.record.errors import (
    BatchFramingError,
    CorruptRecordError,
    DecompressionError,
    DecompressionLimitError,
    InvalidRecordError,
    InvalidTimestampError,
    RecordError,
    RecordTooLargeError,
    RecordValidationError,
    UnsupportedCompressionTypeError,
    ValidationFailure,
)
from wirebroker.record.record_batch import (
    ATTRIBUTES_AT,
    CODEC_MASK,
    CONTROL,
    HEADER_SIZE,
    LENGTH_AT,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    MAGIC_AT,
    MIN_LENGTH,
    NO_TIMESTAMP,
    Record,
    RecordBatch,
)
from wirebroker.record.record_scan import HeaderLimit, check_record_lengths, scan_records, single_record_delta
from wirebroker.record.rewrite import with_codec, with_timestamp

_OFFSET_OR_SEQUENCE = ValidationFailure.INVALID_OFFSET_OR_SEQUENCE
FULL_SCAN_RECORDS = 32
MIN_RUN_SCAN_RECORDS = 256  # looking for runs in batches of mixed sizes costs 10 %, finding them saves 85 %
COPIED_BYTES = 16 << 10  # indexing bytes is faster than indexing a view: worth a copy of this much
UNBOUNDED_MS = (1 << 63) - 1
UNBOUNDED_BYTES = (1 << 31) - 1

#: Decompressed bytes allowed per batch: this, or eight times its size if that is more.
MIN_DECOMPRESS_LIMIT_BYTES = 64 << 20

# A check within these limits takes 5 ms at most; a hop to a thread takes 0.1 ms.
FIELDS_READ_AT_ONCE = 1024  # records, 1 us each to check and 10 us each to say which of them are refused
LENGTHS_FOLLOWED_AT_ONCE = 32 << 10
HEADERS_READ_AT_ONCE = 8 << 10  # 0.2 us each to skip and 1 us each to say which records are refused
DECOMPRESSED_AT_ONCE_BYTES = 1 << 20
PIECES_DECOMPRESSED_AT_ONCE = 1024  # members, frames, blocks: 1 us each, even if they are empty
MIN_HEADER_BYTES = 2
RECODED_AT_ONCE_BYTES = 32 << 10  # gzip compresses 30 MB/s

RECORDS_NAMED = 1000
"""How many refused records of a batch an answer names; all of the batch is refused with them."""


class AppendRules:
    """The rules of a topic's configuration for a batch; made once when the configuration changes."""

    max_message_bytes: int
    """``max.message.bytes``, for the whole batch."""
    compacted: bool
    """Whether ``cleanup.policy`` has ``compact``, so that every record needs a key."""
    log_append_time: bool
    """Whether ``message.timestamp.type`` is LogAppendTime."""
    timestamp_before_max_ms: int
    """How far before the broker's clock a CreateTime may be (``message.timestamp.before.max.ms``)."""
    timestamp_after_max_ms: int
    """How far after the broker's clock a CreateTime may be (``message.timestamp.after.max.ms``)."""
    codec: Codec | None
    """``compression.type``; None keeps the producer's."""
    level: int | None
    """The compression level of `codec`, None for its usual one."""
    refuses_log_append_time: bool
    """Whether batches with the bit of LogAppendTime are refused even if the topic has CreateTime, as before 3.6."""
    magic: int
    """The message format of the log (``message.format.version``); see ``validate_legacy.py`` for 0 and 1."""
    time_bounded: bool
    """Whether timestamps have to be compared with the clock at all."""

    __slots__ = tuple(__annotations__)

    def __init__(
        self,
        max_message_bytes: int = UNBOUNDED_BYTES,
        *,
        compacted: bool = False,
        log_append_time: bool = False,
        timestamp_before_max_ms: int = UNBOUNDED_MS,
        timestamp_after_max_ms: int = UNBOUNDED_MS,
        codec: Codec | None = None,
        level: int | None = None,
        refuses_log_append_time: bool = False,
        magic: int = 2,
    ) -> None:
        self.max_message_bytes = max_message_bytes
        self.compacted = compacted
        self.log_append_time = log_append_time
        self.timestamp_before_max_ms = timestamp_before_max_ms
        self.timestamp_after_max_ms = timestamp_after_max_ms
        self.codec = codec
        self.level = level
        self.refuses_log_append_time = refuses_log_append_time or log_append_time
        self.magic = magic
        self.time_bounded = not log_append_time and (
            timestamp_before_max_ms < UNBOUNDED_MS or timestamp_after_max_ms < UNBOUNDED_MS
        )


def check_batch(
    records: memoryview | None, rules: AppendRules, now_ms: int, *, zstd_allowed: bool = True
) -> RecordBatch:
    """Validate the records of one partition in a Produce request (v3 and later); return them as a batch to append.

    The batch is a view of *records*, changed in place where the topic's settings ask for it (*records* is copied if
    it is read-only then), or new bytes after a change of codec; its own size_bytes may be below that of *records*,
    as trailing bytes are dropped.  *zstd_allowed* is false below Produce v7.  Raises RecordValidationError.

    `check_header` and `check_records` are its two halves, for callers that leave the second one to a thread where
    `area_at_once` says that it takes long.
    """
    return check_records(check_header(records, rules, zstd_allowed=zstd_allowed), rules, now_ms)


def read_header(records: memoryview | None) -> RecordBatch | None:
    """Return the header of the batch of format 2 in *records* for `check_header`, None if there is none.

    Nothing but the magic is validated.
    """
    if records is None or len(records) < HEADER_SIZE:
        return None
    header = RecordBatch(records)
    return header if header.magic == 2 else None


def check_header(
    records: memoryview | None, rules: AppendRules, header: RecordBatch | None = None, *, zstd_allowed: bool = True
) -> RecordBatch:
    """Validate the header and the checksum of a batch; return it, its records not read yet.

    *header* is what `read_header` has returned for *records*; without one it is read here.  Raises
    RecordValidationError.
    """
    if records is None:
        raise BatchFramingError("no records")
    if header is None:
        if len(records) < HEADER_SIZE:
            check_frame(records, zstd_allowed)
        header = RecordBatch(records)
    batch = header
    attributes = batch.attributes
    size = batch.size_bytes
    if size != len(records) or batch.magic != 2 or (attributes & CODEC_MASK == 4 and not zstd_allowed):
        check_frame(records, zstd_allowed)
        records = records[:size]
    if batch.base_offset:
        raise InvalidRecordError(f"base offset {batch.base_offset} in a produced batch")
    if size > rules.max_message_bytes:
        _check_size(size, rules)
    if size < HEADER_SIZE or crc32c(records[ATTRIBUTES_AT:]) != batch.crc:
        raise CorruptRecordError("the checksum does not match", failure=ValidationFailure.INVALID_CHECKSUM)
    batch.buffer = records
    count = batch.record_count
    if count <= 0 or batch.last_offset_delta != count - 1:
        raise InvalidRecordError(
            f"{count} records with a last offset delta of {batch.last_offset_delta}", failure=_OFFSET_OR_SEQUENCE
        )
    if attributes & CONTROL:  # which Kafka counts as an invalid offset
        raise InvalidRecordError("clients may not write control records", failure=_OFFSET_OR_SEQUENCE)
    if batch.producer_id >= 0 > batch.base_sequence:
        raise InvalidRecordError(f"sequence {batch.base_sequence} with a producer id", failure=_OFFSET_OR_SEQUENCE)
    return batch


def area_at_once(batch: RecordBatch, rules: AppendRules) -> memoryview | bytes | None:
    """Return the record area, decompressed; None if that or `check_records` may take more than some 5 ms.

    Raises DecompressionError, RecordTooLargeError.
    """
    if not may_check_at_once(batch, rules):
        return None
    codec = batch.attributes & CODEC_MASK
    if not codec:
        return batch.buffer[HEADER_SIZE:]
    recoded = rules.codec is not None and rules.codec != codec
    return _decompressed(batch, RECODED_AT_ONCE_BYTES if recoded else DECOMPRESSED_AT_ONCE_BYTES)


def may_check_at_once(batch: RecordBatch, rules: AppendRules) -> bool:
    """Return whether `check_records` takes no more than some 5 ms by the batch's header, as far as that tells."""
    if batch.record_count > FIELDS_READ_AT_ONCE:
        fields_are_read = rules.compacted or rules.time_bounded
        if fields_are_read or batch.record_count > LENGTHS_FOLLOWED_AT_ONCE:
            return False
    codec, size = batch.attributes & CODEC_MASK, batch.size_bytes
    if rules.codec is not None and rules.codec != codec:
        return size <= (RECODED_AT_ONCE_BYTES // 4 if codec else RECODED_AT_ONCE_BYTES)
    return not codec or size <= DECOMPRESSED_AT_ONCE_BYTES // 4


def check_records(
    batch: RecordBatch, rules: AppendRules, now_ms: int, area: memoryview | bytes | None = None
) -> RecordBatch:
    """Validate the records, the rest of `check_batch`; return the batch as the topic's settings require it.

    *area* is what `area_at_once` returned.  Raises RecordValidationError; HeaderLimitError if *area* is given and has
    too many headers to be read at once, and nothing has changed then.
    """
    attributes, count = batch.attributes, batch.record_count
    codec = attributes & CODEC_MASK
    headers: HeaderLimit | None = None
    if area is None:
        area = _decompressed(batch) if codec else batch.buffer[HEADER_SIZE:]
    elif len(area) > HEADERS_READ_AT_ONCE * MIN_HEADER_BYTES:
        headers = HeaderLimit(HEADERS_READ_AT_ONCE)
    assert area is not None
    highest = batch.max_timestamp
    try:
        if count == 1 and (timestamp := _timestamp_of_single(batch, area, rules, now_ms)) != NO_TIMESTAMP:
            highest = timestamp
        elif count <= FULL_SCAN_RECORDS or rules.compacted:
            highest = _scan_records(batch, area, rules, now_ms, headers)
        else:
            data, at = _underlying(area)
            widest = check_record_lengths(data, at, at + len(area), count, rules.time_bounded)
            if rules.time_bounded and not _surely_within_bounds(batch, widest, rules, now_ms):
                highest = _scan_records(batch, area, rules, now_ms, headers)
    except RecordError as fault:
        raise InvalidRecordError(str(fault)) from None

    if attributes & LOG_APPEND_TIME and (rules.refuses_log_append_time or batch.max_timestamp == NO_TIMESTAMP):
        raise InvalidTimestampError("a producer may not set LogAppendTime", list(range(min(count, RECORDS_NAMED))))
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


def check_frame(records: memoryview | None, zstd_allowed: bool) -> None:
    """Refuse *records* that are not one whole batch of format 2; nothing else of the batch is validated.

    Bytes after one whole batch that do not amount to another are no fault; they are dropped.
    """
    size = None if records is None else _next_batch_size(records, 0)
    if records is None or size is None:
        raise BatchFramingError("no whole record batch")
    magic = records[MAGIC_AT]
    if magic != 2:
        raise BatchFramingError(f"magic {magic}, this version of Produce takes 2 only")
    if records[ATTRIBUTES_AT + 1] & CODEC_MASK == 4 and not zstd_allowed:
        raise UnsupportedCompressionTypeError("zstd needs Produce v7")
    if _next_batch_size(records, size) is not None:
        raise BatchFramingError("more than one record batch")


def _next_batch_size(records: memoryview, at: int) -> int | None:
    """Return the size of the batch (of any format) at *at*, None if it is incomplete.  Raises CorruptRecordError."""
    left = len(records) - at
    if left < LOG_OVERHEAD:
        return None
    length = int.from_bytes(records[at + LENGTH_AT : at + LOG_OVERHEAD], "big", signed=True)
    if length < MIN_LENGTH:
        raise CorruptRecordError(f"batch length {length}")
    if left <= MAGIC_AT:
        return None
    magic = records[at + MAGIC_AT]
    if magic > 2:
        raise CorruptRecordError(f"magic {magic}")
    size = length + LOG_OVERHEAD
    return None if left < size else size


def _check_size(size: int, rules: AppendRules) -> None:
    if size > rules.max_message_bytes:
        raise RecordTooLargeError(f"batch of {size} bytes, max.message.bytes is {rules.max_message_bytes}")


def _decompressed(batch: RecordBatch, most: int | None = None) -> bytes | None:
    """Return the record area; with *most*, None if it is larger than that, or in many pieces."""
    limit = max(MIN_DECOMPRESS_LIMIT_BYTES, 8 * batch.size_bytes)
    try:
        if most is None:
            return decompress(batch.codec, batch.buffer[HEADER_SIZE:], limit)
        return decompress(batch.codec, batch.buffer[HEADER_SIZE:], most, PIECES_DECOMPRESSED_AT_ONCE)
    except DecompressionLimitError as fault:
        if most is not None:
            return None
        raise RecordTooLargeError(str(fault)) from None
    except RecordError as fault:
        raise DecompressionError(str(fault)) from None  # Kafka has no better code for it


def _timestamp_of_single(batch: RecordBatch, area: memoryview | bytes, rules: AppendRules, now_ms: int) -> int:
    """Return the timestamp of the only record if it has the most usual form and breaks no rule, else NO_TIMESTAMP."""
    if len(area) > COPIED_BYTES or batch.attributes & LOG_APPEND_TIME:
        return NO_TIMESTAMP
    delta = single_record_delta(bytes(area), with_key=rules.compacted)
    if delta < 0:
        return NO_TIMESTAMP
    timestamp = batch.base_timestamp + delta
    if rules.time_bounded:
        age_ms = now_ms - timestamp
        if age_ms > rules.timestamp_before_max_ms or -age_ms > rules.timestamp_after_max_ms:
            return NO_TIMESTAMP
    return timestamp


def _scan_records(
    batch: RecordBatch, area: memoryview | bytes, rules: AppendRules, now_ms: int, headers: HeaderLimit | None
) -> int:
    """Read every record; return the highest timestamp.

    Raises:
        RecordError: a record's structure is broken.
        InvalidRecordError, InvalidTimestampError: a record breaks a rule of the topic.
        HeaderLimitError: there are more headers than *headers* allows.
    """
    append_time = batch.max_timestamp if batch.attributes & LOG_APPEND_TIME else None
    size, count = len(area), batch.record_count
    data = bytes(area) if size <= COPIED_BYTES or count > FULL_SCAN_RECORDS else area
    if count > MIN_RUN_SCAN_RECORDS and isinstance(data, bytes):
        from wirebroker.record.record_run_scan import scan_record_runs  # many brokers need it not

        lowest, highest, null_keys = scan_record_runs(data, 0, size, count, batch.base_timestamp, append_time, headers)
    else:
        lowest, highest, null_keys = scan_records(data, 0, size, count, batch.base_timestamp, append_time, headers)
    if rules.time_bounded and highest != NO_TIMESTAMP:
        if now_ms - lowest > rules.timestamp_before_max_ms:
            _refuse(batch, InvalidTimestampError, f"timestamp {lowest} is too far in the past", rules, now_ms)
        if highest - now_ms > rules.timestamp_after_max_ms:
            _refuse(batch, InvalidTimestampError, f"timestamp {highest} is too far in the future", rules, now_ms)
    if rules.compacted and null_keys:
        message = f"{null_keys} records without a key for a compacted topic"
        _refuse(batch, InvalidRecordError, message, rules, now_ms)
    return highest


def _refuse(
    batch: RecordBatch, error: type[RecordValidationError], message: str, rules: AppendRules, now_ms: int
) -> NoReturn:
    """Raise *error* with the indexes of the records at fault, which are read once more."""

    def breaks_a_rule(record: Record) -> bool:
        if rules.compacted and record.key is None:
            return True
        age_ms = now_ms - record.timestamp
        timed = rules.time_bounded and record.timestamp != NO_TIMESTAMP
        return timed and (age_ms > rules.timestamp_before_max_ms or -age_ms > rules.timestamp_after_max_ms)

    indexes = (index for index, record in enumerate(batch.records()) if breaks_a_rule(record))
    failure = ValidationFailure.NO_KEY if error is InvalidRecordError else None
    raise error(message, list(islice(indexes, RECORDS_NAMED)), failure)


def _surely_within_bounds(batch: RecordBatch, widest: int, rules: AppendRules, now_ms: int) -> bool:
    """Return whether no timestamp can be out of bounds, given how many bytes the widest timestamp delta takes.

    One byte reaches 64 ms from the base timestamp, two 8 s, three 17 min: enough to spare nearly every batch the scan.
    """
    reach = 64 << 7 * (widest - 1)
    return (
        not batch.attributes & LOG_APPEND_TIME
        and now_ms - (batch.base_timestamp - reach) <= rules.timestamp_before_max_ms
        and batch.base_timestamp + reach - now_ms <= rules.timestamp_after_max_ms
    )


def _underlying(area: memoryview | bytes) -> tuple[bytes | bytearray, int]:
    """Return the bytearray that *area* is a part of, and its place in it: slices of it are faster than of a view."""
    if isinstance(area, bytes):
        return area, 0
    whole = area.obj
    if type(whole) is bytearray and not area.readonly:
        byte = ctypes.c_char
        return whole, ctypes.addressof(byte.from_buffer(area)) - ctypes.addressof(byte.from_buffer(whole))
    return bytes(area), 0
