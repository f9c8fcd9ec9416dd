"""LogReader: ranges of a log, records by time, aborted transactions, out of the newest published view.

Its methods may be called in any thread, while another one changes the log: they use one `LogView` each.  Segments of a
view may be deleted meanwhile; what then fails is done again with the newer view, from which they are gone.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

from wirebroker.record.errors import RecordError
from wirebroker.storage.aborted_transactions import collect_aborted_transactions, may_have_aborted_transactions
from wirebroker.storage.errors import CorruptFileError, OffsetOutOfRangeError, ScanRequired
from wirebroker.storage.log_slice import NOTHING
from wirebroker.storage.log_view import LogView

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.config.log import LogConfig
    from wirebroker.storage.local_log import LocalLog
    from wirebroker.storage.log_segment import LogSegment
    from wirebroker.storage.log_slice import LogSlice
    from wirebroker.storage.log_view import UnstableTransactions

logger = logging.getLogger(__name__)

T = TypeVar("T")


class LogReader:
    """The reads of one log."""

    __slots__ = ("_local_log", "_warned_gaps", "config", "published")

    published: tuple[
        tuple[LogSegment, ...], LogSegment, int, tuple[int, int] | None, int, int, UnstableTransactions | None
    ]
    """The fields of the newest LogView; `Log` assigns it at the end of each change.  Readers make the view: making one
    takes a twentieth of an append."""

    def __init__(self, local_log: LocalLog, config: LogConfig) -> None:
        """Nothing is published yet."""
        self._local_log = local_log
        self.config = config
        self._warned_gaps: set[int] = set()  # the offsets behind them

    @property
    def view(self) -> LogView:
        """The newest published view of the log; take it once for facts that belong together."""
        return LogView._make(self.published)

    def read(
        self, offset: int, max_bytes: int, upper_offset: int, min_one_batch: bool, may_wait: bool = True
    ) -> LogSlice:
        """Return the batches from the one that holds *offset* on, below *upper_offset*, from one segment.

        At most *max_bytes*, so the last batch may be cut off; with *min_one_batch* the first one is whole.  A reader
        with *may_wait* runs scans that are required, which may take seconds, itself.

        Raises:
            ScanRequired: without *may_wait*: run its scan, then call again.
            OffsetOutOfRangeError: *offset* is not in the log.
            CorruptLogError: no batch is where one should begin.
            StorageError: the disk failed.
        """
        if self._local_log.failure is not None:
            raise self._local_log.failure
        published = self.published
        segments, active, active_size, _, start_offset, end_offset, _ = published
        if not start_offset <= offset <= end_offset:
            raise OffsetOutOfRangeError(f"{offset} is not in {start_offset} to {end_offset}")
        if offset >= upper_offset or (max_bytes <= 0 and not min_one_batch):
            return NOTHING
        try:  # not `query`, which would cost a third of a read at the log's end
            if offset >= active.base_offset:
                end = active_size
                if upper_offset < end_offset:
                    end = LogView._make(published).position_of(active, upper_offset)
                return active.read(offset, max_bytes, end, min_one_batch, active_size) or NOTHING
            return self._read_older(LogView._make(published), offset, max_bytes, upper_offset, min_one_batch)
        except (OSError, CorruptFileError) as error:
            if self.published[0] is segments:
                raise self._error_of(error) from error
        except ScanRequired as required:
            if not may_wait:
                raise
            required.scan.run()
        # segments were deleted meanwhile, or verified
        return self.read(offset, max_bytes, upper_offset, min_one_batch, may_wait)

    def _read_older(
        self, view: LogView, offset: int, max_bytes: int, upper_offset: int, min_one_batch: bool
    ) -> LogSlice:
        for segment in view.segments_between(offset, upper_offset):
            if segment.base_offset > offset and not self.config.compacts:
                self._warn_offset_gap(offset, segment.base_offset)
            end = view.position_of(segment, upper_offset)
            found = segment.read(offset, max_bytes, end, min_one_batch, view.size_of(segment))
            if found is not None:
                return found
        return NOTHING

    def _warn_offset_gap(self, offset: int, next_offset: int) -> None:
        """Log once that a segment ends before the next one begins: compaction leaves that, other logs lost records."""
        if next_offset not in self._warned_gaps:
            self._warned_gaps.add(next_offset)
            logger.error(
                "topic=%s partition=%d: offsets %d to %d are missing; readers go on behind them",
                *(*self._local_log.topic_partition, offset, next_offset - 1),
            )

    def last_stable_offset(self, high_watermark: int) -> int:
        """Return where readers of committed records stop: the first open transaction, or *high_watermark*."""
        return self.view.last_stable_offset(high_watermark)

    def aborted_transactions(self, offset: int, records: LogSlice, may_wait: bool = True) -> list[tuple[int, int]]:
        """Return (producer id, first offset) of the aborted transactions that *records*, read at *offset*, may be of.

        In the order of their abort markers.

        Raises:
            SegmentReplaced: the segment that they were read from is gone: read again.
            ScanRequired, CorruptLogError, StorageError: as `read`.
        """
        if records.segment is None or not may_have_aborted_transactions(self.view, records.segment):
            return []
        while True:
            try:
                return self.query(
                    lambda view: collect_aborted_transactions(view, offset, records, compacts=self.config.compacts)
                )
            except ScanRequired as required:
                if not may_wait:
                    raise
                required.scan.run()

    def find_timestamp(self, timestamp: int, pause: Callable[[], None] | None = None) -> tuple[int, int, int] | None:
        """Return (timestamp, offset, leader epoch) of the first record at or after *timestamp*.

        *pause* is called every few milliseconds.

        Raises StorageError, CorruptLogError.
        """
        from wirebroker.storage import timestamp_lookup

        return self.query(lambda view: timestamp_lookup.find_first_at_or_after(view, timestamp, pause))

    def find_max_timestamp(self, pause: Callable[[], None] | None = None) -> tuple[int, int, int] | None:
        """Return (timestamp, offset, leader epoch) of the first record with the largest timestamp.

        *pause* is called every few milliseconds.

        Raises StorageError, CorruptLogError.
        """
        from wirebroker.storage import timestamp_lookup

        while True:
            before = self.published
            found = self.query(lambda view: timestamp_lookup.find_first_of_max_timestamp(view, pause))
            if (
                found is not None
                or before is self.published
                or LogView._make(before).active_max_timestamp_and_offset is not None
            ):
                return found
            # the time index spoke of batches that were appended since; the next view knows without it

    def segment_starts(self) -> list[tuple[int, int]]:
        """Return (first offset, time of the last change in ms) of every segment, then (log end offset, now).

        Without the latter if the active segment is empty.  Raises StorageError.
        """

        def starts_in(view: LogView) -> list[tuple[int, int]]:
            starts = [
                (max(segment.base_offset, view.log_start_offset), segment.modified_ms()) for segment in view.segments
            ]
            if view.active_size_bytes:
                starts.append((view.log_end_offset, self._local_log.context.clock()))
            return starts

        return self.query(starts_in)

    def read_bytes(self, offset: int, max_bytes: int, upper_offset: int) -> bytes:
        """Return what `read` finds, one whole batch at least, read into memory.  Raises as `read` does."""
        found = self.read(offset, max_bytes, upper_offset, True)
        try:
            return found.tobytes()
        except OSError as error:
            raise self._error_of(error) from error

    def query(self, question: Callable[[LogView], T]) -> T:
        """Return *question* of the newest view; it is asked again if segments of its view were deleted meanwhile.

        Corrupt bytes fail the call that comes across them, and leave the log in service.

        Raises:
            StorageError: the disk failed; so has the log now.
            CorruptLogError: the bytes make no sense.
        """
        while True:
            if self._local_log.failure is not None:
                raise self._local_log.failure
            view = self.view
            try:
                return question(view)
            except (OSError, CorruptFileError, RecordError) as error:
                if self.published[0] is view.segments:
                    raise self._error_of(error) from error

    def _error_of(self, error: Exception) -> Exception:
        if isinstance(error, OSError):
            return self._local_log.fail_from(error)
        return self._local_log.corrupt(error)
