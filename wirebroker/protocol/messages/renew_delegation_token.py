"""RenewDelegationToken: extend the expiry time of a delegation token (KIP-48).

v1  responds before it throttles (KIP-219)
v2  flexible

Generated from protocol_specs/39_renew_delegation_token by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import new, read_long_uvarint, skip_tagged_fields

_pack_hqi = Struct(">hqi").pack
_pack_hqix = Struct(">hqix").pack
_unpack_i = Struct(">i").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_qB = Struct(">qB").unpack_from


class RenewDelegationTokenRequest(ReadableMessage):
    API_KEY = 39
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2

    hmac: bytes = b""
    """HMAC of the delegation token, which identifies the token."""
    renew_period_ms: int = 0
    """-1: the broker's default."""


class RenewDelegationTokenResponse(WritableMessage):
    API_KEY = 39
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2

    error_code: int = 0
    expiry_timestamp_ms: int = 0
    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""


def _read_renew_delegation_token_request_v0_1(b: bytes, at: int, version: int) -> tuple[RenewDelegationTokenRequest, int]:
    size = len(b)
    m = new(RenewDelegationTokenRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0:
        raise ProtocolError("hmac is null")
    end = at + n
    m.hmac = b[at:end]
    at = end
    m.renew_period_ms = _unpack_q(b, at)[0]
    at += 8
    if at > size:
        raise ProtocolError(f"RenewDelegationTokenRequest is {at - size} bytes short")
    return m, at


def _read_renew_delegation_token_request_v2(b: bytes, at: int, version: int) -> tuple[RenewDelegationTokenRequest, int]:
    size = len(b)
    m = new(RenewDelegationTokenRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("hmac is null")
    end = at + n - 1
    m.hmac = b[at:end]
    at = end
    m.renew_period_ms, tags = _unpack_qB(b, at)
    at += 9
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"RenewDelegationTokenRequest is {at - size} bytes short")
    return m, at


RenewDelegationTokenRequest.READERS = dict.fromkeys(range(0, 2), _read_renew_delegation_token_request_v0_1) | dict.fromkeys(range(2, 3), _read_renew_delegation_token_request_v2)


def _write_renew_delegation_token_response_v0_1(m: RenewDelegationTokenResponse, out: bytearray, version: int) -> None:
    out += _pack_hqi(m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms)


def _write_renew_delegation_token_response_v2(m: RenewDelegationTokenResponse, out: bytearray, version: int) -> None:
    out += _pack_hqix(m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms)


RenewDelegationTokenResponse.WRITERS = dict.fromkeys(range(0, 2), _write_renew_delegation_token_response_v0_1) | dict.fromkeys(range(2, 3), _write_renew_delegation_token_response_v2)
