"""OffsetForLeaderEpoch: where an epoch ended in the leader's log, to find out where logs part (KIP-101).

v1  leader_epoch of the answer (KIP-279)
v2  current_leader_epoch, throttle_time_ms (KIP-320)
v3  replica_id (KIP-392)
v4  flexible

Generated from protocol_specs/23_offset_for_leader_epoch by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_hiiq = Struct(">hiiq").iter_unpack
iter_hiq = Struct(">hiq").iter_unpack
iter_ii = Struct(">ii").iter_unpack
iter_iii = Struct(">iii").iter_unpack
pack_h = Struct(">h").pack
pack_hiiq = Struct(">hiiq").pack
pack_hiiqx = Struct(">hiiqx").pack
pack_hiq = Struct(">hiq").pack
pack_i = Struct(">i").pack
pack_ii = Struct(">ii").pack
pack_iii = Struct(">iii").pack
pack_iiix = Struct(">iiix").pack
unpack_h = Struct(">h").unpack_from
unpack_hiiqB = Struct(">hiiqB").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iiiB = Struct(">iiiB").unpack_from


class OffsetForLeaderPartition(Data):
    __slots__ = FIELDS = ("partition", "current_leader_epoch", "leader_epoch")

    def __init__(
        self,
        partition: int = 0,
        current_leader_epoch: int = -1,
        leader_epoch: int = 0,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.leader_epoch = leader_epoch


class OffsetForLeaderTopic(Data):
    __slots__ = FIELDS = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: list[OffsetForLeaderPartition] = UNSET,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions


class OffsetForLeaderEpochRequest(Message):
    API_KEY = 23
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = ("replica_id", "topics")

    def __init__(
        self,
        replica_id: int = -2,
        topics: list[OffsetForLeaderTopic] = UNSET,
    ) -> None:
        self.replica_id = replica_id
        self.topics = [] if topics is UNSET else topics


class EpochEndOffset(Data):
    __slots__ = FIELDS = ("error_code", "partition", "leader_epoch", "end_offset")

    def __init__(
        self,
        error_code: int = 0,
        partition: int = 0,
        leader_epoch: int = -1,
        end_offset: int = -1,
    ) -> None:
        self.error_code = error_code
        self.partition = partition
        self.leader_epoch = leader_epoch
        self.end_offset = end_offset


class OffsetForLeaderTopicResult(Data):
    __slots__ = FIELDS = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: list[EpochEndOffset] = UNSET,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions


class OffsetForLeaderEpochResponse(Message):
    API_KEY = 23
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = ("throttle_time_ms", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[OffsetForLeaderTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics


def _read_offset_for_leader_epoch_request_v0_1(b: bytes, at: int) -> tuple[OffsetForLeaderEpochRequest, int]:
    size = len(b)
    m = new(OffsetForLeaderEpochRequest)
    m.replica_id = -2
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetForLeaderTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetForLeaderTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 8 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetForLeaderPartition] = []
        topic.partitions = partitions
        end = at + n * 8
        for values in iter_ii(b[at:end]):
            partition = new(OffsetForLeaderPartition)
            partition.current_leader_epoch = -1
            partition.partition, partition.leader_epoch = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetForLeaderEpochRequest is {at - size} bytes short")
    return m, at


def _read_offset_for_leader_epoch_request_v2(b: bytes, at: int) -> tuple[OffsetForLeaderEpochRequest, int]:
    size = len(b)
    m = new(OffsetForLeaderEpochRequest)
    m.replica_id = -2
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetForLeaderTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetForLeaderTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 12 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetForLeaderPartition] = []
        topic.partitions = partitions
        end = at + n * 12
        for values in iter_iii(b[at:end]):
            partition = new(OffsetForLeaderPartition)
            partition.partition, partition.current_leader_epoch, partition.leader_epoch = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetForLeaderEpochRequest is {at - size} bytes short")
    return m, at


def _read_offset_for_leader_epoch_request_v3(b: bytes, at: int) -> tuple[OffsetForLeaderEpochRequest, int]:
    size = len(b)
    m = new(OffsetForLeaderEpochRequest)
    m.replica_id, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetForLeaderTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetForLeaderTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 12 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetForLeaderPartition] = []
        topic.partitions = partitions
        end = at + n * 12
        for values in iter_iii(b[at:end]):
            partition = new(OffsetForLeaderPartition)
            partition.partition, partition.current_leader_epoch, partition.leader_epoch = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetForLeaderEpochRequest is {at - size} bytes short")
    return m, at


def _read_offset_for_leader_epoch_request_v4(b: bytes, at: int) -> tuple[OffsetForLeaderEpochRequest, int]:
    size = len(b)
    m = new(OffsetForLeaderEpochRequest)
    m.replica_id, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetForLeaderTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetForLeaderTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic is null")
        end = at + n - 1
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 13 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetForLeaderPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetForLeaderPartition)
            partition.partition, partition.current_leader_epoch, partition.leader_epoch, tags = unpack_iiiB(b, at)
            at += 13
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"OffsetForLeaderEpochRequest is {at - size} bytes short")
    return m, at


def _write_offset_for_leader_epoch_request_v0_1(m: OffsetForLeaderEpochRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            out += pack_ii(partition.partition, partition.leader_epoch)


def _write_offset_for_leader_epoch_request_v2(m: OffsetForLeaderEpochRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            out += pack_iii(partition.partition, partition.current_leader_epoch, partition.leader_epoch)


def _write_offset_for_leader_epoch_request_v3(m: OffsetForLeaderEpochRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_ii(m.replica_id, len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            out += pack_iii(partition.partition, partition.current_leader_epoch, partition.leader_epoch)


def _write_offset_for_leader_epoch_request_v4(m: OffsetForLeaderEpochRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(m.replica_id)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        n = len(topic_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += pack_iiix(partition.partition, partition.current_leader_epoch, partition.leader_epoch)
        out.append(0)
    out.append(0)


def _read_offset_for_leader_epoch_response_v0(b: bytes, at: int) -> tuple[OffsetForLeaderEpochResponse, int]:
    size = len(b)
    m = new(OffsetForLeaderEpochResponse)
    m.throttle_time_ms = 0
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetForLeaderTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetForLeaderTopicResult)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise fault_length("partitions", n)
        partitions: list[EpochEndOffset] = []
        topic.partitions = partitions
        end = at + n * 14
        for values in iter_hiq(b[at:end]):
            partition = new(EpochEndOffset)
            partition.leader_epoch = -1
            partition.error_code, partition.partition, partition.end_offset = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetForLeaderEpochResponse is {at - size} bytes short")
    return m, at


def _read_offset_for_leader_epoch_response_v1(b: bytes, at: int) -> tuple[OffsetForLeaderEpochResponse, int]:
    size = len(b)
    m = new(OffsetForLeaderEpochResponse)
    m.throttle_time_ms = 0
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetForLeaderTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetForLeaderTopicResult)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[EpochEndOffset] = []
        topic.partitions = partitions
        end = at + n * 18
        for values in iter_hiiq(b[at:end]):
            partition = new(EpochEndOffset)
            partition.error_code, partition.partition, partition.leader_epoch, partition.end_offset = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetForLeaderEpochResponse is {at - size} bytes short")
    return m, at


def _read_offset_for_leader_epoch_response_v2_3(b: bytes, at: int) -> tuple[OffsetForLeaderEpochResponse, int]:
    size = len(b)
    m = new(OffsetForLeaderEpochResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetForLeaderTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetForLeaderTopicResult)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[EpochEndOffset] = []
        topic.partitions = partitions
        end = at + n * 18
        for values in iter_hiiq(b[at:end]):
            partition = new(EpochEndOffset)
            partition.error_code, partition.partition, partition.leader_epoch, partition.end_offset = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetForLeaderEpochResponse is {at - size} bytes short")
    return m, at


def _read_offset_for_leader_epoch_response_v4(b: bytes, at: int) -> tuple[OffsetForLeaderEpochResponse, int]:
    size = len(b)
    m = new(OffsetForLeaderEpochResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetForLeaderTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetForLeaderTopicResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic is null")
        end = at + n - 1
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 19 > size - at:
            raise fault_length("partitions", n)
        partitions: list[EpochEndOffset] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(EpochEndOffset)
            partition.error_code, partition.partition, partition.leader_epoch, partition.end_offset, tags = unpack_hiiqB(b, at)
            at += 19
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"OffsetForLeaderEpochResponse is {at - size} bytes short")
    return m, at


def _write_offset_for_leader_epoch_response_v0(m: OffsetForLeaderEpochResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            out += pack_hiq(partition.error_code, partition.partition, partition.end_offset)


def _write_offset_for_leader_epoch_response_v1(m: OffsetForLeaderEpochResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            out += pack_hiiq(partition.error_code, partition.partition, partition.leader_epoch, partition.end_offset)


def _write_offset_for_leader_epoch_response_v2_3(m: OffsetForLeaderEpochResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_ii(m.throttle_time_ms, len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            out += pack_hiiq(partition.error_code, partition.partition, partition.leader_epoch, partition.end_offset)


def _write_offset_for_leader_epoch_response_v4(m: OffsetForLeaderEpochResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(m.throttle_time_ms)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        n = len(topic_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += pack_hiiqx(partition.error_code, partition.partition, partition.leader_epoch, partition.end_offset)
        out.append(0)
    out.append(0)


OffsetForLeaderEpochRequest.READERS = {
    0: _read_offset_for_leader_epoch_request_v0_1,
    1: _read_offset_for_leader_epoch_request_v0_1,
    2: _read_offset_for_leader_epoch_request_v2,
    3: _read_offset_for_leader_epoch_request_v3,
    4: _read_offset_for_leader_epoch_request_v4,
}
OffsetForLeaderEpochRequest.WRITERS = {
    0: _write_offset_for_leader_epoch_request_v0_1,
    1: _write_offset_for_leader_epoch_request_v0_1,
    2: _write_offset_for_leader_epoch_request_v2,
    3: _write_offset_for_leader_epoch_request_v3,
    4: _write_offset_for_leader_epoch_request_v4,
}
OffsetForLeaderEpochResponse.READERS = {
    0: _read_offset_for_leader_epoch_response_v0,
    1: _read_offset_for_leader_epoch_response_v1,
    2: _read_offset_for_leader_epoch_response_v2_3,
    3: _read_offset_for_leader_epoch_response_v2_3,
    4: _read_offset_for_leader_epoch_response_v4,
}
OffsetForLeaderEpochResponse.WRITERS = {
    0: _write_offset_for_leader_epoch_response_v0,
    1: _write_offset_for_leader_epoch_response_v1,
    2: _write_offset_for_leader_epoch_response_v2_3,
    3: _write_offset_for_leader_epoch_response_v2_3,
    4: _write_offset_for_leader_epoch_response_v4,
}
