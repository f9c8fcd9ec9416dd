"""Writes to ZooKeeper as a broker makes them, judged by an Apache Kafka that is controller and the other broker.

Broker 7 is nobody but a session with ZooKeeper and a port that does not answer: what counts is how Kafka takes the
registration, topics, ISR changes, producer ids and notifications.
"""

from __future__ import annotations

import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
import trio
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, ConfigResource

from compat_tests.limits import flush
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker
from wirebroker.clock import now_ms
from wirebroker.cluster.zk_alter_partition_manager import ZkAlterPartitionManager
from wirebroker.config.endpoints import Listener
from wirebroker.model import LeaderAndIsr, TopicPartition
from wirebroker.replication.alter_partition_manager import AlterPartitionItem
from wirebroker.zookeeper.admin_zk_client import AdminZkClient
from wirebroker.zookeeper.cluster_znodes import generate_broker_id, get_or_create_cluster_id
from wirebroker.zookeeper.connect_string import parse_connect_string
from wirebroker.zookeeper.connection import ZooKeeperSettings, open_zookeeper
from wirebroker.zookeeper.controller_watch import ControllerWatch
from wirebroker.zookeeper.log_dir_events import LogDirEvents
from wirebroker.zookeeper.producer_ids import ZkProducerIdBlocks
from wirebroker.zookeeper.registration import BrokerRegistration
from wirebroker.zookeeper.znodes.brokers import VERSION_4, VERSION_5, BrokerInfo
from wirebroker.zookeeper.znodes.cluster import PRODUCER_ID_BLOCK_PATH, ProducerIdBlock
from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch, partition_state_path

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from confluent_kafka.admin import TopicMetadata

    from tools.jvm.kafka import KafkaDist
    from wirebroker.protocol.errors import ErrorCode
    from wirebroker.zookeeper.session import Session

CHROOT = "/not/there/yet"
PATIENCE_S = 120
"""How long a condition may take to hold; on a busy machine Apache Kafka takes seconds for it."""
CLUSTER_ID = "made-by-broker-seven-_"
PROTOCOLS = {OLDEST_KAFKA: "2.0", OLD_KAFKA: "2.6", KAFKA: "3.9"}


def settings(zookeeper: ZooKeeper) -> ZooKeeperSettings:
    return ZooKeeperSettings(parse_connect_string(zookeeper.connect), 30.0, 120.0, 10)


@pytest.fixture(scope="module", params=PROTOCOLS)
def kafka(
    request: pytest.FixtureRequest, kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ZooKeeperBroker]:
    """A broker on a chroot, persistent paths and a cluster id that were made by wirebroker."""
    dist, directory = kafka_dist(request.param), tmp_path_factory.mktemp("kafka")
    with ZooKeeper(dist, directory / "zookeeper") as zookeeper:
        zookeeper.chroot = CHROOT

        async def prepare() -> None:
            async with open_zookeeper(settings(zookeeper)) as session:
                assert await get_or_create_cluster_id(session, lambda: CLUSTER_ID) == CLUSTER_ID

        trio.run(prepare)
        protocol = {"inter.broker.protocol.version": PROTOCOLS[request.param], "broker.id.generation.enable": "true"}
        with ZooKeeperBroker(dist, directory / "broker", zookeeper, broker_id=0, settings=protocol) as broker:
            yield broker


@asynccontextmanager
async def broker_7(kafka: ZooKeeperBroker) -> AsyncIterator[tuple[Session, trio.Nursery]]:
    """A session of a registered broker that answers nobody."""
    assert isinstance(kafka.zookeeper, ZooKeeper)
    version = VERSION_5 if kafka.dist.version == KAFKA else VERSION_4
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))
        listener = Listener("PLAINTEXT", "PLAINTEXT", *port.getsockname())
        info = BrokerInfo(7, (listener,), timestamp_ms=now_ms(), version=version)
        with trio.fail_after(3 * PATIENCE_S):
            async with open_zookeeper(settings(kafka.zookeeper)) as session, trio.open_nursery() as nursery:
                await BrokerRegistration(session, info).register()
                yield session, nursery
                nursery.cancel_scope.cancel()


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    with trio.fail_after(PATIENCE_S):
        while not await holds():  # noqa: ASYNC110  # the other side is a broker
            await trio.sleep(0.1)


class Cluster:
    """The metadata of Kafka's broker, as clients see them."""

    def __init__(self, kafka: ZooKeeperBroker) -> None:
        self._admin = AdminClient({"bootstrap.servers": kafka.bootstrap})

    async def brokers(self) -> set[int]:
        return set((await self._metadata()).brokers)

    async def cluster_id(self) -> str:
        return str((await self._metadata()).cluster_id)

    async def topic(self, name: str) -> TopicMetadata | None:
        found = (await self._metadata()).topics.get(name)
        return found if found is not None and found.error is None else None

    async def partitions(self, name: str) -> dict[int, tuple[int, list[int]]]:
        """Partition -> (leader, ISR)."""
        topic = await self.topic(name)
        return {} if topic is None else {each.id: (each.leader, each.isrs) for each in topic.partitions.values()}

    async def setting(self, topic: str, name: str) -> str:
        resource = ConfigResource("topic", topic)
        future = self._admin.describe_configs([resource])[resource]
        return str((await trio.to_thread.run_sync(future.result, PATIENCE_S))[name].value)

    async def _metadata(self) -> Any:
        return await trio.to_thread.run_sync(lambda: self._admin.list_topics(timeout=PATIENCE_S))


