"""DeleteGroups: delete empty groups and their offsets (KIP-229).

v1  responds before it throttles (KIP-219)
v2  flexible

Generated from protocol_specs/42_delete_groups by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import count_error, new, read_long_uvarint, skip_tagged_fields, write_uvarint

_pack_h = Struct(">h").pack
_pack_hx = Struct(">hx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from


class DeleteGroupsRequest(ReadableMessage, WritableMessage):
    API_KEY = 42
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2

    groups_names: list[str] = []


class DeletableGroupResult(Data):
    """An element of `DeleteGroupsResponse.results`."""

    group_id: str = ""
    error_code: int = 0


class DeleteGroupsResponse(ReadableMessage, WritableMessage):
    API_KEY = 42
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    results: list[DeletableGroupResult] = []


def _read_delete_groups_request_v0_1(b: bytes, at: int, version: int) -> tuple[DeleteGroupsRequest, int]:
    size = len(b)
    m = new(DeleteGroupsRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 2 > size - at:
        raise count_error("groups_names", n)
    groups_names: list[str] = []
    m.groups_names = groups_names
    for _ in range(n):
        n = _unpack_h(b, at)[0]
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


def _read_delete_groups_request_v2(b: bytes, at: int, version: int) -> tuple[DeleteGroupsRequest, int]:
    size = len(b)
    m = new(DeleteGroupsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise count_error("groups_names", n)
    groups_names: list[str] = []
    m.groups_names = groups_names
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("groups_names is null")
        end = at + n - 1
        groups_name = b[at:end].decode("utf-8", "replace")
        at = end
        groups_names.append(groups_name)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteGroupsRequest is {at - size} bytes short")
    return m, at


DeleteGroupsRequest.READERS = dict.fromkeys(range(0, 2), _read_delete_groups_request_v0_1) | dict.fromkeys(range(2, 3), _read_delete_groups_request_v2)


def _write_delete_groups_request_v0_1(m: DeleteGroupsRequest, out: bytearray, version: int) -> None:
    groups_names = m.groups_names
    out += _pack_i(len(groups_names))
    for groups_name in groups_names:
        groups_names_bytes = groups_name.encode()
        out += _pack_h(len(groups_names_bytes))
        out += groups_names_bytes


def _write_delete_groups_request_v2(m: DeleteGroupsRequest, out: bytearray, version: int) -> None:
    groups_names = m.groups_names
    n = len(groups_names) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for groups_name in groups_names:
        groups_names_bytes = groups_name.encode()
        n = len(groups_names_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += groups_names_bytes
    out.append(0)


DeleteGroupsRequest.WRITERS = dict.fromkeys(range(0, 2), _write_delete_groups_request_v0_1) | dict.fromkeys(range(2, 3), _write_delete_groups_request_v2)


def _read_delete_groups_response_v0_1(b: bytes, at: int, version: int) -> tuple[DeleteGroupsResponse, int]:
    size = len(b)
    m = new(DeleteGroupsResponse)
    m.throttle_time_ms, n = _unpack_ii(b, at)
    at += 8
    if n < 0 or n * 4 > size - at:
        raise count_error("results", n)
    results: list[DeletableGroupResult] = []
    m.results = results
    for _ in range(n):
        result = new(DeletableGroupResult)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("group_id is null")
        end = at + n
        result.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        result.error_code = _unpack_h(b, at)[0]
        at += 2
        results.append(result)
    if at > size:
        raise ProtocolError(f"DeleteGroupsResponse is {at - size} bytes short")
    return m, at


def _read_delete_groups_response_v2(b: bytes, at: int, version: int) -> tuple[DeleteGroupsResponse, int]:
    size = len(b)
    m = new(DeleteGroupsResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise count_error("results", n)
    results: list[DeletableGroupResult] = []
    m.results = results
    for _ in range(n):
        result = new(DeletableGroupResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_id is null")
        end = at + n - 1
        result.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        result.error_code, tags = _unpack_hB(b, at)
        at += 3
        if tags:
            at = skip_tagged_fields(b, at, tags)
        results.append(result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteGroupsResponse is {at - size} bytes short")
    return m, at


DeleteGroupsResponse.READERS = dict.fromkeys(range(0, 2), _read_delete_groups_response_v0_1) | dict.fromkeys(range(2, 3), _read_delete_groups_response_v2)


def _write_delete_groups_response_v0_1(m: DeleteGroupsResponse, out: bytearray, version: int) -> None:
    results = m.results
    out += _pack_ii(m.throttle_time_ms, len(results))
    for result in results:
        group_id = result.group_id
        group_id_bytes = group_id.encode()
        out += _pack_h(len(group_id_bytes))
        out += group_id_bytes
        out += _pack_h(result.error_code)


def _write_delete_groups_response_v2(m: DeleteGroupsResponse, out: bytearray, version: int) -> None:
    results = m.results
    n = len(results) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for result in results:
        group_id = result.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        out += _pack_hx(result.error_code)
    out.append(0)


DeleteGroupsResponse.WRITERS = dict.fromkeys(range(0, 2), _write_delete_groups_response_v0_1) | dict.fromkeys(range(2, 3), _write_delete_groups_response_v2)
