"""DescribeAcls: which ACLs match a filter (KIP-140).

v1  pattern types (KIP-290); answers before it throttles (KIP-219)
v2  flexible
v3  user resources (KIP-373)

Generated from protocol_specs/29_describe_acls by tools/codegen: do not edit.
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
pack_bi = Struct(">bi").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihh = Struct(">ihh").pack
unpack_bB = Struct(">bB").unpack_from
unpack_bb = Struct(">bb").unpack_from
unpack_bbB = Struct(">bbB").unpack_from
unpack_bh = Struct(">bh").unpack_from
unpack_bi = Struct(">bi").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihh = Struct(">ihh").unpack_from


class DescribeAclsRequest(Message):
    API_KEY = 29
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2
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


class AclDescription(Data):
    __slots__ = FIELDS = ("principal", "host", "operation", "permission_type")

    def __init__(
        self,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type


class DescribeAclsResource(Data):
    __slots__ = FIELDS = ("resource_type", "resource_name", "pattern_type", "acls")

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        pattern_type: int = 3,
        acls: list[AclDescription] = UNSET,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.acls = [] if acls is UNSET else acls


class DescribeAclsResponse(Message):
    API_KEY = 29
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "error_message", "resources")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        resources: list[DescribeAclsResource] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.resources = [] if resources is UNSET else resources


def _read_describe_acls_request_v0(b: bytes, at: int) -> tuple[DescribeAclsRequest, int]:
    size = len(b)
    m = new(DescribeAclsRequest)
    m.pattern_type_filter = 3
    m.resource_type_filter, n = unpack_bh(b, at)
    at += 3
    if n < 0:
        m.resource_name_filter = None
    else:
        end = at + n
        m.resource_name_filter = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.principal_filter = None
    else:
        end = at + n
        m.principal_filter = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.host_filter = None
    else:
        end = at + n
        m.host_filter = b[at:end].decode("utf-8", "replace")
        at = end
    m.operation, m.permission_type = unpack_bb(b, at)
    at += 2
    if at > size:
        raise ProtocolError(f"DescribeAclsRequest is {at - size} bytes short")
    return m, at


def _read_describe_acls_request_v1(b: bytes, at: int) -> tuple[DescribeAclsRequest, int]:
    size = len(b)
    m = new(DescribeAclsRequest)
    m.resource_type_filter, n = unpack_bh(b, at)
    at += 3
    if n < 0:
        m.resource_name_filter = None
    else:
        end = at + n
        m.resource_name_filter = b[at:end].decode("utf-8", "replace")
        at = end
    m.pattern_type_filter, n = unpack_bh(b, at)
    at += 3
    if n < 0:
        m.principal_filter = None
    else:
        end = at + n
        m.principal_filter = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.host_filter = None
    else:
        end = at + n
        m.host_filter = b[at:end].decode("utf-8", "replace")
        at = end
    m.operation, m.permission_type = unpack_bb(b, at)
    at += 2
    if at > size:
        raise ProtocolError(f"DescribeAclsRequest is {at - size} bytes short")
    return m, at


def _read_describe_acls_request_v2_3(b: bytes, at: int) -> tuple[DescribeAclsRequest, int]:
    size = len(b)
    m = new(DescribeAclsRequest)
    m.resource_type_filter, n = unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.resource_name_filter = None
    else:
        end = at + n - 1
        m.resource_name_filter = b[at:end].decode("utf-8", "replace")
        at = end
    m.pattern_type_filter, n = unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.principal_filter = None
    else:
        end = at + n - 1
        m.principal_filter = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.host_filter = None
    else:
        end = at + n - 1
        m.host_filter = b[at:end].decode("utf-8", "replace")
        at = end
    m.operation, m.permission_type, tags = unpack_bbB(b, at)
    at += 3
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeAclsRequest is {at - size} bytes short")
    return m, at


def _write_describe_acls_request_v0(m: DescribeAclsRequest, out: bytearray) -> None:
    if m.pattern_type_filter != 3:
        raise fault_absent("pattern_type_filter")
    resource_name_filter = m.resource_name_filter
    resource_name_filter_bytes = b"" if resource_name_filter is None else resource_name_filter.encode()
    out += pack_bh(m.resource_type_filter, -1 if resource_name_filter is None else len(resource_name_filter_bytes))
    out += resource_name_filter_bytes
    principal_filter = m.principal_filter
    principal_filter_bytes = b"" if principal_filter is None else principal_filter.encode()
    out += pack_h(-1 if principal_filter is None else len(principal_filter_bytes))
    out += principal_filter_bytes
    host_filter = m.host_filter
    host_filter_bytes = b"" if host_filter is None else host_filter.encode()
    out += pack_h(-1 if host_filter is None else len(host_filter_bytes))
    out += host_filter_bytes
    out += pack_bb(m.operation, m.permission_type)


def _write_describe_acls_request_v1(m: DescribeAclsRequest, out: bytearray) -> None:
    resource_name_filter = m.resource_name_filter
    resource_name_filter_bytes = b"" if resource_name_filter is None else resource_name_filter.encode()
    out += pack_bh(m.resource_type_filter, -1 if resource_name_filter is None else len(resource_name_filter_bytes))
    out += resource_name_filter_bytes
    principal_filter = m.principal_filter
    principal_filter_bytes = b"" if principal_filter is None else principal_filter.encode()
    out += pack_bh(m.pattern_type_filter, -1 if principal_filter is None else len(principal_filter_bytes))
    out += principal_filter_bytes
    host_filter = m.host_filter
    host_filter_bytes = b"" if host_filter is None else host_filter.encode()
    out += pack_h(-1 if host_filter is None else len(host_filter_bytes))
    out += host_filter_bytes
    out += pack_bb(m.operation, m.permission_type)


def _write_describe_acls_request_v2_3(m: DescribeAclsRequest, out: bytearray) -> None:
    resource_name_filter = m.resource_name_filter
    resource_name_filter_bytes = b"" if resource_name_filter is None else resource_name_filter.encode()
    out += pack_b(m.resource_type_filter)
    n = 0 if resource_name_filter is None else len(resource_name_filter_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += resource_name_filter_bytes
    principal_filter = m.principal_filter
    principal_filter_bytes = b"" if principal_filter is None else principal_filter.encode()
    out += pack_b(m.pattern_type_filter)
    n = 0 if principal_filter is None else len(principal_filter_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += principal_filter_bytes
    host_filter = m.host_filter
    host_filter_bytes = b"" if host_filter is None else host_filter.encode()
    n = 0 if host_filter is None else len(host_filter_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += host_filter_bytes
    out += pack_bbx(m.operation, m.permission_type)


def _read_describe_acls_response_v0(b: bytes, at: int) -> tuple[DescribeAclsResponse, int]:
    size = len(b)
    m = new(DescribeAclsResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihh(b, at)
    at += 8
    if n < 0:
        m.error_message = None
    else:
        end = at + n
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 7 > size - at:
        raise fault_length("resources", n)
    resources: list[DescribeAclsResource] = []
    m.resources = resources
    for _ in range(n):
        resource = new(DescribeAclsResource)
        resource.pattern_type = 3
        resource.resource_type, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        resource.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 6 > size - at:
            raise fault_length("acls", n)
        acls: list[AclDescription] = []
        resource.acls = acls
        for _ in range(n):
            acl = new(AclDescription)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("principal is null")
            end = at + n
            acl.principal = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("host is null")
            end = at + n
            acl.host = b[at:end].decode("utf-8", "replace")
            at = end
            acl.operation, acl.permission_type = unpack_bb(b, at)
            at += 2
            acls.append(acl)
        resources.append(resource)
    if at > size:
        raise ProtocolError(f"DescribeAclsResponse is {at - size} bytes short")
    return m, at


def _read_describe_acls_response_v1(b: bytes, at: int) -> tuple[DescribeAclsResponse, int]:
    size = len(b)
    m = new(DescribeAclsResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihh(b, at)
    at += 8
    if n < 0:
        m.error_message = None
    else:
        end = at + n
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 8 > size - at:
        raise fault_length("resources", n)
    resources: list[DescribeAclsResource] = []
    m.resources = resources
    for _ in range(n):
        resource = new(DescribeAclsResource)
        resource.resource_type, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        resource.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        resource.pattern_type, n = unpack_bi(b, at)
        at += 5
        if n < 0 or n * 6 > size - at:
            raise fault_length("acls", n)
        acls: list[AclDescription] = []
        resource.acls = acls
        for _ in range(n):
            acl = new(AclDescription)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("principal is null")
            end = at + n
            acl.principal = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("host is null")
            end = at + n
            acl.host = b[at:end].decode("utf-8", "replace")
            at = end
            acl.operation, acl.permission_type = unpack_bb(b, at)
            at += 2
            acls.append(acl)
        resources.append(resource)
    if at > size:
        raise ProtocolError(f"DescribeAclsResponse is {at - size} bytes short")
    return m, at


def _read_describe_acls_response_v2_3(b: bytes, at: int) -> tuple[DescribeAclsResponse, int]:
    size = len(b)
    m = new(DescribeAclsResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.error_message = None
    else:
        end = at + n - 1
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise fault_length("resources", n)
    resources: list[DescribeAclsResource] = []
    m.resources = resources
    for _ in range(n):
        resource = new(DescribeAclsResource)
        resource.resource_type, n = unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("resource_name is null")
        end = at + n - 1
        resource.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        resource.pattern_type, n = unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 5 > size - at:
            raise fault_length("acls", n)
        acls: list[AclDescription] = []
        resource.acls = acls
        for _ in range(n):
            acl = new(AclDescription)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("principal is null")
            end = at + n - 1
            acl.principal = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("host is null")
            end = at + n - 1
            acl.host = b[at:end].decode("utf-8", "replace")
            at = end
            acl.operation, acl.permission_type, tags = unpack_bbB(b, at)
            at += 3
            if tags:
                at = skip_tags(b, at, tags)
            acls.append(acl)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        resources.append(resource)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeAclsResponse is {at - size} bytes short")
    return m, at


def _write_describe_acls_response_v0(m: DescribeAclsResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ihh(m.throttle_time_ms, m.error_code, -1 if error_message is None else len(error_message_bytes))
    out += error_message_bytes
    resources = m.resources
    out += pack_i(len(resources))
    for resource in resources:
        if resource.pattern_type != 3:
            raise fault_absent("pattern_type")
        resource_name = resource.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_bh(resource.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        acls = resource.acls
        out += pack_i(len(acls))
        for acl in acls:
            principal = acl.principal
            principal_bytes = principal.encode()
            out += pack_h(len(principal_bytes))
            out += principal_bytes
            host = acl.host
            host_bytes = host.encode()
            out += pack_h(len(host_bytes))
            out += host_bytes
            out += pack_bb(acl.operation, acl.permission_type)


def _write_describe_acls_response_v1(m: DescribeAclsResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ihh(m.throttle_time_ms, m.error_code, -1 if error_message is None else len(error_message_bytes))
    out += error_message_bytes
    resources = m.resources
    out += pack_i(len(resources))
    for resource in resources:
        resource_name = resource.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_bh(resource.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        acls = resource.acls
        out += pack_bi(resource.pattern_type, len(acls))
        for acl in acls:
            principal = acl.principal
            principal_bytes = principal.encode()
            out += pack_h(len(principal_bytes))
            out += principal_bytes
            host = acl.host
            host_bytes = host.encode()
            out += pack_h(len(host_bytes))
            out += host_bytes
            out += pack_bb(acl.operation, acl.permission_type)


def _write_describe_acls_response_v2_3(m: DescribeAclsResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    resources = m.resources
    n = len(resources) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for resource in resources:
        resource_name = resource.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_b(resource.resource_type)
        n = len(resource_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += resource_name_bytes
        acls = resource.acls
        out += pack_b(resource.pattern_type)
        n = len(acls) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for acl in acls:
            principal = acl.principal
            principal_bytes = principal.encode()
            n = len(principal_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += principal_bytes
            host = acl.host
            host_bytes = host.encode()
            n = len(host_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += host_bytes
            out += pack_bbx(acl.operation, acl.permission_type)
        out.append(0)
    out.append(0)


DescribeAclsRequest.READERS = {
    0: _read_describe_acls_request_v0,
    1: _read_describe_acls_request_v1,
    2: _read_describe_acls_request_v2_3,
    3: _read_describe_acls_request_v2_3,
}
DescribeAclsRequest.WRITERS = {
    0: _write_describe_acls_request_v0,
    1: _write_describe_acls_request_v1,
    2: _write_describe_acls_request_v2_3,
    3: _write_describe_acls_request_v2_3,
}
DescribeAclsResponse.READERS = {
    0: _read_describe_acls_response_v0,
    1: _read_describe_acls_response_v1,
    2: _read_describe_acls_response_v2_3,
    3: _read_describe_acls_response_v2_3,
}
DescribeAclsResponse.WRITERS = {
    0: _write_describe_acls_response_v0,
    1: _write_describe_acls_response_v1,
    2: _write_describe_acls_response_v2_3,
    3: _write_describe_acls_response_v2_3,
}
