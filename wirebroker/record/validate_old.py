"""What a producer of Produce v0-v2 may append: message sets of formats 0 and 1, and what becomes of them in a log.

Apache Kafka's checks in its order, with the codes of 3.9.  A set is messages without a codec, or one wrapper; all of
one format.  A log keeps one format (`AppendRules.magic`): what comes in another is converted, to format 2 as one batch
for the whole set.  Batches of format 2, which these versions of Produce may carry as well, are judged by
``validate.py`` first.

Differences from Kafka, on purpose: a set that is cut off is refused with 2, where Kafka drops the last message and says
that all went well; records with headers for a log of an old format are refused with 43 (Kafka: -1).
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec
from wirebroker.record.convert import encode_set, wrapped
from wirebroker.record.faults import OverLimit, RecordError
from wirebroker.record.legacy import (
    ATTRIBUTES_AT,
    LENGTH,
    MAGIC_AT,
    MIN_SIZE,
    Message,
    is_valid,
    messages,
    read_message,
    unwrap,
)
from wirebroker.record.message_set import AbsoluteWrapper, LooseMessages, MessageSet, RelativeWrapper
from wirebroker.record.record_batch import (
    CODEC_MASK,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    NO_TIMESTAMP,
    Record,
    RecordBatch,
    TimestampType,
)
from wirebroker.record.validate import (
    MIN_DECOMPRESS_LIMIT_BYTES,
    AppendRules,
    NotOneBatch,
    RecordsRefused,
    check_batch,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

SHORT_BYTES = 8 << 10


def check_message_set(records: memoryview | None, rules: AppendRules, now_ms: int) -> RecordBatch | MessageSet | None:
    """Judge the records of one partition in a Produce request v0-v2; return what to append, None if that is nothing.

    Raises ApiError.
    """
    if records is None:
        raise NotOneBatch(ErrorCode.INVALID_RECORD, "no records")
    if not records:
        return None
    if len(records) > MAGIC_AT and records[MAGIC_AT] == 2:
        batch = check_batch(records, rules, now_ms, zstd_allowed=False)
        return batch if rules.magic == 2 else down_to_log(batch, rules, now_ms)
    data = bytes(records)
    outer = _outer_messages(data, rules)
    codec = _codec_of(outer)
    magic = outer[0].magic
    if any(each.magic != magic for each in outer):
        raise ApiError(ErrorCode.INVALID_RECORD, "messages of two formats in one set")
    if codec is not Codec.NONE and len(outer) > 1:
        raise ApiError(ErrorCode.INVALID_RECORD, "more than one message beside a compressed one")
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
            return _loose(bytearray(data), [each.at for each in outer], outer, rules, now_ms)
        if magic == 1 and all(each.offset == number for number, each in enumerate(inner)):
            return _wrapper_as_is(bytearray(data), inner, rules, now_ms)
    return _converted(
        [Record(number, each.timestamp, each.key, each.value, []) for number, each in enumerate(inner)],
        codec if rules.codec is None else rules.codec,
        rules,
        now_ms,
    )


def is_short(records: memoryview) -> bool:
    """Whether `check_message_set` takes some milliseconds at most: a message takes 10 us and at least 26 bytes."""
    compressed = len(records) > ATTRIBUTES_AT and records[ATTRIBUTES_AT] & CODEC_MASK
    return len(records) <= SHORT_BYTES and not compressed


def down_to_log(batch: RecordBatch, rules: AppendRules, now_ms: int) -> MessageSet:
    """What of *batch*, which was checked, a log of an old format takes.

    Raises ApiError: UNSUPPORTED_FOR_MESSAGE_FORMAT for what its format cannot say, UNSUPPORTED_COMPRESSION_TYPE.
    """
    what = "transactional" if batch.is_transactional else "idempotent" if batch.has_producer_id else None
    if what is not None:
        raise ApiError(
            ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, f"{what} records in a log of message format {rules.magic}"
        )
    records = list(batch.records())
    if any(record.headers for record in records):
        raise ApiError(ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, f"headers in a log of message format {rules.magic}")
    converted = _converted(records, batch.codec, rules, now_ms)
    assert isinstance(converted, MessageSet)
    return converted


# -- looking at what came


def _outer_messages(data: bytes, rules: AppendRules) -> list[Message]:
    """The messages of the set, each with its size and its checksum right."""
    found: list[Message] = []
    at, end = 0, len(data)
    while at < end:
        size = LENGTH.unpack_from(data, at + 8)[0] if end - at >= LOG_OVERHEAD else MIN_SIZE
        if size < MIN_SIZE:
            raise ApiError(ErrorCode.CORRUPT_MESSAGE, f"message size {size}")
        stop = at + LOG_OVERHEAD + size
        if stop > end:
            raise ApiError(ErrorCode.CORRUPT_MESSAGE, f"a message of {stop - at} bytes, {end - at} are there")
        if data[at + MAGIC_AT] > 2:
            raise ApiError(ErrorCode.CORRUPT_MESSAGE, f"magic {data[at + MAGIC_AT]}")
        if stop - at > rules.max_message_bytes:
            raise ApiError(
                ErrorCode.MESSAGE_TOO_LARGE,
                f"message of {stop - at} bytes, max.message.bytes is {rules.max_message_bytes}",
            )
        if data[at + MAGIC_AT] == 2:
            raise ApiError(ErrorCode.INVALID_RECORD, "messages of two formats in one set")
        if zlib.crc32(data[at + MAGIC_AT : stop]) != int.from_bytes(data[at + 12 : at + 16], "big"):
            raise ApiError(ErrorCode.CORRUPT_MESSAGE, "the checksum does not match")
        try:
            found.append(read_message(data, at, stop))
        except RecordError as fault:
            raise ApiError(ErrorCode.INVALID_RECORD, str(fault)) from None
        at = stop
    return found


def _codec_of(outer: Sequence[Message]) -> Codec:
    number = next((each.attributes & CODEC_MASK for each in reversed(outer) if each.attributes & CODEC_MASK), 0)
    if number == Codec.ZSTD:
        raise ApiError(ErrorCode.INVALID_RECORD, "zstd in a message of the old formats")
    try:
        return Codec(number)
    except ValueError:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, f"unknown codec {number}") from None  # seen: as in format 2


def _inner_messages(wrapper: Message, codec: Codec, size_bytes: int) -> list[Message]:
    """The messages of a wrapper, each with its checksum right."""
    if wrapper.value is None:
        raise ApiError(ErrorCode.INVALID_RECORD, "a wrapper without a value")
    try:
        data = unwrap(wrapper, codec, max(MIN_DECOMPRESS_LIMIT_BYTES, 8 * size_bytes))
    except OverLimit as fault:
        raise ApiError(ErrorCode.MESSAGE_TOO_LARGE, str(fault)) from None
    except RecordError as fault:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, str(fault)) from None
    try:
        inner = list(messages(data))
    except RecordError as fault:
        raise ApiError(ErrorCode.CORRUPT_MESSAGE, f"inside a wrapper: {fault}") from None
    if not inner:
        raise ApiError(ErrorCode.INVALID_RECORD, "a wrapper without messages")
    if wrapper.magic and 0 != wrapper.offset < inner[-1].offset:
        raise ApiError(
            ErrorCode.INVALID_RECORD, f"wrapper offset {wrapper.offset} below {inner[-1].offset} inside, and not 0"
        )
    wrong_format = [number for number, each in enumerate(inner) if each.magic != wrapper.magic]
    if wrong_format:
        raise RecordsRefused(ErrorCode.INVALID_RECORD, "a message of another format than its wrapper", wrong_format)
    compressed = [number for number, each in enumerate(inner) if each.attributes & CODEC_MASK]
    if compressed:
        raise RecordsRefused(ErrorCode.INVALID_RECORD, "a compressed message inside a compressed one", compressed)
    if not all(is_valid(data, each) for each in inner):
        raise ApiError(ErrorCode.CORRUPT_MESSAGE, "the checksum of a message inside a wrapper does not match")
    return inner


def _check_records(found: Sequence[Message], outer: Message, rules: AppendRules, now_ms: int) -> None:
    """Keys and timestamps; *outer* is the wrapper, or the message itself."""
    refused: list[int] = []
    code = ErrorCode.INVALID_RECORD
    append_time = bool(outer.magic and outer.attributes & LOG_APPEND_TIME)
    for number, each in enumerate(found):
        if rules.compacted and each.key is None:
            refused.append(number)
            continue
        timestamp = outer.timestamp if append_time else each.timestamp
        if rules.log_append_time or timestamp == NO_TIMESTAMP:
            wrong = append_time
        else:
            age_ms = now_ms - timestamp
            wrong = age_ms > rules.timestamp_before_max_ms or -age_ms > rules.timestamp_after_max_ms
        if wrong:
            refused.append(number)
            code = ErrorCode.INVALID_TIMESTAMP
    if refused:
        what = "a timestamp that may not be" if code is ErrorCode.INVALID_TIMESTAMP else "no key for a compacted topic"
        raise RecordsRefused(code, f"{len(refused)} records refused: {what}", refused)


# -- what the log is given


def _loose(
    data: bytearray, positions: Sequence[int], found: Sequence[Message | Record], rules: AppendRules, now_ms: int
) -> MessageSet:
    """Messages without a codec that are of the log's format already."""
    if not rules.magic:
        return LooseMessages(data, positions, NO_TIMESTAMP, 0, now_ms if rules.log_append_time else -1)
    if rules.log_append_time:
        for at, message in zip(positions, found, strict=True):
            if isinstance(message, Message):
                _set_time(data, at, message.end, message.attributes | LOG_APPEND_TIME, now_ms)
        return LooseMessages(data, positions, now_ms, 0, now_ms)
    for at, message in zip(positions, found, strict=True):
        if isinstance(message, Message) and message.attributes & LOG_APPEND_TIME:
            _set_time(data, at, message.end, message.attributes & ~LOG_APPEND_TIME, message.timestamp)
    largest_at = max(range(len(found)), key=lambda number: found[number].timestamp)
    return LooseMessages(data, positions, found[largest_at].timestamp, largest_at, -1)


