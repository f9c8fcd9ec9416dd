"""confluent-kafka, kafka-python and aiokafka produce and consume, each reading what each wrote."""

from __future__ import annotations

import time

import pytest

from compat_tests.limits import WITHIN_S, flush
from compat_tests.python_clients import CLIENTS, CODECS, Record
from compat_tests.spark_help import create_topic

# aiokafka and kafka-python leave sockets to the garbage collector, and asyncio's loop with them
pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")]

T0 = 1_700_000_000_000
RECORDS = [
    Record(b"key", b"value", T0, (("h", b"1"), ("h", b"2"), ("empty", b""))),
    Record(None, b"no key", T0 + 1),
    Record(b"no value", None, T0 + 2),
    Record(b"", b"", T0 + 3, (("utf-8 \u2013 \U0001f6eb", bytes(range(256))),)),
    *(Record(b"k%d" % (i % 7), b"the same text again and again %d" % i, T0 + 10 + i) for i in range(200)),
    Record(b"older", b"than those before", T0 - 86_400_000),
]

clients = pytest.mark.parametrize("name", CLIENTS)


@pytest.mark.parametrize("codec", CODECS)
@clients
def test_each_client_reads_the_records_of_every_client(bootstrap: str, topic: str, name: str, codec: str) -> None:
    create_topic(bootstrap, topic)
    offsets = CLIENTS[name].produce(bootstrap, topic, RECORDS, codec=codec)
    assert offsets == list(range(len(RECORDS)))
    for reader, client in CLIENTS.items():
        assert client.consume(bootstrap, topic, len(RECORDS)) == RECORDS, f"read by {reader}"


@clients
def test_without_idempotence(bootstrap: str, topic: str, name: str) -> None:
    create_topic(bootstrap, topic)
    assert CLIENTS[name].produce(bootstrap, topic, RECORDS, idempotent=False) == list(range(len(RECORDS)))
    assert CLIENTS[name].consume(bootstrap, topic, len(RECORDS)) == RECORDS


@clients
def test_from_the_middle_of_a_batch(bootstrap: str, topic: str, name: str) -> None:
    create_topic(bootstrap, topic)
    CLIENTS[name].produce(bootstrap, topic, RECORDS, codec="lz4")
    assert CLIENTS[name].consume(bootstrap, topic, 50, offset=101) == RECORDS[101:151]


@clients
def test_read_committed(bootstrap: str, topic: str, name: str) -> None:
    create_topic(bootstrap, topic)
    CLIENTS[name].produce(bootstrap, topic, RECORDS)
    assert CLIENTS[name].consume(bootstrap, topic, len(RECORDS), read_committed=True) == RECORDS


@clients
def test_a_topic_is_made_on_first_use(bootstrap: str, topic: str, name: str) -> None:
    now_ms = int(time.time() * 1000)  # such a topic keeps a week
    records = [record._replace(timestamp_ms=now_ms) for record in RECORDS[:3]]
    assert CLIENTS[name].produce(bootstrap, topic, records) == [0, 1, 2]
    assert CLIENTS[name].consume(bootstrap, topic, 3) == records


@clients
def test_records_up_to_a_megabyte(bootstrap: str, topic: str, name: str) -> None:
    create_topic(bootstrap, topic)
    big = [Record(None, bytes([i]) * 999_000, T0) for i in range(4)]
    CLIENTS[name].produce(bootstrap, topic, big)
    assert CLIENTS[name].consume(bootstrap, topic, 4) == big


@clients
def test_a_record_larger_than_the_topic_takes(bootstrap: str, topic: str, name: str) -> None:
    create_topic(bootstrap, topic, max_message_bytes="2000")
    with pytest.raises((AssertionError, Exception), match=r"(?i)MSG_SIZE_TOO_LARGE|MessageSizeTooLarge"):
        CLIENTS[name].produce(bootstrap, topic, [Record(None, bytes(3000), T0)])
    assert CLIENTS[name].produce(bootstrap, topic, RECORDS[:1]) == [0]


@clients
def test_log_append_time(bootstrap: str, topic: str, name: str) -> None:
    create_topic(bootstrap, topic, message_timestamp_type="LogAppendTime")
    before_ms = int(time.time() * 1000)
    CLIENTS[name].produce(bootstrap, topic, RECORDS[:5])
    after_ms = int(time.time() * 1000)
    found = CLIENTS[name].consume(bootstrap, topic, 5)
    assert [record.value for record in found] == [record.value for record in RECORDS[:5]]
    assert all(before_ms <= record.timestamp_ms <= after_ms for record in found)


