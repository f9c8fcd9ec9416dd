"""The commands of wirebroker that need a cluster, on three wirebrokers: topics, reassign, elect, replicas, cluster."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Producer

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.limits import flush
from compat_tests.versions import KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

pytestmark = pytest.mark.nightly  # some thirty commands
BROKERS = (0, 1, 2)
SETTINGS = {
    "auto.leader.rebalance.enable": "false",
    "replica.fetch.max.bytes": "10000",
    "zookeeper.session.timeout.ms": "6000",
}
SLOW = 100
"""Bytes per second, with which a reassignment stays in progress until it is cancelled."""
RECORDS = 400
WITHIN_S = 120


@pytest.fixture
def cluster(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> Iterator[MixedCluster]:
    with MixedCluster(tmp_path, kafka_dist(KAFKA)) as cluster:
        for broker_id in BROKERS:
            cluster.wirebroker(broker_id, SETTINGS)
        cluster.await_brokers(*BROKERS)
        yield cluster


def run(cluster: MixedCluster, *words: str) -> Any:
    """Run a command; return its JSON, None if it prints nothing."""
    where = ["--bootstrap-server", cluster.bootstrap(), "--timeout", "60000", "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "wirebroker", *words, *where], check=False, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout) if done.stdout else None


def throttles(cluster: MixedCluster) -> list[dict[str, Any]]:
    """The settings of throttles of all brokers and of the topic."""
    found = [*run(cluster, "configs", "describe", "--topic", "t")]
    for broker_id in BROKERS:
        found += run(cluster, "configs", "describe", "--broker", str(broker_id))
    return [each for each in found if "throttled" in json.dumps(each)]


def under_replicated(cluster: MixedCluster) -> Any:
    return run(cluster, "cluster", "describe")["under_replicated_partitions"]


def test_topics_are_moved_and_compared(cluster: MixedCluster, tmp_path: Path) -> None:
    run(cluster, "topics", "create", "t", "--replica-assignment", "0:1,1:0", "--config", "min.insync.replicas=2")
    run(cluster, "topics", "alter", "t", "--partitions", "3", "--replica-assignment", "0:1,1:0,1:0")
    origin = {0: (0, {0, 1}), 1: (1, {0, 1}), 2: (1, {0, 1})}
    cluster.await_states("t", origin)
    producer = Producer({"bootstrap.servers": cluster.bootstrap(), "acks": "all", "batch.size": 2000})
    for number in range(3 * RECORDS):
        producer.produce("t", b"%01000d" % number, partition=number % 3)
    flush(producer)

    topics, plan = tmp_path / "topics.json", tmp_path / "plan.json"
    topics.write_text(json.dumps({"version": 1, "topics": [{"topic": "t"}]}))
    generated = run(
        cluster, "reassign", "generate", "--topics-to-move-json-file", str(topics), "--broker-list", "0,1,2"
    )
    current = {each["partition"]: each["replicas"] for each in generated["current"]["partitions"]}
    assert current == {0: [0, 1], 1: [1, 0], 2: [1, 0]}
    proposed = [each["replicas"] for each in generated["proposed"]["partitions"]]
    assert [len(set(each) & set(BROKERS)) for each in proposed] == [2, 2, 2]
    assert sorted(each[0] for each in proposed) == [0, 1, 2], "one leader for each broker"

    moves = [{"topic": "t", "partition": at, "replicas": replicas} for at, replicas in ((0, [2, 1]), (1, [1, 2]))]
    plan.write_text(json.dumps({"version": 1, "partitions": moves}))
    file = ("--reassignment-json-file", str(plan))
    started = run(cluster, "reassign", "execute", *file, "--throttle", str(SLOW))
    assert started["started"] == ["t-0", "t-1"]
    listed = run(cluster, "reassign", "list")
    assert [(each["partition"], each["adding_replicas"], each["removing_replicas"]) for each in listed] == [
        (0, [2], [0]),
        (1, [2], [0]),
    ]
    assert {each["state"] for each in run(cluster, "reassign", "verify", *file)} == {"in_progress"}
    assert throttles(cluster)
    assert run(cluster, "reassign", "cancel", *file) == {"cancelled": ["t-0", "t-1"]}
    cluster.await_states("t", origin, WITHIN_S)
    assert throttles(cluster) == []
    assert {each["state"] for each in run(cluster, "reassign", "verify", *file)} == {"not_active"}

    run(cluster, "reassign", "execute", *file)
    cluster.await_states("t", {0: (2, {1, 2}), 1: (1, {1, 2}), 2: (1, {0, 1})}, WITHIN_S)
    wait_until(lambda: {each["state"] for each in run(cluster, "reassign", "verify", *file)} == {"completed"}, WITHIN_S)

    cluster.stop(2)
    wait_until(lambda: under_replicated(cluster) == 2, WITHIN_S)
    (topic,) = run(cluster, "topics", "describe", "t", "--under-replicated-partitions")
    assert [each["partition"] for each in topic["partitions"]] == [0, 1]
    (topic,) = run(cluster, "topics", "describe", "t", "--under-min-isr-partitions")
    assert [(each["partition"], each["leader"]) for each in topic["partitions"]] == [(0, 1), (1, 1)]
    (topic,) = run(cluster, "topics", "describe", "t", "--at-min-isr-partitions")
    assert [each["partition"] for each in topic["partitions"]] == [2]
    cluster.wirebroker(2)
    cluster.await_states("t", {0: (1, {1, 2}), 1: (1, {1, 2}), 2: (1, {0, 1})}, WITHIN_S)
    elected = run(cluster, "elect", "--election-type", "preferred", "--all-topic-partitions")
    assert (elected["elected"], elected["failed"]) == (["t-0"], [])
    cluster.await_states("t", {0: (2, {1, 2}), 1: (1, {1, 2}), 2: (1, {0, 1})}, WITHIN_S)
    wait_until(lambda: under_replicated(cluster) == 0, WITHIN_S)
    rows = run(cluster, "replicas", "verify", "--topics-include", "t")
    assert [(each["result"], each["replicas"]) for each in rows] == [
        ("equal", [2, 1]),
        ("equal", [1, 2]),
        ("equal", [1, 0]),
    ]
    run(cluster, "topics", "delete", "t")
    wait_until(lambda: run(cluster, "topics", "list") == [], WITHIN_S)
    directories = [cluster.brokers[each].data_directory for each in BROKERS]
    wait_until(lambda: not [each for path in directories for each in path.glob("t-*")], WITHIN_S)
