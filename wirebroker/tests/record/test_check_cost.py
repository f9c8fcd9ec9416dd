"""Which batches are checked where they come in, and which are left to a thread; both ways judge alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.record.builder import build_batch
from wirebroker.record.compression import XERIAL_HEADER, Codec, Compression, compress, decompress
from wirebroker.record.errors import (
    DecompressionError,
    DecompressionLimitError,
    HeaderLimitError,
    InvalidRecordError,
)
from wirebroker.record.record_batch import Record
from wirebroker.record.validate import (
    DECOMPRESSED_AT_ONCE_BYTES,
    FIELDS_READ_AT_ONCE,
    HEADERS_READ_AT_ONCE,
    LENGTHS_FOLLOWED_AT_ONCE,
    PIECES_DECOMPRESSED_AT_ONCE,
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


def with_headers(records: int, headers: int, codec: Codec = Codec.NONE) -> memoryview:
    """Return a batch of *records* records with *headers* empty headers each."""
    made = [Record(number, NOW_MS, b"k", b"", [(b"", b"")] * headers) for number in range(records)]
    return memoryview(bytearray(build_batch(made, compression=Compression(codec))))


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

    def refused(codec: Codec, data: memoryview, limit_bytes: int, most_pieces: int) -> bytes:
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


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.ZSTD])
@pytest.mark.parametrize(
    ("rules", "records", "headers", "at_once"),
    [
        (PLAIN, 1, HEADERS_READ_AT_ONCE, True),
        (PLAIN, 1, HEADERS_READ_AT_ONCE + 1, False),
        (PLAIN, 32, HEADERS_READ_AT_ONCE // 32, True),
        (PLAIN, 32, HEADERS_READ_AT_ONCE // 32 + 1, False),
        (PLAIN, 33, HEADERS_READ_AT_ONCE // 32 + 1, True),  # no fields are read
        (COMPACTED, 1024, HEADERS_READ_AT_ONCE // 1024, True),
        (COMPACTED, 1024, HEADERS_READ_AT_ONCE // 1024 + 1, False),
    ],
)
def test_no_more_headers_are_read_at_once_than_is_allowed(
    codec: Codec, rules: AppendRules, records: int, headers: int, at_once: bool
) -> None:
    batch = header(with_headers(records, headers, codec), rules)
    before = bytes(batch.buffer)
    area = area_at_once(batch, rules)
    assert area is not None
    if at_once:
        assert bytes(check_records(batch, rules, NOW_MS, area).buffer) == before
    else:
        with pytest.raises(HeaderLimitError):
            check_records(batch, rules, NOW_MS, area)
    assert bytes(check_records(batch, rules, NOW_MS).buffer) == before


def empty_pieces(codec: Codec, count: int) -> bytes:
    """Return compressed data of *count* empty pieces."""
    if codec is not Codec.SNAPPY:
        return compress(codec, b"") * count
    return XERIAL_HEADER + b"\0\0\0\1\0" * count


@pytest.mark.parametrize(("codec", "each"), [(Codec.GZIP, 1), (Codec.SNAPPY, 1), (Codec.ZSTD, 2)])
def test_no_more_pieces_are_decompressed_at_once_than_is_allowed(codec: Codec, each: int) -> None:
    """A frame of zstd counts as two pieces: itself, and its block."""
    most = PIECES_DECOMPRESSED_AT_ONCE
    assert decompress(codec, empty_pieces(codec, most // each), 1, most) == b""
    with pytest.raises(DecompressionLimitError):
        decompress(codec, empty_pieces(codec, most // each + 1), 1, most)
    assert decompress(codec, empty_pieces(codec, 5 * most), 1) == b""


def test_zstd_frames_to_be_skipped_are_pieces() -> None:
    data = b"\x50\x2a\x4d\x18\0\0\0\0" * PIECES_DECOMPRESSED_AT_ONCE
    with pytest.raises(DecompressionLimitError):
        decompress(Codec.ZSTD, data + compress(Codec.ZSTD, b""), 1, PIECES_DECOMPRESSED_AT_ONCE)


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.SNAPPY, Codec.ZSTD])
def test_a_batch_of_many_pieces_is_left_to_a_thread(codec: Codec) -> None:
    batch = header(made(1, 10, codec), PLAIN)
    empty = empty_pieces(codec, PIECES_DECOMPRESSED_AT_ONCE)
    pieces = bytes(batch.buffer[61:])
    data = empty + pieces.removeprefix(XERIAL_HEADER) if codec is Codec.SNAPPY else empty + pieces
    batch.buffer = memoryview(bytes(batch.buffer[:61]) + data)
    assert area_at_once(batch, PLAIN) is None
