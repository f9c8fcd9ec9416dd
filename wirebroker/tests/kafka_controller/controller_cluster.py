"""ControllerCluster: whole controllers on the fake ZooKeeper; brokers are registrations that answer every request."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.config.endpoints import Listener
from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
from wirebroker.kafka_controller.assembly import AssembledController, ControllerSettings, build_kafka_controller
from wirebroker.kafka_controller.controller_channel_manager import ControllerChannelManager
from wirebroker.kafka_controller.kafka_controller import RebalanceSettings
from wirebroker.model import TopicPartition
from wirebroker.protocol.api import API
from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrPartitionError, LeaderAndIsrResponse
from wirebroker.protocol.messages.stop_replica import StopReplicaPartitionError, StopReplicaResponse
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper.controller_watch import ControllerWatch
from wirebroker.zookeeper.operations import Create, CreateMode
from wirebroker.zookeeper.znodes.brokers import BrokerInfo, broker_path
from wirebroker.zookeeper.znodes.topics import (
    LeaderIsrAndControllerEpoch,
    ReplicaAssignment,
    TopicAssignment,
    partition_state_path,
    topic_path,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping

    from wirebroker.protocol.message import WritableMessage
    from wirebroker.tests.zookeeper.fake_client import FakeClient

TOPIC_ID = bytes(range(16))


class Sent(NamedTuple):
    """A request to a broker."""

    controller_id: int
    broker_id: int
    request: Any
    version: int

    @property
    def name(self) -> str:
        """The name of the request."""
        return API[self.request.API_KEY].name


class FakeChannels(ControllerChannelManager):
    """Keeps the requests of one controller, and answers them without an error."""

    def __init__(self, controller_id: int, sent: list[Sent], storage_errors: set[tuple[int, TopicPartition]]) -> None:
        super().__init__(controller_id, "PLAINTEXT", 30.0)
        self._controller_id, self._sent, self._storage_errors = controller_id, sent, storage_errors
        self.open: set[int] = set()

    def add_broker(self, broker: BrokerInfo) -> None:
        self.open.add(broker.broker_id)

    def remove_broker(self, broker_id: int) -> None:
        self.open.discard(broker_id)

    def shutdown(self) -> None:
        self.open.clear()

    def send_request(
        self, broker_id: int, request: WritableMessage, version: int, on_response: Callable[[Any], None] | None = None
    ) -> None:
        if broker_id not in self.open:
            return
        sent = Sent(self._controller_id, broker_id, request, version)
        self._sent.append(sent)
        if on_response is not None:
            on_response(self._response(sent))

    def _response(self, sent: Sent) -> LeaderAndIsrResponse | StopReplicaResponse:
        if sent.name == "LeaderAndIsr":
            response = LeaderAndIsrResponse()
            for topic in sent.request.topic_states:
                response.partition_errors += [
                    LeaderAndIsrPartitionError(topic.topic_name, each.partition_index, 56)
                    for each in topic.partition_states
                    if (sent.broker_id, TopicPartition(topic.topic_name, each.partition_index)) in self._storage_errors
                ]
            return response
        return StopReplicaResponse(
            partition_errors=[
                StopReplicaPartitionError(topic.topic_name, each.partition_index, 0)
                for topic in sent.request.topic_states
                for each in topic.partition_states
            ]
        )


class Candidate(NamedTuple):
    """A broker with a controller."""

    assembled: AssembledController
    client: FakeClient

    @property
    def is_active(self) -> bool:
        """Whether it is the active controller."""
        return self.assembled.controller.is_active


class ControllerCluster:
    """One ZooKeeper, registrations of brokers, and any number of controllers."""

    def __init__(self) -> None:
        self.zookeeper = FakeZooKeeper()
        self.zookeeper.put("/brokers/ids")
        self.sent: list[Sent] = []
        """The requests of all controllers, in their order."""
        self.storage_errors: set[tuple[int, TopicPartition]] = set()
        """(broker, partition) whose LeaderAndIsr is answered with KAFKA_STORAGE_ERROR."""
        self.rebalance = RebalanceSettings(False, 300, 10)
        """The settings of automatic elections."""
        self.unclean_default = "false"
        """`unclean.leader.election.enable` of topics without a setting of their own."""

    @asynccontextmanager
    async def controller(
        self, broker_id: int, protocol: str = "3.9", *, dies_after_writes: int | None = None
    ) -> AsyncIterator[Candidate]:
        """Have a broker run for controller until the end of the block, where its session ends."""
        async with member(self.zookeeper) as this:
            settings = ControllerSettings(
                broker_id,
                InterBrokerProtocol(protocol),
                "PLAINTEXT",
                "PLAINTEXT",
                30.0,
                self._log_config,
                is_delete_topic_enabled=True,
                rebalance=lambda: self.rebalance,
            )
            channels = FakeChannels(broker_id, self.sent, self.storage_errors)
            assembled = build_kafka_controller(this.session, settings, channels)
            this.client.dies_after_writes = dies_after_writes
            watch = ControllerWatch(this.session, assembled.controller.controller_changed)
            this.nursery.start_soon(watch.run)
            this.nursery.start_soon(assembled.controller.run)
            await wait_all_tasks_blocked()
            try:
                yield Candidate(assembled, this.client)
            finally:
                self.zookeeper.end_session(this.client.session_id)

    def _log_config(self, own: Mapping[str, str]) -> Any:
        class Settings(NamedTuple):
            unclean_leader_election_enable: bool

        return Settings(own.get("unclean.leader.election.enable", self.unclean_default) == "true")

    def register(self, *broker_ids: int) -> None:
        """Register brokers, those that are registered with another epoch than before."""
        for broker_id in broker_ids:
            self.unregister(broker_id)
            info = BrokerInfo(broker_id, (Listener("PLAINTEXT", "PLAINTEXT", f"host-{broker_id}", 9092),))
            self.zookeeper.apply(
                Create(broker_path(broker_id), info.encode(), CreateMode.EPHEMERAL), 0x9000 + broker_id
            )

    def unregister(self, broker_id: int) -> None:
        """End the session of a broker."""
        self.zookeeper.end_session(0x9000 + broker_id)

    def put_topic(self, topic: str, replicas: Mapping[int, tuple[int, ...]], topic_id: bytes | None = TOPIC_ID) -> None:
        """Write the znode of a topic, as a tool does."""
        partitions = {number: ReplicaAssignment(each) for number, each in replicas.items()}
        self.zookeeper.put(topic_path(topic), TopicAssignment(topic, topic_id, partitions).encode())

    def state(self, topic: str, number: int) -> LeaderIsrAndControllerEpoch:
        """The leader and ISR in ZooKeeper, with the version of the znode."""
        partition = TopicPartition(topic, number)
        node = self.zookeeper.nodes[partition_state_path(partition)]
        return LeaderIsrAndControllerEpoch.decode(partition, node.data, node.version)

    def leaders(self, topic: str) -> dict[int, tuple[int, tuple[int, ...]]]:
        """Partition -> leader and ISR in ZooKeeper."""
        numbers = self.zookeeper.children(f"{topic_path(topic)}/partitions")
        states = {int(each): self.state(topic, int(each)) for each in numbers}
        return {number: (state.leader, state.isr) for number, state in states.items()}

    def take_sent(self, name: str | None = None) -> list[Sent]:
        """Return the requests since the last call, all or those of a name."""
        taken, self.sent[:] = list(self.sent), []
        return [each for each in taken if name in (None, each.name)]


def leader_and_isr_states(sent: Iterable[Sent]) -> dict[tuple[int, str, int], Any]:
    """(broker, topic, partition) -> the newest state that it was told by LeaderAndIsr."""
    return {
        (each.broker_id, topic.topic_name, state.partition_index): state
        for each in sent
        if each.name == "LeaderAndIsr"
        for topic in each.request.topic_states
        for state in topic.partition_states
    }


async def settle() -> None:
    """Wait until nothing happens any more but for the time."""
    await wait_all_tasks_blocked()
    await trio.lowlevel.checkpoint()
    await wait_all_tasks_blocked()
