"""Request and response headers (KIP-482): what precedes the body of every frame.

    request v0   api_key i16, api_version i16, correlation_id i32                 ControlledShutdown v0 only
    request v1   + client_id, nullable string with an int16 length
    request v2   + tagged fields; client_id keeps its old form
    response v0  correlation_id i32
    response v1  + tagged fields; never for ApiVersions
"""

from __future__ import annotations

from struct import Struct
from struct import error as StructError
from typing import Final

from wirebroker.protocol.api import API, request_header_version, response_header_version
from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.primitives import skip_tags

_FIXED: Final = Struct(">hhi")
_WITH_LENGTH: Final = Struct(">hhih")
_INT32: Final = Struct(">i")


def read_request_header(frame: memoryview) -> tuple[int, int, int, str | None, int]:
    """(api_key, api_version, correlation_id, client_id, position of the body).

    The key may be unknown and the version not ours: the body of such a frame cannot be found, and its
    position is that after the client id.

    Raises:
        ProtocolError: the frame ends inside its header, or the client id is no UTF-8.
    """
    try:
        api_key, version, correlation_id, length = _WITH_LENGTH.unpack_from(frame)
    except StructError:
        return _read_oldest(frame)
    if api_key == 7 and version == 0:
        return _read_oldest(frame)
    client_id = None
    at = 10
    if length >= 0:
        at += length
        if at > len(frame):
            raise ProtocolError(f"client id of {length} bytes in a frame of {len(frame)}")
        try:
            client_id = str(frame[10:at], "utf-8")
        except UnicodeDecodeError as fault:
            raise ProtocolError("client id is not UTF-8") from fault
    info = API.get(api_key)
    if info is not None and info.flexible_from is not None and version >= info.flexible_from:
        if at < len(frame) and not frame[at]:
            at += 1
        elif api_key != 18 or version <= info.max_version:
            at = _skip_tags(frame, at)
    return api_key, version, correlation_id, client_id, at


def _read_oldest(frame: memoryview) -> tuple[int, int, int, str | None, int]:
    try:
        api_key, version, correlation_id = _FIXED.unpack_from(frame)
    except StructError as fault:
        raise ProtocolError(f"a frame of {len(frame)} bytes has no header") from fault
    if (api_key, version) != (7, 0):
        raise ProtocolError("the frame ends inside its header")
    return api_key, version, correlation_id, None, 8


def _skip_tags(frame: memoryview, at: int) -> int:
    try:
        return skip_tags(frame, at + 1, frame[at])
    except IndexError as fault:
        raise ProtocolError("the frame ends inside its header's tagged fields") from fault


def write_request_header(
    out: bytearray, api_key: int, version: int, correlation_id: int, client_id: str | None
) -> None:
    """Append the header of a request that we send."""
    out += _FIXED.pack(api_key, version, correlation_id)
    header_version = request_header_version(api_key, version)
    if header_version == 0:
        return
    if client_id is None:
        out += b"\xff\xff"
    else:
        data = client_id.encode()
        out += len(data).to_bytes(2, "big") + data
    if header_version == 2:
        out.append(0)


def read_response_header(frame: memoryview | bytes, api_key: int, version: int) -> tuple[int, int]:
    """(correlation_id, position of the body) of an answer to a request that we sent."""
    try:
        correlation_id: int = _INT32.unpack_from(frame)[0]
    except StructError as fault:
        raise ProtocolError(f"a response of {len(frame)} bytes") from fault
    if response_header_version(api_key, version) == 0:
        return correlation_id, 4
    return correlation_id, _skip_tags(memoryview(frame), 4)


