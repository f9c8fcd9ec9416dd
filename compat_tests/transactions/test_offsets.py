"""Offsets committed in transactions, in good and bad order, played on wirebroker and on Apache Kafka 3.9.1 and 4.1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.transactions.differences import NO_SUCH_MEMBER, PENDING_KEEPS_THE_GROUP
from compat_tests.transactions.scene import Producer, TransactionScene
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


def committed(s: TransactionScene) -> None:
    """What others see, those that want to wait too."""
    s.committed("t", 5)
    s.committed("t", 7, stable=True)
    s.committed("t", 8, {})
    s.committed("t", 8, {}, stable=True)


@versions
def test_visible_with_the_marker(same: Same, version: int) -> None:
    def script(s: TransactionScene) -> None:
        who = s.producer()
        for number, commit in enumerate((True, False, True)):
            s.add_offsets(3, who)
            s.offsets(version, who, 10 + number, partitions=[0, 1])
            committed(s)
            s.offsets(version, who, 20 + number)
            committed(s)
            s.end(3, who, commit)
            committed(s)
        s.tell(DescribeGroupsRequest([s.group]), 5)

    same(script, (ApiKey.TXN_OFFSET_COMMIT, version))


@versions
def test_refusals(same: Same, version: int) -> None:
    def script(s: TransactionScene) -> None:
        none = Producer(1, 0, s.name("-none"))
        s.offsets(version, none)
        s.offsets(version, Producer(1, 0, ""))
        who = s.producer()
        if version < 5:
            s.offsets(version, who)
        s.add_offsets(3, who)
        for wrong in (who.with_id(1000), who.with_epoch(-1), who.with_epoch(1), who._replace(name=s.name("-other"))):
            s.offsets(version, wrong)
        if version < 5:
            s.offsets(version, who, group=s.group + "-another")
        s.offsets(version, who, group="")
        s.offsets(version, who, topic="missing")
        s.offsets(version, who, topic="")
        s.offsets(version, who, partitions=[0, 9, -1])
        s.offsets(version, who, partitions=[])
        s.offsets(version, who, metadata="x" * 4096)
        s.offsets(version, who, metadata="x" * 4097)
        s.offsets(version, who, metadata=None)
        s.offsets(version, who, -1, partitions=[2])
        committed(s)
        s.end(3, who)
        committed(s)
        s.describe()

    same(script, (ApiKey.TXN_OFFSET_COMMIT, version))


@pytest.mark.parametrize("version", [3, 4, 5])
def test_only_members_commit(same: Same, version: int) -> None:
    def script(s: TransactionScene) -> None:
        who = s.producer()
        s.add_offsets(3, who)
        for member in (
            (5, "", None),
            (-1, "nobody", None),
            (5, "nobody", None),
            (-1, "", "nobody"),
            (5, "x", "nobody"),
        ):
            if member == (5, "", None):
                s.but(NO_SUCH_MEMBER)
            s.offsets(version, who, member=member)
        ids, generation = s.stable(5, "a")
        member_id = ids[0]
        for member in (
            (generation, member_id, None), (generation + 1, member_id, None), (generation - 1, member_id, None),
            (generation, "nobody", None), (-1, member_id, None), (generation, "", None), (-1, "", None),
            (generation, member_id, "nobody"),
        ):  # fmt: skip
            s.offsets(version, who, 6, member=member)
        s.enter("b", 5)
        s.offsets(version, who, 7, member=(generation, member_id, None))
        s.end(3, who)
        committed(s)
        s.leave("a", 0, (member_id, None))
        s.hear("b")

    same(script, (ApiKey.TXN_OFFSET_COMMIT, version))


@pytest.mark.parametrize("version", [3, 4, 5])
def test_static_members(same: Same, version: int) -> None:
    def script(s: TransactionScene) -> None:
        who = s.producer()
        s.add_offsets(3, who)
        s.start_join("a", 5, instance="i")
        first = s.hear("a").member_id
        s.sync("a", 5, first, 1, {first: b"1"}, instance="i")
        s.offsets(version, who, 1, member=(1, first, "i"))
        again = s.join("b", 5, instance="i").member_id
        for member in ((1, first, "i"), (1, first, None), (1, again, "i"), (1, again, None), (1, again, "other")):
            s.offsets(version, who, 2, member=member)
        s.end(3, who)
        committed(s)

    same(script, (ApiKey.TXN_OFFSET_COMMIT, version))


def test_beside_plain_commits(same: Same) -> None:
    def script(s: TransactionScene) -> None:
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
    def script(s: TransactionScene) -> None:
        who = s.producer()
        s.commit("t", 5, 1)
        s.add_offsets(3, who)
        s.offsets(3, who, 2, partitions=[0, 1])
        topics = [OffsetDeleteRequestTopic(s.topic, [OffsetDeleteRequestPartition(0), OffsetDeleteRequestPartition(1)])]
        s.tell(OffsetDeleteRequest(s.group, topics), 0)
        committed(s)
        s.end(3, who)
        committed(s)

    same(script)


def test_a_group_with_pending_offsets_is_deleted(same: Same) -> None:
    def script(s: TransactionScene) -> None:
        who = s.producer()
        s.add_offsets(3, who)
        s.offsets(3, who, 2)
        s.tell(DescribeGroupsRequest([s.group]), 5)
        s.but(PENDING_KEEPS_THE_GROUP)
        s.tell(DeleteGroupsRequest([s.group]), 2)

    same(script)


def test_the_group_is_added_with_the_first_offset(same: Same) -> None:
    """TxnOffsetCommit 5 (KIP-890)."""

    def script(s: TransactionScene) -> None:
        who = s.producer(version=5)
        s.offsets(5, who, 3)
        s.describe()
        committed(s)
        answer = s.end(5, who)
        committed(s)
        s.offsets(5, who, 4)
        who = who._replace(epoch=answer.producer_epoch)
        s.offsets(4, who, 5)
        s.offsets(5, who, 6, topic="missing")
        s.describe()
        s.offsets(5, who, 6)
        s.describe()
        s.offsets(4, who, 7)
        s.end(5, who, False)
        committed(s)

    same(script, (ApiKey.TXN_OFFSET_COMMIT, 5), (ApiKey.END_TXN, 5))
