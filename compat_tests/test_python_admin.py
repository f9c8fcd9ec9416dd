"""The administrative calls of confluent-kafka, kafka-python and aiokafka that concern topics, settings and offsets."""

from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.limits import WITHIN_S
from compat_tests.python_clients import CLIENTS, Record

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")]

T0 = 1_700_000_000_000
KEEP = {"retention.ms": "-1"}


def fill(bootstrap: str, topic: str, count: int = 10) -> None:
    CLIENTS["confluent-kafka"].produce(bootstrap, topic, [Record(None, b"x", T0 + i) for i in range(count)])


class TestConfluentKafka:
    @pytest.fixture
    def admin(self, bootstrap: str) -> Any:
        from confluent_kafka.admin import AdminClient

        return AdminClient({"bootstrap.servers": bootstrap})

    @pytest.fixture
    def made(self, admin: Any, topic: str) -> str:
        from confluent_kafka.admin import NewTopic

        admin.create_topics([NewTopic(topic, 2, 1, config=KEEP)])[topic].result(WITHIN_S)
        return topic

    def test_topics(self, admin: Any, made: str) -> None:
        from confluent_kafka import TopicCollection
        from confluent_kafka.admin import NewPartitions

        listed = admin.list_topics(timeout=WITHIN_S).topics[made]
        assert sorted(listed.partitions) == [0, 1]
        admin.create_partitions([NewPartitions(made, 5)])[made].result(WITHIN_S)
        described = admin.describe_topics(TopicCollection([made]))[made].result(WITHIN_S)
        assert [partition.id for partition in described.partitions] == [0, 1, 2, 3, 4]
        assert all(partition.leader.id == partition.isr[0].id for partition in described.partitions)
        assert uuid.UUID(int=0).hex != str(described.topic_id)
        admin.delete_topics([made])[made].result(WITHIN_S)
        assert made not in admin.list_topics(timeout=WITHIN_S).topics

    def test_create_topics_errors(self, admin: Any, made: str) -> None:
        from confluent_kafka import KafkaError, KafkaException
        from confluent_kafka.admin import NewPartitions, NewTopic

        def code(future: Any) -> int:
            with pytest.raises(KafkaException) as caught:
                future.result(WITHIN_S)
            answer: int = caught.value.args[0].code()
            return answer

        for topic, expected in (
            (NewTopic(made, 1), KafkaError.TOPIC_ALREADY_EXISTS),
            (NewTopic("no spaces", 1), KafkaError.TOPIC_EXCEPTION),
            (NewTopic(f"{made}-r", 1, 9), KafkaError.INVALID_REPLICATION_FACTOR),
            (NewTopic(f"{made}-c", 1, 1, config={"cleanup.policy": "neither"}), KafkaError.INVALID_CONFIG),
        ):
            assert code(admin.create_topics([topic])[topic.topic]) == expected
        assert code(admin.create_partitions([NewPartitions(made, 1)])[made]) == KafkaError.INVALID_PARTITIONS
        gone = f"{made}-unknown"
        assert code(admin.delete_topics([gone])[gone]) == KafkaError.UNKNOWN_TOPIC_OR_PART

    def test_only_validated(self, admin: Any, topic: str) -> None:
        from confluent_kafka.admin import NewTopic

        admin.create_topics([NewTopic(topic, 1)], validate_only=True)[topic].result(WITHIN_S)
        assert topic not in admin.list_topics(timeout=WITHIN_S).topics

    def test_settings(self, admin: Any, made: str) -> None:
        from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, ConfigSource

        def settings() -> dict[str, Any]:
            resource = ConfigResource(ConfigResource.Type.TOPIC, made)
            found: dict[str, Any] = admin.describe_configs([resource])[resource].result(WITHIN_S)
            return found

        def alter(name: str, operation: Any, value: str | None = None) -> None:
            entry = ConfigEntry(name, value, incremental_operation=operation)
            resource = ConfigResource(ConfigResource.Type.TOPIC, made, incremental_configs=[entry])
            admin.incremental_alter_configs([resource])[resource].result(WITHIN_S)

        before = settings()
        assert before["retention.ms"].value == "-1"
        assert before["retention.ms"].source == ConfigSource.DYNAMIC_TOPIC_CONFIG.value
        assert before["segment.bytes"].value == str(2**30)
        assert before["segment.bytes"].is_default
        alter("segment.bytes", AlterConfigOpType.SET, "1000000")
        alter("cleanup.policy", AlterConfigOpType.APPEND, "compact")
        after = settings()
        assert (after["segment.bytes"].value, after["cleanup.policy"].value) == ("1000000", "delete,compact")
        alter("cleanup.policy", AlterConfigOpType.SUBTRACT, "delete")
        alter("segment.bytes", AlterConfigOpType.DELETE)
        last = settings()
        assert (last["segment.bytes"].value, last["cleanup.policy"].value) == (str(2**30), "compact")

    def test_broker_settings(self, admin: Any) -> None:
        from confluent_kafka.admin import ConfigResource

        broker = next(iter(admin.list_topics(timeout=WITHIN_S).brokers))
        resource = ConfigResource(ConfigResource.Type.BROKER, str(broker))
        found = admin.describe_configs([resource])[resource].result(WITHIN_S)
        assert found["log.retention.hours"].value == "168"
        assert found["log.dirs"].is_read_only

    def test_offsets(self, admin: Any, bootstrap: str, made: str) -> None:
        from confluent_kafka import TopicPartition
        from confluent_kafka.admin import OffsetSpec

        def offset(spec: Any) -> tuple[int, int]:
            (future,) = admin.list_offsets({TopicPartition(made, 0): spec}).values()
            found = future.result(WITHIN_S)
            return found.offset, found.timestamp

        fill(bootstrap, made)
        assert offset(OffsetSpec.earliest()) == (0, -1)
        assert offset(OffsetSpec.latest()) == (10, -1)
        assert offset(OffsetSpec.for_timestamp(T0 + 4)) == (4, T0 + 4)
        assert offset(OffsetSpec.max_timestamp()) == (9, T0 + 9)
        (future,) = admin.delete_records([TopicPartition(made, 0, 6)]).values()
        assert future.result(WITHIN_S).low_watermark == 6
        assert offset(OffsetSpec.earliest()) == (6, -1)

    def test_the_cluster(self, admin: Any, bootstrap: str) -> None:
        found = admin.describe_cluster().result(WITHIN_S)
        assert found.cluster_id == admin.list_topics(timeout=WITHIN_S).cluster_id
        assert [f"{node.host}:{node.port}" for node in found.nodes] == [bootstrap]
        assert found.controller.id == found.nodes[0].id


