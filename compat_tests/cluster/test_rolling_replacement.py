"""Brokers of Apache Kafka are replaced by wirebrokers on the same directories, and back, under a checked load.

Nothing is lost or doubled, and librdkafka tells neither the producer nor the consumer of an error that it does not
retry by itself (`client_errors.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.cluster.fault_rounds import FaultRounds
from compat_tests.cluster.load import CheckedLoad
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.replicated_logs import await_equal_logs
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA, OLD_KAFKA
from tools.jvm.zookeeper import ZooKeeperBroker

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

BROKERS = (0, 1, 2)
ASSIGNMENT = {number: tuple((number + step) % 3 for step in range(3)) for number in BROKERS}
WITHIN_S = 180
REPLACEMENTS = {"replaced by wirebroker": Wirebroker, "replaced by Apache Kafka": ZooKeeperBroker}
"""How all brokers change, one after the other -> their kind afterwards."""


def replace(cluster: MixedCluster, broker_id: int) -> None:
    """Stop a broker, and start one of the other kind on its directory and port."""
    old = cluster.brokers[broker_id]
    cluster.stop(broker_id)
    directory = cluster.directory / f"replacement-{broker_id}-of-{type(old).__name__}"
    if isinstance(old, ZooKeeperBroker):
        settings = cluster.settings() | {
            "broker.id": str(broker_id),
            "zookeeper.connect": cluster.zookeeper.connect,
            "zookeeper.session.timeout.ms": "40000",
            # librdkafka fails a commit that it has made for a version that the next broker on this port lacks
            "wirebroker.as.version": cluster.dist.version,
        }
        new = Wirebroker(directory, settings)
        new.port, new.data_directory = old.port, old.data_directory
        cluster.brokers[broker_id] = new
        cluster.wirebroker(broker_id)
    else:
        kafka = ZooKeeperBroker(
            cluster.dist,
            directory,
            cluster.zookeeper,
            broker_id=broker_id,
            heap="320m",
            settings=cluster.settings() | {"log.dirs": str(old.data_directory)},
        )
        kafka.port, kafka.data_directory = old.port, old.data_directory
        cluster.brokers[broker_id] = kafka
        cluster.kafka(broker_id)


@pytest.mark.nightly
@pytest.mark.parametrize("version", [OLD_KAFKA, KAFKA])
def test_brokers_are_replaced_one_by_one_and_back(
    kafka_dist: Callable[[str], KafkaDist],
    tmp_path: Path,
    show_at_the_end: Callable[[str, str], None],
    version: str,
) -> None:
    with MixedCluster(tmp_path, kafka_dist(version)) as cluster:
        for broker_id in BROKERS:
            cluster.kafka(broker_id)
        cluster.await_brokers(*BROKERS)
        cluster.create_topic("t", ASSIGNMENT, {"min.insync.replicas": "2"})
        everybody = {number: set(replicas) for number, replicas in ASSIGNMENT.items()}

        def are_in_sync() -> bool:
            states = cluster.states("t", cluster.live_brokers()[0])
            return {number: isr for number, (_, isr) in states.items()} == everybody

        wait_until(are_in_sync, WITHIN_S)
        rounds = FaultRounds(f"Apache Kafka {version}", dict.fromkeys(REPLACEMENTS, 1))
        with CheckedLoad(cluster.bootstrap(), "t", len(ASSIGNMENT)) as load:
            for replacement in rounds:
                for broker_id in BROKERS:
                    replace(cluster, broker_id)
                    cluster.await_brokers(*BROKERS, timeout_s=WITHIN_S)
                    wait_until(are_in_sync, WITHIN_S)
                    load.await_more()
                kind = REPLACEMENTS[replacement]
                assert all(isinstance(each, kind) for each in cluster.brokers.values())
                assert isinstance(cluster.brokers[cluster.controller_id(0)], kind)
            acked = load.check(rounds)
            assert load.errors.not_retriable == [], load.errors.not_retriable[:5]
        for partition in ASSIGNMENT:
            await_equal_logs("t", partition, *(cluster.brokers[each].data_directory for each in BROKERS))
        table = f"{rounds.table()}\n{acked} records were acknowledged, and none was lost or doubled\n{load.errors}"
        show_at_the_end(f"rolling replacement of Apache Kafka {version}, and back", table)
