"""DeleteAcls: remove the ACLs that match filters (KIP-140).

v1  pattern types (KIP-290); answers before it throttles (KIP-219)
v2  flexible
v3  user resources (KIP-373)

Generated from protocol_specs/31_delete_acls by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_b = Struct(">b").pack
pack_bb = Struct(">bb").pack
pack_bbx = Struct(">bbx").pack
pack_bh = Struct(">bh").pack
pack_h = Struct(">h").pack
pack_hh = Struct(">hh").pack
pack_i = Struct(">i").pack
pack_ii = Struct(">ii").pack
unpack_bB = Struct(">bB").unpack_from
unpack_bb = Struct(">bb").unpack_from
unpack_bbB = Struct(">bbB").unpack_from
unpack_bh = Struct(">bh").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from


class DeleteAclsFilter(Data):
    __slots__ = FIELDS = (
        "resource_type_filter",
        "resource_name_filter",
        "pattern_type_filter",
        "principal_filter",
        "host_filter",
        "operation",
        "permission_type",
    )

    def __init__(
        self,
        resource_type_filter: int = 0,
        resource_name_filter: str | None = "",
        pattern_type_filter: int = 3,
        principal_filter: str | None = "",
        host_filter: str | None = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.resource_type_filter = resource_type_filter
        self.resource_name_filter = resource_name_filter
        self.pattern_type_filter = pattern_type_filter
        self.principal_filter = principal_filter
        self.host_filter = host_filter
        self.operation = operation
        self.permission_type = permission_type


class DeleteAclsRequest(Message):
    API_KEY = 31
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("filters",)

    def __init__(
        self,
        filters: list[DeleteAclsFilter] = UNSET,
    ) -> None:
        self.filters = [] if filters is UNSET else filters


class DeleteAclsMatchingAcl(Data):
    __slots__ = FIELDS = (
        "error_code",
        "error_message",
        "resource_type",
        "resource_name",
        "pattern_type",
        "principal",
        "host",
        "operation",
        "permission_type",
    )

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        resource_type: int = 0,
        resource_name: str = "",
        pattern_type: int = 3,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type


class DeleteAclsFilterResult(Data):
    __slots__ = FIELDS = ("error_code", "error_message", "matching_acls")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        matching_acls: list[DeleteAclsMatchingAcl] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.matching_acls = [] if matching_acls is UNSET else matching_acls


class DeleteAclsResponse(Message):
    API_KEY = 31
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("throttle_time_ms", "filter_results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        filter_results: list[DeleteAclsFilterResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.filter_results = [] if filter_results is UNSET else filter_results


def _read_delete_acls_request_v0(b: bytes, at: int) -> tuple[DeleteAclsRequest, int]:
    size = len(b)
    m = new(DeleteAclsRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 9 > size - at:
        raise fault_length("filters", n)
    filters: list[DeleteAclsFilter] = []
    m.filters = filters
    for _ in range(n):
        filter = new(DeleteAclsFilter)
        filter.pattern_type_filter = 3
        filter.resource_type_filter, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            filter.resource_name_filter = None
        else:
            end = at + n
            filter.resource_name_filter = b[at:end].decode("utf-8", "replace")
            at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            filter.principal_filter = None
        else:
            end = at + n
            filter.principal_filter = b[at:end].decode("utf-8", "replace")
            at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            filter.host_filter = None
        else:
            end = at + n
            filter.host_filter = b[at:end].decode("utf-8", "replace")
            at = end
        filter.operation, filter.permission_type = unpack_bb(b, at)
        at += 2
        filters.append(filter)
    if at > size:
        raise ProtocolError(f"DeleteAclsRequest is {at - size} bytes short")
    return m, at


def _read_delete_acls_request_v1(b: bytes, at: int) -> tuple[DeleteAclsRequest, int]:
    size = len(b)
    m = new(DeleteAclsRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 10 > size - at:
        raise fault_length("filters", n)
    filters: list[DeleteAclsFilter] = []
    m.filters = filters
    for _ in range(n):
        filter = new(DeleteAclsFilter)
        filter.resource_type_filter, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            filter.resource_name_filter = None
        else:
            end = at + n
            filter.resource_name_filter = b[at:end].decode("utf-8", "replace")
            at = end
        filter.pattern_type_filter, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            filter.principal_filter = None
        else:
            end = at + n
            filter.principal_filter = b[at:end].decode("utf-8", "replace")
            at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            filter.host_filter = None
        else:
            end = at + n
            filter.host_filter = b[at:end].decode("utf-8", "replace")
            at = end
        filter.operation, filter.permission_type = unpack_bb(b, at)
        at += 2
        filters.append(filter)
    if at > size:
        raise ProtocolError(f"DeleteAclsRequest is {at - size} bytes short")
    return m, at


def _read_delete_acls_request_v2_3(b: bytes, at: int) -> tuple[DeleteAclsRequest, int]:
    size = len(b)
    m = new(DeleteAclsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 8 > size - at:
        raise fault_length("filters", n)
    filters: list[DeleteAclsFilter] = []
    m.filters = filters
    for _ in range(n):
        filter = new(DeleteAclsFilter)
        filter.resource_type_filter, n = unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            filter.resource_name_filter = None
        else:
            end = at + n - 1
            filter.resource_name_filter = b[at:end].decode("utf-8", "replace")
            at = end
        filter.pattern_type_filter, n = unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            filter.principal_filter = None
        else:
            end = at + n - 1
            filter.principal_filter = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            filter.host_filter = None
        else:
            end = at + n - 1
            filter.host_filter = b[at:end].decode("utf-8", "replace")
            at = end
        filter.operation, filter.permission_type, tags = unpack_bbB(b, at)
        at += 3
        if tags:
            at = skip_tags(b, at, tags)
        filters.append(filter)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteAclsRequest is {at - size} bytes short")
    return m, at


def _write_delete_acls_request_v0(m: DeleteAclsRequest, out: bytearray) -> None:
    filters = m.filters
    out += pack_i(len(filters))
    for filter in filters:
        if filter.pattern_type_filter != 3:
            raise fault_absent("pattern_type_filter")
        resource_name_filter = filter.resource_name_filter
        resource_name_filter_bytes = b"" if resource_name_filter is None else resource_name_filter.encode()
        out += pack_bh(filter.resource_type_filter, -1 if resource_name_filter is None else len(resource_name_filter_bytes))
        out += resource_name_filter_bytes
        principal_filter = filter.principal_filter
        principal_filter_bytes = b"" if principal_filter is None else principal_filter.encode()
        out += pack_h(-1 if principal_filter is None else len(principal_filter_bytes))
        out += principal_filter_bytes
        host_filter = filter.host_filter
        host_filter_bytes = b"" if host_filter is None else host_filter.encode()
        out += pack_h(-1 if host_filter is None else len(host_filter_bytes))
        out += host_filter_bytes
        out += pack_bb(filter.operation, filter.permission_type)


def _write_delete_acls_request_v1(m: DeleteAclsRequest, out: bytearray) -> None:
    filters = m.filters
    out += pack_i(len(filters))
    for filter in filters:
        resource_name_filter = filter.resource_name_filter
        resource_name_filter_bytes = b"" if resource_name_filter is None else resource_name_filter.encode()
        out += pack_bh(filter.resource_type_filter, -1 if resource_name_filter is None else len(resource_name_filter_bytes))
        out += resource_name_filter_bytes
        principal_filter = filter.principal_filter
        principal_filter_bytes = b"" if principal_filter is None else principal_filter.encode()
        out += pack_bh(filter.pattern_type_filter, -1 if principal_filter is None else len(principal_filter_bytes))
        out += principal_filter_bytes
        host_filter = filter.host_filter
        host_filter_bytes = b"" if host_filter is None else host_filter.encode()
        out += pack_h(-1 if host_filter is None else len(host_filter_bytes))
        out += host_filter_bytes
        out += pack_bb(filter.operation, filter.permission_type)


def _write_delete_acls_request_v2_3(m: DeleteAclsRequest, out: bytearray) -> None:
    filters = m.filters
    n = len(filters) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for filter in filters:
        resource_name_filter = filter.resource_name_filter
        resource_name_filter_bytes = b"" if resource_name_filter is None else resource_name_filter.encode()
        out += pack_b(filter.resource_type_filter)
        n = 0 if resource_name_filter is None else len(resource_name_filter_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += resource_name_filter_bytes
        principal_filter = filter.principal_filter
        principal_filter_bytes = b"" if principal_filter is None else principal_filter.encode()
        out += pack_b(filter.pattern_type_filter)
        n = 0 if principal_filter is None else len(principal_filter_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += principal_filter_bytes
        host_filter = filter.host_filter
        host_filter_bytes = b"" if host_filter is None else host_filter.encode()
        n = 0 if host_filter is None else len(host_filter_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_filter_bytes
        out += pack_bbx(filter.operation, filter.permission_type)
    out.append(0)


def _read_delete_acls_response_v0(b: bytes, at: int) -> tuple[DeleteAclsResponse, int]:
    size = len(b)
    m = new(DeleteAclsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 8 > size - at:
        raise fault_length("filter_results", n)
    filter_results: list[DeleteAclsFilterResult] = []
    m.filter_results = filter_results
    for _ in range(n):
        filter_result = new(DeleteAclsFilterResult)
        filter_result.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            filter_result.error_message = None
        else:
            end = at + n
            filter_result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 13 > size - at:
            raise fault_length("matching_acls", n)
        matching_acls: list[DeleteAclsMatchingAcl] = []
        filter_result.matching_acls = matching_acls
        for _ in range(n):
            matching_acl = new(DeleteAclsMatchingAcl)
            matching_acl.pattern_type = 3
            matching_acl.error_code, n = unpack_hh(b, at)
            at += 4
            if n < 0:
                matching_acl.error_message = None
            else:
                end = at + n
                matching_acl.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            matching_acl.resource_type, n = unpack_bh(b, at)
            at += 3
            if n < 0:
                raise ProtocolError("resource_name is null")
            end = at + n
            matching_acl.resource_name = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("principal is null")
            end = at + n
            matching_acl.principal = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("host is null")
            end = at + n
            matching_acl.host = b[at:end].decode("utf-8", "replace")
            at = end
            matching_acl.operation, matching_acl.permission_type = unpack_bb(b, at)
            at += 2
            matching_acls.append(matching_acl)
        filter_results.append(filter_result)
    if at > size:
        raise ProtocolError(f"DeleteAclsResponse is {at - size} bytes short")
    return m, at


def _read_delete_acls_response_v1(b: bytes, at: int) -> tuple[DeleteAclsResponse, int]:
    size = len(b)
    m = new(DeleteAclsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 8 > size - at:
        raise fault_length("filter_results", n)
    filter_results: list[DeleteAclsFilterResult] = []
    m.filter_results = filter_results
    for _ in range(n):
        filter_result = new(DeleteAclsFilterResult)
        filter_result.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            filter_result.error_message = None
        else:
            end = at + n
            filter_result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise fault_length("matching_acls", n)
        matching_acls: list[DeleteAclsMatchingAcl] = []
        filter_result.matching_acls = matching_acls
        for _ in range(n):
            matching_acl = new(DeleteAclsMatchingAcl)
            matching_acl.error_code, n = unpack_hh(b, at)
            at += 4
            if n < 0:
                matching_acl.error_message = None
            else:
                end = at + n
                matching_acl.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            matching_acl.resource_type, n = unpack_bh(b, at)
            at += 3
            if n < 0:
                raise ProtocolError("resource_name is null")
            end = at + n
            matching_acl.resource_name = b[at:end].decode("utf-8", "replace")
            at = end
            matching_acl.pattern_type, n = unpack_bh(b, at)
            at += 3
            if n < 0:
                raise ProtocolError("principal is null")
            end = at + n
            matching_acl.principal = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("host is null")
            end = at + n
            matching_acl.host = b[at:end].decode("utf-8", "replace")
            at = end
            matching_acl.operation, matching_acl.permission_type = unpack_bb(b, at)
            at += 2
            matching_acls.append(matching_acl)
        filter_results.append(filter_result)
    if at > size:
        raise ProtocolError(f"DeleteAclsResponse is {at - size} bytes short")
    return m, at


def _read_delete_acls_response_v2_3(b: bytes, at: int) -> tuple[DeleteAclsResponse, int]:
    size = len(b)
    m = new(DeleteAclsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise fault_length("filter_results", n)
    filter_results: list[DeleteAclsFilterResult] = []
    m.filter_results = filter_results
    for _ in range(n):
        filter_result = new(DeleteAclsFilterResult)
        filter_result.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            filter_result.error_message = None
        else:
            end = at + n - 1
            filter_result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 11 > size - at:
            raise fault_length("matching_acls", n)
        matching_acls: list[DeleteAclsMatchingAcl] = []
        filter_result.matching_acls = matching_acls
        for _ in range(n):
            matching_acl = new(DeleteAclsMatchingAcl)
            matching_acl.error_code, n = unpack_hB(b, at)
            at += 3
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                matching_acl.error_message = None
            else:
                end = at + n - 1
                matching_acl.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            matching_acl.resource_type, n = unpack_bB(b, at)
            at += 2
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("resource_name is null")
            end = at + n - 1
            matching_acl.resource_name = b[at:end].decode("utf-8", "replace")
            at = end
            matching_acl.pattern_type, n = unpack_bB(b, at)
            at += 2
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("principal is null")
            end = at + n - 1
            matching_acl.principal = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("host is null")
            end = at + n - 1
            matching_acl.host = b[at:end].decode("utf-8", "replace")
            at = end
            matching_acl.operation, matching_acl.permission_type, tags = unpack_bbB(b, at)
            at += 3
            if tags:
                at = skip_tags(b, at, tags)
            matching_acls.append(matching_acl)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        filter_results.append(filter_result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteAclsResponse is {at - size} bytes short")
    return m, at


def _write_delete_acls_response_v0(m: DeleteAclsResponse, out: bytearray) -> None:
    filter_results = m.filter_results
    out += pack_ii(m.throttle_time_ms, len(filter_results))
    for filter_result in filter_results:
        error_message = filter_result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_hh(filter_result.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes
        matching_acls = filter_result.matching_acls
        out += pack_i(len(matching_acls))
        for matching_acl in matching_acls:
            if matching_acl.pattern_type != 3:
                raise fault_absent("pattern_type")
            error_message2 = matching_acl.error_message
            error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
            out += pack_hh(matching_acl.error_code, -1 if error_message2 is None else len(error_message_bytes2))
            out += error_message_bytes2
            resource_name = matching_acl.resource_name
            resource_name_bytes = resource_name.encode()
            out += pack_bh(matching_acl.resource_type, len(resource_name_bytes))
            out += resource_name_bytes
            principal = matching_acl.principal
            principal_bytes = principal.encode()
            out += pack_h(len(principal_bytes))
            out += principal_bytes
            host = matching_acl.host
            host_bytes = host.encode()
            out += pack_h(len(host_bytes))
            out += host_bytes
            out += pack_bb(matching_acl.operation, matching_acl.permission_type)


def _write_delete_acls_response_v1(m: DeleteAclsResponse, out: bytearray) -> None:
    filter_results = m.filter_results
    out += pack_ii(m.throttle_time_ms, len(filter_results))
    for filter_result in filter_results:
        error_message = filter_result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_hh(filter_result.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes
        matching_acls = filter_result.matching_acls
        out += pack_i(len(matching_acls))
        for matching_acl in matching_acls:
            error_message2 = matching_acl.error_message
            error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
            out += pack_hh(matching_acl.error_code, -1 if error_message2 is None else len(error_message_bytes2))
            out += error_message_bytes2
            resource_name = matching_acl.resource_name
            resource_name_bytes = resource_name.encode()
            out += pack_bh(matching_acl.resource_type, len(resource_name_bytes))
            out += resource_name_bytes
            principal = matching_acl.principal
            principal_bytes = principal.encode()
            out += pack_bh(matching_acl.pattern_type, len(principal_bytes))
            out += principal_bytes
            host = matching_acl.host
            host_bytes = host.encode()
            out += pack_h(len(host_bytes))
            out += host_bytes
            out += pack_bb(matching_acl.operation, matching_acl.permission_type)


def _write_delete_acls_response_v2_3(m: DeleteAclsResponse, out: bytearray) -> None:
    filter_results = m.filter_results
    out += pack_i(m.throttle_time_ms)
    n = len(filter_results) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for filter_result in filter_results:
        error_message = filter_result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_h(filter_result.error_code)
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes
        matching_acls = filter_result.matching_acls
        n = len(matching_acls) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for matching_acl in matching_acls:
            error_message2 = matching_acl.error_message
            error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
            out += pack_h(matching_acl.error_code)
            n = 0 if error_message2 is None else len(error_message_bytes2) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += error_message_bytes2
            resource_name = matching_acl.resource_name
            resource_name_bytes = resource_name.encode()
            out += pack_b(matching_acl.resource_type)
            n = len(resource_name_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += resource_name_bytes
            principal = matching_acl.principal
            principal_bytes = principal.encode()
            out += pack_b(matching_acl.pattern_type)
            n = len(principal_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += principal_bytes
            host = matching_acl.host
            host_bytes = host.encode()
            n = len(host_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += host_bytes
            out += pack_bbx(matching_acl.operation, matching_acl.permission_type)
        out.append(0)
    out.append(0)


DeleteAclsRequest.READERS = {
    0: _read_delete_acls_request_v0,
    1: _read_delete_acls_request_v1,
    2: _read_delete_acls_request_v2_3,
    3: _read_delete_acls_request_v2_3,
}
DeleteAclsRequest.WRITERS = {
    0: _write_delete_acls_request_v0,
    1: _write_delete_acls_request_v1,
    2: _write_delete_acls_request_v2_3,
    3: _write_delete_acls_request_v2_3,
}
DeleteAclsResponse.READERS = {
    0: _read_delete_acls_response_v0,
    1: _read_delete_acls_response_v1,
    2: _read_delete_acls_response_v2_3,
    3: _read_delete_acls_response_v2_3,
}
DeleteAclsResponse.WRITERS = {
    0: _write_delete_acls_response_v0,
    1: _write_delete_acls_response_v1,
    2: _write_delete_acls_response_v2_3,
    3: _write_delete_acls_response_v2_3,
}
