"""BatchReader: batches are whole, continue the offsets before them, and are found again behind damage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.record.compression import Codec
from wirebroker.storage.integrity.batch_reader import BatchReader, FileWindow, first_offset
from wirebroker.tests.record.legacy_message_sets import message_set
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.storage.files import File


def new_batch(base_offset: int, records: int = 1, size_bytes: int = 20) -> bytes:
    made = batch(*[b"v" * size_bytes] * records)
    data = bytearray(made.buffer)
    data[:8] = base_offset.to_bytes(8, "big", signed=True)
    return bytes(data)


def file_of(data: bytes) -> File:
    disk = FakeDisk()
    disk.make_directory("/data")
    file = disk.open("/data/some.log")
    file.pwrite(data, 0)
    return file


def reader_of(data: bytes, base_offset: int = 0, **arguments: int) -> BatchReader:
    return BatchReader(FileWindow(file_of(data), len(data)), base_offset, **arguments)


def offsets_of(reader: BatchReader) -> list[tuple[int, int]]:
    return [(first_offset(each), each.last_offset) for each in reader]


def test_batches_in_order() -> None:
    data = [new_batch(5), new_batch(6, 3), new_batch(9)]
    reader = reader_of(b"".join(data), 5)
    positions = []
    for each in reader:
        positions.append(reader.position)
        assert each.base_offset == reader.next_offset
    assert positions == [0, len(data[0]), len(data[0] + data[1])]
    assert (reader.position, reader.next_offset, reader.invalid) == (sum(map(len, data)), 10, None)


def test_batches_stay_valid_when_the_window_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.storage.integrity.batch_reader.PIECE_BYTES", 70)
    data = [new_batch(offset, size_bytes=100 * offset) for offset in range(5)]
    found = list(reader_of(b"".join(data)))
    assert [bytes(each.buffer) for each in found] == data


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
@pytest.mark.parametrize("magic", [0, 1])
def test_old_messages(magic: int, codec: Codec) -> None:
    reader = reader_of(message_set(magic, codec) + message_set(magic, codec, base=5) + new_batch(10))
    assert offsets_of(reader)[-1] == (10, 10)
    assert (reader.next_offset, reader.invalid) == (11, None)


@pytest.mark.parametrize("cut", range(1, len(new_batch(1))))
def test_batch_that_is_cut_short(cut: int) -> None:
    data = new_batch(0)
    reader = reader_of((data + new_batch(1))[: len(data) + cut])
    assert offsets_of(reader) == [(0, 0)]
    assert reader.invalid is not None
    assert (reader.position, reader.invalid.is_cut_short, reader.invalid.has_valid_checksum) == (len(data), True, False)


@pytest.mark.parametrize("at", range(8, len(new_batch(1))))
def test_flipped_bit_in_a_batch(at: int) -> None:
    """All bytes but the offset, and the leader epoch, which the broker sets, are covered."""
    data = bytearray(new_batch(0) + new_batch(1) + new_batch(2))
    size = len(data) // 3
    data[size + at] ^= 4
    reader = reader_of(bytes(data))
    if 12 <= at < 16:
        assert offsets_of(reader) == [(0, 0), (1, 1), (2, 2)]
        return
    assert offsets_of(reader) == [(0, 0)]
    assert reader.invalid is not None
    assert not reader.invalid.has_valid_checksum
    found = reader.resync()
    assert found is not None
    assert (found.base_offset, reader.position) == (2, 2 * size)
    assert offsets_of(reader) == [(2, 2)]
    assert reader.invalid is None


GAPS: dict[str, tuple[Sequence[bytes], int | None]] = {
    "a gap that the next batch agrees with": ([new_batch(0), new_batch(7), new_batch(8)], None),
    "a gap before another gap": ([new_batch(0), new_batch(7), new_batch(20)], None),
    "a gap before the last batch": ([new_batch(0), new_batch(7)], None),
    "a gap at the beginning": ([new_batch(3), new_batch(4)], None),
    "an offset that is too large": ([new_batch(0), new_batch(7), new_batch(2)], 1),
    "the last offset of a gap that is taken": ([new_batch(0), new_batch(7, 2), new_batch(8)], 1),
    "an offset that is too small": ([new_batch(0), new_batch(0), new_batch(2)], 1),
    "the first offset below the segment's": ([new_batch(-1), new_batch(0)], 0),
    "the first offset too large": ([new_batch(9), new_batch(1)], 0),
    "an offset far beyond the segment": ([new_batch(0), new_batch(1 << 40)], 1),
}


@pytest.mark.parametrize("name", GAPS)
def test_continuity_of_offsets(name: str) -> None:
    """Offsets lie outside of the checksum: a batch whose offset is wrong is the one that is named."""
    data, wrong = GAPS[name]
    reader = reader_of(b"".join(data))
    assert len(offsets_of(reader)) == (len(data) if wrong is None else wrong)
    if wrong is None:
        assert reader.invalid is None
    else:
        assert reader.invalid is not None
        assert reader.invalid.has_valid_checksum
        assert reader.position == sum(map(len, data[:wrong]))


def test_gap_before_bytes_that_are_no_batch() -> None:
    """Garbage and a torn batch say nothing about the batch before them."""
    for tail in (b"\xff" * 100, new_batch(1)[:-1], bytes(200)):
        reader = reader_of(new_batch(0) + new_batch(7) + tail)
        assert offsets_of(reader) == [(0, 0), (7, 7)]
        assert reader.invalid is not None


def test_end_is_no_place_to_judge_by() -> None:
    """A batch that `end` cuts off is not read, but one behind `end` is compared with the offsets before it."""
    data = [new_batch(0), new_batch(7), new_batch(2)]
    size = len(data[0])
    for end in range(2 * size, 3 * size + 1):
        reader = reader_of(b"".join(data), end=end)
        assert offsets_of(reader) == [(0, 0)]
        assert reader.invalid is not None
        assert reader.invalid.has_valid_checksum
    reader = reader_of(b"".join(data), end=2 * size - 1)
    assert offsets_of(reader) == [(0, 0)]
    assert reader.invalid is not None
    assert reader.invalid.is_cut_short


def test_reading_begins_anywhere() -> None:
    data = [new_batch(0), new_batch(1), new_batch(2)]
    size = len(data[0])
    assert offsets_of(reader_of(b"".join(data), position=size, next_offset=1)) == [(1, 1), (2, 2)]
    assert offsets_of(reader_of(b"".join(data), position=size)) == [(1, 1), (2, 2)]
    assert offsets_of(reader_of(b"".join(data), next_offset=1)) == []


@pytest.mark.parametrize(
    "garbage", [b"", b"\0", bytes(1000), b"\xff" * 37, new_batch(0)[:-1], new_batch(0)[1:]], ids=len
)
def test_resync(garbage: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next valid batch is found at any distance, over the borders of what is read at once."""
    monkeypatch.setattr("wirebroker.storage.integrity.batch_reader.PIECE_BYTES", 128)
    torn = new_batch(1)[:-3]
    data = new_batch(0) + torn + garbage + new_batch(3) + new_batch(4)
    reader = reader_of(data)
    assert offsets_of(reader) == [(0, 0)]
    found = reader.resync()
    assert found is not None
    assert (found.base_offset, reader.position) == (3, data.index(new_batch(3)))
    assert offsets_of(reader) == [(3, 3), (4, 4)]


