"""Does the `.log` of a segment that a start has loaded belong where it is?  Checked once, before anything is served.

Checksums tell whether its batches are valid (`lazy_verification.py`), but not whether they are those of another
partition, or of an earlier time.  The file is compared with the offset index, the time index and the base offset of the
next segment; if all three agree with it, that takes a few reads.  If one does not, the whole file is read: a valid file
that ends where the next segment begins, or that one index agrees with, is served without the other index; one that runs
into the next segment, or that agrees with neither, is not served.
"""

from __future__ import annotations

import logging
from itertools import chain, islice
from typing import TYPE_CHECKING

from wirebroker.record.errors import RecordError
from wirebroker.storage.batch_headers import find_batch
from wirebroker.storage.errors import CorruptFileError

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.storage.integrity.batch_reader import VerifiedRange
    from wirebroker.storage.log_segment import LogSegment

logger = logging.getLogger(__name__)


def check_segment(
    segment: LogSegment,
    size_bytes: int,
    loaded_bytes: int,
    expected_end_offset: int | None,
    verify_all: Callable[[], VerifiedRange],
) -> str | None:
    """Return why nothing in the file can be served, None if it can.  An offset index that disagrees is disabled.

    Args:
        segment: The segment to check.
        size_bytes: How much of it is checked; more may be appended meanwhile.
        loaded_bytes: Its size when it was loaded.
        expected_end_offset: Where the next segment begins, or where the log ended when it was loaded; None if that is
            not known.
        verify_all: Verifies the whole file and returns the valid range at its beginning; may raise.

    Raises OSError.
    """
    # if it was appended to since, where the log ended then says nothing about where the file ends now
    upper_offset = expected_end_offset if size_bytes == loaded_bytes else None
    try:
        end: int | None = segment.next_offset(size_bytes)
    except CorruptFileError:
        end = None
    by_index, by_time = _offset_index_agrees(segment, end, size_bytes), _time_index_agrees(segment, end, size_bytes)
    ends_in_time = end is not None and (upper_offset is None or end <= upper_offset)
    if ends_in_time and by_index is not False and by_time is not False:
        return None
    whole = verify_all()
    if upper_offset is not None and whole.next_offset > upper_offset:
        last = whole.next_offset - 1
        return f"it reaches up to offset {last}, and the next segment begins at {upper_offset}"
    is_valid = whole.invalid is None and whole.end == loaded_bytes
    fits = is_valid and whole.next_offset == expected_end_offset and _starts_at_base_offset(segment)
    if not (fits or by_index or by_time) and False in (by_index, by_time):
        return "its batches match neither its indexes nor the base offset of the next segment"
    if whole.end < loaded_bytes:
        what = whole.invalid or "a batch is cut short by the end of the file"
        logger.error("%s is corrupt at position %d: %s", segment.log_file.path, whole.end, what)
    if by_index is False:
        segment.disable_offset_index()
    return None


def belongs_to_other_log(segment: LogSegment, next_base_offset: int | None, *, compacts: bool) -> bool:
    """Return whether a segment begins above its base offset and neither of its indexes agrees with it.

    Asked before recovery writes the indexes anew; where a crash has left nothing to compare with, the answer is no.
    The last segment (*next_base_offset* is None) has no complete indexes, but unless the log is compacted its first
    batch must begin at the base offset.  Raises OSError.
    """
    try:
        first, second = islice(chain(segment.headers(), (None, None)), 2)
        if first is None or first.base_offset == segment.base_offset:
            return False
        if second is not None and second.base_offset <= first.last_offset:
            return False  # one offset is wrong: recovery says which
        if next_base_offset is None:
            return not compacts and segment.first_offset_of(first) > segment.base_offset
        end, size = segment.next_offset(), segment.size_bytes
        return _offset_index_agrees(segment, end, size) is False and not _time_index_agrees(segment, end, size)
    except (CorruptFileError, RecordError):
        return False


def _starts_at_base_offset(segment: LogSegment) -> bool:
    first = next(segment.headers(), None)
    return first is None or segment.first_offset_of(first) == segment.base_offset


def _offset_index_agrees(segment: LogSegment, end: int | None, size_bytes: int) -> bool | None:
    """Return whether the last entry is right, None if there is none.  *end* is where the log ends, if that is known."""
    index = segment.offset_index
    try:
        index.sanity_check()
        slot = index.count - 1
        if slot < 0:
            return None
        relative, position = index.entry(slot)
        last_offset = index.base_offset + relative
        if size_bytes <= position < segment.size_bytes:
            return None  # an entry for what was appended since
        if not 0 < position < size_bytes:
            return False
        header = next(segment.headers(position, size_bytes), None)
    except CorruptFileError:
        return False
    # an entry for several batches that came together holds the first one's position and the last one's offset
    return (
        header is not None
        and header.last_offset <= last_offset
        and (end is None or last_offset < end)
        and find_batch(segment.log_file.open(), position, size_bytes, last_offset) is not None
    )


def _time_index_agrees(segment: LogSegment, end: int | None, size_bytes: int) -> bool | None:
    """Return whether the last entry is right, None if there is none.  *end* is where the log ends, if that is known."""
    index = segment.time_index
    try:
        index.sanity_check()
        if not index.count:
            return None
        timestamp, offset = index.last
        if timestamp <= 0 and offset == segment.base_offset:
            return None  # the zeros of an index that was not closed
        size_now = segment.size_bytes
        header = find_batch(segment.log_file.open(), 0, size_now, offset)
    except CorruptFileError:
        return False
    if size_now > size_bytes:
        end = None  # the entry may be for what was appended since
    return header is not None and header.max_timestamp == timestamp and (end is None or offset < end)
