"""A range of a log in an older format: all of it, in order, of the size that was promised, a piece at a time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from wirebroker.record.builder import build_batch, simple_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.control import build_marker
from wirebroker.record.convert import NotConvertibleError, down_convert
from wirebroker.record.errors import RecordError
from wirebroker.record.legacy import any_batches
from wirebroker.record.record_batch import TRANSACTIONAL, BatchProducer, Record, RecordBatch
from wirebroker.replication.lazy_down_conversion import PIECE_BYTES, EmptyRangeError, LazyDownConversionRecords
from wirebroker.storage.files import File
from wirebroker.storage.log_slice import LogSlice
from wirebroker.tests.record.legacy_message_sets import message_set

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Range = Callable[..., LogSlice]


@pytest.fixture
def written(tmp_path: Path) -> Range:
    """A range of a file that holds what is given, or its first *size_bytes*."""

    def write(*parts: bytes, size_bytes: int | None = None) -> LogSlice:
        path = tmp_path / "some.log"
        path.write_bytes(b"??" + b"".join(parts))
        size = sum(map(len, parts)) if size_bytes is None else size_bytes
        return LogSlice(File(str(path), os.open(path, os.O_RDWR)), 2, size, 0)

    return write


def values(*numbers: int) -> bytes:
    """A batch of records with these offsets, which are their values, too."""
    return build_batch([Record(n, 9, None, b"%d" % n, []) for n in numbers])


def transactional(producer_id: int, *numbers: int) -> bytes:
    records = [Record(n, 9, None, b"%d" % n, []) for n in numbers]
    return build_batch(records, producer=BatchProducer(producer_id, 0, 0), attributes=TRANSACTIONAL)


def marker(offset: int, producer_id: int, *, committed: bool) -> bytes:
    return build_marker(
        committed=committed,
        producer_id=producer_id,
        producer_epoch=0,
        coordinator_epoch=0,
        timestamp=9,
        base_offset=offset,
    )


def sent(converted: LazyDownConversionRecords) -> bytes:
    data = b"".join(converted.pieces())
    assert len(data) == converted.size_bytes
    return data


def offsets(data: bytes) -> list[int]:
    return [record.offset for batch in any_batches(data) for record in batch.records()]


@pytest.mark.parametrize("magic", [0, 1])
def test_mixed_formats(written: Range, magic: int) -> None:
    parts = [
        message_set(0),
        message_set(1, Codec.GZIP, base=5),
        message_set(1, base=10),
        values(15, 16),
        build_batch([Record(17, 3, b"k", b"z" * 2000, [])], compression=Compression(Codec.SNAPPY)),
    ]
    data = sent(LazyDownConversionRecords(written(*parts), magic, 0))
    whole = [batch for batch in any_batches(data) if batch.last_offset >= 0]
    assert {batch.magic for batch in whole} == ({0} if magic == 0 else {0, 1})
    assert [record.offset for batch in whole for record in batch.records()][:17] == list(range(17))
    assert data.startswith(parts[0])  # what is old enough already is sent as it is
    if magic:
        assert data[len(parts[0]) :].startswith(parts[1] + parts[2])


def test_size_is_that_of_the_range_or_of_the_first_batch(written: Range) -> None:
    first, second = values(*range(200)), values(*range(200, 205))
    grown = len(down_convert(RecordBatch.parse(first), 1))
    assert grown > len(first) + len(second)
    converted = LazyDownConversionRecords(written(first, second), 1, 0)
    assert converted.size_bytes == grown
    assert offsets(sent(converted)) == list(range(200))

    packed = build_batch([Record(n, 9, None, bytes(500), []) for n in range(50)], compression=Compression(Codec.GZIP))
    many = [values(n) for n in range(50, 150)]
    records = written(packed, *many)
    converted = LazyDownConversionRecords(records, 1, 0)
    assert converted.size_bytes == records.size_bytes
    data = sent(converted)
    found = [record.offset for batch in any_batches(data) for record in batch.records()]
    assert found == list(range(150))  # 69 bytes a batch became 36 a message


def test_the_missing_bytes_are_an_incomplete_message(written: Range) -> None:
    parts = [values(n) for n in range(40)]
    data = sent(LazyDownConversionRecords(written(*parts), 1, 0))
    whole = sum(len(down_convert(RecordBatch.parse(part), 1)) for part in parts)
    rest = data[whole:]
    assert len(rest) > 61
    assert int.from_bytes(rest[:8], "big", signed=True) == -1
    assert int.from_bytes(rest[8:12], "big") == len(rest) + 1
    assert not any(rest[12:])
    assert offsets(data) == list(range(40))


def test_first_offset(written: Range) -> None:
    parts = (values(*range(10)), values(*range(10, 20)))
    found = offsets(sent(LazyDownConversionRecords(written(*parts), 1, 7)))
    assert found == list(range(7, 7 + len(found)))  # the rest was cut off
    packed = build_batch([Record(n, 9, None, b"v", []) for n in range(10)], compression=Compression(Codec.GZIP))
    assert offsets(sent(LazyDownConversionRecords(written(packed), 1, 7))) == list(range(10))


def test_a_range_cut_off_in_a_batch(written: Range) -> None:
    first, second = values(0, 1), values(2, 3)
    converted = LazyDownConversionRecords(written(first, second, size_bytes=len(first) + len(second) - 1), 1, 0)
    assert offsets(sent(converted)) == [0, 1]
    with pytest.raises(EmptyRangeError) as nothing:
        LazyDownConversionRecords(written(first, size_bytes=len(first) - 1), 1, 0)
    assert nothing.value.next_offset is None
    with pytest.raises(EmptyRangeError):
        LazyDownConversionRecords(written(first, size_bytes=5), 1, 0)


def test_limit_that_holds_for_the_first_batch_too(written: Range) -> None:
    converted = LazyDownConversionRecords(written(values(*range(100))), 1, 0, 200)
    assert converted.size_bytes == 200
    assert offsets(sent(converted)) == list(range(5))


def test_control_batches_are_left_out_and_aborted_records_sent(written: Range) -> None:
    parts = [
        transactional(1, 0),
        transactional(2, 1, 2),
        values(3),
        marker(4, 1, committed=False),
        marker(5, 2, committed=True),
        transactional(1, 6),
        transactional(2, 7),
        marker(8, 1, committed=True),
        marker(9, 2, committed=False),
        transactional(2, 10),
    ]
    for magic in (0, 1):
        assert offsets(sent(LazyDownConversionRecords(written(*parts), magic, 0))) == [0, 1, 2, 3, 6, 7, 10]
    with pytest.raises(EmptyRangeError) as nothing:
        LazyDownConversionRecords(written(*parts[3:5]), 1, 4)
    assert nothing.value.next_offset == 6


def test_batches_that_cannot_be_converted(written: Range) -> None:
    zstd = build_batch([Record(0, 9, None, b"v", [])], compression=Compression(Codec.ZSTD))
    with pytest.raises(NotConvertibleError):
        LazyDownConversionRecords(written(zstd, values(1)), 1, 0)
    data = sent(LazyDownConversionRecords(written(values(0), zstd, values(1)), 1, 0))
    assert offsets(data) == [0]  # the next Fetch begins with the second one, and is answered with the error
    spoilt = bytearray(values(5, 6))
    spoilt[61] = 0xFF
    with pytest.raises(RecordError):
        LazyDownConversionRecords(written(bytes(spoilt)), 1, 0)
    assert offsets(sent(LazyDownConversionRecords(written(values(4), bytes(spoilt)), 1, 0))) == [4]


def test_pieces_are_bounded(written: Range) -> None:
    batch = simple_batch([bytes(100)] * 1000)
    parts = [RecordBatch.parse(bytearray(batch)) for _ in range(40)]
    for number, part in enumerate(parts):
        part.buffer[:8] = (number * 1000).to_bytes(8, "big")
    converted = LazyDownConversionRecords(written(*(bytes(part.buffer) for part in parts)), 1, 0)
    sizes = [len(piece) for piece in converted.pieces()]
    assert sum(sizes) == converted.size_bytes > 4 << 20
    assert max(sizes) < 2 * PIECE_BYTES
