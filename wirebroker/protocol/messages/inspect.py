"""Inspect: state of the broker that Kafka's APIs do not have, for wirebroker's own commands.

Served, but not listed by ApiVersions: no client of Kafka knows the API.

Generated from protocol_specs/20000_inspect by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import new, read_long_uvarint, skip_tagged_fields, write_uvarint

_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_unpack_ihB = Struct(">ihB").unpack_from


class InspectRequest(ReadableMessage, WritableMessage):
    API_KEY = 20000
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    subject: str = ""
    """Kind of object: `group` or `retention`."""
    name: str = ""
    """Name of the group or topic."""


class InspectResponse(ReadableMessage, WritableMessage):
    API_KEY = 20000
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    error_message: str | None = None
    document: str = ""
    """JSON; its fields depend on the subject."""


def _read_inspect_request_v0(b: bytes, at: int, version: int) -> tuple[InspectRequest, int]:
    size = len(b)
    m = new(InspectRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("subject is null")
    end = at + n - 1
    m.subject = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    m.name = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"InspectRequest is {at - size} bytes short")
    return m, at


InspectRequest.READERS = dict.fromkeys(range(0, 1), _read_inspect_request_v0)


def _write_inspect_request_v0(m: InspectRequest, out: bytearray, version: int) -> None:
    subject = m.subject
    subject_bytes = subject.encode()
    n = len(subject_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += subject_bytes
    name = m.name
    name_bytes = name.encode()
    n = len(name_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += name_bytes
    out.append(0)


InspectRequest.WRITERS = dict.fromkeys(range(0, 1), _write_inspect_request_v0)


def _read_inspect_response_v0(b: bytes, at: int, version: int) -> tuple[InspectResponse, int]:
    size = len(b)
    m = new(InspectResponse)
    m.throttle_time_ms, m.error_code, n = _unpack_ihB(b, at)
    at += 7
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
        raise ProtocolError("document is null")
    end = at + n - 1
    m.document = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"InspectResponse is {at - size} bytes short")
    return m, at


InspectResponse.READERS = dict.fromkeys(range(0, 1), _read_inspect_response_v0)


def _write_inspect_response_v0(m: InspectResponse, out: bytearray, version: int) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
    out += error_message_bytes
    document = m.document
    document_bytes = document.encode()
    n = len(document_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += document_bytes
    out.append(0)


InspectResponse.WRITERS = dict.fromkeys(range(0, 1), _write_inspect_response_v0)
