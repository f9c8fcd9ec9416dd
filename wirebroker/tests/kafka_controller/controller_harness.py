"""Controllers on a fake ZooKeeper with simulated brokers: no sockets, the virtual clock, and controllers that die.

cluster = SimulatedCluster(brokers=(1, 2, 3))
async with cluster.controller(1) as running:
    cluster.create_topic("t", {0: (1, 2)})
    await cluster.settle()
"""

from __future__ import annotations

from collections import deque
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.cluster.stop_replica import stops_of
from wirebroker.cluster.update_metadata import LEADER_DURING_DELETE, topic_updates
from wirebroker.config.endpoints import Listener
from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
from wirebroker.config.topic import default_log_config
from wirebroker.kafka_controller import assembly
from wirebroker.kafka_controller.assembly import ControllerSettings, build_kafka_controller
from wirebroker.kafka_controller.kafka_controller import RebalanceSettings
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrRequest, LeaderAndIsrResponse
from wirebroker.protocol.messages.stop_replica import (
    StopReplicaPartitionError,
    StopReplicaRequest,
    StopReplicaResponse,
)
from wirebroker.protocol.messages.update_metadata import UpdateMetadataRequest, UpdateMetadataResponse
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.zookeeper.controller_watch import ControllerWatch
from wirebroker.zookeeper.session import Session
from wirebroker.zookeeper.znodes.admin import delete_topic_path
from wirebroker.zookeeper.znodes.brokers import BrokerInfo, broker_path
from wirebroker.zookeeper.znodes.cluster import PERSISTENT_PATHS
from wirebroker.zookeeper.znodes.topics import (
    LeaderIsrAndControllerEpoch,
    ReplicaAssignment,
    TopicAssignment,
    partition_state_path,
    topic_path,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping

    import pytest

    from wirebroker.kafka_controller.assembly import AssembledController
    from wirebroker.kafka_controller.context import ControllerContext
    from wirebroker.tests.zookeeper.fake_client import FakeClient

LOG_CONFIG = default_log_config()
PROTOCOL = InterBrokerProtocol("3.9-IV0")


def topic_id(topic: str) -> bytes:
    """Return the id of a topic that a test creates."""
    return topic.encode().ljust(16, b"-")


class SimulatedBroker:
    """A broker that obeys at once: its logs, its leader epochs, and what it believes of topics."""

    def __init__(self, broker_id: int) -> None:
        self.info = BrokerInfo(broker_id, (Listener("PLAINTEXT", "PLAINTEXT", f"host{broker_id}", 9092),))
        self.logs: dict[TopicPartition, int] = {}
        """Partition -> the newest leader epoch that it was told."""
        self.leaders: dict[TopicPartition, int] = {}
        """Partition -> leader, as UpdateMetadata has told it."""
        self.controller_epoch = 0
        self.refused: set[TopicPartition] = set()
        """Partitions whose log directory has failed: they are not deleted."""

    def answer(self, request: Any) -> Any:
        """Carry a request out, and return the response."""
        assert request.controller_epoch >= self.controller_epoch, "a former controller has sent a request"
        self.controller_epoch = request.controller_epoch
        match request:
            case LeaderAndIsrRequest():
                for topic in request.topic_states:
                    for state in topic.partition_states:
                        self.logs[TopicPartition(topic.topic_name, state.partition_index)] = state.leader_epoch
                return LeaderAndIsrResponse()
            case UpdateMetadataRequest():
                for update in topic_updates(request):
                    for each in update.states:
                        partition = TopicPartition(update.name, each.partition_index)
                        self.leaders[partition] = each.leader
                        if each.leader == LEADER_DURING_DELETE:
                            del self.leaders[partition]
                return UpdateMetadataResponse()
            case StopReplicaRequest():
                errors: list[StopReplicaPartitionError] = []
                for stop in stops_of(request):
                    partition = stop.topic_partition
                    code = ErrorCode.KAFKA_STORAGE_ERROR if partition in self.refused else ErrorCode.NONE
                    errors.append(StopReplicaPartitionError(*partition, code))
                    if stop.delete and not code:
                        self.logs.pop(partition, None)
                return StopReplicaResponse(0, errors)
        raise AssertionError(request)


class SimulatedChannels:
    """In the place of ControllerChannelManager: requests reach simulated brokers, in order, in a later turn."""

    def __init__(self, cluster: SimulatedCluster) -> None:
        self._cluster = cluster
        self._queue: deque[tuple[int, Any, Callable[[Any], None] | None]] = deque()
        self._open: set[int] = set()
        self._is_queued = trio.Event()
        self.total_queue_size = 0

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        task_status.started()
        while True:
            while not self._queue:
                self._is_queued = trio.Event()
                await self._is_queued.wait()
            await trio.lowlevel.checkpoint()
            broker_id, request, on_response = self._queue.popleft() if self._queue else (-1, None, None)
            broker = self._cluster.brokers.get(broker_id)
            if broker_id not in self._open or broker is None:
                continue
            response = broker.answer(request)
            if on_response is not None:
                on_response(response)

    def startup(self, brokers: Iterable[BrokerInfo]) -> None:
        for each in brokers:
            self.add_broker(each)

    def add_broker(self, broker: BrokerInfo) -> None:
        self._open.add(broker.broker_id)

    def remove_broker(self, broker_id: int) -> None:
        self._open.discard(broker_id)

    def shutdown(self) -> None:
        self._open.clear()
        self._queue.clear()

    def send_request(
        self, broker_id: int, request: Any, version: int, on_response: Callable[[Any], None] | None = None
    ) -> None:
        if broker_id in self._open:
            self._queue.append((broker_id, request, on_response))
            self._is_queued.set()


class Running(NamedTuple):
    """A controller that runs."""

    client: FakeClient
    assembled: AssembledController
    nursery: trio.Nursery

    @property
    def context(self) -> ControllerContext:
        return self.assembled.controller._context


class SimulatedCluster:
    """ZooKeeper and brokers, all registered."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *broker_ids: int) -> None:
        self.zookeeper = FakeZooKeeper()
        self.brokers: dict[int, SimulatedBroker] = {}
        self._known: dict[int, SimulatedBroker] = {}
        monkeypatch.setattr(assembly, "ControllerChannelManager", lambda *_: SimulatedChannels(self))
        for path in PERSISTENT_PATHS:
            self.zookeeper.put(path)
        for broker_id in broker_ids:
            self.start_broker(broker_id)

    def start_broker(self, broker_id: int) -> None:
        """Register a broker; one that was stopped has its logs."""
        broker = self._known.setdefault(broker_id, SimulatedBroker(broker_id))
        self.brokers[broker_id] = broker
        self.zookeeper.put(broker_path(broker_id), broker.info.encode())

    def stop_broker(self, broker_id: int) -> None:
        """End a broker and its registration."""
        del self.brokers[broker_id]
        self.zookeeper.remove(broker_path(broker_id))

    @asynccontextmanager
    async def controller(
        self,
        broker_id: int = 1,
        *,
        dies_after_writes: int | None = None,
        interrupted: tuple[int, Callable[[FakeClient], None]] | None = None,
        is_delete_topic_enabled: bool = True,
    ) -> AsyncIterator[Running]:
        """Run a controller of its own session, elected or not; *interrupted* is for FakeClient.interruptions."""
        client = self.zookeeper.client()
        client.dies_after_writes = dies_after_writes
        if interrupted is not None:
            client.interruptions[interrupted[0]] = partial(interrupted[1], client)
        session = Session(client, 6.0)
        settings = ControllerSettings(
            broker_id=broker_id,
            protocol=PROTOCOL,
            listener_name="PLAINTEXT",
            control_plane_listener_name="PLAINTEXT",
            socket_timeout_s=30.0,
            log_config=lambda _: LOG_CONFIG,
            is_delete_topic_enabled=is_delete_topic_enabled,
            rebalance=lambda: RebalanceSettings(False, 300.0, 10),
        )
        async with trio.open_nursery() as nursery:
            await nursery.start(session.run)
            await session.wait_connected()
            assembled = build_kafka_controller(session, settings)
            watch = ControllerWatch(session, assembled.controller.controller_changed)
            nursery.start_soon(assembled.controller.run)
            nursery.start_soon(watch.run)
            yield Running(client, assembled, nursery)
            nursery.cancel_scope.cancel()
        self.zookeeper.end_session(client.session_id)

    async def settle(self) -> None:
        """Wait until nothing happens any more without an event from outside."""
        await wait_all_tasks_blocked(0.01)

    def create_topic(self, topic: str, replicas: Mapping[int, tuple[int, ...]]) -> None:
        """Write the znodes by which a tool or a broker creates a topic."""
        assignment = {number: ReplicaAssignment(each) for number, each in replicas.items()}
        self.zookeeper.put(f"/config/topics/{topic}", b'{"version":1,"config":{}}')
        self.zookeeper.put(topic_path(topic), TopicAssignment(topic, topic_id(topic), assignment).encode())

    def delete_topic(self, topic: str) -> None:
        """Ask for the deletion of a topic, as a tool does."""
        self.zookeeper.put(delete_topic_path(topic))

    def state(self, topic: str, number: int) -> LeaderIsrAndControllerEpoch:
        """Return the state of a partition in ZooKeeper; KeyError without one."""
        partition = TopicPartition(topic, number)
        return LeaderIsrAndControllerEpoch.decode(partition, self.zookeeper.read(partition_state_path(partition)))

    def znodes_of(self, topic: str) -> list[str]:
        """Return the paths of all znodes of a topic."""
        return [path for path in self.zookeeper.nodes if topic in path.split("/")]
