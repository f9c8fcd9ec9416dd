"""DescribeClientQuotas: the quotas of users, client ids and addresses (KIP-546).

v1  flexible

Generated from protocol_specs/48_describe_client_quotas by tools/codegen: do not edit.
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
pack_d = Struct(">d").pack
pack_dx = Struct(">dx").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihh = Struct(">ihh").pack
pack_t = Struct(">?").pack
pack_tx = Struct(">?x").pack
unpack_bB = Struct(">bB").unpack_from
unpack_bh = Struct(">bh").unpack_from
unpack_d = Struct(">d").unpack_from
unpack_dB = Struct(">dB").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihh = Struct(">ihh").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_tB = Struct(">?B").unpack_from


class ComponentData(Data):
    __slots__ = FIELDS = ("entity_type", "match_type", "match")

    def __init__(
        self,
        entity_type: str = "",
        match_type: int = 0,
        match: str | None = "",
    ) -> None:
        self.entity_type = entity_type
        self.match_type = match_type
        self.match = match


class DescribeClientQuotasRequest(Message):
    API_KEY = 48
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 1
    __slots__ = FIELDS = ("components", "strict")

    def __init__(
        self,
        components: list[ComponentData] = UNSET,
        strict: bool = False,
    ) -> None:
        self.components = [] if components is UNSET else components
        self.strict = strict


class EntityData(Data):
    __slots__ = FIELDS = ("entity_type", "entity_name")

    def __init__(
        self,
        entity_type: str = "",
        entity_name: str | None = "",
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name


class ValueData(Data):
    __slots__ = FIELDS = ("key", "value")

    def __init__(
        self,
        key: str = "",
        value: float = 0.0,
    ) -> None:
        self.key = key
        self.value = value


class EntryData(Data):
    __slots__ = FIELDS = ("entity", "values")

    def __init__(
        self,
        entity: list[EntityData] = UNSET,
        values: list[ValueData] = UNSET,
    ) -> None:
        self.entity = [] if entity is UNSET else entity
        self.values = [] if values is UNSET else values


class DescribeClientQuotasResponse(Message):
    API_KEY = 48
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 1
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "error_message", "entries")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        entries: list[EntryData] | None = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.entries = [] if entries is UNSET else entries


def _read_describe_client_quotas_request_v0(b: bytes, at: int) -> tuple[DescribeClientQuotasRequest, int]:
    size = len(b)
    m = new(DescribeClientQuotasRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 5 > size - at:
        raise fault_length("components", n)
    components: list[ComponentData] = []
    m.components = components
    for _ in range(n):
        component = new(ComponentData)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("entity_type is null")
        end = at + n
        component.entity_type = b[at:end].decode("utf-8", "replace")
        at = end
        component.match_type, n = unpack_bh(b, at)
        at += 3
        if n < 0:
            component.match = None
        else:
            end = at + n
            component.match = b[at:end].decode("utf-8", "replace")
            at = end
        components.append(component)
    m.strict = unpack_t(b, at)[0]
    at += 1
    if at > size:
        raise ProtocolError(f"DescribeClientQuotasRequest is {at - size} bytes short")
    return m, at


def _read_describe_client_quotas_request_v1(b: bytes, at: int) -> tuple[DescribeClientQuotasRequest, int]:
    size = len(b)
    m = new(DescribeClientQuotasRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("components", n)
    components: list[ComponentData] = []
    m.components = components
    for _ in range(n):
        component = new(ComponentData)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("entity_type is null")
        end = at + n - 1
        component.entity_type = b[at:end].decode("utf-8", "replace")
        at = end
        component.match_type, n = unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            component.match = None
        else:
            end = at + n - 1
            component.match = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        components.append(component)
    m.strict, tags = unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeClientQuotasRequest is {at - size} bytes short")
    return m, at


def _write_describe_client_quotas_request_v0(m: DescribeClientQuotasRequest, out: bytearray) -> None:
    components = m.components
    out += pack_i(len(components))
    for component in components:
        entity_type = component.entity_type
        entity_type_bytes = entity_type.encode()
        out += pack_h(len(entity_type_bytes))
        out += entity_type_bytes
        match = component.match
        match_bytes = b"" if match is None else match.encode()
        out += pack_bh(component.match_type, -1 if match is None else len(match_bytes))
        out += match_bytes
    out += pack_t(m.strict)


def _write_describe_client_quotas_request_v1(m: DescribeClientQuotasRequest, out: bytearray) -> None:
    components = m.components
    n = len(components) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for component in components:
        entity_type = component.entity_type
        entity_type_bytes = entity_type.encode()
        n = len(entity_type_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += entity_type_bytes
        match = component.match
        match_bytes = b"" if match is None else match.encode()
        out += pack_b(component.match_type)
        n = 0 if match is None else len(match_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += match_bytes
        out.append(0)
    out += pack_tx(m.strict)


def _read_describe_client_quotas_response_v0(b: bytes, at: int) -> tuple[DescribeClientQuotasResponse, int]:
    size = len(b)
    m = new(DescribeClientQuotasResponse)
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
    if n < 0:
        m.entries = None
    else:
        if n * 8 > size - at:
            raise fault_length("entries", n)
        entries: list[EntryData] = []
        m.entries = entries
        for _ in range(n):
            entry = new(EntryData)
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("entity", n)
            entity: list[EntityData] = []
            entry.entity = entity
            for _ in range(n):
                entity_item = new(EntityData)
                n = unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    raise ProtocolError("entity_type is null")
                end = at + n
                entity_item.entity_type = b[at:end].decode("utf-8", "replace")
                at = end
                n = unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    entity_item.entity_name = None
                else:
                    end = at + n
                    entity_item.entity_name = b[at:end].decode("utf-8", "replace")
                    at = end
                entity.append(entity_item)
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 10 > size - at:
                raise fault_length("values", n)
            values: list[ValueData] = []
            entry.values = values
            for _ in range(n):
                value = new(ValueData)
                n = unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    raise ProtocolError("key is null")
                end = at + n
                value.key = b[at:end].decode("utf-8", "replace")
                at = end
                value.value = unpack_d(b, at)[0]
                at += 8
                values.append(value)
            entries.append(entry)
    if at > size:
        raise ProtocolError(f"DescribeClientQuotasResponse is {at - size} bytes short")
    return m, at


def _read_describe_client_quotas_response_v1(b: bytes, at: int) -> tuple[DescribeClientQuotasResponse, int]:
    size = len(b)
    m = new(DescribeClientQuotasResponse)
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
    if n < 0:
        m.entries = None
    else:
        if n * 3 > size - at:
            raise fault_length("entries", n)
        entries: list[EntryData] = []
        m.entries = entries
        for _ in range(n):
            entry = new(EntryData)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 3 > size - at:
                raise fault_length("entity", n)
            entity: list[EntityData] = []
            entry.entity = entity
            for _ in range(n):
                entity_item = new(EntityData)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("entity_type is null")
                end = at + n - 1
                entity_item.entity_type = b[at:end].decode("utf-8", "replace")
                at = end
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    entity_item.entity_name = None
                else:
                    end = at + n - 1
                    entity_item.entity_name = b[at:end].decode("utf-8", "replace")
                    at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tags(b, at, tags)
                entity.append(entity_item)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 10 > size - at:
                raise fault_length("values", n)
            values: list[ValueData] = []
            entry.values = values
            for _ in range(n):
                value = new(ValueData)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("key is null")
                end = at + n - 1
                value.key = b[at:end].decode("utf-8", "replace")
                at = end
                value.value, tags = unpack_dB(b, at)
                at += 9
                if tags:
                    at = skip_tags(b, at, tags)
                values.append(value)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            entries.append(entry)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeClientQuotasResponse is {at - size} bytes short")
    return m, at


def _write_describe_client_quotas_response_v0(m: DescribeClientQuotasResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ihh(m.throttle_time_ms, m.error_code, -1 if error_message is None else len(error_message_bytes))
    out += error_message_bytes
    entries = m.entries
    out += pack_i(-1 if entries is None else len(entries))
    if entries is not None:
        for entry in entries:
            entity = entry.entity
            out += pack_i(len(entity))
            for entity_item in entity:
                entity_type = entity_item.entity_type
                entity_type_bytes = entity_type.encode()
                out += pack_h(len(entity_type_bytes))
                out += entity_type_bytes
                entity_name = entity_item.entity_name
                entity_name_bytes = b"" if entity_name is None else entity_name.encode()
                out += pack_h(-1 if entity_name is None else len(entity_name_bytes))
                out += entity_name_bytes
            values = entry.values
            out += pack_i(len(values))
            for value in values:
                key = value.key
                key_bytes = key.encode()
                out += pack_h(len(key_bytes))
                out += key_bytes
                out += pack_d(value.value)


def _write_describe_client_quotas_response_v1(m: DescribeClientQuotasResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    entries = m.entries
    n = 0 if entries is None else len(entries) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if entries is not None:
        for entry in entries:
            entity = entry.entity
            n = len(entity) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for entity_item in entity:
                entity_type = entity_item.entity_type
                entity_type_bytes = entity_type.encode()
                n = len(entity_type_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += entity_type_bytes
                entity_name = entity_item.entity_name
                entity_name_bytes = b"" if entity_name is None else entity_name.encode()
                n = 0 if entity_name is None else len(entity_name_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += entity_name_bytes
                out.append(0)
            values = entry.values
            n = len(values) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for value in values:
                key = value.key
                key_bytes = key.encode()
                n = len(key_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += key_bytes
                out += pack_dx(value.value)
            out.append(0)
    out.append(0)


DescribeClientQuotasRequest.READERS = {
    0: _read_describe_client_quotas_request_v0,
    1: _read_describe_client_quotas_request_v1,
}
DescribeClientQuotasRequest.WRITERS = {
    0: _write_describe_client_quotas_request_v0,
    1: _write_describe_client_quotas_request_v1,
}
DescribeClientQuotasResponse.READERS = {
    0: _read_describe_client_quotas_response_v0,
    1: _read_describe_client_quotas_response_v1,
}
DescribeClientQuotasResponse.WRITERS = {
    0: _write_describe_client_quotas_response_v0,
    1: _write_describe_client_quotas_response_v1,
}
