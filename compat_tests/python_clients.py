"""Three published Python clients behind one pair of functions: produce records, consume a number of records.
Consumers assign their partitions themselves; groups are tested in groups/.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
WITHIN_S = 120


class Record(NamedTuple):
    """A record to produce, and as it is consumed."""

    key: bytes | None
    value: bytes | None
    timestamp_ms: int
    headers: tuple[tuple[str, bytes], ...] = ()


class Client(Protocol):
    """A client library; each method makes its own producer or consumer."""

    def produce(
        self, bootstrap: str, topic: str, records: Sequence[Record], *, codec: str = "none", idempotent: bool = True
    ) -> list[int]:
        """Produce to partition 0 and wait for the acknowledgements: the offsets."""

    def consume(
        self, bootstrap: str, topic: str, count: int, *, offset: int = 0, read_committed: bool = False
    ) -> list[Record]:
        """The first *count* records of partition 0 from *offset* on."""


class ConfluentKafka:
    """librdkafka."""

    def produce(
        self, bootstrap: str, topic: str, records: Sequence[Record], *, codec: str = "none", idempotent: bool = True
    ) -> list[int]:
        from confluent_kafka import Producer

        settings = {"compression.type": codec, "enable.idempotence": idempotent, "linger.ms": 5}
        producer = Producer({"bootstrap.servers": bootstrap, **settings})
        offsets: list[int] = []

        def delivered(error: Any, message: Any) -> None:
            assert error is None, error
            offsets.append(message.offset())

        for key, value, timestamp_ms, headers in records:
            more = {"timestamp": timestamp_ms, "headers": list(headers), "partition": 0}
            producer.produce(topic, value, key, on_delivery=delivered, **more)
        assert producer.flush(WITHIN_S) == 0
        return offsets

    def consume(
        self, bootstrap: str, topic: str, count: int, *, offset: int = 0, read_committed: bool = False
    ) -> list[Record]:
        from confluent_kafka import Consumer, TopicPartition

        isolation = "read_committed" if read_committed else "read_uncommitted"
        settings = {"group.id": "unused", "enable.auto.commit": False, "isolation.level": isolation}
        consumer = Consumer({"bootstrap.servers": bootstrap, **settings})
        consumer.assign([TopicPartition(topic, 0, offset)])
        records: list[Record] = []
        deadline = time.monotonic() + WITHIN_S
        try:
            while len(records) < count and time.monotonic() < deadline:
                for message in consumer.consume(count - len(records), timeout=1):
                    assert message.error() is None, message.error()
                    headers = tuple(message.headers() or ())
                    records.append(Record(message.key(), message.value(), message.timestamp()[1], headers))
        finally:
            consumer.close()
        return records


class KafkaPython:
    """kafka-python."""

    def produce(
        self, bootstrap: str, topic: str, records: Sequence[Record], *, codec: str = "none", idempotent: bool = True
    ) -> list[int]:
        from kafka import KafkaProducer

        producer = KafkaProducer(
            bootstrap_servers=bootstrap,
            compression_type=None if codec == "none" else codec,
            enable_idempotence=idempotent,
            linger_ms=5,
        )
        try:
            futures = [
                producer.send(topic, value, key, list(headers), partition=0, timestamp_ms=timestamp_ms)
                for key, value, timestamp_ms, headers in records
            ]
            return [future.get(timeout=WITHIN_S).offset for future in futures]
        finally:
            producer.close(timeout=5)

    def consume(
        self, bootstrap: str, topic: str, count: int, *, offset: int = 0, read_committed: bool = False
    ) -> list[Record]:
        from kafka import KafkaConsumer, TopicPartition

        isolation = "read_committed" if read_committed else "read_uncommitted"
        consumer = KafkaConsumer(
            bootstrap_servers=bootstrap, group_id=None, enable_auto_commit=False, isolation_level=isolation
        )
        partition = TopicPartition(topic, 0)
        records: list[Record] = []
        deadline = time.monotonic() + WITHIN_S
        try:
            consumer.assign([partition])
            consumer.seek(partition, offset)
            while len(records) < count and time.monotonic() < deadline:
                for found in consumer.poll(timeout_ms=1000, max_records=count - len(records)).values():
                    records.extend(Record(r.key, r.value, r.timestamp, tuple(r.headers)) for r in found)
        finally:
            consumer.close(autocommit=False)
        return records


class AioKafka:
    """aiokafka, on an event loop of its own."""

    def produce(
        self, bootstrap: str, topic: str, records: Sequence[Record], *, codec: str = "none", idempotent: bool = True
    ) -> list[int]:
        async def run() -> list[int]:
            from aiokafka import AIOKafkaProducer

            producer = AIOKafkaProducer(
                bootstrap_servers=bootstrap,
                compression_type=None if codec == "none" else codec,
                enable_idempotence=idempotent,
                linger_ms=5,
            )
            await producer.start()
            try:
                sent = [
                    await producer.send(
                        topic, value, key, partition=0, timestamp_ms=timestamp_ms, headers=list(headers)
                    )
                    for key, value, timestamp_ms, headers in records
                ]
                return [(await one).offset for one in sent]
            finally:
                await asyncio.wait_for(producer.stop(), WITHIN_S)

        return asyncio.run(asyncio.wait_for(run(), WITHIN_S))

    def consume(
        self, bootstrap: str, topic: str, count: int, *, offset: int = 0, read_committed: bool = False
    ) -> list[Record]:
        async def run() -> list[Record]:
            from aiokafka import AIOKafkaConsumer, TopicPartition

            isolation = "read_committed" if read_committed else "read_uncommitted"
            consumer = AIOKafkaConsumer(
                bootstrap_servers=bootstrap, group_id=None, enable_auto_commit=False, isolation_level=isolation
            )
            partition = TopicPartition(topic, 0)
            consumer.assign([partition])
            await consumer.start()
            try:
                consumer.seek(partition, offset)
                found = [await consumer.getone() for _ in range(count)]
            finally:
                await asyncio.wait_for(consumer.stop(), WITHIN_S)
            return [Record(r.key, r.value, r.timestamp, tuple(r.headers)) for r in found]

        return asyncio.run(asyncio.wait_for(run(), WITHIN_S))


CLIENTS: dict[str, Client] = {
    "confluent-kafka": ConfluentKafka(),
    "kafka-python": KafkaPython(),
    "aiokafka": AioKafka(),
}
