"""ReadableLog: the half of a log that changes nothing: ranges of it, records by time, epochs, aborted transactions."""

from __future__ import annotations

import logging
from bisect import bisect_right
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.faults import RecordError
from wirebroker.storage import timestamps
from wirebroker.storage.aborted_look import LONG_WALK_BYTES, AbortedWalk, LongWalk, look_at_aborted
from wirebroker.storage.faults import CorruptFile, DamagedError, StorageError
from wirebroker.storage.log_slice import LogSlice, empty_slice

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
        segments: list[Segment],
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
        self.segments = segments
        """Ascending; never empty.  The last one is appended to."""
        self.last_flush_ms = clock()
        self._files = files
        self._clock = clock
        self._trash = trash
        self._active = segments[-1]
        self._failure: ApiError | None = None
        self._gaps: set[int] = set()  # what was said about missing offsets
        self._cuts = 0  # truncations so far: a flush that began before one must not move the recovery point

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
        end_offset = self.log_end_offset
        if not self.log_start_offset <= offset <= end_offset:
            raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE, f"{offset} is not in {self.log_start_offset} to {end_offset}")
        if offset >= upper_offset:
            return empty_slice(offset)
        try:  # not `_reading`, which would cost a third of a read at the log's end
            active = self._active
            if offset >= active.base_offset:
                end = active.size_bytes if upper_offset >= end_offset else self._position_in(active, upper_offset)
                return active.read(offset, max_bytes, end, min_one_batch) or empty_slice(offset)
            for segment in self._segments_between(offset, upper_offset):
                if segment.base_offset > offset and not self.config.compacts:
                    self._note_gap(offset, segment.base_offset)
                found = segment.read(offset, max_bytes, self._position_in(segment, upper_offset), min_one_batch)
                if found is not None:
                    return found
        except OSError as error:
            raise self._fail(error) from error
        except CorruptFile as error:
            raise self._damaged(error) from error
        return empty_slice(offset)

    def _note_gap(self, offset: int, next_offset: int) -> None:
        """A segment ends before the next one begins.  Formerly compacted logs are like that; others have lost it."""
        if next_offset not in self._gaps:
            self._gaps.add(next_offset)
            logger.error(
                "topic=%s partition=%d: offsets %d to %d are missing",
                *(self.topic, self.partition, offset, next_offset - 1),
            )

    def _position_in(self, segment: Segment, upper_offset: int) -> int:
        """Where in *segment* the batch with *upper_offset* begins; its end if that is in a later segment."""
        if upper_offset >= self.log_end_offset:
            return segment.size_bytes
        position = segment.position_of_recent(upper_offset)
        if position is not None:
            return position
        header = segment.translate(upper_offset)
        return segment.size_bytes if header is None else header.position

    def _segments_between(self, start_offset: int, end_offset: int) -> Sequence[Segment]:
        """The segments that may hold offsets from *start_offset* up to (not including) *end_offset*."""
        segments = self.segments.copy()  # a flush asks in another thread
        bases = [segment.base_offset for segment in segments]
        first = max(bisect_right(bases, start_offset) - 1, 0)
        return segments[first : max(bisect_right(bases, end_offset - 1), first + 1)]

    def last_stable_offset(self, high_watermark: int) -> int:
        """Where read_committed readers stop: the earliest transaction that is not decided, or the high watermark."""
        unstable = self.producers.first_unstable_offset(high_watermark)
        if unstable is None or unstable > high_watermark:
            return high_watermark
        return max(unstable, self.log_start_offset)

    def aborted_transactions(self, offset: int, records: LogSlice) -> list[tuple[int, int]]:
        """(producer id, first offset) of the aborted transactions that *records*, read at *offset*, may be part of.

        In the order of their abort markers.  Raises StorageError, DamagedError, and LongWalk: run it, and ask again.
        """
        if not records.size_bytes or not self._has_aborts_from(records.segment_base_offset):
            return []
        with self._reading():
            following = self._segments_between(records.segment_base_offset, self.log_end_offset)
            first = following[0]
            self._look_at_aborted(first)
            upper = None
            if not first.proof.end or first.proof.index_bounds:
                upper = first.offset_index.upper_bound_offset(records.position + records.size_bytes)
            if upper is None:
                upper = following[1].base_offset if len(following) > 1 else self.log_end_offset
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

    def _has_aborts_from(self, base_offset: int) -> bool:
        """Whether that segment or a later one knows of an aborted transaction; most logs know of none."""
        for segment in reversed(self.segments):
            if segment.transaction_index.exists:
                return True
            if segment.base_offset <= base_offset:
                return False
        return False

    def fetch_offset_by_timestamp(self, timestamp: int) -> tuple[int, int, int] | None:
        """(timestamp, offset, leader epoch) of the first record at or after *timestamp*.

        Raises StorageError, DamagedError.
        """
        with self._reading():
            return timestamps.first_at_or_after(self.segments, timestamp, self.log_start_offset)

    def segment_starts(self) -> list[tuple[int, int]]:
        """(first offset, time of the last change) of every segment, then (log end offset, now) unless that is empty.

        Raises StorageError.
        """
        with self._reading():
            starts = [
                (max(segment.base_offset, self.log_start_offset), self._files.modified_ms(segment.log_file.path))
                for segment in self.segments
            ]
            if self._active.size_bytes:
                starts.append((self.log_end_offset, self._clock()))
            return starts

    def max_timestamp_offset(self) -> tuple[int, int, int] | None:
        """(timestamp, offset, leader epoch) of the first record with the largest timestamp.

        Raises StorageError, DamagedError.
        """
        with self._reading():
            return timestamps.first_of_largest(self.segments)

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """(largest epoch <= *epoch*, where it ends); (-1, -1) if unknown (KIP-101, KIP-279)."""
        return self.leader_epochs.end_offset_for(epoch, self.log_end_offset)

    def epoch_at(self, offset: int) -> int:
        """The leader epoch in which *offset* was written, -1 if that is not known any more."""
        return self.leader_epochs.epoch_for_offset(offset)

    @property
    def size_bytes(self) -> int:
        return sum(segment.size_bytes for segment in self.segments)

    # -- what goes wrong

    @property
    def failure(self) -> ApiError | None:
        """Why the log is out of service, None while it serves."""
        return self._failure

    def fail(self, failure: ApiError) -> None:
        """Put the log out of service, for a fault that was seen elsewhere in its directory."""
        if self._failure is None:
            self._failure = failure
            for segment in self.segments:
                segment.close()

    def _fail(self, error: Exception) -> ApiError:
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

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """The same, but damaged bytes fail only the call that comes across them."""
        if self._failure is not None:
            raise self._failure
        try:
            yield
        except OSError as error:
            raise self._fail(error) from error
        except (CorruptFile, RecordError) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> DamagedError:
        logger.error("topic=%s partition=%d: damaged: %s", self.topic, self.partition, error)
        return DamagedError(ErrorCode.CORRUPT_MESSAGE, f"{self}: {error}")

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition} in {self.directory.parent}"
