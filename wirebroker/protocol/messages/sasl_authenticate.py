"""SaslAuthenticate: one step of a SASL exchange (KIP-152).

v1  session_lifetime_ms (KIP-368)
v2  flexible

Generated from protocol_specs/36_sasl_authenticate by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import new, read_long_uvarint, skip_tagged_fields, write_uvarint

_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_q = Struct(">q").pack
_pack_qx = Struct(">qx").pack
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_qB = Struct(">qB").unpack_from


class SaslAuthenticateRequest(ReadableMessage, WritableMessage):
    API_KEY = 36
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2

    auth_bytes: bytes = b""


class SaslAuthenticateResponse(ReadableMessage, WritableMessage):
    API_KEY = 36
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2

    error_code: int = 0
    error_message: str | None = ""
    auth_bytes: bytes = b""
    session_lifetime_ms: int = 0  # v1+
    """Time within which the client must reauthenticate; 0: never (KIP-368)."""


def _read_sasl_authenticate_request_v0_1(b: bytes, at: int, version: int) -> tuple[SaslAuthenticateRequest, int]:
    size = len(b)
    m = new(SaslAuthenticateRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0:
        raise ProtocolError("auth_bytes is null")
    end = at + n
    m.auth_bytes = b[at:end]
    at = end
    if at > size:
        raise ProtocolError(f"SaslAuthenticateRequest is {at - size} bytes short")
    return m, at


def _read_sasl_authenticate_request_v2(b: bytes, at: int, version: int) -> tuple[SaslAuthenticateRequest, int]:
    size = len(b)
    m = new(SaslAuthenticateRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("auth_bytes is null")
    end = at + n - 1
    m.auth_bytes = b[at:end]
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"SaslAuthenticateRequest is {at - size} bytes short")
    return m, at


SaslAuthenticateRequest.READERS = dict.fromkeys(range(0, 2), _read_sasl_authenticate_request_v0_1) | dict.fromkeys(range(2, 3), _read_sasl_authenticate_request_v2)


def _write_sasl_authenticate_request_v0_1(m: SaslAuthenticateRequest, out: bytearray, version: int) -> None:
    auth_bytes = m.auth_bytes
    out += _pack_i(len(auth_bytes))
    out += auth_bytes


def _write_sasl_authenticate_request_v2(m: SaslAuthenticateRequest, out: bytearray, version: int) -> None:
    auth_bytes = m.auth_bytes
    n = len(auth_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += auth_bytes
    out.append(0)


SaslAuthenticateRequest.WRITERS = dict.fromkeys(range(0, 2), _write_sasl_authenticate_request_v0_1) | dict.fromkeys(range(2, 3), _write_sasl_authenticate_request_v2)


def _read_sasl_authenticate_response_v0_1(b: bytes, at: int, version: int) -> tuple[SaslAuthenticateResponse, int]:
    size = len(b)
    m = new(SaslAuthenticateResponse)
    m.error_code, n = _unpack_hh(b, at)
    at += 4
    if n < 0:
        m.error_message = None
    else:
        end = at + n
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0:
        raise ProtocolError("auth_bytes is null")
    end = at + n
    m.auth_bytes = b[at:end]
    at = end
    if version >= 1:
        m.session_lifetime_ms = _unpack_q(b, at)[0]
        at += 8
    else:
        m.session_lifetime_ms = 0
    if at > size:
        raise ProtocolError(f"SaslAuthenticateResponse is {at - size} bytes short")
    return m, at


def _read_sasl_authenticate_response_v2(b: bytes, at: int, version: int) -> tuple[SaslAuthenticateResponse, int]:
    size = len(b)
    m = new(SaslAuthenticateResponse)
    m.error_code, n = _unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.error_message = None
    else:
        end = at + n - 1
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("auth_bytes is null")
    end = at + n - 1
    m.auth_bytes = b[at:end]
    at = end
    m.session_lifetime_ms, tags = _unpack_qB(b, at)
    at += 9
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"SaslAuthenticateResponse is {at - size} bytes short")
    return m, at


SaslAuthenticateResponse.READERS = dict.fromkeys(range(0, 2), _read_sasl_authenticate_response_v0_1) | dict.fromkeys(range(2, 3), _read_sasl_authenticate_response_v2)


def _write_sasl_authenticate_response_v0_1(m: SaslAuthenticateResponse, out: bytearray, version: int) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += _pack_hh(m.error_code, -1 if error_message is None else len(error_message_bytes))
    out += error_message_bytes
    auth_bytes = m.auth_bytes
    out += _pack_i(len(auth_bytes))
    out += auth_bytes
    if version >= 1:
        out += _pack_q(m.session_lifetime_ms)


def _write_sasl_authenticate_response_v2(m: SaslAuthenticateResponse, out: bytearray, version: int) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        out += _pack_h(m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_hB(m.error_code, n)
    out += error_message_bytes
    auth_bytes = m.auth_bytes
    n = len(auth_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += auth_bytes
    out += _pack_qx(m.session_lifetime_ms)


SaslAuthenticateResponse.WRITERS = dict.fromkeys(range(0, 2), _write_sasl_authenticate_response_v0_1) | dict.fromkeys(range(2, 3), _write_sasl_authenticate_response_v2)
