"""Producers: InitProducerId (22) and DescribeProducers (61).

Specs: protocol_specs/22_init_producer_id (v0-v5), 61_describe_producers (v0).
KIPs: 98 idempotence and transactions, 360 epochs after errors (a given id is ignored without a transactional id, as on
3.9.1), 588 PRODUCER_FENCED, 664.
Waits: when a new block of ids must be made durable; with a transactional id until its record is in the log, and up to
half a second for an open transaction to be aborted.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from wirebroker.metadata.topic_names import detect_invalid_topic
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
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
    from wirebroker.loop_budget import LoopBudget
    from wirebroker.storage.producer_state_entry import ProducerStateEntry

_FENCED_SINCE: Final = 4
_PRODUCERS_PER_TURN: Final = 500


async def handle_init_producer_id(context: RequestContext, request: InitProducerIdRequest) -> InitProducerIdResponse:
    """Return a producer id that was never used before, or that of a transactional id with a bumped epoch."""
    expected = (request.producer_id, request.producer_epoch)
    if (request.producer_id == -1) != (request.producer_epoch == -1):
        return _error(ErrorCode.INVALID_REQUEST)
    services = context.services
    try:
        answer = await services.transactions.init_producer_id(
            request.transactional_id, request.transaction_timeout_ms, None if request.producer_id == -1 else expected
        )
    except ApiError as fault:
        return _error(fault.code)
    if answer.code == ErrorCode.PRODUCER_FENCED and context.version < _FENCED_SINCE:
        return _error(ErrorCode.INVALID_PRODUCER_EPOCH)
    return InitProducerIdResponse(
        error_code=answer.code, producer_id=answer.producer_id, producer_epoch=answer.producer_epoch
    )


def _error(code: ErrorCode) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=code, producer_epoch=-1)


async def handle_describe_producers(
    context: RequestContext, request: DescribeProducersRequest
) -> DescribeProducersResponse:
    """Describe the active producers of each partition: of its leader, and of its followers as they know them."""
    topics = []
    budget = context.start_budget()
    for topic in request.topics:
        partitions: list[PartitionResponse] = []
        for index in topic.partition_indexes:
            partitions.append(await _describe(context, topic.name, index, budget))
            await budget.yield_if_due()
        topics.append(TopicResponse(name=topic.name, partitions=partitions))
    return DescribeProducersResponse(topics=topics)


async def _describe(context: RequestContext, topic: str, index: int, budget: LoopBudget) -> PartitionResponse:
    illegal = detect_invalid_topic(topic)
    if illegal is not None:
        code = ErrorCode.INVALID_TOPIC_EXCEPTION
        return PartitionResponse(partition_index=index, error_code=code, error_message=illegal)
    try:
        partition = context.services.replicas.get(topic, index)
    except ApiError as fault:
        why = fault.detail or fault.code.meaning
        return PartitionResponse(partition_index=index, error_code=fault.code, error_message=why)
    producers = []
    active = await partition.run_in_order(partition.log.producer_state_manager.active_producers)
    for first in range(0, len(active), _PRODUCERS_PER_TURN):
        some = active[first : first + _PRODUCERS_PER_TURN]
        producers += await partition.run_in_order(partial(_states, some))
        await budget.yield_if_due()
    return PartitionResponse(partition_index=index, active_producers=producers)


def _states(entries: Sequence[ProducerStateEntry]) -> list[ProducerState]:
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
