"""Kafka Streams with exactly_once_v2: counts per key, kept in RocksDB and a changelog.

Each count 1, 2, 3, ... must appear once, whichever process is killed meanwhile.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.conftest import unique_name
from compat_tests.spark_help import create_topic
from compat_tests.streams_application import PARTITIONS, Application, Reader, feed, streams_jvm
from compat_tests.versions import KAFKA, KAFKA_4
from tools.jvm.kafka import KafkaBroker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from compat_tests.broker import Broker, Wirebroker
    from tools.jvm.kafka import KafkaDist


@pytest.fixture(params=[pytest.param(KAFKA, marks=pytest.mark.nightly), KAFKA_4])
def root(request: pytest.FixtureRequest) -> Iterator[Any]:
    with streams_jvm(request.param) as root:
        yield root


def names(broker: Broker) -> tuple[str, str]:
    source, sink = unique_name("words"), unique_name("counts")
    for name in (source, sink):
        create_topic(broker.bootstrap, name, PARTITIONS)
    return source, sink


def test_counts_survive_all_crashes(start_wirebroker: Callable[..., Wirebroker], root: Any, tmp_path: Path) -> None:
    """The broker is killed, the application is stopped, started, and started without its state."""
    broker = start_wirebroker({"group.initial.rebalance.delay.ms": "0"})
    source, sink = names(broker)
    reader = Reader(broker.bootstrap, sink)
    feed(broker.bootstrap, source, 0, 500)
    with Application(root, broker.bootstrap, "counts", tmp_path / "1").running(source, sink) as application:
        reader.read(300, application)
        broker.kill()
        broker.start()
        reader.read(500, application)
        feed(broker.bootstrap, source, 500, 500)
        reader.read(600, application)
        broker.kill()
        broker.start()
        reader.read(800, application)
    feed(broker.bootstrap, source, 1000, 500)
    with Application(root, broker.bootstrap, "counts", tmp_path / "1").running(source, sink) as application:
        reader.read(1200, application)
    feed(broker.bootstrap, source, 1500, 100)
    with Application(root, broker.bootstrap, "counts", tmp_path / "2").running(source, sink) as application:
        reader.read(1600, application)
    time.sleep(0.5)
    reader.consumer.consume(100, 0.2)
    reader.check(1600)
    reader.consumer.close()


@pytest.mark.skipif(os.environ.get("COMPAT_TARGET") != "apache", reason="checks the test itself on Apache Kafka")
def test_counts_on_apache_kafka(kafka_dist: Callable[[str], KafkaDist], root: Any, tmp_path: Path) -> None:
    with KafkaBroker(kafka_dist(KAFKA), tmp_path / "kafka") as broker:
        source, sink = names(broker)
        reader = Reader(broker.bootstrap, sink)
        feed(broker.bootstrap, source, 0, 500)
        with Application(root, broker.bootstrap, "counts", tmp_path / "1").running(source, sink) as application:
            reader.read(500, application)
        reader.check(500)
        reader.consumer.close()
