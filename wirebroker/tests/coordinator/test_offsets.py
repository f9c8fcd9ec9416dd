"""Committed offsets: who may commit when, what expires, and that a restarted shard is a replay of the same records."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.classic import GroupState
from wirebroker.coordinator.group.offsets import CommittedOffset
from wirebroker.coordinator.group.requests import DeleteGroup, FetchOffsets, TopicsDeleted
from wirebroker.coordinator.shard import ReplayedBatch
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.house import SETTINGS, House

E = ErrorCode
DAY_MS = 86_400_000


def test_golden_offset_record() -> None:
    record = records.offset_record("g", "t", 1, CommittedOffset(5, 7, "m", 1_000))
    assert record.key.hex() == "000100016700017400000001"
    assert record.value is not None
    assert record.value.hex() == "000300000000000000050000000700016d00000000000003e8"


def test_golden_offset_record_with_an_expiry_of_its_own() -> None:
    record = records.offset_record("g", "t", 1, CommittedOffset(5, 7, "", 1_000, 2_000))
    assert record.value is not None
    assert record.value.hex() == "00010000000000000005000000000000000003e800000000000007d0"


def test_golden_group_record() -> None:
    house = House()
    house.join(rebalance_ms=256, session_ms=6_000)
    group = house.shard.groups["g"]
    member = next(iter(group.members.values()))
    member.member_id = "m"
    group.leader = "m"
    house.shard.groups["g"].state_since_ms = 1
    member.assignment = b"A"
    record = records.group_record(group)
    assert record.key.hex() == "0002000167"
    assert record.value is not None
    assert record.value.hex() == (
        "0003" "0008636f6e73756d6572" "00000001" "000572616e6765" "00016d" "0000000000000001"
        "00000001" "00016d" "ffff" "000163" "000a2f3132372e302e302e31" "00000100" "00001770"
        "000000016d" "0000000141"
    )  # fmt: skip


def test_a_group_that_only_commits() -> None:
    house = House()
    assert house.commit(5) == E.NONE
    assert house.offset() == 5
    assert house.shard.groups["g"].state == GroupState.EMPTY
    assert house.commit(5, generation=3, group="new") == E.ILLEGAL_GENERATION


def test_who_may_commit() -> None:
    house = House()
    (member,), generation = house.stable("a")
    assert house.commit(1, member, generation) == E.NONE
    assert house.commit(2, member, generation + 1) == E.ILLEGAL_GENERATION
    assert house.commit(2, member, -1) == E.ILLEGAL_GENERATION
    assert house.commit(2, "nobody", generation) == E.UNKNOWN_MEMBER_ID
    assert house.commit(2) == E.UNKNOWN_MEMBER_ID  # a stranger while there are members
    assert house.offset() == 1
    house.join(member)
    assert house.commit(3, member, generation + 1) == E.REBALANCE_IN_PROGRESS
    assert house.offset() == 1


def test_commits_are_accepted_while_a_rebalance_is_being_prepared() -> None:
    house = House()
    (member,), generation = house.stable("a")
    house.join()
    assert house.commit(9, member, generation) == E.NONE
    assert house.offset() == 9


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"metadata": "x" * 4097}, E.OFFSET_METADATA_TOO_LARGE),
        ({"metadata": "x" * 4096}, E.NONE),
        ({"topic": "missing"}, E.UNKNOWN_TOPIC_OR_PARTITION),
        ({"partition": 4}, E.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_bad_commits(arguments: dict[str, object], code: ErrorCode) -> None:
    assert House().commit(1, **arguments) == code  # type: ignore[arg-type]


def test_a_group_with_members_keeps_its_offsets_and_an_empty_one_loses_them_in_time() -> None:
    house = House()
    (member,), generation = house.stable("a")
    house.commit(7, member, generation)
    for _ in range(8 * 24):
        for _ in range(3600 // 9):
            house.pass_ms(9_000)
            house.beat(member, generation)
        if house.now_ms > 1_000_000 + SETTINGS.offsets_retention_ms + DAY_MS:
            break
    assert house.offset() == 7
    house.leave(member)
    house.pass_ms(SETTINGS.offsets_retention_ms - DAY_MS)
    assert house.offset() == 7
    house.pass_ms(2 * DAY_MS)
    assert house.offset() is None
    assert "g" not in house.shard.groups


def test_old_clients_choose_their_own_retention() -> None:
    house = House()
    house.commit(7, version=3, retention_ms=DAY_MS)
    house.pass_ms(DAY_MS - 1)
    assert house.offset() == 7
    house.pass_ms(3_600_000)
    assert house.offset() is None


def test_offsets_of_a_deleted_topic_go() -> None:
    house = House()
    house.commit(1)
    house.commit(2, topic="u")
    house.ask(TopicsDeleted(frozenset({"t"})))
    house.pass_ms(0)
    assert (house.offset(), house.offset(topic="u")) == (None, 2)
    assert (house.restarted().offset(), house.restarted().offset(topic="u")) == (None, 2)


def test_deleting_groups() -> None:
    house = House()
    assert house.ask(DeleteGroup("g")).reply == E.GROUP_ID_NOT_FOUND
    (member,), generation = house.stable("a")
    house.commit(1, member, generation)
    assert house.ask(DeleteGroup("g")).reply == E.NON_EMPTY_GROUP
    house.leave(member)
    assert house.ask(DeleteGroup("g")).reply == E.NONE
    assert house.offset() is None
    after = house.restarted()
    assert not after.shard.groups
    assert after.offset() is None


def test_offsets_of_a_transaction_appear_with_its_marker() -> None:
    house = House()
    who = ReplayedBatch(77, 0, True, house.now.wall_ms)
    house.shard.replay(records.offset_record("g", "t", 0, CommittedOffset(5, -1, "", 1)), 0, who)
    assert house.offset() is None
    stable = house.ask(FetchOffsets("g", [("t", [0])], True)).reply
    assert stable.offsets == [("t", 0, None, E.UNSTABLE_OFFSET_COMMIT)]
    house.shard.replay_end_transaction(77, committed=True)
    assert house.offset() == 5
    house.shard.replay(records.offset_record("g", "t", 0, CommittedOffset(9, -1, "", 1)), 0, who)
    house.shard.replay_end_transaction(77, committed=False)
    assert house.offset() == 5


Steps = st.lists(
    st.tuples(
        st.sampled_from(["join", "rejoin", "sync", "leave", "beat", "commit", "time", "static"]),
        st.integers(0, 3),
        st.integers(0, 20),
    ),
    max_size=40,
)


def persisted(house: House) -> dict[str, object]:
    """What a restart must not change: stable and empty groups as they were written last, and all offsets."""
    offsets = {group: dict(house.shard.offsets.of_group(group)) for group in house.shard.offsets.groups()}
    return {"offsets": offsets}


@given(Steps)
def test_whatever_happens_the_promises_hold(steps: list[tuple[str, int, int]]) -> None:
    house = House()
    members: list[str] = []
    committed: dict[int, int] = {}
    for what, who, number in steps:
        group = house.shard.groups.get("g")
        generation = group.generation if group is not None else 0
        member = members[who % len(members)] if members else "nobody"
        if what == "join":
            house.join(version=3)
        elif what == "static":
            house.join(version=5, instance=f"i{who}")
        elif what == "rejoin":
            house.join(member)
        elif what == "sync":
            plan = {each: f"{each}:{generation}".encode() for each in members}
            house.sync(member, generation, plan)
        elif what == "leave":
            house.leave(member)
        elif what == "beat":
            house.beat(member, generation)
        elif what == "commit":
            if house.commit(number, member if members else "", generation if members else -1, partition=who) == E.NONE:
                committed[who] = number
        else:
            house.pass_ms(number * 1_000)
        group = house.shard.groups.get("g")
        members = list(group.members) if group is not None else []

        # A committed offset changes only by a commit.
        for partition in range(4):
            assert house.offset(partition=partition) == committed.get(partition)
        # Whoever is in the group is waited for with a timer, or waits itself.
        for member_id, each in group.members.items() if group is not None else ():
            assert ("session", "g", member_id) in house.due or each.join_ticket or each.sync_ticket
        if group is not None:
            assert group.awaiting_join == sum(each.join_ticket is not None for each in group.members.values())
        if group is not None and group.state == GroupState.PREPARING_REBALANCE:
            assert ("join", "g") in house.due
        # No two members of a generation own the same: every assignment names its owner and generation.
        if group is not None and group.state == GroupState.STABLE:
            given_out = [each.assignment for each in group.members.values() if each.assignment]
            assert len(given_out) == len(set(given_out))
        # State after a restart is replay of the same records.
        after = house.restarted()
        assert persisted(after) == persisted(house)
        if group is not None and group.state == GroupState.STABLE:
            twin = after.shard.groups["g"]
            assert (twin.generation, twin.protocol, twin.leader) == (group.generation, group.protocol, group.leader)
            assert {m: each.assignment for m, each in twin.members.items()} == {
                m: each.assignment for m, each in group.members.items()
            }
