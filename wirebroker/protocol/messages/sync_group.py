"""SyncGroup: the leader of a classic group hands in the assignment, everybody gets a part.

v1  throttle_time_ms (KIP-124)
v2  answers before it throttles (KIP-219)
v3  group_instance_id (KIP-345)
v4  flexible
v5  protocol type and name on both sides (KIP-559)

Generated from protocol_specs/14_sync_group by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihi = Struct(">ihi").pack
unpack_h = Struct(">h").unpack_from
unpack_hi = Struct(">hi").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihi = Struct(">ihi").unpack_from


class SyncGroupRequestAssignment(Data):
    """filled by the leader only"""

    __slots__ = FIELDS = ("member_id", "assignment")

    def __init__(
        self,
        member_id: str = "",
        assignment: bytes = b"",
    ) -> None:
        self.member_id = member_id
        self.assignment = assignment


class SyncGroupRequest(Message):
    API_KEY = 14
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = (
        "group_id",
        "generation_id",
        "member_id",
        "group_instance_id",
        "protocol_type",
        "protocol_name",
        "assignments",
    )

    def __init__(
        self,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignments: list[SyncGroupRequestAssignment] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignments = [] if assignments is UNSET else assignments


class SyncGroupResponse(Message):
    API_KEY = 14
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "protocol_type", "protocol_name", "assignment")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignment: bytes = b"",
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignment = assignment


def _read_sync_group_request_v0_2(b: bytes, at: int) -> tuple[SyncGroupRequest, int]:
    size = len(b)
    m = new(SyncGroupRequest)
    m.group_instance_id = None
    m.protocol_type = None
    m.protocol_name = None
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
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("assignments", n)
    assignments: list[SyncGroupRequestAssignment] = []
    m.assignments = assignments
    for _ in range(n):
        assignment = new(SyncGroupRequestAssignment)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        assignment.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
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


def _read_sync_group_request_v3(b: bytes, at: int) -> tuple[SyncGroupRequest, int]:
    size = len(b)
    m = new(SyncGroupRequest)
    m.protocol_type = None
    m.protocol_name = None
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
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("assignments", n)
    assignments: list[SyncGroupRequestAssignment] = []
    m.assignments = assignments
    for _ in range(n):
        assignment = new(SyncGroupRequestAssignment)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        assignment.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
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


def _read_sync_group_request_v4(b: bytes, at: int) -> tuple[SyncGroupRequest, int]:
    size = len(b)
    m = new(SyncGroupRequest)
    m.protocol_type = None
    m.protocol_name = None
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
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("assignments", n)
    assignments: list[SyncGroupRequestAssignment] = []
    m.assignments = assignments
    for _ in range(n):
        assignment = new(SyncGroupRequestAssignment)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("member_id is null")
        end = at + n - 1
        assignment.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("assignment is null")
        end = at + n - 1
        assignment.assignment = b[at:end]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        assignments.append(assignment)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"SyncGroupRequest is {at - size} bytes short")
    return m, at


def _read_sync_group_request_v5(b: bytes, at: int) -> tuple[SyncGroupRequest, int]:
    size = len(b)
    m = new(SyncGroupRequest)
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
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.protocol_type = None
    else:
        end = at + n - 1
        m.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.protocol_name = None
    else:
        end = at + n - 1
        m.protocol_name = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("assignments", n)
    assignments: list[SyncGroupRequestAssignment] = []
    m.assignments = assignments
    for _ in range(n):
        assignment = new(SyncGroupRequestAssignment)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("member_id is null")
        end = at + n - 1
        assignment.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("assignment is null")
        end = at + n - 1
        assignment.assignment = b[at:end]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        assignments.append(assignment)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"SyncGroupRequest is {at - size} bytes short")
    return m, at


def _write_sync_group_request_v0_2(m: SyncGroupRequest, out: bytearray) -> None:
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
    assignments = m.assignments
    out += pack_i(len(assignments))
    for assignment in assignments:
        member_id2 = assignment.member_id
        member_id_bytes2 = member_id2.encode()
        out += pack_h(len(member_id_bytes2))
        out += member_id_bytes2
        assignment2 = assignment.assignment
        out += pack_i(len(assignment2))
        out += assignment2


def _write_sync_group_request_v3(m: SyncGroupRequest, out: bytearray) -> None:
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
    assignments = m.assignments
    out += pack_i(len(assignments))
    for assignment in assignments:
        member_id2 = assignment.member_id
        member_id_bytes2 = member_id2.encode()
        out += pack_h(len(member_id_bytes2))
        out += member_id_bytes2
        assignment2 = assignment.assignment
        out += pack_i(len(assignment2))
        out += assignment2


def _write_sync_group_request_v4(m: SyncGroupRequest, out: bytearray) -> None:
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
    assignments = m.assignments
    n = len(assignments) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for assignment in assignments:
        member_id2 = assignment.member_id
        member_id_bytes2 = member_id2.encode()
        n = len(member_id_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += member_id_bytes2
        assignment2 = assignment.assignment
        n = len(assignment2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += assignment2
        out.append(0)
    out.append(0)


def _write_sync_group_request_v5(m: SyncGroupRequest, out: bytearray) -> None:
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
    protocol_type = m.protocol_type
    protocol_type_bytes = b"" if protocol_type is None else protocol_type.encode()
    n = 0 if protocol_type is None else len(protocol_type_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_type_bytes
    protocol_name = m.protocol_name
    protocol_name_bytes = b"" if protocol_name is None else protocol_name.encode()
    n = 0 if protocol_name is None else len(protocol_name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_name_bytes
    assignments = m.assignments
    n = len(assignments) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for assignment in assignments:
        member_id2 = assignment.member_id
        member_id_bytes2 = member_id2.encode()
        n = len(member_id_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += member_id_bytes2
        assignment2 = assignment.assignment
        n = len(assignment2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += assignment2
        out.append(0)
    out.append(0)


def _read_sync_group_response_v0(b: bytes, at: int) -> tuple[SyncGroupResponse, int]:
    size = len(b)
    m = new(SyncGroupResponse)
    m.throttle_time_ms = 0
    m.protocol_type = None
    m.protocol_name = None
    m.error_code, n = unpack_hi(b, at)
    at += 6
    if n < 0:
        raise ProtocolError("assignment is null")
    end = at + n
    m.assignment = b[at:end]
    at = end
    if at > size:
        raise ProtocolError(f"SyncGroupResponse is {at - size} bytes short")
    return m, at


def _read_sync_group_response_v1_3(b: bytes, at: int) -> tuple[SyncGroupResponse, int]:
    size = len(b)
    m = new(SyncGroupResponse)
    m.protocol_type = None
    m.protocol_name = None
    m.throttle_time_ms, m.error_code, n = unpack_ihi(b, at)
    at += 10
    if n < 0:
        raise ProtocolError("assignment is null")
    end = at + n
    m.assignment = b[at:end]
    at = end
    if at > size:
        raise ProtocolError(f"SyncGroupResponse is {at - size} bytes short")
    return m, at


def _read_sync_group_response_v4(b: bytes, at: int) -> tuple[SyncGroupResponse, int]:
    size = len(b)
    m = new(SyncGroupResponse)
    m.protocol_type = None
    m.protocol_name = None
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("assignment is null")
    end = at + n - 1
    m.assignment = b[at:end]
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"SyncGroupResponse is {at - size} bytes short")
    return m, at


def _read_sync_group_response_v5(b: bytes, at: int) -> tuple[SyncGroupResponse, int]:
    size = len(b)
    m = new(SyncGroupResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.protocol_type = None
    else:
        end = at + n - 1
        m.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.protocol_name = None
    else:
        end = at + n - 1
        m.protocol_name = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("assignment is null")
    end = at + n - 1
    m.assignment = b[at:end]
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"SyncGroupResponse is {at - size} bytes short")
    return m, at


def _write_sync_group_response_v0(m: SyncGroupResponse, out: bytearray) -> None:
    assignment = m.assignment
    out += pack_hi(m.error_code, len(assignment))
    out += assignment


def _write_sync_group_response_v1_3(m: SyncGroupResponse, out: bytearray) -> None:
    assignment = m.assignment
    out += pack_ihi(m.throttle_time_ms, m.error_code, len(assignment))
    out += assignment


def _write_sync_group_response_v4(m: SyncGroupResponse, out: bytearray) -> None:
    assignment = m.assignment
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = len(assignment) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += assignment
    out.append(0)


def _write_sync_group_response_v5(m: SyncGroupResponse, out: bytearray) -> None:
    protocol_type = m.protocol_type
    protocol_type_bytes = b"" if protocol_type is None else protocol_type.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if protocol_type is None else len(protocol_type_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_type_bytes
    protocol_name = m.protocol_name
    protocol_name_bytes = b"" if protocol_name is None else protocol_name.encode()
    n = 0 if protocol_name is None else len(protocol_name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_name_bytes
    assignment = m.assignment
    n = len(assignment) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += assignment
    out.append(0)


SyncGroupRequest.READERS = {
    0: _read_sync_group_request_v0_2,
    1: _read_sync_group_request_v0_2,
    2: _read_sync_group_request_v0_2,
    3: _read_sync_group_request_v3,
    4: _read_sync_group_request_v4,
    5: _read_sync_group_request_v5,
}
SyncGroupRequest.WRITERS = {
    0: _write_sync_group_request_v0_2,
    1: _write_sync_group_request_v0_2,
    2: _write_sync_group_request_v0_2,
    3: _write_sync_group_request_v3,
    4: _write_sync_group_request_v4,
    5: _write_sync_group_request_v5,
}
SyncGroupResponse.READERS = {
    0: _read_sync_group_response_v0,
    1: _read_sync_group_response_v1_3,
    2: _read_sync_group_response_v1_3,
    3: _read_sync_group_response_v1_3,
    4: _read_sync_group_response_v4,
    5: _read_sync_group_response_v5,
}
SyncGroupResponse.WRITERS = {
    0: _write_sync_group_response_v0,
    1: _write_sync_group_response_v1_3,
    2: _write_sync_group_response_v1_3,
    3: _write_sync_group_response_v1_3,
    4: _write_sync_group_response_v4,
    5: _write_sync_group_response_v5,
}
