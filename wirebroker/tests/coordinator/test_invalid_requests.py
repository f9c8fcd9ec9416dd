"""Requests that name things twice or not at all, as Apache Kafka 3.9.1 answers them, and codes of a coordinator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.requests import FetchOffsets
from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from wirebroker.protocol.messages.sync_group import SyncGroupRequest
from wirebroker.tests.coordinator.shard_harness import ShardHarness

if TYPE_CHECKING:
    from wirebroker.protocol.message import Message

E = ErrorCode


def ask(harness: ShardHarness, message: Message, version: int) -> Any:
    return harness.ask(message, version).reply


def commit(harness: ShardHarness, *topics: tuple[str, list[int]], generation: int = -1) -> list[tuple[str, int, int]]:
    """Commits 1, 2, 3 ... in the order of the partitions: (topic, partition, code) of the answer."""
    made = [
        OffsetCommitRequestTopic(
            name=name,
            partitions=[
                OffsetCommitRequestPartition(partition_index=index, committed_offset=number)
                for number, index in enumerate(indexes, 1)
            ],
        )
        for name, indexes in topics
    ]
    reply = ask(harness, OffsetCommitRequest("g", generation, topics=made), 8)
    if any(not topic.partitions for topic in reply.topics):
        return [("an empty topic", 0, 0)]
    return [(topic.name, each.partition_index, each.error_code) for topic in reply.topics for each in topic.partitions]


def test_a_partition_committed_twice_in_one_request_counts_once_and_last() -> None:
    harness = ShardHarness()
    assert commit(harness, ("t", [0, 0, 1])) == [("t", 0, E.NONE), ("t", 1, E.NONE)]
    assert harness.offset() == 2


def test_an_unknown_partition_committed_twice_is_answered_twice_and_before_those_that_exist() -> None:
    harness = ShardHarness()
    found = commit(harness, ("t", [0, 9, 0, 9]), ("missing", [0, 0]), ("t", [9]))
    assert found == [
        *[("t", 9, E.UNKNOWN_TOPIC_OR_PARTITION)] * 3,
        ("t", 0, E.NONE),
        *[("missing", 0, E.UNKNOWN_TOPIC_OR_PARTITION)] * 2,
    ]
    assert harness.offset() == 3


def test_a_topic_named_again_in_a_commit_is_answered_once() -> None:
    harness = ShardHarness()
    found = commit(harness, ("t", [0]), ("missing", [1]), ("t", [1, 0]))
    assert found == [("t", 0, E.NONE), ("t", 1, E.NONE), ("missing", 1, E.UNKNOWN_TOPIC_OR_PARTITION)]
    assert harness.offset() == 2


def test_a_topic_without_partitions_is_not_answered_if_it_exists() -> None:
    assert commit(ShardHarness(), ("t", [])) == []
    assert commit(ShardHarness(), ("missing", [])) == [("an empty topic", 0, 0)]
    harness = ShardHarness()
    harness.shard.manager.topic_exists = lambda name, index: (name, index) == ("single", 0)
    assert commit(harness, ("single", [])) == []


def test_a_retention_beyond_all_times_keeps_the_offset() -> None:
    harness = ShardHarness()
    topic = OffsetCommitRequestTopic(name="t", partitions=[OffsetCommitRequestPartition(committed_offset=5)])
    reply = ask(harness, OffsetCommitRequest("g", retention_time_ms=(1 << 63) - 1, topics=[topic]), 2)
    assert [each.error_code for each in reply.topics[0].partitions] == [E.NONE]
    assert harness.offset() == 5


def test_an_unknown_topic_counts_before_the_checks_of_the_member() -> None:
    unknown = ("missing", 0, E.UNKNOWN_TOPIC_OR_PARTITION)
    found = commit(ShardHarness(), ("missing", [0]), ("t", [0, 9]), generation=7)
    assert found == [unknown, ("t", 9, E.UNKNOWN_TOPIC_OR_PARTITION), ("t", 0, E.ILLEGAL_GENERATION)]


def test_an_offset_fetched_twice_is_returned_once() -> None:
    harness = ShardHarness()
    harness.commit(5)
    found = harness.ask(FetchOffsets("g", [("t", [0, 0]), ("t", [0])], False)).reply.offsets
    assert [(topic, partition) for topic, partition, _, _ in found] == [("t", 0)]


def test_an_offset_deleted_twice_is_returned_once_and_an_empty_topic_not_at_all() -> None:
    harness = ShardHarness()
    harness.commit(5)
    partitions = [OffsetDeleteRequestPartition(index) for index in (0, 7, 0)]
    topics = [OffsetDeleteRequestTopic("t", partitions), OffsetDeleteRequestTopic("u", [])]
    reply = ask(harness, OffsetDeleteRequest("g", topics), 0)
    (topic,) = reply.topics
    assert [(each.partition_index, each.error_code) for each in topic.partitions] == [
        (0, E.NONE),
        (7, E.UNKNOWN_TOPIC_OR_PARTITION),
    ]


def test_a_first_generation_does_not_wait_for_ids_that_were_given_out() -> None:
    harness = ShardHarness()
    assert harness.join(version=4).reply.error_code == E.MEMBER_ID_REQUIRED
    assert harness.join(version=3).reply.generation_id == 1


def test_a_later_generation_waits_for_them() -> None:
    harness = ShardHarness()
    (member,), _ = harness.stable("a")
    pending = harness.join(version=4).reply.member_id
    again = harness.join(member)
    assert again.waits
    newcomer = harness.join(pending, version=4)
    assert again.reply.generation_id == newcomer.reply.generation_id == 2


def test_a_join_sent_again_ends_the_wait_of_the_older_one() -> None:
    harness = ShardHarness()
    ids, _ = harness.stable("a", "b")
    older = harness.join(ids[1], protocols=(("range", b"new"),))
    newer = harness.join(ids[1], protocols=(("range", b"new"),))
    assert older.reply.error_code == E.REBALANCE_IN_PROGRESS
    assert newer.waits


@pytest.mark.parametrize(
    ("kind", "name", "code"),
    [
        ("consumer", "range", E.NONE),
        (None, None, E.NONE),
        ("connect", "range", E.INCONSISTENT_GROUP_PROTOCOL),
        ("consumer", "sticky", E.INCONSISTENT_GROUP_PROTOCOL),
    ],
)
def test_a_sync_names_the_protocol_of_its_group(kind: str | None, name: str | None, code: ErrorCode) -> None:
    harness = ShardHarness()
    (member,), generation = harness.stable("a")
    assert ask(harness, SyncGroupRequest("g", generation, member, None, kind, name), 5).error_code == code


def test_a_sync_during_a_rebalance() -> None:
    harness = ShardHarness()
    (member,), generation = harness.stable("a")
    harness.join()
    assert harness.shard.manager.groups["g"].state == ClassicGroupState.PREPARING_REBALANCE
    assert harness.sync(member, generation).reply.error_code == E.REBALANCE_IN_PROGRESS
    assert harness.sync(member, generation + 1).reply.error_code == E.ILLEGAL_GENERATION


@pytest.mark.parametrize(("kind", "code"), [("consumer", E.GROUP_SUBSCRIBED_TO_TOPIC), ("connect", E.NON_EMPTY_GROUP)])
def test_offsets_of_a_group_with_members_are_not_deleted(kind: str, code: ErrorCode) -> None:
    harness = ShardHarness()
    harness.commit(5)
    harness.join(kind=kind, protocols=(("range", bytes.fromhex("0000 00000001 0001 74 ffffffff")),))
    reply = ask(
        harness, OffsetDeleteRequest("g", [OffsetDeleteRequestTopic("t", [OffsetDeleteRequestPartition(0)])]), 0
    )
    told = reply.error_code or reply.topics[0].partitions[0].error_code
    assert told == code
    assert harness.offset() == 5


async def test_a_partition_that_is_not_ours_has_no_coordinator_here() -> None:
    runtime = CoordinatorRuntime("__consumer_offsets", lambda _: ShardHarness().shard)
    with pytest.raises(ApiError) as caught:
        await runtime.request(3, FetchOffsets("g", None, False))
    assert caught.value.code == E.NOT_COORDINATOR
