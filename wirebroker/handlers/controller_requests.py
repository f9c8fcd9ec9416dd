"""Requests of the controller to a broker: LeaderAndIsr (key 4), StopReplica (key 5), UpdateMetadata (key 6).

Specs: protocol_specs/04_leader_and_isr (v0-v7), 05_stop_replica (v0-v4), 06_update_metadata (v0-v8).
KIPs: 380 broker epochs, 455 adding and removing replicas, 516 topic ids, 570 leader epochs of StopReplica.
Waits: until earlier requests of the controller are carried out, and then this one.
Not done: requests of a KRaft controller during a migration (KIP-866) are served like those of another broker.
Served only by a broker with `zookeeper.connect`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirebroker.cluster.controller_requests import ControllerRequests
    from wirebroker.handlers.context import RequestContext
    from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrRequest, LeaderAndIsrResponse
    from wirebroker.protocol.messages.stop_replica import StopReplicaRequest, StopReplicaResponse
    from wirebroker.protocol.messages.update_metadata import UpdateMetadataRequest, UpdateMetadataResponse


async def handle_leader_and_isr(context: RequestContext, request: LeaderAndIsrRequest) -> LeaderAndIsrResponse:
    """Become leader or follower of partitions."""
    return await _controller_requests(context).leader_and_isr(request, context.version)


async def handle_stop_replica(context: RequestContext, request: StopReplicaRequest) -> StopReplicaResponse:
    """Stop partitions, and delete their logs if the controller says so."""
    return await _controller_requests(context).stop_replica(request)


async def handle_update_metadata(context: RequestContext, request: UpdateMetadataRequest) -> UpdateMetadataResponse:
    """Take over the controller's view of brokers and partitions."""
    return await _controller_requests(context).update_metadata(request)


def _controller_requests(context: RequestContext) -> ControllerRequests:
    found = context.services.controller_requests
    assert found is not None, "routed only with zookeeper.connect"
    return found
