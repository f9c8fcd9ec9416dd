"""ListConfigResources: what there is to configure (KIP-1000).

v0  lists client metrics subscriptions only and was called ListClientMetricsResources
v1  any resource type (KIP-1142)

Generated from protocol_specs/74_list_config_resources by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_b = Struct(">b").iter_unpack
pack_b = Struct(">b").pack
pack_bx = Struct(">bx").pack
pack_ih = Struct(">ih").pack
unpack_bB = Struct(">bB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from


class ListConfigResourcesRequest(Message):
    API_KEY = 74
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("resource_types",)

    def __init__(
        self,
        resource_types: list[int] = UNSET,
    ) -> None:
        self.resource_types = [] if resource_types is UNSET else resource_types


class ConfigResource(Data):
    __slots__ = FIELDS = ("resource_name", "resource_type")

    def __init__(
        self,
        resource_name: str = "",
        resource_type: int = 16,
    ) -> None:
        self.resource_name = resource_name
        self.resource_type = resource_type


class ListConfigResourcesResponse(Message):
    API_KEY = 74
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "config_resources")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        config_resources: list[ConfigResource] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.config_resources = [] if config_resources is UNSET else config_resources


def _read_list_config_resources_request_v0(b: bytes, at: int) -> tuple[ListConfigResourcesRequest, int]:
    size = len(b)
    m = new(ListConfigResourcesRequest)
    m.resource_types = []
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListConfigResourcesRequest is {at - size} bytes short")
    return m, at


def _read_list_config_resources_request_v1(b: bytes, at: int) -> tuple[ListConfigResourcesRequest, int]:
    size = len(b)
    m = new(ListConfigResourcesRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("resource_types", n)
    end = at + n
    m.resource_types = [each for (each,) in iter_b(b[at:end])]
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListConfigResourcesRequest is {at - size} bytes short")
    return m, at


def _write_list_config_resources_request_v0(m: ListConfigResourcesRequest, out: bytearray) -> None:
    if m.resource_types:
        raise fault_absent("resource_types")
    out.append(0)


def _write_list_config_resources_request_v1(m: ListConfigResourcesRequest, out: bytearray) -> None:
    resource_types = m.resource_types
    n = len(resource_types) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_b, resource_types))
    out.append(0)


def _read_list_config_resources_response_v0(b: bytes, at: int) -> tuple[ListConfigResourcesResponse, int]:
    size = len(b)
    m = new(ListConfigResourcesResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 2 > size - at:
        raise fault_length("config_resources", n)
    config_resources: list[ConfigResource] = []
    m.config_resources = config_resources
    for _ in range(n):
        config_resource = new(ConfigResource)
        config_resource.resource_type = 16
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("resource_name is null")
        end = at + n - 1
        config_resource.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        config_resources.append(config_resource)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListConfigResourcesResponse is {at - size} bytes short")
    return m, at


def _read_list_config_resources_response_v1(b: bytes, at: int) -> tuple[ListConfigResourcesResponse, int]:
    size = len(b)
    m = new(ListConfigResourcesResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("config_resources", n)
    config_resources: list[ConfigResource] = []
    m.config_resources = config_resources
    for _ in range(n):
        config_resource = new(ConfigResource)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("resource_name is null")
        end = at + n - 1
        config_resource.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        config_resource.resource_type, tags = unpack_bB(b, at)
        at += 2
        if tags:
            at = skip_tags(b, at, tags)
        config_resources.append(config_resource)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListConfigResourcesResponse is {at - size} bytes short")
    return m, at


def _write_list_config_resources_response_v0(m: ListConfigResourcesResponse, out: bytearray) -> None:
    config_resources = m.config_resources
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = len(config_resources) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for config_resource in config_resources:
        resource_name = config_resource.resource_name
        resource_name_bytes = resource_name.encode()
        n = len(resource_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += resource_name_bytes
        out.append(0)
    out.append(0)


def _write_list_config_resources_response_v1(m: ListConfigResourcesResponse, out: bytearray) -> None:
    config_resources = m.config_resources
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = len(config_resources) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for config_resource in config_resources:
        resource_name = config_resource.resource_name
        resource_name_bytes = resource_name.encode()
        n = len(resource_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += resource_name_bytes
        out += pack_bx(config_resource.resource_type)
    out.append(0)


ListConfigResourcesRequest.READERS = {
    0: _read_list_config_resources_request_v0,
    1: _read_list_config_resources_request_v1,
}
ListConfigResourcesRequest.WRITERS = {
    0: _write_list_config_resources_request_v0,
    1: _write_list_config_resources_request_v1,
}
ListConfigResourcesResponse.READERS = {
    0: _read_list_config_resources_response_v0,
    1: _read_list_config_resources_response_v1,
}
ListConfigResourcesResponse.WRITERS = {
    0: _write_list_config_resources_response_v0,
    1: _write_list_config_resources_response_v1,
}
