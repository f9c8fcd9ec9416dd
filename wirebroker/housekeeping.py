"""What a broker does every now and then: flushes, checkpoints, retention, removing deleted files.

Each duty has its own rhythm from the configuration.  Storage does the work; here is only the clock.
Duties that change a log run in order with that log's writes; what touches files runs in a thread, many logs in one hop.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import trio

from wirebroker.clock import now_ms
from wirebroker.protocol.faults import ApiError
from wirebroker.storage.faults import StorageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from wirebroker.config.server import BrokerConfig
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.storage.log import Log

logger = logging.getLogger(__name__)

T = TypeVar("T")

_FIRST_RETENTION_S = 30.0
"""Kafka's initial delay: a broker that has just started has better things to do."""
_TRASH_S = 1.0
_DIRECTORIES_S = 2.0
"""How often log directories are looked for under their names: what is written to one that was renamed is lost."""
_LOGS_PER_HOP = 256
"""Looked at by one hop to a thread, for old segments: some 10 us each."""
_FLUSHES_PER_HOP = 16
"""Logs whose files are synced in one hop to a thread: what a broker that stops may have to wait for."""
_MANY = 1000
"""Producers of one log that are looked at in the loop, in 0.1 ms; a thread looks at more of them."""


class Housekeeping:
    """The broker's clockwork.

    Args:
        config: the settings as they are now; the rhythms are those of the start.
    """

    def __init__(self, config: Callable[[], BrokerConfig], replicas: ReplicaManager) -> None:
        self._config = config
        self._replicas = replicas
        self._logs = replicas.log_manager
        self._thread = trio.CapacityLimiter(1)

    async def run(self) -> None:
        """Work until cancelled."""
        config = self._config()
        every = (
            (config.replica_high_watermark_checkpoint_interval_ms, self._checkpoint_high_watermarks),
            (config.log_flush_offset_checkpoint_interval_ms, self._checkpoint_recovery_points),
            (config.log_flush_start_offset_checkpoint_interval_ms, self._checkpoint_log_starts),
            (config.log_retention_check_interval_ms, self._retain),
            (config.producer_id_expiration_check_interval_ms, self._forget_producers),
        )
        async with trio.open_nursery() as nursery:
            for interval_ms, duty in every:
                nursery.start_soon(self._every, interval_ms / 1000, duty)
            nursery.start_soon(self._every, _TRASH_S, self._empty_trash)
            nursery.start_soon(self._every, 1.0, self._flush)
            nursery.start_soon(self._every, _DIRECTORIES_S, self._check_directories)

    async def _every(self, interval_s: float, duty: Callable[[], Awaitable[None]]) -> None:
        first_s = min(interval_s, _FIRST_RETENTION_S)
        await trio.sleep(first_s)
        while True:
            try:
                await duty()
            except Exception:
                logger.exception("%s failed; it will be tried again", duty.__name__)
            await trio.sleep(interval_s)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        with trio.CancelScope(shield=True):
            result = await trio.to_thread.run_sync(work, limiter=self._thread)
        await trio.lowlevel.checkpoint()
        return result

    async def _checkpoint_high_watermarks(self) -> None:
        marks = {each.topic_partition: each.high_watermark for each in self._replicas.partitions()}
        await self._in_thread(partial(self._logs.checkpoint_high_watermarks, marks))

    async def _checkpoint_recovery_points(self) -> None:
        await self._in_thread(self._logs.checkpoint_recovery_points)

    async def _checkpoint_log_starts(self) -> None:
        await self._in_thread(self._logs.checkpoint_log_starts)

    async def _retain(self) -> None:
        partitions = list(self._replicas.partitions())
        for first in range(0, len(partitions), _LOGS_PER_HOP):
            some = partitions[first : first + _LOGS_PER_HOP]
            for partition, fault in await self._in_thread(partial(_with_old_segments, some)):
                if fault is None:
                    await self._delete_old_segments(partition)
                elif isinstance(fault, StorageError):
                    self._replicas.storage_failed(partition.log, fault)

    async def _delete_old_segments(self, partition: Partition) -> None:
        log = partition.log
        try:
            if await partition.on_lane(partial(log.delete_old_segments, now_ms(), partition.high_watermark)):
                partition.notify_listeners()
        except StorageError as fault:
            self._replicas.storage_failed(log, fault)
        except ApiError:
            pass  # it was deleted meanwhile, or is damaged, which the log has said

    async def _forget_producers(self) -> None:
        expiration_ms = self._config().producer_id_expiration_ms
        for partition in self._replicas.partitions():
            producers = partition.log.producers
            if not producers.is_empty:
                expire = partial(producers.expire, now_ms(), expiration_ms)
                await (partition.in_order(expire) if len(producers.entries) < _MANY else partition.on_lane(expire))
            await trio.lowlevel.checkpoint()

    async def _flush(self) -> None:
        """Rolled segments go to the disk, logs whose flush.ms is over, and leader epochs that have begun."""
        now = now_ms()
        due: list[tuple[Log, bool]] = []
        for partition in self._replicas.partitions():
            log = partition.log
            all_of_it = now - log.last_flush_ms >= log.config.flush_ms and log.recovery_point < log.log_end_offset
            if all_of_it or log.has_unflushed_segments:
                due.append((log, all_of_it))
        for first in range(0, len(due), _FLUSHES_PER_HOP):
            for log, fault in await self._in_thread(partial(_flush_logs, due[first : first + _FLUSHES_PER_HOP])):
                if isinstance(fault, StorageError):
                    self._replicas.storage_failed(log, fault)
        for log, fault in await self._in_thread(self._logs.save_leader_epochs):
            if isinstance(fault, StorageError):
                self._replicas.storage_failed(log, fault)

    async def _check_directories(self) -> None:
        await self._in_thread(self._logs.check_directories)

    async def _empty_trash(self) -> None:
        await self._in_thread(partial(self._logs.run_deletes, now_ms()))


def _with_old_segments(partitions: Iterable[Partition]) -> list[tuple[Partition, ApiError | None]]:
    """The partitions that retention deletes segments of, and those for which that cannot be told, with the fault."""
    found: list[tuple[Partition, ApiError | None]] = []
    for partition in partitions:
        try:
            if partition.log.has_old_segments(now_ms(), partition.high_watermark):
                found.append((partition, None))
        except ApiError as fault:
            found.append((partition, fault))
    return found


def _flush_logs(due: Iterable[tuple[Log, bool]]) -> list[tuple[Log, ApiError]]:
    """Flush logs, or only their rolled segments; returns those that failed."""
    failed: list[tuple[Log, ApiError]] = []
    for log, all_of_it in due:
        try:
            log.flush(rolled_only=not all_of_it)
        except ApiError as fault:
            failed.append((log, fault))
    return failed
