"""SyncGroup: the leader of a classic group sends the assignment, each member receives its part.

v1  throttle_time_ms (KIP-124)
v2  responds before it throttles (KIP-219)
v3  group_instance_id (KIP-345)
v4  flexible
v5  protocol type and name on both sides (KIP-559)

Generated from protocol_specs/14_sync_group by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import count_error, new, read_long_uvarint, skip_tagged_fields, write_uvarint

_pack_hi = Struct(">hi").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihi = Struct(">ihi").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from


class SyncGroupRequestAssignment(Data):
    """An element of `SyncGroupRequest.assignments`."""

    member_id: str = ""
    assignment: bytes = b""


class SyncGroupRequest(ReadableMessage):
    API_KEY = 14
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 4

    group_id: str = ""
    generation_id: int = 0
    """Generation: incremented with each rebalance; -1 for consumers that are not members."""
    member_id: str = ""
    group_instance_id: str | None = None  # v3+
    """group.instance.id of a static member (KIP-345); null for dynamic members."""
    protocol_type: str | None = None  # v5+
    protocol_name: str | None = None  # v5+
    assignments: list[SyncGroupRequestAssignment] = []
    """Empty from members other than the leader."""


class SyncGroupResponse(WritableMessage):
    API_KEY = 14
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 4

    throttle_time_ms: int = 0  # v1+
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    protocol_type: str | None = None  # v5+
    protocol_name: str | None = None  # v5+
    assignment: bytes = b""


def _read_sync_group_request_v0_3(b: bytes, at: int, version: int) -> tuple[SyncGroupRequest, int]:
    size = len(b)
    m = new(SyncGroupRequest)
    m.protocol_type = None
    m.protocol_name = None
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
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise count_error("assignments", n)
    assignments: list[SyncGroupRequestAssignment] = []
    m.assignments = assignments
    for _ in range(n):
        assignment = new(SyncGroupRequestAssignment)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        assignment.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0:
            raise ProtocolError("assignment is null")
        end = at + n
        assignment.assignment = b[at:end]
        at = end
        assignments.append(assignment)
    if at > size:
        raise ProtocolError(f"SyncGroupRequest is {at - size} bytes short")
    return m, at


def _read_sync_group_request_v4_5(b: bytes, at: int, version: int) -> tuple[SyncGroupRequest, int]:
    size = len(b)
    m = new(SyncGroupRequest)
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
    if version >= 5:
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            m.protocol_type = None
        else:
            end = at + n - 1
            m.protocol_type = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            m.protocol_name = None
        else:
            end = at + n - 1
            m.protocol_name = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
    else:
        m.protocol_type = None
        m.protocol_name = None
        n = b[at]
        at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("assignments", n)
    assignments: list[SyncGroupRequestAssignment] = []
    m.assignments = assignments
    for _ in range(n):
        assignment = new(SyncGroupRequestAssignment)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("member_id is null")
        end = at + n - 1
        assignment.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("assignment is null")
        end = at + n - 1
        assignment.assignment = b[at:end]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        assignments.append(assignment)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"SyncGroupRequest is {at - size} bytes short")
    return m, at


SyncGroupRequest.READERS = dict.fromkeys(range(0, 4), _read_sync_group_request_v0_3) | dict.fromkeys(range(4, 6), _read_sync_group_request_v4_5)


def _write_sync_group_response_v0_3(m: SyncGroupResponse, out: bytearray, version: int) -> None:
    assignment = m.assignment
    if version >= 1:
        out += _pack_ihi(m.throttle_time_ms, m.error_code, len(assignment))
    else:
        out += _pack_hi(m.error_code, len(assignment))
    out += assignment


def _write_sync_group_response_v4_5(m: SyncGroupResponse, out: bytearray, version: int) -> None:
    if version >= 5:
        protocol_type = m.protocol_type
        protocol_type_bytes = b"" if protocol_type is None else protocol_type.encode()
        n = 0 if protocol_type is None else len(protocol_type_bytes) + 1
        if n > 127:
            out += _pack_ih(m.throttle_time_ms, m.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
        out += protocol_type_bytes
        protocol_name = m.protocol_name
        protocol_name_bytes = b"" if protocol_name is None else protocol_name.encode()
        n = 0 if protocol_name is None else len(protocol_name_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += protocol_name_bytes
    else:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
    assignment = m.assignment
    n = len(assignment) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += assignment
    out.append(0)


SyncGroupResponse.WRITERS = dict.fromkeys(range(0, 4), _write_sync_group_response_v0_3) | dict.fromkeys(range(4, 6), _write_sync_group_response_v4_5)
