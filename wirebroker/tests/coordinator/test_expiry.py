"""When committed offsets are too old: KIP-211's rules, one by one, and the rule of clients before it."""

from __future__ import annotations

import pytest

from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.requests import ListGroups
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.shard_harness import CONFIG, ShardHarness

E = ErrorCode
HOUR_MS = 3_600_000
RETENTION_MS = CONFIG.offsets_retention_ms
LOOK_MS = CONFIG.offsets_retention_check_interval_ms
READS_U = bytes.fromhex("0000 00000001 0001 75 ffffffff")
"""A consumer's subscription: version 0, topic u."""


class Reader:
    """One member that stays, and may change its subscription."""

    def __init__(self, harness: ShardHarness, *, metadata: bytes = READS_U, kind: str = "consumer") -> None:
        self.harness, self.kind = harness, kind
        self.member_id, self.generation = "", -1
        self.join(metadata)

    def join(self, metadata: bytes) -> None:
        harness = self.harness
        reply = harness.join(
            self.member_id, kind=self.kind, protocols=(("range", metadata),), session_ms=1_800_000
        ).reply
        self.member_id, self.generation = reply.member_id, reply.generation_id
        assert harness.sync(self.member_id, self.generation, {self.member_id: b""}).reply.error_code == E.NONE

    def commit(self, topic: str) -> None:
        assert self.harness.commit(7, self.member_id, self.generation, topic=topic) == E.NONE

    def stay(self, duration_ms: int) -> None:
        end_ms = self.harness.now_ms + duration_ms
        while self.harness.now_ms < end_ms:
            self.harness.pass_ms(min(HOUR_MS // 3, end_ms - self.harness.now_ms))
            assert self.harness.beat(self.member_id, self.generation) == E.NONE


def test_offsets_of_topics_without_subscribers_expire_while_the_group_lives() -> None:
    harness = ShardHarness()
    reader = Reader(harness)
    reader.commit("t")
    reader.commit("u")
    reader.stay(RETENTION_MS - HOUR_MS)
    assert (harness.offset(topic="t"), harness.offset(topic="u")) == (7, 7)
    reader.stay(HOUR_MS + LOOK_MS)
    assert (harness.offset(topic="t"), harness.offset(topic="u")) == (None, 7)
    assert harness.restarted().offset(topic="t") is None


def test_a_later_commit_counts_anew() -> None:
    harness = ShardHarness()
    reader = Reader(harness)
    reader.commit("t")
    reader.stay(RETENTION_MS - HOUR_MS)
    reader.commit("t")
    reader.stay(RETENTION_MS - HOUR_MS)
    assert harness.offset(topic="t") == 7


@pytest.mark.parametrize(("kind", "metadata"), [("connect", READS_U), ("consumer", b"no subscription")])
def test_offsets_stay_while_subscriptions_are_unknown(kind: str, metadata: bytes) -> None:
    harness = ShardHarness()
    reader = Reader(harness, kind=kind, metadata=metadata)
    reader.commit("t")
    reader.stay(RETENTION_MS + 2 * LOOK_MS)
    assert harness.offset(topic="t") == 7


def test_offsets_stay_in_the_middle_of_a_rebalance() -> None:
    """The member that reads it may be the one that has yet to join again."""
    harness = ShardHarness()
    reader = Reader(harness)
    reader.commit("t")
    reader.stay(RETENTION_MS - LOOK_MS)
    harness.join(rebalance_ms=1_800_000, session_ms=1_800_000)
    for _ in range(2):
        harness.pass_ms(LOOK_MS)
        assert harness.beat(reader.member_id, reader.generation) == E.REBALANCE_IN_PROGRESS
    assert harness.shard.manager.groups["g"].state == ClassicGroupState.PREPARING_REBALANCE
    assert harness.offset(topic="t") == 7


def test_an_empty_group_counts_from_when_the_last_member_left() -> None:
    harness = ShardHarness()
    reader = Reader(harness)
    reader.commit("u")
    reader.stay(RETENTION_MS + HOUR_MS)
    harness.leave(reader.member_id)
    harness.pass_ms(RETENTION_MS - HOUR_MS)
    assert harness.offset(topic="u") == 7
    harness.pass_ms(HOUR_MS + LOOK_MS)
    assert harness.offset(topic="u") is None
    assert not harness.ask(ListGroups()).reply, "and the group goes with its last offset"
    assert not harness.restarted().ask(ListGroups()).reply


def test_a_restart_does_not_start_the_clock_anew() -> None:
    harness = ShardHarness()
    reader = Reader(harness)
    reader.commit("u")
    harness.leave(reader.member_id)
    harness.pass_ms(RETENTION_MS - HOUR_MS)
    again = harness.restarted()
    again.now_ms = harness.now_ms
    again.pass_ms(HOUR_MS + LOOK_MS)
    assert again.offset(topic="u") is None


def test_an_operators_commit_to_an_empty_group_has_its_own_retention() -> None:
    """Apache Kafka counts from when the group became empty, and may drop it the minute after."""
    harness = ShardHarness()
    reader = Reader(harness)
    harness.leave(reader.member_id)
    harness.pass_ms(RETENTION_MS - LOOK_MS)
    harness.commit(5)
    harness.pass_ms(RETENTION_MS - LOOK_MS)
    assert harness.offset() == 5
    harness.pass_ms(2 * LOOK_MS)
    assert harness.offset() is None


def test_a_simple_groups_offsets_count_one_by_one_from_their_commits() -> None:
    harness = ShardHarness()
    harness.commit(1, partition=0)
    harness.pass_ms(24 * HOUR_MS)
    harness.commit(2, partition=1)
    harness.pass_ms(RETENTION_MS - 24 * HOUR_MS + LOOK_MS)
    assert (harness.offset(partition=0), harness.offset(partition=1)) == (None, 2)
    (group,) = harness.ask(ListGroups()).reply
    assert (group.group_id, group.protocol_type, group.state) == ("g", None, ClassicGroupState.EMPTY)
    harness.pass_ms(24 * HOUR_MS)
    assert harness.offset(partition=1) is None
    assert not harness.ask(ListGroups()).reply
    loaded = harness.restarted()
    assert (loaded.offset(partition=0), loaded.offset(partition=1)) == (None, None)


def test_a_timestamp_of_the_clients_own_is_that_of_the_commit() -> None:
    """OffsetCommit v1 alone has one; -1 leaves it to the broker."""
    harness = ShardHarness()
    now_ms = harness.now_ms + harness.wall_offset_ms
    harness.commit(1, version=1, timestamp_ms=now_ms - RETENTION_MS + 12 * HOUR_MS)
    harness.commit(2, version=1, partition=1)
    again = harness.restarted()
    again.now_ms = harness.now_ms
    for each in (harness, again):
        each.pass_ms(11 * HOUR_MS)
        assert (each.offset(partition=0), each.offset(partition=1)) == (1, 2)
        each.pass_ms(HOUR_MS + LOOK_MS)
        assert (each.offset(partition=0), each.offset(partition=1)) == (None, 2)


def test_a_retention_of_the_clients_own_outlives_a_restart() -> None:
    harness = ShardHarness()
    harness.commit(1, version=4, retention_ms=HOUR_MS)
    harness.commit(2, version=4, retention_ms=30 * 24 * HOUR_MS, partition=1)
    again = harness.restarted()
    again.now_ms = harness.now_ms
    again.pass_ms(RETENTION_MS + 2 * LOOK_MS)
    assert (again.offset(partition=0), again.offset(partition=1)) == (None, 2)
    again.pass_ms(30 * 24 * HOUR_MS)
    assert again.offset(partition=1) is None
