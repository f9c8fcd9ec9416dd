"""A wirebroker as the controller: of brokers of its own kind, and of Apache Kafka brokers beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Producer

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.limits import flush
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist


SETTINGS = {"zookeeper.session.timeout.ms": "12000", "auto.leader.rebalance.enable": "false"}


def controller(cluster: MixedCluster) -> int:
    """The id of the controller, by the Metadata of a live broker."""
    return cluster.controller_id(cluster.live_brokers()[0])


def produce(cluster: MixedCluster, topic: str, values: range) -> None:
    """Produce with acks=all, and wait until every record is acknowledged."""
    producer = Producer({"bootstrap.servers": cluster.bootstrap(), "acks": "all", "enable.idempotence": True})
    failed: list[object] = []

    def delivered(error: object, _: object) -> None:
        if error is not None:
            failed.append(error)

    for value in values:
        producer.produce(topic, str(value).encode(), partition=value % 3, on_delivery=delivered)
    flush(producer)
    assert not failed


def test_a_cluster_of_wirebrokers_survives_its_controller(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    with MixedCluster(tmp_path, kafka_dist(KAFKA)) as cluster:
        for broker_id in (0, 1, 2):
            cluster.wirebroker(broker_id, SETTINGS)
        cluster.await_brokers(0, 1, 2)
        wait_until(lambda: controller(cluster) in (0, 1, 2))
        cluster.create_topic("t", {0: (0, 1, 2), 1: (1, 2, 0), 2: (2, 0, 1)})
        cluster.await_states("t", {each: (each, {0, 1, 2}) for each in range(3)})
        produce(cluster, "t", range(100))
        cluster.kill(0)
        cluster.await_states("t", {0: (1, {1, 2}), 1: (1, {1, 2}), 2: (2, {1, 2})}, timeout_s=120)
        wait_until(lambda: controller(cluster) in (1, 2))
        produce(cluster, "t", range(100, 200))
        cluster.wirebroker(0)
        cluster.await_states("t", {0: (1, {0, 1, 2}), 1: (1, {0, 1, 2}), 2: (2, {0, 1, 2})}, timeout_s=120)


@pytest.mark.nightly  # more than a minute each
@pytest.mark.parametrize("version", [OLDEST_KAFKA, OLD_KAFKA, KAFKA])
def test_the_controller_moves_from_wirebroker_to_apache_kafka_and_back(
    version: str, kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    with MixedCluster(tmp_path, kafka_dist(version)) as cluster:
        cluster.wirebroker(0, {"auto.leader.rebalance.enable": "false"})
        cluster.kafka(1, settings=SETTINGS)
        cluster.await_brokers(0, 1)
        wait_until(lambda: controller(cluster) == 0)
        cluster.create_topic("t", {0: (0, 1), 1: (1, 0), 2: (0, 1)})
        cluster.await_states("t", {0: (0, {0, 1}), 1: (1, {0, 1}), 2: (0, {0, 1})})
        produce(cluster, "t", range(30))
        # Apache Kafka has its leaders moved by wirebroker
        cluster.stop(1)
        cluster.await_states("t", {each: (0, {0}) for each in range(3)})
        cluster.kafka(1)
        cluster.await_states("t", {each: (0, {0, 1}) for each in range(3)})
        # wirebroker has its leaders moved by itself, and Apache Kafka goes on from its znodes
        cluster.stop(0)
        wait_until(lambda: controller(cluster) == 1)
        cluster.await_states("t", {each: (1, {1}) for each in range(3)})
        produce(cluster, "t", range(30, 60))
        cluster.wirebroker(0)
        cluster.await_states("t", {each: (1, {0, 1}) for each in range(3)})
        cluster.kill(1)
        wait_until(lambda: controller(cluster) == 0)
        cluster.await_states("t", {each: (0, {0}) for each in range(3)})
        produce(cluster, "t", range(60, 90))
        cluster.topics("--delete", "--topic", "t")
        cluster.kafka(1)
        wait_until(lambda: "t" not in cluster.topics("--list").split())
