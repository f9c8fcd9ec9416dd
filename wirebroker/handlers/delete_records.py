"""DeleteRecords (key 21): the log start offsets of partitions move forward.

Spec: protocol_specs/21_delete_records (v0-v2).
KIP: 107.
Waits: for the disk, and at most timeout_ms until every live replica has moved its log start, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from wirebroker.model import INTERNAL_TOPICS, TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.delete_records import (
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from wirebroker.replication.delayed_delete_records import DelayedDeleteRecords

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext

_CONCURRENT_PARTITIONS: Final = 64
"""Partitions of one DeleteRecords request that are handled together, so that a log directory can group their syncs."""


async def handle_delete_records(context: RequestContext, request: DeleteRecordsRequest) -> DeleteRecordsResponse:
    """Move log start offsets forward; of duplicates the last counts, topics without partitions are left out."""
    budget = context.start_budget()
    offsets = dict(
        await budget.collect(
            (TopicPartition(topic.name, each.partition_index), each.offset)
            for topic in request.topics
            for each in topic.partitions
        )
    )
    left = iter(offsets.items())
    results: dict[TopicPartition, DeleteRecordsPartitionResult] = {}
    operation = DelayedDeleteRecords(context.services.replicas.get)

    workers = min(_CONCURRENT_PARTITIONS, len(offsets))

    async def work() -> None:
        own = budget.part(workers)
        for where, offset in left:
            results[where] = await _delete_records(context, operation, where, offset)
            await own.yield_if_due()
        budget.yields += own.yields

    async with trio.open_nursery() as nursery:
        for _ in range(workers):
            nursery.start_soon(work)
    if operation.watched:
        purgatory = context.services.replicas.purgatories.delete_records
        if not purgatory.try_complete_else_watch(operation, purgatory.timer.now_ms() + request.timeout_ms):
            context.delayed = operation
    topics: dict[str, DeleteRecordsTopicResult] = {}
    for where in offsets:
        topic = topics.get(where.topic)
        if topic is None:
            topic = topics[where.topic] = DeleteRecordsTopicResult(where.topic)
        topic.partitions.append(results[where])
        await budget.yield_if_due()
    return DeleteRecordsResponse(topics=list(topics.values()))


async def _delete_records(
    context: RequestContext, operation: DelayedDeleteRecords, where: TopicPartition, before_offset: int
) -> DeleteRecordsPartitionResult:
    """Delete records here, and have *operation* wait for replicas that have them still."""
    index = where.partition
    try:
        if where.topic in INTERNAL_TOPICS and context.services.metadata.image.partition(*where) is not None:
            raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION)
        partition = context.services.replicas.get(*where)
        log_start_offset = await partition.delete_records(before_offset)
        result = DeleteRecordsPartitionResult(index, partition.low_watermark_if_leader())
    except ApiError as error:
        return DeleteRecordsPartitionResult(partition_index=index, low_watermark=-1, error_code=error.code)
    required_offset = log_start_offset if before_offset == -1 else before_offset
    if result.low_watermark < required_offset:
        operation.add(partition, required_offset, result)
    return result
