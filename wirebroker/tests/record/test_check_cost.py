"""Which batches are checked where they come in, and which are left to a thread; both ways judge alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.errors import (
    DecompressionError,
    InvalidRecordError,
)
from wirebroker.record.record_batch import Record
from wirebroker.record.validate import (
    DECOMPRESSED_AT_ONCE_BYTES,
    FIELDS_READ_AT_ONCE,
    LENGTHS_FOLLOWED_AT_ONCE,
    RECODED_AT_ONCE_BYTES,
    RECORDS_NAMED,
    AppendRules,
    area_at_once,
    check_batch,
    check_header,
    check_records,
)

if TYPE_CHECKING:
    from wirebroker.record.record_batch import RecordBatch

NOW_MS = 1_700_000_000_000
LIMIT = 1 << 30
PLAIN = AppendRules(LIMIT)
COMPACTED = AppendRules(LIMIT, compacted=True)
BOUNDED = AppendRules(LIMIT, timestamp_before_max_ms=1000)
RECODED = AppendRules(LIMIT, codec=Codec.GZIP)


def made(count: int, value_bytes: int = 0, codec: Codec = Codec.NONE, key: bytes | None = b"k") -> memoryview:
    records = [Record(number, NOW_MS, key, bytes(value_bytes), []) for number in range(count)]
    return memoryview(bytearray(build_batch(records, compression=Compression(codec))))


def header(data: memoryview, rules: AppendRules) -> RecordBatch:
    return check_header(data, rules)


@pytest.mark.parametrize(
    ("rules", "count", "value_bytes", "codec", "at_once"),
    [
        (PLAIN, LENGTHS_FOLLOWED_AT_ONCE, 0, Codec.NONE, True),
        (PLAIN, LENGTHS_FOLLOWED_AT_ONCE + 1, 0, Codec.NONE, False),
        (COMPACTED, FIELDS_READ_AT_ONCE, 0, Codec.NONE, True),
        (COMPACTED, FIELDS_READ_AT_ONCE + 1, 0, Codec.NONE, False),
        (BOUNDED, FIELDS_READ_AT_ONCE + 1, 0, Codec.NONE, False),
        (PLAIN, 1, 10_000_000, Codec.NONE, True),
        (PLAIN, 1, DECOMPRESSED_AT_ONCE_BYTES - 100, Codec.ZSTD, True),
        (PLAIN, 1, DECOMPRESSED_AT_ONCE_BYTES, Codec.ZSTD, False),
        (PLAIN, 1, DECOMPRESSED_AT_ONCE_BYTES, Codec.GZIP, False),
        (RECODED, 1, RECODED_AT_ONCE_BYTES - 100, Codec.NONE, True),
        (RECODED, 1, RECODED_AT_ONCE_BYTES, Codec.NONE, False),
        (RECODED, 1, RECODED_AT_ONCE_BYTES, Codec.ZSTD, False),
        (RECODED, 1, RECODED_AT_ONCE_BYTES, Codec.GZIP, True),
    ],
)
def test_batches_that_are_checked_at_once(
    rules: AppendRules, count: int, value_bytes: int, codec: Codec, at_once: bool
) -> None:
    area = area_at_once(header(made(count, value_bytes, codec), rules), rules)
    assert (area is not None) == at_once


def test_no_more_is_decompressed_at_once_than_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []

    def refused(codec: Codec, data: memoryview, limit_bytes: int) -> bytes:
        limits.append(limit_bytes)
        return b""

    monkeypatch.setattr("wirebroker.record.validate.decompress", refused)
    area_at_once(header(made(1, 50_000_000, Codec.ZSTD), PLAIN), PLAIN)
    assert limits == [DECOMPRESSED_AT_ONCE_BYTES]


@pytest.mark.parametrize("codec", list(Codec))
@pytest.mark.parametrize("rules", [PLAIN, COMPACTED, RECODED])
def test_with_and_without_the_area_the_result_is_the_same(rules: AppendRules, codec: Codec) -> None:
    results = []
    for with_area in (True, False):
        batch = header(made(100, 30, codec), rules)
        area = area_at_once(batch, rules) if with_area else None
        results.append(bytes(check_records(batch, rules, NOW_MS, area).buffer))
    assert results[0] == results[1]


def test_data_that_its_codec_cannot_read_is_refused_at_once() -> None:
    data = made(10, 30, Codec.ZSTD)
    batch = header(data, PLAIN)
    batch.buffer[61:70] = bytes(9)
    with pytest.raises(DecompressionError):
        area_at_once(batch, PLAIN)


def test_an_answer_names_a_bounded_number_of_refused_records() -> None:
    with pytest.raises(InvalidRecordError) as refused:
        check_batch(made(RECORDS_NAMED + 500, key=None), COMPACTED, NOW_MS)
    assert refused.value.record_indexes == list(range(RECORDS_NAMED))
    assert str(refused.value).startswith(f"{RECORDS_NAMED + 500} records without a key")
