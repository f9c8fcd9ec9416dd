"""RenewDelegationToken: let a token live on (KIP-48).

v1  answers before it throttles (KIP-219)
v2  flexible

Generated from protocol_specs/39_renew_delegation_token by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Message
from wirebroker.protocol.primitives import long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_hqi = Struct(">hqi").pack
pack_hqix = Struct(">hqix").pack
pack_i = Struct(">i").pack
pack_q = Struct(">q").pack
pack_qx = Struct(">qx").pack
unpack_hqi = Struct(">hqi").unpack_from
unpack_hqiB = Struct(">hqiB").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_qB = Struct(">qB").unpack_from


class RenewDelegationTokenRequest(Message):
    API_KEY = 39
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("hmac", "renew_period_ms")

    def __init__(
        self,
        hmac: bytes = b"",
        renew_period_ms: int = 0,
    ) -> None:
        self.hmac = hmac
        self.renew_period_ms = renew_period_ms


class RenewDelegationTokenResponse(Message):
    API_KEY = 39
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("error_code", "expiry_timestamp_ms", "throttle_time_ms")

    def __init__(
        self,
        error_code: int = 0,
        expiry_timestamp_ms: int = 0,
        throttle_time_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.throttle_time_ms = throttle_time_ms


def _read_renew_delegation_token_request_v0_1(b: bytes, at: int) -> tuple[RenewDelegationTokenRequest, int]:
    size = len(b)
    m = new(RenewDelegationTokenRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        raise ProtocolError("hmac is null")
    end = at + n
    m.hmac = b[at:end]
    at = end
    m.renew_period_ms = unpack_q(b, at)[0]
    at += 8
    if at > size:
        raise ProtocolError(f"RenewDelegationTokenRequest is {at - size} bytes short")
    return m, at


def _read_renew_delegation_token_request_v2(b: bytes, at: int) -> tuple[RenewDelegationTokenRequest, int]:
    size = len(b)
    m = new(RenewDelegationTokenRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("hmac is null")
    end = at + n - 1
    m.hmac = b[at:end]
    at = end
    m.renew_period_ms, tags = unpack_qB(b, at)
    at += 9
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"RenewDelegationTokenRequest is {at - size} bytes short")
    return m, at


def _write_renew_delegation_token_request_v0_1(m: RenewDelegationTokenRequest, out: bytearray) -> None:
    hmac = m.hmac
    out += pack_i(len(hmac))
    out += hmac
    out += pack_q(m.renew_period_ms)


def _write_renew_delegation_token_request_v2(m: RenewDelegationTokenRequest, out: bytearray) -> None:
    hmac = m.hmac
    n = len(hmac) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += hmac
    out += pack_qx(m.renew_period_ms)


def _read_renew_delegation_token_response_v0_1(b: bytes, at: int) -> tuple[RenewDelegationTokenResponse, int]:
    size = len(b)
    m = new(RenewDelegationTokenResponse)
    m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms = unpack_hqi(b, at)
    at += 14
    if at > size:
        raise ProtocolError(f"RenewDelegationTokenResponse is {at - size} bytes short")
    return m, at


def _read_renew_delegation_token_response_v2(b: bytes, at: int) -> tuple[RenewDelegationTokenResponse, int]:
    size = len(b)
    m = new(RenewDelegationTokenResponse)
    m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms, tags = unpack_hqiB(b, at)
    at += 15
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"RenewDelegationTokenResponse is {at - size} bytes short")
    return m, at


def _write_renew_delegation_token_response_v0_1(m: RenewDelegationTokenResponse, out: bytearray) -> None:
    out += pack_hqi(m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms)


def _write_renew_delegation_token_response_v2(m: RenewDelegationTokenResponse, out: bytearray) -> None:
    out += pack_hqix(m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms)


RenewDelegationTokenRequest.READERS = {
    0: _read_renew_delegation_token_request_v0_1,
    1: _read_renew_delegation_token_request_v0_1,
    2: _read_renew_delegation_token_request_v2,
}
RenewDelegationTokenRequest.WRITERS = {
    0: _write_renew_delegation_token_request_v0_1,
    1: _write_renew_delegation_token_request_v0_1,
    2: _write_renew_delegation_token_request_v2,
}
RenewDelegationTokenResponse.READERS = {
    0: _read_renew_delegation_token_response_v0_1,
    1: _read_renew_delegation_token_response_v0_1,
    2: _read_renew_delegation_token_response_v2,
}
RenewDelegationTokenResponse.WRITERS = {
    0: _write_renew_delegation_token_response_v0_1,
    1: _write_renew_delegation_token_response_v0_1,
    2: _write_renew_delegation_token_response_v2,
}
