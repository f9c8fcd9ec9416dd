"""OffsetCommit: store how far a group has read.

v0  stored in ZooKeeper
v1  generation and member; commit_timestamp
v2  retention_time_ms in place of commit_timestamp
v3  throttle_time_ms (KIP-124)
v4  answers before it throttles (KIP-219)
v5  no more retention_time_ms (KIP-211)
v6  committed_leader_epoch (KIP-320)
v7  group_instance_id (KIP-345)
v8  flexible
v9  for KIP-848 groups, too: may answer GROUP_ID_NOT_FOUND and STALE_MEMBER_EPOCH
v10 topic_id in place of name

Generated from protocol_specs/08_offset_commit by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import (
    UNSET,
    ZERO_UUID,
    fault_absent,
    fault_length,
    long_uvarint,
    put_uvarint,
    skip_tags,
)

new = object.__new__
iter_ih = Struct(">ih").iter_unpack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihx = Struct(">ihx").pack
pack_ii = Struct(">ii").pack
pack_iqh = Struct(">iqh").pack
pack_iqi = Struct(">iqi").pack
pack_iqih = Struct(">iqih").pack
pack_iqqh = Struct(">iqqh").pack
pack_qi = Struct(">qi").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iqh = Struct(">iqh").unpack_from
unpack_iqiB = Struct(">iqiB").unpack_from
unpack_iqih = Struct(">iqih").unpack_from
unpack_iqqh = Struct(">iqqh").unpack_from
unpack_qi = Struct(">qi").unpack_from
unpack_uB = Struct(">16sB").unpack_from


class OffsetCommitRequestPartition(Data):
    __slots__ = FIELDS = (
        "partition_index",
        "committed_offset",
        "committed_leader_epoch",
        "commit_timestamp",
        "committed_metadata",
    )

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        commit_timestamp: int = -1,
        committed_metadata: str | None = "",
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.commit_timestamp = commit_timestamp
        self.committed_metadata = committed_metadata


class OffsetCommitRequestTopic(Data):
    __slots__ = FIELDS = ("name", "topic_id", "partitions")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[OffsetCommitRequestPartition] = UNSET,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class OffsetCommitRequest(Message):
    API_KEY = 8
    VERSIONS = range(0, 11)
    FLEXIBLE_FROM = 8
    __slots__ = FIELDS = (
        "group_id",
        "generation_id_or_member_epoch",
        "member_id",
        "group_instance_id",
        "retention_time_ms",
        "topics",
    )

    def __init__(
        self,
        group_id: str = "",
        generation_id_or_member_epoch: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        retention_time_ms: int = -1,
        topics: list[OffsetCommitRequestTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.generation_id_or_member_epoch = generation_id_or_member_epoch
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.retention_time_ms = retention_time_ms
        self.topics = [] if topics is UNSET else topics


class OffsetCommitResponsePartition(Data):
    __slots__ = FIELDS = ("partition_index", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class OffsetCommitResponseTopic(Data):
    __slots__ = FIELDS = ("name", "topic_id", "partitions")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[OffsetCommitResponsePartition] = UNSET,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class OffsetCommitResponse(Message):
    API_KEY = 8
    VERSIONS = range(0, 11)
    FLEXIBLE_FROM = 8
    __slots__ = FIELDS = ("throttle_time_ms", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[OffsetCommitResponseTopic] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics


def _read_offset_commit_request_v0(b: bytes, at: int) -> tuple[OffsetCommitRequest, int]:
    size = len(b)
    m = new(OffsetCommitRequest)
    m.generation_id_or_member_epoch = -1
    m.member_id = ""
    m.group_instance_id = None
    m.retention_time_ms = -1
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
    topics: list[OffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitRequestTopic)
        topic.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetCommitRequestPartition)
            partition.committed_leader_epoch = -1
            partition.commit_timestamp = -1
            partition.partition_index, partition.committed_offset, n = unpack_iqh(b, at)
            at += 14
            if n < 0:
                partition.committed_metadata = None
            else:
                end = at + n
                partition.committed_metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetCommitRequest is {at - size} bytes short")
    return m, at


def _read_offset_commit_request_v1(b: bytes, at: int) -> tuple[OffsetCommitRequest, int]:
    size = len(b)
    m = new(OffsetCommitRequest)
    m.group_instance_id = None
    m.retention_time_ms = -1
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation_id_or_member_epoch, n = unpack_ih(b, at)
    at += 6
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitRequestTopic)
        topic.topic_id = ZERO_UUID
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
        partitions: list[OffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetCommitRequestPartition)
            partition.committed_leader_epoch = -1
            partition.partition_index, partition.committed_offset, partition.commit_timestamp, n = unpack_iqqh(b, at)
            at += 22
            if n < 0:
                partition.committed_metadata = None
            else:
                end = at + n
                partition.committed_metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetCommitRequest is {at - size} bytes short")
    return m, at


def _read_offset_commit_request_v2_4(b: bytes, at: int) -> tuple[OffsetCommitRequest, int]:
    size = len(b)
    m = new(OffsetCommitRequest)
    m.group_instance_id = None
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation_id_or_member_epoch, n = unpack_ih(b, at)
    at += 6
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.retention_time_ms, n = unpack_qi(b, at)
    at += 12
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitRequestTopic)
        topic.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetCommitRequestPartition)
            partition.committed_leader_epoch = -1
            partition.commit_timestamp = -1
            partition.partition_index, partition.committed_offset, n = unpack_iqh(b, at)
            at += 14
            if n < 0:
                partition.committed_metadata = None
            else:
                end = at + n
                partition.committed_metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetCommitRequest is {at - size} bytes short")
    return m, at


def _read_offset_commit_request_v5(b: bytes, at: int) -> tuple[OffsetCommitRequest, int]:
    size = len(b)
    m = new(OffsetCommitRequest)
    m.group_instance_id = None
    m.retention_time_ms = -1
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation_id_or_member_epoch, n = unpack_ih(b, at)
    at += 6
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitRequestTopic)
        topic.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetCommitRequestPartition)
            partition.committed_leader_epoch = -1
            partition.commit_timestamp = -1
            partition.partition_index, partition.committed_offset, n = unpack_iqh(b, at)
            at += 14
            if n < 0:
                partition.committed_metadata = None
            else:
                end = at + n
                partition.committed_metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetCommitRequest is {at - size} bytes short")
    return m, at


def _read_offset_commit_request_v6(b: bytes, at: int) -> tuple[OffsetCommitRequest, int]:
    size = len(b)
    m = new(OffsetCommitRequest)
    m.group_instance_id = None
    m.retention_time_ms = -1
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation_id_or_member_epoch, n = unpack_ih(b, at)
    at += 6
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitRequestTopic)
        topic.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetCommitRequestPartition)
            partition.commit_timestamp = -1
            partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = unpack_iqih(b, at)
            at += 18
            if n < 0:
                partition.committed_metadata = None
            else:
                end = at + n
                partition.committed_metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetCommitRequest is {at - size} bytes short")
    return m, at


def _read_offset_commit_request_v7(b: bytes, at: int) -> tuple[OffsetCommitRequest, int]:
    size = len(b)
    m = new(OffsetCommitRequest)
    m.retention_time_ms = -1
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation_id_or_member_epoch, n = unpack_ih(b, at)
    at += 6
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.group_instance_id = None
    else:
        end = at + n
        m.group_instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitRequestTopic)
        topic.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetCommitRequestPartition)
            partition.commit_timestamp = -1
            partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = unpack_iqih(b, at)
            at += 18
            if n < 0:
                partition.committed_metadata = None
            else:
                end = at + n
                partition.committed_metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetCommitRequest is {at - size} bytes short")
    return m, at


def _read_offset_commit_request_v8_9(b: bytes, at: int) -> tuple[OffsetCommitRequest, int]:
    size = len(b)
    m = new(OffsetCommitRequest)
    m.retention_time_ms = -1
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation_id_or_member_epoch, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("member_id is null")
    end = at + n - 1
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.group_instance_id = None
    else:
        end = at + n - 1
        m.group_instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitRequestTopic)
        topic.topic_id = ZERO_UUID
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
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetCommitRequestPartition)
            partition.commit_timestamp = -1
            partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = unpack_iqiB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition.committed_metadata = None
            else:
                end = at + n - 1
                partition.committed_metadata = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
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
        raise ProtocolError(f"OffsetCommitRequest is {at - size} bytes short")
    return m, at


def _read_offset_commit_request_v10(b: bytes, at: int) -> tuple[OffsetCommitRequest, int]:
    size = len(b)
    m = new(OffsetCommitRequest)
    m.retention_time_ms = -1
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation_id_or_member_epoch, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("member_id is null")
    end = at + n - 1
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.group_instance_id = None
    else:
        end = at + n - 1
        m.group_instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitRequestTopic)
        topic.name = ""
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetCommitRequestPartition)
            partition.commit_timestamp = -1
            partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = unpack_iqiB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition.committed_metadata = None
            else:
                end = at + n - 1
                partition.committed_metadata = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
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
        raise ProtocolError(f"OffsetCommitRequest is {at - size} bytes short")
    return m, at


def _write_offset_commit_request_v0(m: OffsetCommitRequest, out: bytearray) -> None:
    if m.group_instance_id is not None:
        raise fault_absent("group_instance_id")
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
            if partition.commit_timestamp != -1:
                raise fault_absent("commit_timestamp")
            committed_metadata = partition.committed_metadata
            committed_metadata_bytes = b"" if committed_metadata is None else committed_metadata.encode()
            out += pack_iqh(partition.partition_index, partition.committed_offset, -1 if committed_metadata is None else len(committed_metadata_bytes))
            out += committed_metadata_bytes


def _write_offset_commit_request_v1(m: OffsetCommitRequest, out: bytearray) -> None:
    if m.group_instance_id is not None:
        raise fault_absent("group_instance_id")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_ih(m.generation_id_or_member_epoch, len(member_id_bytes))
    out += member_id_bytes
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
            committed_metadata = partition.committed_metadata
            committed_metadata_bytes = b"" if committed_metadata is None else committed_metadata.encode()
            out += pack_iqqh(partition.partition_index, partition.committed_offset, partition.commit_timestamp, -1 if committed_metadata is None else len(committed_metadata_bytes))
            out += committed_metadata_bytes


def _write_offset_commit_request_v2_4(m: OffsetCommitRequest, out: bytearray) -> None:
    if m.group_instance_id is not None:
        raise fault_absent("group_instance_id")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_ih(m.generation_id_or_member_epoch, len(member_id_bytes))
    out += member_id_bytes
    topics = m.topics
    out += pack_qi(m.retention_time_ms, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if partition.commit_timestamp != -1:
                raise fault_absent("commit_timestamp")
            committed_metadata = partition.committed_metadata
            committed_metadata_bytes = b"" if committed_metadata is None else committed_metadata.encode()
            out += pack_iqh(partition.partition_index, partition.committed_offset, -1 if committed_metadata is None else len(committed_metadata_bytes))
            out += committed_metadata_bytes


def _write_offset_commit_request_v5(m: OffsetCommitRequest, out: bytearray) -> None:
    if m.group_instance_id is not None:
        raise fault_absent("group_instance_id")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_ih(m.generation_id_or_member_epoch, len(member_id_bytes))
    out += member_id_bytes
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
            if partition.commit_timestamp != -1:
                raise fault_absent("commit_timestamp")
            committed_metadata = partition.committed_metadata
            committed_metadata_bytes = b"" if committed_metadata is None else committed_metadata.encode()
            out += pack_iqh(partition.partition_index, partition.committed_offset, -1 if committed_metadata is None else len(committed_metadata_bytes))
            out += committed_metadata_bytes


def _write_offset_commit_request_v6(m: OffsetCommitRequest, out: bytearray) -> None:
    if m.group_instance_id is not None:
        raise fault_absent("group_instance_id")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_ih(m.generation_id_or_member_epoch, len(member_id_bytes))
    out += member_id_bytes
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
            if partition.commit_timestamp != -1:
                raise fault_absent("commit_timestamp")
            committed_metadata = partition.committed_metadata
            committed_metadata_bytes = b"" if committed_metadata is None else committed_metadata.encode()
            out += pack_iqih(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, -1 if committed_metadata is None else len(committed_metadata_bytes))
            out += committed_metadata_bytes


def _write_offset_commit_request_v7(m: OffsetCommitRequest, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_ih(m.generation_id_or_member_epoch, len(member_id_bytes))
    out += member_id_bytes
    group_instance_id = m.group_instance_id
    group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
    out += pack_h(-1 if group_instance_id is None else len(group_instance_id_bytes))
    out += group_instance_id_bytes
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
            if partition.commit_timestamp != -1:
                raise fault_absent("commit_timestamp")
            committed_metadata = partition.committed_metadata
            committed_metadata_bytes = b"" if committed_metadata is None else committed_metadata.encode()
            out += pack_iqih(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, -1 if committed_metadata is None else len(committed_metadata_bytes))
            out += committed_metadata_bytes


def _write_offset_commit_request_v8_9(m: OffsetCommitRequest, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    n = len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_i(m.generation_id_or_member_epoch)
    n = len(member_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    group_instance_id = m.group_instance_id
    group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
    n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_instance_id_bytes
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
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            if partition.commit_timestamp != -1:
                raise fault_absent("commit_timestamp")
            committed_metadata = partition.committed_metadata
            committed_metadata_bytes = b"" if committed_metadata is None else committed_metadata.encode()
            out += pack_iqi(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch)
            n = 0 if committed_metadata is None else len(committed_metadata_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += committed_metadata_bytes
            out.append(0)
        out.append(0)
    out.append(0)


def _write_offset_commit_request_v10(m: OffsetCommitRequest, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    n = len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_i(m.generation_id_or_member_epoch)
    n = len(member_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    group_instance_id = m.group_instance_id
    group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
    n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_instance_id_bytes
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        partitions = topic.partitions
        out += pack_u(topic.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            if partition.commit_timestamp != -1:
                raise fault_absent("commit_timestamp")
            committed_metadata = partition.committed_metadata
            committed_metadata_bytes = b"" if committed_metadata is None else committed_metadata.encode()
            out += pack_iqi(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch)
            n = 0 if committed_metadata is None else len(committed_metadata_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += committed_metadata_bytes
            out.append(0)
        out.append(0)
    out.append(0)


def _read_offset_commit_response_v0_2(b: bytes, at: int) -> tuple[OffsetCommitResponse, int]:
    size = len(b)
    m = new(OffsetCommitResponse)
    m.throttle_time_ms = 0
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetCommitResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitResponseTopic)
        topic.topic_id = ZERO_UUID
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
        partitions: list[OffsetCommitResponsePartition] = []
        topic.partitions = partitions
        end = at + n * 6
        for values in iter_ih(b[at:end]):
            partition = new(OffsetCommitResponsePartition)
            partition.partition_index, partition.error_code = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetCommitResponse is {at - size} bytes short")
    return m, at


def _read_offset_commit_response_v3_7(b: bytes, at: int) -> tuple[OffsetCommitResponse, int]:
    size = len(b)
    m = new(OffsetCommitResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetCommitResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitResponseTopic)
        topic.topic_id = ZERO_UUID
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
        partitions: list[OffsetCommitResponsePartition] = []
        topic.partitions = partitions
        end = at + n * 6
        for values in iter_ih(b[at:end]):
            partition = new(OffsetCommitResponsePartition)
            partition.partition_index, partition.error_code = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetCommitResponse is {at - size} bytes short")
    return m, at


def _read_offset_commit_response_v8_9(b: bytes, at: int) -> tuple[OffsetCommitResponse, int]:
    size = len(b)
    m = new(OffsetCommitResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetCommitResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitResponseTopic)
        topic.topic_id = ZERO_UUID
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
        if n < 0 or n * 7 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetCommitResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetCommitResponsePartition)
            partition.partition_index, partition.error_code, tags = unpack_ihB(b, at)
            at += 7
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
        raise ProtocolError(f"OffsetCommitResponse is {at - size} bytes short")
    return m, at


def _read_offset_commit_response_v10(b: bytes, at: int) -> tuple[OffsetCommitResponse, int]:
    size = len(b)
    m = new(OffsetCommitResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetCommitResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitResponseTopic)
        topic.name = ""
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 7 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetCommitResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetCommitResponsePartition)
            partition.partition_index, partition.error_code, tags = unpack_ihB(b, at)
            at += 7
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
        raise ProtocolError(f"OffsetCommitResponse is {at - size} bytes short")
    return m, at


def _write_offset_commit_response_v0_2(m: OffsetCommitResponse, out: bytearray) -> None:
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
            out += pack_ih(partition.partition_index, partition.error_code)


def _write_offset_commit_response_v3_7(m: OffsetCommitResponse, out: bytearray) -> None:
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
            out += pack_ih(partition.partition_index, partition.error_code)


def _write_offset_commit_response_v8_9(m: OffsetCommitResponse, out: bytearray) -> None:
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
            out += pack_ihx(partition.partition_index, partition.error_code)
        out.append(0)
    out.append(0)


def _write_offset_commit_response_v10(m: OffsetCommitResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(m.throttle_time_ms)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        partitions = topic.partitions
        out += pack_u(topic.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += pack_ihx(partition.partition_index, partition.error_code)
        out.append(0)
    out.append(0)


OffsetCommitRequest.READERS = {
    0: _read_offset_commit_request_v0,
    1: _read_offset_commit_request_v1,
    2: _read_offset_commit_request_v2_4,
    3: _read_offset_commit_request_v2_4,
    4: _read_offset_commit_request_v2_4,
    5: _read_offset_commit_request_v5,
    6: _read_offset_commit_request_v6,
    7: _read_offset_commit_request_v7,
    8: _read_offset_commit_request_v8_9,
    9: _read_offset_commit_request_v8_9,
    10: _read_offset_commit_request_v10,
}
OffsetCommitRequest.WRITERS = {
    0: _write_offset_commit_request_v0,
    1: _write_offset_commit_request_v1,
    2: _write_offset_commit_request_v2_4,
    3: _write_offset_commit_request_v2_4,
    4: _write_offset_commit_request_v2_4,
    5: _write_offset_commit_request_v5,
    6: _write_offset_commit_request_v6,
    7: _write_offset_commit_request_v7,
    8: _write_offset_commit_request_v8_9,
    9: _write_offset_commit_request_v8_9,
    10: _write_offset_commit_request_v10,
}
OffsetCommitResponse.READERS = {
    0: _read_offset_commit_response_v0_2,
    1: _read_offset_commit_response_v0_2,
    2: _read_offset_commit_response_v0_2,
    3: _read_offset_commit_response_v3_7,
    4: _read_offset_commit_response_v3_7,
    5: _read_offset_commit_response_v3_7,
    6: _read_offset_commit_response_v3_7,
    7: _read_offset_commit_response_v3_7,
    8: _read_offset_commit_response_v8_9,
    9: _read_offset_commit_response_v8_9,
    10: _read_offset_commit_response_v10,
}
OffsetCommitResponse.WRITERS = {
    0: _write_offset_commit_response_v0_2,
    1: _write_offset_commit_response_v0_2,
    2: _write_offset_commit_response_v0_2,
    3: _write_offset_commit_response_v3_7,
    4: _write_offset_commit_response_v3_7,
    5: _write_offset_commit_response_v3_7,
    6: _write_offset_commit_response_v3_7,
    7: _write_offset_commit_response_v3_7,
    8: _write_offset_commit_response_v8_9,
    9: _write_offset_commit_response_v8_9,
    10: _write_offset_commit_response_v10,
}
