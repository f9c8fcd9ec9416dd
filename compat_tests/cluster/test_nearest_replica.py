"""Fetch from the nearest replica (KIP-392): wirebroker and Apache Kafka send consumers to each other."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.replicated_logs import (
    await_leader_and_isr,
    produce,
    random_values,
)
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.broker import Broker
    from tools.jvm.kafka import KafkaDist

SELECTOR = {"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"}


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
        while requests.get(near, 0) <= 25 and time.monotonic() < deadline:  # an idle consumer stays where it is
            consumer.poll(0.1)
    finally:
        consumer.close()
    return requests


def high_watermark(broker: Broker, topic: str) -> int:
    """The high watermark of partition 0 in the checkpoint of a broker, -1 if it has none."""
    checkpoint = broker.data_directory / "replication-offset-checkpoint"
    found = re.search(rf"^{topic} 0 (\d+)$", checkpoint.read_text() if checkpoint.exists() else "", re.MULTILINE)
    return int(found[1]) if found else -1


def test_consumers_are_sent_to_the_replica_in_their_rack_and_served_there(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    with MixedCluster(tmp_path, kafka_dist(KAFKA)) as cluster:
        cluster.kafka(0, settings={**SELECTOR, "broker.rack": "a"})
        cluster.wirebroker(1, {**SELECTOR, "broker.rack": "b"})
        cluster.await_brokers(0, 1)
        cluster.create_topic("led-by-kafka", {0: (0, 1)})
        cluster.create_topic("led-by-wirebroker", {0: (1, 0)})
        for topic, leader in (("led-by-kafka", 0), ("led-by-wirebroker", 1)):
            await_leader_and_isr(cluster.bootstrap(), topic, leader, {0, 1})
            produce(cluster.bootstrap(), topic, random_values(2000))
            # a replica whose high watermark is behind sends its consumers back to the leader
            wait_until(lambda: all(high_watermark(each, topic) == 2000 for each in cluster.brokers.values()))  # noqa: B023
            for rack, near in (("a", 0), ("b", 1), ("c", leader)):
                found = fetches_by_broker(cluster.bootstrap(), topic, rack, 2000, near)
                far = 1 - near
                assert found.get(near, 0) > 25, (topic, rack, found)
                assert found.get(far, 0) <= 3, (topic, rack, found)
