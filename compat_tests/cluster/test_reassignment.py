"""Reassignments and elections with a wirebroker as controller, asked for by the tools of three releases of Kafka."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.clients import RecordingProducer, ends_of, read_all
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

OURS = (0, 1, 2)
THEIRS = 3
RECORDS = 4000
WITHIN_S = 120
ELECTION_TOOLS = {
    OLDEST_KAFKA: "kafka.admin.PreferredReplicaLeaderElectionCommand",
    OLD_KAFKA: "kafka.admin.LeaderElectionCommand",
    KAFKA: "org.apache.kafka.tools.LeaderElectionCommand",
}
SLOW = 1000
"""Bytes per second, with which a reassignment stays in progress for the time of a test."""


@contextmanager
def mixed_cluster(
    directory: Path, dist: KafkaDist, settings: Mapping[str, str] | None = None
) -> Iterator[MixedCluster]:
    """Three wirebrokers, of which 0 is the controller, and an Apache Kafka broker."""
    with MixedCluster(directory, dist) as cluster:
        given = {"auto.leader.rebalance.enable": "false"} | dict(settings or {})
        for broker_id in OURS:
            cluster.wirebroker(broker_id, given)
        cluster.kafka(THEIRS, settings=given)
        cluster.await_brokers(*OURS, THEIRS)
        wait_until(lambda: cluster.controller_id(0) == 0)
        yield cluster


def plan_file(directory: Path, plan: Mapping[int, tuple[int, ...]]) -> Path:
    """A file that moves the partitions of topic t."""
    partitions = [{"topic": "t", "partition": number, "replicas": replicas} for number, replicas in plan.items()]
    path = directory / "plan.json"
    path.write_text(json.dumps({"version": 1, "partitions": partitions}))
    return path


def reassign(cluster: MixedCluster, path: Path, *arguments: str) -> str:
    """Run Kafka's tool; return what it prints."""
    where = ["--zookeeper", cluster.zookeeper.connect]
    if cluster.dist.version >= "2.5":
        where = ["--bootstrap-server", cluster.bootstrap()]
    run = cluster.dist.run("kafka-reassign-partitions", *where, "--reassignment-json-file", str(path), *arguments)
    return run.stdout


def own(cluster: MixedCluster, *words: str) -> str:
    """Run a command of wirebroker; return what it prints."""
    command = [sys.executable, "-m", "wirebroker", *words, "--bootstrap-server", cluster.bootstrap()]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=WITHIN_S).stdout


def elect_preferred(cluster: MixedCluster) -> str:
    """Run Kafka's tool for preferred elections; return what it prints."""
    tool = ELECTION_TOOLS[cluster.dist.version]
    if cluster.dist.version < "2.4":
        return cluster.dist.run(tool, "--zookeeper", cluster.zookeeper.connect).stdout
    options = ["--election-type", "preferred", "--all-topic-partitions"]
    return cluster.dist.run(tool, "--bootstrap-server", cluster.bootstrap(), *options).stdout


@pytest.mark.parametrize(
    "version", [*(pytest.param(each, marks=pytest.mark.nightly) for each in (OLDEST_KAFKA, OLD_KAFKA)), KAFKA]
)
def test_kafkas_tools_move_replicas_and_elect_leaders(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str
) -> None:
    with mixed_cluster(tmp_path, kafka_dist(version)) as cluster:
        cluster.create_topic("t", {0: (0, 1), 1: (1, THEIRS), 2: (2, 0)})
        cluster.await_states("t", {0: (0, {0, 1}), 1: (1, {1, THEIRS}), 2: (2, {0, 2})})
        producer = RecordingProducer(cluster.bootstrap())
        producer.send("t", RECORDS, 3)
        plan = {0: (2, THEIRS), 1: (THEIRS, 0, 1), 2: (2,)}
        path = plan_file(tmp_path, plan)
        assert "Successfully started" in reassign(cluster, path, "--execute")
        producer.send("t", RECORDS, 3)
        wait_until(lambda: {number: each.replicas for number, each in cluster.describe("t").items()} == plan, WITHIN_S)

        def is_over() -> bool:
            """Whether the controller has ended it, too, which it does after the brokers have heard of the replicas."""
            printed = reassign(cluster, path, "--verify")
            return printed.count(" is complete") + printed.count(" completed successfully") == 3

        wait_until(is_over, WITHIN_S)
        producer.flush()
        cluster.await_states("t", {0: (2, {2, THEIRS}), 1: (1, {THEIRS, 0, 1}), 2: (2, {2})})

        elect_preferred(cluster)
        cluster.await_states("t", {0: (2, {2, THEIRS}), 1: (THEIRS, {THEIRS, 0, 1}), 2: (2, {2})})
        found = read_all(cluster.bootstrap(), "t", ends_of(producer.acked))
        assert set(producer.acked) <= set(found)
        assert len({each.value for each in found}) == len(found) == 2 * RECORDS

        def is_verified() -> bool:
            """Whether all replicas are equal; a follower hears of the last high watermark with its next Fetch."""
            rows = json.loads(own(cluster, "replicas", "verify", "--topics-include", "t", "--format", "json"))
            return [(each["result"], each["lag"]) for each in rows] == [("equal", 0)] * 3

        wait_until(is_verified, WITHIN_S)


