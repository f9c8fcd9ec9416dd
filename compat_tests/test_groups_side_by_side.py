"""The group APIs in every version, in good and bad order, played on wirebroker and on Apache Kafka 3.9.1: the same
answers, field by field, apart from ids given out by chance.

INTENDED lists what we answer differently, and why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import unique_name, wait_until
from compat_tests.group_scene import Scene, differences, play, subscription
from compat_tests.versions import KAFKA
from compat_tests.wire import Wire
from tools.jvm.kafka import KafkaBroker
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from wirebroker.protocol.messages.delete_groups import DeleteGroupsRequest
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.list_groups import ListGroupsRequest
from wirebroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from wirebroker.protocol.messages.offset_commit import OffsetCommitRequest
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tools.jvm.kafka import KafkaDist

    Check = Callable[[Callable[[Scene], None]], None]

SETTINGS = {
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "500",
    "group.max.size": "4",
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.num.partitions": "3",
}
INTENDED: dict[str, str] = {
    "OffsetFetchRequest v8 of no group": "3.9.1 never answers, which hangs the client; we answer with no groups",
    "a join that was sent again waits": "3.9.1 never answers the older request; we answer REBALANCE_IN_PROGRESS",
}
SUBSCRIPTION = subscription(b"", b"read")
versions = pytest.mark.parametrize("version", range(10))


@pytest.fixture(scope="module")
def pair(
    kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Wirebroker, KafkaBroker]]:
    """Both brokers with short timeouts, few partitions, and no initial delay."""
    where = tmp_path_factory.mktemp("groups")
    with (
        Wirebroker(where / "ours", SETTINGS) as ours,
        KafkaBroker(kafka_dist(KAFKA), where / "theirs", heap="320m", settings=SETTINGS) as theirs,
    ):
        for broker in (ours, theirs):
            with Wire(broker.host, broker.port, timeout_s=30) as wire:
                wire.ask(CreateTopicsRequest([CreatableTopic("read", 2, 1)], 20_000), 5)
                known = MetadataRequest([MetadataRequestTopic(name="read")], allow_auto_topic_creation=False)
                wait_until(lambda: not wire.ask(known, 9).topics[0].error_code, 30)  # noqa: B023
                for kind in (0, 1):
                    request = FindCoordinatorRequest(key_type=kind, coordinator_keys=["a", "b", "c", "d", "e"])
                    wait_until(lambda: all(not c.error_code for c in wire.ask(request, 4).coordinators), 30)  # noqa: B023
                groups = [OffsetFetchRequestGroup(group_id=f"{number}", topics=None) for number in range(20)]
                fetch = OffsetFetchRequest(groups=groups)
                wait_until(lambda: all(not g.error_code for g in wire.ask(fetch, 8).groups), 30)  # noqa: B023
        yield ours, theirs


@pytest.fixture
def check(
    pair: tuple[Wirebroker, KafkaBroker], request: pytest.FixtureRequest
) -> Callable[[Callable[[Scene], None]], None]:
    """Play a script on both and compare."""

    def run(script: Callable[[Scene], None]) -> None:
        group = unique_name(request.node.originalname or request.node.name)
        ours, theirs = play(pair, group, "read", script)
        found = differences(ours, theirs, INTENDED)
        assert not found, "\n".join(found)
        assert not [said for said in ours if said[0] == "the script broke off"], ours[-1]

    return run


def list_groups(s: Scene, version: int, **filters: list[str]) -> None:
    """Only this scene's groups are compared."""
    answer = s.quietly("admin", ListGroupsRequest(**filters), version)
    answer.groups = [each for each in answer.groups if each.group_id.startswith(s.group)]
    s._note(f"ListGroups v{version} {filters}", answer)


def describe(s: Scene, version: int, *groups: str, operations: bool = False) -> None:
    s.ask("admin", DescribeGroupsRequest(list(groups) or [s.group], operations), version)


def delete(s: Scene, version: int, *groups: str) -> None:
    s.ask("admin", DeleteGroupsRequest(list(groups) or [s.group]), version)


def delete_offsets(s: Scene, *topics: tuple[str, list[int]], group: str | None = None) -> None:
    wanted = [OffsetDeleteRequestTopic(name, [OffsetDeleteRequestPartition(p) for p in ps]) for name, ps in topics]
    s.ask("admin", OffsetDeleteRequest(s.group if group is None else group, wanted), 0)


def look(s: Scene) -> None:
    """The group from outside."""
    describe(s, 5)
    list_groups(s, 5)


