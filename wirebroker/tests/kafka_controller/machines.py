"""A controller's state machines on the fake ZooKeeper, with brokers 1 to 6, whose requests are only collected."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from wirebroker.config.endpoints import Listener
from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
from wirebroker.kafka_controller.context import ControllerContext, LiveBroker
from wirebroker.kafka_controller.controller_broker_request_batch import ControllerBrokerRequestBatch
from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient
from wirebroker.kafka_controller.partition_reassignments import Machines, PartitionReassignments
from wirebroker.kafka_controller.partition_state_machine import PartitionStateMachine
from wirebroker.kafka_controller.replica_elections import ReplicaElections
from wirebroker.kafka_controller.replica_state_machine import ReplicaStateMachine
from wirebroker.model import TopicPartition
from wirebroker.protocol.api import API
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper.znodes.brokers import BrokerInfo
from wirebroker.zookeeper.znodes.topics import (
    LeaderIsrAndControllerEpoch,
    ReplicaAssignment,
    TopicAssignment,
    partition_state_path,
    topic_path,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence, Set

    from wirebroker.protocol.message import WritableMessage
    from wirebroker.tests.zookeeper.fake_client import FakeClient
    from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper

TOPIC = "t"
PARTITION = TopicPartition(TOPIC, 0)
BROKERS = range(1, 7)
TOPIC_ID = bytes(range(16))


class Sent(NamedTuple):
    """A request to a broker."""

    broker_id: int
    request: Any

    @property
    def name(self) -> str:
        """The name of the request."""
        return API[self.request.API_KEY].name


class Brokers:
    """The other end of the channels: keeps the requests, answers none."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []

    def send_request(
        self, broker_id: int, request: WritableMessage, version: int, on_response: Callable[[Any], None] | None = None
    ) -> None:
        """Keep a request."""
        self.sent.append(Sent(broker_id, request))

    def leader_and_isr_response_received(self, broker_id: int, response: Any) -> None:
        """Do nothing."""

    def stop_replica_response_received(self, broker_id: int, response: Any, deleted: frozenset[TopicPartition]) -> None:
        """Do nothing."""

    async def topics_with_unclean_election(self, topics: Set[str]) -> Set[str]:
        """Return no topics."""
        return set()

    def named(self, name: str) -> list[Sent]:
        """The requests of this name."""
        return [each for each in self.sent if each.name == name]


class Deletion:
    """A queue of topics to be deleted that keeps the calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, set[str]]] = []

    async def resume_deletion_for_topics(self, topics: Collection[str]) -> None:
        """Keep the call."""
        self.calls.append(("resume", set(topics)))


class ActiveController(NamedTuple):
    """An active controller."""

    client: FakeClient
    context: ControllerContext
    zk: ControllerZkClient
    brokers: Brokers
    machines: Machines
    deletion: Deletion
    reassignments: PartitionReassignments
    elections: ReplicaElections

    async def see_isrs(self, partitions: Iterable[TopicPartition] = (PARTITION,)) -> None:
        """Read leaders and ISRs, as upon a notification, and go on with reassignments."""
        partitions = list(partitions)
        for partition, state in (await self.zk.get_topic_partition_states(partitions)).items():
            self.context.put_partition_leadership(partition, state)
        await self.reassignments.isr_changed(partitions)


def put_topic(zookeeper: FakeZooKeeper, *partitions: tuple[Sequence[int], int, Sequence[int]]) -> None:
    """Put a topic whose partitions have these (replicas, leader, ISR)."""
    assignment = {number: ReplicaAssignment(tuple(each[0])) for number, each in enumerate(partitions)}
    zookeeper.put(topic_path(TOPIC), TopicAssignment(TOPIC, TOPIC_ID, assignment).encode())
    for number, (_, leader, isr) in enumerate(partitions):
        state = LeaderIsrAndControllerEpoch(leader, 0, tuple(isr), 1)
        zookeeper.put(partition_state_path(TopicPartition(TOPIC, number)), state.encode())


def assignment_of(zookeeper: FakeZooKeeper, partition: TopicPartition = PARTITION) -> ReplicaAssignment:
    """The assignment in ZooKeeper."""
    topic = TopicAssignment.decode(partition.topic, zookeeper.read(topic_path(partition.topic)))
    return topic.partitions[partition.partition]


def state_of(zookeeper: FakeZooKeeper, partition: TopicPartition = PARTITION) -> LeaderIsrAndControllerEpoch:
    """The leader and ISR in ZooKeeper."""
    return LeaderIsrAndControllerEpoch.decode(partition, zookeeper.read(partition_state_path(partition)))


def join_isr(zookeeper: FakeZooKeeper, *replicas: int, partition: TopicPartition = PARTITION) -> None:
    """Have the leader take *replicas* into the ISR, as far as they are not in it."""
    state = state_of(zookeeper, partition)
    isr = tuple(dict.fromkeys((*state.isr, *replicas)))
    if isr != state.isr:
        zookeeper.put(partition_state_path(partition), state._replace(isr=isr).encode())


@asynccontextmanager
async def controller(
    zookeeper: FakeZooKeeper,
    *,
    protocol: str = "3.9",
    live: Collection[int] = BROKERS,
    is_mirrored: bool = False,
    dies_after_writes: int | None = None,
) -> AsyncIterator[ActiveController]:
    """An active controller that knows what ZooKeeper has, its state machines started."""
    async with member(zookeeper) as this:
        zk = ControllerZkClient(this.session)
        context, brokers, deletion = ControllerContext(), Brokers(), Deletion()
        context.epoch, context.epoch_zk_version = await zk.register_controller_and_increment_epoch(1)
        listeners = (Listener("PLAINTEXT", "PLAINTEXT", "h", 9092),)
        context.set_live_brokers(LiveBroker(BrokerInfo(each, listeners), each) for each in live)
        for name, topic in (await zk.get_replica_assignment_and_topic_ids_for_topics({TOPIC})).items():
            context.add_topic(name, topic.topic_id)
            for number, assignment in topic.partitions.items():
                context.update_assignment(TopicPartition(name, number), assignment)
        states = await zk.get_topic_partition_states(list(context.all_partitions()))
        for partition, state in states.items():
            context.put_partition_leadership(partition, state)
        level = InterBrokerProtocol(protocol)
        batch = ControllerBrokerRequestBatch(1, level, "PLAINTEXT", context, brokers, brokers)
        partitions = PartitionStateMachine(1, level, context, zk, batch, brokers)
        machines = Machines(
            partitions, ReplicaStateMachine(1, context, zk, batch), deletion.resume_deletion_for_topics, batch
        )
        await machines.replicas.startup()
        await partitions.startup()
        brokers.sent.clear()
        this.client.dies_after_writes = dies_after_writes
        try:
            yield ActiveController(
                this.client,
                context,
                zk,
                brokers,
                machines,
                deletion,
                PartitionReassignments(1, context, zk, machines, is_mirrored=is_mirrored),
                ReplicaElections(context, zk, partitions),
            )
        finally:
            zookeeper.end_session(this.client.session_id)
