"""OffsetForLeaderEpoch: the end offset of an epoch in the leader's log, to detect divergence (KIP-101).

v1  leader_epoch in the response (KIP-279)
v2  current_leader_epoch, throttle_time_ms (KIP-320)
v3  replica_id (KIP-392)
v4  flexible

Generated from protocol_specs/23_offset_for_leader_epoch by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import count_error, new, read_long_uvarint, skip_tagged_fields, write_uvarint

_iter_hiiq = Struct(">hiiq").iter_unpack
_iter_hiq = Struct(">hiq").iter_unpack
_iter_ii = Struct(">ii").iter_unpack
_iter_iii = Struct(">iii").iter_unpack
_pack_h = Struct(">h").pack
_pack_hiiq = Struct(">hiiq").pack
_pack_hiiqx = Struct(">hiiqx").pack
_pack_hiq = Struct(">hiq").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_iii = Struct(">iii").pack
_pack_iiix = Struct(">iiix").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hiiqB = Struct(">hiiqB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iiiB = Struct(">iiiB").unpack_from


class OffsetForLeaderPartition(Data):
    """An element of `OffsetForLeaderTopic.partitions`."""

    partition: int = 0
    current_leader_epoch: int = -1  # v2+
    """Leader epoch that the client knows; another one is refused; -1: not checked."""
    leader_epoch: int = 0
    """Leader epoch, incremented with each leader election; -1 unknown."""


class OffsetForLeaderTopic(Data):
    """An element of `OffsetForLeaderEpochRequest.topics`."""

    topic: str = ""
    partitions: list[OffsetForLeaderPartition] = []


class OffsetForLeaderEpochRequest(ReadableMessage, WritableMessage):
    API_KEY = 23
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4

    replica_id: int = -2  # v3+
    """Broker id of the follower; -1 for consumers, -2 for debugging."""
    topics: list[OffsetForLeaderTopic] = []


class EpochEndOffset(Data):
    """An element of `OffsetForLeaderTopicResult.partitions`."""

    error_code: int = 0
    partition: int = 0
    leader_epoch: int = -1  # v1+
    """Leader epoch, incremented with each leader election; -1 unknown."""
    end_offset: int = -1
    """End offset of the epoch; -1 unknown."""


class OffsetForLeaderTopicResult(Data):
    """An element of `OffsetForLeaderEpochResponse.topics`."""

    topic: str = ""
    partitions: list[EpochEndOffset] = []


class OffsetForLeaderEpochResponse(ReadableMessage, WritableMessage):
    API_KEY = 23
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4

    throttle_time_ms: int = 0  # v2+
    """Throttle time because of a quota; 0 for none."""
    topics: list[OffsetForLeaderTopicResult] = []


def _read_offset_for_leader_epoch_request_v0_3(b: bytes, at: int, version: int) -> tuple[OffsetForLeaderEpochRequest, int]:
    size = len(b)
    m = new(OffsetForLeaderEpochRequest)
    if version >= 3:
        m.replica_id, n = _unpack_ii(b, at)
        at += 8
    else:
        m.replica_id = -2
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 6 > size - at:
        raise count_error("topics", n)
    topics: list[OffsetForLeaderTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetForLeaderTopic)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 8 > size - at:
            raise count_error("partitions", n)
        partitions: list[OffsetForLeaderPartition] = []
        topic.partitions = partitions
        if version >= 2:
            end = at + n * 12
            for values in _iter_iii(b[at:end]):
                partition = new(OffsetForLeaderPartition)
                partition.partition, partition.current_leader_epoch, partition.leader_epoch = values
                partitions.append(partition)
        else:
            end = at + n * 8
            for values in _iter_ii(b[at:end]):
                partition = new(OffsetForLeaderPartition)
                partition.current_leader_epoch = -1
                partition.partition, partition.leader_epoch = values
                partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetForLeaderEpochRequest is {at - size} bytes short")
    return m, at


def _read_offset_for_leader_epoch_request_v4(b: bytes, at: int, version: int) -> tuple[OffsetForLeaderEpochRequest, int]:
    size = len(b)
    m = new(OffsetForLeaderEpochRequest)
    m.replica_id, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[OffsetForLeaderTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetForLeaderTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic is null")
        end = at + n - 1
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 13 > size - at:
            raise count_error("partitions", n)
        partitions: list[OffsetForLeaderPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetForLeaderPartition)
            partition.partition, partition.current_leader_epoch, partition.leader_epoch, tags = _unpack_iiiB(b, at)
            at += 13
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"OffsetForLeaderEpochRequest is {at - size} bytes short")
    return m, at


OffsetForLeaderEpochRequest.READERS = dict.fromkeys(range(0, 4), _read_offset_for_leader_epoch_request_v0_3) | dict.fromkeys(range(4, 5), _read_offset_for_leader_epoch_request_v4)


def _write_offset_for_leader_epoch_request_v0_3(m: OffsetForLeaderEpochRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    if version >= 3:
        out += _pack_ii(m.replica_id, len(topics))
    else:
        out += _pack_i(len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += _pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += _pack_i(len(partitions))
        for partition in partitions:
            if version >= 2:
                out += _pack_iii(partition.partition, partition.current_leader_epoch, partition.leader_epoch)
            else:
                out += _pack_ii(partition.partition, partition.leader_epoch)


def _write_offset_for_leader_epoch_request_v4(m: OffsetForLeaderEpochRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        out += _pack_i(m.replica_id)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.replica_id, n)
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        n = len(topic_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += topic_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += _pack_iiix(partition.partition, partition.current_leader_epoch, partition.leader_epoch)
        out.append(0)
    out.append(0)


OffsetForLeaderEpochRequest.WRITERS = dict.fromkeys(range(0, 4), _write_offset_for_leader_epoch_request_v0_3) | dict.fromkeys(range(4, 5), _write_offset_for_leader_epoch_request_v4)


def _read_offset_for_leader_epoch_response_v0_3(b: bytes, at: int, version: int) -> tuple[OffsetForLeaderEpochResponse, int]:
    size = len(b)
    m = new(OffsetForLeaderEpochResponse)
    if version >= 2:
        m.throttle_time_ms, n = _unpack_ii(b, at)
        at += 8
    else:
        m.throttle_time_ms = 0
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 6 > size - at:
        raise count_error("topics", n)
    topics: list[OffsetForLeaderTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetForLeaderTopicResult)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise count_error("partitions", n)
        partitions: list[EpochEndOffset] = []
        topic.partitions = partitions
        if version >= 1:
            end = at + n * 18
            for values in _iter_hiiq(b[at:end]):
                partition = new(EpochEndOffset)
                partition.error_code, partition.partition, partition.leader_epoch, partition.end_offset = values
                partitions.append(partition)
        else:
            end = at + n * 14
            for values in _iter_hiq(b[at:end]):
                partition = new(EpochEndOffset)
                partition.leader_epoch = -1
                partition.error_code, partition.partition, partition.end_offset = values
                partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetForLeaderEpochResponse is {at - size} bytes short")
    return m, at


def _read_offset_for_leader_epoch_response_v4(b: bytes, at: int, version: int) -> tuple[OffsetForLeaderEpochResponse, int]:
    size = len(b)
    m = new(OffsetForLeaderEpochResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[OffsetForLeaderTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetForLeaderTopicResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic is null")
        end = at + n - 1
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 19 > size - at:
            raise count_error("partitions", n)
        partitions: list[EpochEndOffset] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(EpochEndOffset)
            partition.error_code, partition.partition, partition.leader_epoch, partition.end_offset, tags = _unpack_hiiqB(b, at)
            at += 19
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"OffsetForLeaderEpochResponse is {at - size} bytes short")
    return m, at


OffsetForLeaderEpochResponse.READERS = dict.fromkeys(range(0, 4), _read_offset_for_leader_epoch_response_v0_3) | dict.fromkeys(range(4, 5), _read_offset_for_leader_epoch_response_v4)


def _write_offset_for_leader_epoch_response_v0_3(m: OffsetForLeaderEpochResponse, out: bytearray, version: int) -> None:
    topics = m.topics
    if version >= 2:
        out += _pack_ii(m.throttle_time_ms, len(topics))
    else:
        out += _pack_i(len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += _pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += _pack_i(len(partitions))
        for partition in partitions:
            if version >= 1:
                out += _pack_hiiq(partition.error_code, partition.partition, partition.leader_epoch, partition.end_offset)
            else:
                out += _pack_hiq(partition.error_code, partition.partition, partition.end_offset)


def _write_offset_for_leader_epoch_response_v4(m: OffsetForLeaderEpochResponse, out: bytearray, version: int) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        n = len(topic_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += topic_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += _pack_hiiqx(partition.error_code, partition.partition, partition.leader_epoch, partition.end_offset)
        out.append(0)
    out.append(0)


OffsetForLeaderEpochResponse.WRITERS = dict.fromkeys(range(0, 4), _write_offset_for_leader_epoch_response_v0_3) | dict.fromkeys(range(4, 5), _write_offset_for_leader_epoch_response_v4)
