"""Log: the log of one partition, to which batches are appended (Kafka: UnifiedLog).

    log start offset .......... first unstable offset .... high watermark ......... log end offset
    (older records are gone)    (open transaction)         (kept by replication)    (the next record's)

A Log is made of its `LocalLog` (segments and their files), its `ProducerStateManager` (sequences and transactions) and
its `LeaderEpochCache`; readers use its `LogReader`.  Other modules change a log as a whole: `retention.py` deletes old
segments, `log_truncation.py` records at the end, `future_logs.py` moves a log to another directory.

One task or thread at a time may change a log.  `flush` may run beside it in another thread, and so may everything that
reads: what readers see is published at the end of each change (`log_view.py`).  A disk that fails puts the log out of
service: every later call raises the same StorageError, and nothing that was written before is lost.  So do corrupt
bytes that a write comes across, with an UnwritableLogError, which is no fault of the disk.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.record.record_batch import LOG_APPEND_TIME, stamp
from wirebroker.storage.errors import (
    CorruptFileError,
    CorruptLogError,
    DiskFullError,
    LogDeletedError,
    OffsetOutOfRangeError,
    RecordBatchTooLargeError,
    WouldBlock,
    is_disk_full,
)
from wirebroker.storage.log_reader import LogReader
from wirebroker.storage.producer_state_manager import AppendOrigin

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.config.log import LogConfig
    from wirebroker.model import TopicPartition
    from wirebroker.record.legacy import AnyBatch
    from wirebroker.record.message_set import MessageSet
    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.storage.errors import LogError
    from wirebroker.storage.leader_epoch_cache import LeaderEpochCache
    from wirebroker.storage.local_log import LocalLog
    from wirebroker.storage.log_segment import LogSegment
    from wirebroker.storage.log_segments import LogSegments
    from wirebroker.storage.log_view import LogView
    from wirebroker.storage.producer_state_manager import ProducerStateManager
    from wirebroker.storage.verification_guard import VerificationGuard

logger = logging.getLogger(__name__)


class AppendResult(NamedTuple):
    """The offsets and the times that a batch was appended with."""

    base_offset: int
    last_offset: int
    log_append_time: int
    """-1 when the producer's timestamps were kept; of a duplicate, the first one's largest timestamp."""
    log_start_offset: int
    duplicate: bool


class Log:
    """The log of one partition.  Opened by `LogLoader.load`."""

    def __init__(
        self,
        local_log: LocalLog,
        config: LogConfig,
        producer_state_manager: ProducerStateManager,
        leader_epoch_cache: LeaderEpochCache,
        log_start_offset: int,
        log_end_offset: int,
    ) -> None:
        self.local_log = local_log
        self.producer_state_manager = producer_state_manager
        self.leader_epoch_cache = leader_epoch_cache
        self.log_start_offset = log_start_offset
        self.log_end_offset = log_end_offset
        self.reader = LogReader(local_log, config)
        self.read = self.reader.read  # bound once: a call more would cost a reader at the log's end 25 %
        self._config = config
        self.rolled_bytes = 0
        """The size of segments when they were rolled, since the log was loaded; see `appended_bytes`."""
        self.publish()

    def __str__(self) -> str:
        return str(self.local_log)

    @property
    def config(self) -> LogConfig:
        """The topic's settings; may be replaced at any time, and hold from the next append on."""
        return self._config

    @config.setter
    def config(self, config: LogConfig) -> None:
        self._config = self.reader.config = config

    @property
    def topic_partition(self) -> TopicPartition:
        return self.local_log.topic_partition

    @property
    def directory(self) -> Path:
        return self.local_log.directory

    @property
    def segments(self) -> LogSegments:
        return self.local_log.segments

    @property
    def recovery_point(self) -> int:
        """Every record below this offset is on the disk, not only in the page cache."""
        return self.local_log.recovery_point

    @property
    def view(self) -> LogView:
        """The newest published view of the log; take it once for facts that belong together."""
        return self.reader.view

    @property
    def size_bytes(self) -> int:
        return self.view.size_bytes

    @property
    def appended_bytes(self) -> int:
        """A number that grows by the size of each append; retention and compaction do not change it.

        Truncations do, so that it means something only while nothing is truncated.
        """
        return self.rolled_bytes + self.local_log.segments.active.size_bytes

    @property
    def failure(self) -> LogError | None:
        """Why the log is out of service, None while it serves."""
        return self.local_log.failure

    def publish(self) -> None:
        """Publish the state of the log to its readers."""
        producers, segments = self.producer_state_manager, self.local_log.segments
        if producers.unstable_is_stale:
            producers.refresh_unstable()
        active = segments.active
        self.reader.published = (
            segments.values,
            active,
            active.size_bytes,
            active.max_timestamp_so_far,
            self.log_start_offset,
            self.log_end_offset,
            producers.unstable,
        )

    # -- appending

    def append_as_leader(
        self,
        batch: RecordBatch,
        leader_epoch: int,
        now_ms: int,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        verification_guard: VerificationGuard | None = None,
        may_wait: bool = True,
    ) -> AppendResult:
        """Assign the next offsets to *batch*, which was validated, and append it.

        Its bytes are stamped in place if they are writable.  A duplicate of one of its producer's last five batches is
        not written; the result says where the first one is.  Unless it *may_wait*, nothing is done that takes more than
        a write to the page cache.  *verification_guard* comes from
        `ProducerStateManager.start_transaction_verification`; None if nothing has to be verified.

        Raises:
            WouldBlock: a segment has to be rolled or opened, or the log flushed; nothing was written.
            RecordBatchTooLargeError: the batch is larger than ``segment.bytes``.
            InvalidProducerEpochError, OutOfOrderSequenceError, InvalidTxnStateError, TransactionCoordinatorFencedError:
                the state of the producer in this log forbids the batch.
            StorageError: the disk failed; the batch may be found in the log after a restart.
        """
        if self.local_log.failure is not None:
            raise self.local_log.failure
        config = self._config
        size = batch.size_bytes
        if size > config.segment_bytes:
            raise RecordBatchTooLargeError(f"{size} bytes, segment.bytes is {config.segment_bytes}")
        if batch.producer_id >= 0:
            first = self.producer_state_manager.validate_append(batch, origin, verification_guard)
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
        self._write(batch, base_offset, last_offset, now_ms, None, may_wait, spare_full_disk=spare)
        return AppendResult(
            base_offset,
            last_offset,
            batch.max_timestamp if batch.attributes & LOG_APPEND_TIME else -1,
            self.log_start_offset,
            False,
        )

    def append_messages(self, messages: MessageSet, now_ms: int, may_wait: bool = True) -> AppendResult:
        """Assign the next offsets to *messages*, of format 0 or 1, and append them.

        Raises:
            WouldBlock: as `append_as_leader`.
            RecordBatchTooLargeError: they are larger than ``segment.bytes``.
            StorageError: the disk failed.
        """
        if self.local_log.failure is not None:
            raise self.local_log.failure
        base_offset = self.log_end_offset
        last_offset = base_offset + messages.count - 1
        messages.stamp(base_offset)
        size = messages.size_bytes
        if size > self._config.segment_bytes:
            raise RecordBatchTooLargeError(f"{size} bytes, segment.bytes is {self._config.segment_bytes}")
        if self.leader_epoch_cache.latest_epoch >= 0:  # these formats have no leader epochs: the cache ends here
            with self.local_log.operation():
                self.leader_epoch_cache.clear()
        self._write(messages, base_offset, last_offset, now_ms, base_offset + messages.index_of_max_timestamp, may_wait)
        return AppendResult(base_offset, last_offset, messages.log_append_time, self.log_start_offset, False)

    def append_as_follower(self, records: memoryview) -> None:
        """Append batches of another log as they are, with their offsets and epochs, without one cut off at the end.

        Raises:
            CorruptLogError: a checksum is wrong; the batches before it were written.
            OffsetOutOfRangeError: the log has the offsets already; the batches before it were written.
            StorageError: the disk failed.
        """
        from wirebroker.record.legacy import any_batches  # not for a leader

        now_ms = self.local_log.context.clock()
        for batch in any_batches(records):
            self.append_batch_as_follower(batch, now_ms)

    def append_batch_as_follower(self, batch: AnyBatch, now_ms: int, may_wait: bool = True) -> None:
        """Append one batch of another log as it is.

        Raises:
            WouldBlock: as `append_as_leader`.
            CorruptLogError: the checksum is wrong.
            OffsetOutOfRangeError: the log has the offsets already.
            StorageError: the disk failed.
        """
        if self.local_log.failure is not None:
            raise self.local_log.failure
        if not batch.is_valid():
            raise CorruptLogError(f"{self}: batch at offset {batch.base_offset}")
        if batch.base_offset < self.log_end_offset:
            if self.log_end_offset != self.log_start_offset or self.size_bytes:
                raise OffsetOutOfRangeError(f"{self}: {batch.base_offset} is below {self.log_end_offset}")
            # the first fetch may begin inside a batch, where the leader's log start has been moved to; a segment is
            # named after the first offset in it
            if not may_wait:
                raise WouldBlock
            from wirebroker.storage.log_truncation import truncate_fully_and_start_at

            truncate_fully_and_start_at(self, batch.base_offset, self.log_start_offset)
        if batch.magic < 2 and self.leader_epoch_cache.latest_epoch >= 0:
            with self.local_log.operation():
                self.leader_epoch_cache.clear()  # a format without epochs: those that are known end here
        self._write(batch, batch.base_offset, batch.last_offset, now_ms, None, may_wait)

    def _write(
        self,
        batch: AnyBatch | MessageSet,
        base_offset: int,
        last_offset: int,
        now_ms: int,
        offset_of_max_timestamp: int | None = None,
        may_wait: bool = True,
        *,
        spare_full_disk: bool = False,
    ) -> None:
        """Write a batch with known offsets, and take it into account.

        The arguments are passed one by one: a tuple of them would take a twelfth of an append.

        Args:
            batch: The batch, stamped.
            base_offset: The first offset in it.
            last_offset: The last offset in it.
            now_ms: The time of the append.
            offset_of_max_timestamp: The first offset with its largest timestamp, None for its last offset.
            may_wait: Whether to roll, to open files and to flush, or else to raise WouldBlock.
            spare_full_disk: Refuse a batch for which there is no room (DiskFullError), and leave the log in service.
        """
        config, local_log = self._config, self.local_log
        max_timestamp = batch.max_timestamp
        size = batch.size_bytes
        flush_is_due = last_offset - local_log.recovery_point >= config.flush_messages - 1
        position = None
        try:
            if (
                batch.partition_leader_epoch != self.leader_epoch_cache.latest_epoch
                and batch.partition_leader_epoch >= 0
            ):
                self.leader_epoch_cache.assign(batch.partition_leader_epoch, base_offset)
            segment = local_log.segments.active
            if not segment.writable:
                if not may_wait:
                    raise WouldBlock
                segment.make_writable(config)
            if segment.should_roll(config, size, max_timestamp, last_offset, now_ms):
                if not may_wait:
                    raise WouldBlock
                segment = self._roll(base_offset, now_ms)
            elif flush_is_due and not may_wait:
                raise WouldBlock
            position = segment.size_bytes
            segment.append(batch.buffer, base_offset, last_offset, max_timestamp, offset_of_max_timestamp)
        except (OSError, CorruptFileError) as error:
            if spare_full_disk and is_disk_full(error) and position == local_log.segments.active.size_bytes:
                with local_log.operation():
                    local_log.discard_partial_append()
                raise DiskFullError(f"{self}: {error}") from error
            raise local_log.fail_from(error) from error
        producers = self.producer_state_manager
        if batch.producer_id >= 0:
            self.update_producers(batch, base_offset, last_offset, now_ms, segment)  # type: ignore[arg-type]
        end_offset = last_offset + 1
        self.reader.published = (
            local_log.segments.values,
            segment,
            segment.size_bytes,
            segment.max_timestamp_so_far,
            self.log_start_offset,
            end_offset,
            producers.unstable,
        )
        self.log_end_offset = producers.end_offset = end_offset
        if flush_is_due:
            self.flush()

    def update_producers(
        self, batch: RecordBatch, base_offset: int, last_offset: int, now_ms: int, segment: LogSegment
    ) -> None:
        """Take a batch of a producer with an id into account, which was written to *segment*."""
        producers = self.producer_state_manager
        completed = producers.update(batch, base_offset, last_offset, now_ms)
        if completed is not None:
            aborted = producers.complete_txn(completed)
            if aborted is not None:
                with self.local_log.operation():
                    segment.transaction_index.append(aborted)
        if producers.unstable_is_stale:
            producers.refresh_unstable()

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """Return (largest epoch <= *epoch*, where it ends); (-1, -1) if unknown (KIP-101, KIP-279)."""
        return self.leader_epoch_cache.end_offset_for(epoch, self.log_end_offset)

    def assign_leader_epoch(self, epoch: int) -> None:
        """Start a leader epoch at the log end.  Raises StorageError."""
        with self.local_log.operation():
            self.leader_epoch_cache.assign(epoch, self.log_end_offset)

    # -- rolling and flushing

    def roll(self, now_ms: int | None = None) -> None:
        """Start a new segment at the log end, unless the active one is empty.  Raises StorageError."""
        with self.local_log.operation():
            self._roll(self.log_end_offset, self.local_log.context.clock() if now_ms is None else now_ms)

    def _roll(self, next_offset: int, now_ms: int) -> LogSegment:
        local_log = self.local_log
        active = local_log.segments.active
        if not active.size_bytes and active.base_offset == next_offset:
            return active
        local_log.close_active(self._config)
        self.producer_state_manager.end_offset = next_offset
        self.producer_state_manager.take_snapshot()
        segment = local_log.segments.append_new(str(self.directory), next_offset, self._config, now_ms)
        self.rolled_bytes += active.size_bytes
        self.publish()
        local_log.reserve_space(self._config)
        logger.info("topic=%s partition=%d: rolled at offset %d", *self.topic_partition, next_offset)
        return segment

    def flush(self, *, rolled_only: bool = False) -> None:
        """Sync the records appended so far, or with *rolled_only* those in rolled segments, to the disk.

        May run in another thread while the log is appended to.  Does nothing for a log that is deleted, also meanwhile.
        Raises StorageError.
        """
        try:
            with self.local_log.operation():
                self.local_log.flush(
                    lambda: self.reader.view,
                    rolled_only=rolled_only,
                    sync_others=lambda: self.leader_epoch_cache.sync(),  # a move may replace the cache until then
                )
        except LogDeletedError:
            pass  # its records are gone

    # -- deleting records

    def delete_records(self, up_to: int) -> None:
        """Move the log start to *up_to*; segments below it are deleted by the next `delete_old_segments`.

        Producers keep their state.

        Raises:
            OffsetOutOfRangeError: *up_to* is beyond the log end.
            StorageError: the disk failed.
        """
        if up_to > self.log_end_offset:
            raise OffsetOutOfRangeError(f"{up_to} is beyond the log end {self.log_end_offset}")
        with self.local_log.operation():
            self.move_log_start(up_to)

    def move_log_start(self, offset: int) -> None:
        """Have the log start at *offset*, unless it starts there or behind; the caller deletes segments below it."""
        if offset > self.log_start_offset:
            self.log_start_offset = offset
            self.leader_epoch_cache.truncate_from_start(offset)
            self.producer_state_manager.on_log_start_offset_incremented(offset)
            self.publish()

    # -- closing and moving

    def prepare_close(self) -> bool:
        """Write the snapshot, indexes and epochs of a clean shutdown; return whether `close` has anything to sync."""
        local_log = self.local_log
        with local_log.operation():
            active = local_log.segments.active
            if active.writable:
                local_log.close_active(self._config)
                local_log.lower_recovery_point(active.base_offset)  # its indexes have changed
            self.producer_state_manager.take_final_snapshot(max(active.base_offset, self.log_start_offset))
            self.leader_epoch_cache.prepare()
            return local_log.recovery_point < self.log_end_offset or self.leader_epoch_cache.has_unsaved_changes

    def close(self) -> None:
        """Flush everything and give the descriptors back: the next load needs no recovery.  Raises StorageError."""
        self.prepare_close()
        with self.local_log.operation():
            self.flush()
            with self.local_log.name_lock:
                self.leader_epoch_cache.sync()
            self.producer_state_manager.snapshots.sync()
            self.local_log.segments.close()

    def update_directory(self, directory: Path) -> None:
        """Use the files in *directory*, which the log's directory was renamed to."""
        self.local_log.update_directory(directory)
        self.leader_epoch_cache.update_directory(str(directory))
        self.producer_state_manager.snapshots.directory = str(directory)
