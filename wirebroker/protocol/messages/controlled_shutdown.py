"""ControlledShutdown: a broker that shuts down has its leaderships moved (ZooKeeper clusters only).

v0  has the oldest request header, without a client id
v1  the usual header
v2  broker_epoch (KIP-380)
v3  flexible

Generated from protocol_specs/07_controlled_shutdown by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import count_error, new, read_long_uvarint, skip_tagged_fields, write_uvarint

_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hi = Struct(">hi").pack
_pack_i = Struct(">i").pack
_pack_iq = Struct(">iq").pack
_pack_iqx = Struct(">iqx").pack
_pack_ix = Struct(">ix").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hi = Struct(">hi").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_iq = Struct(">iq").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from


class ControlledShutdownRequest(ReadableMessage, WritableMessage):
    API_KEY = 7
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 3

    broker_id: int = 0
    broker_epoch: int = -1  # v2+
    """Epoch of the broker's registration (its czxid in ZooKeeper); -1 unknown."""


class RemainingPartition(Data):
    """An element of `ControlledShutdownResponse.remaining_partitions`."""

    topic_name: str = ""
    partition_index: int = 0


class ControlledShutdownResponse(ReadableMessage, WritableMessage):
    API_KEY = 7
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 3

    error_code: int = 0
    remaining_partitions: list[RemainingPartition] = []
    """Partitions that the broker which shuts down still leads."""


def _read_controlled_shutdown_request_v0_2(b: bytes, at: int, version: int) -> tuple[ControlledShutdownRequest, int]:
    size = len(b)
    m = new(ControlledShutdownRequest)
    if version >= 2:
        m.broker_id, m.broker_epoch = _unpack_iq(b, at)
        at += 12
    else:
        m.broker_epoch = -1
        m.broker_id = _unpack_i(b, at)[0]
        at += 4
    if at > size:
        raise ProtocolError(f"ControlledShutdownRequest is {at - size} bytes short")
    return m, at


def _read_controlled_shutdown_request_v3(b: bytes, at: int, version: int) -> tuple[ControlledShutdownRequest, int]:
    size = len(b)
    m = new(ControlledShutdownRequest)
    m.broker_id, m.broker_epoch, tags = _unpack_iqB(b, at)
    at += 13
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ControlledShutdownRequest is {at - size} bytes short")
    return m, at


ControlledShutdownRequest.READERS = dict.fromkeys(range(0, 3), _read_controlled_shutdown_request_v0_2) | dict.fromkeys(range(3, 4), _read_controlled_shutdown_request_v3)


def _write_controlled_shutdown_request_v0_2(m: ControlledShutdownRequest, out: bytearray, version: int) -> None:
    if version >= 2:
        out += _pack_iq(m.broker_id, m.broker_epoch)
    else:
        out += _pack_i(m.broker_id)


def _write_controlled_shutdown_request_v3(m: ControlledShutdownRequest, out: bytearray, version: int) -> None:
    out += _pack_iqx(m.broker_id, m.broker_epoch)


ControlledShutdownRequest.WRITERS = dict.fromkeys(range(0, 3), _write_controlled_shutdown_request_v0_2) | dict.fromkeys(range(3, 4), _write_controlled_shutdown_request_v3)


def _read_controlled_shutdown_response_v0_2(b: bytes, at: int, version: int) -> tuple[ControlledShutdownResponse, int]:
    size = len(b)
    m = new(ControlledShutdownResponse)
    m.error_code, n = _unpack_hi(b, at)
    at += 6
    if n < 0 or n * 6 > size - at:
        raise count_error("remaining_partitions", n)
    remaining_partitions: list[RemainingPartition] = []
    m.remaining_partitions = remaining_partitions
    for _ in range(n):
        remaining_partition = new(RemainingPartition)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_name is null")
        end = at + n
        remaining_partition.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        remaining_partition.partition_index = _unpack_i(b, at)[0]
        at += 4
        remaining_partitions.append(remaining_partition)
    if at > size:
        raise ProtocolError(f"ControlledShutdownResponse is {at - size} bytes short")
    return m, at


def _read_controlled_shutdown_response_v3(b: bytes, at: int, version: int) -> tuple[ControlledShutdownResponse, int]:
    size = len(b)
    m = new(ControlledShutdownResponse)
    m.error_code, n = _unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise count_error("remaining_partitions", n)
    remaining_partitions: list[RemainingPartition] = []
    m.remaining_partitions = remaining_partitions
    for _ in range(n):
        remaining_partition = new(RemainingPartition)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        remaining_partition.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        remaining_partition.partition_index, tags = _unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tagged_fields(b, at, tags)
        remaining_partitions.append(remaining_partition)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ControlledShutdownResponse is {at - size} bytes short")
    return m, at


ControlledShutdownResponse.READERS = dict.fromkeys(range(0, 3), _read_controlled_shutdown_response_v0_2) | dict.fromkeys(range(3, 4), _read_controlled_shutdown_response_v3)


def _write_controlled_shutdown_response_v0_2(m: ControlledShutdownResponse, out: bytearray, version: int) -> None:
    remaining_partitions = m.remaining_partitions
    out += _pack_hi(m.error_code, len(remaining_partitions))
    for remaining_partition in remaining_partitions:
        topic_name = remaining_partition.topic_name
        topic_name_bytes = topic_name.encode()
        out += _pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        out += _pack_i(remaining_partition.partition_index)


def _write_controlled_shutdown_response_v3(m: ControlledShutdownResponse, out: bytearray, version: int) -> None:
    remaining_partitions = m.remaining_partitions
    n = len(remaining_partitions) + 1
    if n > 127:
        out += _pack_h(m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_hB(m.error_code, n)
    for remaining_partition in remaining_partitions:
        topic_name = remaining_partition.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        out += _pack_ix(remaining_partition.partition_index)
    out.append(0)


ControlledShutdownResponse.WRITERS = dict.fromkeys(range(0, 3), _write_controlled_shutdown_response_v0_2) | dict.fromkeys(range(3, 4), _write_controlled_shutdown_response_v3)
