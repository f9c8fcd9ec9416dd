"""Rebalances – votes, static members, timeouts, limits – compared with Apache Kafka 3.9.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.conftest import wait_until
from compat_tests.group_scenario import subscription
from compat_tests.groups.operators import look
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest

if TYPE_CHECKING:
    from compat_tests.group_scenario import GroupScenario
    from compat_tests.groups.conftest import Check

versions = pytest.mark.parametrize("version", range(10))


@pytest.mark.parametrize("version", range(5, 10))
def test_static_members(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
        s.start_join("a", version, instance="i1")
        leader = s.receive("a").member_id
        s.start_join("b", version, instance="i2")
        s.record_waiting("b")
        s.join("a", version, leader, instance="i1")
        follower = s.receive("b").member_id
        s.start_sync("b", 5, follower, 2, instance="i2")
        s.sync("a", 5, leader, 2, {leader: b"1", follower: b"2"}, instance="i1")
        s.receive("b")
        look(s)
        # a follower is back, and its old self is fenced everywhere
        again = s.join("c", version, instance="i2").member_id
        s.heartbeat("b", 4, follower, 2, "i2")
        s.sync("b", 5, follower, 2, instance="i2")
        s.join("b", version, follower, instance="i2")
        s.commit("b", 7, 1, follower, 2, instance="i2")
        s.leave("b", 3, (follower, "i2"))
        s.heartbeat("b", 4, follower, 2)
        s.sync("c", 5, again, 2, instance="i2")
        s.heartbeat("c", 4, again, 2, "i2")
        s.heartbeat("c", 4, again, 2)
        look(s)
        # the leader is back
        chief = s.join("d", version, instance="i1").member_id
        s.sync("d", 5, chief, 2, {chief: b"new"}, instance="i1")
        s.heartbeat("d", 4, chief, 2, "i1")
        look(s)
        # with other metadata, and the same protocol is chosen
        chief = s.join("e", version, instance="i1", protocols=(("range", subscription(b"changed")),)).member_id
        look(s)
        again = s.join("f", version, instance="i2", protocols=(("range", subscription(b"changed, too")),)).member_id
        look(s)
        # a known member joins again
        s.join("f", version, again, instance="i2", protocols=(("range", subscription(b"changed, too")),))
        s.start_join("f", version, again, instance="i2", protocols=(("range", subscription(b"anew")),))
        s.record_waiting("f")
        s.join("e", version, chief, instance="i1")
        s.receive("f")
        look(s)
        # back while the group completes its rebalance
        s.start_sync("f", 5, again, 3, instance="i2")
        s.start_join("g", version, instance="i2")
        s.record_waiting("g")
        s.receive("f")
        s.join("e", version, chief, instance="i1")
        s.receive("g")

    check(script)


@pytest.mark.parametrize("version", [5, 9])
def test_a_static_member_is_replaced_while_its_join_group_waits(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
        s.start_join("a", version, instance="i1")
        leader = s.receive("a").member_id
        s.sync("a", 5, leader, 1, {leader: b"1"}, instance="i1")
        s.start_join("b", version, instance="i2")
        s.record_waiting("b")
        s.start_join("c", version, instance="i2")
        s.receive("b")  # fenced, with the member id that it did not know yet
        s.record_waiting("c")
        s.join("a", version, leader, instance="i1")
        s.receive("c")
        look(s)

    check(script)


def test_a_static_member_asks_for_a_protocol_that_others_lack(check: Check) -> None:
    both = (("range", subscription(b"r")), ("sticky", subscription(b"s")))

    def script(s: GroupScenario) -> None:
        s.start_join("a", 5, instance="i1", protocols=both)
        member = s.receive("a").member_id
        s.sync("a", 5, member, 1, {member: b"1"}, instance="i1")
        look(s)
        s.start_join("b", 5, instance="i1", protocols=both[::-1])
        found = s.receive("b")
        look(s)
        s.sync("b", 5, found.member_id, 2, {}, instance="i1", protocol=("consumer", "sticky"))
        s.start_join("c", 5, instance="i1", protocols=(("other", subscription(b"")),))
        s.receive("c")
        look(s)

    check(script)


@versions
def test_votes_for_the_protocol(check: Check, version: int) -> None:
    first, second = (
        (("range", subscription(b"r")), ("sticky", subscription(b"s")), ("mine", subscription(b""))),
        (("sticky", subscription(b"S")), ("range", subscription(b"R"))),
    )

    def script(s: GroupScenario) -> None:
        s.join_new_member("a", version, protocols=first)
        one = s.receive("a").member_id
        s.join_new_member("b", version, protocols=second)
        s.start_join("a", version, one, protocols=first)
        s.receive("a")
        two = s.receive("b").member_id
        s.join_new_member("c", version, protocols=second)
        s.start_join("a", version, one, protocols=first)
        s.start_join("b", version, two, protocols=second)
        for name in "abc":
            s.receive(name)
        look(s)
        s.join("d", version, protocols=(("mine", subscription(b"")),))

    check(script)


@versions
def test_joining_again(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
        ids, generation = s.stable(version, "a", "b")
        s.join("b", version, ids[1])
        look(s)
        s.start_join("b", version, ids[1], protocols=(("range", subscription(b"changed")),))
        s.record_waiting("b")
        s.start_join("c", version, ids[1], protocols=(("range", subscription(b"changed")),))  # sent twice
        s.record_waiting("c")
        s.record_waiting("b")
        s.recorded[-1] = ("a join that was sent again waits", s.recorded[-1][1])
        s.disconnect("b")
        s.join("a", version, ids[0])
        s.receive("c")
        s.join("c", version, ids[1], protocols=(("range", subscription(b"changed")),))
        s.join("a", version, ids[0])
        s.start_join("a", version, ids[0], protocols=(("range", subscription(b"changed")),))
        s.record_waiting("a")
        s.join("c", version, ids[1], protocols=(("range", subscription(b"changed")),))
        s.receive("a")
        s.heartbeat("a", 3, ids[0], generation)
        look(s)

    check(script)


@pytest.mark.parametrize("version", [0, 3, 4, 5, 9])
def test_a_full_group(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
        ids, _ = s.stable(version, "a", "b", "c", "d")
        s.join_new_member("e", version)
        s.receive("e")
        look(s)
        s.start_join("a", version, ids[0])
        s.record_waiting("a")
        s.join_new_member("e", version)
        s.record_waiting("e")
        s.disconnect("e")

    check(script)


@pytest.mark.parametrize("version", [0, 3, 5, 9])
def test_silence_ends_a_session(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
        ids, generation = s.stable(version, "a", "b", session_ms=15_000)
        alive = HeartbeatRequest(s.group, generation, ids[0])
        # when exactly b's session ends, the load decides
        wait_until(lambda: s.ask_unrecorded("a", alive, 3).error_code != 0)
        s.heartbeat("a", 3, ids[0], generation)
        look(s)
        s.join("a", version, ids[0], session_ms=3_000)
        s.heartbeat("b", 3, ids[1], generation)
        described = DescribeGroupsRequest([s.group])
        wait_until(lambda: s.ask_unrecorded("admin", described, 5).groups[0].group_state == "Empty")
        look(s)

    check(script)


@pytest.mark.parametrize("instance", [None, "i"])
def test_too_late_for_the_rebalance(check: Check, instance: str | None) -> None:
    times: dict[str, Any] = {"rebalance_ms": 15_000}

    def script(s: GroupScenario) -> None:
        s.join_new_member("a", 5, instance=instance, **times)
        member = s.receive("a").member_id
        s.sync("a", 5, member, 1, {member: b"1"}, instance=instance)
        s.join_new_member("b", 5, **times)
        s.record_waiting("b")
        other = s.receive("b")
        look(s)
        s.heartbeat("a", 3, member, 1)
        s.heartbeat("a", 3, member, 2)
        s.sync("b", 5, other.member_id, 2, {other.member_id: b"1"})
        look(s)
        s.join("a", 5, member, instance=instance)

    check(script)


def test_too_late_for_the_sync(check: Check) -> None:
    times: dict[str, Any] = {"rebalance_ms": 15_000}

    def script(s: GroupScenario) -> None:
        ids, _ = s.stable(5, "a", "b", **times)
        s.start_join("a", 5, ids[0], **times)
        s.join("b", 5, ids[1], **times)
        s.receive("a")
        s.start_sync("b", 5, ids[1], 3)
        s.record_waiting("b")
        s.receive("b")
        look(s)
        s.heartbeat("a", 3, ids[0], 3)
        s.start_join("b", 5, ids[1], **times)
        s.receive("b")
        look(s)

    check(script)


def test_an_id_that_is_never_used(check: Check) -> None:
    """The id expires with its session timeout, and members that wait for it go on."""

    def script(s: GroupScenario) -> None:
        unused = s.join("a", 4, session_ms=1_000).member_id
        s.start_join("b", 3)
        member = s.receive("b").member_id
        s.sync("b", 3, member, 1, {member: b"1"})
        s.wait_s(6)
        s.join("a", 4, unused, session_ms=1_000)
        look(s)
        unused = s.join("a", 4, session_ms=15_000).member_id
        look(s)
        s.start_join("b", 3, member)
        s.record_waiting("b")
        s.receive("b")
        s.join("a", 4, unused, session_ms=1_000)
        look(s)

    check(script)
