"""Moves partitions between the log directories of this broker while they are written to (KIP-113).

A move is a task: it copies the log in pieces, found in the loop and copied in a thread; when little is left, the log's
lane waits while the rest is copied and the two change places (`storage/log_moves.py`).  A broker that is started again
goes on with the copies it finds.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.storage.faults import StorageError
from wirebroker.storage.log_moves import LAST_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wirebroker.model import TopicPartition
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_slice import LogSlice

logger = logging.getLogger(__name__)

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
            manager.moves.drop(at)
        if partition.log.directory.parent == directory or at in self._moves:
            return
        future = manager.begin_move(partition.log, directory)
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
        log, future, moves = move.partition.log, move.future, self._replicas.log_manager.moves
        flushed = False
        while True:
            if log.failure is not None:
                raise log.failure
            moves.catch_up_start(log, future)
            piece = log.read(future.log_end_offset, _PIECE_BYTES, log.log_end_offset, True)
            if piece.size_bytes < LAST_BYTES and future.log_end_offset >= log.segments[-1].base_offset:
                if not flushed:
                    flushed = True  # what comes after it is little, and the log's lane will not wait for a disk
                    await _in_thread(future.flush)
                    continue
                old_lane = move.partition.lane
                if await old_lane.run(partial(moves.finish, log, at, future)):
                    break
                continue
            await _in_thread(partial(_write, future, piece))
            limit = self.bytes_per_second()
            if limit is not None:
                await trio.sleep(piece.size_bytes / max(limit, 1))
        # Appends that were queued for the old lane write to the new place; the new lane may begin when they are done.
        while not old_lane.is_idle:
            await old_lane.run(lambda: None)
        move.partition.lane = self._replicas.lanes[log.directory.parent]


async def _in_thread(work: Callable[[], object]) -> None:
    with trio.CancelScope(shield=True):
        await trio.to_thread.run_sync(work)
    await trio.lowlevel.checkpoint()


def _write(future: Log, piece: LogSlice) -> None:
    future.append_as_follower(memoryview(bytearray(piece.tobytes())))
