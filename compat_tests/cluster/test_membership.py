"""wirebroker joins a cluster that Apache Kafka controls, follows, leads, and comes and goes, while producers go on."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.clients import RecordingProducer, consume_group, ends_of, read_all
from compat_tests.cluster.metadata import NO_METADATA, metadata_of
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.limits import join
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

CONTROLLER, KAFKA_LEADER, OURS = 0, 1, 2
RECORDS = 2000
ASSIGNMENT = {0: (KAFKA_LEADER, OURS), 1: (OURS, CONTROLLER), 2: (CONTROLLER, OURS)}
EVERYBODY = {number: (replicas[0], set(replicas)) for number, replicas in ASSIGNMENT.items()}


@pytest.mark.parametrize(
    "version", [OLDEST_KAFKA, *(pytest.param(each, marks=pytest.mark.nightly) for each in (OLD_KAFKA, KAFKA))]
)
def test_leaders_move_and_no_acknowledged_record_is_lost(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str
) -> None:
    with MixedCluster(tmp_path, kafka_dist(version), chroot="/kafka") as cluster:
        cluster.kafka(CONTROLLER)
        cluster.kafka(KAFKA_LEADER)
        cluster.wirebroker(OURS)
        cluster.await_brokers(CONTROLLER, KAFKA_LEADER, OURS)
        cluster.create_topic("t", ASSIGNMENT)
        cluster.await_states("t", EVERYBODY)
        producer = RecordingProducer(cluster.bootstrap())
        producer.send("t", RECORDS, len(ASSIGNMENT))
        producer.flush()
        assert len(set(consume_group(cluster.bootstrap(), "t", "g", RECORDS))) == RECORDS

        producer.send("t", RECORDS, len(ASSIGNMENT))
        cluster.stop(KAFKA_LEADER)
        cluster.await_states("t", EVERYBODY | {0: (OURS, {OURS})})
        producer.send("t", RECORDS, len(ASSIGNMENT))
        producer.flush()
        cluster.kafka(KAFKA_LEADER)
        cluster.await_states("t", EVERYBODY | {0: (OURS, {OURS, KAFKA_LEADER})})

        producer.send("t", RECORDS, len(ASSIGNMENT))
        cluster.stop(OURS)
        producer.send("t", RECORDS, len(ASSIGNMENT))
        producer.flush()
        cluster.wirebroker(OURS)
        cluster.await_brokers(CONTROLLER, KAFKA_LEADER, OURS)
        cluster.await_states("t", EVERYBODY | {1: (CONTROLLER, {CONTROLLER, OURS})})
        found = read_all(cluster.bootstrap(), "t", ends_of(producer.acked))
        assert len(producer.acked) == len(set(producer.acked)) == 5 * RECORDS
        assert set(producer.acked) <= set(found)
        assert len({each.value for each in found}) == len(found), "a record is there twice"


SHORT_SESSION = {"zookeeper.session.timeout.ms": "12000"}


def test_brokers_that_are_killed_come_back(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    with MixedCluster(tmp_path, kafka_dist(OLD_KAFKA)) as cluster:
        cluster.kafka(CONTROLLER)
        cluster.kafka(KAFKA_LEADER, settings=SHORT_SESSION)
        cluster.wirebroker(OURS, SHORT_SESSION)
        cluster.await_brokers(CONTROLLER, KAFKA_LEADER, OURS)
        cluster.create_topic("t", {0: (OURS, KAFKA_LEADER), 1: (KAFKA_LEADER, OURS)})
        both = {OURS, KAFKA_LEADER}
        cluster.await_states("t", {0: (OURS, both), 1: (KAFKA_LEADER, both)})
        producer = RecordingProducer(cluster.bootstrap())
        producer.send("t", RECORDS, 2)
        cluster.kill(OURS)
        cluster.await_states("t", dict.fromkeys(range(2), (KAFKA_LEADER, {KAFKA_LEADER})))
        producer.send("t", RECORDS, 2)
        producer.flush()
        cluster.wirebroker(OURS)
        cluster.await_states("t", dict.fromkeys(range(2), (KAFKA_LEADER, both)))
        producer.send("t", RECORDS, 2)
        cluster.kill(KAFKA_LEADER)
        cluster.await_states("t", dict.fromkeys(range(2), (OURS, {OURS})))
        producer.send("t", RECORDS, 2)
        producer.flush()
        cluster.kafka(KAFKA_LEADER)
        cluster.await_states("t", dict.fromkeys(range(2), (OURS, both)))
        found = read_all(cluster.bootstrap(), "t", ends_of(producer.acked))
        assert len(producer.acked) == 4 * RECORDS
        assert set(producer.acked) <= set(found)
        assert len({each.value for each in found}) == len(found), "a record is there twice"


@pytest.mark.parametrize("controller", ["kafka", "wirebroker"])
def test_no_client_is_told_of_a_cluster_without_brokers(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, controller: str
) -> None:
    """A broker that was killed listens while the session of its former process still lives; librdkafka forgets every
    broker if a Metadata response has none."""
    with MixedCluster(tmp_path, kafka_dist(OLD_KAFKA)) as cluster:
        (cluster.kafka if controller == "kafka" else cluster.wirebroker)(CONTROLLER)
        ours = cluster.wirebroker(OURS, {"zookeeper.session.timeout.ms": "6000"})
        cluster.await_brokers(CONTROLLER, OURS)
        cluster.kill(OURS)
        start = Thread(target=cluster.wirebroker, args=(OURS,), daemon=True)
        start.start()
        answers = []
        while start.is_alive():
            answers.append(metadata_of(ours))
        join(start)
        answers.append(metadata_of(ours))
    told = [each for each in answers if each is not NO_METADATA]
    assert told
    assert {each.broker_ids for each in told} == {frozenset({CONTROLLER, OURS})}
    assert {each.controller_id for each in told} == {CONTROLLER}
