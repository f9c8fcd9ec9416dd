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
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

CODECS = ("none", "gzip", "snappy", "lz4")
SETTINGS = {
    "zookeeper.session.timeout.ms": "12000",  # a broker that is killed is missed soon
    "controlled.shutdown.enable": "false",
    "replica.lag.time.max.ms": "60000",  # a broker that is stopped for some seconds stays in the ISR
}


@pytest.mark.parametrize("version", [OLDEST_KAFKA, OLD_KAFKA, KAFKA])
def test_a_follower_enters_the_isr_and_follows_through_a_change_of_the_leader(
    version: str, kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    """The logs are equal, byte for byte; what only the former leader and the follower had is truncated."""
    with MixedCluster(tmp_path, kafka_dist(version)) as cluster:
        first, second = cluster.kafka(0, settings=SETTINGS), cluster.kafka(1, settings=SETTINGS)
        wirebroker = cluster.wirebroker(2, SETTINGS)
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

    with MixedCluster(tmp_path, kafka_dist(KAFKA)) as cluster:
        kafka, wirebroker = cluster.kafka(0, settings=SETTINGS), cluster.wirebroker(1, SETTINGS)

        def delete(before: int) -> None:
            admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
            for deleted in admin.delete_records([TopicPartition("t", 0, before)], request_timeout=60).values():
                assert deleted.result().low_watermark == before

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
