"""An operator deletes or rewrites /controller: a controller of a later epoch is elected, and the former one refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from kazoo.exceptions import NoNodeError

from compat_tests.cluster.fault_cluster import BROKERS, RECOVERY_S, TOPIC, FaultCluster
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrPartitionState, LeaderAndIsrRequest
from wirebroker.protocol.messages.stop_replica import StopReplicaPartitionV0, StopReplicaRequest
from wirebroker.protocol.messages.update_metadata import UpdateMetadataRequest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kazoo.client import KazooClient

    from tools.jvm.kafka import KafkaDist
    from wirebroker.protocol.message import Message

PATH: Final = "/controller"
THEIRS: Final = 1
"""The broker that is an Apache Kafka in a mixed cluster."""
NOBODY: Final = 7
"""The id of no broker."""


def content(broker_id: int) -> bytes:
    return json.dumps({"version": 1, "brokerid": broker_id, "timestamp": "1700000000000"}).encode()


def delete(client: KazooClient, _: int) -> None:
    """Delete the znode."""
    client.delete(PATH)


def name(client: KazooClient, broker_id: int) -> None:
    """Write the id of a broker into the znode, which stays that of the session of the former controller."""
    client.set(PATH, content(broker_id))


def replace(client: KazooClient, broker_id: int) -> None:
    """Put a persistent znode in its place."""
    change = client.transaction()
    change.delete(PATH)
    change.create(PATH, content(broker_id))
    deleted, created = change.commit()
    assert (deleted, created) == (True, PATH)


def corrupt(client: KazooClient, _: int) -> None:
    """Write what is not JSON into the znode."""
    client.set(PATH, b"no JSON")


class Step(NamedTuple):
    """One change of the znode of a controller by an operator."""

    controller: int
    change: Callable[[KazooClient, int], None]
    named: int = -1


OF_WIREBROKERS: Final = (
    Step(0, delete),
    Step(0, name, 2),
    Step(0, name, NOBODY),
    Step(0, replace, 0),
    Step(0, replace, 2),
    Step(0, corrupt),
)
OF_A_MIXED_CLUSTER: Final = (
    Step(0, delete),
    Step(THEIRS, delete),
    Step(0, name, THEIRS),
    Step(0, name, NOBODY),
    Step(THEIRS, name, 0),
    Step(0, replace, 0),
    Step(THEIRS, replace, 2),
    Step(0, corrupt),
)


def epoch_of(client: KazooClient) -> int:
    """The epoch of the controller that was elected last."""
    return int(client.get("/controller_epoch")[0])


def requests_of(controller_id: int, epoch: int) -> list[tuple[Message, int]]:
    """Requests of a controller that would change what brokers do, with versions that every release has."""
    state = LeaderAndIsrPartitionState(
        topic_name=TOPIC, leader=THEIRS, leader_epoch=1000, isr=[THEIRS], replicas=[THEIRS], controller_epoch=epoch
    )
    stopped = [StopReplicaPartitionV0(TOPIC, 0)]
    return [
        (
            LeaderAndIsrRequest(
                controller_id=controller_id, controller_epoch=epoch, ungrouped_partition_states=[state]
            ),
            1,
        ),
        (UpdateMetadataRequest(controller_id=controller_id, controller_epoch=epoch), 4),
        (
            StopReplicaRequest(
                controller_id=controller_id,
                controller_epoch=epoch,
                delete_partitions=True,
                ungrouped_partitions=stopped,
            ),
            0,
        ),
    ]


def await_elected(cluster: FaultCluster, client: KazooClient, former_epoch: int) -> int:
    """Wait until a broker was elected after that epoch, by its own znode, and all brokers name it; return its id."""
    found: list[int] = []

    def elected() -> bool:
        try:
            data, stat = client.get(PATH)
            found[:] = [json.loads(data)["brokerid"]]
        except (NoNodeError, ValueError):
            return False
        if stat.ephemeralOwner == 0 or stat.version != 0 or epoch_of(client) <= former_epoch:
            return False
        return {cluster.controller_id(each) for each in BROKERS} == {*found} <= {*BROKERS}

    wait_until(elected, RECOVERY_S)
    return found[0]


def run(cluster: FaultCluster, client: KazooClient, step: Step, topic: str) -> None:
    """Do one step, and check that there is a controller after it that does its work, and that the former is refused."""
    cluster.await_controller(step.controller)
    former_epoch = epoch_of(client)
    step.change(client, step.named)
    await_elected(cluster, client, former_epoch)
    cluster.await_topic(topic, exists=True)  # by which every broker knows the epoch
    for broker_id in BROKERS:
        for request, version in requests_of(step.controller, former_epoch):
            assert cluster.ask(broker_id, request, version).error_code == ErrorCode.STALE_CONTROLLER_EPOCH
    cluster.await_topic(topic, exists=False)
    # Kafka 2.8 keeps requests of a deletion that a change of the controller has interrupted, and fails with them later
    wait_until(lambda: client.get_children("/admin/delete_topics") == [], RECOVERY_S)


def run_all(cluster: FaultCluster, steps: tuple[Step, ...]) -> None:
    cluster.start_all()
    with cluster.zookeeper_client() as client:
        for number, step in enumerate(steps):
            try:
                run(cluster, client, step, f"after-{number}")
            except AssertionError as failure:
                znode = client.get(PATH) if client.exists(PATH) else None
                raise AssertionError(f"{step}: {failure}; /controller: {znode}") from failure
        cluster.await_in_sync()
        # nothing changes for a controller whose own id is written again
        for controller in {step.controller for step in steps}:
            cluster.await_controller(controller)
            epoch = epoch_of(client)
            name(client, controller)
            cluster.await_topic(f"kept-{controller}", exists=True)
            assert epoch_of(client) == epoch
            assert cluster.registered_controller(client) == controller


def test_a_cluster_of_wirebrokers(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    with FaultCluster(tmp_path, kafka_dist(KAFKA), None) as cluster:
        run_all(cluster, OF_WIREBROKERS)


@pytest.mark.nightly  # more than a minute each
@pytest.mark.parametrize("version", [KAFKA, OLD_KAFKA, OLDEST_KAFKA])
def test_a_mixed_cluster(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str) -> None:
    with FaultCluster(tmp_path, kafka_dist(version), THEIRS) as cluster:
        run_all(cluster, OF_A_MIXED_CLUSTER)
