"""wirebroker loses its session or its followers, while Apache Kafka controls the cluster."""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.limits import WITHIN_S, flush
from compat_tests.versions import KAFKA, OLD_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

THEIRS, OURS = 0, 1
PROTOCOLS = {KAFKA: "3.9", OLD_KAFKA: "2.6"}
FAST = {"replica.lag.time.max.ms": "3000", "zookeeper.session.timeout.ms": "15000"}
NO_LAG = {"replica.lag.time.max.ms": "60000"}
"""For a follower that must be in sync when the leader is stopped, or nobody may lead."""


@contextmanager
def cluster(directory: Path, dist: KafkaDist, settings: Mapping[str, str] | None = None) -> Iterator[MixedCluster]:
    """Kafka is broker 0 and the controller, wirebroker broker 1."""
    with MixedCluster(directory, dist, protocol=PROTOCOLS[dist.version], chroot="/kafka") as mixed:
        given = FAST | dict(settings or {})
        mixed.kafka(THEIRS, settings=given | {"zookeeper.session.timeout.ms": "40000"})
        mixed.wirebroker(OURS, given)
        mixed.await_brokers(THEIRS, OURS)
        yield mixed


def partitions(mixed: MixedCluster, topic: str, broker_id: int = THEIRS) -> dict[int, tuple[int, set[int]]]:
    """Partition -> (leader, ISR), as one broker tells it."""
    admin = AdminClient({"bootstrap.servers": mixed.brokers[broker_id].bootstrap})
    found = admin.list_topics(topic, timeout=60).topics[topic].partitions.values()
    return {each.id: (each.leader, set(each.isrs)) for each in found}


def read_all(bootstrap: str, topic: str, end: int) -> dict[int, bytes]:
    """Offset -> value of all records of partition 0 below *end*."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "reader", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, 0, 0)])
    found: dict[int, bytes] = {}
    deadline = time.monotonic() + 2 * WITHIN_S
    while not found or max(found) + 1 < end:
        assert time.monotonic() < deadline, f"{len(found)} records, and offset {end} is not reached"
        for message in consumer.consume(500, timeout=1):
            assert message.error() is None
            offset, value = message.offset(), message.value()
            assert offset is not None
            assert value is not None
            found[offset] = value
    consumer.close()
    return found


@pytest.mark.parametrize("release", [pytest.param(KAFKA, marks=pytest.mark.nightly), OLD_KAFKA])
def test_the_isr_follows_a_follower_that_hangs_and_comes_back(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, release: str
) -> None:
    with cluster(tmp_path, kafka_dist(release)) as mixed:
        mixed.kafka(2, settings=FAST | {"zookeeper.session.timeout.ms": "40000"})
        mixed.await_brokers(THEIRS, OURS, 2)
        mixed.create_topic("t", {0: (OURS, 2), 1: (OURS, 2)})
        both = {0: (OURS, {OURS, 2}), 1: (OURS, {OURS, 2})}
        wait_until(lambda: partitions(mixed, "t") == both)
        producer = Producer({"bootstrap.servers": mixed.bootstrap(), "acks": "all"})
        os.kill(mixed.brokers[2].pid, signal.SIGSTOP)
        try:
            producer.produce("t", b"value", partition=0)
            producer.produce("t", b"value", partition=1)
            flush(producer)  # or acks=all waits for a follower that is not in sync
            alone = {0: (OURS, {OURS}), 1: (OURS, {OURS})}
            wait_until(lambda: partitions(mixed, "t") == alone)
        finally:
            os.kill(mixed.brokers[2].pid, signal.SIGCONT)
        wait_until(lambda: partitions(mixed, "t") == both)
        wait_until(lambda: partitions(mixed, "t", OURS) == both)


@pytest.mark.parametrize("release", [KAFKA, pytest.param(OLD_KAFKA, marks=pytest.mark.nightly)])
def test_a_leader_that_slept_through_its_session_acknowledges_nothing(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, release: str
) -> None:
    with cluster(tmp_path, kafka_dist(release), NO_LAG) as mixed:
        mixed.create_topic("t", {0: (OURS, THEIRS)})
        wait_until(lambda: partitions(mixed, "t") == {0: (OURS, {OURS, THEIRS})})
        ours = mixed.brokers[OURS]
        acked: dict[int, bytes] = {}

        def delivered(error: object, message: object) -> None:
            assert error is None
            acked[message.offset()] = message.value()  # type: ignore[attr-defined]

        settings = {"bootstrap.servers": mixed.bootstrap(), "acks": 1, "linger.ms": 0, "message.timeout.ms": 240_000}
        producer = Producer(settings | {"topic.metadata.refresh.interval.ms": -1, "socket.timeout.ms": 90_000})
        replicated = Producer({"bootstrap.servers": mixed.bootstrap(), "acks": "all"})
        for number in range(100):
            replicated.produce("t", b"before-%d" % number, on_delivery=delivered)
        flush(replicated)
        producer.list_topics("t", timeout=60)  # it knows the leader that is stopped now
        os.kill(ours.pid, signal.SIGSTOP)
        try:
            # in the socket of the leader, when it wakes up
            for number in range(100):
                producer.produce("t", b"during-%d" % number, on_delivery=delivered)
            wait_until(lambda: partitions(mixed, "t") == {0: (THEIRS, {THEIRS})})
            other = Producer({"bootstrap.servers": mixed.brokers[THEIRS].bootstrap, "acks": 1})
            for number in range(50):
                other.produce("t", b"other-%d" % number, on_delivery=delivered)
            flush(other)
        finally:
            os.kill(ours.pid, signal.SIGCONT)
        flush(producer)
        wait_until(lambda: partitions(mixed, "t") == {0: (THEIRS, {OURS, THEIRS})})
        assert len(acked) == 250, "two records were acknowledged with one offset"
        found = read_all(mixed.bootstrap(), "t", max(acked) + 1)
        assert {offset: found.get(offset) for offset in acked} == acked
        log = mixed.brokers[OURS].log_file
        assert "leadership is in doubt" in log.read_text()
        wait_until(lambda: "leadership is confirmed" in log.read_text())
