"""Log: one partition on disk.  Append, read, roll, truncate; a list of batches as far as anybody above can see.

    log start offset .......... first unstable offset .... high watermark ......... log end offset
    (older records are gone)    (open transaction)         (kept by replication)    (the next record's)

One task or thread at a time may change a log.  `flush` may run beside it in another thread, and so may everything that
reads: what readers see is published at the end of each change (`log_view.py`).  A disk that fails
puts the log out of service: every later call raises the same StorageError, and nothing that was written before is lost.
So does damage that a write comes across, as a DamagedError, which is no fault of the disk.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.legacy import any_batches
from wirebroker.record.record_batch import LOG_APPEND_TIME
from wirebroker.record.validate import stamp
from wirebroker.storage import retention
from wirebroker.storage.faults import CorruptFile, DeletedError, DiskFullError, MustWait, is_disk_full
from wirebroker.storage.log_slice import LogSlice
from wirebroker.storage.producer_replay import rebuild_producers
from wirebroker.storage.producer_state import AppendOrigin
from wirebroker.storage.readable_log import ReadableLog
from wirebroker.storage.segment import DELETED, Segment
from wirebroker.storage.time_index import NO_TIMESTAMP

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from wirebroker.record.legacy import AnyBatch
    from wirebroker.record.message_set import MessageSet
    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.storage.verification import Verification

__all__ = ["AppendOrigin", "AppendResult", "Log", "LogSlice"]

logger = logging.getLogger(__name__)


class AppendResult(NamedTuple):
    """Where a batch went."""

    base_offset: int
    last_offset: int
    log_append_time: int
    """-1 when the producer's timestamps were kept; of a duplicate, the first one's largest timestamp."""
    log_start_offset: int
    duplicate: bool


class Log(ReadableLog):
    """One partition.  Build it with `log_loader.load_log`."""

    # -- appending

    def append_as_leader(
        self,
        batch: RecordBatch,
        leader_epoch: int,
        now_ms: int,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        verified: Verification | None = None,
        may_wait: bool = True,
    ) -> AppendResult:
        """Give *batch*, which was checked, the next offsets, and write it.

        Its bytes are stamped in place if they are writable.  A duplicate of one of its producer's last five batches is
        not written; the result says where the first one is.  For *verified* see `ProducerState.admit`.  Unless it
        *may_wait*, nothing is done that takes more than a write to the page cache.

        Raises:
            MustWait: a segment has to be rolled or opened, or the log flushed; nothing was written.
            ApiError: the batch is too large, or its producer's epoch, sequence or transaction forbids it.
            StorageError: the disk failed; the batch may be found in the log after a restart.
        """
        if self._failure is not None:
            raise self._failure
        config = self.config
        size = batch.size_bytes
        if size > config.segment_bytes:
            raise ApiError(ErrorCode.RECORD_LIST_TOO_LARGE, f"{size} bytes, segment.bytes is {config.segment_bytes}")
        has_producer = batch.producer_id >= 0
        if has_producer:
            first = self.producers.check(batch, origin, verified)
            if first is not None:
                return AppendResult(
                    first.first_offset, first.last_offset, first.timestamp, self.log_start_offset, duplicate=True
                )
        base_offset = self.log_end_offset
        last_offset = base_offset + batch.last_offset_delta
        if batch.buffer.readonly:
            batch.buffer = memoryview(bytearray(batch.buffer))
        stamp(batch, base_offset, leader_epoch)
        spare = origin is AppendOrigin.COORDINATOR
        self._write(batch, base_offset, last_offset, has_producer, now_ms, None, may_wait, spare_full_disk=spare)
        return AppendResult(
            base_offset,
            last_offset,
            batch.max_timestamp if batch.attributes & LOG_APPEND_TIME else -1,
            self.log_start_offset,
            False,
        )

    def append_messages(self, messages: MessageSet, now_ms: int, may_wait: bool = True) -> AppendResult:
        """Give *messages*, of an old format, the next offsets, and write them.

        Raises:
            MustWait: as `append_as_leader`.
            ApiError: RECORD_LIST_TOO_LARGE.
            StorageError: the disk failed.
        """
        if self._failure is not None:
            raise self._failure
        base_offset = self.log_end_offset
        last_offset = base_offset + messages.count - 1
        messages.stamp(base_offset)
        size = messages.size_bytes
        if size > self.config.segment_bytes:
            raise ApiError(
                ErrorCode.RECORD_LIST_TOO_LARGE, f"{size} bytes, segment.bytes is {self.config.segment_bytes}"
            )
        if self.leader_epochs.latest >= 0:  # these formats have no place for them, so they would tell half the story
            with self._writing():
                self.leader_epochs.clear()
        self._write(messages, base_offset, last_offset, False, now_ms, base_offset + messages.largest_at, may_wait)
        return AppendResult(base_offset, last_offset, messages.log_append_time, self.log_start_offset, False)

    def append_as_follower(self, records: memoryview) -> None:
        """Write the leader's batches as they are, with its offsets and epochs.  A batch cut off at the end is left out.

        Raises:
            ApiError: CORRUPT_MESSAGE for a wrong checksum, OFFSET_OUT_OF_RANGE for offsets that the log has already;
                the batches before it were written.
            StorageError: the disk failed.
        """
        if self._failure is not None:
            raise self._failure
        now_ms = self._clock()
        for batch in any_batches(records):
            if not batch.is_valid():
                raise ApiError(ErrorCode.CORRUPT_MESSAGE, f"{self}: batch at offset {batch.base_offset}")
            if batch.base_offset < self.log_end_offset and not (
                # the first fetch may begin inside a batch, where the leader's log start has been moved to
                self.log_end_offset == self.log_start_offset and not self.size_bytes
            ):
                raise ApiError(
                    ErrorCode.OFFSET_OUT_OF_RANGE, f"{self}: {batch.base_offset} is below {self.log_end_offset}"
                )
            self._write(batch, batch.base_offset, batch.last_offset, batch.producer_id >= 0, now_ms)

    def _write(
        self,
        batch: AnyBatch | MessageSet,
        base_offset: int,
        last_offset: int,
        has_producer: bool,
        now_ms: int,
        reached: int | None = None,
        may_wait: bool = True,
        *,
        spare_full_disk: bool = False,
    ) -> None:
        """Everything that appending a batch with known offsets takes.

        *reached* is the offset at which its largest timestamp is reached, None for its last.  With *spare_full_disk*
        a batch for which there is no room is refused (DiskFullError), and the log stays in service.
        """
        config = self.config
        max_timestamp = batch.max_timestamp
        size = batch.size_bytes
        flush_is_due = last_offset - self.recovery_point >= config.flush_messages - 1
        position = None
        try:
            if batch.partition_leader_epoch != self.leader_epochs.latest and batch.partition_leader_epoch >= 0:
                self.leader_epochs.assign(batch.partition_leader_epoch, base_offset)
            segment = self._active
            if not segment.writable:
                if not may_wait:
                    raise MustWait
                segment.make_writable(config)
            if segment.should_roll(config, size, max_timestamp, last_offset, now_ms):
                if not may_wait:
                    raise MustWait
                segment = self._roll(base_offset, now_ms)
            elif flush_is_due and not may_wait:
                raise MustWait
            position = segment.size_bytes
            segment.append(batch.buffer, base_offset, last_offset, max_timestamp, reached)
        except (OSError, CorruptFile) as error:
            if spare_full_disk and is_disk_full(error) and position == self._active.size_bytes:
                self._cut_unwritten(self._active)
                raise DiskFullError(f"{self}: {error}") from error
            raise self._fail(error) from error
        if has_producer:
            done = self.producers.remember(batch, base_offset, last_offset, now_ms)  # type: ignore[arg-type]
            if done is not None:
                aborted = self.producers.complete(done)
                if aborted is not None:
                    with self._writing():
                        segment.transaction_index.append(aborted)
            if self.producers.unstable_is_stale:
                self.producers.refresh_unstable()
        producers = self.producers
        end_offset = last_offset + 1
        self.published = (
            self.segments,
            segment,
            segment.size_bytes,
            segment.largest,
            self.log_start_offset,
            end_offset,
            producers.unstable,
        )
        self.log_end_offset = producers.end_offset = end_offset
        if flush_is_due:
            self.flush()

    def assign_leader_epoch(self, epoch: int) -> None:
        """A leader with this epoch begins at the log end.  Raises StorageError."""
        with self._writing():
            self.leader_epochs.assign(epoch, self.log_end_offset)

    @contextmanager
    def writing_by_name(self) -> Iterator[None]:
        """Files may be written by the directory's name, in a thread.  Raises StorageError, DeletedError."""
        with self._writing(), self._names:
            if self._failure is not None:
                raise self._failure
            yield

    # -- rolling and flushing

    def roll(self) -> None:
        """Begin a new segment at the log end, unless the last one is empty.  Raises StorageError."""
        with self._writing():
            self._roll(self.log_end_offset, self._clock())

    def _cut_unwritten(self, segment: Segment) -> None:
        """Cut off what an append has left that found no room."""
        with self._writing():
            segment.log_file.open().truncate(segment.size_bytes)

    def _roll(self, next_offset: int, now_ms: int) -> Segment:
        active = self._active
        if not active.size_bytes and active.base_offset == next_offset:
            return active
        active.finish()
        self._give_back_space(active)
        self.producers.end_offset = next_offset
        self.producers.take_snapshot()
        segment = Segment.create(self._files, str(self.directory), next_offset, self.config, now_ms)
        self.segments = (*self.segments, segment)
        self._active = segment
        self._publish()
        self.reserve_space()
        logger.info("topic=%s partition=%d: rolled at offset %d", self.topic, self.partition, next_offset)
        return segment

    def reserve_space(self) -> None:
        """With `preallocate`, set the space of the last segment aside on the disk: appends then need not look for it.

        Unlike Kafka's, its file keeps its true size, so that a crash leaves no zeros in it.  Raises OSError.
        """
        if self.config.preallocate and not self._active.log_file.open().reserve(self.config.segment_bytes):
            logger.info("topic=%s partition=%d: no space was set aside", self.topic, self.partition)

    def _give_back_space(self, segment: Segment) -> None:
        if self.config.preallocate:
            segment.log_file.open().truncate(segment.size_bytes)

    @property
    def has_unflushed_segments(self) -> bool:
        """Were segments rolled that nobody has flushed yet?"""
        return len(self.segments) > 1 and self.recovery_point < self._active.base_offset

    def flush(self, *, rolled_only: bool = False) -> None:
        """Make what was appended so far (or only what is in rolled segments) survive a power failure.

        May run in another thread while the log is appended to.  Does nothing for a log that is deleted, also meanwhile.
        Raises StorageError.
        """
        try:
            self._flush(rolled_only)
        except DeletedError:
            pass  # nobody asks for its records any more

    def _flush(self, rolled_only: bool) -> None:
        with self._writing():
            cuts, view = self._cuts, self.view
            active = view.active
            end_offset = active.base_offset if rolled_only else view.log_end_offset
            if end_offset <= self.recovery_point:
                return
            segments = view.segments_between(self.recovery_point, end_offset)
            new_names = [segment for segment in segments if self._sync(segment)]
            with self._names:
                if self._failure is not None:
                    raise self._failure
                if cuts != self._cuts:
                    return
                self.leader_epochs.sync()
                if new_names or segments[-1].base_offset >= self.recovery_point:
                    self._files.sync_directory(str(self.directory))  # new files' names
                    if segments[0] is self.segments[0]:
                        self._files.sync_directory(str(self.directory.parent))  # maybe this directory's
                if self._active is not active:  # it was rolled meanwhile: its indexes are new
                    end_offset = active.base_offset
                self.recovery_point = max(self.recovery_point, end_offset)
                self.last_flush_ms = self._clock()

    def _sync(self, segment: Segment) -> bool:
        try:
            return segment.sync()
        except FileNotFoundError:
            if segment in self.segments:  # or retention or a move to another directory was quicker
                raise
            return False

    # -- shortening

    def delete_records(self, up_to: int) -> None:
        """Hide everything below *up_to*; whole segments of it go with the next `delete_old_segments`.

        Producers keep their state.

        Raises:
            ApiError: OFFSET_OUT_OF_RANGE beyond the log end.
            StorageError: the disk failed.
        """
        if up_to > self.log_end_offset:
            raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE, f"{up_to} is beyond the log end {self.log_end_offset}")
        with self._writing():
            self._move_log_start(up_to)

    def _move_log_start(self, offset: int) -> None:
        if offset > self.log_start_offset:
            self.log_start_offset = offset
            self.leader_epochs.truncate_from_start(offset)
            self.producers.log_start_moved(offset)
            self._publish()

    def has_old_segments(self, now_ms: int, high_watermark: int) -> bool:
        """Would `delete_old_segments` delete any?  In any thread.  Raises StorageError."""
        return self._ask(lambda _: next(retention.doomed_segments(self, now_ms, high_watermark), None) is not None)

    def delete_old_segments(self, now_ms: int, high_watermark: int) -> int:
        """Apply retention by log start, size and age; returns how many segments went.  Raises StorageError.

        Nothing at or above *high_watermark* is deleted; a topic that is only compacted loses what is below its log
        start.  The files are renamed now and removed after file.delete.delay.ms.
        """
        with self._writing():
            count = 0
            for why, doomed in retention.doomed_segments(self, now_ms, high_watermark):
                logger.info(
                    "topic=%s partition=%d: deleting %d segments up to offset %d: %s",
                    *(self.topic, self.partition, len(doomed), doomed[-1].base_offset, why),
                )
                if len(doomed) == len(self.segments):
                    self._roll(self.log_end_offset, now_ms)
                self.segments = self.segments[len(doomed) :]
                self._move_log_start(self.segments[0].base_offset)
                self._publish()
                self._drop(doomed, now_ms)
                count += len(doomed)
            return count

    def truncate_to(self, offset: int) -> bool:
        """Drop the batch that holds *offset* and all behind it; False if the log ends before that.

        A crash before the recovery points are next written finds less than was flushed: see
        `LogManager.truncate_to`.  Raises StorageError.
        """
        with self._writing():
            if offset >= self.log_end_offset:
                # a leader that never wrote may have left its epoch at the end
                self.leader_epochs.truncate_from_end(self.log_end_offset)
                return False
            if offset < self.segments[0].base_offset:
                self._restart_at(offset, offset)
                return True
            offset = self._start_of_batch(offset)
            now_ms = self._clock()
            self._cut()
            kept = tuple(segment for segment in self.segments if segment.base_offset <= offset)
            dropped = self.segments[len(kept) :]
            self.segments, self._active = kept, kept[-1]
            cut = self._active.translate(offset)
            # readers leave what is cut off before it goes
            size_bytes = self._active.size_bytes if cut is None else cut.position
            self.published = (kept, kept[-1], size_bytes, None, self.log_start_offset, offset, self.published[-1])
            self._drop(dropped, now_ms)
            self._active.truncate_to(offset, self.config, now_ms)
            self._files.sync_directory(str(self.directory))
            self._ends_at(offset)
            self.leader_epochs.truncate_from_end(offset)
            self.log_start_offset = min(self.log_start_offset, offset)
            self.leader_epochs.sync()
            rebuild_producers(self.producers, self.segments, self.log_start_offset, offset, now_ms)
            self._publish()
            return True

    def _cut(self) -> None:
        """What is flushed from now on is another log: a flush that is under way must not move the recovery point."""
        with self._names:
            self._cuts += 1

    def will_truncate_to(self, offset: int) -> None:
        """Claim no more than what is there after `truncate_to` with *offset*, which begins a batch."""
        self._cut()
        self.recovery_point = min(offset, self.recovery_point)
        self.log_start_offset = min(offset, self.log_start_offset)
        self._publish()

    def start_of_batch(self, offset: int) -> int:
        """The first offset of the batch that holds *offset*, *offset* itself if none does.  Raises StorageError."""
        with self._writing():
            return self._start_of_batch(offset)

    def _start_of_batch(self, offset: int) -> int:
        segment = self.view.segments_between(offset, offset + 1)[0]
        header = segment.translate(offset)
        return offset if header is None else min(offset, segment.first_offset_of(header))

    def truncate_fully_and_start_at(self, offset: int, log_start_offset: int | None = None) -> None:
        """Drop everything; the next record gets *offset*.  Raises StorageError."""
        with self._writing():
            self._restart_at(offset, offset if log_start_offset is None else log_start_offset)

    def _restart_at(self, offset: int, log_start_offset: int) -> None:
        now_ms = self._clock()
        self._cut()
        dropped = self.segments
        self._active = Segment(self._files, str(self.directory), offset, self.config, now_ms, size_bytes=0)
        self._active.largest = NO_TIMESTAMP, offset
        self.segments = (self._active,)
        self._ends_at(offset)
        self.log_start_offset = log_start_offset
        self._publish()  # an empty log, before the old files go
        self._drop(dropped, now_ms)
        self._active.make_files(self.config)
        self.reserve_space()
        self._files.sync_directory(str(self.directory))
        self.leader_epochs.clear()
        self.leader_epochs.sync()
        self.producers.restart_at(offset)
        self._publish()

    def _ends_at(self, offset: int) -> None:
        self.log_end_offset = offset
        self.recovery_point = min(self.recovery_point, offset)

    def _drop(self, segments: Sequence[Segment], now_ms: int) -> None:
        """Take the files of *segments*, which are not the log's any more, out of sight."""
        due_ms = now_ms + self.config.file_delete_delay_ms
        for segment in segments:
            self._trash.add_files(segment.mark_deleted(), due_ms)
            snapshot = self.producers.forget_snapshot(segment.base_offset)
            if snapshot is not None:
                self._files.rename(snapshot, snapshot + DELETED)
                self._trash.add_files([snapshot + DELETED], due_ms)

    # -- ending

    def finish(self) -> bool:
        """Write what a clean shutdown leaves in the files, for `close` to sync.  Is there anything to sync?"""
        with self._writing():
            active = self._active
            if active.writable:
                active.finish()
                self._give_back_space(active)
                self.recovery_point = min(self.recovery_point, active.base_offset)  # its indexes have changed
            self.producers.take_snapshot()
            self.leader_epochs.prepare()
            return self.recovery_point < self.log_end_offset or self.leader_epochs.has_unsaved_changes

    def close(self) -> None:
        """Flush everything and give the descriptors back: the next load needs no recovery.  Raises StorageError."""
        self.finish()
        with self._writing():
            self.flush()
            with self._names:
                self.leader_epochs.sync()
            self.producers.sync()
            for segment in self.segments:
                segment.close()

    @contextmanager
    def changing_names(self) -> Iterator[None]:
        """Nothing is written by the directory's name meanwhile; in a thread, for a flush may have to end first."""
        with self._names:
            self._cuts += 1
            yield

    def mark_deleted(self) -> None:
        """The files are about to be renamed or removed: whoever uses the log hears DeletedError from now on."""
        with self._names:
            if self._failure is None:
                self._failure = DeletedError(f"{self} was deleted")

    def take_over(self, copy: Log) -> None:
        """Go on with the files of *copy*, which holds the same records in another directory; in `changing_names`."""
        before = self.segments
        copy.producers.inherit(self.producers)
        self.directory, self.producers, self.leader_epochs = copy.directory, copy.producers, copy.leader_epochs
        self.segments, self._active = copy.segments, copy._active
        self.recovery_point, self.last_flush_ms = copy.recovery_point, copy.last_flush_ms
        self._publish()
        for segment in before:
            segment.close()

    def will_move(self, directory: Path | None) -> None:
        """The directory is about to be renamed to *directory*; None: it keeps its name after all."""
        for segment in self.segments:
            segment.will_move(None if directory is None else str(directory))

    def moved(self, directory: Path) -> None:
        """The directory was renamed: use the files under their new names."""
        self.directory = directory
        for segment in self.segments:
            segment.moved(str(directory))
        self.leader_epochs.moved(str(directory))
        self.producers.directory = str(directory)
