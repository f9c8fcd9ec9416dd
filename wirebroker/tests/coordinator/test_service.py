"""Shards follow the partitions that are served, through deletions and creations that come faster than any task."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest
import trio

from wirebroker.coordinator.group.requests import FetchOffsets
from wirebroker.coordinator.turn import InternalClient
from wirebroker.metadata.image import ClusterImage, PartitionImage, TopicImage
from wirebroker.metadata.records import RemoveTopicRecord
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.record.compression import Codec
from wirebroker.record.record_batch import batches
from wirebroker.tests.coordinator.transaction.broker_harness import _CONFIG, BrokerHarness, running
from wirebroker.tests.replication.leader import become_leader
from wirebroker.tests.storage.fakes.disk import FakeDisk

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio.testing import MockClock

E = ErrorCode
OFFSETS = "__consumer_offsets"


async def commit(harness: BrokerHarness, offset: int, group: str = "g") -> ErrorCode:
    partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=offset, committed_metadata="")
    message = OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=-1,
        member_id="",
        topics=[OffsetCommitRequestTopic(name="t", partitions=[partition])],
    )
    try:
        reply = await harness.groups.request(group, message, InternalClient(3))
    except ApiError as fault:
        return fault.code
    return ErrorCode(reply.topics[0].partitions[0].error_code)


async def committed(harness: BrokerHarness, group: str = "g") -> int | None:
    found = await harness.groups.request(group, FetchOffsets(group, [("t", [0])], False))
    ((_, _, offset, _),) = found.offsets
    return None if offset is None else int(offset.offset)


async def delete(harness: BrokerHarness, name: str) -> None:
    """As the controller does: first the image, then the logs."""
    image = harness.metadata.image
    topic = image.topics[name]
    rest = {each: there for each, there in image.topics.items() if each != name}
    harness.metadata.publish(
        ClusterImage(topics=rest), [RemoveTopicRecord(name, topic.topic_id, len(topic.partitions))]
    )
    for index in range(len(topic.partitions)):
        assert await harness.replicas.stop(name, index, delete=True)


def create(harness: BrokerHarness, name: str, topic_id: bytes, partitions: int = 1, leader_epoch: int = 0) -> None:
    """As the controller does: first the logs, then the image."""
    topic = TopicImage(name, topic_id, (PartitionImage(0, leader_epoch, (0,), (0,)),) * partitions)
    for index in range(partitions):
        become_leader(harness.replicas, topic, index, _CONFIG)
    harness.metadata.publish(ClusterImage(topics={**harness.metadata.image.topics, name: topic}), [])


async def test_a_topic_deleted_and_made_again_at_once_gets_shards_on_its_new_logs() -> None:
    """As seen on a running broker: commits were acknowledged into a directory that was then removed."""
    async with running() as harness:
        assert await commit(harness, 5) == E.NONE
        old = harness.replicas.get(OFFSETS, 0)
        await delete(harness, OFFSETS)
        create(harness, OFFSETS, b"another topic id")
        await harness.groups.caught_up()
        assert await committed(harness) is None
        assert await commit(harness, 6) == E.NONE
        new = harness.replicas.get(OFFSETS, 0)
        assert new is not old
        assert new.log.log_end_offset == 1, "the commit is in the log that is served"


async def test_a_deleted_topic_has_no_coordinator() -> None:
    async with running() as harness:
        await delete(harness, OFFSETS)
        assert await commit(harness, 5) == E.NOT_COORDINATOR
        assert harness.groups.runtime.shards() == []
        create(harness, OFFSETS, b"another topic id", partitions=3)
        await harness.groups.caught_up()
        assert harness.groups.runtime.shards() == [0, 1, 2]


async def test_a_partition_of_another_topic_id_is_not_coordinated() -> None:
    """The image is ahead of what is served, or behind it."""
    async with running() as harness:
        topic = TopicImage(OFFSETS, b"another topic id", (PartitionImage(0, 0, (0,), (0,)),))
        harness.metadata.publish(ClusterImage(topics={**harness.metadata.image.topics, OFFSETS: topic}), [])
        assert await commit(harness, 5) == E.NOT_COORDINATOR


async def test_transaction_shards_follow_the_metadata_too() -> None:
    async with running() as harness:
        assert (await harness.init("x")).error_code == E.NONE
        await delete(harness, "__transaction_state")
        create(harness, "__transaction_state", b"another topic id", partitions=2)
        await harness.coordinator.caught_up()
        assert (await harness.describe("x"))[0].error_code == E.TRANSACTIONAL_ID_NOT_FOUND
        assert (await harness.init("x")).error_code == E.NONE
        index = harness.coordinator.partition_for("x")
        assert harness.replicas.get("__transaction_state", index).log.log_end_offset == 1


async def test_transactions_of_a_topic_with_another_number_of_partitions_are_refused() -> None:
    async with running() as harness:
        assert (await harness.init("x")).error_code == E.NONE
        harness.coordinator.partition_count = 1
        await delete(harness, "__transaction_state")
        create(harness, "__transaction_state", b"another topic id", partitions=2)
        await harness.coordinator.caught_up()
        assert harness.coordinator.partition_for("x") == 0
        assert (await harness.init("x")).error_code == E.NOT_COORDINATOR
        assert harness.coordinator.runtime.active_shards() == []


async def test_groups_stay_where_they_were_when_their_topic_is_grown() -> None:
    async with running() as harness:
        assert await commit(harness, 5) == E.NONE
        harness.groups.partition_count = 1
        topic = harness.metadata.image.topic(OFFSETS)
        assert topic is not None
        create(harness, OFFSETS, topic.topic_id, partitions=3)
        await harness.groups.caught_up()
        assert {harness.groups.partition_for(str(each)) for each in range(100)} == {0}
        assert await committed(harness) == 5


async def test_offsets_of_a_topic_that_is_deleted_and_made_again_at_once_go_but_not_those_committed_since() -> None:
    async with running() as harness:
        assert await commit(harness, 5, "old") == E.NONE
        assert await commit(harness, 5, "both") == E.NONE
        await delete(harness, "t")
        create(harness, "t", b"another topic id", partitions=3)
        assert await commit(harness, 6, "both") == E.NONE
        assert await commit(harness, 6, "new") == E.NONE
        await until(lambda: "old" not in harness.groups.runtime._contexts[0].shard.manager.groups)  # type: ignore[attr-defined]
        assert [await committed(harness, group) for group in ("old", "both", "new")] == [None, 6, 6]


async def test_a_full_disk_refuses_commits_and_members_and_stops_nothing(autojump_clock: MockClock) -> None:
    async with running() as harness:
        assert await commit(harness, 5) == E.NONE
        harness.disk.broken["pwrite"] = errno.ENOSPC
        codes = []
        for _ in range(20):
            codes.append(await commit(harness, 6))
            await trio.sleep(0.5)
        assert set(codes) == {E.COORDINATOR_NOT_AVAILABLE, E.COORDINATOR_LOAD_IN_PROGRESS}
        assert codes.count(E.COORDINATOR_NOT_AVAILABLE) < 10, "the pauses before the shard is loaded again grow"
        assert harness.replicas.find(OFFSETS, 0) is not None, "the log directory is in service"
        harness.disk.broken.clear()
        await trio.sleep(5)
        assert await committed(harness) == 5, "what was refused is forgotten"
        assert await commit(harness, 7) == E.NONE
        assert await committed(harness) == 7


@pytest.mark.parametrize("codec", Codec)
async def test_offsets_are_written_and_loaded_with_the_codec_of_the_offsets_topic(codec: Codec) -> None:
    """Both those of a group and those of a transaction; transactional ids are always written without one."""
    disk = FakeDisk()
    async with running(disk, offsets_topic_compression_codec=int(codec)) as harness:
        assert await commit(harness, 5) == E.NONE
        producer = await harness.started()
        assert await harness.add_offsets(producer) == E.NONE
        assert await harness.commit_offset(producer, 6) == E.NONE
        assert codecs(harness, OFFSETS, 0) == [codec, codec]
        index = harness.coordinator.partition_for("x")
        assert set(codecs(harness, "__transaction_state", index)) == {Codec.NONE}
    async with running(disk.restarted(), first_id=200) as harness:
        assert await committed(harness) == 5


def codecs(harness: BrokerHarness, topic: str, index: int) -> list[Codec]:
    """The codec of each batch of a partition."""
    log = harness.replicas.get(topic, index).log
    return [each.codec for each in batches(log.read(0, 1 << 20, log.log_end_offset, True).tobytes())]


async def until(done: Callable[[], bool]) -> None:
    with trio.fail_after(5):
        while not done():  # noqa: ASYNC110 - nobody tells
            await trio.sleep(0.01)
