"""OffsetCommit: commit the offsets of a group.

v0  stored in ZooKeeper
v1  generation and member; commit_timestamp
v2  retention_time_ms in place of commit_timestamp
v3  throttle_time_ms (KIP-124)
v4  responds before it throttles (KIP-219)
v5  no more retention_time_ms (KIP-211)
v6  committed_leader_epoch (KIP-320)
v7  group_instance_id (KIP-345)
v8  flexible
v9  for consumer groups, too: may return GROUP_ID_NOT_FOUND and STALE_MEMBER_EPOCH
v10 topic_id in place of name

Generated from protocol_specs/08_offset_commit by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    ZERO_UUID,
    absent_field_error,
    count_error,
    new,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_ih = Struct(">ih").iter_unpack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_pack_ii = Struct(">ii").pack
_pack_iqh = Struct(">iqh").pack
_pack_iqi = Struct(">iqi").pack
_pack_iqiB = Struct(">iqiB").pack
_pack_iqih = Struct(">iqih").pack
_pack_iqqh = Struct(">iqqh").pack
_pack_q = Struct(">q").pack
_pack_u = Struct(">16s").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iqh = Struct(">iqh").unpack_from
_unpack_iqiB = Struct(">iqiB").unpack_from
_unpack_iqih = Struct(">iqih").unpack_from
_unpack_iqqh = Struct(">iqqh").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class OffsetCommitRequestPartition(Data):
    """An element of `OffsetCommitRequestTopic.partitions`."""

    partition_index: int = 0
    committed_offset: int = 0
    committed_leader_epoch: int = -1  # v6+
    """Leader epoch of the last consumed record; -1 unknown."""
    commit_timestamp: int = -1  # v1
    committed_metadata: str | None = ""
    """Metadata that the client stores with the offset."""


class OffsetCommitRequestTopic(Data):
    """An element of `OffsetCommitRequest.topics`."""

    name: str = ""  # v0-9
    topic_id: bytes = ZERO_UUID  # v10+
    partitions: list[OffsetCommitRequestPartition] = []


class OffsetCommitRequest(ReadableMessage, WritableMessage):
    API_KEY = 8
    VERSIONS = range(0, 11)
    FLEXIBLE_FROM = 8

    group_id: str = ""
    generation_id_or_member_epoch: int = -1  # v1+
    """Generation, or member epoch (KIP-848); -1 for consumers that are not members."""
    member_id: str = ""  # v1+
    group_instance_id: str | None = None  # v7+
    """group.instance.id of a static member (KIP-345); null for dynamic members."""
    retention_time_ms: int = -1  # v2-4
    """-1: the broker's default."""
    topics: list[OffsetCommitRequestTopic] = []


class OffsetCommitResponsePartition(Data):
    """An element of `OffsetCommitResponseTopic.partitions`."""

    partition_index: int = 0
    error_code: int = 0


class OffsetCommitResponseTopic(Data):
    """An element of `OffsetCommitResponse.topics`."""

    name: str = ""  # v0-9
    topic_id: bytes = ZERO_UUID  # v10+
    partitions: list[OffsetCommitResponsePartition] = []


class OffsetCommitResponse(ReadableMessage, WritableMessage):
    API_KEY = 8
    VERSIONS = range(0, 11)
    FLEXIBLE_FROM = 8

    throttle_time_ms: int = 0  # v3+
    """Throttle time because of a quota; 0 for none."""
    topics: list[OffsetCommitResponseTopic] = []