class TestKafkaPython:
    @pytest.fixture
    def admin(self, bootstrap: str) -> Iterator[Any]:
        from kafka.admin import KafkaAdminClient

        client = KafkaAdminClient(bootstrap_servers=bootstrap)
        yield client
        client.close()

    @pytest.fixture
    def made(self, admin: Any, topic: str) -> str:
        wanted = {"num_partitions": 2, "replication_factor": 1, "configs": KEEP}
        admin.create_topics({topic: wanted}, wait_for_metadata=True)
        return topic

    def test_topics(self, admin: Any, made: str) -> None:
        assert made in admin.list_topics()
        admin.create_partitions({made: 3})
        (found,) = admin.describe_topics([made])
        assert sorted(partition["partition_index"] for partition in found["partitions"]) == [0, 1, 2]
        (by_id,) = admin.describe_topics([uuid.UUID(str(found["topic_id"]))])
        assert by_id["name"] == made
        admin.delete_topics([made])
        assert made not in admin.list_topics()

    def test_settings(self, admin: Any, made: str) -> None:
        from kafka.admin import ConfigResource, ConfigResourceType

        def settings() -> dict[str, str]:
            found = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, made)])["topic"][made]
            return {name: entry["value"] for name, entry in found.items()}

        assert settings() == KEEP
        admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, made, configs={"segment.bytes": "1000000"})])
        assert settings() == KEEP | {"segment.bytes": "1000000"}
        admin.reset_configs([ConfigResource(ConfigResourceType.TOPIC, made, configs=["segment.bytes"])])
        assert settings() == KEEP

    def test_offsets_and_producers(self, admin: Any, bootstrap: str, made: str) -> None:
        from kafka import TopicPartition
        from kafka.admin import OffsetSpec

        fill(bootstrap, made)
        partition = TopicPartition(made, 0)

        def offset(spec: Any) -> int:
            answer: int = admin.list_partition_offsets({partition: spec})[partition].offset
            return answer

        assert [offset(spec) for spec in (OffsetSpec.EARLIEST, OffsetSpec.LATEST, OffsetSpec.MAX_TIMESTAMP)] == [
            0,
            10,
            9,
        ]
        (producer,) = admin.describe_producers([partition])[partition].active_producers
        assert (producer.last_sequence, producer.last_timestamp) == (9, T0 + 9)
        assert admin.delete_records({partition: 4})[partition]["low_watermark"] == 4
        assert offset(OffsetSpec.EARLIEST) == 4

    def test_log_directories(self, admin: Any, bootstrap: str, made: str) -> None:
        fill(bootstrap, made)
        (broker,) = admin.describe_log_dirs([made])
        (directory,) = broker["log_dirs"]
        (found,) = directory["topics"]
        sizes = {partition["partition_index"]: partition["partition_size"] for partition in found["partitions"]}
        assert sizes[0] > 61
        assert sizes[1] == 0
        assert directory["total_bytes"] > directory["usable_bytes"] > 0

    def test_the_cluster(self, admin: Any, bootstrap: str) -> None:
        found = admin.describe_cluster()
        assert [f"{broker['host']}:{broker['port']}" for broker in found["brokers"]] == [bootstrap]
        assert found["controller_id"] == found["brokers"][0]["broker_id"]


