"""ControlledShutdown: a broker wants to stop and asks to be relieved (ZooKeeper clusters only).

v0  has the oldest request header, without a client id
v1  the usual header
v2  broker_epoch (KIP-380)
v3  flexible

Generated from protocol_specs/07_controlled_shutdown by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
pack_i = Struct(">i").pack
pack_iq = Struct(">iq").pack
pack_iqx = Struct(">iqx").pack
pack_ix = Struct(">ix").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hi = Struct(">hi").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_iq = Struct(">iq").unpack_from
unpack_iqB = Struct(">iqB").unpack_from


class ControlledShutdownRequest(Message):
    API_KEY = 7
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = ("broker_id", "broker_epoch")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch


class RemainingPartition(Data):
    """still led by the broker that wants to stop"""

    __slots__ = FIELDS = ("topic_name", "partition_index")

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index


class ControlledShutdownResponse(Message):
    API_KEY = 7
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = ("error_code", "remaining_partitions")

    def __init__(
        self,
        error_code: int = 0,
        remaining_partitions: list[RemainingPartition] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.remaining_partitions = [] if remaining_partitions is UNSET else remaining_partitions


def _read_controlled_shutdown_request_v0_1(b: bytes, at: int) -> tuple[ControlledShutdownRequest, int]:
    size = len(b)
    m = new(ControlledShutdownRequest)
    m.broker_epoch = -1
    m.broker_id = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"ControlledShutdownRequest is {at - size} bytes short")
    return m, at


def _read_controlled_shutdown_request_v2(b: bytes, at: int) -> tuple[ControlledShutdownRequest, int]:
    size = len(b)
    m = new(ControlledShutdownRequest)
    m.broker_id, m.broker_epoch = unpack_iq(b, at)
    at += 12
    if at > size:
        raise ProtocolError(f"ControlledShutdownRequest is {at - size} bytes short")
    return m, at


def _read_controlled_shutdown_request_v3(b: bytes, at: int) -> tuple[ControlledShutdownRequest, int]:
    size = len(b)
    m = new(ControlledShutdownRequest)
    m.broker_id, m.broker_epoch, tags = unpack_iqB(b, at)
    at += 13
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ControlledShutdownRequest is {at - size} bytes short")
    return m, at


def _write_controlled_shutdown_request_v0_1(m: ControlledShutdownRequest, out: bytearray) -> None:
    out += pack_i(m.broker_id)


def _write_controlled_shutdown_request_v2(m: ControlledShutdownRequest, out: bytearray) -> None:
    out += pack_iq(m.broker_id, m.broker_epoch)


def _write_controlled_shutdown_request_v3(m: ControlledShutdownRequest, out: bytearray) -> None:
    out += pack_iqx(m.broker_id, m.broker_epoch)


def _read_controlled_shutdown_response_v0_2(b: bytes, at: int) -> tuple[ControlledShutdownResponse, int]:
    size = len(b)
    m = new(ControlledShutdownResponse)
    m.error_code, n = unpack_hi(b, at)
    at += 6
    if n < 0 or n * 6 > size - at:
        raise fault_length("remaining_partitions", n)
    remaining_partitions: list[RemainingPartition] = []
    m.remaining_partitions = remaining_partitions
    for _ in range(n):
        remaining_partition = new(RemainingPartition)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_name is null")
        end = at + n
        remaining_partition.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        remaining_partition.partition_index = unpack_i(b, at)[0]
        at += 4
        remaining_partitions.append(remaining_partition)
    if at > size:
        raise ProtocolError(f"ControlledShutdownResponse is {at - size} bytes short")
    return m, at


def _read_controlled_shutdown_response_v3(b: bytes, at: int) -> tuple[ControlledShutdownResponse, int]:
    size = len(b)
    m = new(ControlledShutdownResponse)
    m.error_code, n = unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise fault_length("remaining_partitions", n)
    remaining_partitions: list[RemainingPartition] = []
    m.remaining_partitions = remaining_partitions
    for _ in range(n):
        remaining_partition = new(RemainingPartition)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        remaining_partition.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        remaining_partition.partition_index, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        remaining_partitions.append(remaining_partition)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ControlledShutdownResponse is {at - size} bytes short")
    return m, at


def _write_controlled_shutdown_response_v0_2(m: ControlledShutdownResponse, out: bytearray) -> None:
    remaining_partitions = m.remaining_partitions
    out += pack_hi(m.error_code, len(remaining_partitions))
    for remaining_partition in remaining_partitions:
        topic_name = remaining_partition.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        out += pack_i(remaining_partition.partition_index)


def _write_controlled_shutdown_response_v3(m: ControlledShutdownResponse, out: bytearray) -> None:
    remaining_partitions = m.remaining_partitions
    out += pack_h(m.error_code)
    n = len(remaining_partitions) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for remaining_partition in remaining_partitions:
        topic_name = remaining_partition.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        out += pack_ix(remaining_partition.partition_index)
    out.append(0)


ControlledShutdownRequest.READERS = {
    0: _read_controlled_shutdown_request_v0_1,
    1: _read_controlled_shutdown_request_v0_1,
    2: _read_controlled_shutdown_request_v2,
    3: _read_controlled_shutdown_request_v3,
}
ControlledShutdownRequest.WRITERS = {
    0: _write_controlled_shutdown_request_v0_1,
    1: _write_controlled_shutdown_request_v0_1,
    2: _write_controlled_shutdown_request_v2,
    3: _write_controlled_shutdown_request_v3,
}
ControlledShutdownResponse.READERS = {
    0: _read_controlled_shutdown_response_v0_2,
    1: _read_controlled_shutdown_response_v0_2,
    2: _read_controlled_shutdown_response_v0_2,
    3: _read_controlled_shutdown_response_v3,
}
ControlledShutdownResponse.WRITERS = {
    0: _write_controlled_shutdown_response_v0_2,
    1: _write_controlled_shutdown_response_v0_2,
    2: _write_controlled_shutdown_response_v0_2,
    3: _write_controlled_shutdown_response_v3,
}
