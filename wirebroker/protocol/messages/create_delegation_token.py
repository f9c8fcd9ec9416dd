"""CreateDelegationToken: create a delegation token for an authenticated principal (KIP-48).

v1  responds before it throttles (KIP-219)
v2  flexible
v3  for another owner (KIP-373)

Generated from protocol_specs/38_create_delegation_token by tools/codegen: do not edit.
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
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_ix = Struct(">ix").pack
_pack_qqq = Struct(">qqq").pack
_pack_qqqB = Struct(">qqqB").pack
_pack_qqqh = Struct(">qqqh").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_qB = Struct(">qB").unpack_from


class CreatableRenewers(Data):
    """An element of `CreateDelegationTokenRequest.renewers`."""

    principal_type: str = ""
    principal_name: str = ""


class CreateDelegationTokenRequest(ReadableMessage):
    API_KEY = 38
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2

    owner_principal_type: str | None = ""  # v3+
    owner_principal_name: str | None = ""  # v3+
    """Empty or null: the requester."""
    renewers: list[CreatableRenewers] = []
    max_lifetime_ms: int = 0
    """-1: the broker's default."""


class CreateDelegationTokenResponse(WritableMessage):
    API_KEY = 38
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2

    error_code: int = 0
    principal_type: str = ""
    principal_name: str = ""
    token_requester_principal_type: str = ""  # v3+
    token_requester_principal_name: str = ""  # v3+
    issue_timestamp_ms: int = 0
    expiry_timestamp_ms: int = 0
    max_timestamp_ms: int = 0
    token_id: str = ""
    hmac: bytes = b""
    """HMAC of the delegation token, which identifies the token."""
    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""


def _read_create_delegation_token_request_v0_1(b: bytes, at: int, version: int) -> tuple[CreateDelegationTokenRequest, int]:
    size = len(b)
    m = new(CreateDelegationTokenRequest)
    m.owner_principal_type = ""
    m.owner_principal_name = ""
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 4 > size - at:
        raise count_error("renewers", n)
    renewers: list[CreatableRenewers] = []
    m.renewers = renewers
    for _ in range(n):
        renewer = new(CreatableRenewers)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("principal_type is null")
        end = at + n
        renewer.principal_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("principal_name is null")
        end = at + n
        renewer.principal_name = b[at:end].decode("utf-8", "replace")
        at = end
        renewers.append(renewer)
    m.max_lifetime_ms = _unpack_q(b, at)[0]
    at += 8
    if at > size:
        raise ProtocolError(f"CreateDelegationTokenRequest is {at - size} bytes short")
    return m, at


def _read_create_delegation_token_request_v2_3(b: bytes, at: int, version: int) -> tuple[CreateDelegationTokenRequest, int]:
    size = len(b)
    m = new(CreateDelegationTokenRequest)
    if version >= 3:
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            m.owner_principal_type = None
        else:
            end = at + n - 1
            m.owner_principal_type = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            m.owner_principal_name = None
        else:
            end = at + n - 1
            m.owner_principal_name = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
    else:
        m.owner_principal_type = ""
        m.owner_principal_name = ""
        n = b[at]
        at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("renewers", n)
    renewers: list[CreatableRenewers] = []
    m.renewers = renewers
    for _ in range(n):
        renewer = new(CreatableRenewers)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("principal_type is null")
        end = at + n - 1
        renewer.principal_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("principal_name is null")
        end = at + n - 1
        renewer.principal_name = b[at:end].decode("utf-8", "replace")
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        renewers.append(renewer)
    m.max_lifetime_ms, tags = _unpack_qB(b, at)
    at += 9
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreateDelegationTokenRequest is {at - size} bytes short")
    return m, at


CreateDelegationTokenRequest.READERS = dict.fromkeys(range(0, 2), _read_create_delegation_token_request_v0_1) | dict.fromkeys(range(2, 4), _read_create_delegation_token_request_v2_3)


def _write_create_delegation_token_response_v0_1(m: CreateDelegationTokenResponse, out: bytearray, version: int) -> None:
    if m.token_requester_principal_type != "":
        raise absent_field_error("token_requester_principal_type")
    if m.token_requester_principal_name != "":
        raise absent_field_error("token_requester_principal_name")
    principal_type = m.principal_type
    principal_type_bytes = principal_type.encode()
    out += _pack_hh(m.error_code, len(principal_type_bytes))
    out += principal_type_bytes
    principal_name = m.principal_name
    principal_name_bytes = principal_name.encode()
    out += _pack_h(len(principal_name_bytes))
    out += principal_name_bytes
    token_id = m.token_id
    token_id_bytes = token_id.encode()
    out += _pack_qqqh(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms, len(token_id_bytes))
    out += token_id_bytes
    hmac = m.hmac
    out += _pack_i(len(hmac))
    out += hmac
    out += _pack_i(m.throttle_time_ms)


def _write_create_delegation_token_response_v2_3(m: CreateDelegationTokenResponse, out: bytearray, version: int) -> None:
    principal_type = m.principal_type
    principal_type_bytes = principal_type.encode()
    n = len(principal_type_bytes) + 1
    if n > 127:
        out += _pack_h(m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_hB(m.error_code, n)
    out += principal_type_bytes
    principal_name = m.principal_name
    principal_name_bytes = principal_name.encode()
    n = len(principal_name_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += principal_name_bytes
    if version >= 3:
        token_requester_principal_type = m.token_requester_principal_type
        token_requester_principal_type_bytes = token_requester_principal_type.encode()
        n = len(token_requester_principal_type_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += token_requester_principal_type_bytes
        token_requester_principal_name = m.token_requester_principal_name
        token_requester_principal_name_bytes = token_requester_principal_name.encode()
        n = len(token_requester_principal_name_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += token_requester_principal_name_bytes
    else:
        if m.token_requester_principal_type != "":
            raise absent_field_error("token_requester_principal_type")
        if m.token_requester_principal_name != "":
            raise absent_field_error("token_requester_principal_name")
    token_id = m.token_id
    token_id_bytes = token_id.encode()
    n = len(token_id_bytes) + 1
    if n > 127:
        out += _pack_qqq(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms)
        write_uvarint(out, n)
    else:
        out += _pack_qqqB(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms, n)
    out += token_id_bytes
    hmac = m.hmac
    n = len(hmac) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += hmac
    out += _pack_ix(m.throttle_time_ms)


CreateDelegationTokenResponse.WRITERS = dict.fromkeys(range(0, 2), _write_create_delegation_token_response_v0_1) | dict.fromkeys(range(2, 4), _write_create_delegation_token_response_v2_3)
