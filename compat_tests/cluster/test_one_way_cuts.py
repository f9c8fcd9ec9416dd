"""One-way cuts: the requests of a broker to another one, or to ZooKeeper, arrive there, and the answers are lost.

The broker is a wirebroker or, nightly, an Apache Kafka: both have to come out of it in the same way.  `--fault-runs`
says how often each fault happens in a cluster; without it twice.
"""

from __future__ import annotations

import json
import os
import signal
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.clients import ends_of, read_all, with_offsets
from compat_tests.cluster.load import Load
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.replicated_logs import await_equal_logs
from compat_tests.cluster.tcp_proxy import TcpProxy
from compat_tests.cluster.zookeeper_client import elect_preferred_leaders, zookeeper_client
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA, OLD_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from compat_tests.cluster.fault_rounds import FaultRounds, StartRounds
    from tools.jvm.kafka import KafkaDist

KINDS = ["wirebroker", pytest.param("kafka", marks=pytest.mark.nightly)]
"""The kind of the broker that is cut off."""
CONTROLLER, OTHER, CUT_OFF = 0, 1, 2
BROKERS = (CONTROLLER, OTHER, CUT_OFF)
STATE = "/brokers/topics/t/partitions/0/state"
BOTH = {OTHER, CUT_OFF}
ASSIGNMENT = {0: (CUT_OFF, OTHER), 1: (OTHER, CUT_OFF)}
LEADERS = {0: (CUT_OFF, BOTH), 1: (OTHER, BOTH)}
WITHIN_S = 240
NAMES = {"wirebroker": "a wirebroker", "kafka": "another one"}
SETTINGS = {
    "inter.broker.listener.name": "INTERNAL",
    "replica.lag.time.max.ms": "5000",
    "replica.socket.timeout.ms": "5000",
    "request.timeout.ms": "5000",
    "controller.socket.timeout.ms": "5000",
    "zookeeper.session.timeout.ms": "40000",
}
"""Requests without an answer are sent again soon."""
OTHER_SESSION = {"zookeeper.session.timeout.ms": "900000"}
"""The session outlasts the test: its end would have the controller name the ISR that a leader does not know of."""
PATIENT = {"message.timeout.ms": 2 * WITHIN_S * 1000}


class CutCluster:
    """The cluster, the proxies through which peers reach CONTROLLER and OTHER, and that of CUT_OFF to ZooKeeper."""

    def __init__(self, cluster: MixedCluster, to_broker: Mapping[int, TcpProxy], to_zookeeper: TcpProxy) -> None:
        self.cluster, self.to_broker, self.to_zookeeper = cluster, to_broker, to_zookeeper

    def await_state(self, partition: int, leader: int, isr: set[int], broker_id: int) -> None:
        """Wait until the Metadata of a broker has this leader and ISR."""
        wait_until(lambda: self.cluster.states("t", broker_id).get(partition) == (leader, isr), WITHIN_S)

    @contextmanager
    def suspended(self, broker_id: int) -> Iterator[None]:
        """Stop a broker by SIGSTOP until the end of the block."""
        pid = self.cluster.brokers[broker_id].pid
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def settle(self, load: Load) -> None:
        """With everything healed, wait until each partition has its first leader again, and a full ISR."""
        for broker_id in BROKERS:
            wait_until(partial(self._in_sync, broker_id), WITHIN_S)
        if self.cluster.states("t", CONTROLLER) != LEADERS:  # a session has ended meanwhile
            elect_preferred_leaders(self.cluster.zookeeper.connect, {"t": ASSIGNMENT})
        self.cluster.await_states("t", LEADERS, timeout_s=WITHIN_S)
        load.await_more(WITHIN_S)

    def check(self, load: Load, rounds: FaultRounds) -> None:
        """Check all records, and the bytes of both logs; *rounds* counts the records."""
        load.stop()
        load.producer.flush(WITHIN_S)
        found = read_all(self.cluster.bootstrap(), "t", ends_of(load.producer.acked))
        acked = with_offsets(load.producer.acked, found)
        rounds.note_records(acked, found)
        assert len(acked) == len(set(acked))
        assert set(acked) <= set(found)
        assert len({each.value for each in found}) == len(found), "a record is there twice"
        directories = [self.cluster.brokers[each].data_directory for each in BOTH]
        for partition in ASSIGNMENT:
            await_equal_logs("t", partition, *directories)

    def _in_sync(self, broker_id: int) -> bool:
        states = self.cluster.states("t", broker_id)
        return {partition: isr for partition, (_, isr) in states.items()} == dict.fromkeys(ASSIGNMENT, BOTH)


