"""DescribeCluster: cluster id, controller, brokers (KIP-700).

v1  endpoint_type: ask controllers, too (KIP-919)
v2  fenced brokers (KIP-1073)

Generated from protocol_specs/60_describe_cluster by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_b = Struct(">b").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ix = Struct(">ix").pack
pack_tbtx = Struct(">?b?x").pack
pack_tbx = Struct(">?bx").pack
pack_tx = Struct(">?x").pack
unpack_bB = Struct(">bB").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_tB = Struct(">?B").unpack_from
unpack_tbB = Struct(">?bB").unpack_from
unpack_tbtB = Struct(">?b?B").unpack_from


class DescribeClusterRequest(Message):
    API_KEY = 60
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("include_cluster_authorized_operations", "endpoint_type", "include_fenced_brokers")

    def __init__(
        self,
        include_cluster_authorized_operations: bool = False,
        endpoint_type: int = 1,
        include_fenced_brokers: bool = False,
    ) -> None:
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.endpoint_type = endpoint_type
        self.include_fenced_brokers = include_fenced_brokers


class DescribeClusterBroker(Data):
    __slots__ = FIELDS = ("broker_id", "host", "port", "rack", "is_fenced")

    def __init__(
        self,
        broker_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
        is_fenced: bool = False,
    ) -> None:
        self.broker_id = broker_id
        self.host = host
        self.port = port
        self.rack = rack
        self.is_fenced = is_fenced


class DescribeClusterResponse(Message):
    API_KEY = 60
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "endpoint_type",
        "cluster_id",
        "controller_id",
        "brokers",
        "cluster_authorized_operations",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        endpoint_type: int = 1,
        cluster_id: str = "",
        controller_id: int = -1,
        brokers: list[DescribeClusterBroker] = UNSET,
        cluster_authorized_operations: int = -2147483648,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.endpoint_type = endpoint_type
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.brokers = [] if brokers is UNSET else brokers
        self.cluster_authorized_operations = cluster_authorized_operations


def _read_describe_cluster_request_v0(b: bytes, at: int) -> tuple[DescribeClusterRequest, int]:
    size = len(b)
    m = new(DescribeClusterRequest)
    m.endpoint_type = 1
    m.include_fenced_brokers = False
    m.include_cluster_authorized_operations, tags = unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeClusterRequest is {at - size} bytes short")
    return m, at


def _read_describe_cluster_request_v1(b: bytes, at: int) -> tuple[DescribeClusterRequest, int]:
    size = len(b)
    m = new(DescribeClusterRequest)
    m.include_fenced_brokers = False
    m.include_cluster_authorized_operations, m.endpoint_type, tags = unpack_tbB(b, at)
    at += 3
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeClusterRequest is {at - size} bytes short")
    return m, at


def _read_describe_cluster_request_v2(b: bytes, at: int) -> tuple[DescribeClusterRequest, int]:
    size = len(b)
    m = new(DescribeClusterRequest)
    m.include_cluster_authorized_operations, m.endpoint_type, m.include_fenced_brokers, tags = unpack_tbtB(b, at)
    at += 4
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeClusterRequest is {at - size} bytes short")
    return m, at


def _write_describe_cluster_request_v0(m: DescribeClusterRequest, out: bytearray) -> None:
    if m.endpoint_type != 1:
        raise fault_absent("endpoint_type")
    if m.include_fenced_brokers:
        raise fault_absent("include_fenced_brokers")
    out += pack_tx(m.include_cluster_authorized_operations)


def _write_describe_cluster_request_v1(m: DescribeClusterRequest, out: bytearray) -> None:
    if m.include_fenced_brokers:
        raise fault_absent("include_fenced_brokers")
    out += pack_tbx(m.include_cluster_authorized_operations, m.endpoint_type)


def _write_describe_cluster_request_v2(m: DescribeClusterRequest, out: bytearray) -> None:
    out += pack_tbtx(m.include_cluster_authorized_operations, m.endpoint_type, m.include_fenced_brokers)


def _read_describe_cluster_response_v0(b: bytes, at: int) -> tuple[DescribeClusterResponse, int]:
    size = len(b)
    m = new(DescribeClusterResponse)
    m.endpoint_type = 1
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
    if n == 0:
        raise ProtocolError("cluster_id is null")
    end = at + n - 1
    m.cluster_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.controller_id, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 11 > size - at:
        raise fault_length("brokers", n)
    brokers: list[DescribeClusterBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(DescribeClusterBroker)
        broker.is_fenced = False
        broker.broker_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            broker.rack = None
        else:
            end = at + n - 1
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        brokers.append(broker)
    m.cluster_authorized_operations, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeClusterResponse is {at - size} bytes short")
    return m, at


def _read_describe_cluster_response_v1(b: bytes, at: int) -> tuple[DescribeClusterResponse, int]:
    size = len(b)
    m = new(DescribeClusterResponse)
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
    m.endpoint_type, n = unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("cluster_id is null")
    end = at + n - 1
    m.cluster_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.controller_id, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 11 > size - at:
        raise fault_length("brokers", n)
    brokers: list[DescribeClusterBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(DescribeClusterBroker)
        broker.is_fenced = False
        broker.broker_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            broker.rack = None
        else:
            end = at + n - 1
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        brokers.append(broker)
    m.cluster_authorized_operations, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeClusterResponse is {at - size} bytes short")
    return m, at


def _read_describe_cluster_response_v2(b: bytes, at: int) -> tuple[DescribeClusterResponse, int]:
    size = len(b)
    m = new(DescribeClusterResponse)
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
    m.endpoint_type, n = unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("cluster_id is null")
    end = at + n - 1
    m.cluster_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.controller_id, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 12 > size - at:
        raise fault_length("brokers", n)
    brokers: list[DescribeClusterBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(DescribeClusterBroker)
        broker.broker_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            broker.rack = None
        else:
            end = at + n - 1
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        broker.is_fenced, tags = unpack_tB(b, at)
        at += 2
        if tags:
            at = skip_tags(b, at, tags)
        brokers.append(broker)
    m.cluster_authorized_operations, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeClusterResponse is {at - size} bytes short")
    return m, at


def _write_describe_cluster_response_v0(m: DescribeClusterResponse, out: bytearray) -> None:
    if m.endpoint_type != 1:
        raise fault_absent("endpoint_type")
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    cluster_id = m.cluster_id
    cluster_id_bytes = cluster_id.encode()
    n = len(cluster_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += cluster_id_bytes
    brokers = m.brokers
    out += pack_i(m.controller_id)
    n = len(brokers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for broker in brokers:
        if broker.is_fenced:
            raise fault_absent("is_fenced")
        host = broker.host
        host_bytes = host.encode()
        out += pack_i(broker.broker_id)
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_i(broker.port)
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += rack_bytes
        out.append(0)
    out += pack_ix(m.cluster_authorized_operations)


def _write_describe_cluster_response_v1(m: DescribeClusterResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    cluster_id = m.cluster_id
    cluster_id_bytes = cluster_id.encode()
    out += pack_b(m.endpoint_type)
    n = len(cluster_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += cluster_id_bytes
    brokers = m.brokers
    out += pack_i(m.controller_id)
    n = len(brokers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for broker in brokers:
        if broker.is_fenced:
            raise fault_absent("is_fenced")
        host = broker.host
        host_bytes = host.encode()
        out += pack_i(broker.broker_id)
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_i(broker.port)
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += rack_bytes
        out.append(0)
    out += pack_ix(m.cluster_authorized_operations)


def _write_describe_cluster_response_v2(m: DescribeClusterResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    cluster_id = m.cluster_id
    cluster_id_bytes = cluster_id.encode()
    out += pack_b(m.endpoint_type)
    n = len(cluster_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += cluster_id_bytes
    brokers = m.brokers
    out += pack_i(m.controller_id)
    n = len(brokers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        out += pack_i(broker.broker_id)
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_i(broker.port)
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += rack_bytes
        out += pack_tx(broker.is_fenced)
    out += pack_ix(m.cluster_authorized_operations)


DescribeClusterRequest.READERS = {
    0: _read_describe_cluster_request_v0,
    1: _read_describe_cluster_request_v1,
    2: _read_describe_cluster_request_v2,
}
DescribeClusterRequest.WRITERS = {
    0: _write_describe_cluster_request_v0,
    1: _write_describe_cluster_request_v1,
    2: _write_describe_cluster_request_v2,
}
DescribeClusterResponse.READERS = {
    0: _read_describe_cluster_response_v0,
    1: _read_describe_cluster_response_v1,
    2: _read_describe_cluster_response_v2,
}
DescribeClusterResponse.WRITERS = {
    0: _write_describe_cluster_response_v0,
    1: _write_describe_cluster_response_v1,
    2: _write_describe_cluster_response_v2,
}
