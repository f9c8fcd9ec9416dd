"""SaslAuthenticate: one step of a SASL exchange (KIP-152).

v1  session_lifetime_ms (KIP-368)
v2  flexible

Generated from protocol_specs/36_sasl_authenticate by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Message
from wirebroker.protocol.primitives import long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_h = Struct(">h").pack
pack_hh = Struct(">hh").pack
pack_i = Struct(">i").pack
pack_q = Struct(">q").pack
pack_qx = Struct(">qx").pack
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_qB = Struct(">qB").unpack_from


class SaslAuthenticateRequest(Message):
    API_KEY = 36
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("auth_bytes",)

    def __init__(
        self,
        auth_bytes: bytes = b"",
    ) -> None:
        self.auth_bytes = auth_bytes


class SaslAuthenticateResponse(Message):
    API_KEY = 36
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("error_code", "error_message", "auth_bytes", "session_lifetime_ms")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        auth_bytes: bytes = b"",
        session_lifetime_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.auth_bytes = auth_bytes
        self.session_lifetime_ms = session_lifetime_ms


def _read_sasl_authenticate_request_v0_1(b: bytes, at: int) -> tuple[SaslAuthenticateRequest, int]:
    size = len(b)
    m = new(SaslAuthenticateRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        raise ProtocolError("auth_bytes is null")
    end = at + n
    m.auth_bytes = b[at:end]
    at = end
    if at > size:
        raise ProtocolError(f"SaslAuthenticateRequest is {at - size} bytes short")
    return m, at


def _read_sasl_authenticate_request_v2(b: bytes, at: int) -> tuple[SaslAuthenticateRequest, int]:
    size = len(b)
    m = new(SaslAuthenticateRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("auth_bytes is null")
    end = at + n - 1
    m.auth_bytes = b[at:end]
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"SaslAuthenticateRequest is {at - size} bytes short")
    return m, at


def _write_sasl_authenticate_request_v0_1(m: SaslAuthenticateRequest, out: bytearray) -> None:
    auth_bytes = m.auth_bytes
    out += pack_i(len(auth_bytes))
    out += auth_bytes


def _write_sasl_authenticate_request_v2(m: SaslAuthenticateRequest, out: bytearray) -> None:
    auth_bytes = m.auth_bytes
    n = len(auth_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += auth_bytes
    out.append(0)


def _read_sasl_authenticate_response_v0(b: bytes, at: int) -> tuple[SaslAuthenticateResponse, int]:
    size = len(b)
    m = new(SaslAuthenticateResponse)
    m.session_lifetime_ms = 0
    m.error_code, n = unpack_hh(b, at)
    at += 4
    if n < 0:
        m.error_message = None
    else:
        end = at + n
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        raise ProtocolError("auth_bytes is null")
    end = at + n
    m.auth_bytes = b[at:end]
    at = end
    if at > size:
        raise ProtocolError(f"SaslAuthenticateResponse is {at - size} bytes short")
    return m, at


def _read_sasl_authenticate_response_v1(b: bytes, at: int) -> tuple[SaslAuthenticateResponse, int]:
    size = len(b)
    m = new(SaslAuthenticateResponse)
    m.error_code, n = unpack_hh(b, at)
    at += 4
    if n < 0:
        m.error_message = None
    else:
        end = at + n
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        raise ProtocolError("auth_bytes is null")
    end = at + n
    m.auth_bytes = b[at:end]
    at = end
    m.session_lifetime_ms = unpack_q(b, at)[0]
    at += 8
    if at > size:
        raise ProtocolError(f"SaslAuthenticateResponse is {at - size} bytes short")
    return m, at


def _read_sasl_authenticate_response_v2(b: bytes, at: int) -> tuple[SaslAuthenticateResponse, int]:
    size = len(b)
    m = new(SaslAuthenticateResponse)
    m.error_code, n = unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.error_message = None
    else:
        end = at + n - 1
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("auth_bytes is null")
    end = at + n - 1
    m.auth_bytes = b[at:end]
    at = end
    m.session_lifetime_ms, tags = unpack_qB(b, at)
    at += 9
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"SaslAuthenticateResponse is {at - size} bytes short")
    return m, at


def _write_sasl_authenticate_response_v0(m: SaslAuthenticateResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_hh(m.error_code, -1 if error_message is None else len(error_message_bytes))
    out += error_message_bytes
    auth_bytes = m.auth_bytes
    out += pack_i(len(auth_bytes))
    out += auth_bytes


def _write_sasl_authenticate_response_v1(m: SaslAuthenticateResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_hh(m.error_code, -1 if error_message is None else len(error_message_bytes))
    out += error_message_bytes
    auth_bytes = m.auth_bytes
    out += pack_i(len(auth_bytes))
    out += auth_bytes
    out += pack_q(m.session_lifetime_ms)


def _write_sasl_authenticate_response_v2(m: SaslAuthenticateResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_h(m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    auth_bytes = m.auth_bytes
    n = len(auth_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += auth_bytes
    out += pack_qx(m.session_lifetime_ms)


SaslAuthenticateRequest.READERS = {
    0: _read_sasl_authenticate_request_v0_1,
    1: _read_sasl_authenticate_request_v0_1,
    2: _read_sasl_authenticate_request_v2,
}
SaslAuthenticateRequest.WRITERS = {
    0: _write_sasl_authenticate_request_v0_1,
    1: _write_sasl_authenticate_request_v0_1,
    2: _write_sasl_authenticate_request_v2,
}
SaslAuthenticateResponse.READERS = {
    0: _read_sasl_authenticate_response_v0,
    1: _read_sasl_authenticate_response_v1,
    2: _read_sasl_authenticate_response_v2,
}
SaslAuthenticateResponse.WRITERS = {
    0: _write_sasl_authenticate_response_v0,
    1: _write_sasl_authenticate_response_v1,
    2: _write_sasl_authenticate_response_v2,
}
