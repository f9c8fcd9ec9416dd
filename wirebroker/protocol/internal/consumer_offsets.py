"""Records of __consumer_offsets: committed offsets and group state.

A key begins with an int16, the type of the record: 0 and 1 a committed offset, 2 a classic group, 3 and up the
parts of a consumer group (KIP-848); in this file the type is the key's version.  A value begins with its own version;
a null value is a tombstone.  Keys of unknown types are skipped.

Generated from protocol_specs/internal/consumer_offsets by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage, default_of
from wirebroker.protocol.primitives import (
    ZERO_UUID,
    count_error,
    new,
    read_long_uvarint,
    read_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_i = Struct(">i").iter_unpack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ii = Struct(">ii").pack
_pack_iiB = Struct(">iiB").pack
_pack_iii = Struct(">iii").pack
_pack_q = Struct(">q").pack
_pack_qB = Struct(">qB").pack
_pack_qh = Struct(">qh").pack
_pack_qi = Struct(">qi").pack
_pack_qiB = Struct(">qiB").pack
_pack_qih = Struct(">qih").pack
_pack_qq = Struct(">qq").pack
_pack_u = Struct(">16s").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_iibB = Struct(">iibB").unpack_from
_unpack_iii = Struct(">iii").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_qB = Struct(">qB").unpack_from
_unpack_qh = Struct(">qh").unpack_from
_unpack_qi = Struct(">qi").unpack_from
_unpack_qiB = Struct(">qiB").unpack_from
_unpack_qih = Struct(">qih").unpack_from
_unpack_qq = Struct(">qq").unpack_from
_unpack_u = Struct(">16s").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class OffsetCommitKey(ReadableMessage):
    """The key of a committed offset; v0 and v1 have the same form, v1 is written."""

    VERSIONS = range(0, 2)

    group: str = ""
    topic: str = ""
    partition: int = 0


class OffsetCommitValue(ReadableMessage, WritableMessage):
    """A committed offset; v1 is written when an expiry is set, else v3; v4 is read."""

    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4

    offset: int = 0
    leader_epoch: int = -1  # v3+
    """Leader epoch, incremented with each leader election; -1 unknown."""
    metadata: str = ""
    commit_timestamp: int = 0
    """In ms."""
    expire_timestamp: int = -1  # v1
    """-1: expires by offsets.retention.minutes."""
    topic_id: bytes = ZERO_UUID  # v4+


class GroupMetadataKey(ReadableMessage, WritableMessage):
    VERSIONS = range(2, 3)

    group: str = ""


class MemberMetadata(Data):
    """An element of `GroupMetadataValue.members`."""

    member_id: str = ""
    group_instance_id: str | None = None  # v3+
    """group.instance.id of a static member (KIP-345); null for dynamic members."""
    client_id: str = ""
    client_host: str = ""
    """Address of the client's host, after a slash."""
    rebalance_timeout: int = -1  # v1+
    """In ms."""
    session_timeout: int = 0
    """In ms."""
    subscription: bytes = b""
    assignment: bytes = b""


class GroupMetadataValue(ReadableMessage, WritableMessage):
    """A classic group; v3 is written, v4 is read."""

    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 4

    protocol_type: str = ""
    generation: int = 0
    protocol: str | None = ""
    """Null in an empty group."""
    leader: str | None = ""
    """Null in an empty group."""
    current_state_timestamp: int = -1  # v2+
    """When the group entered its state, in ms."""
    members: list[MemberMetadata] = []


class ConsumerGroupMetadataKey(ReadableMessage):
    """The key of a consumer group's epoch."""

    VERSIONS = range(3, 4)

    group_id: str = ""