@pytest.mark.parametrize("version", range(7))
def test_find_coordinator(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
        keys = ["", s.group, "another", s.group]
        kinds = (0, 1, 2, 3, -1) if version >= 1 else (0,)
        for kind in kinds:
            if version >= 4:
                s.ask("a", FindCoordinatorRequest(key_type=kind, coordinator_keys=keys), version)
                s.ask("a", FindCoordinatorRequest(key_type=kind, coordinator_keys=[]), version)
                continue
            for key in keys:
                request = FindCoordinatorRequest(key=key)
                if version >= 1:
                    request.key_type = kind
                s.ask("a", request, version)

    check(script)


@versions
def test_from_the_first_join_to_the_last_leave(check: Check, version: int) -> None:
    beat, leave = min(version, 4), min(version, 5)

    def script(s: Scene) -> None:
        ids, generation = s.stable(version, "a", "b", "c")
        look(s)
        for name, member_id in zip("abc", ids, strict=True):
            s.beat(name, beat, member_id, generation)
            s.commit(name, version, 7, member_id, generation, partitions=[0, 1])
            s.committed(name, version)
        s.leave("b", leave, (ids[1], None))
        look(s)
        s.beat("a", beat, ids[0], generation)
        s.start_join("a", version, ids[0])
        s.waits("a")
        s.join("c", version, ids[2])
        s.hear("a")
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
    def script(s: Scene) -> None:
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
    def script(s: Scene) -> None:
        for client_id in (None, "", "with space", "é"):
            s.join("a", 4, client_id=client_id)
        s.join("a", 5, instance="i", client_id="c")
        s.start_join("b", 3, client_id=None)
        s.waits("b")
        s.hang_up("b")
        look(s)

    check(script)


@pytest.mark.parametrize("version", range(6))
def test_sync_in_good_and_bad_order(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
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
        s.enter("a", 5)
        leader = s.hear("a").member_id
        attempts(leader, 1)
        s.sync("a", version, leader, 1, {"nobody": b"lost", leader: b"mine"})
        attempts(leader, 1)
        s.sync("a", version, leader, 1, {leader: b"too late"})
        s.enter("b", 5)
        attempts(leader, 1)
        s.sync("a", version, leader, 1)
        s.start_join("a", 5, leader)
        s.hear("a")
        follower = s.hear("b").member_id
        s.start_sync("b", version, follower, 2)
        s.waits("b")
        s.start_sync("c", version, follower, 2)  # the same member again, over another connection
        s.waits("c")
        s.sync("a", version, leader, 2, {leader: b"only me"})
        s.hear("c")
        s.sync("d", version, follower, 2)
        look(s)

    check(script)


@pytest.mark.parametrize("version", range(5))
def test_heartbeats_in_every_state(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
        def attempts(member: str, generation: int) -> None:
            s.beat("x", version, member, generation, group="")
            s.beat("x", version, "nobody", generation)
            s.beat("x", version, "", generation)
            for wrong in (-1, 0, 1):
                s.beat("x", version, member, generation + wrong)
            if version >= 3:
                s.beat("x", version, member, generation, "nobody")

        attempts("nobody", 1)
        s.enter("a", 5)
        member = s.hear("a").member_id
        attempts(member, 1)
        s.sync("a", min(version, 4), member, 1, {member: b"1"})
        attempts(member, 1)
        s.enter("b", 5)
        attempts(member, 1)
        s.leave("a", 0, (member, None))
        other = s.hear("b").member_id
        attempts(member, 1)
        s.leave("b", 0, (other, None))
        attempts(other, 2)
        s.commit("x", 5)
        attempts(other, 2)

    check(script)


@pytest.mark.parametrize("version", range(6))
def test_leaving(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
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
        s.waits("a")
        s.leave("x", version, (ids[0], None))
        s.hear("a")
        look(s)
        s.join("b", 5, ids[1])
        s.leave("x", version, (ids[1], None))
        s.leave("x", version, (ids[1], None))
        look(s)

    check(script)


@pytest.mark.parametrize("version", [3, 4, 5])
def test_an_operator_removes_members(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
        s.start_join("a", 5, instance="i1")
        leader = s.hear("a").member_id
        s.start_join("b", 5, instance="i2")
        s.join("a", 5, leader, instance="i1")
        follower = s.hear("b").member_id
        s.start_sync("b", 5, follower, 2, instance="i2")
        s.sync("a", 5, leader, 2, {leader: b"1", follower: b"2"}, instance="i1")
        s.hear("b")
        s.leave("x", version, (follower, "i1"), ("", "i3"), (leader, "i3"), ("", None))
        s.leave("x", version)
        look(s)
        s.leave("x", version, ("", "i2"), ("", "i2"), (leader, "i1"))
        look(s)
        s.beat("a", 4, leader, 2, "i1")

    check(script)


@versions
def test_commits(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
        def attempts(member: str, generation: int) -> None:
            for member_id, number in (
                ("", -1), (member, generation), (member, generation + 1), (member, -1), ("", generation),
                ("nobody", generation), ("nobody", -1), (member, -2), ("", -2),
            ):  # fmt: skip
                s.commit("x", version, 5, member_id, number)
            if version >= 7:
                s.commit("x", version, 5, member, generation, instance="nobody")
                s.commit("x", version, 5, "", -1, instance="nobody")
            s.committed("x", max(version, 1))

        attempts("nobody", 1)
        look(s)
        s.enter("a", 5)
        member = s.hear("a").member_id
        attempts(member, 1)
        s.sync("a", 5, member, 1, {member: b"1"})
        attempts(member, 1)
        s.enter("b", 5)
        attempts(member, 1)
        other = s.join("a", 5, member)
        s.hear("b")
        s.leave("x", 0, (member, None))
        look(s)
        attempts(other.member_id, 2)
        delete(s, 2)
        attempts(member, 2)

    check(script)


@versions
def test_what_may_be_committed(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
        s.commit("x", version, 1, group="")
        s.committed("x", version, group="")
        s.commit("x", version, partitions=[0, 1, 2, -1])
        s.commit("x", version, topic="missing")
        s.commit("x", version, topic="")
        s.commit("x", version, topic="__consumer_offsets")
        s.commit("x", version, metadata=None)
        s.committed("x", version)
        s.commit("x", version, 8, metadata="")
        s.commit("x", version, 9, metadata="x" * 4096)
        s.commit("x", version, 10, metadata="x" * 4097)
        s.commit("x", version, 11, metadata="é" * 2500)
        s.committed("x", version)
        for offset in (0, -1, -2, 2**62):
            s.commit("x", version, offset)
            s.committed("x", version)
        s.commit("x", version, 12, partitions=[0, 0, 1])
        s.commit("x", version, 13, partitions=[])
        s.commit("x", version, 14, leader_epoch=3)
        s.committed("x", max(version, 2), {})
        s.commit("x", version, 15, retention_ms=60_000)
        s.commit("x", version, 16, retention_ms=0)
        s.committed("x", max(version, 2), {})
        s.ask("x", OffsetCommitRequest(group_id=s.group), version)
        s.ask("x", OffsetCommitRequest(group_id=s.group + "-none"), version)
        list_groups(s, 5)

    check(script)


@versions
def test_fetching_offsets(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
        s.committed("x", version)
        s.committed("x", version, {"missing": [0, 7], "read": [0, 9, -1]})
        s.committed("x", version, {"": [0]})
        if version >= 2:
            s.committed("x", version, {})
        s.commit("x", 6, 5, partitions=[0, 1], leader_epoch=2, metadata="text")
        s.committed("x", version, {"read": [1, 0, 2]})
        s.committed("x", version, {"read": [0, 0]})
        s.committed("x", version, {"read": []})
        s.committed("x", version, group="")
        if version >= 2:
            s.committed("x", version, {})
        if version >= 7:
            s.committed("x", version, stable=True)
        if version >= 8:
            names = [s.group, "", "unknown", s.group]
            groups = [OffsetFetchRequestGroup(group_id=name, topics=None) for name in names]
            s.ask("x", OffsetFetchRequest(groups=groups), version)
        if version >= 9:
            for member, epoch in (("nobody", 1), ("nobody", -1), ("", 0), (None, 3)):
                wish = OffsetFetchRequestGroup(group_id=s.group, member_id=member, member_epoch=epoch, topics=None)
                s.ask("x", OffsetFetchRequest(groups=[wish]), version)

    check(script)


def test_deleting_offsets(check: Check) -> None:
    def script(s: Scene) -> None:
        delete_offsets(s, ("read", [0]))
        delete_offsets(s, ("read", [0]), group="")
        s.commit("x", 5, partitions=[0, 1])
        delete_offsets(s, ("read", [0, 7, 0]), ("missing", [0]), ("read", []))
        s.committed("x", 5, {})
        look(s)
        delete_offsets(s)
        delete_offsets(s, ("read", [1]))
        look(s)
        ids, generation = s.stable(5, "a", protocols=(("range", SUBSCRIPTION),))
        s.commit("a", 7, 3, ids[0], generation)
        delete_offsets(s, ("read", [0, 1, 7]), ("missing", [0]), ("__consumer_offsets", [0]))
        s.committed("x", 5, {})
        s.start_join("b", 3, protocols=(("range", SUBSCRIPTION),))
        delete_offsets(s, ("read", [0]), ("__consumer_offsets", [0]))
        s.leave("a", 0, (ids[0], None))
        s.hear("b")
        delete_offsets(s, ("read", [0]), ("__consumer_offsets", [0]))

    check(script)


@pytest.mark.parametrize(("kind", "metadata"), [("connect", b"no subscription"), ("connect", b""), ("consumer", b"")])
def test_deleting_offsets_of_groups_that_hide_their_topics(check: Check, kind: str, metadata: bytes) -> None:
    def script(s: Scene) -> None:
        s.commit("x", 5, partitions=[0, 1])
        s.start_join("a", 3, kind=kind, protocols=(("range", metadata),))
        member = s.hear("a").member_id
        delete_offsets(s, ("read", [0]))
        s.sync("a", 3, member, 1, {member: b""})
        delete_offsets(s, ("read", [0]))
        s.committed("x", 5, {})
        s.leave("a", 0, (member, None))
        delete_offsets(s, ("read", [0]))
        s.committed("x", 5, {})
        look(s)

    check(script)


@pytest.mark.parametrize("version", range(6))
def test_describing_and_listing(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
        def everything() -> None:
            describe(s, version)
            describe(s, version, s.group, "", "unknown", s.group)
            if version >= 3:
                describe(s, version, s.group, "unknown", operations=True)
            list_groups(s, version)
            if version >= 4:
                for states in (["Stable"], ["empty"], ["PREPARINGREBALANCE"], ["Bogus"], ["Dead", "Empty"], [""]):
                    list_groups(s, version, states_filter=states)
            if version >= 5:
                for types in (["classic"], ["Consumer"], ["Classic", "share"], ["bogus"], [""]):
                    list_groups(s, version, types_filter=types)
                list_groups(s, version, states_filter=["Stable"], types_filter=["classic"])

        everything()
        pending = s.join("p", 4).member_id
        everything()
        s.leave("p", 0, (pending, None))
        everything()
        s.enter("a", 5, instance="i")
        member = s.hear("a").member_id
        everything()
        s.sync("a", 5, member, 1, {member: b"1"}, instance="i")
        everything()
        s.start_join("b", 3)
        everything()
        s.leave("a", 0, (member, None))
        other = s.hear("b").member_id
        everything()
        s.leave("b", 0, (other, None))
        everything()
        s.commit("x", 5)
        everything()
        s.commit("x", 5, group=s.group + "-simple")
        everything()

    check(script)


@pytest.mark.parametrize("version", range(3))
def test_deleting_groups(check: Check, version: int) -> None:
    def script(s: Scene) -> None:
        delete(s, version, s.group, "", "unknown")
        s.commit("x", 5, group=s.group + "-simple")
        pending = s.join("p", 4).member_id
        delete(s, version)
        s.leave("p", 0, (pending, None))
        ids, _ = s.stable(5, "a")
        delete(s, version, s.group, s.group + "-simple", "unknown")
        s.committed("x", 5, {}, group=s.group + "-simple")
        s.start_join("b", 3)
        delete(s, version)
        s.leave("a", 0, (ids[0], None))
        other = s.hear("b").member_id
        delete(s, version)
        s.leave("b", 0, (other, None))
        delete(s, version, s.group, s.group)
        look(s)
        delete(s, version)
        s.join("a", 3)

    check(script)


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
        ids, generation = s.stable(version, "a", "b", session_ms=2_000, rebalance_ms=2_000)
        for _ in range(3):
            s.pass_s(0.9)
            s.beat("a", 3, ids[0], generation)
        look(s)
        s.join("a", version, ids[0], session_ms=2_000)
        s.beat("b", 3, ids[1], generation)
        s.pass_s(2.8)
        look(s)

    check(script)


@pytest.mark.parametrize("instance", [None, "i"])
def test_too_late_for_the_rebalance(check: Check, instance: str | None) -> None:
    times: dict[str, Any] = {"session_ms": 10_000, "rebalance_ms": 1_500}

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
    times: dict[str, Any] = {"session_ms": 10_000, "rebalance_ms": 1_500}

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
    def script(s: Scene) -> None:
        pending = s.join("a", 4, session_ms=1_000).member_id
        s.start_join("b", 3)
        s.waits("b")
        s.hear("b")
        s.join("a", 4, pending)
        look(s)

    check(script)


def test_no_groups_to_fetch(check: Check) -> None:
    def script(s: Scene) -> None:
        s.ask("a", OffsetFetchRequest(groups=[]), 8)
        s.said[-1] = ("OffsetFetchRequest v8 of no group", s.said[-1][1])

    check(script)
