"""Inspect (key 20000): what this broker knows beyond Kafka's APIs; not listed by ApiVersions.

Spec: protocol_specs/20000_inspect.  Serves v0.
Subjects: `group`, why a consumer group rebalanced lately.
Waits: never.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wirebroker.coordinator.group.requests import ExplainGroup
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.protocol.messages.inspect import InspectRequest, InspectResponse

if TYPE_CHECKING:
    from wirebroker.coordinator.group.history import Rebalance
    from wirebroker.handlers.context import RequestContext


async def handle_inspect(context: RequestContext, request: InspectRequest) -> InspectResponse:
    """Answer one question with a JSON document."""
    if request.subject != "group":
        return InspectResponse(error_code=ErrorCode.INVALID_REQUEST, error_message=f"no subject {request.subject!r}")
    try:
        rebalances: list[Rebalance] = await context.services.groups.request(request.name, ExplainGroup(request.name))
    except ApiError as fault:
        return InspectResponse(error_code=fault.code, error_message=fault.detail or fault.code.meaning)
    return InspectResponse(document=json.dumps([entry._asdict() for entry in rebalances]))
