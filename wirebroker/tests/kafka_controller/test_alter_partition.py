"""AlterPartition at the active controller: the order of its checks, what it writes, and its response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.kafka_controller.alter_partition import alter_partitions, check
from wirebroker.kafka_controller.context import ControllerContext, LiveBroker
from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient
from wirebroker.kafka_controller.errors import ControllerMoved
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    BrokerState,
    RequestPartitionData,
    RequestTopicData,
)
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper.znodes.brokers import BrokerInfo
from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch, ReplicaAssignment, TopicAssignment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
TOPIC_ID = bytes(range(16))
CURRENT = LeaderIsrAndControllerEpoch(1, 5, (1, 2), 1, partition_epoch=7)
EPOCH = 101


def context_of(*live: int) -> ControllerContext:
    context = ControllerContext()
    context.set_live_brokers(LiveBroker(BrokerInfo(number, ()), 100 + number) for number in live)
    context.add_topic("t", TOPIC_ID)
    for partition in (T0, T1):
        context.update_assignment(partition, ReplicaAssignment((1, 2, 3)))
        context.put_partition_leadership(partition, CURRENT)
    context.epoch = 4
    return context


def wanted(isr: tuple[int, ...] = (1,), *, leader_epoch: int = 5, epoch: int = 7, recovering: bool = False) -> Any:
    return LeaderIsrAndControllerEpoch(1, leader_epoch, isr, 4, recovering, epoch)


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        (wanted(), None),
        (wanted((1, 2, 3)), None),
        # each row has the faults of the rows below, too: the order of the checks is part of the protocol
        (wanted((1, 9), leader_epoch=4, epoch=8), ErrorCode.NOT_CONTROLLER),
        (wanted((1, 9), leader_epoch=6, epoch=6), ErrorCode.NOT_CONTROLLER),
        (wanted((1, 9), leader_epoch=4, epoch=6), ErrorCode.FENCED_LEADER_EPOCH),
        (wanted((1, 2), epoch=6), CURRENT),
        (wanted((1, 9), epoch=6, recovering=True), ErrorCode.INVALID_UPDATE_VERSION),
        (wanted((1, 9), recovering=True), ErrorCode.INVALID_REQUEST),
        (wanted((1,), recovering=True), ErrorCode.INVALID_REQUEST),  # it has recovered before
        (wanted((1, 9)), ErrorCode.INELIGIBLE_REPLICA),
    ],
)
def test_the_checks_and_their_order(state: LeaderIsrAndControllerEpoch, outcome: object) -> None:
    assert check(context_of(1, 2, 3), T0, state, 3) == outcome


def test_replicas_that_are_not_live_and_partitions_that_are_not_known_are_refused() -> None:
    context = context_of(1, 2, 3)
    context.shutting_down_broker_ids.add(2)
    assert check(context, T0, wanted((1, 2), epoch=7)._replace(isr=(2, 1)), 1) is ErrorCode.OPERATION_NOT_ATTEMPTED
    assert check(context, T0, wanted((2, 1)), 2) is ErrorCode.INELIGIBLE_REPLICA
    assert check(context, TopicPartition("t", 2), wanted(), 3) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


class Batch:
    """Keeps the partitions and brokers of UpdateMetadata."""

    def __init__(self) -> None:
        self.added: list[tuple[set[int], set[TopicPartition]]] = []
        self.sent = 0

    def new_batch(self) -> None:
        pass

    def add_update_metadata_request_for_brokers(
        self, broker_ids: Iterable[int], partitions: Collection[TopicPartition]
    ) -> None:
        self.added.append((set(broker_ids), set(partitions)))

    def send_requests_to_brokers(self) -> None:
        self.sent += 1


def request(version: int, *isrs: tuple[int, ...], topic_id: bytes = TOPIC_ID, epoch: int = 0) -> AlterPartitionRequest:
    partitions = [
        RequestPartitionData(
            number,
            5,
            list(isr) if version < 3 else [],
            [BrokerState(each, 100 + each) for each in isr] if version >= 3 else [],
            0,
            epoch,
        )
        for number, isr in enumerate(isrs)
    ]
    named = RequestTopicData("t", partitions=partitions) if version < 2 else RequestTopicData("", topic_id, partitions)
    return AlterPartitionRequest(1, EPOCH, [named])


@pytest.mark.parametrize("version", [0, 1, 2, 3])
async def test_isrs_are_written_and_all_brokers_hear_of_them(version: int) -> None:
    zookeeper, context, batch = FakeZooKeeper(), context_of(1, 2, 3), Batch()
    async with member(zookeeper) as this:
        client = ControllerZkClient(this.session)
        context.epoch, context.epoch_zk_version = await client.register_controller_and_increment_epoch(1)
        await client.create_topic_assignment(TopicAssignment("t", TOPIC_ID, {}), context.epoch_zk_version)
        created = await client.create_topic_partition_states({T0: CURRENT, T1: CURRENT}, context.epoch_zk_version)
        for partition, state in created.finished.items():
            context.put_partition_leadership(partition, state)
        # the leader of partition 1 has written its znode by itself meanwhile
        zookeeper.put("/brokers/topics/t/partitions/1/state", CURRENT._replace(isr=(1, 3)).encode())
        result = await alter_partitions(context, client, batch, request(version, (1,), (1,)), version)  # type: ignore[arg-type]
        (topic,) = result.response.topics
        assert (topic.topic_name, topic.topic_id) == (("t", bytes(16)) if version < 2 else ("", TOPIC_ID))
        first, second = topic.partitions
        assert (first.error_code, first.leader_id, first.leader_epoch, first.isr, first.partition_epoch) == (
            0,
            1,
            5,
            [1],
            1,
        )
        assert second.error_code == ErrorCode.INVALID_UPDATE_VERSION
        assert result.altered == [T0]
        assert context.partition_leadership[T0] == (1, 5, (1,), 1, False, 1)
        assert context.partition_leadership[T1].isr == (1, 3)
        assert context.partition_leadership[T1].partition_epoch == 1
        states = await client.get_topic_partition_states([T0])
        assert states[T0] == context.partition_leadership[T0]
        assert batch.added == [({1, 2, 3}, {T0, T1})]
        assert batch.sent == 1
        # the response was lost
        again = await alter_partitions(context, client, batch, request(version, (1,)), version)  # type: ignore[arg-type]
        assert again.response.topics[0].partitions == [first]


async def test_a_broker_that_is_not_registered_so_is_refused() -> None:
    async with member(FakeZooKeeper()) as this:
        client = ControllerZkClient(this.session)
        for context in (context_of(2, 3), context_of(1)):
            if 1 in context.brokers:
                context.add_live_broker(LiveBroker(BrokerInfo(1, ()), EPOCH + 1))
            result = await alter_partitions(context, client, Batch(), request(3, (1,)), 3)  # type: ignore[arg-type]
            assert (result.response.error_code, result.altered) == (ErrorCode.STALE_BROKER_EPOCH, [])


async def test_a_topic_id_that_is_not_known_is_named_in_the_response() -> None:
    async with member(FakeZooKeeper()) as this:
        client, other = ControllerZkClient(this.session), b"x" * 16
        result = await alter_partitions(context_of(1), client, Batch(), request(2, (1,), topic_id=other), 2)  # type: ignore[arg-type]
        (topic,) = result.response.topics
        assert (topic.topic_id, topic.partitions[0].error_code) == (other, ErrorCode.UNKNOWN_TOPIC_ID)


async def test_a_former_controller_writes_nothing() -> None:
    zookeeper, context = FakeZooKeeper(), context_of(1, 2)
    async with member(zookeeper) as this:
        client = ControllerZkClient(this.session)
        context.epoch, context.epoch_zk_version = await client.register_controller_and_increment_epoch(1)
        zookeeper.put("/controller_epoch", b"2")
        with pytest.raises(ControllerMoved):
            await alter_partitions(context, client, Batch(), request(3, (1,), epoch=7), 3)  # type: ignore[arg-type]
        assert context.partition_leadership[T0] == CURRENT
