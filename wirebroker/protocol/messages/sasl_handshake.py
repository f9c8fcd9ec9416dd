"""SaslHandshake: choose a SASL mechanism.

v0  is followed by bare SASL tokens, v1 by SaslAuthenticate requests (KIP-152)

Generated from protocol_specs/17_sasl_handshake by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Message
from wirebroker.protocol.primitives import UNSET, fault_length

new = object.__new__
pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
unpack_h = Struct(">h").unpack_from
unpack_hi = Struct(">hi").unpack_from


class SaslHandshakeRequest(Message):
    API_KEY = 17
    VERSIONS = range(0, 2)
    __slots__ = FIELDS = ("mechanism",)

    def __init__(
        self,
        mechanism: str = "",
    ) -> None:
        self.mechanism = mechanism


class SaslHandshakeResponse(Message):
    API_KEY = 17
    VERSIONS = range(0, 2)
    __slots__ = FIELDS = ("error_code", "mechanisms")

    def __init__(
        self,
        error_code: int = 0,
        mechanisms: list[str] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.mechanisms = [] if mechanisms is UNSET else mechanisms


def _read_sasl_handshake_request_v0_1(b: bytes, at: int) -> tuple[SaslHandshakeRequest, int]:
    size = len(b)
    m = new(SaslHandshakeRequest)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("mechanism is null")
    end = at + n
    m.mechanism = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"SaslHandshakeRequest is {at - size} bytes short")
    return m, at


def _write_sasl_handshake_request_v0_1(m: SaslHandshakeRequest, out: bytearray) -> None:
    mechanism = m.mechanism
    mechanism_bytes = mechanism.encode()
    out += pack_h(len(mechanism_bytes))
    out += mechanism_bytes


def _read_sasl_handshake_response_v0_1(b: bytes, at: int) -> tuple[SaslHandshakeResponse, int]:
    size = len(b)
    m = new(SaslHandshakeResponse)
    m.error_code, n = unpack_hi(b, at)
    at += 6
    if n < 0 or n * 2 > size - at:
        raise fault_length("mechanisms", n)
    mechanisms: list[str] = []
    m.mechanisms = mechanisms
    for _ in range(n):
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("mechanisms is null")
        end = at + n
        mechanism = b[at:end].decode("utf-8", "replace")
        at = end
        mechanisms.append(mechanism)
    if at > size:
        raise ProtocolError(f"SaslHandshakeResponse is {at - size} bytes short")
    return m, at


def _write_sasl_handshake_response_v0_1(m: SaslHandshakeResponse, out: bytearray) -> None:
    mechanisms = m.mechanisms
    out += pack_hi(m.error_code, len(mechanisms))
    for mechanism in mechanisms:
        mechanisms_bytes = mechanism.encode()
        out += pack_h(len(mechanisms_bytes))
        out += mechanisms_bytes


SaslHandshakeRequest.READERS = {
    0: _read_sasl_handshake_request_v0_1,
    1: _read_sasl_handshake_request_v0_1,
}
SaslHandshakeRequest.WRITERS = {
    0: _write_sasl_handshake_request_v0_1,
    1: _write_sasl_handshake_request_v0_1,
}
SaslHandshakeResponse.READERS = {
    0: _read_sasl_handshake_response_v0_1,
    1: _read_sasl_handshake_response_v0_1,
}
SaslHandshakeResponse.WRITERS = {
    0: _write_sasl_handshake_response_v0_1,
    1: _write_sasl_handshake_response_v0_1,
}
