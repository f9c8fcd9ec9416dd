"""AlterReplicaLogDirs (key 34): move partitions to other log directories of this broker.

Spec: protocol_specs/34_alter_replica_log_dirs (v0-v2).
KIPs: 113.
Waits: only for the end of an earlier move of a partition, which is cancelled; the copies go on after the response, and
DescribeLogDirs shows them.
"""

from __future__ import annotations

import logging
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.replication.alter_log_dirs import ReplicaAlterLogDirsManager

logger = logging.getLogger(__name__)


async def handle_alter_replica_log_dirs(
    context: RequestContext, request: AlterReplicaLogDirsRequest
) -> AlterReplicaLogDirsResponse:
    """Begin the moves; each succeeds or fails by itself, and of a partition named twice the last directory counts."""
    budget, refused = context.start_budget(), _Refused()
    wanted: dict[TopicPartition, Path] = {}
    for each in request.dirs:
        directory = Path(each.path)
        for topic in each.topics:
            for index in topic.partitions:
                wanted[TopicPartition(topic.name, index)] = directory
                await budget.yield_if_due()
    topics: dict[str, AlterReplicaLogDirTopicResult] = {}
    for at, directory in wanted.items():
        code = await _begin(context.services.replicas.alter_log_dirs, at, directory, refused)
        result = topics.get(at.topic)
        if result is None:
            result = topics[at.topic] = AlterReplicaLogDirTopicResult(at.topic)
        result.partitions.append(AlterReplicaLogDirPartitionResult(at.partition, code))
        await budget.yield_if_due()
    refused.log()
    return AlterReplicaLogDirsResponse(results=list(topics.values()))


class _Refused:
    """The moves of one request that cannot begin: a line in the log for each directory and error."""

    def __init__(self) -> None:
        self._first: dict[tuple[Path, ErrorCode], tuple[TopicPartition, str | None]] = {}
        self._counts: Counter[tuple[Path, ErrorCode]] = Counter()

    def add(self, at: TopicPartition, directory: Path, fault: ApiError) -> None:
        self._first.setdefault((directory, fault.code), (at, fault.detail))
        self._counts[directory, fault.code] += 1

    def log(self) -> None:
        for (directory, code), (at, detail) in self._first.items():
            others = self._counts[directory, code] - 1
            more = f" (and {others} more partitions)" if others else ""
            logger.warning("topic=%s partition=%d: cannot move to %s: %s%s", *at, directory, detail, more)


async def _begin(
    alter_log_dirs: ReplicaAlterLogDirsManager, at: TopicPartition, directory: Path, refused: _Refused
) -> ErrorCode:
    try:
        await alter_log_dirs.alter_log_dir(at, directory)
    except ApiError as fault:
        refused.add(at, directory, fault)
        return fault.code
    return ErrorCode.NONE