def _read_offset_commit_request_v0_7(b: bytes, at: int, version: int) -> tuple[OffsetCommitRequest, int]:
    size = len(b)
    m = new(OffsetCommitRequest)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    if version >= 1:
        m.generation_id_or_member_epoch, n = _unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        m.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        if version >= 7:
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                m.group_instance_id = None
            else:
                end = at + n
                m.group_instance_id = b[at:end].decode("utf-8", "replace")
                at = end
            m.retention_time_ms = -1
        elif version >= 5:
            m.group_instance_id = None
            m.retention_time_ms = -1
        elif version >= 2:
            m.group_instance_id = None
            m.retention_time_ms = _unpack_q(b, at)[0]
            at += 8
        else:
            m.group_instance_id = None
            m.retention_time_ms = -1
        n = _unpack_i(b, at)[0]
        at += 4
    else:
        m.member_id = ""
        m.group_instance_id = None
        m.generation_id_or_member_epoch = -1
        m.retention_time_ms = -1
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 6 > size - at:
        raise count_error("topics", n)
    topics: list[OffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitRequestTopic)
        topic.topic_id = ZERO_UUID
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise count_error("partitions", n)
        partitions: list[OffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetCommitRequestPartition)
            if version >= 6:
                partition.commit_timestamp = -1
                partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = _unpack_iqih(b, at)
                at += 18
            elif version >= 2:
                partition.committed_leader_epoch = -1
                partition.commit_timestamp = -1
                partition.partition_index, partition.committed_offset, n = _unpack_iqh(b, at)
                at += 14
            elif version >= 1:
                partition.committed_leader_epoch = -1
                partition.partition_index, partition.committed_offset, partition.commit_timestamp, n = _unpack_iqqh(b, at)
                at += 22
            else:
                partition.committed_leader_epoch = -1
                partition.commit_timestamp = -1
                partition.partition_index, partition.committed_offset, n = _unpack_iqh(b, at)
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


def _read_offset_commit_request_v8_10(b: bytes, at: int, version: int) -> tuple[OffsetCommitRequest, int]:
    size = len(b)
    m = new(OffsetCommitRequest)
    m.retention_time_ms = -1
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation_id_or_member_epoch, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("member_id is null")
    end = at + n - 1
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.group_instance_id = None
    else:
        end = at + n - 1
        m.group_instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[OffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitRequestTopic)
        if version >= 10:
            topic.name = ""
            topic.topic_id, n = _unpack_uB(b, at)
            at += 17
        else:
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            topic.topic_id = ZERO_UUID
            n = b[at]
            at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 18 > size - at:
            raise count_error("partitions", n)
        partitions: list[OffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetCommitRequestPartition)
            partition.commit_timestamp = -1
            partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = _unpack_iqiB(b, at)
            at += 17
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                partition.committed_metadata = None
            else:
                end = at + n - 1
                partition.committed_metadata = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
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
        raise ProtocolError(f"OffsetCommitRequest is {at - size} bytes short")
    return m, at


OffsetCommitRequest.READERS = dict.fromkeys(range(0, 8), _read_offset_commit_request_v0_7) | dict.fromkeys(range(8, 11), _read_offset_commit_request_v8_10)


def _write_offset_commit_request_v0_7(m: OffsetCommitRequest, out: bytearray, version: int) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += _pack_h(len(group_id_bytes))
    out += group_id_bytes
    topics = m.topics
    if version >= 1:
        member_id = m.member_id
        member_id_bytes = member_id.encode()
        out += _pack_ih(m.generation_id_or_member_epoch, len(member_id_bytes))
        out += member_id_bytes
        if version >= 7:
            group_instance_id = m.group_instance_id
            group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
            out += _pack_h(-1 if group_instance_id is None else len(group_instance_id_bytes))
            out += group_instance_id_bytes
        elif version >= 5:
            if m.group_instance_id is not None:
                raise absent_field_error("group_instance_id")
        elif version >= 2:
            if m.group_instance_id is not None:
                raise absent_field_error("group_instance_id")
            out += _pack_q(m.retention_time_ms)
        else:
            if m.group_instance_id is not None:
                raise absent_field_error("group_instance_id")
        out += _pack_i(len(topics))
    else:
        if m.group_instance_id is not None:
            raise absent_field_error("group_instance_id")
        out += _pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += _pack_i(len(partitions))
        for partition in partitions:
            committed_metadata = partition.committed_metadata
            committed_metadata_bytes = b"" if committed_metadata is None else committed_metadata.encode()
            if version >= 6:
                if partition.commit_timestamp != -1:
                    raise absent_field_error("commit_timestamp")
                out += _pack_iqih(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, -1 if committed_metadata is None else len(committed_metadata_bytes))
            elif version >= 2:
                if partition.commit_timestamp != -1:
                    raise absent_field_error("commit_timestamp")
                out += _pack_iqh(partition.partition_index, partition.committed_offset, -1 if committed_metadata is None else len(committed_metadata_bytes))
            elif version >= 1:
                out += _pack_iqqh(partition.partition_index, partition.committed_offset, partition.commit_timestamp, -1 if committed_metadata is None else len(committed_metadata_bytes))
            else:
                if partition.commit_timestamp != -1:
                    raise absent_field_error("commit_timestamp")
                out += _pack_iqh(partition.partition_index, partition.committed_offset, -1 if committed_metadata is None else len(committed_metadata_bytes))
            out += committed_metadata_bytes


