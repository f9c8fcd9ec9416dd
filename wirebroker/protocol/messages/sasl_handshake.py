"""SaslHandshake: select a SASL mechanism.

v0  is followed by bare SASL tokens, v1 by SaslAuthenticate requests (KIP-152)

Generated from protocol_specs/17_sasl_handshake by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import count_error, new

_pack_h = Struct(">h").pack
_pack_hi = Struct(">hi").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hi = Struct(">hi").unpack_from


class SaslHandshakeRequest(ReadableMessage, WritableMessage):
    API_KEY = 17
    VERSIONS = range(0, 2)

    mechanism: str = ""


class SaslHandshakeResponse(ReadableMessage, WritableMessage):
    API_KEY = 17
    VERSIONS = range(0, 2)

    error_code: int = 0
    mechanisms: list[str] = []


def _read_sasl_handshake_request_v0_1(b: bytes, at: int, version: int) -> tuple[SaslHandshakeRequest, int]:
    size = len(b)
    m = new(SaslHandshakeRequest)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("mechanism is null")
    end = at + n
    m.mechanism = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"SaslHandshakeRequest is {at - size} bytes short")
    return m, at


SaslHandshakeRequest.READERS = dict.fromkeys(range(0, 2), _read_sasl_handshake_request_v0_1)


def _write_sasl_handshake_request_v0_1(m: SaslHandshakeRequest, out: bytearray, version: int) -> None:
    mechanism = m.mechanism
    mechanism_bytes = mechanism.encode()
    out += _pack_h(len(mechanism_bytes))
    out += mechanism_bytes


SaslHandshakeRequest.WRITERS = dict.fromkeys(range(0, 2), _write_sasl_handshake_request_v0_1)


def _read_sasl_handshake_response_v0_1(b: bytes, at: int, version: int) -> tuple[SaslHandshakeResponse, int]:
    size = len(b)
    m = new(SaslHandshakeResponse)
    m.error_code, n = _unpack_hi(b, at)
    at += 6
    if n < 0 or n * 2 > size - at:
        raise count_error("mechanisms", n)
    mechanisms: list[str] = []
    m.mechanisms = mechanisms
    for _ in range(n):
        n = _unpack_h(b, at)[0]
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


SaslHandshakeResponse.READERS = dict.fromkeys(range(0, 2), _read_sasl_handshake_response_v0_1)


def _write_sasl_handshake_response_v0_1(m: SaslHandshakeResponse, out: bytearray, version: int) -> None:
    mechanisms = m.mechanisms
    out += _pack_hi(m.error_code, len(mechanisms))
    for mechanism in mechanisms:
        mechanisms_bytes = mechanism.encode()
        out += _pack_h(len(mechanisms_bytes))
        out += mechanisms_bytes


SaslHandshakeResponse.WRITERS = dict.fromkeys(range(0, 2), _write_sasl_handshake_response_v0_1)
