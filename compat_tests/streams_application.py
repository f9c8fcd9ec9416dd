"""A Kafka Streams application with exactly_once_v2 that counts, and what it reads and writes.

The topology is Streams' own operators only, so it can be put together from Python without a Java compiler.
"""

from __future__ import annotations

import struct
import time
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from compat_tests.java_clients import JavaClients
from tools.jvm import resolve
from tools.jvm.bridge import jvm, static_method

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEYS = 7
PARTITIONS = 2
PATIENCE_S = 240


@contextmanager
def streams_jvm(version: str) -> Iterator[Any]:
    """The root of the packages of a JVM with Kafka Streams of this release."""
    jars = resolve([f"org.apache.kafka:kafka-streams:{version}", "org.slf4j:slf4j-nop:1.7.36"])
    with jvm(jars, heap="400m") as root:
        assert static_method(root.org.apache.kafka.common.utils.AppInfoParser, "getVersion")() == version
        yield root


class Application:
    """A Streams application that counts."""

    def __init__(self, root: Any, bootstrap: str, name: str, state: Path) -> None:
        self.java = JavaClients(root, bootstrap)
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
            # Streams has 10 s, within which a busy machine may not end one transaction
            "producer.transaction.timeout.ms": "60000",
            "consumer.session.timeout.ms": "15000",
            "consumer.heartbeat.interval.ms": "500",
            "consumer.auto.offset.reset": "earliest",
        }.items():
            properties.setProperty(key, value)
        application = streams.KafkaStreams(builder.build(), properties)
        try:
            application.start()
            yield application
        finally:
            application.close(self.java.seconds(90))


def feed(bootstrap: str, topic: str, first: int, count: int) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True})
    for number in range(first, first + count):
        producer.produce(topic, b"x", key=b"key %d" % (number % KEYS))
    assert producer.flush(120) == 0


class Reader:
    """Reads committed counts until there are enough of them."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        from confluent_kafka import Consumer, TopicPartition

        settings = {"bootstrap.servers": bootstrap, "group.id": "reader", "reconnect.backoff.max.ms": 200}
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
