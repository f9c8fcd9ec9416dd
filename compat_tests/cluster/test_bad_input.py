"""A wirebroker that must not join a cluster says why in one clear line, and the cluster goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.versions import OLD_KAFKA
from tools.jvm.kafka import free_ports

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

OURS = 1


@pytest.fixture(scope="module")
def cluster(kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory) -> Iterator[MixedCluster]:
    """A cluster of one wirebroker, without a controller: identities are checked all the same."""
    with MixedCluster(tmp_path_factory.mktemp("cluster"), kafka_dist(OLD_KAFKA), chroot="/kafka") as found:
        found.wirebroker(OURS)
        yield found


def refused(broker: Wirebroker) -> str:
    """Return the last line of a broker that does not start."""
    with pytest.raises(RuntimeError):
        broker.start(timeout_s=60)
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
