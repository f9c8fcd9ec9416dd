"""ApiVersions (key 18): the served versions of every API, from the connection's route table.

Spec: protocol_specs/18_api_versions (v0-v4).
KIPs: 35, 511 (client software; from 2.4 on an unsupported version is answered with one entry), 584 (features; v4 has
those whose lowest level is 0, too).
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
"""A valid name or version of a client's software, as in KIP-511."""


async def handle_api_versions(context: RequestContext, request: ApiVersionsRequest) -> ApiVersionsResponse:
    """List every advertised API with its versions, and the features."""
    if context.version >= 3:
        name, version = request.client_software_name, request.client_software_version
        if not _SOFTWARE.fullmatch(name) or not _SOFTWARE.fullmatch(version):
            return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)
    profile = context.routes.profile
    return ApiVersionsResponse(
        api_keys=[ApiVersion(*entry) for entry in context.routes.advertised()],
        supported_features=[
            SupportedFeatureKey(each.name, each.lowest, each.highest)
            for each in profile.features
            if each.lowest or context.version >= 4
        ],
        finalized_features_epoch=profile.features_epoch,
        finalized_features=[
            FinalizedFeatureKey(each.name, each.level, each.level) for each in profile.features if each.level
        ],
    )


def answer_unsupported_version(routes: RouteTable, out: WireBuffer) -> None:
    """Write the v0 response to an unsupported version: the error and, since KIP-511, the supported versions."""
    response = ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    if routes.profile.advertises_on_unsupported_version:
        response.api_keys = [ApiVersion(*each) for each in routes.advertised() if each[0] == ApiVersionsRequest.API_KEY]
    response.write(out, 0)
