"""DescribeTopicPartitions: the partitions of topics, page by page (KIP-966).

Generated from protocol_specs/75_describe_topic_partitions by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    ZERO_UUID,
    array_packer,
    count_error,
    new,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_i = Struct(">i").iter_unpack
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hiii = Struct(">hiii").pack
_pack_hiiiB = Struct(">hiiiB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ix = Struct(">ix").pack
_pack_list_i = array_packer("i")
_pack_ut = Struct(">16s?").pack
_pack_utB = Struct(">16s?B").pack
_unpack_b = Struct(">b").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hiiiB = Struct(">hiiiB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ib = Struct(">ib").unpack_from
_unpack_utB = Struct(">16s?B").unpack_from


class TopicRequest(Data):
    """An element of `DescribeTopicPartitionsRequest.topics`."""

    name: str = ""


class RequestCursor(Data):
    """The value of `DescribeTopicPartitionsRequest.cursor`."""

    topic_name: str = ""
    partition_index: int = 0


class DescribeTopicPartitionsRequest(ReadableMessage, WritableMessage):
    API_KEY = 75
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    topics: list[TopicRequest] = []
    response_partition_limit: int = 2000
    cursor: RequestCursor | None = None
    """The first partition to return; null: the first one of all."""


class DescribeTopicPartitionsResponsePartition(Data):
    """An element of `DescribeTopicPartitionsResponseTopic.partitions`."""

    error_code: int = 0
    partition_index: int = 0
    leader_id: int = 0
    leader_epoch: int = -1
    """Leader epoch, incremented with each leader election; -1 unknown."""
    replica_nodes: list[int] = []
    isr_nodes: list[int] = []
    eligible_leader_replicas: list[int] | None = None
    """Eligible leader replicas: not in sync, but safe to elect (KIP-966)."""
    last_known_elr: list[int] | None = None
    """Last known eligible leader replicas (KIP-966)."""
    offline_replicas: list[int] = []
    """Replicas whose broker or log directory is offline."""


class DescribeTopicPartitionsResponseTopic(Data):
    """An element of `DescribeTopicPartitionsResponse.topics`."""

    error_code: int = 0
    name: str | None = ""
    topic_id: bytes = ZERO_UUID
    is_internal: bool = False
    partitions: list[DescribeTopicPartitionsResponsePartition] = []
    topic_authorized_operations: int = -2147483648
    """Bit field of AclOperation; -2147483648 if not requested."""


class ResponseCursor(Data):
    """The value of `DescribeTopicPartitionsResponse.next_cursor`."""

    topic_name: str = ""
    partition_index: int = 0


class DescribeTopicPartitionsResponse(ReadableMessage, WritableMessage):
    API_KEY = 75
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    topics: list[DescribeTopicPartitionsResponseTopic] = []
    next_cursor: ResponseCursor | None = None
    """The first partition that is left for the next request; null: none."""


def _read_describe_topic_partitions_request_v0(b: bytes, at: int, version: int) -> tuple[DescribeTopicPartitionsRequest, int]:
    size = len(b)
    m = new(DescribeTopicPartitionsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 2 > size - at:
        raise count_error("topics", n)
    topics: list[TopicRequest] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TopicRequest)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topics.append(topic)
    m.response_partition_limit, n = _unpack_ib(b, at)
    at += 5
    if n < 0:
        m.cursor = None
    else:
        cursor = new(RequestCursor)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        cursor.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        cursor.partition_index, tags = _unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tagged_fields(b, at, tags)
        m.cursor = cursor
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeTopicPartitionsRequest is {at - size} bytes short")
    return m, at


DescribeTopicPartitionsRequest.READERS = dict.fromkeys(range(0, 1), _read_describe_topic_partitions_request_v0)


def _write_describe_topic_partitions_request_v0(m: DescribeTopicPartitionsRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        out.append(0)
    cursor = m.cursor
    out += _pack_i(m.response_partition_limit)
    if cursor is None:
        out.append(255)
    else:
        topic_name = cursor.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            out += _pack_b(1)
            write_uvarint(out, n)
        else:
            out += _pack_bB(1, n)
        out += topic_name_bytes
        out += _pack_ix(cursor.partition_index)
    out.append(0)


DescribeTopicPartitionsRequest.WRITERS = dict.fromkeys(range(0, 1), _write_describe_topic_partitions_request_v0)


def _read_describe_topic_partitions_response_v0(b: bytes, at: int, version: int) -> tuple[DescribeTopicPartitionsResponse, int]:
    size = len(b)
    m = new(DescribeTopicPartitionsResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 26 > size - at:
        raise count_error("topics", n)
    topics: list[DescribeTopicPartitionsResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(DescribeTopicPartitionsResponseTopic)
        topic.error_code, n = _unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            topic.name = None
        else:
            end = at + n - 1
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
        topic.topic_id, topic.is_internal, n = _unpack_utB(b, at)
        at += 18
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 20 > size - at:
            raise count_error("partitions", n)
        partitions: list[DescribeTopicPartitionsResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(DescribeTopicPartitionsResponsePartition)
            partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, n = _unpack_hiiiB(b, at)
            at += 15
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in _iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in _iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0:
                partition.eligible_leader_replicas = None
            else:
                if n * 4 > size - at:
                    raise count_error("eligible_leader_replicas", n)
                end = at + n * 4
                partition.eligible_leader_replicas = [each for (each,) in _iter_i(b[at:end])]
                at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0:
                partition.last_known_elr = None
            else:
                if n * 4 > size - at:
                    raise count_error("last_known_elr", n)
                end = at + n * 4
                partition.last_known_elr = [each for (each,) in _iter_i(b[at:end])]
                at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("offline_replicas", n)
            end = at + n * 4
            partition.offline_replicas = [each for (each,) in _iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partitions.append(partition)
        topic.topic_authorized_operations, tags = _unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topics.append(topic)
    n = _unpack_b(b, at)[0]
    at += 1
    if n < 0:
        m.next_cursor = None
    else:
        next_cursor = new(ResponseCursor)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        next_cursor.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        next_cursor.partition_index, tags = _unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tagged_fields(b, at, tags)
        m.next_cursor = next_cursor
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeTopicPartitionsResponse is {at - size} bytes short")
    return m, at


DescribeTopicPartitionsResponse.READERS = dict.fromkeys(range(0, 1), _read_describe_topic_partitions_response_v0)


def _write_describe_topic_partitions_response_v0(m: DescribeTopicPartitionsResponse, out: bytearray, version: int) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for topic in topics:
        name = topic.name
        name_bytes = b"" if name is None else name.encode()
        n = 0 if name is None else len(name_bytes) + 1
        if n > 127:
            out += _pack_h(topic.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_hB(topic.error_code, n)
        out += name_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            out += _pack_ut(topic.topic_id, topic.is_internal)
            write_uvarint(out, n)
        else:
            out += _pack_utB(topic.topic_id, topic.is_internal, n)
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            n = len(replica_nodes) + 1
            if n > 127:
                out += _pack_hiii(partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch)
                write_uvarint(out, n)
            else:
                out += _pack_hiiiB(partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, n)
            out += _pack_list_i(replica_nodes)
            isr_nodes = partition.isr_nodes
            n = len(isr_nodes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(isr_nodes)
            eligible_leader_replicas = partition.eligible_leader_replicas
            n = 0 if eligible_leader_replicas is None else len(eligible_leader_replicas) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            if eligible_leader_replicas is not None:
                out += _pack_list_i(eligible_leader_replicas)
            last_known_elr = partition.last_known_elr
            n = 0 if last_known_elr is None else len(last_known_elr) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            if last_known_elr is not None:
                out += _pack_list_i(last_known_elr)
            offline_replicas = partition.offline_replicas
            n = len(offline_replicas) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(offline_replicas)
            out.append(0)
        out += _pack_ix(topic.topic_authorized_operations)
    next_cursor = m.next_cursor
    if next_cursor is None:
        out.append(255)
    else:
        topic_name = next_cursor.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            out += _pack_b(1)
            write_uvarint(out, n)
        else:
            out += _pack_bB(1, n)
        out += topic_name_bytes
        out += _pack_ix(next_cursor.partition_index)
    out.append(0)


DescribeTopicPartitionsResponse.WRITERS = dict.fromkeys(range(0, 1), _write_describe_topic_partitions_response_v0)
