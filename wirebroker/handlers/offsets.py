"""Where logs begin and epochs end: DeleteRecords (key 21), OffsetForLeaderEpoch (23).

Specs: protocol_specs/21_delete_records (v0-v2), 23_offset_for_leader_epoch (v0-v4).
KIPs: 107 deleting records, 101/320 epochs.
Waits: DeleteRecords, for the disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.protocol.messages.delete_records import (
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
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

_AT_ONCE: Final = 64
"""How many partitions of one DeleteRecords are worked on together, so that a log directory can group their syncs."""


async def handle_delete_records(context: RequestContext, request: DeleteRecordsRequest) -> DeleteRecordsResponse:
    """Move log start offsets forward.  Of a partition named twice the last entry counts; no partitions, no topic."""
    topics = [
        (topic.name, {asked.partition_index: asked.offset for asked in topic.partitions}) for topic in request.topics
    ]
    wanted = [(at, name, *asked) for at, (name, offsets) in enumerate(topics) for asked in offsets.items()]
    left = iter(wanted)
    results: dict[tuple[int, int], DeleteRecordsPartitionResult] = {}
    turns = context.start_turns()

    async def work() -> None:
        for at, name, index, offset in left:
            results[at, index] = await _delete_records(context, name, index, offset)
            await turns.yield_if_due()

    async with trio.open_nursery() as nursery:
        for _ in range(min(_AT_ONCE, len(wanted))):
            nursery.start_soon(work)
    return DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(name, [results[at, index] for index in offsets])
            for at, (name, offsets) in enumerate(topics)
            if offsets
        ]
    )


async def _delete_records(
    context: RequestContext, topic: str, index: int, before_offset: int
) -> DeleteRecordsPartitionResult:
    try:
        if topic in ("__consumer_offsets", "__transaction_state"):
            raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION)
        low_watermark = await context.services.replicas.get(topic, index).delete_records(before_offset)
    except ApiError as fault:
        return DeleteRecordsPartitionResult(partition_index=index, low_watermark=-1, error_code=fault.code)
    return DeleteRecordsPartitionResult(partition_index=index, low_watermark=low_watermark)


async def handle_offset_for_leader_epoch(
    context: RequestContext, request: OffsetForLeaderEpochRequest
) -> OffsetForLeaderEpochResponse:
    """Where each leader epoch ended, so that a client or follower can tell whether its log was cut."""
    turns = context.start_turns()
    topics = []
    for topic in request.topics:
        ends = []
        for asked in topic.partitions:
            await turns.yield_if_due()
            ends.append(_epoch_end(context, topic.topic, asked))
        topics.append(OffsetForLeaderTopicResult(topic=topic.topic, partitions=ends))
    return OffsetForLeaderEpochResponse(topics=topics)


def check_leader_epoch(partition: Partition, current_leader_epoch: int) -> None:
    """Refuse a leader epoch that is not the partition's; unlike in Fetch, only -1 means that the client says none."""
    if current_leader_epoch < -1:
        raise ApiError(ErrorCode.FENCED_LEADER_EPOCH)
    partition.check_leader_epoch(current_leader_epoch)


def _epoch_end(context: RequestContext, topic: str, asked: OffsetForLeaderPartition) -> EpochEndOffset:
    try:
        partition = context.services.replicas.get(topic, asked.partition)
        check_leader_epoch(partition, asked.current_leader_epoch)
    except ApiError as fault:
        return EpochEndOffset(error_code=fault.code, partition=asked.partition, leader_epoch=-1, end_offset=-1)
    epoch, end_offset = partition.log.end_offset_for_epoch(asked.leader_epoch)
    return EpochEndOffset(partition=asked.partition, leader_epoch=epoch, end_offset=end_offset)
