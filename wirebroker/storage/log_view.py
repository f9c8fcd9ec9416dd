"""LogView: the segments and offsets of a log at the end of one change, for its readers.

A log is changed by one task or thread at a time and read by many.  A reader takes `Log.view` once and uses nothing
else of the log's state: the writer makes a new view at the end of each change and publishes it in one assignment.
Files of segments that a view still names may be renamed or removed meanwhile; `LogReader` then uses the newer view.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.storage.log_segment import LogSegment

NO_OPEN_TRANSACTION: Final = (1 << 63) - 1


class UnstableTransactions(NamedTuple):
    """The transactions that may keep the last stable offset below the high watermark."""

    first_open_offset: int
    """The start of the first open transaction, NO_OPEN_TRANSACTION if none is open."""
    completed: tuple[tuple[int, int], ...]
    """(first offset, marker's offset) of completed ones whose marker may be above the high watermark, by marker."""


class LogView(NamedTuple):
    """The segments and offsets of one log, which belong together."""

    segments: tuple[LogSegment, ...]
    """Ascending; never empty."""
    active: LogSegment
    """The last segment, which may be appended to."""
    active_size_bytes: int
    """The position in its file at which the log ends."""
    active_max_timestamp_and_offset: tuple[int, int] | None
    """(largest timestamp, its offset) of the last segment, None if only its time index knows."""
    log_start_offset: int
    log_end_offset: int
    unstable: UnstableTransactions | None
    """None if every transaction is complete and its marker is below the high watermark."""

    def size_of(self, segment: LogSegment) -> int:
        """Return how many bytes of *segment* belong to this view."""
        return self.active_size_bytes if segment is self.active else segment.size_bytes

    @property
    def size_bytes(self) -> int:
        return sum(segment.size_bytes for segment in self.segments[:-1]) + self.active_size_bytes

    def max_timestamp_and_offset(self, segment: LogSegment) -> tuple[int, int]:
        """Return (largest timestamp, its offset) of *segment*; (-1, base offset) if it is empty.  Raises OSError."""
        largest = self.active_max_timestamp_and_offset if segment is self.active else None
        return segment.max_timestamp_and_offset() if largest is None else largest

    def segments_between(self, start_offset: int, end_offset: int) -> Sequence[LogSegment]:
        """Return the segments that may hold offsets from *start_offset* up to (not including) *end_offset*."""
        segments = self.segments
        first = max(bisect_right(segments, start_offset, key=_base_offset) - 1, 0)
        return segments[first : max(bisect_right(segments, end_offset - 1, key=_base_offset), first + 1)]

    def position_of(self, segment: LogSegment, upper_offset: int) -> int:
        """Return the position in *segment* of the batch with *upper_offset*; its end if that is in a later segment.

        Raises OSError, CorruptFileError.
        """
        size = self.size_of(segment)
        if upper_offset >= self.log_end_offset:
            return size
        position = segment.recent_position(upper_offset)
        if position is not None:
            return position
        header = segment.translate_offset(upper_offset, size)
        return size if header is None else header.position

    def last_stable_offset(self, high_watermark: int) -> int:
        """Return the last stable offset: the start of the first undecided transaction, or *high_watermark*."""
        unstable = self.unstable
        if unstable is None:
            return high_watermark
        first, completed = unstable
        for start, marker in completed:
            if marker >= high_watermark and start < first:
                first = start
        if first >= high_watermark:
            return high_watermark
        return max(first, self.log_start_offset)


def _base_offset(segment: LogSegment) -> int:
    return segment.base_offset
