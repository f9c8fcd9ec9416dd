"""Read a segment batch by batch, over damaged places, and remember where everything is.

A damaged place ends where the next batch begins whose checksum is right and whose offsets may follow.  Offsets lie
outside of the checksum: if a batch leaves a gap and the next one does not agree with it, it is the one that is wrong.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.storage.recovery import Fault, Window, read_valid, valid_batch_behind

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.storage.segment import Segment


class BadPlace(NamedTuple):
    """Bytes that are no batches."""

    start: int
    end: int
    why: str
    next_offset: int
    """The offset that was due there."""
    offset_behind: int | None
    """The offset that the log goes on with behind it, None if it does not."""


class Walked:
    """What is in a segment, as far as it is good."""

    def __init__(self, base_offset: int) -> None:
        self.positions = array("q")
        self.first_offsets = array("q")
        self.last_offsets = array("q")
        self.largest = array("q")
        """The largest timestamp up to and with each batch."""
        self.bad: list[BadPlace] = []
        self.end_offset = base_offset
        self.has_gaps = False

    def batch_at(self, position: int) -> int | None:
        """The number of the batch that begins at *position*."""
        at = bisect_left(self.positions, position)
        return at if at < len(self.positions) and self.positions[at] == position else None

    def batch_of(self, offset: int) -> int | None:
        """The number of the batch that holds *offset*, or of the one behind a gap there."""
        at = bisect_left(self.last_offsets, offset)
        return at if at < len(self.last_offsets) else None

    def batches_up_to(self, offset: int) -> int:
        """How many batches begin at or below *offset*."""
        return bisect_right(self.first_offsets, offset)


def walk(
    segment: Segment,
    next_offset: int,
    following: int | None,
    ended_at: int | None,
    visit: Callable[[RecordBatch], None],
    advance: Callable[[int], None],
) -> Walked:
    """Read *segment*, in which *next_offset* is due, and nothing from *following* on; *visit* sees every good batch.

    *ended_at* is where the log is said to have ended: no gap leads beyond it.
    Raises OSError.
    """
    window = Window(segment.log_file.open(), segment.size_bytes)
    walked = Walked(max(next_offset, segment.base_offset))
    due = walked.end_offset
    position, largest = 0, -1
    while position < window.end:
        batch = _good_batch(window, position, due, segment.base_offset)
        if not isinstance(batch, Fault) and following is not None and batch.last_offset >= following:
            batch = Fault(f"offset {batch.last_offset}, where the next segment begins with {following}")
        elif not isinstance(batch, Fault) and ended_at is not None and due < batch.base_offset >= ended_at:
            batch = Fault(f"offset {batch.base_offset} behind {due - 1}, where the log ended at {ended_at}")
        if isinstance(batch, Fault):
            behind = valid_batch_behind(segment, position + 1, due)
            end = window.end if behind is None else behind
            found = None
            if behind is not None:
                next_batch = read_valid(window, behind, due, segment.base_offset)
                found = None if isinstance(next_batch, Fault) else next_batch.base_offset
            walked.bad.append(BadPlace(position, end, batch.text, due, found))
            advance(end - position)
            position = end
            continue
        first = batch.base_offset if batch.magic == 2 else due  # an old wrapper knows only its last offset
        walked.has_gaps = walked.has_gaps or first > due
        due = batch.last_offset + 1
        largest = max(largest, batch.max_timestamp)
        walked.positions.append(position)
        walked.first_offsets.append(first)
        walked.last_offsets.append(batch.last_offset)
        walked.largest.append(largest)
        visit(batch)
        advance(batch.size_bytes)
        position += batch.size_bytes
    walked.end_offset = due
    return walked


def _good_batch(window: Window, position: int, due: int, base_offset: int) -> RecordBatch | Fault:
    batch = read_valid(window, position, due, base_offset)
    if isinstance(batch, Fault) or batch.base_offset == due:
        return batch
    behind = position + batch.size_bytes
    if behind < window.end:
        buffer = bytes(batch.buffer) if batch.magic == 2 else None
        following = read_valid(window, behind, due, base_offset)
        if not isinstance(following, Fault) and following.base_offset <= batch.last_offset:
            return Fault(f"offset {batch.base_offset}, where the batch behind it begins with {following.base_offset}")
        if buffer is not None:
            batch.buffer = memoryview(buffer)  # the window may have moved
    return batch
