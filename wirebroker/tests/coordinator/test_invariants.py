"""Invariants of a group, for any requests of its members and any number of reloads of the coordinator.

- No two members of a generation own one partition, and only members of the generation commit.
- A group that is loaded from the log equals the group that wrote it.
- A committed offset changes only by a commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.requests import DeleteGroup
from wirebroker.coordinator.group.timer_keys import HeartbeatKey, JoinKey
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.shard_harness import RecordedResponse, ShardHarness

if TYPE_CHECKING:
    from wirebroker.coordinator.group.classic_group import ClassicGroup

E = ErrorCode
PARTITIONS = 4
GONE = {E.UNKNOWN_MEMBER_ID, E.FENCED_INSTANCE_ID}


class Consumer:
    """A member as its own process sees it; it does one thing at a time."""

    def __init__(self, harness: ShardHarness, instance: str | None) -> None:
        self.harness, self.instance = harness, instance
        self.member_id = ""
        self.generation = -1
        self.owned: set[int] = set()
        self.waiting: RecordedResponse | None = None
        self.fenced = False

    def join(self) -> None:
        """An eager member lets go of everything first."""
        self.owned = set()
        self.waiting = self.harness.join(self.member_id, instance=self.instance, version=5)

    def go_on(self) -> None:
        """The next step of the dance."""
        if self.fenced:
            return
        if self.waiting is None:
            code = self.harness.beat(self.member_id, self.generation, instance=self.instance)
            if code:
                self._lost(E(code))
            return
        if self.waiting.waits:
            return
        answer, self.waiting = self.waiting.reply, None
        code = E(answer.error_code)
        if code == E.MEMBER_ID_REQUIRED:
            self.member_id = answer.member_id
            self.join()
        elif code:
            self._lost(code)
        elif hasattr(answer, "generation_id"):
            self._joined(answer)
        else:
            self.owned = set(bytes(answer.assignment))

    def _joined(self, answer: object) -> None:
        self.member_id, self.generation = answer.member_id, answer.generation_id  # type: ignore[attr-defined]
        plan: dict[str, bytes] = {}
        members = [each.member_id for each in answer.members]  # type: ignore[attr-defined]
        for at, member_id in enumerate(members):
            plan[member_id] = bytes(range(at, PARTITIONS, len(members)))
        self.waiting = self.harness.sync(self.member_id, self.generation, plan, instance=self.instance)

    def _lost(self, code: ErrorCode) -> None:
        if code == E.FENCED_INSTANCE_ID:
            self.fenced, self.owned = True, set()
            return
        if code == E.UNKNOWN_MEMBER_ID:
            self.member_id = ""
        self.join()


class GroupModel:
    """One group, its processes, and a record of both."""

    def __init__(self) -> None:
        self.harness = ShardHarness()
        self.consumers: list[Consumer] = []
        self.committed: dict[int, int] = {}
        self.written: dict[str, object] | None = None
        self.checked_records = 0

    @property
    def group(self) -> ClassicGroup | None:
        return self.harness.shard.manager.groups.get("g")

    def do(self, what: str, who: int, number: int) -> None:
        harness = self.harness
        one = self.consumers[who % len(self.consumers)] if self.consumers else None
        if what == "new":
            self.consumers.append(Consumer(harness, None))
            self.consumers[-1].join()
        elif what == "static":
            self.consumers.append(Consumer(harness, f"i{who}"))
            self.consumers[-1].join()
        elif what == "all":
            for each in self.consumers:
                each.go_on()
                self.check()
        elif what == "time":
            harness.pass_ms(number * 1_000)
        elif what == "loaded":
            self.harness = harness.restarted()
            self.harness.pass_ms(harness.now_ms - self.harness.now_ms)
            for each in self.consumers:
                each.harness = self.harness
                if each.waiting is not None and each.waiting.waits:
                    each.join()  # its answer will never come, so it asks again
                    self.check()
        elif what == "simple":
            self._commit(None, who, number)
        elif what == "delete":
            if harness.ask(DeleteGroup("g")).reply == E.NONE:
                self.committed.clear()
        elif one is not None:
            if what == "go":
                one.go_on()
            elif what == "commit":
                self._commit(one, who, number)
            elif what == "again":
                one.join()
            elif what == "leave":
                harness.leave(one.member_id, instance=one.instance)
                self.consumers.remove(one)
            else:
                self.consumers.remove(one)  # it dies

    def _commit(self, one: Consumer | None, partition: int, offset: int) -> None:
        if one is None:
            code = self.harness.commit(offset, partition=partition)
        else:
            name, generation = one.member_id, one.generation
            code = self.harness.commit(offset, name, generation, partition=partition, instance=one.instance)
        if code == E.NONE:
            self.committed[partition] = offset
            group = self.group
            assert group is not None
            assert one.generation == group.generation_id if one is not None and group.members else not group.members

    def check(self) -> None:
        harness, group = self.harness, self.group
        for partition in range(PARTITIONS):
            assert harness.offset(partition=partition) == self.committed.get(partition)
        owners: dict[tuple[int, int], Consumer] = {}
        for each in self.consumers:
            if group is None or group.members.get(each.member_id) is None or each.generation != group.generation_id:
                continue  # it has yet to hear that it is out; its commits are refused
            for partition in each.owned:
                twin = owners.setdefault((each.generation, partition), each)
                assert twin is each or twin.member_id == each.member_id
        self._check_timers(group)
        if len(self.harness.log) != self.checked_records:
            self.checked_records = len(self.harness.log)
            self._check_log(group)

    def _check_timers(self, group: ClassicGroup | None) -> None:
        """Each member has a session timer, or waits for an answer."""
        if group is None:
            return
        for member_id, each in group.members.items():
            assert HeartbeatKey("g", member_id) in self.harness.due or each.pending_join or each.pending_sync
        assert group.num_awaiting_join == sum(each.pending_join is not None for each in group.members.values())
        assert group.state != ClassicGroupState.PREPARING_REBALANCE or JoinKey("g") in self.harness.due
        waits_for_ids = bool(group.pending_join_members) and group.state == ClassicGroupState.PREPARING_REBALANCE
        assert bool(group.members) == (group.state != ClassicGroupState.EMPTY) or waits_for_ids

    def _check_log(self, group: ClassicGroup | None) -> None:
        """A shard that loads the log has the state that was written last, and nothing else."""
        if group is None:
            self.written = None
        elif group.generation_id and group.state in (ClassicGroupState.STABLE, ClassicGroupState.EMPTY):
            self.written = snapshot(group)
        loaded = self.harness.restarted().shard.manager
        offsets = self.harness.shard.manager.offsets
        assert loaded.offsets.groups() == offsets.groups()
        assert loaded.offsets.of_group("g") == offsets.of_group("g")
        twin = loaded.groups.get("g")
        if self.written is not None:
            assert twin is not None
            assert snapshot(twin) == self.written
        else:
            assert (twin is not None) == bool(offsets.of_group("g"))
            assert twin is None or (twin.state, twin.protocol_type) == (ClassicGroupState.EMPTY, None)


def snapshot(group: ClassicGroup) -> dict[str, object]:
    """All of a group that a restart must not change."""
    members = {
        each.member_id: (
            each.group_instance_id, each.client_id, each.client_host, each.session_timeout_ms,
            each.rebalance_timeout_ms, each.metadata(group.protocol_name), each.assignment,
        )
        for each in group.members.values()
    }  # fmt: skip
    return {
        "state": (group.state, group.state_timestamp_ms),
        "generation": (group.generation_id, group.protocol_type, group.protocol_name, group.leader_id),
        "members": members,
        "static": dict(group.static_members),
    }


STEP_NAMES = "new static all all go go commit commit time again leave die loaded simple delete"
STEPS = st.lists(
    st.tuples(
        st.sampled_from(STEP_NAMES.split()),
        st.integers(0, PARTITIONS - 1),
        st.integers(0, 20),
    ),
    min_size=5,
    max_size=40,
)


@settings(max_examples=150)
@given(STEPS)
def test_invariants_hold_in_random_schedules(steps: list[tuple[str, int, int]]) -> None:
    world = GroupModel()
    for step in steps:
        world.do(*step)
        world.check()


@given(STEPS)
def test_after_a_random_schedule_every_partition_has_an_owner(steps: list[tuple[str, int, int]]) -> None:
    """Members that live on come to share everything, within the time that the dead are waited for."""
    world = GroupModel()
    for step in [*steps, ("new", 0, 0), *[("time", 0, 4), ("all", 0, 0)] * 12, *[("all", 0, 0)] * 3]:
        world.do(*step)
        world.check()
    alive = [each for each in world.consumers if not each.fenced]
    assert sorted(partition for each in alive for partition in each.owned) == list(range(PARTITIONS))
