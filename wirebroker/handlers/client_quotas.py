"""Quotas of clients, of which there are none: DescribeClientQuotas (48).

Spec: protocol_specs/48_describe_client_quotas (v0-v1).
KIPs: 546 quotas through the admin client, 612 quotas of addresses.
Waits: never.
Not done: quotas.  What is asked for is checked as Kafka checks it, and found nowhere; to set one is not served.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.protocol.messages.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
)

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.protocol.messages.describe_client_quotas import ComponentData

_IP: Final = "ip"
_TYPES: Final = ("user", "client-id", _IP)
_EXACT: Final = 0
_MATCH_TYPES: Final = (_EXACT, 1, 2)  # this one, the default's, any


async def handle_describe_client_quotas(
    context: RequestContext, request: DescribeClientQuotasRequest
) -> DescribeClientQuotasResponse:
    """An empty list, or why the filter makes no sense."""
    try:
        _check(request.components)
    except ApiError as error:
        return DescribeClientQuotasResponse(error_code=error.code, error_message=error.detail, entries=None)
    return DescribeClientQuotasResponse()


def _check(components: list[ComponentData]) -> None:
    seen: set[str] = set()
    for each in components:
        kind = each.entity_type
        if not kind:
            raise ApiError(ErrorCode.INVALID_REQUEST, "a filter without a type of entity")
        if kind in seen:
            raise ApiError(ErrorCode.INVALID_REQUEST, f"two filters for {kind}")
        if kind not in _TYPES:
            raise ApiError(ErrorCode.UNSUPPORTED_VERSION, f"there is no type of entity {kind}")
        seen.add(kind)
        if each.match_type not in _MATCH_TYPES:
            raise ApiError(ErrorCode.INVALID_REQUEST, f"there is no match type {each.match_type}")
        if (each.match_type == _EXACT) == (each.match is None):
            raise ApiError(ErrorCode.INVALID_REQUEST, "a name goes with exact matches, and only with them")
    if _IP in seen and len(seen) > 1:
        raise ApiError(ErrorCode.INVALID_REQUEST, "addresses do not go with users and client ids")
