"""Apache Kafka's own tools judge a mixed cluster: replicas, reassignments, under-replicated partitions, log files."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import running
from compat_tests.cluster.clients import RecordingProducer
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.replicated_logs import await_equal_logs
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA, OLD_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

CONTROLLER, THEIRS, OURS = 0, 1, 2
RECORDS = 1000
EVERYBODY = {0: (OURS, {OURS, THEIRS}), 1: (THEIRS, {OURS, THEIRS})}


@pytest.mark.parametrize("version", [OLD_KAFKA, pytest.param(KAFKA, marks=pytest.mark.nightly)])
def test_the_tools_of_apache_kafka_find_nothing_wrong(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str
) -> None:
    with MixedCluster(tmp_path, kafka_dist(version)) as cluster:
        for broker_id in (CONTROLLER, THEIRS):
            cluster.kafka(broker_id)
        cluster.wirebroker(OURS)
        cluster.await_brokers(CONTROLLER, THEIRS, OURS)
        cluster.create_topic("t", {0: (OURS, THEIRS), 1: (THEIRS, OURS)})
        cluster.await_states("t", EVERYBODY)
        producer = RecordingProducer(cluster.bootstrap(), {"compression.type": "lz4"})
        producer.send("t", RECORDS, 2)
        producer.flush()
        check_replicas(cluster, "t", partitions=2)
        check_log_files(cluster, "t")

        wait_until(lambda: under_replicated(cluster) == set())
        cluster.stop(OURS)
        wait_until(lambda: under_replicated(cluster) == {("t", 0), ("t", 1)})
        producer.send("t", RECORDS, 2)
        producer.flush()
        cluster.wirebroker(OURS)
        wait_until(lambda: under_replicated(cluster) == set())

        reassign(cluster, "t", {0: (OURS, CONTROLLER), 1: (CONTROLLER, THEIRS)})
        moved = {
            0: ((OURS, CONTROLLER), {OURS, CONTROLLER}),
            1: ((CONTROLLER, THEIRS), {CONTROLLER, THEIRS}),
        }

        def described() -> dict[int, tuple[tuple[int, ...], set[int]]]:
            return {at: (each.replicas, set(each.isr)) for at, each in cluster.describe("t").items()}

        wait_until(lambda: described() == moved)  # any broker may be asked, and one hears of it after another
        wait_until(lambda: not (cluster.brokers[OURS].data_directory / "t-1").exists())
        await_equal_logs("t", 0, *(cluster.brokers[each].data_directory for each in (OURS, CONTROLLER)))


def check_replicas(cluster: MixedCluster, topic: str, partitions: int) -> None:
    """Have kafka-replica-verification read all replicas; it never ends, and tells the greatest lag now and then."""
    name = "--topic-white-list" if cluster.dist.version < "3" else "--topics-include"
    what = ["--broker-list", cluster.bootstrap(), name, topic, "--report-interval-ms", "1000", "--time", "-2"]
    command = cluster.dist.command("kafka-replica-verification", *what)
    printed: list[str] = []
    reports = 0
    deadline = time.monotonic() + 240
    with running(command, within_s=300, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as tool:
        try:
            assert tool.stdout is not None
            for line in tool.stdout:
                printed.append(line)
                reports += f"max lag is 0 for partition {topic}-" in line and f"among {partitions} partitions" in line
                if reports == 2 or time.monotonic() > deadline:
                    break
        finally:
            tool.kill()
    text = "".join(printed)
    assert reports == 2, text
    assert "has different" not in text, text
    assert "larger than" not in text, text


def under_replicated(cluster: MixedCluster) -> set[tuple[str, int]]:
    """The partitions that kafka-topics lists as under-replicated."""
    printed = cluster.topics("--describe", "--under-replicated-partitions")
    rows = [line.split() for line in printed.splitlines() if "Partition:" in line]
    return {(row[row.index("Topic:") + 1], int(row[row.index("Partition:") + 1])) for row in rows}


def reassign(cluster: MixedCluster, topic: str, replicas: dict[int, tuple[int, ...]]) -> None:
    """Have kafka-reassign-partitions move replicas, and verify until it is done."""
    plan = cluster.directory / "reassignment.json"
    moves = [{"topic": topic, "partition": at, "replicas": list(each)} for at, each in replicas.items()]
    plan.write_text(json.dumps({"version": 1, "partitions": moves}))
    where = ["--bootstrap-server", cluster.bootstrap(), "--reassignment-json-file", str(plan)]
    cluster.dist.run("kafka-reassign-partitions", *where, "--execute")

    def is_complete() -> bool:
        printed = cluster.dist.run("kafka-reassign-partitions", *where, "--verify").stdout
        return all(f"Reassignment of partition {topic}-{at} is complete" in printed for at in replicas)

    wait_until(is_complete)


def check_log_files(cluster: MixedCluster, topic: str) -> None:
    """Compare what both dump-log tools print about the log files of both brokers."""
    directories = [cluster.brokers[each].data_directory for each in (OURS, THEIRS)]
    for partition in range(2):
        await_equal_logs(topic, partition, *directories)
    segments = [str(each / f"{topic}-{at}" / f"{0:020}.log") for each in directories for at in range(2)]
    arguments = ["--files", ",".join(segments), "--print-data-log"]
    theirs = cluster.dist.run("kafka-dump-log", *arguments).stdout
    command = [sys.executable, "-m", "wirebroker", "dump-log", *arguments]
    ours = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    dumps = [batches(theirs), batches(ours)]
    assert len(dumps[0]) == len(dumps[1]) == len(segments)
    of_ours, of_theirs = dumps[0][:2], dumps[0][2:]
    assert of_ours == of_theirs
    assert sum(map(len, of_ours)) > RECORDS
    assert dumps[1][:2] == dumps[1][2:]
    if cluster.dist.version == KAFKA:  # whose words wirebroker prints
        assert dumps[0] == dumps[1]


def batches(printed: str) -> list[list[str]]:
    """The lines about each file."""
    files = printed.split("Dumping ")[1:]
    return [each.splitlines()[2:] for each in files]
