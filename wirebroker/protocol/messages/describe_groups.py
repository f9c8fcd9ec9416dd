"""DescribeGroups: the state and members of classic groups.

v1  throttle_time_ms (KIP-124)
v2  responds before it throttles (KIP-219)
v3  authorized operations (KIP-430)
v4  group_instance_id (KIP-345)
v5  flexible
v6  error_message; an unknown group is GROUP_ID_NOT_FOUND (KIP-1043)

Generated from protocol_specs/15_describe_groups by tools/codegen: do not edit.
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
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_ix = Struct(">ix").pack
_pack_t = Struct(">?").pack
_pack_tx = Struct(">?x").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_t = Struct(">?").unpack_from
_unpack_tB = Struct(">?B").unpack_from


class DescribeGroupsRequest(ReadableMessage, WritableMessage):
    API_KEY = 15
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 5

    groups: list[str] = []
    include_authorized_operations: bool = False  # v3+
    """Whether the response includes authorized_operations."""


class DescribedGroupMember(Data):
    """An element of `DescribedGroup.members`."""

    member_id: str = ""
    group_instance_id: str | None = None  # v4+
    """group.instance.id of a static member (KIP-345); null for dynamic members."""
    client_id: str = ""
    client_host: str = ""
    """Address of the client's host, after a slash."""
    member_metadata: bytes = b""
    member_assignment: bytes = b""


class DescribedGroup(Data):
    """An element of `DescribeGroupsResponse.groups`."""

    error_code: int = 0
    error_message: str | None = None  # v6+
    """Why the group cannot be described."""
    group_id: str = ""
    group_state: str = ""
    """State of the group, such as Stable or Empty."""
    protocol_type: str = ""
    protocol_data: str = ""
    """Name of the selected assignor."""
    members: list[DescribedGroupMember] = []
    authorized_operations: int = -2147483648  # v3+
    """Bit field of AclOperation; -2147483648 if not requested."""


class DescribeGroupsResponse(ReadableMessage, WritableMessage):
    API_KEY = 15
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 5

    throttle_time_ms: int = 0  # v1+
    """Throttle time because of a quota; 0 for none."""
    groups: list[DescribedGroup] = []


