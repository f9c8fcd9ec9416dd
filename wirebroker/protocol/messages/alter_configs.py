"""AlterConfigs: replace all configs of a resource; keys that are not named get their defaults (KIP-133).

v1  responds before it throttles (KIP-219)
v2  flexible

Generated from protocol_specs/33_alter_configs by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import count_error, new, read_long_uvarint, skip_tagged_fields, write_uvarint

_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_bh = Struct(">bh").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_t = Struct(">?").pack
_pack_tx = Struct(">?x").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_bh = Struct(">bh").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_t = Struct(">?").unpack_from
_unpack_tB = Struct(">?B").unpack_from


class AlterableConfig(Data):
    """An element of `AlterConfigsResource.configs`."""

    name: str = ""
    value: str | None = ""


class AlterConfigsResource(Data):
    """An element of `AlterConfigsRequest.resources`."""

    resource_type: int = 0
    """ConfigResource type: 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group."""
    resource_name: str = ""
    configs: list[AlterableConfig] = []


class AlterConfigsRequest(ReadableMessage, WritableMessage):
    API_KEY = 33
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2

    resources: list[AlterConfigsResource] = []
    validate_only: bool = False
    """Validate the request, but change nothing."""


class AlterConfigsResourceResponse(Data):
    """An element of `AlterConfigsResponse.responses`."""

    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    """ConfigResource type: 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group."""
    resource_name: str = ""


class AlterConfigsResponse(ReadableMessage, WritableMessage):
    API_KEY = 33
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    responses: list[AlterConfigsResourceResponse] = []


def _read_alter_configs_request_v0_1(b: bytes, at: int, version: int) -> tuple[AlterConfigsRequest, int]:
    size = len(b)
    m = new(AlterConfigsRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 7 > size - at:
        raise count_error("resources", n)
    resources: list[AlterConfigsResource] = []
    m.resources = resources
    for _ in range(n):
        resource = new(AlterConfigsResource)
        resource.resource_type, n = _unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        resource.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise count_error("configs", n)
        configs: list[AlterableConfig] = []
        resource.configs = configs
        for _ in range(n):
            config = new(AlterableConfig)
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            config.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                config.value = None
            else:
                end = at + n
                config.value = b[at:end].decode("utf-8", "replace")
                at = end
            configs.append(config)
        resources.append(resource)
    m.validate_only = _unpack_t(b, at)[0]
    at += 1
    if at > size:
        raise ProtocolError(f"AlterConfigsRequest is {at - size} bytes short")
    return m, at


def _read_alter_configs_request_v2(b: bytes, at: int, version: int) -> tuple[AlterConfigsRequest, int]:
    size = len(b)
    m = new(AlterConfigsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise count_error("resources", n)
    resources: list[AlterConfigsResource] = []
    m.resources = resources
    for _ in range(n):
        resource = new(AlterConfigsResource)
        resource.resource_type, n = _unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("resource_name is null")
        end = at + n - 1
        resource.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("configs", n)
        configs: list[AlterableConfig] = []
        resource.configs = configs
        for _ in range(n):
            config = new(AlterableConfig)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            config.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                config.value = None
            else:
                end = at + n - 1
                config.value = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            configs.append(config)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        resources.append(resource)
    m.validate_only, tags = _unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"AlterConfigsRequest is {at - size} bytes short")
    return m, at


AlterConfigsRequest.READERS = dict.fromkeys(range(0, 2), _read_alter_configs_request_v0_1) | dict.fromkeys(range(2, 3), _read_alter_configs_request_v2)


def _write_alter_configs_request_v0_1(m: AlterConfigsRequest, out: bytearray, version: int) -> None:
    resources = m.resources
    out += _pack_i(len(resources))
    for resource in resources:
        resource_name = resource.resource_name
        resource_name_bytes = resource_name.encode()
        out += _pack_bh(resource.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        configs = resource.configs
        out += _pack_i(len(configs))
        for config in configs:
            name = config.name
            name_bytes = name.encode()
            out += _pack_h(len(name_bytes))
            out += name_bytes
            value = config.value
            value_bytes = b"" if value is None else value.encode()
            out += _pack_h(-1 if value is None else len(value_bytes))
            out += value_bytes
    out += _pack_t(m.validate_only)


def _write_alter_configs_request_v2(m: AlterConfigsRequest, out: bytearray, version: int) -> None:
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
        configs = resource.configs
        n = len(configs) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for config in configs:
            name = config.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            value = config.value
            value_bytes = b"" if value is None else value.encode()
            n = 0 if value is None else len(value_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += value_bytes
            out.append(0)
        out.append(0)
    out += _pack_tx(m.validate_only)


AlterConfigsRequest.WRITERS = dict.fromkeys(range(0, 2), _write_alter_configs_request_v0_1) | dict.fromkeys(range(2, 3), _write_alter_configs_request_v2)


def _read_alter_configs_response_v0_1(b: bytes, at: int, version: int) -> tuple[AlterConfigsResponse, int]:
    size = len(b)
    m = new(AlterConfigsResponse)
    m.throttle_time_ms, n = _unpack_ii(b, at)
    at += 8
    if n < 0 or n * 7 > size - at:
        raise count_error("responses", n)
    responses: list[AlterConfigsResourceResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(AlterConfigsResourceResponse)
        response.error_code, n = _unpack_hh(b, at)
        at += 4
        if n < 0:
            response.error_message = None
        else:
            end = at + n
            response.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        response.resource_type, n = _unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        response.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        responses.append(response)
    if at > size:
        raise ProtocolError(f"AlterConfigsResponse is {at - size} bytes short")
    return m, at


def _read_alter_configs_response_v2(b: bytes, at: int, version: int) -> tuple[AlterConfigsResponse, int]:
    size = len(b)
    m = new(AlterConfigsResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise count_error("responses", n)
    responses: list[AlterConfigsResourceResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(AlterConfigsResourceResponse)
        response.error_code, n = _unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            response.error_message = None
        else:
            end = at + n - 1
            response.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        response.resource_type, n = _unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("resource_name is null")
        end = at + n - 1
        response.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        responses.append(response)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"AlterConfigsResponse is {at - size} bytes short")
    return m, at


AlterConfigsResponse.READERS = dict.fromkeys(range(0, 2), _read_alter_configs_response_v0_1) | dict.fromkeys(range(2, 3), _read_alter_configs_response_v2)


def _write_alter_configs_response_v0_1(m: AlterConfigsResponse, out: bytearray, version: int) -> None:
    responses = m.responses
    out += _pack_ii(m.throttle_time_ms, len(responses))
    for response in responses:
        error_message = response.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += _pack_hh(response.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes
        resource_name = response.resource_name
        resource_name_bytes = resource_name.encode()
        out += _pack_bh(response.resource_type, len(resource_name_bytes))
        out += resource_name_bytes


def _write_alter_configs_response_v2(m: AlterConfigsResponse, out: bytearray, version: int) -> None:
    responses = m.responses
    n = len(responses) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for response in responses:
        error_message = response.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            out += _pack_h(response.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_hB(response.error_code, n)
        out += error_message_bytes
        resource_name = response.resource_name
        resource_name_bytes = resource_name.encode()
        n = len(resource_name_bytes) + 1
        if n > 127:
            out += _pack_b(response.resource_type)
            write_uvarint(out, n)
        else:
            out += _pack_bB(response.resource_type, n)
        out += resource_name_bytes
        out.append(0)
    out.append(0)


AlterConfigsResponse.WRITERS = dict.fromkeys(range(0, 2), _write_alter_configs_response_v0_1) | dict.fromkeys(range(2, 3), _write_alter_configs_response_v2)
