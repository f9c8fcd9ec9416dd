"""Transactional producers, one class per published client, behind the same few methods; and readers of both kinds."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any, Protocol

from compat_tests.java_clients import BYTES, JavaClients
from compat_tests.limits import join, within

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

PATIENCE_S = 120


class TransactionalProducer(Protocol):
    """Waits for every answer; raises what the client raises."""

    def begin(self) -> None: ...

    def send(self, topic: str, partition: int, *values: bytes) -> None: ...

    def send_offsets(self, group: str, offsets: dict[tuple[str, int], int]) -> None:
        """Commit *offsets* of a group that has no members, within the transaction."""

    def commit(self) -> None: ...

    def abort(self) -> None: ...

    def close(self) -> None: ...


class ConfluentTransactional:
    """librdkafka."""

    def __init__(self, bootstrap: str, name: str, timeout_ms: int = 60_000) -> None:
        from confluent_kafka import Producer

        self.bootstrap = bootstrap
        self.producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "transactional.id": name,
                "transaction.timeout.ms": timeout_ms,
                "message.timeout.ms": min(timeout_ms, 60_000),
                "linger.ms": 0,
                "log_level": 0,
            }
        )
        self.producer.init_transactions(PATIENCE_S)

    def begin(self) -> None:
        self.producer.begin_transaction()

    def send(self, topic: str, partition: int, *values: bytes) -> None:
        for value in values:
            self.producer.produce(topic, value, partition=partition)
        self.producer.flush(PATIENCE_S)

    def send_offsets(self, group: str, offsets: dict[tuple[str, int], int]) -> None:
        from confluent_kafka import Consumer, TopicPartition

        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": group})
        try:
            places = [TopicPartition(topic, partition, offset) for (topic, partition), offset in offsets.items()]
            self.producer.send_offsets_to_transaction(places, consumer.consumer_group_metadata(), PATIENCE_S)
        finally:
            consumer.close()

    def commit(self) -> None:
        self.producer.commit_transaction(PATIENCE_S)

    def abort(self) -> None:
        self.producer.abort_transaction(PATIENCE_S)

    def close(self) -> None:
        self.producer.flush(0)


class AioTransactional:
    """aiokafka on an event loop and thread of its own."""

    def __init__(self, bootstrap: str, name: str, timeout_ms: int = 60_000) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._run(self._start(bootstrap, name, timeout_ms))

    async def _start(self, bootstrap: str, name: str, timeout_ms: int) -> None:
        from aiokafka import AIOKafkaProducer

        self._producer = AIOKafkaProducer(
            bootstrap_servers=bootstrap, transactional_id=name, transaction_timeout_ms=timeout_ms
        )
        await self._producer.start()

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def begin(self) -> None:
        self._run(self._producer.begin_transaction())

    async def _send(self, topic: str, partition: int, values: tuple[bytes, ...]) -> None:
        futures = [await self._producer.send(topic, value, partition=partition) for value in values]
        await asyncio.gather(*futures)

    def send(self, topic: str, partition: int, *values: bytes) -> None:
        self._run(self._send(topic, partition, values))

    def send_offsets(self, group: str, offsets: dict[tuple[str, int], int]) -> None:
        from aiokafka import TopicPartition

        places = {TopicPartition(*place): offset for place, offset in offsets.items()}
        self._run(self._producer.send_offsets_to_transaction(places, group))

    def commit(self) -> None:
        self._run(self._producer.commit_transaction())

    def abort(self) -> None:
        self._run(self._producer.abort_transaction())

    def close(self) -> None:
        self._run(self._producer.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        join(self._thread)
        self._loop.close()


class KafkaPythonTransactional:
    """kafka-python."""

    def __init__(self, bootstrap: str, name: str, timeout_ms: int = 60_000) -> None:
        from kafka import KafkaProducer

        self.producer = KafkaProducer(
            bootstrap_servers=bootstrap,
            transactional_id=name,
            transaction_timeout_ms=timeout_ms,
            delivery_timeout_ms=60_000,
            request_timeout_ms=30_000,
        )
        self.producer.init_transactions()

    def begin(self) -> None:
        self.producer.begin_transaction()

    def send(self, topic: str, partition: int, *values: bytes) -> None:
        futures = [self.producer.send(topic, value, partition=partition) for value in values]
        self.producer.flush(PATIENCE_S)
        for future in futures:
            future.get(PATIENCE_S)

    def send_offsets(self, group: str, offsets: dict[tuple[str, int], int]) -> None:
        from kafka import TopicPartition
        from kafka.structs import OffsetAndMetadata

        places = {TopicPartition(*place): OffsetAndMetadata(offset, "", -1) for place, offset in offsets.items()}
        within(PATIENCE_S, lambda: self.producer.send_offsets_to_transaction(places, group))

    def commit(self) -> None:
        within(PATIENCE_S, self.producer.commit_transaction)

    def abort(self) -> None:
        within(PATIENCE_S, self.producer.abort_transaction)

    def close(self) -> None:
        self.producer.close(timeout=5)


class JavaTransactional:
    """Apache Kafka's own, of some release."""

    def __init__(self, java: JavaClients, name: str, timeout_ms: int = 60_000) -> None:
        self.java = java
        settings = {
            "transactional.id": name,
            "transaction.timeout.ms": str(timeout_ms),
            "key.serializer": f"{BYTES}Serializer",
            "value.serializer": f"{BYTES}Serializer",
        }
        self.producer = java.kafka.clients.producer.KafkaProducer(java.properties(settings))
        self.producer.initTransactions()

    def begin(self) -> None:
        self.producer.beginTransaction()

    def send(self, topic: str, partition: int, *values: bytes) -> None:
        record = self.java.kafka.clients.producer.ProducerRecord
        futures = [self.producer.send(record(topic, partition, None, value)) for value in values]
        self.producer.flush()
        for future in futures:
            future.get()

    def send_offsets(self, group: str, offsets: dict[tuple[str, int], int]) -> None:
        consumers = self.java.kafka.clients.consumer
        places = self.java.root.java.util.HashMap()
        for place, offset in offsets.items():
            places.put(self.java.partition(*place), consumers.OffsetAndMetadata(offset))
        self.producer.sendOffsetsToTransaction(places, consumers.ConsumerGroupMetadata(group))

    def commit(self) -> None:
        self.producer.commitTransaction()

    def abort(self) -> None:
        self.producer.abortTransaction()

    def close(self) -> None:
        self.producer.close(self.java.seconds(2))


def read_to_end(
    bootstrap: str, topic: str, *, committed: bool, partitions: int = 1, patience_s: float = 120
) -> list[tuple[int, int, bytes]]:
    """(partition, offset, value) of all that a reader of this isolation is given, by partition and offset."""
    from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "reader",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": "read_committed" if committed else "read_uncommitted",
            "fetch.wait.max.ms": 20,
        }
    )
    found, left = list[tuple[int, int, bytes]](), set(range(partitions))
    deadline = time.monotonic() + patience_s
    try:
        consumer.assign([TopicPartition(topic, each, OFFSET_BEGINNING) for each in left])
        while left:
            assert time.monotonic() < deadline, f"the end of {left} never came"
            for message in consumer.consume(5000, 0.1):
                error = message.error()
                if error is None:
                    found.append((message.partition(), message.offset(), message.value()))
                else:
                    assert error.code() == KafkaError._PARTITION_EOF, error
                    left.discard(message.partition())
    finally:
        consumer.close()
    return sorted(found)


def values_of(found: list[tuple[int, int, bytes]]) -> list[bytes]:
    return [value for _, _, value in found]


def numbers(count: int, start: int = 0) -> Iterator[bytes]:
    return (b"%d" % number for number in range(start, start + count))
