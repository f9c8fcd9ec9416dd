"""Message sets of Produce v0-v2: what is taken, in which form a log gets it, and the code of every refusal."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.errors import (
    BatchFramingError,
    CorruptRecordError,
    DecompressionError,
    InvalidRecordError,
    InvalidTimestampError,
    RecordTooLargeError,
    RecordValidationError,
    UnsupportedCompressionTypeError,
    UnsupportedForMessageFormatError,
)
from wirebroker.record.legacy import LegacyBatch, any_batches, build_legacy_record, wrap
from wirebroker.record.message_set import MessageSet
from wirebroker.record.record_batch import TRANSACTIONAL, BatchProducer, Record, RecordBatch, TimestampType
from wirebroker.record.validate import AppendRules, check_batch
from wirebroker.record.validate_legacy import check_message_set, down_convert_for_log
from wirebroker.tests.record.legacy_message_sets import OLD_CODECS, PAIRS, Pair, message_set, patched_message
from wirebroker.tests.record.produce_cases import NOW_MS

APPENDED_MS = NOW_MS + 5000
BASE = 100
ONE = message_set(1, pairs=PAIRS[:1])


@dataclass
class Kept:
    """The messages of a set as they are in the log."""

    batches: list[RecordBatch | LegacyBatch]
    pairs: list[Pair] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)


def keep(data: bytes, rules: AppendRules) -> tuple[Kept, RecordBatch | MessageSet]:
    """Check a set, stamp it with offsets from BASE on, and read it again."""
    checked = check_message_set(memoryview(data), rules, APPENDED_MS)
    assert checked is not None
    if isinstance(checked, MessageSet):
        checked.stamp(BASE)
        stored = bytes(checked.buffer)
        assert checked.size_bytes == len(stored)
    else:
        checked.base_offset = BASE
        stored = BASE.to_bytes(8, "big") + bytes(checked.buffer[8:])
    kept = Kept(list(any_batches(stored)))
    assert sum(batch.size_bytes for batch in kept.batches) == len(stored)
    for batch in kept.batches:
        assert batch.is_valid()
        for record in batch.records():
            kept.pairs.append((record.key, record.value))
            kept.offsets.append(record.offset)
            kept.times.append(record.timestamp)
    return kept, checked


@pytest.mark.parametrize("codec", [None, Codec.NONE, Codec.LZ4])
@pytest.mark.parametrize("append_time", [False, True])
@pytest.mark.parametrize("kept_magic", [0, 1, 2])
@pytest.mark.parametrize("sent", OLD_CODECS)
@pytest.mark.parametrize("magic", [0, 1])
def test_every_way_into_a_log(magic: int, sent: Codec, kept_magic: int, append_time: bool, codec: Codec | None) -> None:
    rules = AppendRules(magic=kept_magic, log_append_time=append_time, codec=codec)
    kept, checked = keep(message_set(magic, sent, base=3), rules)
    assert kept.pairs == list(PAIRS)
    assert kept.offsets == list(range(BASE, BASE + 5))
    assert {batch.magic for batch in kept.batches} == {kept_magic}
    final = sent if codec is None else codec
    assert {batch.codec for batch in kept.batches} == {final}
    assert len(kept.batches) == (5 if final is Codec.NONE and kept_magic < 2 else 1)
    if kept_magic == 0:
        times = [-1] * 5
    elif append_time:
        times = [APPENDED_MS] * 5
    else:
        times = [NOW_MS + number if magic else -1 for number in range(5)]
    assert kept.times == times
    assert checked.max_timestamp == max(times)
    if kept_magic:
        kind = TimestampType.LOG_APPEND_TIME if append_time else TimestampType.CREATE_TIME
        assert {batch.timestamp_type for batch in kept.batches} == {kind}
    if isinstance(checked, MessageSet):
        assert (checked.count, checked.log_append_time) == (5, APPENDED_MS if append_time else -1)
        if final is not Codec.NONE and kept_magic:
            assert checked.index_of_max_timestamp == 4  # a wrapper's last
        else:
            assert checked.index_of_max_timestamp == (0 if append_time or not magic or not kept_magic else 4)


def test_unchanged_parts_are_kept_byte_for_byte() -> None:
    rules = AppendRules(magic=1)
    for data in (message_set(1, Codec.GZIP), ONE):
        kept, _ = keep(data, rules)
        stored = b"".join(bytes(batch.buffer) for batch in kept.batches)
        assert stored[8:] == data[8:]
    # inner offsets that do not begin at 0
    odd = wrap(message_set(1, base=7), 1, Compression(Codec.GZIP), 11, timestamp=NOW_MS)
    kept, _ = keep(odd, rules)
    assert bytes(kept.batches[0].buffer)[8:] != odd[8:]
    assert kept.offsets == list(range(BASE, BASE + 5))


def test_the_largest_timestamp_and_where_it_is() -> None:
    data = message_set(1, timestamps=[5, 9, -1, 9, 8])
    _, checked = keep(data, AppendRules(magic=1))
    assert isinstance(checked, MessageSet)
    assert (checked.max_timestamp, checked.index_of_max_timestamp) == (9, 1)
    kept, batch = keep(message_set(1, Codec.GZIP, timestamps=[5, 9, -1, 9, 8]), AppendRules())
    assert batch.max_timestamp == 9
    assert kept.times == [5, 9, -1, 9, 8]


def test_a_batch_may_come_as_well() -> None:
    batch = build_batch([Record(0, NOW_MS, b"k", b"v", [])])
    kept, _ = keep(batch, AppendRules())
    assert [each.magic for each in kept.batches] == [2]
    kept, _ = keep(batch, AppendRules(magic=1))
    assert [each.magic for each in kept.batches] == [1]


def test_nothing_and_null() -> None:
    assert check_message_set(memoryview(b""), AppendRules(), NOW_MS) is None
    with pytest.raises(BatchFramingError):
        check_message_set(None, AppendRules(), NOW_MS)


def spoilt_inside(magic: int) -> bytes:
    inside = bytearray(message_set(magic))
    inside[-1] ^= 1
    return wrap(bytes(inside), magic, Compression(Codec.GZIP), 4)


CORRUPT, INVALID, UNKNOWN = CorruptRecordError, InvalidRecordError, DecompressionError
REFUSED = {
    "checksum": (ONE[:-1] + b"?", CORRUPT),
    "cut off": (ONE[:-1], CORRUPT),
    "the last one cut off": (ONE + ONE[:-1], CORRUPT),
    "a few bytes more": (ONE + b"123", CORRUPT),
    "size 13": (patched_message(ONE, 8, "i", 13), CORRUPT),
    "size -1": (patched_message(ONE, 8, "i", -1), CORRUPT),
    "magic 3": (patched_message(ONE, 16, "b", 3), CORRUPT),
    "magic -1": (patched_message(ONE, 16, "b", -1), CORRUPT),
    "two formats": (ONE + message_set(0), INVALID),
    "old and new": (ONE + build_batch([Record(0, 1, None, b"v", [])]), INVALID),
    "key length": (patched_message(ONE, 26, "i", 3), INVALID),
    "value length": (patched_message(ONE, 32, "i", 99), INVALID),
    "two wrappers": (message_set(1, Codec.GZIP) * 2, INVALID),
    "a wrapper and a message": (message_set(1, Codec.GZIP) + ONE, INVALID),
    "a message and a wrapper": (ONE + message_set(1, Codec.GZIP), INVALID),
    "zstd": (wrap(ONE, 1, Compression(Codec.ZSTD), 0), INVALID),
    "codec 5": (build_legacy_record(0, 1, None, b"x", attributes=5), UNKNOWN),
    "not gzip": (build_legacy_record(0, 1, None, b"x", attributes=1), UNKNOWN),
    "no frame": (build_legacy_record(0, 0, None, b"x", attributes=3), UNKNOWN),
    "an old lz4 checksum in format 1": (
        build_legacy_record(0, 1, None, wrap(ONE, 0, Compression(Codec.LZ4), 0)[26:], attributes=3),
        UNKNOWN,
    ),
    "an empty wrapper": (wrap(b"", 1, Compression(Codec.GZIP), 0), INVALID),
    "a wrapper without a value": (build_legacy_record(0, 1, None, None, attributes=1), INVALID),
    "a wrapper in a wrapper": (wrap(message_set(1, Codec.GZIP), 1, Compression(Codec.SNAPPY), 4), INVALID),
    "format 0 inside 1": (wrap(message_set(0), 1, Compression(Codec.GZIP), 4), INVALID),
    "format 1 inside 0": (wrap(message_set(1), 0, Compression(Codec.GZIP), 4), INVALID),
    "wrapper offset": (wrap(message_set(1), 1, Compression(Codec.GZIP), 3), INVALID),
    "checksum inside 0": (spoilt_inside(0), CORRUPT),
    "checksum inside 1": (spoilt_inside(1), CORRUPT),
    "cut off inside": (wrap(message_set(1)[:-1], 1, Compression(Codec.GZIP), 4), CORRUPT),
}


@pytest.mark.parametrize("kept_magic", [0, 1, 2])
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, kept_magic: int) -> None:
    data, error = REFUSED[name]
    with pytest.raises(error):
        check_message_set(memoryview(data), AppendRules(magic=kept_magic), NOW_MS)


@pytest.mark.parametrize(
    ("data", "rules", "error", "indexes"),
    [
        (message_set(1, Codec.GZIP), AppendRules(compacted=True), INVALID, [1]),
        (message_set(0), AppendRules(compacted=True), INVALID, [0]),
        (
            message_set(1, Codec.GZIP, timestamps=[NOW_MS, NOW_MS - 10, NOW_MS, NOW_MS, NOW_MS + 10]),
            AppendRules(timestamp_before_max_ms=9, timestamp_after_max_ms=9),
            InvalidTimestampError,
            [1, 4],
        ),
        (
            message_set(1, timestamps=[NOW_MS, NOW_MS - 10, 0, 0, 0]),
            AppendRules(timestamp_before_max_ms=9),
            InvalidTimestampError,
            [0],
        ),
        (message_set(1, attributes=8), AppendRules(log_append_time=True), InvalidTimestampError, [0]),
        (message_set(1, attributes=8), AppendRules(refuses_log_append_time=True), InvalidTimestampError, [0]),
        (
            message_set(1, Codec.LZ4, attributes=8, timestamps=[-1] * 5),
            AppendRules(),
            InvalidTimestampError,
            [0, 1, 2, 3, 4],
        ),
    ],
)
def test_records_that_break_a_rule(
    data: bytes, rules: AppendRules, error: type[RecordValidationError], indexes: list[int]
) -> None:
    with pytest.raises(error) as refused:
        check_message_set(memoryview(data), rules, NOW_MS)
    assert refused.value.record_indexes == indexes


def test_sizes() -> None:
    for kept_magic in (0, 1, 2):
        with pytest.raises(RecordTooLargeError):  # as it came
            check_message_set(memoryview(ONE), AppendRules(len(ONE) - 1, magic=kept_magic), NOW_MS)
    small = message_set(1, pairs=[(None, b"")] * 10)
    assert check_message_set(memoryview(small), AppendRules(34, magic=1), NOW_MS) is not None
    with pytest.raises(RecordTooLargeError):  # as one batch
        check_message_set(memoryview(small), AppendRules(100), NOW_MS)
    with pytest.raises(RecordTooLargeError):  # as one wrapper
        check_message_set(memoryview(small), AppendRules(60, magic=1, codec=Codec.SNAPPY), NOW_MS)
    bomb = wrap(build_legacy_record(0, 1, None, bytes(80 << 20)), 1, Compression(Codec.GZIP), 0)
    with pytest.raises(RecordTooLargeError):
        check_message_set(memoryview(bomb), AppendRules(), NOW_MS)


@pytest.mark.parametrize(
    ("batch", "error"),
    [
        (
            build_batch([Record(0, NOW_MS, b"k", b"v", [])], producer=BatchProducer(1, 0, 0)),
            UnsupportedForMessageFormatError,
        ),
        (
            build_batch([Record(0, NOW_MS, b"k", b"v", [])], producer=BatchProducer(1, 0, 0), attributes=TRANSACTIONAL),
            UnsupportedForMessageFormatError,
        ),
        (
            build_batch([Record(0, NOW_MS, b"k", b"v", [(b"h", b"x")])]),
            UnsupportedForMessageFormatError,
        ),
        (
            build_batch([Record(0, NOW_MS, b"k", b"v", [])], compression=Compression(Codec.ZSTD)),
            UnsupportedCompressionTypeError,
        ),
    ],
)
@pytest.mark.parametrize("kept_magic", [0, 1])
def test_fields_that_old_formats_lack(batch: bytes, error: type[RecordValidationError], kept_magic: int) -> None:
    rules = AppendRules(magic=kept_magic)
    checked = check_batch(memoryview(batch), rules, NOW_MS)
    with pytest.raises(error):
        down_convert_for_log(checked, rules, NOW_MS)
