"""Group and transaction coordinators move between wirebroker and Apache Kafka, under a transactional producer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.cluster.clients import RecordingProducer, consume_group, ends_of, read_all, with_offsets
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.transactional_copier import TransactionalCopier, committed_transactions
from compat_tests.conftest import wait_until
from compat_tests.limits import WITHIN_S
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.cluster.fault_rounds import StartRounds
    from tools.jvm.kafka import KafkaDist

CONTROLLER, THEIRS, OURS = 0, 1, 2
RECORDS = 500
INTERNAL = ("__consumer_offsets", "__transaction_state")
COORDINATORS = [[THEIRS, OURS], [OURS, THEIRS]]


@pytest.mark.parametrize(
    "version",
    [OLD_KAFKA, pytest.param(KAFKA, marks=pytest.mark.nightly), pytest.param(OLDEST_KAFKA, marks=pytest.mark.nightly)],
)
def test_coordinators_move_both_ways_and_transactions_stay_whole(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, fault_rounds: StartRounds, version: str
) -> None:
    rounds = fault_rounds(f"Kafka {version} and a wirebroker", "coordinators move to the other kind and back", runs=1)
    with MixedCluster(tmp_path, kafka_dist(version)) as cluster:
        for broker_id in (CONTROLLER, THEIRS):
            cluster.kafka(broker_id)
        cluster.wirebroker(OURS)
        cluster.await_brokers(CONTROLLER, THEIRS, OURS)
        create_topics(cluster)
        await_coordinators(cluster, {0: THEIRS, 1: OURS}, {THEIRS, OURS})
        source = RecordingProducer(cluster.bootstrap(CONTROLLER))
        with TransactionalCopier(cluster.bootstrap(), "source", "target", 3) as copier:

            def copy_more() -> None:
                source.send("source", RECORDS, 2)
                source.flush()
                wait_until(lambda: copier.failure is not None or len(copier.copied) == len(source.acked), 120)
                copier.check()

            copy_more()
            for _ in rounds:
                cluster.stop(OURS)  # to Kafka
                await_coordinators(cluster, {0: THEIRS, 1: THEIRS}, {THEIRS})
                copy_more()
                cluster.wirebroker(OURS)
                await_coordinators(cluster, {0: THEIRS, 1: THEIRS}, {THEIRS, OURS})
                source.send("source", RECORDS, 2)
                cluster.stop(THEIRS)  # to wirebroker
                await_coordinators(cluster, {0: OURS, 1: OURS}, {OURS})
                copy_more()
                cluster.kafka(THEIRS)
                await_coordinators(cluster, {0: OURS, 1: OURS}, {THEIRS, OURS})
                source.send("source", RECORDS, 2)
                cluster.stop(OURS)  # to Kafka, with what wirebroker has written
                await_coordinators(cluster, {0: THEIRS, 1: THEIRS}, {THEIRS})
                copy_more()
                cluster.wirebroker(OURS)
                await_coordinators(cluster, {0: THEIRS, 1: THEIRS}, {THEIRS, OURS})
        copier.check()
        found = read_all(cluster.bootstrap(), "source", ends_of(source.acked))
        rounds.note_records(with_offsets(source.acked, found), found)
        assert rounds.records == (source.sent, 0, 0)
        sent = sorted(each.value for each in source.acked)
        assert sorted(copier.copied) == sent
        for partition in range(3):
            transactions = committed_transactions(cluster.bootstrap(), "target", partition)
            assert sorted(value for each in transactions for value in each) == sent, partition
            assert len(transactions) == copier.committed
        assert len(set(consume_group(cluster.bootstrap(), "source", "another", len(sent)))) == len(sent)


def create_topics(cluster: MixedCluster) -> None:
    """Create the internal topics, whose coordinators are to move, and those of the copier."""
    compacted = {"cleanup.policy": "compact"}
    topics = [NewTopic(name, 4, replica_assignment=2 * COORDINATORS, config=compacted) for name in INTERNAL]
    topics.append(NewTopic("source", 2, replica_assignment=[[CONTROLLER], [CONTROLLER]]))
    topics.append(NewTopic("target", 3, replica_assignment=[[CONTROLLER, THEIRS], *COORDINATORS]))
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap(CONTROLLER)})
    for created in admin.create_topics(topics).values():
        created.result(WITHIN_S)


def await_coordinators(cluster: MixedCluster, leaders: dict[int, int], isr: set[int]) -> None:
    """Wait until the internal topics have these leaders of even and odd partitions, and this ISR."""
    for topic in INTERNAL:
        cluster.await_states(topic, {index: (leaders[index % 2], isr) for index in range(4)}, timeout_s=120)
