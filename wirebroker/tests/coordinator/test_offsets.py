"""Committed offsets: checks, expiration, and that a restarted shard is a replay of the same records."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.offset_metadata_manager import OffsetAndMetadata
from wirebroker.coordinator.group.requests import DeleteGroup, FetchOffsets, TopicsDeleted
from wirebroker.coordinator.group.timer_keys import HeartbeatKey, JoinKey
from wirebroker.coordinator.shard import ReplayedBatch
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.shard_harness import CONFIG, ShardHarness

E = ErrorCode
DAY_MS = 86_400_000


def test_golden_offset_record() -> None:
    record = records.offset_record("g", "t", 1, OffsetAndMetadata(5, 7, "m", 1_000))
    assert record.key.hex() == "000100016700017400000001"
    assert record.value is not None
    assert record.value.hex() == "000300000000000000050000000700016d00000000000003e8"


def test_golden_offset_record_with_an_expiry_of_its_own() -> None:
    record = records.offset_record("g", "t", 1, OffsetAndMetadata(5, 7, "", 1_000, 2_000))
    assert record.value is not None
    assert record.value.hex() == "00010000000000000005000000000000000003e800000000000007d0"


def test_golden_group_record() -> None:
    harness = ShardHarness()
    harness.join(rebalance_ms=256, session_ms=6_000)
    group = harness.shard.manager.groups["g"]
    member = next(iter(group.members.values()))
    member.member_id = "m"
    group.leader_id = "m"
    harness.shard.manager.groups["g"].state_timestamp_ms = 1
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
    harness = ShardHarness()
    assert harness.commit(5) == E.NONE
    assert harness.offset() == 5
    assert harness.shard.manager.groups["g"].state == ClassicGroupState.EMPTY
    assert harness.commit(5, generation=3, group="new") == E.ILLEGAL_GENERATION


def test_checks_of_a_commit() -> None:
    harness = ShardHarness()
    (member,), generation = harness.stable("a")
    assert harness.commit(1, member, generation) == E.NONE
    assert harness.commit(2, member, generation + 1) == E.ILLEGAL_GENERATION
    assert harness.commit(2, member, -1) == E.ILLEGAL_GENERATION
    assert harness.commit(2, "nobody", generation) == E.UNKNOWN_MEMBER_ID
    assert harness.commit(2) == E.UNKNOWN_MEMBER_ID  # a stranger while there are members
    assert harness.offset() == 1
    harness.join(member)
    assert harness.commit(3, member, generation + 1) == E.REBALANCE_IN_PROGRESS
    assert harness.offset() == 1


def test_commits_are_accepted_while_a_rebalance_is_being_prepared() -> None:
    harness = ShardHarness()
    (member,), generation = harness.stable("a")
    harness.join()
    assert harness.commit(9, member, generation) == E.NONE
    assert harness.offset() == 9


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"metadata": "x" * 4097}, E.OFFSET_METADATA_TOO_LARGE),
        ({"metadata": "x" * 4096}, E.NONE),
        ({"metadata": "\U0001f600" * 2048}, E.NONE),
        ({"metadata": "\U0001f600" * 2049}, E.OFFSET_METADATA_TOO_LARGE),
        ({"metadata": "x" * 4095 + "\U0001f600"}, E.OFFSET_METADATA_TOO_LARGE),
        ({"topic": "missing"}, E.UNKNOWN_TOPIC_OR_PARTITION),
        ({"partition": 4}, E.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_bad_commits(arguments: dict[str, object], code: ErrorCode) -> None:
    assert ShardHarness().commit(1, **arguments) == code  # type: ignore[arg-type]


def test_a_group_with_members_keeps_its_offsets_and_an_empty_one_loses_them_in_time() -> None:
    harness = ShardHarness()
    (member,), generation = harness.stable("a")
    harness.commit(7, member, generation)
    for _ in range(8 * 24):
        for _ in range(3600 // 9):
            harness.pass_ms(9_000)
            harness.beat(member, generation)
        if harness.now_ms > 1_000_000 + CONFIG.offsets_retention_ms + DAY_MS:
            break
    assert harness.offset() == 7
    harness.leave(member)
    harness.pass_ms(CONFIG.offsets_retention_ms - DAY_MS)
    assert harness.offset() == 7
    harness.pass_ms(2 * DAY_MS)
    assert harness.offset() is None
    assert "g" not in harness.shard.manager.groups


def test_old_clients_choose_their_own_retention() -> None:
    harness = ShardHarness()
    harness.commit(7, version=3, retention_ms=DAY_MS)
    harness.pass_ms(DAY_MS - 1)
    assert harness.offset() == 7
    harness.pass_ms(3_600_000)
    assert harness.offset() is None


def test_offsets_of_a_deleted_topic_go() -> None:
    harness = ShardHarness()
    harness.commit(1)
    harness.commit(2, topic="u")
    harness.ask(TopicsDeleted(frozenset({"t"})))
    harness.pass_ms(0)
    assert (harness.offset(), harness.offset(topic="u")) == (None, 2)
    assert (harness.restarted().offset(), harness.restarted().offset(topic="u")) == (None, 2)


def test_deleting_groups() -> None:
    harness = ShardHarness()
    assert harness.ask(DeleteGroup("g")).reply == E.GROUP_ID_NOT_FOUND
    (member,), generation = harness.stable("a")
    harness.commit(1, member, generation)
    assert harness.ask(DeleteGroup("g")).reply == E.NON_EMPTY_GROUP
    harness.leave(member)
    assert harness.ask(DeleteGroup("g")).reply == E.NONE
    assert harness.offset() is None
    after = harness.restarted()
    assert not after.shard.manager.groups
    assert after.offset() is None


def test_offsets_of_a_transaction_appear_with_its_marker() -> None:
    harness = ShardHarness()
    who = ReplayedBatch(77, 0, True, harness.now_ms + harness.wall_offset_ms)
    harness.shard.replay(records.offset_record("g", "t", 0, OffsetAndMetadata(5, -1, "", 1)), who)
    assert harness.offset() is None
    stable = harness.ask(FetchOffsets("g", [("t", [0])], True)).reply
    assert stable.offsets == [("t", 0, None, E.UNSTABLE_OFFSET_COMMIT)]
    harness.shard.replay_end_transaction(77, committed=True)
    assert harness.offset() == 5
    harness.shard.replay(records.offset_record("g", "t", 0, OffsetAndMetadata(9, -1, "", 1)), who)
    harness.shard.replay_end_transaction(77, committed=False)
    assert harness.offset() == 5


Steps = st.lists(
    st.tuples(
        st.sampled_from(["join", "rejoin", "sync", "leave", "beat", "commit", "time", "static"]),
        st.integers(0, 3),
        st.integers(0, 20),
    ),
    max_size=40,
)


def persisted(harness: ShardHarness) -> dict[str, object]:
    """The state that a restart keeps: stable and empty groups as they were written last, and all offsets."""
    offsets = {
        group: dict(harness.shard.manager.offsets.of_group(group)) for group in harness.shard.manager.offsets.groups()
    }
    return {"offsets": offsets}


@given(Steps)
def test_invariants_hold_in_random_schedules(steps: list[tuple[str, int, int]]) -> None:
    harness = ShardHarness()
    members: list[str] = []
    committed: dict[int, int] = {}
    for what, who, number in steps:
        group = harness.shard.manager.groups.get("g")
        generation = group.generation_id if group is not None else 0
        member = members[who % len(members)] if members else "nobody"
        if what == "join":
            harness.join(version=3)
        elif what == "static":
            harness.join(version=5, instance=f"i{who}")
        elif what == "rejoin":
            harness.join(member)
        elif what == "sync":
            plan = {each: f"{each}:{generation}".encode() for each in members}
            harness.sync(member, generation, plan)
        elif what == "leave":
            harness.leave(member)
        elif what == "beat":
            harness.beat(member, generation)
        elif what == "commit":
            if (
                harness.commit(number, member if members else "", generation if members else -1, partition=who)
                == E.NONE
            ):
                committed[who] = number
        else:
            harness.pass_ms(number * 1_000)
        group = harness.shard.manager.groups.get("g")
        members = list(group.members) if group is not None else []

        # A committed offset changes only by a commit.
        for partition in range(4):
            assert harness.offset(partition=partition) == committed.get(partition)
        # Each member has a session timer, or waits for an answer.
        for member_id, each in group.members.items() if group is not None else ():
            assert HeartbeatKey("g", member_id) in harness.due or each.pending_join or each.pending_sync
        if group is not None:
            assert group.num_awaiting_join == sum(each.pending_join is not None for each in group.members.values())
        if group is not None and group.state == ClassicGroupState.PREPARING_REBALANCE:
            assert JoinKey("g") in harness.due
        # No two members of a generation own the same: every assignment names its owner and generation.
        if group is not None and group.state == ClassicGroupState.STABLE:
            given_out = [each.assignment for each in group.members.values() if each.assignment]
            assert len(given_out) == len(set(given_out))
        # State after a restart is replay of the same records.
        after = harness.restarted()
        assert persisted(after) == persisted(harness)
        if group is not None and group.state == ClassicGroupState.STABLE:
            twin = after.shard.manager.groups["g"]
            assert (twin.generation_id, twin.protocol_name, twin.leader_id) == (
                group.generation_id,
                group.protocol_name,
                group.leader_id,
            )
            assert {m: each.assignment for m, each in twin.members.items()} == {
                m: each.assignment for m, each in group.members.items()
            }
