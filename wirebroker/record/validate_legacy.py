"""Checks of message sets of formats 0 and 1 (Produce v0-v2), and their conversion to the format of a log.

Apache Kafka's checks in its order, with the codes of 3.9.  A set is messages without a codec, or one wrapper; all of
one format.  A log keeps one format (`AppendRules.magic`): sets of another are converted, to format 2 as one batch
for the whole set.  Batches of format 2, which these versions of Produce may carry as well, are validated by
``validate.py`` first.

Differences from Kafka, on purpose: a set that is cut off is refused with 2, where Kafka drops the last message and
answers 0; records with headers for a log of an old format are refused with 43 (Kafka: -1).
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.convert import encode_set, wrapped
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
    UnsupportedForMessageFormatError,
    ValidationFailure,
)
from wirebroker.record.legacy import (
    ATTRIBUTES_AT,
    CRC_AT,
    LENGTH,
    TIMESTAMP,
    TIMESTAMP_AT,
    LegacyRecord,
    is_valid,
    legacy_records,
    read_legacy_record,
    unwrap,
)
from wirebroker.record.message_set import (
    CompressedMessageSetV0,
    CompressedMessageSetV1,
    MessageSet,
    UncompressedMessageSet,
)
from wirebroker.record.record_batch import (
    CODEC_MASK,
    LENGTH_AT,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    MAGIC_AT,
    MIN_LENGTH,
    NO_TIMESTAMP,
    Record,
    RecordBatch,
)
from wirebroker.record.validate import (
    MIN_DECOMPRESS_LIMIT_BYTES,
    AppendRules,
    check_batch,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

SHORT_BYTES = 8 << 10


def check_message_set(records: memoryview | None, rules: AppendRules, now_ms: int) -> RecordBatch | MessageSet | None:
    """Validate the records of one partition in Produce v0-v2; return the batch or set to append, None if empty.

    Raises RecordValidationError.
    """
    if records is None:
        raise BatchFramingError("no records")
    if not records:
        return None
    if len(records) > MAGIC_AT and records[MAGIC_AT] == 2:
        batch = check_batch(records, rules, now_ms, zstd_allowed=False)
        return batch if rules.magic == 2 else down_convert_for_log(batch, rules, now_ms)
    data = bytes(records)
    outer = _outer_messages(data, rules)
    codec = _codec_of(outer)
    magic = outer[0].magic
    if any(each.magic != magic for each in outer):
        raise InvalidRecordError("messages of two formats in one set", failure=ValidationFailure.INVALID_MAGIC)
    if codec is not Codec.NONE and len(outer) > 1:
        raise InvalidRecordError("more than one message beside a compressed one")
    if codec is Codec.NONE:
        for each in outer:
            _check_records([each], each, rules, now_ms)
        inner = outer
    else:
        inner = _inner_messages(outer[0], codec, len(data))
        _check_records(inner, outer[0], rules, now_ms)
    kept = rules.codec is None or rules.codec is codec
    if magic == rules.magic and kept:
        if codec is Codec.NONE:
            return _uncompressed_set(bytearray(data), [each.at for each in outer], outer, rules, now_ms)
        if magic == 1 and all(each.offset == number for number, each in enumerate(inner)):
            return _compressed_set(bytearray(data), inner, rules, now_ms)
    return _convert(
        [Record(number, each.timestamp, each.key, each.value, []) for number, each in enumerate(inner)],
        codec if rules.codec is None else rules.codec,
        rules,
        now_ms,
    )


def is_short(records: memoryview) -> bool:
    """Whether `check_message_set` takes some milliseconds at most: a message takes 10 us and at least 26 bytes."""
    compressed = len(records) > ATTRIBUTES_AT and records[ATTRIBUTES_AT] & CODEC_MASK
    return len(records) <= SHORT_BYTES and not compressed


def down_convert_for_log(batch: RecordBatch, rules: AppendRules, now_ms: int) -> MessageSet:
    """Convert *batch*, which was checked, to the format of the log.

    Raises UnsupportedForMessageFormatError, UnsupportedCompressionTypeError.
    """
    what = "transactional" if batch.is_transactional else "idempotent" if batch.has_producer_id else None
    if what is not None:
        raise UnsupportedForMessageFormatError(f"{what} records in a log of message format {rules.magic}")
    records = list(batch.records())
    if any(record.headers for record in records):
        raise UnsupportedForMessageFormatError(f"headers in a log of message format {rules.magic}")
    converted = _convert(records, batch.codec, rules, now_ms)
    assert isinstance(converted, MessageSet)
    return converted


# -- validation


def _outer_messages(data: bytes, rules: AppendRules) -> list[LegacyRecord]:
    """Return the messages of the set, each with a valid size and checksum.  Raises RecordValidationError."""
    found: list[LegacyRecord] = []
    at, end = 0, len(data)
    while at < end:
        size = LENGTH.unpack_from(data, at + LENGTH_AT)[0] if end - at >= LOG_OVERHEAD else MIN_LENGTH
        if size < MIN_LENGTH:
            raise CorruptRecordError(f"message size {size}")
        stop = at + LOG_OVERHEAD + size
        if stop > end:
            raise CorruptRecordError(f"a message of {stop - at} bytes, {end - at} are there")
        if data[at + MAGIC_AT] > 2:
            raise CorruptRecordError(f"magic {data[at + MAGIC_AT]}")
        if stop - at > rules.max_message_bytes:
            raise RecordTooLargeError(
                f"message of {stop - at} bytes, max.message.bytes is {rules.max_message_bytes}",
            )
        if data[at + MAGIC_AT] == 2:
            raise InvalidRecordError("messages of two formats in one set", failure=ValidationFailure.INVALID_MAGIC)
        if zlib.crc32(data[at + MAGIC_AT : stop]) != int.from_bytes(data[at + CRC_AT : at + MAGIC_AT], "big"):
            raise CorruptRecordError("the checksum does not match", failure=ValidationFailure.INVALID_CHECKSUM)
        try:
            found.append(read_legacy_record(data, at, stop))
        except RecordError as fault:
            raise InvalidRecordError(str(fault)) from None
        at = stop
    return found


def _codec_of(outer: Sequence[LegacyRecord]) -> Codec:
    number = next((each.attributes & CODEC_MASK for each in reversed(outer) if each.attributes & CODEC_MASK), 0)
    if number == Codec.ZSTD:
        raise InvalidRecordError("zstd in a message of the old formats")
    try:
        return Codec(number)
    except ValueError:
        raise DecompressionError(f"unknown codec {number}") from None  # as in format 2


def _inner_messages(wrapper: LegacyRecord, codec: Codec, size_bytes: int) -> list[LegacyRecord]:
    """Return the messages of a wrapper, each with a valid checksum.  Raises RecordValidationError."""
    if wrapper.value is None:
        raise InvalidRecordError("a wrapper without a value")
    try:
        data = unwrap(wrapper, codec, max(MIN_DECOMPRESS_LIMIT_BYTES, 8 * size_bytes))
    except DecompressionLimitError as fault:
        raise RecordTooLargeError(str(fault)) from None
    except RecordError as fault:
        raise DecompressionError(str(fault)) from None
    try:
        inner = list(legacy_records(data))
    except RecordError as fault:
        raise CorruptRecordError(f"inside a wrapper: {fault}") from None
    if not inner:
        raise InvalidRecordError("a wrapper without messages")
    if wrapper.magic and 0 != wrapper.offset < inner[-1].offset:
        raise InvalidRecordError(f"wrapper offset {wrapper.offset} below {inner[-1].offset} inside, and not 0")
    wrong_format = [number for number, each in enumerate(inner) if each.magic != wrapper.magic]
    if wrong_format:
        raise InvalidRecordError(
            "a message of another format than its wrapper", wrong_format, ValidationFailure.INVALID_MAGIC
        )
    compressed = [number for number, each in enumerate(inner) if each.attributes & CODEC_MASK]
    if compressed:
        raise InvalidRecordError("a compressed message inside a compressed one", compressed)
    if not all(is_valid(data, each) for each in inner):
        message = "the checksum of a message inside a wrapper does not match"
        raise CorruptRecordError(message, failure=ValidationFailure.INVALID_CHECKSUM)
    return inner


def _check_records(found: Sequence[LegacyRecord], outer: LegacyRecord, rules: AppendRules, now_ms: int) -> None:
    """Validate keys and timestamps; *outer* is the wrapper, or the message itself."""
    refused: list[int] = []
    error: type[RecordValidationError] = InvalidRecordError
    append_time = bool(outer.magic and outer.attributes & LOG_APPEND_TIME)
    for number, each in enumerate(found):
        if rules.compacted and each.key is None:
            refused.append(number)
            continue
        timestamp = outer.timestamp if append_time else each.timestamp
        if rules.log_append_time or timestamp == NO_TIMESTAMP or (append_time and rules.refuses_log_append_time):
            wrong = append_time
        else:
            age_ms = now_ms - timestamp
            wrong = age_ms > rules.timestamp_before_max_ms or -age_ms > rules.timestamp_after_max_ms
        if wrong:
            refused.append(number)
            error = InvalidTimestampError
    if refused:
        what = "a timestamp that may not be" if error is InvalidTimestampError else "no key for a compacted topic"
        failure = ValidationFailure.NO_KEY if error is InvalidRecordError else None
        raise error(f"{len(refused)} records refused: {what}", refused, failure)


# -- conversion


def _uncompressed_set(
    data: bytearray, positions: Sequence[int], found: Sequence[LegacyRecord | Record], rules: AppendRules, now_ms: int
) -> MessageSet:
    """Return a set of messages without a codec that have the log's format already."""
    if not rules.magic:
        return UncompressedMessageSet(data, positions, NO_TIMESTAMP, 0, now_ms if rules.log_append_time else -1)
    if rules.log_append_time:
        for at, message in zip(positions, found, strict=True):
            if isinstance(message, LegacyRecord):
                _set_time(data, at, message.end, message.attributes | LOG_APPEND_TIME, now_ms)
        return UncompressedMessageSet(data, positions, now_ms, 0, now_ms)
    for at, message in zip(positions, found, strict=True):
        if isinstance(message, LegacyRecord) and message.attributes & LOG_APPEND_TIME:
            _set_time(data, at, message.end, message.attributes & ~LOG_APPEND_TIME, message.timestamp)
    index_of_max_timestamp = max(range(len(found)), key=lambda number: found[number].timestamp)
    return UncompressedMessageSet(data, positions, found[index_of_max_timestamp].timestamp, index_of_max_timestamp, -1)


