"""ReplicaAlterLogDirsManager: moves partitions between log directories while they are written to (KIP-113).

A move is a task (`alter_log_dir_task.py`, imported with the first move).  A partition that is served from now on, at
start or when its controller names it, goes on with the copy that its future log is.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.errors import PartitionError, translated_errors
from wirebroker.storage.errors import LogError, StorageError
from wirebroker.storage.log_dir import log_future_dir_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from wirebroker.config.server import BrokerConfig
    from wirebroker.model import TopicPartition
    from wirebroker.replication.alter_log_dir_task import AlterLogDirTask
    from wirebroker.replication.hosted_partitions import HostedPartitions
    from wirebroker.replication.log_dir_executor import LogDirExecutor
    from wirebroker.replication.partition import Partition
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_manager import LogManager

logger = logging.getLogger(__name__)


class ReplicaAlterLogDirsManager:
    """The moves of partitions between the log directories of this broker; `run` is its task."""

    def __init__(
        self, log_manager: LogManager, partitions: HostedPartitions, executors: Mapping[Path, LogDirExecutor]
    ) -> None:
        """*executors* has one for each log directory."""
        self._log_manager = log_manager
        self._partitions = partitions
        self._executors = executors
        self._tasks: dict[TopicPartition, AlterLogDirTask] = {}
        self._nursery: trio.Nursery | None = None
        self._threads = trio.CapacityLimiter(len(executors))
        self._bytes_per_second: int | None = None
        self._throttled_until = 0.0
        """When the bytes copied so far, of all moves, are within the throttle."""
        self._throttle_changed = trio.Event()
        partitions.on_added = self._resume

    def configure(self, config: BrokerConfig) -> None:
        """Set the throttle for all moves together; one that waits for the former throttle copies its next piece now."""
        if config.alter_log_dirs_bytes_per_second != self._bytes_per_second:
            self._bytes_per_second = config.alter_log_dirs_bytes_per_second
            self._throttled_until = 0.0
            self._throttle_changed.set()
            self._throttle_changed = trio.Event()

    async def run(self, at_once: int | None = None) -> None:
        """Continue the copies found at start, and those that `alter_log_dir` begins, until cancelled.

        *at_once* logs are copied at a time (num.replica.alter.log.dirs.threads; default: one per log directory).  The
        nursery is kept on the object for `alter_log_dir`, which starts copies in it; they end with this task.
        """
        self._threads.total_tokens = at_once or len(self._executors)
        try:
            async with trio.open_nursery() as self._nursery:
                for at in self._log_manager.log_dirs.future_logs():
                    partition = self._partitions.find(*at)
                    if partition is not None:
                        self._resume(partition)
                await trio.sleep_forever()
        finally:
            self._nursery = None

    async def alter_log_dir(self, at: TopicPartition, directory: Path) -> None:
        """Start to move a partition to *directory*; its current directory ends a move.  Returns before the move ends.

        A partition without a log here gets it in *directory* when it is created later.

        Raises:
            PartitionError: LOG_DIR_NOT_FOUND, KAFKA_STORAGE_ERROR, REPLICA_NOT_AVAILABLE, UNKNOWN_TOPIC_OR_PARTITION,
                INVALID_TOPIC_EXCEPTION.
        """
        from wirebroker.replication.alter_log_dir_task import in_thread

        manager = self._log_manager
        if log_future_dir_name(at) is None:  # whatever the directory, and whether the partition is here or not
            raise PartitionError(ErrorCode.INVALID_TOPIC_EXCEPTION, "the topic name is too long for a future log")
        if directory not in manager.log_dirs.paths:
            raise PartitionError(ErrorCode.LOG_DIR_NOT_FOUND, f"there is no log directory {directory}")
        if len(manager.log_dirs.online) < len(manager.log_dirs):
            raise PartitionError(ErrorCode.KAFKA_STORAGE_ERROR, "a log directory is offline")
        partition = self._partitions.find(*at)
        if partition is None:
            if not self._partitions.is_offline(*at):
                manager.set_preferred_log_dir(*at, directory)
            raise self._not_served(at)
        future = manager.log_dirs.future_log(at)
        if future is not None and future.directory.parent != directory:
            await self.cancel(at)
            with translated_errors():
                await in_thread(partial(manager.future_logs.delete, at))
        if partition.log.directory.parent == directory:
            return
        task = self._tasks.get(at)
        if task is not None and future is None:  # the move is over, but for appends queued for the old directory
            await task.done.wait()
        if at in self._tasks:
            return
        with translated_errors():
            future = await in_thread(partial(manager.future_logs.get_or_create, partition.log, directory))
            is_deleted = self._partitions.find(*at) is not partition
            if is_deleted:
                await self.cancel(at)
                await in_thread(partial(manager.future_logs.delete, at))
        if is_deleted:
            raise self._not_served(at)
        if self._nursery is not None and at not in self._tasks:  # another request may have been as quick
            self._start(at, partition, future)

    def _not_served(self, at: TopicPartition) -> PartitionError:
        """Return the error for a partition that this broker does not serve, or not as it did a moment ago."""
        try:
            self._partitions.get(*at)
        except PartitionError as error:
            if error.code is ErrorCode.KAFKA_STORAGE_ERROR:
                return error
            if error.code is ErrorCode.NOT_LEADER_OR_FOLLOWER:  # which kafka-reassign-partitions does not wait for
                what = "this broker has no replica of it yet; one that it gets later is created there"
                return PartitionError(ErrorCode.REPLICA_NOT_AVAILABLE, what)
        return PartitionError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "there is no such topic or partition")

    async def cancel(self, at: TopicPartition) -> None:
        """Stop the copy of a partition, and return when nothing of it runs any more; the future log stays."""
        task = self._tasks.get(at)
        if task is not None:
            task.scope.cancel()
            with trio.CancelScope(shield=True):
                await task.done.wait()

    def _resume(self, partition: Partition) -> None:
        """Start the copy of a partition that has a future log, unless it runs already."""
        at = partition.topic_partition
        if self._nursery is not None and at not in self._tasks:
            future = self._log_manager.log_dirs.future_log(at)
            if future is not None:
                self._start(at, partition, future)

    def _start(self, at: TopicPartition, partition: Partition, future: Log) -> None:
        from wirebroker.replication.alter_log_dir_task import AlterLogDirTask

        assert self._nursery is not None
        task = self._tasks[at] = AlterLogDirTask(partition, future, self._log_manager.future_logs, self._throttle)
        self._nursery.start_soon(self._run, at, task)

    async def _run(self, at: TopicPartition, task: AlterLogDirTask) -> None:
        log, future = task.partition.log, task.future
        try:
            with task.scope:
                async with self._threads:
                    await task.copy(self._executors)
        except LogError as fault:
            if isinstance(fault, StorageError):
                for each in (log, future):
                    if each.failure is not None:
                        self._log_manager.log_dirs.mark_offline(each.directory.parent, fault)
            logger.error(
                "%s: cannot be moved, it stays in %s: %s",
                at,
                log.directory.parent,
                fault,
            )
        except Exception:
            logger.exception("%s: cannot be moved, it stays in %s", at, log.directory.parent)
        finally:
            del self._tasks[at]
            task.done.set()
            successor = self._partitions.find(*at)
            if successor is not None and successor is not task.partition:  # added before this task had ended
                self._resume(successor)

    async def _throttle(self, copied_bytes: int) -> None:
        """Wait until *copied_bytes* more, behind the pieces that other moves wait for, are within the throttle."""
        limit = self._bytes_per_second
        if limit is not None:
            start = max(trio.current_time(), self._throttled_until)
            self._throttled_until = start + copied_bytes / max(limit, 1)
            with trio.move_on_at(self._throttled_until):
                await self._throttle_changed.wait()
