"""The codec of __consumer_offsets: committed offsets and classic groups, byte for byte as Apache Kafka 3.9 writes them.

Schemas: protocol_specs/internal/consumer_offsets.  Offsets are written as value version 3, or 1 when they
carry an expiry of their own; groups as version 3.  All older and newer versions are read; kinds that are
not ours (keys from 3 on) are skipped.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from struct import error as StructError
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.coordinator.group.classic import ClassicGroup, GroupState
from wirebroker.coordinator.group.member import Member
from wirebroker.coordinator.group.offsets import CommittedOffset
from wirebroker.coordinator.shard import CoordinatorRecord
from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.internal.consumer_offsets import (
    GroupMetadataKey,
    GroupMetadataValue,
    MemberMetadata,
    OffsetCommitKey,
    OffsetCommitValue,
)
from wirebroker.protocol.message import record_version

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.coordinator.group.settings import GroupSettings
    from wirebroker.coordinator.shard import Outcome

_OFFSET_KEY = 1
_OFFSET_VALUE = 3
_OFFSET_VALUE_WITH_EXPIRY = 1
_GROUP_KEY = 2
_GROUP_VALUE = 3


class OffsetRecord(NamedTuple):
    """A committed offset, or that it is gone."""

    group_id: str
    topic: str
    partition: int
    committed: CommittedOffset | None


class GroupRecord(NamedTuple):
    """A classic group, or that it is gone."""

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
    """Group and topic, from an offset's key without its partition; the same ones come again and again."""
    kind, length = _two_shorts(prefix)
    topic_at = 4 + length
    (topic_length,) = _short(prefix, topic_at)
    topic_at += 2
    if not 0 <= kind <= _OFFSET_KEY or min(length, topic_length) < 0 or len(prefix) != topic_at + topic_length:
        return None
    return str(prefix[4 : 4 + length], "utf-8"), intern(str(prefix[topic_at:], "utf-8"))


def _quick_offset(key: bytes, value: bytes) -> OffsetRecord | None:
    """A commit as 3.9 writes it (value version 3), read without the generated codec: a reload is millions of these.

    None for everything else and for anything odd, which the generated code then reads or refuses.
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
        return OffsetRecord(names[0], names[1], partition, CommittedOffset(offset, leader_epoch, metadata, commit_ms))
    except (StructError, UnicodeDecodeError):
        return None


def read(record: CoordinatorRecord) -> OffsetRecord | GroupRecord | None:
    """What a record says; None for kinds that we do not keep."""
    if record.value is not None:
        quick = _quick_offset(record.key, record.value)
        if quick is not None:
            return quick
    kind = record_version(record.key)
    if kind <= _OFFSET_KEY:
        key = OffsetCommitKey.from_record(record.key)
        if record.value is None:
            return OffsetRecord(key.group, key.topic, key.partition, None)
        value = OffsetCommitValue.from_record(record.value)
        committed = CommittedOffset(
            value.offset, value.leader_epoch, value.metadata, value.commit_timestamp, value.expire_timestamp
        )
        return OffsetRecord(key.group, key.topic, key.partition, committed)
    if kind == _GROUP_KEY:
        group_id = GroupMetadataKey.from_record(record.key).group
        return GroupRecord(group_id, None if record.value is None else GroupMetadataValue.from_record(record.value))
    return None


def offset_record(group_id: str, topic: str, partition: int, committed: CommittedOffset | None) -> CoordinatorRecord:
    """The record of a commit, or its tombstone; what 3.9 writes is packed by hand, as there are so many of them."""
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
    if committed.expire_ms == -1:
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
    return CoordinatorRecord(key, value.to_record(_OFFSET_VALUE_WITH_EXPIRY))


def group_record(group: ClassicGroup) -> CoordinatorRecord:
    """A group as it is now; an empty one has neither protocol nor leader."""
    empty = group.state == GroupState.EMPTY
    value = GroupMetadataValue(
        protocol_type=group.protocol_type or "",
        generation=group.generation,
        protocol=None if empty else group.protocol,
        leader=None if empty else group.leader,
        current_state_timestamp=group.state_since_ms,
        members=[
            MemberMetadata(
                member_id=member.member_id,
                group_instance_id=member.group_instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                rebalance_timeout=member.rebalance_timeout_ms,
                session_timeout=member.session_timeout_ms,
                subscription=member.metadata(group.protocol),
                assignment=member.assignment,
            )
            for member in group.members.values()
        ],
    )
    return CoordinatorRecord(GroupMetadataKey(group.group_id).to_record(_GROUP_KEY), value.to_record(_GROUP_VALUE))


def group_tombstone(group_id: str) -> CoordinatorRecord:
    """The group is gone."""
    return CoordinatorRecord(GroupMetadataKey(group_id).to_record(_GROUP_KEY), None)


def restore(
    record: GroupRecord,
    settings: GroupSettings,
    write: Callable[[ClassicGroup, Outcome], bool],
    timestamp_ms: int,
) -> ClassicGroup:
    """The group that a record describes: stable if it has members, else empty."""
    value = record.value
    assert value is not None
    since_ms = value.current_state_timestamp if value.current_state_timestamp >= 0 else timestamp_ms
    group = ClassicGroup(record.group_id, settings, write, since_ms)
    group.generation = value.generation
    group.protocol_type = value.protocol_type or None
    group.protocol = value.protocol
    group.leader = value.leader
    for each in value.members:
        member = Member(
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
        group.admit(member)
    if group.members:
        group.state = GroupState.STABLE
    return group


def subscribed_topics(group: ClassicGroup) -> frozenset[str] | None:
    """Topics that the members of a consumer group ask for; None when some member's metadata cannot be read."""
    from wirebroker.protocol.internal.consumer_protocol import ConsumerProtocolSubscription

    topics: set[str] = set()
    newest = ConsumerProtocolSubscription.VERSIONS[-1]
    for member in group.members.values():
        metadata = member.metadata(group.protocol)
        try:
            version = min(record_version(metadata), newest)
            topics.update(ConsumerProtocolSubscription.read(metadata, 2, version)[0].topics)
        except ProtocolError:
            return None
    return frozenset(topics)
