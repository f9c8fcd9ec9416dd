"""Access control, delegation tokens and SASL of a broker without an authorizer on a PLAINTEXT listener:
DescribeAcls (29), CreateAcls (30), DeleteAcls (31), CreateDelegationToken (38), RenewDelegationToken (39),
ExpireDelegationToken (40), DescribeDelegationToken (41), SaslHandshake (17), SaslAuthenticate (36).

Specs: protocol_specs/29_describe_acls (v0-v3), 30_create_acls (v0-v3), 31_delete_acls (v0-v3),
38_create_delegation_token (v0-v3), 39_renew_delegation_token (v0-v2), 40_expire_delegation_token (v0-v2),
41_describe_delegation_token (v0-v3), 17_sasl_handshake (v0-v1), 36_sasl_authenticate (v0-v2).
KIPs: 11, 140 access control lists, 48, 373 delegation tokens, 43, 152 SASL.
Waits: never.
Not done: authorizers, tokens and SASL.  The errors are those of a Kafka broker without them; without these
APIs tools would take the broker for one that is too old.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.messages.create_acls import AclCreationResult, CreateAclsRequest, CreateAclsResponse
from wirebroker.protocol.messages.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)
from wirebroker.protocol.messages.delete_acls import DeleteAclsFilterResult, DeleteAclsRequest, DeleteAclsResponse
from wirebroker.protocol.messages.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from wirebroker.protocol.messages.describe_delegation_token import (
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)
from wirebroker.protocol.messages.expire_delegation_token import (
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
)
from wirebroker.protocol.messages.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)
from wirebroker.protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from wirebroker.protocol.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext

_NO_AUTHORIZER: Final = "this broker has no authorizer"
_USER, _ANONYMOUS = "User", "ANONYMOUS"
"""Type and name of the principal of every client on a PLAINTEXT listener."""
_UNKNOWN: Final = 0


def _check_known(*elements: int) -> None:
    """Raise ProtocolError if an element is UNKNOWN, as Kafka hangs up then; other unknown numbers are accepted."""
    if _UNKNOWN in elements:
        raise ProtocolError("an access control list with unknown elements")


async def handle_describe_acls(context: RequestContext, request: DescribeAclsRequest) -> DescribeAclsResponse:
    """Answer SECURITY_DISABLED."""
    _check_known(request.resource_type_filter, request.pattern_type_filter, request.operation, request.permission_type)
    return DescribeAclsResponse(error_code=ErrorCode.SECURITY_DISABLED, error_message=_NO_AUTHORIZER)


async def handle_create_acls(context: RequestContext, request: CreateAclsRequest) -> CreateAclsResponse:
    """Answer SECURITY_DISABLED for each entry."""
    for each in request.creations:
        _check_known(each.resource_type, each.resource_pattern_type, each.operation, each.permission_type)
    return CreateAclsResponse(
        results=[AclCreationResult(ErrorCode.SECURITY_DISABLED, _NO_AUTHORIZER) for _ in request.creations]
    )


async def handle_delete_acls(context: RequestContext, request: DeleteAclsRequest) -> DeleteAclsResponse:
    """Answer SECURITY_DISABLED for each entry."""
    for each in request.filters:
        _check_known(each.resource_type_filter, each.pattern_type_filter, each.operation, each.permission_type)
    return DeleteAclsResponse(
        filter_results=[DeleteAclsFilterResult(ErrorCode.SECURITY_DISABLED, _NO_AUTHORIZER) for _ in request.filters]
    )


async def handle_create_delegation_token(
    context: RequestContext, request: CreateDelegationTokenRequest
) -> CreateDelegationTokenResponse:
    """Refuse: an unauthenticated client gets no token."""
    owner = (_USER, _ANONYMOUS)
    if request.owner_principal_name:
        owner = (request.owner_principal_type or "", request.owner_principal_name)
    requester = (_USER, _ANONYMOUS) if context.version >= 3 else ("", "")
    code = ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    return CreateDelegationTokenResponse(
        code, *owner, *requester, issue_timestamp_ms=-1, expiry_timestamp_ms=-1, max_timestamp_ms=-1
    )


async def handle_renew_delegation_token(
    context: RequestContext, request: RenewDelegationTokenRequest
) -> RenewDelegationTokenResponse:
    """Refuse: an unauthenticated client has no tokens."""
    return RenewDelegationTokenResponse(ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, -1)


async def handle_expire_delegation_token(
    context: RequestContext, request: ExpireDelegationTokenRequest
) -> ExpireDelegationTokenResponse:
    """Refuse: an unauthenticated client has no tokens."""
    return ExpireDelegationTokenResponse(ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, -1)


async def handle_describe_delegation_token(
    context: RequestContext, request: DescribeDelegationTokenRequest
) -> DescribeDelegationTokenResponse:
    """Refuse: an unauthenticated client has no tokens."""
    return DescribeDelegationTokenResponse(ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)


async def handle_sasl_handshake(context: RequestContext, request: SaslHandshakeRequest) -> SaslHandshakeResponse:
    """Answer ILLEGAL_SASL_STATE: a PLAINTEXT listener has no SASL."""
    return SaslHandshakeResponse(ErrorCode.ILLEGAL_SASL_STATE)


async def handle_sasl_authenticate(
    context: RequestContext, request: SaslAuthenticateRequest
) -> SaslAuthenticateResponse:
    """Answer ILLEGAL_SASL_STATE: a PLAINTEXT listener has no SASL."""
    return SaslAuthenticateResponse(ErrorCode.ILLEGAL_SASL_STATE, "nobody authenticates on this listener")