class ConsumerGroupMetadataValue(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    epoch: int = 0
    metadata_hash: int = 0
    """Hash of the metadata of the subscribed topics; 0: to be computed."""


class ConsumerGroupPartitionMetadataKey(ReadableMessage):
    """The key of the partition counts of subscribed topics; newer releases write none."""

    VERSIONS = range(4, 5)

    group_id: str = ""


class PartitionMetadata(Data):
    """An element of `TopicMetadata.partition_metadata`."""

    partition: int = 0
    racks: list[str] = []


class TopicMetadata(Data):
    """An element of `ConsumerGroupPartitionMetadataValue.topics`."""

    topic_id: bytes = ZERO_UUID
    topic_name: str = ""
    num_partitions: int = 0
    partition_metadata: list[PartitionMetadata] = []


class ConsumerGroupPartitionMetadataValue(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    topics: list[TopicMetadata] = []


class ConsumerGroupMemberMetadataKey(ReadableMessage):
    """The key of a member's subscription."""

    VERSIONS = range(5, 6)

    group_id: str = ""
    member_id: str = ""


class ClassicProtocol(Data):
    """An element of `ClassicMemberMetadata.supported_protocols`."""

    name: str = ""
    metadata: bytes = b""


class ClassicMemberMetadata(Data):
    """The value of `ConsumerGroupMemberMetadataValue.classic_member_metadata`."""

    session_timeout_ms: int = 0
    supported_protocols: list[ClassicProtocol] = []


DEFAULT_ClassicMemberMetadata = default_of(ClassicMemberMetadata)


class ConsumerGroupMemberMetadataValue(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    instance_id: str | None = ""
    """group.instance.id of a static member (KIP-345)."""
    rack_id: str | None = ""
    client_id: str = ""
    client_host: str = ""
    """Address of the client's host, after a slash."""
    subscribed_topic_names: list[str] = []
    subscribed_topic_regex: str | None = ""
    """RE2 pattern of topic names."""
    rebalance_timeout_ms: int = -1
    server_assignor: str | None = ""
    """Server-side assignor; null: the group's default."""
    classic_member_metadata: ClassicMemberMetadata | None = DEFAULT_ClassicMemberMetadata
    """Null for members that use the consumer protocol."""


class ConsumerGroupTargetAssignmentMetadataKey(ReadableMessage):
    """The key of the epoch of the target assignment."""

    VERSIONS = range(6, 7)

    group_id: str = ""


class ConsumerGroupTargetAssignmentMetadataValue(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    assignment_epoch: int = 0
    assignment_timestamp: int = 0


class ConsumerGroupTargetAssignmentMemberKey(ReadableMessage):
    """The key of a member's target assignment."""

    VERSIONS = range(7, 8)

    group_id: str = ""
    member_id: str = ""


class TargetTopicPartitions(Data):
    """An element of `ConsumerGroupTargetAssignmentMemberValue.topic_partitions`."""

    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []


class ConsumerGroupTargetAssignmentMemberValue(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    topic_partitions: list[TargetTopicPartitions] = []


class ConsumerGroupCurrentMemberAssignmentKey(ReadableMessage):
    """The key of a member's current assignment."""

    VERSIONS = range(8, 9)

    group_id: str = ""
    member_id: str = ""


class CurrentTopicPartitions(Data):
    """An element of `ConsumerGroupCurrentMemberAssignmentValue.assigned_partitions` and an element of
    `ConsumerGroupCurrentMemberAssignmentValue.partitions_pending_revocation`.
    """

    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []
    assignment_epochs: list[int] | None = []
    """Epoch at which each partition was assigned to the member."""


class ConsumerGroupCurrentMemberAssignmentValue(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    member_epoch: int = 0
    """Member epoch: the group epoch that the member has reached."""
    previous_member_epoch: int = 0
    state: int = 0
    """MemberState: 0 stable, 1 unrevoked partitions, 2 unreleased partitions, 127 unknown."""
    assigned_partitions: list[CurrentTopicPartitions] = []
    partitions_pending_revocation: list[CurrentTopicPartitions] = []


def _read_offset_commit_key_v0_1(b: bytes, at: int, version: int) -> tuple[OffsetCommitKey, int]:
    size = len(b)
    m = new(OffsetCommitKey)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group is null")
    end = at + n
    m.group = b[at:end].decode("utf-8", "replace")
    at = end
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("topic is null")
    end = at + n
    m.topic = b[at:end].decode("utf-8", "replace")
    at = end
    m.partition = _unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"OffsetCommitKey is {at - size} bytes short")
    return m, at


OffsetCommitKey.READERS = dict.fromkeys(range(0, 2), _read_offset_commit_key_v0_1)


def _read_offset_commit_value_v0_3(b: bytes, at: int, version: int) -> tuple[OffsetCommitValue, int]:
    size = len(b)
    m = new(OffsetCommitValue)
    m.topic_id = ZERO_UUID
    if version >= 3:
        m.offset, m.leader_epoch, n = _unpack_qih(b, at)
        at += 14
    else:
        m.leader_epoch = -1
        m.offset, n = _unpack_qh(b, at)
        at += 10
    if n < 0:
        raise ProtocolError("metadata is null")
    end = at + n
    m.metadata = b[at:end].decode("utf-8", "replace")
    at = end
    if version >= 2:
        m.expire_timestamp = -1
        m.commit_timestamp = _unpack_q(b, at)[0]
        at += 8
    elif version >= 1:
        m.commit_timestamp, m.expire_timestamp = _unpack_qq(b, at)
        at += 16
    else:
        m.expire_timestamp = -1
        m.commit_timestamp = _unpack_q(b, at)[0]
        at += 8
    if at > size:
        raise ProtocolError(f"OffsetCommitValue is {at - size} bytes short")
    return m, at


def _read_offset_commit_value_v4(b: bytes, at: int, version: int) -> tuple[OffsetCommitValue, int]:
    size = len(b)
    m = new(OffsetCommitValue)
    m.expire_timestamp = -1
    m.topic_id = ZERO_UUID
    m.offset, m.leader_epoch, n = _unpack_qiB(b, at)
    at += 13
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("metadata is null")
    end = at + n - 1
    m.metadata = b[at:end].decode("utf-8", "replace")
    at = end
    m.commit_timestamp, tags = _unpack_qB(b, at)
    at += 9
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.topic_id = _unpack_u(b, at)[0]
                at += 16
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"OffsetCommitValue is {at - size} bytes short")
    return m, at


OffsetCommitValue.READERS = dict.fromkeys(range(0, 4), _read_offset_commit_value_v0_3) | dict.fromkeys(range(4, 5), _read_offset_commit_value_v4)


def _write_offset_commit_value_v0_3(m: OffsetCommitValue, out: bytearray, version: int) -> None:
    metadata = m.metadata
    metadata_bytes = metadata.encode()
    if version >= 3:
        out += _pack_qih(m.offset, m.leader_epoch, len(metadata_bytes))
    else:
        out += _pack_qh(m.offset, len(metadata_bytes))
    out += metadata_bytes
    if version >= 2:
        out += _pack_q(m.commit_timestamp)
    elif version >= 1:
        out += _pack_qq(m.commit_timestamp, m.expire_timestamp)
    else:
        out += _pack_q(m.commit_timestamp)


def _write_offset_commit_value_v4(m: OffsetCommitValue, out: bytearray, version: int) -> None:
    metadata = m.metadata
    metadata_bytes = metadata.encode()
    n = len(metadata_bytes) + 1
    if n > 127:
        out += _pack_qi(m.offset, m.leader_epoch)
        write_uvarint(out, n)
    else:
        out += _pack_qiB(m.offset, m.leader_epoch, n)
    out += metadata_bytes
    out += _pack_q(m.commit_timestamp)
    if m.topic_id != ZERO_UUID:
        out.append(1)
        part = bytearray()
        part += _pack_u(m.topic_id)
        write_uvarint(out, 0)
        write_uvarint(out, len(part))
        out += part
    else:
        out.append(0)


OffsetCommitValue.WRITERS = dict.fromkeys(range(0, 4), _write_offset_commit_value_v0_3) | dict.fromkeys(range(4, 5), _write_offset_commit_value_v4)


def _read_group_metadata_key_v2(b: bytes, at: int, version: int) -> tuple[GroupMetadataKey, int]:
    size = len(b)
    m = new(GroupMetadataKey)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group is null")
    end = at + n
    m.group = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"GroupMetadataKey is {at - size} bytes short")
    return m, at


GroupMetadataKey.READERS = dict.fromkeys(range(2, 3), _read_group_metadata_key_v2)


def _write_group_metadata_key_v2(m: GroupMetadataKey, out: bytearray, version: int) -> None:
    group = m.group
    group_bytes = group.encode()
    out += _pack_h(len(group_bytes))
    out += group_bytes


GroupMetadataKey.WRITERS = dict.fromkeys(range(2, 3), _write_group_metadata_key_v2)


def _read_group_metadata_value_v0_3(b: bytes, at: int, version: int) -> tuple[GroupMetadataValue, int]:
    size = len(b)
    m = new(GroupMetadataValue)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("protocol_type is null")
    end = at + n
    m.protocol_type = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation, n = _unpack_ih(b, at)
    at += 6
    if n < 0:
        m.protocol = None
    else:
        end = at + n
        m.protocol = b[at:end].decode("utf-8", "replace")
        at = end
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.leader = None
    else:
        end = at + n
        m.leader = b[at:end].decode("utf-8", "replace")
        at = end
    if version >= 2:
        m.current_state_timestamp, n = _unpack_qi(b, at)
        at += 12
    else:
        m.current_state_timestamp = -1
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 18 > size - at:
        raise count_error("members", n)
    members: list[MemberMetadata] = []
    m.members = members
    for _ in range(n):
        member = new(MemberMetadata)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("member_id is null")
        end = at + n
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        if version >= 3:
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                member.group_instance_id = None
            else:
                end = at + n
                member.group_instance_id = b[at:end].decode("utf-8", "replace")
                at = end
        else:
            member.group_instance_id = None
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("client_id is null")
        end = at + n
        member.client_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("client_host is null")
        end = at + n
        member.client_host = b[at:end].decode("utf-8", "replace")
        at = end
        if version >= 1:
            member.rebalance_timeout, member.session_timeout, n = _unpack_iii(b, at)
            at += 12
        else:
            member.rebalance_timeout = -1
            member.session_timeout, n = _unpack_ii(b, at)
            at += 8
        if n < 0:
            raise ProtocolError("subscription is null")
        end = at + n
        member.subscription = b[at:end]
        at = end
        n = _unpack_i(b, at)[0]
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


def _read_group_metadata_value_v4(b: bytes, at: int, version: int) -> tuple[GroupMetadataValue, int]:
    size = len(b)
    m = new(GroupMetadataValue)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("protocol_type is null")
    end = at + n - 1
    m.protocol_type = b[at:end].decode("utf-8", "replace")
    at = end
    m.generation, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.protocol = None
    else:
        end = at + n - 1
        m.protocol = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.leader = None
    else:
        end = at + n - 1
        m.leader = b[at:end].decode("utf-8", "replace")
        at = end
    m.current_state_timestamp, n = _unpack_qB(b, at)
    at += 9
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 15 > size - at:
        raise count_error("members", n)
    members: list[MemberMetadata] = []
    m.members = members
    for _ in range(n):
        member = new(MemberMetadata)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("member_id is null")
        end = at + n - 1
        member.member_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            member.group_instance_id = None
        else:
            end = at + n - 1
            member.group_instance_id = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("client_id is null")
        end = at + n - 1
        member.client_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("client_host is null")
        end = at + n - 1
        member.client_host = b[at:end].decode("utf-8", "replace")
        at = end
        member.rebalance_timeout, member.session_timeout, n = _unpack_iiB(b, at)
        at += 9
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("subscription is null")
        end = at + n - 1
        member.subscription = b[at:end]
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("assignment is null")
        end = at + n - 1
        member.assignment = b[at:end]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        members.append(member)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"GroupMetadataValue is {at - size} bytes short")
    return m, at


GroupMetadataValue.READERS = dict.fromkeys(range(0, 4), _read_group_metadata_value_v0_3) | dict.fromkeys(range(4, 5), _read_group_metadata_value_v4)


def _write_group_metadata_value_v0_3(m: GroupMetadataValue, out: bytearray, version: int) -> None:
    protocol_type = m.protocol_type
    protocol_type_bytes = protocol_type.encode()
    out += _pack_h(len(protocol_type_bytes))
    out += protocol_type_bytes
    protocol = m.protocol
    protocol_bytes = b"" if protocol is None else protocol.encode()
    out += _pack_ih(m.generation, -1 if protocol is None else len(protocol_bytes))
    out += protocol_bytes
    leader = m.leader
    leader_bytes = b"" if leader is None else leader.encode()
    out += _pack_h(-1 if leader is None else len(leader_bytes))
    out += leader_bytes
    members = m.members
    if version >= 2:
        out += _pack_qi(m.current_state_timestamp, len(members))
    else:
        out += _pack_i(len(members))
    for member in members:
        member_id = member.member_id
        member_id_bytes = member_id.encode()
        out += _pack_h(len(member_id_bytes))
        out += member_id_bytes
        if version >= 3:
            group_instance_id = member.group_instance_id
            group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
            out += _pack_h(-1 if group_instance_id is None else len(group_instance_id_bytes))
            out += group_instance_id_bytes
        client_id = member.client_id
        client_id_bytes = client_id.encode()
        out += _pack_h(len(client_id_bytes))
        out += client_id_bytes
        client_host = member.client_host
        client_host_bytes = client_host.encode()
        out += _pack_h(len(client_host_bytes))
        out += client_host_bytes
        subscription = member.subscription
        if version >= 1:
            out += _pack_iii(member.rebalance_timeout, member.session_timeout, len(subscription))
        else:
            out += _pack_ii(member.session_timeout, len(subscription))
        out += subscription
        assignment = member.assignment
        out += _pack_i(len(assignment))
        out += assignment


def _write_group_metadata_value_v4(m: GroupMetadataValue, out: bytearray, version: int) -> None:
    protocol_type = m.protocol_type
    protocol_type_bytes = protocol_type.encode()
    n = len(protocol_type_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += protocol_type_bytes
    protocol = m.protocol
    protocol_bytes = b"" if protocol is None else protocol.encode()
    n = 0 if protocol is None else len(protocol_bytes) + 1
    if n > 127:
        out += _pack_i(m.generation)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.generation, n)
    out += protocol_bytes
    leader = m.leader
    leader_bytes = b"" if leader is None else leader.encode()
    n = 0 if leader is None else len(leader_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += leader_bytes
    members = m.members
    n = len(members) + 1
    if n > 127:
        out += _pack_q(m.current_state_timestamp)
        write_uvarint(out, n)
    else:
        out += _pack_qB(m.current_state_timestamp, n)
    for member in members:
        member_id = member.member_id
        member_id_bytes = member_id.encode()
        n = len(member_id_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += member_id_bytes
        group_instance_id = member.group_instance_id
        group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
        n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += group_instance_id_bytes
        client_id = member.client_id
        client_id_bytes = client_id.encode()
        n = len(client_id_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += client_id_bytes
        client_host = member.client_host
        client_host_bytes = client_host.encode()
        n = len(client_host_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += client_host_bytes
        subscription = member.subscription
        n = len(subscription) + 1
        if n > 127:
            out += _pack_ii(member.rebalance_timeout, member.session_timeout)
            write_uvarint(out, n)
        else:
            out += _pack_iiB(member.rebalance_timeout, member.session_timeout, n)
        out += subscription
        assignment = member.assignment
        n = len(assignment) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += assignment
        out.append(0)
    out.append(0)


GroupMetadataValue.WRITERS = dict.fromkeys(range(0, 4), _write_group_metadata_value_v0_3) | dict.fromkeys(range(4, 5), _write_group_metadata_value_v4)


def _read_consumer_group_metadata_key_v3(b: bytes, at: int, version: int) -> tuple[ConsumerGroupMetadataKey, int]:
    size = len(b)
    m = new(ConsumerGroupMetadataKey)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"ConsumerGroupMetadataKey is {at - size} bytes short")
    return m, at


ConsumerGroupMetadataKey.READERS = dict.fromkeys(range(3, 4), _read_consumer_group_metadata_key_v3)


def _read_consumer_group_metadata_value_v0(b: bytes, at: int, version: int) -> tuple[ConsumerGroupMetadataValue, int]:
    size = len(b)
    m = new(ConsumerGroupMetadataValue)
    m.metadata_hash = 0
    m.epoch, tags = _unpack_iB(b, at)
    at += 5
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.metadata_hash = _unpack_q(b, at)[0]
                at += 8
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"ConsumerGroupMetadataValue is {at - size} bytes short")
    return m, at


ConsumerGroupMetadataValue.READERS = dict.fromkeys(range(0, 1), _read_consumer_group_metadata_value_v0)


def _read_consumer_group_partition_metadata_key_v4(b: bytes, at: int, version: int) -> tuple[ConsumerGroupPartitionMetadataKey, int]:
    size = len(b)
    m = new(ConsumerGroupPartitionMetadataKey)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"ConsumerGroupPartitionMetadataKey is {at - size} bytes short")
    return m, at


ConsumerGroupPartitionMetadataKey.READERS = dict.fromkeys(range(4, 5), _read_consumer_group_partition_metadata_key_v4)


def _read_consumer_group_partition_metadata_value_v0(b: bytes, at: int, version: int) -> tuple[ConsumerGroupPartitionMetadataValue, int]:
    size = len(b)
    m = new(ConsumerGroupPartitionMetadataValue)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 23 > size - at:
        raise count_error("topics", n)
    topics: list[TopicMetadata] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TopicMetadata)
        topic.topic_id, n = _unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.num_partitions, n = _unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 6 > size - at:
            raise count_error("partition_metadata", n)
        partition_metadata: list[PartitionMetadata] = []
        topic.partition_metadata = partition_metadata
        for _ in range(n):
            partition_metadata_item = new(PartitionMetadata)
            partition_metadata_item.partition, n = _unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n > size - at:
                raise count_error("racks", n)
            racks: list[str] = []
            partition_metadata_item.racks = racks
            for _ in range(n):
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("racks is null")
                end = at + n - 1
                rack = b[at:end].decode("utf-8", "replace")
                at = end
                racks.append(rack)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partition_metadata.append(partition_metadata_item)
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
        raise ProtocolError(f"ConsumerGroupPartitionMetadataValue is {at - size} bytes short")
    return m, at


ConsumerGroupPartitionMetadataValue.READERS = dict.fromkeys(range(0, 1), _read_consumer_group_partition_metadata_value_v0)


def _read_consumer_group_member_metadata_key_v5(b: bytes, at: int, version: int) -> tuple[ConsumerGroupMemberMetadataKey, int]:
    size = len(b)
    m = new(ConsumerGroupMemberMetadataKey)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"ConsumerGroupMemberMetadataKey is {at - size} bytes short")
    return m, at


ConsumerGroupMemberMetadataKey.READERS = dict.fromkeys(range(5, 6), _read_consumer_group_member_metadata_key_v5)


def _read_consumer_group_member_metadata_value_v0(b: bytes, at: int, version: int) -> tuple[ConsumerGroupMemberMetadataValue, int]:
    size = len(b)
    m = new(ConsumerGroupMemberMetadataValue)
    m.classic_member_metadata = DEFAULT_ClassicMemberMetadata
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.instance_id = None
    else:
        end = at + n - 1
        m.instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.rack_id = None
    else:
        end = at + n - 1
        m.rack_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("client_id is null")
    end = at + n - 1
    m.client_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("client_host is null")
    end = at + n - 1
    m.client_host = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise count_error("subscribed_topic_names", n)
    subscribed_topic_names: list[str] = []
    m.subscribed_topic_names = subscribed_topic_names
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("subscribed_topic_names is null")
        end = at + n - 1
        subscribed_topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        subscribed_topic_names.append(subscribed_topic_name)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.subscribed_topic_regex = None
    else:
        end = at + n - 1
        m.subscribed_topic_regex = b[at:end].decode("utf-8", "replace")
        at = end
    m.rebalance_timeout_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
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
            tags, at = read_long_uvarint(b, at, tags)
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
                    classic_member_metadata.session_timeout_ms, n = _unpack_iB(b, at)
                    at += 5
                    if n > 127:
                        n, at = read_long_uvarint(b, at, n)
                    n -= 1
                    if n < 0 or n * 3 > size - at:
                        raise count_error("supported_protocols", n)
                    supported_protocols: list[ClassicProtocol] = []
                    classic_member_metadata.supported_protocols = supported_protocols
                    for _ in range(n):
                        supported_protocol = new(ClassicProtocol)
                        n = b[at]
                        at += 1
                        if n > 127:
                            n, at = read_long_uvarint(b, at, n)
                        if n == 0:
                            raise ProtocolError("name is null")
                        end = at + n - 1
                        supported_protocol.name = b[at:end].decode("utf-8", "replace")
                        at = end
                        n = b[at]
                        at += 1
                        if n > 127:
                            n, at = read_long_uvarint(b, at, n)
                        if n == 0:
                            raise ProtocolError("metadata is null")
                        end = at + n - 1
                        supported_protocol.metadata = b[at:end]
                        at = end
                        tags = b[at]
                        at += 1
                        if tags:
                            at = skip_tagged_fields(b, at, tags)
                        supported_protocols.append(supported_protocol)
                    tags = b[at]
                    at += 1
                    if tags:
                        at = skip_tagged_fields(b, at, tags)
                    m.classic_member_metadata = classic_member_metadata
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"ConsumerGroupMemberMetadataValue is {at - size} bytes short")
    return m, at


