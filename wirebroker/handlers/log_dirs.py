"""Log directories and the logs in them: DescribeLogDirs (key 35).

Spec: protocol_specs/35_describe_log_dirs (v0-v5).
KIPs: 113, 827 total and usable space, 1066 cordoned directories (none ever is).
Waits: never.
"""

from __future__ import annotations

import os
from operator import attrgetter
from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.handlers.context import RequestContext
    from wirebroker.loop_budget import LoopBudget
    from wirebroker.storage.log import Log


async def handle_describe_log_dirs(context: RequestContext, request: DescribeLogDirsRequest) -> DescribeLogDirsResponse:
    """Describe every log directory with those of the requested partitions whose logs are in it."""
    manager = context.services.replicas.log_manager
    asked: set[tuple[str, int]] | None = None
    budget = context.start_budget()
    if request.topics is not None:
        named = ((topic.topic, index) for topic in request.topics for index in topic.partitions)
        asked = set(await budget.collect(named))
    logs: dict[Path, list[tuple[Log, int | None]]] = {directory: [] for directory in manager.log_dirs.paths}
    for log in manager.logs():
        await budget.yield_if_due()
        if asked is None or log.topic_partition in asked:
            logs[log.directory.parent].append((log, None))
    for at, future in manager.log_dirs.future_logs().items():
        if asked is None or at in asked:
            current = context.services.replicas.find(*at)
            end_offset = future.log_end_offset if current is None else current.log.log_end_offset
            logs[future.directory.parent].append((future, max(end_offset - future.log_end_offset, 0)))
    results: list[DescribeLogDirsResult] = []
    for directory in manager.log_dirs.paths:
        if manager.log_dirs.is_offline(directory):
            results.append(DescribeLogDirsResult(ErrorCode.KAFKA_STORAGE_ERROR, _name(directory)))
        else:
            results.append(await _describe(directory, logs[directory], budget))
    return DescribeLogDirsResponse(results=results)


def _name(directory: Path) -> str:
    """Return the absolute path, which tools compare; bytes in it that are no UTF-8 are replaced."""
    return str(directory.absolute()).encode("utf-8", "replace").decode()


async def _describe(directory: Path, logs: list[tuple[Log, int | None]], budget: LoopBudget) -> DescribeLogDirsResult:
    """Describe one directory; *logs* are (log, lag of a future log behind the current one, None for a current log)."""
    try:
        space = os.statvfs(directory)
    except OSError:
        return DescribeLogDirsResult(ErrorCode.KAFKA_STORAGE_ERROR, _name(directory))
    topics: dict[str, list[DescribeLogDirsPartition]] = {}
    for log, lag in logs:
        await budget.yield_if_due()
        described = DescribeLogDirsPartition(log.topic_partition.partition, log.size_bytes, lag or 0, lag is not None)
        topics.setdefault(log.topic_partition.topic, []).append(described)
    for partitions in topics.values():
        partitions.sort(key=attrgetter("partition_index"))
        await budget.yield_if_due()
    return DescribeLogDirsResult(
        log_dir=_name(directory),
        topics=await budget.collect(DescribeLogDirsTopic(name, topics[name]) for name in sorted(topics)),
        total_bytes=space.f_blocks * space.f_frsize,
        usable_bytes=space.f_bavail * space.f_frsize,
    )
