"""Config resources: ListConfigResources (key 74), whose version 0 is ListClientMetricsResources.

Spec: protocol_specs/74_list_config_resources (v0-v1).
KIPs: 1000 client metrics, 1142 all types.
Waits: never.
Not done: configs of groups (type 32).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.metadata.image import BROKER_RESOURCE, CLIENT_METRICS_RESOURCE, LOGGER_RESOURCE, TOPIC_RESOURCE
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.list_config_resources import (
    ConfigResource,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.metadata.image import ClusterImage

_GROUP: Final = 32
_KINDS: Final = frozenset((TOPIC_RESOURCE, BROKER_RESOURCE, LOGGER_RESOURCE, CLIENT_METRICS_RESOURCE, _GROUP))


async def handle_list_config_resources(
    context: RequestContext, request: ListConfigResourcesRequest
) -> ListConfigResourcesResponse:
    """List topics, brokers, loggers and client metrics subscriptions: the requested types, or all."""
    if context.version == 0:
        names = _client_metrics(context.services.metadata.image)
        return ListConfigResourcesResponse(config_resources=[ConfigResource(name) for name in names])
    kinds = set(request.resource_types) or _KINDS
    if not kinds <= _KINDS:
        return ListConfigResourcesResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    image = context.services.metadata.image
    found = [
        ConfigResource(str(node), kind)
        for kind in (BROKER_RESOURCE, LOGGER_RESOURCE)
        if kind in kinds
        for node in image.brokers
    ]
    if TOPIC_RESOURCE in kinds:
        found += [ConfigResource(name, TOPIC_RESOURCE) for name in image.topics]
    if CLIENT_METRICS_RESOURCE in kinds:
        found += [ConfigResource(name, CLIENT_METRICS_RESOURCE) for name in _client_metrics(image)]
    return ListConfigResourcesResponse(config_resources=found)


def _client_metrics(image: ClusterImage) -> list[str]:
    """Return the names of the client metrics subscriptions."""
    return [name for kind, name in image.configs if kind == CLIENT_METRICS_RESOURCE]
