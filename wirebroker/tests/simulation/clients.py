"""Clients of the simulated cluster, which never give up, and an idempotent producer with acks=all."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.client.broker_channel import ChannelError
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest
from wirebroker.protocol.messages.metadata import MetadataRequest
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import BatchProducer, Record
from wirebroker.tests.simulation.broker import PORT
from wirebroker.tests.simulation.client_channel import ClientChannel
from wirebroker.tests.simulation.committed_log import PartitionKey
from wirebroker.tests.simulation.trace import Violation
from wirebroker.tests.simulation.virtual_time import wall_clock_ms

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from wirebroker.protocol.message import Message
    from wirebroker.tests.simulation.observer import Observer
    from wirebroker.tests.simulation.pace import Pace

E = ErrorCode
RETRIABLE: Final = frozenset(
    {
        E.NETWORK_EXCEPTION,
        E.UNKNOWN_TOPIC_OR_PARTITION,
        E.UNKNOWN_TOPIC_ID,
        E.NOT_LEADER_OR_FOLLOWER,
        E.LEADER_NOT_AVAILABLE,
        E.REQUEST_TIMED_OUT,
        E.NOT_ENOUGH_REPLICAS,
        E.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        E.KAFKA_STORAGE_ERROR,
        E.COORDINATOR_LOAD_IN_PROGRESS,
        E.COORDINATOR_NOT_AVAILABLE,
        E.FENCED_LEADER_EPOCH,
        E.UNKNOWN_LEADER_EPOCH,
        E.OFFSET_NOT_AVAILABLE,
    }
)
"""Errors that are no fault of the cluster's while brokers fail; any other is a violation."""


class ClusterClient:
    """The connections of one task of a client to all brokers, and what they say of topics."""

    def __init__(self, broker_ids: Iterable[int], seed: str) -> None:
        self.random = random.Random(f"client {seed}")
        self._broker_ids = list(broker_ids)
        self._leaders: dict[PartitionKey, int] = {}
        self._leader_epochs: dict[PartitionKey, int] = {}
        """Partition -> the newest leader epoch that a broker has told."""
        self._channels = {each: ClientChannel(f"broker-{each}", PORT) for each in self._broker_ids}

    async def send(self, broker_id: int, request: Message, version: int, timeout_s: float = 3.0) -> Any:
        """Return the response of a broker.  Raises ChannelError."""
        return await self._channels[broker_id].send(request, version, timeout_s)

    async def send_to_any(self, request: Message, version: int) -> Any:
        """Return the response of a broker, of another one each time.  Raises ChannelError."""
        return await self.send(self.random.choice(self._broker_ids), request, version)

    async def partitions(self) -> dict[PartitionKey, int]:
        """Return partition -> leader of all topics that clients write to; nothing if no broker answers.

        A leader of an older leader epoch than was known is none (-1), as for clients since Apache Kafka 2.1: a broker
        that is cut off from ZooKeeper takes itself for the leader still, and does not know all sequence numbers.
        """
        try:
            response = await self.send_to_any(MetadataRequest(None), 12)
        except ChannelError:
            return {}
        return {
            (key := PartitionKey(topic.name, topic.topic_id, each.partition_index)): (
                each.leader_id if self.saw_leader_epoch(key, each.leader_epoch) == each.leader_epoch else -1
            )
            for topic in response.topics
            if not topic.error_code and not topic.is_internal
            for each in topic.partitions
        }

    def saw_leader_epoch(self, key: PartitionKey, leader_epoch: int) -> int:
        """Take note of a leader epoch that metadata or a batch has told; return the newest of the partition."""
        newest = self._leader_epochs[key] = max(leader_epoch, self._leader_epochs.get(key, -1))
        return newest

    async def leader(self, key: PartitionKey) -> int:
        """Return the leader of a partition, -1 if none is known."""
        leader = self._leaders.get(key, -1)
        if leader < 0:
            self._leaders = await self.partitions()
            leader = self._leaders.get(key, -1)
        return leader

    def leader_failed(self, key: PartitionKey) -> None:
        """Ask for the leader of a partition again."""
        self._leaders.pop(key, None)

    async def pause(self) -> None:
        """Wait before the next attempt."""
        await trio.sleep(self.random.uniform(0.05, 0.3))


