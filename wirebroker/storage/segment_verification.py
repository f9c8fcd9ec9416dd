"""SegmentVerification: the verification of a segment that a start has loaded, as LogSegment uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wirebroker.storage.batch_headers import BatchHeader
    from wirebroker.storage.log_segment import LogSegment


class SegmentVerification(Protocol):
    """Verifies what the files of a segment held when the broker started, before a read relies on it.

    Implemented in `integrity/lazy_verification.py`, which says what each method does.
    """

    is_offset_index_verified: bool

    def find_batch(self, segment: LogSegment, offset: int, size_bytes: int) -> BatchHeader | None: ...

    def verified_end(self, segment: LogSegment, first: BatchHeader, offset: int, end: int) -> int: ...

    def check_transaction_index(self, segment: LogSegment, *, compacts: bool) -> None: ...

    def truncated_to(self, position: int) -> SegmentVerification | None: ...
