"""Producers: InitProducerId (22) without a transactional id, and DescribeProducers (61).

Specs: protocol_specs/22_init_producer_id (v0-v5), 61_describe_producers (v0).
KIPs: 98 idempotence, 360 epochs after errors (a given id is ignored without a transactional id, as on 3.9.1), 664.
Waits: when a new block of ids must be made durable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    from wirebroker.handlers.context import RequestContext


async def handle_init_producer_id(context: RequestContext, request: InitProducerIdRequest) -> InitProducerIdResponse:
    """Hand out a producer id that was never used before."""
    if request.transactional_id is not None:
        if not request.transactional_id:
            return InitProducerIdResponse(error_code=ErrorCode.INVALID_REQUEST, producer_epoch=-1)
        # Transactions are not served.  This code stops every client at once; others make them try for a minute.
        return InitProducerIdResponse(error_code=ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, producer_epoch=-1)
    if (request.producer_id == -1) != (request.producer_epoch == -1):
        return InitProducerIdResponse(error_code=ErrorCode.INVALID_REQUEST, producer_epoch=-1)
    producer_id = await context.services.controller.next_producer_id()
    return InitProducerIdResponse(producer_id=producer_id, producer_epoch=0)


async def handle_describe_producers(
    context: RequestContext, request: DescribeProducersRequest
) -> DescribeProducersResponse:
    """The producers each partition remembers."""
    return DescribeProducersResponse(
        topics=[
            TopicResponse(
                name=topic.name, partitions=[_describe(context, topic.name, i) for i in topic.partition_indexes]
            )
            for topic in request.topics
        ]
    )


def _describe(context: RequestContext, topic: str, index: int) -> PartitionResponse:
    try:
        partition = context.services.replicas.get(topic, index)
    except ApiError as fault:
        return PartitionResponse(partition_index=index, error_code=fault.code, error_message=fault.detail)
    return PartitionResponse(
        partition_index=index,
        active_producers=[
            ProducerState(
                producer_id=entry.producer_id,
                producer_epoch=entry.epoch,
                last_sequence=entry.last_sequence,
                last_timestamp=entry.last_timestamp,
                coordinator_epoch=entry.coordinator_epoch,
                current_txn_start_offset=entry.current_txn_first_offset,
            )
            for entry in partition.log.producers.active()
        ],
    )