ConsumerGroupMemberMetadataValue.READERS = dict.fromkeys(range(0, 1), _read_consumer_group_member_metadata_value_v0)


def _read_consumer_group_target_assignment_metadata_key_v6(b: bytes, at: int, version: int) -> tuple[ConsumerGroupTargetAssignmentMetadataKey, int]:
    size = len(b)
    m = new(ConsumerGroupTargetAssignmentMetadataKey)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"ConsumerGroupTargetAssignmentMetadataKey is {at - size} bytes short")
    return m, at


ConsumerGroupTargetAssignmentMetadataKey.READERS = dict.fromkeys(range(6, 7), _read_consumer_group_target_assignment_metadata_key_v6)


def _read_consumer_group_target_assignment_metadata_value_v0(b: bytes, at: int, version: int) -> tuple[ConsumerGroupTargetAssignmentMetadataValue, int]:
    size = len(b)
    m = new(ConsumerGroupTargetAssignmentMetadataValue)
    m.assignment_timestamp = 0
    m.assignment_epoch, tags = _unpack_iB(b, at)
    at += 5
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.assignment_timestamp = _unpack_q(b, at)[0]
                at += 8
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"ConsumerGroupTargetAssignmentMetadataValue is {at - size} bytes short")
    return m, at


ConsumerGroupTargetAssignmentMetadataValue.READERS = dict.fromkeys(range(0, 1), _read_consumer_group_target_assignment_metadata_value_v0)


