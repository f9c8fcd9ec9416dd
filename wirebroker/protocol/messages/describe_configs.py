"""DescribeConfigs: the configs of topics, brokers, and others, with where they come from (KIP-133).

v1  config_source and synonyms in place of is_default (KIP-226)
v2  answers before it throttles (KIP-219)
v3  type and documentation (KIP-569)
v4  flexible

Generated from protocol_specs/32_describe_configs by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_b = Struct(">b").pack
pack_bh = Struct(">bh").pack
pack_bx = Struct(">bx").pack
pack_h = Struct(">h").pack
pack_hh = Struct(">hh").pack
pack_i = Struct(">i").pack
pack_ii = Struct(">ii").pack
pack_t = Struct(">?").pack
pack_tbt = Struct(">?b?").pack
pack_tbti = Struct(">?b?i").pack
pack_tt = Struct(">??").pack
pack_ttt = Struct(">???").pack
pack_ttx = Struct(">??x").pack
unpack_b = Struct(">b").unpack_from
unpack_bB = Struct(">bB").unpack_from
unpack_bh = Struct(">bh").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_tbtB = Struct(">?b?B").unpack_from
unpack_tbti = Struct(">?b?i").unpack_from
unpack_tt = Struct(">??").unpack_from
unpack_ttB = Struct(">??B").unpack_from
unpack_ttt = Struct(">???").unpack_from


class DescribeConfigsResource(Data):
    __slots__ = FIELDS = ("resource_type", "resource_name", "configuration_keys")

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        configuration_keys: list[str] | None = UNSET,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configuration_keys = [] if configuration_keys is UNSET else configuration_keys


class DescribeConfigsRequest(Message):
    API_KEY = 32
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = ("resources", "include_synonyms", "include_documentation")

    def __init__(
        self,
        resources: list[DescribeConfigsResource] = UNSET,
        include_synonyms: bool = False,
        include_documentation: bool = False,
    ) -> None:
        self.resources = [] if resources is UNSET else resources
        self.include_synonyms = include_synonyms
        self.include_documentation = include_documentation


class DescribeConfigsSynonym(Data):
    """where the value would come from next, most specific first"""

    __slots__ = FIELDS = ("name", "value", "source")

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        source: int = 0,
    ) -> None:
        self.name = name
        self.value = value
        self.source = source


class DescribeConfigsResourceResult(Data):
    __slots__ = FIELDS = (
        "name",
        "value",
        "read_only",
        "is_default",
        "config_source",
        "is_sensitive",
        "synonyms",
        "config_type",
        "documentation",
    )

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        read_only: bool = False,
        is_default: bool = False,
        config_source: int = -1,
        is_sensitive: bool = False,
        synonyms: list[DescribeConfigsSynonym] = UNSET,
        config_type: int = 0,
        documentation: str | None = "",
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.is_default = is_default
        self.config_source = config_source
        self.is_sensitive = is_sensitive
        self.synonyms = [] if synonyms is UNSET else synonyms
        self.config_type = config_type
        self.documentation = documentation


class DescribeConfigsResult(Data):
    __slots__ = FIELDS = ("error_code", "error_message", "resource_type", "resource_name", "configs")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        resource_type: int = 0,
        resource_name: str = "",
        configs: list[DescribeConfigsResourceResult] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = [] if configs is UNSET else configs


class DescribeConfigsResponse(Message):
    API_KEY = 32
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = ("throttle_time_ms", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[DescribeConfigsResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results


def _read_describe_configs_request_v0(b: bytes, at: int) -> tuple[DescribeConfigsRequest, int]:
    size = len(b)
    m = new(DescribeConfigsRequest)
    m.include_synonyms = False
    m.include_documentation = False
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 7 > size - at:
        raise fault_length("resources", n)
    resources: list[DescribeConfigsResource] = []
    m.resources = resources
    for _ in range(n):
        resource = new(DescribeConfigsResource)
        resource.resource_type, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        resource.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0:
            resource.configuration_keys = None
        else:
            if n * 2 > size - at:
                raise fault_length("configuration_keys", n)
            configuration_keys: list[str] = []
            resource.configuration_keys = configuration_keys
            for _ in range(n):
                n = unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    raise ProtocolError("configuration_keys is null")
                end = at + n
                configuration_key = b[at:end].decode("utf-8", "replace")
                at = end
                configuration_keys.append(configuration_key)
        resources.append(resource)
    if at > size:
        raise ProtocolError(f"DescribeConfigsRequest is {at - size} bytes short")
    return m, at


def _read_describe_configs_request_v1_2(b: bytes, at: int) -> tuple[DescribeConfigsRequest, int]:
    size = len(b)
    m = new(DescribeConfigsRequest)
    m.include_documentation = False
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 7 > size - at:
        raise fault_length("resources", n)
    resources: list[DescribeConfigsResource] = []
    m.resources = resources
    for _ in range(n):
        resource = new(DescribeConfigsResource)
        resource.resource_type, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        resource.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0:
            resource.configuration_keys = None
        else:
            if n * 2 > size - at:
                raise fault_length("configuration_keys", n)
            configuration_keys: list[str] = []
            resource.configuration_keys = configuration_keys
            for _ in range(n):
                n = unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    raise ProtocolError("configuration_keys is null")
                end = at + n
                configuration_key = b[at:end].decode("utf-8", "replace")
                at = end
                configuration_keys.append(configuration_key)
        resources.append(resource)
    m.include_synonyms = unpack_t(b, at)[0]
    at += 1
    if at > size:
        raise ProtocolError(f"DescribeConfigsRequest is {at - size} bytes short")
    return m, at


def _read_describe_configs_request_v3(b: bytes, at: int) -> tuple[DescribeConfigsRequest, int]:
    size = len(b)
    m = new(DescribeConfigsRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 7 > size - at:
        raise fault_length("resources", n)
    resources: list[DescribeConfigsResource] = []
    m.resources = resources
    for _ in range(n):
        resource = new(DescribeConfigsResource)
        resource.resource_type, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        resource.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0:
            resource.configuration_keys = None
        else:
            if n * 2 > size - at:
                raise fault_length("configuration_keys", n)
            configuration_keys: list[str] = []
            resource.configuration_keys = configuration_keys
            for _ in range(n):
                n = unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    raise ProtocolError("configuration_keys is null")
                end = at + n
                configuration_key = b[at:end].decode("utf-8", "replace")
                at = end
                configuration_keys.append(configuration_key)
        resources.append(resource)
    m.include_synonyms, m.include_documentation = unpack_tt(b, at)
    at += 2
    if at > size:
        raise ProtocolError(f"DescribeConfigsRequest is {at - size} bytes short")
    return m, at


def _read_describe_configs_request_v4(b: bytes, at: int) -> tuple[DescribeConfigsRequest, int]:
    size = len(b)
    m = new(DescribeConfigsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("resources", n)
    resources: list[DescribeConfigsResource] = []
    m.resources = resources
    for _ in range(n):
        resource = new(DescribeConfigsResource)
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
        if n < 0:
            resource.configuration_keys = None
        else:
            if n > size - at:
                raise fault_length("configuration_keys", n)
            configuration_keys: list[str] = []
            resource.configuration_keys = configuration_keys
            for _ in range(n):
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("configuration_keys is null")
                end = at + n - 1
                configuration_key = b[at:end].decode("utf-8", "replace")
                at = end
                configuration_keys.append(configuration_key)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        resources.append(resource)
    m.include_synonyms, m.include_documentation, tags = unpack_ttB(b, at)
    at += 3
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeConfigsRequest is {at - size} bytes short")
    return m, at


def _write_describe_configs_request_v0(m: DescribeConfigsRequest, out: bytearray) -> None:
    if m.include_synonyms:
        raise fault_absent("include_synonyms")
    if m.include_documentation:
        raise fault_absent("include_documentation")
    resources = m.resources
    out += pack_i(len(resources))
    for resource in resources:
        resource_name = resource.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_bh(resource.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        configuration_keys = resource.configuration_keys
        out += pack_i(-1 if configuration_keys is None else len(configuration_keys))
        if configuration_keys is not None:
            for configuration_key in configuration_keys:
                configuration_keys_bytes = configuration_key.encode()
                out += pack_h(len(configuration_keys_bytes))
                out += configuration_keys_bytes


def _write_describe_configs_request_v1_2(m: DescribeConfigsRequest, out: bytearray) -> None:
    if m.include_documentation:
        raise fault_absent("include_documentation")
    resources = m.resources
    out += pack_i(len(resources))
    for resource in resources:
        resource_name = resource.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_bh(resource.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        configuration_keys = resource.configuration_keys
        out += pack_i(-1 if configuration_keys is None else len(configuration_keys))
        if configuration_keys is not None:
            for configuration_key in configuration_keys:
                configuration_keys_bytes = configuration_key.encode()
                out += pack_h(len(configuration_keys_bytes))
                out += configuration_keys_bytes
    out += pack_t(m.include_synonyms)


def _write_describe_configs_request_v3(m: DescribeConfigsRequest, out: bytearray) -> None:
    resources = m.resources
    out += pack_i(len(resources))
    for resource in resources:
        resource_name = resource.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_bh(resource.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        configuration_keys = resource.configuration_keys
        out += pack_i(-1 if configuration_keys is None else len(configuration_keys))
        if configuration_keys is not None:
            for configuration_key in configuration_keys:
                configuration_keys_bytes = configuration_key.encode()
                out += pack_h(len(configuration_keys_bytes))
                out += configuration_keys_bytes
    out += pack_tt(m.include_synonyms, m.include_documentation)


def _write_describe_configs_request_v4(m: DescribeConfigsRequest, out: bytearray) -> None:
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
        configuration_keys = resource.configuration_keys
        n = 0 if configuration_keys is None else len(configuration_keys) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        if configuration_keys is not None:
            for configuration_key in configuration_keys:
                configuration_keys_bytes = configuration_key.encode()
                n = len(configuration_keys_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += configuration_keys_bytes
        out.append(0)
    out += pack_ttx(m.include_synonyms, m.include_documentation)


def _read_describe_configs_response_v0(b: bytes, at: int) -> tuple[DescribeConfigsResponse, int]:
    size = len(b)
    m = new(DescribeConfigsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 11 > size - at:
        raise fault_length("results", n)
    results: list[DescribeConfigsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeConfigsResult)
        result.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            result.error_message = None
        else:
            end = at + n
            result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        result.resource_type, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        result.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 7 > size - at:
            raise fault_length("configs", n)
        configs: list[DescribeConfigsResourceResult] = []
        result.configs = configs
        for _ in range(n):
            config = new(DescribeConfigsResourceResult)
            config.config_source = -1
            config.synonyms = []
            config.config_type = 0
            config.documentation = ""
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            config.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                config.value = None
            else:
                end = at + n
                config.value = b[at:end].decode("utf-8", "replace")
                at = end
            config.read_only, config.is_default, config.is_sensitive = unpack_ttt(b, at)
            at += 3
            configs.append(config)
        results.append(result)
    if at > size:
        raise ProtocolError(f"DescribeConfigsResponse is {at - size} bytes short")
    return m, at


def _read_describe_configs_response_v1_2(b: bytes, at: int) -> tuple[DescribeConfigsResponse, int]:
    size = len(b)
    m = new(DescribeConfigsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 11 > size - at:
        raise fault_length("results", n)
    results: list[DescribeConfigsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeConfigsResult)
        result.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            result.error_message = None
        else:
            end = at + n
            result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        result.resource_type, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        result.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 11 > size - at:
            raise fault_length("configs", n)
        configs: list[DescribeConfigsResourceResult] = []
        result.configs = configs
        for _ in range(n):
            config = new(DescribeConfigsResourceResult)
            config.is_default = False
            config.config_type = 0
            config.documentation = ""
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            config.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                config.value = None
            else:
                end = at + n
                config.value = b[at:end].decode("utf-8", "replace")
                at = end
            config.read_only, config.config_source, config.is_sensitive, n = unpack_tbti(b, at)
            at += 7
            if n < 0 or n * 5 > size - at:
                raise fault_length("synonyms", n)
            synonyms: list[DescribeConfigsSynonym] = []
            config.synonyms = synonyms
            for _ in range(n):
                synonym = new(DescribeConfigsSynonym)
                n = unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    raise ProtocolError("name is null")
                end = at + n
                synonym.name = b[at:end].decode("utf-8", "replace")
                at = end
                n = unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    synonym.value = None
                else:
                    end = at + n
                    synonym.value = b[at:end].decode("utf-8", "replace")
                    at = end
                synonym.source = unpack_b(b, at)[0]
                at += 1
                synonyms.append(synonym)
            configs.append(config)
        results.append(result)
    if at > size:
        raise ProtocolError(f"DescribeConfigsResponse is {at - size} bytes short")
    return m, at


def _read_describe_configs_response_v3(b: bytes, at: int) -> tuple[DescribeConfigsResponse, int]:
    size = len(b)
    m = new(DescribeConfigsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 11 > size - at:
        raise fault_length("results", n)
    results: list[DescribeConfigsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeConfigsResult)
        result.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            result.error_message = None
        else:
            end = at + n
            result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        result.resource_type, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            raise ProtocolError("resource_name is null")
        end = at + n
        result.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise fault_length("configs", n)
        configs: list[DescribeConfigsResourceResult] = []
        result.configs = configs
        for _ in range(n):
            config = new(DescribeConfigsResourceResult)
            config.is_default = False
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            config.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                config.value = None
            else:
                end = at + n
                config.value = b[at:end].decode("utf-8", "replace")
                at = end
            config.read_only, config.config_source, config.is_sensitive, n = unpack_tbti(b, at)
            at += 7
            if n < 0 or n * 5 > size - at:
                raise fault_length("synonyms", n)
            synonyms: list[DescribeConfigsSynonym] = []
            config.synonyms = synonyms
            for _ in range(n):
                synonym = new(DescribeConfigsSynonym)
                n = unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    raise ProtocolError("name is null")
                end = at + n
                synonym.name = b[at:end].decode("utf-8", "replace")
                at = end
                n = unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    synonym.value = None
                else:
                    end = at + n
                    synonym.value = b[at:end].decode("utf-8", "replace")
                    at = end
                synonym.source = unpack_b(b, at)[0]
                at += 1
                synonyms.append(synonym)
            config.config_type, n = unpack_bh(b, at)
            at += 3
            if n < 0:
                config.documentation = None
            else:
                end = at + n
                config.documentation = b[at:end].decode("utf-8", "replace")
                at = end
            configs.append(config)
        results.append(result)
    if at > size:
        raise ProtocolError(f"DescribeConfigsResponse is {at - size} bytes short")
    return m, at


def _read_describe_configs_response_v4(b: bytes, at: int) -> tuple[DescribeConfigsResponse, int]:
    size = len(b)
    m = new(DescribeConfigsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 7 > size - at:
        raise fault_length("results", n)
    results: list[DescribeConfigsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeConfigsResult)
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
        result.resource_type, n = unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("resource_name is null")
        end = at + n - 1
        result.resource_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 9 > size - at:
            raise fault_length("configs", n)
        configs: list[DescribeConfigsResourceResult] = []
        result.configs = configs
        for _ in range(n):
            config = new(DescribeConfigsResourceResult)
            config.is_default = False
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            config.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                config.value = None
            else:
                end = at + n - 1
                config.value = b[at:end].decode("utf-8", "replace")
                at = end
            config.read_only, config.config_source, config.is_sensitive, n = unpack_tbtB(b, at)
            at += 4
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("synonyms", n)
            synonyms: list[DescribeConfigsSynonym] = []
            config.synonyms = synonyms
            for _ in range(n):
                synonym = new(DescribeConfigsSynonym)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("name is null")
                end = at + n - 1
                synonym.name = b[at:end].decode("utf-8", "replace")
                at = end
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    synonym.value = None
                else:
                    end = at + n - 1
                    synonym.value = b[at:end].decode("utf-8", "replace")
                    at = end
                synonym.source, tags = unpack_bB(b, at)
                at += 2
                if tags:
                    at = skip_tags(b, at, tags)
                synonyms.append(synonym)
            config.config_type, n = unpack_bB(b, at)
            at += 2
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                config.documentation = None
            else:
                end = at + n - 1
                config.documentation = b[at:end].decode("utf-8", "replace")
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
        results.append(result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeConfigsResponse is {at - size} bytes short")
    return m, at


def _write_describe_configs_response_v0(m: DescribeConfigsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_ii(m.throttle_time_ms, len(results))
    for result in results:
        error_message = result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_hh(result.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes
        resource_name = result.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_bh(result.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        configs = result.configs
        out += pack_i(len(configs))
        for config in configs:
            name = config.name
            name_bytes = name.encode()
            out += pack_h(len(name_bytes))
            out += name_bytes
            value = config.value
            value_bytes = b"" if value is None else value.encode()
            out += pack_h(-1 if value is None else len(value_bytes))
            out += value_bytes
            out += pack_ttt(config.read_only, config.is_default, config.is_sensitive)


def _write_describe_configs_response_v1_2(m: DescribeConfigsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_ii(m.throttle_time_ms, len(results))
    for result in results:
        error_message = result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_hh(result.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes
        resource_name = result.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_bh(result.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        configs = result.configs
        out += pack_i(len(configs))
        for config in configs:
            if config.is_default:
                raise fault_absent("is_default")
            name = config.name
            name_bytes = name.encode()
            out += pack_h(len(name_bytes))
            out += name_bytes
            value = config.value
            value_bytes = b"" if value is None else value.encode()
            out += pack_h(-1 if value is None else len(value_bytes))
            out += value_bytes
            synonyms = config.synonyms
            out += pack_tbti(config.read_only, config.config_source, config.is_sensitive, len(synonyms))
            for synonym in synonyms:
                name2 = synonym.name
                name_bytes2 = name2.encode()
                out += pack_h(len(name_bytes2))
                out += name_bytes2
                value2 = synonym.value
                value_bytes2 = b"" if value2 is None else value2.encode()
                out += pack_h(-1 if value2 is None else len(value_bytes2))
                out += value_bytes2
                out += pack_b(synonym.source)


def _write_describe_configs_response_v3(m: DescribeConfigsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_ii(m.throttle_time_ms, len(results))
    for result in results:
        error_message = result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_hh(result.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes
        resource_name = result.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_bh(result.resource_type, len(resource_name_bytes))
        out += resource_name_bytes
        configs = result.configs
        out += pack_i(len(configs))
        for config in configs:
            if config.is_default:
                raise fault_absent("is_default")
            name = config.name
            name_bytes = name.encode()
            out += pack_h(len(name_bytes))
            out += name_bytes
            value = config.value
            value_bytes = b"" if value is None else value.encode()
            out += pack_h(-1 if value is None else len(value_bytes))
            out += value_bytes
            synonyms = config.synonyms
            out += pack_tbti(config.read_only, config.config_source, config.is_sensitive, len(synonyms))
            for synonym in synonyms:
                name2 = synonym.name
                name_bytes2 = name2.encode()
                out += pack_h(len(name_bytes2))
                out += name_bytes2
                value2 = synonym.value
                value_bytes2 = b"" if value2 is None else value2.encode()
                out += pack_h(-1 if value2 is None else len(value_bytes2))
                out += value_bytes2
                out += pack_b(synonym.source)
            documentation = config.documentation
            documentation_bytes = b"" if documentation is None else documentation.encode()
            out += pack_bh(config.config_type, -1 if documentation is None else len(documentation_bytes))
            out += documentation_bytes


def _write_describe_configs_response_v4(m: DescribeConfigsResponse, out: bytearray) -> None:
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
        resource_name = result.resource_name
        resource_name_bytes = resource_name.encode()
        out += pack_b(result.resource_type)
        n = len(resource_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += resource_name_bytes
        configs = result.configs
        n = len(configs) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for config in configs:
            if config.is_default:
                raise fault_absent("is_default")
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
            n = 0 if value is None else len(value_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += value_bytes
            synonyms = config.synonyms
            out += pack_tbt(config.read_only, config.config_source, config.is_sensitive)
            n = len(synonyms) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for synonym in synonyms:
                name2 = synonym.name
                name_bytes2 = name2.encode()
                n = len(name_bytes2) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += name_bytes2
                value2 = synonym.value
                value_bytes2 = b"" if value2 is None else value2.encode()
                n = 0 if value2 is None else len(value_bytes2) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += value_bytes2
                out += pack_bx(synonym.source)
            documentation = config.documentation
            documentation_bytes = b"" if documentation is None else documentation.encode()
            out += pack_b(config.config_type)
            n = 0 if documentation is None else len(documentation_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += documentation_bytes
            out.append(0)
        out.append(0)
    out.append(0)


DescribeConfigsRequest.READERS = {
    0: _read_describe_configs_request_v0,
    1: _read_describe_configs_request_v1_2,
    2: _read_describe_configs_request_v1_2,
    3: _read_describe_configs_request_v3,
    4: _read_describe_configs_request_v4,
}
DescribeConfigsRequest.WRITERS = {
    0: _write_describe_configs_request_v0,
    1: _write_describe_configs_request_v1_2,
    2: _write_describe_configs_request_v1_2,
    3: _write_describe_configs_request_v3,
    4: _write_describe_configs_request_v4,
}
DescribeConfigsResponse.READERS = {
    0: _read_describe_configs_response_v0,
    1: _read_describe_configs_response_v1_2,
    2: _read_describe_configs_response_v1_2,
    3: _read_describe_configs_response_v3,
    4: _read_describe_configs_response_v4,
}
DescribeConfigsResponse.WRITERS = {
    0: _write_describe_configs_response_v0,
    1: _write_describe_configs_response_v1_2,
    2: _write_describe_configs_response_v1_2,
    3: _write_describe_configs_response_v3,
    4: _write_describe_configs_response_v4,
}
