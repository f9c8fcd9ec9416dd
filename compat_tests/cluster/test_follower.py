"""wirebroker as a follower of Apache Kafka leaders of three releases, in a cluster that Apache Kafka controls."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.replicated_logs import (
    ACKS_1,
    ACKS_ALL,
    await_equal_logs,
    await_leader_and_isr,
    produce,
    random_values,
)
from compat_tests.limits import WITHIN_S
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA
from tools.jvm.zookeeper import SHORT_TICKS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

CODECS = ("none", "gzip", "snappy", "lz4")
SETTINGS = {
    "zookeeper.session.timeout.ms": "10000",  # a broker that is killed is missed soon
    "controlled.shutdown.enable": "false",
    "replica.lag.time.max.ms": "60000",  # a broker that is stopped for some seconds stays in the ISR
}
HOLE_BYTES = 4096
STOPPED = {"zookeeper.session.timeout.ms": "40000"}
"""Of the broker that is stopped for some seconds, and must be in the cluster after them."""


def mixed_cluster(directory: Path, dist: KafkaDist) -> MixedCluster:
    """A cluster in which sessions expire half a second late, and not two."""
    cluster = MixedCluster(directory, dist)
    cluster.zookeeper.settings |= SHORT_TICKS
    return cluster


@pytest.mark.parametrize(
    "version", [*(pytest.param(each, marks=pytest.mark.nightly) for each in (OLDEST_KAFKA, OLD_KAFKA)), KAFKA]
)
def test_a_follower_enters_the_isr_and_follows_through_a_change_of_the_leader(
    version: str, kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    """The logs are equal, byte for byte; what only the former leader and the follower had is truncated."""
    with mixed_cluster(tmp_path, kafka_dist(version)) as cluster:
        first, second = cluster.kafka(0, settings=SETTINGS), cluster.kafka(1, settings=SETTINGS | STOPPED)
        wirebroker = cluster.wirebroker(2, SETTINGS)
        cluster.await_brokers(0, 1, 2)
        directories = [each.data_directory for each in (first, second, wirebroker)]
        cluster.create_topic("t", {0: (0, 1, 2), 1: (1, 2, 0)}, {"segment.bytes": "200000"})
        kafkas = cluster.bootstrap(0, 1)
        for codec in CODECS:
            config = {"compression.type": codec, **ACKS_ALL}
            produce(kafkas, "t", random_values(1000), 0, config)
            produce(kafkas, "t", random_values(500), 1, {**config, "enable.idempotence": "true"})
        await_leader_and_isr(kafkas, "t", 0, {0, 1, 2})
        await_leader_and_isr(kafkas, "t", 1, {0, 1, 2}, 1)
        whole = await_equal_logs("t", 0, *directories)
        await_equal_logs("t", 1, *directories)

        # records that the next leader does not have
        os.kill(second.pid, signal.SIGSTOP)
        try:
            for _ in range(3):  # the first of them answers the fetch that the next leader has sent already
                produce(first.bootstrap, "t", random_values(50), 0, ACKS_1)
            ahead = await_equal_logs("t", 0, first.data_directory, wirebroker.data_directory)
            assert len(ahead) > len(whole)
            cluster.kill(0)
        finally:
            os.kill(second.pid, signal.SIGCONT)
        await_leader_and_isr(second.bootstrap, "t", 1, {1, 2})
        produce(second.bootstrap, "t", random_values(300))
        after = await_equal_logs("t", 0, *directories[1:])
        assert after.startswith(whole)
        assert not after.startswith(ahead)
        assert "truncating from offset" in wirebroker.log()

        # the former leader comes back as a follower, and wirebroker after a crash and after a clean stop
        cluster.kafka(0)
        await_leader_and_isr(second.bootstrap, "t", 1, {0, 1, 2})
        for stop in (cluster.kill, cluster.stop):
            stop(2)
            produce(second.bootstrap, "t", random_values(200), 0, ACKS_1)
            cluster.wirebroker(2)
            await_leader_and_isr(second.bootstrap, "t", 1, {0, 1, 2})
            await_equal_logs("t", 0, *directories)
        assert "Traceback" not in wirebroker.log()


def test_records_that_leaders_delete_are_deleted_by_the_follower(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    """The log start follows that of the leader; a follower that comes back behind it begins there."""
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import AdminClient

    with mixed_cluster(tmp_path, kafka_dist(KAFKA)) as cluster:
        kafka, wirebroker = cluster.kafka(0, settings=SETTINGS), cluster.wirebroker(1, SETTINGS)
        cluster.await_brokers(0, 1)

        def delete(before: int) -> None:
            admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
            for deleted in admin.delete_records([TopicPartition("t", 0, before)], request_timeout=60).values():
                assert deleted.result(WITHIN_S).low_watermark == before

        cluster.create_topic("t", {0: (0, 1)}, {"segment.bytes": "50000"})
        produce(kafka.bootstrap, "t", random_values(1000))
        await_leader_and_isr(kafka.bootstrap, "t", 0, {0, 1})
        delete(400)  # answered when the follower has deleted them, too
        cluster.stop(1)
        await_leader_and_isr(kafka.bootstrap, "t", 0, {0})
        produce(kafka.bootstrap, "t", random_values(1000))
        delete(1900)
        cluster.wirebroker(1)
        await_leader_and_isr(kafka.bootstrap, "t", 0, {0, 1})
        first = min((wirebroker.data_directory / "t-0").glob("*.log"))
        assert first.name == "00000000000000001900.log", "its own records all ended before that"


def test_a_follower_that_has_lost_power_truncates_at_a_hole_of_zeros(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    """It copies what follows from its leader; a hole in the log of the only replica in sync is not served."""
    with mixed_cluster(tmp_path, kafka_dist(KAFKA)) as cluster:
        kafka, wirebroker = cluster.kafka(0, settings=SETTINGS), cluster.wirebroker(1, SETTINGS)
        cluster.await_brokers(0, 1)
        for topic, replicas in (("t", (0, 1)), ("alone", (1,))):
            cluster.create_topic(topic, {0: replicas})  # of one segment: rolled ones are flushed, and not read again
            produce(cluster.bootstrap(0, 1), topic, random_values(1000))
        await_leader_and_isr(kafka.bootstrap, "t", 0, {0, 1})
        directories = (kafka.data_directory, wirebroker.data_directory)
        whole = await_equal_logs("t", 0, *directories)
        cluster.kill(1)
        await_leader_and_isr(kafka.bootstrap, "t", 0, {0})
        holes = [put_hole(wirebroker.data_directory / each) for each in ("t-0", "alone-0")]
        cluster.wirebroker(1)
        await_leader_and_isr(kafka.bootstrap, "t", 0, {0, 1})
        assert await_equal_logs("t", 0, *directories) == whole
        await_leader_and_isr(kafka.bootstrap, "alone", -1, {1})
        assert wirebroker.log().count("to be fetched from broker 0, as this replica is not in the ISR") == 1
        assert bytes(HOLE_BYTES) in holes[1].read_bytes()


def put_hole(directory: Path) -> Path:
    """Overwrite bytes in the middle of a log's only segment with zeros; return its file."""
    (segment,) = directory.glob("*.log")
    content = bytearray(segment.read_bytes())
    middle = len(content) // 2
    content[middle : middle + HOLE_BYTES] = bytes(HOLE_BYTES)
    segment.write_bytes(content)
    return segment