@pytest.mark.parametrize("acks", ["0", "1", "all"])
def test_acks_of_librdkafka(bootstrap: str, topic: str, acks: str) -> None:
    from confluent_kafka import Producer

    create_topic(bootstrap, topic)
    errors = []
    producer = Producer({"bootstrap.servers": bootstrap, "acks": acks})
    for i in range(100):
        producer.produce(topic, b"%d" % i, on_delivery=lambda error, _: errors.append(error))
    flush(producer)
    assert errors == [None] * 100
    found = CLIENTS["confluent-kafka"].consume(bootstrap, topic, 100)
    assert [record.value for record in found] == [b"%d" % i for i in range(100)]


def test_offsets_by_time_and_ends_with_librdkafka(bootstrap: str, topic: str) -> None:
    from confluent_kafka import Consumer, TopicPartition

    create_topic(bootstrap, topic)
    hour_ms = 3_600_000
    hourly = [Record(None, b"%d" % i, T0 + i * hour_ms) for i in range(24)]
    CLIENTS["confluent-kafka"].produce(bootstrap, topic, hourly)
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "unused"})
    try:
        assert consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=WITHIN_S) == (0, 24)
        asked = [TopicPartition(topic, 0, T0 + 3 * hour_ms - 1)]
        assert [found.offset for found in consumer.offsets_for_times(asked, timeout=WITHIN_S)] == [3]
        late = [TopicPartition(topic, 0, T0 + 99 * hour_ms)]
        assert [found.offset for found in consumer.offsets_for_times(late, timeout=WITHIN_S)] == [-1]
    finally:
        consumer.close()


def test_offsets_by_time_and_ends_with_kafka_python(bootstrap: str, topic: str) -> None:
    from kafka import KafkaConsumer, TopicPartition

    create_topic(bootstrap, topic, 2)
    CLIENTS["kafka-python"].produce(bootstrap, topic, [Record(None, b"x", T0 + i) for i in range(5)])
    zero, one = TopicPartition(topic, 0), TopicPartition(topic, 1)
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, group_id=None)
    try:
        assert consumer.partitions_for_topic(topic) == {0, 1}
        assert consumer.beginning_offsets([zero, one]) == {zero: 0, one: 0}
        assert consumer.end_offsets([zero, one]) == {zero: 5, one: 0}
        found = consumer.offsets_for_times({zero: T0 + 2, one: T0})
        assert (found[zero].offset, found[zero].timestamp, found[one]) == (2, T0 + 2, None)
    finally:
        consumer.close(autocommit=False)


def test_an_offset_out_of_range_is_reset(bootstrap: str, topic: str) -> None:
    """librdkafka continues at the offset of auto.offset.reset."""
    from confluent_kafka import Consumer, TopicPartition

    create_topic(bootstrap, topic)
    CLIENTS["confluent-kafka"].produce(bootstrap, topic, RECORDS[:5])
    settings = {"group.id": "unused", "auto.offset.reset": "earliest", "enable.auto.commit": False}
    consumer = Consumer({"bootstrap.servers": bootstrap, **settings})
    try:
        consumer.assign([TopicPartition(topic, 0, 1000)])
        message = consumer.poll(WITHIN_S)
        assert message is not None
        assert message.offset() == 0
    finally:
        consumer.close()


def test_many_partitions_and_keys(bootstrap: str, topic: str) -> None:
    """Each key's records stay together and in order; librdkafka and kafka-python agree on a key's partition."""
    from confluent_kafka import Consumer, Producer, TopicPartition
    from kafka import KafkaProducer

    create_topic(bootstrap, topic, 12)
    librdkafka = Producer({"bootstrap.servers": bootstrap, "partitioner": "murmur2_random"})
    keys = [b"key-%d" % i for i in range(50)]
    for turn in range(20):
        for key in keys:
            librdkafka.produce(topic, b"%d" % turn, key)
    flush(librdkafka)
    python = KafkaProducer(bootstrap_servers=bootstrap)
    try:
        for key in keys:
            python.send(topic, b"20", key)
        python.flush(timeout=WITHIN_S)
    finally:
        python.close(timeout=5)

    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "unused", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(12)])
    found: dict[bytes, list[tuple[int, bytes]]] = {}
    try:
        for _ in range(21 * len(keys)):
            message = consumer.poll(WITHIN_S)
            assert message is not None
            found.setdefault(message.key(), []).append((message.partition(), message.value()))
    finally:
        consumer.close()
    for key in keys:
        assert len({partition for partition, _ in found[key]}) == 1
        assert [value for _, value in found[key]] == [b"%d" % turn for turn in range(21)]
