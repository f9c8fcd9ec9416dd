"""Requests of a broker that is about to stop: ControlledShutdown (key 7).

Spec: protocol_specs/07_controlled_shutdown (v0-v3).
KIP: 380 broker epochs.
Waits: until the active controller has moved the leaders of the broker, behind its earlier events.
Served only by a broker with `zookeeper.connect`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.controlled_shutdown import ControlledShutdownResponse, RemainingPartition

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.protocol.messages.controlled_shutdown import ControlledShutdownRequest


async def handle_controlled_shutdown(
    context: RequestContext, request: ControlledShutdownRequest
) -> ControlledShutdownResponse:
    """Move the leaders of a broker to others; a broker that is not the controller answers STALE_CONTROLLER_EPOCH."""
    controller = context.services.kafka_controller
    assert controller is not None, "routed only with zookeeper.connect"
    try:
        remaining = await controller.controlled_shutdown(request.broker_id, request.broker_epoch)
    except ApiError as error:
        # a 2.x broker knows no NOT_CONTROLLER here
        code = ErrorCode.STALE_CONTROLLER_EPOCH if error.code == ErrorCode.NOT_CONTROLLER else error.code
        return ControlledShutdownResponse(error_code=code)
    return ControlledShutdownResponse(
        remaining_partitions=[RemainingPartition(topic, number) for topic, number in remaining]
    )
