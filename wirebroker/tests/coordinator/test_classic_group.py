"""Classic groups: the state machine as a client sees it, under a virtual clock."""

from __future__ import annotations

import pytest

from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.requests import DeleteGroup
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.shard_harness import ShardHarness, group_config

E = ErrorCode


def state(harness: ShardHarness) -> ClassicGroupState:
    return harness.shard.manager.groups["g"].state


def test_the_first_member_leads_generation_one_at_once() -> None:
    harness = ShardHarness()
    reply = harness.join().reply
    assert (reply.error_code, reply.generation_id, reply.protocol_name) == (E.NONE, 1, "range")
    assert reply.leader == reply.member_id
    assert [member.member_id for member in reply.members] == [reply.member_id]
    assert reply.member_id.startswith("c-")
    assert state(harness) == ClassicGroupState.COMPLETING_REBALANCE
    synced = harness.sync(reply.member_id, 1, {reply.member_id: b"all"}).reply
    assert (synced.error_code, synced.assignment) == (E.NONE, b"all")
    assert state(harness) == ClassicGroupState.STABLE


def test_a_second_member_makes_the_first_join_again() -> None:
    harness = ShardHarness()
    (first,), generation = harness.stable("a")
    second = harness.join()
    assert second.waits
    assert harness.beat(first, generation) == E.REBALANCE_IN_PROGRESS
    again = harness.join(first)
    assert again.reply.generation_id == second.reply.generation_id == generation + 1
    assert len(again.reply.members) == 2
    assert second.reply.members == []
    assert second.reply.leader == first


def test_the_follower_waits_for_the_leaders_assignment() -> None:
    harness = ShardHarness()
    (first,), _ = harness.stable("a")
    second = harness.join()
    again = harness.join(first)
    follower = harness.sync(second.reply.member_id, 2)
    assert follower.waits
    leader = harness.sync(first, 2, {first: b"1", second.reply.member_id: b"2"})
    assert (leader.reply.assignment, follower.reply.assignment) == (b"1", b"2")
    assert again.reply.error_code == E.NONE


def test_members_without_an_assignment_get_empty_bytes() -> None:
    harness = ShardHarness()
    ids, generation = harness.stable("a", "b")
    harness.join(ids[0])
    harness.join(ids[1])
    harness.sync(ids[0], generation + 1, {ids[0]: b"x"})
    assert harness.sync(ids[1], generation + 1).reply.assignment == b""


def test_from_version_four_the_member_id_comes_first() -> None:
    harness = ShardHarness()
    refused = harness.join(version=4).reply
    assert refused.error_code == E.MEMBER_ID_REQUIRED
    assert refused.member_id.startswith("c-")
    joined = harness.join(refused.member_id, version=4).reply
    assert (joined.error_code, joined.member_id) == (E.NONE, refused.member_id)


def test_a_pending_member_joins_a_rebalance_that_all_members_have_left() -> None:
    """With no member left every protocol will do, as in Apache Kafka, though the group is not empty yet."""
    harness = ShardHarness()
    ids, generation = harness.stable("a", "b")
    pending = harness.join(version=4, session_ms=60_000).reply.member_id
    harness.pass_ms(10_000)
    assert [harness.beat(each, generation) for each in ids] == [E.UNKNOWN_MEMBER_ID] * 2
    assert harness.join(pending, version=4).reply.error_code == E.NONE


def test_an_id_that_is_never_used_expires() -> None:
    harness = ShardHarness()
    (first,), generation = harness.stable("a", version=3)
    pending = harness.join(version=4, session_ms=8_000).reply.member_id
    harness.pass_ms(5_000)
    assert harness.beat(first, generation) == E.NONE
    harness.pass_ms(4_000)
    assert harness.join(pending, version=4).reply.error_code == E.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"session_ms": 5_999}, E.INVALID_SESSION_TIMEOUT),
        ({"session_ms": 1_800_001}, E.INVALID_SESSION_TIMEOUT),
        ({"member_id": "nobody"}, E.UNKNOWN_MEMBER_ID),
        ({"kind": "connect"}, E.INCONSISTENT_GROUP_PROTOCOL),
        ({"kind": ""}, E.INCONSISTENT_GROUP_PROTOCOL),
        ({"protocols": ()}, E.INCONSISTENT_GROUP_PROTOCOL),
        ({"protocols": (("sticky", b""),)}, E.INCONSISTENT_GROUP_PROTOCOL),
        ({"member_id": "x", "instance": "unknown"}, E.UNKNOWN_MEMBER_ID),
    ],
)
def test_joins_that_are_refused(arguments: dict[str, object], code: ErrorCode) -> None:
    harness = ShardHarness()
    harness.stable("a")
    reply = harness.join(**arguments).reply  # type: ignore[arg-type]
    assert reply.error_code == code
    assert (reply.generation_id, reply.protocol_name, reply.members) == (-1, "", [])
    assert state(harness) == ClassicGroupState.STABLE


