"""Kafka Streams with exactly_once_v2 on three wirebrokers, which are killed one after the other while it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.three_wirebrokers import BROKERS, Feeder, ThreeWirebrokers
from compat_tests.spark_help import create_topic
from compat_tests.streams_application import PARTITIONS, Application, Reader, streams_jvm
from compat_tests.versions import KAFKA, KAFKA_4

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

NAME = "counts"
SOURCE, SINK = "words", "numbers"


@pytest.mark.nightly
@pytest.mark.parametrize("version", [KAFKA, KAFKA_4])
def test_every_count_is_there_once(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, version: str) -> None:
    with ThreeWirebrokers(tmp_path / "cluster", kafka_dist(KAFKA)) as cluster, streams_jvm(version) as root:
        for topic in (SOURCE, SINK):
            create_topic(cluster.bootstrap(), topic, PARTITIONS)
        cluster.await_in_sync()
        reader = Reader(cluster.bootstrap(), SINK)
        with Feeder(cluster.bootstrap(), SOURCE) as feeder:
            state = tmp_path / "state"
            with Application(root, cluster.bootstrap(), NAME, state).running(SOURCE, SINK) as application:
                reader.read(100, application)
                cluster.kill_and_restart(cluster.leader(SOURCE))
                cluster.kill_and_restart(cluster.transaction_coordinator(NAME))
                cluster.kill_and_restart(cluster.group_coordinator(NAME))
                cluster.kill_and_restart(cluster.controller())
                cluster.kill_and_restart(cluster.leader(SINK))
                total = feeder.finish()
                reader.read(total, application)
        reader.check(total)
        reader.consumer.close()
        assert cluster.live_brokers() == list(BROKERS)
