"""ListOffsets: offsets by time, or of a log's two ends.

v1  one offset with its timestamp in place of a list (KIP-79)
v2  isolation_level, throttle_time_ms (KIP-98, KIP-124)
v3  answers before it throttles (KIP-219)
v4  leader epochs (KIP-320)
v5  may answer OFFSET_NOT_AVAILABLE (KIP-207)
v6  flexible
v7  timestamp -3: the record with the largest timestamp (KIP-734)
v8  -4: earliest local offset (KIP-405)
v9  -5: last offset in remote storage (KIP-1005)
v10 timeout_ms (KIP-1075)
v11 -6: earliest not yet uploaded (KIP-1023)

Generated from protocol_specs/02_list_offsets by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_ihqq = Struct(">ihqq").iter_unpack
iter_ihqqi = Struct(">ihqqi").iter_unpack
iter_iiq = Struct(">iiq").iter_unpack
iter_iq = Struct(">iq").iter_unpack
iter_iqi = Struct(">iqi").iter_unpack
iter_q = Struct(">q").iter_unpack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ib = Struct(">ib").pack
pack_ibi = Struct(">ibi").pack
pack_ihi = Struct(">ihi").pack
pack_ihqq = Struct(">ihqq").pack
pack_ihqqi = Struct(">ihqqi").pack
pack_ihqqix = Struct(">ihqqix").pack
pack_ii = Struct(">ii").pack
pack_iiq = Struct(">iiq").pack
pack_iiqx = Struct(">iiqx").pack
pack_iq = Struct(">iq").pack
pack_iqi = Struct(">iqi").pack
pack_ix = Struct(">ix").pack
pack_q = Struct(">q").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ibB = Struct(">ibB").unpack_from
unpack_ibi = Struct(">ibi").unpack_from
unpack_ihi = Struct(">ihi").unpack_from
unpack_ihqqiB = Struct(">ihqqiB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iiqB = Struct(">iiqB").unpack_from


class ListOffsetsPartition(Data):
    __slots__ = FIELDS = ("partition_index", "current_leader_epoch", "timestamp", "max_num_offsets")

    def __init__(
        self,
        partition_index: int = 0,
        current_leader_epoch: int = -1,
        timestamp: int = 0,
        max_num_offsets: int = 1,
    ) -> None:
        self.partition_index = partition_index
        self.current_leader_epoch = current_leader_epoch
        self.timestamp = timestamp
        self.max_num_offsets = max_num_offsets


class ListOffsetsTopic(Data):
    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[ListOffsetsPartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class ListOffsetsRequest(Message):
    API_KEY = 2
    VERSIONS = range(0, 12)
    FLEXIBLE_FROM = 6
    __slots__ = FIELDS = ("replica_id", "isolation_level", "topics", "timeout_ms")

    def __init__(
        self,
        replica_id: int = 0,
        isolation_level: int = 0,
        topics: list[ListOffsetsTopic] = UNSET,
        timeout_ms: int = 0,
    ) -> None:
        self.replica_id = replica_id
        self.isolation_level = isolation_level
        self.topics = [] if topics is UNSET else topics
        self.timeout_ms = timeout_ms


class ListOffsetsPartitionResponse(Data):
    __slots__ = FIELDS = ("partition_index", "error_code", "old_style_offsets", "timestamp", "offset", "leader_epoch")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        old_style_offsets: list[int] = UNSET,
        timestamp: int = -1,
        offset: int = -1,
        leader_epoch: int = -1,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.old_style_offsets = [] if old_style_offsets is UNSET else old_style_offsets
        self.timestamp = timestamp
        self.offset = offset
        self.leader_epoch = leader_epoch


class ListOffsetsTopicResponse(Data):
    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[ListOffsetsPartitionResponse] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class ListOffsetsResponse(Message):
    API_KEY = 2
    VERSIONS = range(0, 12)
    FLEXIBLE_FROM = 6
    __slots__ = FIELDS = ("throttle_time_ms", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[ListOffsetsTopicResponse] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics


def _read_list_offsets_request_v0(b: bytes, at: int) -> tuple[ListOffsetsRequest, int]:
    size = len(b)
    m = new(ListOffsetsRequest)
    m.isolation_level = 0
    m.timeout_ms = 0
    m.replica_id, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[ListOffsetsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 16 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ListOffsetsPartition] = []
        topic.partitions = partitions
        end = at + n * 16
        for values in iter_iqi(b[at:end]):
            partition = new(ListOffsetsPartition)
            partition.current_leader_epoch = -1
            partition.partition_index, partition.timestamp, partition.max_num_offsets = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"ListOffsetsRequest is {at - size} bytes short")
    return m, at


def _read_list_offsets_request_v1(b: bytes, at: int) -> tuple[ListOffsetsRequest, int]:
    size = len(b)
    m = new(ListOffsetsRequest)
    m.isolation_level = 0
    m.timeout_ms = 0
    m.replica_id, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[ListOffsetsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 12 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ListOffsetsPartition] = []
        topic.partitions = partitions
        end = at + n * 12
        for values in iter_iq(b[at:end]):
            partition = new(ListOffsetsPartition)
            partition.current_leader_epoch = -1
            partition.max_num_offsets = 1
            partition.partition_index, partition.timestamp = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"ListOffsetsRequest is {at - size} bytes short")
    return m, at


def _read_list_offsets_request_v2_3(b: bytes, at: int) -> tuple[ListOffsetsRequest, int]:
    size = len(b)
    m = new(ListOffsetsRequest)
    m.timeout_ms = 0
    m.replica_id, m.isolation_level, n = unpack_ibi(b, at)
    at += 9
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[ListOffsetsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 12 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ListOffsetsPartition] = []
        topic.partitions = partitions
        end = at + n * 12
        for values in iter_iq(b[at:end]):
            partition = new(ListOffsetsPartition)
            partition.current_leader_epoch = -1
            partition.max_num_offsets = 1
            partition.partition_index, partition.timestamp = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"ListOffsetsRequest is {at - size} bytes short")
    return m, at


def _read_list_offsets_request_v4_5(b: bytes, at: int) -> tuple[ListOffsetsRequest, int]:
    size = len(b)
    m = new(ListOffsetsRequest)
    m.timeout_ms = 0
    m.replica_id, m.isolation_level, n = unpack_ibi(b, at)
    at += 9
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[ListOffsetsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 16 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ListOffsetsPartition] = []
        topic.partitions = partitions
        end = at + n * 16
        for values in iter_iiq(b[at:end]):
            partition = new(ListOffsetsPartition)
            partition.max_num_offsets = 1
            partition.partition_index, partition.current_leader_epoch, partition.timestamp = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"ListOffsetsRequest is {at - size} bytes short")
    return m, at


def _read_list_offsets_request_v6_9(b: bytes, at: int) -> tuple[ListOffsetsRequest, int]:
    size = len(b)
    m = new(ListOffsetsRequest)
    m.timeout_ms = 0
    m.replica_id, m.isolation_level, n = unpack_ibB(b, at)
    at += 6
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[ListOffsetsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 17 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ListOffsetsPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(ListOffsetsPartition)
            partition.max_num_offsets = 1
            partition.partition_index, partition.current_leader_epoch, partition.timestamp, tags = unpack_iiqB(b, at)
            at += 17
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
        raise ProtocolError(f"ListOffsetsRequest is {at - size} bytes short")
    return m, at


def _read_list_offsets_request_v10_11(b: bytes, at: int) -> tuple[ListOffsetsRequest, int]:
    size = len(b)
    m = new(ListOffsetsRequest)
    m.replica_id, m.isolation_level, n = unpack_ibB(b, at)
    at += 6
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[ListOffsetsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 17 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ListOffsetsPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(ListOffsetsPartition)
            partition.max_num_offsets = 1
            partition.partition_index, partition.current_leader_epoch, partition.timestamp, tags = unpack_iiqB(b, at)
            at += 17
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    m.timeout_ms, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListOffsetsRequest is {at - size} bytes short")
    return m, at


def _write_list_offsets_request_v0(m: ListOffsetsRequest, out: bytearray) -> None:
    if m.isolation_level != 0:
        raise fault_absent("isolation_level")
    topics = m.topics
    out += pack_ii(m.replica_id, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            out += pack_iqi(partition.partition_index, partition.timestamp, partition.max_num_offsets)


def _write_list_offsets_request_v1(m: ListOffsetsRequest, out: bytearray) -> None:
    if m.isolation_level != 0:
        raise fault_absent("isolation_level")
    topics = m.topics
    out += pack_ii(m.replica_id, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if partition.max_num_offsets != 1:
                raise fault_absent("max_num_offsets")
            out += pack_iq(partition.partition_index, partition.timestamp)


def _write_list_offsets_request_v2_3(m: ListOffsetsRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_ibi(m.replica_id, m.isolation_level, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if partition.max_num_offsets != 1:
                raise fault_absent("max_num_offsets")
            out += pack_iq(partition.partition_index, partition.timestamp)


def _write_list_offsets_request_v4_5(m: ListOffsetsRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_ibi(m.replica_id, m.isolation_level, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if partition.max_num_offsets != 1:
                raise fault_absent("max_num_offsets")
            out += pack_iiq(partition.partition_index, partition.current_leader_epoch, partition.timestamp)


def _write_list_offsets_request_v6_9(m: ListOffsetsRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_ib(m.replica_id, m.isolation_level)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            if partition.max_num_offsets != 1:
                raise fault_absent("max_num_offsets")
            out += pack_iiqx(partition.partition_index, partition.current_leader_epoch, partition.timestamp)
        out.append(0)
    out.append(0)


def _write_list_offsets_request_v10_11(m: ListOffsetsRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_ib(m.replica_id, m.isolation_level)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            if partition.max_num_offsets != 1:
                raise fault_absent("max_num_offsets")
            out += pack_iiqx(partition.partition_index, partition.current_leader_epoch, partition.timestamp)
        out.append(0)
    out += pack_ix(m.timeout_ms)


def _read_list_offsets_response_v0(b: bytes, at: int) -> tuple[ListOffsetsResponse, int]:
    size = len(b)
    m = new(ListOffsetsResponse)
    m.throttle_time_ms = 0
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[ListOffsetsTopicResponse] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopicResponse)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 10 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ListOffsetsPartitionResponse] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(ListOffsetsPartitionResponse)
            partition.timestamp = -1
            partition.offset = -1
            partition.leader_epoch = -1
            partition.partition_index, partition.error_code, n = unpack_ihi(b, at)
            at += 10
            if n < 0 or n * 8 > size - at:
                raise fault_length("old_style_offsets", n)
            end = at + n * 8
            partition.old_style_offsets = [each for (each,) in iter_q(b[at:end])]
            at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"ListOffsetsResponse is {at - size} bytes short")
    return m, at


def _read_list_offsets_response_v1(b: bytes, at: int) -> tuple[ListOffsetsResponse, int]:
    size = len(b)
    m = new(ListOffsetsResponse)
    m.throttle_time_ms = 0
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[ListOffsetsTopicResponse] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopicResponse)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 22 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ListOffsetsPartitionResponse] = []
        topic.partitions = partitions
        end = at + n * 22
        for values in iter_ihqq(b[at:end]):
            partition = new(ListOffsetsPartitionResponse)
            partition.old_style_offsets = []
            partition.leader_epoch = -1
            partition.partition_index, partition.error_code, partition.timestamp, partition.offset = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"ListOffsetsResponse is {at - size} bytes short")
    return m, at


def _read_list_offsets_response_v2_3(b: bytes, at: int) -> tuple[ListOffsetsResponse, int]:
    size = len(b)
    m = new(ListOffsetsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[ListOffsetsTopicResponse] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopicResponse)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 22 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ListOffsetsPartitionResponse] = []
        topic.partitions = partitions
        end = at + n * 22
        for values in iter_ihqq(b[at:end]):
            partition = new(ListOffsetsPartitionResponse)
            partition.old_style_offsets = []
            partition.leader_epoch = -1
            partition.partition_index, partition.error_code, partition.timestamp, partition.offset = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"ListOffsetsResponse is {at - size} bytes short")
    return m, at


def _read_list_offsets_response_v4_5(b: bytes, at: int) -> tuple[ListOffsetsResponse, int]:
    size = len(b)
    m = new(ListOffsetsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[ListOffsetsTopicResponse] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopicResponse)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 26 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ListOffsetsPartitionResponse] = []
        topic.partitions = partitions
        end = at + n * 26
        for values in iter_ihqqi(b[at:end]):
            partition = new(ListOffsetsPartitionResponse)
            partition.old_style_offsets = []
            partition.partition_index, partition.error_code, partition.timestamp, partition.offset, partition.leader_epoch = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"ListOffsetsResponse is {at - size} bytes short")
    return m, at


def _read_list_offsets_response_v6_11(b: bytes, at: int) -> tuple[ListOffsetsResponse, int]:
    size = len(b)
    m = new(ListOffsetsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[ListOffsetsTopicResponse] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopicResponse)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 27 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ListOffsetsPartitionResponse] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(ListOffsetsPartitionResponse)
            partition.old_style_offsets = []
            partition.partition_index, partition.error_code, partition.timestamp, partition.offset, partition.leader_epoch, tags = unpack_ihqqiB(b, at)
            at += 27
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
        raise ProtocolError(f"ListOffsetsResponse is {at - size} bytes short")
    return m, at


def _write_list_offsets_response_v0(m: ListOffsetsResponse, out: bytearray) -> None:
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
            if partition.timestamp != -1:
                raise fault_absent("timestamp")
            if partition.offset != -1:
                raise fault_absent("offset")
            if partition.leader_epoch != -1:
                raise fault_absent("leader_epoch")
            old_style_offsets = partition.old_style_offsets
            out += pack_ihi(partition.partition_index, partition.error_code, len(old_style_offsets))
            out += b"".join(map(pack_q, old_style_offsets))


def _write_list_offsets_response_v1(m: ListOffsetsResponse, out: bytearray) -> None:
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
            if partition.old_style_offsets:
                raise fault_absent("old_style_offsets")
            if partition.leader_epoch != -1:
                raise fault_absent("leader_epoch")
            out += pack_ihqq(partition.partition_index, partition.error_code, partition.timestamp, partition.offset)


def _write_list_offsets_response_v2_3(m: ListOffsetsResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_ii(m.throttle_time_ms, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if partition.old_style_offsets:
                raise fault_absent("old_style_offsets")
            if partition.leader_epoch != -1:
                raise fault_absent("leader_epoch")
            out += pack_ihqq(partition.partition_index, partition.error_code, partition.timestamp, partition.offset)


def _write_list_offsets_response_v4_5(m: ListOffsetsResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_ii(m.throttle_time_ms, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if partition.old_style_offsets:
                raise fault_absent("old_style_offsets")
            out += pack_ihqqi(partition.partition_index, partition.error_code, partition.timestamp, partition.offset, partition.leader_epoch)


def _write_list_offsets_response_v6_11(m: ListOffsetsResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(m.throttle_time_ms)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            if partition.old_style_offsets:
                raise fault_absent("old_style_offsets")
            out += pack_ihqqix(partition.partition_index, partition.error_code, partition.timestamp, partition.offset, partition.leader_epoch)
        out.append(0)
    out.append(0)


ListOffsetsRequest.READERS = {
    0: _read_list_offsets_request_v0,
    1: _read_list_offsets_request_v1,
    2: _read_list_offsets_request_v2_3,
    3: _read_list_offsets_request_v2_3,
    4: _read_list_offsets_request_v4_5,
    5: _read_list_offsets_request_v4_5,
    6: _read_list_offsets_request_v6_9,
    7: _read_list_offsets_request_v6_9,
    8: _read_list_offsets_request_v6_9,
    9: _read_list_offsets_request_v6_9,
    10: _read_list_offsets_request_v10_11,
    11: _read_list_offsets_request_v10_11,
}
ListOffsetsRequest.WRITERS = {
    0: _write_list_offsets_request_v0,
    1: _write_list_offsets_request_v1,
    2: _write_list_offsets_request_v2_3,
    3: _write_list_offsets_request_v2_3,
    4: _write_list_offsets_request_v4_5,
    5: _write_list_offsets_request_v4_5,
    6: _write_list_offsets_request_v6_9,
    7: _write_list_offsets_request_v6_9,
    8: _write_list_offsets_request_v6_9,
    9: _write_list_offsets_request_v6_9,
    10: _write_list_offsets_request_v10_11,
    11: _write_list_offsets_request_v10_11,
}
ListOffsetsResponse.READERS = {
    0: _read_list_offsets_response_v0,
    1: _read_list_offsets_response_v1,
    2: _read_list_offsets_response_v2_3,
    3: _read_list_offsets_response_v2_3,
    4: _read_list_offsets_response_v4_5,
    5: _read_list_offsets_response_v4_5,
    6: _read_list_offsets_response_v6_11,
    7: _read_list_offsets_response_v6_11,
    8: _read_list_offsets_response_v6_11,
    9: _read_list_offsets_response_v6_11,
    10: _read_list_offsets_response_v6_11,
    11: _read_list_offsets_response_v6_11,
}
ListOffsetsResponse.WRITERS = {
    0: _write_list_offsets_response_v0,
    1: _write_list_offsets_response_v1,
    2: _write_list_offsets_response_v2_3,
    3: _write_list_offsets_response_v2_3,
    4: _write_list_offsets_response_v4_5,
    5: _write_list_offsets_response_v4_5,
    6: _write_list_offsets_response_v6_11,
    7: _write_list_offsets_response_v6_11,
    8: _write_list_offsets_response_v6_11,
    9: _write_list_offsets_response_v6_11,
    10: _write_list_offsets_response_v6_11,
    11: _write_list_offsets_response_v6_11,
}