def test_most_votes_choose_the_protocol() -> None:
    harness = ShardHarness()
    first = harness.join(protocols=(("range", b"r"), ("roundrobin", b"o"))).reply.member_id
    others = [harness.join(protocols=(("roundrobin", b"o"), ("range", b"r"))) for _ in range(2)]
    again = harness.join(first, protocols=(("range", b"r"), ("roundrobin", b"o")))
    assert {ticket.reply.protocol_name for ticket in (again, *others)} == {"roundrobin"}
    assert {member.metadata for member in again.reply.members} == {b"o"}


def test_an_unchanged_follower_gets_the_current_generation_and_a_leader_starts_a_new_one() -> None:
    harness = ShardHarness()
    ids, generation = harness.stable("a", "b")
    assert harness.join(ids[1]).reply.generation_id == generation
    assert state(harness) == ClassicGroupState.STABLE
    assert harness.join(ids[0]).waits
    assert state(harness) == ClassicGroupState.PREPARING_REBALANCE


def test_changed_metadata_makes_the_group_rebalance() -> None:
    harness = ShardHarness()
    ids, _ = harness.stable("a", "b")
    assert harness.join(ids[1], protocols=(("range", b"other"),)).waits
    assert state(harness) == ClassicGroupState.PREPARING_REBALANCE


@pytest.mark.parametrize(
    ("who", "generation", "code"),
    [(0, 0, E.NONE), (0, 1, E.ILLEGAL_GENERATION), (0, -1, E.ILLEGAL_GENERATION), (None, 0, E.UNKNOWN_MEMBER_ID)],
)
def test_heartbeat_and_sync_check_member_and_generation(who: int | None, generation: int, code: ErrorCode) -> None:
    harness = ShardHarness()
    ids, current = harness.stable("a", "b")
    member = ids[who] if who is not None else "nobody"
    assert harness.beat(member, current + generation) == code
    assert harness.sync(member, current + generation).reply.error_code == code


def test_groups_that_do_not_exist() -> None:
    harness = ShardHarness()
    assert harness.beat("m", 1) == E.UNKNOWN_MEMBER_ID
    assert harness.sync("m", 1).reply.error_code == E.UNKNOWN_MEMBER_ID
    assert harness.leave("m").error_code == E.NONE
    assert harness.leave("m").members[0].error_code == E.UNKNOWN_MEMBER_ID


def test_a_member_without_heartbeats_is_removed() -> None:
    harness = ShardHarness()
    ids, generation = harness.stable("a", "b")
    harness.pass_ms(9_000)
    assert harness.beat(ids[0], generation) == E.NONE
    harness.pass_ms(2_000)
    assert harness.beat(ids[0], generation) == E.REBALANCE_IN_PROGRESS
    assert harness.join(ids[0]).reply.generation_id == generation + 1
    assert harness.beat(ids[1], generation + 1) == E.UNKNOWN_MEMBER_ID


def test_heartbeats_keep_a_member_for_ever() -> None:
    harness = ShardHarness()
    (member,), generation = harness.stable("a")
    for _ in range(100):
        harness.pass_ms(9_000)
        assert harness.beat(member, generation) == E.NONE


def test_members_that_do_not_rejoin_in_time_are_removed() -> None:
    harness = ShardHarness()
    ids, generation = harness.stable("a", "b")
    newcomer = harness.join()
    harness.join(ids[0])
    for _ in range(3):
        harness.pass_ms(8_000)
        harness.beat(ids[1], generation)
    assert newcomer.waits
    harness.pass_ms(6_000)
    assert newcomer.reply.generation_id == generation + 1
    assert harness.beat(ids[1], generation + 1) == E.UNKNOWN_MEMBER_ID


