"""Administrator: a client that creates, grows, deletes and reassigns topics while faults happen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.client.broker_channel import ChannelError
from wirebroker.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from wirebroker.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from wirebroker.protocol.messages.elect_leaders import ElectLeadersRequest
from wirebroker.tests.simulation.clients import ClusterClient

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wirebroker.protocol.message import WritableMessage
    from wirebroker.tests.simulation.broker import World
    from wirebroker.tests.simulation.clients import Client
    from wirebroker.tests.simulation.committed_log import PartitionKey
    from wirebroker.tests.simulation.pace import Pace

_NAMES: Final = ("orders", "clicks", "audit")
"""Topics are created and deleted under few names, so a deletion meets the creation of the next one.

Without topic ids nobody can tell the two from each other, so each topic gets a number behind its name.
"""
_TIMEOUT_MS: Final = 2000
_MEAN_PAUSE_S: Final = 3.0
_REPLICAS: Final = 3


class Administrator:
    """Makes one change after the other; none is made sure of, as faults may prevent it."""

    name = "admin"

    def __init__(
        self, broker_ids: Sequence[int], clients: Sequence[Client], world: World, pace: Pace, seed: int
    ) -> None:
        """Change topics of a cluster of *broker_ids*, and tell *clients* which topics they lose."""
        self.is_stopping = False
        self._broker_ids, self._clients, self._trace, self._pace = broker_ids, clients, world.trace, pace
        self._client = ClusterClient(broker_ids, f"administrator {seed}")
        self._random = self._client.random
        self._has_topic_ids = world.has_topic_ids
        self._created = 0

    async def run(self) -> None:
        """Make changes until told to stop."""
        changes: list[Callable[[dict[PartitionKey, int]], WritableMessage | None]] = [
            self._create,
            self._create,
            self._grow,
            self._delete,
            self._reassign,
            self._reassign,
            self._cancel_reassignment,
            self._elect,
        ]
        while not self.is_stopping:
            await self._pace.pause(self._random.expovariate(1 / _MEAN_PAUSE_S), self._random)
            request = self._random.choice(changes)(await self._client.partitions())
            if request is not None:
                await self._send(request)

    async def _send(self, request: WritableMessage) -> None:
        """Send *request* to brokers until one of them is the controller, some times at most."""
        name = type(request).__name__.removesuffix("Request")
        for _ in range(6):
            try:
                response: Any = await self._client.send_to_any(request, request.VERSIONS[-1])
            except ChannelError:
                continue
            self._trace.note(f"{name}: {response!r}"[:200])
            if "error_code=41" not in repr(response):  # NOT_CONTROLLER
                return

    def _create(self, _: object) -> WritableMessage:
        self._created += 1
        name = self._random.choice(_NAMES) + ("" if self._has_topic_ids else f"-{self._created}")
        topic = CreatableTopic(name, self._random.randint(1, 2), _REPLICAS)
        return CreateTopicsRequest([topic], _TIMEOUT_MS)

    def _any(self, partitions: dict[PartitionKey, int], names: Sequence[str] = (*_NAMES, "events")) -> Any:
        return self._random.choice([each for each in partitions if each.topic.startswith(tuple(names))] or [None])

    def _grow(self, partitions: dict[PartitionKey, int]) -> WritableMessage | None:
        topic = self._any(partitions)
        count = sum(topic is not None and each.topic == topic.topic for each in partitions)
        if topic is None or count >= 4:
            return None
        return CreatePartitionsRequest([CreatePartitionsTopic(topic.topic, count + 1, None)], _TIMEOUT_MS)

    def _delete(self, partitions: dict[PartitionKey, int]) -> WritableMessage | None:
        topic = self._any(partitions, _NAMES)
        if topic is None:
            return None
        for client in self._clients:
            client.deleted_topics.add(topic.incarnation)
        return DeleteTopicsRequest([DeleteTopicState(topic.topic)], [], _TIMEOUT_MS)

    def _reassign(self, partitions: dict[PartitionKey, int]) -> WritableMessage | None:
        partition = self._any(partitions)
        return self._reassignment(partition, self._random.sample(self._broker_ids, _REPLICAS))

    def _cancel_reassignment(self, partitions: dict[PartitionKey, int]) -> WritableMessage | None:
        return self._reassignment(self._any(partitions), None)

    @staticmethod
    def _reassignment(partition: PartitionKey | None, replicas: list[int] | None) -> WritableMessage | None:
        if partition is None:
            return None
        topic = ReassignableTopic(partition.topic, [ReassignablePartition(partition.number, replicas)])
        return AlterPartitionReassignmentsRequest(_TIMEOUT_MS, topics=[topic])

    def _elect(self, _: object) -> WritableMessage:
        return ElectLeadersRequest(0, None, _TIMEOUT_MS)
