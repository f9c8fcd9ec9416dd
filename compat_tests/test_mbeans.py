"""The MBeans of a running Apache Kafka 3.9.1 are those that `wirebroker/tests/monitoring/kafka_mbeans.py` lists.

The broker runs in a JVM of the test, whose MBean server is asked in the process: no port for JMX is needed.
"""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA
from tools.jvm.bridge import jvm
from tools.jvm.kafka import KafkaBroker
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker
from wirebroker.tests.monitoring.kafka_mbeans import BOTH, KRAFT, ZOOKEEPER, mbeans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

OPENED = "--add-opens=java.management/com.sun.jmx.mbeanserver=ALL-UNNAMED"
SETTINGS = {
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "2",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
}


@contextmanager
def in_this_jvm(broker: KafkaBroker, more: Mapping[str, str] | None = None) -> Iterator[Any]:
    """Run *broker* in a JVM of this test, and yield the JVM's packages."""
    broker.directory.mkdir(parents=True)
    properties = broker.directory / "server.properties"
    settings = SETTINGS | {"log.dirs": str(broker.data_directory)} | broker.own_settings() | dict(more or {})
    properties.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    broker.prepare(properties)
    with jvm(broker.dist.jars, heap="512m", options=[OPENED]) as java:
        arguments = java.java.lang.reflect.Array.newInstance(java.java.lang.Class.forName("java.lang.String"), 1)
        arguments[0] = str(properties)

        def run() -> None:
            with suppress(Exception):  # the JVM is ended under it
                java.kafka.Kafka.main(arguments)

        threading.Thread(target=run, daemon=True).start()
        wait_until(lambda: listens(broker.port))
        yield java


def running_mbeans(broker: KafkaBroker) -> set[str]:
    """Start *broker*, use it, and return the names of its MBeans as the list has them."""
    with in_this_jvm(broker) as java:
        where = ("--bootstrap-server", broker.bootstrap, "--topic", "t")
        broker.dist.run("kafka-topics", *where, "--create", "--partitions", "1")
        broker.dist.run("kafka-console-producer", *where, stdin="a\nb\n")
        broker.dist.run(
            "kafka-console-consumer", *where, "--from-beginning", "--max-messages", "2", "--group", "g", timeout=120
        )
        server = java.java.lang.management.ManagementFactory.getPlatformMBeanServer()
        found = server.queryNames(java.javax.management.ObjectName("kafka.*:*"), None)
        return {listed(name) for name in found}


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def listed(name: Any) -> str:
    """Return the name of an MBean in the form of the list."""
    of_type = f"{name.getDomain()}:{name.getKeyProperty('type')}"
    own = name.getKeyProperty("name")
    return of_type if own is None else f"{of_type} {own}"


@pytest.mark.nightly
def test_the_list_is_that_of_a_kraft_node(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    found = running_mbeans(KafkaBroker(kafka_dist(KAFKA), tmp_path / "kraft"))
    assert found ^ {*mbeans(BOTH), *mbeans(KRAFT)} == set()


@pytest.mark.nightly
def test_the_list_is_that_of_a_broker_with_zookeeper(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    dist = kafka_dist(KAFKA)
    with ZooKeeper(dist, tmp_path / "zookeeper") as zookeeper:
        found = running_mbeans(ZooKeeperBroker(dist, tmp_path / "broker", zookeeper))
    assert found ^ {*mbeans(BOTH), *mbeans(ZOOKEEPER)} == set()
