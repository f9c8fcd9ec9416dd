"""A log directory fails, wirebroker is not reached, and the protocol is raised, while a producer goes on.

`test_faults.py` has these cuts in both directions.  `--fault-runs` says how often a fault happens in its cluster;
without it once.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.clients import ends_of, read_all, with_offsets
from compat_tests.cluster.load import Load
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.replicated_logs import await_equal_logs
from compat_tests.cluster.tcp_proxy import TcpProxy
from compat_tests.cluster.zookeeper_client import elect_preferred_leaders
from compat_tests.conftest import wait_until
from compat_tests.fork_server import ForkServer
from compat_tests.versions import KAFKA, OLD_KAFKA
from tools.jvm.zookeeper import SHORT_TICKS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.cluster.fault_rounds import FaultRounds, StartRounds
    from tools.jvm.kafka import KafkaDist

CONTROLLER, THEIRS, OURS = 0, 1, 2
ASSIGNMENT = {0: (OURS, THEIRS), 1: (THEIRS, OURS)}
LEADERS = {0: (OURS, {OURS, THEIRS}), 1: (THEIRS, {OURS, THEIRS})}
CUTS = {
    "zookeeper": "wirebroker does not reach ZooKeeper",
    "peers": "peers do not reach wirebroker",
    "all": "peers do not reach wirebroker, nor it ZooKeeper",
}
FAST = {"replica.lag.time.max.ms": "4000", "zookeeper.session.timeout.ms": "6000"}


def check(cluster: MixedCluster, load: Load, rounds: FaultRounds) -> None:
    """Check that every acknowledged record is there, once, at its offset, and that the replicas have the same bytes."""
    load.producer.flush()
    found = read_all(cluster.bootstrap(), "t", ends_of(load.producer.acked))
    acked = with_offsets(load.producer.acked, found)
    rounds.note_records(acked, found)
    assert len(acked) == len(set(acked))
    assert set(acked) <= set(found)
    assert len({each.value for each in found}) == len(found), "a record is there twice"
    for partition in ASSIGNMENT:
        await_equal_logs("t", partition, *(cluster.brokers[each].data_directory for each in (OURS, THEIRS)))


def await_preferred(cluster: MixedCluster, leaders: dict[int, tuple[int, set[int]]]) -> None:
    """Wait until all are in sync, and move the leaders back."""
    isrs = {at: isr for at, (_, isr) in leaders.items()}

    def are_preferred() -> bool:
        states = cluster.states("t", CONTROLLER)
        if {at: isr for at, (_, isr) in states.items()} == isrs and states != leaders:
            elect_preferred_leaders(cluster.zookeeper.connect, {"t": leaders})
            time.sleep(0.3)
        return states == leaders

    wait_until(are_preferred, 120)
    cluster.await_states("t", leaders, timeout_s=120)


@pytest.mark.nightly
@pytest.mark.parametrize("version", [OLD_KAFKA, KAFKA])
def test_the_leaders_of_a_log_directory_that_fails_move(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, fault_rounds: StartRounds, version: str
) -> None:
    rounds = fault_rounds(f"Apache Kafka {version}", "a log directory fails", runs=1)
    cluster = MixedCluster(tmp_path, kafka_dist(version))
    cluster.fork_server = ForkServer()
    with cluster:
        cluster.kafka(CONTROLLER)
        one, two = tmp_path / "wirebroker-2" / "one", tmp_path / "wirebroker-2" / "two"
        ours = cluster.wirebroker(OURS, {"log.dirs": f"{one},{two}"})
        cluster.await_brokers(CONTROLLER, OURS)
        both = {CONTROLLER, OURS}
        cluster.create_topic("t", dict.fromkeys(range(4), (OURS, CONTROLLER)))
        cluster.await_states("t", dict.fromkeys(range(4), (OURS, both)))
        lost = {at for at in range(4) if (one / f"t-{at}").exists()}
        assert 0 < len(lost) < 4
        moved = {at: (CONTROLLER, {CONTROLLER}) if at in lost else (OURS, both) for at in range(4)}
        with Load(cluster.bootstrap(), "t", 4) as load:
            for _ in rounds:
                away = one.rename(one.with_name("away"))
                one.write_text("what a disk that fails looks like")
                cluster.await_states("t", moved, timeout_s=120)
                load.await_more()
                assert ours.running
                cluster.stop(OURS)
                one.unlink()
                away.rename(one)
                cluster.wirebroker(OURS)
                await_preferred(cluster, dict.fromkeys(range(4), (OURS, both)))
        load.producer.flush()
        found = read_all(cluster.bootstrap(), "t", ends_of(load.producer.acked))
        acked = with_offsets(load.producer.acked, found)
        rounds.note_records(acked, found)
        assert set(acked) <= set(found)


@pytest.mark.nightly
@pytest.mark.parametrize("version", [OLD_KAFKA, KAFKA])
@pytest.mark.parametrize("cut", CUTS)
def test_nothing_is_lost_when_wirebroker_is_cut_off(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, fault_rounds: StartRounds, cut: str, version: str
) -> None:
    """Peers do not reach wirebroker any more, wirebroker does not reach ZooKeeper, or both."""
    rounds = fault_rounds(f"Apache Kafka {version}", CUTS[cut], runs=1)
    cluster = MixedCluster(tmp_path, kafka_dist(version), second_listener="INTERNAL")
    cluster.zookeeper.settings |= SHORT_TICKS
    with cluster, ExitStack() as stack:
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
            for _ in rounds:
                if cut != "peers":
                    to_zookeeper.cut()
                if cut != "zookeeper":
                    to_ours.cut()
                alone = {0: (OURS, {OURS})} if cut == "peers" else {0: (THEIRS, {THEIRS})}
                wait_until(lambda: alone.items() <= cluster.states("t", CONTROLLER).items(), 90)  # noqa: B023
                time.sleep(2)
                to_zookeeper.heal()
                to_ours.heal()
                both = {at: (leader, {OURS, THEIRS}) for at, (leader, _) in (LEADERS | alone).items()}
                cluster.await_states("t", both, timeout_s=120)
                load.await_more()
                await_preferred(cluster, LEADERS)
        check(cluster, load, rounds)


@pytest.mark.nightly
def test_the_protocol_is_raised_under_load(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, fault_rounds: StartRounds
) -> None:
    rounds = fault_rounds("Apache Kafka 2.8.2", "the protocol is raised from 2.6 to 2.8", runs=1, most=1)
    with MixedCluster(tmp_path, kafka_dist(OLD_KAFKA), protocol="2.6") as cluster:
        for broker_id in (CONTROLLER, THEIRS):
            cluster.kafka(broker_id)
        cluster.wirebroker(OURS)
        cluster.await_brokers(CONTROLLER, THEIRS, OURS)
        cluster.create_topic("t", ASSIGNMENT)
        cluster.await_states("t", LEADERS)
        both = {OURS, THEIRS}
        with Load(cluster.bootstrap(), "t", 2) as load:
            for _ in rounds:
                for broker_id, other in ((OURS, THEIRS), (THEIRS, OURS), (CONTROLLER, None)):
                    cluster.stop(broker_id)
                    cluster.brokers[broker_id].settings["inter.broker.protocol.version"] = "2.8"
                    start = cluster.wirebroker if broker_id == OURS else cluster.kafka
                    start(broker_id)
                    cluster.await_brokers(CONTROLLER, THEIRS, OURS)
                    wanted = other if other is not None else cluster.states("t", OURS)[0][0]
                    cluster.await_states("t", {at: (wanted, both) for at in ASSIGNMENT}, timeout_s=120)
                    load.await_more()
        check(cluster, load, rounds)
        assert (cluster.brokers[OURS].data_directory / "t-0" / "partition.metadata").exists(), "the topic has no id"
