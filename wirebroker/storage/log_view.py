"""LogView: what readers of a log see, as of the end of one change.

A log is changed by one task or thread at a time and read by many.  A reader takes `Log.view` once and uses nothing
else of the log's state: the writer makes a new view at the end of each change and publishes it in one assignment.
Files of segments that a view still names may be renamed or removed meanwhile; `ReadableLog` then asks the newer view.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.storage.segment import Segment

NO_OPEN_TRANSACTION: Final = (1 << 63) - 1


class UnstableTransactions(NamedTuple):
    """The transactions that may keep the last stable offset below the high watermark."""

    first_open_offset: int
    """Where the earliest open transaction begins, NO_OPEN_TRANSACTION if none is open."""
    completed: tuple[tuple[int, int], ...]
    """(first offset, marker's offset) of completed ones whose marker may be above the high watermark, by marker."""


class LogView(NamedTuple):
    """The segments and offsets of one log, which belong together."""

    segments: tuple[Segment, ...]
    """Ascending; never empty."""
    active: Segment
    """The last segment, which may be appended to."""
    active_size_bytes: int
    """The position in its file at which the log ends."""
    active_largest: tuple[int, int] | None
    """(largest timestamp, its offset) of the last segment, None if only its time index knows."""
    log_start_offset: int
    log_end_offset: int
    unstable: UnstableTransactions | None
    """None if every transaction is complete and its marker is below the high watermark."""

    def size_of(self, segment: Segment) -> int:
        """How many bytes of *segment* belong to this view."""
        return self.active_size_bytes if segment is self.active else segment.size_bytes

    @property
    def size_bytes(self) -> int:
        return sum(segment.size_bytes for segment in self.segments[:-1]) + self.active_size_bytes

    def largest_timestamp(self, segment: Segment) -> tuple[int, int]:
        """(largest timestamp, its offset) of *segment*; (-1, base offset) if it is empty.  Raises OSError."""
        largest = self.active_largest if segment is self.active else None
        return segment.largest_timestamp() if largest is None else largest

    def segments_between(self, start_offset: int, end_offset: int) -> Sequence[Segment]:
        """The segments that may hold offsets from *start_offset* up to (not including) *end_offset*."""
        segments = self.segments
        first = max(bisect_right(segments, start_offset, key=_base_offset) - 1, 0)
        return segments[first : max(bisect_right(segments, end_offset - 1, key=_base_offset), first + 1)]

    def last_stable_offset(self, high_watermark: int) -> int:
        """Where read_committed readers stop: the earliest transaction that is not decided, or *high_watermark*."""
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


def _base_offset(segment: Segment) -> int:
    return segment.base_offset
