"""APIs that Apache Kafka 3.9 lists with ZooKeeper although it refuses every request: UpdateFeatures (57), Envelope
(58), ConsumerGroupHeartbeat (68), ConsumerGroupDescribe (69).  Members of such a cluster list and refuse them, too, so
that clients see the same versions on all brokers; a broker that is a cluster by itself does not list them.

Specs: protocol_specs/57_update_features (v0-v1), 58_envelope (v0), 68_consumer_group_heartbeat (v0),
69_consumer_group_describe (v0).
KIPs: 584, 778 features, 590 forwarding, 848 the newer group protocol.
Waits: never.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.messages.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
)
from wirebroker.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from wirebroker.protocol.messages.update_features import (
    UpdatableFeatureResult,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.protocol.messages.envelope import EnvelopeRequest, EnvelopeResponse


async def handle_update_features(context: RequestContext, request: UpdateFeaturesRequest) -> UpdateFeaturesResponse:
    """Answer INVALID_REQUEST for each feature, as brokers with ZooKeeper have none, or NOT_CONTROLLER."""
    if not context.services.administration.is_active:
        return UpdateFeaturesResponse(
            error_code=ErrorCode.NOT_CONTROLLER, error_message="this broker is not the active controller"
        )
    if not context.services.config.current.inter_broker_protocol.feature_versioning_supported:
        return UpdateFeaturesResponse(
            error_code=ErrorCode.INVALID_REQUEST,
            error_message="inter.broker.protocol.version is below 2.7, so the cluster has no features",
        )
    names = dict.fromkeys(each.feature for each in request.feature_updates)
    return UpdateFeaturesResponse(
        results=[
            UpdatableFeatureResult(name, ErrorCode.INVALID_REQUEST, f"no broker supports the feature {name!r}")
            for name in names
        ]
    )


async def handle_envelope(context: RequestContext, request: EnvelopeRequest) -> EnvelopeResponse:
    """Close the connection: only brokers with KRaft forward requests."""
    raise ProtocolError("an Envelope request, and no broker of a cluster with ZooKeeper forwards requests")


async def handle_consumer_group_heartbeat(
    context: RequestContext, request: ConsumerGroupHeartbeatRequest
) -> ConsumerGroupHeartbeatResponse:
    """Answer UNSUPPORTED_VERSION."""
    return ConsumerGroupHeartbeatResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)


async def handle_consumer_group_describe(
    context: RequestContext, request: ConsumerGroupDescribeRequest
) -> ConsumerGroupDescribeResponse:
    """Answer UNSUPPORTED_VERSION for each group."""
    return ConsumerGroupDescribeResponse(
        groups=[
            DescribedGroup(error_code=ErrorCode.UNSUPPORTED_VERSION, group_id=group_id)
            for group_id in request.group_ids
        ]
    )
