"""Envelope: a request of a client, forwarded by a broker to the controller (KIP-590).

Generated from protocol_specs/58_envelope by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import new, read_long_uvarint, skip_tagged_fields, write_uvarint

_pack_hx = Struct(">hx").pack


class EnvelopeRequest(ReadableMessage):
    API_KEY = 58
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    request_data: bytes = b""
    """Header and body of the client's request."""
    request_principal: bytes | None = b""
    """The client's principal, as its broker serializes it."""
    client_host_address: bytes = b""
    """The client's address, 4 or 16 bytes."""


class EnvelopeResponse(WritableMessage):
    API_KEY = 58
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    response_data: bytes | None = None
    """Header and body of the response."""
    error_code: int = 0


def _read_envelope_request_v0(b: bytes, at: int, version: int) -> tuple[EnvelopeRequest, int]:
    size = len(b)
    m = new(EnvelopeRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("request_data is null")
    end = at + n - 1
    m.request_data = b[at:end]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.request_principal = None
    else:
        end = at + n - 1
        m.request_principal = b[at:end]
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("client_host_address is null")
    end = at + n - 1
    m.client_host_address = b[at:end]
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"EnvelopeRequest is {at - size} bytes short")
    return m, at


EnvelopeRequest.READERS = dict.fromkeys(range(0, 1), _read_envelope_request_v0)


def _write_envelope_response_v0(m: EnvelopeResponse, out: bytearray, version: int) -> None:
    response_data = m.response_data
    n = 0 if response_data is None else len(response_data) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    if response_data is not None:
        out += response_data
    out += _pack_hx(m.error_code)


EnvelopeResponse.WRITERS = dict.fromkeys(range(0, 1), _write_envelope_response_v0)
