"""Apache Kafka's Java producer, consumer and admin client, an old and a new release, doing what people do with them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from compat_tests.conftest import unique_name, wait_until
from compat_tests.java_clients import NOW, JavaClients, Sent, java_error
from compat_tests.versions import KAFKA, NEWEST_CLIENTS
from tools.jvm import resolve
from tools.jvm.bridge import jvm, static_method

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compat_tests.broker import Broker

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
MIXED = (
    Sent(b"plain"),
    Sent(b"with key", b"key"),
    Sent(None, b"a tombstone"),
    Sent(b"null key", None, (("name", b"value"), ("empty", b""), ("null", None), ("name", b"again"))),
    Sent(b"", b""),
    Sent(bytes(range(256)) * 40, b"\0\xff", (("long", b"x" * 300),)),
)


@pytest.fixture(scope="module", params=[KAFKA, NEWEST_CLIENTS])
def java(request: pytest.FixtureRequest, target: Broker) -> Iterator[JavaClients]:
    jars = resolve([f"org.apache.kafka:kafka-clients:{request.param}", "org.slf4j:slf4j-nop:1.7.36"])
    with jvm(jars) as root:
        yield JavaClients(root, target.bootstrap)


@pytest.fixture
def topic(java: JavaClients) -> str:
    name = unique_name("java-clients")
    with java.admin() as admin:
        java.create_topic(admin, name, partitions=3)
    return name


@pytest.mark.parametrize("codec", CODECS)
def test_records_are_consumed_as_they_were_sent(java: JavaClients, topic: str, codec: str) -> None:
    records = [*MIXED, *(Sent(b"%d" % number, timestamp=NOW + number) for number in range(50))]
    with java.producer(compression_type=codec, linger_ms="50") as producer:
        assert java.send(producer, topic, records) == list(range(len(records)))
    with java.consumer(topic) as consumer:
        received = java.receive(consumer, len(records))
    assert [each.sent for each in received] == records
    assert [each.offset for each in received] == list(range(len(records)))
    assert {each.timestamp_type for each in received} == {"CreateTime"}


@pytest.mark.parametrize(("acks", "idempotent"), [("0", "false"), ("1", "false"), ("all", "false"), ("all", "true")])
def test_every_kind_of_acknowledgement(java: JavaClients, topic: str, acks: str, idempotent: str) -> None:
    records = [Sent(b"%d" % number, partition=number % 3) for number in range(30)]
    with java.producer(acks=acks, enable_idempotence=idempotent) as producer:
        offsets = java.send(producer, topic, records)
    assert offsets == ([-1] * 30 if acks == "0" else [number // 3 for number in range(30)])
    with java.consumer(topic, (0, 1, 2)) as consumer:
        received = java.receive(consumer, 30)
    assert sorted(each.sent.value or b"" for each in received) == sorted(each.value or b"" for each in records)
    for partition in range(3):
        mine = [each.sent for each in received if each.sent.partition == partition]
        assert mine == [each for each in records if each.partition == partition]


def test_topic_is_created_on_first_use(java: JavaClients) -> None:
    name = unique_name("first-use")
    with java.producer() as producer:
        assert java.send(producer, name, [Sent(b"first")]) == [0]
        assert len(producer.partitionsFor(name)) == 1


def test_big_records_in_small_fetches(java: JavaClients, topic: str) -> None:
    records = [Sent(bytes([number]) * 200_000) for number in range(12)]
    with java.producer(compression_type="none", batch_size="400000") as producer:
        java.send(producer, topic, records)
    with java.consumer(topic, max_partition_fetch_bytes="1000", fetch_max_bytes="1000") as consumer:
        assert [each.sent for each in java.receive(consumer, 12)] == records


def test_record_too_large(java: JavaClients, topic: str) -> None:
    with java.producer(max_request_size="5000000", compression_type="none") as producer:
        with java_error("RecordTooLargeException"):
            java.send(producer, topic, [Sent(b"x" * 1_100_000)])
        assert java.send(producer, topic, [Sent(b"small")]) == [0]


def test_consumer_looks_up_offsets(java: JavaClients, topic: str) -> None:
    start = NOW - 3_600_000
    with java.producer() as producer:
        java.send(producer, topic, [Sent(b"x", timestamp=start + 1000 * number) for number in range(10)])
    with java.consumer(topic, group_id=unique_name("lookup")) as consumer:
        partition = java.partition(topic, 0)
        assert consumer.beginningOffsets([partition])[partition] == 0
        assert consumer.endOffsets([partition])[partition] == 10
        found = consumer.offsetsForTimes({partition: start + 3500})[partition]
        assert (found.offset(), found.timestamp()) == (4, start + 4000)
        assert consumer.offsetsForTimes({partition: start + 9001})[partition] is None
        assert len(consumer.partitionsFor(topic)) == 3
        assert topic in consumer.listTopics()


def test_consumer_waits_for_records(java: JavaClients, topic: str) -> None:
    with java.consumer(topic) as consumer, java.producer() as producer:
        assert java.receive(consumer, 1, timeout_s=0.6) == []
        java.send(producer, topic, [Sent(b"late")])
        assert [each.sent.value for each in java.receive(consumer, 1)] == [b"late"]


def test_consumer_beyond_the_end(java: JavaClients, topic: str) -> None:
    with java.consumer(topic, auto_offset_reset="none") as consumer:
        consumer.seek(java.partition(topic, 0), 5)
        with java_error("OffsetOutOfRangeException"):
            for _ in range(120):
                consumer.poll(java.seconds(0.5))


def test_create_describe_delete_topics(java: JavaClients) -> None:
    name = unique_name("admin")
    with java.admin() as admin:
        result = admin.createTopics([java.new_topic(name, 4, {"retention.ms": "60000"})])
        assert result.numPartitions(name).get() == 4
        assert result.replicationFactor(name).get() == 1
        assert result.config(name).get().get("retention.ms").value() == "60000"
        with java_error("TopicExistsException"):
            java.create_topic(admin, name)
        description = admin.describeTopics([name]).allTopicNames().get()[name]
        assert description.topicId().toString() == result.topicId(name).get().toString()
        assert [each.partition() for each in description.partitions()] == [0, 1, 2, 3]
        for each in description.partitions():
            assert [each.leader().id()] == [replica.id() for replica in each.replicas()]
            assert [replica.id() for replica in each.isr()] == [each.leader().id()]
        assert name in admin.listTopics().names().get()
        admin.deleteTopics([name]).all().get()
        assert name not in admin.listTopics().names().get()
        with java_error("UnknownTopicOrPartitionException"):
            admin.describeTopics([name]).allTopicNames().get()
        with java_error("UnknownTopicOrPartitionException"):
            admin.deleteTopics([name]).all().get()


def test_topics_that_cannot_be(java: JavaClients) -> None:
    name = unique_name("cannot")
    with java.admin() as admin:
        with java_error("InvalidTopicException"):
            java.create_topic(admin, "bad/name")
        with java_error("InvalidPartitionsException"):
            java.create_topic(admin, name, partitions=0)
        with java_error("InvalidReplicationFactorException"):
            admin.createTopics([java.new_topic(name, replicas=3)]).all().get()
        for configs in ({"no.such.config": "1"}, {"retention.ms": "soon"}):
            with java_error("InvalidConfigurationException"):
                java.create_topic(admin, name, configs=configs)
        options = java.kafka.clients.admin.CreateTopicsOptions().validateOnly(True)
        admin.createTopics([java.new_topic(name)], options).all().get()
        assert name not in admin.listTopics().names().get()


def test_defaults_come_from_the_broker(java: JavaClients) -> None:
    name, optional = unique_name("defaults"), java.root.java.util.Optional
    with java.admin() as admin:
        new = java.kafka.clients.admin.NewTopic(name, optional.empty(), optional.empty())
        assert admin.createTopics([new]).numPartitions(name).get() == 1


def test_create_partitions(java: JavaClients, topic: str) -> None:
    more = java.kafka.clients.admin.NewPartitions
    with java.admin() as admin:
        admin.createPartitions({topic: more.increaseTo(5)}).all().get()
        wait_until(lambda: len(admin.describeTopics([topic]).allTopicNames().get()[topic].partitions()) == 5)
        with java_error("InvalidPartitionsException"):
            admin.createPartitions({topic: more.increaseTo(2)}).all().get()
    with java.producer() as producer:
        assert java.send(producer, topic, [Sent(b"x", partition=4)]) == [0]


def test_topic_configs(java: JavaClients, topic: str) -> None:
    resource = java.resource("TOPIC", topic)
    admin_classes = java.kafka.clients.admin
    operation = java.root.java.lang.Class.forName("org.apache.kafka.clients.admin.AlterConfigOp$OpType")
    operations = {each.toString(): each for each in operation.getEnumConstants()}

    def change(name: str, value: str | None, how: str) -> None:
        op = admin_classes.AlterConfigOp(admin_classes.ConfigEntry(name, value), operations[how])
        admin.incrementalAlterConfigs({resource: [op]}).all().get()

    def read(name: str) -> tuple[str, str]:
        entry = admin.describeConfigs([resource]).all().get()[resource].get(name)
        return entry.value(), entry.source().toString()

    with java.admin() as admin:
        assert read("retention.ms") == ("604800000", "DEFAULT_CONFIG")
        change("retention.ms", "1000", "SET")
        assert read("retention.ms") == ("1000", "DYNAMIC_TOPIC_CONFIG")
        change("cleanup.policy", "compact", "APPEND")
        assert read("cleanup.policy")[0] == "delete,compact"
        change("cleanup.policy", "delete", "SUBTRACT")
        assert read("cleanup.policy")[0] == "compact"
        change("retention.ms", None, "DELETE")
        assert read("retention.ms") == ("604800000", "DEFAULT_CONFIG")
        with java_error("InvalidConfigurationException"):
            change("retention.ms", "soon", "SET")
        with java_error("UnknownTopicOrPartitionException"):
            admin.describeConfigs([java.resource("TOPIC", "no-such-topic")]).all().get()


def test_broker_configs(java: JavaClients) -> None:
    with java.admin() as admin:
        (node,) = admin.describeCluster().nodes().get().toArray()
        resource = java.resource("BROKER", str(node.id()))
        config = admin.describeConfigs([resource]).all().get()[resource]
        assert config.get("log.retention.hours").value() == "168"
        assert config.get("log.dirs").isReadOnly()


def test_delete_records(java: JavaClients, topic: str) -> None:
    with java.producer() as producer:
        java.send(producer, topic, [Sent(b"%d" % number) for number in range(10)])
    partition = java.partition(topic, 0)
    before = static_method(java.kafka.clients.admin.RecordsToDelete, "beforeOffset")
    with java.admin() as admin:
        assert admin.deleteRecords({partition: before(4)}).lowWatermarks()[partition].get().lowWatermark() == 4
        with java_error("OffsetOutOfRangeException"):
            admin.deleteRecords({partition: before(11)}).all().get()
    with java.consumer(topic) as consumer:
        assert [each.offset for each in java.receive(consumer, 6)] == [4, 5, 6, 7, 8, 9]
    with java.consumer(topic, auto_offset_reset="none") as consumer:
        consumer.seek(partition, 1)
        with java_error("OffsetOutOfRangeException"):
            for _ in range(120):
                consumer.poll(java.seconds(0.5))


def test_list_offsets(java: JavaClients, topic: str) -> None:
    times = [NOW + 5000, NOW + 9000, NOW + 7000, NOW + 9000, NOW + 1000]
    with java.producer() as producer:
        for timestamp in times:  # a batch each
            java.send(producer, topic, [Sent(b"x", timestamp=timestamp)])
    partition, spec = java.partition(topic, 0), java.kafka.clients.admin.OffsetSpec
    with java.admin() as admin:

        def ask(what: object) -> tuple[int, int]:
            found = admin.listOffsets({partition: what}).partitionResult(partition).get()
            return found.offset(), found.timestamp()

        assert ask(spec.earliest()) == (0, -1)
        assert ask(spec.latest()) == (5, -1)
        assert ask(spec.maxTimestamp()) == (1, NOW + 9000)
        assert ask(spec.forTimestamp(NOW + 6000)) == (1, NOW + 9000)
        assert ask(spec.forTimestamp(NOW + 9001)) == (-1, -1)


def test_log_append_time(java: JavaClients) -> None:
    name = unique_name("append-time")
    with java.admin() as admin:
        java.create_topic(admin, name, configs={"message.timestamp.type": "LogAppendTime"})
    start = int(time.time() * 1000)
    with java.producer() as producer:
        java.send(producer, name, [Sent(b"x", timestamp=1)])
    with java.consumer(name) as consumer:
        (received,) = java.receive(consumer, 1)
    assert received.timestamp_type == "LogAppendTime"
    assert start <= received.sent.timestamp <= int(time.time() * 1000)


def test_describe_log_dirs(java: JavaClients, topic: str) -> None:
    with java.producer(compression_type="none") as producer:
        java.send(producer, topic, [Sent(b"x" * 10_000), Sent(b"y", partition=1)])
    with java.admin() as admin:
        (node,) = admin.describeCluster().nodes().get().toArray()
        directories = admin.describeLogDirs([node.id()]).allDescriptions().get()[node.id()]
        assert len(directories) == 1
        for description in directories.values():
            assert description.error() is None
            assert description.totalBytes().getAsLong() > description.usableBytes().getAsLong() > 0
            infos = description.replicaInfos()
            assert infos[java.partition(topic, 0)].size() > 10_000
            assert 0 < infos[java.partition(topic, 1)].size() < 100


def test_describe_cluster(java: JavaClients, target: Broker) -> None:
    with java.admin() as admin:
        cluster = admin.describeCluster()
        (node,) = cluster.nodes().get().toArray()
        assert (node.host(), node.port()) == (target.host, target.port)
        assert cluster.controller().get().id() == node.id()
        assert len(cluster.clusterId().get()) == 22


def test_describe_producers(java: JavaClients, topic: str) -> None:
    partition = java.partition(topic, 0)
    with java.producer() as producer, java.admin() as admin:
        java.send(producer, topic, [Sent(b"%d" % number, timestamp=NOW + number) for number in range(7)])
        (state,) = admin.describeProducers([partition]).all().get()[partition].activeProducers()
        assert (state.producerEpoch(), state.lastSequence()) == (0, 6)
        assert state.lastTimestamp() == NOW + 6
        assert not state.currentTransactionStartOffset().isPresent()
