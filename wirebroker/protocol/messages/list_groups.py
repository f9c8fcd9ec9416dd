"""ListGroups: the groups that this broker coordinates.

v1  throttle_time_ms (KIP-124)
v2  responds before it throttles (KIP-219)
v3  flexible
v4  filter by state (KIP-518)
v5  filter by type (KIP-848)

Generated from protocol_specs/16_list_groups by tools/codegen: do not edit.
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
_pack_hi = Struct(">hi").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihi = Struct(">ihi").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hi = Struct(">hi").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ihi = Struct(">ihi").unpack_from


class ListGroupsRequest(ReadableMessage, WritableMessage):
    API_KEY = 16
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3

    states_filter: list[str] = []
    """Empty: all states."""
    types_filter: list[str] = []  # v5+
    """Classic, consumer, share, streams; empty: all."""


class ListedGroup(Data):
    """An element of `ListGroupsResponse.groups`."""

    group_id: str = ""
    protocol_type: str = ""
    group_state: str = ""  # v4+
    """State of the group, such as Stable or Empty."""
    group_type: str = ""  # v5+


class ListGroupsResponse(ReadableMessage, WritableMessage):
    API_KEY = 16
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3

    throttle_time_ms: int = 0  # v1+
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    groups: list[ListedGroup] = []


def _read_list_groups_request_v0_2(b: bytes, at: int, version: int) -> tuple[ListGroupsRequest, int]:
    size = len(b)
    m = new(ListGroupsRequest)
    m.states_filter = []
    m.types_filter = []
    if at > size:
        raise ProtocolError(f"ListGroupsRequest is {at - size} bytes short")
    return m, at


def _read_list_groups_request_v3_5(b: bytes, at: int, version: int) -> tuple[ListGroupsRequest, int]:
    size = len(b)
    m = new(ListGroupsRequest)
    if version >= 4:
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n > size - at:
            raise count_error("states_filter", n)
        states_filter: list[str] = []
        m.states_filter = states_filter
        for _ in range(n):
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("states_filter is null")
            end = at + n - 1
            states_filter_item = b[at:end].decode("utf-8", "replace")
            at = end
            states_filter.append(states_filter_item)
        if version >= 5:
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n > size - at:
                raise count_error("types_filter", n)
            types_filter: list[str] = []
            m.types_filter = types_filter
            for _ in range(n):
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("types_filter is null")
                end = at + n - 1
                types_filter_item = b[at:end].decode("utf-8", "replace")
                at = end
                types_filter.append(types_filter_item)
        else:
            m.types_filter = []
        tags = b[at]
        at += 1
    else:
        m.states_filter = []
        m.types_filter = []
        tags = b[at]
        at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListGroupsRequest is {at - size} bytes short")
    return m, at


ListGroupsRequest.READERS = dict.fromkeys(range(0, 3), _read_list_groups_request_v0_2) | dict.fromkeys(range(3, 6), _read_list_groups_request_v3_5)


def _write_list_groups_request_v0_2(m: ListGroupsRequest, out: bytearray, version: int) -> None:
    if m.states_filter:
        raise absent_field_error("states_filter")
    if m.types_filter:
        raise absent_field_error("types_filter")


def _write_list_groups_request_v3_5(m: ListGroupsRequest, out: bytearray, version: int) -> None:
    if version >= 4:
        states_filter = m.states_filter
        n = len(states_filter) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for states_filter_item in states_filter:
            states_filter_bytes = states_filter_item.encode()
            n = len(states_filter_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += states_filter_bytes
        if version >= 5:
            types_filter = m.types_filter
            n = len(types_filter) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            for types_filter_item in types_filter:
                types_filter_bytes = types_filter_item.encode()
                n = len(types_filter_bytes) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += types_filter_bytes
        else:
            if m.types_filter:
                raise absent_field_error("types_filter")
        out.append(0)
    else:
        if m.states_filter:
            raise absent_field_error("states_filter")
        if m.types_filter:
            raise absent_field_error("types_filter")
        out.append(0)


ListGroupsRequest.WRITERS = dict.fromkeys(range(0, 3), _write_list_groups_request_v0_2) | dict.fromkeys(range(3, 6), _write_list_groups_request_v3_5)


def _read_list_groups_response_v0_2(b: bytes, at: int, version: int) -> tuple[ListGroupsResponse, int]:
    size = len(b)
    m = new(ListGroupsResponse)
    if version >= 1:
        m.throttle_time_ms, m.error_code, n = _unpack_ihi(b, at)
        at += 10
    else:
        m.throttle_time_ms = 0
        m.error_code, n = _unpack_hi(b, at)
        at += 6
    if n < 0 or n * 4 > size - at:
        raise count_error("groups", n)
    groups: list[ListedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(ListedGroup)
        group.group_state = ""
        group.group_type = ""
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("group_id is null")
        end = at + n
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("protocol_type is null")
        end = at + n
        group.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
        groups.append(group)
    if at > size:
        raise ProtocolError(f"ListGroupsResponse is {at - size} bytes short")
    return m, at


def _read_list_groups_response_v3_5(b: bytes, at: int, version: int) -> tuple[ListGroupsResponse, int]:
    size = len(b)
    m = new(ListGroupsResponse)
    m.throttle_time_ms, m.error_code, n = _unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("groups", n)
    groups: list[ListedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(ListedGroup)
        n = b[at]
        at += 1
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
            raise ProtocolError("protocol_type is null")
        end = at + n - 1
        group.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
        if version >= 4:
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("group_state is null")
            end = at + n - 1
            group.group_state = b[at:end].decode("utf-8", "replace")
            at = end
            if version >= 5:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("group_type is null")
                end = at + n - 1
                group.group_type = b[at:end].decode("utf-8", "replace")
                at = end
            else:
                group.group_type = ""
            tags = b[at]
            at += 1
        else:
            group.group_state = ""
            group.group_type = ""
            tags = b[at]
            at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        groups.append(group)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListGroupsResponse is {at - size} bytes short")
    return m, at


ListGroupsResponse.READERS = dict.fromkeys(range(0, 3), _read_list_groups_response_v0_2) | dict.fromkeys(range(3, 6), _read_list_groups_response_v3_5)


def _write_list_groups_response_v0_2(m: ListGroupsResponse, out: bytearray, version: int) -> None:
    groups = m.groups
    if version >= 1:
        out += _pack_ihi(m.throttle_time_ms, m.error_code, len(groups))
    else:
        out += _pack_hi(m.error_code, len(groups))
    for group in groups:
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        out += _pack_h(len(group_id_bytes))
        out += group_id_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        out += _pack_h(len(protocol_type_bytes))
        out += protocol_type_bytes


def _write_list_groups_response_v3_5(m: ListGroupsResponse, out: bytearray, version: int) -> None:
    groups = m.groups
    n = len(groups) + 1
    if n > 127:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
    for group in groups:
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        n = len(protocol_type_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += protocol_type_bytes
        if version >= 4:
            group_state = group.group_state
            group_state_bytes = group_state.encode()
            n = len(group_state_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += group_state_bytes
            if version >= 5:
                group_type = group.group_type
                group_type_bytes = group_type.encode()
                n = len(group_type_bytes) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += group_type_bytes
            out.append(0)
        else:
            out.append(0)
    out.append(0)


ListGroupsResponse.WRITERS = dict.fromkeys(range(0, 3), _write_list_groups_response_v0_2) | dict.fromkeys(range(3, 6), _write_list_groups_response_v3_5)
