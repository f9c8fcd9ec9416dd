"""ZooKeeper goes away, wirebroker is cut off, and the protocol is raised, while a producer goes on: nothing is lost."""

from __future__ import annotations

import shutil
import time
from contextlib import ExitStack
from threading import Event, Thread
from typing import TYPE_CHECKING, Self

import pytest

from compat_tests.cluster.clients import RecordingProducer, ends_of, read_all
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.replicated_logs import await_equal_logs
from compat_tests.cluster.tcp_proxy import TcpProxy
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA, OLD_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

CONTROLLER, THEIRS, OURS = 0, 1, 2
ASSIGNMENT = {0: (OURS, THEIRS), 1: (THEIRS, OURS)}
LEADERS = {0: (OURS, {OURS, THEIRS}), 1: (THEIRS, {OURS, THEIRS})}
FAST = {"replica.lag.time.max.ms": "4000", "zookeeper.session.timeout.ms": "6000"}
NIGHTLY = pytest.mark.nightly


class Load:
    """An idempotent producer that writes some hundred records a second until the end of the block."""

    def __init__(self, bootstrap: str, topic: str, partitions: int) -> None:
        self.producer = RecordingProducer(bootstrap)
        self._topic, self._partitions = topic, partitions
        self._stopped = Event()
        self._thread = Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        self.await_more()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(0.05):
            self.producer.send(self._topic, 20, self._partitions)

    def await_more(self) -> None:
        """Wait until records that are produced from now on are acknowledged in every partition."""
        at = len(self.producer.acked) + 200
        every = set(range(self._partitions))
        wait_until(lambda: {each.partition for each in self.producer.acked[at:]} == every, 120)


def check(cluster: MixedCluster, load: Load) -> None:
    """Check that every acknowledged record is there, once, at its offset, and that the replicas have the same bytes."""
    load.producer.flush()
    acked = load.producer.acked
    found = read_all(cluster.bootstrap(), "t", ends_of(acked))
    assert len(acked) == len(set(acked))
    assert set(acked) <= set(found)
    assert len({each.value for each in found}) == len(found), "a record is there twice"
    for partition in ASSIGNMENT:
        await_equal_logs("t", partition, *(cluster.brokers[each].data_directory for each in (OURS, THEIRS)))


@pytest.mark.parametrize("gone_s", [pytest.param(1, marks=NIGHTLY), 4, pytest.param(15, marks=NIGHTLY)])
def test_records_are_written_while_zookeeper_is_gone(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, gone_s: int
) -> None:
    with MixedCluster(tmp_path, kafka_dist(OLD_KAFKA)) as cluster:
        for broker_id in (CONTROLLER, THEIRS):
            cluster.kafka(broker_id)
        cluster.wirebroker(OURS, FAST)
        cluster.await_brokers(CONTROLLER, THEIRS, OURS)
        cluster.create_topic("t", ASSIGNMENT)
        cluster.await_states("t", LEADERS)
        with Load(cluster.bootstrap(), "t", 2) as load:
            cluster.zookeeper.stop()
            time.sleep(gone_s)
            load.await_more()
            cluster.zookeeper.start()
            cluster.await_brokers(CONTROLLER, THEIRS, OURS)
            load.await_more()
        cluster.topics("--create", "--topic", "after", "--partitions", "1", "--replication-factor", "3")
        check(cluster, load)


@pytest.mark.nightly
@pytest.mark.parametrize("version", [OLD_KAFKA, KAFKA])
def test_the_leaders_of_a_log_directory_that_fails_move(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str
) -> None:
    with MixedCluster(tmp_path, kafka_dist(version)) as cluster:
        cluster.kafka(CONTROLLER)
        one, two = tmp_path / "wirebroker-2" / "one", tmp_path / "wirebroker-2" / "two"
        ours = cluster.wirebroker(OURS, {"log.dirs": f"{one},{two}"})
        cluster.await_brokers(CONTROLLER, OURS)
        both = {CONTROLLER, OURS}
        cluster.create_topic("t", dict.fromkeys(range(4), (OURS, CONTROLLER)))
        cluster.await_states("t", dict.fromkeys(range(4), (OURS, both)))
        lost = {at for at in range(4) if (one / f"t-{at}").exists()}
        assert 0 < len(lost) < 4
        with Load(cluster.bootstrap(), "t", 4) as load:
            shutil.rmtree(one)
            one.write_text("what a disk that fails looks like")
            moved = {at: (CONTROLLER, {CONTROLLER}) if at in lost else (OURS, both) for at in range(4)}
            cluster.await_states("t", moved, timeout_s=120)
            load.await_more()
        load.producer.flush()
        acked = load.producer.acked
        assert set(acked) <= set(read_all(cluster.bootstrap(), "t", ends_of(acked)))
        assert ours.running


