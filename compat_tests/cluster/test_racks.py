"""Brokers with racks: the controllers of both kinds spread replicas alike, and refuse to if a broker has no rack."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from compat_tests.cluster.fault_cluster import BROKERS, FaultCluster
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from wirebroker.protocol.messages.create_topics import CreatableReplicaAssignment, CreatableTopic, CreateTopicsRequest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

OURS, THEIRS, THIRD = 0, 1, 2
RACKS: Final = {OURS: "a", THEIRS: "b", THIRD: "a"}
TIMEOUT_MS: Final = 60_000


def assigned(cluster: FaultCluster, topic: str) -> list[tuple[int, ...]]:
    """The replicas of each partition of a topic, by its znode."""
    with cluster.zookeeper_client() as client:
        partitions = json.loads(client.get(f"/brokers/topics/{topic}")[0])["partitions"]
    return [tuple(partitions[str(number)]) for number in range(len(partitions))]


def create(cluster: FaultCluster, controller: int, topic: str, *replicas: int, partitions: int = 1) -> ErrorCode:
    """Create a topic with *replicas*, or with as many partitions of two replicas; return the error."""
    new = CreatableTopic(topic, partitions, 2)
    if replicas:
        new = CreatableTopic(topic, -1, -1, [CreatableReplicaAssignment(0, list(replicas))])
    found: Any = cluster.ask(controller, CreateTopicsRequest([new], TIMEOUT_MS), 2)
    return ErrorCode(found.topics[0].error_code)


def grow(cluster: FaultCluster, controller: int, topic: str, count: int, *replicas: int) -> ErrorCode:
    """Ask for *count* partitions of a topic, the new one with *replicas* if any are given; return the error."""
    assignments = [CreatePartitionsAssignment(list(replicas))] if replicas else None
    topics = [CreatePartitionsTopic(topic, count, assignments)]
    found: Any = cluster.ask(controller, CreatePartitionsRequest(topics, TIMEOUT_MS), 1)
    return ErrorCode(found.results[0].error_code)


def start_without_rack(cluster: FaultCluster, broker_id: int) -> None:
    """Stop a broker, and start it without a rack."""
    cluster.stop(broker_id)
    del cluster.brokers[broker_id].settings["broker.rack"]
    cluster.start(broker_id)
    cluster.await_brokers(*BROKERS, timeout_s=180)
    cluster.await_in_sync()


def disable_rack_aware(cluster: FaultCluster, controller: int, topic: str) -> tuple[int, bool]:
    """Create a topic by kafka-topics with the option; return its exit code, and whether it says that it has done so."""
    where = ["--bootstrap-server", cluster.brokers[controller].bootstrap]
    if cluster.dist.version < "3":
        where = ["--zookeeper", cluster.zookeeper_connect]
    what = ["--create", "--topic", topic, "--partitions", "2", "--replication-factor", "2", "--disable-rack-aware"]
    done = cluster.dist.run("kafka-topics", *where, *what, check=False)
    return done.returncode, "Created topic" in done.stdout


@pytest.mark.parametrize(
    "version", [KAFKA, *(pytest.param(each, marks=pytest.mark.nightly) for each in (OLD_KAFKA, OLDEST_KAFKA))]
)
def test_controllers_spread_replicas_over_racks_alike(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str
) -> None:
    with FaultCluster(tmp_path, kafka_dist(version), THEIRS) as cluster:
        cluster.more_settings = {each: {"broker.rack": rack} for each, rack in RACKS.items()}
        cluster.start_all()
        grown: dict[int, list[list[tuple[int, ...]]]] = {}
        for controller in (OURS, THEIRS):
            cluster.await_controller(controller)
            assert create(cluster, controller, f"new-{controller}", partitions=12) == ErrorCode.NONE
            replicas = assigned(cluster, f"new-{controller}")
            assert {len({RACKS[each] for each in partition}) for partition in replicas} == {2}
            leaders = [partition[0] for partition in replicas]
            assert [leaders.count(each) for each in BROKERS] == [4, 4, 4]
            grown[controller] = []
            for first in ((0, 1), (1, 2), (2, 1), (2, 0, 1)):
                topic = f"grown-{controller}-{'-'.join(map(str, first))}"
                assert create(cluster, controller, topic, *first) == ErrorCode.NONE
                assert grow(cluster, controller, topic, 8) == ErrorCode.NONE
                grown[controller].append(assigned(cluster, topic))
        assert grown[OURS] == grown[THEIRS]

        start_without_rack(cluster, THIRD)
        for controller in (THEIRS, OURS):
            cluster.await_controller(controller)
            assert create(cluster, controller, f"mixed-{controller}", partitions=2) == ErrorCode.UNKNOWN_SERVER_ERROR
            assert create(cluster, controller, f"given-{controller}", 0, 2) == ErrorCode.NONE
            topic = f"given-{controller}"
            for name, more in ((topic, ()), (topic, (0, 1)), ("missing", ())):
                assert grow(cluster, controller, name, 2, *more) == ErrorCode.UNKNOWN_SERVER_ERROR
        by_tool = {each: disable_rack_aware_by(cluster, each) for each in (THEIRS, OURS)}
        assert by_tool[OURS] == by_tool[THEIRS]


def disable_rack_aware_by(cluster: FaultCluster, controller: int) -> tuple[int, bool]:
    """The result of kafka-topics with this controller; a topic that it has created comes to life."""
    cluster.await_controller(controller)
    topic = f"by-tool-{controller}"
    result = disable_rack_aware(cluster, controller, topic)
    if result[1]:
        replicas = assigned(cluster, topic)
        cluster.await_states(topic, {at: (each[0], set(each)) for at, each in enumerate(replicas)})
    return result
