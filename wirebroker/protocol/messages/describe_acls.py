"""DescribeAcls: the ACLs that match a filter (KIP-140).

v1  pattern types (KIP-290); responds before it throttles (KIP-219)
v2  flexible
v3  user resources (KIP-373)

Generated from protocol_specs/29_describe_acls by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import absent_field_error, new, read_long_uvarint, skip_tagged_fields, write_uvarint

_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_bb = Struct(">bb").pack
_pack_bbx = Struct(">bbx").pack
_pack_bh = Struct(">bh").pack
_pack_bi = Struct(">bi").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihh = Struct(">ihh").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_bb = Struct(">bb").unpack_from
_unpack_bbB = Struct(">bbB").unpack_from
_unpack_bh = Struct(">bh").unpack_from
_unpack_h = Struct(">h").unpack_from


class DescribeAclsRequest(ReadableMessage):
    API_KEY = 29
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2

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


class AclDescription(Data):
    """An element of `DescribeAclsResource.acls`."""

    principal: str = ""
    """Principal, such as User:alice."""
    host: str = ""
    operation: int = 0
    """AclOperation: 1 any, 2 all, 3 read, 4 write, ..."""
    permission_type: int = 0
    """AclPermissionType: 2 deny, 3 allow; filters also 1 any."""


class DescribeAclsResource(Data):
    """An element of `DescribeAclsResponse.resources`."""

    resource_type: int = 0
    """ResourceType: 2 topic, 3 group, 4 cluster, 5 transactional id, 6 delegation token; filters also 1 any."""
    resource_name: str = ""
    pattern_type: int = 3  # v1+
    """PatternType: 3 literal, 4 prefixed."""
    acls: list[AclDescription] = []


class DescribeAclsResponse(WritableMessage):
    API_KEY = 29
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    error_message: str | None = ""
    resources: list[DescribeAclsResource] = []


def _read_describe_acls_request_v0_1(b: bytes, at: int, version: int) -> tuple[DescribeAclsRequest, int]:
    size = len(b)
    m = new(DescribeAclsRequest)
    m.resource_type_filter, n = _unpack_bh(b, at)
    at += 3
    if n < 0:
        m.resource_name_filter = None
    else:
        end = at + n
        m.resource_name_filter = b[at:end].decode("utf-8", "replace")
        at = end
    if version >= 1:
        m.pattern_type_filter, n = _unpack_bh(b, at)
        at += 3
    else:
        m.pattern_type_filter = 3
        n = _unpack_h(b, at)[0]
        at += 2
    if n < 0:
        m.principal_filter = None
    else:
        end = at + n
        m.principal_filter = b[at:end].decode("utf-8", "replace")
        at = end
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.host_filter = None
    else:
        end = at + n
        m.host_filter = b[at:end].decode("utf-8", "replace")
        at = end
    m.operation, m.permission_type = _unpack_bb(b, at)
    at += 2
    if at > size:
        raise ProtocolError(f"DescribeAclsRequest is {at - size} bytes short")
    return m, at


def _read_describe_acls_request_v2_3(b: bytes, at: int, version: int) -> tuple[DescribeAclsRequest, int]:
    size = len(b)
    m = new(DescribeAclsRequest)
    m.resource_type_filter, n = _unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.resource_name_filter = None
    else:
        end = at + n - 1
        m.resource_name_filter = b[at:end].decode("utf-8", "replace")
        at = end
    m.pattern_type_filter, n = _unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.principal_filter = None
    else:
        end = at + n - 1
        m.principal_filter = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.host_filter = None
    else:
        end = at + n - 1
        m.host_filter = b[at:end].decode("utf-8", "replace")
        at = end
    m.operation, m.permission_type, tags = _unpack_bbB(b, at)
    at += 3
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeAclsRequest is {at - size} bytes short")
    return m, at


DescribeAclsRequest.READERS = dict.fromkeys(range(0, 2), _read_describe_acls_request_v0_1) | dict.fromkeys(range(2, 4), _read_describe_acls_request_v2_3)


def _write_describe_acls_response_v0_1(m: DescribeAclsResponse, out: bytearray, version: int) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += _pack_ihh(m.throttle_time_ms, m.error_code, -1 if error_message is None else len(error_message_bytes))
    out += error_message_bytes
    resources = m.resources
    out += _pack_i(len(resources))
    for resource in resources:
        resource_name = resource.resource_name
        resource_name_bytes = resource_name.encode()
        out += _pack_bh(resource.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        acls = resource.acls
        if version >= 1:
            out += _pack_bi(resource.pattern_type, len(acls))
        else:
            if resource.pattern_type != 3:
                raise absent_field_error("pattern_type")
            out += _pack_i(len(acls))
        for acl in acls:
            principal = acl.principal
            principal_bytes = principal.encode()
            out += _pack_h(len(principal_bytes))
            out += principal_bytes
            host = acl.host
            host_bytes = host.encode()
            out += _pack_h(len(host_bytes))
            out += host_bytes
            out += _pack_bb(acl.operation, acl.permission_type)


def _write_describe_acls_response_v2_3(m: DescribeAclsResponse, out: bytearray, version: int) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
    out += error_message_bytes
    resources = m.resources
    n = len(resources) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for resource in resources:
        resource_name = resource.resource_name
        resource_name_bytes = resource_name.encode()
        n = len(resource_name_bytes) + 1
        if n > 127:
            out += _pack_b(resource.resource_type)
            write_uvarint(out, n)
        else:
            out += _pack_bB(resource.resource_type, n)
        out += resource_name_bytes
        acls = resource.acls
        n = len(acls) + 1
        if n > 127:
            out += _pack_b(resource.pattern_type)
            write_uvarint(out, n)
        else:
            out += _pack_bB(resource.pattern_type, n)
        for acl in acls:
            principal = acl.principal
            principal_bytes = principal.encode()
            n = len(principal_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += principal_bytes
            host = acl.host
            host_bytes = host.encode()
            n = len(host_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += host_bytes
            out += _pack_bbx(acl.operation, acl.permission_type)
        out.append(0)
    out.append(0)


DescribeAclsResponse.WRITERS = dict.fromkeys(range(0, 2), _write_describe_acls_response_v0_1) | dict.fromkeys(range(2, 4), _write_describe_acls_response_v2_3)