@pytest.mark.parametrize("killed", ["wirebroker", "kafka"])
def test_a_controller_of_the_other_kind_finishes_what_a_killed_one_began(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, killed: str
) -> None:
    with MixedCluster(tmp_path, kafka_dist(KAFKA)) as cluster:
        settings = {"replica.fetch.max.bytes": "100000"}
        soon_missed = {"zookeeper.session.timeout.ms": "10000"}
        other = "kafka" if killed == "wirebroker" else "wirebroker"
        for broker_id, kind in enumerate((killed, other, other)):
            given = settings | (soon_missed if broker_id == 0 else {})
            if kind == "kafka":
                cluster.kafka(broker_id, settings=given)
            else:
                cluster.wirebroker(broker_id, given)
        cluster.await_brokers(0, 1, 2)
        wait_until(lambda: cluster.controller_id(1) == 0)
        cluster.create_topic("t", {0: (1,)})
        cluster.await_states("t", {0: (1, {1})})
        producer = RecordingProducer(cluster.bootstrap(1), {"batch.size": 1000})
        producer.send("t", 10 * RECORDS, 1)
        producer.flush()

        path = plan_file(tmp_path, {0: (2,)})
        own(cluster, "reassign", "execute", "--reassignment-json-file", str(path), "--throttle", str(SLOW))
        wait_until(lambda: cluster.describe("t")[0].replicas == (2, 1), WITHIN_S)
        cluster.kill(0)
        wait_until(lambda: cluster.controller_id(1) in (1, 2), WITHIN_S)
        assert "still in progress" in own(cluster, "reassign", "verify", "--reassignment-json-file", str(path))
        fast = ["--additional", "--throttle", "100000000"]
        own(cluster, "reassign", "execute", "--reassignment-json-file", str(path), *fast)
        cluster.await_states("t", {0: (2, {2})}, WITHIN_S)
        wait_until(lambda: "is completed" in reassign(cluster, path, "--verify"), WITHIN_S)
        found = read_all(cluster.bootstrap(), "t", ends_of(producer.acked))
        assert set(producer.acked) <= set(found)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["kafka", "wirebroker"])
def test_a_target_that_is_down_while_its_reassignment_is_cancelled_keeps_the_log(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, kind: str
) -> None:
    """With ZooKeeper no controller tells a broker that starts of partitions that are not assigned to it any more.

    A full LeaderAndIsr, upon which Apache Kafka sets such logs aside from 3.7 on, comes from controllers in KRaft only.
    """
    with MixedCluster(tmp_path, kafka_dist(KAFKA)) as cluster:
        settings = {"replica.fetch.max.bytes": "100000", "zookeeper.session.timeout.ms": "10000"}
        start = cluster.kafka if kind == "kafka" else cluster.wirebroker
        for broker_id in OURS:
            start(broker_id, settings=settings)
        cluster.await_brokers(*OURS)
        cluster.create_topic("t", {0: (0, 1)})
        cluster.await_states("t", {0: (0, {0, 1})})
        producer = RecordingProducer(cluster.bootstrap(0), {"batch.size": 1000})
        producer.send("t", 10 * RECORDS, 1)
        producer.flush()

        path = plan_file(tmp_path, {0: (0, 2)})
        own(cluster, "reassign", "execute", "--reassignment-json-file", str(path), "--throttle", str(SLOW))
        log = cluster.brokers[2].data_directory / "t-0"
        wait_until(log.exists, WITHIN_S)
        cluster.kill(2)
        wait_until(lambda: 2 not in cluster.metadata_brokers(0), WITHIN_S)
        own(cluster, "reassign", "cancel", "--preserve-throttles", "--reassignment-json-file", str(path))
        wait_until(lambda: cluster.describe("t")[0].replicas == (0, 1), WITHIN_S)

        start(2, settings=settings)
        cluster.await_brokers(*OURS)
        cluster.create_topic("u", {0: (2, 0)})  # a request to the broker behind the first ones of the controller
        cluster.await_states("u", {0: (2, {0, 2})}, WITHIN_S)
        assert log.exists()
