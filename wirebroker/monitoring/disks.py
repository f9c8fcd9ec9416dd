"""Metrics of log directories: the bytes of their logs, and the space of their file systems."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import trio

from wirebroker.metrics import catalogue

if TYPE_CHECKING:
    from wirebroker.loop_budget import LoopBudget
    from wirebroker.metrics.metric import Rows, Snapshot
    from wirebroker.replication.replica_manager import ReplicaManager


async def collect_disks(replicas: ReplicaManager, budget: LoopBudget, log_bytes: int) -> Snapshot:
    """Return the figures of the log directories that are online.

    File systems are asked in a thread: one that is gone may not answer for a long time.

    Args:
        replicas: The partitions of the broker.
        budget: The time for which the event loop may be kept.
        log_bytes: The size of all logs, which is that of the directory if there is one.
    """
    log_dirs = replicas.log_manager.log_dirs
    sizes = Counter({str(log_dirs.paths[0]): log_bytes})
    if len(log_dirs) > 1:
        sizes.clear()
        for partition in replicas.partitions():
            sizes[os.path.dirname(partition.log.directory)] += partition.log.size_bytes
            await budget.yield_if_due()
    of_logs: Rows = []
    total: Rows = []
    usable: Rows = []
    for each in log_dirs.online:
        path = str(each.path)
        try:
            space = await trio.to_thread.run_sync(os.statvfs, path, abandon_on_cancel=True)
        except OSError:
            continue
        of_logs.append(((path,), sizes[path]))
        total.append(((path,), space.f_blocks * space.f_frsize))
        usable.append(((path,), space.f_bavail * space.f_frsize))
    return [
        (catalogue.DIRECTORY_SIZE, of_logs),
        (catalogue.DIRECTORY_TOTAL, total),
        (catalogue.DIRECTORY_USABLE, usable),
    ]