def _wrapper_as_is(data: bytearray, inner: Sequence[Message], rules: AppendRules, now_ms: int) -> MessageSet:
    """A wrapper of format 1 whose inside need not change."""
    timestamp = now_ms if rules.log_append_time else max(each.timestamp for each in inner)
    attributes = data[17] & ~LOG_APPEND_TIME | (LOG_APPEND_TIME if rules.log_append_time else 0)
    _set_time(data, 0, len(data), attributes, timestamp)
    return RelativeWrapper(data, len(inner), timestamp, now_ms if rules.log_append_time else -1)


def _set_time(data: bytearray, at: int, end: int, attributes: int, timestamp: int) -> None:
    if data[at + 17] == attributes and data[at + 18 : at + 26] == timestamp.to_bytes(8, "big", signed=True):
        return
    data[at + 17] = attributes
    data[at + 18 : at + 26] = timestamp.to_bytes(8, "big", signed=True)
    with memoryview(data) as view:
        data[at + 12 : at + 16] = zlib.crc32(view[at + MAGIC_AT : end]).to_bytes(4, "big")


def _converted(records: Sequence[Record], codec: Codec, rules: AppendRules, now_ms: int) -> RecordBatch | MessageSet:
    """*records*, numbered from 0, in the log's format under *codec*."""
    append_time_ms = now_ms if rules.log_append_time else None
    told = -1 if append_time_ms is None else append_time_ms
    if rules.magic == 2:
        whole = build_batch(
            records,
            base_offset=0,
            codec=codec,
            level=rules.level,
            timestamp_type=TimestampType(rules.log_append_time),
            append_time_ms=told,
        )
        _check_size(len(whole), rules)
        return RecordBatch.parse(bytearray(whole))
    if codec is Codec.ZSTD:
        raise ApiError(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, f"zstd in a log of message format {rules.magic}")
    if codec is not Codec.NONE:
        if not rules.magic:
            return AbsoluteWrapper(records, codec, rules.level, told)
        data = bytearray(wrapped(records, rules.magic, codec, level=rules.level, append_time_ms=append_time_ms))
        _check_size(len(data), rules)
        largest = max(record.timestamp for record in records) if append_time_ms is None else append_time_ms
        return RelativeWrapper(data, len(records), largest, told)
    pieces = encode_set(records, rules.magic, append_time_ms)
    positions: list[int] = []
    at = 0
    for head, body in zip(pieces[::2], pieces[1::2], strict=True):
        positions.append(at)
        _check_size(len(head) + len(body), rules)
        at += len(head) + len(body)
    return _loose(bytearray(b"".join(pieces)), positions, records, rules, now_ms)


def _check_size(size: int, rules: AppendRules) -> None:
    if size > rules.max_message_bytes:
        raise ApiError(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"{size} bytes after conversion, max.message.bytes is {rules.max_message_bytes}",
        )
