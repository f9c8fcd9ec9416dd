"""OffsetFetch: how far a group has read.

v0  from ZooKeeper
v1  from the group's coordinator
v2  null asks for all topics; error_code for the whole answer (KIP-88)
v3  throttle_time_ms (KIP-124)
v4  answers before it throttles (KIP-219)
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

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import (
    UNSET,
    ZERO_UUID,
    fault_absent,
    fault_length,
    fault_null,
    long_uvarint,
    put_uvarint,
    skip_tags,
)

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_h = Struct(">h").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_ii = Struct(">ii").pack
pack_iqh = Struct(">iqh").pack
pack_iqi = Struct(">iqi").pack
pack_iqih = Struct(">iqih").pack
pack_tx = Struct(">?x").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iqh = Struct(">iqh").unpack_from
unpack_iqiB = Struct(">iqiB").unpack_from
unpack_iqih = Struct(">iqih").unpack_from
unpack_tB = Struct(">?B").unpack_from
unpack_uB = Struct(">16sB").unpack_from


class OffsetFetchRequestTopic(Data):
    """null: all that the group has"""

    __slots__ = FIELDS = ("name", "partition_indexes")

    def __init__(
        self,
        name: str = "",
        partition_indexes: list[int] = UNSET,
    ) -> None:
        self.name = name
        self.partition_indexes = [] if partition_indexes is UNSET else partition_indexes


class OffsetFetchRequestTopics(Data):
    """null: all that the group has"""

    __slots__ = FIELDS = ("name", "topic_id", "partition_indexes")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partition_indexes: list[int] = UNSET,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_indexes = [] if partition_indexes is UNSET else partition_indexes


class OffsetFetchRequestGroup(Data):
    __slots__ = FIELDS = ("group_id", "member_id", "member_epoch", "topics")

    def __init__(
        self,
        group_id: str = "",
        member_id: str | None = None,
        member_epoch: int = -1,
        topics: list[OffsetFetchRequestTopics] | None = UNSET,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.topics = [] if topics is UNSET else topics


class OffsetFetchRequest(Message):
    API_KEY = 9
    VERSIONS = range(0, 11)
    FLEXIBLE_FROM = 6
    __slots__ = FIELDS = ("group_id", "topics", "groups", "require_stable")

    def __init__(
        self,
        group_id: str = "",
        topics: list[OffsetFetchRequestTopic] | None = UNSET,
        groups: list[OffsetFetchRequestGroup] = UNSET,
        require_stable: bool = False,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.groups = [] if groups is UNSET else groups
        self.require_stable = require_stable


class OffsetFetchResponsePartition(Data):
    __slots__ = FIELDS = ("partition_index", "committed_offset", "committed_leader_epoch", "metadata", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        metadata: str | None = "",
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code


class OffsetFetchResponseTopic(Data):
    """null: all that the group has"""

    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[OffsetFetchResponsePartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class OffsetFetchResponsePartitions(Data):
    __slots__ = FIELDS = ("partition_index", "committed_offset", "committed_leader_epoch", "metadata", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        metadata: str | None = "",
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code


class OffsetFetchResponseTopics(Data):
    """null: all that the group has"""

    __slots__ = FIELDS = ("name", "topic_id", "partitions")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[OffsetFetchResponsePartitions] = UNSET,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class OffsetFetchResponseGroup(Data):
    __slots__ = FIELDS = ("group_id", "topics", "error_code")

    def __init__(
        self,
        group_id: str = "",
        topics: list[OffsetFetchResponseTopics] = UNSET,
        error_code: int = 0,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.error_code = error_code


class OffsetFetchResponse(Message):
    API_KEY = 9
    VERSIONS = range(0, 11)
    FLEXIBLE_FROM = 6
    __slots__ = FIELDS = ("throttle_time_ms", "topics", "error_code", "groups")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[OffsetFetchResponseTopic] = UNSET,
        error_code: int = 0,
        groups: list[OffsetFetchResponseGroup] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.error_code = error_code
        self.groups = [] if groups is UNSET else groups


def _read_offset_fetch_request_v0_1(b: bytes, at: int) -> tuple[OffsetFetchRequest, int]:
    size = len(b)
    m = new(OffsetFetchRequest)
    m.groups = []
    m.require_stable = False
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
    topics: list[OffsetFetchRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetFetchRequestTopic)
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
            raise fault_length("partition_indexes", n)
        end = at + n * 4
        topic.partition_indexes = [each for (each,) in iter_i(b[at:end])]
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetFetchRequest is {at - size} bytes short")
    return m, at


def _read_offset_fetch_request_v2_5(b: bytes, at: int) -> tuple[OffsetFetchRequest, int]:
    size = len(b)
    m = new(OffsetFetchRequest)
    m.groups = []
    m.require_stable = False
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.topics = None
    else:
        if n * 6 > size - at:
            raise fault_length("topics", n)
        topics: list[OffsetFetchRequestTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(OffsetFetchRequestTopic)
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
                raise fault_length("partition_indexes", n)
            end = at + n * 4
            topic.partition_indexes = [each for (each,) in iter_i(b[at:end])]
            at = end
            topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetFetchRequest is {at - size} bytes short")
    return m, at


def _read_offset_fetch_request_v6(b: bytes, at: int) -> tuple[OffsetFetchRequest, int]:
    size = len(b)
    m = new(OffsetFetchRequest)
    m.groups = []
    m.require_stable = False
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topics = None
    else:
        if n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[OffsetFetchRequestTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(OffsetFetchRequestTopic)
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
            if n < 0 or n * 4 > size - at:
                raise fault_length("partition_indexes", n)
            end = at + n * 4
            topic.partition_indexes = [each for (each,) in iter_i(b[at:end])]
            at = end
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
        raise ProtocolError(f"OffsetFetchRequest is {at - size} bytes short")
    return m, at


def _read_offset_fetch_request_v7(b: bytes, at: int) -> tuple[OffsetFetchRequest, int]:
    size = len(b)
    m = new(OffsetFetchRequest)
    m.groups = []
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topics = None
    else:
        if n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[OffsetFetchRequestTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(OffsetFetchRequestTopic)
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
            if n < 0 or n * 4 > size - at:
                raise fault_length("partition_indexes", n)
            end = at + n * 4
            topic.partition_indexes = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            topics.append(topic)
    m.require_stable, tags = unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"OffsetFetchRequest is {at - size} bytes short")
    return m, at


def _read_offset_fetch_request_v8(b: bytes, at: int) -> tuple[OffsetFetchRequest, int]:
    size = len(b)
    m = new(OffsetFetchRequest)
    m.group_id = ""
    m.topics = []
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("groups", n)
    groups: list[OffsetFetchRequestGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(OffsetFetchRequestGroup)
        group.member_id = None
        group.member_epoch = -1
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_id is null")
        end = at + n - 1
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0:
            group.topics = None
        else:
            if n * 3 > size - at:
                raise fault_length("topics", n)
            topics: list[OffsetFetchRequestTopics] = []
            group.topics = topics
            for _ in range(n):
                topic = new(OffsetFetchRequestTopics)
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
                if n < 0 or n * 4 > size - at:
                    raise fault_length("partition_indexes", n)
                end = at + n * 4
                topic.partition_indexes = [each for (each,) in iter_i(b[at:end])]
                at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tags(b, at, tags)
                topics.append(topic)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        groups.append(group)
    m.require_stable, tags = unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"OffsetFetchRequest is {at - size} bytes short")
    return m, at


def _read_offset_fetch_request_v9(b: bytes, at: int) -> tuple[OffsetFetchRequest, int]:
    size = len(b)
    m = new(OffsetFetchRequest)
    m.group_id = ""
    m.topics = []
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 8 > size - at:
        raise fault_length("groups", n)
    groups: list[OffsetFetchRequestGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(OffsetFetchRequestGroup)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_id is null")
        end = at + n - 1
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            group.member_id = None
        else:
            end = at + n - 1
            group.member_id = b[at:end].decode("utf-8", "replace")
            at = end
        group.member_epoch, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0:
            group.topics = None
        else:
            if n * 3 > size - at:
                raise fault_length("topics", n)
            topics: list[OffsetFetchRequestTopics] = []
            group.topics = topics
            for _ in range(n):
                topic = new(OffsetFetchRequestTopics)
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
                if n < 0 or n * 4 > size - at:
                    raise fault_length("partition_indexes", n)
                end = at + n * 4
                topic.partition_indexes = [each for (each,) in iter_i(b[at:end])]
                at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tags(b, at, tags)
                topics.append(topic)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        groups.append(group)
    m.require_stable, tags = unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"OffsetFetchRequest is {at - size} bytes short")
    return m, at


def _read_offset_fetch_request_v10(b: bytes, at: int) -> tuple[OffsetFetchRequest, int]:
    size = len(b)
    m = new(OffsetFetchRequest)
    m.group_id = ""
    m.topics = []
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 8 > size - at:
        raise fault_length("groups", n)
    groups: list[OffsetFetchRequestGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(OffsetFetchRequestGroup)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_id is null")
        end = at + n - 1
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            group.member_id = None
        else:
            end = at + n - 1
            group.member_id = b[at:end].decode("utf-8", "replace")
            at = end
        group.member_epoch, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0:
            group.topics = None
        else:
            if n * 18 > size - at:
                raise fault_length("topics", n)
            topics: list[OffsetFetchRequestTopics] = []
            group.topics = topics
            for _ in range(n):
                topic = new(OffsetFetchRequestTopics)
                topic.name = ""
                topic.topic_id, n = unpack_uB(b, at)
                at += 17
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 4 > size - at:
                    raise fault_length("partition_indexes", n)
                end = at + n * 4
                topic.partition_indexes = [each for (each,) in iter_i(b[at:end])]
                at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tags(b, at, tags)
                topics.append(topic)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        groups.append(group)
    m.require_stable, tags = unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"OffsetFetchRequest is {at - size} bytes short")
    return m, at


def _write_offset_fetch_request_v0_1(m: OffsetFetchRequest, out: bytearray) -> None:
    if m.groups:
        raise fault_absent("groups")
    if m.require_stable:
        raise fault_absent("require_stable")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    topics = m.topics
    if topics is None:
        raise fault_null("topics")
    out += pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partition_indexes = topic.partition_indexes
        out += pack_i(len(partition_indexes))
        out += b"".join(map(pack_i, partition_indexes))


def _write_offset_fetch_request_v2_5(m: OffsetFetchRequest, out: bytearray) -> None:
    if m.groups:
        raise fault_absent("groups")
    if m.require_stable:
        raise fault_absent("require_stable")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    topics = m.topics
    out += pack_i(-1 if topics is None else len(topics))
    if topics is not None:
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            out += pack_h(len(name_bytes))
            out += name_bytes
            partition_indexes = topic.partition_indexes
            out += pack_i(len(partition_indexes))
            out += b"".join(map(pack_i, partition_indexes))


def _write_offset_fetch_request_v6(m: OffsetFetchRequest, out: bytearray) -> None:
    if m.groups:
        raise fault_absent("groups")
    if m.require_stable:
        raise fault_absent("require_stable")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    n = len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    topics = m.topics
    n = 0 if topics is None else len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if topics is not None:
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            partition_indexes = topic.partition_indexes
            n = len(partition_indexes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, partition_indexes))
            out.append(0)
    out.append(0)


def _write_offset_fetch_request_v7(m: OffsetFetchRequest, out: bytearray) -> None:
    if m.groups:
        raise fault_absent("groups")
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    n = len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    topics = m.topics
    n = 0 if topics is None else len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if topics is not None:
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            partition_indexes = topic.partition_indexes
            n = len(partition_indexes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, partition_indexes))
            out.append(0)
    out += pack_tx(m.require_stable)


def _write_offset_fetch_request_v8(m: OffsetFetchRequest, out: bytearray) -> None:
    if m.group_id != "":
        raise fault_absent("group_id")
    if m.topics != []:
        raise fault_absent("topics")
    groups = m.groups
    n = len(groups) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for group in groups:
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        topics = group.topics
        n = 0 if topics is None else len(topics) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        if topics is not None:
            for topic in topics:
                name = topic.name
                name_bytes = name.encode()
                n = len(name_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += name_bytes
                partition_indexes = topic.partition_indexes
                n = len(partition_indexes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += b"".join(map(pack_i, partition_indexes))
                out.append(0)
        out.append(0)
    out += pack_tx(m.require_stable)


def _write_offset_fetch_request_v9(m: OffsetFetchRequest, out: bytearray) -> None:
    if m.group_id != "":
        raise fault_absent("group_id")
    if m.topics != []:
        raise fault_absent("topics")
    groups = m.groups
    n = len(groups) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for group in groups:
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        member_id = group.member_id
        member_id_bytes = b"" if member_id is None else member_id.encode()
        n = 0 if member_id is None else len(member_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += member_id_bytes
        topics = group.topics
        out += pack_i(group.member_epoch)
        n = 0 if topics is None else len(topics) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        if topics is not None:
            for topic in topics:
                name = topic.name
                name_bytes = name.encode()
                n = len(name_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += name_bytes
                partition_indexes = topic.partition_indexes
                n = len(partition_indexes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += b"".join(map(pack_i, partition_indexes))
                out.append(0)
        out.append(0)
    out += pack_tx(m.require_stable)


def _write_offset_fetch_request_v10(m: OffsetFetchRequest, out: bytearray) -> None:
    if m.group_id != "":
        raise fault_absent("group_id")
    if m.topics != []:
        raise fault_absent("topics")
    groups = m.groups
    n = len(groups) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for group in groups:
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        member_id = group.member_id
        member_id_bytes = b"" if member_id is None else member_id.encode()
        n = 0 if member_id is None else len(member_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += member_id_bytes
        topics = group.topics
        out += pack_i(group.member_epoch)
        n = 0 if topics is None else len(topics) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        if topics is not None:
            for topic in topics:
                partition_indexes = topic.partition_indexes
                out += pack_u(topic.topic_id)
                n = len(partition_indexes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += b"".join(map(pack_i, partition_indexes))
                out.append(0)
        out.append(0)
    out += pack_tx(m.require_stable)


def _read_offset_fetch_response_v0_1(b: bytes, at: int) -> tuple[OffsetFetchResponse, int]:
    size = len(b)
    m = new(OffsetFetchResponse)
    m.throttle_time_ms = 0
    m.error_code = 0
    m.groups = []
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetFetchResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetFetchResponseTopic)
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
        partitions: list[OffsetFetchResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetFetchResponsePartition)
            partition.committed_leader_epoch = -1
            partition.partition_index, partition.committed_offset, n = unpack_iqh(b, at)
            at += 14
            if n < 0:
                partition.metadata = None
            else:
                end = at + n
                partition.metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partition.error_code = unpack_h(b, at)[0]
            at += 2
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"OffsetFetchResponse is {at - size} bytes short")
    return m, at


def _read_offset_fetch_response_v2(b: bytes, at: int) -> tuple[OffsetFetchResponse, int]:
    size = len(b)
    m = new(OffsetFetchResponse)
    m.throttle_time_ms = 0
    m.groups = []
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetFetchResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetFetchResponseTopic)
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
        partitions: list[OffsetFetchResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetFetchResponsePartition)
            partition.committed_leader_epoch = -1
            partition.partition_index, partition.committed_offset, n = unpack_iqh(b, at)
            at += 14
            if n < 0:
                partition.metadata = None
            else:
                end = at + n
                partition.metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partition.error_code = unpack_h(b, at)[0]
            at += 2
            partitions.append(partition)
        topics.append(topic)
    m.error_code = unpack_h(b, at)[0]
    at += 2
    if at > size:
        raise ProtocolError(f"OffsetFetchResponse is {at - size} bytes short")
    return m, at


def _read_offset_fetch_response_v3_4(b: bytes, at: int) -> tuple[OffsetFetchResponse, int]:
    size = len(b)
    m = new(OffsetFetchResponse)
    m.groups = []
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetFetchResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetFetchResponseTopic)
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
        partitions: list[OffsetFetchResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetFetchResponsePartition)
            partition.committed_leader_epoch = -1
            partition.partition_index, partition.committed_offset, n = unpack_iqh(b, at)
            at += 14
            if n < 0:
                partition.metadata = None
            else:
                end = at + n
                partition.metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partition.error_code = unpack_h(b, at)[0]
            at += 2
            partitions.append(partition)
        topics.append(topic)
    m.error_code = unpack_h(b, at)[0]
    at += 2
    if at > size:
        raise ProtocolError(f"OffsetFetchResponse is {at - size} bytes short")
    return m, at


def _read_offset_fetch_response_v5(b: bytes, at: int) -> tuple[OffsetFetchResponse, int]:
    size = len(b)
    m = new(OffsetFetchResponse)
    m.groups = []
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetFetchResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetFetchResponseTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 20 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetFetchResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetFetchResponsePartition)
            partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = unpack_iqih(b, at)
            at += 18
            if n < 0:
                partition.metadata = None
            else:
                end = at + n
                partition.metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partition.error_code = unpack_h(b, at)[0]
            at += 2
            partitions.append(partition)
        topics.append(topic)
    m.error_code = unpack_h(b, at)[0]
    at += 2
    if at > size:
        raise ProtocolError(f"OffsetFetchResponse is {at - size} bytes short")
    return m, at


def _read_offset_fetch_response_v6_7(b: bytes, at: int) -> tuple[OffsetFetchResponse, int]:
    size = len(b)
    m = new(OffsetFetchResponse)
    m.groups = []
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[OffsetFetchResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OffsetFetchResponseTopic)
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
        if n < 0 or n * 20 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OffsetFetchResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OffsetFetchResponsePartition)
            partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = unpack_iqiB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition.metadata = None
            else:
                end = at + n - 1
                partition.metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partition.error_code, tags = unpack_hB(b, at)
            at += 3
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    m.error_code, tags = unpack_hB(b, at)
    at += 3
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"OffsetFetchResponse is {at - size} bytes short")
    return m, at


def _read_offset_fetch_response_v8_9(b: bytes, at: int) -> tuple[OffsetFetchResponse, int]:
    size = len(b)
    m = new(OffsetFetchResponse)
    m.topics = []
    m.error_code = 0
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise fault_length("groups", n)
    groups: list[OffsetFetchResponseGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(OffsetFetchResponseGroup)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_id is null")
        end = at + n - 1
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[OffsetFetchResponseTopics] = []
        group.topics = topics
        for _ in range(n):
            topic = new(OffsetFetchResponseTopics)
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
            if n < 0 or n * 20 > size - at:
                raise fault_length("partitions", n)
            partitions: list[OffsetFetchResponsePartitions] = []
            topic.partitions = partitions
            for _ in range(n):
                partition = new(OffsetFetchResponsePartitions)
                partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = unpack_iqiB(b, at)
                at += 17
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    partition.metadata = None
                else:
                    end = at + n - 1
                    partition.metadata = b[at:end].decode("utf-8", "replace")
                    at = end
                partition.error_code, tags = unpack_hB(b, at)
                at += 3
                if tags:
                    at = skip_tags(b, at, tags)
                partitions.append(partition)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            topics.append(topic)
        group.error_code, tags = unpack_hB(b, at)
        at += 3
        if tags:
            at = skip_tags(b, at, tags)
        groups.append(group)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"OffsetFetchResponse is {at - size} bytes short")
    return m, at


def _read_offset_fetch_response_v10(b: bytes, at: int) -> tuple[OffsetFetchResponse, int]:
    size = len(b)
    m = new(OffsetFetchResponse)
    m.topics = []
    m.error_code = 0
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise fault_length("groups", n)
    groups: list[OffsetFetchResponseGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(OffsetFetchResponseGroup)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_id is null")
        end = at + n - 1
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 18 > size - at:
            raise fault_length("topics", n)
        topics: list[OffsetFetchResponseTopics] = []
        group.topics = topics
        for _ in range(n):
            topic = new(OffsetFetchResponseTopics)
            topic.name = ""
            topic.topic_id, n = unpack_uB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 20 > size - at:
                raise fault_length("partitions", n)
            partitions: list[OffsetFetchResponsePartitions] = []
            topic.partitions = partitions
            for _ in range(n):
                partition = new(OffsetFetchResponsePartitions)
                partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = unpack_iqiB(b, at)
                at += 17
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    partition.metadata = None
                else:
                    end = at + n - 1
                    partition.metadata = b[at:end].decode("utf-8", "replace")
                    at = end
                partition.error_code, tags = unpack_hB(b, at)
                at += 3
                if tags:
                    at = skip_tags(b, at, tags)
                partitions.append(partition)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            topics.append(topic)
        group.error_code, tags = unpack_hB(b, at)
        at += 3
        if tags:
            at = skip_tags(b, at, tags)
        groups.append(group)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"OffsetFetchResponse is {at - size} bytes short")
    return m, at


def _write_offset_fetch_response_v0_1(m: OffsetFetchResponse, out: bytearray) -> None:
    if m.groups:
        raise fault_absent("groups")
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
            metadata = partition.metadata
            metadata_bytes = b"" if metadata is None else metadata.encode()
            out += pack_iqh(partition.partition_index, partition.committed_offset, -1 if metadata is None else len(metadata_bytes))
            out += metadata_bytes
            out += pack_h(partition.error_code)


def _write_offset_fetch_response_v2(m: OffsetFetchResponse, out: bytearray) -> None:
    if m.groups:
        raise fault_absent("groups")
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
            metadata = partition.metadata
            metadata_bytes = b"" if metadata is None else metadata.encode()
            out += pack_iqh(partition.partition_index, partition.committed_offset, -1 if metadata is None else len(metadata_bytes))
            out += metadata_bytes
            out += pack_h(partition.error_code)
    out += pack_h(m.error_code)


def _write_offset_fetch_response_v3_4(m: OffsetFetchResponse, out: bytearray) -> None:
    if m.groups:
        raise fault_absent("groups")
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
            metadata = partition.metadata
            metadata_bytes = b"" if metadata is None else metadata.encode()
            out += pack_iqh(partition.partition_index, partition.committed_offset, -1 if metadata is None else len(metadata_bytes))
            out += metadata_bytes
            out += pack_h(partition.error_code)
    out += pack_h(m.error_code)


def _write_offset_fetch_response_v5(m: OffsetFetchResponse, out: bytearray) -> None:
    if m.groups:
        raise fault_absent("groups")
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
            metadata = partition.metadata
            metadata_bytes = b"" if metadata is None else metadata.encode()
            out += pack_iqih(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, -1 if metadata is None else len(metadata_bytes))
            out += metadata_bytes
            out += pack_h(partition.error_code)
    out += pack_h(m.error_code)


def _write_offset_fetch_response_v6_7(m: OffsetFetchResponse, out: bytearray) -> None:
    if m.groups:
        raise fault_absent("groups")
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
            metadata = partition.metadata
            metadata_bytes = b"" if metadata is None else metadata.encode()
            out += pack_iqi(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch)
            n = 0 if metadata is None else len(metadata_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += metadata_bytes
            out += pack_hx(partition.error_code)
        out.append(0)
    out += pack_hx(m.error_code)


def _write_offset_fetch_response_v8_9(m: OffsetFetchResponse, out: bytearray) -> None:
    if m.topics:
        raise fault_absent("topics")
    groups = m.groups
    out += pack_i(m.throttle_time_ms)
    n = len(groups) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for group in groups:
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        topics = group.topics
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
                metadata = partition.metadata
                metadata_bytes = b"" if metadata is None else metadata.encode()
                out += pack_iqi(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch)
                n = 0 if metadata is None else len(metadata_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += metadata_bytes
                out += pack_hx(partition.error_code)
            out.append(0)
        out += pack_hx(group.error_code)
    out.append(0)


def _write_offset_fetch_response_v10(m: OffsetFetchResponse, out: bytearray) -> None:
    if m.topics:
        raise fault_absent("topics")
    groups = m.groups
    out += pack_i(m.throttle_time_ms)
    n = len(groups) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for group in groups:
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        topics = group.topics
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
                metadata = partition.metadata
                metadata_bytes = b"" if metadata is None else metadata.encode()
                out += pack_iqi(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch)
                n = 0 if metadata is None else len(metadata_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += metadata_bytes
                out += pack_hx(partition.error_code)
            out.append(0)
        out += pack_hx(group.error_code)
    out.append(0)


OffsetFetchRequest.READERS = {
    0: _read_offset_fetch_request_v0_1,
    1: _read_offset_fetch_request_v0_1,
    2: _read_offset_fetch_request_v2_5,
    3: _read_offset_fetch_request_v2_5,
    4: _read_offset_fetch_request_v2_5,
    5: _read_offset_fetch_request_v2_5,
    6: _read_offset_fetch_request_v6,
    7: _read_offset_fetch_request_v7,
    8: _read_offset_fetch_request_v8,
    9: _read_offset_fetch_request_v9,
    10: _read_offset_fetch_request_v10,
}
OffsetFetchRequest.WRITERS = {
    0: _write_offset_fetch_request_v0_1,
    1: _write_offset_fetch_request_v0_1,
    2: _write_offset_fetch_request_v2_5,
    3: _write_offset_fetch_request_v2_5,
    4: _write_offset_fetch_request_v2_5,
    5: _write_offset_fetch_request_v2_5,
    6: _write_offset_fetch_request_v6,
    7: _write_offset_fetch_request_v7,
    8: _write_offset_fetch_request_v8,
    9: _write_offset_fetch_request_v9,
    10: _write_offset_fetch_request_v10,
}
OffsetFetchResponse.READERS = {
    0: _read_offset_fetch_response_v0_1,
    1: _read_offset_fetch_response_v0_1,
    2: _read_offset_fetch_response_v2,
    3: _read_offset_fetch_response_v3_4,
    4: _read_offset_fetch_response_v3_4,
    5: _read_offset_fetch_response_v5,
    6: _read_offset_fetch_response_v6_7,
    7: _read_offset_fetch_response_v6_7,
    8: _read_offset_fetch_response_v8_9,
    9: _read_offset_fetch_response_v8_9,
    10: _read_offset_fetch_response_v10,
}
OffsetFetchResponse.WRITERS = {
    0: _write_offset_fetch_response_v0_1,
    1: _write_offset_fetch_response_v0_1,
    2: _write_offset_fetch_response_v2,
    3: _write_offset_fetch_response_v3_4,
    4: _write_offset_fetch_response_v3_4,
    5: _write_offset_fetch_response_v5,
    6: _write_offset_fetch_response_v6_7,
    7: _write_offset_fetch_response_v6_7,
    8: _write_offset_fetch_response_v8_9,
    9: _write_offset_fetch_response_v8_9,
    10: _write_offset_fetch_response_v10,
}
