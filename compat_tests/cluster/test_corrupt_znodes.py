"""Znodes that are not what Kafka writes: a wirebroker names each in its log, leaves it out, and the cluster goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.broker import Wirebroker
from compat_tests.cluster.clients import RecordingProducer, ends_of, read_all
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.zookeeper_client import zookeeper_client
from compat_tests.conftest import wait_until
from compat_tests.versions import OLD_KAFKA
from tools.jvm.zookeeper import ZooKeeper

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

OURS = 1
NO_JSON, NO_OBJECT = b"{", b"[1]"
FOLLOWED = {
    "/config/changes/config_change_9999999999": NO_JSON,
    "/brokers/topics/corrupt": NO_JSON,
    "/brokers/ids/77": NO_OBJECT,
    "/isr_change_notification/isr_change_9999999999": NO_OBJECT,
    "/log_dir_event_notification/log_dir_event_9999999999": NO_JSON,
    "/admin/reassign_partitions": NO_JSON,
    "/admin/preferred_replica_election": NO_OBJECT,
}
"""Read by a broker that runs and is the controller."""
READ_AT_THE_START = {
    "/brokers/topics/no-state/partitions/0/state": NO_OBJECT,
    "/config/topics/no-state": NO_JSON,
}


def produce_and_read(cluster: MixedCluster, topic: str) -> None:
    """Create a topic, and read what is produced to it."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap(), "socket.timeout.ms": 30_000})
    for created in admin.create_topics([NewTopic(topic, 1, 1)], request_timeout=120).values():
        created.result(120)
    producer = RecordingProducer(cluster.bootstrap())
    producer.send(topic, 10, 1)
    producer.flush()
    assert read_all(cluster.bootstrap(), topic, ends_of(producer.acked)) == producer.acked


def test_corrupt_znodes_are_named_and_left_out(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    with MixedCluster(tmp_path, kafka_dist(OLD_KAFKA)) as cluster:
        ours = cluster.wirebroker(OURS)
        cluster.await_brokers(OURS)
        produce_and_read(cluster, "no-state")
        with zookeeper_client(cluster.zookeeper.connect) as client:
            for path, data in FOLLOWED.items():
                client.ensure_path(path.rpartition("/")[0])
                client.create(path, data)
        produce_and_read(cluster, "while-it-runs")
        wait_until(lambda: not unnamed(ours, FOLLOWED))
        cluster.stop(OURS)
        with zookeeper_client(cluster.zookeeper.connect) as client:
            for path, data in READ_AT_THE_START.items():
                client.set(path, data)
        started_at = len(ours.log())
        cluster.wirebroker(OURS)
        cluster.await_brokers(OURS)
        produce_and_read(cluster, "after-a-start")
        wait_until(lambda: not unnamed(ours, READ_AT_THE_START, started_at))
        assert "Traceback" not in ours.log()


def unnamed(broker: Wirebroker, paths: dict[str, bytes], since: int = 0) -> list[str]:
    """The znodes that the log of a broker does not name."""
    log = broker.log()[since:]
    return [each for each in paths if each not in log]


def test_a_cluster_whose_id_is_corrupt_is_not_joined(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    with ZooKeeper(kafka_dist(OLD_KAFKA), tmp_path / "zookeeper") as zookeeper:
        with zookeeper_client(zookeeper.connect) as client:
            client.create("/cluster/id", NO_JSON, makepath=True)
        broker = Wirebroker(tmp_path / "wirebroker", {"zookeeper.connect": zookeeper.connect, "broker.id": "1"})
        with pytest.raises(RuntimeError):
            broker.start()
        line = broker.log().splitlines()[-1]
        assert line.startswith("wirebroker: znode /cluster/id is corrupt: ")
        assert "Traceback" not in broker.log()
        assert not (broker.data_directory / "meta.properties").exists()