def _write_offset_commit_request_v8_10(m: OffsetCommitRequest, out: bytearray, version: int) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    n = len(group_id_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    n = len(member_id_bytes) + 1
    if n > 127:
        out += _pack_i(m.generation_id_or_member_epoch)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.generation_id_or_member_epoch, n)
    out += member_id_bytes
    group_instance_id = m.group_instance_id
    group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
    n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += group_instance_id_bytes
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        if version >= 10:
            out += _pack_u(topic.topic_id)
        else:
            name = topic.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            if partition.commit_timestamp != -1:
                raise absent_field_error("commit_timestamp")
            committed_metadata = partition.committed_metadata
            committed_metadata_bytes = b"" if committed_metadata is None else committed_metadata.encode()
            n = 0 if committed_metadata is None else len(committed_metadata_bytes) + 1
            if n > 127:
                out += _pack_iqi(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch)
                write_uvarint(out, n)
            else:
                out += _pack_iqiB(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n)
            out += committed_metadata_bytes
            out.append(0)
        out.append(0)
    out.append(0)


OffsetCommitRequest.WRITERS = dict.fromkeys(range(0, 8), _write_offset_commit_request_v0_7) | dict.fromkeys(range(8, 11), _write_offset_commit_request_v8_10)


def _read_offset_commit_response_v0_7(b: bytes, at: int, version: int) -> tuple[OffsetCommitResponse, int]:
    size = len(b)
    m = new(OffsetCommitResponse)
    if version >= 3:
        m.throttle_time_ms, n = _unpack_ii(b, at)
        at += 8
    else:
        m.throttle_time_ms = 0
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 6 > size - at:
        raise count_error("topics", n)
    topics: list[OffsetCommitResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitResponseTopic)
        topic.topic_id = ZERO_UUID
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
        partitions: list[OffsetCommitResponsePartition] = []
        topic.partitions = partitions
        end = at + n * 6
        for values in _iter_ih(b[at:end]):
            partition = new(OffsetCommitResponsePartition)
            partition.partition_index, partition.error_code = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetCommitResponse is {at - size} bytes short")
    return m, at


def _read_offset_commit_response_v8_10(b: bytes, at: int, version: int) -> tuple[OffsetCommitResponse, int]:
    size = len(b)
    m = new(OffsetCommitResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[OffsetCommitResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetCommitResponseTopic)
        if version >= 10:
            topic.name = ""
            topic.topic_id, n = _unpack_uB(b, at)
            at += 17
        else:
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            topic.topic_id = ZERO_UUID
            n = b[at]
            at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 7 > size - at:
            raise count_error("partitions", n)
        partitions: list[OffsetCommitResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetCommitResponsePartition)
            partition.partition_index, partition.error_code, tags = _unpack_ihB(b, at)
            at += 7
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
        raise ProtocolError(f"OffsetCommitResponse is {at - size} bytes short")
    return m, at


OffsetCommitResponse.READERS = dict.fromkeys(range(0, 8), _read_offset_commit_response_v0_7) | dict.fromkeys(range(8, 11), _read_offset_commit_response_v8_10)


def _write_offset_commit_response_v0_7(m: OffsetCommitResponse, out: bytearray, version: int) -> None:
    topics = m.topics
    if version >= 3:
        out += _pack_ii(m.throttle_time_ms, len(topics))
    else:
        out += _pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += _pack_i(len(partitions))
        for partition in partitions:
            out += _pack_ih(partition.partition_index, partition.error_code)


def _write_offset_commit_response_v8_10(m: OffsetCommitResponse, out: bytearray, version: int) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for topic in topics:
        if version >= 10:
            out += _pack_u(topic.topic_id)
        else:
            name = topic.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += _pack_ihx(partition.partition_index, partition.error_code)
        out.append(0)
    out.append(0)


OffsetCommitResponse.WRITERS = dict.fromkeys(range(0, 8), _write_offset_commit_response_v0_7) | dict.fromkeys(range(8, 11), _write_offset_commit_response_v8_10)
