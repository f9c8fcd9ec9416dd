"""DescribeTopicPartitions: partitions of topics, a page at a time (KIP-966).

Generated from protocol_specs/75_describe_topic_partitions by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, ZERO_UUID, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_b = Struct(">b").pack
pack_h = Struct(">h").pack
pack_hiii = Struct(">hiii").pack
pack_i = Struct(">i").pack
pack_ix = Struct(">ix").pack
pack_ut = Struct(">16s?").pack
unpack_b = Struct(">b").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hiiiB = Struct(">hiiiB").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ib = Struct(">ib").unpack_from
unpack_utB = Struct(">16s?B").unpack_from


class TopicRequest(Data):
    __slots__ = FIELDS = ("name",)

    def __init__(
        self,
        name: str = "",
    ) -> None:
        self.name = name


class RequestCursor(Data):
    """where to go on; null: from the start"""

    __slots__ = FIELDS = ("topic_name", "partition_index")

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index


class DescribeTopicPartitionsRequest(Message):
    API_KEY = 75
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("topics", "response_partition_limit", "cursor")

    def __init__(
        self,
        topics: list[TopicRequest] = UNSET,
        response_partition_limit: int = 2000,
        cursor: RequestCursor | None = None,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.response_partition_limit = response_partition_limit
        self.cursor = cursor


class DescribeTopicPartitionsResponsePartition(Data):
    __slots__ = FIELDS = (
        "error_code",
        "partition_index",
        "leader_id",
        "leader_epoch",
        "replica_nodes",
        "isr_nodes",
        "eligible_leader_replicas",
        "last_known_elr",
        "offline_replicas",
    )

    def __init__(
        self,
        error_code: int = 0,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = -1,
        replica_nodes: list[int] = UNSET,
        isr_nodes: list[int] = UNSET,
        eligible_leader_replicas: list[int] | None = None,
        last_known_elr: list[int] | None = None,
        offline_replicas: list[int] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = [] if replica_nodes is UNSET else replica_nodes
        self.isr_nodes = [] if isr_nodes is UNSET else isr_nodes
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.offline_replicas = [] if offline_replicas is UNSET else offline_replicas


class DescribeTopicPartitionsResponseTopic(Data):
    __slots__ = FIELDS = ("error_code", "name", "topic_id", "is_internal", "partitions", "topic_authorized_operations")

    def __init__(
        self,
        error_code: int = 0,
        name: str | None = "",
        topic_id: bytes = ZERO_UUID,
        is_internal: bool = False,
        partitions: list[DescribeTopicPartitionsResponsePartition] = UNSET,
        topic_authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = [] if partitions is UNSET else partitions
        self.topic_authorized_operations = topic_authorized_operations


class ResponseCursor(Data):
    """null: that was all"""

    __slots__ = FIELDS = ("topic_name", "partition_index")

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index


class DescribeTopicPartitionsResponse(Message):
    API_KEY = 75
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "topics", "next_cursor")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[DescribeTopicPartitionsResponseTopic] = UNSET,
        next_cursor: ResponseCursor | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.next_cursor = next_cursor


def _read_describe_topic_partitions_request_v0(b: bytes, at: int) -> tuple[DescribeTopicPartitionsRequest, int]:
    size = len(b)
    m = new(DescribeTopicPartitionsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 2 > size - at:
        raise fault_length("topics", n)
    topics: list[TopicRequest] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TopicRequest)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    m.response_partition_limit, n = unpack_ib(b, at)
    at += 5
    if n < 0:
        m.cursor = None
    else:
        cursor = new(RequestCursor)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        cursor.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        cursor.partition_index, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        m.cursor = cursor
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeTopicPartitionsRequest is {at - size} bytes short")
    return m, at


def _write_describe_topic_partitions_request_v0(m: DescribeTopicPartitionsRequest, out: bytearray) -> None:
    topics = m.topics
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
        out.append(0)
    cursor = m.cursor
    out += pack_i(m.response_partition_limit)
    if cursor is None:
        out.append(255)
    else:
        topic_name = cursor.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_b(1)
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        out += pack_ix(cursor.partition_index)
    out.append(0)


def _read_describe_topic_partitions_response_v0(b: bytes, at: int) -> tuple[DescribeTopicPartitionsResponse, int]:
    size = len(b)
    m = new(DescribeTopicPartitionsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 26 > size - at:
        raise fault_length("topics", n)
    topics: list[DescribeTopicPartitionsResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(DescribeTopicPartitionsResponseTopic)
        topic.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            topic.name = None
        else:
            end = at + n - 1
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
        topic.topic_id, topic.is_internal, n = unpack_utB(b, at)
        at += 18
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 20 > size - at:
            raise fault_length("partitions", n)
        partitions: list[DescribeTopicPartitionsResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(DescribeTopicPartitionsResponsePartition)
            partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, n = unpack_hiiiB(b, at)
            at += 15
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0:
                partition.eligible_leader_replicas = None
            else:
                if n * 4 > size - at:
                    raise fault_length("eligible_leader_replicas", n)
                end = at + n * 4
                partition.eligible_leader_replicas = [each for (each,) in iter_i(b[at:end])]
                at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0:
                partition.last_known_elr = None
            else:
                if n * 4 > size - at:
                    raise fault_length("last_known_elr", n)
                end = at + n * 4
                partition.last_known_elr = [each for (each,) in iter_i(b[at:end])]
                at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("offline_replicas", n)
            end = at + n * 4
            partition.offline_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        topic.topic_authorized_operations, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    n = unpack_b(b, at)[0]
    at += 1
    if n < 0:
        m.next_cursor = None
    else:
        next_cursor = new(ResponseCursor)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        next_cursor.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        next_cursor.partition_index, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        m.next_cursor = next_cursor
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeTopicPartitionsResponse is {at - size} bytes short")
    return m, at


def _write_describe_topic_partitions_response_v0(m: DescribeTopicPartitionsResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(m.throttle_time_ms)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        name = topic.name
        name_bytes = b"" if name is None else name.encode()
        out += pack_h(topic.error_code)
        n = 0 if name is None else len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = topic.partitions
        out += pack_ut(topic.topic_id, topic.is_internal)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            out += pack_hiii(partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch)
            n = len(replica_nodes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, replica_nodes))
            isr_nodes = partition.isr_nodes
            n = len(isr_nodes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, isr_nodes))
            eligible_leader_replicas = partition.eligible_leader_replicas
            n = 0 if eligible_leader_replicas is None else len(eligible_leader_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            if eligible_leader_replicas is not None:
                out += b"".join(map(pack_i, eligible_leader_replicas))
            last_known_elr = partition.last_known_elr
            n = 0 if last_known_elr is None else len(last_known_elr) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            if last_known_elr is not None:
                out += b"".join(map(pack_i, last_known_elr))
            offline_replicas = partition.offline_replicas
            n = len(offline_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, offline_replicas))
            out.append(0)
        out += pack_ix(topic.topic_authorized_operations)
    next_cursor = m.next_cursor
    if next_cursor is None:
        out.append(255)
    else:
        topic_name = next_cursor.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_b(1)
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        out += pack_ix(next_cursor.partition_index)
    out.append(0)


DescribeTopicPartitionsRequest.READERS = {
    0: _read_describe_topic_partitions_request_v0,
}
DescribeTopicPartitionsRequest.WRITERS = {
    0: _write_describe_topic_partitions_request_v0,
}
DescribeTopicPartitionsResponse.READERS = {
    0: _read_describe_topic_partitions_response_v0,
}
DescribeTopicPartitionsResponse.WRITERS = {
    0: _write_describe_topic_partitions_response_v0,
}
