"""Every refusal with its code, and what is done to the batches that pass."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.protocol.errors import ErrorCode
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression, compress
from wirebroker.record.errors import (
    BatchFramingError,
    InvalidRecordError,
    InvalidTimestampError,
    RecordValidationError,
)
from wirebroker.record.record_batch import TRANSACTIONAL, BatchProducer, Record, RecordBatch, TimestampType, stamp
from wirebroker.record.validate import FULL_SCAN_RECORDS, AppendRules, check_batch
from wirebroker.replication.errors import (
    ERROR_MAPPINGS,
)
from wirebroker.tests.record.produce_cases import (
    CASES,
    CODECS,
    GOOD,
    NOW_MS,
    Case,
    patched,
    record,
    timed_cases,
    with_area,
)

HOUR = 3_600_000
RULES = {
    "plain": AppendRules(),
    "compacted": AppendRules(compacted=True),
    "append-time": AppendRules(log_append_time=True),
    "bounded": AppendRules(timestamp_before_max_ms=HOUR, timestamp_after_max_ms=HOUR),
    "small": AppendRules(max_message_bytes=500),
    "gzip": AppendRules(codec=Codec.GZIP),
    "uncompressed": AppendRules(codec=Codec.NONE),
}


def answer(records: memoryview | None, rules: AppendRules, *, zstd_allowed: bool = True) -> ErrorCode:
    try:
        check_batch(records, rules, NOW_MS, zstd_allowed=zstd_allowed)
    except RecordValidationError as error:
        return ERROR_MAPPINGS[type(error)].code
    return ErrorCode.NONE


def check(data: bytes, rules: AppendRules | None = None) -> RecordBatch:
    """Check a batch in the middle of a larger buffer, as it is in a request's frame."""
    frame = bytearray(b"front" + data + b"behind")
    return check_batch(memoryview(frame)[5 : 5 + len(data)], rules or AppendRules(), NOW_MS)


@pytest.mark.parametrize("case", [*CASES, *timed_cases(NOW_MS)], ids=lambda case: f"{case.topic}: {case.name}")
def test_code(case: Case) -> None:
    frame = bytearray(b"front" + case.records + b"behind")
    view = memoryview(frame)[5 : 5 + len(case.records)]
    assert answer(view, RULES[case.topic], zstd_allowed=case.version >= 7) == case.code
    read_only = memoryview(case.records)
    assert answer(read_only, RULES[case.topic], zstd_allowed=case.version >= 7) == case.code


def test_null_records() -> None:
    assert answer(None, AppendRules()) == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("codec", CODECS)
def test_bomb(codec: Codec) -> None:
    bomb = with_area(compress(codec, bytes(65 << 20)), codec=codec)
    rules = AppendRules(max_message_bytes=1 << 30)
    if codec is Codec.SNAPPY:  # 22 to 1 at most: not dangerous, and under the limit of eight times its size only above
        assert len(bomb) * 8 < 65 << 20
    assert answer(memoryview(bomb), rules) == ErrorCode.MESSAGE_TOO_LARGE


def test_trailing_bytes_are_dropped() -> None:
    batch = check(GOOD + b"trailing")
    assert bytes(batch.buffer) == GOOD
    assert batch.size_bytes == len(GOOD)


def test_the_batch_is_a_view_not_a_copy() -> None:
    data = bytearray(GOOD)
    batch = check_batch(memoryview(data), AppendRules(), NOW_MS)
    stamp(batch, 1234, 7)
    again = RecordBatch.parse(data)
    assert (again.base_offset, again.partition_leader_epoch) == (1234, 7)
    assert (batch.base_offset, batch.partition_leader_epoch, batch.next_offset) == (1234, 7, 1235)
    assert again.is_valid()


def test_stamping_takes_the_largest_offset_and_no_epoch() -> None:
    batch = check_batch(memoryview(bytearray(GOOD)), AppendRules(), NOW_MS)
    stamp(batch, (1 << 63) - 1, -1)
    assert RecordBatch.parse(batch.buffer).base_offset == (1 << 63) - 1
    assert RecordBatch.parse(batch.buffer).partition_leader_epoch == -1


@pytest.mark.parametrize("writable", [True, False])
def test_log_append_time(writable: bool) -> None:
    data = bytearray(GOOD)
    batch = check_batch(memoryview(data if writable else bytes(data)), AppendRules(log_append_time=True), NOW_MS + 5)
    again = RecordBatch.parse(batch.buffer)
    assert again.timestamp_type is batch.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert again.max_timestamp == batch.max_timestamp == NOW_MS + 5
    assert again.is_valid()
    assert again.crc == batch.crc
    assert [r.timestamp for r in again.records()] == [NOW_MS + 5]
    assert (data != GOOD) is writable


def test_append_time_bit_is_taken_off() -> None:
    batch = check(patched(GOOD, attributes=8))
    assert RecordBatch.parse(batch.buffer).timestamp_type is TimestampType.CREATE_TIME
    assert batch.is_valid()


def test_append_time_bit_is_refused_by_releases_before_3_6() -> None:
    rules = AppendRules(refuses_log_append_time=True)
    assert answer(memoryview(patched(GOOD, attributes=8)), rules) == ErrorCode.INVALID_TIMESTAMP
    assert answer(memoryview(bytearray(GOOD)), rules) == ErrorCode.NONE


