"""Scheduler: the broker's periodic tasks, which are flushes, checkpoints, retention and the removal of deleted files.

Each task has its own interval from the configuration (Kafka runs the same ones in KafkaScheduler).  Storage does the
work; this module only keeps time.  Tasks that change a log run in order with that log's writes; tasks that touch files
run in a thread, many logs in one hop.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from wirebroker.clock import now_ms
from wirebroker.loop_budget import LoopBudget
from wirebroker.replication.retention_run import apply_retention
from wirebroker.storage.errors import LogError, StorageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.storage.log import Log

logger = logging.getLogger(__name__)

T = TypeVar("T")

_INITIAL_DELAY_S: Final = 30.0
"""Longest delay before the first run of a task, as in Kafka: a broker that has just started is busy with clients."""
_FLUSH_S: Final = 1.0
_DELETE_FILES_S: Final = 1.0
_CHECK_DIRS_S: Final = 2.0
"""How often each log directory is looked up by its name: writes to one that was renamed would be lost."""
_FLUSHES_PER_HOP: Final = 16
"""Logs whose files are synced in one hop to a thread; a broker that stops may have to wait for the hop."""
_PRODUCERS_INLINE: Final = 1000
"""Producers of one log that are expired in the event loop, in 0.1 ms; for more of them a thread is used."""


class Scheduler:
    """Runs the periodic tasks of one broker.

    Args:
        config: the settings; the intervals stay those of the start.
    """

    def __init__(self, config: DynamicConfig, replicas: ReplicaManager) -> None:
        self._config = config
        self._replicas = replicas
        self._logs = replicas.log_manager
        self._thread = trio.CapacityLimiter(1)

    async def run(self) -> None:
        """Run every task at its interval, until cancelled; then write the high watermarks once more."""
        config = self._config.current
        tasks = (
            (config.replica_high_watermark_checkpoint_interval_ms, self._checkpoint_high_watermarks),
            (config.log_flush_offset_checkpoint_interval_ms, self._checkpoint_recovery_points),
            (config.log_flush_start_offset_checkpoint_interval_ms, self._checkpoint_log_starts),
            (config.log_retention_check_interval_ms, self._clean_up_logs),
            (config.producer_id_expiration_check_interval_ms, self._expire_producers),
        )
        try:
            async with trio.open_nursery() as nursery:
                for interval_ms, task in tasks:
                    nursery.start_soon(self._repeat, interval_ms / 1000, task)
                nursery.start_soon(self._repeat, _DELETE_FILES_S, self._delete_files)
                nursery.start_soon(self._repeat, _FLUSH_S, self._flush_logs)
                nursery.start_soon(self._repeat, _CHECK_DIRS_S, self._check_directories)
        finally:
            with trio.CancelScope(shield=True):  # a replica that starts again begins there
                await self._checkpoint_high_watermarks()

    async def _repeat(self, interval_s: float, task: Callable[[], Awaitable[None]]) -> None:
        """Run *task* at its interval; once, after the initial delay, if that is 0 or less, as in Kafka."""
        await trio.sleep(min(interval_s, _INITIAL_DELAY_S) if interval_s > 0 else _INITIAL_DELAY_S)
        while True:
            try:
                await task()
            except Exception:
                logger.exception(
                    "periodic task %s failed; it runs again in %.0f s", task.__name__.lstrip("_"), interval_s
                )
            if interval_s <= 0:
                return
            await trio.sleep(interval_s)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        with trio.CancelScope(shield=True):
            result = await trio.to_thread.run_sync(work, limiter=self._thread)
        await trio.lowlevel.checkpoint()
        return result

    async def _checkpoint_high_watermarks(self) -> None:
        marks = dict(
            await LoopBudget().collect(
                (each.topic_partition, each.high_watermark) for each in self._replicas.partitions()
            )
        )
        await self._in_thread(partial(self._logs.log_dirs.checkpoint_high_watermarks, marks))

    async def _checkpoint_recovery_points(self) -> None:
        await self._in_thread(self._logs.log_dirs.checkpoint_recovery_points)

    async def _checkpoint_log_starts(self) -> None:
        await self._in_thread(self._logs.log_dirs.checkpoint_log_starts)

    async def _clean_up_logs(self) -> None:
        await apply_retention(self._replicas, list(self._replicas.partitions()), now_ms, self._in_thread)

    async def _expire_producers(self) -> None:
        expiration_ms = self._config.current.producer_id_expiration_ms
        for partition in self._replicas.partitions():
            producers = partition.log.producer_state_manager
            if not producers.is_empty:
                expire = partial(producers.remove_expired_producers, now_ms(), expiration_ms)
                await (
                    partition.run_in_order(expire)
                    if len(producers.entries) < _PRODUCERS_INLINE
                    else partition.run_on_executor(expire)
                )
            await trio.lowlevel.checkpoint()

    async def _flush_logs(self) -> None:
        """Sync rolled segments, logs whose flush.ms is over, and leader epochs that have begun."""
        now = now_ms()
        due: list[tuple[Log, bool]] = []
        budget = LoopBudget()
        for partition in self._replicas.partitions():
            log = partition.log
            whole_log = (
                now - log.local_log.last_flush_ms >= log.config.flush_ms and log.recovery_point < log.log_end_offset
            )
            if whole_log or log.local_log.has_unflushed_segments:
                due.append((log, whole_log))
            await budget.yield_if_due()
        for first in range(0, len(due), _FLUSHES_PER_HOP):
            for log, fault in await self._in_thread(partial(_flush_each, due[first : first + _FLUSHES_PER_HOP])):
                if isinstance(fault, StorageError):
                    self._replicas.storage_failed(log, fault)
        for log, fault in await self._in_thread(self._logs.save_leader_epochs):
            if isinstance(fault, StorageError):
                self._replicas.storage_failed(log, fault)

    async def _check_directories(self) -> None:
        await self._in_thread(self._logs.log_dirs.check_in_place)

    async def _delete_files(self) -> None:
        await self._in_thread(partial(self._logs.delete_due_files, now_ms()))


def _flush_each(due: Iterable[tuple[Log, bool]]) -> list[tuple[Log, LogError]]:
    """Flush logs, or only their rolled segments; return the logs that failed, with the error."""
    failed: list[tuple[Log, LogError]] = []
    for log, whole_log in due:
        try:
            log.flush(rolled_only=not whole_log)
        except LogError as fault:
            failed.append((log, fault))
    return failed
