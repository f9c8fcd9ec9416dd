"""AlterReplicaLogDirs (key 34): move partitions to other log directories of this broker.

Spec: protocol_specs/34_alter_replica_log_dirs (v0-v2).
KIPs: 113.
Waits: for nothing but a move to another directory that has to be stopped; the copying goes on after the answer, and
DescribeLogDirs shows it.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.replication.log_mover import LogMover

logger = logging.getLogger(__name__)


async def handle_alter_replica_log_dirs(
    context: RequestContext, request: AlterReplicaLogDirsRequest
) -> AlterReplicaLogDirsResponse:
    """Begin the moves, each partition alone; of one that is named twice the last directory counts."""
    wanted = {
        TopicPartition(topic.name, index): Path(each.path)
        for each in request.dirs
        for topic in each.topics
        for index in topic.partitions
    }
    topics: dict[str, list[AlterReplicaLogDirPartitionResult]] = {}
    for at, directory in wanted.items():
        code = await _begin(context.services.replicas.mover, at, directory)
        topics.setdefault(at.topic, []).append(AlterReplicaLogDirPartitionResult(at.partition, code))
    return AlterReplicaLogDirsResponse(
        results=[AlterReplicaLogDirTopicResult(name, partitions) for name, partitions in topics.items()]
    )


async def _begin(mover: LogMover, at: TopicPartition, directory: Path) -> ErrorCode:
    try:
        await mover.move(at, directory)
    except ApiError as fault:
        logger.warning("topic=%s partition=%d: cannot move to %s: %s", at.topic, at.partition, directory, fault.detail)
        return fault.code
    return ErrorCode.NONE
