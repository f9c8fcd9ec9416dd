"""Changes of a follower's log: appends of fetched records, and truncation to the leader's epochs.

Each change is one job in the order of the log's writes.  The job checks that the partition is still a follower in the
leader epoch that the records or the offset belong to, so a response of a former leader changes nothing.
"""

from __future__ import annotations

import logging
from functools import partial
from struct import Struct
from typing import TYPE_CHECKING, Final

from wirebroker.protocol.errors import ErrorCode
from wirebroker.record.errors import IncompleteBatchError, RecordError
from wirebroker.record.record_batch import HEADER_SIZE, LENGTH_AT, LOG_OVERHEAD, RecordBatch
from wirebroker.replication.errors import PartitionError, to_partition_error
from wirebroker.replication.log_dir_executor import WorkKind
from wirebroker.storage.errors import LogError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.replication.local_replica import LocalReplica
    from wirebroker.storage.log import Log

logger = logging.getLogger(__name__)

_LENGTH: Final = Struct(">i")
INLINE_BYTES: Final = 4 << 20
"""More records of one partition are appended in a thread: checksums and writes take 1 to 2 ms for each MB."""

SMALL_BYTES: Final = 16 << 10
"""The size up to which `append_single_batch` takes a batch."""


class FetchedRecords:
    """The records of one partition in a Fetch response of its leader."""

    __slots__ = (
        "_at",
        "_records",
        "end_offset",
        "leader_epoch",
        "leader_high_watermark",
        "log_start_offset",
        "partition",
        "size_bytes",
    )

    def __init__(
        self,
        partition: LocalReplica,
        records: memoryview,
        leader_epoch: int,
        fetch_offset: int,
        leader_high_watermark: int,
        log_start_offset: int,
    ) -> None:
        self.partition = partition
        self.leader_epoch = leader_epoch
        self.end_offset = fetch_offset
        """Where the log has to end for the next batch."""
        self.leader_high_watermark = leader_high_watermark
        self.log_start_offset = log_start_offset
        """The leader's."""
        self.size_bytes = len(records)
        self._records = records
        self._at = 0
        """Where the next batch begins."""

    @property
    def is_large(self) -> bool:
        """Whether an append in the event loop would hold it for long."""
        return self.size_bytes > INLINE_BYTES

    def append(self, may_wait: bool) -> bool:
        """Append the batches that are not appended yet; after WouldBlock, go on with the one that needs to wait.

        Returns whether the partition is still a follower in that leader epoch, and its log ends where it has to.
        Raises RecordError, LogError.
        """
        from wirebroker.record.legacy import parse_any  # a broker that leads needs it not

        partition, records, end = self.partition, self._records, self.size_bytes
        log = partition.log
        if not is_follower(partition, self.leader_epoch) or log.log_end_offset != self.end_offset:
            return False
        now_ms = log.local_log.context.clock()
        while self._at < end:
            if self._has_more_batches():
                from wirebroker.storage.append_runs import append_run_as_follower  # a broker that leads needs it not

                began = self._at
                self._at = append_run_as_follower(log, records, began, now_ms, self.leader_high_watermark)
                self.end_offset = log.log_end_offset
                if self._at > began:
                    if not is_follower(partition, self.leader_epoch):  # this may be a thread
                        return False
                    continue
            try:
                batch = parse_any(records, self._at)
            except IncompleteBatchError:  # the leader's limits have cut it off
                break
            log.append_batch_as_follower(batch, now_ms, may_wait)
            self.end_offset = log.log_end_offset
            self._at += batch.size_bytes
            if not is_follower(partition, self.leader_epoch):
                return False
        return True

    def _has_more_batches(self) -> bool:
        """Whether more than one batch is left, so that a write of many may take less time."""
        left = self.size_bytes - self._at
        return left > HEADER_SIZE and left > LOG_OVERHEAD + _LENGTH.unpack_from(self._records, self._at + LENGTH_AT)[0]


def is_follower(partition: LocalReplica, leader_epoch: int) -> bool:
    """Whether *partition* follows a leader in *leader_epoch* now."""
    follower = partition.follower
    return follower is not None and follower.leader_epoch == leader_epoch


def append_at_once(fetched: FetchedRecords) -> int | FetchedRecords | None:
    """Append fetched records in the event loop; return the log end offset, or *fetched* if they have to wait.

    Then `append_in_order` appends what is left of them.  None, and errors: as `Partition.append_records_at_once`.
    """
    partition = fetched.partition
    if fetched.size_bytes > INLINE_BYTES:
        return fetched
    try:
        is_appended = partition.executor.append_inline(partition, fetched.append)
    except RecordError as error:
        raise PartitionError(ErrorCode.CORRUPT_MESSAGE, str(error)) from error
    except LogError as error:
        raise _failed(partition, error) from error
    if is_appended is None:
        return fetched
    if not is_appended:
        return None
    new_start = _take_offsets(fetched)
    if new_start is not None:
        _run_if_following(partition, fetched.leader_epoch, partial(partition.log.delete_records, new_start))
    return partition.log.log_end_offset


