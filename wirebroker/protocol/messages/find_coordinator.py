"""FindCoordinator: the coordinators of groups or of transactional ids.

v1  key_type, error_message, throttle_time_ms (KIP-98)
v2  responds before it throttles (KIP-219)
v3  flexible
v4  several keys at once (KIP-699)
v5  may return TRANSACTION_ABORTABLE (KIP-890)
v6  share partitions (KIP-932)

Generated from protocol_specs/10_find_coordinator by tools/codegen: do not edit.
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
_pack_bx = Struct(">bx").pack
_pack_h = Struct(">h").pack
_pack_hih = Struct(">hih").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihh = Struct(">ihh").pack
_pack_ix = Struct(">ix").pack
_unpack_b = Struct(">b").unpack_from
_unpack_bB = Struct(">bB").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_hih = Struct(">hih").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ihh = Struct(">ihh").unpack_from


class FindCoordinatorRequest(ReadableMessage, WritableMessage):
    API_KEY = 10
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 3

    key: str = ""  # v0-3
    """Group id or transactional id."""
    key_type: int = 0  # v1+
    """CoordinatorType: 0 group, 1 transaction, 2 share (key is group:topic id:partition)."""
    coordinator_keys: list[str] = []  # v4+


class Coordinator(Data):
    """An element of `FindCoordinatorResponse.coordinators`."""

    key: str = ""
    """Group id or transactional id."""
    node_id: int = 0
    host: str = ""
    port: int = 0
    error_code: int = 0
    error_message: str | None = ""


class FindCoordinatorResponse(ReadableMessage, WritableMessage):
    API_KEY = 10
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 3

    throttle_time_ms: int = 0  # v1+
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0  # v0-3
    error_message: str | None = ""  # v1-3
    node_id: int = 0  # v0-3
    host: str = ""  # v0-3
    port: int = 0  # v0-3
    coordinators: list[Coordinator] = []  # v4+


def _read_find_coordinator_request_v0_2(b: bytes, at: int, version: int) -> tuple[FindCoordinatorRequest, int]:
    size = len(b)
    m = new(FindCoordinatorRequest)
    m.coordinator_keys = []
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("key is null")
    end = at + n
    m.key = b[at:end].decode("utf-8", "replace")
    at = end
    if version >= 1:
        m.key_type = _unpack_b(b, at)[0]
        at += 1
    else:
        m.key_type = 0
    if at > size:
        raise ProtocolError(f"FindCoordinatorRequest is {at - size} bytes short")
    return m, at


def _read_find_coordinator_request_v3_6(b: bytes, at: int, version: int) -> tuple[FindCoordinatorRequest, int]:
    size = len(b)
    m = new(FindCoordinatorRequest)
    if version >= 4:
        m.key = ""
        m.key_type, n = _unpack_bB(b, at)
        at += 2
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n > size - at:
            raise count_error("coordinator_keys", n)
        coordinator_keys: list[str] = []
        m.coordinator_keys = coordinator_keys
        for _ in range(n):
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("coordinator_keys is null")
            end = at + n - 1
            coordinator_key = b[at:end].decode("utf-8", "replace")
            at = end
            coordinator_keys.append(coordinator_key)
        tags = b[at]
        at += 1
    else:
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("key is null")
        end = at + n - 1
        m.key = b[at:end].decode("utf-8", "replace")
        at = end
        m.coordinator_keys = []
        m.key_type, tags = _unpack_bB(b, at)
        at += 2
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"FindCoordinatorRequest is {at - size} bytes short")
    return m, at


FindCoordinatorRequest.READERS = dict.fromkeys(range(0, 3), _read_find_coordinator_request_v0_2) | dict.fromkeys(range(3, 7), _read_find_coordinator_request_v3_6)


def _write_find_coordinator_request_v0_2(m: FindCoordinatorRequest, out: bytearray, version: int) -> None:
    if m.coordinator_keys:
        raise absent_field_error("coordinator_keys")
    key = m.key
    key_bytes = key.encode()
    out += _pack_h(len(key_bytes))
    out += key_bytes
    if version >= 1:
        out += _pack_b(m.key_type)
    else:
        if m.key_type != 0:
            raise absent_field_error("key_type")


def _write_find_coordinator_request_v3_6(m: FindCoordinatorRequest, out: bytearray, version: int) -> None:
    if version >= 4:
        if m.key != "":
            raise absent_field_error("key")
        coordinator_keys = m.coordinator_keys
        n = len(coordinator_keys) + 1
        if n > 127:
            out += _pack_b(m.key_type)
            write_uvarint(out, n)
        else:
            out += _pack_bB(m.key_type, n)
        for coordinator_key in coordinator_keys:
            coordinator_keys_bytes = coordinator_key.encode()
            n = len(coordinator_keys_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += coordinator_keys_bytes
        out.append(0)
    else:
        key = m.key
        key_bytes = key.encode()
        n = len(key_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += key_bytes
        if m.coordinator_keys:
            raise absent_field_error("coordinator_keys")
        out += _pack_bx(m.key_type)


FindCoordinatorRequest.WRITERS = dict.fromkeys(range(0, 3), _write_find_coordinator_request_v0_2) | dict.fromkeys(range(3, 7), _write_find_coordinator_request_v3_6)


def _read_find_coordinator_response_v0_2(b: bytes, at: int, version: int) -> tuple[FindCoordinatorResponse, int]:
    size = len(b)
    m = new(FindCoordinatorResponse)
    m.coordinators = []
    if version >= 1:
        m.throttle_time_ms, m.error_code, n = _unpack_ihh(b, at)
        at += 8
        if n < 0:
            m.error_message = None
        else:
            end = at + n
            m.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        m.node_id, n = _unpack_ih(b, at)
        at += 6
    else:
        m.error_message = ""
        m.throttle_time_ms = 0
        m.error_code, m.node_id, n = _unpack_hih(b, at)
        at += 8
    if n < 0:
        raise ProtocolError("host is null")
    end = at + n
    m.host = b[at:end].decode("utf-8", "replace")
    at = end
    m.port = _unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"FindCoordinatorResponse is {at - size} bytes short")
    return m, at


def _read_find_coordinator_response_v3_6(b: bytes, at: int, version: int) -> tuple[FindCoordinatorResponse, int]:
    size = len(b)
    m = new(FindCoordinatorResponse)
    if version >= 4:
        m.error_message = ""
        m.host = ""
        m.error_code = 0
        m.node_id = 0
        m.port = 0
        m.throttle_time_ms, n = _unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 14 > size - at:
            raise count_error("coordinators", n)
        coordinators: list[Coordinator] = []
        m.coordinators = coordinators
        for _ in range(n):
            coordinator = new(Coordinator)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("key is null")
            end = at + n - 1
            coordinator.key = b[at:end].decode("utf-8", "replace")
            at = end
            coordinator.node_id, n = _unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("host is null")
            end = at + n - 1
            coordinator.host = b[at:end].decode("utf-8", "replace")
            at = end
            coordinator.port, coordinator.error_code, n = _unpack_ihB(b, at)
            at += 7
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                coordinator.error_message = None
            else:
                end = at + n - 1
                coordinator.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            coordinators.append(coordinator)
        tags = b[at]
        at += 1
    else:
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
        m.node_id, n = _unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        m.host = b[at:end].decode("utf-8", "replace")
        at = end
        m.coordinators = []
        m.port, tags = _unpack_iB(b, at)
        at += 5
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"FindCoordinatorResponse is {at - size} bytes short")
    return m, at


FindCoordinatorResponse.READERS = dict.fromkeys(range(0, 3), _read_find_coordinator_response_v0_2) | dict.fromkeys(range(3, 7), _read_find_coordinator_response_v3_6)


def _write_find_coordinator_response_v0_2(m: FindCoordinatorResponse, out: bytearray, version: int) -> None:
    if m.coordinators:
        raise absent_field_error("coordinators")
    host = m.host
    host_bytes = host.encode()
    if version >= 1:
        error_message = m.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += _pack_ihh(m.throttle_time_ms, m.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes
        out += _pack_ih(m.node_id, len(host_bytes))
    else:
        out += _pack_hih(m.error_code, m.node_id, len(host_bytes))
    out += host_bytes
    out += _pack_i(m.port)


def _write_find_coordinator_response_v3_6(m: FindCoordinatorResponse, out: bytearray, version: int) -> None:
    if version >= 4:
        if m.host != "":
            raise absent_field_error("host")
        coordinators = m.coordinators
        n = len(coordinators) + 1
        if m.error_code != 0:
            raise absent_field_error("error_code")
        if m.node_id != 0:
            raise absent_field_error("node_id")
        if m.port != 0:
            raise absent_field_error("port")
        out += _pack_i(m.throttle_time_ms)
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for coordinator in coordinators:
            key = coordinator.key
            key_bytes = key.encode()
            n = len(key_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += key_bytes
            host = coordinator.host
            host_bytes = host.encode()
            n = len(host_bytes) + 1
            if n > 127:
                out += _pack_i(coordinator.node_id)
                write_uvarint(out, n)
            else:
                out += _pack_iB(coordinator.node_id, n)
            out += host_bytes
            error_message = coordinator.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            n = 0 if error_message is None else len(error_message_bytes) + 1
            if n > 127:
                out += _pack_ih(coordinator.port, coordinator.error_code)
                write_uvarint(out, n)
            else:
                out += _pack_ihB(coordinator.port, coordinator.error_code, n)
            out += error_message_bytes
            out.append(0)
        out.append(0)
    else:
        error_message2 = m.error_message
        error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
        n = 0 if error_message2 is None else len(error_message_bytes2) + 1
        if n > 127:
            out += _pack_ih(m.throttle_time_ms, m.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
        out += error_message_bytes2
        host2 = m.host
        host_bytes2 = host2.encode()
        n = len(host_bytes2) + 1
        if n > 127:
            out += _pack_i(m.node_id)
            write_uvarint(out, n)
        else:
            out += _pack_iB(m.node_id, n)
        out += host_bytes2
        if m.coordinators:
            raise absent_field_error("coordinators")
        out += _pack_ix(m.port)


FindCoordinatorResponse.WRITERS = dict.fromkeys(range(0, 3), _write_find_coordinator_response_v0_2) | dict.fromkeys(range(3, 7), _write_find_coordinator_response_v3_6)
