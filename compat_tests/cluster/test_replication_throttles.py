"""Replication throttles (KIP-73): wirebroker as a throttled follower of Apache Kafka, and as its throttling leader."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.replicated_logs import (
    ACKS_1,
    await_leader_and_isr,
    log_bytes,
    produce,
    random_values,
)
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

RATE = 300_000
WINDOWS_S, FETCH_BYTES = 11, 100_000
AT_ONCE = WINDOWS_S * RATE + 2 * FETCH_BYTES
"""The bytes that the seconds of the window allow before the first pause."""
BYTES = 6_000_000
SETTINGS = {"replica.fetch.max.bytes": str(FETCH_BYTES)}


def test_throttled_replicas_catch_up_at_the_rate_that_is_set(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    """wirebroker is throttled as a follower of Apache Kafka, and then as its leader."""
    with MixedCluster(tmp_path, kafka_dist(KAFKA)) as cluster:
        cluster.kafka(0, settings=SETTINGS)
        cluster.wirebroker(1, SETTINGS)
        cluster.await_brokers(0, 1)
        catch_up_throttled(cluster, "followed", "follower", 0)
        catch_up_throttled(cluster, "led", "leader", 1)


def catch_up_throttled(cluster: MixedCluster, topic: str, side: str, leader: int) -> None:
    """Stop the follower of a topic, produce, and see that it is throttled when it is back."""
    follower = 1 - leader
    cluster.create_topic(topic, {0: (leader, follower)}, {f"{side}.replication.throttled.replicas": "*"})
    await_leader_and_isr(cluster.bootstrap(), topic, leader, {0, 1})
    set_rate(cluster, side, RATE)
    cluster.stop(follower)
    leading = cluster.bootstrap(leader)
    await_leader_and_isr(leading, topic, leader, {leader})
    produce(leading, topic, random_values(BYTES // 1000, 1000), 0, ACKS_1)
    start = cluster.wirebroker if follower == 1 else cluster.kafka
    start(follower)
    directory = cluster.brokers[follower].data_directory
    wait_until(lambda: bool(log_bytes(directory, topic, 0)))
    began, size = time.monotonic(), len(log_bytes(directory, topic, 0))
    await_leader_and_isr(leading, topic, leader, {0, 1})
    allowed = AT_ONCE + RATE * (time.monotonic() - began)
    left = len(log_bytes(directory, topic, 0)) - size
    assert left < allowed, (topic, size, left)


def set_rate(cluster: MixedCluster, side: str, rate: int) -> None:
    """Limit one direction on both brokers, as `kafka-reassign-partitions --throttle` does."""
    for broker_id in (0, 1):
        where = ["--entity-type", "brokers", "--entity-name", str(broker_id)]
        change = ["--add-config", f"{side}.replication.throttled.rate={rate}"]
        cluster.dist.run("kafka-configs", "--bootstrap-server", cluster.bootstrap(), "--alter", *where, *change)
