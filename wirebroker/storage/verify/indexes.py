"""Compare a segment's indexes with what is in its log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.storage.faults import CorruptFile
from wirebroker.storage.offset_index import OffsetIndex
from wirebroker.storage.time_index import TimeIndex
from wirebroker.storage.verify.findings import Finding, Remedy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.storage.files import Files
    from wirebroker.storage.index_file import IndexFile
    from wirebroker.storage.segment import Segment
    from wirebroker.storage.transaction_index import AbortedTransaction
    from wirebroker.storage.verify.walk import Walked

_PIECE_ENTRIES = 1024
ENTRY_BYTES = 34
"""Of a transaction index."""


def check_indexes(segment: Segment, walked: Walked, files: Files, *, may_be_open: bool) -> Iterator[Finding]:
    """What is wrong with the offset index and the time index.

    *may_be_open*: a broker may have been appending to the segment when it was stopped; a start makes its indexes anew.
    """
    for index in (segment.offset_index, segment.time_index):
        what = _missing(index, segment, files) or _what_is_wrong(index, walked)
        if what is not None:
            if may_be_open:
                yield Finding(index.path, what, remedy=Remedy.AT_START, is_damage=False)
            else:
                yield Finding(index.path, what, remedy=Remedy.REBUILD_INDEXES)


def _missing(index: IndexFile, segment: Segment, files: Files) -> str | None:
    return None if files.exists(index.path) else f"it is missing beside {segment.log_file.path}"


def _what_is_wrong(index: IndexFile, walked: Walked) -> str | None:
    if index.size_bytes % index.ENTRY.size:
        return f"{index.size_bytes} bytes are no whole number of entries"
    if isinstance(index, OffsetIndex):
        return _offset_index(index, walked)
    assert isinstance(index, TimeIndex)
    return _time_index(index, walked)


def _entries(index: IndexFile) -> Iterator[tuple[int, ...]]:
    """All raw entries, a piece of the file at a time: one that is kept open for appends may be mostly zeros."""
    piece = index.ENTRY.size * _PIECE_ENTRIES
    for position in range(0, index.size_bytes, piece):
        yield from index.ENTRY.iter_unpack(index.bytes_at(position, piece))


def _offset_index(index: OffsetIndex, walked: Walked) -> str | None:
    previous = -1, -1
    for number, (relative, position) in enumerate(_entries(index)):
        offset = index.base_offset + relative
        if (relative, position) == (0, 0) and number:
            return f"its entries end in zeros from number {number} on"
        if relative <= previous[0] or position <= previous[1]:
            return f"entry {number} (offset {offset}, position {position}) does not ascend"
        at = walked.batch_at(position)
        if at is None:
            return f"entry {number} points to position {position}, where no batch begins"
        if not walked.first_offsets[at] <= offset < walked.end_offset:
            return f"entry {number} has offset {offset} for the batch that begins with {walked.first_offsets[at]}"
        previous = relative, position
    return None


def _time_index(index: TimeIndex, walked: Walked) -> str | None:
    previous = -2, -1
    for number, (timestamp, relative) in enumerate(_entries(index)):
        offset = index.base_offset + relative
        if (timestamp, relative) == (0, 0) and number:
            return f"its entries end in zeros from number {number} on"
        if timestamp <= previous[0] or relative < previous[1]:
            return f"entry {number} (timestamp {timestamp}, offset {offset}) does not ascend"
        count = walked.batches_up_to(offset)
        if timestamp >= 0 and (not count or offset >= walked.end_offset):
            return f"entry {number} has offset {offset}, which is not in the log"
        if timestamp >= 0 and walked.largest[count - 1] != timestamp:
            largest = walked.largest[count - 1]
            return f"entry {number} has timestamp {timestamp}, and up to its offset {offset} the log has {largest}"
        previous = timestamp, relative
    return None


def check_transactions(
    segment: Segment,
    walked: Walked,
    expected: list[AbortedTransaction],
    abort_markers: dict[int, int],
    files: Files,
    *,
    has_gaps: bool,
    may_be_open: bool,
) -> Iterator[Finding]:
    """What is wrong with the transaction index, by the transactions whose abort was seen in this segment."""
    index = segment.transaction_index
    try:
        entries = index.entries() if index.exists else []
    except CorruptFile as fault:
        yield Finding(index.path, str(fault).removeprefix(f"{index.path}: "), remedy=Remedy.REBUILD_INDEXES)
        return
    what = _transactions(entries, walked, expected, abort_markers, has_gaps=has_gaps)
    odd_bytes = files.size_bytes(index.path) % ENTRY_BYTES if index.exists else 0
    if what is None and odd_bytes:
        what = f"{odd_bytes} bytes at its end are no entry"
    if what is not None:
        if may_be_open:
            yield Finding(index.path, what, remedy=Remedy.AT_START, is_damage=False)
        else:
            yield Finding(index.path, what, remedy=Remedy.REBUILD_INDEXES)


def _transactions(
    entries: list[AbortedTransaction],
    walked: Walked,
    expected: list[AbortedTransaction],
    abort_markers: dict[int, int],
    *,
    has_gaps: bool,
) -> str | None:
    found = {entry.last_offset: entry for entry in entries}
    if len(found) != len(entries) or sorted(found) != [entry.last_offset for entry in entries]:
        return "its entries do not ascend"
    for entry in expected:
        there = found.get(entry.last_offset)
        if there is None:
            return f"the transaction of producer {entry.producer_id} that was aborted at {entry.last_offset} is missing"
        if there != entry and not has_gaps:
            return (
                f"it says {tuple(there)} of the transaction that was aborted at {entry.last_offset}, not {tuple(entry)}"
            )
    for entry in entries:
        if abort_markers.get(entry.last_offset) != entry.producer_id and not has_gaps:
            return f"no transaction of producer {entry.producer_id} was aborted at offset {entry.last_offset}"
        if not entry.first_offset <= entry.last_offset < walked.end_offset:
            return f"an entry from {entry.first_offset} to {entry.last_offset} is not in the log"
    return None
