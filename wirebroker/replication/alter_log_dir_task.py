"""AlterLogDirTask: copies one partition's log to another log directory while it is written to.

It copies pieces, in a thread; when little is left, the log's executor waits while the rest is copied and the two change
places (`storage/future_logs.py`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from wirebroker.storage.errors import LogError
from wirebroker.storage.future_logs import LAST_BYTES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from wirebroker.replication.log_dir_executor import LogDirExecutor
    from wirebroker.replication.partition import Partition
    from wirebroker.storage.future_logs import FutureLogs
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_slice import LogSlice

T = TypeVar("T")

_PIECE_BYTES: Final = 1 << 20
"""Bytes copied by one hop to a thread: 0.5 ms on a warm page cache; a cancelled move waits for the hop."""
_MOST_LAST_BYTES: Final = 32 * 1024 * 1024
"""The limit up to which LAST_BYTES grows for a log to which more is appended while its rest is copied."""


class AlterLogDirTask:
    """The copy of one partition's log to another log directory."""

    __slots__ = ("_future_logs", "_throttle", "done", "future", "partition", "scope")

    def __init__(
        self,
        partition: Partition,
        future: Log,
        future_logs: FutureLogs,
        throttle: Callable[[int], Awaitable[None]],
    ) -> None:
        """*throttle* is called with the size of each piece that was copied."""
        self.partition = partition
        self.future = future
        self.scope = trio.CancelScope()
        self.done = trio.Event()
        self._future_logs = future_logs
        self._throttle = throttle

    async def copy(self, executors: Mapping[Path, LogDirExecutor]) -> None:
        """Copy the log, and have it go on in the other directory.

        Raises:
            LogError: a log is out of service, or a disk failed; the partition is where it was.
        """
        partition, future, future_logs = self.partition, self.future, self._future_logs
        log, old_executor = partition.log, partition.executor
        await self._catch_up()
        await in_thread(future.flush)  # what comes after it is little: the log's executor will not wait for a disk
        last_bytes = LAST_BYTES
        while True:
            await self._catch_up()
            replace_current = partial(future_logs.maybe_replace_current, log, future, last_bytes)
            if await partition.run_on_executor(replace_current):
                break
            await self._throttle(last_bytes)
            last_bytes = min(last_bytes * 2, _MOST_LAST_BYTES)  # more than that was queued for the log's executor
        # Appends queued for the old executor write to the new place, those after them are the new executor's.
        partition.executor = executors[log.directory.parent]
        await partition.executor.take_over(partition, old_executor)

    async def _catch_up(self) -> None:
        """Copy what the log has now: the less that is, the less is appended meanwhile."""
        log, future = self.partition.log, self.future
        end_offset = log.log_end_offset
        while future.log_end_offset < end_offset <= log.log_end_offset:
            if log.failure is not None:
                raise log.failure
            copied_bytes = await in_thread(partial(copy_piece, self._future_logs, log, future))
            if copied_bytes == 0:
                break
            await self._throttle(copied_bytes)


async def in_thread(work: Callable[[], T]) -> T:
    """Run *work* in a thread and return its result; a cancellation waits for its end."""
    with trio.CancelScope(shield=True):
        result = await trio.to_thread.run_sync(work)
    await trio.lowlevel.checkpoint()
    return result


def copy_piece(future_logs: FutureLogs, log: Log, future: Log) -> int:
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