def _read_consumer_group_target_assignment_member_key_v7(b: bytes, at: int, version: int) -> tuple[ConsumerGroupTargetAssignmentMemberKey, int]:
    size = len(b)
    m = new(ConsumerGroupTargetAssignmentMemberKey)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"ConsumerGroupTargetAssignmentMemberKey is {at - size} bytes short")
    return m, at


ConsumerGroupTargetAssignmentMemberKey.READERS = dict.fromkeys(range(7, 8), _read_consumer_group_target_assignment_member_key_v7)


def _read_consumer_group_target_assignment_member_value_v0(b: bytes, at: int, version: int) -> tuple[ConsumerGroupTargetAssignmentMemberValue, int]:
    size = len(b)
    m = new(ConsumerGroupTargetAssignmentMemberValue)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise count_error("topic_partitions", n)
    topic_partitions: list[TargetTopicPartitions] = []
    m.topic_partitions = topic_partitions
    for _ in range(n):
        topic_partition = new(TargetTopicPartitions)
        topic_partition.topic_id, n = _unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise count_error("partitions", n)
        end = at + n * 4
        topic_partition.partitions = [each for (each,) in _iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topic_partitions.append(topic_partition)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ConsumerGroupTargetAssignmentMemberValue is {at - size} bytes short")
    return m, at


ConsumerGroupTargetAssignmentMemberValue.READERS = dict.fromkeys(range(0, 1), _read_consumer_group_target_assignment_member_value_v0)


def _read_consumer_group_current_member_assignment_key_v8(b: bytes, at: int, version: int) -> tuple[ConsumerGroupCurrentMemberAssignmentKey, int]:
    size = len(b)
    m = new(ConsumerGroupCurrentMemberAssignmentKey)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("member_id is null")
    end = at + n
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"ConsumerGroupCurrentMemberAssignmentKey is {at - size} bytes short")
    return m, at


