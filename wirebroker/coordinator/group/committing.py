"""OffsetCommit, OffsetFetch and OffsetDelete in a group's shard (KIP-211, 320, 447, 496)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.classic import GroupState
from wirebroker.coordinator.group.offsets import CommittedOffset
from wirebroker.coordinator.group.requests import FetchOffsets, GroupRequest, OffsetsFound
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.coordinator.group.shard import GroupShard
    from wirebroker.coordinator.shard import CoordinatorRecord, Now, Outcome

_NO_GENERATION = -1
_OFFSETS_AT_ONCE = 1000


def _check(shard: GroupShard, message: OffsetCommitRequest, now: Now, out: Outcome) -> ErrorCode:
    """May this member commit for this group now?  (Corrections to rule 102, as 3.9.1 answers.)"""
    generation = message.generation_id_or_member_epoch
    group = shard.groups.get(message.group_id)
    if group is None:
        return ErrorCode.NONE if generation < 0 else ErrorCode.ILLEGAL_GENERATION
    if generation < 0 and group.state == GroupState.EMPTY:
        return ErrorCode.NONE
    if not message.member_id and message.group_instance_id is None and generation == _NO_GENERATION:
        return ErrorCode.UNKNOWN_MEMBER_ID  # a simple consumer, and the group has members
    code = group.check_member(message.member_id, message.group_instance_id)
    if code:
        return code
    if generation != group.generation:
        return ErrorCode.ILLEGAL_GENERATION
    if group.state == GroupState.COMPLETING_REBALANCE:
        return ErrorCode.REBALANCE_IN_PROGRESS
    group.touch(group.members[message.member_id], now, out)
    return ErrorCode.NONE


def commit(
    shard: GroupShard, request: GroupRequest, message: OffsetCommitRequest, ticket: object, now: Now, out: Outcome
) -> None:
    """Handle one OffsetCommit: all of it is one batch."""
    group_id = message.group_id
    refused = _check(shard, message, now, out)
    # Versions 2-4 may ask for a retention of their own; version 1 sent a timestamp, which we stamp ourselves.
    keep_ms = message.retention_time_ms
    expire_ms = now.wall_ms + keep_ms if 2 <= request.version <= 4 and keep_ms >= 0 else -1
    topics = []
    accepted: list[tuple[OffsetCommitResponsePartition, str, CommittedOffset]] = []
    made: list[CoordinatorRecord] = []
    limit = shard.settings.offset_metadata_max_bytes
    exists = shard.topic_exists
    for topic in message.topics:
        name, asked = topic.name, topic.partitions
        if len(asked) > 1:
            # A partition named twice counts once, as it was named last.
            asked = list({each.partition_index: each for each in asked}.values())
        partitions = []
        for each in asked:
            index = each.partition_index
            metadata = each.committed_metadata or ""
            code = refused
            if not exists(name, index):
                code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION  # whoever asks
            elif not code and len(metadata) > limit:
                code = ErrorCode.OFFSET_METADATA_TOO_LARGE
            told = OffsetCommitResponsePartition(index, code)
            if not code:
                committed = CommittedOffset(
                    each.committed_offset, each.committed_leader_epoch, metadata, now.wall_ms, expire_ms
                )
                accepted.append((told, name, committed))
                made.append(records.offset_record(group_id, name, index, committed))
            partitions.append(told)
        if partitions:  # a topic without any is not answered
            topics.append(OffsetCommitResponseTopic(name=name, partitions=partitions))
    if shard.fits(made):
        out.records += made
        for told, name, committed in accepted:
            shard.offsets.commit(group_id, name, told.partition_index, committed)
            if shard.sweeps:
                shard.spare(group_id, name, told.partition_index)
        if made:
            shard.group_that_commits(group_id, now)
    else:
        for told, _, _ in accepted:
            told.error_code = ErrorCode.INVALID_COMMIT_OFFSET_SIZE
    out.reply(ticket, OffsetCommitResponse(topics=topics))


def fetch(shard: GroupShard, request: FetchOffsets) -> OffsetsFound:
    """What was committed last; partitions without a commit are told, too, if they were asked for by name."""
    group_id = request.group_id
    offsets = shard.offsets
    if request.topics is None:
        committed = offsets.of_group(group_id)
        if len(committed) > _OFFSETS_AT_ONCE:
            pending = frozenset(offsets.pending_of(group_id)) if request.require_stable else frozenset()
            return OffsetsFound(0, _from_snapshot(committed.copy(), pending))
        wanted = list(committed)
    else:
        wanted = list(
            dict.fromkeys((topic, partition) for topic, partitions in request.topics for partition in partitions)
        )
    found: list[tuple[str, int, Any, int]] = []
    for topic, partition in wanted:
        if request.require_stable and offsets.is_pending(group_id, topic, partition):
            found.append((topic, partition, None, ErrorCode.UNSTABLE_OFFSET_COMMIT))
        else:
            found.append((topic, partition, offsets.get(group_id, topic, partition), 0))
    return OffsetsFound(0, found)


def _from_snapshot(
    committed: dict[tuple[str, int], CommittedOffset], pending: frozenset[tuple[str, int]]
) -> Iterator[tuple[str, int, Any, int]]:
    for key, offset in committed.items():
        if key in pending:
            yield *key, None, ErrorCode.UNSTABLE_OFFSET_COMMIT
        else:
            yield *key, offset, 0


def delete(shard: GroupShard, message: OffsetDeleteRequest, ticket: object, now: Now, out: Outcome) -> None:
    """Handle one OffsetDelete; topics that members read keep their offsets."""
    group = shard.groups.get(message.group_id)
    if group is None:
        out.reply(ticket, OffsetDeleteResponse(error_code=ErrorCode.GROUP_ID_NOT_FOUND))
        return
    if group.state != GroupState.EMPTY and group.protocol_type != "consumer":
        out.reply(ticket, OffsetDeleteResponse(error_code=ErrorCode.NON_EMPTY_GROUP))
        return
    subscribed = records.subscribed_topics(group)
    topics = []
    for topic in message.topics:
        partitions = []
        for each in {each.partition_index: each for each in topic.partitions}.values():
            code = ErrorCode.NONE
            if not shard.topic_exists(topic.name, each.partition_index):
                code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            elif subscribed is None or topic.name in subscribed:
                code = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
            else:
                shard.forget(message.group_id, topic.name, each.partition_index, out)
            partitions.append(OffsetDeleteResponsePartition(partition_index=each.partition_index, error_code=code))
        if partitions:
            topics.append(OffsetDeleteResponseTopic(name=topic.name, partitions=partitions))
    shard.maybe_die(group, now, out, "client sent OffsetDelete for its last offsets")
    out.reply(ticket, OffsetDeleteResponse(topics=topics))
