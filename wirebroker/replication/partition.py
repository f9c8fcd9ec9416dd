"""Partition: one replica of a partition on this broker, with its role: the leader, or a follower, of its log.

The leader validates and appends records, serves reads, and moves the high watermark to the least log end of the in-sync
replicas; alone in sync, every append is committed when it is written.  A follower appends what it fetches.  Whether the
role is still the one that a change of the log was meant for is checked when the change is made, in the order of the
log's writes: an append that was queued before a change of leadership writes nothing after it.

State changes in synchronous code between two awaits, or in the executor of the log directory: no change is half done
across a wait.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.record.errors import HeaderLimitError, RecordValidationError
from wirebroker.record.record_batch import CODEC_MASK, HEADER_SIZE, RecordBatch, stamp
from wirebroker.record.validate import (
    area_at_once,
    check_frame,
    check_header,
    check_records,
    may_check_at_once,
    read_header,
)
from wirebroker.replication import follower_append
from wirebroker.replication.errors import PartitionError, to_partition_error, translated_errors
from wirebroker.replication.follower_append import FetchedRecords
from wirebroker.replication.follower_state import FollowerState
from wirebroker.replication.isr_updates import (
    isr_changed,
    maybe_increment_high_watermark,
    maybe_shrink_isr,
    update_follower_fetch_state,
)
from wirebroker.replication.leader_state import LeaderState
from wirebroker.replication.local_replica import LocalReplica
from wirebroker.replication.log_dir_executor import WorkKind
from wirebroker.replication.record_deletion import delete_records
from wirebroker.storage.errors import CorruptLogError, LogError, StorageError
from wirebroker.storage.producer_state_manager import AppendOrigin

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.model import LeaderAndIsr
    from wirebroker.record.message_set import MessageSet
    from wirebroker.storage.log import AppendResult
    from wirebroker.storage.verification_guard import VerificationGuard

T = TypeVar("T")

LAST_BATCH_BYTES: Final = 4096
"""The size up to which a batch is kept in memory for the followers that wait for it."""


class Partition(LocalReplica):
    """One partition of which this broker has a replica."""

    __slots__ = ()

    # -- roles

    async def make_leader(self, state: LeaderAndIsr) -> bool:
        """Become the leader, or take changes of a partition that this broker leads already into account.

        Waits for changes of the log that are queued; those of a former role change nothing any more.  No other change
        of the role may begin meanwhile.  *state* with an older leader epoch than the known one is the caller's to
        refuse; one with an older partition epoch is ignored.

        Returns:
            Whether a leader epoch has begun.

        Raises:
            LogError: the log is out of service; the partition has no role then.
        """
        if self._is_outdated(state):
            return False
        previous = self.leader
        if previous is not None and previous.leader_epoch == state.leader_epoch:
            self.leader_and_isr = state
            previous.update(state)
            isr_changed(self)
            return False
        self._set_role(state, None, None)
        start_offset = await self.run_in_order(partial(self._start_epoch, state.leader_epoch))
        self._set_role(state, LeaderState(state, start_offset, trio.current_time()), None)
        isr_changed(self)
        return True

    def begin_as_leader(self, state: LeaderAndIsr) -> None:
        """Become the leader of a partition that was made just now, so that nothing is queued; does not wait.

        Raises:
            LogError: the log is out of service.
        """
        self._set_role(state, LeaderState(state, self._start_epoch(state.leader_epoch), 0.0), None)
        isr_changed(self)

    def make_follower(self, state: LeaderAndIsr) -> bool:
        """Become a follower of ``state.leader``, which is -1 while there is no leader.

        Appends of a former leader that are queued change nothing any more.  An older epoch is treated as by
        `make_leader`.

        Returns:
            Whether a leader epoch has begun: the log is to be truncated, and fetched from the leader.
        """
        if self._is_outdated(state):
            return False
        is_new = self.leader_epoch != state.leader_epoch or self.follower is None
        self._set_role(state, None, FollowerState(state.leader, state.leader_epoch))
        self.below_min_isr = False
        self.notify_listeners()
        return is_new

    def _is_outdated(self, state: LeaderAndIsr) -> bool:
        known = self.leader_and_isr
        return known is not None and state.partition_epoch < known.partition_epoch

    def _set_role(self, state: LeaderAndIsr, leader: LeaderState | None, follower: FollowerState | None) -> None:
        self.leader_and_isr = state
        self.leader_epoch = state.leader_epoch
        if self.leader is not None and leader is None:
            self.stats.end_leading(self.log)
        elif leader is not None and self.leader is None:
            self.stats.begin_leading(self.log)
        self.leader, self.follower = leader, follower

    def _start_epoch(self, leader_epoch: int) -> int:
        self.log.assign_leader_epoch(leader_epoch)
        return self.log.log_end_offset

    # -- the leader and its followers

    def update_follower_fetch_state(
        self, broker_id: int, fetch_offset: int, log_start_offset: int, leader_log_end_offset: int
    ) -> None:
        """Note a Fetch of a follower; the high watermark may move, and the follower may be proposed for the ISR.

        Args:
            broker_id: the follower.
            fetch_offset: the offset it has asked for: it has all records below.
            log_start_offset: the start of its log.
            leader_log_end_offset: the end of this log when the request was served.

        Raises:
            PartitionError: NOT_LEADER_OR_FOLLOWER, or UNKNOWN_LEADER_EPOCH for a broker that has no replica.
        """
        update_follower_fetch_state(self, broker_id, fetch_offset, log_start_offset, leader_log_end_offset)

    def check_enough_replicas_reach_offset(self, offset: int) -> tuple[bool, ErrorCode]:
        """Return whether a Produce with acks=all that ends before *offset* can be answered, and with which code.

        The code is NONE if it has to wait, or if all in-sync replicas have the records;
        NOT_ENOUGH_REPLICAS_AFTER_APPEND if they have them, but are too few by now; NOT_LEADER_OR_FOLLOWER, with False,
        if this broker is not the leader any more: the request is to be answered with it.
        """
        leader = self.leader
        if leader is None or self.log.failure is not None:  # which may be its deletion
            return False, ErrorCode.NOT_LEADER_OR_FOLLOWER
        if self.high_watermark < offset:
            return False, ErrorCode.NONE
        required = leader.effective_min_isr(self.log.config.min_insync_replicas, self.host.isr_rules)
        if len(leader.partition_state.maximal_isr) < required:
            return True, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        return True, ErrorCode.NONE

    def low_watermark_if_leader(self) -> int:
        """Return the least log start offset of all live replicas: records below it are deleted everywhere.

        Raises:
            PartitionError: NOT_LEADER_OR_FOLLOWER.
        """
        if self.leader is None:
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        return self.leader.low_watermark(self.log.log_start_offset, self.host.is_alive)

    def maybe_shrink_isr(self) -> None:
        """Propose to remove followers from the ISR that have not caught up for `replica.lag.time.max.ms`."""
        maybe_shrink_isr(self)

    # -- the follower and its leader

    def append_records_at_once(
        self,
        records: memoryview,
        leader_epoch: int,
        fetch_offset: int,
        leader_high_watermark: int,
        leader_log_start_offset: int,
    ) -> int | FetchedRecords | None:
        """Append the records of a Fetch response in the event loop, and take the leader's high watermark and log start.

        The high watermark becomes the leader's, the log end at most; the log start moves to the leader's, the high
        watermark at most.

        Args:
            records: whole batches, and perhaps one that is cut off, which is ignored; may be empty.  They are not
                read after the return, unless they have to wait.
            leader_epoch: that of the `role` the fetch was made in.
            fetch_offset: the offset that was asked for.
            leader_high_watermark: the leader's high watermark in the response.
            leader_log_start_offset: the leader's log start offset in the response.

        Returns:
            The log end offset, from which to fetch on; None, with nothing or not all of it appended, if the partition
            is not a follower in *leader_epoch* any more, or its log did not end at *fetch_offset*; or what is left of
            the records, if that has to wait, for `append_fetched_records`.

        Raises:
            PartitionError: CORRUPT_MESSAGE, the batches before it were written; OFFSET_OUT_OF_RANGE for offsets that
                the log has already; KAFKA_STORAGE_ERROR.
        """
        return follower_append.append_at_once(
            FetchedRecords(self, records, leader_epoch, fetch_offset, leader_high_watermark, leader_log_start_offset)
        )

    def append_single_batch(
        self,
        records: memoryview,
        leader_epoch: int,
        fetch_offset: int,
        leader_high_watermark: int,
        leader_log_start_offset: int,
    ) -> int | None:
        """Append as `append_records_at_once` does, and return the log end offset.

        Returns None, with nothing changed, if *records* are not one small batch that can be appended now, or the log
        start has to move.
        """
        return follower_append.append_single_batch(
            self, records, leader_epoch, fetch_offset, leader_high_watermark, leader_log_start_offset
        )

    async def append_fetched_records(self, fetched: FetchedRecords) -> int | None:
        """Append what `append_records_at_once` has left; returns and raises the same, once nothing is left."""
        return await follower_append.append_in_order(fetched)

    async def truncate_to(self, offset: int, leader_epoch: int) -> int | None:
        """Drop the batch that holds *offset* and all behind it; the high watermark is not above the new log end.

        Returns:
            The log end offset; None, with nothing changed, if the partition does not follow in *leader_epoch* any more.

        Raises:
            PartitionError: KAFKA_STORAGE_ERROR, UNKNOWN_TOPIC_OR_PARTITION.
        """
        return await follower_append.truncate_to(self, offset, leader_epoch)

    async def truncate_fully_and_start_at(self, offset: int, leader_epoch: int) -> int | None:
        """Drop all records; the log starts and ends at *offset*, as the leader has none below.

        Returns and raises the same as `truncate_to`.
        """
        return await follower_append.truncate_fully_and_start_at(self, offset, leader_epoch)

    # -- appends of clients and coordinators

    async def append(
        self,
        records: memoryview | None,
        header: RecordBatch | None,
        now_ms: int,
        *,
        acks: int,
        zstd_allowed: bool = True,
        guard: VerificationGuard | None = None,
    ) -> AppendResult:
        """Validate and write the batch of a Produce request v3 or later; return when it is in the page cache.

        Args:
            records: one batch, whose bytes may be changed in place, and are not read after the return.
            header: what `read_header` has returned for *records*, None to have the header read here.
            now_ms: the append time.
            acks: -1 demands that `min.insync.replicas` are in sync.
            zstd_allowed: false below Produce v7.
            guard: the verification of the transaction that the batch belongs to; None if there is nothing to verify.

        Raises:
            PartitionError: with the code for the producer; nothing was written.
        """
        leader = self.leader
        if leader is None:
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        if acks == -1 and self.below_min_isr:
            self.check_min_isr(acks, records, zstd_allowed=zstd_allowed)
        rules = self.rules
        try:
            batch = check_header(records, rules, header, zstd_allowed=zstd_allowed)
            area = area_at_once(batch, rules)
            if area is not None:
                try:
                    batch = check_records(batch, rules, now_ms, area)
                except HeaderLimitError:
                    area = None
            if area is None:
                batch = await self.validation_threads.run(check_records, batch, rules, now_ms)
        except RecordValidationError as error:
            raise to_partition_error(error, self.log) from error
        if self.leader is not leader:  # while a thread has checked the batch
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        work = partial(self.log.append_as_leader, batch, leader.leader_epoch, now_ms, AppendOrigin.CLIENT, guard)
        return self._append_inline(work) or await self._append_queued(leader, work)

    def append_at_once(self, records: memoryview, now_ms: int, acks: int, zstd_allowed: bool) -> AppendResult | None:
        """Validate and write a batch without a transaction as `append` does, and return the result.

        Returns None if the append would have to be waited for, or anything is wrong.  *records* mean the same as before
        then, and are to be passed to `append`, which waits, or says what is wrong.
        """
        leader, rules = self.leader, self.rules
        if leader is None or self.queued or not self.executor.inline or rules.magic != 2:
            return None
        if acks == -1 and self.below_min_isr:
            return None
        batch = read_header(records)
        if (
            batch is None
            or batch.attributes & ~CODEC_MASK
            or batch.size_bytes != len(records)
            or rules.log_append_time
            or rules.codec is not None
            or not may_check_at_once(batch, rules)
        ):
            return None
        try:
            check_header(records, rules, batch, zstd_allowed=zstd_allowed)
            area = area_at_once(batch, rules) if batch.attributes else records[HEADER_SIZE:]
            if area is None:
                return None
            check_records(batch, rules, now_ms, area)
        except (RecordValidationError, HeaderLimitError):
            return None
        work = partial(self.log.append_as_leader, batch, leader.leader_epoch, now_ms, AppendOrigin.CLIENT, None)
        try:
            result = self.executor.append_inline(self, work)
        except LogError:
            result = None
        if result is None:
            stamp(batch, 0, batch.partition_leader_epoch)  # producers send no other offset
            return None
        end = result.last_offset + 1
        if self.follower_listeners and batch.size_bytes <= LAST_BATCH_BYTES and not result.duplicate:
            self.host.last_batch = leader, result.base_offset, end, bytes(batch.buffer)
        self._log_end_moved(end)
        return result

    def check_min_isr(self, acks: int, records: memoryview | None = None, *, zstd_allowed: bool | None = None) -> None:
        """Raise PartitionError NOT_ENOUGH_REPLICAS if *acks* is -1 and too few replicas are in sync.

        With *zstd_allowed* given, *records* that are not one whole batch are refused for that first, as in Apache Kafka
        3.6.
        """
        if acks == -1 and self.below_min_isr:
            if zstd_allowed is not None:
                with translated_errors():
                    check_frame(records, zstd_allowed)
            raise PartitionError(ErrorCode.NOT_ENOUGH_REPLICAS, log_start_offset=self.log.log_start_offset)

    @property
    def appends_inline(self) -> bool:
        """Whether `append_batch` would run in the event loop now, unless it has to begin a segment or to flush."""
        return self.executor.inline and not self.queued

    async def append_batch(
        self,
        batch: RecordBatch | MessageSet,
        now_ms: int,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        guard: VerificationGuard | None = None,
        required_acks: int = -1,
    ) -> AppendResult:
        """Write a batch, or messages of an old format, that need no checks but for the producer's.

        A coordinator's batch with *required_acks* 0 is written also with too few replicas in sync.

        Raises:
            PartitionError: with the code for the producer; its `__cause__` is a DiskFullError if the log has refused a
                coordinator's batch for which there was no room.
        """
        leader, work = self._append_unchecked(batch, now_ms, origin, guard, required_acks)
        return self._append_inline(work) or await self._append_queued(leader, work)

    def append_batch_at_once(
        self,
        batch: RecordBatch | MessageSet,
        now_ms: int,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        guard: VerificationGuard | None = None,
        required_acks: int = -1,
    ) -> AppendResult | None:
        """Write a batch as `append_batch` if that need not wait; else return None, with nothing changed.

        Raises:
            PartitionError: as `append_batch`.
        """
        return self._append_inline(self._append_unchecked(batch, now_ms, origin, guard, required_acks)[1])

    def _append_unchecked(
        self,
        batch: RecordBatch | MessageSet,
        now_ms: int,
        origin: AppendOrigin,
        guard: VerificationGuard | None,
        required_acks: int,
    ) -> tuple[LeaderState, Callable[[bool], AppendResult]]:
        leader = self.leader
        if leader is None:
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        if origin is AppendOrigin.COORDINATOR and leader.remote_replicas:
            self.check_min_isr(required_acks)
        if isinstance(batch, RecordBatch):
            return leader, partial(self.log.append_as_leader, batch, leader.leader_epoch, now_ms, origin, guard)
        return leader, partial(self.log.append_messages, batch, now_ms)

    def _append_inline(self, work: Callable[[bool], AppendResult]) -> AppendResult | None:
        """Append in the event loop if that need not wait; else return None, with nothing changed."""
        try:
            result = self.executor.append_inline(self, work)
        except LogError as error:
            raise self._append_failed(error) from error
        if result is not None:
            self._log_end_moved(result.last_offset + 1)
        return result

    async def _append_queued(self, leader: LeaderState, work: Callable[[bool], AppendResult]) -> AppendResult:
        """Append in the order of the log's writes, unless *leader* is not the role any more by then."""
        try:
            result = await self.executor.submit(WorkKind.APPEND, self, self._append_if_leading, leader, work)
        except LogError as error:
            raise self._append_failed(error) from error
        self._log_end_moved(result.last_offset + 1)
        return result

    def _append_if_leading(
        self, leader: LeaderState, work: Callable[[bool], AppendResult], may_wait: bool
    ) -> AppendResult:
        if self.leader is not leader:
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        return work(may_wait)

    def _append_failed(self, error: LogError) -> PartitionError:
        if isinstance(error, StorageError):
            self.host.storage_failed(self.log, error)
        elif isinstance(error, CorruptLogError):
            self.notify_listeners()  # the log is out of service
        return to_partition_error(error, self.log)

    def _log_end_moved(self, end: int) -> None:
        """Take an append into account that ends before *end*: alone, the leader has committed it."""
        leader = self.leader
        if leader is None or leader.remote_replicas:
            maybe_increment_high_watermark(self)
            if self.follower_listeners:
                self._notify_follower_listeners()
        elif end > self.high_watermark:
            self.high_watermark = end
            self.log.producer_state_manager.on_high_watermark_updated(end)
            if self.listeners or self.follower_listeners:
                self.notify_listeners()

    async def delete_records(self, before_offset: int) -> int:
        """Move the log start to *before_offset* (-1: the high watermark) and return it.

        Raises:
            PartitionError: as `record_deletion.delete_records`.
        """
        return await delete_records(self, before_offset)
