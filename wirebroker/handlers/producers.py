"""Producers: InitProducerId (22) and DescribeProducers (61).

Specs: protocol_specs/22_init_producer_id (v0-v5), 61_describe_producers (v0).
KIPs: 98 idempotence and transactions, 360 epochs after errors (a given id is ignored without a transactional id, as on
3.9.1), 588 PRODUCER_FENCED, 664.
Waits: when a new block of ids must be made durable; with a transactional id, until its record is in the log, and for
an open transaction to be aborted, but not long.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from wirebroker.metadata.topic_names import why_illegal
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.handlers.context import RequestContext
    from wirebroker.storage.producer_entry import ProducerEntry
    from wirebroker.turns import Turns

_FENCED_SINCE: Final = 4
_PRODUCERS_PER_TURN: Final = 500


async def handle_init_producer_id(context: RequestContext, request: InitProducerIdRequest) -> InitProducerIdResponse:
    """Hand out a producer id: one that was never used before, or that of a transactional id with a higher epoch."""
    expected = (request.producer_id, request.producer_epoch)
    if (request.producer_id == -1) != (request.producer_epoch == -1):
        return _refusal(ErrorCode.INVALID_REQUEST)
    services = context.services
    try:
        if request.transactional_id is None:
            return InitProducerIdResponse(producer_id=await services.controller.next_producer_id(), producer_epoch=0)
        answer = await services.transactions.init_producer(
            request.transactional_id, request.transaction_timeout_ms, None if request.producer_id == -1 else expected
        )
    except ApiError as fault:
        return _refusal(fault.code)
    if answer.code == ErrorCode.PRODUCER_FENCED and context.version < _FENCED_SINCE:
        return _refusal(ErrorCode.INVALID_PRODUCER_EPOCH)
    return InitProducerIdResponse(
        error_code=answer.code, producer_id=answer.producer_id, producer_epoch=answer.producer_epoch
    )


def _refusal(code: ErrorCode) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=code, producer_epoch=-1)


async def handle_describe_producers(
    context: RequestContext, request: DescribeProducersRequest
) -> DescribeProducersResponse:
    """The producers each partition remembers."""
    topics = []
    turns = context.start_turns()
    for topic in request.topics:
        partitions = [await _describe(context, topic.name, index, turns) for index in topic.partition_indexes]
        topics.append(TopicResponse(name=topic.name, partitions=partitions))
    return DescribeProducersResponse(topics=topics)


async def _describe(context: RequestContext, topic: str, index: int, turns: Turns) -> PartitionResponse:
    illegal = why_illegal(topic)
    if illegal is not None:
        code = ErrorCode.INVALID_TOPIC_EXCEPTION
        return PartitionResponse(partition_index=index, error_code=code, error_message=illegal)
    try:
        partition = context.services.replicas.get(topic, index)
    except ApiError as fault:
        why = fault.detail or fault.code.meaning
        return PartitionResponse(partition_index=index, error_code=fault.code, error_message=why)
    producers = []
    active = await partition.in_order(partition.log.producers.active)
    for first in range(0, len(active), _PRODUCERS_PER_TURN):
        some = active[first : first + _PRODUCERS_PER_TURN]
        producers += await partition.in_order(partial(_states, some))
        await turns.yield_if_due()
    return PartitionResponse(partition_index=index, active_producers=producers)


def _states(entries: Sequence[ProducerEntry]) -> list[ProducerState]:
    return [
        ProducerState(
            producer_id=entry.producer_id,
            producer_epoch=entry.epoch,
            last_sequence=entry.last_sequence,
            last_timestamp=entry.last_timestamp,
            coordinator_epoch=entry.coordinator_epoch,
            current_txn_start_offset=entry.current_txn_first_offset,
        )
        for entry in entries
    ]
