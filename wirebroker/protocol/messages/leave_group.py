"""LeaveGroup: members leave a classic group.

v1  throttle_time_ms (KIP-124)
v2  answers before it throttles (KIP-219)
v3  several members at once (KIP-345)
v4  flexible
v5  reason (KIP-800)

Generated from protocol_specs/13_leave_group by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_h = Struct(">h").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihi = Struct(">ihi").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihi = Struct(">ihi").unpack_from


class MemberIdentity(Data):
    __slots__ = FIELDS = ("member_id", "group_instance_id", "reason")

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        reason: str | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.reason = reason


class LeaveGroupRequest(Message):
    API_KEY = 13
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = ("group_id", "member_id", "members")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        members: list[MemberIdentity] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.members = [] if members is UNSET else members


class MemberResponse(Data):
    __slots__ = FIELDS = ("member_id", "group_instance_id", "error_code")

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = "",
        error_code: int = 0,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.error_code = error_code


class LeaveGroupResponse(Message):
    API_KEY = 13
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "members")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        members: list[MemberResponse] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.members = [] if members is UNSET else members


def _read_leave_group_request_v0_2(b: bytes, at: int) -> tuple[LeaveGroupRequest, int]:
    size = len(b)
    m = new(LeaveGroupRequest)
    m.members = []
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"LeaveGroupRequest is {at - size} bytes short")
    return m, at


def _read_leave_group_request_v3(b: bytes, at: int) -> tuple[LeaveGroupRequest, int]:
    size = len(b)
    m = new(LeaveGroupRequest)
    m.member_id = ""
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 4 > size - at:
        raise fault_length("members", n)
    members: list[MemberIdentity] = []
    m.members = members
    for _ in range(n):
        member = new(MemberIdentity)
        member.reason = None
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            member.group_instance_id = None
        else:
            end = at + n
            member.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
        members.append(member)
    if at > size:
        raise ProtocolError(f"LeaveGroupRequest is {at - size} bytes short")
    return m, at


def _read_leave_group_request_v4(b: bytes, at: int) -> tuple[LeaveGroupRequest, int]:
    size = len(b)
    m = new(LeaveGroupRequest)
    m.member_id = ""
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("members", n)
    members: list[MemberIdentity] = []
    m.members = members
    for _ in range(n):
        member = new(MemberIdentity)
        member.reason = None
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("member_id is null")
        end = at + n - 1
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            member.group_instance_id = None
        else:
            end = at + n - 1
            member.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        members.append(member)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"LeaveGroupRequest is {at - size} bytes short")
    return m, at


def _read_leave_group_request_v5(b: bytes, at: int) -> tuple[LeaveGroupRequest, int]:
    size = len(b)
    m = new(LeaveGroupRequest)
    m.member_id = ""
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("members", n)
    members: list[MemberIdentity] = []
    m.members = members
    for _ in range(n):
        member = new(MemberIdentity)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("member_id is null")
        end = at + n - 1
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            member.group_instance_id = None
        else:
            end = at + n - 1
            member.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            member.reason = None
        else:
            end = at + n - 1
            member.reason = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        members.append(member)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"LeaveGroupRequest is {at - size} bytes short")
    return m, at


def _write_leave_group_request_v0_2(m: LeaveGroupRequest, out: bytearray) -> None:
    if m.members:
        raise fault_absent("members")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_h(len(member_id_bytes))
    out += member_id_bytes


def _write_leave_group_request_v3(m: LeaveGroupRequest, out: bytearray) -> None:
    if m.member_id != "":
        raise fault_absent("member_id")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    members = m.members
    out += pack_i(len(members))
    for member in members:
        member_id = member.member_id
        member_id_bytes = member_id.encode()
        out += pack_h(len(member_id_bytes))
        out += member_id_bytes
        group_instance_id = member.group_instance_id
        group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
        out += pack_h(-1 if group_instance_id is None else len(group_instance_id_bytes))
        out += group_instance_id_bytes


def _write_leave_group_request_v4(m: LeaveGroupRequest, out: bytearray) -> None:
    if m.member_id != "":
        raise fault_absent("member_id")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    n = len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    members = m.members
    n = len(members) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for member in members:
        member_id = member.member_id
        member_id_bytes = member_id.encode()
        n = len(member_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += member_id_bytes
        group_instance_id = member.group_instance_id
        group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
        n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_instance_id_bytes
        out.append(0)
    out.append(0)


def _write_leave_group_request_v5(m: LeaveGroupRequest, out: bytearray) -> None:
    if m.member_id != "":
        raise fault_absent("member_id")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    n = len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    members = m.members
    n = len(members) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for member in members:
        member_id = member.member_id
        member_id_bytes = member_id.encode()
        n = len(member_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += member_id_bytes
        group_instance_id = member.group_instance_id
        group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
        n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_instance_id_bytes
        reason = member.reason
        reason_bytes = b"" if reason is None else reason.encode()
        n = 0 if reason is None else len(reason_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += reason_bytes
        out.append(0)
    out.append(0)


def _read_leave_group_response_v0(b: bytes, at: int) -> tuple[LeaveGroupResponse, int]:
    size = len(b)
    m = new(LeaveGroupResponse)
    m.throttle_time_ms = 0
    m.members = []
    m.error_code = unpack_h(b, at)[0]
    at += 2
    if at > size:
        raise ProtocolError(f"LeaveGroupResponse is {at - size} bytes short")
    return m, at


def _read_leave_group_response_v1_2(b: bytes, at: int) -> tuple[LeaveGroupResponse, int]:
    size = len(b)
    m = new(LeaveGroupResponse)
    m.members = []
    m.throttle_time_ms, m.error_code = unpack_ih(b, at)
    at += 6
    if at > size:
        raise ProtocolError(f"LeaveGroupResponse is {at - size} bytes short")
    return m, at


def _read_leave_group_response_v3(b: bytes, at: int) -> tuple[LeaveGroupResponse, int]:
    size = len(b)
    m = new(LeaveGroupResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihi(b, at)
    at += 10
    if n < 0 or n * 6 > size - at:
        raise fault_length("members", n)
    members: list[MemberResponse] = []
    m.members = members
    for _ in range(n):
        member = new(MemberResponse)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            member.group_instance_id = None
        else:
            end = at + n
            member.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
        member.error_code = unpack_h(b, at)[0]
        at += 2
        members.append(member)
    if at > size:
        raise ProtocolError(f"LeaveGroupResponse is {at - size} bytes short")
    return m, at


def _read_leave_group_response_v4_5(b: bytes, at: int) -> tuple[LeaveGroupResponse, int]:
    size = len(b)
    m = new(LeaveGroupResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise fault_length("members", n)
    members: list[MemberResponse] = []
    m.members = members
    for _ in range(n):
        member = new(MemberResponse)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("member_id is null")
        end = at + n - 1
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            member.group_instance_id = None
        else:
            end = at + n - 1
            member.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
        member.error_code, tags = unpack_hB(b, at)
        at += 3
        if tags:
            at = skip_tags(b, at, tags)
        members.append(member)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"LeaveGroupResponse is {at - size} bytes short")
    return m, at


def _write_leave_group_response_v0(m: LeaveGroupResponse, out: bytearray) -> None:
    if m.members:
        raise fault_absent("members")
    out += pack_h(m.error_code)


def _write_leave_group_response_v1_2(m: LeaveGroupResponse, out: bytearray) -> None:
    if m.members:
        raise fault_absent("members")
    out += pack_ih(m.throttle_time_ms, m.error_code)


def _write_leave_group_response_v3(m: LeaveGroupResponse, out: bytearray) -> None:
    members = m.members
    out += pack_ihi(m.throttle_time_ms, m.error_code, len(members))
    for member in members:
        member_id = member.member_id
        member_id_bytes = member_id.encode()
        out += pack_h(len(member_id_bytes))
        out += member_id_bytes
        group_instance_id = member.group_instance_id
        group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
        out += pack_h(-1 if group_instance_id is None else len(group_instance_id_bytes))
        out += group_instance_id_bytes
        out += pack_h(member.error_code)


def _write_leave_group_response_v4_5(m: LeaveGroupResponse, out: bytearray) -> None:
    members = m.members
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = len(members) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for member in members:
        member_id = member.member_id
        member_id_bytes = member_id.encode()
        n = len(member_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += member_id_bytes
        group_instance_id = member.group_instance_id
        group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
        n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_instance_id_bytes
        out += pack_hx(member.error_code)
    out.append(0)


LeaveGroupRequest.READERS = {
    0: _read_leave_group_request_v0_2,
    1: _read_leave_group_request_v0_2,
    2: _read_leave_group_request_v0_2,
    3: _read_leave_group_request_v3,
    4: _read_leave_group_request_v4,
    5: _read_leave_group_request_v5,
}
LeaveGroupRequest.WRITERS = {
    0: _write_leave_group_request_v0_2,
    1: _write_leave_group_request_v0_2,
    2: _write_leave_group_request_v0_2,
    3: _write_leave_group_request_v3,
    4: _write_leave_group_request_v4,
    5: _write_leave_group_request_v5,
}
LeaveGroupResponse.READERS = {
    0: _read_leave_group_response_v0,
    1: _read_leave_group_response_v1_2,
    2: _read_leave_group_response_v1_2,
    3: _read_leave_group_response_v3,
    4: _read_leave_group_response_v4_5,
    5: _read_leave_group_response_v4_5,
}
LeaveGroupResponse.WRITERS = {
    0: _write_leave_group_response_v0,
    1: _write_leave_group_response_v1_2,
    2: _write_leave_group_response_v1_2,
    3: _write_leave_group_response_v3,
    4: _write_leave_group_response_v4_5,
    5: _write_leave_group_response_v4_5,
}
