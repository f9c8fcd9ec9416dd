"""ControllerRequests: order, refusals and answers, on replicas that only record their changes."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import trio
import trio.testing

from wirebroker.cluster.controller_requests import ControllerRequests
from wirebroker.cluster.leader_and_isr import HostedReplica
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import UNKNOWN_PARTITION, ClusterImage
from wirebroker.metadata.records import RemoveTopicRecord
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from wirebroker.protocol.messages.stop_replica import (
    StopReplicaPartitionState,
    StopReplicaRequest,
    StopReplicaTopicState,
)
from wirebroker.protocol.messages.update_metadata import UpdateMetadataPartitionState, UpdateMetadataRequest
from wirebroker.tests.cluster.test_update_metadata import request as update_metadata
from wirebroker.tests.cluster.test_update_metadata import state

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from wirebroker.cluster.leader_and_isr import ReplicaChange
    from wirebroker.cluster.stop_replica import StopPartition

E = ErrorCode
ME, OTHER = 1, 2
BROKER_EPOCH = 100
TOPIC_ID = bytes([1] * 16)


class FakeReplicaStates:
    """Replicas in memory; `held` keeps every change waiting while it is not set."""

    def __init__(self) -> None:
        self.replicas: dict[TopicPartition, HostedReplica] = {}
        self.refused: set[TopicPartition] = set()
        self.deleted: set[str] = set()
        """The topics that are to be deleted."""
        self.log: list[str] = []
        self.held: trio.Event | None = None

    def hosted(self, topic_partition: TopicPartition) -> HostedReplica | None:
        return self.replicas.get(topic_partition)

    def is_refused(self, topic_partition: TopicPartition) -> bool:
        return topic_partition in self.refused

    async def is_to_be_deleted(self, topic: str) -> bool:
        return topic in self.deleted

    async def make_leaders(self, changes: Sequence[ReplicaChange]) -> Mapping[TopicPartition, ErrorCode]:
        return await self._change("lead", changes)

    async def make_followers(self, changes: Sequence[ReplicaChange]) -> Mapping[TopicPartition, ErrorCode]:
        return await self._change("follow", changes)

    async def assign_topic_ids(self, changes: Sequence[ReplicaChange]) -> Mapping[TopicPartition, ErrorCode]:
        return await self._change("assign", changes)

    async def _change(self, verb: str, changes: Sequence[ReplicaChange]) -> Mapping[TopicPartition, ErrorCode]:
        if self.held is not None:
            await self.held.wait()
        for each in changes:
            self.log.append("{} {}-{}".format(verb, *each.topic_partition))
            self.replicas[each.topic_partition] = HostedReplica(each.state.leader_epoch, each.topic_id)
        return {each.topic_partition: E.NONE for each in changes}

    async def changed_leaders(self) -> None:
        self.log.append("changed leaders")

    async def stop(self, stops: Sequence[StopPartition]) -> Mapping[TopicPartition, ErrorCode]:
        for each in stops:
            self.log.append(
                f"{'delete' if each.delete else 'stop'} {each.topic_partition.topic}-{each.topic_partition.partition}"
            )
            if each.delete:
                self.replicas.pop(each.topic_partition, None)
        return {each.topic_partition: E.NONE for each in stops}


@asynccontextmanager
async def running() -> AsyncIterator[tuple[ControllerRequests, FakeReplicaStates, MetadataCache]]:
    replicas, cache = FakeReplicaStates(), MetadataCache(ClusterImage())
    requests = ControllerRequests(ME, lambda: BROKER_EPOCH, replicas, cache, replicas.is_to_be_deleted)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(requests.run)
        yield requests, replicas, cache
        nursery.cancel_scope.cancel()


def leader_and_isr(epoch: int, *leaders: int, controller_epoch: int = 1) -> LeaderAndIsrRequest:
    states = [
        LeaderAndIsrPartitionState(
            partition_index=index, leader=leader, leader_epoch=epoch, isr=[leader], replicas=[ME, OTHER]
        )
        for index, leader in enumerate(leaders)
    ]
    return LeaderAndIsrRequest(
        controller_id=OTHER,
        controller_epoch=controller_epoch,
        broker_epoch=BROKER_EPOCH,
        topic_states=[LeaderAndIsrTopicState("t", TOPIC_ID, states)],
    )


async def test_leaders_come_before_followers_and_coordinators_last() -> None:
    async with running() as (requests, replicas, _):
        response = await requests.leader_and_isr(leader_and_isr(0, OTHER, ME), 5)
        assert replicas.log == ["lead t-1", "follow t-0", "changed leaders"]
        assert [each.error_code for each in response.topics[0].partition_errors] == [0, 0]
        replicas.log.clear()
        response = await requests.leader_and_isr(leader_and_isr(0, ME, OTHER), 5)
        assert replicas.log == ["changed leaders"]
        assert {each.error_code for each in response.topics[0].partition_errors} == {E.STALE_CONTROLLER_EPOCH}


async def test_a_request_begins_when_the_one_before_is_carried_out() -> None:
    async with running() as (requests, replicas, _):
        replicas.held = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(requests.leader_and_isr, leader_and_isr(0, ME), 5)
            await trio.testing.wait_all_tasks_blocked()
            stop = StopReplicaRequest(
                controller_epoch=1, topic_states=[StopReplicaTopicState("t", [StopReplicaPartitionState(0, -2, True)])]
            )
            nursery.start_soon(requests.stop_replica, stop)
            await trio.testing.wait_all_tasks_blocked()
            assert replicas.log == []
            replicas.held.set()
        assert replicas.log == ["lead t-0", "changed leaders", "delete t-0"]


async def test_stale_epochs_refuse_the_whole_request() -> None:
    async with running() as (requests, replicas, cache):
        await requests.update_metadata(update_metadata(state(0)))  # controller epoch 9
        before = cache.image
        assert (
            await requests.leader_and_isr(leader_and_isr(0, ME, controller_epoch=8), 5)
        ).error_code == E.STALE_CONTROLLER_EPOCH
        assert (
            await requests.stop_replica(StopReplicaRequest(controller_epoch=8))
        ).error_code == E.STALE_CONTROLLER_EPOCH
        stale = update_metadata(state(1))
        stale.broker_epoch = BROKER_EPOCH - 1
        assert (await requests.update_metadata(stale)).error_code == E.STALE_BROKER_EPOCH
        assert (replicas.log, cache.image) == ([], before)


async def test_a_fenced_stop_leaves_the_others_to_be_stopped() -> None:
    async with running() as (requests, replicas, _):
        await requests.leader_and_isr(leader_and_isr(4, ME, ME), 5)
        replicas.log.clear()
        states = [StopReplicaPartitionState(0, 3, False), StopReplicaPartitionState(1, 4, False)]
        stop = StopReplicaRequest(controller_epoch=1, topic_states=[StopReplicaTopicState("t", states)])
        response = await requests.stop_replica(stop)
        codes = {each.partition_index: each.error_code for each in response.partition_errors}
        assert codes == {0: E.FENCED_LEADER_EPOCH, 1: E.NONE}
        assert replicas.log == ["stop t-1"]


async def test_update_metadata_publishes_one_image_and_names_removed_topics() -> None:
    async with running() as (requests, _, cache):
        seen: list[tuple[list[str], list[object]]] = []
        cache.subscribe(lambda _before, after, records: seen.append((sorted(after.topics), list(records))))
        await requests.update_metadata(update_metadata(state(0)))
        await requests.update_metadata(update_metadata(state(0, leader=-2)))
        assert seen[0] == (["t"], [])
        assert seen[1] == ([], [RemoveTopicRecord("t", TOPIC_ID, 1)])


def of_topic(name: str, broker_epoch: int, *states: UpdateMetadataPartitionState) -> UpdateMetadataRequest:
    made = update_metadata(*states)
    made.broker_epoch = broker_epoch
    for each in made.topic_states:
        each.topic_name, each.topic_id = name, name.ljust(16).encode()
    return made


async def test_a_new_registration_is_told_all_partitions_and_forgets_deleted_topics() -> None:
    """A topic that was deleted while the session was over is in no request; the first one has all that exist."""
    async with running() as (requests, _, cache):
        removed: list[object] = []
        cache.subscribe(lambda _before, _after, records: removed.extend(records))
        dead = UpdateMetadataPartitionState("dead", 0, leader=-1, isr=[7], replicas=[7, 8])
        await requests.update_metadata(of_topic("kept", BROKER_EPOCH, state(0)))
        await requests.update_metadata(of_topic("deleted", BROKER_EPOCH, state(0), state(1)))
        await requests.update_metadata(of_topic("dead", BROKER_EPOCH, dead))
        assert sorted(cache.image.topics) == ["dead", "deleted", "kept"], "the others of a registration have changes"
        await requests.update_metadata(of_topic("none", BROKER_EPOCH + 1))
        assert sorted(cache.image.topics) == ["dead", "deleted", "kept"], "only the live brokers"
        await requests.update_metadata(of_topic("kept", BROKER_EPOCH + 1, state(0)))
        assert sorted(cache.image.topics) == ["dead", "kept"], "partitions without a live replica may come later"
        await requests.update_metadata(of_topic("new", BROKER_EPOCH + 1, state(0)))
        assert sorted(cache.image.topics) == ["dead", "kept", "new"]
        assert removed == [], "no committed offsets are deleted"


async def test_requests_without_a_broker_epoch_name_what_has_changed() -> None:
    """Requests before version 5 may be those for the registration before."""
    async with running() as (requests, _, cache):
        for name in ("a", "b"):
            await requests.update_metadata(of_topic(name, -1, state(0)))
        assert sorted(cache.image.topics) == ["a", "b"]


async def test_a_topic_of_thousands_of_partitions_is_taken_over_in_steps() -> None:
    async with running() as (requests, _, cache):
        count = 1001
        await requests.update_metadata(update_metadata(*(state(index) for index in range(count))))
        topic = cache.image.topic("t")
        assert topic is not None
        assert len(topic.partitions) == count
        assert topic.partitions[0] == topic.partitions[count - 1] != UNKNOWN_PARTITION
        gone = [state(index, leader=-2) for index in range(count)]
        await requests.update_metadata(update_metadata(*gone))
        assert cache.image.topics == {}


async def test_a_refused_log_of_a_topic_that_is_to_be_deleted_is_no_error() -> None:
    """After an error the controller would take the replica for offline, and never have it deleted."""
    at = TopicPartition("t", 0)
    async with running() as (requests, replicas, _):
        replicas.refused, replicas.deleted = {at}, {"t"}
        response = await requests.leader_and_isr(leader_and_isr(3, -1, -1), 5)
        assert [each.error_code for each in response.topics[0].partition_errors] == [E.NONE, E.NONE]
        assert replicas.log == ["follow t-1", "changed leaders"]
        replicas.deleted.clear()
        await requests.leader_and_isr(leader_and_isr(4, -1), 5)
        assert replicas.log[2:] == ["follow t-0", "changed leaders"], "which fails with the code of the refused log"
