"""Access control, tokens and SASL where there are none: each tool is told so, in every version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.api import API
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.messages.create_acls import AclCreation, CreateAclsRequest
from wirebroker.protocol.messages.create_delegation_token import CreateDelegationTokenRequest
from wirebroker.protocol.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from wirebroker.protocol.messages.describe_acls import DescribeAclsRequest
from wirebroker.protocol.messages.describe_delegation_token import DescribeDelegationTokenRequest
from wirebroker.protocol.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from wirebroker.protocol.messages.expire_delegation_token import ExpireDelegationTokenRequest
from wirebroker.protocol.messages.renew_delegation_token import RenewDelegationTokenRequest
from wirebroker.protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from wirebroker.protocol.messages.sasl_handshake import SaslHandshakeRequest
from wirebroker.tests.controller.fakes import controller_harness

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.protocol.message import Message

ANY, LITERAL = 1, 3


async def ask(tmp_path: Path, request: Message, version: int) -> Any:
    """The answer as the route table's handler gives it, which can be written in that version; or why it hangs up."""
    bound = RouteTable().find(request.API_KEY, version)
    assert bound is not None
    async with controller_harness(tmp_path) as harness:
        try:
            response = await bound.handler(harness.context(type(request), version), request)
        except ProtocolError as fault:
            return fault
    response.write(bytearray(), version)
    return response


def lists(resource_type: int = ANY, operation: int = ANY, permission: int = ANY, pattern: int = LITERAL) -> Any:
    return DescribeAclsRequest(resource_type, None, pattern, None, None, operation, permission)


def new_list(resource_type: int = 2, operation: int = 3, permission: int = 3, pattern: int = LITERAL) -> AclCreation:
    return AclCreation(resource_type, "t", pattern, "User:a", "*", operation, permission)


def old_lists(resource_type: int = ANY, operation: int = ANY, permission: int = ANY, pattern: int = LITERAL) -> Any:
    return DeleteAclsFilter(resource_type, None, pattern, None, None, operation, permission)


@pytest.mark.parametrize("version", range(4))
async def test_without_an_authorizer_there_are_no_lists(tmp_path: Path, version: int) -> None:
    described = await ask(tmp_path, lists(), version)
    assert (described.error_code, described.resources) == (E.SECURITY_DISABLED, [])
    assert described.error_message
    created = await ask(tmp_path, CreateAclsRequest([new_list(), new_list(3)]), version)
    assert [each.error_code for each in created.results] == [E.SECURITY_DISABLED] * 2
    deleted = await ask(tmp_path, DeleteAclsRequest([old_lists(), old_lists(2)]), version)
    assert [each.error_code for each in deleted.filter_results] == [E.SECURITY_DISABLED] * 2
    assert (await ask(tmp_path, CreateAclsRequest([]), version)).results == []
    assert (await ask(tmp_path, DeleteAclsRequest([]), version)).filter_results == []


@pytest.mark.parametrize("unknown", [(0,), (2, 0), (2, 3, 0), (2, 3, 3, 0)])
async def test_unknown_elements_of_lists_close_the_connection(tmp_path: Path, unknown: tuple[int, ...]) -> None:
    for request in (
        lists(*unknown),
        CreateAclsRequest([new_list(), new_list(*unknown)]),
        DeleteAclsRequest([old_lists(*unknown)]),
    ):
        assert isinstance(await ask(tmp_path, request, 3), ProtocolError)


@pytest.mark.parametrize("later", [(8,), (2, 99), (2, 3, 4), (2, 3, 3, 5)])
async def test_numbers_of_a_later_release_are_answered(tmp_path: Path, later: tuple[int, ...]) -> None:
    assert (await ask(tmp_path, lists(*later), 3)).error_code == E.SECURITY_DISABLED
    created = await ask(tmp_path, CreateAclsRequest([new_list(*later)]), 3)
    assert [each.error_code for each in created.results] == [E.SECURITY_DISABLED]


@pytest.mark.parametrize("version", range(4))
async def test_a_new_token_is_refused(tmp_path: Path, version: int) -> None:
    request = CreateDelegationTokenRequest(max_lifetime_ms=-1)
    refused = await ask(tmp_path, request, version)
    assert refused.error_code == E.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    assert (refused.principal_type, refused.principal_name) == ("User", "ANONYMOUS")
    requester = (refused.token_requester_principal_type, refused.token_requester_principal_name)
    assert requester == (("User", "ANONYMOUS") if version == 3 else ("", ""))
    assert (refused.issue_timestamp_ms, refused.expiry_timestamp_ms, refused.max_timestamp_ms) == (-1, -1, -1)


async def test_a_token_for_another_owner_is_refused_in_their_name(tmp_path: Path) -> None:
    refused = await ask(tmp_path, CreateDelegationTokenRequest("User", "ann"), 3)
    assert (refused.principal_type, refused.principal_name) == ("User", "ann")
    assert refused.token_requester_principal_name == "ANONYMOUS"


@pytest.mark.parametrize(
    "request_", [RenewDelegationTokenRequest(b"x"), ExpireDelegationTokenRequest(b"x")], ids=["renew", "expire"]
)
async def test_no_token_can_be_changed(tmp_path: Path, request_: Message) -> None:
    for version in API[request_.API_KEY].load()[0].VERSIONS:
        refused = await ask(tmp_path, request_, version)
        assert (refused.error_code, refused.expiry_timestamp_ms) == (E.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, -1)


async def test_tokens_are_not_described(tmp_path: Path) -> None:
    for version in DescribeDelegationTokenRequest.VERSIONS:
        refused = await ask(tmp_path, DescribeDelegationTokenRequest(None), version)
        assert (refused.error_code, refused.tokens) == (E.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, [])


async def test_sasl_authenticate_is_refused(tmp_path: Path) -> None:
    for version in SaslHandshakeRequest.VERSIONS:
        answer = await ask(tmp_path, SaslHandshakeRequest("PLAIN"), version)
        assert (answer.error_code, answer.mechanisms) == (E.ILLEGAL_SASL_STATE, [])
    for version in SaslAuthenticateRequest.VERSIONS:
        answer = await ask(tmp_path, SaslAuthenticateRequest(b"\0a\0b"), version)
        assert (answer.error_code, answer.auth_bytes) == (E.ILLEGAL_SASL_STATE, b"")


@pytest.mark.parametrize(
    ("users", "codes"),
    [
        (None, {}),
        ([], {}),
        (["a", "b"], {"a": E.RESOURCE_NOT_FOUND, "b": E.RESOURCE_NOT_FOUND}),
        (["b", "a", "b"], {"a": E.RESOURCE_NOT_FOUND, "b": E.DUPLICATE_RESOURCE}),
    ],
)
async def test_no_user_has_a_password(tmp_path: Path, users: list[str] | None, codes: dict[str, E]) -> None:
    named = None if users is None else [UserName(name) for name in users]
    answer = await ask(tmp_path, DescribeUserScramCredentialsRequest(named), 0)
    assert answer.error_code == E.NONE
    assert len(answer.results) == len(codes)
    assert {each.user: each.error_code for each in answer.results} == codes
