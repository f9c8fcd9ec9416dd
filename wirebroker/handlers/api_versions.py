"""ApiVersions (key 18): what is served here, printed from the connection's route table.

Spec: protocol_specs/18_api_versions.  Serves v0-v4.
KIPs: 35, 511 (client software; from 2.4 on an unknown version is answered with one entry), 584 (features; v4 knows of
those whose lowest level is 0).
Waits: never.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.api_versions import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.routes import RouteTable
    from wirebroker.protocol.primitives import WireBuffer

_SOFTWARE: Final = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
"""librdkafka rewrites its own name to this form, so the check is no stricter than Kafka's."""


async def handle_api_versions(context: RequestContext, request: ApiVersionsRequest) -> ApiVersionsResponse:
    """List every served key with its versions."""
    if context.version >= 3:
        name, version = request.client_software_name, request.client_software_version
        if not _SOFTWARE.fullmatch(name) or not _SOFTWARE.fullmatch(version):
            return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)
        context.software = (name, version)
    routes = context.routes
    return ApiVersionsResponse(
        api_keys=[ApiVersion(*entry) for entry in routes.advertised()],
        supported_features=[
            SupportedFeatureKey(each.name, each.lowest, each.highest)
            for each in routes.features
            if each.lowest or context.version >= 4
        ],
        finalized_features_epoch=routes.features_epoch,
        finalized_features=[
            FinalizedFeatureKey(each.name, each.level, each.level) for each in routes.features if each.level
        ],
    )


def answer_unsupported_version(routes: RouteTable, out: WireBuffer) -> None:
    """The v0 answer to a version that is not served: the error and our own range, for the client to choose from."""
    own = [entry for entry in routes.advertised() if entry[0] == ApiVersionsRequest.API_KEY and routes.names_versions]
    response = ApiVersionsResponse(
        error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=[ApiVersion(*entry) for entry in own]
    )
    response.write(out, 0)
