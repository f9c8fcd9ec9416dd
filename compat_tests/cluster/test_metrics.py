"""/metrics and /jmx of a wirebroker that leads and follows partitions beside Apache Kafka, with ZooKeeper."""

from __future__ import annotations

import json
import urllib.request
from typing import TYPE_CHECKING

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.replicated_logs import ACKS_ALL, await_leader_and_isr, produce, random_values
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA
from tools.jvm.ports import free_ports

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

RECORDS, RECORD_BYTES = 500, 200


class Mbeans:
    """The MBeans of one broker, read anew for each question."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}/jmx"

    def attributes(self, name: str) -> dict[str, float]:
        """The attributes of an MBean, none if there is no such MBean."""
        with urllib.request.urlopen(self._address, timeout=60) as response:
            found: dict[str, dict[str, float]] = dict(json.loads(response.read()))
        return found.get(name, {})

    def value(self, name: str) -> float:
        """The value or the count of an MBean, -1 if there is no such MBean."""
        found = self.attributes(name)
        return found.get("Value", found.get("Count", -1))


def test_a_member_has_the_figures_of_a_follower_and_of_a_controller(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    (port,) = free_ports(1)
    with MixedCluster(tmp_path, kafka_dist(KAFKA)) as cluster:
        kafka = cluster.kafka(0)
        cluster.wirebroker(1, {"wirebroker.metrics.port": str(port), "wirebroker.metrics.host": "127.0.0.1"})
        mbeans = Mbeans(port)
        cluster.await_brokers(0, 1)
        cluster.create_topic("t", {0: (0, 1), 1: (1, 0)})
        for partition in (0, 1):
            await_leader_and_isr(kafka.bootstrap, "t", partition, {0, 1}, partition)
            produce(cluster.bootstrap(0, 1), "t", random_values(RECORDS, RECORD_BYTES), partition, ACKS_ALL)

        # followed partitions
        fetcher = "ReplicaFetcherThread-0-0"
        lag = f"kafka.server:type=FetcherLagMetrics,name=ConsumerLag,clientId={fetcher},topic=t,partition=0"
        wait_until(lambda: mbeans.value(lag) == 0)
        manager = "kafka.server:type=ReplicaFetcherManager,name={},clientId=Replica"
        for name in ("MaxLag", "FailedPartitionsCount", "DeadThreadCount"):
            assert mbeans.value(manager.format(name)) == 0
        topic = "kafka.server:type=BrokerTopicMetrics,name={},topic=t"
        bytes_in = mbeans.value(topic.format("ReplicationBytesInPerSec"))
        assert bytes_in > RECORDS * RECORD_BYTES
        of_fetcher = f"kafka.server:type=FetcherStats,name=BytesPerSec,clientId={fetcher},brokerHost={kafka.host}"
        assert mbeans.value(f"{of_fetcher},brokerPort={kafka.port}") >= bytes_in
        assert mbeans.value(topic.format("ReplicationBytesOutPerSec")) > RECORDS * RECORD_BYTES
        assert mbeans.value(topic.format("MessagesInPerSec")) == RECORDS
        wait_until(lambda: mbeans.value(manager.format("MinFetchRate")) > 0)

        # ZooKeeper, and the other broker as the controller
        latency = mbeans.attributes("kafka.server:type=ZooKeeperClientMetrics,name=ZooKeeperRequestLatencyMs")
        assert latency["Count"] > 10
        assert 0 < latency["50thPercentile"] <= latency["Max"]
        controller = "kafka.controller:type=KafkaController,name={}"
        assert mbeans.value(controller.format("ActiveControllerCount")) == 0
        assert mbeans.value("kafka.server:type=ReplicaManager,name=LeaderCount") >= 1

        # this one becomes the controller, with a partition less in sync
        cluster.stop(0)
        wait_until(lambda: mbeans.value(controller.format("ActiveControllerCount")) == 1)
        wait_until(lambda: mbeans.value(controller.format("ActiveBrokerCount")) == 1)
        wait_until(lambda: mbeans.value("kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions") >= 2)
        assert mbeans.value(controller.format("OfflinePartitionsCount")) == 0
        assert mbeans.value(controller.format("PreferredReplicaImbalanceCount")) >= 1
        changes = mbeans.attributes("kafka.controller:type=ControllerStats,name=ControllerChangeRateAndTimeMs")
        assert changes["Count"] >= 1
        assert mbeans.value("kafka.controller:type=ControllerEventManager,name=EventQueueTimeMs") > 1
