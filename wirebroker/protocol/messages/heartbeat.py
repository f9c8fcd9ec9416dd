"""Heartbeat: a member of a classic group is alive.

v1  throttle_time_ms (KIP-124)
v2  answers before it throttles (KIP-219)
v3  group_instance_id (KIP-345)
v4  flexible

Generated from protocol_specs/12_heartbeat by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Message
from wirebroker.protocol.primitives import fault_absent, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihx = Struct(">ihx").pack
unpack_h = Struct(">h").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from


class HeartbeatRequest(Message):
    API_KEY = 12
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = ("group_id", "generation_id", "member_id", "group_instance_id")

    def __init__(
        self,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id


class HeartbeatResponse(Message):
    API_KEY = 12
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = ("throttle_time_ms", "error_code")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code


def _read_heartbeat_request_v0_2(b: bytes, at: int) -> tuple[HeartbeatRequest, int]:
    size = len(b)
    m = new(HeartbeatRequest)
    m.group_instance_id = None
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation_id, n = unpack_ih(b, at)
    at += 6
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"HeartbeatRequest is {at - size} bytes short")
    return m, at


def _read_heartbeat_request_v3(b: bytes, at: int) -> tuple[HeartbeatRequest, int]:
    size = len(b)
    m = new(HeartbeatRequest)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation_id, n = unpack_ih(b, at)
    at += 6
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.group_instance_id = None
    else:
        end = at + n
        m.group_instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    if at > size:
        raise ProtocolError(f"HeartbeatRequest is {at - size} bytes short")
    return m, at


def _read_heartbeat_request_v4(b: bytes, at: int) -> tuple[HeartbeatRequest, int]:
    size = len(b)
    m = new(HeartbeatRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation_id, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("member_id is null")
    end = at + n - 1
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.group_instance_id = None
    else:
        end = at + n - 1
        m.group_instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"HeartbeatRequest is {at - size} bytes short")
    return m, at


def _write_heartbeat_request_v0_2(m: HeartbeatRequest, out: bytearray) -> None:
    if m.group_instance_id is not None:
        raise fault_absent("group_instance_id")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_ih(m.generation_id, len(member_id_bytes))
    out += member_id_bytes


def _write_heartbeat_request_v3(m: HeartbeatRequest, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_ih(m.generation_id, len(member_id_bytes))
    out += member_id_bytes
    group_instance_id = m.group_instance_id
    group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
    out += pack_h(-1 if group_instance_id is None else len(group_instance_id_bytes))
    out += group_instance_id_bytes


def _write_heartbeat_request_v4(m: HeartbeatRequest, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    n = len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_i(m.generation_id)
    n = len(member_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    group_instance_id = m.group_instance_id
    group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
    n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_instance_id_bytes
    out.append(0)


def _read_heartbeat_response_v0(b: bytes, at: int) -> tuple[HeartbeatResponse, int]:
    size = len(b)
    m = new(HeartbeatResponse)
    m.throttle_time_ms = 0
    m.error_code = unpack_h(b, at)[0]
    at += 2
    if at > size:
        raise ProtocolError(f"HeartbeatResponse is {at - size} bytes short")
    return m, at


def _read_heartbeat_response_v1_3(b: bytes, at: int) -> tuple[HeartbeatResponse, int]:
    size = len(b)
    m = new(HeartbeatResponse)
    m.throttle_time_ms, m.error_code = unpack_ih(b, at)
    at += 6
    if at > size:
        raise ProtocolError(f"HeartbeatResponse is {at - size} bytes short")
    return m, at


def _read_heartbeat_response_v4(b: bytes, at: int) -> tuple[HeartbeatResponse, int]:
    size = len(b)
    m = new(HeartbeatResponse)
    m.throttle_time_ms, m.error_code, tags = unpack_ihB(b, at)
    at += 7
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"HeartbeatResponse is {at - size} bytes short")
    return m, at


def _write_heartbeat_response_v0(m: HeartbeatResponse, out: bytearray) -> None:
    out += pack_h(m.error_code)


def _write_heartbeat_response_v1_3(m: HeartbeatResponse, out: bytearray) -> None:
    out += pack_ih(m.throttle_time_ms, m.error_code)


def _write_heartbeat_response_v4(m: HeartbeatResponse, out: bytearray) -> None:
    out += pack_ihx(m.throttle_time_ms, m.error_code)


HeartbeatRequest.READERS = {
    0: _read_heartbeat_request_v0_2,
    1: _read_heartbeat_request_v0_2,
    2: _read_heartbeat_request_v0_2,
    3: _read_heartbeat_request_v3,
    4: _read_heartbeat_request_v4,
}
HeartbeatRequest.WRITERS = {
    0: _write_heartbeat_request_v0_2,
    1: _write_heartbeat_request_v0_2,
    2: _write_heartbeat_request_v0_2,
    3: _write_heartbeat_request_v3,
    4: _write_heartbeat_request_v4,
}
HeartbeatResponse.READERS = {
    0: _read_heartbeat_response_v0,
    1: _read_heartbeat_response_v1_3,
    2: _read_heartbeat_response_v1_3,
    3: _read_heartbeat_response_v1_3,
    4: _read_heartbeat_response_v4,
}
HeartbeatResponse.WRITERS = {
    0: _write_heartbeat_response_v0,
    1: _write_heartbeat_response_v1_3,
    2: _write_heartbeat_response_v1_3,
    3: _write_heartbeat_response_v1_3,
    4: _write_heartbeat_response_v4,
}
