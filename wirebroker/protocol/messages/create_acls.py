"""CreateAcls: create access control entries (KIP-140).

v1  pattern types (KIP-290); responds before it throttles (KIP-219)
v2  flexible
v3  user resources (KIP-373)

Generated from protocol_specs/30_create_acls by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import count_error, new, read_long_uvarint, skip_tagged_fields, write_uvarint

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


class AclCreation(Data):
    """An element of `CreateAclsRequest.creations`."""

    resource_type: int = 0
    """ResourceType: 2 topic, 3 group, 4 cluster, 5 transactional id, 6 delegation token."""
    resource_name: str = ""
    resource_pattern_type: int = 3  # v1+
    """PatternType: 3 literal, 4 prefixed."""
    principal: str = ""
    """Principal, such as User:alice."""
    host: str = ""
    operation: int = 0
    """AclOperation: 1 any, 2 all, 3 read, 4 write, ..."""
    permission_type: int = 0
    """AclPermissionType: 2 deny, 3 allow; filters also 1 any."""


class CreateAclsRequest(ReadableMessage):
    API_KEY = 30
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2

    creations: list[AclCreation] = []


class AclCreationResult(Data):
    """An element of `CreateAclsResponse.results`."""

    error_code: int = 0
    error_message: str | None = ""


class CreateAclsResponse(WritableMessage):
    API_KEY = 30
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    results: list[AclCreationResult] = []


def _read_create_acls_request_v0_1(b: bytes, at: int, version: int) -> tuple[CreateAclsRequest, int]:
    size = len(b)
    m = new(CreateAclsRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 9 > size - at:
        raise count_error("creations", n)
    creations: list[AclCreation] = []
    m.creations = creations
    for _ in range(n):
        creation = new(AclCreation)
        creation.resource_type, n = _unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        creation.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        if version >= 1:
            creation.resource_pattern_type, n = _unpack_bh(b, at)
            at += 3
        else:
            creation.resource_pattern_type = 3
            n = _unpack_h(b, at)[0]
            at += 2
        if n < 0:
            raise ProtocolError("principal is null")
        end = at + n
        creation.principal = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("host is null")
        end = at + n
        creation.host = b[at:end].decode("utf-8", "replace")
        at = end
        creation.operation, creation.permission_type = _unpack_bb(b, at)
        at += 2
        creations.append(creation)
    if at > size:
        raise ProtocolError(f"CreateAclsRequest is {at - size} bytes short")
    return m, at


def _read_create_acls_request_v2_3(b: bytes, at: int, version: int) -> tuple[CreateAclsRequest, int]:
    size = len(b)
    m = new(CreateAclsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 8 > size - at:
        raise count_error("creations", n)
    creations: list[AclCreation] = []
    m.creations = creations
    for _ in range(n):
        creation = new(AclCreation)
        creation.resource_type, n = _unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("resource_name is null")
        end = at + n - 1
        creation.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        creation.resource_pattern_type, n = _unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("principal is null")
        end = at + n - 1
        creation.principal = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        creation.host = b[at:end].decode("utf-8", "replace")
        at = end
        creation.operation, creation.permission_type, tags = _unpack_bbB(b, at)
        at += 3
        if tags:
            at = skip_tagged_fields(b, at, tags)
        creations.append(creation)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreateAclsRequest is {at - size} bytes short")
    return m, at


CreateAclsRequest.READERS = dict.fromkeys(range(0, 2), _read_create_acls_request_v0_1) | dict.fromkeys(range(2, 4), _read_create_acls_request_v2_3)


def _write_create_acls_response_v0_1(m: CreateAclsResponse, out: bytearray, version: int) -> None:
    results = m.results
    out += _pack_ii(m.throttle_time_ms, len(results))
    for result in results:
        error_message = result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += _pack_hh(result.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes


def _write_create_acls_response_v2_3(m: CreateAclsResponse, out: bytearray, version: int) -> None:
    results = m.results
    n = len(results) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for result in results:
        error_message = result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            out += _pack_h(result.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_hB(result.error_code, n)
        out += error_message_bytes
        out.append(0)
    out.append(0)


CreateAclsResponse.WRITERS = dict.fromkeys(range(0, 2), _write_create_acls_response_v0_1) | dict.fromkeys(range(2, 4), _write_create_acls_response_v2_3)
