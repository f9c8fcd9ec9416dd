"""Readers and writers of request and response headers.

Spec: protocol_specs/headers (KIP-482 added the tagged fields at the end of request header 2 and response header 1).
Written by hand, as every request passes here and the version of the header depends on the API.
"""

from __future__ import annotations

from struct import Struct
from struct import error as StructError

from wirebroker.protocol.api import API, ApiKey
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.primitives import skip_tagged_fields

_FIXED = Struct(">hhi")
_REQUEST = Struct(">hhih")
_CORRELATION_ID = Struct(">i")
_NEVER = 1 << 15
_FLEXIBLE_FROM = {int(key): _NEVER if info.flexible_from is None else info.flexible_from for key, info in API.items()}

_API_VERSIONS = int(ApiKey.API_VERSIONS)
_API_VERSIONS_MAX = API[ApiKey.API_VERSIONS].max_version


def request_header_version(key: int, version: int) -> int:
    """The version of the request header, 0 to 2; only ControlledShutdown v0 has version 0, without the client id."""
    if key == ApiKey.CONTROLLED_SHUTDOWN and version == 0:
        return 0
    return 2 if version >= _FLEXIBLE_FROM[key] else 1


def response_header_version(key: int, version: int) -> int:
    """The version of the response header, 0 or 1; 0 for ApiVersions: its client does not know the broker's versions."""
    if key == ApiKey.API_VERSIONS:
        return 0
    return 1 if version >= _FLEXIBLE_FROM[key] else 0


def read_request_header(frame: memoryview | bytes) -> tuple[int, int, int, str | None, int]:
    """Return (api_key, api_version, correlation_id, client_id, position of the body).

    Whether the version is served is not checked.  An ApiVersions request may have a version that is unknown here; it is
    answered without its body (KIP-511), so its header ends with the client id.  Bytes of the client id that are not
    UTF-8 are replaced by U+FFFD, as in Java.

    Raises:
        ProtocolError: the header is cut off, or the key is unknown: the fields after the correlation id depend on it.
    """
    try:
        api_key, api_version, correlation_id, length = _REQUEST.unpack_from(frame)
        flexible_from = _FLEXIBLE_FROM.get(api_key)
        if flexible_from is None:
            raise ProtocolError(f"unknown api key {api_key}")
        if api_version == 0 and api_key == ApiKey.CONTROLLED_SHUTDOWN:
            return api_key, api_version, correlation_id, "", _FIXED.size
        client_id = None
        at = _REQUEST.size
        if length >= 0:
            client_id = str(frame[at : at + length], "utf-8", "replace")
            at += length
        if api_version >= flexible_from and (api_key != _API_VERSIONS or api_version <= _API_VERSIONS_MAX):
            tags = frame[at]
            at += 1
            if tags:
                at = skip_tagged_fields(frame, at, tags)
    except (StructError, IndexError) as fault:
        raise ProtocolError(f"request header: {fault}") from fault
    if at > len(frame):
        raise ProtocolError("request header: the client id runs past the end")
    return api_key, api_version, correlation_id, client_id, at


def write_request_header(
    out: bytearray, api_key: int, api_version: int, correlation_id: int, client_id: str | None
) -> None:
    """Append a request header."""
    header_version = request_header_version(api_key, api_version)
    if header_version == 0:
        out += _FIXED.pack(api_key, api_version, correlation_id)
        return
    if client_id is None:
        out += _REQUEST.pack(api_key, api_version, correlation_id, -1)
    else:
        name = client_id.encode()
        out += _REQUEST.pack(api_key, api_version, correlation_id, len(name))
        out += name
    if header_version == 2:
        out.append(0)


def read_response_header(frame: memoryview | bytes, api_key: int, api_version: int) -> tuple[int, int]:
    """Return (correlation_id, position of the body) of the response to a request of this API and version.

    Raises:
        ProtocolError: the header is cut off.
    """
    try:
        correlation_id: int = _CORRELATION_ID.unpack_from(frame)[0]
        at = _CORRELATION_ID.size
        if response_header_version(api_key, api_version):
            tags = frame[at]
            at += 1
            if tags:
                at = skip_tagged_fields(frame, at, tags)
    except (StructError, IndexError) as fault:
        raise ProtocolError(f"response header: {fault}") from fault
    return correlation_id, at
