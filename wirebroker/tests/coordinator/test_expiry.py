"""When committed offsets are too old: KIP-211's rules, one by one, and the rule of clients before it."""

from __future__ import annotations

import pytest

from wirebroker.coordinator.group.classic import GroupState
from wirebroker.coordinator.group.requests import ListGroups
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.house import SETTINGS, House

E = ErrorCode
HOUR_MS = 3_600_000
RETENTION_MS = SETTINGS.offsets_retention_ms
LOOK_MS = SETTINGS.offsets_retention_check_ms
READS_U = bytes.fromhex("0000 00000001 0001 75 ffffffff")
"""A consumer's subscription: version 0, topic u."""


class Reader:
    """One member that stays, and may change what it reads."""

    def __init__(self, house: House, *, metadata: bytes = READS_U, kind: str = "consumer") -> None:
        self.house, self.kind = house, kind
        self.member_id, self.generation = "", -1
        self.join(metadata)

    def join(self, metadata: bytes) -> None:
        house = self.house
        reply = house.join(self.member_id, kind=self.kind, protocols=(("range", metadata),), session_ms=1_800_000).reply
        self.member_id, self.generation = reply.member_id, reply.generation_id
        assert house.sync(self.member_id, self.generation, {self.member_id: b""}).reply.error_code == E.NONE

    def commit(self, topic: str) -> None:
        assert self.house.commit(7, self.member_id, self.generation, topic=topic) == E.NONE

    def stay(self, duration_ms: int) -> None:
        end_ms = self.house.now_ms + duration_ms
        while self.house.now_ms < end_ms:
            self.house.pass_ms(min(HOUR_MS // 3, end_ms - self.house.now_ms))
            assert self.house.beat(self.member_id, self.generation) == E.NONE


def test_what_nobody_reads_any_more_goes_while_the_group_lives() -> None:
    house = House()
    reader = Reader(house)
    reader.commit("t")
    reader.commit("u")
    reader.stay(RETENTION_MS - HOUR_MS)
    assert (house.offset(topic="t"), house.offset(topic="u")) == (7, 7)
    reader.stay(HOUR_MS + LOOK_MS)
    assert (house.offset(topic="t"), house.offset(topic="u")) == (None, 7)
    assert house.restarted().offset(topic="t") is None


def test_a_later_commit_counts_anew() -> None:
    house = House()
    reader = Reader(house)
    reader.commit("t")
    reader.stay(RETENTION_MS - HOUR_MS)
    reader.commit("t")
    reader.stay(RETENTION_MS - HOUR_MS)
    assert house.offset(topic="t") == 7


@pytest.mark.parametrize(("kind", "metadata"), [("connect", READS_U), ("consumer", b"no subscription")])
def test_where_nobody_knows_what_is_read_all_stays(kind: str, metadata: bytes) -> None:
    house = House()
    reader = Reader(house, kind=kind, metadata=metadata)
    reader.commit("t")
    reader.stay(RETENTION_MS + 2 * LOOK_MS)
    assert house.offset(topic="t") == 7


def test_in_the_middle_of_a_rebalance_all_stays() -> None:
    """The member that reads it may be the one that has yet to join again."""
    house = House()
    reader = Reader(house)
    reader.commit("t")
    reader.stay(RETENTION_MS - LOOK_MS)
    house.join(rebalance_ms=1_800_000, session_ms=1_800_000)
    for _ in range(2):
        house.pass_ms(LOOK_MS)
        assert house.beat(reader.member_id, reader.generation) == E.REBALANCE_IN_PROGRESS
    assert house.shard.groups["g"].state == GroupState.PREPARING_REBALANCE
    assert house.offset(topic="t") == 7


def test_an_empty_group_counts_from_when_the_last_member_left() -> None:
    house = House()
    reader = Reader(house)
    reader.commit("u")
    reader.stay(RETENTION_MS + HOUR_MS)
    house.leave(reader.member_id)
    house.pass_ms(RETENTION_MS - HOUR_MS)
    assert house.offset(topic="u") == 7
    house.pass_ms(HOUR_MS + LOOK_MS)
    assert house.offset(topic="u") is None
    assert not house.ask(ListGroups()).reply, "and the group goes with its last offset"
    assert not house.restarted().ask(ListGroups()).reply


def test_a_restart_does_not_start_the_clock_anew() -> None:
    house = House()
    reader = Reader(house)
    reader.commit("u")
    house.leave(reader.member_id)
    house.pass_ms(RETENTION_MS - HOUR_MS)
    again = house.restarted()
    again.now_ms = house.now_ms
    again.pass_ms(HOUR_MS + LOOK_MS)
    assert again.offset(topic="u") is None


def test_an_operators_commit_to_an_empty_group_lives_its_own_time() -> None:
    """Apache Kafka counts from when the group became empty, and may drop it the minute after."""
    house = House()
    reader = Reader(house)
    house.leave(reader.member_id)
    house.pass_ms(RETENTION_MS - LOOK_MS)
    house.commit(5)
    house.pass_ms(RETENTION_MS - LOOK_MS)
    assert house.offset() == 5
    house.pass_ms(2 * LOOK_MS)
    assert house.offset() is None


def test_a_simple_groups_offsets_count_one_by_one_from_their_commits() -> None:
    house = House()
    house.commit(1, partition=0)
    house.pass_ms(24 * HOUR_MS)
    house.commit(2, partition=1)
    house.pass_ms(RETENTION_MS - 24 * HOUR_MS + LOOK_MS)
    assert (house.offset(partition=0), house.offset(partition=1)) == (None, 2)
    (group,) = house.ask(ListGroups()).reply
    assert (group.group_id, group.protocol_type, group.state) == ("g", None, GroupState.EMPTY)
    house.pass_ms(24 * HOUR_MS)
    assert house.offset(partition=1) is None
    assert not house.ask(ListGroups()).reply
    loaded = house.restarted()
    assert (loaded.offset(partition=0), loaded.offset(partition=1)) == (None, None)


def test_a_retention_of_the_clients_own_outlives_a_restart() -> None:
    house = House()
    house.commit(1, version=4, retention_ms=HOUR_MS)
    house.commit(2, version=4, retention_ms=30 * 24 * HOUR_MS, partition=1)
    again = house.restarted()
    again.now_ms = house.now_ms
    again.pass_ms(RETENTION_MS + 2 * LOOK_MS)
    assert (again.offset(partition=0), again.offset(partition=1)) == (None, 2)
    again.pass_ms(30 * 24 * HOUR_MS)
    assert again.offset(partition=1) is None
