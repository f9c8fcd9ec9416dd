"""ListGroups: the groups that the asked broker coordinates.

v1  throttle_time_ms (KIP-124)
v2  answers before it throttles (KIP-219)
v3  flexible
v4  filter by state (KIP-518)
v5  filter by type (KIP-848)

Generated from protocol_specs/16_list_groups by tools/codegen: do not edit.
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
pack_ih = Struct(">ih").pack
pack_ihi = Struct(">ihi").pack
unpack_h = Struct(">h").unpack_from
unpack_hi = Struct(">hi").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihi = Struct(">ihi").unpack_from


class ListGroupsRequest(Message):
    API_KEY = 16
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = ("states_filter", "types_filter")

    def __init__(
        self,
        states_filter: list[str] = UNSET,
        types_filter: list[str] = UNSET,
    ) -> None:
        self.states_filter = [] if states_filter is UNSET else states_filter
        self.types_filter = [] if types_filter is UNSET else types_filter


class ListedGroup(Data):
    __slots__ = FIELDS = ("group_id", "protocol_type", "group_state", "group_type")

    def __init__(
        self,
        group_id: str = "",
        protocol_type: str = "",
        group_state: str = "",
        group_type: str = "",
    ) -> None:
        self.group_id = group_id
        self.protocol_type = protocol_type
        self.group_state = group_state
        self.group_type = group_type


class ListGroupsResponse(Message):
    API_KEY = 16
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "groups")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        groups: list[ListedGroup] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.groups = [] if groups is UNSET else groups


def _read_list_groups_request_v0_2(b: bytes, at: int) -> tuple[ListGroupsRequest, int]:
    size = len(b)
    m = new(ListGroupsRequest)
    m.states_filter = []
    m.types_filter = []
    if at > size:
        raise ProtocolError(f"ListGroupsRequest is {at - size} bytes short")
    return m, at


def _read_list_groups_request_v3(b: bytes, at: int) -> tuple[ListGroupsRequest, int]:
    size = len(b)
    m = new(ListGroupsRequest)
    m.states_filter = []
    m.types_filter = []
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListGroupsRequest is {at - size} bytes short")
    return m, at


def _read_list_groups_request_v4(b: bytes, at: int) -> tuple[ListGroupsRequest, int]:
    size = len(b)
    m = new(ListGroupsRequest)
    m.types_filter = []
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("states_filter", n)
    states_filter: list[str] = []
    m.states_filter = states_filter
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("states_filter is null")
        end = at + n - 1
        states_filter_item = b[at:end].decode("utf-8", "replace")
        at = end
        states_filter.append(states_filter_item)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListGroupsRequest is {at - size} bytes short")
    return m, at


def _read_list_groups_request_v5(b: bytes, at: int) -> tuple[ListGroupsRequest, int]:
    size = len(b)
    m = new(ListGroupsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("states_filter", n)
    states_filter: list[str] = []
    m.states_filter = states_filter
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("states_filter is null")
        end = at + n - 1
        states_filter_item = b[at:end].decode("utf-8", "replace")
        at = end
        states_filter.append(states_filter_item)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("types_filter", n)
    types_filter: list[str] = []
    m.types_filter = types_filter
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("types_filter is null")
        end = at + n - 1
        types_filter_item = b[at:end].decode("utf-8", "replace")
        at = end
        types_filter.append(types_filter_item)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListGroupsRequest is {at - size} bytes short")
    return m, at


def _write_list_groups_request_v0_2(m: ListGroupsRequest, out: bytearray) -> None:
    if m.states_filter:
        raise fault_absent("states_filter")
    if m.types_filter:
        raise fault_absent("types_filter")


def _write_list_groups_request_v3(m: ListGroupsRequest, out: bytearray) -> None:
    if m.states_filter:
        raise fault_absent("states_filter")
    if m.types_filter:
        raise fault_absent("types_filter")
    out.append(0)


def _write_list_groups_request_v4(m: ListGroupsRequest, out: bytearray) -> None:
    if m.types_filter:
        raise fault_absent("types_filter")
    states_filter = m.states_filter
    n = len(states_filter) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for states_filter_item in states_filter:
        states_filter_bytes = states_filter_item.encode()
        n = len(states_filter_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += states_filter_bytes
    out.append(0)


def _write_list_groups_request_v5(m: ListGroupsRequest, out: bytearray) -> None:
    states_filter = m.states_filter
    n = len(states_filter) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for states_filter_item in states_filter:
        states_filter_bytes = states_filter_item.encode()
        n = len(states_filter_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += states_filter_bytes
    types_filter = m.types_filter
    n = len(types_filter) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for types_filter_item in types_filter:
        types_filter_bytes = types_filter_item.encode()
        n = len(types_filter_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += types_filter_bytes
    out.append(0)


def _read_list_groups_response_v0(b: bytes, at: int) -> tuple[ListGroupsResponse, int]:
    size = len(b)
    m = new(ListGroupsResponse)
    m.throttle_time_ms = 0
    m.error_code, n = unpack_hi(b, at)
    at += 6
    if n < 0 or n * 4 > size - at:
        raise fault_length("groups", n)
    groups: list[ListedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(ListedGroup)
        group.group_state = ""
        group.group_type = ""
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("group_id is null")
        end = at + n
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
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


def _read_list_groups_response_v1_2(b: bytes, at: int) -> tuple[ListGroupsResponse, int]:
    size = len(b)
    m = new(ListGroupsResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihi(b, at)
    at += 10
    if n < 0 or n * 4 > size - at:
        raise fault_length("groups", n)
    groups: list[ListedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(ListedGroup)
        group.group_state = ""
        group.group_type = ""
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("group_id is null")
        end = at + n
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
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


def _read_list_groups_response_v3(b: bytes, at: int) -> tuple[ListGroupsResponse, int]:
    size = len(b)
    m = new(ListGroupsResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("groups", n)
    groups: list[ListedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(ListedGroup)
        group.group_state = ""
        group.group_type = ""
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
            raise ProtocolError("protocol_type is null")
        end = at + n - 1
        group.protocol_type = b[at:end].decode("utf-8", "replace")
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        groups.append(group)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListGroupsResponse is {at - size} bytes short")
    return m, at


def _read_list_groups_response_v4(b: bytes, at: int) -> tuple[ListGroupsResponse, int]:
    size = len(b)
    m = new(ListGroupsResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("groups", n)
    groups: list[ListedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(ListedGroup)
        group.group_type = ""
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
            raise ProtocolError("protocol_type is null")
        end = at + n - 1
        group.protocol_type = b[at:end].decode("utf-8", "replace")
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
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        groups.append(group)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListGroupsResponse is {at - size} bytes short")
    return m, at


def _read_list_groups_response_v5(b: bytes, at: int) -> tuple[ListGroupsResponse, int]:
    size = len(b)
    m = new(ListGroupsResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise fault_length("groups", n)
    groups: list[ListedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(ListedGroup)
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
            raise ProtocolError("protocol_type is null")
        end = at + n - 1
        group.protocol_type = b[at:end].decode("utf-8", "replace")
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
            raise ProtocolError("group_type is null")
        end = at + n - 1
        group.group_type = b[at:end].decode("utf-8", "replace")
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        groups.append(group)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListGroupsResponse is {at - size} bytes short")
    return m, at


def _write_list_groups_response_v0(m: ListGroupsResponse, out: bytearray) -> None:
    groups = m.groups
    out += pack_hi(m.error_code, len(groups))
    for group in groups:
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        out += pack_h(len(group_id_bytes))
        out += group_id_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        out += pack_h(len(protocol_type_bytes))
        out += protocol_type_bytes


def _write_list_groups_response_v1_2(m: ListGroupsResponse, out: bytearray) -> None:
    groups = m.groups
    out += pack_ihi(m.throttle_time_ms, m.error_code, len(groups))
    for group in groups:
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        out += pack_h(len(group_id_bytes))
        out += group_id_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        out += pack_h(len(protocol_type_bytes))
        out += protocol_type_bytes


def _write_list_groups_response_v3(m: ListGroupsResponse, out: bytearray) -> None:
    groups = m.groups
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = len(groups) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for group in groups:
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        n = len(protocol_type_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += protocol_type_bytes
        out.append(0)
    out.append(0)


def _write_list_groups_response_v4(m: ListGroupsResponse, out: bytearray) -> None:
    groups = m.groups
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = len(groups) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for group in groups:
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        n = len(protocol_type_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += protocol_type_bytes
        group_state = group.group_state
        group_state_bytes = group_state.encode()
        n = len(group_state_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_state_bytes
        out.append(0)
    out.append(0)


def _write_list_groups_response_v5(m: ListGroupsResponse, out: bytearray) -> None:
    groups = m.groups
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = len(groups) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for group in groups:
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        protocol_type = group.protocol_type
        protocol_type_bytes = protocol_type.encode()
        n = len(protocol_type_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += protocol_type_bytes
        group_state = group.group_state
        group_state_bytes = group_state.encode()
        n = len(group_state_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_state_bytes
        group_type = group.group_type
        group_type_bytes = group_type.encode()
        n = len(group_type_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_type_bytes
        out.append(0)
    out.append(0)


ListGroupsRequest.READERS = {
    0: _read_list_groups_request_v0_2,
    1: _read_list_groups_request_v0_2,
    2: _read_list_groups_request_v0_2,
    3: _read_list_groups_request_v3,
    4: _read_list_groups_request_v4,
    5: _read_list_groups_request_v5,
}
ListGroupsRequest.WRITERS = {
    0: _write_list_groups_request_v0_2,
    1: _write_list_groups_request_v0_2,
    2: _write_list_groups_request_v0_2,
    3: _write_list_groups_request_v3,
    4: _write_list_groups_request_v4,
    5: _write_list_groups_request_v5,
}
ListGroupsResponse.READERS = {
    0: _read_list_groups_response_v0,
    1: _read_list_groups_response_v1_2,
    2: _read_list_groups_response_v1_2,
    3: _read_list_groups_response_v3,
    4: _read_list_groups_response_v4,
    5: _read_list_groups_response_v5,
}
ListGroupsResponse.WRITERS = {
    0: _write_list_groups_response_v0,
    1: _write_list_groups_response_v1_2,
    2: _write_list_groups_response_v1_2,
    3: _write_list_groups_response_v3,
    4: _write_list_groups_response_v4,
    5: _write_list_groups_response_v5,
}