ConsumerGroupCurrentMemberAssignmentKey.READERS = dict.fromkeys(range(8, 9), _read_consumer_group_current_member_assignment_key_v8)


def _read_consumer_group_current_member_assignment_value_v0(b: bytes, at: int, version: int) -> tuple[ConsumerGroupCurrentMemberAssignmentValue, int]:
    size = len(b)
    m = new(ConsumerGroupCurrentMemberAssignmentValue)
    m.member_epoch, m.previous_member_epoch, m.state, n = _unpack_iibB(b, at)
    at += 10
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise count_error("assigned_partitions", n)
    assigned_partitions: list[CurrentTopicPartitions] = []
    m.assigned_partitions = assigned_partitions
    for _ in range(n):
        assigned_partition = new(CurrentTopicPartitions)
        assigned_partition.assignment_epochs = []
        assigned_partition.topic_id, n = _unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise count_error("partitions", n)
        end = at + n * 4
        assigned_partition.partitions = [each for (each,) in _iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            if tags > 127:
                tags, at = read_long_uvarint(b, at, tags)
            for _ in range(tags):
                tag, at = read_uvarint(b, at)
                n, at = read_uvarint(b, at)
                tag_end = at + n
                if tag == 0:
                    n = b[at]
                    at += 1
                    if n > 127:
                        n, at = read_long_uvarint(b, at, n)
                    n -= 1
                    if n < 0:
                        assigned_partition.assignment_epochs = None
                    else:
                        if n * 4 > size - at:
                            raise count_error("assignment_epochs", n)
                        end = at + n * 4
                        assigned_partition.assignment_epochs = [each for (each,) in _iter_i(b[at:end])]
                        at = end
                else:
                    at = tag_end
                if at != tag_end or at > size:
                    raise ProtocolError("a tagged field does not have the size it announces")
        assigned_partitions.append(assigned_partition)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise count_error("partitions_pending_revocation", n)
    partitions_pending_revocation: list[CurrentTopicPartitions] = []
    m.partitions_pending_revocation = partitions_pending_revocation
    for _ in range(n):
        partitions_pending_revocation_item = new(CurrentTopicPartitions)
        partitions_pending_revocation_item.assignment_epochs = []
        partitions_pending_revocation_item.topic_id, n = _unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise count_error("partitions", n)
        end = at + n * 4
        partitions_pending_revocation_item.partitions = [each for (each,) in _iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            if tags > 127:
                tags, at = read_long_uvarint(b, at, tags)
            for _ in range(tags):
                tag, at = read_uvarint(b, at)
                n, at = read_uvarint(b, at)
                tag_end2 = at + n
                if tag == 0:
                    n = b[at]
                    at += 1
                    if n > 127:
                        n, at = read_long_uvarint(b, at, n)
                    n -= 1
                    if n < 0:
                        partitions_pending_revocation_item.assignment_epochs = None
                    else:
                        if n * 4 > size - at:
                            raise count_error("assignment_epochs", n)
                        end = at + n * 4
                        partitions_pending_revocation_item.assignment_epochs = [each for (each,) in _iter_i(b[at:end])]
                        at = end
                else:
                    at = tag_end2
                if at != tag_end2 or at > size:
                    raise ProtocolError("a tagged field does not have the size it announces")
        partitions_pending_revocation.append(partitions_pending_revocation_item)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ConsumerGroupCurrentMemberAssignmentValue is {at - size} bytes short")
    return m, at


ConsumerGroupCurrentMemberAssignmentValue.READERS = dict.fromkeys(range(0, 1), _read_consumer_group_current_member_assignment_value_v0)