def _read_describe_groups_request_v0_4(b: bytes, at: int, version: int) -> tuple[DescribeGroupsRequest, int]:
    size = len(b)
    m = new(DescribeGroupsRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 2 > size - at:
        raise count_error("groups", n)
    groups: list[str] = []
    m.groups = groups
    for _ in range(n):
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("groups is null")
        end = at + n
        group = b[at:end].decode("utf-8", "replace")
        at = end
        groups.append(group)
    if version >= 3:
        m.include_authorized_operations = _unpack_t(b, at)[0]
        at += 1
    else:
        m.include_authorized_operations = False
    if at > size:
        raise ProtocolError(f"DescribeGroupsRequest is {at - size} bytes short")
    return m, at


def _read_describe_groups_request_v5_6(b: bytes, at: int, version: int) -> tuple[DescribeGroupsRequest, int]:
    size = len(b)
    m = new(DescribeGroupsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise count_error("groups", n)
    groups: list[str] = []
    m.groups = groups
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("groups is null")
        end = at + n - 1
        group = b[at:end].decode("utf-8", "replace")
        at = end
        groups.append(group)
    m.include_authorized_operations, tags = _unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeGroupsRequest is {at - size} bytes short")
    return m, at


DescribeGroupsRequest.READERS = dict.fromkeys(range(0, 5), _read_describe_groups_request_v0_4) | dict.fromkeys(range(5, 7), _read_describe_groups_request_v5_6)


def _write_describe_groups_request_v0_4(m: DescribeGroupsRequest, out: bytearray, version: int) -> None:
    groups = m.groups
    out += _pack_i(len(groups))
    for group in groups:
        groups_bytes = group.encode()
        out += _pack_h(len(groups_bytes))
        out += groups_bytes
    if version >= 3:
        out += _pack_t(m.include_authorized_operations)
    else:
        if m.include_authorized_operations:
            raise absent_field_error("include_authorized_operations")


def _write_describe_groups_request_v5_6(m: DescribeGroupsRequest, out: bytearray, version: int) -> None:
    groups = m.groups
    n = len(groups) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for group in groups:
        groups_bytes = group.encode()
        n = len(groups_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += groups_bytes
    out += _pack_tx(m.include_authorized_operations)


DescribeGroupsRequest.WRITERS = dict.fromkeys(range(0, 5), _write_describe_groups_request_v0_4) | dict.fromkeys(range(5, 7), _write_describe_groups_request_v5_6)


def _read_describe_groups_response_v0_4(b: bytes, at: int, version: int) -> tuple[DescribeGroupsResponse, int]:
    size = len(b)
    m = new(DescribeGroupsResponse)
    if version >= 1:
        m.throttle_time_ms, n = _unpack_ii(b, at)
        at += 8
    else:
        m.throttle_time_ms = 0
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 14 > size - at:
        raise count_error("groups", n)
    groups: list[DescribedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(DescribedGroup)
        group.error_message = None
        group.error_code, n = _unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("group_id is null")
        end = at + n
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("group_state is null")
        end = at + n
        group.group_state = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("protocol_type is null")
        end = at + n
        group.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("protocol_data is null")
        end = at + n
        group.protocol_data = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise count_error("members", n)
        members: list[DescribedGroupMember] = []
        group.members = members
        for _ in range(n):
            member = new(DescribedGroupMember)
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("member_id is null")
            end = at + n
            member.member_id = b[at:end].decode("utf-8", "replace")
            at = end
            if version >= 4:
                n = _unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    member.group_instance_id = None
                else:
                    end = at + n
                    member.group_instance_id = b[at:end].decode("utf-8", "replace")
                    at = end
            else:
                member.group_instance_id = None
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("client_id is null")
            end = at + n
            member.client_id = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("client_host is null")
            end = at + n
            member.client_host = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0:
                raise ProtocolError("member_metadata is null")
            end = at + n
            member.member_metadata = b[at:end]
            at = end
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0:
                raise ProtocolError("member_assignment is null")
            end = at + n
            member.member_assignment = b[at:end]
            at = end
            members.append(member)
        if version >= 3:
            group.authorized_operations = _unpack_i(b, at)[0]
            at += 4
        else:
            group.authorized_operations = -2147483648
        groups.append(group)
    if at > size:
        raise ProtocolError(f"DescribeGroupsResponse is {at - size} bytes short")
    return m, at


def _read_describe_groups_response_v5_6(b: bytes, at: int, version: int) -> tuple[DescribeGroupsResponse, int]:
    size = len(b)
    m = new(DescribeGroupsResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 12 > size - at:
        raise count_error("groups", n)
    groups: list[DescribedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(DescribedGroup)
        if version >= 6:
            group.error_code, n = _unpack_hB(b, at)
            at += 3
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                group.error_message = None
            else:
                end = at + n - 1
                group.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            n = b[at]
            at += 1
        else:
            group.error_message = None
            group.error_code, n = _unpack_hB(b, at)
            at += 3
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_id is null")
        end = at + n - 1
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_state is null")
        end = at + n - 1
        group.group_state = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("protocol_type is null")
        end = at + n - 1
        group.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("protocol_data is null")
        end = at + n - 1
        group.protocol_data = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 7 > size - at:
            raise count_error("members", n)
        members: list[DescribedGroupMember] = []
        group.members = members
        for _ in range(n):
            member = new(DescribedGroupMember)
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
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("client_id is null")
            end = at + n - 1
            member.client_id = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("client_host is null")
            end = at + n - 1
            member.client_host = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("member_metadata is null")
            end = at + n - 1
            member.member_metadata = b[at:end]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("member_assignment is null")
            end = at + n - 1
            member.member_assignment = b[at:end]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            members.append(member)
        group.authorized_operations, tags = _unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tagged_fields(b, at, tags)
        groups.append(group)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeGroupsResponse is {at - size} bytes short")
    return m, at


DescribeGroupsResponse.READERS = dict.fromkeys(range(0, 5), _read_describe_groups_response_v0_4) | dict.fromkeys(range(5, 7), _read_describe_groups_response_v5_6)


def _write_describe_groups_response_v0_4(m: DescribeGroupsResponse, out: bytearray, version: int) -> None:
    groups = m.groups
    if version >= 1:
        out += _pack_ii(m.throttle_time_ms, len(groups))
    else:
        out += _pack_i(len(groups))
    for group in groups:
        if group.error_message is not None:
            raise absent_field_error("error_message")
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        out += _pack_hh(group.error_code, len(group_id_bytes))
        out += group_id_bytes
        group_state = group.group_state
        group_state_bytes = group_state.encode()
        out += _pack_h(len(group_state_bytes))
        out += group_state_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        out += _pack_h(len(protocol_type_bytes))
        out += protocol_type_bytes
        protocol_data = group.protocol_data
        protocol_data_bytes = protocol_data.encode()
        out += _pack_h(len(protocol_data_bytes))
        out += protocol_data_bytes
        members = group.members
        out += _pack_i(len(members))
        for member in members:
            member_id = member.member_id
            member_id_bytes = member_id.encode()
            out += _pack_h(len(member_id_bytes))
            out += member_id_bytes
            if version >= 4:
                group_instance_id = member.group_instance_id
                group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
                out += _pack_h(-1 if group_instance_id is None else len(group_instance_id_bytes))
                out += group_instance_id_bytes
            client_id = member.client_id
            client_id_bytes = client_id.encode()
            out += _pack_h(len(client_id_bytes))
            out += client_id_bytes
            client_host = member.client_host
            client_host_bytes = client_host.encode()
            out += _pack_h(len(client_host_bytes))
            out += client_host_bytes
            member_metadata = member.member_metadata
            out += _pack_i(len(member_metadata))
            out += member_metadata
            member_assignment = member.member_assignment
            out += _pack_i(len(member_assignment))
            out += member_assignment
        if version >= 3:
            out += _pack_i(group.authorized_operations)
        else:
            if group.authorized_operations != -2147483648:
                raise absent_field_error("authorized_operations")


def _write_describe_groups_response_v5_6(m: DescribeGroupsResponse, out: bytearray, version: int) -> None:
    groups = m.groups
    n = len(groups) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for group in groups:
        if version >= 6:
            error_message = group.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            n = 0 if error_message is None else len(error_message_bytes) + 1
            if n > 127:
                out += _pack_h(group.error_code)
                write_uvarint(out, n)
            else:
                out += _pack_hB(group.error_code, n)
            out += error_message_bytes
        else:
            if group.error_message is not None:
                raise absent_field_error("error_message")
            out += _pack_h(group.error_code)
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        group_state = group.group_state
        group_state_bytes = group_state.encode()
        n = len(group_state_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += group_state_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        n = len(protocol_type_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += protocol_type_bytes
        protocol_data = group.protocol_data
        protocol_data_bytes = protocol_data.encode()
        n = len(protocol_data_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += protocol_data_bytes
        members = group.members
        n = len(members) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
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
            client_id = member.client_id
            client_id_bytes = client_id.encode()
            n = len(client_id_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += client_id_bytes
            client_host = member.client_host
            client_host_bytes = client_host.encode()
            n = len(client_host_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += client_host_bytes
            member_metadata = member.member_metadata
            n = len(member_metadata) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += member_metadata
            member_assignment = member.member_assignment
            n = len(member_assignment) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += member_assignment
            out.append(0)
        out += _pack_ix(group.authorized_operations)
    out.append(0)


DescribeGroupsResponse.WRITERS = dict.fromkeys(range(0, 5), _write_describe_groups_response_v0_4) | dict.fromkeys(range(5, 7), _write_describe_groups_response_v5_6)