def test_members_that_never_sync_are_removed_and_the_others_rebalance() -> None:
    harness = ShardHarness()
    ids, generation = harness.stable("a", "b")
    tickets = [harness.join(member) for member in ids]
    waiting = harness.sync(ids[1], generation + 1)
    for _ in range(3):
        harness.pass_ms(8_000)
        harness.beat(ids[0], generation + 1)
        harness.beat(ids[1], generation + 1)
    harness.pass_ms(7_000)
    assert tickets[0].reply.error_code == E.NONE
    assert waiting.reply.error_code == E.REBALANCE_IN_PROGRESS
    assert harness.beat(ids[0], generation + 1) == E.UNKNOWN_MEMBER_ID


def test_leaving_makes_room_at_once_and_an_empty_group_moves_on_a_generation() -> None:
    harness = ShardHarness()
    (member,), generation = harness.stable("a")
    assert harness.leave(member).members[0].error_code == E.NONE
    assert state(harness) == ClassicGroupState.EMPTY
    assert harness.join().reply.generation_id == generation + 2


def test_a_member_that_leaves_while_its_join_waits_gets_an_error() -> None:
    harness = ShardHarness()
    ids, _ = harness.stable("a", "b")
    waiting = harness.join(ids[0])
    harness.leave(ids[0])
    assert waiting.reply.error_code == E.UNKNOWN_MEMBER_ID


def test_the_initial_delay_collects_members() -> None:
    harness = ShardHarness(group_config(group_initial_rebalance_delay_ms=3_000))
    first = harness.join()
    harness.pass_ms(2_000)
    second = harness.join()
    harness.pass_ms(2_000)
    assert first.waits
    assert second.waits  # a newcomer extends the delay
    harness.pass_ms(2_000)
    assert first.reply.generation_id == second.reply.generation_id == 1
    assert len(first.reply.members) == 2


def test_the_initial_delay_ends_with_the_rebalance_timeout() -> None:
    harness = ShardHarness(group_config(group_initial_rebalance_delay_ms=3_000))
    first = harness.join(rebalance_ms=7_000)
    for _ in range(3):
        harness.pass_ms(2_000)
        harness.join(rebalance_ms=7_000)
    harness.pass_ms(1_500)
    assert not first.waits


def test_group_max_size() -> None:
    harness = ShardHarness(group_config(group_max_size=2))
    harness.stable("a", "b")
    reply = harness.join().reply
    assert reply.error_code == E.GROUP_MAX_SIZE_REACHED
    assert state(harness) == ClassicGroupState.STABLE


def test_a_loaded_group_above_group_max_size_rebalances() -> None:
    """The setting was lowered: the first members to join again stay, the others leave the group at once (KIP-389)."""
    harness = ShardHarness(group_config(group_max_size=3))
    ids, generation = harness.stable("a", "b", "c")
    harness.config = group_config(group_max_size=2)
    loaded = harness.restarted()
    assert state(loaded) == ClassicGroupState.PREPARING_REBALANCE
    assert loaded.beat(ids[0], generation) == E.REBALANCE_IN_PROGRESS
    first, second = loaded.join(ids[2]), loaded.join(ids[1])
    assert first.waits
    assert second.waits
    refused = loaded.join(ids[0]).reply
    assert (refused.error_code, refused.member_id) == (E.GROUP_MAX_SIZE_REACHED, "")
    assert {first.reply.generation_id, second.reply.generation_id} == {generation + 1}
    assert set(loaded.shard.manager.groups["g"].members) == {ids[1], ids[2]}
    assert loaded.beat(ids[0], generation) == E.UNKNOWN_MEMBER_ID


def test_a_loaded_group_of_group_max_size_stays_stable() -> None:
    harness = ShardHarness(group_config(group_max_size=3))
    ids, generation = harness.stable("a", "b", "c")
    assert harness.restarted().beat(ids[0], generation) == E.NONE


