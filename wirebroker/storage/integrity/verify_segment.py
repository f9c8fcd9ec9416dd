"""Scan a whole segment, over damaged ranges, and remember where its batches are."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.storage.integrity.batch_reader import BatchReader, first_offset

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.record.legacy import AnyBatch
    from wirebroker.storage.log_segment import LogSegment


class DamagedRange(NamedTuple):
    """Bytes of a log file that are no valid batches."""

    start: int
    end: int
    """Positions in the file; *end* is not included."""
    reason: str
    next_offset: int
    """The offset that should have followed there."""
    resumes_at: int | None
    """The offset that the log goes on with behind the range, None if it does not."""


class SegmentContents:
    """The valid batches of a segment, as parallel arrays, and its damaged ranges."""

    def __init__(self, next_offset: int) -> None:
        self.positions = array("q")
        self.first_offsets = array("q")
        self.last_offsets = array("q")
        self.max_timestamps = array("q")
        """The largest timestamp up to and with each batch."""
        self.damaged: list[DamagedRange] = []
        self.end_offset = next_offset
        """The offset after the last batch."""

    def batch_at(self, position: int) -> int | None:
        """Return the index of the batch that begins at *position*, None if none does."""
        at = bisect_left(self.positions, position)
        return at if at < len(self.positions) and self.positions[at] == position else None

    def batches_up_to(self, offset: int) -> int:
        """Return how many batches begin at or below *offset*."""
        return bisect_right(self.first_offsets, offset)

    def add(self, batch: AnyBatch, position: int) -> None:
        """Note the next batch."""
        # the header of a compressed old message does not tell its first offset
        first = batch.base_offset if batch.magic == 2 else self.end_offset
        self.end_offset = batch.last_offset + 1
        largest = self.max_timestamps[-1] if self.max_timestamps else -1
        self.positions.append(position)
        self.first_offsets.append(first)
        self.last_offsets.append(batch.last_offset)
        self.max_timestamps.append(max(largest, batch.max_timestamp))


def scan_segment(
    segment: LogSegment,
    next_offset: int,
    upper_offset: int | None,
    log_end_offset: int | None,
    on_batch: Callable[[AnyBatch], None],
    advance: Callable[[int], None],
) -> SegmentContents:
    """Read all valid batches of *segment*, going on behind damaged ranges.

    Args:
        segment: Its `.log` is read.
        next_offset: The offset that should come first.
        upper_offset: Where the next segment begins: a batch that reaches up to there is damaged.  None: no next one.
        log_end_offset: Where the log is said to have ended: a batch from there on may follow, but not behind a gap.
        on_batch: Called with each valid batch.
        advance: Called with the number of bytes that were read.

    Raises OSError.
    """
    reader = BatchReader.of_segment(segment, next_offset)
    contents = SegmentContents(reader.next_offset)
    while True:
        for batch in reader:
            reason = _out_of_bounds(batch, reader.next_offset, upper_offset, log_end_offset)
            if reason is not None:
                reader.reject(reason)
                break
            contents.add(batch, reader.position)
            on_batch(batch)
            advance(batch.size_bytes)
        if reader.invalid is None:
            return contents
        start, reason = reader.position, reader.invalid.text
        behind = reader.resync()
        resumes_at = None if behind is None else first_offset(behind)
        contents.damaged.append(DamagedRange(start, reader.position, reason, reader.next_offset, resumes_at))
        advance(reader.position - start)


def _out_of_bounds(
    batch: AnyBatch, next_offset: int, upper_offset: int | None, log_end_offset: int | None
) -> str | None:
    if upper_offset is not None and batch.last_offset >= upper_offset:
        return f"offset {batch.last_offset}, where the next segment begins with {upper_offset}"
    first = first_offset(batch)
    if log_end_offset is not None and next_offset < first >= log_end_offset:
        return f"offset {first} behind {next_offset - 1}, where the log ended at {log_end_offset}"
    return None
