"""Offsets committed in transactions, in valid and invalid order, on wirebroker and on Apache Kafka 3.9.1 and 4.1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.transactions.differences import GENERATION_WITHOUT_A_MEMBER, GROUP_WITH_PENDING_OFFSETS
from compat_tests.transactions.scenario import Producer, TransactionScenario
from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.messages.delete_groups import DeleteGroupsRequest
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Same = Callable[..., None]

versions = pytest.mark.parametrize("version", range(6))


def committed(s: TransactionScenario) -> None:
    """Fetch the committed offsets, with and without require_stable."""
    s.committed("t", 5)
    s.committed("t", 7, stable=True)
    s.committed("t", 8, {})
    s.committed("t", 8, {}, stable=True)


@versions
def test_visible_with_the_marker(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        producer = s.producer()
        for number, commit in enumerate((True, False, True)):
            s.add_offsets(3, producer)
            s.offsets(version, producer, 10 + number, partitions=[0, 1])
            committed(s)
            s.offsets(version, producer, 20 + number)
            committed(s)
            s.end(3, producer, commit)
            committed(s)
        s.ask_coordinator(DescribeGroupsRequest([s.group]), 5)

    same(script, (ApiKey.TXN_OFFSET_COMMIT, version))


@versions
def test_refusals(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        none = Producer(1, 0, s.name("-none"))
        s.offsets(version, none)
        s.offsets(version, Producer(1, 0, ""))
        producer = s.producer()
        if version < 5:
            s.offsets(version, producer)
        s.add_offsets(3, producer)
        for wrong in (
            producer.with_id(1000),
            producer.with_epoch(-1),
            producer.with_epoch(1),
            producer._replace(name=s.name("-other")),
        ):
            s.offsets(version, wrong)
        if version < 5:
            s.offsets(version, producer, group=s.group + "-another")
        s.offsets(version, producer, group="")
        s.offsets(version, producer, topic="missing")
        s.offsets(version, producer, topic="")
        s.offsets(version, producer, partitions=[0, 9, -1])
        s.offsets(version, producer, partitions=[])
        s.offsets(version, producer, metadata="x" * 4096)
        s.offsets(version, producer, metadata="x" * 4097)
        s.offsets(version, producer, metadata=None)
        s.offsets(version, producer, -1, partitions=[2])
        committed(s)
        s.end(3, producer)
        committed(s)
        s.describe()

    same(script, (ApiKey.TXN_OFFSET_COMMIT, version))


@pytest.mark.parametrize("version", [3, 4, 5])
def test_only_members_commit(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        producer = s.producer()
        s.add_offsets(3, producer)
        for member in (
            (5, "", None),
            (-1, "nobody", None),
            (5, "nobody", None),
            (-1, "", "nobody"),
            (5, "x", "nobody"),
        ):
            if member == (5, "", None):
                s.expect_difference(GENERATION_WITHOUT_A_MEMBER)
            s.offsets(version, producer, member=member)
        ids, generation = s.stable(5, "a")
        member_id = ids[0]
        for member in (
            (generation, member_id, None), (generation + 1, member_id, None), (generation - 1, member_id, None),
            (generation, "nobody", None), (-1, member_id, None), (generation, "", None), (-1, "", None),
            (generation, member_id, "nobody"),
        ):  # fmt: skip
            s.offsets(version, producer, 6, member=member)
        s.join_new_member("b", 5)
        s.offsets(version, producer, 7, member=(generation, member_id, None))
        s.end(3, producer)
        committed(s)
        s.leave("a", 0, (member_id, None))
        s.receive("b")

    same(script, (ApiKey.TXN_OFFSET_COMMIT, version))


@pytest.mark.parametrize("version", [3, 4, 5])
def test_static_members(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        producer = s.producer()
        s.add_offsets(3, producer)
        s.start_join("a", 5, instance="i")
        first = s.receive("a").member_id
        s.sync("a", 5, first, 1, {first: b"1"}, instance="i")
        s.offsets(version, producer, 1, member=(1, first, "i"))
        again = s.join("b", 5, instance="i").member_id
        for member in ((1, first, "i"), (1, first, None), (1, again, "i"), (1, again, None), (1, again, "other")):
            s.offsets(version, producer, 2, member=member)
        s.end(3, producer)
        committed(s)

    same(script, (ApiKey.TXN_OFFSET_COMMIT, version))


def test_beside_plain_commits(same: Same) -> None:
    def script(s: TransactionScenario) -> None:
        one, two = s.producer("-1"), s.producer("-2")
        s.commit("t", 5, 1)
        s.add_offsets(3, one)
        s.offsets(3, one, 2)
        s.commit("t", 5, 3)
        committed(s)
        s.end(3, one)  # the plain commit came later
        committed(s)
        s.add_offsets(3, one)
        s.add_offsets(3, two)
        s.offsets(3, one, 4)
        s.offsets(3, two, 5)
        s.end(3, two)
        committed(s)
        s.end(3, one)
        committed(s)
        s.add_offsets(3, one)
        s.add_offsets(3, two)
        s.offsets(3, one, 6)
        s.offsets(3, two, 7)
        s.end(3, one, False)
        committed(s)
        s.end(3, two)
        committed(s)

    same(script)


def test_pending_offsets_when_others_delete(same: Same) -> None:
    def script(s: TransactionScenario) -> None:
        producer = s.producer()
        s.commit("t", 5, 1)
        s.add_offsets(3, producer)
        s.offsets(3, producer, 2, partitions=[0, 1])
        topics = [OffsetDeleteRequestTopic(s.topic, [OffsetDeleteRequestPartition(0), OffsetDeleteRequestPartition(1)])]
        s.ask_coordinator(OffsetDeleteRequest(s.group, topics), 0)
        committed(s)
        s.end(3, producer)
        committed(s)

    same(script)


def test_a_group_with_pending_offsets_is_deleted(same: Same) -> None:
    def script(s: TransactionScenario) -> None:
        producer = s.producer()
        s.add_offsets(3, producer)
        s.offsets(3, producer, 2)
        s.ask_coordinator(DescribeGroupsRequest([s.group]), 5)
        s.expect_difference(GROUP_WITH_PENDING_OFFSETS)
        s.ask_coordinator(DeleteGroupsRequest([s.group]), 2)

    same(script)


def test_the_group_is_added_with_the_first_offset(same: Same) -> None:
    """TxnOffsetCommit 5 (KIP-890)."""

    def script(s: TransactionScenario) -> None:
        producer = s.producer(version=5)
        s.offsets(5, producer, 3)
        s.describe()
        committed(s)
        answer = s.end(5, producer)
        committed(s)
        s.offsets(5, producer, 4)
        producer = producer._replace(epoch=answer.producer_epoch)
        s.offsets(4, producer, 5)
        s.offsets(5, producer, 6, topic="missing")
        s.describe()
        s.offsets(5, producer, 6)
        s.describe()
        s.offsets(4, producer, 7)
        s.end(5, producer, False)
        committed(s)

    same(script, (ApiKey.TXN_OFFSET_COMMIT, 5), (ApiKey.END_TXN, 5))
