"""OffsetDelete: delete the committed offsets of a group for partitions (KIP-496).

Generated from protocol_specs/47_offset_delete by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import count_error, new

_iter_i = Struct(">i").iter_unpack
_iter_ih = Struct(">ih").iter_unpack
_pack_h = Struct(">h").pack
_pack_hii = Struct(">hii").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hii = Struct(">hii").unpack_from
_unpack_i = Struct(">i").unpack_from


class OffsetDeleteRequestPartition(Data):
    """An element of `OffsetDeleteRequestTopic.partitions`."""

    partition_index: int = 0


class OffsetDeleteRequestTopic(Data):
    """An element of `OffsetDeleteRequest.topics`."""

    name: str = ""
    partitions: list[OffsetDeleteRequestPartition] = []


class OffsetDeleteRequest(ReadableMessage, WritableMessage):
    API_KEY = 47
    VERSIONS = range(0, 1)

    group_id: str = ""
    topics: list[OffsetDeleteRequestTopic] = []


class OffsetDeleteResponsePartition(Data):
    """An element of `OffsetDeleteResponseTopic.partitions`."""

    partition_index: int = 0
    error_code: int = 0


class OffsetDeleteResponseTopic(Data):
    """An element of `OffsetDeleteResponse.topics`."""

    name: str = ""
    partitions: list[OffsetDeleteResponsePartition] = []


class OffsetDeleteResponse(ReadableMessage, WritableMessage):
    API_KEY = 47
    VERSIONS = range(0, 1)

    error_code: int = 0
    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    topics: list[OffsetDeleteResponseTopic] = []


def _read_offset_delete_request_v0(b: bytes, at: int, version: int) -> tuple[OffsetDeleteRequest, int]:
    size = len(b)
    m = new(OffsetDeleteRequest)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise count_error("topics", n)
    topics: list[OffsetDeleteRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetDeleteRequestTopic)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise count_error("partitions", n)
        partitions: list[OffsetDeleteRequestPartition] = []
        topic.partitions = partitions
        end = at + n * 4
        for values in _iter_i(b[at:end]):
            partition = new(OffsetDeleteRequestPartition)
            partition.partition_index, = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetDeleteRequest is {at - size} bytes short")
    return m, at


OffsetDeleteRequest.READERS = dict.fromkeys(range(0, 1), _read_offset_delete_request_v0)


def _write_offset_delete_request_v0(m: OffsetDeleteRequest, out: bytearray, version: int) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += _pack_h(len(group_id_bytes))
    out += group_id_bytes
    topics = m.topics
    out += _pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += _pack_i(len(partitions))
        for partition in partitions:
            out += _pack_i(partition.partition_index)


OffsetDeleteRequest.WRITERS = dict.fromkeys(range(0, 1), _write_offset_delete_request_v0)


def _read_offset_delete_response_v0(b: bytes, at: int, version: int) -> tuple[OffsetDeleteResponse, int]:
    size = len(b)
    m = new(OffsetDeleteResponse)
    m.error_code, m.throttle_time_ms, n = _unpack_hii(b, at)
    at += 10
    if n < 0 or n * 6 > size - at:
        raise count_error("topics", n)
    topics: list[OffsetDeleteResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetDeleteResponseTopic)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 6 > size - at:
            raise count_error("partitions", n)
        partitions: list[OffsetDeleteResponsePartition] = []
        topic.partitions = partitions
        end = at + n * 6
        for values in _iter_ih(b[at:end]):
            partition = new(OffsetDeleteResponsePartition)
            partition.partition_index, partition.error_code = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetDeleteResponse is {at - size} bytes short")
    return m, at


OffsetDeleteResponse.READERS = dict.fromkeys(range(0, 1), _read_offset_delete_response_v0)


def _write_offset_delete_response_v0(m: OffsetDeleteResponse, out: bytearray, version: int) -> None:
    topics = m.topics
    out += _pack_hii(m.error_code, m.throttle_time_ms, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += _pack_i(len(partitions))
        for partition in partitions:
            out += _pack_ih(partition.partition_index, partition.error_code)


OffsetDeleteResponse.WRITERS = dict.fromkeys(range(0, 1), _write_offset_delete_response_v0)
