"""Every error code that the group APIs answer, in one table: (API, code) -> a request that gets it.

The codes that a handler answers by itself are in tests/handlers/test_groups.py; EXPECTED lists those of a shard, and
must be complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.offset_metadata_manager import OffsetAndMetadata
from wirebroker.coordinator.group.requests import DeleteGroup, FetchOffsets
from wirebroker.coordinator.shard import ReplayedBatch
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from wirebroker.protocol.messages.sync_group import SyncGroupRequest
from wirebroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from wirebroker.tests.coordinator.shard_harness import ShardHarness, group_config

if TYPE_CHECKING:
    from collections.abc import Callable

E = ErrorCode
SUBSCRIBED_TO_T = bytes.fromhex("0000 00000001 0001 74 ffffffff")
EXPECTED = {
    "JoinGroup": {
        E.UNKNOWN_MEMBER_ID, E.INCONSISTENT_GROUP_PROTOCOL, E.INVALID_SESSION_TIMEOUT, E.MEMBER_ID_REQUIRED,
        E.GROUP_MAX_SIZE_REACHED, E.FENCED_INSTANCE_ID, E.REBALANCE_IN_PROGRESS,
    },
    "SyncGroup": {
        E.UNKNOWN_MEMBER_ID, E.ILLEGAL_GENERATION, E.INCONSISTENT_GROUP_PROTOCOL, E.REBALANCE_IN_PROGRESS,
        E.FENCED_INSTANCE_ID, E.UNKNOWN_SERVER_ERROR,
    },
    "Heartbeat": {E.UNKNOWN_MEMBER_ID, E.ILLEGAL_GENERATION, E.REBALANCE_IN_PROGRESS, E.FENCED_INSTANCE_ID},
    "LeaveGroup": {E.UNKNOWN_MEMBER_ID, E.FENCED_INSTANCE_ID},
    "OffsetCommit": {
        E.UNKNOWN_TOPIC_OR_PARTITION, E.OFFSET_METADATA_TOO_LARGE, E.ILLEGAL_GENERATION, E.UNKNOWN_MEMBER_ID,
        E.REBALANCE_IN_PROGRESS, E.FENCED_INSTANCE_ID, E.INVALID_COMMIT_OFFSET_SIZE,
    },
    "TxnOffsetCommit": {
        E.UNKNOWN_TOPIC_OR_PARTITION, E.OFFSET_METADATA_TOO_LARGE, E.ILLEGAL_GENERATION, E.UNKNOWN_MEMBER_ID,
        E.FENCED_INSTANCE_ID, E.INVALID_COMMIT_OFFSET_SIZE,
    },
    "OffsetFetch": {E.UNSTABLE_OFFSET_COMMIT},
    "OffsetDelete": {
        E.UNKNOWN_TOPIC_OR_PARTITION, E.NON_EMPTY_GROUP, E.GROUP_ID_NOT_FOUND, E.GROUP_SUBSCRIBED_TO_TOPIC,
    },
    "DeleteGroups": {E.NON_EMPTY_GROUP, E.GROUP_ID_NOT_FOUND},
}  # fmt: skip


def stable() -> tuple[ShardHarness, str, int]:
    harness = ShardHarness()
    (member,), generation = harness.stable("a")
    return harness, member, generation


def preparing() -> tuple[ShardHarness, str, int]:
    harness, member, generation = stable()
    harness.join()
    assert harness.shard.manager.groups["g"].state == ClassicGroupState.PREPARING_REBALANCE
    return harness, member, generation


def completing() -> tuple[ShardHarness, str, int]:
    harness = ShardHarness()
    return harness, harness.join().reply.member_id, 1


def static() -> tuple[ShardHarness, str]:
    """A group whose static member "i" is back under a new id: the harness, and the old id."""
    harness = ShardHarness()
    old = harness.join(instance="i", version=5).reply.member_id
    harness.sync(old, 1, {old: b"1"}, instance="i")
    assert harness.join(instance="i", version=5).reply.error_code == E.NONE
    return harness, old


def full() -> ShardHarness:
    harness = ShardHarness(group_config(group_max_size=1))
    harness.stable("a")
    return harness


def join_sent_twice() -> Any:
    harness = ShardHarness()
    ids, _ = harness.stable("a", "b")
    older = harness.join(ids[1], protocols=(("range", b"new"),))
    harness.join(ids[1], protocols=(("range", b"new"),))
    return older.reply.error_code


def sync_of_another_kind() -> Any:
    harness, member, generation = stable()
    message = SyncGroupRequest("g", generation, member, None, "connect", "range")
    return harness.ask(message, 5).reply.error_code


def sync_that_is_too_large() -> Any:
    harness, member, _ = completing()
    harness.batch_limit = 1000
    code = harness.sync(member, 1, {member: bytes(1000)}).reply.error_code
    assert harness.shard.manager.groups["g"].state == ClassicGroupState.PREPARING_REBALANCE
    assert not harness.log
    return code


def commit_that_is_too_large() -> Any:
    harness = ShardHarness()
    harness.batch_limit = 300
    assert harness.commit(1, metadata="m" * 100) == E.NONE
    code = harness.commit(2, metadata="m" * 300)
    assert (harness.offset(), len(harness.log)) == (1, 1)
    return code


def txn_commit(harness: ShardHarness, member: str = "", generation: int = -1, **more: Any) -> Any:
    """Offset 1 of t-0, in a transaction, with any of: instance, topic, partition, metadata."""
    partition = TxnOffsetCommitRequestPartition(more.get("partition", 0), 1, -1, more.get("metadata"))
    topic = TxnOffsetCommitRequestTopic(more.get("topic", "t"), [partition])
    message = TxnOffsetCommitRequest("x", "g", 77, 0, generation, member, more.get("instance"), [topic])
    reply = harness.ask(message, 3).reply
    return reply.topics[0].partitions[0].error_code


def txn_commit_that_is_too_large() -> Any:
    harness = ShardHarness()
    harness.batch_limit = 300
    code = txn_commit(harness, metadata="m" * 300)
    assert not harness.log
    assert not harness.shard.manager.offsets.has_pending("g")
    return code


def leave_before_version_three(member_id: str) -> Any:
    harness, _, _ = stable()
    return harness.ask(LeaveGroupRequest("g", member_id), 2).reply.error_code


def fetch_of_a_pending_offset() -> Any:
    harness = ShardHarness()
    who = ReplayedBatch(7, 0, True, harness.now_ms + harness.wall_offset_ms)
    harness.shard.replay(records.offset_record("g", "t", 0, OffsetAndMetadata(5, -1, "", 1)), who)
    (found,) = harness.ask(FetchOffsets("g", [("t", [0])], True)).reply.offsets
    return found[3]


def delete_offset(harness: ShardHarness, topic: str = "t") -> Any:
    message = OffsetDeleteRequest("g", [OffsetDeleteRequestTopic(topic, [OffsetDeleteRequestPartition(0)])])
    reply = harness.ask(message, 0).reply
    return reply.error_code or reply.topics[0].partitions[0].error_code


def with_member(kind: str) -> ShardHarness:
    harness = ShardHarness()
    harness.commit(5)
    harness.join(kind=kind, protocols=(("range", SUBSCRIBED_TO_T),))
    return harness


def committed() -> ShardHarness:
    harness = ShardHarness()
    harness.commit(5)
    return harness


def code_of(ticket: Any) -> Any:
    return ticket.reply.error_code


def member_code(reply: Any) -> Any:
    return reply.members[0].error_code


Case = tuple[str, ErrorCode, "Callable[[], Any]"]
CASES: list[Case] = [
    ("JoinGroup", E.INVALID_SESSION_TIMEOUT, lambda: code_of(ShardHarness().join(session_ms=5_999))),
    ("JoinGroup", E.INVALID_SESSION_TIMEOUT, lambda: code_of(ShardHarness().join(session_ms=1_800_001))),
    ("JoinGroup", E.UNKNOWN_MEMBER_ID, lambda: code_of(ShardHarness().join("nobody"))),
    ("JoinGroup", E.UNKNOWN_MEMBER_ID, lambda: code_of(stable()[0].join("nobody"))),
    ("JoinGroup", E.UNKNOWN_MEMBER_ID, lambda: code_of(stable()[0].join("nobody", instance="new", version=5))),
    ("JoinGroup", E.INCONSISTENT_GROUP_PROTOCOL, lambda: code_of(stable()[0].join(kind="connect"))),
    ("JoinGroup", E.INCONSISTENT_GROUP_PROTOCOL, lambda: code_of(stable()[0].join(protocols=(("sticky", b""),)))),
    ("JoinGroup", E.INCONSISTENT_GROUP_PROTOCOL, lambda: code_of(ShardHarness().join(protocols=()))),
    ("JoinGroup", E.INCONSISTENT_GROUP_PROTOCOL, lambda: code_of(ShardHarness().join(kind=""))),
    ("JoinGroup", E.MEMBER_ID_REQUIRED, lambda: code_of(ShardHarness().join(version=4))),
    ("JoinGroup", E.GROUP_MAX_SIZE_REACHED, lambda: code_of(full().join())),
    (
        "JoinGroup",
        E.FENCED_INSTANCE_ID,
        lambda: code_of((found := static())[0].join(found[1], instance="i", version=5)),
    ),
    ("JoinGroup", E.REBALANCE_IN_PROGRESS, join_sent_twice),
    ("SyncGroup", E.UNKNOWN_MEMBER_ID, lambda: code_of(ShardHarness().sync("nobody", 1))),
    ("SyncGroup", E.UNKNOWN_MEMBER_ID, lambda: code_of(stable()[0].sync("nobody", 1))),
    ("SyncGroup", E.ILLEGAL_GENERATION, lambda: code_of((found := stable())[0].sync(found[1], found[2] + 1))),
    ("SyncGroup", E.ILLEGAL_GENERATION, lambda: code_of((found := preparing())[0].sync(found[1], found[2] - 1))),
    ("SyncGroup", E.INCONSISTENT_GROUP_PROTOCOL, sync_of_another_kind),
    ("SyncGroup", E.REBALANCE_IN_PROGRESS, lambda: code_of((found := preparing())[0].sync(found[1], found[2]))),
    ("SyncGroup", E.FENCED_INSTANCE_ID, lambda: code_of((found := static())[0].sync(found[1], 1, instance="i"))),
    ("SyncGroup", E.UNKNOWN_SERVER_ERROR, sync_that_is_too_large),
    ("Heartbeat", E.UNKNOWN_MEMBER_ID, lambda: ShardHarness().beat("nobody", 1)),
    ("Heartbeat", E.UNKNOWN_MEMBER_ID, lambda: stable()[0].beat("nobody", 1)),
    ("Heartbeat", E.UNKNOWN_MEMBER_ID, lambda: stable()[0].beat("nobody", 1, instance="nobody")),
    ("Heartbeat", E.ILLEGAL_GENERATION, lambda: (found := stable())[0].beat(found[1], found[2] + 1)),
    ("Heartbeat", E.ILLEGAL_GENERATION, lambda: (found := stable())[0].beat(found[1], -1)),
    ("Heartbeat", E.REBALANCE_IN_PROGRESS, lambda: (found := preparing())[0].beat(found[1], found[2])),
    ("Heartbeat", E.FENCED_INSTANCE_ID, lambda: (found := static())[0].beat(found[1], 1, instance="i")),
    ("LeaveGroup", E.UNKNOWN_MEMBER_ID, lambda: member_code(ShardHarness().leave("nobody"))),
    ("LeaveGroup", E.UNKNOWN_MEMBER_ID, lambda: member_code(stable()[0].leave("nobody"))),
    ("LeaveGroup", E.UNKNOWN_MEMBER_ID, lambda: member_code(stable()[0].leave("", instance="nobody"))),
    ("LeaveGroup", E.UNKNOWN_MEMBER_ID, lambda: leave_before_version_three("nobody")),
    ("LeaveGroup", E.FENCED_INSTANCE_ID, lambda: member_code((found := static())[0].leave(found[1], instance="i"))),
    ("OffsetCommit", E.UNKNOWN_TOPIC_OR_PARTITION, lambda: ShardHarness().commit(1, topic="missing")),
    ("OffsetCommit", E.UNKNOWN_TOPIC_OR_PARTITION, lambda: ShardHarness().commit(1, partition=4)),
    ("OffsetCommit", E.OFFSET_METADATA_TOO_LARGE, lambda: ShardHarness().commit(1, metadata="m" * 4097)),
    ("OffsetCommit", E.INVALID_COMMIT_OFFSET_SIZE, commit_that_is_too_large),
    ("OffsetCommit", E.ILLEGAL_GENERATION, lambda: ShardHarness().commit(1, "m", 1)),
    ("OffsetCommit", E.ILLEGAL_GENERATION, lambda: (found := stable())[0].commit(1, found[1], found[2] + 1)),
    ("OffsetCommit", E.ILLEGAL_GENERATION, lambda: (found := stable())[0].commit(1, found[1], -1)),
    ("OffsetCommit", E.UNKNOWN_MEMBER_ID, lambda: (found := stable())[0].commit(1, "nobody", found[2])),
    ("OffsetCommit", E.UNKNOWN_MEMBER_ID, lambda: stable()[0].commit(1)),
    ("OffsetCommit", E.REBALANCE_IN_PROGRESS, lambda: (found := completing())[0].commit(1, found[1], found[2])),
    ("OffsetCommit", E.FENCED_INSTANCE_ID, lambda: (found := static())[0].commit(1, found[1], 1, instance="i")),
    ("TxnOffsetCommit", E.UNKNOWN_TOPIC_OR_PARTITION, lambda: txn_commit(ShardHarness(), topic="missing")),
    ("TxnOffsetCommit", E.UNKNOWN_TOPIC_OR_PARTITION, lambda: txn_commit(ShardHarness(), partition=4)),
    ("TxnOffsetCommit", E.OFFSET_METADATA_TOO_LARGE, lambda: txn_commit(ShardHarness(), metadata="m" * 4097)),
    ("TxnOffsetCommit", E.INVALID_COMMIT_OFFSET_SIZE, txn_commit_that_is_too_large),
    ("TxnOffsetCommit", E.UNKNOWN_MEMBER_ID, lambda: txn_commit(ShardHarness(), "m", 1)),
    ("TxnOffsetCommit", E.UNKNOWN_MEMBER_ID, lambda: txn_commit((found := stable())[0], "nobody", found[2])),
    ("TxnOffsetCommit", E.ILLEGAL_GENERATION, lambda: txn_commit((found := stable())[0], found[1], found[2] + 1)),
    ("TxnOffsetCommit", E.FENCED_INSTANCE_ID, lambda: txn_commit((f := static())[0], f[1], 1, instance="i")),
    ("OffsetFetch", E.UNSTABLE_OFFSET_COMMIT, fetch_of_a_pending_offset),
    ("OffsetDelete", E.GROUP_ID_NOT_FOUND, lambda: delete_offset(ShardHarness())),
    ("OffsetDelete", E.NON_EMPTY_GROUP, lambda: delete_offset(with_member("connect"))),
    ("OffsetDelete", E.GROUP_SUBSCRIBED_TO_TOPIC, lambda: delete_offset(with_member("consumer"))),
    ("OffsetDelete", E.UNKNOWN_TOPIC_OR_PARTITION, lambda: delete_offset(committed(), "missing")),
    ("DeleteGroups", E.GROUP_ID_NOT_FOUND, lambda: ShardHarness().ask(DeleteGroup("g")).reply),
    ("DeleteGroups", E.NON_EMPTY_GROUP, lambda: stable()[0].ask(DeleteGroup("g")).reply),
]


@pytest.mark.parametrize(
    ("code", "attempt"), [case[1:] for case in CASES], ids=[f"{api} {code.name}" for api, code, _ in CASES]
)
def test_code(code: ErrorCode, attempt: Callable[[], Any]) -> None:
    assert attempt() == code


def test_the_table_is_complete() -> None:
    found: dict[str, set[ErrorCode]] = {}
    for api, code, _ in CASES:
        found.setdefault(api, set()).add(code)
    assert found == EXPECTED
