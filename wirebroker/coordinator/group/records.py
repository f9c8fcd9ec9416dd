"""The codec of __consumer_offsets: committed offsets and classic groups, byte for byte as Apache Kafka 3.9 writes them.

Schemas: protocol_specs/internal/consumer_offsets.  Offsets are written as value version 3, or 1 when they carry an
expiry of their own; groups as version 3.  Both are older ones for an older release, and in a cluster whose
`inter.broker.protocol.version` is older, as its brokers have to read what the coordinator before them has written
(`RecordVersions`).  All older and newer versions are read; kinds that are not ours (keys from 3 on) are skipped.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from struct import error as StructError
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.coordinator.group.classic_group import ClassicGroup, ClassicGroupState
from wirebroker.coordinator.group.classic_group_member import ClassicGroupMember
from wirebroker.coordinator.group.offset_metadata_manager import OffsetAndMetadata
from wirebroker.coordinator.turn import CoordinatorRecord
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.internal.consumer_offsets import (
    GroupMetadataKey,
    GroupMetadataValue,
    MemberMetadata,
    OffsetCommitKey,
    OffsetCommitValue,
)
from wirebroker.protocol.internal.consumer_protocol import ConsumerProtocolSubscription
from wirebroker.protocol.message import record_version

if TYPE_CHECKING:
    from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
    from wirebroker.releases.profile import ReleaseProfile

_OFFSET_KEY = 1
_OFFSET_VALUE = 3
_OFFSET_VALUE_WITH_EXPIRY = 1
_GROUP_KEY = 2


class RecordVersions(NamedTuple):
    """How a release, or a cluster, writes and expires what is in `__consumer_offsets`."""

    group_value: int = 3
    """The version of the values of groups."""
    offset_value: int = _OFFSET_VALUE
    """The version of the values of offsets without an expiry of their own."""
    expires_by_record: bool = False
    """Whether each commit is written with its expire timestamp (value version 1) and goes by that, whether its group
    has members or not, as before KIP-211."""


NEWEST = RecordVersions()


def record_versions(profile: ReleaseProfile, protocol: InterBrokerProtocol | None = None) -> RecordVersions:
    """Return what a broker of the release writes with the inter-broker protocol of its cluster.

    Args:
        profile: The release.
        protocol: That of the cluster; None for the release's own.
    """

    def is_at_least(release: str, level: str) -> bool:
        return profile.is_at_least(release) and (protocol is None or protocol.is_at_least(level))

    if not is_at_least("2.1", "2.1-IV0"):
        return RecordVersions(1, _OFFSET_VALUE_WITH_EXPIRY, expires_by_record=not profile.is_at_least("2.1"))
    offset_value = _OFFSET_VALUE if is_at_least("2.1", "2.1-IV1") else 2
    return RecordVersions(3 if is_at_least("2.3", "2.3-IV0") else 2, offset_value)


class OffsetRecord(NamedTuple):
    """A committed offset; None for a tombstone."""

    group_id: str
    topic: str
    partition: int
    committed: OffsetAndMetadata | None


class GroupRecord(NamedTuple):
    """A classic group; None for a tombstone."""

    group_id: str
    value: GroupMetadataValue | None


_two_shorts = Struct(">hh").unpack_from
_short = Struct(">h").unpack_from
_int = Struct(">i").unpack_from
_version_offset_epoch_length = Struct(">hqih").unpack_from
_long = Struct(">q").unpack_from
_put_two_shorts = Struct(">hh").pack
_put_short = Struct(">h").pack
_put_int = Struct(">i").pack
_put_version_offset_epoch_length = Struct(">hqih").pack
_put_long = Struct(">q").pack


@lru_cache(1024)
def _names(prefix: bytes) -> tuple[str, str] | None:
    """Group and topic of an offset's key without its partition; None if it is no such key.  Cached: they repeat."""
    kind, length = _two_shorts(prefix)
    topic_at = 4 + length
    (topic_length,) = _short(prefix, topic_at)
    topic_at += 2
    if not 0 <= kind <= _OFFSET_KEY or min(length, topic_length) < 0 or len(prefix) != topic_at + topic_length:
        return None
    return str(prefix[4 : 4 + length], "utf-8"), intern(str(prefix[topic_at:], "utf-8"))


def _parse_offset_v3(key: bytes, value: bytes) -> OffsetRecord | None:
    """Parse a commit of value version 3, which 3.9 writes, without the generated codec: a load has millions of them.

    None for every other record and for a malformed one, which the generated code then parses or refuses.
    """
    try:
        names = _names(key[:-4])
        version, offset, leader_epoch, metadata_length = _version_offset_epoch_length(value)
        written_at = 16 + metadata_length
        if names is None or version != _OFFSET_VALUE or metadata_length < 0 or len(value) != written_at + 8:
            return None
        metadata = str(value[16:written_at], "utf-8") if metadata_length else ""
        (commit_ms,) = _long(value, written_at)
        (partition,) = _int(key, len(key) - 4)
        return OffsetRecord(names[0], names[1], partition, OffsetAndMetadata(offset, leader_epoch, metadata, commit_ms))
    except (StructError, UnicodeDecodeError):
        return None


