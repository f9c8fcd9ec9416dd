"""Apache Kafka's Java clients in Python, through py4j."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PATIENCE = {"request.timeout.ms": "40000", "default.api.timeout.ms": "90000", "max.block.ms": "90000"} | {
    "delivery.timeout.ms": "100000"
}  # more than a busy machine needs, and less than a call into Java may take
# recent, for retention deletes records that are a week old by their timestamps
NOW = int(time.time() * 1000) - 60_000
BYTES = "org.apache.kafka.common.serialization.ByteArray"


class Sent(NamedTuple):
    """A record to produce, which the consumer must return."""

    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    partition: int = 0
    timestamp: int = NOW


class Received(NamedTuple):
    """A record as a consumer hands it out."""

    offset: int
    sent: Sent
    timestamp_type: str


class JavaClients:
    """The clients of one release against one broker."""

    def __init__(self, root: Any, bootstrap: str) -> None:
        self.root, self.bootstrap = root, bootstrap
        self.kafka = root.org.apache.kafka

    def properties(self, settings: dict[str, str]) -> Any:
        properties = self.root.java.util.Properties()
        for name, value in ({"bootstrap.servers": self.bootstrap} | PATIENCE | settings).items():
            properties.setProperty(name, value)
        return properties

    def partition(self, topic: str, partition: int) -> Any:
        return self.kafka.common.TopicPartition(topic, partition)

    def seconds(self, count: float) -> Any:
        return self.root.java.time.Duration.ofMillis(int(count * 1000))

    @contextmanager
    def producer(self, **settings: str) -> Iterator[Any]:
        """Settings are Kafka's with underscores for dots."""
        given = {name.replace("_", "."): value for name, value in settings.items()}
        serializers = {"key.serializer": f"{BYTES}Serializer", "value.serializer": f"{BYTES}Serializer"}
        producer = self.kafka.clients.producer.KafkaProducer(self.properties(serializers | given))
        try:
            yield producer
        finally:
            producer.close(self.seconds(5))

    def send(self, producer: Any, topic: str, records: Iterable[Sent]) -> list[int]:
        """Send all, then wait for all; their offsets (-1 with acks=0)."""
        futures = []
        for record in records:
            headers = self.kafka.common.header.internals.RecordHeaders()
            for name, value in record.headers:
                headers.add(name, value)
            out = self.kafka.clients.producer.ProducerRecord(
                topic, record.partition, record.timestamp, record.key, record.value, headers
            )
            futures.append(producer.send(out))
        producer.flush()
        return [future.get().offset() for future in futures]

    @contextmanager
    def consumer(self, topic: str | None = None, partitions: Sequence[int] = (0,), **settings: str) -> Iterator[Any]:
        """A consumer; with a topic, assigned to those partitions from their beginning."""
        given = {name.replace("_", "."): value for name, value in settings.items()}
        deserializers = {"key.deserializer": f"{BYTES}Deserializer", "value.deserializer": f"{BYTES}Deserializer"}
        defaults = {"auto.offset.reset": "earliest", "enable.auto.commit": "false"}
        consumer = self.kafka.clients.consumer.KafkaConsumer(self.properties(deserializers | defaults | given))
        try:
            if topic is not None:
                consumer.assign([self.partition(topic, partition) for partition in partitions])
                consumer.seekToBeginning(consumer.assignment())
            yield consumer
        finally:
            consumer.close(self.seconds(5))

    def receive(self, consumer: Any, count: int, timeout_s: float = 90) -> list[Received]:
        """The next *count* records; fewer when time runs out."""
        received: list[Received] = []
        deadline = time.monotonic() + timeout_s
        while len(received) < count and time.monotonic() < deadline:
            batch = consumer.poll(self.seconds(0.5))
            for partition in batch.partitions():
                received += [_received(record) for record in batch.records(partition)]
        return received

    @contextmanager
    def admin(self, **settings: str) -> Iterator[Any]:
        given = {name.replace("_", "."): value for name, value in settings.items()}
        admin = self.kafka.clients.admin.Admin.create(self.properties(given))
        try:
            yield admin
        finally:
            admin.close(self.seconds(5))

    def create_topic(self, admin: Any, topic: str, partitions: int = 1, configs: dict[str, str] | None = None) -> None:
        admin.createTopics([self.new_topic(topic, partitions, configs)]).all().get()

    def new_topic(
        self, topic: str, partitions: int = 1, configs: dict[str, str] | None = None, replicas: int = 1
    ) -> Any:
        new = self.kafka.clients.admin.NewTopic(topic, partitions, replicas)
        return new.configs(configs) if configs else new

    def resource(self, kind: str, name: str) -> Any:
        types = self.root.java.lang.Class.forName("org.apache.kafka.common.config.ConfigResource$Type")
        chosen = next(each for each in types.getEnumConstants() if each.toString() == kind)
        return self.kafka.common.config.ConfigResource(chosen, name)


def _received(record: Any) -> Received:
    headers = tuple((header.key(), header.value()) for header in record.headers().toArray())
    sent = Sent(record.value(), record.key(), headers, record.partition(), record.timestamp())
    return Received(record.offset(), sent, record.timestampType().toString())


@contextmanager
def java_error(*names: str) -> Iterator[None]:
    """The block must raise a Java exception of one of these class names, inside an ExecutionException or not."""
    from py4j.protocol import Py4JJavaError

    with pytest.raises(Py4JJavaError) as caught:
        yield
    error = caught.value.java_exception
    while error.getClass().getSimpleName() == "ExecutionException":
        error = error.getCause()
    assert error.getClass().getSimpleName() in names, error.toString()
