"""Heartbeat: the sign of life of a member of a classic group.

v1  throttle_time_ms (KIP-124)
v2  responds before it throttles (KIP-219)
v3  group_instance_id (KIP-345)
v4  flexible

Generated from protocol_specs/12_heartbeat by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import new, read_long_uvarint, skip_tagged_fields

_pack_h = Struct(">h").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_unpack_h = Struct(">h").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from


class HeartbeatRequest(ReadableMessage):
    API_KEY = 12
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4

    group_id: str = ""
    generation_id: int = 0
    """Generation: incremented with each rebalance; -1 for consumers that are not members."""
    member_id: str = ""
    group_instance_id: str | None = None  # v3+
    """group.instance.id of a static member (KIP-345); null for dynamic members."""


class HeartbeatResponse(WritableMessage):
    API_KEY = 12
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4

    throttle_time_ms: int = 0  # v1+
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0


def _read_heartbeat_request_v0_3(b: bytes, at: int, version: int) -> tuple[HeartbeatRequest, int]:
    size = len(b)
    m = new(HeartbeatRequest)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation_id, n = _unpack_ih(b, at)
    at += 6
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    if version >= 3:
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            m.group_instance_id = None
        else:
            end = at + n
            m.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
    else:
        m.group_instance_id = None
    if at > size:
        raise ProtocolError(f"HeartbeatRequest is {at - size} bytes short")
    return m, at


def _read_heartbeat_request_v4(b: bytes, at: int, version: int) -> tuple[HeartbeatRequest, int]:
    size = len(b)
    m = new(HeartbeatRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation_id, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("member_id is null")
    end = at + n - 1
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.group_instance_id = None
    else:
        end = at + n - 1
        m.group_instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"HeartbeatRequest is {at - size} bytes short")
    return m, at


HeartbeatRequest.READERS = dict.fromkeys(range(0, 4), _read_heartbeat_request_v0_3) | dict.fromkeys(range(4, 5), _read_heartbeat_request_v4)


def _write_heartbeat_response_v0_3(m: HeartbeatResponse, out: bytearray, version: int) -> None:
    if version >= 1:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
    else:
        out += _pack_h(m.error_code)


def _write_heartbeat_response_v4(m: HeartbeatResponse, out: bytearray, version: int) -> None:
    out += _pack_ihx(m.throttle_time_ms, m.error_code)


HeartbeatResponse.WRITERS = dict.fromkeys(range(0, 4), _write_heartbeat_response_v0_3) | dict.fromkeys(range(4, 5), _write_heartbeat_response_v4)
