"""Changes of a follower's log: appends of fetched records, and truncation to the leader's epochs.

Each change is one job in the order of the log's writes.  The job checks that the partition is still a follower in the
leader epoch that the records or the offset belong to, so a response of a former leader changes nothing.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from wirebroker.protocol.errors import ErrorCode
from wirebroker.record.errors import RecordError
from wirebroker.record.legacy import any_batches
from wirebroker.replication.errors import PartitionError, to_partition_error
from wirebroker.replication.log_dir_executor import WorkKind
from wirebroker.storage.errors import LogError, StorageError
from wirebroker.storage.log_truncation import truncate_fully_and_start_at as restart_log

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.replication.local_replica import LocalReplica

logger = logging.getLogger(__name__)

INLINE_BYTES: Final = 4 << 20
"""More records of one partition are appended in a thread: checksums and writes take 1 to 2 ms for each MB."""


class FetchedRecords:
    """The records of one partition in a Fetch response of its leader."""

    __slots__ = (
        "_batches",
        "_next",
        "end_offset",
        "is_large",
        "leader_epoch",
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
        log_start_offset: int,
    ) -> None:
        self.partition = partition
        self.leader_epoch = leader_epoch
        self.end_offset = fetch_offset
        """Where the log has to end for the next batch."""
        self.log_start_offset = log_start_offset
        """The leader's."""
        self.size_bytes = len(records)
        self.is_large = self.size_bytes > INLINE_BYTES
        """Whether an append in the event loop would hold it for long."""
        self._batches = any_batches(records)
        self._next = next(self._batches, None)

    def append(self, may_wait: bool) -> bool:
        """Append the batches that are not appended yet; after WouldBlock, go on with the one that needs to wait.

        Returns whether the partition is still a follower in that leader epoch, and its log ends where it has to.
        """
        log = self.partition.log
        now_ms = log.local_log.context.clock()
        while is_follower(self.partition, self.leader_epoch) and log.log_end_offset == self.end_offset:
            if self._next is None:
                return True
            log.append_batch_as_follower(self._next, now_ms, may_wait)
            self.end_offset = log.log_end_offset
            self._next = next(self._batches, None)
        return False


def is_follower(partition: LocalReplica, leader_epoch: int) -> bool:
    """Whether *partition* follows a leader in *leader_epoch* now."""
    follower = partition.follower
    return follower is not None and follower.leader_epoch == leader_epoch


async def append_records(
    partition: LocalReplica, fetched: Callable[[], FetchedRecords], leader_high_watermark: int
) -> int | None:
    """Append fetched records; see `Partition.append_records_to_follower`."""
    log = partition.log
    try:
        records = fetched()
        appended = None if records.is_large else partition.executor.append_inline(partition, records.append)
        if records.is_large:
            appended = await partition.executor.submit(WorkKind.DISK, partition, records.append, True)
        elif appended is None:
            appended = await partition.executor.submit(WorkKind.APPEND, partition, records.append)
    except RecordError as error:
        raise PartitionError(ErrorCode.CORRUPT_MESSAGE, str(error)) from error
    except LogError as error:
        raise _failed(partition, error) from error
    if not appended or not is_follower(partition, records.leader_epoch):
        return None
    partition.stats.replication_bytes_in += records.size_bytes
    partition.update_high_watermark(min(leader_high_watermark, log.log_end_offset))
    new_start = min(records.log_start_offset, partition.high_watermark)
    if new_start > log.log_start_offset:
        await _in_order(partition, records.leader_epoch, WorkKind.MEMORY, lambda: log.delete_records(new_start))
    return log.log_end_offset


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
    return await _change_end(partition, leader_epoch, lambda: restart_log(log, offset))


async def _change_end(partition: LocalReplica, leader_epoch: int, work: Callable[[], object]) -> int | None:
    if not await _in_order(partition, leader_epoch, WorkKind.DISK, work):
        return None
    end = partition.log.log_end_offset
    partition.update_high_watermark(min(max(partition.high_watermark, partition.log.log_start_offset), end))
    partition.notify_listeners()
    return end


async def _in_order(partition: LocalReplica, leader_epoch: int, kind: WorkKind, work: Callable[[], object]) -> bool:
    """Run *work* in the order of the log's writes, unless the role has changed then; return whether it ran."""

    def run_if_following() -> bool:
        if not is_follower(partition, leader_epoch):
            return False
        work()
        return True

    try:
        if kind is WorkKind.MEMORY and not partition.queued:
            ran = run_if_following()
        else:
            ran = await partition.executor.submit(kind, partition, run_if_following)
    except LogError as error:
        raise _failed(partition, error) from error
    if ran:
        partition.notify_listeners()
    return ran


def _failed(partition: LocalReplica, error: LogError) -> PartitionError:
    if isinstance(error, StorageError):
        partition.host.storage_failed(partition.log, error)
    return to_partition_error(error, partition.log)
