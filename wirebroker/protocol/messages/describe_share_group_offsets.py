"""DescribeShareGroupOffsets: how far share groups have read (KIP-932).

v1  lag (KIP-1226)

Generated from protocol_specs/90_describe_share_group_offsets by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, ZERO_UUID, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iqih = Struct(">iqih").pack
pack_iqiqh = Struct(">iqiqh").pack
pack_u = Struct(">16s").pack
unpack_hB = Struct(">hB").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_iqihB = Struct(">iqihB").unpack_from
unpack_iqiqhB = Struct(">iqiqhB").unpack_from
unpack_uB = Struct(">16sB").unpack_from


class DescribeShareGroupOffsetsRequestTopic(Data):
    """null: all"""

    __slots__ = FIELDS = ("topic_name", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions


class DescribeShareGroupOffsetsRequestGroup(Data):
    __slots__ = FIELDS = ("group_id", "topics")

    def __init__(
        self,
        group_id: str = "",
        topics: list[DescribeShareGroupOffsetsRequestTopic] | None = UNSET,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics


class DescribeShareGroupOffsetsRequest(Message):
    API_KEY = 90
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("groups",)

    def __init__(
        self,
        groups: list[DescribeShareGroupOffsetsRequestGroup] = UNSET,
    ) -> None:
        self.groups = [] if groups is UNSET else groups


class DescribeShareGroupOffsetsResponsePartition(Data):
    __slots__ = FIELDS = ("partition_index", "start_offset", "leader_epoch", "lag", "error_code", "error_message")

    def __init__(
        self,
        partition_index: int = 0,
        start_offset: int = 0,
        leader_epoch: int = 0,
        lag: int = -1,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.start_offset = start_offset
        self.leader_epoch = leader_epoch
        self.lag = lag
        self.error_code = error_code
        self.error_message = error_message


class DescribeShareGroupOffsetsResponseTopic(Data):
    """null: all"""

    __slots__ = FIELDS = ("topic_name", "topic_id", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[DescribeShareGroupOffsetsResponsePartition] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class DescribeShareGroupOffsetsResponseGroup(Data):
    __slots__ = FIELDS = ("group_id", "topics", "error_code", "error_message")

    def __init__(
        self,
        group_id: str = "",
        topics: list[DescribeShareGroupOffsetsResponseTopic] = UNSET,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.error_code = error_code
        self.error_message = error_message


class DescribeShareGroupOffsetsResponse(Message):
    API_KEY = 90
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "groups")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: list[DescribeShareGroupOffsetsResponseGroup] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = [] if groups is UNSET else groups


def _read_describe_share_group_offsets_request_v0_1(b: bytes, at: int) -> tuple[DescribeShareGroupOffsetsRequest, int]:
    size = len(b)
    m = new(DescribeShareGroupOffsetsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("groups", n)
    groups: list[DescribeShareGroupOffsetsRequestGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(DescribeShareGroupOffsetsRequestGroup)
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
            topics: list[DescribeShareGroupOffsetsRequestTopic] = []
            group.topics = topics
            for _ in range(n):
                topic = new(DescribeShareGroupOffsetsRequestTopic)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("topic_name is null")
                end = at + n - 1
                topic.topic_name = b[at:end].decode("utf-8", "replace")
                at = end
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 4 > size - at:
                    raise fault_length("partitions", n)
                end = at + n * 4
                topic.partitions = [each for (each,) in iter_i(b[at:end])]
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
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeShareGroupOffsetsRequest is {at - size} bytes short")
    return m, at


def _write_describe_share_group_offsets_request_v0_1(m: DescribeShareGroupOffsetsRequest, out: bytearray) -> None:
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
                topic_name = topic.topic_name
                topic_name_bytes = topic_name.encode()
                n = len(topic_name_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += topic_name_bytes
                partitions = topic.partitions
                n = len(partitions) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += b"".join(map(pack_i, partitions))
                out.append(0)
        out.append(0)
    out.append(0)


def _read_describe_share_group_offsets_response_v0(b: bytes, at: int) -> tuple[DescribeShareGroupOffsetsResponse, int]:
    size = len(b)
    m = new(DescribeShareGroupOffsetsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise fault_length("groups", n)
    groups: list[DescribeShareGroupOffsetsResponseGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(DescribeShareGroupOffsetsResponseGroup)
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
        if n < 0 or n * 19 > size - at:
            raise fault_length("topics", n)
        topics: list[DescribeShareGroupOffsetsResponseTopic] = []
        group.topics = topics
        for _ in range(n):
            topic = new(DescribeShareGroupOffsetsResponseTopic)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic_name is null")
            end = at + n - 1
            topic.topic_name = b[at:end].decode("utf-8", "replace")
            at = end
            topic.topic_id, n = unpack_uB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 20 > size - at:
                raise fault_length("partitions", n)
            partitions: list[DescribeShareGroupOffsetsResponsePartition] = []
            topic.partitions = partitions
            for _ in range(n):
                partition = new(DescribeShareGroupOffsetsResponsePartition)
                partition.lag = -1
                partition.partition_index, partition.start_offset, partition.leader_epoch, partition.error_code, n = unpack_iqihB(b, at)
                at += 19
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    partition.error_message = None
                else:
                    end = at + n - 1
                    partition.error_message = b[at:end].decode("utf-8", "replace")
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
        group.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            group.error_message = None
        else:
            end = at + n - 1
            group.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        groups.append(group)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeShareGroupOffsetsResponse is {at - size} bytes short")
    return m, at


def _read_describe_share_group_offsets_response_v1(b: bytes, at: int) -> tuple[DescribeShareGroupOffsetsResponse, int]:
    size = len(b)
    m = new(DescribeShareGroupOffsetsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise fault_length("groups", n)
    groups: list[DescribeShareGroupOffsetsResponseGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(DescribeShareGroupOffsetsResponseGroup)
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
        if n < 0 or n * 19 > size - at:
            raise fault_length("topics", n)
        topics: list[DescribeShareGroupOffsetsResponseTopic] = []
        group.topics = topics
        for _ in range(n):
            topic = new(DescribeShareGroupOffsetsResponseTopic)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic_name is null")
            end = at + n - 1
            topic.topic_name = b[at:end].decode("utf-8", "replace")
            at = end
            topic.topic_id, n = unpack_uB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 28 > size - at:
                raise fault_length("partitions", n)
            partitions: list[DescribeShareGroupOffsetsResponsePartition] = []
            topic.partitions = partitions
            for _ in range(n):
                partition = new(DescribeShareGroupOffsetsResponsePartition)
                partition.partition_index, partition.start_offset, partition.leader_epoch, partition.lag, partition.error_code, n = unpack_iqiqhB(b, at)
                at += 27
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    partition.error_message = None
                else:
                    end = at + n - 1
                    partition.error_message = b[at:end].decode("utf-8", "replace")
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
        group.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            group.error_message = None
        else:
            end = at + n - 1
            group.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        groups.append(group)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeShareGroupOffsetsResponse is {at - size} bytes short")
    return m, at


def _write_describe_share_group_offsets_response_v0(m: DescribeShareGroupOffsetsResponse, out: bytearray) -> None:
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
            topic_name = topic.topic_name
            topic_name_bytes = topic_name.encode()
            n = len(topic_name_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += topic_name_bytes
            partitions = topic.partitions
            out += pack_u(topic.topic_id)
            n = len(partitions) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for partition in partitions:
                error_message = partition.error_message
                error_message_bytes = b"" if error_message is None else error_message.encode()
                out += pack_iqih(partition.partition_index, partition.start_offset, partition.leader_epoch, partition.error_code)
                n = 0 if error_message is None else len(error_message_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += error_message_bytes
                out.append(0)
            out.append(0)
        error_message2 = group.error_message
        error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
        out += pack_h(group.error_code)
        n = 0 if error_message2 is None else len(error_message_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes2
        out.append(0)
    out.append(0)


def _write_describe_share_group_offsets_response_v1(m: DescribeShareGroupOffsetsResponse, out: bytearray) -> None:
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
            topic_name = topic.topic_name
            topic_name_bytes = topic_name.encode()
            n = len(topic_name_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += topic_name_bytes
            partitions = topic.partitions
            out += pack_u(topic.topic_id)
            n = len(partitions) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for partition in partitions:
                error_message = partition.error_message
                error_message_bytes = b"" if error_message is None else error_message.encode()
                out += pack_iqiqh(partition.partition_index, partition.start_offset, partition.leader_epoch, partition.lag, partition.error_code)
                n = 0 if error_message is None else len(error_message_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += error_message_bytes
                out.append(0)
            out.append(0)
        error_message2 = group.error_message
        error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
        out += pack_h(group.error_code)
        n = 0 if error_message2 is None else len(error_message_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes2
        out.append(0)
    out.append(0)


DescribeShareGroupOffsetsRequest.READERS = {
    0: _read_describe_share_group_offsets_request_v0_1,
    1: _read_describe_share_group_offsets_request_v0_1,
}
DescribeShareGroupOffsetsRequest.WRITERS = {
    0: _write_describe_share_group_offsets_request_v0_1,
    1: _write_describe_share_group_offsets_request_v0_1,
}
DescribeShareGroupOffsetsResponse.READERS = {
    0: _read_describe_share_group_offsets_response_v0,
    1: _read_describe_share_group_offsets_response_v1,
}
DescribeShareGroupOffsetsResponse.WRITERS = {
    0: _write_describe_share_group_offsets_response_v0,
    1: _write_describe_share_group_offsets_response_v1,
}
