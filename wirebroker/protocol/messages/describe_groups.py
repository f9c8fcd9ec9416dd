"""DescribeGroups: state and members of classic groups.

v1  throttle_time_ms (KIP-124)
v2  answers before it throttles (KIP-219)
v3  authorized operations (KIP-430)
v4  group_instance_id (KIP-345)
v5  flexible
v6  error_message; an unknown group is GROUP_ID_NOT_FOUND (KIP-1043)

Generated from protocol_specs/15_describe_groups by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_h = Struct(">h").pack
pack_hh = Struct(">hh").pack
pack_i = Struct(">i").pack
pack_ii = Struct(">ii").pack
pack_ix = Struct(">ix").pack
pack_t = Struct(">?").pack
pack_tx = Struct(">?x").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_tB = Struct(">?B").unpack_from


class DescribeGroupsRequest(Message):
    API_KEY = 15
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 5
    __slots__ = FIELDS = ("groups", "include_authorized_operations")

    def __init__(
        self,
        groups: list[str] = UNSET,
        include_authorized_operations: bool = False,
    ) -> None:
        self.groups = [] if groups is UNSET else groups
        self.include_authorized_operations = include_authorized_operations


class DescribedGroupMember(Data):
    __slots__ = FIELDS = (
        "member_id",
        "group_instance_id",
        "client_id",
        "client_host",
        "member_metadata",
        "member_assignment",
    )

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        client_id: str = "",
        client_host: str = "",
        member_metadata: bytes = b"",
        member_assignment: bytes = b"",
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.member_metadata = member_metadata
        self.member_assignment = member_assignment


class DescribedGroup(Data):
    __slots__ = FIELDS = (
        "error_code",
        "error_message",
        "group_id",
        "group_state",
        "protocol_type",
        "protocol_data",
        "members",
        "authorized_operations",
    )

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = "",
        group_state: str = "",
        protocol_type: str = "",
        protocol_data: str = "",
        members: list[DescribedGroupMember] = UNSET,
        authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.protocol_type = protocol_type
        self.protocol_data = protocol_data
        self.members = [] if members is UNSET else members
        self.authorized_operations = authorized_operations


class DescribeGroupsResponse(Message):
    API_KEY = 15
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 5
    __slots__ = FIELDS = ("throttle_time_ms", "groups")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: list[DescribedGroup] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = [] if groups is UNSET else groups


def _read_describe_groups_request_v0_2(b: bytes, at: int) -> tuple[DescribeGroupsRequest, int]:
    size = len(b)
    m = new(DescribeGroupsRequest)
    m.include_authorized_operations = False
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 2 > size - at:
        raise fault_length("groups", n)
    groups: list[str] = []
    m.groups = groups
    for _ in range(n):
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("groups is null")
        end = at + n
        group = b[at:end].decode("utf-8", "replace")
        at = end
        groups.append(group)
    if at > size:
        raise ProtocolError(f"DescribeGroupsRequest is {at - size} bytes short")
    return m, at


def _read_describe_groups_request_v3_4(b: bytes, at: int) -> tuple[DescribeGroupsRequest, int]:
    size = len(b)
    m = new(DescribeGroupsRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 2 > size - at:
        raise fault_length("groups", n)
    groups: list[str] = []
    m.groups = groups
    for _ in range(n):
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("groups is null")
        end = at + n
        group = b[at:end].decode("utf-8", "replace")
        at = end
        groups.append(group)
    m.include_authorized_operations = unpack_t(b, at)[0]
    at += 1
    if at > size:
        raise ProtocolError(f"DescribeGroupsRequest is {at - size} bytes short")
    return m, at


def _read_describe_groups_request_v5_6(b: bytes, at: int) -> tuple[DescribeGroupsRequest, int]:
    size = len(b)
    m = new(DescribeGroupsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("groups", n)
    groups: list[str] = []
    m.groups = groups
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("groups is null")
        end = at + n - 1
        group = b[at:end].decode("utf-8", "replace")
        at = end
        groups.append(group)
    m.include_authorized_operations, tags = unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeGroupsRequest is {at - size} bytes short")
    return m, at


def _write_describe_groups_request_v0_2(m: DescribeGroupsRequest, out: bytearray) -> None:
    if m.include_authorized_operations:
        raise fault_absent("include_authorized_operations")
    groups = m.groups
    out += pack_i(len(groups))
    for group in groups:
        groups_bytes = group.encode()
        out += pack_h(len(groups_bytes))
        out += groups_bytes


def _write_describe_groups_request_v3_4(m: DescribeGroupsRequest, out: bytearray) -> None:
    groups = m.groups
    out += pack_i(len(groups))
    for group in groups:
        groups_bytes = group.encode()
        out += pack_h(len(groups_bytes))
        out += groups_bytes
    out += pack_t(m.include_authorized_operations)


def _write_describe_groups_request_v5_6(m: DescribeGroupsRequest, out: bytearray) -> None:
    groups = m.groups
    n = len(groups) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for group in groups:
        groups_bytes = group.encode()
        n = len(groups_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += groups_bytes
    out += pack_tx(m.include_authorized_operations)


def _read_describe_groups_response_v0(b: bytes, at: int) -> tuple[DescribeGroupsResponse, int]:
    size = len(b)
    m = new(DescribeGroupsResponse)
    m.throttle_time_ms = 0
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 14 > size - at:
        raise fault_length("groups", n)
    groups: list[DescribedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(DescribedGroup)
        group.error_message = None
        group.authorized_operations = -2147483648
        group.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("group_id is null")
        end = at + n
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("group_state is null")
        end = at + n
        group.group_state = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("protocol_type is null")
        end = at + n
        group.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("protocol_data is null")
        end = at + n
        group.protocol_data = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise fault_length("members", n)
        members: list[DescribedGroupMember] = []
        group.members = members
        for _ in range(n):
            member = new(DescribedGroupMember)
            member.group_instance_id = None
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
                raise ProtocolError("client_id is null")
            end = at + n
            member.client_id = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("client_host is null")
            end = at + n
            member.client_host = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0:
                raise ProtocolError("member_metadata is null")
            end = at + n
            member.member_metadata = b[at:end]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0:
                raise ProtocolError("member_assignment is null")
            end = at + n
            member.member_assignment = b[at:end]
            at = end
            members.append(member)
        groups.append(group)
    if at > size:
        raise ProtocolError(f"DescribeGroupsResponse is {at - size} bytes short")
    return m, at


def _read_describe_groups_response_v1_2(b: bytes, at: int) -> tuple[DescribeGroupsResponse, int]:
    size = len(b)
    m = new(DescribeGroupsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 14 > size - at:
        raise fault_length("groups", n)
    groups: list[DescribedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(DescribedGroup)
        group.error_message = None
        group.authorized_operations = -2147483648
        group.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("group_id is null")
        end = at + n
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("group_state is null")
        end = at + n
        group.group_state = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("protocol_type is null")
        end = at + n
        group.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("protocol_data is null")
        end = at + n
        group.protocol_data = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise fault_length("members", n)
        members: list[DescribedGroupMember] = []
        group.members = members
        for _ in range(n):
            member = new(DescribedGroupMember)
            member.group_instance_id = None
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
                raise ProtocolError("client_id is null")
            end = at + n
            member.client_id = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("client_host is null")
            end = at + n
            member.client_host = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0:
                raise ProtocolError("member_metadata is null")
            end = at + n
            member.member_metadata = b[at:end]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0:
                raise ProtocolError("member_assignment is null")
            end = at + n
            member.member_assignment = b[at:end]
            at = end
            members.append(member)
        groups.append(group)
    if at > size:
        raise ProtocolError(f"DescribeGroupsResponse is {at - size} bytes short")
    return m, at


def _read_describe_groups_response_v3(b: bytes, at: int) -> tuple[DescribeGroupsResponse, int]:
    size = len(b)
    m = new(DescribeGroupsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 18 > size - at:
        raise fault_length("groups", n)
    groups: list[DescribedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(DescribedGroup)
        group.error_message = None
        group.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("group_id is null")
        end = at + n
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("group_state is null")
        end = at + n
        group.group_state = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("protocol_type is null")
        end = at + n
        group.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("protocol_data is null")
        end = at + n
        group.protocol_data = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise fault_length("members", n)
        members: list[DescribedGroupMember] = []
        group.members = members
        for _ in range(n):
            member = new(DescribedGroupMember)
            member.group_instance_id = None
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
                raise ProtocolError("client_id is null")
            end = at + n
            member.client_id = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("client_host is null")
            end = at + n
            member.client_host = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0:
                raise ProtocolError("member_metadata is null")
            end = at + n
            member.member_metadata = b[at:end]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0:
                raise ProtocolError("member_assignment is null")
            end = at + n
            member.member_assignment = b[at:end]
            at = end
            members.append(member)
        group.authorized_operations = unpack_i(b, at)[0]
        at += 4
        groups.append(group)
    if at > size:
        raise ProtocolError(f"DescribeGroupsResponse is {at - size} bytes short")
    return m, at


def _read_describe_groups_response_v4(b: bytes, at: int) -> tuple[DescribeGroupsResponse, int]:
    size = len(b)
    m = new(DescribeGroupsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 18 > size - at:
        raise fault_length("groups", n)
    groups: list[DescribedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(DescribedGroup)
        group.error_message = None
        group.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("group_id is null")
        end = at + n
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("group_state is null")
        end = at + n
        group.group_state = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("protocol_type is null")
        end = at + n
        group.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("protocol_data is null")
        end = at + n
        group.protocol_data = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 16 > size - at:
            raise fault_length("members", n)
        members: list[DescribedGroupMember] = []
        group.members = members
        for _ in range(n):
            member = new(DescribedGroupMember)
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
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("client_id is null")
            end = at + n
            member.client_id = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("client_host is null")
            end = at + n
            member.client_host = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0:
                raise ProtocolError("member_metadata is null")
            end = at + n
            member.member_metadata = b[at:end]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0:
                raise ProtocolError("member_assignment is null")
            end = at + n
            member.member_assignment = b[at:end]
            at = end
            members.append(member)
        group.authorized_operations = unpack_i(b, at)[0]
        at += 4
        groups.append(group)
    if at > size:
        raise ProtocolError(f"DescribeGroupsResponse is {at - size} bytes short")
    return m, at


def _read_describe_groups_response_v5(b: bytes, at: int) -> tuple[DescribeGroupsResponse, int]:
    size = len(b)
    m = new(DescribeGroupsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 12 > size - at:
        raise fault_length("groups", n)
    groups: list[DescribedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(DescribedGroup)
        group.error_message = None
        group.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_id is null")
        end = at + n - 1
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_state is null")
        end = at + n - 1
        group.group_state = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("protocol_type is null")
        end = at + n - 1
        group.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("protocol_data is null")
        end = at + n - 1
        group.protocol_data = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 7 > size - at:
            raise fault_length("members", n)
        members: list[DescribedGroupMember] = []
        group.members = members
        for _ in range(n):
            member = new(DescribedGroupMember)
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
                raise ProtocolError("client_id is null")
            end = at + n - 1
            member.client_id = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("client_host is null")
            end = at + n - 1
            member.client_host = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("member_metadata is null")
            end = at + n - 1
            member.member_metadata = b[at:end]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("member_assignment is null")
            end = at + n - 1
            member.member_assignment = b[at:end]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            members.append(member)
        group.authorized_operations, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        groups.append(group)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeGroupsResponse is {at - size} bytes short")
    return m, at


def _read_describe_groups_response_v6(b: bytes, at: int) -> tuple[DescribeGroupsResponse, int]:
    size = len(b)
    m = new(DescribeGroupsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 13 > size - at:
        raise fault_length("groups", n)
    groups: list[DescribedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(DescribedGroup)
        group.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            group.error_message = None
        else:
            end = at + n - 1
            group.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_id is null")
        end = at + n - 1
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_state is null")
        end = at + n - 1
        group.group_state = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("protocol_type is null")
        end = at + n - 1
        group.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("protocol_data is null")
        end = at + n - 1
        group.protocol_data = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 7 > size - at:
            raise fault_length("members", n)
        members: list[DescribedGroupMember] = []
        group.members = members
        for _ in range(n):
            member = new(DescribedGroupMember)
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
                raise ProtocolError("client_id is null")
            end = at + n - 1
            member.client_id = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("client_host is null")
            end = at + n - 1
            member.client_host = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("member_metadata is null")
            end = at + n - 1
            member.member_metadata = b[at:end]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("member_assignment is null")
            end = at + n - 1
            member.member_assignment = b[at:end]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            members.append(member)
        group.authorized_operations, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        groups.append(group)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeGroupsResponse is {at - size} bytes short")
    return m, at


def _write_describe_groups_response_v0(m: DescribeGroupsResponse, out: bytearray) -> None:
    groups = m.groups
    out += pack_i(len(groups))
    for group in groups:
        if group.error_message is not None:
            raise fault_absent("error_message")
        if group.authorized_operations != -2147483648:
            raise fault_absent("authorized_operations")
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        out += pack_hh(group.error_code, len(group_id_bytes))
        out += group_id_bytes
        group_state = group.group_state
        group_state_bytes = group_state.encode()
        out += pack_h(len(group_state_bytes))
        out += group_state_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        out += pack_h(len(protocol_type_bytes))
        out += protocol_type_bytes
        protocol_data = group.protocol_data
        protocol_data_bytes = protocol_data.encode()
        out += pack_h(len(protocol_data_bytes))
        out += protocol_data_bytes
        members = group.members
        out += pack_i(len(members))
        for member in members:
            member_id = member.member_id
            member_id_bytes = member_id.encode()
            out += pack_h(len(member_id_bytes))
            out += member_id_bytes
            client_id = member.client_id
            client_id_bytes = client_id.encode()
            out += pack_h(len(client_id_bytes))
            out += client_id_bytes
            client_host = member.client_host
            client_host_bytes = client_host.encode()
            out += pack_h(len(client_host_bytes))
            out += client_host_bytes
            member_metadata = member.member_metadata
            out += pack_i(len(member_metadata))
            out += member_metadata
            member_assignment = member.member_assignment
            out += pack_i(len(member_assignment))
            out += member_assignment


def _write_describe_groups_response_v1_2(m: DescribeGroupsResponse, out: bytearray) -> None:
    groups = m.groups
    out += pack_ii(m.throttle_time_ms, len(groups))
    for group in groups:
        if group.error_message is not None:
            raise fault_absent("error_message")
        if group.authorized_operations != -2147483648:
            raise fault_absent("authorized_operations")
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        out += pack_hh(group.error_code, len(group_id_bytes))
        out += group_id_bytes
        group_state = group.group_state
        group_state_bytes = group_state.encode()
        out += pack_h(len(group_state_bytes))
        out += group_state_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        out += pack_h(len(protocol_type_bytes))
        out += protocol_type_bytes
        protocol_data = group.protocol_data
        protocol_data_bytes = protocol_data.encode()
        out += pack_h(len(protocol_data_bytes))
        out += protocol_data_bytes
        members = group.members
        out += pack_i(len(members))
        for member in members:
            member_id = member.member_id
            member_id_bytes = member_id.encode()
            out += pack_h(len(member_id_bytes))
            out += member_id_bytes
            client_id = member.client_id
            client_id_bytes = client_id.encode()
            out += pack_h(len(client_id_bytes))
            out += client_id_bytes
            client_host = member.client_host
            client_host_bytes = client_host.encode()
            out += pack_h(len(client_host_bytes))
            out += client_host_bytes
            member_metadata = member.member_metadata
            out += pack_i(len(member_metadata))
            out += member_metadata
            member_assignment = member.member_assignment
            out += pack_i(len(member_assignment))
            out += member_assignment


def _write_describe_groups_response_v3(m: DescribeGroupsResponse, out: bytearray) -> None:
    groups = m.groups
    out += pack_ii(m.throttle_time_ms, len(groups))
    for group in groups:
        if group.error_message is not None:
            raise fault_absent("error_message")
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        out += pack_hh(group.error_code, len(group_id_bytes))
        out += group_id_bytes
        group_state = group.group_state
        group_state_bytes = group_state.encode()
        out += pack_h(len(group_state_bytes))
        out += group_state_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        out += pack_h(len(protocol_type_bytes))
        out += protocol_type_bytes
        protocol_data = group.protocol_data
        protocol_data_bytes = protocol_data.encode()
        out += pack_h(len(protocol_data_bytes))
        out += protocol_data_bytes
        members = group.members
        out += pack_i(len(members))
        for member in members:
            member_id = member.member_id
            member_id_bytes = member_id.encode()
            out += pack_h(len(member_id_bytes))
            out += member_id_bytes
            client_id = member.client_id
            client_id_bytes = client_id.encode()
            out += pack_h(len(client_id_bytes))
            out += client_id_bytes
            client_host = member.client_host
            client_host_bytes = client_host.encode()
            out += pack_h(len(client_host_bytes))
            out += client_host_bytes
            member_metadata = member.member_metadata
            out += pack_i(len(member_metadata))
            out += member_metadata
            member_assignment = member.member_assignment
            out += pack_i(len(member_assignment))
            out += member_assignment
        out += pack_i(group.authorized_operations)


def _write_describe_groups_response_v4(m: DescribeGroupsResponse, out: bytearray) -> None:
    groups = m.groups
    out += pack_ii(m.throttle_time_ms, len(groups))
    for group in groups:
        if group.error_message is not None:
            raise fault_absent("error_message")
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        out += pack_hh(group.error_code, len(group_id_bytes))
        out += group_id_bytes
        group_state = group.group_state
        group_state_bytes = group_state.encode()
        out += pack_h(len(group_state_bytes))
        out += group_state_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        out += pack_h(len(protocol_type_bytes))
        out += protocol_type_bytes
        protocol_data = group.protocol_data
        protocol_data_bytes = protocol_data.encode()
        out += pack_h(len(protocol_data_bytes))
        out += protocol_data_bytes
        members = group.members
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
            client_id = member.client_id
            client_id_bytes = client_id.encode()
            out += pack_h(len(client_id_bytes))
            out += client_id_bytes
            client_host = member.client_host
            client_host_bytes = client_host.encode()
            out += pack_h(len(client_host_bytes))
            out += client_host_bytes
            member_metadata = member.member_metadata
            out += pack_i(len(member_metadata))
            out += member_metadata
            member_assignment = member.member_assignment
            out += pack_i(len(member_assignment))
            out += member_assignment
        out += pack_i(group.authorized_operations)


def _write_describe_groups_response_v5(m: DescribeGroupsResponse, out: bytearray) -> None:
    groups = m.groups
    out += pack_i(m.throttle_time_ms)
    n = len(groups) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for group in groups:
        if group.error_message is not None:
            raise fault_absent("error_message")
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        out += pack_h(group.error_code)
        n = len(group_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        group_state = group.group_state
        group_state_bytes = group_state.encode()
        n = len(group_state_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_state_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        n = len(protocol_type_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += protocol_type_bytes
        protocol_data = group.protocol_data
        protocol_data_bytes = protocol_data.encode()
        n = len(protocol_data_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += protocol_data_bytes
        members = group.members
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
            client_id = member.client_id
            client_id_bytes = client_id.encode()
            n = len(client_id_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += client_id_bytes
            client_host = member.client_host
            client_host_bytes = client_host.encode()
            n = len(client_host_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += client_host_bytes
            member_metadata = member.member_metadata
            n = len(member_metadata) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += member_metadata
            member_assignment = member.member_assignment
            n = len(member_assignment) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += member_assignment
            out.append(0)
        out += pack_ix(group.authorized_operations)
    out.append(0)


def _write_describe_groups_response_v6(m: DescribeGroupsResponse, out: bytearray) -> None:
    groups = m.groups
    out += pack_i(m.throttle_time_ms)
    n = len(groups) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for group in groups:
        error_message = group.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_h(group.error_code)
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        group_state = group.group_state
        group_state_bytes = group_state.encode()
        n = len(group_state_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_state_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        n = len(protocol_type_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += protocol_type_bytes
        protocol_data = group.protocol_data
        protocol_data_bytes = protocol_data.encode()
        n = len(protocol_data_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += protocol_data_bytes
        members = group.members
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
            client_id = member.client_id
            client_id_bytes = client_id.encode()
            n = len(client_id_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += client_id_bytes
            client_host = member.client_host
            client_host_bytes = client_host.encode()
            n = len(client_host_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += client_host_bytes
            member_metadata = member.member_metadata
            n = len(member_metadata) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += member_metadata
            member_assignment = member.member_assignment
            n = len(member_assignment) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += member_assignment
            out.append(0)
        out += pack_ix(group.authorized_operations)
    out.append(0)


DescribeGroupsRequest.READERS = {
    0: _read_describe_groups_request_v0_2,
    1: _read_describe_groups_request_v0_2,
    2: _read_describe_groups_request_v0_2,
    3: _read_describe_groups_request_v3_4,
    4: _read_describe_groups_request_v3_4,
    5: _read_describe_groups_request_v5_6,
    6: _read_describe_groups_request_v5_6,
}
DescribeGroupsRequest.WRITERS = {
    0: _write_describe_groups_request_v0_2,
    1: _write_describe_groups_request_v0_2,
    2: _write_describe_groups_request_v0_2,
    3: _write_describe_groups_request_v3_4,
    4: _write_describe_groups_request_v3_4,
    5: _write_describe_groups_request_v5_6,
    6: _write_describe_groups_request_v5_6,
}
DescribeGroupsResponse.READERS = {
    0: _read_describe_groups_response_v0,
    1: _read_describe_groups_response_v1_2,
    2: _read_describe_groups_response_v1_2,
    3: _read_describe_groups_response_v3,
    4: _read_describe_groups_response_v4,
    5: _read_describe_groups_response_v5,
    6: _read_describe_groups_response_v6,
}
DescribeGroupsResponse.WRITERS = {
    0: _write_describe_groups_response_v0,
    1: _write_describe_groups_response_v1_2,
    2: _write_describe_groups_response_v1_2,
    3: _write_describe_groups_response_v3,
    4: _write_describe_groups_response_v4,
    5: _write_describe_groups_response_v5,
    6: _write_describe_groups_response_v6,
}
