"""LazyVerification: what a segment's files held when the broker started is verified before it is served.

A start after a clean shutdown reads only the end of each log, so a bit that flipped on the disk would be sent to
consumers, some of which do not look at checksums.  Every segment that a start has loaded therefore remembers which
ranges of its bytes were read with the rules of `batch_reader.py` since; what this process appended needs none of this.

Costs one pass over the data, once (about 0.6 ms for a megabyte in the page cache).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.storage.batch_headers import find_batch
from wirebroker.storage.errors import CorruptFileError, ScanRequired
from wirebroker.storage.integrity.batch_reader import VerifiedRange, verify_range
from wirebroker.storage.integrity.segment_check import check_segment
from wirebroker.storage.integrity.txn_index_check import TransactionScan, correct_transaction_index

if TYPE_CHECKING:
    from wirebroker.storage.batch_headers import BatchHeader
    from wirebroker.storage.files import Files
    from wirebroker.storage.log_segment import LogSegment

LONG_SCAN_BYTES: Final = 1 << 20
"""A scan for transactions in more than this is left to a thread: with batches of 100 bytes this takes 30 ms."""
LONG_RANGE_BYTES: Final = 4 << 20
"""A longer range is verified in a thread: with batches of 16 kB this takes 2 ms, of 100 bytes 50 ms."""
_MAX_RANGES: Final = 32


class LazyVerification:
    """Verification of one segment on demand (`LogSegment.verification`); several threads may use it at once."""

    __slots__ = (
        "_failure",
        "_files",
        "_is_segment_checked",
        "_is_txn_index_checked",
        "_ranges",
        "_scan",
        "_scan_error",
        "expected_end_offset",
        "is_offset_index_verified",
        "loaded_bytes",
    )

    def __init__(self, loaded_bytes: int, expected_end_offset: int | None, files: Files) -> None:
        """Nothing is verified yet.

        Args:
            loaded_bytes: The size of the log file when it was loaded.
            expected_end_offset: Where the next segment begins, or where the log ended when it was closed; None if that
                is not known.
            files: How to read the producer snapshot of the segment.
        """
        self.loaded_bytes = loaded_bytes
        """Everything from this position on was written by this process."""
        self.expected_end_offset = expected_end_offset
        self.is_offset_index_verified = False
        """The offset index was compared with all batches, so it may say up to which offset a range of bytes reaches."""
        self._files = files
        self._ranges: list[VerifiedRange] = []
        self._is_segment_checked = False
        self._failure: str | None = None
        """Why nothing in the file is served."""
        self._is_txn_index_checked = False
        self._scan: TransactionScan | None = None
        self._scan_error: OSError | None = None
        """The error of a scan that could not read the file, until a read has raised it."""

    def find_batch(self, segment: LogSegment, offset: int, size_bytes: int) -> BatchHeader | None:
        """Return what `LogSegment.translate_offset` does, without trusting the segment or its offset index.

        Raises:
            ScanRequired: the whole segment has to be verified.
            CorruptFileError: nothing in the segment can be served, or no batch is where one should begin.
            OSError: a file cannot be read.
        """
        if not self._is_segment_checked:
            self._failure = check_segment(
                segment,
                size_bytes,
                self.loaded_bytes,
                self.expected_end_offset,
                lambda: self._verify(segment, 0, self.loaded_bytes),
            )
            self._is_segment_checked = True
        if self._failure is not None:
            raise CorruptFileError(f"{segment.log_file.path}: {self._failure}")
        first = segment.translate_offset(offset, size_bytes)
        if first is not None and first.base_offset <= offset:
            return first
        # there is a gap, or the index is wrong
        start = segment.offset_index.lookup_previous(offset)
        earlier = find_batch(segment.log_file.open(), start, size_bytes, offset)
        if earlier != first:
            segment.disable_offset_index()
        if earlier is None:
            self._verify_tail(segment, start)
        return earlier

    def _verify_tail(self, segment: LogSegment, start: int) -> None:
        """Verify the batches from position *start* to the end, as none of them has the offset that was asked for.

        Raises:
            CorruptFileError: one is not valid; it may have had the offset.
            OSError: the file cannot be read.
        """
        known = self._range_at(start)
        if known is not None and known.end >= self.loaded_bytes:
            return
        verified = self._verify(segment, start, self.loaded_bytes)
        if verified.end < self.loaded_bytes:
            reason = verified.invalid or "no batch ends with the file"
            raise CorruptFileError(f"{segment.log_file.path} at position {verified.end}: {reason}")

    def verified_end(self, segment: LogSegment, first: BatchHeader, offset: int, end: int) -> int:
        """Verify the batches from *first* up to position *end*; return the position up to which they may be served.

        Args:
            segment: The segment with the batches.
            first: The first batch to be served.
            offset: The offset that the reader asked for.
            end: Where the range to be served ends, maybe in the middle of a batch.

        Raises:
            ScanRequired: the range is long, and was not verified yet.
            CorruptFileError: the first batch is not valid, or one before it that may hold *offset* is not.
            OSError: the file cannot be read.
        """
        position = first.position
        limit = min(end, self.loaded_bytes)
        if position >= limit:
            return end
        start, known = position, self._range_at(position)
        if known is None:
            start = min(segment.offset_index.lookup_previous(offset), position)  # offsets are compared from there on
        elif known.limit >= limit and known.invalid is None:
            return end
        verified = self._verify(segment, start, limit)
        if verified.invalid is not None and verified.end < position and first.base_offset <= offset:
            # the damage is before the first batch, and does not hold the offset that was asked for
            verified = self._verify(segment, position, limit)
        if verified.invalid is None or verified.end >= limit:
            return end
        if verified.end <= position:
            raise CorruptFileError(f"{segment.log_file.path} at position {verified.end}: {verified.invalid}")
        return verified.end

    def check_transaction_index(self, segment: LogSegment, *, compacts: bool) -> None:
        """Compare `.txnindex` and `.index` with the log, once; from then on `segment` answers what the log says.

        *compacts*: a cleaner may have removed records of the log.

        Raises:
            ScanRequired: the segment is long, and was not scanned yet.
            CorruptFileError: the files disagree, and the log does not tell where all of the transactions began.
            OSError: a file cannot be read.
        """
        if self._is_txn_index_checked:
            return
        scan = self._scan
        if scan is None:
            scan = self._scan = TransactionScan(segment, self.loaded_bytes, self._files)
        if not scan.is_done:
            if self.loaded_bytes > LONG_SCAN_BYTES:
                raise ScanRequired(scan)
            scan.run()
        result = scan.result()
        if result.is_offset_index_right:
            self.is_offset_index_verified = result.is_complete
        else:
            segment.disable_offset_index()
        correct_transaction_index(segment.transaction_index, result, compacts=compacts)
        self._is_txn_index_checked, self._scan = True, None

    def truncated_to(self, position: int) -> LazyVerification | None:
        """Return the verification of what is left before *position*, None if there is nothing to verify any more."""
        self.loaded_bytes = min(self.loaded_bytes, position)
        self._ranges = [each for each in self._ranges if each.end <= position and each.invalid is None]
        return self if self.loaded_bytes else None

    def _range_at(self, position: int) -> VerifiedRange | None:
        """Return a verified range that *position* is in, or at the end of."""
        for each in self._ranges:
            if each.start <= position <= each.end:
                return each
        return None

    def _verify(self, segment: LogSegment, start: int, limit: int) -> VerifiedRange:
        """Verify from position *start*, where a batch begins, up to *limit*; go on behind a range that is verified.

        Raises:
            ScanRequired: the range is long.
            OSError: the file cannot be read, or a scan could not read it.
        """
        if self._scan_error is not None:
            error, self._scan_error = self._scan_error, None
            raise error
        known = self._range_at(start) or VerifiedRange(start, start, segment.base_offset, start)
        if known.limit >= limit or known.invalid is not None:
            return known
        if limit - known.end > LONG_RANGE_BYTES:
            raise ScanRequired(_RangeScan(self, segment, known, limit))
        return self._extend(segment, known, limit)

    def scan(self, segment: LogSegment, known: VerifiedRange, limit: int) -> None:
        """Verify behind *known* up to *limit*, in any thread.  A disk that fails fails the next read."""
        try:
            self._extend(segment, known, limit)
        except OSError as error:
            self._scan_error = error

    def _extend(self, segment: LogSegment, known: VerifiedRange, limit: int) -> VerifiedRange:
        loaded_bytes = self.loaded_bytes
        verified = verify_range(segment, known, min(limit, loaded_bytes), loaded_bytes)
        if loaded_bytes == self.loaded_bytes:  # else the file was truncated meanwhile
            # ranges in which this one began, or that it has passed, have nothing more to say
            kept = [each for each in self._ranges if not verified.start <= each.start <= each.end <= verified.end]
            self._ranges = [*kept, verified][-_MAX_RANGES:]
        return verified


class _RangeScan:
    """A range of a segment to be verified; a SegmentScan that ScanRequired can ask for."""

    def __init__(self, verification: LazyVerification, segment: LogSegment, known: VerifiedRange, limit: int) -> None:
        self._verification = verification
        self._segment = segment
        self._known = known
        self._limit = limit

    def run(self) -> None:
        """Verify the range.  Doing so twice does no harm."""
        self._verification.scan(self._segment, self._known, self._limit)
