"""Topics deleted while a broker is down, and by a controller that leaves: the next one, of the other kind, finishes.

Also topics with a log that its broker has refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.zookeeper_client import zookeeper_client
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist


def partition_directories(cluster: MixedCluster, broker_id: int, topic: str) -> list[str]:
    """The directories of a topic's partitions on a broker, without those that are renamed to be deleted."""
    found = cluster.brokers[broker_id].data_directory.glob(f"{topic}-*")
    return sorted(each.name for each in found if each.name.rpartition("-")[2].isdigit())


def ask_for_deletion(cluster: MixedCluster, topic: str) -> None:
    """Have the controller delete a topic; it is gone for clients at once, though a broker is down."""
    if cluster.dist.version < "2.2":
        cluster.topics("--delete", "--topic", topic)  # with --zookeeper
        return
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap()})
    assert admin.delete_topics([topic], operation_timeout=30)[topic].result(60) is None


def await_deletion(cluster: MixedCluster, topic: str, *broker_ids: int) -> None:
    """Wait until brokers have no partition of a topic."""
    wait_until(lambda: not any(partition_directories(cluster, each, topic) for each in broker_ids))


def await_controller(cluster: MixedCluster, broker_id: int) -> None:
    wait_until(lambda: all(cluster.controller_id(each) == broker_id for each in cluster.live_brokers()))


def topics_of(cluster: MixedCluster, broker_id: int) -> set[str]:
    """The topics in the Metadata of one broker."""
    admin = AdminClient({"bootstrap.servers": cluster.brokers[broker_id].bootstrap})
    return set(admin.list_topics(timeout=30).topics)


@pytest.mark.parametrize(
    "version",
    [
        KAFKA,
        pytest.param(OLD_KAFKA, marks=pytest.mark.nightly),
        pytest.param(OLDEST_KAFKA, marks=pytest.mark.nightly),
    ],
)
def test_a_deletion_is_finished_by_a_controller_of_the_other_kind(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str
) -> None:
    with MixedCluster(tmp_path, kafka_dist(version)) as cluster:
        for broker_id in (0, 2):
            cluster.wirebroker(broker_id)
        cluster.kafka(1)
        cluster.await_brokers(0, 1, 2)
        await_controller(cluster, 0)
        for topic in ("a", "b"):
            cluster.create_topic(topic, {0: (0, 1, 2), 1: (1, 2, 0)})
            cluster.await_states(topic, {0: (0, {0, 1, 2}), 1: (1, {0, 1, 2})})
        cluster.topics("--alter", "--topic", "a", "--partitions", "3")
        wait_until(lambda: all(len(cluster.states("a", each)) == 3 for each in (0, 1, 2)))
        wait_until(lambda: partition_directories(cluster, 2, "a") == ["a-0", "a-1", "a-2"])

        # begun by wirebroker
        cluster.stop(2)
        ask_for_deletion(cluster, "a")
        await_deletion(cluster, "a", 0, 1)
        cluster.stop(0)
        await_controller(cluster, 1)
        cluster.wirebroker(2)
        cluster.wirebroker(0)
        await_deletion(cluster, "a", 0, 1, 2)
        wait_until(lambda: all("a" not in topics_of(cluster, each) for each in (0, 1, 2)))

        # begun by Apache Kafka
        cluster.await_states("b", {0: (1, {0, 1, 2}), 1: (1, {0, 1, 2})})
        cluster.stop(2)
        ask_for_deletion(cluster, "b")
        await_deletion(cluster, "b", 0, 1)
        cluster.stop(1)
        await_controller(cluster, 0)
        cluster.kafka(1)
        cluster.wirebroker(2)
        await_deletion(cluster, "b", 0, 1, 2)
        wait_until(lambda: all("b" not in topics_of(cluster, each) for each in (0, 1, 2)))


def damage(cluster: MixedCluster, broker_id: int, topic: str) -> None:
    """Write other bytes over the middle of the log of partition 0, on a broker that does not run."""
    (segment,) = cluster.brokers[broker_id].data_directory.glob(f"{topic}-0/*.log")
    data = bytearray(segment.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 50] = bytes(50)
    segment.write_bytes(data)


@pytest.mark.parametrize("is_kafka", [False, True], ids=["wirebroker controls", "Apache Kafka controls"])
def test_a_topic_with_a_log_that_is_refused_at_the_start_is_deleted(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, *, is_kafka: bool
) -> None:
    with MixedCluster(tmp_path, kafka_dist(KAFKA)) as cluster:
        (cluster.kafka if is_kafka else cluster.wirebroker)(0)
        cluster.await_brokers(0)
        cluster.wirebroker(1, {"zookeeper.session.timeout.ms": "6000"})
        cluster.await_brokers(0, 1)
        topics = ["before"] if is_kafka else ["before", "later"]
        for topic in topics:
            cluster.create_topic(topic, {0: (1,)})
            cluster.await_states(topic, {0: (1, {1})})
            producer = Producer({"bootstrap.servers": cluster.bootstrap(), "batch.size": 1000})
            for _ in range(100):
                producer.produce(topic, bytes(200), partition=0)
            assert producer.flush(60) == 0
        cluster.kill(1)
        for topic in topics:
            damage(cluster, 1, topic)
        cluster.await_brokers(0)
        ask_for_deletion(cluster, topics[0])
        broker = cluster.wirebroker(1)
        cluster.await_brokers(0, 1)
        assert "not served" in broker.log()
        for topic in topics[1:]:  # an Apache Kafka deletes it only after the next start of the broker
            ask_for_deletion(cluster, topic)
        for topic in topics:
            await_deletion(cluster, topic, 1)
        with zookeeper_client(cluster.zookeeper_connect) as client:
            wait_until(lambda: not client.get_children("/admin/delete_topics"))
            assert not client.get_children("/brokers/topics")
