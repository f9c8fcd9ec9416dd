"""What a broker does every now and then: flushes, checkpoints, retention, removing deleted files.

Each duty has its own rhythm from the configuration.  Storage does the work; here is only the clock.
Duties that change a log run where that log's writes run, one partition at a time, so that requests
come in between; fsync and checkpoint files are work for a thread.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

import trio

from wirebroker.clock import now_ms
from wirebroker.protocol.faults import ApiError
from wirebroker.storage.faults import StorageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wirebroker.config.server import BrokerConfig
    from wirebroker.replication.replica_manager import ReplicaManager

logger = logging.getLogger(__name__)

_FIRST_RETENTION_S = 30.0
"""Kafka's initial delay: a broker that has just started has better things to do."""
_TRASH_S = 1.0


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

    async def _every(self, interval_s: float, duty: Callable[[], Awaitable[None]]) -> None:
        first_s = min(interval_s, _FIRST_RETENTION_S)
        await trio.sleep(first_s)
        while True:
            try:
                await duty()
            except Exception:
                logger.exception("%s failed; it will be tried again", duty.__name__)
            await trio.sleep(interval_s)

    async def _in_thread(self, work: Callable[[], object]) -> None:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(work, limiter=self._thread)

    async def _checkpoint_high_watermarks(self) -> None:
        marks = {each.topic_partition: each.high_watermark for each in self._replicas.partitions()}
        await self._in_thread(partial(self._logs.checkpoint_high_watermarks, marks))

    async def _checkpoint_recovery_points(self) -> None:
        await self._in_thread(self._logs.checkpoint_recovery_points)

    async def _checkpoint_log_starts(self) -> None:
        await self._in_thread(self._logs.checkpoint_log_starts)

    async def _retain(self) -> None:
        for partition in self._replicas.partitions():
            log = partition.log
            try:
                deleted = await partition.on_lane(partial(log.delete_old_segments, now_ms(), partition.high_watermark))
            except StorageError as fault:
                self._replicas.storage_failed(log, fault)
                continue
            except ApiError:
                continue  # it was deleted meanwhile, or is damaged, which the log has said
            if deleted:
                partition.notify_listeners()
            await trio.lowlevel.checkpoint()

    async def _forget_producers(self) -> None:
        expiration_ms = self._config().producer_id_expiration_ms
        for partition in self._replicas.partitions():
            await partition.on_lane(partial(partition.log.producers.expire, now_ms(), expiration_ms))
            await trio.lowlevel.checkpoint()

    async def _flush(self) -> None:
        """Rolled segments go to the disk, and logs whose flush.ms is over."""
        now = now_ms()
        for partition in self._replicas.partitions():
            log = partition.log
            due = now - log.last_flush_ms >= log.config.flush_ms and log.recovery_point < log.log_end_offset
            if due or log.has_unflushed_segments:
                try:
                    await self._in_thread(partial(log.flush, rolled_only=not due))
                except StorageError as fault:
                    self._replicas.storage_failed(log, fault)
                except ApiError:
                    pass  # it was deleted meanwhile, or is damaged, which the log has said

    async def _empty_trash(self) -> None:
        await self._in_thread(partial(self._logs.run_deletes, now_ms()))
