"""A wirebroker that must not join a cluster says why in one clear line, and the cluster goes on.

Corrupt znodes have a module of their own, test_corrupt_znodes.py.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.versions import OLD_KAFKA
from compat_tests.wire import Closed, Wire
from tools.jvm.ports import free_ports
from wirebroker.protocol.messages.metadata import MetadataRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

OURS = 1


@pytest.fixture(scope="module")
def cluster(kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory) -> Iterator[MixedCluster]:
    """A cluster of one wirebroker, whose chroot it has made itself."""
    with MixedCluster(tmp_path_factory.mktemp("cluster"), kafka_dist(OLD_KAFKA), chroot="/kafka") as found:
        found.wirebroker(OURS)
        yield found


def refused(broker: Wirebroker) -> str:
    """Return the last line of a broker that does not start."""
    with pytest.raises(RuntimeError):
        broker.start()
    assert "Traceback" not in broker.log()
    return broker.log().splitlines()[-1]


def broker_in(directory: Path, cluster: MixedCluster, **settings: str) -> Wirebroker:
    given = {"zookeeper.connect": cluster.zookeeper.connect}
    return Wirebroker(directory, given | {name.replace("_", "."): value for name, value in settings.items()})


def test_a_broker_id_that_is_taken(cluster: MixedCluster, tmp_path: Path) -> None:
    line = refused(broker_in(tmp_path, cluster, broker_id=str(OURS)))
    assert line.startswith(f"wirebroker: broker.id {OURS} is registered by another broker: ")
    assert line.endswith("give each broker an id of its own")
    ours = cluster.brokers[OURS]
    assert isinstance(ours, Wirebroker)
    assert ours.running


def test_a_directory_of_another_cluster(cluster: MixedCluster, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "meta.properties").write_text("version=0\nbroker.id=7\ncluster.id=of-another-cluster\n")
    line = refused(broker_in(tmp_path, cluster, broker_id="7"))
    assert "belongs to cluster of-another-cluster, but zookeeper.connect=" in line
    assert line.endswith("check address and chroot of zookeeper.connect, or use another directory")


def test_the_directory_of_a_cluster_and_a_chroot_that_is_missing(cluster: MixedCluster, tmp_path: Path) -> None:
    """As with Apache Kafka a chroot without znodes is a new cluster, which may be due to a slip of the pen."""
    properties = (cluster.brokers[OURS].data_directory / "meta.properties").read_text()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "meta.properties").write_text(properties.replace(f"broker.id={OURS}", "broker.id=9"))
    broker = Wirebroker(tmp_path, {"zookeeper.connect": f"{cluster.zookeeper.host}:{cluster.zookeeper.port}/kafak"})
    line = refused(broker)
    assert "/kafak is cluster " in line
    assert line.endswith("check address and chroot of zookeeper.connect, or use another directory")


@pytest.mark.parametrize("connect", ["127.0.0.1:0", "127.0.0.1:2181/a//b"])
def test_an_address_that_cannot_be_one(tmp_path: Path, connect: str) -> None:
    line = refused(Wirebroker(tmp_path, {"zookeeper.connect": connect, "broker.id": "1"}))
    assert line.startswith("wirebroker: ")
    assert "zookeeper.connect" in line


def test_a_protocol_of_the_future(tmp_path: Path) -> None:
    line = refused(Wirebroker(tmp_path, {"inter.broker.protocol.version": "4.0", "broker.id": "1"}))
    assert "Version 4.0 is not a valid version" in line


@pytest.mark.parametrize(
    ("api_key", "version", "reason"),
    [
        (4, 8, "LeaderAndIsr version 8 is not served here"),
        (5, 5, "StopReplica version 5 is not served here"),
        (6, 9, "UpdateMetadata version 9 is not served here"),
        (7, 4, "ControlledShutdown version 4 is not served here"),
        (27, 9, "WriteTxnMarkers version 9 is not served here"),
        (56, 9, "AlterPartition version 9 is not served here"),
        (67, 9, "AllocateProducerIds version 9 is not served here"),
        (999, 0, "unknown api key 999"),
    ],
)
def test_requests_of_the_future(cluster: MixedCluster, api_key: int, version: int, reason: str) -> None:
    ours = cluster.brokers[OURS]
    assert isinstance(ours, Wirebroker)
    with Wire(ours.host, ours.port) as wire:
        wire.send_frame(struct.pack(">hhih", api_key, version, 1, -1) + bytes(100))
        with pytest.raises(Closed):
            wire.receive_frame()
    wait_until(lambda: reason in ours.log())
    with Wire(ours.host, ours.port) as wire:
        assert wire.ask(MetadataRequest(topics=[]), version=9).topics == []


def test_a_directory_of_another_broker(cluster: MixedCluster, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "meta.properties").write_text("version=0\nbroker.id=7\n")
    line = refused(broker_in(tmp_path, cluster, broker_id="8"))
    assert "belongs to broker 7, and broker.id that this is broker 8" in line


def test_a_directory_of_a_broker_that_was_a_cluster_by_itself(cluster: MixedCluster, tmp_path: Path) -> None:
    alone = Wirebroker(tmp_path)
    with alone:
        pass
    line = refused(broker_in(tmp_path, cluster, broker_id="0"))
    assert "start it without zookeeper.connect, or use another directory" in line


def test_an_address_that_does_not_answer(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    settings = {
        "zookeeper.connect": f"127.0.0.1:{port}/kafka",
        "zookeeper.connection.timeout.ms": "2000",
        "broker.id": "1",
    }
    line = refused(Wirebroker(tmp_path, settings))
    assert line.startswith(f"wirebroker: no session with ZooKeeper at 127.0.0.1:{port}/kafka after 2.0 s")
    assert line.endswith("or start with --standalone to join no cluster")


def test_a_generated_id_is_kept_in_the_directory(cluster: MixedCluster, tmp_path: Path) -> None:
    broker = broker_in(tmp_path, cluster)
    for _ in range(2):
        with broker:
            assert "broker.id=1001\n" in (broker.data_directory / "meta.properties").read_text()
            assert "ready: broker 1001 on" in broker.log()
