"""IncrementalAlterConfigs: change single configs of a resource (KIP-339).

v1  flexible

Generated from protocol_specs/44_incremental_alter_configs by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_b = Struct(">b").pack
pack_bh = Struct(">bh").pack
pack_h = Struct(">h").pack
pack_hh = Struct(">hh").pack
pack_i = Struct(">i").pack
pack_ii = Struct(">ii").pack
pack_t = Struct(">?").pack
pack_tx = Struct(">?x").pack
unpack_bB = Struct(">bB").unpack_from
unpack_bh = Struct(">bh").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_tB = Struct(">?B").unpack_from


class AlterableConfig(Data):
    __slots__ = FIELDS = ("name", "config_operation", "value")

    def __init__(
        self,
        name: str = "",
        config_operation: int = 0,
        value: str | None = "",
    ) -> None:
        self.name = name
        self.config_operation = config_operation
        self.value = value


class AlterConfigsResource(Data):
    __slots__ = FIELDS = ("resource_type", "resource_name", "configs")

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        configs: list[AlterableConfig] = UNSET,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = [] if configs is UNSET else configs


class IncrementalAlterConfigsRequest(Message):
    API_KEY = 44
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 1
    __slots__ = FIELDS = ("resources", "validate_only")

    def __init__(
        self,
        resources: list[AlterConfigsResource] = UNSET,
        validate_only: bool = False,
    ) -> None:
        self.resources = [] if resources is UNSET else resources
        self.validate_only = validate_only


class AlterConfigsResourceResponse(Data):
    __slots__ = FIELDS = ("error_code", "error_message", "resource_type", "resource_name")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        resource_type: int = 0,
        resource_name: str = "",
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name


class IncrementalAlterConfigsResponse(Message):
    API_KEY = 44
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 1
    __slots__ = FIELDS = ("throttle_time_ms", "responses")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        responses: list[AlterConfigsResourceResponse] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = [] if responses is UNSET else responses


def _read_incremental_alter_configs_request_v0(b: bytes, at: int) -> tuple[IncrementalAlterConfigsRequest, int]:
    size = len(b)
    m = new(IncrementalAlterConfigsRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 7 > size - at:
        raise fault_length("resources", n)
    resources: list[AlterConfigsResource] = []
    m.resources = resources
    for _ in range(n):
        resource = new(AlterConfigsResource)
        resource.resource_type, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        resource.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 5 > size - at:
            raise fault_length("configs", n)
        configs: list[AlterableConfig] = []
        resource.configs = configs
        for _ in range(n):
            config = new(AlterableConfig)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            config.name = b[at:end].decode("utf-8", "replace")
            at = end
            config.config_operation, n = unpack_bh(b, at)
            at += 3
            if n < 0:
                config.value = None
            else:
                end = at + n
                config.value = b[at:end].decode("utf-8", "replace")
                at = end
            configs.append(config)
        resources.append(resource)
    m.validate_only = unpack_t(b, at)[0]
    at += 1
    if at > size:
        raise ProtocolError(f"IncrementalAlterConfigsRequest is {at - size} bytes short")
    return m, at


def _read_incremental_alter_configs_request_v1(b: bytes, at: int) -> tuple[IncrementalAlterConfigsRequest, int]:
    size = len(b)
    m = new(IncrementalAlterConfigsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("resources", n)
    resources: list[AlterConfigsResource] = []
    m.resources = resources
    for _ in range(n):
        resource = new(AlterConfigsResource)
        resource.resource_type, n = unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("resource_name is null")
        end = at + n - 1
        resource.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise fault_length("configs", n)
        configs: list[AlterableConfig] = []
        resource.configs = configs
        for _ in range(n):
            config = new(AlterableConfig)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            config.name = b[at:end].decode("utf-8", "replace")
            at = end
            config.config_operation, n = unpack_bB(b, at)
            at += 2
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                config.value = None
            else:
                end = at + n - 1
                config.value = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            configs.append(config)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        resources.append(resource)
    m.validate_only, tags = unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"IncrementalAlterConfigsRequest is {at - size} bytes short")
    return m, at


def _write_incremental_alter_configs_request_v0(m: IncrementalAlterConfigsRequest, out: bytearray) -> None:
    resources = m.resources
    out += pack_i(len(resources))
    for resource in resources:
        resource_name = resource.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_bh(resource.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        configs = resource.configs
        out += pack_i(len(configs))
        for config in configs:
            name = config.name
            name_bytes = name.encode()
            out += pack_h(len(name_bytes))
            out += name_bytes
            value = config.value
            value_bytes = b"" if value is None else value.encode()
            out += pack_bh(config.config_operation, -1 if value is None else len(value_bytes))
            out += value_bytes
    out += pack_t(m.validate_only)


def _write_incremental_alter_configs_request_v1(m: IncrementalAlterConfigsRequest, out: bytearray) -> None:
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
        configs = resource.configs
        n = len(configs) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for config in configs:
            name = config.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            value = config.value
            value_bytes = b"" if value is None else value.encode()
            out += pack_b(config.config_operation)
            n = 0 if value is None else len(value_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += value_bytes
            out.append(0)
        out.append(0)
    out += pack_tx(m.validate_only)


def _read_incremental_alter_configs_response_v0(b: bytes, at: int) -> tuple[IncrementalAlterConfigsResponse, int]:
    size = len(b)
    m = new(IncrementalAlterConfigsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 7 > size - at:
        raise fault_length("responses", n)
    responses: list[AlterConfigsResourceResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(AlterConfigsResourceResponse)
        response.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            response.error_message = None
        else:
            end = at + n
            response.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        response.resource_type, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        response.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        responses.append(response)
    if at > size:
        raise ProtocolError(f"IncrementalAlterConfigsResponse is {at - size} bytes short")
    return m, at


def _read_incremental_alter_configs_response_v1(b: bytes, at: int) -> tuple[IncrementalAlterConfigsResponse, int]:
    size = len(b)
    m = new(IncrementalAlterConfigsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise fault_length("responses", n)
    responses: list[AlterConfigsResourceResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(AlterConfigsResourceResponse)
        response.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            response.error_message = None
        else:
            end = at + n - 1
            response.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        response.resource_type, n = unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("resource_name is null")
        end = at + n - 1
        response.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        responses.append(response)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"IncrementalAlterConfigsResponse is {at - size} bytes short")
    return m, at


def _write_incremental_alter_configs_response_v0(m: IncrementalAlterConfigsResponse, out: bytearray) -> None:
    responses = m.responses
    out += pack_ii(m.throttle_time_ms, len(responses))
    for response in responses:
        error_message = response.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_hh(response.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes
        resource_name = response.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_bh(response.resource_type, len(resource_name_bytes))
        out += resource_name_bytes


def _write_incremental_alter_configs_response_v1(m: IncrementalAlterConfigsResponse, out: bytearray) -> None:
    responses = m.responses
    out += pack_i(m.throttle_time_ms)
    n = len(responses) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for response in responses:
        error_message = response.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_h(response.error_code)
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes
        resource_name = response.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_b(response.resource_type)
        n = len(resource_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += resource_name_bytes
        out.append(0)
    out.append(0)


IncrementalAlterConfigsRequest.READERS = {
    0: _read_incremental_alter_configs_request_v0,
    1: _read_incremental_alter_configs_request_v1,
}
IncrementalAlterConfigsRequest.WRITERS = {
    0: _write_incremental_alter_configs_request_v0,
    1: _write_incremental_alter_configs_request_v1,
}
IncrementalAlterConfigsResponse.READERS = {
    0: _read_incremental_alter_configs_response_v0,
    1: _read_incremental_alter_configs_response_v1,
}
IncrementalAlterConfigsResponse.WRITERS = {
    0: _write_incremental_alter_configs_response_v0,
    1: _write_incremental_alter_configs_response_v1,
}
