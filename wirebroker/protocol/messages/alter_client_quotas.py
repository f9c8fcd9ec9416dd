"""AlterClientQuotas: change the quotas of users, client ids and addresses (KIP-546).

v1  flexible

Generated from protocol_specs/49_alter_client_quotas by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import count_error, new, read_long_uvarint, skip_tagged_fields, write_uvarint

_pack_dt = Struct(">d?").pack
_pack_dtx = Struct(">d?x").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_t = Struct(">?").pack
_pack_tx = Struct(">?x").pack
_unpack_dt = Struct(">d?").unpack_from
_unpack_dtB = Struct(">d?B").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_t = Struct(">?").unpack_from
_unpack_tB = Struct(">?B").unpack_from


class RequestEntityData(Data):
    """An element of `RequestEntryData.entity`."""

    entity_type: str = ""
    """User, client-id or ip."""
    entity_name: str | None = ""
    """Null: the default entity."""


class OpData(Data):
    """An element of `RequestEntryData.ops`."""

    key: str = ""
    value: float = 0.0
    remove: bool = False
    """True: remove the quota; false: set it to value."""


class RequestEntryData(Data):
    """An element of `AlterClientQuotasRequest.entries`."""

    entity: list[RequestEntityData] = []
    ops: list[OpData] = []


class AlterClientQuotasRequest(ReadableMessage, WritableMessage):
    API_KEY = 49
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 1

    entries: list[RequestEntryData] = []
    validate_only: bool = False
    """Validate the request, but change nothing."""


class ResponseEntityData(Data):
    """An element of `ResponseEntryData.entity`."""

    entity_type: str = ""
    """User, client-id or ip."""
    entity_name: str | None = ""
    """Null: the default entity."""


class ResponseEntryData(Data):
    """An element of `AlterClientQuotasResponse.entries`."""

    error_code: int = 0
    error_message: str | None = ""
    entity: list[ResponseEntityData] = []


class AlterClientQuotasResponse(ReadableMessage, WritableMessage):
    API_KEY = 49
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 1

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    entries: list[ResponseEntryData] = []


def _read_alter_client_quotas_request_v0(b: bytes, at: int, version: int) -> tuple[AlterClientQuotasRequest, int]:
    size = len(b)
    m = new(AlterClientQuotasRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 8 > size - at:
        raise count_error("entries", n)
    entries: list[RequestEntryData] = []
    m.entries = entries
    for _ in range(n):
        entry = new(RequestEntryData)
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise count_error("entity", n)
        entity: list[RequestEntityData] = []
        entry.entity = entity
        for _ in range(n):
            entity_item = new(RequestEntityData)
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
        if n < 0 or n * 11 > size - at:
            raise count_error("ops", n)
        ops: list[OpData] = []
        entry.ops = ops
        for _ in range(n):
            op = new(OpData)
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("key is null")
            end = at + n
            op.key = b[at:end].decode("utf-8", "replace")
            at = end
            op.value, op.remove = _unpack_dt(b, at)
            at += 9
            ops.append(op)
        entries.append(entry)
    m.validate_only = _unpack_t(b, at)[0]
    at += 1
    if at > size:
        raise ProtocolError(f"AlterClientQuotasRequest is {at - size} bytes short")
    return m, at


def _read_alter_client_quotas_request_v1(b: bytes, at: int, version: int) -> tuple[AlterClientQuotasRequest, int]:
    size = len(b)
    m = new(AlterClientQuotasRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("entries", n)
    entries: list[RequestEntryData] = []
    m.entries = entries
    for _ in range(n):
        entry = new(RequestEntryData)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("entity", n)
        entity: list[RequestEntityData] = []
        entry.entity = entity
        for _ in range(n):
            entity_item = new(RequestEntityData)
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
        if n < 0 or n * 11 > size - at:
            raise count_error("ops", n)
        ops: list[OpData] = []
        entry.ops = ops
        for _ in range(n):
            op = new(OpData)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("key is null")
            end = at + n - 1
            op.key = b[at:end].decode("utf-8", "replace")
            at = end
            op.value, op.remove, tags = _unpack_dtB(b, at)
            at += 10
            if tags:
                at = skip_tagged_fields(b, at, tags)
            ops.append(op)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        entries.append(entry)
    m.validate_only, tags = _unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"AlterClientQuotasRequest is {at - size} bytes short")
    return m, at


AlterClientQuotasRequest.READERS = dict.fromkeys(range(0, 1), _read_alter_client_quotas_request_v0) | dict.fromkeys(range(1, 2), _read_alter_client_quotas_request_v1)


def _write_alter_client_quotas_request_v0(m: AlterClientQuotasRequest, out: bytearray, version: int) -> None:
    entries = m.entries
    out += _pack_i(len(entries))
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
        ops = entry.ops
        out += _pack_i(len(ops))
        for op in ops:
            key = op.key
            key_bytes = key.encode()
            out += _pack_h(len(key_bytes))
            out += key_bytes
            out += _pack_dt(op.value, op.remove)
    out += _pack_t(m.validate_only)


def _write_alter_client_quotas_request_v1(m: AlterClientQuotasRequest, out: bytearray, version: int) -> None:
    entries = m.entries
    n = len(entries) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
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
        ops = entry.ops
        n = len(ops) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for op in ops:
            key = op.key
            key_bytes = key.encode()
            n = len(key_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += key_bytes
            out += _pack_dtx(op.value, op.remove)
        out.append(0)
    out += _pack_tx(m.validate_only)


AlterClientQuotasRequest.WRITERS = dict.fromkeys(range(0, 1), _write_alter_client_quotas_request_v0) | dict.fromkeys(range(1, 2), _write_alter_client_quotas_request_v1)


def _read_alter_client_quotas_response_v0(b: bytes, at: int, version: int) -> tuple[AlterClientQuotasResponse, int]:
    size = len(b)
    m = new(AlterClientQuotasResponse)
    m.throttle_time_ms, n = _unpack_ii(b, at)
    at += 8
    if n < 0 or n * 8 > size - at:
        raise count_error("entries", n)
    entries: list[ResponseEntryData] = []
    m.entries = entries
    for _ in range(n):
        entry = new(ResponseEntryData)
        entry.error_code, n = _unpack_hh(b, at)
        at += 4
        if n < 0:
            entry.error_message = None
        else:
            end = at + n
            entry.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise count_error("entity", n)
        entity: list[ResponseEntityData] = []
        entry.entity = entity
        for _ in range(n):
            entity_item = new(ResponseEntityData)
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
        entries.append(entry)
    if at > size:
        raise ProtocolError(f"AlterClientQuotasResponse is {at - size} bytes short")
    return m, at


def _read_alter_client_quotas_response_v1(b: bytes, at: int, version: int) -> tuple[AlterClientQuotasResponse, int]:
    size = len(b)
    m = new(AlterClientQuotasResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise count_error("entries", n)
    entries: list[ResponseEntryData] = []
    m.entries = entries
    for _ in range(n):
        entry = new(ResponseEntryData)
        entry.error_code, n = _unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            entry.error_message = None
        else:
            end = at + n - 1
            entry.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("entity", n)
        entity: list[ResponseEntityData] = []
        entry.entity = entity
        for _ in range(n):
            entity_item = new(ResponseEntityData)
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
        raise ProtocolError(f"AlterClientQuotasResponse is {at - size} bytes short")
    return m, at


AlterClientQuotasResponse.READERS = dict.fromkeys(range(0, 1), _read_alter_client_quotas_response_v0) | dict.fromkeys(range(1, 2), _read_alter_client_quotas_response_v1)


def _write_alter_client_quotas_response_v0(m: AlterClientQuotasResponse, out: bytearray, version: int) -> None:
    entries = m.entries
    out += _pack_ii(m.throttle_time_ms, len(entries))
    for entry in entries:
        error_message = entry.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += _pack_hh(entry.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes
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


def _write_alter_client_quotas_response_v1(m: AlterClientQuotasResponse, out: bytearray, version: int) -> None:
    entries = m.entries
    n = len(entries) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for entry in entries:
        error_message = entry.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            out += _pack_h(entry.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_hB(entry.error_code, n)
        out += error_message_bytes
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
        out.append(0)
    out.append(0)


AlterClientQuotasResponse.WRITERS = dict.fromkeys(range(0, 1), _write_alter_client_quotas_response_v0) | dict.fromkeys(range(1, 2), _write_alter_client_quotas_response_v1)