def append_single_batch(
    partition: LocalReplica,
    records: memoryview,
    leader_epoch: int,
    fetch_offset: int,
    leader_high_watermark: int,
    leader_log_start_offset: int,
) -> int | None:
    """Append one small batch in the event loop; see `Partition.append_single_batch`."""
    follower, log, size_bytes = partition.follower, partition.log, len(records)
    if (
        not HEADER_SIZE <= size_bytes <= SMALL_BYTES
        or follower is None
        or follower.leader_epoch != leader_epoch
        or log.log_end_offset != fetch_offset
        or leader_log_start_offset > log.log_start_offset
    ):
        return None
    batch = RecordBatch(records)
    if batch.magic != 2 or batch.size_bytes != size_bytes:
        return None
    batch.buffer = records
    work = partial(_append_batch, log, batch, log.local_log.context.clock())
    try:
        end = partition.executor.append_inline(partition, work)
    except LogError as error:
        raise _failed(partition, error) from error
    if end is not None:
        partition.stats.replication_bytes_in += size_bytes
        partition.update_high_watermark(_high_watermark(log, leader_high_watermark))
    return end


def _append_batch(log: Log, batch: RecordBatch, now_ms: int, may_wait: bool) -> int:
    log.append_batch_as_follower(batch, now_ms, may_wait)
    return log.log_end_offset


async def append_in_order(fetched: FetchedRecords) -> int | None:
    """Append fetched records in the order of the log's writes; see `Partition.append_fetched_records`."""
    partition = fetched.partition
    try:
        if fetched.is_large:
            is_appended = await partition.executor.submit(WorkKind.DISK, partition, fetched.append, True)
        else:
            is_appended = await partition.executor.submit(WorkKind.APPEND, partition, fetched.append)
    except RecordError as error:
        raise PartitionError(ErrorCode.CORRUPT_MESSAGE, str(error)) from error
    except LogError as error:
        raise _failed(partition, error) from error
    if not is_appended or not is_follower(partition, fetched.leader_epoch):
        return None
    new_start = _take_offsets(fetched)
    if new_start is not None:
        work = partial(partition.log.delete_records, new_start)
        await _in_order(partition, fetched.leader_epoch, WorkKind.MEMORY, work)
    return partition.log.log_end_offset


def _high_watermark(log: Log, offset: int) -> int:
    """Return *offset* if it is in the log, else the nearer end of that; new leaders may have a lower high watermark."""
    return min(max(offset, log.log_start_offset), log.log_end_offset)


def _take_offsets(fetched: FetchedRecords) -> int | None:
    """Take the leader's high watermark; return where the log has to start from now on, None if it does already."""
    partition = fetched.partition
    log = partition.log
    partition.stats.replication_bytes_in += fetched.size_bytes
    high_watermark = _high_watermark(log, fetched.leader_high_watermark)
    partition.update_high_watermark(high_watermark)
    new_start = min(fetched.log_start_offset, high_watermark)
    return new_start if new_start > log.log_start_offset else None


async def truncate_to(partition: LocalReplica, offset: int, leader_epoch: int) -> int | None:
    """Truncate the log; see `Partition.truncate_to`."""
    log = partition.log
    if offset < partition.high_watermark:
        logger.error(
            "topic=%s partition=%d: truncating to offset %d, below the high watermark %d: committed records are lost, "
            "as an unclean leader was elected or a replica has lost its disk",
            *partition.topic_partition,
            offset,
            partition.high_watermark,
        )
    elif offset < log.log_end_offset:
        logger.info(
            "topic=%s partition=%d: truncating from offset %d to %d, leader epoch %d",
            *partition.topic_partition,
            log.log_end_offset,
            offset,
            leader_epoch,
        )
    manager = partition.host.log_manager
    return await _change_end(partition, leader_epoch, lambda: manager.truncate_to(log, offset))


async def truncate_fully_and_start_at(partition: LocalReplica, offset: int, leader_epoch: int) -> int | None:
    """Drop all records; see `Partition.truncate_fully_and_start_at`."""
    log = partition.log
    logger.info(
        "topic=%s partition=%d: dropping all records, log end offset %d -> %d, leader epoch %d",
        *partition.topic_partition,
        log.log_end_offset,
        offset,
        leader_epoch,
    )
    from wirebroker.storage.log_truncation import truncate_fully_and_start_at as restart_log

    return await _change_end(partition, leader_epoch, lambda: restart_log(log, offset))


async def _change_end(partition: LocalReplica, leader_epoch: int, work: Callable[[], object]) -> int | None:
    if not await _in_order(partition, leader_epoch, WorkKind.DISK, work):
        return None
    end = partition.log.log_end_offset
    partition.update_high_watermark(_high_watermark(partition.log, partition.high_watermark))
    partition.notify_listeners()
    return end


async def _in_order(partition: LocalReplica, leader_epoch: int, kind: WorkKind, work: Callable[[], object]) -> bool:
    """Run *work* in the order of the log's writes, unless the role has changed then; return whether it ran."""

    if kind is WorkKind.MEMORY and not partition.queued:
        return _run_if_following(partition, leader_epoch, work)

    def run_if_following() -> bool:
        if not is_follower(partition, leader_epoch):
            return False
        work()
        return True

    try:
        ran = await partition.executor.submit(kind, partition, run_if_following)
    except LogError as error:
        raise _failed(partition, error) from error
    if ran:
        partition.notify_listeners()
    return ran


def _run_if_following(partition: LocalReplica, leader_epoch: int, work: Callable[[], object]) -> bool:
    """Run *work*, which touches no file, now, unless the role has changed; return whether it ran."""
    if not is_follower(partition, leader_epoch):
        return False
    try:
        work()
    except LogError as error:
        raise _failed(partition, error) from error
    partition.notify_listeners()
    return True


def _failed(partition: LocalReplica, error: LogError) -> PartitionError:
    if isinstance(error, StorageError):
        partition.host.storage_failed(partition.log, error)
    return to_partition_error(error, partition.log)
