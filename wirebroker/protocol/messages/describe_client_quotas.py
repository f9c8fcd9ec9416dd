"""DescribeClientQuotas: the quotas of users, client ids and addresses (KIP-546).

v1  flexible

Generated from protocol_specs/48_describe_client_quotas by tools/codegen: do not edit.
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
_pack_d = Struct(">d").pack
_pack_dx = Struct(">dx").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihh = Struct(">ihh").pack
_pack_t = Struct(">?").pack
_pack_tx = Struct(">?x").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_bh = Struct(">bh").unpack_from
_unpack_d = Struct(">d").unpack_from
_unpack_dB = Struct(">dB").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ihh = Struct(">ihh").unpack_from
_unpack_t = Struct(">?").unpack_from
_unpack_tB = Struct(">?B").unpack_from


class ComponentData(Data):
    """An element of `DescribeClientQuotasRequest.components`."""

    entity_type: str = ""
    """User, client-id or ip."""
    match_type: int = 0
    """0 exact name, 1 default entity, 2 any name."""
    match: str | None = ""
    """The name, for match type 0."""


class DescribeClientQuotasRequest(ReadableMessage, WritableMessage):
    API_KEY = 48
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 1

    components: list[ComponentData] = []
    strict: bool = False
    """Exclude entities with an entity type that is not in components."""


class EntityData(Data):
    """An element of `EntryData.entity`."""

    entity_type: str = ""
    """User, client-id or ip."""
    entity_name: str | None = ""
    """Null: the default entity."""


class ValueData(Data):
    """An element of `EntryData.values`."""

    key: str = ""
    value: float = 0.0


class EntryData(Data):
    """An element of `DescribeClientQuotasResponse.entries`."""

    entity: list[EntityData] = []
    values: list[ValueData] = []


class DescribeClientQuotasResponse(ReadableMessage, WritableMessage):
    API_KEY = 48
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 1

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    error_message: str | None = ""
    entries: list[EntryData] | None = []


def _read_describe_client_quotas_request_v0(b: bytes, at: int, version: int) -> tuple[DescribeClientQuotasRequest, int]:
    size = len(b)
    m = new(DescribeClientQuotasRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 5 > size - at:
        raise count_error("components", n)
    components: list[ComponentData] = []
    m.components = components
    for _ in range(n):
        component = new(ComponentData)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("entity_type is null")
        end = at + n
        component.entity_type = b[at:end].decode("utf-8", "replace")
        at = end
        component.match_type, n = _unpack_bh(b, at)
        at += 3
        if n < 0:
            component.match = None
        else:
            end = at + n
            component.match = b[at:end].decode("utf-8", "replace")
            at = end
        components.append(component)
    m.strict = _unpack_t(b, at)[0]
    at += 1
    if at > size:
        raise ProtocolError(f"DescribeClientQuotasRequest is {at - size} bytes short")
    return m, at


def _read_describe_client_quotas_request_v1(b: bytes, at: int, version: int) -> tuple[DescribeClientQuotasRequest, int]:
    size = len(b)
    m = new(DescribeClientQuotasRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise count_error("components", n)
    components: list[ComponentData] = []
    m.components = components
    for _ in range(n):
        component = new(ComponentData)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("entity_type is null")
        end = at + n - 1
        component.entity_type = b[at:end].decode("utf-8", "replace")
        at = end
        component.match_type, n = _unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            component.match = None
        else:
            end = at + n - 1
            component.match = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        components.append(component)
    m.strict, tags = _unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeClientQuotasRequest is {at - size} bytes short")
    return m, at


DescribeClientQuotasRequest.READERS = dict.fromkeys(range(0, 1), _read_describe_client_quotas_request_v0) | dict.fromkeys(range(1, 2), _read_describe_client_quotas_request_v1)


def _write_describe_client_quotas_request_v0(m: DescribeClientQuotasRequest, out: bytearray, version: int) -> None:
    components = m.components
    out += _pack_i(len(components))
    for component in components:
        entity_type = component.entity_type
        entity_type_bytes = entity_type.encode()
        out += _pack_h(len(entity_type_bytes))
        out += entity_type_bytes
        match = component.match
        match_bytes = b"" if match is None else match.encode()
        out += _pack_bh(component.match_type, -1 if match is None else len(match_bytes))
        out += match_bytes
    out += _pack_t(m.strict)


def _write_describe_client_quotas_request_v1(m: DescribeClientQuotasRequest, out: bytearray, version: int) -> None:
    components = m.components
    n = len(components) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for component in components:
        entity_type = component.entity_type
        entity_type_bytes = entity_type.encode()
        n = len(entity_type_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += entity_type_bytes
        match = component.match
        match_bytes = b"" if match is None else match.encode()
        n = 0 if match is None else len(match_bytes) + 1
        if n > 127:
            out += _pack_b(component.match_type)
            write_uvarint(out, n)
        else:
            out += _pack_bB(component.match_type, n)
        out += match_bytes
        out.append(0)
    out += _pack_tx(m.strict)


DescribeClientQuotasRequest.WRITERS = dict.fromkeys(range(0, 1), _write_describe_client_quotas_request_v0) | dict.fromkeys(range(1, 2), _write_describe_client_quotas_request_v1)


def _read_describe_client_quotas_response_v0(b: bytes, at: int, version: int) -> tuple[DescribeClientQuotasResponse, int]:
    size = len(b)
    m = new(DescribeClientQuotasResponse)
    m.throttle_time_ms, m.error_code, n = _unpack_ihh(b, at)
    at += 8
    if n < 0:
        m.error_message = None
    else:
        end = at + n
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.entries = None
    else:
        if n * 8 > size - at:
            raise count_error("entries", n)
        entries: list[EntryData] = []
        m.entries = entries
        for _ in range(n):
            entry = new(EntryData)
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise count_error("entity", n)
            entity: list[EntityData] = []
            entry.entity = entity
            for _ in range(n):
                entity_item = new(EntityData)
                n = _unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    raise ProtocolError("entity_type is null")
                end = at + n
                entity_item.entity_type = b[at:end].decode("utf-8", "replace")
                at = end
                n = _unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    entity_item.entity_name = None
                else:
                    end = at + n
                    entity_item.entity_name = b[at:end].decode("utf-8", "replace")
                    at = end
                entity.append(entity_item)
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 10 > size - at:
                raise count_error("values", n)
            values: list[ValueData] = []
            entry.values = values
            for _ in range(n):
                value = new(ValueData)
                n = _unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    raise ProtocolError("key is null")
                end = at + n
                value.key = b[at:end].decode("utf-8", "replace")
                at = end
                value.value = _unpack_d(b, at)[0]
                at += 8
                values.append(value)
            entries.append(entry)
    if at > size:
        raise ProtocolError(f"DescribeClientQuotasResponse is {at - size} bytes short")
    return m, at


def _read_describe_client_quotas_response_v1(b: bytes, at: int, version: int) -> tuple[DescribeClientQuotasResponse, int]:
    size = len(b)
    m = new(DescribeClientQuotasResponse)
    m.throttle_time_ms, m.error_code, n = _unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.error_message = None
    else:
        end = at + n - 1
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.entries = None
    else:
        if n * 3 > size - at:
            raise count_error("entries", n)
        entries: list[EntryData] = []
        m.entries = entries
        for _ in range(n):
            entry = new(EntryData)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 3 > size - at:
                raise count_error("entity", n)
            entity: list[EntityData] = []
            entry.entity = entity
            for _ in range(n):
                entity_item = new(EntityData)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("entity_type is null")
                end = at + n - 1
                entity_item.entity_type = b[at:end].decode("utf-8", "replace")
                at = end
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    entity_item.entity_name = None
                else:
                    end = at + n - 1
                    entity_item.entity_name = b[at:end].decode("utf-8", "replace")
                    at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                entity.append(entity_item)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 10 > size - at:
                raise count_error("values", n)
            values: list[ValueData] = []
            entry.values = values
            for _ in range(n):
                value = new(ValueData)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("key is null")
                end = at + n - 1
                value.key = b[at:end].decode("utf-8", "replace")
                at = end
                value.value, tags = _unpack_dB(b, at)
                at += 9
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                values.append(value)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            entries.append(entry)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeClientQuotasResponse is {at - size} bytes short")
    return m, at


DescribeClientQuotasResponse.READERS = dict.fromkeys(range(0, 1), _read_describe_client_quotas_response_v0) | dict.fromkeys(range(1, 2), _read_describe_client_quotas_response_v1)


def _write_describe_client_quotas_response_v0(m: DescribeClientQuotasResponse, out: bytearray, version: int) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += _pack_ihh(m.throttle_time_ms, m.error_code, -1 if error_message is None else len(error_message_bytes))
    out += error_message_bytes
    entries = m.entries
    out += _pack_i(-1 if entries is None else len(entries))
    if entries is not None:
        for entry in entries:
            entity = entry.entity
            out += _pack_i(len(entity))
            for entity_item in entity:
                entity_type = entity_item.entity_type
                entity_type_bytes = entity_type.encode()
                out += _pack_h(len(entity_type_bytes))
                out += entity_type_bytes
                entity_name = entity_item.entity_name
                entity_name_bytes = b"" if entity_name is None else entity_name.encode()
                out += _pack_h(-1 if entity_name is None else len(entity_name_bytes))
                out += entity_name_bytes
            values = entry.values
            out += _pack_i(len(values))
            for value in values:
                key = value.key
                key_bytes = key.encode()
                out += _pack_h(len(key_bytes))
                out += key_bytes
                out += _pack_d(value.value)


def _write_describe_client_quotas_response_v1(m: DescribeClientQuotasResponse, out: bytearray, version: int) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
    out += error_message_bytes
    entries = m.entries
    n = 0 if entries is None else len(entries) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    if entries is not None:
        for entry in entries:
            entity = entry.entity
            n = len(entity) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            for entity_item in entity:
                entity_type = entity_item.entity_type
                entity_type_bytes = entity_type.encode()
                n = len(entity_type_bytes) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += entity_type_bytes
                entity_name = entity_item.entity_name
                entity_name_bytes = b"" if entity_name is None else entity_name.encode()
                n = 0 if entity_name is None else len(entity_name_bytes) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += entity_name_bytes
                out.append(0)
            values = entry.values
            n = len(values) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            for value in values:
                key = value.key
                key_bytes = key.encode()
                n = len(key_bytes) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += key_bytes
                out += _pack_dx(value.value)
            out.append(0)
    out.append(0)


DescribeClientQuotasResponse.WRITERS = dict.fromkeys(range(0, 1), _write_describe_client_quotas_response_v0) | dict.fromkeys(range(1, 2), _write_describe_client_quotas_response_v1)
