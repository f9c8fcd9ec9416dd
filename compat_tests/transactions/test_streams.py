"""Kafka Streams with exactly_once_v2: counts per key, kept in RocksDB and a changelog.

Each count 1, 2, 3, ... must appear once, whichever process is killed meanwhile.

The topology is Streams' own operators only, so it can be put together from Python without a Java compiler.
"""

from __future__ import annotations

import os
import struct
import time
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.conftest import unique_name
from compat_tests.java_clients import JavaClients
from compat_tests.spark_help import create_topic
from compat_tests.versions import KAFKA, KAFKA_4
from tools.jvm import resolve
from tools.jvm.bridge import jvm, static_method
from tools.jvm.kafka import KafkaBroker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from compat_tests.broker import Broker, Wirebroker
    from tools.jvm.kafka import KafkaDist

KEYS = 7
PARTITIONS = 2
PATIENCE_S = 240


class Application:
    """A Streams application that counts."""

    def __init__(self, root: Any, broker: Broker, name: str, state: Path) -> None:
        self.java = JavaClients(root, broker.bootstrap)
        self.name, self.state = name, state

    @contextmanager
    def running(self, source: str, sink: str) -> Iterator[Any]:
        """One instance, two threads; closed at the end."""
        streams = self.java.kafka.streams
        serdes = self.java.kafka.common.serialization.Serdes
        builder = streams.StreamsBuilder()
        counts = builder.stream(source).groupByKey().count().toStream()
        counts.to(sink, getattr(streams.kstream.Produced, "with")(serdes.String(), serdes.Long()))
        properties = self.java.root.java.util.Properties()
        for key, value in {
            "bootstrap.servers": self.java.bootstrap,
            "application.id": self.name,
            "processing.guarantee": "exactly_once_v2",
            "default.key.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
            "default.value.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
            "state.dir": str(self.state),
            "num.stream.threads": "2",
            "commit.interval.ms": "100",
            "statestore.cache.max.bytes": "0",  # or some counts would be skipped
            "reconnect.backoff.max.ms": "200",
            "consumer.session.timeout.ms": "6000",
            "consumer.heartbeat.interval.ms": "500",
            "consumer.auto.offset.reset": "earliest",
        }.items():
            properties.setProperty(key, value)
        application = streams.KafkaStreams(builder.build(), properties)
        try:
            application.start()
            yield application
        finally:
            application.close(self.java.seconds(10))


def feed(broker: Broker, topic: str, first: int, count: int) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": broker.bootstrap, "enable.idempotence": True})
    for number in range(first, first + count):
        producer.produce(topic, b"x", key=b"key %d" % (number % KEYS))
    assert producer.flush(120) == 0


class Reader:
    """Reads committed counts until there are enough of them."""

    def __init__(self, broker: Broker, topic: str) -> None:
        from confluent_kafka import Consumer, TopicPartition

        settings = {"bootstrap.servers": broker.bootstrap, "group.id": "reader", "reconnect.backoff.max.ms": 200}
        self.consumer = Consumer(settings | {"enable.auto.commit": False, "log_level": 0})
        self.consumer.assign([TopicPartition(topic, each, 0) for each in range(PARTITIONS)])
        self.counts: dict[bytes, list[int]] = defaultdict(list)

    def read(self, total: int, application: Any) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while sum(map(len, self.counts.values())) < total:
            assert time.monotonic() < deadline, (total, application.state().toString(), dict(self.counts))
            for message in self.consumer.consume(1000, 0.2):
                if message.error() is None:
                    self.counts[message.key()].append(*struct.unpack(">q", message.value()))

    def check(self, total: int) -> None:
        """Every count once and in order."""
        for number in range(KEYS):
            of_key = len(range(number, total, KEYS))
            assert self.counts[b"key %d" % number] == list(range(1, of_key + 1)), number


@pytest.fixture(params=[pytest.param(KAFKA, marks=pytest.mark.nightly), KAFKA_4])
def root(request: pytest.FixtureRequest) -> Iterator[Any]:
    jars = resolve([f"org.apache.kafka:kafka-streams:{request.param}", "org.slf4j:slf4j-nop:1.7.36"])
    with jvm(jars, heap="400m") as root:
        assert static_method(root.org.apache.kafka.common.utils.AppInfoParser, "getVersion")() == request.param
        yield root


def names(broker: Broker) -> tuple[str, str]:
    source, sink = unique_name("words"), unique_name("counts")
    for name in (source, sink):
        create_topic(broker.bootstrap, name, PARTITIONS)
    return source, sink


def test_counts_survive_all_crashes(start_wirebroker: Callable[..., Wirebroker], root: Any, tmp_path: Path) -> None:
    """The broker is killed, the application is stopped, started, and started without its state."""
    broker = start_wirebroker({"group.initial.rebalance.delay.ms": "0"})
    source, sink = names(broker)
    reader = Reader(broker, sink)
    feed(broker, source, 0, 500)
    with Application(root, broker, "counts", tmp_path / "1").running(source, sink) as application:
        reader.read(300, application)
        broker.kill()
        broker.start()
        reader.read(500, application)
        feed(broker, source, 500, 500)
        reader.read(600, application)
        broker.kill()
        broker.start()
        reader.read(800, application)
    feed(broker, source, 1000, 500)
    with Application(root, broker, "counts", tmp_path / "1").running(source, sink) as application:
        reader.read(1200, application)
    feed(broker, source, 1500, 100)
    with Application(root, broker, "counts", tmp_path / "2").running(source, sink) as application:
        reader.read(1600, application)
    time.sleep(0.5)
    reader.consumer.consume(100, 0.2)
    reader.check(1600)
    reader.consumer.close()


@pytest.mark.skipif(os.environ.get("COMPAT_TARGET") != "apache", reason="checks the test itself on Apache Kafka")
def test_counts_on_apache_kafka(kafka_dist: Callable[[str], KafkaDist], root: Any, tmp_path: Path) -> None:
    with KafkaBroker(kafka_dist(KAFKA), tmp_path / "kafka") as broker:
        source, sink = names(broker)
        reader = Reader(broker, sink)
        feed(broker, source, 0, 500)
        with Application(root, broker, "counts", tmp_path / "1").running(source, sink) as application:
            reader.read(500, application)
        reader.check(500)
        reader.consumer.close()
