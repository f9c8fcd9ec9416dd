"""OffsetForLeaderEpoch (key 23): the end offsets of leader epochs.

Spec: protocol_specs/23_offset_for_leader_epoch (v0-v4).
KIPs: 101/320 leader epochs.
Waits: never.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.replication.partition import Partition


async def handle_offset_for_leader_epoch(
    context: RequestContext, request: OffsetForLeaderEpochRequest
) -> OffsetForLeaderEpochResponse:
    """Return the end offset of each leader epoch, by which a client or follower finds out where its log diverges."""
    budget = context.start_budget()
    topics = []
    for topic in request.topics:
        ends = []
        for requested in topic.partitions:
            await budget.yield_if_due()
            ends.append(_epoch_end(context, topic.topic, requested))
        topics.append(OffsetForLeaderTopicResult(topic=topic.topic, partitions=ends))
    return OffsetForLeaderEpochResponse(topics=topics)


def check_leader(partition: Partition, current_leader_epoch: int, *, or_follower: bool = False) -> None:
    """Raise ApiError unless this broker leads (*or_follower*: or follows) the partition in that leader epoch.

    An epoch of -1 alone, unlike in Fetch, means none.
    """
    if current_leader_epoch < -1:
        raise ApiError(ErrorCode.FENCED_LEADER_EPOCH)
    if or_follower and partition.follower is not None:
        partition.check_leader_epoch(current_leader_epoch)
    else:
        partition.check_leader(current_leader_epoch)


def _epoch_end(context: RequestContext, topic: str, requested: OffsetForLeaderPartition) -> EpochEndOffset:
    try:
        partition = context.services.replicas.get(topic, requested.partition)
        check_leader(partition, requested.current_leader_epoch)
    except ApiError as error:
        return EpochEndOffset(error_code=error.code, partition=requested.partition, leader_epoch=-1, end_offset=-1)
    epoch, end_offset = partition.log.end_offset_for_epoch(requested.leader_epoch)
    return EpochEndOffset(partition=requested.partition, leader_epoch=epoch, end_offset=end_offset)
