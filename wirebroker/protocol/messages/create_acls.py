"""CreateAcls: add ACLs (KIP-140).

v1  pattern types (KIP-290); answers before it throttles (KIP-219)
v2  flexible
v3  user resources (KIP-373)

Generated from protocol_specs/30_create_acls by tools/codegen: do not edit.
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


class AclCreation(Data):
    __slots__ = FIELDS = (
        "resource_type",
        "resource_name",
        "resource_pattern_type",
        "principal",
        "host",
        "operation",
        "permission_type",
    )

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        resource_pattern_type: int = 3,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.resource_pattern_type = resource_pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type


class CreateAclsRequest(Message):
    API_KEY = 30
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("creations",)

    def __init__(
        self,
        creations: list[AclCreation] = UNSET,
    ) -> None:
        self.creations = [] if creations is UNSET else creations


class AclCreationResult(Data):
    __slots__ = FIELDS = ("error_code", "error_message")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message


class CreateAclsResponse(Message):
    API_KEY = 30
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("throttle_time_ms", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[AclCreationResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results


def _read_create_acls_request_v0(b: bytes, at: int) -> tuple[CreateAclsRequest, int]:
    size = len(b)
    m = new(CreateAclsRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 9 > size - at:
        raise fault_length("creations", n)
    creations: list[AclCreation] = []
    m.creations = creations
    for _ in range(n):
        creation = new(AclCreation)
        creation.resource_pattern_type = 3
        creation.resource_type, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        creation.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("principal is null")
        end = at + n
        creation.principal = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("host is null")
        end = at + n
        creation.host = b[at:end].decode("utf-8", "replace")
        at = end
        creation.operation, creation.permission_type = unpack_bb(b, at)
        at += 2
        creations.append(creation)
    if at > size:
        raise ProtocolError(f"CreateAclsRequest is {at - size} bytes short")
    return m, at


def _read_create_acls_request_v1(b: bytes, at: int) -> tuple[CreateAclsRequest, int]:
    size = len(b)
    m = new(CreateAclsRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 10 > size - at:
        raise fault_length("creations", n)
    creations: list[AclCreation] = []
    m.creations = creations
    for _ in range(n):
        creation = new(AclCreation)
        creation.resource_type, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        creation.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        creation.resource_pattern_type, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("principal is null")
        end = at + n
        creation.principal = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("host is null")
        end = at + n
        creation.host = b[at:end].decode("utf-8", "replace")
        at = end
        creation.operation, creation.permission_type = unpack_bb(b, at)
        at += 2
        creations.append(creation)
    if at > size:
        raise ProtocolError(f"CreateAclsRequest is {at - size} bytes short")
    return m, at


def _read_create_acls_request_v2_3(b: bytes, at: int) -> tuple[CreateAclsRequest, int]:
    size = len(b)
    m = new(CreateAclsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 8 > size - at:
        raise fault_length("creations", n)
    creations: list[AclCreation] = []
    m.creations = creations
    for _ in range(n):
        creation = new(AclCreation)
        creation.resource_type, n = unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("resource_name is null")
        end = at + n - 1
        creation.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        creation.resource_pattern_type, n = unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("principal is null")
        end = at + n - 1
        creation.principal = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        creation.host = b[at:end].decode("utf-8", "replace")
        at = end
        creation.operation, creation.permission_type, tags = unpack_bbB(b, at)
        at += 3
        if tags:
            at = skip_tags(b, at, tags)
        creations.append(creation)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreateAclsRequest is {at - size} bytes short")
    return m, at


def _write_create_acls_request_v0(m: CreateAclsRequest, out: bytearray) -> None:
    creations = m.creations
    out += pack_i(len(creations))
    for creation in creations:
        if creation.resource_pattern_type != 3:
            raise fault_absent("resource_pattern_type")
        resource_name = creation.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_bh(creation.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        principal = creation.principal
        principal_bytes = principal.encode()
        out += pack_h(len(principal_bytes))
        out += principal_bytes
        host = creation.host
        host_bytes = host.encode()
        out += pack_h(len(host_bytes))
        out += host_bytes
        out += pack_bb(creation.operation, creation.permission_type)


def _write_create_acls_request_v1(m: CreateAclsRequest, out: bytearray) -> None:
    creations = m.creations
    out += pack_i(len(creations))
    for creation in creations:
        resource_name = creation.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_bh(creation.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        principal = creation.principal
        principal_bytes = principal.encode()
        out += pack_bh(creation.resource_pattern_type, len(principal_bytes))
        out += principal_bytes
        host = creation.host
        host_bytes = host.encode()
        out += pack_h(len(host_bytes))
        out += host_bytes
        out += pack_bb(creation.operation, creation.permission_type)


def _write_create_acls_request_v2_3(m: CreateAclsRequest, out: bytearray) -> None:
    creations = m.creations
    n = len(creations) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for creation in creations:
        resource_name = creation.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_b(creation.resource_type)
        n = len(resource_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += resource_name_bytes
        principal = creation.principal
        principal_bytes = principal.encode()
        out += pack_b(creation.resource_pattern_type)
        n = len(principal_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += principal_bytes
        host = creation.host
        host_bytes = host.encode()
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        out += pack_bbx(creation.operation, creation.permission_type)
    out.append(0)


def _read_create_acls_response_v0_1(b: bytes, at: int) -> tuple[CreateAclsResponse, int]:
    size = len(b)
    m = new(CreateAclsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 4 > size - at:
        raise fault_length("results", n)
    results: list[AclCreationResult] = []
    m.results = results
    for _ in range(n):
        result = new(AclCreationResult)
        result.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            result.error_message = None
        else:
            end = at + n
            result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        results.append(result)
    if at > size:
        raise ProtocolError(f"CreateAclsResponse is {at - size} bytes short")
    return m, at


def _read_create_acls_response_v2_3(b: bytes, at: int) -> tuple[CreateAclsResponse, int]:
    size = len(b)
    m = new(CreateAclsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("results", n)
    results: list[AclCreationResult] = []
    m.results = results
    for _ in range(n):
        result = new(AclCreationResult)
        result.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            result.error_message = None
        else:
            end = at + n - 1
            result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        results.append(result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreateAclsResponse is {at - size} bytes short")
    return m, at


def _write_create_acls_response_v0_1(m: CreateAclsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_ii(m.throttle_time_ms, len(results))
    for result in results:
        error_message = result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_hh(result.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes


def _write_create_acls_response_v2_3(m: CreateAclsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_i(m.throttle_time_ms)
    n = len(results) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for result in results:
        error_message = result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_h(result.error_code)
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes
        out.append(0)
    out.append(0)


CreateAclsRequest.READERS = {
    0: _read_create_acls_request_v0,
    1: _read_create_acls_request_v1,
    2: _read_create_acls_request_v2_3,
    3: _read_create_acls_request_v2_3,
}
CreateAclsRequest.WRITERS = {
    0: _write_create_acls_request_v0,
    1: _write_create_acls_request_v1,
    2: _write_create_acls_request_v2_3,
    3: _write_create_acls_request_v2_3,
}
CreateAclsResponse.READERS = {
    0: _read_create_acls_response_v0_1,
    1: _read_create_acls_response_v0_1,
    2: _read_create_acls_response_v2_3,
    3: _read_create_acls_response_v2_3,
}
CreateAclsResponse.WRITERS = {
    0: _write_create_acls_response_v0_1,
    1: _write_create_acls_response_v0_1,
    2: _write_create_acls_response_v2_3,
    3: _write_create_acls_response_v2_3,
}
