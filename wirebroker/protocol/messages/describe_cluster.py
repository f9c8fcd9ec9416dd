"""DescribeCluster: the cluster id, the controller and the brokers (KIP-700).

v1  endpoint_type: served by controllers, too (KIP-919)
v2  fenced brokers (KIP-1073)

Generated from protocol_specs/60_describe_cluster by tools/codegen: do not edit.
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
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ix = Struct(">ix").pack
_pack_tbtx = Struct(">?b?x").pack
_pack_tbx = Struct(">?bx").pack
_pack_tx = Struct(">?x").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_tB = Struct(">?B").unpack_from
_unpack_tbB = Struct(">?bB").unpack_from
_unpack_tbtB = Struct(">?b?B").unpack_from


class DescribeClusterRequest(ReadableMessage, WritableMessage):
    API_KEY = 60
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0

    include_cluster_authorized_operations: bool = False
    """Whether the response includes cluster_authorized_operations."""
    endpoint_type: int = 1  # v1+
    """1 brokers, 2 controllers."""
    include_fenced_brokers: bool = False  # v2+


class DescribeClusterBroker(Data):
    """An element of `DescribeClusterResponse.brokers`."""

    broker_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None
    is_fenced: bool = False  # v2+


class DescribeClusterResponse(ReadableMessage, WritableMessage):
    API_KEY = 60
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    error_message: str | None = None
    endpoint_type: int = 1  # v1+
    """1 brokers, 2 controllers."""
    cluster_id: str = ""
    controller_id: int = -1
    brokers: list[DescribeClusterBroker] = []
    cluster_authorized_operations: int = -2147483648
    """Bit field of AclOperation; -2147483648 if not requested."""


def _read_describe_cluster_request_v0_2(b: bytes, at: int, version: int) -> tuple[DescribeClusterRequest, int]:
    size = len(b)
    m = new(DescribeClusterRequest)
    if version >= 2:
        m.include_cluster_authorized_operations, m.endpoint_type, m.include_fenced_brokers, tags = _unpack_tbtB(b, at)
        at += 4
    elif version >= 1:
        m.include_fenced_brokers = False
        m.include_cluster_authorized_operations, m.endpoint_type, tags = _unpack_tbB(b, at)
        at += 3
    else:
        m.endpoint_type = 1
        m.include_fenced_brokers = False
        m.include_cluster_authorized_operations, tags = _unpack_tB(b, at)
        at += 2
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeClusterRequest is {at - size} bytes short")
    return m, at


DescribeClusterRequest.READERS = dict.fromkeys(range(0, 3), _read_describe_cluster_request_v0_2)


def _write_describe_cluster_request_v0_2(m: DescribeClusterRequest, out: bytearray, version: int) -> None:
    if version >= 2:
        out += _pack_tbtx(m.include_cluster_authorized_operations, m.endpoint_type, m.include_fenced_brokers)
    elif version >= 1:
        if m.include_fenced_brokers:
            raise absent_field_error("include_fenced_brokers")
        out += _pack_tbx(m.include_cluster_authorized_operations, m.endpoint_type)
    else:
        if m.endpoint_type != 1:
            raise absent_field_error("endpoint_type")
        if m.include_fenced_brokers:
            raise absent_field_error("include_fenced_brokers")
        out += _pack_tx(m.include_cluster_authorized_operations)


DescribeClusterRequest.WRITERS = dict.fromkeys(range(0, 3), _write_describe_cluster_request_v0_2)


def _read_describe_cluster_response_v0_2(b: bytes, at: int, version: int) -> tuple[DescribeClusterResponse, int]:
    size = len(b)
    m = new(DescribeClusterResponse)
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
    if version >= 1:
        m.endpoint_type, n = _unpack_bB(b, at)
        at += 2
    else:
        m.endpoint_type = 1
        n = b[at]
        at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("cluster_id is null")
    end = at + n - 1
    m.cluster_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.controller_id, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 11 > size - at:
        raise count_error("brokers", n)
    brokers: list[DescribeClusterBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(DescribeClusterBroker)
        broker.broker_id, n = _unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = _unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            broker.rack = None
        else:
            end = at + n - 1
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        if version >= 2:
            broker.is_fenced, tags = _unpack_tB(b, at)
            at += 2
        else:
            broker.is_fenced = False
            tags = b[at]
            at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        brokers.append(broker)
    m.cluster_authorized_operations, tags = _unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeClusterResponse is {at - size} bytes short")
    return m, at


DescribeClusterResponse.READERS = dict.fromkeys(range(0, 3), _read_describe_cluster_response_v0_2)


def _write_describe_cluster_response_v0_2(m: DescribeClusterResponse, out: bytearray, version: int) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
    out += error_message_bytes
    cluster_id = m.cluster_id
    cluster_id_bytes = cluster_id.encode()
    n = len(cluster_id_bytes) + 1
    if version >= 1:
        out += _pack_b(m.endpoint_type)
    else:
        if m.endpoint_type != 1:
            raise absent_field_error("endpoint_type")
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += cluster_id_bytes
    brokers = m.brokers
    n = len(brokers) + 1
    if n > 127:
        out += _pack_i(m.controller_id)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.controller_id, n)
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        n = len(host_bytes) + 1
        if n > 127:
            out += _pack_i(broker.broker_id)
            write_uvarint(out, n)
        else:
            out += _pack_iB(broker.broker_id, n)
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            out += _pack_i(broker.port)
            write_uvarint(out, n)
        else:
            out += _pack_iB(broker.port, n)
        out += rack_bytes
        if version >= 2:
            out += _pack_tx(broker.is_fenced)
        else:
            if broker.is_fenced:
                raise absent_field_error("is_fenced")
            out.append(0)
    out += _pack_ix(m.cluster_authorized_operations)


DescribeClusterResponse.WRITERS = dict.fromkeys(range(0, 3), _write_describe_cluster_response_v0_2)