@pytest.mark.parametrize("codec", Codec)
def test_max_timestamp_is_corrected(codec: Codec) -> None:
    records = [record(offset=n, timestamp=NOW_MS - n * 7) for n in range(FULL_SCAN_RECORDS)]
    batch = check(patched(build_batch(records, compression=Compression(codec)), max_timestamp=5))
    assert batch.max_timestamp == NOW_MS
    assert RecordBatch.parse(batch.buffer).max_timestamp == NOW_MS
    assert batch.is_valid()


@pytest.mark.parametrize("target", Codec)
@pytest.mark.parametrize("source", Codec)
@pytest.mark.parametrize("count", [1, 100])
def test_compression_type_of_the_topic(source: Codec, target: Codec, count: int) -> None:
    records = [Record(n, NOW_MS + n, b"k", b"value " * 9, [(b"h", None)]) for n in range(count)]
    sent = build_batch(
        records, compression=Compression(source), producer=BatchProducer(9, 2, 40), attributes=TRANSACTIONAL
    )
    batch = check(sent, AppendRules(codec=target))
    again = RecordBatch.parse(batch.buffer)
    assert again.is_valid()
    assert again.codec is batch.codec is target
    assert list(again.records()) == records
    assert (again.producer_id, again.producer_epoch, again.base_sequence) == (9, 2, 40)
    assert again.is_transactional
    assert (again.max_timestamp, again.last_offset_delta) == (NOW_MS + count - 1, count - 1)
    if source is target:
        assert bytes(batch.buffer) == sent
    stamp(batch, 5, 5)
    assert batch.is_valid()


def test_compression_type_with_append_time() -> None:
    batch = check(GOOD, AppendRules(codec=Codec.ZSTD, log_append_time=True))
    again = RecordBatch.parse(batch.buffer)
    assert again.is_valid()
    assert [r.timestamp for r in again.records()] == [NOW_MS]
    assert again.timestamp_type is TimestampType.LOG_APPEND_TIME


def test_size_is_checked_again_after_recompression() -> None:
    sent = build_batch([record(bytes(2000))], compression=Compression(Codec.GZIP))
    assert answer(memoryview(sent), AppendRules(max_message_bytes=1000)) == ErrorCode.NONE
    rules = AppendRules(max_message_bytes=1000, codec=Codec.NONE)
    assert answer(memoryview(sent), rules) == ErrorCode.MESSAGE_TOO_LARGE


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.LZ4])
@pytest.mark.parametrize(
    ("rules", "error", "indexes"),
    [
        (RULES["compacted"], InvalidRecordError, [1, 3]),
        (RULES["bounded"], InvalidTimestampError, [2, 3, 4]),
        (AppendRules(compacted=True, timestamp_before_max_ms=HOUR), InvalidTimestampError, [1, 2, 3]),
    ],
)
def test_records_at_fault_are_named(
    codec: Codec, rules: AppendRules, error: type[RecordValidationError], indexes: list[int]
) -> None:
    ages_ms = [0, 0, 2 * HOUR, 3 * HOUR, -2 * HOUR, 0]
    keys = [b"k", None, b"k", None, b"k", b"k"]
    records = [Record(n, NOW_MS - age, key, b"v", []) for n, (age, key) in enumerate(zip(ages_ms, keys, strict=True))]
    with pytest.raises(error) as refused:
        check(build_batch(records, compression=Compression(codec)), rules)
    assert refused.value.record_indexes == indexes


@pytest.mark.parametrize("data", [None, b"", GOOD + GOOD, GOOD[:-1], patched(GOOD, magic=1)])
def test_bytes_that_are_not_one_batch(data: bytes | None) -> None:
    """The answer to these has no log start offset."""
    with pytest.raises(BatchFramingError):
        check_batch(None if data is None else memoryview(data), AppendRules(), NOW_MS)


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_refused_with_a_code(data: bytes) -> None:
    assert answer(memoryview(data), AppendRules()) in (ErrorCode.INVALID_RECORD, ErrorCode.CORRUPT_MESSAGE)


@given(st.integers(0, 10_000), st.sampled_from(Codec), st.integers(1, 60), st.booleans())
def test_damage_under_a_right_checksum(seed: int, codec: Codec, count: int, compacted: bool) -> None:
    """A changed byte is refused with one of the codes, or leaves something that can be read back."""
    random = Random(seed)
    batch = bytearray(
        build_batch(
            [record(random.randbytes(20), b"k", offset=n) for n in range(count)], compression=Compression(codec)
        )
    )
    batch[random.randrange(21, len(batch))] = random.randrange(256)
    sent = patched(bytes(batch))
    code = answer(memoryview(sent), AppendRules(compacted=compacted))
    assert code in (
        ErrorCode.NONE,
        ErrorCode.INVALID_RECORD,
        ErrorCode.INVALID_TIMESTAMP,
        ErrorCode.UNKNOWN_SERVER_ERROR,
        ErrorCode.MESSAGE_TOO_LARGE,
    )
    if code == ErrorCode.NONE and count <= FULL_SCAN_RECORDS:
        assert len(list(check(sent).records())) == count
