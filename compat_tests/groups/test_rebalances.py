"""How a group gets to its next generation – votes, static members, silence, limits – as in Apache Kafka 3.9.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.group_scene import subscription
from compat_tests.groups.operators import look

if TYPE_CHECKING:
    from compat_tests.group_scene import Scene
    from compat_tests.groups.conftest import Check

versions = pytest.mark.parametrize("version", range(10))


@pytest.mark.parametrize("version", range(5, 10))
def test_static_members(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
        s.start_join("a", version, instance="i1")
        leader = s.hear("a").member_id
        s.start_join("b", version, instance="i2")
        s.waits("b")
        s.join("a", version, leader, instance="i1")
        follower = s.hear("b").member_id
        s.start_sync("b", 5, follower, 2, instance="i2")
        s.sync("a", 5, leader, 2, {leader: b"1", follower: b"2"}, instance="i1")
        s.hear("b")
        look(s)
        # a follower is back, and its old self is fenced everywhere
        again = s.join("c", version, instance="i2").member_id
        s.beat("b", 4, follower, 2, "i2")
        s.sync("b", 5, follower, 2, instance="i2")
        s.join("b", version, follower, instance="i2")
        s.commit("b", 7, 1, follower, 2, instance="i2")
        s.leave("b", 3, (follower, "i2"))
        s.beat("b", 4, follower, 2)
        s.sync("c", 5, again, 2, instance="i2")
        s.beat("c", 4, again, 2, "i2")
        s.beat("c", 4, again, 2)
        look(s)
        # the leader is back
        chief = s.join("d", version, instance="i1").member_id
        s.sync("d", 5, chief, 2, {chief: b"new"}, instance="i1")
        s.beat("d", 4, chief, 2, "i1")
        look(s)
        # with other metadata, and the same protocol is chosen
        chief = s.join("e", version, instance="i1", protocols=(("range", subscription(b"changed")),)).member_id
        look(s)
        again = s.join("f", version, instance="i2", protocols=(("range", subscription(b"changed, too")),)).member_id
        look(s)
        # a known member joins again
        s.join("f", version, again, instance="i2", protocols=(("range", subscription(b"changed, too")),))
        s.start_join("f", version, again, instance="i2", protocols=(("range", subscription(b"anew")),))
        s.waits("f")
        s.join("e", version, chief, instance="i1")
        s.hear("f")
        look(s)
        # back while the group completes its rebalance
        s.start_sync("f", 5, again, 3, instance="i2")
        s.start_join("g", version, instance="i2")
        s.waits("g")
        s.hear("f")
        s.join("e", version, chief, instance="i1")
        s.hear("g")

    check(script)


@pytest.mark.parametrize("version", [5, 9])
def test_a_static_member_is_replaced_while_its_join_group_waits(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
        s.start_join("a", version, instance="i1")
        leader = s.hear("a").member_id
        s.sync("a", 5, leader, 1, {leader: b"1"}, instance="i1")
        s.start_join("b", version, instance="i2")
        s.waits("b")
        s.start_join("c", version, instance="i2")
        s.hear("b")  # fenced, with the member id that it did not know yet
        s.waits("c")
        s.join("a", version, leader, instance="i1")
        s.hear("c")
        look(s)

    check(script)


def test_a_static_member_asks_for_a_protocol_that_others_lack(check: Check) -> None:
    both = (("range", subscription(b"r")), ("sticky", subscription(b"s")))

    def script(s: Scene) -> None:
        s.start_join("a", 5, instance="i1", protocols=both)
        member = s.hear("a").member_id
        s.sync("a", 5, member, 1, {member: b"1"}, instance="i1")
        look(s)
        s.start_join("b", 5, instance="i1", protocols=both[::-1])
        found = s.hear("b")
        look(s)
        s.sync("b", 5, found.member_id, 2, {}, instance="i1", protocol=("consumer", "sticky"))
        s.start_join("c", 5, instance="i1", protocols=(("other", subscription(b"")),))
        s.hear("c")
        look(s)

    check(script)


@versions
def test_votes_for_the_protocol(check: Check, version: int) -> None:
    first, second = (
        (("range", subscription(b"r")), ("sticky", subscription(b"s")), ("mine", subscription(b""))),
        (("sticky", subscription(b"S")), ("range", subscription(b"R"))),
    )

    def script(s: Scene) -> None:
        s.enter("a", version, protocols=first)
        one = s.hear("a").member_id
        s.enter("b", version, protocols=second)
        s.start_join("a", version, one, protocols=first)
        s.hear("a")
        two = s.hear("b").member_id
        s.enter("c", version, protocols=second)
        s.start_join("a", version, one, protocols=first)
        s.start_join("b", version, two, protocols=second)
        for name in "abc":
            s.hear(name)
        look(s)
        s.join("d", version, protocols=(("mine", subscription(b"")),))

    check(script)


@versions
def test_joining_again(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
        ids, generation = s.stable(version, "a", "b")
        s.join("b", version, ids[1])
        look(s)
        s.start_join("b", version, ids[1], protocols=(("range", subscription(b"changed")),))
        s.waits("b")
        s.start_join("c", version, ids[1], protocols=(("range", subscription(b"changed")),))  # sent twice
        s.waits("c")
        s.waits("b")
        s.said[-1] = ("a join that was sent again waits", s.said[-1][1])
        s.hang_up("b")
        s.join("a", version, ids[0])
        s.hear("c")
        s.join("c", version, ids[1], protocols=(("range", subscription(b"changed")),))
        s.join("a", version, ids[0])
        s.start_join("a", version, ids[0], protocols=(("range", subscription(b"changed")),))
        s.waits("a")
        s.join("c", version, ids[1], protocols=(("range", subscription(b"changed")),))
        s.hear("a")
        s.beat("a", 3, ids[0], generation)
        look(s)

    check(script)


@pytest.mark.parametrize("version", [0, 3, 4, 5, 9])
def test_a_full_group(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
        ids, _ = s.stable(version, "a", "b", "c", "d")
        s.enter("e", version)
        s.hear("e")
        look(s)
        s.start_join("a", version, ids[0])
        s.waits("a")
        s.enter("e", version)
        s.waits("e")
        s.hang_up("e")

    check(script)


@pytest.mark.parametrize("version", [0, 3, 5, 9])
def test_silence_ends_a_session(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
        ids, generation = s.stable(version, "a", "b", session_ms=3_000, rebalance_ms=3_000)
        for _ in range(4):
            s.pass_s(0.9)
            s.beat("a", 3, ids[0], generation)
        look(s)
        s.join("a", version, ids[0], session_ms=3_000)
        s.beat("b", 3, ids[1], generation)
        s.pass_s(4)
        look(s)

    check(script)


@pytest.mark.parametrize("instance", [None, "i"])
def test_too_late_for_the_rebalance(check: Check, instance: str | None) -> None:
    times: dict[str, Any] = {"session_ms": 10_000, "rebalance_ms": 2_500}

    def script(s: Scene) -> None:
        s.enter("a", 5, instance=instance, **times)
        member = s.hear("a").member_id
        s.sync("a", 5, member, 1, {member: b"1"}, instance=instance)
        s.enter("b", 5, **times)
        s.waits("b")
        other = s.hear("b")
        look(s)
        s.beat("a", 3, member, 1)
        s.beat("a", 3, member, 2)
        s.sync("b", 5, other.member_id, 2, {other.member_id: b"1"})
        look(s)
        s.join("a", 5, member, instance=instance)

    check(script)


def test_too_late_for_the_sync(check: Check) -> None:
    times: dict[str, Any] = {"session_ms": 10_000, "rebalance_ms": 2_500}

    def script(s: Scene) -> None:
        ids, _ = s.stable(5, "a", "b", **times)
        s.start_join("a", 5, ids[0], **times)
        s.join("b", 5, ids[1], **times)
        s.hear("a")
        s.start_sync("b", 5, ids[1], 3)
        s.waits("b")
        s.hear("b")
        look(s)
        s.beat("a", 3, ids[0], 3)
        s.start_join("b", 5, ids[1], **times)
        s.hear("b")
        look(s)

    check(script)


def test_an_id_that_is_never_used(check: Check) -> None:
    """It is forgotten when its session would end, and whoever waits for it goes on."""

    def script(s: Scene) -> None:
        unused = s.join("a", 4, session_ms=1_000).member_id
        s.start_join("b", 3)
        member = s.hear("b").member_id
        s.sync("b", 3, member, 1, {member: b"1"})
        s.pass_s(2)
        s.join("a", 4, unused, session_ms=1_000)
        look(s)
        unused = s.join("a", 4, session_ms=2_500).member_id
        look(s)
        s.start_join("b", 3, member)
        s.waits("b")
        s.hear("b")
        s.join("a", 4, unused, session_ms=1_000)
        look(s)

    check(script)
