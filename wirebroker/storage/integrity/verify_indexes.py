"""Compare the offset, time and transaction index of a segment with the batches in its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.integrity.verify_report import Finding, Remedy
from wirebroker.storage.offset_index import OffsetIndex
from wirebroker.storage.time_index import TimeIndex
from wirebroker.storage.transaction_index import ENTRY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wirebroker.storage.files import Files
    from wirebroker.storage.index_file import IndexFile
    from wirebroker.storage.integrity.verify_segment import SegmentContents
    from wirebroker.storage.log_segment import LogSegment
    from wirebroker.storage.transaction_index import AbortedTransaction

_ENTRIES_PER_READ: Final = 1024


class IndexFindings(NamedTuple):
    """The result of `check_indexes`."""

    findings: list[Finding]
    preallocated: int
    """How many of the two indexes have only zeros behind their last entry, and may have them."""


class Aborts:
    """The transactions that were aborted in a segment, by its log."""

    def __init__(self) -> None:
        self.transactions: list[AbortedTransaction] = []
        """By their markers; those whose beginning is known."""
        self.markers: dict[int, int] = {}
        """Offset of an abort marker -> producer id."""


class _Difference(NamedTuple):
    text: str
    is_preallocation: bool = False


def check_indexes(segment: LogSegment, contents: SegmentContents, files: Files, *, may_be_open: bool) -> IndexFindings:
    """Compare the offset index and the time index of *segment* with its *contents*.

    *may_be_open*: a broker may be appending to the segment, or may have been when it was killed; then the indexes have
    their full size, and a start rebuilds them.
    """
    findings = []
    preallocated = 0
    for index in (segment.offset_index, segment.time_index):
        if files.exists(index.path):
            difference = _difference(index, contents)
        else:
            difference = _Difference(f"it is missing beside {segment.log_file.path}")
        if difference is None:
            continue
        if difference.is_preallocation and may_be_open:
            preallocated += 1
        else:
            findings.append(_finding(index.path, difference.text, may_be_open=may_be_open))
    return IndexFindings(findings, preallocated)


def check_transaction_index(
    segment: LogSegment,
    contents: SegmentContents,
    aborts: Aborts,
    files: Files,
    *,
    is_log_complete: bool,
    may_be_open: bool,
) -> Finding | None:
    """Compare the transaction index of *segment* with what the log says was aborted in it.

    *is_log_complete*: the log begins with offset 0 and has no gaps, so that all transactions are seen from their
    beginning on.  For *may_be_open* see `check_indexes`.
    """
    index = segment.transaction_index
    if not index.exists:
        entries: list[AbortedTransaction] = []
        rest = 0
    else:
        try:
            entries = index.entries()
        except CorruptFileError as error:
            return Finding(index.path, str(error).removeprefix(f"{index.path}: "), remedy=Remedy.REBUILD_INDEXES)
        rest = files.size_bytes(index.path) % ENTRY.size
    text = _transaction_difference(entries, contents, aborts, is_log_complete=is_log_complete)
    if text is None and rest:
        text = f"{rest} bytes at its end are no entry"
    return None if text is None else _finding(index.path, text, may_be_open=may_be_open)


def _finding(path: str, text: str, *, may_be_open: bool) -> Finding:
    if may_be_open:
        return Finding(path, text, remedy=Remedy.AT_START, is_damage=False)
    return Finding(path, text, remedy=Remedy.REBUILD_INDEXES)


def _difference(index: IndexFile, contents: SegmentContents) -> _Difference | None:
    if index.size_bytes % index.ENTRY.size:
        return _Difference(f"{index.size_bytes} bytes are no whole number of entries")
    is_preallocated = _is_preallocated(index)
    entries = _entries(index, is_preallocated=is_preallocated)
    if isinstance(index, OffsetIndex):
        text = _offset_difference(index.base_offset, entries, contents)
    else:
        assert isinstance(index, TimeIndex)
        text = _time_difference(index.base_offset, entries, contents)
    if text is None and is_preallocated:
        return _Difference("its entries end in zeros", is_preallocation=True)
    return None if text is None else _Difference(text)


def _is_preallocated(index: IndexFile) -> bool:
    """Return whether the file ends in zeros; a single entry of zeros is one for the first record."""
    size = index.ENTRY.size
    return index.size_bytes > size and not any(index.bytes_at(index.size_bytes - size, size))


def _entries(index: IndexFile, *, is_preallocated: bool) -> Iterator[tuple[int, ...]]:
    """Yield the raw entries, of a preallocated file those before the zeros; the file is read in pieces."""
    size = index.ENTRY.size * _ENTRIES_PER_READ
    for position in range(0, index.size_bytes, size):
        for entry in index.ENTRY.iter_unpack(index.bytes_at(position, size)):
            if is_preallocated and not any(entry):
                return
            yield entry


def _offset_difference(base_offset: int, entries: Iterable[tuple[int, ...]], contents: SegmentContents) -> str | None:
    previous = -1, -1
    for number, (relative, position) in enumerate(entries):
        offset = base_offset + relative
        if relative <= previous[0] or position <= previous[1]:
            return f"entry {number} (offset {offset}, position {position}) does not ascend"
        at = contents.batch_at(position)
        if at is None:
            return f"entry {number} points to position {position}, where no batch begins"
        first = contents.first_offsets[at]
        if not first <= offset < contents.end_offset:
            return f"entry {number} has offset {offset} for the batch that begins with {first}"
        previous = relative, position
    return None


def _time_difference(base_offset: int, entries: Iterable[tuple[int, ...]], contents: SegmentContents) -> str | None:
    previous = -2, -1
    for number, (timestamp, relative) in enumerate(entries):
        offset = base_offset + relative
        if timestamp <= previous[0] or relative < previous[1]:
            return f"entry {number} (timestamp {timestamp}, offset {offset}) does not ascend"
        count = contents.batches_up_to(offset)
        if timestamp >= 0 and (not count or offset >= contents.end_offset):
            return f"entry {number} has offset {offset}, which is not in the log"
        if timestamp >= 0 and contents.max_timestamps[count - 1] != timestamp:
            largest = contents.max_timestamps[count - 1]
            return f"entry {number} has timestamp {timestamp}, and up to its offset {offset} the log has {largest}"
        previous = timestamp, relative
    return None


def _transaction_difference(
    entries: list[AbortedTransaction], contents: SegmentContents, aborts: Aborts, *, is_log_complete: bool
) -> str | None:
    by_marker = {entry.last_offset: entry for entry in entries}
    if len(by_marker) != len(entries) or sorted(by_marker) != [entry.last_offset for entry in entries]:
        return "its entries do not ascend"
    for expected in aborts.transactions:
        entry = by_marker.get(expected.last_offset)
        if entry is None:
            return (
                f"the transaction of producer {expected.producer_id} that was aborted at offset {expected.last_offset}"
                " is missing"
            )
        if entry != expected and is_log_complete:
            return (
                f"the transaction that was aborted at offset {expected.last_offset} is {tuple(entry)} in it and"
                f" {tuple(expected)} in the log"
            )
    for entry in entries:
        if aborts.markers.get(entry.last_offset) != entry.producer_id and is_log_complete:
            return f"no transaction of producer {entry.producer_id} was aborted at offset {entry.last_offset}"
        if not entry.first_offset <= entry.last_offset < contents.end_offset:
            return f"an entry from {entry.first_offset} to {entry.last_offset} is not in the log"
    return None
