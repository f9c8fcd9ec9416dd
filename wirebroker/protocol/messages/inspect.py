"""Inspect: what wirebroker knows beyond Kafka's APIs, for its own command line.

Served, but not listed by ApiVersions: to every other client it does not exist.

Generated from protocol_specs/20000_inspect by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Message
from wirebroker.protocol.primitives import long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_ih = Struct(">ih").pack
unpack_ihB = Struct(">ihB").unpack_from


class InspectRequest(Message):
    API_KEY = 20000
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("subject", "name")

    def __init__(
        self,
        subject: str = "",
        name: str = "",
    ) -> None:
        self.subject = subject
        self.name = name


class InspectResponse(Message):
    API_KEY = 20000
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "error_message", "document")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        document: str = "",
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.document = document


def _read_inspect_request_v0(b: bytes, at: int) -> tuple[InspectRequest, int]:
    size = len(b)
    m = new(InspectRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("subject is null")
    end = at + n - 1
    m.subject = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    m.name = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"InspectRequest is {at - size} bytes short")
    return m, at


def _write_inspect_request_v0(m: InspectRequest, out: bytearray) -> None:
    subject = m.subject
    subject_bytes = subject.encode()
    n = len(subject_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += subject_bytes
    name = m.name
    name_bytes = name.encode()
    n = len(name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += name_bytes
    out.append(0)


def _read_inspect_response_v0(b: bytes, at: int) -> tuple[InspectResponse, int]:
    size = len(b)
    m = new(InspectResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
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
        raise ProtocolError("document is null")
    end = at + n - 1
    m.document = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"InspectResponse is {at - size} bytes short")
    return m, at


def _write_inspect_response_v0(m: InspectResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    document = m.document
    document_bytes = document.encode()
    n = len(document_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += document_bytes
    out.append(0)


InspectRequest.READERS = {
    0: _read_inspect_request_v0,
}
InspectRequest.WRITERS = {
    0: _write_inspect_request_v0,
}
InspectResponse.READERS = {
    0: _read_inspect_response_v0,
}
InspectResponse.WRITERS = {
    0: _write_inspect_response_v0,
}
