"""Offsets of deleted topics, expired ones and those of deleted groups go in short steps, with requests in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.offsets import CommittedOffset
from wirebroker.coordinator.group.requests import DeleteGroup, FetchOffsets, TopicsDeleted
from wirebroker.coordinator.shard import CoordinatorRecord, ReplayedBatch
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.house import SETTINGS, House, Ticket

if TYPE_CHECKING:
    from collections.abc import Callable

E = ErrorCode
MANY = 30_000
STEP_RECORDS = 1_001
"""A step's tombstones, and that of a group."""


def committed(*groups: str, topic: str = "t", count: int = MANY) -> House:
    """A shard whose groups have committed *count* partitions of a topic each."""
    made = [
        records.offset_record(group, topic, partition, CommittedOffset(5, -1, "", 1_700_000_000_000))
        for group in groups
        for partition in range(count)
    ]
    return House(log=made)


def steps(house: House) -> list[int]:
    """Let every step be done; returns how many records each has written."""
    written = []
    while ("sweep",) in house.due:
        before = len(house.log)
        house.due.pop(("sweep",))
        house._apply(house.shard.timed_out(("sweep",), house.now))
        written.append(len(house.log) - before)
    return written


def tombstones(log: list[CoordinatorRecord]) -> int:
    return sum(record.value is None for record in log)


def test_a_deleted_topics_offsets_go_step_by_step() -> None:
    house = committed("a", "b", count=MANY // 2)
    house.commit(7, group="b", topic="u")
    house.ask(TopicsDeleted(frozenset({"t"})))
    written = steps(house)
    assert sum(written) == MANY
    assert max(written) <= STEP_RECORDS
    assert house.shard.groups.keys() == {"b"}
    assert house.offset(group="b", topic="u") == 7
    again = house.restarted()
    assert again.shard.groups.keys() == {"b"}
    assert again.offset(group="b") is None


def test_groups_that_have_nothing_of_the_topic_cost_steps_but_no_records() -> None:
    house = committed("a", topic="u")
    house.ask(TopicsDeleted(frozenset({"t"})))
    assert steps(house) == [0] * (MANY // 10_000 + 1)


def test_what_is_committed_after_the_deletion_stays() -> None:
    """The topic was made again while the offsets of the old one were being removed."""
    house = committed("a")
    house.ask(TopicsDeleted(frozenset({"t"})))
    house.due.pop(("sweep",))
    house._apply(house.shard.timed_out(("sweep",), house.now))
    last_partition = 3
    assert house.commit(9, group="a", partition=last_partition) == E.NONE
    steps(house)
    assert house.shard.offsets.keys_of("a") == [("t", last_partition)]
    assert house.restarted().shard.offsets.keys_of("a") == [("t", last_partition)]


def test_a_pending_commit_after_the_deletion_stays() -> None:
    house = committed("a", count=1)
    house.ask(TopicsDeleted(frozenset({"t"})))
    who = ReplayedBatch(77, 0, True, house.now.wall_ms)
    house.shard.replay(records.offset_record("a", "t", 1, CommittedOffset(6, -1, "", 1)), 0, who)
    house.shard.spare("a", "t", 1)
    steps(house)
    house.shard.replay_end_transaction(77, committed=True)
    assert house.shard.offsets.keys_of("a") == [("t", 1)]


def test_expired_offsets_go_step_by_step() -> None:
    house = committed("a")
    house.commit(7, group="a", topic="u")
    house.wall_offset_ms = 1_700_000_000_000 + SETTINGS.offsets_retention_ms
    house.commit(8, group="a", topic="u")
    house.due.pop(("expiry",))
    house._apply(house.shard.timed_out(("expiry",), house.now))
    written = steps(house)
    assert (sum(written), max(written) <= STEP_RECORDS) == (MANY, True)
    assert house.shard.offsets.keys_of("a") == [("u", 0)]
    assert ("expiry",) in house.due


def test_a_member_that_joins_meanwhile_keeps_its_groups_offsets() -> None:
    house = committed("a", count=100)
    house.wall_offset_ms = 1_700_000_000_000 + SETTINGS.offsets_retention_ms
    house.due.pop(("expiry",))
    house._apply(house.shard.timed_out(("expiry",), house.now))
    house.join(group="a", kind="connect")
    steps(house)
    assert len(house.shard.offsets.keys_of("a")) == 100, "which topics a Connect cluster reads is not known"


def test_a_group_with_many_offsets_is_deleted_at_once_and_its_records_step_by_step() -> None:
    house = committed("a")
    ticket = house.ask(DeleteGroup("a"))
    assert ticket.waits
    assert "a" not in house.shard.groups
    assert house.ask(FetchOffsets("a", None, False)).reply.offsets == []
    assert house.commit(9, group="a", partition=2) == E.NONE, "a new group of that name"
    written = steps(house)
    assert (sum(written), max(written) <= STEP_RECORDS) == (MANY - 1, True)
    assert ticket.reply == E.NONE
    assert house.restarted().shard.offsets.keys_of("a") == [("t", 2)]


@pytest.mark.parametrize("delete", [lambda house: house.ask(DeleteGroup("a"))])
def test_a_group_with_few_offsets_is_deleted_in_one_batch(delete: Callable[[House], Ticket]) -> None:
    house = committed("a", count=50)
    before = len(house.log)
    assert delete(house).reply == E.NONE
    assert tombstones(house.log[before:]) == 50
    assert ("sweep",) not in house.due


def test_sweeps_are_done_one_after_the_other() -> None:
    house = committed("a", "b", count=2_000)
    house.ask(TopicsDeleted(frozenset({"t"})))
    house.ask(TopicsDeleted(frozenset({"u"})))
    house.ask(DeleteGroup("b"))
    assert len(house.shard.sweeps) == 3
    steps(house)
    assert (house.shard.sweeps, dict(house.shard.groups)) == ([], {})


def test_a_large_groups_offsets_are_a_snapshot() -> None:
    house = committed("a", count=2_000)
    found = house.ask(FetchOffsets("a", None, True)).reply
    house.commit(6, group="a", partition=0)
    house.commit(6, group="a", topic="u")
    offsets = list(found.offsets)
    assert len(offsets) == 2_000
    assert {(each.offset, code) for _, _, each, code in offsets} == {(5, 0)}
    who = ReplayedBatch(77, 0, True, house.now.wall_ms)
    house.shard.replay(records.offset_record("a", "t", 1, CommittedOffset(6, -1, "", 1)), 0, who)
    stable = {partition: code for _, partition, _, code in house.ask(FetchOffsets("a", None, True)).reply.offsets}
    assert (stable[1], stable[2]) == (E.UNSTABLE_OFFSET_COMMIT, 0)
