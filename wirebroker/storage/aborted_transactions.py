"""Find the aborted transactions that readers of committed records have to leave out of a range of a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.storage.errors import SegmentReplaced

if TYPE_CHECKING:
    from wirebroker.storage.log_segment import LogSegment
    from wirebroker.storage.log_slice import LogSlice
    from wirebroker.storage.log_view import LogView


def may_have_aborted_transactions(view: LogView, first: LogSegment) -> bool:
    """Whether *first* or a later segment has a transaction index; most logs have none.

    Raises SegmentReplaced if *first* is none of the segments.
    """
    for segment in reversed(view.segments):
        if segment.transaction_index.exists:
            return True
        if segment is first:
            return False
        if segment.base_offset <= first.base_offset:
            break
    raise SegmentReplaced


def collect_aborted_transactions(
    view: LogView, offset: int, records: LogSlice, *, compacts: bool
) -> list[tuple[int, int]]:
    """Return (producer id, first offset) of the aborted transactions that *records*, read at *offset*, may be part of.

    In the order of their abort markers.  A transaction's marker may be segments behind its records.

    Raises:
        SegmentReplaced: the segment that *records* were read from is not in *view*; what the indexes of another one say
            is not about them.
        ScanRequired: run its scan, then call again.
        CorruptFileError, OSError: a transaction index cannot be read.
    """
    assert records.segment is not None
    following = view.segments_between(records.segment.base_offset, view.log_end_offset)
    first = following[0]
    if first is not records.segment:
        raise SegmentReplaced
    _verify(first, compacts=compacts)
    upper = None
    if first.verification is None or first.verification.is_offset_index_verified:
        upper = first.offset_index.upper_bound_offset(records.position + records.size_bytes)
    if upper is None:
        upper = following[1].base_offset if len(following) > 1 else view.log_end_offset
    found = []
    for segment in following:
        if segment.transaction_index.exists:
            _verify(segment, compacts=compacts)
        aborted, complete = segment.transaction_index.collect(offset, upper)
        found += [(each.producer_id, each.first_offset) for each in aborted]
        if complete:
            break
    return found


def _verify(segment: LogSegment, *, compacts: bool) -> None:
    """Verify what a segment's indexes say of aborted transactions, if they were loaded at start; once."""
    if segment.verification is not None:
        segment.verification.check_transaction_index(segment, compacts=compacts)