@pytest.mark.nightly
@pytest.mark.parametrize("version", [OLD_KAFKA, KAFKA])
@pytest.mark.parametrize("cut", ["zookeeper", "peers", "all"])
def test_nothing_is_lost_when_wirebroker_is_cut_off(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, cut: str, version: str
) -> None:
    """Peers do not reach wirebroker any more, wirebroker does not reach ZooKeeper, or both."""
    with (
        MixedCluster(tmp_path, kafka_dist(version), second_listener="INTERNAL") as cluster,
        ExitStack() as stack,
    ):
        to_zookeeper = stack.enter_context(TcpProxy(cluster.zookeeper.port))
        to_ours = stack.enter_context(TcpProxy(cluster.second_port(OURS)))
        internal = {"inter.broker.listener.name": "INTERNAL"}
        for broker_id in (CONTROLLER, THEIRS):
            cluster.kafka(broker_id, settings=internal | {"replica.lag.time.max.ms": "4000"})
        # the controller would take the others out of the ISR, which it can still be asked for, and nobody could lead
        patient = {} if cut == "peers" else {"replica.lag.time.max.ms": "60000"}
        proxies = {
            "zookeeper.connect": f"127.0.0.1:{to_zookeeper.port}",
            "advertised.listeners": f"INTERNAL://127.0.0.1:{to_ours.port}",
        }
        cluster.wirebroker(OURS, FAST | patient | internal | proxies)
        cluster.await_brokers(CONTROLLER, THEIRS, OURS)
        cluster.create_topic("t", ASSIGNMENT)
        cluster.await_states("t", LEADERS)
        with Load(cluster.bootstrap(), "t", 2) as load:
            if cut != "peers":
                to_zookeeper.cut()
            if cut != "zookeeper":
                to_ours.cut()
            alone = {0: (OURS, {OURS})} if cut == "peers" else {0: (THEIRS, {THEIRS})}
            wait_until(lambda: alone.items() <= cluster.states("t", CONTROLLER).items(), 90)
            time.sleep(2)
            to_zookeeper.heal()
            to_ours.heal()
            both = {at: (leader, {OURS, THEIRS}) for at, (leader, _) in (LEADERS | alone).items()}
            cluster.await_states("t", both, timeout_s=120)
            load.await_more()
        check(cluster, load)


@pytest.mark.nightly
def test_the_protocol_is_raised_under_load(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    with MixedCluster(tmp_path, kafka_dist(OLD_KAFKA), protocol="2.6") as cluster:
        for broker_id in (CONTROLLER, THEIRS):
            cluster.kafka(broker_id)
        cluster.wirebroker(OURS)
        cluster.await_brokers(CONTROLLER, THEIRS, OURS)
        cluster.create_topic("t", ASSIGNMENT)
        cluster.await_states("t", LEADERS)
        both = {OURS, THEIRS}
        with Load(cluster.bootstrap(), "t", 2) as load:
            for broker_id, other in ((OURS, THEIRS), (THEIRS, OURS), (CONTROLLER, None)):
                cluster.stop(broker_id)
                cluster.brokers[broker_id].settings["inter.broker.protocol.version"] = "2.8"
                start = cluster.wirebroker if broker_id == OURS else cluster.kafka
                start(broker_id)
                cluster.await_brokers(CONTROLLER, THEIRS, OURS)
                wanted = other if other is not None else cluster.states("t", OURS)[0][0]
                cluster.await_states("t", {at: (wanted, both) for at in ASSIGNMENT}, timeout_s=120)
                load.await_more()
        check(cluster, load)
        assert (cluster.brokers[OURS].data_directory / "t-0" / "partition.metadata").exists(), "the topic has no id"
