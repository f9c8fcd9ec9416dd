"""DescribeDelegationToken: the delegation tokens that the requester may see (KIP-48).

v1  responds before it throttles (KIP-219)
v2  flexible
v3  the requester of a token (KIP-373)

Generated from protocol_specs/41_describe_delegation_token by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    absent_field_error,
    count_error,
    new,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hi = Struct(">hi").pack
_pack_i = Struct(">i").pack
_pack_ix = Struct(">ix").pack
_pack_qqq = Struct(">qqq").pack
_pack_qqqB = Struct(">qqqB").pack
_pack_qqqh = Struct(">qqqh").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from


class DescribeDelegationTokenOwner(Data):
    """An element of `DescribeDelegationTokenRequest.owners`."""

    principal_type: str = ""
    principal_name: str = ""


class DescribeDelegationTokenRequest(ReadableMessage):
    API_KEY = 41
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2

    owners: list[DescribeDelegationTokenOwner] | None = []
    """Null: all."""


class DescribedDelegationTokenRenewer(Data):
    """An element of `DescribedDelegationToken.renewers`."""

    principal_type: str = ""
    principal_name: str = ""


class DescribedDelegationToken(Data):
    """An element of `DescribeDelegationTokenResponse.tokens`."""

    principal_type: str = ""
    principal_name: str = ""
    token_requester_principal_type: str = ""  # v3+
    token_requester_principal_name: str = ""  # v3+
    issue_timestamp: int = 0
    expiry_timestamp: int = 0
    max_timestamp: int = 0
    token_id: str = ""
    hmac: bytes = b""
    """HMAC of the delegation token, which identifies the token."""
    renewers: list[DescribedDelegationTokenRenewer] = []


class DescribeDelegationTokenResponse(WritableMessage):
    API_KEY = 41
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2

    error_code: int = 0
    tokens: list[DescribedDelegationToken] = []
    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""


def _read_describe_delegation_token_request_v0_1(b: bytes, at: int, version: int) -> tuple[DescribeDelegationTokenRequest, int]:
    size = len(b)
    m = new(DescribeDelegationTokenRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.owners = None
    else:
        if n * 4 > size - at:
            raise count_error("owners", n)
        owners: list[DescribeDelegationTokenOwner] = []
        m.owners = owners
        for _ in range(n):
            owner = new(DescribeDelegationTokenOwner)
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("principal_type is null")
            end = at + n
            owner.principal_type = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("principal_name is null")
            end = at + n
            owner.principal_name = b[at:end].decode("utf-8", "replace")
            at = end
            owners.append(owner)
    if at > size:
        raise ProtocolError(f"DescribeDelegationTokenRequest is {at - size} bytes short")
    return m, at


def _read_describe_delegation_token_request_v2_3(b: bytes, at: int, version: int) -> tuple[DescribeDelegationTokenRequest, int]:
    size = len(b)
    m = new(DescribeDelegationTokenRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.owners = None
    else:
        if n * 3 > size - at:
            raise count_error("owners", n)
        owners: list[DescribeDelegationTokenOwner] = []
        m.owners = owners
        for _ in range(n):
            owner = new(DescribeDelegationTokenOwner)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("principal_type is null")
            end = at + n - 1
            owner.principal_type = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("principal_name is null")
            end = at + n - 1
            owner.principal_name = b[at:end].decode("utf-8", "replace")
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            owners.append(owner)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeDelegationTokenRequest is {at - size} bytes short")
    return m, at


DescribeDelegationTokenRequest.READERS = dict.fromkeys(range(0, 2), _read_describe_delegation_token_request_v0_1) | dict.fromkeys(range(2, 4), _read_describe_delegation_token_request_v2_3)


def _write_describe_delegation_token_response_v0_1(m: DescribeDelegationTokenResponse, out: bytearray, version: int) -> None:
    tokens = m.tokens
    out += _pack_hi(m.error_code, len(tokens))
    for token in tokens:
        if token.token_requester_principal_type != "":
            raise absent_field_error("token_requester_principal_type")
        if token.token_requester_principal_name != "":
            raise absent_field_error("token_requester_principal_name")
        principal_type = token.principal_type
        principal_type_bytes = principal_type.encode()
        out += _pack_h(len(principal_type_bytes))
        out += principal_type_bytes
        principal_name = token.principal_name
        principal_name_bytes = principal_name.encode()
        out += _pack_h(len(principal_name_bytes))
        out += principal_name_bytes
        token_id = token.token_id
        token_id_bytes = token_id.encode()
        out += _pack_qqqh(token.issue_timestamp, token.expiry_timestamp, token.max_timestamp, len(token_id_bytes))
        out += token_id_bytes
        hmac = token.hmac
        out += _pack_i(len(hmac))
        out += hmac
        renewers = token.renewers
        out += _pack_i(len(renewers))
        for renewer in renewers:
            principal_type2 = renewer.principal_type
            principal_type_bytes2 = principal_type2.encode()
            out += _pack_h(len(principal_type_bytes2))
            out += principal_type_bytes2
            principal_name2 = renewer.principal_name
            principal_name_bytes2 = principal_name2.encode()
            out += _pack_h(len(principal_name_bytes2))
            out += principal_name_bytes2
    out += _pack_i(m.throttle_time_ms)


def _write_describe_delegation_token_response_v2_3(m: DescribeDelegationTokenResponse, out: bytearray, version: int) -> None:
    tokens = m.tokens
    n = len(tokens) + 1
    if n > 127:
        out += _pack_h(m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_hB(m.error_code, n)
    for token in tokens:
        principal_type = token.principal_type
        principal_type_bytes = principal_type.encode()
        n = len(principal_type_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += principal_type_bytes
        principal_name = token.principal_name
        principal_name_bytes = principal_name.encode()
        n = len(principal_name_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += principal_name_bytes
        if version >= 3:
            token_requester_principal_type = token.token_requester_principal_type
            token_requester_principal_type_bytes = token_requester_principal_type.encode()
            n = len(token_requester_principal_type_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += token_requester_principal_type_bytes
            token_requester_principal_name = token.token_requester_principal_name
            token_requester_principal_name_bytes = token_requester_principal_name.encode()
            n = len(token_requester_principal_name_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += token_requester_principal_name_bytes
        else:
            if token.token_requester_principal_type != "":
                raise absent_field_error("token_requester_principal_type")
            if token.token_requester_principal_name != "":
                raise absent_field_error("token_requester_principal_name")
        token_id = token.token_id
        token_id_bytes = token_id.encode()
        n = len(token_id_bytes) + 1
        if n > 127:
            out += _pack_qqq(token.issue_timestamp, token.expiry_timestamp, token.max_timestamp)
            write_uvarint(out, n)
        else:
            out += _pack_qqqB(token.issue_timestamp, token.expiry_timestamp, token.max_timestamp, n)
        out += token_id_bytes
        hmac = token.hmac
        n = len(hmac) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += hmac
        renewers = token.renewers
        n = len(renewers) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for renewer in renewers:
            principal_type2 = renewer.principal_type
            principal_type_bytes2 = principal_type2.encode()
            n = len(principal_type_bytes2) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += principal_type_bytes2
            principal_name2 = renewer.principal_name
            principal_name_bytes2 = principal_name2.encode()
            n = len(principal_name_bytes2) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += principal_name_bytes2
            out.append(0)
        out.append(0)
    out += _pack_ix(m.throttle_time_ms)


DescribeDelegationTokenResponse.WRITERS = dict.fromkeys(range(0, 2), _write_describe_delegation_token_response_v0_1) | dict.fromkeys(range(2, 4), _write_describe_delegation_token_response_v2_3)
