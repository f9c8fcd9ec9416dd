"""Requests of brokers to the controller: AlterPartition (key 56), AllocateProducerIds (key 67).

Specs: protocol_specs/56_alter_partition (v0-v3), 67_allocate_producer_ids (v0).
KIPs: 497 ISR changes by the controller, 704 recovering leaders, 841 fenced replicas, 903 broker epochs of the ISR, 730
blocks of producer ids.
Waits: until the events of the controller before it are processed, and for ZooKeeper.  A broker that is not the active
controller answers NOT_CONTROLLER.
Served only by a broker with `zookeeper.connect`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.allocate_producer_ids import AllocateProducerIdsResponse
from wirebroker.protocol.messages.alter_partition import AlterPartitionResponse

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest
    from wirebroker.protocol.messages.alter_partition import AlterPartitionRequest


async def handle_alter_partition(context: RequestContext, request: AlterPartitionRequest) -> AlterPartitionResponse:
    """Change the ISRs of partitions as their leader asks."""
    apis = context.services.controller_apis
    if apis is None:
        return AlterPartitionResponse(error_code=ErrorCode.NOT_CONTROLLER)
    return await apis.alter_partition(request, context.version)


async def handle_allocate_producer_ids(
    context: RequestContext, request: AllocateProducerIdsRequest
) -> AllocateProducerIdsResponse:
    """Allocate a block of producer ids to a broker."""
    apis = context.services.controller_apis
    if apis is None:
        return AllocateProducerIdsResponse(error_code=ErrorCode.NOT_CONTROLLER)
    return await apis.allocate_producer_ids(request)
