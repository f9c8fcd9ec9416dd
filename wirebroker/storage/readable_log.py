"""ReadableLog: the half of a log that changes nothing: ranges of it, records by time, epochs, aborted transactions.

Its methods may be called in any thread, while another one changes the log: they use one `LogView` each.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.faults import RecordError
from wirebroker.storage import timestamps
from wirebroker.storage.aborted_look import LONG_WALK_BYTES, AbortedWalk, LongWalk, look_at_aborted
from wirebroker.storage.faults import CorruptFile, DamagedError, DeletedError, StorageError
from wirebroker.storage.log_slice import NOTHING, LogSlice
from wirebroker.storage.log_view import LogView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from wirebroker.config.log import LogConfig
    from wirebroker.storage.files import Files
    from wirebroker.storage.leader_epochs import LeaderEpochs
    from wirebroker.storage.producer_state import ProducerState
    from wirebroker.storage.segment import Segment
    from wirebroker.storage.trash import Trash

logger = logging.getLogger(__name__)

T = TypeVar("T")


class ReadableLog:
    """What is known of one partition, and its failure if its disk has one.  `Log` adds the writing."""

    def __init__(
        self,
        topic: str,
        partition: int,
        directory: Path,
        config: LogConfig,
        *,
        files: Files,
        clock: Callable[[], int],
        trash: Trash,
        segments: Sequence[Segment],
        log_start_offset: int,
        log_end_offset: int,
        recovery_point: int,
        leader_epochs: LeaderEpochs,
        producers: ProducerState,
    ) -> None:
        self.topic = topic
        self.partition = partition
        self.directory = directory
        self.config = config
        """May be replaced at any time; holds from the next append on."""
        self.log_start_offset = log_start_offset
        self.log_end_offset = log_end_offset
        self.recovery_point = recovery_point
        """Everything below it is on the disk, not only in the page cache."""
        self.leader_epochs = leader_epochs
        self.producers = producers
        self.segments = tuple(segments)
        """Ascending; never empty.  The last one is appended to.  Replaced as a whole."""
        self.last_flush_ms = clock()
        self._files = files
        self._clock = clock
        self._trash = trash
        self._active = self.segments[-1]
        self._failure: ApiError | None = None
        self._gaps: set[int] = set()  # what was said about missing offsets
        self._names = Lock()
        """Held, by threads only, while something is written by the directory's name, and while that changes."""
        self._cuts = 0  # truncations so far: a flush that began before one must not move the recovery point
        self._publish()

    def _publish(self) -> None:
        """Show readers the log as it is now."""
        producers, active = self.producers, self._active
        if producers.unstable_is_stale:
            producers.refresh_unstable()
        self.published = (
            self.segments,
            active,
            active.size_bytes,
            active.largest,
            self.log_start_offset,
            self.log_end_offset,
            producers.unstable,
        )
        """The fields of the newest LogView: making one takes a twentieth of an append, so readers do."""

    @property
    def view(self) -> LogView:
        """The log as readers may see it; for two facts that belong together take it once."""
        return LogView._make(self.published)

    def read(self, offset: int, max_bytes: int, upper_offset: int, min_one_batch: bool) -> LogSlice:
        """The batches from the one that holds *offset* on, below *upper_offset*, from one segment.

        At most *max_bytes*, so the last batch may be cut off; with *min_one_batch* the first one is whole.

        Raises:
            ApiError: OFFSET_OUT_OF_RANGE.
            DamagedError: no batch is where one should begin.
            StorageError: the disk failed.
        """
        if self._failure is not None:
            raise self._failure
        published = self.published
        segments, active, active_size, _, start_offset, end_offset, _ = published
        if not start_offset <= offset <= end_offset:
            raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE, f"{offset} is not in {start_offset} to {end_offset}")
        if offset >= upper_offset or (max_bytes <= 0 and not min_one_batch):
            return NOTHING
        try:  # not `_ask`, which would cost a third of a read at the log's end
            if offset >= active.base_offset:
                end = active_size
                if upper_offset < end_offset:
                    end = self._position_in(LogView._make(published), active, upper_offset)
                return active.read(offset, max_bytes, end, min_one_batch, active_size) or NOTHING
            view = LogView._make(published)
            for segment in view.segments_between(offset, upper_offset):
                if segment.base_offset > offset and not self.config.compacts:
                    self._note_gap(offset, segment.base_offset)
                end = self._position_in(view, segment, upper_offset)
                found = segment.read(offset, max_bytes, end, min_one_batch, view.size_of(segment))
                if found is not None:
                    return found
        except OSError as error:
            if self.segments is segments:
                raise self._fail(error) from error
        except CorruptFile as error:
            if self.segments is segments:
                raise self._damaged(error) from error
        else:
            return NOTHING
        return self.read(offset, max_bytes, upper_offset, min_one_batch)  # segments were dropped meanwhile

    def _note_gap(self, offset: int, next_offset: int) -> None:
        """A segment ends before the next one begins.  Formerly compacted logs are like that; others have lost it."""
        if next_offset not in self._gaps:
            self._gaps.add(next_offset)
            logger.error(
                "topic=%s partition=%d: offsets %d to %d are missing",
                *(self.topic, self.partition, offset, next_offset - 1),
            )

    def _position_in(self, view: LogView, segment: Segment, upper_offset: int) -> int:
        """Where in *segment* the batch with *upper_offset* begins; its end if that is in a later segment."""
        if upper_offset >= view.log_end_offset:
            return view.size_of(segment)
        position = segment.position_of_recent(upper_offset)
        if position is not None:
            return position
        size = view.size_of(segment)
        header = segment.translate(upper_offset, size)
        return size if header is None else header.position

    def last_stable_offset(self, high_watermark: int) -> int:
        """Where read_committed readers stop: the earliest transaction that is not decided, or the high watermark."""
        return self.view.last_stable_offset(high_watermark)

    def aborted_transactions(self, offset: int, records: LogSlice) -> list[tuple[int, int]]:
        """(producer id, first offset) of the aborted transactions that *records*, read at *offset*, may be part of.

        In the order of their abort markers.

        Raises:
            ApiError: OFFSET_OUT_OF_RANGE: the segment that they were read from was deleted meanwhile.
            LongWalk: run it, and ask again.
            DamagedError, StorageError: as `read`.
        """
        if not records.size_bytes or not _has_aborts_from(self.view, records.segment_base_offset):
            return []
        return self._ask(lambda view: self._aborted_transactions(view, offset, records))

    def _aborted_transactions(self, view: LogView, offset: int, records: LogSlice) -> list[tuple[int, int]]:
        following = view.segments_between(records.segment_base_offset, view.log_end_offset)
        first = following[0]
        if first.base_offset != records.segment_base_offset:
            raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE, f"{offset} is below {view.log_start_offset}")
        self._look_at_aborted(first)
        upper = None
        if not first.proof.end or first.proof.index_bounds:
            upper = first.offset_index.upper_bound_offset(records.position + records.size_bytes)
        if upper is None:
            upper = following[1].base_offset if len(following) > 1 else view.log_end_offset
        found = []
        for segment in following:
            if segment.transaction_index.exists:
                self._look_at_aborted(segment)
            aborted, complete = segment.transaction_index.collect(offset, upper)
            found += [(each.producer_id, each.first_offset) for each in aborted]
            if complete:
                break
        return found

    def _look_at_aborted(self, segment: Segment) -> None:
        """Prove what a segment's indexes say of aborted transactions, if they were found at start; once."""
        proof = segment.proof
        if not proof.end or proof.aborted_were_looked_at:
            return
        walk = proof.aborted_walk
        if walk is None:
            walk = proof.aborted_walk = AbortedWalk(segment, self._files)
        if not walk.is_done:
            if proof.end > LONG_WALK_BYTES:
                raise LongWalk(walk)
            walk.run()
        look_at_aborted(segment, walk, compacts=self.config.compacts)
        proof.aborted_were_looked_at, proof.aborted_walk = True, None

    def fetch_offset_by_timestamp(self, timestamp: int) -> tuple[int, int, int] | None:
        """(timestamp, offset, leader epoch) of the first record at or after *timestamp*.

        Raises StorageError, DamagedError.
        """
        return self._ask(lambda view: timestamps.first_at_or_after(view, timestamp))

    def segment_starts(self) -> list[tuple[int, int]]:
        """(first offset, time of the last change) of every segment, then (log end offset, now) unless that is empty.

        Raises StorageError.
        """
        return self._ask(self._segment_starts)

    def _segment_starts(self, view: LogView) -> list[tuple[int, int]]:
        starts = [(max(segment.base_offset, view.log_start_offset), segment.modified_ms()) for segment in view.segments]
        if view.active_size_bytes:
            starts.append((view.log_end_offset, self._clock()))
        return starts

    def max_timestamp_offset(self) -> tuple[int, int, int] | None:
        """(timestamp, offset, leader epoch) of the first record with the largest timestamp.

        Raises StorageError, DamagedError.
        """
        while True:
            before = self.published
            found = self._ask(timestamps.first_of_largest)
            if found is not None or before is self.published or LogView._make(before).active_largest is not None:
                return found
            # what the time index says is of batches that were appended since; the next view knows without it

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """(largest epoch <= *epoch*, where it ends); (-1, -1) if unknown (KIP-101, KIP-279)."""
        return self.leader_epochs.end_offset_for(epoch, self.log_end_offset)

    def epoch_at(self, offset: int) -> int:
        """The leader epoch in which *offset* was written, -1 if that is not known any more."""
        return self.leader_epochs.epoch_for_offset(offset)

    @property
    def size_bytes(self) -> int:
        return self.view.size_bytes

    # -- what goes wrong

    @property
    def failure(self) -> ApiError | None:
        """Why the log is out of service, None while it serves."""
        return self._failure

    def fail(self, failure: ApiError) -> None:
        """Put the log out of service, for a fault that was seen elsewhere in its directory."""
        if self._failure is None or isinstance(self._failure, DeletedError):
            self._failure = failure
            for segment in self.segments:
                segment.close()

    def _fail(self, error: Exception) -> ApiError:
        if isinstance(self._failure, DeletedError):
            return self._failure  # files that we have renamed or removed ourselves are no fault of the disk
        failure: ApiError
        if isinstance(error, OSError):
            failure = StorageError(f"{self}: {error}")
        else:
            failure = DamagedError(ErrorCode.KAFKA_STORAGE_ERROR, f"{self}: {error}")
        failure.__cause__ = error
        logger.error("topic=%s partition=%d: out of service: %s", self.topic, self.partition, error)
        self.fail(failure)
        return failure

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Refuse if the log is out of service; put it there if something fails."""
        if self._failure is not None:
            raise self._failure
        try:
            yield
        except (OSError, CorruptFile) as error:
            raise self._fail(error) from error

    def _ask(self, question: Callable[[LogView], T]) -> T:
        """What *question* finds in the newest view; damaged bytes fail only the call that comes across them.

        It is asked again if segments of its view were dropped meanwhile.  Raises StorageError, DamagedError.
        """
        while True:
            if self._failure is not None:
                raise self._failure
            view = self.view
            try:
                return question(view)
            except OSError as error:
                if self.segments is view.segments:
                    raise self._fail(error) from error
            except (CorruptFile, RecordError) as error:
                if self.segments is view.segments:
                    raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> DamagedError:
        logger.error("topic=%s partition=%d: damaged: %s", self.topic, self.partition, error)
        return DamagedError(ErrorCode.CORRUPT_MESSAGE, f"{self}: {error}")

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition} in {self.directory.parent}"


def _has_aborts_from(view: LogView, base_offset: int) -> bool:
    """Whether that segment or a later one knows of an aborted transaction; most logs know of none."""
    for segment in reversed(view.segments):
        if segment.transaction_index.exists:
            return True
        if segment.base_offset <= base_offset:
            return False
    return False
