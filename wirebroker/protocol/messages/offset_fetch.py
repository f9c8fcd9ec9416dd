"""OffsetFetch: the committed offsets of groups.

v0  from ZooKeeper
v1  from the group's coordinator
v2  null requests all topics; error_code for the whole response (KIP-88)
v3  throttle_time_ms (KIP-124)
v4  responds before it throttles (KIP-219)
v5  committed_leader_epoch (KIP-320)
v6  flexible
v7  require_stable (KIP-447)
v8  several groups at once (KIP-709)
v9  member id and epoch (KIP-848)
v10 topic_id in place of name

Generated from protocol_specs/09_offset_fetch by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    ZERO_UUID,
    absent_field_error,
    array_packer,
    count_error,
    new,
    null_field_error,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_i = Struct(">i").iter_unpack
_pack_h = Struct(">h").pack
_pack_hx = Struct(">hx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_iqh = Struct(">iqh").pack
_pack_iqi = Struct(">iqi").pack
_pack_iqiB = Struct(">iqiB").pack
_pack_iqih = Struct(">iqih").pack
_pack_list_i = array_packer("i")
_pack_tx = Struct(">?x").pack
_pack_u = Struct(">16s").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iqh = Struct(">iqh").unpack_from
_unpack_iqiB = Struct(">iqiB").unpack_from
_unpack_iqih = Struct(">iqih").unpack_from
_unpack_tB = Struct(">?B").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class OffsetFetchRequestTopic(Data):
    """An element of `OffsetFetchRequest.topics`."""

    name: str = ""
    partition_indexes: list[int] = []


class OffsetFetchRequestTopics(Data):
    """An element of `OffsetFetchRequestGroup.topics`."""

    name: str = ""  # v8-9
    topic_id: bytes = ZERO_UUID  # v10+
    partition_indexes: list[int] = []


class OffsetFetchRequestGroup(Data):
    """An element of `OffsetFetchRequest.groups`."""

    group_id: str = ""
    member_id: str | None = None  # v9+
    """Null unless the request is sent by a member (KIP-848)."""
    member_epoch: int = -1  # v9+
    """-1 unless the request is sent by a member (KIP-848)."""
    topics: list[OffsetFetchRequestTopics] | None = []
    """Null: all partitions with a committed offset."""


class OffsetFetchRequest(ReadableMessage, WritableMessage):
    API_KEY = 9
    VERSIONS = range(0, 11)
    FLEXIBLE_FROM = 6

    group_id: str = ""  # v0-7
    topics: list[OffsetFetchRequestTopic] | None = []  # v0-7
    """Null: all partitions with a committed offset."""
    groups: list[OffsetFetchRequestGroup] = []  # v8+
    require_stable: bool = False  # v7+
    """Whether offsets with a pending transactional commit are UNSTABLE_OFFSET_COMMIT."""


class OffsetFetchResponsePartition(Data):
    """An element of `OffsetFetchResponseTopic.partitions`."""

    partition_index: int = 0
    committed_offset: int = 0
    """-1: no committed offset."""
    committed_leader_epoch: int = -1  # v5+
    """Leader epoch of the last consumed record; -1 unknown."""
    metadata: str | None = ""
    error_code: int = 0


class OffsetFetchResponseTopic(Data):
    """An element of `OffsetFetchResponse.topics`."""

    name: str = ""
    partitions: list[OffsetFetchResponsePartition] = []


class OffsetFetchResponsePartitions(Data):
    """An element of `OffsetFetchResponseTopics.partitions`."""

    partition_index: int = 0
    committed_offset: int = 0
    """-1: no committed offset."""
    committed_leader_epoch: int = -1
    """Leader epoch of the last consumed record; -1 unknown."""
    metadata: str | None = ""
    error_code: int = 0


class OffsetFetchResponseTopics(Data):
    """An element of `OffsetFetchResponseGroup.topics`."""

    name: str = ""  # v8-9
    topic_id: bytes = ZERO_UUID  # v10+
    partitions: list[OffsetFetchResponsePartitions] = []


class OffsetFetchResponseGroup(Data):
    """An element of `OffsetFetchResponse.groups`."""

    group_id: str = ""
    topics: list[OffsetFetchResponseTopics] = []
    error_code: int = 0


class OffsetFetchResponse(ReadableMessage, WritableMessage):
    API_KEY = 9
    VERSIONS = range(0, 11)
    FLEXIBLE_FROM = 6

    throttle_time_ms: int = 0  # v3+
    """Throttle time because of a quota; 0 for none."""
    topics: list[OffsetFetchResponseTopic] = []  # v0-7
    error_code: int = 0  # v2-7
    groups: list[OffsetFetchResponseGroup] = []  # v8+


def _read_offset_fetch_request_v0_5(b: bytes, at: int, version: int) -> tuple[OffsetFetchRequest, int]:
    size = len(b)
    m = new(OffsetFetchRequest)
    m.groups = []
    m.require_stable = False
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0:
        if version <= 1:
            raise count_error("topics", n)
        m.topics = None
    else:
        if n * 6 > size - at:
            raise count_error("topics", n)
        topics: list[OffsetFetchRequestTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(OffsetFetchRequestTopic)
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
                raise count_error("partition_indexes", n)
            end = at + n * 4
            topic.partition_indexes = [each for (each,) in _iter_i(b[at:end])]
            at = end
            topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetFetchRequest is {at - size} bytes short")
    return m, at


def _read_offset_fetch_request_v6_10(b: bytes, at: int, version: int) -> tuple[OffsetFetchRequest, int]:
    size = len(b)
    m = new(OffsetFetchRequest)
    if version >= 8:
        m.group_id = ""
        m.topics = []
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("groups", n)
        groups: list[OffsetFetchRequestGroup] = []
        m.groups = groups
        for _ in range(n):
            group = new(OffsetFetchRequestGroup)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("group_id is null")
            end = at + n - 1
            group.group_id = b[at:end].decode("utf-8", "replace")
            at = end
            if version >= 9:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    group.member_id = None
                else:
                    end = at + n - 1
                    group.member_id = b[at:end].decode("utf-8", "replace")
                    at = end
                group.member_epoch, n = _unpack_iB(b, at)
                at += 5
            else:
                group.member_id = None
                group.member_epoch = -1
                n = b[at]
                at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0:
                group.topics = None
            else:
                if n * 3 > size - at:
                    raise count_error("topics", n)
                topics: list[OffsetFetchRequestTopics] = []
                group.topics = topics
                for _ in range(n):
                    topic = new(OffsetFetchRequestTopics)
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
                    if n < 0 or n * 4 > size - at:
                        raise count_error("partition_indexes", n)
                    end = at + n * 4
                    topic.partition_indexes = [each for (each,) in _iter_i(b[at:end])]
                    at = end
                    tags = b[at]
                    at += 1
                    if tags:
                        at = skip_tagged_fields(b, at, tags)
                    topics.append(topic)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            groups.append(group)
        m.require_stable, tags = _unpack_tB(b, at)
        at += 2
    else:
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_id is null")
        end = at + n - 1
        m.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0:
            m.topics = None
        else:
            if n * 3 > size - at:
                raise count_error("topics", n)
            topics2: list[OffsetFetchRequestTopic] = []
            m.topics = topics2
            for _ in range(n):
                topic2 = new(OffsetFetchRequestTopic)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("name is null")
                end = at + n - 1
                topic2.name = b[at:end].decode("utf-8", "replace")
                at = end
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 4 > size - at:
                    raise count_error("partition_indexes", n)
                end = at + n * 4
                topic2.partition_indexes = [each for (each,) in _iter_i(b[at:end])]
                at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                topics2.append(topic2)
        m.groups = []
        if version >= 7:
            m.require_stable, tags = _unpack_tB(b, at)
            at += 2
        else:
            m.require_stable = False
            tags = b[at]
            at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"OffsetFetchRequest is {at - size} bytes short")
    return m, at


OffsetFetchRequest.READERS = dict.fromkeys(range(0, 6), _read_offset_fetch_request_v0_5) | dict.fromkeys(range(6, 11), _read_offset_fetch_request_v6_10)


def _write_offset_fetch_request_v0_5(m: OffsetFetchRequest, out: bytearray, version: int) -> None:
    if m.groups:
        raise absent_field_error("groups")
    if m.require_stable:
        raise absent_field_error("require_stable")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += _pack_h(len(group_id_bytes))
    out += group_id_bytes
    topics = m.topics
    if topics is None and version <= 1:
        raise null_field_error("topics")
    out += _pack_i(-1 if topics is None else len(topics))
    if topics is not None:
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            out += _pack_h(len(name_bytes))
            out += name_bytes
            partition_indexes = topic.partition_indexes
            out += _pack_i(len(partition_indexes))
            out += _pack_list_i(partition_indexes)


def _write_offset_fetch_request_v6_10(m: OffsetFetchRequest, out: bytearray, version: int) -> None:
    if version >= 8:
        if m.group_id != "":
            raise absent_field_error("group_id")
        if m.topics != []:
            raise absent_field_error("topics")
        groups = m.groups
        n = len(groups) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for group in groups:
            group_id = group.group_id
            group_id_bytes = group_id.encode()
            n = len(group_id_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += group_id_bytes
            if version >= 9:
                member_id = group.member_id
                member_id_bytes = b"" if member_id is None else member_id.encode()
                n = 0 if member_id is None else len(member_id_bytes) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += member_id_bytes
                out += _pack_i(group.member_epoch)
            topics = group.topics
            n = 0 if topics is None else len(topics) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            if topics is not None:
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
                    partition_indexes = topic.partition_indexes
                    n = len(partition_indexes) + 1
                    if n > 127:
                        write_uvarint(out, n)
                    else:
                        out.append(n)
                    out += _pack_list_i(partition_indexes)
                    out.append(0)
            out.append(0)
        out += _pack_tx(m.require_stable)
    else:
        group_id2 = m.group_id
        group_id_bytes2 = group_id2.encode()
        n = len(group_id_bytes2) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes2
        topics2 = m.topics
        n = 0 if topics2 is None else len(topics2) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        if topics2 is not None:
            for topic2 in topics2:
                name2 = topic2.name
                name_bytes2 = name2.encode()
                n = len(name_bytes2) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += name_bytes2
                partition_indexes2 = topic2.partition_indexes
                n = len(partition_indexes2) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += _pack_list_i(partition_indexes2)
                out.append(0)
        if m.groups:
            raise absent_field_error("groups")
        if version >= 7:
            out += _pack_tx(m.require_stable)
        else:
            if m.require_stable:
                raise absent_field_error("require_stable")
            out.append(0)


OffsetFetchRequest.WRITERS = dict.fromkeys(range(0, 6), _write_offset_fetch_request_v0_5) | dict.fromkeys(range(6, 11), _write_offset_fetch_request_v6_10)


def _read_offset_fetch_response_v0_5(b: bytes, at: int, version: int) -> tuple[OffsetFetchResponse, int]:
    size = len(b)
    m = new(OffsetFetchResponse)
    m.groups = []
    if version >= 3:
        m.throttle_time_ms, n = _unpack_ii(b, at)
        at += 8
    else:
        m.throttle_time_ms = 0
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 6 > size - at:
        raise count_error("topics", n)
    topics: list[OffsetFetchResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetFetchResponseTopic)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 16 > size - at:
            raise count_error("partitions", n)
        partitions: list[OffsetFetchResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetFetchResponsePartition)
            if version >= 5:
                partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = _unpack_iqih(b, at)
                at += 18
            else:
                partition.committed_leader_epoch = -1
                partition.partition_index, partition.committed_offset, n = _unpack_iqh(b, at)
                at += 14
            if n < 0:
                partition.metadata = None
            else:
                end = at + n
                partition.metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partition.error_code = _unpack_h(b, at)[0]
            at += 2
            partitions.append(partition)
        topics.append(topic)
    if version >= 2:
        m.error_code = _unpack_h(b, at)[0]
        at += 2
    else:
        m.error_code = 0
    if at > size:
        raise ProtocolError(f"OffsetFetchResponse is {at - size} bytes short")
    return m, at


def _read_offset_fetch_response_v6_10(b: bytes, at: int, version: int) -> tuple[OffsetFetchResponse, int]:
    size = len(b)
    m = new(OffsetFetchResponse)
    if version >= 8:
        m.topics = []
        m.error_code = 0
        m.throttle_time_ms, n = _unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 5 > size - at:
            raise count_error("groups", n)
        groups: list[OffsetFetchResponseGroup] = []
        m.groups = groups
        for _ in range(n):
            group = new(OffsetFetchResponseGroup)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("group_id is null")
            end = at + n - 1
            group.group_id = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 3 > size - at:
                raise count_error("topics", n)
            topics: list[OffsetFetchResponseTopics] = []
            group.topics = topics
            for _ in range(n):
                topic = new(OffsetFetchResponseTopics)
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
                if n < 0 or n * 20 > size - at:
                    raise count_error("partitions", n)
                partitions: list[OffsetFetchResponsePartitions] = []
                topic.partitions = partitions
                for _ in range(n):
                    partition = new(OffsetFetchResponsePartitions)
                    partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = _unpack_iqiB(b, at)
                    at += 17
                    if n > 127:
                        n, at = read_long_uvarint(b, at, n)
                    if n == 0:
                        partition.metadata = None
                    else:
                        end = at + n - 1
                        partition.metadata = b[at:end].decode("utf-8", "replace")
                        at = end
                    partition.error_code, tags = _unpack_hB(b, at)
                    at += 3
                    if tags:
                        at = skip_tagged_fields(b, at, tags)
                    partitions.append(partition)
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                topics.append(topic)
            group.error_code, tags = _unpack_hB(b, at)
            at += 3
            if tags:
                at = skip_tagged_fields(b, at, tags)
            groups.append(group)
        tags = b[at]
        at += 1
    else:
        m.throttle_time_ms, n = _unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("topics", n)
        topics2: list[OffsetFetchResponseTopic] = []
        m.topics = topics2
        for _ in range(n):
            topic2 = new(OffsetFetchResponseTopic)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            topic2.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 20 > size - at:
                raise count_error("partitions", n)
            partitions2: list[OffsetFetchResponsePartition] = []
            topic2.partitions = partitions2
            for _ in range(n):
                partition2 = new(OffsetFetchResponsePartition)
                partition2.partition_index, partition2.committed_offset, partition2.committed_leader_epoch, n = _unpack_iqiB(b, at)
                at += 17
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    partition2.metadata = None
                else:
                    end = at + n - 1
                    partition2.metadata = b[at:end].decode("utf-8", "replace")
                    at = end
                partition2.error_code, tags = _unpack_hB(b, at)
                at += 3
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                partitions2.append(partition2)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            topics2.append(topic2)
        m.groups = []
        m.error_code, tags = _unpack_hB(b, at)
        at += 3
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"OffsetFetchResponse is {at - size} bytes short")
    return m, at


OffsetFetchResponse.READERS = dict.fromkeys(range(0, 6), _read_offset_fetch_response_v0_5) | dict.fromkeys(range(6, 11), _read_offset_fetch_response_v6_10)


def _write_offset_fetch_response_v0_5(m: OffsetFetchResponse, out: bytearray, version: int) -> None:
    if m.groups:
        raise absent_field_error("groups")
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
            metadata = partition.metadata
            metadata_bytes = b"" if metadata is None else metadata.encode()
            if version >= 5:
                out += _pack_iqih(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, -1 if metadata is None else len(metadata_bytes))
            else:
                out += _pack_iqh(partition.partition_index, partition.committed_offset, -1 if metadata is None else len(metadata_bytes))
            out += metadata_bytes
            out += _pack_h(partition.error_code)
    if version >= 2:
        out += _pack_h(m.error_code)


def _write_offset_fetch_response_v6_10(m: OffsetFetchResponse, out: bytearray, version: int) -> None:
    if version >= 8:
        if m.topics:
            raise absent_field_error("topics")
        groups = m.groups
        n = len(groups) + 1
        out += _pack_i(m.throttle_time_ms)
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for group in groups:
            group_id = group.group_id
            group_id_bytes = group_id.encode()
            n = len(group_id_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += group_id_bytes
            topics = group.topics
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
                    metadata = partition.metadata
                    metadata_bytes = b"" if metadata is None else metadata.encode()
                    n = 0 if metadata is None else len(metadata_bytes) + 1
                    if n > 127:
                        out += _pack_iqi(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch)
                        write_uvarint(out, n)
                    else:
                        out += _pack_iqiB(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n)
                    out += metadata_bytes
                    out += _pack_hx(partition.error_code)
                out.append(0)
            out += _pack_hx(group.error_code)
        out.append(0)
    else:
        topics2 = m.topics
        n = len(topics2) + 1
        if n > 127:
            out += _pack_i(m.throttle_time_ms)
            write_uvarint(out, n)
        else:
            out += _pack_iB(m.throttle_time_ms, n)
        for topic2 in topics2:
            name2 = topic2.name
            name_bytes2 = name2.encode()
            n = len(name_bytes2) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes2
            partitions2 = topic2.partitions
            n = len(partitions2) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            for partition2 in partitions2:
                metadata2 = partition2.metadata
                metadata_bytes2 = b"" if metadata2 is None else metadata2.encode()
                n = 0 if metadata2 is None else len(metadata_bytes2) + 1
                if n > 127:
                    out += _pack_iqi(partition2.partition_index, partition2.committed_offset, partition2.committed_leader_epoch)
                    write_uvarint(out, n)
                else:
                    out += _pack_iqiB(partition2.partition_index, partition2.committed_offset, partition2.committed_leader_epoch, n)
                out += metadata_bytes2
                out += _pack_hx(partition2.error_code)
            out.append(0)
        if m.groups:
            raise absent_field_error("groups")
        out += _pack_hx(m.error_code)


OffsetFetchResponse.WRITERS = dict.fromkeys(range(0, 6), _write_offset_fetch_response_v0_5) | dict.fromkeys(range(6, 11), _write_offset_fetch_response_v6_10)
