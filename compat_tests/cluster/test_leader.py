"""wirebroker leads a partition that Apache Kafka follows: ISR, high watermark, acks=all, and logs that are equal."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.versions import OLD_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

KAFKA_ID, OURS_ID = 0, 1
RECORDS = 2000
WITHIN_S = 120
STOPPED = {"zookeeper.session.timeout.ms": "40000"}
"""Of the broker that is stopped until it has left the ISR: with its session it would lose more than that."""


class Acknowledged:
    """Records of a producer with acks=all, and the errors of those that were refused."""

    def __init__(self, bootstrap: str) -> None:
        self._producer = Producer(
            {"bootstrap.servers": bootstrap, "acks": "all", "message.timeout.ms": 90_000, "enable.idempotence": True}
        )
        self.offsets: list[int] = []
        self.errors: list[KafkaError] = []
        self._report = delivery_report(self.offsets, self.errors)

    def produce(self, topic: str, count: int) -> None:
        """Produce *count* records, and wait for the outcome of all."""
        for number in range(count):
            self._producer.produce(topic, b"%06d" % number, partition=0, on_delivery=self._report)
            self._producer.poll(0)
        assert self._producer.flush(100) == 0


def delivery_report(offsets: list[int], errors: list[KafkaError]) -> Callable[[KafkaError | None, Any], None]:
    """A callback that adds to these lists; it refers to nothing that has the producer, which it would keep for ever."""

    def delivered(error: KafkaError | None, message: Any) -> None:
        if error is not None:
            errors.append(error)
        else:
            offsets.append(message.offset())

    return delivered


def consumed(bootstrap: str, topic: str, count: int) -> list[tuple[int, bytes | None]]:
    """Offset and value of *count* records from the start of partition 0."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "g", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, 0, 0)])
    found: list[tuple[int, bytes | None]] = []
    deadline = time.monotonic() + WITHIN_S
    while len(found) < count and time.monotonic() < deadline:
        for message in consumer.consume(500, 1.0):
            assert message.error() is None
            offset, value = message.offset(), message.value()
            assert offset is not None
            assert not isinstance(value, str)
            found.append((offset, value))
    consumer.close()
    return found


def await_isr(cluster: MixedCluster, topic: str, isr: set[int]) -> None:
    """Wait until partition 0 has this ISR."""
    deadline = time.monotonic() + WITHIN_S
    while (state := cluster.describe(topic).get(0)) is None or state.isr != isr:
        assert time.monotonic() < deadline, state
        time.sleep(0.3)


@pytest.mark.parametrize(("release", "protocol"), [(OLD_KAFKA, "2.6")], ids=str)
def test_a_follower_of_apache_kafka_is_in_sync_lags_and_comes_back(
    release: str, protocol: str, tmp_path: Path, kafka_dist: Callable[[str], KafkaDist]
) -> None:
    """The follower that is stopped is the controller, so the ISR can only be changed in ZooKeeper, below 2.7."""
    with MixedCluster(tmp_path, kafka_dist(release), protocol=protocol) as cluster:
        kafka = cluster.kafka(KAFKA_ID, settings=STOPPED)
        ours = cluster.wirebroker(OURS_ID)
        cluster.await_brokers(KAFKA_ID, OURS_ID)
        cluster.create_topic("t", {0: (OURS_ID, KAFKA_ID)}, {"min.insync.replicas": "1"})
        await_isr(cluster, "t", {OURS_ID, KAFKA_ID})
        assert cluster.describe("t")[0].leader == OURS_ID
        producer = Acknowledged(cluster.bootstrap())
        producer.produce("t", RECORDS)
        assert producer.errors == []
        assert sorted(producer.offsets) == list(range(RECORDS))

        os.kill(kafka.pid, signal.SIGSTOP)
        try:
            producer.produce("t", 10)  # acknowledged when the follower has left the ISR, in 10 to 15 seconds
        finally:
            os.kill(kafka.pid, signal.SIGCONT)
        assert producer.errors == []
        assert "shrinking ISR from 1,0 to 1" in ours.log()
        await_isr(cluster, "t", {OURS_ID, KAFKA_ID})
        producer.produce("t", 10)
        assert producer.errors == []

        ours_has = consumed(ours.bootstrap, "t", RECORDS + 20)
        assert [offset for offset, _ in ours_has] == list(range(RECORDS + 20))
        ours.stop()  # a controlled shutdown: the follower leads
        wait_until(lambda: cluster.describe("t", KAFKA_ID)[0].leader == KAFKA_ID)
        assert consumed(kafka.bootstrap, "t", RECORDS + 20) == ours_has
