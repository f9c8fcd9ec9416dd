"""Offsets of deleted topics, expired ones and those of deleted groups go in short steps, with requests in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.offset_metadata_manager import OffsetAndMetadata
from wirebroker.coordinator.group.requests import DeleteGroup, FetchOffsets, TopicsDeleted
from wirebroker.coordinator.group.timer_keys import OffsetCleanupKey, OffsetExpirationKey
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.shard_harness import CONFIG, RecordedResponse, ShardHarness

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.coordinator.turn import CoordinatorRecord

E = ErrorCode
MANY = 30_000
STEP_RECORDS = 1_001
"""A step's tombstones, and that of a group."""

GROUPS_PER_STEP = 65


def committed(*groups: str, topic: str = "t", count: int = MANY) -> ShardHarness:
    """A shard whose groups have committed *count* partitions of a topic each."""
    made = [
        records.offset_record(group, topic, partition, OffsetAndMetadata(5, -1, "", 1_700_000_000_000))
        for group in groups
        for partition in range(count)
    ]
    return ShardHarness(log=made)


def steps(harness: ShardHarness) -> list[int]:
    """Let every step be done; returns how many records each has written."""
    written = []
    while OffsetCleanupKey() in harness.due:
        before = len(harness.log)
        harness.fire(OffsetCleanupKey())
        written.append(len(harness.log) - before)
    return written


def tombstones(log: list[CoordinatorRecord]) -> int:
    return sum(record.value is None for record in log)


def test_a_deleted_topics_offsets_go_step_by_step() -> None:
    harness = committed("a", "b", count=MANY // 2)
    harness.commit(7, group="b", topic="u")
    harness.ask(TopicsDeleted(frozenset({"t"})))
    written = steps(harness)
    assert sum(written) == MANY
    assert max(written) <= STEP_RECORDS
    assert harness.shard.manager.groups.keys() == {"b"}
    assert harness.offset(group="b", topic="u") == 7
    again = harness.restarted()
    assert again.shard.manager.groups.keys() == {"b"}
    assert again.offset(group="b") is None


@pytest.mark.parametrize("reason", ["deleted", "expired"])
def test_groups_that_are_removed_take_more_of_a_step_than_their_offsets(reason: str) -> None:
    groups = [f"g{number}" for number in range(300)]
    harness = committed(*groups, count=1)
    if reason == "deleted":
        harness.ask(TopicsDeleted(frozenset({"t"})))
    else:
        harness.wall_offset_ms = 1_700_000_000_000 + CONFIG.offsets_retention_ms
        harness.fire(OffsetExpirationKey())
    written = steps(harness)
    assert sum(written) == len(groups)
    assert max(written) <= GROUPS_PER_STEP
    assert not harness.shard.manager.groups


def test_groups_that_have_nothing_of_the_topic_cost_steps_but_no_records() -> None:
    harness = committed("a", topic="u")
    harness.ask(TopicsDeleted(frozenset({"t"})))
    assert steps(harness) == [0] * (MANY // 10_000 + 1)


def test_offsets_committed_after_the_deletion_stay() -> None:
    """The topic was made again while the offsets of the old one were being removed."""
    harness = committed("a")
    harness.ask(TopicsDeleted(frozenset({"t"})))
    harness.fire(OffsetCleanupKey())
    last_partition = 3
    assert harness.commit(9, group="a", partition=last_partition) == E.NONE
    steps(harness)
    assert harness.shard.manager.offsets.keys_of("a") == [("t", last_partition)]
    assert harness.restarted().shard.manager.offsets.keys_of("a") == [("t", last_partition)]


def test_a_pending_commit_after_the_deletion_stays() -> None:
    harness = committed("a", count=1)
    harness.ask(TopicsDeleted(frozenset({"t"})))
    harness.replay(records.offset_record("a", "t", 1, OffsetAndMetadata(6, -1, "", 1)), 77)
    harness.shard._cleanups.exclude("a", "t", 1)
    steps(harness)
    harness.shard.replay_end_transaction(77, committed=True)
    assert harness.shard.manager.offsets.keys_of("a") == [("t", 1)]


def test_expired_offsets_go_step_by_step() -> None:
    harness = committed("a")
    harness.commit(7, group="a", topic="u")
    harness.wall_offset_ms = 1_700_000_000_000 + CONFIG.offsets_retention_ms
    harness.commit(8, group="a", topic="u")
    harness.fire(OffsetExpirationKey())
    written = steps(harness)
    assert (sum(written), max(written) <= STEP_RECORDS) == (MANY, True)
    assert harness.shard.manager.offsets.keys_of("a") == [("u", 0)]
    assert OffsetExpirationKey() in harness.due


def test_a_member_that_joins_meanwhile_keeps_its_groups_offsets() -> None:
    harness = committed("a", count=100)
    harness.wall_offset_ms = 1_700_000_000_000 + CONFIG.offsets_retention_ms
    harness.fire(OffsetExpirationKey())
    harness.join(group="a", kind="connect")
    steps(harness)
    assert len(harness.shard.manager.offsets.keys_of("a")) == 100, "which topics a Connect cluster reads is not known"


def test_a_group_with_many_offsets_is_deleted_at_once_and_its_records_step_by_step() -> None:
    harness = committed("a")
    ticket = harness.ask(DeleteGroup("a"))
    assert ticket.waits
    assert "a" not in harness.shard.manager.groups
    assert harness.ask(FetchOffsets("a", None, False)).reply.offsets == []
    assert harness.commit(9, group="a", partition=2) == E.NONE, "a new group of that name"
    written = steps(harness)
    assert (sum(written), max(written) <= STEP_RECORDS) == (MANY - 1, True)
    assert ticket.reply == E.NONE
    assert harness.restarted().shard.manager.offsets.keys_of("a") == [("t", 2)]


@pytest.mark.parametrize("delete", [lambda harness: harness.ask(DeleteGroup("a"))])
def test_a_group_with_few_offsets_is_deleted_in_one_batch(delete: Callable[[ShardHarness], RecordedResponse]) -> None:
    harness = committed("a", count=50)
    before = len(harness.log)
    assert delete(harness).reply == E.NONE
    assert tombstones(harness.log[before:]) == 50
    assert OffsetCleanupKey() not in harness.due


def test_cleanups_are_done_one_after_the_other() -> None:
    harness = committed("a", "b", count=2_000)
    harness.ask(TopicsDeleted(frozenset({"t"})))
    harness.ask(TopicsDeleted(frozenset({"u"})))
    harness.ask(DeleteGroup("b"))
    assert len(harness.shard._cleanups.running) == 3
    steps(harness)
    assert (harness.shard._cleanups.running, dict(harness.shard.manager.groups)) == ([], {})


def test_a_large_groups_offsets_are_a_snapshot() -> None:
    harness = committed("a", count=2_000)
    found = harness.ask(FetchOffsets("a", None, True)).reply
    harness.commit(6, group="a", partition=0)
    harness.commit(6, group="a", topic="u")
    offsets = list(found.offsets)
    assert len(offsets) == 2_000
    assert {(each.offset, code) for _, _, each, code in offsets} == {(5, 0)}
    harness.replay(records.offset_record("a", "t", 1, OffsetAndMetadata(6, -1, "", 1)), 77)
    stable = {partition: code for _, partition, _, code in harness.ask(FetchOffsets("a", None, True)).reply.offsets}
    assert (stable[1], stable[2]) == (E.UNSTABLE_OFFSET_COMMIT, 0)
