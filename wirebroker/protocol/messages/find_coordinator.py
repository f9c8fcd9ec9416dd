"""FindCoordinator: which broker coordinates a group or a transactional id.

v1  key_type, error_message, throttle_time_ms (KIP-98)
v2  answers before it throttles (KIP-219)
v3  flexible
v4  several keys at once (KIP-699)
v5  may answer TRANSACTION_ABORTABLE (KIP-890)
v6  share partitions (KIP-932)

Generated from protocol_specs/10_find_coordinator by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_b = Struct(">b").pack
pack_bx = Struct(">bx").pack
pack_h = Struct(">h").pack
pack_hih = Struct(">hih").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihh = Struct(">ihh").pack
pack_ix = Struct(">ix").pack
unpack_b = Struct(">b").unpack_from
unpack_bB = Struct(">bB").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hih = Struct(">hih").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihh = Struct(">ihh").unpack_from


class FindCoordinatorRequest(Message):
    API_KEY = 10
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = ("key", "key_type", "coordinator_keys")

    def __init__(
        self,
        key: str = "",
        key_type: int = 0,
        coordinator_keys: list[str] = UNSET,
    ) -> None:
        self.key = key
        self.key_type = key_type
        self.coordinator_keys = [] if coordinator_keys is UNSET else coordinator_keys


class Coordinator(Data):
    __slots__ = FIELDS = ("key", "node_id", "host", "port", "error_code", "error_message")

    def __init__(
        self,
        key: str = "",
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.key = key
        self.node_id = node_id
        self.host = host
        self.port = port
        self.error_code = error_code
        self.error_message = error_message


class FindCoordinatorResponse(Message):
    API_KEY = 10
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "error_message", "node_id", "host", "port", "coordinators")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        coordinators: list[Coordinator] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.node_id = node_id
        self.host = host
        self.port = port
        self.coordinators = [] if coordinators is UNSET else coordinators


def _read_find_coordinator_request_v0(b: bytes, at: int) -> tuple[FindCoordinatorRequest, int]:
    size = len(b)
    m = new(FindCoordinatorRequest)
    m.key_type = 0
    m.coordinator_keys = []
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("key is null")
    end = at + n
    m.key = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"FindCoordinatorRequest is {at - size} bytes short")
    return m, at


def _read_find_coordinator_request_v1_2(b: bytes, at: int) -> tuple[FindCoordinatorRequest, int]:
    size = len(b)
    m = new(FindCoordinatorRequest)
    m.coordinator_keys = []
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("key is null")
    end = at + n
    m.key = b[at:end].decode("utf-8", "replace")
    at = end
    m.key_type = unpack_b(b, at)[0]
    at += 1
    if at > size:
        raise ProtocolError(f"FindCoordinatorRequest is {at - size} bytes short")
    return m, at


def _read_find_coordinator_request_v3(b: bytes, at: int) -> tuple[FindCoordinatorRequest, int]:
    size = len(b)
    m = new(FindCoordinatorRequest)
    m.coordinator_keys = []
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("key is null")
    end = at + n - 1
    m.key = b[at:end].decode("utf-8", "replace")
    at = end
    m.key_type, tags = unpack_bB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"FindCoordinatorRequest is {at - size} bytes short")
    return m, at


def _read_find_coordinator_request_v4_6(b: bytes, at: int) -> tuple[FindCoordinatorRequest, int]:
    size = len(b)
    m = new(FindCoordinatorRequest)
    m.key = ""
    m.key_type, n = unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("coordinator_keys", n)
    coordinator_keys: list[str] = []
    m.coordinator_keys = coordinator_keys
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("coordinator_keys is null")
        end = at + n - 1
        coordinator_key = b[at:end].decode("utf-8", "replace")
        at = end
        coordinator_keys.append(coordinator_key)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"FindCoordinatorRequest is {at - size} bytes short")
    return m, at


def _write_find_coordinator_request_v0(m: FindCoordinatorRequest, out: bytearray) -> None:
    if m.key_type != 0:
        raise fault_absent("key_type")
    if m.coordinator_keys:
        raise fault_absent("coordinator_keys")
    key = m.key
    key_bytes = key.encode()
    out += pack_h(len(key_bytes))
    out += key_bytes


def _write_find_coordinator_request_v1_2(m: FindCoordinatorRequest, out: bytearray) -> None:
    if m.coordinator_keys:
        raise fault_absent("coordinator_keys")
    key = m.key
    key_bytes = key.encode()
    out += pack_h(len(key_bytes))
    out += key_bytes
    out += pack_b(m.key_type)


def _write_find_coordinator_request_v3(m: FindCoordinatorRequest, out: bytearray) -> None:
    if m.coordinator_keys:
        raise fault_absent("coordinator_keys")
    key = m.key
    key_bytes = key.encode()
    n = len(key_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += key_bytes
    out += pack_bx(m.key_type)


def _write_find_coordinator_request_v4_6(m: FindCoordinatorRequest, out: bytearray) -> None:
    if m.key != "":
        raise fault_absent("key")
    coordinator_keys = m.coordinator_keys
    out += pack_b(m.key_type)
    n = len(coordinator_keys) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for coordinator_key in coordinator_keys:
        coordinator_keys_bytes = coordinator_key.encode()
        n = len(coordinator_keys_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += coordinator_keys_bytes
    out.append(0)


def _read_find_coordinator_response_v0(b: bytes, at: int) -> tuple[FindCoordinatorResponse, int]:
    size = len(b)
    m = new(FindCoordinatorResponse)
    m.throttle_time_ms = 0
    m.error_message = ""
    m.coordinators = []
    m.error_code, m.node_id, n = unpack_hih(b, at)
    at += 8
    if n < 0:
        raise ProtocolError("host is null")
    end = at + n
    m.host = b[at:end].decode("utf-8", "replace")
    at = end
    m.port = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"FindCoordinatorResponse is {at - size} bytes short")
    return m, at


def _read_find_coordinator_response_v1_2(b: bytes, at: int) -> tuple[FindCoordinatorResponse, int]:
    size = len(b)
    m = new(FindCoordinatorResponse)
    m.coordinators = []
    m.throttle_time_ms, m.error_code, n = unpack_ihh(b, at)
    at += 8
    if n < 0:
        m.error_message = None
    else:
        end = at + n
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    m.node_id, n = unpack_ih(b, at)
    at += 6
    if n < 0:
        raise ProtocolError("host is null")
    end = at + n
    m.host = b[at:end].decode("utf-8", "replace")
    at = end
    m.port = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"FindCoordinatorResponse is {at - size} bytes short")
    return m, at


def _read_find_coordinator_response_v3(b: bytes, at: int) -> tuple[FindCoordinatorResponse, int]:
    size = len(b)
    m = new(FindCoordinatorResponse)
    m.coordinators = []
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
    m.node_id, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("host is null")
    end = at + n - 1
    m.host = b[at:end].decode("utf-8", "replace")
    at = end
    m.port, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"FindCoordinatorResponse is {at - size} bytes short")
    return m, at


def _read_find_coordinator_response_v4_6(b: bytes, at: int) -> tuple[FindCoordinatorResponse, int]:
    size = len(b)
    m = new(FindCoordinatorResponse)
    m.error_code = 0
    m.error_message = ""
    m.node_id = 0
    m.host = ""
    m.port = 0
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 14 > size - at:
        raise fault_length("coordinators", n)
    coordinators: list[Coordinator] = []
    m.coordinators = coordinators
    for _ in range(n):
        coordinator = new(Coordinator)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("key is null")
        end = at + n - 1
        coordinator.key = b[at:end].decode("utf-8", "replace")
        at = end
        coordinator.node_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        coordinator.host = b[at:end].decode("utf-8", "replace")
        at = end
        coordinator.port, coordinator.error_code, n = unpack_ihB(b, at)
        at += 7
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            coordinator.error_message = None
        else:
            end = at + n - 1
            coordinator.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        coordinators.append(coordinator)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"FindCoordinatorResponse is {at - size} bytes short")
    return m, at


def _write_find_coordinator_response_v0(m: FindCoordinatorResponse, out: bytearray) -> None:
    if m.coordinators:
        raise fault_absent("coordinators")
    host = m.host
    host_bytes = host.encode()
    out += pack_hih(m.error_code, m.node_id, len(host_bytes))
    out += host_bytes
    out += pack_i(m.port)


def _write_find_coordinator_response_v1_2(m: FindCoordinatorResponse, out: bytearray) -> None:
    if m.coordinators:
        raise fault_absent("coordinators")
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ihh(m.throttle_time_ms, m.error_code, -1 if error_message is None else len(error_message_bytes))
    out += error_message_bytes
    host = m.host
    host_bytes = host.encode()
    out += pack_ih(m.node_id, len(host_bytes))
    out += host_bytes
    out += pack_i(m.port)


def _write_find_coordinator_response_v3(m: FindCoordinatorResponse, out: bytearray) -> None:
    if m.coordinators:
        raise fault_absent("coordinators")
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    host = m.host
    host_bytes = host.encode()
    out += pack_i(m.node_id)
    n = len(host_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += host_bytes
    out += pack_ix(m.port)


def _write_find_coordinator_response_v4_6(m: FindCoordinatorResponse, out: bytearray) -> None:
    if m.error_code != 0:
        raise fault_absent("error_code")
    if m.node_id != 0:
        raise fault_absent("node_id")
    if m.host != "":
        raise fault_absent("host")
    if m.port != 0:
        raise fault_absent("port")
    coordinators = m.coordinators
    out += pack_i(m.throttle_time_ms)
    n = len(coordinators) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for coordinator in coordinators:
        key = coordinator.key
        key_bytes = key.encode()
        n = len(key_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += key_bytes
        host = coordinator.host
        host_bytes = host.encode()
        out += pack_i(coordinator.node_id)
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        error_message = coordinator.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_ih(coordinator.port, coordinator.error_code)
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes
        out.append(0)
    out.append(0)


FindCoordinatorRequest.READERS = {
    0: _read_find_coordinator_request_v0,
    1: _read_find_coordinator_request_v1_2,
    2: _read_find_coordinator_request_v1_2,
    3: _read_find_coordinator_request_v3,
    4: _read_find_coordinator_request_v4_6,
    5: _read_find_coordinator_request_v4_6,
    6: _read_find_coordinator_request_v4_6,
}
FindCoordinatorRequest.WRITERS = {
    0: _write_find_coordinator_request_v0,
    1: _write_find_coordinator_request_v1_2,
    2: _write_find_coordinator_request_v1_2,
    3: _write_find_coordinator_request_v3,
    4: _write_find_coordinator_request_v4_6,
    5: _write_find_coordinator_request_v4_6,
    6: _write_find_coordinator_request_v4_6,
}
FindCoordinatorResponse.READERS = {
    0: _read_find_coordinator_response_v0,
    1: _read_find_coordinator_response_v1_2,
    2: _read_find_coordinator_response_v1_2,
    3: _read_find_coordinator_response_v3,
    4: _read_find_coordinator_response_v4_6,
    5: _read_find_coordinator_response_v4_6,
    6: _read_find_coordinator_response_v4_6,
}
FindCoordinatorResponse.WRITERS = {
    0: _write_find_coordinator_response_v0,
    1: _write_find_coordinator_response_v1_2,
    2: _write_find_coordinator_response_v1_2,
    3: _write_find_coordinator_response_v3,
    4: _write_find_coordinator_response_v4_6,
    5: _write_find_coordinator_response_v4_6,
    6: _write_find_coordinator_response_v4_6,
}
