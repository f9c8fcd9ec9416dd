"""Apply retention to partitions: look for segments that may be deleted in threads, delete them in their logs' order.

The scheduler does so for all logs every `log.retention.check.interval.ms`, and the log cleaner for compacted ones
whenever it has chosen a log, as in Kafka.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from wirebroker.storage.errors import LogError, StorageError
from wirebroker.storage.retention import delete_old_segments, has_deletable_segments

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager

    Found = list[tuple[Partition, LogError | None]]

_LOGS_PER_HOP: Final = 256
"""Logs searched for deletable segments in one hop to a thread: some 10 us each."""


async def apply_retention(
    replicas: ReplicaManager,
    partitions: Sequence[Partition],
    clock: Callable[[], int],
    in_thread: Callable[[Callable[[], Found]], Awaitable[Found]],
) -> None:
    """Delete the segments of *partitions* that retention allows to delete.

    *clock* is the wall clock in milliseconds; *in_thread* runs work in a thread.
    """
    for first in range(0, len(partitions), _LOGS_PER_HOP):
        some = partitions[first : first + _LOGS_PER_HOP]
        for partition, fault in await in_thread(partial(_with_deletable_segments, some, clock)):
            if fault is None:
                await _delete_old_segments(replicas, partition, clock())
            elif isinstance(fault, StorageError):
                replicas.storage_failed(partition.log, fault)


async def _delete_old_segments(replicas: ReplicaManager, partition: Partition, now_ms: int) -> None:
    log = partition.log
    try:
        if await partition.run_on_executor(partial(delete_old_segments, log, now_ms, partition.high_watermark)):
            partition.notify_listeners()
    except StorageError as fault:
        replicas.storage_failed(log, fault)
    except LogError:
        pass  # the log was deleted meanwhile, or is corrupt, which it has logged itself


def _with_deletable_segments(partitions: Iterable[Partition], clock: Callable[[], int]) -> Found:
    """Return the partitions with segments to delete (None), and those whose log could not be searched (the error)."""
    found: Found = []
    for partition in partitions:
        try:
            if has_deletable_segments(partition.log, clock(), partition.high_watermark):
                found.append((partition, None))
        except LogError as fault:
            found.append((partition, fault))
    return found
