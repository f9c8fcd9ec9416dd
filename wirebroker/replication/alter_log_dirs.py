"""ReplicaAlterLogDirsManager: moves partitions between log directories while they are written to (KIP-113).

A move is a task: it copies the log in pieces, in a thread; when little is left, the log's executor waits while the rest
is copied and the two change places (`storage/future_logs.py`).  A broker that is started again goes on with the copies
that it finds.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.errors import PartitionError, translated_errors
from wirebroker.storage.errors import LogError, StorageError
from wirebroker.storage.future_logs import LAST_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from wirebroker.config.server import BrokerConfig
    from wirebroker.model import TopicPartition
    from wirebroker.replication.hosted_partitions import HostedPartitions
    from wirebroker.replication.log_dir_executor import LogDirExecutor
    from wirebroker.replication.partition import Partition
    from wirebroker.storage.future_logs import FutureLogs
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_manager import LogManager
    from wirebroker.storage.log_slice import LogSlice

logger = logging.getLogger(__name__)

T = TypeVar("T")

_PIECE_BYTES: Final = 1 << 20
"""Bytes copied by one hop to a thread: 0.5 ms on a warm page cache; a cancelled move waits for the hop."""
_MOST_LAST_BYTES: Final = 32 * 1024 * 1024
"""The limit up to which LAST_BYTES grows for a log to which more is appended while its rest is copied."""


class _AlterLogDirTask:
    """The copy of one partition's log to another log directory."""

    __slots__ = ("done", "future", "partition", "scope")

    def __init__(self, partition: Partition, future: Log) -> None:
        self.partition = partition
        self.future = future
        self.scope = trio.CancelScope()
        self.done = trio.Event()