def _compressed_set(data: bytearray, inner: Sequence[LegacyRecord], rules: AppendRules, now_ms: int) -> MessageSet:
    """Return a set with a wrapper of format 1 whose messages need not change."""
    timestamp = now_ms if rules.log_append_time else max(each.timestamp for each in inner)
    attributes = data[ATTRIBUTES_AT] & ~LOG_APPEND_TIME | (LOG_APPEND_TIME if rules.log_append_time else 0)
    _set_time(data, 0, len(data), attributes, timestamp)
    return CompressedMessageSetV1(data, len(inner), timestamp, now_ms if rules.log_append_time else -1)


def _set_time(data: bytearray, at: int, end: int, attributes: int, timestamp: int) -> None:
    packed = TIMESTAMP.pack(timestamp)
    place = slice(at + TIMESTAMP_AT, at + TIMESTAMP_AT + TIMESTAMP.size)
    if data[at + ATTRIBUTES_AT] == attributes and data[place] == packed:
        return
    data[at + ATTRIBUTES_AT] = attributes
    data[place] = packed
    with memoryview(data) as view:
        data[at + CRC_AT : at + MAGIC_AT] = zlib.crc32(view[at + MAGIC_AT : end]).to_bytes(4, "big")


def _convert(records: Sequence[Record], codec: Codec, rules: AppendRules, now_ms: int) -> RecordBatch | MessageSet:
    """Return *records*, numbered from 0, in the log's format under *codec*."""
    append_time_ms = now_ms if rules.log_append_time else None
    told = -1 if append_time_ms is None else append_time_ms
    if rules.magic == 2:
        whole = build_batch(
            records,
            compression=Compression(codec, rules.level),
            append_time_ms=told if rules.log_append_time else None,
        )
        _check_size(len(whole), rules)
        return RecordBatch.parse(bytearray(whole))
    if codec is Codec.ZSTD:
        raise UnsupportedCompressionTypeError(f"zstd in a log of message format {rules.magic}")
    if codec is not Codec.NONE:
        if not rules.magic:
            return CompressedMessageSetV0(records, Compression(codec, rules.level), told)
        data = bytearray(wrapped(records, rules.magic, Compression(codec, rules.level), append_time_ms))
        _check_size(len(data), rules)
        largest = max(record.timestamp for record in records) if append_time_ms is None else append_time_ms
        return CompressedMessageSetV1(data, len(records), largest, told)
    pieces = encode_set(records, rules.magic, append_time_ms)
    positions: list[int] = []
    at = 0
    for head, body in zip(pieces[::2], pieces[1::2], strict=True):
        positions.append(at)
        _check_size(len(head) + len(body), rules)
        at += len(head) + len(body)
    return _uncompressed_set(bytearray(b"".join(pieces)), positions, records, rules, now_ms)


def _check_size(size: int, rules: AppendRules) -> None:
    if size > rules.max_message_bytes:
        raise RecordTooLargeError(
            f"{size} bytes after conversion, max.message.bytes is {rules.max_message_bytes}",
        )
