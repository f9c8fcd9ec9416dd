"""DeleteAcls: delete the ACLs that match filters (KIP-140).

v1  pattern types (KIP-290); responds before it throttles (KIP-219)
v2  flexible
v3  user resources (KIP-373)

Generated from protocol_specs/31_delete_acls by tools/codegen: do not edit.
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

_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_bb = Struct(">bb").pack
_pack_bbx = Struct(">bbx").pack
_pack_bh = Struct(">bh").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_bb = Struct(">bb").unpack_from
_unpack_bbB = Struct(">bbB").unpack_from
_unpack_bh = Struct(">bh").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from


class DeleteAclsFilter(Data):
    """An element of `DeleteAclsRequest.filters`."""

    resource_type_filter: int = 0
    resource_name_filter: str | None = ""
    """Null matches any."""
    pattern_type_filter: int = 3  # v1+
    """PatternType: 1 any, 2 match, 3 literal, 4 prefixed."""
    principal_filter: str | None = ""
    """Null matches any."""
    host_filter: str | None = ""
    """Null matches any."""
    operation: int = 0
    """AclOperation: 1 any, 2 all, 3 read, 4 write, ..."""
    permission_type: int = 0
    """AclPermissionType: 2 deny, 3 allow; filters also 1 any."""


class DeleteAclsRequest(ReadableMessage):
    API_KEY = 31
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2

    filters: list[DeleteAclsFilter] = []


class DeleteAclsMatchingAcl(Data):
    """An element of `DeleteAclsFilterResult.matching_acls`."""

    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    """ResourceType: 2 topic, 3 group, 4 cluster, 5 transactional id, 6 delegation token; filters also 1 any."""
    resource_name: str = ""
    pattern_type: int = 3  # v1+
    """PatternType: 3 literal, 4 prefixed."""
    principal: str = ""
    """Principal, such as User:alice."""
    host: str = ""
    operation: int = 0
    """AclOperation: 1 any, 2 all, 3 read, 4 write, ..."""
    permission_type: int = 0
    """AclPermissionType: 2 deny, 3 allow; filters also 1 any."""


class DeleteAclsFilterResult(Data):
    """An element of `DeleteAclsResponse.filter_results`."""

    error_code: int = 0
    error_message: str | None = ""
    matching_acls: list[DeleteAclsMatchingAcl] = []


class DeleteAclsResponse(WritableMessage):
    API_KEY = 31
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    filter_results: list[DeleteAclsFilterResult] = []


def _read_delete_acls_request_v0_1(b: bytes, at: int, version: int) -> tuple[DeleteAclsRequest, int]:
    size = len(b)
    m = new(DeleteAclsRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 9 > size - at:
        raise count_error("filters", n)
    filters: list[DeleteAclsFilter] = []
    m.filters = filters
    for _ in range(n):
        filter = new(DeleteAclsFilter)
        filter.resource_type_filter, n = _unpack_bh(b, at)
        at += 3
        if n < 0:
            filter.resource_name_filter = None
        else:
            end = at + n
            filter.resource_name_filter = b[at:end].decode("utf-8", "replace")
            at = end
        if version >= 1:
            filter.pattern_type_filter, n = _unpack_bh(b, at)
            at += 3
        else:
            filter.pattern_type_filter = 3
            n = _unpack_h(b, at)[0]
            at += 2
        if n < 0:
            filter.principal_filter = None
        else:
            end = at + n
            filter.principal_filter = b[at:end].decode("utf-8", "replace")
            at = end
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            filter.host_filter = None
        else:
            end = at + n
            filter.host_filter = b[at:end].decode("utf-8", "replace")
            at = end
        filter.operation, filter.permission_type = _unpack_bb(b, at)
        at += 2
        filters.append(filter)
    if at > size:
        raise ProtocolError(f"DeleteAclsRequest is {at - size} bytes short")
    return m, at


def _read_delete_acls_request_v2_3(b: bytes, at: int, version: int) -> tuple[DeleteAclsRequest, int]:
    size = len(b)
    m = new(DeleteAclsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 8 > size - at:
        raise count_error("filters", n)
    filters: list[DeleteAclsFilter] = []
    m.filters = filters
    for _ in range(n):
        filter = new(DeleteAclsFilter)
        filter.resource_type_filter, n = _unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            filter.resource_name_filter = None
        else:
            end = at + n - 1
            filter.resource_name_filter = b[at:end].decode("utf-8", "replace")
            at = end
        filter.pattern_type_filter, n = _unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            filter.principal_filter = None
        else:
            end = at + n - 1
            filter.principal_filter = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            filter.host_filter = None
        else:
            end = at + n - 1
            filter.host_filter = b[at:end].decode("utf-8", "replace")
            at = end
        filter.operation, filter.permission_type, tags = _unpack_bbB(b, at)
        at += 3
        if tags:
            at = skip_tagged_fields(b, at, tags)
        filters.append(filter)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteAclsRequest is {at - size} bytes short")
    return m, at


DeleteAclsRequest.READERS = dict.fromkeys(range(0, 2), _read_delete_acls_request_v0_1) | dict.fromkeys(range(2, 4), _read_delete_acls_request_v2_3)


def _write_delete_acls_response_v0_1(m: DeleteAclsResponse, out: bytearray, version: int) -> None:
    filter_results = m.filter_results
    out += _pack_ii(m.throttle_time_ms, len(filter_results))
    for filter_result in filter_results:
        error_message = filter_result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += _pack_hh(filter_result.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes
        matching_acls = filter_result.matching_acls
        out += _pack_i(len(matching_acls))
        for matching_acl in matching_acls:
            error_message2 = matching_acl.error_message
            error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
            out += _pack_hh(matching_acl.error_code, -1 if error_message2 is None else len(error_message_bytes2))
            out += error_message_bytes2
            resource_name = matching_acl.resource_name
            resource_name_bytes = resource_name.encode()
            out += _pack_bh(matching_acl.resource_type, len(resource_name_bytes))
            out += resource_name_bytes
            principal = matching_acl.principal
            principal_bytes = principal.encode()
            if version >= 1:
                out += _pack_bh(matching_acl.pattern_type, len(principal_bytes))
            else:
                if matching_acl.pattern_type != 3:
                    raise absent_field_error("pattern_type")
                out += _pack_h(len(principal_bytes))
            out += principal_bytes
            host = matching_acl.host
            host_bytes = host.encode()
            out += _pack_h(len(host_bytes))
            out += host_bytes
            out += _pack_bb(matching_acl.operation, matching_acl.permission_type)


def _write_delete_acls_response_v2_3(m: DeleteAclsResponse, out: bytearray, version: int) -> None:
    filter_results = m.filter_results
    n = len(filter_results) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for filter_result in filter_results:
        error_message = filter_result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            out += _pack_h(filter_result.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_hB(filter_result.error_code, n)
        out += error_message_bytes
        matching_acls = filter_result.matching_acls
        n = len(matching_acls) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for matching_acl in matching_acls:
            error_message2 = matching_acl.error_message
            error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
            n = 0 if error_message2 is None else len(error_message_bytes2) + 1
            if n > 127:
                out += _pack_h(matching_acl.error_code)
                write_uvarint(out, n)
            else:
                out += _pack_hB(matching_acl.error_code, n)
            out += error_message_bytes2
            resource_name = matching_acl.resource_name
            resource_name_bytes = resource_name.encode()
            n = len(resource_name_bytes) + 1
            if n > 127:
                out += _pack_b(matching_acl.resource_type)
                write_uvarint(out, n)
            else:
                out += _pack_bB(matching_acl.resource_type, n)
            out += resource_name_bytes
            principal = matching_acl.principal
            principal_bytes = principal.encode()
            n = len(principal_bytes) + 1
            if n > 127:
                out += _pack_b(matching_acl.pattern_type)
                write_uvarint(out, n)
            else:
                out += _pack_bB(matching_acl.pattern_type, n)
            out += principal_bytes
            host = matching_acl.host
            host_bytes = host.encode()
            n = len(host_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += host_bytes
            out += _pack_bbx(matching_acl.operation, matching_acl.permission_type)
        out.append(0)
    out.append(0)


DeleteAclsResponse.WRITERS = dict.fromkeys(range(0, 2), _write_delete_acls_response_v0_1) | dict.fromkeys(range(2, 4), _write_delete_acls_response_v2_3)