class ReplicaAlterLogDirsManager:
    """The moves of partitions between the log directories of this broker; `run` is its task."""

    def __init__(
        self, log_manager: LogManager, partitions: HostedPartitions, executors: Mapping[Path, LogDirExecutor]
    ) -> None:
        """*executors* has one for each log directory."""
        self._log_manager = log_manager
        self._partitions = partitions
        self._executors = executors
        self._tasks: dict[TopicPartition, _AlterLogDirTask] = {}
        self._nursery: trio.Nursery | None = None
        self._threads = trio.CapacityLimiter(len(executors))
        self._bytes_per_second: int | None = None

    def configure(self, config: BrokerConfig) -> None:
        """Set the throttle for all moves together; a copy in progress obeys it from its next piece on."""
        self._bytes_per_second = config.alter_log_dirs_bytes_per_second

    async def run(self, at_once: int | None = None) -> None:
        """Continue the copies found at start, and those that `alter_log_dir` begins, until cancelled.

        *at_once* logs are copied at a time (num.replica.alter.log.dirs.threads; default: one per log directory).  The
        nursery is kept on the object for `alter_log_dir`, which starts copies in it; they end with this task.
        """
        self._threads.total_tokens = at_once or len(self._executors)
        try:
            async with trio.open_nursery() as self._nursery:
                for at, future in self._log_manager.future_logs.all().items():
                    partition = self._partitions.find(*at)
                    if partition is not None:
                        self._start(at, partition, future)
                await trio.sleep_forever()
        finally:
            self._nursery = None

    async def alter_log_dir(self, at: TopicPartition, directory: Path) -> None:
        """Start to move a partition to *directory*; its current directory ends a move.  Returns before the move ends.

        Raises:
            PartitionError: LOG_DIR_NOT_FOUND, KAFKA_STORAGE_ERROR, UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION.
        """
        manager = self._log_manager
        if directory not in manager.log_dirs.paths:
            raise PartitionError(ErrorCode.LOG_DIR_NOT_FOUND, f"there is no log directory {directory}")
        if len(manager.log_dirs.online) < len(manager.log_dirs):
            raise PartitionError(ErrorCode.KAFKA_STORAGE_ERROR, "a log directory is offline")
        partition = self._partitions.find(*at)
        if partition is None:
            if not self._partitions.is_offline(*at):
                manager.set_preferred_log_dir(*at, directory)
            partition = self._partitions.get(*at)  # raises
        future = manager.future_logs.get(at)
        if future is not None and future.directory.parent != directory:
            await self.cancel(at)
            with translated_errors():
                await _in_thread(partial(manager.future_logs.delete, at))
        if partition.log.directory.parent == directory:
            return
        task = self._tasks.get(at)
        if task is not None and future is None:  # the move is over, but for appends queued for the old directory
            await task.done.wait()
        if at in self._tasks:
            return
        with translated_errors():
            future = await _in_thread(partial(manager.future_logs.get_or_create, partition.log, directory))
            is_deleted = self._partitions.find(*at) is not partition
            if is_deleted:
                await _in_thread(partial(manager.future_logs.delete, at))
        if is_deleted:
            partition = self._partitions.get(*at)  # raises
            raise PartitionError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        if self._nursery is not None and at not in self._tasks:  # another request may have been as quick
            self._start(at, partition, future)

    async def cancel(self, at: TopicPartition) -> None:
        """Stop the copy of a partition, and return when nothing of it runs any more; the future log stays."""
        task = self._tasks.get(at)
        if task is not None:
            task.scope.cancel()
            with trio.CancelScope(shield=True):
                await task.done.wait()

    def _start(self, at: TopicPartition, partition: Partition, future: Log) -> None:
        assert self._nursery is not None
        task = self._tasks[at] = _AlterLogDirTask(partition, future)
        self._nursery.start_soon(self._run, at, task)

    async def _run(self, at: TopicPartition, task: _AlterLogDirTask) -> None:
        log, future = task.partition.log, task.future
        try:
            with task.scope:
                async with self._threads:
                    await self._copy(at, task)
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

    async def _copy(self, at: TopicPartition, task: _AlterLogDirTask) -> None:
        partition, future, future_logs = task.partition, task.future, self._log_manager.future_logs
        log, old_executor = partition.log, partition.executor
        await self._catch_up(log, future)
        await _in_thread(future.flush)  # what comes after it is little: the log's executor will not wait for a disk
        last_bytes = LAST_BYTES
        while True:
            await self._catch_up(log, future)
            replace_current = partial(future_logs.maybe_replace_current, log, future, last_bytes)
            if await partition.run_on_executor(replace_current):
                break
            await self._throttle(last_bytes)
            last_bytes = min(last_bytes * 2, _MOST_LAST_BYTES)  # more than that was queued for the log's executor
        # Appends queued for the old executor write to the new place, those after them are the new executor's.
        partition.executor = self._executors[log.directory.parent]
        await partition.executor.take_over(partition, old_executor)

    async def _catch_up(self, log: Log, future: Log) -> None:
        """Copy what *log* has now: the less that is, the less is appended meanwhile."""
        end_offset = log.log_end_offset
        while future.log_end_offset < end_offset <= log.log_end_offset:
            if log.failure is not None:
                raise log.failure
            copied_bytes = await _in_thread(partial(_copy_piece, self._log_manager.future_logs, log, future))
            if copied_bytes == 0:
                break
            await self._throttle(copied_bytes)

    async def _throttle(self, copied_bytes: int) -> None:
        limit = self._bytes_per_second
        if limit is not None:
            await trio.sleep(copied_bytes / max(limit, 1))


async def _in_thread(work: Callable[[], T]) -> T:
    with trio.CancelScope(shield=True):
        result = await trio.to_thread.run_sync(work)
    await trio.lowlevel.checkpoint()
    return result


def _copy_piece(future_logs: FutureLogs, log: Log, future: Log) -> int:
    """Copy the next piece of *log* to *future* and return its size; 0 if so little is left that the log may wait."""
    copied_bytes = 0
    while copied_bytes < _PIECE_BYTES:
        piece = _next_piece(future_logs, log, future)
        if piece is None:
            break
        future.append_as_follower(memoryview(bytearray(piece.tobytes())))
        copied_bytes += piece.size_bytes
    return copied_bytes


def _next_piece(future_logs: FutureLogs, log: Log, future: Log) -> LogSlice | None:
    """Return what of a segment is to be copied next, None if little is left of the last one."""
    while True:
        future_logs.align(log, future)
        view = log.view
        try:
            piece = log.read(future.log_end_offset, _PIECE_BYTES, view.log_end_offset, True)
            break
        except LogError:
            if log.log_start_offset <= future.log_end_offset:  # or records were deleted meanwhile
                raise
    if piece.size_bytes < LAST_BYTES and future.log_end_offset >= view.active.base_offset:
        return None
    return piece
