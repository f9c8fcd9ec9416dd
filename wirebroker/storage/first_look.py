"""Does a segment's `.log`, found at start, belong where it is?  Asked once, before anything in it is served.

Whether its bytes are good is told by checksums (proof.py); that they are those of another partition, or of an earlier
time, is not.  Three witnesses know what the file must hold: its offset index, its time index, and where the next
segment begins.  If all three agree with it, that is cheap to see (a few reads).  If one does not, the whole file is
read: a good file that ends where it must, or that one index agrees with, is served without the other index; one that
runs into the next segment, or that no witness knows, is not served.
"""

from __future__ import annotations

import logging
from itertools import chain, islice
from typing import TYPE_CHECKING

from wirebroker.record.faults import RecordError
from wirebroker.storage.batch_headers import find_batch
from wirebroker.storage.faults import CorruptFile

if TYPE_CHECKING:
    from wirebroker.storage.segment import Segment

logger = logging.getLogger(__name__)


def first_look(segment: Segment, size_bytes: int) -> str | None:
    """Why nothing in the file can be served, None if it can.  An index that disagrees is not used any more.

    *size_bytes* of the segment are looked at; more may be appended meanwhile.  Raises OSError.
    """
    proof = segment.proof
    # if it was appended to since, where the log ended then says nothing about where the file ends now
    following = proof.following if size_bytes == proof.end else None
    try:
        end: int | None = segment.next_offset(size_bytes)
    except CorruptFile:
        end = None
    by_index, by_time = _index_agrees(segment, end, size_bytes), _time_index_agrees(segment, end, size_bytes)
    if end is not None and by_index is not False and by_time is not False and (following is None or end <= following):
        return None
    at, expected, fault = proof.prove_all(segment.log_file.open())
    if expected is not None and following is not None and expected > following:
        return f"it reaches up to offset {expected - 1}, and the next segment begins at {following}"
    fits = fault is None and at == proof.end and expected == proof.following and _begins_it(segment)
    if not (fits or by_index or by_time) and False in (by_index, by_time):
        return "neither its indexes nor the next segment know what is in it"
    if at < proof.end:
        what = fault or "a batch is cut short by the end of the file"
        logger.error("%s at position %d: %s", segment.log_file.path, at, what)
    if by_index is False:
        segment.give_up_index()
    return None


def _begins_it(segment: Segment) -> bool:
    """Is the first offset in the file the one that it is named after?"""
    header = next(segment.headers(), None)
    return header is None or segment.first_offset_of(header) == segment.base_offset


def is_foreign(segment: Segment, following: int | None, *, compacts: bool) -> bool:
    """Do a segment's batches leave out its first offset, and do both its indexes know nothing of them?

    Asked before recovery makes the indexes anew; where a crash has left nothing to go by, the answer is no.  The last
    segment (*following* is None) has no indexes to ask, but unless the log is compacted its first batch must begin it.
    Raises OSError.
    """
    try:
        header, second = islice(chain(segment.headers(), (None, None)), 2)
        if header is None or header.base_offset == segment.base_offset:
            return False
        if second is not None and second.base_offset <= header.last_offset:
            return False  # one offset that is wrong: recovery says which
        if following is None:
            return not compacts and segment.first_offset_of(header) > segment.base_offset
        end = segment.next_offset()
        size = segment.size_bytes
        return _index_agrees(segment, end, size) is False and not _time_index_agrees(segment, end, size)
    except (CorruptFile, RecordError):
        return False


def _index_agrees(segment: Segment, end: int | None, size_bytes: int) -> bool | None:
    """None if it has nothing to say."""
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
    except CorruptFile:
        return False
    # an entry for several batches that came together holds the first one's position and the last one's offset
    return (
        header is not None
        and header.last_offset <= last_offset
        and (end is None or last_offset < end)
        and find_batch(segment.log_file.open(), position, size_bytes, last_offset) is not None
    )


def _time_index_agrees(segment: Segment, end: int | None, size_bytes: int) -> bool | None:
    """None if it has nothing to say."""
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
    except CorruptFile:
        return False
    if size_now > size_bytes:
        end = None  # the entry may be for what was appended since
    return header is not None and header.max_timestamp == timestamp and (end is None or offset < end)
