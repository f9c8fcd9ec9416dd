"""LeaveGroup: remove members from a classic group.

v1  throttle_time_ms (KIP-124)
v2  responds before it throttles (KIP-219)
v3  several members at once (KIP-345)
v4  flexible
v5  reason (KIP-800)

Generated from protocol_specs/13_leave_group by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    absent_field_error,
    count_error,
    new,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_pack_h = Struct(">h").pack
_pack_hx = Struct(">hx").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihi = Struct(">ihi").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from


class MemberIdentity(Data):
    """An element of `LeaveGroupRequest.members`."""

    member_id: str = ""
    group_instance_id: str | None = None
    """group.instance.id of a static member (KIP-345); null for dynamic members."""
    reason: str | None = None  # v5+
    """Why the member leaves, for the broker's log."""


class LeaveGroupRequest(ReadableMessage):
    API_KEY = 13
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 4

    group_id: str = ""
    member_id: str = ""  # v0-2
    members: list[MemberIdentity] = []  # v3+


class MemberResponse(Data):
    """An element of `LeaveGroupResponse.members`."""

    member_id: str = ""
    group_instance_id: str | None = ""
    """group.instance.id of a static member (KIP-345); null for dynamic members."""
    error_code: int = 0


class LeaveGroupResponse(WritableMessage):
    API_KEY = 13
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 4

    throttle_time_ms: int = 0  # v1+
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    members: list[MemberResponse] = []  # v3+


def _read_leave_group_request_v0_3(b: bytes, at: int, version: int) -> tuple[LeaveGroupRequest, int]:
    size = len(b)
    m = new(LeaveGroupRequest)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    if version >= 3:
        m.member_id = ""
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise count_error("members", n)
        members: list[MemberIdentity] = []
        m.members = members
        for _ in range(n):
            member = new(MemberIdentity)
            member.reason = None
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("member_id is null")
            end = at + n
            member.member_id = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                member.group_instance_id = None
            else:
                end = at + n
                member.group_instance_id = b[at:end].decode("utf-8", "replace")
                at = end
            members.append(member)
    else:
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        m.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        m.members = []
    if at > size:
        raise ProtocolError(f"LeaveGroupRequest is {at - size} bytes short")
    return m, at


def _read_leave_group_request_v4_5(b: bytes, at: int, version: int) -> tuple[LeaveGroupRequest, int]:
    size = len(b)
    m = new(LeaveGroupRequest)
    m.member_id = ""
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("members", n)
    members: list[MemberIdentity] = []
    m.members = members
    for _ in range(n):
        member = new(MemberIdentity)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("member_id is null")
        end = at + n - 1
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            member.group_instance_id = None
        else:
            end = at + n - 1
            member.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
        if version >= 5:
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                member.reason = None
            else:
                end = at + n - 1
                member.reason = b[at:end].decode("utf-8", "replace")
                at = end
        else:
            member.reason = None
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        members.append(member)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"LeaveGroupRequest is {at - size} bytes short")
    return m, at


LeaveGroupRequest.READERS = dict.fromkeys(range(0, 4), _read_leave_group_request_v0_3) | dict.fromkeys(range(4, 6), _read_leave_group_request_v4_5)


def _write_leave_group_response_v0_3(m: LeaveGroupResponse, out: bytearray, version: int) -> None:
    if version >= 3:
        members = m.members
        out += _pack_ihi(m.throttle_time_ms, m.error_code, len(members))
        for member in members:
            member_id = member.member_id
            member_id_bytes = member_id.encode()
            out += _pack_h(len(member_id_bytes))
            out += member_id_bytes
            group_instance_id = member.group_instance_id
            group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
            out += _pack_h(-1 if group_instance_id is None else len(group_instance_id_bytes))
            out += group_instance_id_bytes
            out += _pack_h(member.error_code)
    elif version >= 1:
        if m.members:
            raise absent_field_error("members")
        out += _pack_ih(m.throttle_time_ms, m.error_code)
    else:
        if m.members:
            raise absent_field_error("members")
        out += _pack_h(m.error_code)


def _write_leave_group_response_v4_5(m: LeaveGroupResponse, out: bytearray, version: int) -> None:
    members = m.members
    n = len(members) + 1
    if n > 127:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
    for member in members:
        member_id = member.member_id
        member_id_bytes = member_id.encode()
        n = len(member_id_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += member_id_bytes
        group_instance_id = member.group_instance_id
        group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
        n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += group_instance_id_bytes
        out += _pack_hx(member.error_code)
    out.append(0)


LeaveGroupResponse.WRITERS = dict.fromkeys(range(0, 4), _write_leave_group_response_v0_3) | dict.fromkeys(range(4, 6), _write_leave_group_response_v4_5)