@contextmanager
def cut_cluster(directory: Path, dist: KafkaDist, kind: str, protocol: str) -> Iterator[CutCluster]:
    """Start the brokers; *kind* is that of CUT_OFF, and peers reach the two others through a proxy each."""
    with ExitStack() as stack:
        cluster = MixedCluster(directory, dist, protocol=protocol, second_listener="INTERNAL")
        cluster.zookeeper.settings["maxSessionTimeout"] = OTHER_SESSION["zookeeper.session.timeout.ms"]
        stack.enter_context(cluster)
        to_zookeeper = stack.enter_context(TcpProxy(cluster.zookeeper.port))
        to_broker = {each: stack.enter_context(TcpProxy(cluster.second_port(each))) for each in (CONTROLLER, OTHER)}
        cluster.proxied_ports |= {each: proxy.port for each, proxy in to_broker.items()}
        for broker_id in (CONTROLLER, OTHER):
            cluster.kafka(broker_id, settings=SETTINGS | (OTHER_SESSION if broker_id == OTHER else {}))
        through_proxy = {"zookeeper.connect": f"127.0.0.1:{to_zookeeper.port}"}
        start = cluster.wirebroker if kind == "wirebroker" else cluster.kafka
        start(CUT_OFF, settings=SETTINGS | through_proxy)
        cluster.await_brokers(*BROKERS, timeout_s=WITHIN_S)
        cluster.create_topic("t", ASSIGNMENT)
        cluster.await_states("t", LEADERS, timeout_s=WITHIN_S)
        yield CutCluster(cluster, to_broker, to_zookeeper)


TO_A_FOLLOWER, TO_ALTER_PARTITION = "the answers to a follower are lost", "the answers to AlterPartition are lost"


@pytest.mark.parametrize("kind", KINDS)
def test_the_answers_of_a_broker_are_lost(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, fault_rounds: StartRounds, kind: str
) -> None:
    """Those of a leader to the Fetch requests of its follower, and those of the controller to a leader."""
    rounds = fault_rounds(f"Kafka 3.9.1, {NAMES[kind]} cut off", TO_A_FOLLOWER, TO_ALTER_PARTITION)
    with (
        cut_cluster(tmp_path, kafka_dist(KAFKA), kind, "3.9") as cut,
        Load(cut.cluster.bootstrap(), "t", 2, PATIENT) as load,
    ):
        # the leader needs a connection to the controller, as none is made without an answer to ApiVersions
        with cut.suspended(OTHER):
            cut.await_state(0, CUT_OFF, {CUT_OFF}, CUT_OFF)
        cut.settle(load)
        for fault in rounds:
            (lose_answers_to_a_follower if fault == TO_A_FOLLOWER else lose_answers_to_alter_partition)(cut, load)
            cut.settle(load)
        cut.check(load, rounds)


def lose_answers_to_a_follower(cut: CutCluster, load: Load) -> None:
    """Its Fetch requests arrive, always with the same offset, so it leaves the ISR; what it leads goes on."""
    cut.to_broker[OTHER].cut_answers()
    cut.await_state(1, OTHER, {OTHER}, CONTROLLER)
    load.await_more(WITHIN_S)
    cut.await_state(0, CUT_OFF, BOTH, CONTROLLER)
    cut.to_broker[OTHER].heal()


def lose_answers_to_alter_partition(cut: CutCluster, load: Load) -> None:
    """The controller changes the ISR, and the leader learns of that only when its request is answered at last."""
    cut.to_broker[CONTROLLER].cut_answers()
    with cut.suspended(OTHER):
        cut.await_state(0, CUT_OFF, {CUT_OFF}, CUT_OFF)  # as the controller tells it with UpdateMetadata
        cut.to_broker[CONTROLLER].heal()
        await_acknowledgements(load, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_answers_of_zookeeper_are_lost(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, fault_rounds: StartRounds, kind: str
) -> None:
    """A leader writes its ISR there, and knows what became of it only when it is connected again."""
    rounds = fault_rounds(f"Kafka 2.8.2, {NAMES[kind]} cut off", "the answers of ZooKeeper are lost")
    with (
        cut_cluster(tmp_path, kafka_dist(OLD_KAFKA), kind, "2.6") as cut,
        Load(cut.cluster.bootstrap(), "t", 2, PATIENT) as load,
        zookeeper_client(cut.cluster.zookeeper.connect) as zookeeper,
    ):

        def isr() -> set[int]:
            return set(json.loads(zookeeper.get(STATE)[0])["isr"])

        for _ in rounds:
            cut.to_zookeeper.cut_answers()
            with cut.suspended(OTHER):
                wait_until(lambda: isr() == {CUT_OFF}, WITHIN_S)
                cut.to_zookeeper.heal()
                await_acknowledgements(load, 0)
            cut.settle(load)
            wait_until(lambda: isr() == BOTH, WITHIN_S)  # Metadata may be that of before the round for some seconds
        cut.check(load, rounds)


def await_acknowledgements(load: Load, partition: int) -> None:
    """Wait until a record of a partition is acknowledged that was not yet."""
    at = len(load.producer.acked)
    wait_until(lambda: any(each.partition == partition for each in load.producer.acked[at:]), WITHIN_S)
