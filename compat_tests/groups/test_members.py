"""JoinGroup, SyncGroup, Heartbeat and LeaveGroup in every version, in valid and invalid order, compared with Apache
Kafka 3.9.1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.group_scenario import subscription
from compat_tests.groups.operators import delete, look

if TYPE_CHECKING:
    from compat_tests.group_scenario import GroupScenario
    from compat_tests.groups.conftest import Check

versions = pytest.mark.parametrize("version", range(10))


@versions
def test_from_the_first_join_to_the_last_leave(check: Check, version: int) -> None:
    heartbeat, leave = min(version, 4), min(version, 5)

    def script(s: GroupScenario) -> None:
        ids, generation = s.stable(version, "a", "b", "c")
        look(s)
        for name, member_id in zip("abc", ids, strict=True):
            s.heartbeat(name, heartbeat, member_id, generation)
            s.commit(name, version, 7, member_id, generation, partitions=[0, 1])
            s.committed(name, version)
        s.leave("b", leave, (ids[1], None))
        look(s)
        s.heartbeat("a", heartbeat, ids[0], generation)
        s.start_join("a", version, ids[0])
        s.record_waiting("a")
        s.join("c", version, ids[2])
        s.receive("a")
        s.sync("c", min(version, 5), ids[2], generation)
        s.leave("a", leave, (ids[0], None))
        s.leave("c", leave, (ids[2], None))
        look(s)
        s.committed("a", max(version, 2), {})
        delete(s, min(version, 2))
        look(s)

    check(script)


@versions
def test_joins_that_are_refused(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
        def attempts() -> None:
            s.join("x", version, group="")
            s.join("x", version, session_ms=499)
            s.join("x", version, session_ms=1_800_001)
            s.join("x", version, "nobody")
            s.join("x", version, kind="")
            s.join("x", version, protocols=())
            if version >= 5:
                s.join("x", version, "nobody", instance="nobody")
                s.join("x", version, "nobody", instance="bad id")

        attempts()
        look(s)
        s.stable(version, "a")
        attempts()
        s.join("x", version, kind="connect")
        s.join("x", version, protocols=(("sticky", subscription(b"")),))
        look(s)

    check(script)


def test_names_of_members(check: Check) -> None:
    def script(s: GroupScenario) -> None:
        for client_id in (None, "", "with space", "é"):
            s.join("a", 4, client_id=client_id)
        s.join("a", 5, instance="i", client_id="c")
        s.start_join("b", 3, client_id=None)
        s.record_waiting("b")
        s.disconnect("b")
        look(s)

    check(script)


@pytest.mark.parametrize("version", range(6))
def test_sync_in_good_and_bad_order(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
        def attempts(member: str, generation: int) -> None:
            s.sync("x", version, member, generation, group="")
            s.sync("x", version, "nobody", generation)
            s.sync("x", version, "", generation)
            s.sync("x", version, member, generation + 1)
            s.sync("x", version, member, -1)
            if version >= 3:
                s.sync("x", version, member, generation, instance="nobody")
            if version >= 5:
                for protocol in ((None, "range"), ("consumer", None), ("connect", "range"), ("consumer", "sticky")):
                    s.sync("x", version, member, generation, protocol=protocol)

        attempts("nobody", 1)
        s.join_new_member("a", 5)
        leader = s.receive("a").member_id
        attempts(leader, 1)
        s.sync("a", version, leader, 1, {"nobody": b"lost", leader: b"mine"})
        attempts(leader, 1)
        s.sync("a", version, leader, 1, {leader: b"too late"})
        s.join_new_member("b", 5)
        attempts(leader, 1)
        s.sync("a", version, leader, 1)
        s.start_join("a", 5, leader)
        s.receive("a")
        follower = s.receive("b").member_id
        s.start_sync("b", version, follower, 2)
        s.record_waiting("b")
        s.start_sync("c", version, follower, 2)  # the same member again, over another connection
        s.record_waiting("c")
        s.sync("a", version, leader, 2, {leader: b"only me"})
        s.receive("c")
        s.sync("d", version, follower, 2)
        look(s)

    check(script)


@pytest.mark.parametrize("version", range(5))
def test_heartbeats_in_every_state(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
        def attempts(member: str, generation: int) -> None:
            s.heartbeat("x", version, member, generation, group="")
            s.heartbeat("x", version, "nobody", generation)
            s.heartbeat("x", version, "", generation)
            for wrong in (-1, 0, 1):
                s.heartbeat("x", version, member, generation + wrong)
            if version >= 3:
                s.heartbeat("x", version, member, generation, "nobody")

        attempts("nobody", 1)
        s.join_new_member("a", 5)
        member = s.receive("a").member_id
        attempts(member, 1)
        s.sync("a", min(version, 4), member, 1, {member: b"1"})
        attempts(member, 1)
        s.join_new_member("b", 5)
        attempts(member, 1)
        s.leave("a", 0, (member, None))
        other = s.receive("b").member_id
        attempts(member, 1)
        s.leave("b", 0, (other, None))
        attempts(other, 2)
        s.commit("x", 5)
        attempts(other, 2)

    check(script)


@pytest.mark.parametrize("version", range(6))
def test_leaving(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
        s.leave("x", version, ("nobody", None))
        s.leave("x", version, ("nobody", None), group="")
        pending = s.join("p", 4).member_id
        look(s)
        s.leave("x", version, (pending, None))
        s.join("p", 4, pending)
        ids, _generation = s.stable(5, "a", "b")
        s.leave("x", version, ("nobody", None))
        s.leave("x", version, ("", None))
        s.start_join("a", 5, ids[0])
        s.record_waiting("a")
        s.leave("x", version, (ids[0], None))
        s.receive("a")
        look(s)
        s.join("b", 5, ids[1])
        s.leave("x", version, (ids[1], None))
        s.leave("x", version, (ids[1], None))
        look(s)

    check(script)


@pytest.mark.parametrize("version", [3, 4, 5])
def test_an_operator_removes_members(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
        s.start_join("a", 5, instance="i1")
        leader = s.receive("a").member_id
        s.start_join("b", 5, instance="i2")
        s.join("a", 5, leader, instance="i1")
        follower = s.receive("b").member_id
        s.start_sync("b", 5, follower, 2, instance="i2")
        s.sync("a", 5, leader, 2, {leader: b"1", follower: b"2"}, instance="i1")
        s.receive("b")
        s.leave("x", version, (follower, "i1"), ("", "i3"), (leader, "i3"), ("", None))
        s.leave("x", version)
        look(s)
        s.leave("x", version, ("", "i2"), ("", "i2"), (leader, "i1"))
        look(s)
        s.heartbeat("a", 4, leader, 2, "i1")

    check(script)
