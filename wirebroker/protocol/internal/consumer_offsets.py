"""Records of __consumer_offsets: committed offsets and group state.

A key begins with an int16 that tells what the record is: 0 and 1 a committed offset, 2 a classic group, 3 and up
the parts of a KIP-848 group; in this file that number is the key's version.  A value begins with its own version;
null removes what the key names.  Keys of unknown versions are skipped.

Generated from protocol_specs/internal/consumer_offsets by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message, default_of
from wirebroker.protocol.primitives import (
    UNSET,
    ZERO_UUID,
    fault_length,
    long_uvarint,
    put_uvarint,
    read_uvarint,
    skip_tags,
)

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_bi = Struct(">bi").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ii = Struct(">ii").pack
pack_iib = Struct(">iib").pack
pack_iii = Struct(">iii").pack
pack_q = Struct(">q").pack
pack_qh = Struct(">qh").pack
pack_qi = Struct(">qi").pack
pack_qih = Struct(">qih").pack
pack_qq = Struct(">qq").pack
pack_qqx = Struct(">qqx").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iiB = Struct(">iiB").unpack_from
unpack_iibB = Struct(">iibB").unpack_from
unpack_iii = Struct(">iii").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_qB = Struct(">qB").unpack_from
unpack_qh = Struct(">qh").unpack_from
unpack_qi = Struct(">qi").unpack_from
unpack_qiB = Struct(">qiB").unpack_from
unpack_qih = Struct(">qih").unpack_from
unpack_qq = Struct(">qq").unpack_from
unpack_qqB = Struct(">qqB").unpack_from
unpack_u = Struct(">16s").unpack_from
unpack_uB = Struct(">16sB").unpack_from


class OffsetCommitKey(Message):
    """v0 and v1 have the same form; v1 is written"""

    VERSIONS = range(0, 2)
    __slots__ = FIELDS = ("group", "topic", "partition")

    def __init__(
        self,
        group: str = "",
        topic: str = "",
        partition: int = 0,
    ) -> None:
        self.group = group
        self.topic = topic
        self.partition = partition


class OffsetCommitValue(Message):
    """v1 is written when an expiry is set, else v3; v4 is read"""

    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = ("offset", "leader_epoch", "metadata", "commit_timestamp", "expire_timestamp", "topic_id")

    def __init__(
        self,
        offset: int = 0,
        leader_epoch: int = -1,
        metadata: str = "",
        commit_timestamp: int = 0,
        expire_timestamp: int = -1,
        topic_id: bytes = ZERO_UUID,
    ) -> None:
        self.offset = offset
        self.leader_epoch = leader_epoch
        self.metadata = metadata
        self.commit_timestamp = commit_timestamp
        self.expire_timestamp = expire_timestamp
        self.topic_id = topic_id


class GroupMetadataKey(Message):
    VERSIONS = range(2, 3)
    __slots__ = FIELDS = ("group",)

    def __init__(
        self,
        group: str = "",
    ) -> None:
        self.group = group


class MemberMetadata(Data):
    __slots__ = FIELDS = (
        "member_id",
        "group_instance_id",
        "client_id",
        "client_host",
        "rebalance_timeout",
        "session_timeout",
        "subscription",
        "assignment",
    )

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        client_id: str = "",
        client_host: str = "",
        rebalance_timeout: int = -1,
        session_timeout: int = 0,
        subscription: bytes = b"",
        assignment: bytes = b"",
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout = rebalance_timeout
        self.session_timeout = session_timeout
        self.subscription = subscription
        self.assignment = assignment


class GroupMetadataValue(Message):
    """v3 is written; v4 is read"""

    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = ("protocol_type", "generation", "protocol", "leader", "current_state_timestamp", "members")

    def __init__(
        self,
        protocol_type: str = "",
        generation: int = 0,
        protocol: str | None = "",
        leader: str | None = "",
        current_state_timestamp: int = -1,
        members: list[MemberMetadata] = UNSET,
    ) -> None:
        self.protocol_type = protocol_type
        self.generation = generation
        self.protocol = protocol
        self.leader = leader
        self.current_state_timestamp = current_state_timestamp
        self.members = [] if members is UNSET else members


class ConsumerGroupMetadataKey(Message):
    """the group as a whole"""

    VERSIONS = range(3, 4)
    __slots__ = FIELDS = ("group_id",)

    def __init__(
        self,
        group_id: str = "",
    ) -> None:
        self.group_id = group_id


class ConsumerGroupMetadataValue(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("epoch", "metadata_hash")

    def __init__(
        self,
        epoch: int = 0,
        metadata_hash: int = 0,
    ) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash


class ConsumerGroupPartitionMetadataKey(Message):
    """topics subscribed to; newer releases write none"""

    VERSIONS = range(4, 5)
    __slots__ = FIELDS = ("group_id",)

    def __init__(
        self,
        group_id: str = "",
    ) -> None:
        self.group_id = group_id


class PartitionMetadata(Data):
    __slots__ = FIELDS = ("partition", "racks")

    def __init__(
        self,
        partition: int = 0,
        racks: list[str] = UNSET,
    ) -> None:
        self.partition = partition
        self.racks = [] if racks is UNSET else racks


class TopicMetadata(Data):
    __slots__ = FIELDS = ("topic_id", "topic_name", "num_partitions", "partition_metadata")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        topic_name: str = "",
        num_partitions: int = 0,
        partition_metadata: list[PartitionMetadata] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.num_partitions = num_partitions
        self.partition_metadata = [] if partition_metadata is UNSET else partition_metadata


class ConsumerGroupPartitionMetadataValue(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("topics",)

    def __init__(
        self,
        topics: list[TopicMetadata] = UNSET,
    ) -> None:
        self.topics = [] if topics is UNSET else topics


class ConsumerGroupMemberMetadataKey(Message):
    """what a member said of itself"""

    VERSIONS = range(5, 6)
    __slots__ = FIELDS = ("group_id", "member_id")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id


class ClassicProtocol(Data):
    __slots__ = FIELDS = ("name", "metadata")

    def __init__(
        self,
        name: str = "",
        metadata: bytes = b"",
    ) -> None:
        self.name = name
        self.metadata = metadata


class ClassicMemberMetadata(Data):
    """null for members that speak the new protocol"""

    __slots__ = FIELDS = ("session_timeout_ms", "supported_protocols")

    def __init__(
        self,
        session_timeout_ms: int = 0,
        supported_protocols: list[ClassicProtocol] = UNSET,
    ) -> None:
        self.session_timeout_ms = session_timeout_ms
        self.supported_protocols = [] if supported_protocols is UNSET else supported_protocols


DEFAULT_ClassicMemberMetadata = default_of(ClassicMemberMetadata)


class ConsumerGroupMemberMetadataValue(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "instance_id",
        "rack_id",
        "client_id",
        "client_host",
        "subscribed_topic_names",
        "subscribed_topic_regex",
        "rebalance_timeout_ms",
        "server_assignor",
        "classic_member_metadata",
    )

    def __init__(
        self,
        instance_id: str | None = "",
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: list[str] = UNSET,
        subscribed_topic_regex: str | None = "",
        rebalance_timeout_ms: int = -1,
        server_assignor: str | None = "",
        classic_member_metadata: ClassicMemberMetadata | None = DEFAULT_ClassicMemberMetadata,
    ) -> None:
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = [] if subscribed_topic_names is UNSET else subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.server_assignor = server_assignor
        self.classic_member_metadata = classic_member_metadata


class ConsumerGroupTargetAssignmentMetadataKey(Message):
    """when partitions were last assigned"""

    VERSIONS = range(6, 7)
    __slots__ = FIELDS = ("group_id",)

    def __init__(
        self,
        group_id: str = "",
    ) -> None:
        self.group_id = group_id


class ConsumerGroupTargetAssignmentMetadataValue(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("assignment_epoch", "assignment_timestamp")

    def __init__(
        self,
        assignment_epoch: int = 0,
        assignment_timestamp: int = 0,
    ) -> None:
        self.assignment_epoch = assignment_epoch
        self.assignment_timestamp = assignment_timestamp


class ConsumerGroupTargetAssignmentMemberKey(Message):
    """what a member shall have"""

    VERSIONS = range(7, 8)
    __slots__ = FIELDS = ("group_id", "member_id")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id


class TargetTopicPartitions(Data):
    __slots__ = FIELDS = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class ConsumerGroupTargetAssignmentMemberValue(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("topic_partitions",)

    def __init__(
        self,
        topic_partitions: list[TargetTopicPartitions] = UNSET,
    ) -> None:
        self.topic_partitions = [] if topic_partitions is UNSET else topic_partitions


class ConsumerGroupCurrentMemberAssignmentKey(Message):
    """what a member has"""

    VERSIONS = range(8, 9)
    __slots__ = FIELDS = ("group_id", "member_id")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id


class CurrentTopicPartitions(Data):
    __slots__ = FIELDS = ("topic_id", "partitions", "assignment_epochs")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[int] = UNSET,
        assignment_epochs: list[int] | None = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.assignment_epochs = [] if assignment_epochs is UNSET else assignment_epochs


class ConsumerGroupCurrentMemberAssignmentValue(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "member_epoch",
        "previous_member_epoch",
        "state",
        "assigned_partitions",
        "partitions_pending_revocation",
    )

    def __init__(
        self,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        assigned_partitions: list[CurrentTopicPartitions] = UNSET,
        partitions_pending_revocation: list[CurrentTopicPartitions] = UNSET,
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.assigned_partitions = [] if assigned_partitions is UNSET else assigned_partitions
        self.partitions_pending_revocation = [] if partitions_pending_revocation is UNSET else partitions_pending_revocation


class ConsumerGroupRegularExpressionKey(Message):
    """which topics match a pattern"""

    VERSIONS = range(16, 17)
    __slots__ = FIELDS = ("group_id", "regular_expression")

    def __init__(
        self,
        group_id: str = "",
        regular_expression: str = "",
    ) -> None:
        self.group_id = group_id
        self.regular_expression = regular_expression


class ConsumerGroupRegularExpressionValue(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("topics", "version", "timestamp")

    def __init__(
        self,
        topics: list[str] = UNSET,
        version: int = 0,
        timestamp: int = 0,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.version = version
        self.timestamp = timestamp


def _read_offset_commit_key_v0_1(b: bytes, at: int) -> tuple[OffsetCommitKey, int]:
    size = len(b)
    m = new(OffsetCommitKey)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group is null")
    end = at + n
    m.group = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("topic is null")
    end = at + n
    m.topic = b[at:end].decode("utf-8", "replace")
    at = end
    m.partition = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"OffsetCommitKey is {at - size} bytes short")
    return m, at


def _write_offset_commit_key_v0_1(m: OffsetCommitKey, out: bytearray) -> None:
    group = m.group
    group_bytes = group.encode()
    out += pack_h(len(group_bytes))
    out += group_bytes
    topic = m.topic
    topic_bytes = topic.encode()
    out += pack_h(len(topic_bytes))
    out += topic_bytes
    out += pack_i(m.partition)


def _read_offset_commit_value_v0_2(b: bytes, at: int) -> tuple[OffsetCommitValue, int]:
    size = len(b)
    m = new(OffsetCommitValue)
    m.leader_epoch = -1
    m.expire_timestamp = -1
    m.topic_id = ZERO_UUID
    m.offset, n = unpack_qh(b, at)
    at += 10
    if n < 0:
        raise ProtocolError("metadata is null")
    end = at + n
    m.metadata = b[at:end].decode("utf-8", "replace")
    at = end
    m.commit_timestamp = unpack_q(b, at)[0]
    at += 8
    if at > size:
        raise ProtocolError(f"OffsetCommitValue is {at - size} bytes short")
    return m, at


def _read_offset_commit_value_v1(b: bytes, at: int) -> tuple[OffsetCommitValue, int]:
    size = len(b)
    m = new(OffsetCommitValue)
    m.leader_epoch = -1
    m.topic_id = ZERO_UUID
    m.offset, n = unpack_qh(b, at)
    at += 10
    if n < 0:
        raise ProtocolError("metadata is null")
    end = at + n
    m.metadata = b[at:end].decode("utf-8", "replace")
    at = end
    m.commit_timestamp, m.expire_timestamp = unpack_qq(b, at)
    at += 16
    if at > size:
        raise ProtocolError(f"OffsetCommitValue is {at - size} bytes short")
    return m, at


def _read_offset_commit_value_v3(b: bytes, at: int) -> tuple[OffsetCommitValue, int]:
    size = len(b)
    m = new(OffsetCommitValue)
    m.expire_timestamp = -1
    m.topic_id = ZERO_UUID
    m.offset, m.leader_epoch, n = unpack_qih(b, at)
    at += 14
    if n < 0:
        raise ProtocolError("metadata is null")
    end = at + n
    m.metadata = b[at:end].decode("utf-8", "replace")
    at = end
    m.commit_timestamp = unpack_q(b, at)[0]
    at += 8
    if at > size:
        raise ProtocolError(f"OffsetCommitValue is {at - size} bytes short")
    return m, at


def _read_offset_commit_value_v4(b: bytes, at: int) -> tuple[OffsetCommitValue, int]:
    size = len(b)
    m = new(OffsetCommitValue)
    m.expire_timestamp = -1
    m.topic_id = ZERO_UUID
    m.offset, m.leader_epoch, n = unpack_qiB(b, at)
    at += 13
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("metadata is null")
    end = at + n - 1
    m.metadata = b[at:end].decode("utf-8", "replace")
    at = end
    m.commit_timestamp, tags = unpack_qB(b, at)
    at += 9
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.topic_id = unpack_u(b, at)[0]
                at += 16
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"OffsetCommitValue is {at - size} bytes short")
    return m, at


def _write_offset_commit_value_v0_2(m: OffsetCommitValue, out: bytearray) -> None:
    metadata = m.metadata
    metadata_bytes = metadata.encode()
    out += pack_qh(m.offset, len(metadata_bytes))
    out += metadata_bytes
    out += pack_q(m.commit_timestamp)


def _write_offset_commit_value_v1(m: OffsetCommitValue, out: bytearray) -> None:
    metadata = m.metadata
    metadata_bytes = metadata.encode()
    out += pack_qh(m.offset, len(metadata_bytes))
    out += metadata_bytes
    out += pack_qq(m.commit_timestamp, m.expire_timestamp)


def _write_offset_commit_value_v3(m: OffsetCommitValue, out: bytearray) -> None:
    metadata = m.metadata
    metadata_bytes = metadata.encode()
    out += pack_qih(m.offset, m.leader_epoch, len(metadata_bytes))
    out += metadata_bytes
    out += pack_q(m.commit_timestamp)


def _write_offset_commit_value_v4(m: OffsetCommitValue, out: bytearray) -> None:
    metadata = m.metadata
    metadata_bytes = metadata.encode()
    out += pack_qi(m.offset, m.leader_epoch)
    n = len(metadata_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += metadata_bytes
    out += pack_q(m.commit_timestamp)
    has_topic_id = m.topic_id != ZERO_UUID
    out.append(has_topic_id)
    if has_topic_id:
        part = bytearray()
        part += pack_u(m.topic_id)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


def _read_group_metadata_key_v2(b: bytes, at: int) -> tuple[GroupMetadataKey, int]:
    size = len(b)
    m = new(GroupMetadataKey)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group is null")
    end = at + n
    m.group = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"GroupMetadataKey is {at - size} bytes short")
    return m, at


def _write_group_metadata_key_v2(m: GroupMetadataKey, out: bytearray) -> None:
    group = m.group
    group_bytes = group.encode()
    out += pack_h(len(group_bytes))
    out += group_bytes


def _read_group_metadata_value_v0(b: bytes, at: int) -> tuple[GroupMetadataValue, int]:
    size = len(b)
    m = new(GroupMetadataValue)
    m.current_state_timestamp = -1
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("protocol_type is null")
    end = at + n
    m.protocol_type = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation, n = unpack_ih(b, at)
    at += 6
    if n < 0:
        m.protocol = None
    else:
        end = at + n
        m.protocol = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.leader = None
    else:
        end = at + n
        m.leader = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 18 > size - at:
        raise fault_length("members", n)
    members: list[MemberMetadata] = []
    m.members = members
    for _ in range(n):
        member = new(MemberMetadata)
        member.group_instance_id = None
        member.rebalance_timeout = -1
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("client_id is null")
        end = at + n
        member.client_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("client_host is null")
        end = at + n
        member.client_host = b[at:end].decode("utf-8", "replace")
        at = end
        member.session_timeout, n = unpack_ii(b, at)
        at += 8
        if n < 0:
            raise ProtocolError("subscription is null")
        end = at + n
        member.subscription = b[at:end]
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0:
            raise ProtocolError("assignment is null")
        end = at + n
        member.assignment = b[at:end]
        at = end
        members.append(member)
    if at > size:
        raise ProtocolError(f"GroupMetadataValue is {at - size} bytes short")
    return m, at


def _read_group_metadata_value_v1(b: bytes, at: int) -> tuple[GroupMetadataValue, int]:
    size = len(b)
    m = new(GroupMetadataValue)
    m.current_state_timestamp = -1
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("protocol_type is null")
    end = at + n
    m.protocol_type = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation, n = unpack_ih(b, at)
    at += 6
    if n < 0:
        m.protocol = None
    else:
        end = at + n
        m.protocol = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.leader = None
    else:
        end = at + n
        m.leader = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 22 > size - at:
        raise fault_length("members", n)
    members: list[MemberMetadata] = []
    m.members = members
    for _ in range(n):
        member = new(MemberMetadata)
        member.group_instance_id = None
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("client_id is null")
        end = at + n
        member.client_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("client_host is null")
        end = at + n
        member.client_host = b[at:end].decode("utf-8", "replace")
        at = end
        member.rebalance_timeout, member.session_timeout, n = unpack_iii(b, at)
        at += 12
        if n < 0:
            raise ProtocolError("subscription is null")
        end = at + n
        member.subscription = b[at:end]
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0:
            raise ProtocolError("assignment is null")
        end = at + n
        member.assignment = b[at:end]
        at = end
        members.append(member)
    if at > size:
        raise ProtocolError(f"GroupMetadataValue is {at - size} bytes short")
    return m, at


def _read_group_metadata_value_v2(b: bytes, at: int) -> tuple[GroupMetadataValue, int]:
    size = len(b)
    m = new(GroupMetadataValue)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("protocol_type is null")
    end = at + n
    m.protocol_type = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation, n = unpack_ih(b, at)
    at += 6
    if n < 0:
        m.protocol = None
    else:
        end = at + n
        m.protocol = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.leader = None
    else:
        end = at + n
        m.leader = b[at:end].decode("utf-8", "replace")
        at = end
    m.current_state_timestamp, n = unpack_qi(b, at)
    at += 12
    if n < 0 or n * 22 > size - at:
        raise fault_length("members", n)
    members: list[MemberMetadata] = []
    m.members = members
    for _ in range(n):
        member = new(MemberMetadata)
        member.group_instance_id = None
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("client_id is null")
        end = at + n
        member.client_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("client_host is null")
        end = at + n
        member.client_host = b[at:end].decode("utf-8", "replace")
        at = end
        member.rebalance_timeout, member.session_timeout, n = unpack_iii(b, at)
        at += 12
        if n < 0:
            raise ProtocolError("subscription is null")
        end = at + n
        member.subscription = b[at:end]
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0:
            raise ProtocolError("assignment is null")
        end = at + n
        member.assignment = b[at:end]
        at = end
        members.append(member)
    if at > size:
        raise ProtocolError(f"GroupMetadataValue is {at - size} bytes short")
    return m, at


def _read_group_metadata_value_v3(b: bytes, at: int) -> tuple[GroupMetadataValue, int]:
    size = len(b)
    m = new(GroupMetadataValue)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("protocol_type is null")
    end = at + n
    m.protocol_type = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation, n = unpack_ih(b, at)
    at += 6
    if n < 0:
        m.protocol = None
    else:
        end = at + n
        m.protocol = b[at:end].decode("utf-8", "replace")
        at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.leader = None
    else:
        end = at + n
        m.leader = b[at:end].decode("utf-8", "replace")
        at = end
    m.current_state_timestamp, n = unpack_qi(b, at)
    at += 12
    if n < 0 or n * 24 > size - at:
        raise fault_length("members", n)
    members: list[MemberMetadata] = []
    m.members = members
    for _ in range(n):
        member = new(MemberMetadata)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            member.group_instance_id = None
        else:
            end = at + n
            member.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("client_id is null")
        end = at + n
        member.client_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("client_host is null")
        end = at + n
        member.client_host = b[at:end].decode("utf-8", "replace")
        at = end
        member.rebalance_timeout, member.session_timeout, n = unpack_iii(b, at)
        at += 12
        if n < 0:
            raise ProtocolError("subscription is null")
        end = at + n
        member.subscription = b[at:end]
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0:
            raise ProtocolError("assignment is null")
        end = at + n
        member.assignment = b[at:end]
        at = end
        members.append(member)
    if at > size:
        raise ProtocolError(f"GroupMetadataValue is {at - size} bytes short")
    return m, at


def _read_group_metadata_value_v4(b: bytes, at: int) -> tuple[GroupMetadataValue, int]:
    size = len(b)
    m = new(GroupMetadataValue)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("protocol_type is null")
    end = at + n - 1
    m.protocol_type = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.protocol = None
    else:
        end = at + n - 1
        m.protocol = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.leader = None
    else:
        end = at + n - 1
        m.leader = b[at:end].decode("utf-8", "replace")
        at = end
    m.current_state_timestamp, n = unpack_qB(b, at)
    at += 9
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 15 > size - at:
        raise fault_length("members", n)
    members: list[MemberMetadata] = []
    m.members = members
    for _ in range(n):
        member = new(MemberMetadata)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("member_id is null")
        end = at + n - 1
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            member.group_instance_id = None
        else:
            end = at + n - 1
            member.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("client_id is null")
        end = at + n - 1
        member.client_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("client_host is null")
        end = at + n - 1
        member.client_host = b[at:end].decode("utf-8", "replace")
        at = end
        member.rebalance_timeout, member.session_timeout, n = unpack_iiB(b, at)
        at += 9
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("subscription is null")
        end = at + n - 1
        member.subscription = b[at:end]
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("assignment is null")
        end = at + n - 1
        member.assignment = b[at:end]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        members.append(member)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"GroupMetadataValue is {at - size} bytes short")
    return m, at


def _write_group_metadata_value_v0(m: GroupMetadataValue, out: bytearray) -> None:
    protocol_type = m.protocol_type
    protocol_type_bytes = protocol_type.encode()
    out += pack_h(len(protocol_type_bytes))
    out += protocol_type_bytes
    protocol = m.protocol
    protocol_bytes = b"" if protocol is None else protocol.encode()
    out += pack_ih(m.generation, -1 if protocol is None else len(protocol_bytes))
    out += protocol_bytes
    leader = m.leader
    leader_bytes = b"" if leader is None else leader.encode()
    out += pack_h(-1 if leader is None else len(leader_bytes))
    out += leader_bytes
    members = m.members
    out += pack_i(len(members))
    for member in members:
        member_id = member.member_id
        member_id_bytes = member_id.encode()
        out += pack_h(len(member_id_bytes))
        out += member_id_bytes
        client_id = member.client_id
        client_id_bytes = client_id.encode()
        out += pack_h(len(client_id_bytes))
        out += client_id_bytes
        client_host = member.client_host
        client_host_bytes = client_host.encode()
        out += pack_h(len(client_host_bytes))
        out += client_host_bytes
        subscription = member.subscription
        out += pack_ii(member.session_timeout, len(subscription))
        out += subscription
        assignment = member.assignment
        out += pack_i(len(assignment))
        out += assignment


def _write_group_metadata_value_v1(m: GroupMetadataValue, out: bytearray) -> None:
    protocol_type = m.protocol_type
    protocol_type_bytes = protocol_type.encode()
    out += pack_h(len(protocol_type_bytes))
    out += protocol_type_bytes
    protocol = m.protocol
    protocol_bytes = b"" if protocol is None else protocol.encode()
    out += pack_ih(m.generation, -1 if protocol is None else len(protocol_bytes))
    out += protocol_bytes
    leader = m.leader
    leader_bytes = b"" if leader is None else leader.encode()
    out += pack_h(-1 if leader is None else len(leader_bytes))
    out += leader_bytes
    members = m.members
    out += pack_i(len(members))
    for member in members:
        member_id = member.member_id
        member_id_bytes = member_id.encode()
        out += pack_h(len(member_id_bytes))
        out += member_id_bytes
        client_id = member.client_id
        client_id_bytes = client_id.encode()
        out += pack_h(len(client_id_bytes))
        out += client_id_bytes
        client_host = member.client_host
        client_host_bytes = client_host.encode()
        out += pack_h(len(client_host_bytes))
        out += client_host_bytes
        subscription = member.subscription
        out += pack_iii(member.rebalance_timeout, member.session_timeout, len(subscription))
        out += subscription
        assignment = member.assignment
        out += pack_i(len(assignment))
        out += assignment


def _write_group_metadata_value_v2(m: GroupMetadataValue, out: bytearray) -> None:
    protocol_type = m.protocol_type
    protocol_type_bytes = protocol_type.encode()
    out += pack_h(len(protocol_type_bytes))
    out += protocol_type_bytes
    protocol = m.protocol
    protocol_bytes = b"" if protocol is None else protocol.encode()
    out += pack_ih(m.generation, -1 if protocol is None else len(protocol_bytes))
    out += protocol_bytes
    leader = m.leader
    leader_bytes = b"" if leader is None else leader.encode()
    out += pack_h(-1 if leader is None else len(leader_bytes))
    out += leader_bytes
    members = m.members
    out += pack_qi(m.current_state_timestamp, len(members))
    for member in members:
        member_id = member.member_id
        member_id_bytes = member_id.encode()
        out += pack_h(len(member_id_bytes))
        out += member_id_bytes
        client_id = member.client_id
        client_id_bytes = client_id.encode()
        out += pack_h(len(client_id_bytes))
        out += client_id_bytes
        client_host = member.client_host
        client_host_bytes = client_host.encode()
        out += pack_h(len(client_host_bytes))
        out += client_host_bytes
        subscription = member.subscription
        out += pack_iii(member.rebalance_timeout, member.session_timeout, len(subscription))
        out += subscription
        assignment = member.assignment
        out += pack_i(len(assignment))
        out += assignment


def _write_group_metadata_value_v3(m: GroupMetadataValue, out: bytearray) -> None:
    protocol_type = m.protocol_type
    protocol_type_bytes = protocol_type.encode()
    out += pack_h(len(protocol_type_bytes))
    out += protocol_type_bytes
    protocol = m.protocol
    protocol_bytes = b"" if protocol is None else protocol.encode()
    out += pack_ih(m.generation, -1 if protocol is None else len(protocol_bytes))
    out += protocol_bytes
    leader = m.leader
    leader_bytes = b"" if leader is None else leader.encode()
    out += pack_h(-1 if leader is None else len(leader_bytes))
    out += leader_bytes
    members = m.members
    out += pack_qi(m.current_state_timestamp, len(members))
    for member in members:
        member_id = member.member_id
        member_id_bytes = member_id.encode()
        out += pack_h(len(member_id_bytes))
        out += member_id_bytes
        group_instance_id = member.group_instance_id
        group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
        out += pack_h(-1 if group_instance_id is None else len(group_instance_id_bytes))
        out += group_instance_id_bytes
        client_id = member.client_id
        client_id_bytes = client_id.encode()
        out += pack_h(len(client_id_bytes))
        out += client_id_bytes
        client_host = member.client_host
        client_host_bytes = client_host.encode()
        out += pack_h(len(client_host_bytes))
        out += client_host_bytes
        subscription = member.subscription
        out += pack_iii(member.rebalance_timeout, member.session_timeout, len(subscription))
        out += subscription
        assignment = member.assignment
        out += pack_i(len(assignment))
        out += assignment


def _write_group_metadata_value_v4(m: GroupMetadataValue, out: bytearray) -> None:
    protocol_type = m.protocol_type
    protocol_type_bytes = protocol_type.encode()
    n = len(protocol_type_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_type_bytes
    protocol = m.protocol
    protocol_bytes = b"" if protocol is None else protocol.encode()
    out += pack_i(m.generation)
    n = 0 if protocol is None else len(protocol_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_bytes
    leader = m.leader
    leader_bytes = b"" if leader is None else leader.encode()
    n = 0 if leader is None else len(leader_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += leader_bytes
    members = m.members
    out += pack_q(m.current_state_timestamp)
    n = len(members) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for member in members:
        member_id = member.member_id
        member_id_bytes = member_id.encode()
        n = len(member_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += member_id_bytes
        group_instance_id = member.group_instance_id
        group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
        n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_instance_id_bytes
        client_id = member.client_id
        client_id_bytes = client_id.encode()
        n = len(client_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += client_id_bytes
        client_host = member.client_host
        client_host_bytes = client_host.encode()
        n = len(client_host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += client_host_bytes
        subscription = member.subscription
        out += pack_ii(member.rebalance_timeout, member.session_timeout)
        n = len(subscription) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += subscription
        assignment = member.assignment
        n = len(assignment) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += assignment
        out.append(0)
    out.append(0)


def _read_consumer_group_metadata_key_v3(b: bytes, at: int) -> tuple[ConsumerGroupMetadataKey, int]:
    size = len(b)
    m = new(ConsumerGroupMetadataKey)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"ConsumerGroupMetadataKey is {at - size} bytes short")
    return m, at


def _write_consumer_group_metadata_key_v3(m: ConsumerGroupMetadataKey, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes


def _read_consumer_group_metadata_value_v0(b: bytes, at: int) -> tuple[ConsumerGroupMetadataValue, int]:
    size = len(b)
    m = new(ConsumerGroupMetadataValue)
    m.metadata_hash = 0
    m.epoch, tags = unpack_iB(b, at)
    at += 5
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.metadata_hash = unpack_q(b, at)[0]
                at += 8
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"ConsumerGroupMetadataValue is {at - size} bytes short")
    return m, at


def _write_consumer_group_metadata_value_v0(m: ConsumerGroupMetadataValue, out: bytearray) -> None:
    out += pack_i(m.epoch)
    has_metadata_hash = m.metadata_hash != 0
    out.append(has_metadata_hash)
    if has_metadata_hash:
        part = bytearray()
        part += pack_q(m.metadata_hash)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


def _read_consumer_group_partition_metadata_key_v4(b: bytes, at: int) -> tuple[ConsumerGroupPartitionMetadataKey, int]:
    size = len(b)
    m = new(ConsumerGroupPartitionMetadataKey)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"ConsumerGroupPartitionMetadataKey is {at - size} bytes short")
    return m, at


def _write_consumer_group_partition_metadata_key_v4(m: ConsumerGroupPartitionMetadataKey, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes


def _read_consumer_group_partition_metadata_value_v0(b: bytes, at: int) -> tuple[ConsumerGroupPartitionMetadataValue, int]:
    size = len(b)
    m = new(ConsumerGroupPartitionMetadataValue)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 23 > size - at:
        raise fault_length("topics", n)
    topics: list[TopicMetadata] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TopicMetadata)
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.num_partitions, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 6 > size - at:
            raise fault_length("partition_metadata", n)
        partition_metadata: list[PartitionMetadata] = []
        topic.partition_metadata = partition_metadata
        for _ in range(n):
            partition_metadata_item = new(PartitionMetadata)
            partition_metadata_item.partition, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n > size - at:
                raise fault_length("racks", n)
            racks: list[str] = []
            partition_metadata_item.racks = racks
            for _ in range(n):
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("racks is null")
                end = at + n - 1
                rack = b[at:end].decode("utf-8", "replace")
                at = end
                racks.append(rack)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            partition_metadata.append(partition_metadata_item)
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
        raise ProtocolError(f"ConsumerGroupPartitionMetadataValue is {at - size} bytes short")
    return m, at


def _write_consumer_group_partition_metadata_value_v0(m: ConsumerGroupPartitionMetadataValue, out: bytearray) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        topic_name = topic.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_u(topic.topic_id)
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        partition_metadata = topic.partition_metadata
        out += pack_i(topic.num_partitions)
        n = len(partition_metadata) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition_metadata_item in partition_metadata:
            racks = partition_metadata_item.racks
            out += pack_i(partition_metadata_item.partition)
            n = len(racks) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for rack in racks:
                racks_bytes = rack.encode()
                n = len(racks_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += racks_bytes
            out.append(0)
        out.append(0)
    out.append(0)


def _read_consumer_group_member_metadata_key_v5(b: bytes, at: int) -> tuple[ConsumerGroupMemberMetadataKey, int]:
    size = len(b)
    m = new(ConsumerGroupMemberMetadataKey)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"ConsumerGroupMemberMetadataKey is {at - size} bytes short")
    return m, at


def _write_consumer_group_member_metadata_key_v5(m: ConsumerGroupMemberMetadataKey, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_h(len(member_id_bytes))
    out += member_id_bytes


def _read_consumer_group_member_metadata_value_v0(b: bytes, at: int) -> tuple[ConsumerGroupMemberMetadataValue, int]:
    size = len(b)
    m = new(ConsumerGroupMemberMetadataValue)
    m.classic_member_metadata = DEFAULT_ClassicMemberMetadata
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.instance_id = None
    else:
        end = at + n - 1
        m.instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.rack_id = None
    else:
        end = at + n - 1
        m.rack_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("client_id is null")
    end = at + n - 1
    m.client_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("client_host is null")
    end = at + n - 1
    m.client_host = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("subscribed_topic_names", n)
    subscribed_topic_names: list[str] = []
    m.subscribed_topic_names = subscribed_topic_names
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("subscribed_topic_names is null")
        end = at + n - 1
        subscribed_topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        subscribed_topic_names.append(subscribed_topic_name)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.subscribed_topic_regex = None
    else:
        end = at + n - 1
        m.subscribed_topic_regex = b[at:end].decode("utf-8", "replace")
        at = end
    m.rebalance_timeout_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.server_assignor = None
    else:
        end = at + n - 1
        m.server_assignor = b[at:end].decode("utf-8", "replace")
        at = end
    tags = b[at]
    at += 1
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                n, at = read_uvarint(b, at)
                if n == 0:
                    m.classic_member_metadata = None
                else:
                    classic_member_metadata = new(ClassicMemberMetadata)
                    classic_member_metadata.session_timeout_ms, n = unpack_iB(b, at)
                    at += 5
                    if n > 127:
                        n, at = long_uvarint(b, at, n)
                    n -= 1
                    if n < 0 or n * 3 > size - at:
                        raise fault_length("supported_protocols", n)
                    supported_protocols: list[ClassicProtocol] = []
                    classic_member_metadata.supported_protocols = supported_protocols
                    for _ in range(n):
                        supported_protocol = new(ClassicProtocol)
                        n = b[at]
                        at += 1
                        if n > 127:
                            n, at = long_uvarint(b, at, n)
                        if n == 0:
                            raise ProtocolError("name is null")
                        end = at + n - 1
                        supported_protocol.name = b[at:end].decode("utf-8", "replace")
                        at = end
                        n = b[at]
                        at += 1
                        if n > 127:
                            n, at = long_uvarint(b, at, n)
                        if n == 0:
                            raise ProtocolError("metadata is null")
                        end = at + n - 1
                        supported_protocol.metadata = b[at:end]
                        at = end
                        tags = b[at]
                        at += 1
                        if tags:
                            at = skip_tags(b, at, tags)
                        supported_protocols.append(supported_protocol)
                    tags = b[at]
                    at += 1
                    if tags:
                        at = skip_tags(b, at, tags)
                    m.classic_member_metadata = classic_member_metadata
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"ConsumerGroupMemberMetadataValue is {at - size} bytes short")
    return m, at


def _write_consumer_group_member_metadata_value_v0(m: ConsumerGroupMemberMetadataValue, out: bytearray) -> None:
    instance_id = m.instance_id
    instance_id_bytes = b"" if instance_id is None else instance_id.encode()
    n = 0 if instance_id is None else len(instance_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += instance_id_bytes
    rack_id = m.rack_id
    rack_id_bytes = b"" if rack_id is None else rack_id.encode()
    n = 0 if rack_id is None else len(rack_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += rack_id_bytes
    client_id = m.client_id
    client_id_bytes = client_id.encode()
    n = len(client_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += client_id_bytes
    client_host = m.client_host
    client_host_bytes = client_host.encode()
    n = len(client_host_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += client_host_bytes
    subscribed_topic_names = m.subscribed_topic_names
    n = len(subscribed_topic_names) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for subscribed_topic_name in subscribed_topic_names:
        subscribed_topic_names_bytes = subscribed_topic_name.encode()
        n = len(subscribed_topic_names_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += subscribed_topic_names_bytes
    subscribed_topic_regex = m.subscribed_topic_regex
    subscribed_topic_regex_bytes = b"" if subscribed_topic_regex is None else subscribed_topic_regex.encode()
    n = 0 if subscribed_topic_regex is None else len(subscribed_topic_regex_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += subscribed_topic_regex_bytes
    server_assignor = m.server_assignor
    server_assignor_bytes = b"" if server_assignor is None else server_assignor.encode()
    out += pack_i(m.rebalance_timeout_ms)
    n = 0 if server_assignor is None else len(server_assignor_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += server_assignor_bytes
    has_classic_member_metadata = (m.classic_member_metadata is not DEFAULT_ClassicMemberMetadata and m.classic_member_metadata != DEFAULT_ClassicMemberMetadata)
    out.append(has_classic_member_metadata)
    if has_classic_member_metadata:
        part = bytearray()
        classic_member_metadata = m.classic_member_metadata
        if classic_member_metadata is None:
            part.append(0)
        else:
            supported_protocols = classic_member_metadata.supported_protocols
            part += pack_bi(1, classic_member_metadata.session_timeout_ms)
            n = len(supported_protocols) + 1
            if n > 127:
                put_uvarint(part, n)
            else:
                part.append(n)
            for supported_protocol in supported_protocols:
                name = supported_protocol.name
                name_bytes = name.encode()
                n = len(name_bytes) + 1
                if n > 127:
                    put_uvarint(part, n)
                else:
                    part.append(n)
                part += name_bytes
                metadata = supported_protocol.metadata
                n = len(metadata) + 1
                if n > 127:
                    put_uvarint(part, n)
                else:
                    part.append(n)
                part += metadata
                part.append(0)
            part.append(0)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


def _read_consumer_group_target_assignment_metadata_key_v6(b: bytes, at: int) -> tuple[ConsumerGroupTargetAssignmentMetadataKey, int]:
    size = len(b)
    m = new(ConsumerGroupTargetAssignmentMetadataKey)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"ConsumerGroupTargetAssignmentMetadataKey is {at - size} bytes short")
    return m, at


def _write_consumer_group_target_assignment_metadata_key_v6(m: ConsumerGroupTargetAssignmentMetadataKey, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes


def _read_consumer_group_target_assignment_metadata_value_v0(b: bytes, at: int) -> tuple[ConsumerGroupTargetAssignmentMetadataValue, int]:
    size = len(b)
    m = new(ConsumerGroupTargetAssignmentMetadataValue)
    m.assignment_timestamp = 0
    m.assignment_epoch, tags = unpack_iB(b, at)
    at += 5
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.assignment_timestamp = unpack_q(b, at)[0]
                at += 8
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"ConsumerGroupTargetAssignmentMetadataValue is {at - size} bytes short")
    return m, at


def _write_consumer_group_target_assignment_metadata_value_v0(m: ConsumerGroupTargetAssignmentMetadataValue, out: bytearray) -> None:
    out += pack_i(m.assignment_epoch)
    has_assignment_timestamp = m.assignment_timestamp != 0
    out.append(has_assignment_timestamp)
    if has_assignment_timestamp:
        part = bytearray()
        part += pack_q(m.assignment_timestamp)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


def _read_consumer_group_target_assignment_member_key_v7(b: bytes, at: int) -> tuple[ConsumerGroupTargetAssignmentMemberKey, int]:
    size = len(b)
    m = new(ConsumerGroupTargetAssignmentMemberKey)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"ConsumerGroupTargetAssignmentMemberKey is {at - size} bytes short")
    return m, at


def _write_consumer_group_target_assignment_member_key_v7(m: ConsumerGroupTargetAssignmentMemberKey, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_h(len(member_id_bytes))
    out += member_id_bytes


def _read_consumer_group_target_assignment_member_value_v0(b: bytes, at: int) -> tuple[ConsumerGroupTargetAssignmentMemberValue, int]:
    size = len(b)
    m = new(ConsumerGroupTargetAssignmentMemberValue)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topic_partitions", n)
    topic_partitions: list[TargetTopicPartitions] = []
    m.topic_partitions = topic_partitions
    for _ in range(n):
        topic_partition = new(TargetTopicPartitions)
        topic_partition.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        topic_partition.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topic_partitions.append(topic_partition)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ConsumerGroupTargetAssignmentMemberValue is {at - size} bytes short")
    return m, at


def _write_consumer_group_target_assignment_member_value_v0(m: ConsumerGroupTargetAssignmentMemberValue, out: bytearray) -> None:
    topic_partitions = m.topic_partitions
    n = len(topic_partitions) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic_partition in topic_partitions:
        partitions = topic_partition.partitions
        out += pack_u(topic_partition.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += b"".join(map(pack_i, partitions))
        out.append(0)
    out.append(0)


def _read_consumer_group_current_member_assignment_key_v8(b: bytes, at: int) -> tuple[ConsumerGroupCurrentMemberAssignmentKey, int]:
    size = len(b)
    m = new(ConsumerGroupCurrentMemberAssignmentKey)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"ConsumerGroupCurrentMemberAssignmentKey is {at - size} bytes short")
    return m, at


def _write_consumer_group_current_member_assignment_key_v8(m: ConsumerGroupCurrentMemberAssignmentKey, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_h(len(member_id_bytes))
    out += member_id_bytes


def _read_consumer_group_current_member_assignment_value_v0(b: bytes, at: int) -> tuple[ConsumerGroupCurrentMemberAssignmentValue, int]:
    size = len(b)
    m = new(ConsumerGroupCurrentMemberAssignmentValue)
    m.member_epoch, m.previous_member_epoch, m.state, n = unpack_iibB(b, at)
    at += 10
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("assigned_partitions", n)
    assigned_partitions: list[CurrentTopicPartitions] = []
    m.assigned_partitions = assigned_partitions
    for _ in range(n):
        assigned_partition = new(CurrentTopicPartitions)
        assigned_partition.assignment_epochs = []
        assigned_partition.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        assigned_partition.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            if tags > 127:
                tags, at = long_uvarint(b, at, tags)
            for _ in range(tags):
                tag, at = read_uvarint(b, at)
                n, at = read_uvarint(b, at)
                tag_end = at + n
                if tag == 0:
                    n = b[at]
                    at += 1
                    if n > 127:
                        n, at = long_uvarint(b, at, n)
                    n -= 1
                    if n < 0:
                        assigned_partition.assignment_epochs = None
                    else:
                        if n * 4 > size - at:
                            raise fault_length("assignment_epochs", n)
                        end = at + n * 4
                        assigned_partition.assignment_epochs = [each for (each,) in iter_i(b[at:end])]
                        at = end
                else:
                    at = tag_end
                if at != tag_end or at > size:
                    raise ProtocolError("a tagged field does not have the size it announces")
        assigned_partitions.append(assigned_partition)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("partitions_pending_revocation", n)
    partitions_pending_revocation: list[CurrentTopicPartitions] = []
    m.partitions_pending_revocation = partitions_pending_revocation
    for _ in range(n):
        partitions_pending_revocation_item = new(CurrentTopicPartitions)
        partitions_pending_revocation_item.assignment_epochs = []
        partitions_pending_revocation_item.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        partitions_pending_revocation_item.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            if tags > 127:
                tags, at = long_uvarint(b, at, tags)
            for _ in range(tags):
                tag, at = read_uvarint(b, at)
                n, at = read_uvarint(b, at)
                tag_end2 = at + n
                if tag == 0:
                    n = b[at]
                    at += 1
                    if n > 127:
                        n, at = long_uvarint(b, at, n)
                    n -= 1
                    if n < 0:
                        partitions_pending_revocation_item.assignment_epochs = None
                    else:
                        if n * 4 > size - at:
                            raise fault_length("assignment_epochs", n)
                        end = at + n * 4
                        partitions_pending_revocation_item.assignment_epochs = [each for (each,) in iter_i(b[at:end])]
                        at = end
                else:
                    at = tag_end2
                if at != tag_end2 or at > size:
                    raise ProtocolError("a tagged field does not have the size it announces")
        partitions_pending_revocation.append(partitions_pending_revocation_item)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ConsumerGroupCurrentMemberAssignmentValue is {at - size} bytes short")
    return m, at


def _write_consumer_group_current_member_assignment_value_v0(m: ConsumerGroupCurrentMemberAssignmentValue, out: bytearray) -> None:
    assigned_partitions = m.assigned_partitions
    out += pack_iib(m.member_epoch, m.previous_member_epoch, m.state)
    n = len(assigned_partitions) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for assigned_partition in assigned_partitions:
        partitions = assigned_partition.partitions
        out += pack_u(assigned_partition.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += b"".join(map(pack_i, partitions))
        has_assignment_epochs = assigned_partition.assignment_epochs != []
        out.append(has_assignment_epochs)
        if has_assignment_epochs:
            part = bytearray()
            assignment_epochs = assigned_partition.assignment_epochs
            n = 0 if assignment_epochs is None else len(assignment_epochs) + 1
            if n > 127:
                put_uvarint(part, n)
            else:
                part.append(n)
            if assignment_epochs is not None:
                part += b"".join(map(pack_i, assignment_epochs))
            put_uvarint(out, 0)
            put_uvarint(out, len(part))
            out += part
    partitions_pending_revocation = m.partitions_pending_revocation
    n = len(partitions_pending_revocation) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for partitions_pending_revocation_item in partitions_pending_revocation:
        partitions2 = partitions_pending_revocation_item.partitions
        out += pack_u(partitions_pending_revocation_item.topic_id)
        n = len(partitions2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += b"".join(map(pack_i, partitions2))
        has_assignment_epochs2 = partitions_pending_revocation_item.assignment_epochs != []
        out.append(has_assignment_epochs2)
        if has_assignment_epochs2:
            part2 = bytearray()
            assignment_epochs2 = partitions_pending_revocation_item.assignment_epochs
            n = 0 if assignment_epochs2 is None else len(assignment_epochs2) + 1
            if n > 127:
                put_uvarint(part2, n)
            else:
                part2.append(n)
            if assignment_epochs2 is not None:
                part2 += b"".join(map(pack_i, assignment_epochs2))
            put_uvarint(out, 0)
            put_uvarint(out, len(part2))
            out += part2
    out.append(0)


def _read_consumer_group_regular_expression_key_v16(b: bytes, at: int) -> tuple[ConsumerGroupRegularExpressionKey, int]:
    size = len(b)
    m = new(ConsumerGroupRegularExpressionKey)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("regular_expression is null")
    end = at + n
    m.regular_expression = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"ConsumerGroupRegularExpressionKey is {at - size} bytes short")
    return m, at


def _write_consumer_group_regular_expression_key_v16(m: ConsumerGroupRegularExpressionKey, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    regular_expression = m.regular_expression
    regular_expression_bytes = regular_expression.encode()
    out += pack_h(len(regular_expression_bytes))
    out += regular_expression_bytes


def _read_consumer_group_regular_expression_value_v0(b: bytes, at: int) -> tuple[ConsumerGroupRegularExpressionValue, int]:
    size = len(b)
    m = new(ConsumerGroupRegularExpressionValue)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("topics", n)
    topics: list[str] = []
    m.topics = topics
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topics is null")
        end = at + n - 1
        topic = b[at:end].decode("utf-8", "replace")
        at = end
        topics.append(topic)
    m.version, m.timestamp, tags = unpack_qqB(b, at)
    at += 17
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ConsumerGroupRegularExpressionValue is {at - size} bytes short")
    return m, at


def _write_consumer_group_regular_expression_value_v0(m: ConsumerGroupRegularExpressionValue, out: bytearray) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        topics_bytes = topic.encode()
        n = len(topics_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topics_bytes
    out += pack_qqx(m.version, m.timestamp)


OffsetCommitKey.READERS = {
    0: _read_offset_commit_key_v0_1,
    1: _read_offset_commit_key_v0_1,
}
OffsetCommitKey.WRITERS = {
    0: _write_offset_commit_key_v0_1,
    1: _write_offset_commit_key_v0_1,
}
OffsetCommitValue.READERS = {
    0: _read_offset_commit_value_v0_2,
    1: _read_offset_commit_value_v1,
    2: _read_offset_commit_value_v0_2,
    3: _read_offset_commit_value_v3,
    4: _read_offset_commit_value_v4,
}
OffsetCommitValue.WRITERS = {
    0: _write_offset_commit_value_v0_2,
    1: _write_offset_commit_value_v1,
    2: _write_offset_commit_value_v0_2,
    3: _write_offset_commit_value_v3,
    4: _write_offset_commit_value_v4,
}
GroupMetadataKey.READERS = {
    2: _read_group_metadata_key_v2,
}
GroupMetadataKey.WRITERS = {
    2: _write_group_metadata_key_v2,
}
GroupMetadataValue.READERS = {
    0: _read_group_metadata_value_v0,
    1: _read_group_metadata_value_v1,
    2: _read_group_metadata_value_v2,
    3: _read_group_metadata_value_v3,
    4: _read_group_metadata_value_v4,
}
GroupMetadataValue.WRITERS = {
    0: _write_group_metadata_value_v0,
    1: _write_group_metadata_value_v1,
    2: _write_group_metadata_value_v2,
    3: _write_group_metadata_value_v3,
    4: _write_group_metadata_value_v4,
}
ConsumerGroupMetadataKey.READERS = {
    3: _read_consumer_group_metadata_key_v3,
}
ConsumerGroupMetadataKey.WRITERS = {
    3: _write_consumer_group_metadata_key_v3,
}
ConsumerGroupMetadataValue.READERS = {
    0: _read_consumer_group_metadata_value_v0,
}
ConsumerGroupMetadataValue.WRITERS = {
    0: _write_consumer_group_metadata_value_v0,
}
ConsumerGroupPartitionMetadataKey.READERS = {
    4: _read_consumer_group_partition_metadata_key_v4,
}
ConsumerGroupPartitionMetadataKey.WRITERS = {
    4: _write_consumer_group_partition_metadata_key_v4,
}
ConsumerGroupPartitionMetadataValue.READERS = {
    0: _read_consumer_group_partition_metadata_value_v0,
}
ConsumerGroupPartitionMetadataValue.WRITERS = {
    0: _write_consumer_group_partition_metadata_value_v0,
}
ConsumerGroupMemberMetadataKey.READERS = {
    5: _read_consumer_group_member_metadata_key_v5,
}
ConsumerGroupMemberMetadataKey.WRITERS = {
    5: _write_consumer_group_member_metadata_key_v5,
}
ConsumerGroupMemberMetadataValue.READERS = {
    0: _read_consumer_group_member_metadata_value_v0,
}
ConsumerGroupMemberMetadataValue.WRITERS = {
    0: _write_consumer_group_member_metadata_value_v0,
}
ConsumerGroupTargetAssignmentMetadataKey.READERS = {
    6: _read_consumer_group_target_assignment_metadata_key_v6,
}
ConsumerGroupTargetAssignmentMetadataKey.WRITERS = {
    6: _write_consumer_group_target_assignment_metadata_key_v6,
}
ConsumerGroupTargetAssignmentMetadataValue.READERS = {
    0: _read_consumer_group_target_assignment_metadata_value_v0,
}
ConsumerGroupTargetAssignmentMetadataValue.WRITERS = {
    0: _write_consumer_group_target_assignment_metadata_value_v0,
}
ConsumerGroupTargetAssignmentMemberKey.READERS = {
    7: _read_consumer_group_target_assignment_member_key_v7,
}
ConsumerGroupTargetAssignmentMemberKey.WRITERS = {
    7: _write_consumer_group_target_assignment_member_key_v7,
}
ConsumerGroupTargetAssignmentMemberValue.READERS = {
    0: _read_consumer_group_target_assignment_member_value_v0,
}
ConsumerGroupTargetAssignmentMemberValue.WRITERS = {
    0: _write_consumer_group_target_assignment_member_value_v0,
}
ConsumerGroupCurrentMemberAssignmentKey.READERS = {
    8: _read_consumer_group_current_member_assignment_key_v8,
}
ConsumerGroupCurrentMemberAssignmentKey.WRITERS = {
    8: _write_consumer_group_current_member_assignment_key_v8,
}
ConsumerGroupCurrentMemberAssignmentValue.READERS = {
    0: _read_consumer_group_current_member_assignment_value_v0,
}
ConsumerGroupCurrentMemberAssignmentValue.WRITERS = {
    0: _write_consumer_group_current_member_assignment_value_v0,
}
ConsumerGroupRegularExpressionKey.READERS = {
    16: _read_consumer_group_regular_expression_key_v16,
}
ConsumerGroupRegularExpressionKey.WRITERS = {
    16: _write_consumer_group_regular_expression_key_v16,
}
ConsumerGroupRegularExpressionValue.READERS = {
    0: _read_consumer_group_regular_expression_value_v0,
}
ConsumerGroupRegularExpressionValue.WRITERS = {
    0: _write_consumer_group_regular_expression_value_v0,
}
