"""What there is to configure: ListConfigResources (74), whose version 0 is ListClientMetricsResources.

Spec: protocol_specs/74_list_config_resources (v0-v1).
KIPs: 1000 client metrics, 1142 all kinds.
Waits: never.
Not done: settings of client metrics (type 16) and groups (32), so there are none to list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.metadata.image import BROKER_RESOURCE, TOPIC_RESOURCE
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.list_config_resources import (
    ConfigResource,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext

_LOGGER: Final = 8
_CLIENT_METRICS: Final = 16
_GROUP: Final = 32
_KINDS: Final = frozenset((TOPIC_RESOURCE, BROKER_RESOURCE, _LOGGER, _CLIENT_METRICS, _GROUP))


async def handle_list_config_resources(
    context: RequestContext, request: ListConfigResourcesRequest
) -> ListConfigResourcesResponse:
    """Topics, brokers and brokers' loggers by name, those kinds that are asked for; all if none is."""
    if context.version == 0:
        return ListConfigResourcesResponse()
    kinds = set(request.resource_types) or _KINDS
    if not kinds <= _KINDS:
        return ListConfigResourcesResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    image = context.services.metadata.image
    found = [
        ConfigResource(str(node), kind)
        for kind in (BROKER_RESOURCE, _LOGGER)
        if kind in kinds
        for node in image.brokers
    ]
    if TOPIC_RESOURCE in kinds:
        found += [ConfigResource(name, TOPIC_RESOURCE) for name in image.topics]
    return ListConfigResourcesResponse(config_resources=found)