async def test_a_registration_and_the_cluster_id_are_those_of_any_broker(kafka: ZooKeeperBroker) -> None:
    cluster = Cluster(kafka)
    assert await cluster.cluster_id() == CLUSTER_ID
    async with broker_7(kafka) as (session, nursery):

        async def is_there() -> bool:
            return await cluster.brokers() == {0, 7}

        await until(is_there)
        watch = ControllerWatch(session)
        await nursery.start(watch.run)
        assert watch.controller_id == 0
        assert await generate_broker_id(session, 1000) == 1001

    async def is_gone() -> bool:
        return await cluster.brokers() == {0}

    await until(is_gone)


async def test_topics_are_created_extended_and_deleted(kafka: ZooKeeperBroker) -> None:
    cluster = Cluster(kafka)
    async with broker_7(kafka) as (session, _):
        admin = AdminZkClient(session)
        topic_id = bytes(range(16)) if kafka.dist.version == KAFKA else None
        await admin.create_topic("t", {0: (0,)}, {"retention.ms": "1234567"}, topic_id)

        async def has(partitions: dict[int, tuple[int, list[int]]]) -> bool:
            return await cluster.partitions("t") == partitions

        await until(lambda: has({0: (0, [0])}))
        assert await cluster.setting("t", "retention.ms") == "1234567"
        await admin.create_partitions("t", {1: (0,), 2: (0,)})
        await until(lambda: has({number: (0, [0]) for number in range(3)}))
        if topic_id is not None:
            metadata = kafka.data_directory / "t-2/partition.metadata"

            async def has_id() -> bool:  # the file is written after the broker has become the leader
                return metadata.exists() and "topic_id: AAECAwQFBgcICQoLDA0ODw" in metadata.read_text()

            await until(has_id)
        await admin.delete_topic("t")

        async def is_gone() -> bool:
            """Whether nothing is left of the topic; the controller takes the last two znodes away after the topic's."""
            return (
                await admin.assignment("t") is None
                and await cluster.topic("t") is None
                and not await session.client.children("/admin/delete_topics")
                and await session.client.exists("/config/topics/t") is None
            )

        await until(is_gone)


async def test_a_changed_isr_reaches_clients_by_its_notification(kafka: ZooKeeperBroker) -> None:
    cluster, partition = Cluster(kafka), TopicPartition("led-by-7", 0)
    path = partition_state_path(partition)
    async with broker_7(kafka) as (session, nursery):
        manager = ZkAlterPartitionManager(session)
        nursery.start_soon(manager.run)
        await AdminZkClient(session).create_topic(partition.topic, {0: (7, 0)}, {}, None)

        async def shows(isr: list[int]) -> bool:
            return sorted((await cluster.partitions(partition.topic)).get(0, (0, []))[1]) == isr

        await until(lambda: shows([0, 7]))
        data, stat = await session.client.get(path)
        state = LeaderIsrAndControllerEpoch.decode(partition, data)
        proposal = LeaderAndIsr(7, state.leader_epoch, (7,), stat.version, (7, 0), state.controller_epoch)
        answers: list[LeaderAndIsr | ErrorCode] = []
        manager.submit(AlterPartitionItem(partition, bytes(16), proposal, answers.append))
        await until(lambda: shows([7]))

        async def is_answered() -> bool:
            return bool(answers)

        await until(is_answered)
        assert answers == [proposal._replace(partition_epoch=stat.version + 1)]

        async def is_consumed() -> bool:
            return not await session.client.children("/isr_change_notification")

        await until(is_consumed)
        assert (await session.client.get(path)).stat.version == stat.version + 1


async def test_producer_ids_are_shared_without_overlap(kafka: ZooKeeperBroker) -> None:
    cluster = Cluster(kafka)
    async with broker_7(kafka) as (session, _):
        await AdminZkClient(session).create_topic("ids", {0: (0,)}, {}, None)

        async def has_leader() -> bool:
            return await cluster.partitions("ids") == {0: (0, [0])}

        await until(has_leader)
        blocks = ZkProducerIdBlocks(session, 7)
        before = await blocks.allocate()

        def produce() -> None:
            """Produce after a restart: a broker takes its next block at its start, or for its first producer."""
            kafka.stop()
            kafka.start()
            producer = Producer({"bootstrap.servers": kafka.bootstrap, "enable.idempotence": True})
            producer.produce("ids", b"value")
            flush(producer)

        await trio.to_thread.run_sync(produce)
        block = ProducerIdBlock.decode((await session.client.get(PRODUCER_ID_BLOCK_PATH)).data)
        assert block == (0, before.stop, before.stop + 999)
        assert (await blocks.allocate()).start == before.stop + 1000


async def test_a_failed_log_directory_is_told_to_the_controller(kafka: ZooKeeperBroker) -> None:
    async with broker_7(kafka) as (session, nursery):
        events = LogDirEvents(session, 7)
        events.log_dir_failed()
        nursery.start_soon(events.run)

        async def is_consumed() -> bool:
            stat = await session.client.exists("/log_dir_event_notification")
            return stat is not None and stat.cversion >= 2 and not stat.num_children

        await until(is_consumed)
