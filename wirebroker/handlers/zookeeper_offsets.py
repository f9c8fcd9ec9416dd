"""Version 0 of OffsetCommit and OffsetFetch in a cluster with ZooKeeper: offsets in /consumers, of any broker.

Consumers before Kafka 0.9 keep their offsets there.  Waits for ZooKeeper, ten seconds at most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from wirebroker.coordinator.group.group_config import GroupCoordinatorConfig
from wirebroker.kafka_controller.pipelined import pipelined
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.zookeeper.errors import ZooKeeperError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.handlers.context import RequestContext
    from wirebroker.protocol.messages.offset_commit import OffsetCommitRequest
    from wirebroker.zookeeper.consumer_offsets import ZkConsumerOffsets

_LONGEST_WAIT_S: Final = 10.0
NO_OFFSET: Final = -1


async def commit_to_zookeeper(
    context: RequestContext, offsets: ZkConsumerOffsets, request: OffsetCommitRequest
) -> dict[TopicPartition, ErrorCode]:
    """Write the offsets of *request*, and return the code for each partition."""
    image, group_id = context.services.metadata.image, request.group_id
    longest = GroupCoordinatorConfig(context.services.config.current.value).offset_metadata_max_bytes
    codes: dict[TopicPartition, ErrorCode] = {}
    to_write: list[tuple[TopicPartition, int]] = []
    for topic in request.topics:
        for each in topic.partitions:
            partition = TopicPartition(topic.name, each.partition_index)
            codes[partition] = ErrorCode.COORDINATOR_NOT_AVAILABLE
            if image.partition(*partition) is None:
                codes[partition] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            elif len(each.committed_metadata or "") > longest:
                codes[partition] = ErrorCode.OFFSET_METADATA_TOO_LARGE
            elif not _is_znode_name(group_id):
                codes[partition] = ErrorCode.INVALID_GROUP_ID
            else:
                to_write.append((partition, each.committed_offset))

    async def write(item: tuple[TopicPartition, int]) -> None:
        try:
            await offsets.commit(group_id, *item)
            codes[item[0]] = ErrorCode.NONE
        except ZooKeeperError:
            codes[item[0]] = ErrorCode.UNKNOWN_SERVER_ERROR

    with trio.move_on_after(_LONGEST_WAIT_S):
        await pipelined(to_write, write)
    return codes


async def fetch_from_zookeeper(
    context: RequestContext, offsets: ZkConsumerOffsets, group_id: str, partitions: Sequence[TopicPartition]
) -> dict[TopicPartition, tuple[int, ErrorCode]]:
    """Return offset and code of each of *partitions*; without an offset the code is UNKNOWN_TOPIC_OR_PARTITION."""
    image = context.services.metadata.image
    unknown = (NO_OFFSET, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    found = dict.fromkeys(partitions, (NO_OFFSET, ErrorCode.COORDINATOR_NOT_AVAILABLE))

    async def read(partition: TopicPartition) -> None:
        if image.partition(*partition) is None or not _is_znode_name(group_id):
            found[partition] = unknown
            return
        try:
            offset = await offsets.fetch(group_id, partition)
            found[partition] = unknown if offset is None else (offset, ErrorCode.NONE)
        except ZooKeeperError:
            found[partition] = (NO_OFFSET, ErrorCode.UNKNOWN_SERVER_ERROR)

    with trio.move_on_after(_LONGEST_WAIT_S):
        await pipelined(list(found), read)
    return found


def _is_znode_name(group_id: str) -> bool:
    """Whether *group_id* may be the name of one znode."""
    return group_id not in ("", ".", "..", "zookeeper") and "/" not in group_id and group_id.isprintable()
