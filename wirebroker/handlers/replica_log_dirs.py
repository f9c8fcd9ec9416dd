"""AlterReplicaLogDirs (key 34): move partitions to other log directories of this broker.

Spec: protocol_specs/34_alter_replica_log_dirs (v0-v2).
KIPs: 113.
Waits: only for the end of an earlier move of a partition, which is cancelled; the copies go on after the response, and
DescribeLogDirs shows them.
"""

from __future__ import annotations

import logging
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
    wanted = {
        TopicPartition(topic.name, index): Path(each.path)
        for each in request.dirs
        for topic in each.topics
        for index in topic.partitions
    }
    topics: dict[str, list[AlterReplicaLogDirPartitionResult]] = {}
    for at, directory in wanted.items():
        code = await _begin(context.services.replicas.alter_log_dirs, at, directory)
        topics.setdefault(at.topic, []).append(AlterReplicaLogDirPartitionResult(at.partition, code))
    return AlterReplicaLogDirsResponse(
        results=[AlterReplicaLogDirTopicResult(name, partitions) for name, partitions in topics.items()]
    )


async def _begin(alter_log_dirs: ReplicaAlterLogDirsManager, at: TopicPartition, directory: Path) -> ErrorCode:
    try:
        await alter_log_dirs.alter_log_dir(at, directory)
    except ApiError as fault:
        logger.warning("topic=%s partition=%d: cannot move to %s: %s", at.topic, at.partition, directory, fault)
        return fault.code
    return ErrorCode.NONE
