"""Brokers are killed, stopped and suspended while a wirebroker is the controller: every acknowledged record stays.

`--fault-runs 20` repeats each fault 20 times in its cluster; without it each happens twice.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from kazoo.exceptions import NoNodeError

from compat_tests.cluster.fault_cluster import BROKERS, CLUSTER_NAMES, KINDS, TOPIC, FaultCluster, fault_cluster
from compat_tests.cluster.fault_rounds import FAULT_RUNS
from compat_tests.conftest import wait_until
from compat_tests.wire import Wire
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from wirebroker.protocol.messages.update_metadata import UpdateMetadataRequest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.cluster.fault_rounds import StartRounds
    from compat_tests.cluster.load import CheckedLoad
    from tools.jvm.kafka import KafkaDist

NIGHTLY = pytest.mark.nightly
QUICK = ("wirebroker", "controller", "kill")
"""The one that is run for every change."""
ENDS = {"kill": "kill -9", "stop": "SIGTERM"}
FAULTS = [
    pytest.param(kind, role, fault, marks=() if (kind, role, fault) == QUICK else NIGHTLY)
    for kind in KINDS
    for role in ("controller", "leader", "follower")
    for fault in ("kill", "stop")
]


@pytest.mark.parametrize(("kind", "role", "fault"), FAULTS)
def test_a_broker_ends_and_starts_again(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, fault_rounds: StartRounds, kind: str, role: str, fault: str
) -> None:
    """By kill -9, or by SIGTERM, upon which its leaders move first."""
    article = "the" if role == "controller" else "a"
    rounds = fault_rounds(CLUSTER_NAMES[kind], f"{ENDS[fault]} of {article} {role}")
    with fault_cluster(tmp_path, kafka_dist, kind) as cluster, cluster.checked_load(rounds) as load:
        for _ in rounds:
            broker_id = cluster.broker_in_role(role)
            (cluster.kill if fault == "kill" else cluster.stop)(broker_id)
            load.await_more()
            cluster.start(broker_id)
            cluster.recover(load)


def controller_epoch(cluster: FaultCluster) -> int:
    with cluster.zookeeper_client() as client:
        return int(client.get("/controller_epoch")[0])


def topic_znode(cluster: FaultCluster) -> bytes:
    with cluster.zookeeper_client() as client:
        data: bytes = client.get(f"/brokers/topics/{TOPIC}")[0]
        return data


@pytest.mark.parametrize("kind", [pytest.param(each, marks=() if each == "wirebroker" else NIGHTLY) for each in KINDS])
def test_a_controller_that_was_suspended_beyond_its_session_changes_nothing(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, fault_rounds: StartRounds, kind: str
) -> None:
    fault = "SIGSTOP of the controller beyond its session"
    rounds = fault_rounds(CLUSTER_NAMES[kind], fault)
    with fault_cluster(tmp_path, kafka_dist, kind) as cluster, cluster.checked_load(rounds) as load:
        for _ in rounds:
            suspend_controller(cluster, load)
            cluster.recover(load)


def suspend_controller(cluster: FaultCluster, load: CheckedLoad) -> None:
    """Suspend the controller until another one was elected, with a request that it finds when it goes on."""
    former = cluster.await_controller(*cluster.ours)
    epoch, written = controller_epoch(cluster), topic_znode(cluster)
    with Wire("127.0.0.1", cluster.brokers[former].port) as wire:
        cluster.suspend(former)
        try:
            partitions = [ReassignablePartition(0, [former])]
            wire.send(AlterPartitionReassignmentsRequest(topics=[ReassignableTopic(TOPIC, partitions)]), 0)
            wait_until(lambda: cluster.controller() not in (-1, former))
            load.await_more()
        finally:
            cluster.resume(former)
        answer = wire.receive(AlterPartitionReassignmentsRequest, 0)
        assert answer.error_code == ErrorCode.NOT_CONTROLLER
    assert topic_znode(cluster) == written
    wait_until(lambda: cluster.controller_id(former) not in (-1, former))
    # it may have heard of the new controller before it has seen that its session is over
    wait_until(lambda: f"Resigned as the controller, epoch {epoch}:" in cluster.server_log(former))
    # what it had sent late is refused by the others
    for broker_id in set(cluster.ours) - {former}:
        late = cluster.ask(broker_id, UpdateMetadataRequest(controller_id=former, controller_epoch=epoch), 5)
        assert late.error_code == ErrorCode.STALE_CONTROLLER_EPOCH


@pytest.mark.parametrize(
    "kind", [pytest.param(each, marks=() if each == "kafka-3.9.1-leads" else NIGHTLY) for each in KINDS]
)
def test_the_controller_moves_again_and_again(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, fault_rounds: StartRounds, kind: str
) -> None:
    """/controller is deleted while records are written and topics come and go."""
    fault = "/controller deleted, while topics are created and deleted"
    rounds = fault_rounds(CLUSTER_NAMES[kind], fault, runs=1 if kind == "kafka-3.9.1-leads" else FAULT_RUNS, times=8)
    with fault_cluster(tmp_path, kafka_dist, kind) as cluster, cluster.checked_load(rounds) as load:
        for number, _ in enumerate(rounds):
            with cluster.zookeeper_client() as client:
                epoch = client.get("/controller_epoch")[0]
                with suppress(NoNodeError):  # the election of another one is under way
                    client.delete("/controller")
                wait_until(lambda: client.get("/controller_epoch")[0] != epoch)  # noqa: B023
            if number % 4 == 0:
                cluster.await_topic(f"other-{number}", exists=True)
            elif number % 4 == 2:
                cluster.await_topic(f"other-{number - 2}", exists=False)
        cluster.recover(load)
        cluster.await_brokers(*BROKERS)
