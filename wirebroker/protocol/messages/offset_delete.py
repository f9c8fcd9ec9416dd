"""OffsetDelete: forget a group's offsets of some partitions (KIP-496).

Generated from protocol_specs/47_offset_delete by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length

new = object.__new__
iter_i = Struct(">i").iter_unpack
iter_ih = Struct(">ih").iter_unpack
pack_h = Struct(">h").pack
pack_hii = Struct(">hii").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
unpack_h = Struct(">h").unpack_from
unpack_hii = Struct(">hii").unpack_from
unpack_i = Struct(">i").unpack_from


class OffsetDeleteRequestPartition(Data):
    __slots__ = FIELDS = ("partition_index",)

    def __init__(
        self,
        partition_index: int = 0,
    ) -> None:
        self.partition_index = partition_index


class OffsetDeleteRequestTopic(Data):
    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[OffsetDeleteRequestPartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class OffsetDeleteRequest(Message):
    API_KEY = 47
    VERSIONS = range(0, 1)
    __slots__ = FIELDS = ("group_id", "topics")

    def __init__(
        self,
        group_id: str = "",
        topics: list[OffsetDeleteRequestTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics


class OffsetDeleteResponsePartition(Data):
    __slots__ = FIELDS = ("partition_index", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class OffsetDeleteResponseTopic(Data):
    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[OffsetDeleteResponsePartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class OffsetDeleteResponse(Message):
    API_KEY = 47
    VERSIONS = range(0, 1)
    __slots__ = FIELDS = ("error_code", "throttle_time_ms", "topics")

    def __init__(
        self,
        error_code: int = 0,
        throttle_time_ms: int = 0,
        topics: list[OffsetDeleteResponseTopic] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics


def _read_offset_delete_request_v0(b: bytes, at: int) -> tuple[OffsetDeleteRequest, int]:
    size = len(b)
    m = new(OffsetDeleteRequest)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetDeleteRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetDeleteRequestTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetDeleteRequestPartition] = []
        topic.partitions = partitions
        end = at + n * 4
        for values in iter_i(b[at:end]):
            partition = new(OffsetDeleteRequestPartition)
            partition.partition_index, = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetDeleteRequest is {at - size} bytes short")
    return m, at


def _write_offset_delete_request_v0(m: OffsetDeleteRequest, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            out += pack_i(partition.partition_index)


def _read_offset_delete_response_v0(b: bytes, at: int) -> tuple[OffsetDeleteResponse, int]:
    size = len(b)
    m = new(OffsetDeleteResponse)
    m.error_code, m.throttle_time_ms, n = unpack_hii(b, at)
    at += 10
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetDeleteResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetDeleteResponseTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 6 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetDeleteResponsePartition] = []
        topic.partitions = partitions
        end = at + n * 6
        for values in iter_ih(b[at:end]):
            partition = new(OffsetDeleteResponsePartition)
            partition.partition_index, partition.error_code = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetDeleteResponse is {at - size} bytes short")
    return m, at


def _write_offset_delete_response_v0(m: OffsetDeleteResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_hii(m.error_code, m.throttle_time_ms, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            out += pack_ih(partition.partition_index, partition.error_code)


OffsetDeleteRequest.READERS = {
    0: _read_offset_delete_request_v0,
}
OffsetDeleteRequest.WRITERS = {
    0: _write_offset_delete_request_v0,
}
OffsetDeleteResponse.READERS = {
    0: _read_offset_delete_response_v0,
}
OffsetDeleteResponse.WRITERS = {
    0: _write_offset_delete_response_v0,
}
