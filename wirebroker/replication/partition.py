"""Leader of one log: checks, appends, reads, and the high watermark.

With one replica every append is committed when it is written, so the high watermark follows the
log end; the bound is kept apart all the same, because consumers may only see what is committed.
All state changes in sync code between two awaits, or on the directory's lane; nothing here is half
done across a wait.
"""

from __future__ import annotations

import logging
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.validate import AppendRules, area_at_once, check_header, check_records
from wirebroker.replication.disk_lane import Kind, LogWork
from wirebroker.storage.faults import DamagedError, MustWait, StorageError
from wirebroker.storage.producer_state import AppendOrigin

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.model import TopicPartition
    from wirebroker.record.message_set import MessageSet
    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.replication.disk_lane import DiskLane
    from wirebroker.replication.worker_threads import WorkerThreads
    from wirebroker.storage.log import AppendResult, Log, LogSlice
    from wirebroker.storage.verification import Verification

logger = logging.getLogger(__name__)

T = TypeVar("T")


class PartitionListener(Protocol):
    """Something that is to be told when a Partition changes."""

    def partition_changed(self) -> None: ...


class ReadResult(NamedTuple):
    """What a fetch learns of one partition."""

    records: LogSlice
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int
    aborted: list[tuple[int, int]] | None
    """(producer id, first offset) of aborted transactions in the range; None for read_uncommitted."""


