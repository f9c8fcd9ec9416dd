"""AlterClientQuotas: change the quotas of users, client ids and addresses (KIP-546).

v1  flexible

Generated from protocol_specs/49_alter_client_quotas by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_dt = Struct(">d?").pack
pack_dtx = Struct(">d?x").pack
pack_h = Struct(">h").pack
pack_hh = Struct(">hh").pack
pack_i = Struct(">i").pack
pack_ii = Struct(">ii").pack
pack_t = Struct(">?").pack
pack_tx = Struct(">?x").pack
unpack_dt = Struct(">d?").unpack_from
unpack_dtB = Struct(">d?B").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_tB = Struct(">?B").unpack_from


class RequestEntityData(Data):
    __slots__ = FIELDS = ("entity_type", "entity_name")

    def __init__(
        self,
        entity_type: str = "",
        entity_name: str | None = "",
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name


class OpData(Data):
    __slots__ = FIELDS = ("key", "value", "remove")

    def __init__(
        self,
        key: str = "",
        value: float = 0.0,
        remove: bool = False,
    ) -> None:
        self.key = key
        self.value = value
        self.remove = remove


class RequestEntryData(Data):
    __slots__ = FIELDS = ("entity", "ops")

    def __init__(
        self,
        entity: list[RequestEntityData] = UNSET,
        ops: list[OpData] = UNSET,
    ) -> None:
        self.entity = [] if entity is UNSET else entity
        self.ops = [] if ops is UNSET else ops


class AlterClientQuotasRequest(Message):
    API_KEY = 49
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 1
    __slots__ = FIELDS = ("entries", "validate_only")

    def __init__(
        self,
        entries: list[RequestEntryData] = UNSET,
        validate_only: bool = False,
    ) -> None:
        self.entries = [] if entries is UNSET else entries
        self.validate_only = validate_only


class ResponseEntityData(Data):
    __slots__ = FIELDS = ("entity_type", "entity_name")

    def __init__(
        self,
        entity_type: str = "",
        entity_name: str | None = "",
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name


class ResponseEntryData(Data):
    __slots__ = FIELDS = ("error_code", "error_message", "entity")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        entity: list[ResponseEntityData] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.entity = [] if entity is UNSET else entity


class AlterClientQuotasResponse(Message):
    API_KEY = 49
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 1
    __slots__ = FIELDS = ("throttle_time_ms", "entries")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        entries: list[ResponseEntryData] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.entries = [] if entries is UNSET else entries


def _read_alter_client_quotas_request_v0(b: bytes, at: int) -> tuple[AlterClientQuotasRequest, int]:
    size = len(b)
    m = new(AlterClientQuotasRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 8 > size - at:
        raise fault_length("entries", n)
    entries: list[RequestEntryData] = []
    m.entries = entries
    for _ in range(n):
        entry = new(RequestEntryData)
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("entity", n)
        entity: list[RequestEntityData] = []
        entry.entity = entity
        for _ in range(n):
            entity_item = new(RequestEntityData)
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
        if n < 0 or n * 11 > size - at:
            raise fault_length("ops", n)
        ops: list[OpData] = []
        entry.ops = ops
        for _ in range(n):
            op = new(OpData)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("key is null")
            end = at + n
            op.key = b[at:end].decode("utf-8", "replace")
            at = end
            op.value, op.remove = unpack_dt(b, at)
            at += 9
            ops.append(op)
        entries.append(entry)
    m.validate_only = unpack_t(b, at)[0]
    at += 1
    if at > size:
        raise ProtocolError(f"AlterClientQuotasRequest is {at - size} bytes short")
    return m, at


def _read_alter_client_quotas_request_v1(b: bytes, at: int) -> tuple[AlterClientQuotasRequest, int]:
    size = len(b)
    m = new(AlterClientQuotasRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("entries", n)
    entries: list[RequestEntryData] = []
    m.entries = entries
    for _ in range(n):
        entry = new(RequestEntryData)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("entity", n)
        entity: list[RequestEntityData] = []
        entry.entity = entity
        for _ in range(n):
            entity_item = new(RequestEntityData)
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
        if n < 0 or n * 11 > size - at:
            raise fault_length("ops", n)
        ops: list[OpData] = []
        entry.ops = ops
        for _ in range(n):
            op = new(OpData)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("key is null")
            end = at + n - 1
            op.key = b[at:end].decode("utf-8", "replace")
            at = end
            op.value, op.remove, tags = unpack_dtB(b, at)
            at += 10
            if tags:
                at = skip_tags(b, at, tags)
            ops.append(op)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        entries.append(entry)
    m.validate_only, tags = unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AlterClientQuotasRequest is {at - size} bytes short")
    return m, at


def _write_alter_client_quotas_request_v0(m: AlterClientQuotasRequest, out: bytearray) -> None:
    entries = m.entries
    out += pack_i(len(entries))
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
        ops = entry.ops
        out += pack_i(len(ops))
        for op in ops:
            key = op.key
            key_bytes = key.encode()
            out += pack_h(len(key_bytes))
            out += key_bytes
            out += pack_dt(op.value, op.remove)
    out += pack_t(m.validate_only)


def _write_alter_client_quotas_request_v1(m: AlterClientQuotasRequest, out: bytearray) -> None:
    entries = m.entries
    n = len(entries) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
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
        ops = entry.ops
        n = len(ops) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for op in ops:
            key = op.key
            key_bytes = key.encode()
            n = len(key_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += key_bytes
            out += pack_dtx(op.value, op.remove)
        out.append(0)
    out += pack_tx(m.validate_only)


def _read_alter_client_quotas_response_v0(b: bytes, at: int) -> tuple[AlterClientQuotasResponse, int]:
    size = len(b)
    m = new(AlterClientQuotasResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 8 > size - at:
        raise fault_length("entries", n)
    entries: list[ResponseEntryData] = []
    m.entries = entries
    for _ in range(n):
        entry = new(ResponseEntryData)
        entry.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            entry.error_message = None
        else:
            end = at + n
            entry.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("entity", n)
        entity: list[ResponseEntityData] = []
        entry.entity = entity
        for _ in range(n):
            entity_item = new(ResponseEntityData)
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
        entries.append(entry)
    if at > size:
        raise ProtocolError(f"AlterClientQuotasResponse is {at - size} bytes short")
    return m, at


def _read_alter_client_quotas_response_v1(b: bytes, at: int) -> tuple[AlterClientQuotasResponse, int]:
    size = len(b)
    m = new(AlterClientQuotasResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise fault_length("entries", n)
    entries: list[ResponseEntryData] = []
    m.entries = entries
    for _ in range(n):
        entry = new(ResponseEntryData)
        entry.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            entry.error_message = None
        else:
            end = at + n - 1
            entry.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("entity", n)
        entity: list[ResponseEntityData] = []
        entry.entity = entity
        for _ in range(n):
            entity_item = new(ResponseEntityData)
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
        raise ProtocolError(f"AlterClientQuotasResponse is {at - size} bytes short")
    return m, at


def _write_alter_client_quotas_response_v0(m: AlterClientQuotasResponse, out: bytearray) -> None:
    entries = m.entries
    out += pack_ii(m.throttle_time_ms, len(entries))
    for entry in entries:
        error_message = entry.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_hh(entry.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes
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


def _write_alter_client_quotas_response_v1(m: AlterClientQuotasResponse, out: bytearray) -> None:
    entries = m.entries
    out += pack_i(m.throttle_time_ms)
    n = len(entries) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for entry in entries:
        error_message = entry.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_h(entry.error_code)
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes
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
        out.append(0)
    out.append(0)


AlterClientQuotasRequest.READERS = {
    0: _read_alter_client_quotas_request_v0,
    1: _read_alter_client_quotas_request_v1,
}
AlterClientQuotasRequest.WRITERS = {
    0: _write_alter_client_quotas_request_v0,
    1: _write_alter_client_quotas_request_v1,
}
AlterClientQuotasResponse.READERS = {
    0: _read_alter_client_quotas_response_v0,
    1: _read_alter_client_quotas_response_v1,
}
AlterClientQuotasResponse.WRITERS = {
    0: _write_alter_client_quotas_response_v0,
    1: _write_alter_client_quotas_response_v1,
}
