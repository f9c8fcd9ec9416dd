"""Moves partitions between the log directories of this broker while they are written to (KIP-113).

A move is a task: it copies the log in pieces, in a thread; when little is left, the log's
lane waits while the rest is copied and the two change places (`storage/log_moves.py`).  A broker that is started again
goes on with the copies it finds.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.replication.disk_lane import Kind
from wirebroker.storage.faults import StorageError
from wirebroker.storage.log_moves import LAST_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wirebroker.model import TopicPartition
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_moves import LogMoves

logger = logging.getLogger(__name__)

T = TypeVar("T")

_PIECE_BYTES: Final = 1 << 20
"""Copied by one hop to a thread: 0.5 ms on a warm page cache, and what a cancelled move has to wait for."""


class _Move:
    """One partition on its way."""

    __slots__ = ("done", "future", "partition", "scope")

    def __init__(self, partition: Partition, future: Log) -> None:
        self.partition = partition
        self.future = future
        self.scope = trio.CancelScope()
        self.done = trio.Event()


class LogMover:
    """The moves of one broker; `run` it."""

    def __init__(self, replicas: ReplicaManager) -> None:
        self._replicas = replicas
        self._moves: dict[TopicPartition, _Move] = {}
        self._nursery: trio.Nursery | None = None
        self._threads = trio.CapacityLimiter(len(replicas.lanes))
        self.bytes_per_second: Callable[[], int | None] = lambda: None
        """The limit for all moves together (replica.alter.log.dirs.io.max.bytes.per.second), asked for every piece."""

    async def run(self, at_once: int | None = None) -> None:
        """Go on with the copies that are there, and with those that `move` begins; until cancelled.

        *at_once* of them are copied at a time (num.replica.alter.log.dirs.threads), one per directory unless told.
        """
        self._threads.total_tokens = at_once or len(self._replicas.lanes)
        try:
            async with trio.open_nursery() as self._nursery:
                for at, future in self._replicas.log_manager.moves.all().items():
                    partition = self._replicas.find(*at)
                    if partition is not None:
                        self._start(at, partition, future)
                await trio.sleep_forever()
        finally:
            self._nursery = None

    async def move(self, at: TopicPartition, directory: Path) -> None:
        """Begin to move a partition to *directory*; to where it is, ends a move.  Returns before it is there.

        Raises:
            ApiError: LOG_DIR_NOT_FOUND, KAFKA_STORAGE_ERROR, UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION.
        """
        manager = self._replicas.log_manager
        if directory not in manager.dirs:
            raise ApiError(ErrorCode.LOG_DIR_NOT_FOUND, f"there is no log directory {directory}")
        if any(manager.is_dir_offline(each) for each in manager.dirs):
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, "a log directory is offline")
        partition = self._replicas.find(*at)
        if partition is None:
            if not self._replicas.is_offline(*at):
                manager.prefer(*at, directory)
            partition = self._replicas.get(*at)  # raises
        future = manager.moves.get(at)
        if future is not None and future.directory.parent != directory:
            await self.cancel(at)
            await _in_thread(partial(manager.moves.drop, at))
        if partition.log.directory.parent == directory or at in self._moves:
            return
        future = await _in_thread(partial(manager.begin_move, partition.log, directory))
        if self._replicas.find(*at) is not partition:  # it was deleted meanwhile
            await _in_thread(partial(manager.moves.drop, at))
            partition = self._replicas.get(*at)  # raises
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        if self._nursery is not None:
            self._start(at, partition, future)

    async def cancel(self, at: TopicPartition) -> None:
        """Stop the work on a move, and return when nothing of it runs any more; the copy stays."""
        move = self._moves.get(at)
        if move is not None:
            move.scope.cancel()
            with trio.CancelScope(shield=True):
                await move.done.wait()

    def _start(self, at: TopicPartition, partition: Partition, future: Log) -> None:
        assert self._nursery is not None
        move = self._moves[at] = _Move(partition, future)
        self._nursery.start_soon(self._run, at, move)

    async def _run(self, at: TopicPartition, move: _Move) -> None:
        log, future = move.partition.log, move.future
        try:
            with move.scope:
                async with self._threads:
                    await self._copy(at, move)
        except ApiError as fault:
            if isinstance(fault, StorageError):
                for each in (log, future):
                    if each.failure is not None:
                        self._replicas.directory_failed(each.directory.parent, fault)
            logger.error("%s: stays in %s: %s", at, log.directory.parent, fault)
        except Exception:
            logger.exception("%s: stays in %s", at, log.directory.parent)
        finally:
            del self._moves[at]
            move.done.set()

    async def _copy(self, at: TopicPartition, move: _Move) -> None:
        partition, future, moves = move.partition, move.future, self._replicas.log_manager.moves
        log, old_lane = partition.log, partition.lane
        flushed = False
        while True:
            if log.failure is not None:
                raise log.failure
            copied_bytes = await _in_thread(partial(_copy_piece, moves, log, future))
            if copied_bytes == 0:  # little is left
                if not flushed:
                    flushed = True  # what comes after it is little, and the log's lane will not wait for a disk
                    await _in_thread(future.flush)
                elif await partition.on_lane(partial(moves.finish, log, at, future)):
                    break
                continue
            limit = self.bytes_per_second()
            if limit is not None:
                await trio.sleep(copied_bytes / max(limit, 1))
        # Appends that were queued for the old lane write to the new place; the new lane may begin when they are done.
        while partition.queued:
            await old_lane.run(Kind.MEMORY, None, _nothing)
        partition.lane = self._replicas.lanes[log.directory.parent]


async def _in_thread(work: Callable[[], T]) -> T:
    with trio.CancelScope(shield=True):
        result = await trio.to_thread.run_sync(work)
    await trio.lowlevel.checkpoint()
    return result


def _copy_piece(moves: LogMoves, log: Log, future: Log) -> int:
    """Copy the next piece of *log* to *future* and return its size; 0 if so little is left that the log may wait."""
    while True:
        moves.catch_up_start(log, future)
        view = log.view
        try:
            piece = log.read(future.log_end_offset, _PIECE_BYTES, view.log_end_offset, True)
            break
        except ApiError:
            if log.log_start_offset <= future.log_end_offset:  # or records were deleted meanwhile
                raise
    if piece.size_bytes < LAST_BYTES and future.log_end_offset >= view.active.base_offset:
        return 0
    future.append_as_follower(memoryview(bytearray(piece.tobytes())))
    return piece.size_bytes


def _nothing() -> None:
    pass