class TestStaticMembers:
    """KIP-345."""

    def start(self) -> tuple[ShardHarness, str, str]:
        harness = ShardHarness()
        leader = harness.join(instance="i1", version=5).reply.member_id
        follower = harness.join(instance="i2", version=5)
        harness.join(leader, instance="i1", version=5)
        member = follower.reply.member_id
        harness.sync(leader, 2, {leader: b"1", member: b"2"}, instance="i1")
        assert harness.sync(member, 2, instance="i2").reply.assignment == b"2"
        return harness, leader, member

    def test_its_id_begins_with_its_instance(self) -> None:
        _, leader, member = self.start()
        assert leader.startswith("i1-")
        assert member.startswith("i2-")

    def test_a_restarted_follower_goes_on_without_a_rebalance(self) -> None:
        harness, leader, old = self.start()
        reply = harness.join(instance="i2", version=5).reply
        assert (reply.error_code, reply.generation_id, reply.leader) == (E.NONE, 2, leader)
        assert reply.member_id != old
        assert state(harness) == ClassicGroupState.STABLE
        assert harness.sync(reply.member_id, 2, instance="i2").reply.assignment == b"2"
        assert harness.beat(old, 2, instance="i2") == E.FENCED_INSTANCE_ID
        assert harness.commit(5, old, 2, instance="i2") == E.FENCED_INSTANCE_ID

    def test_the_log_knows_its_new_id(self) -> None:
        harness, leader, old = self.start()
        again = harness.join(instance="i2", version=5).reply.member_id
        loaded = harness.restarted()
        assert loaded.beat(again, 2, instance="i2") == E.NONE
        assert loaded.beat(leader, 2, instance="i1") == E.NONE
        assert loaded.beat(old, 2, instance="i2") == E.FENCED_INSTANCE_ID

    def test_a_restarted_member_without_heartbeats_is_removed(self) -> None:
        harness, leader, _ = self.start()
        harness.pass_ms(5_000)
        again = harness.join(instance="i2", version=5).reply.member_id
        for _ in range(2):
            harness.pass_ms(4_000)
            assert harness.beat(leader, 2, instance="i1") == E.NONE
        harness.pass_ms(3_000)
        assert harness.beat(leader, 2, instance="i1") == E.REBALANCE_IN_PROGRESS
        assert harness.beat(again, 2, instance="i2") == E.UNKNOWN_MEMBER_ID

    def test_a_restarted_leader_before_version_nine_gets_the_old_leader(self) -> None:
        harness, leader, _ = self.start()
        reply = harness.join(instance="i1", version=5).reply
        assert (reply.leader, reply.members, reply.skip_assignment) == (leader, [], False)

    def test_a_restarted_leader_from_version_nine_leads_and_skips_the_assignment(self) -> None:
        harness, _, _ = self.start()
        reply = harness.join(instance="i1", version=9).reply
        assert (reply.leader, reply.skip_assignment, len(reply.members)) == (reply.member_id, True, 2)

    def test_a_protocol_that_must_change_makes_the_group_rebalance(self) -> None:
        harness = ShardHarness()
        both = (("range", b"r"), ("sticky", b"s"))
        leader = harness.join(instance="i1", version=5, protocols=both).reply.member_id
        harness.sync(leader, 1, {leader: b"1"}, instance="i1")
        ticket = harness.join(instance="i1", version=5, protocols=(("sticky", b"s"), ("range", b"r")))
        assert ticket.reply.generation_id == 2
        assert ticket.reply.protocol_name == "sticky"

    @pytest.mark.parametrize("version", [5, 7, 9])
    def test_the_replaced_member_gets_its_own_id_back(self, version: int) -> None:
        harness, _, old = self.start()
        harness.join(version=5, member_id=harness.join(version=5).reply.member_id)
        waiting = harness.join(old, instance="i2", version=version)
        harness.join(instance="i2", version=version)
        reply = waiting.reply
        assert (reply.error_code, reply.member_id) == (E.FENCED_INSTANCE_ID, old)
        assert (reply.generation_id, reply.leader, reply.members) == (-1, "", [])
        late = harness.join(old, instance="i2", version=version).reply
        assert (late.error_code, late.member_id) == (E.FENCED_INSTANCE_ID, old)
        assert harness.sync(old, 2, instance="i2").reply.error_code == E.FENCED_INSTANCE_ID

    def test_an_operator_removes_it_by_instance(self) -> None:
        harness, _, member = self.start()
        assert harness.leave("", instance="i2").members[0].error_code == E.NONE
        assert harness.beat(member, 2, instance="i2") == E.UNKNOWN_MEMBER_ID
        assert harness.leave("", instance="i3").members[0].error_code == E.UNKNOWN_MEMBER_ID

    def test_it_stays_while_others_rebalance_without_it(self) -> None:
        harness, leader, member = self.start()
        newcomer = harness.join(version=5, member_id=harness.join(version=5).reply.member_id)
        harness.join(leader, instance="i1", version=5)
        for _ in range(4):
            harness.pass_ms(8_000)
            harness.beat(member, 2, instance="i2")
        assert newcomer.reply.error_code == E.NONE
        assert member in harness.shard.manager.groups["g"].members