def test_resync_takes_no_batch_with_earlier_offsets() -> None:
    data = new_batch(5) + b"\xff" * 30 + new_batch(5) + new_batch(6)
    reader = reader_of(data, 5)
    assert offsets_of(reader) == [(5, 5)]
    found = reader.resync()
    assert found is not None
    assert found.base_offset == 6


def test_resync_at_the_end() -> None:
    reader = reader_of(new_batch(0) + b"\xff" * 300)
    assert offsets_of(reader) == [(0, 0)]
    assert reader.resync() is None
    assert reader.position == reader.end
    assert offsets_of(reader) == []
    assert reader.invalid is None


def test_rejected_batch_can_be_passed_over() -> None:
    reader = reader_of(new_batch(0) + new_batch(1) + new_batch(2))
    for each in reader:
        if each.base_offset == 1:
            reader.reject("for a reason")
            break
    assert reader.invalid is not None
    assert (reader.invalid.text, reader.position) == ("for a reason", len(new_batch(0)))
    reader.resync()
    assert offsets_of(reader) == [(2, 2)]


def test_each_byte_is_read_once() -> None:
    data = b"".join(new_batch(2 * offset) for offset in range(2000))  # each leaves a gap, and the next is looked at
    read: list[int] = []
    reader = BatchReader(FileWindow(file_of(data), len(data), on_read=read.append), 0)
    assert len(offsets_of(reader)) == 2000
    assert sum(read) == len(data)


def test_file_that_became_shorter() -> None:
    file = file_of(new_batch(0))
    for missing in (10, 70, 1000):
        reader = BatchReader(FileWindow(file, len(new_batch(0)) + missing), 0)
        assert offsets_of(reader) == [(0, 0)]
        assert reader.invalid is not None
