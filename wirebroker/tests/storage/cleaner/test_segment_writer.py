"""SegmentWriter: its files are those of `LogSegment.append`, with fewer writes."""

from __future__ import annotations

import pytest

from wirebroker.config.topic import default_log_config
from wirebroker.storage.cleaner.segment_writer import SegmentWriter
from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.log_segment import LogSegment
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR

CONFIG = default_log_config(index_interval_bytes=100, segment_index_bytes=1200)
BATCHES = [(b"%03d" % number * (1 + number % 40), 7 + 2 * number, (number * 37) % 50) for number in range(80)]


def new_segment(disk: FakeDisk) -> LogSegment:
    disk.make_directory(str(DIR))
    return LogSegment.create(disk, str(DIR), 5, CONFIG, 0)


def content(segment: LogSegment) -> tuple[bytes, list[tuple[int, ...]], list[tuple[int, ...]]]:
    segment.on_become_inactive()
    return (
        segment.log_file.open().pread(100_000, 0),
        segment.offset_index.entries(),
        segment.time_index.entries(),
    )


@pytest.mark.parametrize("piece_bytes", [1, 120, 1000, 100_000])
def test_the_files_are_those_of_appends_one_by_one(piece_bytes: int) -> None:
    appended, written = new_segment(FakeDisk()), new_segment(FakeDisk())
    for data, last_offset, timestamp in BATCHES:
        appended.append(data, last_offset, last_offset, timestamp)
    pieces: list[int] = []
    writer = SegmentWriter(written, piece_bytes, pieces.append)
    for data, last_offset, timestamp in BATCHES:
        writer.append(data, last_offset, timestamp)
    writer.flush()
    writer.flush()
    assert sum(pieces) == appended.size_bytes == written.size_bytes
    assert max(pieces) <= max(piece_bytes, max(len(data) for data, _, _ in BATCHES))
    assert len(pieces) == 1 or piece_bytes < 100_000
    found = content(written)
    assert found == content(appended)
    assert len(found[1]) > 10


def test_offsets_that_do_not_ascend_are_refused() -> None:
    segment = new_segment(FakeDisk())
    writer = SegmentWriter(segment, 10_000, lambda _: None)
    for last_offset in (6, 8, 8):
        writer.append(b"x" * 200, last_offset, 1)
    with pytest.raises(CorruptFileError, match="offset 8 after 8"):
        writer.flush()