def read(record: CoordinatorRecord) -> OffsetRecord | GroupRecord | None:
    """Parse a record; None for kinds that are not kept.

    Raises:
        ProtocolError: malformed.
    """
    if record.value is not None:
        offset = _parse_offset_v3(record.key, record.value)
        if offset is not None:
            return offset
    kind = record_version(record.key)
    if kind <= _OFFSET_KEY:
        key = OffsetCommitKey.from_record(record.key)
        if record.value is None:
            return OffsetRecord(key.group, key.topic, key.partition, None)
        value = OffsetCommitValue.from_record(record.value)
        committed = OffsetAndMetadata(
            value.offset, value.leader_epoch, value.metadata, value.commit_timestamp, value.expire_timestamp
        )
        return OffsetRecord(key.group, key.topic, key.partition, committed)
    if kind == _GROUP_KEY:
        group_id = GroupMetadataKey.from_record(record.key).group
        return GroupRecord(group_id, None if record.value is None else GroupMetadataValue.from_record(record.value))
    return None


def offset_record(
    group_id: str,
    topic: str,
    partition: int,
    committed: OffsetAndMetadata | None,
    value_version: int = NEWEST.offset_value,
) -> CoordinatorRecord:
    """The record of a commit, or its tombstone; the version that 3.9 writes is packed by hand, which is faster."""
    group_bytes, topic_bytes = group_id.encode(), topic.encode()
    key = b"".join(
        (
            _put_two_shorts(_OFFSET_KEY, len(group_bytes)),
            group_bytes,
            _put_short(len(topic_bytes)),
            topic_bytes,
            _put_int(partition),
        )
    )
    if committed is None:
        return CoordinatorRecord(key, None)
    has_expiry = committed.expire_ms != -1
    if not has_expiry and value_version == _OFFSET_VALUE:
        offset, leader_epoch, metadata, commit_ms, _ = committed
        text = metadata.encode()
        head = _put_version_offset_epoch_length(_OFFSET_VALUE, offset, leader_epoch, len(text))
        return CoordinatorRecord(key, head + text + _put_long(commit_ms))
    value = OffsetCommitValue(
        offset=committed.offset,
        leader_epoch=committed.leader_epoch,
        metadata=committed.metadata,
        commit_timestamp=committed.commit_ms,
        expire_timestamp=committed.expire_ms,
    )
    return CoordinatorRecord(key, value.to_record(_OFFSET_VALUE_WITH_EXPIRY if has_expiry else value_version))


def group_record(group: ClassicGroup, value_version: int = NEWEST.group_value) -> CoordinatorRecord:
    """The record of a group as it is now; an empty group has neither protocol nor leader."""
    empty = group.state == ClassicGroupState.EMPTY
    value = GroupMetadataValue(
        protocol_type=group.protocol_type or "",
        generation=group.generation_id,
        protocol=None if empty else group.protocol_name,
        leader=None if empty else group.leader_id,
        current_state_timestamp=group.state_timestamp_ms,
        members=[
            MemberMetadata(
                member_id=member.member_id,
                group_instance_id=member.group_instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                rebalance_timeout=member.rebalance_timeout_ms,
                session_timeout=member.session_timeout_ms,
                subscription=member.metadata(group.protocol_name),
                assignment=member.assignment,
            )
            for member in group.members.values()
        ],
    )
    return CoordinatorRecord(GroupMetadataKey(group.group_id).to_record(_GROUP_KEY), value.to_record(value_version))


def group_tombstone(group_id: str) -> CoordinatorRecord:
    """The record that removes a group."""
    return CoordinatorRecord(GroupMetadataKey(group_id).to_record(_GROUP_KEY), None)


def restore(record: GroupRecord, timestamp_ms: int) -> ClassicGroup:
    """The group that a record describes: stable if it has members, else empty.

    *timestamp_ms* is that of the record's batch, for records that do not say since when the group is in its state.
    """
    value = record.value
    assert value is not None
    since_ms = value.current_state_timestamp if value.current_state_timestamp >= 0 else timestamp_ms
    group = ClassicGroup(record.group_id, since_ms)
    group.generation_id = value.generation
    group.protocol_type = value.protocol_type or None
    group.protocol_name = value.protocol
    group.leader_id = value.leader
    for each in value.members:
        member = ClassicGroupMember(
            each.member_id,
            group_instance_id=each.group_instance_id,
            client_id=each.client_id,
            client_host=each.client_host,
            session_timeout_ms=each.session_timeout,
            rebalance_timeout_ms=each.session_timeout if each.rebalance_timeout < 0 else each.rebalance_timeout,
            protocol_type=value.protocol_type,
            protocols=[(value.protocol or "", bytes(each.subscription))],
            assignment=bytes(each.assignment),
        )
        group.restore(member)
    if group.members:
        group.state = ClassicGroupState.STABLE
    return group


def subscribed_topics(group: ClassicGroup) -> frozenset[str] | None:
    """Topics that the members of a consumer group subscribe to; None if some member's metadata cannot be read."""
    topics: set[str] = set()
    newest = ConsumerProtocolSubscription.VERSIONS[-1]
    for member in group.members.values():
        metadata = member.metadata(group.protocol_name)
        try:
            version = min(record_version(metadata), newest)
            topics.update(ConsumerProtocolSubscription.read(metadata, 2, version)[0].topics)
        except ProtocolError:
            return None
    return frozenset(topics)
