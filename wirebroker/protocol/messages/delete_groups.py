"""DeleteGroups: forget empty groups and their offsets (KIP-229).

v1  answers before it throttles (KIP-219)
v2  flexible

Generated from protocol_specs/42_delete_groups by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_h = Struct(">h").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_ii = Struct(">ii").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from


class DeleteGroupsRequest(Message):
    API_KEY = 42
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("groups_names",)

    def __init__(
        self,
        groups_names: list[str] = UNSET,
    ) -> None:
        self.groups_names = [] if groups_names is UNSET else groups_names


class DeletableGroupResult(Data):
    __slots__ = FIELDS = ("group_id", "error_code")

    def __init__(
        self,
        group_id: str = "",
        error_code: int = 0,
    ) -> None:
        self.group_id = group_id
        self.error_code = error_code


class DeleteGroupsResponse(Message):
    API_KEY = 42
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("throttle_time_ms", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[DeletableGroupResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results


def _read_delete_groups_request_v0_1(b: bytes, at: int) -> tuple[DeleteGroupsRequest, int]:
    size = len(b)
    m = new(DeleteGroupsRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 2 > size - at:
        raise fault_length("groups_names", n)
    groups_names: list[str] = []
    m.groups_names = groups_names
    for _ in range(n):
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("groups_names is null")
        end = at + n
        groups_name = b[at:end].decode("utf-8", "replace")
        at = end
        groups_names.append(groups_name)
    if at > size:
        raise ProtocolError(f"DeleteGroupsRequest is {at - size} bytes short")
    return m, at


def _read_delete_groups_request_v2(b: bytes, at: int) -> tuple[DeleteGroupsRequest, int]:
    size = len(b)
    m = new(DeleteGroupsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("groups_names", n)
    groups_names: list[str] = []
    m.groups_names = groups_names
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("groups_names is null")
        end = at + n - 1
        groups_name = b[at:end].decode("utf-8", "replace")
        at = end
        groups_names.append(groups_name)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteGroupsRequest is {at - size} bytes short")
    return m, at


def _write_delete_groups_request_v0_1(m: DeleteGroupsRequest, out: bytearray) -> None:
    groups_names = m.groups_names
    out += pack_i(len(groups_names))
    for groups_name in groups_names:
        groups_names_bytes = groups_name.encode()
        out += pack_h(len(groups_names_bytes))
        out += groups_names_bytes


def _write_delete_groups_request_v2(m: DeleteGroupsRequest, out: bytearray) -> None:
    groups_names = m.groups_names
    n = len(groups_names) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for groups_name in groups_names:
        groups_names_bytes = groups_name.encode()
        n = len(groups_names_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += groups_names_bytes
    out.append(0)


def _read_delete_groups_response_v0_1(b: bytes, at: int) -> tuple[DeleteGroupsResponse, int]:
    size = len(b)
    m = new(DeleteGroupsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 4 > size - at:
        raise fault_length("results", n)
    results: list[DeletableGroupResult] = []
    m.results = results
    for _ in range(n):
        result = new(DeletableGroupResult)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("group_id is null")
        end = at + n
        result.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        result.error_code = unpack_h(b, at)[0]
        at += 2
        results.append(result)
    if at > size:
        raise ProtocolError(f"DeleteGroupsResponse is {at - size} bytes short")
    return m, at


def _read_delete_groups_response_v2(b: bytes, at: int) -> tuple[DeleteGroupsResponse, int]:
    size = len(b)
    m = new(DeleteGroupsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("results", n)
    results: list[DeletableGroupResult] = []
    m.results = results
    for _ in range(n):
        result = new(DeletableGroupResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_id is null")
        end = at + n - 1
        result.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        result.error_code, tags = unpack_hB(b, at)
        at += 3
        if tags:
            at = skip_tags(b, at, tags)
        results.append(result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteGroupsResponse is {at - size} bytes short")
    return m, at


def _write_delete_groups_response_v0_1(m: DeleteGroupsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_ii(m.throttle_time_ms, len(results))
    for result in results:
        group_id = result.group_id
        group_id_bytes = group_id.encode()
        out += pack_h(len(group_id_bytes))
        out += group_id_bytes
        out += pack_h(result.error_code)


def _write_delete_groups_response_v2(m: DeleteGroupsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_i(m.throttle_time_ms)
    n = len(results) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for result in results:
        group_id = result.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        out += pack_hx(result.error_code)
    out.append(0)


DeleteGroupsRequest.READERS = {
    0: _read_delete_groups_request_v0_1,
    1: _read_delete_groups_request_v0_1,
    2: _read_delete_groups_request_v2,
}
DeleteGroupsRequest.WRITERS = {
    0: _write_delete_groups_request_v0_1,
    1: _write_delete_groups_request_v0_1,
    2: _write_delete_groups_request_v2,
}
DeleteGroupsResponse.READERS = {
    0: _read_delete_groups_response_v0_1,
    1: _read_delete_groups_response_v0_1,
    2: _read_delete_groups_response_v2,
}
DeleteGroupsResponse.WRITERS = {
    0: _write_delete_groups_response_v0_1,
    1: _write_delete_groups_response_v0_1,
    2: _write_delete_groups_response_v2,
}
