"""/feature as a wirebroker that is the controller writes it, and as Apache Kafka does, at several protocols."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

from compat_tests.broker import Wirebroker
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA, OLD_KAFKA
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

PROTOCOLS = {KAFKA: ("2.6", "3.2", "3.3", "2.6"), OLD_KAFKA: ("2.6", "2.7", "2.6")}
"""Release -> protocols of the controllers, each of which changes the znode that the one before has left."""


def await_feature(client: KazooClient, before: int) -> tuple[bytes, int]:
    """Wait until /feature has another version than *before*; return its data and version."""
    deadline = time.monotonic() + 60
    while True:
        try:
            data, stat = client.get("/feature")
        except NoNodeError:
            stat = None
        if stat is not None and stat.version != before:
            return data, stat.version
        assert time.monotonic() < deadline, "/feature is not written"
        time.sleep(0.1)


def knows_controller(bootstrap: str) -> bool:
    """Whether a broker is up: Apache Kafka cannot be stopped before that."""
    try:
        return bool(AdminClient({"bootstrap.servers": bootstrap}).list_topics(timeout=5).controller_id >= 0)
    except KafkaException:
        return False


def history(dist: KafkaDist, directory: Path, protocols: tuple[str, ...], *, is_kafka: bool) -> list[tuple[bytes, int]]:
    """Start a controller with each protocol; return the data and the version of /feature after each start."""
    found: list[tuple[bytes, int]] = []
    with ZooKeeper(dist, directory / "zookeeper") as zookeeper:
        client = KazooClient(zookeeper.connect)
        client.start()
        try:
            for number, protocol in enumerate(protocols):
                settings = {
                    "broker.id": str(number),
                    "zookeeper.session.timeout.ms": "6000",
                    "zookeeper.connect": zookeeper.connect,
                    "inter.broker.protocol.version": protocol,
                }
                broker = (
                    ZooKeeperBroker(dist, directory / f"kafka-{number}", zookeeper, broker_id=number, settings=settings)
                    if is_kafka
                    else Wirebroker(directory / f"wirebroker-{number}", settings)
                )
                with broker:
                    found.append(await_feature(client, found[-1][1] if found else -1))
                    wait_until(lambda at=broker.bootstrap: knows_controller(at))  # type: ignore[misc]
        finally:
            client.stop()
            client.close()
    return found


@pytest.mark.nightly  # seven starts of a broker
@pytest.mark.parametrize("version", [KAFKA, OLD_KAFKA])
def test_the_feature_znode_has_the_bytes_of_apache_kafka(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str
) -> None:
    dist, protocols = kafka_dist(version), PROTOCOLS[version]
    theirs = history(dist, tmp_path / "theirs", protocols, is_kafka=True)
    assert history(dist, tmp_path / "ours", protocols, is_kafka=False) == theirs
