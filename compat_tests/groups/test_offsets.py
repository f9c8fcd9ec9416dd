"""OffsetCommit, OffsetFetch and OffsetDelete in every version, compared with Apache Kafka 3.9.1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.conftest import wait_until
from compat_tests.group_scenario import subscription
from compat_tests.groups.operators import delete, delete_offsets, list_groups, look
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest
from wirebroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from wirebroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from wirebroker.protocol.messages.offset_commit import OffsetCommitRequest
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup

if TYPE_CHECKING:
    from compat_tests.group_scenario import GroupScenario
    from compat_tests.groups.conftest import Check

versions = pytest.mark.parametrize("version", range(10))
TOPIC_RESOURCE = 2
SUBSCRIPTION = subscription(b"", b"read")


@versions
def test_commits(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
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
        s.join_new_member("a", 5)
        member = s.receive("a").member_id
        attempts(member, 1)
        s.sync("a", 5, member, 1, {member: b"1"})
        attempts(member, 1)
        s.join_new_member("b", 5)
        attempts(member, 1)
        other = s.join("a", 5, member)
        s.receive("b")
        s.leave("x", 0, (member, None))
        look(s)
        attempts(other.member_id, 2)
        delete(s, 2)
        attempts(member, 2)

    check(script)


@versions
def test_valid_and_invalid_commits(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
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
    def script(s: GroupScenario) -> None:
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
                group = OffsetFetchRequestGroup(group_id=s.group, member_id=member, member_epoch=epoch, topics=None)
                s.ask("x", OffsetFetchRequest(groups=[group]), version)

    check(script)


def test_no_groups_to_fetch(check: Check) -> None:
    def script(s: GroupScenario) -> None:
        s.answer_s = 60  # Apache Kafka gives none
        s.ask("a", OffsetFetchRequest(groups=[]), 8)
        s.recorded[-1] = ("OffsetFetch of no group", s.recorded[-1][1])

    check(script)


def test_deleting_offsets(check: Check) -> None:
    def script(s: GroupScenario) -> None:
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
        s.receive("b")
        delete_offsets(s, ("read", [0]), ("__consumer_offsets", [0]))

    check(script)


@pytest.mark.parametrize(("kind", "metadata"), [("connect", b"no subscription"), ("connect", b""), ("consumer", b"")])
def test_deleting_offsets_of_groups_that_hide_their_topics(check: Check, kind: str, metadata: bytes) -> None:
    def script(s: GroupScenario) -> None:
        s.commit("x", 5, partitions=[0, 1])
        s.start_join("a", 3, kind=kind, protocols=(("range", metadata),))
        member = s.receive("a").member_id
        delete_offsets(s, ("read", [0]))
        s.sync("a", 3, member, 1, {member: b""})
        delete_offsets(s, ("read", [0]))
        s.committed("x", 5, {})
        s.leave("a", 0, (member, None))
        delete_offsets(s, ("read", [0]))
        s.committed("x", 5, {})
        look(s)

    check(script)


def test_offsets_of_a_topic_that_is_deleted(check: Check) -> None:
    def script(s: GroupScenario) -> None:
        name = f"{s.group}-gone"
        known = MetadataRequest([MetadataRequestTopic(name=name)], allow_auto_topic_creation=False)
        everything = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id=s.group, topics=None)])

        def create() -> None:
            s.ask("admin", CreateTopicsRequest([CreatableTopic(name, 2, 1)], 20_000), 4)
            wait_until(lambda: not s.ask_unrecorded("admin", known, 9).topics[0].error_code)

        create()
        s.commit("x", 8, 5, topic=name, partitions=[0, 1])
        s.commit("x", 8, 6)
        s.committed("x", 8, {})
        s.ask("admin", DeleteTopicsRequest(topic_names=[name], timeout_ms=20_000), 4)
        wait_until(lambda: len(s.ask_unrecorded("x", everything, 8).groups[0].topics) == 1)
        s.committed("x", 8, {})
        s.commit("x", 8, 7, topic=name)
        create()
        s.committed("x", 8, {name: [0, 1], "read": [0]})
        s.commit("x", 8, 8, topic=name)
        s.committed("x", 8, {})

    check(script)


def limit_log(s: GroupScenario, size_bytes: int | None) -> None:
    """Set max.message.bytes of the group topic, or take it back."""
    config = AlterableConfig("max.message.bytes", 0 if size_bytes else 1, str(size_bytes) if size_bytes else None)
    resource = AlterConfigsResource(TOPIC_RESOURCE, "__consumer_offsets", [config])
    s.ask("admin", IncrementalAlterConfigsRequest([resource], False), 1)

    def is_applied() -> bool:
        """Whether commits that are larger are refused, or taken again, in all partitions of the group topic."""
        codes = []
        for number in range(12):
            answer = s.commit("admin", 8, group=f"probe-{number}-{s.group}", metadata="m" * 2000, partitions=[0, 1])
            s.recorded.pop()
            codes.append(answer.topics[0].partitions[0].error_code)
        return all(codes) if size_bytes else not any(codes)

    wait_until(is_applied)  # Apache Kafka applies it in its own time


def test_more_than_the_log_takes(check: Check) -> None:
    def script(s: GroupScenario) -> None:
        ids, generation = s.stable(5, "a")
        try:
            limit_log(s, 3000)
            for version in range(1, 10):
                s.commit("a", version, 5, ids[0], generation, metadata="m" * 2900)
                s.commit("a", version, 6, ids[0], generation, metadata="m" * 2000, partitions=[0, 1])
                s.commit("a", version, 7, ids[0], generation, metadata="m" * 2000)
            s.committed("a", 5, {})
            s.start_join("a", 5, ids[0])
            generation = s.receive("a").generation_id
            s.sync("a", 5, ids[0], generation, {ids[0]: b"a" * 3000})
            look(s)
            s.heartbeat("a", 4, ids[0], generation)
            s.start_join("a", 5, ids[0])
            generation = s.receive("a").generation_id
            s.sync("a", 5, ids[0], generation, {ids[0]: b"a" * 1000})
            look(s)
        finally:
            limit_log(s, None)

    check(script)