def test_members_that_wait_when_the_shard_is_unloaded_get_their_own_id_back() -> None:
    harness = ShardHarness(group_config(group_initial_rebalance_delay_ms=3000))
    waiting = harness.join()
    (member,) = harness.shard.manager.groups["g"].members
    harness.shard.unloaded(harness.turn())
    assert (waiting.reply.error_code, waiting.reply.member_id) == (E.NOT_COORDINATOR, member)


def test_rebalances_are_explained(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    harness = ShardHarness()
    ids, generation = harness.stable("a", "b")
    caplog.clear()
    harness.leave(ids[1])
    harness.pass_ms(700)
    harness.join(ids[0])
    harness.sync(ids[0], generation + 1, {ids[0]: b"x"})
    assert caplog.messages == [
        f"group=g generation={generation}: member {ids[1]} of client_id=c at /127.0.0.1 removed: "
        "client sent LeaveGroup",
        f"group=g generation={generation}: preparing to rebalance, was Stable: "
        f"member {ids[1]} leaves: client sent LeaveGroup",
        f"group=g generation={generation + 1}: stabilized after 700 ms, 1 members, 0 joined, 1 left: "
        f"member {ids[1]} leaves: client sent LeaveGroup; member {ids[0]} joins again: no reason given",
    ]
    last = harness.shard.manager.groups["g"].history.rebalances[-1]
    assert (last.generation, last.joined, last.left) == (generation + 1, (), (ids[1],))
    assert last.finished_ms - last.started_ms == 700
    assert last.reasons[0] == f"member {ids[1]} leaves: client sent LeaveGroup"


def test_the_life_of_a_group_is_logged_one_line_for_each_event(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    harness = ShardHarness()
    (member,), _ = harness.stable("secret assignment")
    for _ in range(3):
        harness.beat(member, 1)
    assert harness.commit(5, member, 1, metadata="secret metadata") == E.NONE
    harness.pass_ms(10_000)
    assert harness.ask(DeleteGroup("g")).reply == E.NONE
    silent = "no heartbeat within its session timeout of 10000 ms"
    assert caplog.messages == [
        "group=g generation=0: created",
        f"group=g generation=0: preparing to rebalance, was Empty: member {member} joins: no reason given",
        "group=g generation=1: stabilized after 0 ms, 1 members, 1 joined, 0 left: "
        f"member {member} joins: no reason given",
        f"group=g generation=1: member {member} of client_id=c at /127.0.0.1 removed: {silent}",
        f"group=g generation=1: preparing to rebalance, was Stable: member {member} leaves: {silent}",
        f"group=g generation=2: empty after 0 ms, 0 members, 0 joined, 1 left: member {member} leaves: {silent}",
        "group=g generation=2: removed: client sent DeleteGroups",
    ]


def test_members_that_do_not_come_and_static_ones_that_are_replaced_are_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    harness = ShardHarness()
    (first,), _ = harness.stable("a")
    harness.join(instance="i", version=5, rebalance_ms=5_000)
    caplog.set_level("INFO")
    for _ in range(6):
        harness.pass_ms(5_000)
        harness.beat(first, 1)
    again = harness.join(instance="i", version=5).reply.member_id
    assert f"member {first} of client_id=c at /127.0.0.1 removed: no JoinGroup within the rebalance" in caplog.text
    assert f"is fenced by {again}" in caplog.text


def test_simple_groups_come_and_go_without_a_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    harness = ShardHarness()
    harness.commit(5)
    harness.ask(DeleteGroup("g"))
    assert caplog.messages == []


def test_only_the_last_rebalances_are_kept() -> None:
    harness = ShardHarness()
    for _ in range(30):
        harness.leave(harness.join().reply.member_id)
    history = harness.shard.manager.groups["g"].history.rebalances
    assert [each.generation for each in history] == list(range(22, 61, 2))
