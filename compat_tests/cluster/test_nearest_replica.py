"""Fetch from the nearest replica (KIP-392): wirebroker and Apache Kafka send consumers to each other."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any, Final

import pytest

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.replicated_logs import (
    await_leader_and_isr,
    produce,
    random_values,
)
from compat_tests.conftest import wait_until
from compat_tests.java_clients import JavaClients
from compat_tests.versions import KAFKA
from tools.jvm import resolve
from tools.jvm.bridge import jvm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat_tests.broker import Broker
    from tools.jvm.kafka import KafkaDist

SELECTOR = {"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"}
TOPICS: Final = {"led-by-kafka": 0, "led-by-wirebroker": 1}
"""Topic -> its leader."""
RECORDS: Final = 2000
FETCHES: Final = 25
"""More than a consumer sends to the leader before it knows of a nearer replica."""


def fetches_by_broker(bootstrap: str, topic: str, rack: str, count: int, near: int) -> dict[int, int]:
    """Consume *count* records as a consumer in *rack*; return how many Fetch requests each broker has got.

    When everything is consumed, wait until the broker *near* has got some more than it takes to find out that it is.
    """
    from confluent_kafka import Consumer, TopicPartition

    requests: dict[int, int] = {}

    def note(statistics: str) -> None:
        brokers: dict[str, Any] = json.loads(statistics)["brokers"]
        for broker in brokers.values():
            if broker["nodeid"] >= 0:
                requests[broker["nodeid"]] = broker["req"].get("Fetch", 0)

    config = {"bootstrap.servers": bootstrap, "group.id": "g", "client.rack": rack, "statistics.interval.ms": 200}
    consumer = Consumer({**config, "stats_cb": note, "fetch.wait.max.ms": 100})
    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        consumed = 0
        deadline = time.monotonic() + 240
        while consumed < count and time.monotonic() < deadline:
            message = consumer.poll(1)
            consumed += message is not None and message.error() is None
        assert consumed == count
        while requests.get(near, 0) <= FETCHES and time.monotonic() < deadline:  # an idle consumer stays where it is
            consumer.poll(0.1)
    finally:
        consumer.close()
    return requests


def high_watermark(broker: Broker, topic: str) -> int:
    """The high watermark of partition 0 in the checkpoint of a broker, -1 if it has none."""
    checkpoint = broker.data_directory / "replication-offset-checkpoint"
    found = re.search(rf"^{topic} 0 (\d+)$", checkpoint.read_text() if checkpoint.exists() else "", re.MULTILINE)
    return int(found[1]) if found else -1


@pytest.fixture(scope="module")
def cluster(kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory) -> Iterator[MixedCluster]:
    """An Apache Kafka in rack a and a wirebroker in rack b, each of which leads a topic and follows another one."""
    with MixedCluster(tmp_path_factory.mktemp("cluster"), kafka_dist(KAFKA)) as cluster:
        cluster.kafka(0, settings={**SELECTOR, "broker.rack": "a"})
        cluster.wirebroker(1, {**SELECTOR, "broker.rack": "b"})
        cluster.await_brokers(0, 1)
        for topic, leader in TOPICS.items():
            cluster.create_topic(topic, {0: (leader, 1 - leader)})
        for topic, leader in TOPICS.items():
            await_leader_and_isr(cluster.bootstrap(), topic, leader, {0, 1})
            produce(cluster.bootstrap(), topic, random_values(RECORDS))
            # a replica whose high watermark is behind sends its consumers back to the leader
            wait_until(lambda: all(high_watermark(each, topic) == RECORDS for each in cluster.brokers.values()))  # noqa: B023
        yield cluster


@pytest.mark.parametrize("topic", TOPICS)
def test_consumers_are_sent_to_the_replica_in_their_rack_and_served_there(cluster: MixedCluster, topic: str) -> None:
    for rack, near in near_replicas(topic).items():
        found = fetches_by_broker(cluster.bootstrap(), topic, rack, RECORDS, near)
        far = 1 - near
        assert found.get(near, 0) > FETCHES, (topic, rack, found)
        assert found.get(far, 0) <= 3, (topic, rack, found)


@pytest.mark.nightly
def test_java_consumers_are_sent_to_the_replica_in_their_rack_and_served_there(cluster: MixedCluster) -> None:
    with jvm(resolve([f"org.apache.kafka:kafka-clients:{KAFKA}"])) as root:
        clients = JavaClients(root, cluster.bootstrap())
        for topic in TOPICS:
            for rack, near in near_replicas(topic).items():
                with clients.consumer(topic, client_rack=rack, fetch_max_wait_ms="100") as consumer:
                    assert len(clients.receive(consumer, RECORDS)) == RECORDS
                    before = fetches_of_java(consumer)
                    wait_until(lambda: poll(clients, consumer, near) > before.get(near, 0) + FETCHES)  # noqa: B023
                    after = fetches_of_java(consumer)
                    far = 1 - near
                    # one node at a time is asked for metadata, too
                    assert after.get(far, 0) - before.get(far, 0) <= 3, (topic, rack, before, after)


def poll(clients: JavaClients, consumer: Any, broker_id: int) -> float:
    """Have an idle consumer fetch; return how many requests it has sent to a broker."""
    consumer.poll(clients.seconds(0.2))
    return fetches_of_java(consumer).get(broker_id, 0)


def fetches_of_java(consumer: Any) -> dict[int, float]:
    """Broker -> how many requests a consumer without a group has sent there."""
    found: dict[int, float] = {}
    for name, metric in consumer.metrics().items():
        if name.name() == "request-total" and name.group() == "consumer-node-metrics":
            node = int(name.tags()["node-id"].removeprefix("node-"))
            if node >= 0:
                found[node] = metric.metricValue()
    return found


def near_replicas(topic: str) -> dict[str, int]:
    """Rack of a consumer -> the broker that is to serve it: the leader where no replica is in the rack."""
    return {"a": 0, "b": 1, "c": TOPICS[topic]}
