"""ListConfigResources: the resources that have configs (KIP-1000).

v0  lists client metrics subscriptions only and was called ListClientMetricsResources
v1  any resource type (KIP-1142)

Generated from protocol_specs/74_list_config_resources by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    absent_field_error,
    array_packer,
    count_error,
    new,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_b = Struct(">b").iter_unpack
_pack_bx = Struct(">bx").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_list_b = array_packer("b")
_unpack_bB = Struct(">bB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from


class ListConfigResourcesRequest(ReadableMessage, WritableMessage):
    API_KEY = 74
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0

    resource_types: list[int] = []
    """Empty: all."""


class ConfigResource(Data):
    """An element of `ListConfigResourcesResponse.config_resources`."""

    resource_name: str = ""
    resource_type: int = 16  # v1+
    """ConfigResource type: 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group."""


class ListConfigResourcesResponse(ReadableMessage, WritableMessage):
    API_KEY = 74
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    config_resources: list[ConfigResource] = []


def _read_list_config_resources_request_v0_1(b: bytes, at: int, version: int) -> tuple[ListConfigResourcesRequest, int]:
    size = len(b)
    m = new(ListConfigResourcesRequest)
    if version >= 1:
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n > size - at:
            raise count_error("resource_types", n)
        end = at + n
        m.resource_types = [each for (each,) in _iter_b(b[at:end])]
        at = end
    else:
        m.resource_types = []
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListConfigResourcesRequest is {at - size} bytes short")
    return m, at


ListConfigResourcesRequest.READERS = dict.fromkeys(range(0, 2), _read_list_config_resources_request_v0_1)


def _write_list_config_resources_request_v0_1(m: ListConfigResourcesRequest, out: bytearray, version: int) -> None:
    if version >= 1:
        resource_types = m.resource_types
        n = len(resource_types) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += _pack_list_b(resource_types)
    else:
        if m.resource_types:
            raise absent_field_error("resource_types")
    out.append(0)


ListConfigResourcesRequest.WRITERS = dict.fromkeys(range(0, 2), _write_list_config_resources_request_v0_1)


def _read_list_config_resources_response_v0_1(b: bytes, at: int, version: int) -> tuple[ListConfigResourcesResponse, int]:
    size = len(b)
    m = new(ListConfigResourcesResponse)
    m.throttle_time_ms, m.error_code, n = _unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 2 > size - at:
        raise count_error("config_resources", n)
    config_resources: list[ConfigResource] = []
    m.config_resources = config_resources
    for _ in range(n):
        config_resource = new(ConfigResource)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("resource_name is null")
        end = at + n - 1
        config_resource.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        if version >= 1:
            config_resource.resource_type, tags = _unpack_bB(b, at)
            at += 2
        else:
            config_resource.resource_type = 16
            tags = b[at]
            at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        config_resources.append(config_resource)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListConfigResourcesResponse is {at - size} bytes short")
    return m, at


ListConfigResourcesResponse.READERS = dict.fromkeys(range(0, 2), _read_list_config_resources_response_v0_1)


def _write_list_config_resources_response_v0_1(m: ListConfigResourcesResponse, out: bytearray, version: int) -> None:
    config_resources = m.config_resources
    n = len(config_resources) + 1
    if n > 127:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
    for config_resource in config_resources:
        resource_name = config_resource.resource_name
        resource_name_bytes = resource_name.encode()
        n = len(resource_name_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += resource_name_bytes
        if version >= 1:
            out += _pack_bx(config_resource.resource_type)
        else:
            out.append(0)
    out.append(0)


ListConfigResourcesResponse.WRITERS = dict.fromkeys(range(0, 2), _write_list_config_resources_response_v0_1)