class TestAioKafka:
    @pytest.fixture
    def with_admin(self, bootstrap: str) -> Callable[[Callable[[Any], Awaitable[Any]]], Any]:
        async def run(story: Callable[[Any], Awaitable[Any]]) -> Any:
            from aiokafka.admin import AIOKafkaAdminClient

            admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
            await admin.start()
            try:
                return await story(admin)
            finally:
                await admin.close()

        return lambda story: asyncio.run(asyncio.wait_for(run(story), WITHIN_S))

    def test_topics(self, with_admin: Any, topic: str) -> None:
        from aiokafka.admin import NewPartitions, NewTopic

        async def story(admin: Any) -> None:
            await admin.create_topics([NewTopic(topic, 2, 1, topic_configs=KEEP)])
            await admin.create_partitions({topic: NewPartitions(3)})
            (found,) = await admin.describe_topics([topic])
            assert sorted(partition["partition"] for partition in found["partitions"]) == [0, 1, 2]
            await admin.delete_topics([topic])
            assert topic not in await admin.list_topics()

        with_admin(story)

    def test_settings(self, with_admin: Any, topic: str) -> None:
        from aiokafka.admin import NewTopic
        from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

        async def retention(admin: Any) -> str:
            asked = ConfigResource(ConfigResourceType.TOPIC, topic, configs=dict.fromkeys(KEEP))
            (answer,) = await admin.describe_configs([asked])
            (resource,) = answer.resources
            entries = resource[-1]
            (value,) = (entry[1] for entry in entries if entry[0] == "retention.ms")
            return str(value)

        async def story(admin: Any) -> None:
            await admin.create_topics([NewTopic(topic, 1, 1, topic_configs=KEEP)])
            assert await retention(admin) == "-1"
            changed = ConfigResource(ConfigResourceType.TOPIC, topic, configs={"retention.ms": "86400000"})
            await admin.alter_configs([changed])
            assert await retention(admin) == "86400000"

        with_admin(story)

    def test_delete_records(self, with_admin: Any, bootstrap: str, topic: str) -> None:
        from aiokafka import TopicPartition
        from aiokafka.admin import NewTopic, RecordsToDelete

        async def story(admin: Any) -> None:
            await admin.create_topics([NewTopic(topic, 1, 1, topic_configs=KEEP)])
            await asyncio.to_thread(fill, bootstrap, topic)
            partition = TopicPartition(topic, 0)
            assert await admin.delete_records({partition: RecordsToDelete(before_offset=7)}) == {partition: 7}

        with_admin(story)

    def test_the_cluster(self, with_admin: Any, bootstrap: str) -> None:
        async def story(admin: Any) -> None:
            found = await admin.describe_cluster()
            assert [f"{broker['host']}:{broker['port']}" for broker in found["brokers"]] == [bootstrap]

        with_admin(story)
