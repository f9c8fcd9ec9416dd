"""DescribeConfigs: the configs of topics, brokers and other resources, with their sources (KIP-133).

v1  config_source and synonyms in place of is_default (KIP-226)
v2  responds before it throttles (KIP-219)
v3  type and documentation (KIP-569)
v4  flexible

Generated from protocol_specs/32_describe_configs by tools/codegen: do not edit.
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
_pack_bh = Struct(">bh").pack
_pack_bx = Struct(">bx").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_t = Struct(">?").pack
_pack_tbt = Struct(">?b?").pack
_pack_tbtB = Struct(">?b?B").pack
_pack_tbti = Struct(">?b?i").pack
_pack_tt = Struct(">??").pack
_pack_ttt = Struct(">???").pack
_pack_ttx = Struct(">??x").pack
_unpack_b = Struct(">b").unpack_from
_unpack_bB = Struct(">bB").unpack_from
_unpack_bh = Struct(">bh").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_t = Struct(">?").unpack_from
_unpack_tbtB = Struct(">?b?B").unpack_from
_unpack_tbti = Struct(">?b?i").unpack_from
_unpack_tt = Struct(">??").unpack_from
_unpack_ttB = Struct(">??B").unpack_from
_unpack_ttt = Struct(">???").unpack_from


class DescribeConfigsResource(Data):
    """An element of `DescribeConfigsRequest.resources`."""

    resource_type: int = 0
    """ConfigResource: 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group."""
    resource_name: str = ""
    configuration_keys: list[str] | None = []
    """Null: all."""


class DescribeConfigsRequest(ReadableMessage, WritableMessage):
    API_KEY = 32
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4

    resources: list[DescribeConfigsResource] = []
    include_synonyms: bool = False  # v1+
    include_documentation: bool = False  # v3+


class DescribeConfigsSynonym(Data):
    """An element of `DescribeConfigsResourceResult.synonyms`."""

    name: str = ""
    value: str | None = ""
    source: int = 0


class DescribeConfigsResourceResult(Data):
    """An element of `DescribeConfigsResult.configs`."""

    name: str = ""
    value: str | None = ""
    read_only: bool = False
    is_default: bool = False  # v0
    """Replaced by config_source."""
    config_source: int = -1  # v1+
    """ConfigSource: 1 topic, 2 broker, 3 all brokers, 4 static, 5 default, 6 broker logger."""
    is_sensitive: bool = False
    synonyms: list[DescribeConfigsSynonym] = []  # v1+
    """Values of the key in all sources, in order of precedence."""
    config_type: int = 0  # v3+
    """ConfigType: 1 boolean, 2 string, 3 int, 4 short, 5 long, 6 double, 7 list, 8 class, 9 password."""
    documentation: str | None = ""  # v3+


class DescribeConfigsResult(Data):
    """An element of `DescribeConfigsResponse.results`."""

    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    """ConfigResource: 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group."""
    resource_name: str = ""
    configs: list[DescribeConfigsResourceResult] = []


class DescribeConfigsResponse(ReadableMessage, WritableMessage):
    API_KEY = 32
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    results: list[DescribeConfigsResult] = []


def _read_describe_configs_request_v0_3(b: bytes, at: int, version: int) -> tuple[DescribeConfigsRequest, int]:
    size = len(b)
    m = new(DescribeConfigsRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 7 > size - at:
        raise count_error("resources", n)
    resources: list[DescribeConfigsResource] = []
    m.resources = resources
    for _ in range(n):
        resource = new(DescribeConfigsResource)
        resource.resource_type, n = _unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        resource.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0:
            resource.configuration_keys = None
        else:
            if n * 2 > size - at:
                raise count_error("configuration_keys", n)
            configuration_keys: list[str] = []
            resource.configuration_keys = configuration_keys
            for _ in range(n):
                n = _unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    raise ProtocolError("configuration_keys is null")
                end = at + n
                configuration_key = b[at:end].decode("utf-8", "replace")
                at = end
                configuration_keys.append(configuration_key)
        resources.append(resource)
    if version >= 3:
        m.include_synonyms, m.include_documentation = _unpack_tt(b, at)
        at += 2
    elif version >= 1:
        m.include_documentation = False
        m.include_synonyms = _unpack_t(b, at)[0]
        at += 1
    else:
        m.include_synonyms = False
        m.include_documentation = False
    if at > size:
        raise ProtocolError(f"DescribeConfigsRequest is {at - size} bytes short")
    return m, at


def _read_describe_configs_request_v4(b: bytes, at: int, version: int) -> tuple[DescribeConfigsRequest, int]:
    size = len(b)
    m = new(DescribeConfigsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise count_error("resources", n)
    resources: list[DescribeConfigsResource] = []
    m.resources = resources
    for _ in range(n):
        resource = new(DescribeConfigsResource)
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
        if n < 0:
            resource.configuration_keys = None
        else:
            if n > size - at:
                raise count_error("configuration_keys", n)
            configuration_keys: list[str] = []
            resource.configuration_keys = configuration_keys
            for _ in range(n):
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("configuration_keys is null")
                end = at + n - 1
                configuration_key = b[at:end].decode("utf-8", "replace")
                at = end
                configuration_keys.append(configuration_key)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        resources.append(resource)
    m.include_synonyms, m.include_documentation, tags = _unpack_ttB(b, at)
    at += 3
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeConfigsRequest is {at - size} bytes short")
    return m, at


DescribeConfigsRequest.READERS = dict.fromkeys(range(0, 4), _read_describe_configs_request_v0_3) | dict.fromkeys(range(4, 5), _read_describe_configs_request_v4)


def _write_describe_configs_request_v0_3(m: DescribeConfigsRequest, out: bytearray, version: int) -> None:
    resources = m.resources
    out += _pack_i(len(resources))
    for resource in resources:
        resource_name = resource.resource_name
        resource_name_bytes = resource_name.encode()
        out += _pack_bh(resource.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        configuration_keys = resource.configuration_keys
        out += _pack_i(-1 if configuration_keys is None else len(configuration_keys))
        if configuration_keys is not None:
            for configuration_key in configuration_keys:
                configuration_keys_bytes = configuration_key.encode()
                out += _pack_h(len(configuration_keys_bytes))
                out += configuration_keys_bytes
    if version >= 3:
        out += _pack_tt(m.include_synonyms, m.include_documentation)
    elif version >= 1:
        if m.include_documentation:
            raise absent_field_error("include_documentation")
        out += _pack_t(m.include_synonyms)
    else:
        if m.include_synonyms:
            raise absent_field_error("include_synonyms")
        if m.include_documentation:
            raise absent_field_error("include_documentation")


def _write_describe_configs_request_v4(m: DescribeConfigsRequest, out: bytearray, version: int) -> None:
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
        configuration_keys = resource.configuration_keys
        n = 0 if configuration_keys is None else len(configuration_keys) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        if configuration_keys is not None:
            for configuration_key in configuration_keys:
                configuration_keys_bytes = configuration_key.encode()
                n = len(configuration_keys_bytes) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += configuration_keys_bytes
        out.append(0)
    out += _pack_ttx(m.include_synonyms, m.include_documentation)


DescribeConfigsRequest.WRITERS = dict.fromkeys(range(0, 4), _write_describe_configs_request_v0_3) | dict.fromkeys(range(4, 5), _write_describe_configs_request_v4)


def _read_describe_configs_response_v0_3(b: bytes, at: int, version: int) -> tuple[DescribeConfigsResponse, int]:
    size = len(b)
    m = new(DescribeConfigsResponse)
    m.throttle_time_ms, n = _unpack_ii(b, at)
    at += 8
    if n < 0 or n * 11 > size - at:
        raise count_error("results", n)
    results: list[DescribeConfigsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeConfigsResult)
        result.error_code, n = _unpack_hh(b, at)
        at += 4
        if n < 0:
            result.error_message = None
        else:
            end = at + n
            result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        result.resource_type, n = _unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        result.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 7 > size - at:
            raise count_error("configs", n)
        configs: list[DescribeConfigsResourceResult] = []
        result.configs = configs
        for _ in range(n):
            config = new(DescribeConfigsResourceResult)
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
            if version >= 1:
                config.is_default = False
                config.read_only, config.config_source, config.is_sensitive, n = _unpack_tbti(b, at)
                at += 7
                if n < 0 or n * 5 > size - at:
                    raise count_error("synonyms", n)
                synonyms: list[DescribeConfigsSynonym] = []
                config.synonyms = synonyms
                for _ in range(n):
                    synonym = new(DescribeConfigsSynonym)
                    n = _unpack_h(b, at)[0]
                    at += 2
                    if n < 0:
                        raise ProtocolError("name is null")
                    end = at + n
                    synonym.name = b[at:end].decode("utf-8", "replace")
                    at = end
                    n = _unpack_h(b, at)[0]
                    at += 2
                    if n < 0:
                        synonym.value = None
                    else:
                        end = at + n
                        synonym.value = b[at:end].decode("utf-8", "replace")
                        at = end
                    synonym.source = _unpack_b(b, at)[0]
                    at += 1
                    synonyms.append(synonym)
                if version >= 3:
                    config.config_type, n = _unpack_bh(b, at)
                    at += 3
                    if n < 0:
                        config.documentation = None
                    else:
                        end = at + n
                        config.documentation = b[at:end].decode("utf-8", "replace")
                        at = end
                else:
                    config.documentation = ""
                    config.config_type = 0
            else:
                config.synonyms = []
                config.documentation = ""
                config.config_source = -1
                config.config_type = 0
                config.read_only, config.is_default, config.is_sensitive = _unpack_ttt(b, at)
                at += 3
            configs.append(config)
        results.append(result)
    if at > size:
        raise ProtocolError(f"DescribeConfigsResponse is {at - size} bytes short")
    return m, at


def _read_describe_configs_response_v4(b: bytes, at: int, version: int) -> tuple[DescribeConfigsResponse, int]:
    size = len(b)
    m = new(DescribeConfigsResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 7 > size - at:
        raise count_error("results", n)
    results: list[DescribeConfigsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeConfigsResult)
        result.error_code, n = _unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            result.error_message = None
        else:
            end = at + n - 1
            result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        result.resource_type, n = _unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("resource_name is null")
        end = at + n - 1
        result.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 9 > size - at:
            raise count_error("configs", n)
        configs: list[DescribeConfigsResourceResult] = []
        result.configs = configs
        for _ in range(n):
            config = new(DescribeConfigsResourceResult)
            config.is_default = False
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
            config.read_only, config.config_source, config.is_sensitive, n = _unpack_tbtB(b, at)
            at += 4
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("synonyms", n)
            synonyms: list[DescribeConfigsSynonym] = []
            config.synonyms = synonyms
            for _ in range(n):
                synonym = new(DescribeConfigsSynonym)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("name is null")
                end = at + n - 1
                synonym.name = b[at:end].decode("utf-8", "replace")
                at = end
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    synonym.value = None
                else:
                    end = at + n - 1
                    synonym.value = b[at:end].decode("utf-8", "replace")
                    at = end
                synonym.source, tags = _unpack_bB(b, at)
                at += 2
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                synonyms.append(synonym)
            config.config_type, n = _unpack_bB(b, at)
            at += 2
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                config.documentation = None
            else:
                end = at + n - 1
                config.documentation = b[at:end].decode("utf-8", "replace")
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
        results.append(result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeConfigsResponse is {at - size} bytes short")
    return m, at


DescribeConfigsResponse.READERS = dict.fromkeys(range(0, 4), _read_describe_configs_response_v0_3) | dict.fromkeys(range(4, 5), _read_describe_configs_response_v4)


def _write_describe_configs_response_v0_3(m: DescribeConfigsResponse, out: bytearray, version: int) -> None:
    results = m.results
    out += _pack_ii(m.throttle_time_ms, len(results))
    for result in results:
        error_message = result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += _pack_hh(result.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes
        resource_name = result.resource_name
        resource_name_bytes = resource_name.encode()
        out += _pack_bh(result.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        configs = result.configs
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
            if version >= 1:
                synonyms = config.synonyms
                if config.is_default:
                    raise absent_field_error("is_default")
                out += _pack_tbti(config.read_only, config.config_source, config.is_sensitive, len(synonyms))
                for synonym in synonyms:
                    name2 = synonym.name
                    name_bytes2 = name2.encode()
                    out += _pack_h(len(name_bytes2))
                    out += name_bytes2
                    value2 = synonym.value
                    value_bytes2 = b"" if value2 is None else value2.encode()
                    out += _pack_h(-1 if value2 is None else len(value_bytes2))
                    out += value_bytes2
                    out += _pack_b(synonym.source)
                if version >= 3:
                    documentation = config.documentation
                    documentation_bytes = b"" if documentation is None else documentation.encode()
                    out += _pack_bh(config.config_type, -1 if documentation is None else len(documentation_bytes))
                    out += documentation_bytes
            else:
                out += _pack_ttt(config.read_only, config.is_default, config.is_sensitive)


def _write_describe_configs_response_v4(m: DescribeConfigsResponse, out: bytearray, version: int) -> None:
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
        resource_name = result.resource_name
        resource_name_bytes = resource_name.encode()
        n = len(resource_name_bytes) + 1
        if n > 127:
            out += _pack_b(result.resource_type)
            write_uvarint(out, n)
        else:
            out += _pack_bB(result.resource_type, n)
        out += resource_name_bytes
        configs = result.configs
        n = len(configs) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for config in configs:
            if config.is_default:
                raise absent_field_error("is_default")
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
            synonyms = config.synonyms
            n = len(synonyms) + 1
            if n > 127:
                out += _pack_tbt(config.read_only, config.config_source, config.is_sensitive)
                write_uvarint(out, n)
            else:
                out += _pack_tbtB(config.read_only, config.config_source, config.is_sensitive, n)
            for synonym in synonyms:
                name2 = synonym.name
                name_bytes2 = name2.encode()
                n = len(name_bytes2) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += name_bytes2
                value2 = synonym.value
                value_bytes2 = b"" if value2 is None else value2.encode()
                n = 0 if value2 is None else len(value_bytes2) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += value_bytes2
                out += _pack_bx(synonym.source)
            documentation = config.documentation
            documentation_bytes = b"" if documentation is None else documentation.encode()
            n = 0 if documentation is None else len(documentation_bytes) + 1
            if n > 127:
                out += _pack_b(config.config_type)
                write_uvarint(out, n)
            else:
                out += _pack_bB(config.config_type, n)
            out += documentation_bytes
            out.append(0)
        out.append(0)
    out.append(0)


DescribeConfigsResponse.WRITERS = dict.fromkeys(range(0, 4), _write_describe_configs_response_v0_3) | dict.fromkeys(range(4, 5), _write_describe_configs_response_v4)
