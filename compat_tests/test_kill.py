"""kill -9 in a loop under an idempotent producer: every acknowledged record is there, once, in order.

librdkafka produces all the time and knows nothing of the crashes: it reconnects and sends again what was not
acknowledged; the broker must recognise what it already has, from producer state that it rebuilt while starting.
"""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING, Any

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from compat_tests.conftest import wait_until
from compat_tests.limits import flush, join

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.broker import Wirebroker

KILLS = 50
PARTITIONS = 3
TOPIC = "killed"
RATE = 4000  # records a second: enough that every kill has some in flight
MOST_QUEUED = 10_000
"""Records that wait in the producer, where none may get older than delivery.timeout.ms on a slow machine."""


def delivery_report(
    acknowledged: dict[int, list[tuple[int, int]]], failures: list[str]
) -> Callable[[KafkaError | None, Any], None]:
    """A callback of the producer, which refers to no Feeder: a record under way would keep it and its producer."""

    def delivered(error: KafkaError | None, message: Any) -> None:
        if error is not None:
            failures.append(str(error))
        else:
            acknowledged[message.partition()].append((message.offset(), int(message.value())))

    return delivered


class Feeder(threading.Thread):
    """Produces numbered records to each partition in turn, and keeps what was acknowledged."""

    def __init__(self, bootstrap: str) -> None:
        super().__init__(daemon=True)
        self.acknowledged: dict[int, list[tuple[int, int]]] = {number: [] for number in range(PARTITIONS)}
        self.failures: list[str] = []
        self.sent = 0
        self.stopping = threading.Event()
        self.producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "enable.idempotence": True,
                "linger.ms": 2,
                "batch.num.messages": 50,
                "reconnect.backoff.ms": 20,
                "reconnect.backoff.max.ms": 100,
                "retry.backoff.ms": 20,
                "delivery.timeout.ms": 600_000,
                "topic.metadata.refresh.interval.ms": 1000,
                "log_level": 0,
            }
        )

    def run(self) -> None:
        told = delivery_report(self.acknowledged, self.failures)
        started = time.monotonic()
        while not self.stopping.is_set():
            if self.sent < (time.monotonic() - started) * RATE and len(self.producer) < MOST_QUEUED:
                try:
                    self.producer.produce(TOPIC, b"%d" % self.sent, partition=self.sent % PARTITIONS, on_delivery=told)
                    self.sent += 1
                except BufferError:
                    self.producer.poll(0.01)
                self.producer.poll(0)
            else:
                self.producer.poll(0.002)

    def count(self) -> int:
        return sum(map(len, self.acknowledged.values()))

    def finish(self) -> None:
        self.stopping.set()
        join(self)
        flush(self.producer)


def test_acknowledged_records_survive_kills(start_wirebroker: Callable[..., Wirebroker]) -> None:
    broker = start_wirebroker(
        {"num.partitions": str(PARTITIONS), "log.segment.bytes": "300000", "log.index.interval.bytes": "1000"}
    )
    feeder = Feeder(broker.bootstrap)
    feeder.start()
    patience = random.Random(1)
    for kill in range(KILLS):
        before = feeder.count()
        wait_until(lambda before=before: feeder.count() > before)  # type: ignore[misc]
        # let it work for a moment, longer now and then so that segments roll
        time.sleep(patience.uniform(0, 0.2) if kill % 10 else 1.5)
        broker.kill()
        broker.start()
    time.sleep(1)
    feeder.finish()
    assert feeder.failures == []
    stored = read_all(broker.bootstrap)
    for partition in range(PARTITIONS):
        told = feeder.acknowledged[partition]
        # in order, none twice, none missing, and each at its acknowledged offset
        assert [number for _, number in stored[partition]] == list(range(partition, feeder.sent, PARTITIONS))
        assert set(told) <= set(stored[partition])
        assert len(told) == len(stored[partition])
    broker.stop()


def read_all(bootstrap: str) -> dict[int, list[tuple[int, int]]]:
    """(offset, number) of every record, by partition, in the order of the log."""
    found: dict[int, list[tuple[int, int]]] = {number: [] for number in range(PARTITIONS)}
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "reader", "enable.auto.commit": False})
    try:
        ends = {}
        for partition in range(PARTITIONS):
            low, ends[partition] = consumer.get_watermark_offsets(TopicPartition(TOPIC, partition), timeout=60)
            assert low == 0
        consumer.assign([TopicPartition(TOPIC, partition, 0) for partition in range(PARTITIONS)])
        deadline = time.monotonic() + 120
        while any(not found[each] or found[each][-1][0] + 1 < end for each, end in ends.items()):
            assert time.monotonic() < deadline, "reading took too long"
            for message in consumer.consume(5000, timeout=0.5):
                assert message.error() is None
                value = message.value()
                assert value is not None
                found[message.partition()].append((message.offset(), int(value)))
    finally:
        consumer.close()
    return found
