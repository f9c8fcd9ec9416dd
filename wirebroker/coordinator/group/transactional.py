"""TxnOffsetCommit in a group's shard: offsets that wait for their transaction's marker (KIP-98, KIP-447).

Who may commit is asked less strictly than of OffsetCommit, as in Kafka: a producer that names no member may commit for
any group, the state of the group does not matter, and nobody's session goes on because of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.classic import GroupState
from wirebroker.coordinator.group.offsets import CommittedOffset
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)

if TYPE_CHECKING:
    from wirebroker.coordinator.group.shard import GroupShard
    from wirebroker.coordinator.shard import CoordinatorRecord, Now, Outcome


def commit(shard: GroupShard, message: TxnOffsetCommitRequest, ticket: object, now: Now, out: Outcome) -> None:
    """Keep what may be committed until the transaction ends; the producer was checked before."""
    group_id = message.group_id
    refused = _check(shard, message)
    limit = shard.settings.offset_metadata_max_bytes
    topics = []
    accepted: list[tuple[TxnOffsetCommitResponsePartition, str, CommittedOffset]] = []
    made: list[CoordinatorRecord] = []
    for topic in message.topics:
        partitions = []
        for each in {each.partition_index: each for each in topic.partitions}.values():
            code = refused
            metadata = each.committed_metadata or ""
            if not shard.topic_exists(topic.name, each.partition_index):
                code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            elif not code and len(metadata) > limit:
                code = ErrorCode.OFFSET_METADATA_TOO_LARGE
            told = TxnOffsetCommitResponsePartition(partition_index=each.partition_index, error_code=code)
            if not code:
                committed = CommittedOffset(each.committed_offset, each.committed_leader_epoch, metadata, now.wall_ms)
                accepted.append((told, topic.name, committed))
                made.append(records.offset_record(group_id, topic.name, each.partition_index, committed))
            partitions.append(told)
        if partitions:
            topics.append(TxnOffsetCommitResponseTopic(name=topic.name, partitions=partitions))
    if shard.fits(made):
        out.records += made
        for told, name, committed in accepted:
            shard.offsets.commit_pending(message.producer_id, group_id, name, told.partition_index, committed)
            if shard.sweeps:
                shard.spare(group_id, name, told.partition_index)
        if made:
            shard.group_that_commits(group_id, now)
    else:
        for told, _, _ in accepted:
            told.error_code = ErrorCode.INVALID_COMMIT_OFFSET_SIZE
    out.reply(ticket, TxnOffsetCommitResponse(topics=topics))


def _check(shard: GroupShard, message: TxnOffsetCommitRequest) -> ErrorCode:
    group = shard.groups.get(message.group_id)
    empty = group is None or group.state == GroupState.EMPTY
    if message.generation_id < 0 and empty:
        return ErrorCode.NONE
    if message.generation_id < 0 and not message.member_id and message.group_instance_id is None:
        return ErrorCode.NONE  # clients before version 3 do not say who they are
    if group is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    code = group.check_member(message.member_id, message.group_instance_id)
    if not code and message.generation_id != group.generation:
        code = ErrorCode.ILLEGAL_GENERATION
    return code