class Client(ABC):
    """A client of the cluster, which ends some time after it was told to stop.

    Requests for a deleted topic would be tried for ever, as the simulation alone knows that they may be given up.
    """

    def __init__(self, name: str, broker_ids: Iterable[int], observer: Observer, pace: Pace, seed: int) -> None:
        self.name, self.observer, self.pace = name, observer, pace
        self.is_stopping = False
        """Whether to finish what was begun, and begin nothing more."""
        self.deleted_topics: set[tuple[str, bytes]] = set()
        """The topics whose deletion was asked for, by their names and ids."""
        self._broker_ids, self._seed = list(broker_ids), seed

    def client(self, purpose: str) -> ClusterClient:
        """Return connections for one task."""
        return ClusterClient(self._broker_ids, f"{self.name} {purpose} {self._seed}")

    @abstractmethod
    async def run(self) -> None:
        """Use the cluster until told to stop."""

    async def ask_leader(
        self, client: ClusterClient, key: PartitionKey, ask: Callable[[int], Awaitable[ErrorCode]]
    ) -> ErrorCode:
        """Call *ask* with the leader of *key* until it returns no retriable error, or the topic is deleted."""
        while key.incarnation not in self.deleted_topics:
            leader = await client.leader(key)
            if leader >= 0:
                try:
                    code = await ask(leader)
                except ChannelError:
                    code = E.NETWORK_EXCEPTION
                if code not in RETRIABLE:
                    return code
            client.leader_failed(key)
            await client.pause()
        return E.UNKNOWN_TOPIC_ID

    async def send_batch(
        self,
        client: ClusterClient,
        key: PartitionKey,
        values: Sequence[bytes],
        producer: BatchProducer,
        attributes: int = 0,
    ) -> tuple[ErrorCode, int]:
        """Send a batch with acks=all until it is acknowledged or refused; return the code and its offset."""
        now = wall_clock_ms()
        records = [Record(each, now, None, value, []) for each, value in enumerate(values)]
        batch = build_batch(records, producer=producer, attributes=attributes)
        transactional_id = self.name if attributes else None
        offset = -1

        async def produce(leader: int) -> ErrorCode:
            nonlocal offset
            data = PartitionProduceData(key.number, memoryview(bytearray(batch)))
            topics = [TopicProduceData(key.topic, partition_data=[data])]
            response = await client.send(leader, ProduceRequest(transactional_id, -1, 1500, topics), 9)
            answer = response.responses[0].partition_responses[0]
            offset = answer.base_offset
            return ErrorCode(answer.error_code)

        return await self.ask_leader(client, key, produce), offset


class PartitionClient(Client):
    """Runs one task for each partition that there is, also for those that are created later."""

    async def run(self) -> None:
        """Begin with each partition once it is known, until told to stop."""
        client = self.client("metadata")
        known: set[PartitionKey] = set()
        async with trio.open_nursery() as nursery:
            while not self.is_stopping:
                for each in await client.partitions():
                    if each not in known and each.incarnation not in self.deleted_topics:
                        known.add(each)
                        nursery.start_soon(self.use, each)
                await self.pace.pause(1.0, client.random)
            nursery.cancel_scope.deadline = trio.current_time() + 120.0

    @abstractmethod
    async def use(self, key: PartitionKey) -> None:
        """Write to, or read, one partition."""


class SimulatedProducer(PartitionClient):
    """Sends numbered records with acks=all, one batch at a time to each partition, until it is acknowledged."""

    async def use(self, key: PartitionKey) -> None:
        client = self.client(str(key))
        producer_id, epoch = await self._init_producer_id(client)
        number, writer = 0, f"{self.name} {key.topic_id.hex()[:8]}"
        while not self.is_stopping and key.incarnation not in self.deleted_topics:
            count = client.random.randint(1, 4)
            values = [f"{writer} {each}".encode() for each in range(number, number + count)]
            if not await self._send(client, key, values, BatchProducer(producer_id, epoch, number)):
                return
            number += count
            await self.pace.pause(client.random.expovariate(8.0), client.random)

    async def _init_producer_id(self, client: ClusterClient) -> tuple[int, int]:
        while True:
            try:
                response = await client.send_to_any(InitProducerIdRequest(None, 60_000), 4)
                if not response.error_code:
                    return response.producer_id, response.producer_epoch
            except ChannelError:
                pass
            await client.pause()

    async def _send(
        self, client: ClusterClient, key: PartitionKey, values: list[bytes], producer: BatchProducer
    ) -> bool:
        """Send a batch until it is acknowledged; return False if its topic is deleted."""
        code, offset = await self.send_batch(client, key, values, producer)
        if key.incarnation in self.deleted_topics:
            return False
        if code is not E.NONE:
            self.observer.fail(Violation(f"{key}: {values[0].decode()} of {self.name} was refused with {code.name}"))
            return False
        self.observer.records_acknowledged(key, offset, values)
        return True