class Partition(LogWork):
    """One partition that this broker leads."""

    __slots__ = (
        "_on_storage_error",
        "below_min_isr",
        "high_watermark",
        "lane",
        "leader_epoch",
        "listeners",
        "log",
        "rules",
        "topic_id",
        "topic_partition",
    )

    def __init__(
        self,
        topic_partition: TopicPartition,
        topic_id: bytes,
        log: Log,
        leader_epoch: int,
        rules: AppendRules,
        lane: DiskLane,
        on_storage_error: Callable[[Log, Exception], None],
    ) -> None:
        super().__init__()
        self.topic_partition = topic_partition
        self.topic_id = topic_id
        self.log = log
        self.leader_epoch = leader_epoch
        self.rules = rules
        self.high_watermark = log.log_end_offset
        log.producers.replicated(self.high_watermark)
        self.listeners: set[PartitionListener] = set()
        """Each is told of one change, and then removed; see `notify_listeners`."""
        self.lane = lane
        self._on_storage_error = on_storage_error
        self.below_min_isr = False
        """Whether acks=all is refused: fewer replicas are in sync than `min.insync.replicas` asks for."""

    async def append(
        self,
        records: memoryview | None,
        now_ms: int,
        workers: WorkerThreads,
        *,
        zstd_allowed: bool = True,
        verified: Verification | None = None,
    ) -> AppendResult:
        """Check, stamp and write one batch; returns when it is in the page cache.

        *records* may be stamped in place, and is not looked at after the return.  Records that take long to check are
        checked by one of *workers*.  *verified* is what the log's producers have admitted a transactional batch with;
        None asks for nothing.

        Raises:
            ApiError: with the code for the producer; nothing was written.
        """
        rules = self.rules
        batch = check_header(records, rules, zstd_allowed=zstd_allowed)
        area = area_at_once(batch, rules)
        if area is None:
            batch = await workers.run(check_records, batch, rules, now_ms)
        else:
            batch = check_records(batch, rules, now_ms, area)
        if rules.magic < 2:
            from wirebroker.record.validate_old import down_to_log

            return await self._append_messages(await workers.run(down_to_log, batch, rules, now_ms), now_ms)
        return await self.append_batch(batch, now_ms, AppendOrigin.CLIENT, verified)

    async def append_message_set(
        self, records: memoryview | None, now_ms: int, workers: WorkerThreads
    ) -> AppendResult | None:
        """As `append`, for Produce v0-v2, which carry any format; None if there is nothing to append.

        Raises:
            ApiError: with the code for the producer; nothing was written.
        """
        from wirebroker.record.message_set import MessageSet
        from wirebroker.record.validate_old import check_message_set, is_short

        if records is None or is_short(records):
            checked = check_message_set(records, self.rules, now_ms)
        else:
            checked = await workers.run(check_message_set, records, self.rules, now_ms)
        if checked is None:
            return None
        if isinstance(checked, MessageSet):
            return await self._append_messages(checked, now_ms)
        return await self.append_batch(checked, now_ms)

    async def _append_messages(self, messages: MessageSet, now_ms: int) -> AppendResult:
        lane = self.lane
        result: AppendResult
        try:
            if lane.quick and not self.queued:
                try:
                    started = perf_counter()
                    result = self.log.append_messages(messages, now_ms, False)
                    lane.took(perf_counter() - started)
                except MustWait:
                    result = await lane.run(Kind.DISK, self, self.log.append_messages, messages, now_ms, has_begun=True)
            else:
                result = await lane.run(Kind.APPEND, self, self.log.append_messages, messages, now_ms)
        except StorageError as fault:
            self._on_storage_error(self.log, fault)
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, str(fault)) from fault
        except DamagedError:
            self.notify_listeners()  # the log is out of service
            raise
        self._log_end_moved()
        return result

    @property
    def quick(self) -> bool:
        """`append_batch` would not wait now, unless it has to begin a segment or to flush."""
        return self.lane.quick and not self.queued

    async def append_batch(
        self,
        batch: RecordBatch,
        now_ms: int,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        verified: Verification | None = None,
    ) -> AppendResult:
        """Write a batch that needs no checks but for its producer's."""
        lane = self.lane
        try:
            append = self.log.append_as_leader
            if lane.quick and not self.queued:
                try:
                    started = perf_counter()
                    result = append(batch, self.leader_epoch, now_ms, origin, verified, False)
                    lane.took(perf_counter() - started)
                except MustWait:
                    work = (append, batch, self.leader_epoch, now_ms, origin, verified)
                    result = await lane.run(Kind.DISK, self, *work, has_begun=True)
            else:
                result = await lane.run(Kind.APPEND, self, append, batch, self.leader_epoch, now_ms, origin, verified)
        except StorageError as fault:
            self._on_storage_error(self.log, fault)
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, str(fault)) from fault
        except DamagedError:
            self.notify_listeners()  # the log is out of service
            raise
        self._log_end_moved()
        return result

    def _log_end_moved(self) -> None:
        end = self.log.log_end_offset
        if end > self.high_watermark:
            self.high_watermark = end
            self.log.producers.replicated(end)
            if self.listeners:
                self.notify_listeners()

    def notify_listeners(self) -> None:
        """Tell the listeners that a Fetch may be answered differently now, and remove them.

        To be called after every such change: of the high watermark, last stable offset, log start or leader epoch, of
        the configuration, and when the log fails or the partition is not served any more.
        """
        listeners = self.listeners
        if listeners:
            self.listeners = set()
            for listener in listeners:
                listener.partition_changed()

    def check_leader_epoch(self, current_leader_epoch: int) -> None:
        """Compare what a client believes with what is (KIP-320); -1 means that it does not say.

        Raises:
            ApiError: FENCED_LEADER_EPOCH or UNKNOWN_LEADER_EPOCH.
        """
        if current_leader_epoch < 0 or current_leader_epoch == self.leader_epoch:
            return
        if current_leader_epoch < self.leader_epoch:
            raise ApiError(ErrorCode.FENCED_LEADER_EPOCH)
        raise ApiError(ErrorCode.UNKNOWN_LEADER_EPOCH)

    @property
    def last_stable_offset(self) -> int:
        """Where read_committed consumers must stop: the first open transaction, or the high watermark."""
        return self.log.last_stable_offset(self.high_watermark)

    def read(self, offset: int, max_bytes: int, *, committed: bool, debugging: bool, min_one_batch: bool) -> ReadResult:
        """A range of the log from the batch that holds *offset* on.

        Args:
            committed: stop at the last stable offset (isolation level read_committed).
            debugging: replica id -2 may read to the log end.
            min_one_batch: return the first batch even when it is larger than *max_bytes*.

        Raises:
            ApiError: OFFSET_OUT_OF_RANGE, KAFKA_STORAGE_ERROR.
            LongWalk: a scan that has to be run in a thread first; see `ReplicaManager.after_scans`.
        """
        log = self.log
        _, _, _, _, log_start_offset, log_end_offset, unstable = log.published
        high_watermark = self.high_watermark
        stable = high_watermark if unstable is None else log.last_stable_offset(high_watermark)
        bound = log_end_offset if debugging else stable if committed else high_watermark
        try:
            records = log.read(offset, max_bytes, bound, min_one_batch)
            aborted = None
            if committed:
                aborted = log.aborted_transactions(offset, records) if records.size_bytes else []
        except StorageError as fault:
            self._on_storage_error(log, fault)
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, str(fault)) from fault
        return ReadResult(records, high_watermark, stable, log_start_offset, aborted)

    async def delete_records(self, before_offset: int) -> int:
        """Move the log start to *before_offset* (-1: the high watermark) and return it.

        Raises:
            ApiError: OFFSET_OUT_OF_RANGE above the high watermark or below -1; POLICY_VIOLATION on a
                topic that is only compacted; KAFKA_STORAGE_ERROR.
        """
        if self.rules.compacted and not self.log.config.deletes:
            raise ApiError(ErrorCode.POLICY_VIOLATION, "records of a topic without cleanup.policy=delete stay")
        offset = self.high_watermark if before_offset == -1 else before_offset
        if not 0 <= offset <= self.high_watermark:
            raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE)
        old_start = self.log.log_start_offset
        try:
            await self.in_order(partial(self.log.delete_records, offset))
        except StorageError as fault:
            self._on_storage_error(self.log, fault)
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, str(fault)) from fault
        finally:
            self.notify_listeners()
        if self.log.log_start_offset > old_start:
            logger.info(
                "topic=%s partition=%d: records deleted on request, log start offset %d -> %d",
                *self.topic_partition,
                old_start,
                self.log.log_start_offset,
            )
        return self.log.log_start_offset

    async def on_lane(self, work: Callable[[], T]) -> T:
        """Run something that changes this log's files in its directory's thread, in order with its writes."""
        try:
            result: T = await self.lane.run(Kind.DISK, self, work)
        except ApiError:
            self.notify_listeners()  # the log may be out of service
            raise
        return result

    async def in_order(self, work: Callable[[], T]) -> T:
        """Run something that touches no file in order with this log's writes: now, if none waits or runs."""
        if not self.queued:
            return work()
        result: T = await self.lane.run(Kind.MEMORY, self, work)
        return result
