"""Partitions move between log directories while a producer writes: by Kafka's tool, across kill -9, and refusals."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from compat_tests.broker import Wirebroker
from compat_tests.conftest import wait_until
from compat_tests.limits import errors_into, flush, join
from compat_tests.versions import KAFKA
from compat_tests.wire import Wire
from tools.jvm.kafka import KafkaBroker
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from wirebroker.protocol.messages.describe_log_dirs import DescribeLogDirsRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat_tests.broker import Broker
    from tools.jvm.kafka import KafkaDist

FILLED = 20_000
VALUE = bytes(range(256)) * 16  # 80 MB altogether: a copy takes longer than a request
MOST_QUEUED = 10_000
"""Records that wait in a producer: its queue must not be full when a busy machine starts the broker again."""


def two_dirs(directory: Path, settings: dict[str, str] | None = None) -> tuple[Wirebroker, Path, Path]:
    broker = Wirebroker(directory, settings)
    one, two = directory / "one", directory / "two"
    broker.data_directory = Path(f"{one},{two}")
    return broker, one, two


def create(broker: Broker, *topics: str) -> None:
    with Wire(broker.host, broker.port) as wire:
        request = CreateTopicsRequest([CreatableTopic(topic, 1, 1, [], []) for topic in topics], 60_000)
        assert [each.error_code for each in wire.ask(request, 5).topics] == [ErrorCode.NONE] * len(topics)


def described(broker: Broker, topic: str) -> dict[Path, tuple[bool, int]]:
    """Directory -> is the topic's partition 0 in it a copy, and how far behind."""
    with Wire(broker.host, broker.port) as wire:
        answer = wire.ask(DescribeLogDirsRequest(None), 4)
    return {
        Path(result.log_dir): (each.is_future_key, each.offset_lag)
        for result in answer.results
        for described in result.topics
        if described.name == topic
        for each in described.partitions
    }


def alter(broker: Broker, path: Path | str, topic: str, *partitions: int, version: int = 2) -> list[int]:
    with Wire(broker.host, broker.port) as wire:
        wanted = [AlterReplicaLogDir(str(path), [AlterReplicaLogDirTopic(topic, list(partitions or (0,)))])]
        answer = wire.ask(AlterReplicaLogDirsRequest(wanted), version)
    return [each.error_code for result in answer.results for each in result.partitions]


class Writing:
    """A producer in a thread: numbered records until it is stopped, each of them acknowledged."""

    def __init__(self, broker: Broker, topic: str, first: int) -> None:
        self.topic, self.count = topic, first
        self.errors: list[object] = []
        self._report = errors_into(self.errors)
        self._producer = Producer(
            {"bootstrap.servers": broker.bootstrap, "enable.idempotence": True, "linger.ms": 2}
            | {"message.timeout.ms": 240_000}
        )
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._stop.wait(0.001):
            for _ in range(20 if len(self._producer) < MOST_QUEUED else 0):
                self._producer.produce(self.topic, b"%d" % self.count, partition=0, on_delivery=self._report)
                self.count += 1
            self._producer.poll(0)

    def __enter__(self) -> Writing:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        join(self._thread)
        flush(self._producer)
        assert self.errors == []


def fill(broker: Broker, topic: str) -> None:
    producer = Producer({"bootstrap.servers": broker.bootstrap, "linger.ms": 5, "acks": "all"})
    for number in range(FILLED):
        producer.produce(topic, b"%d " % number + VALUE, partition=0)
        producer.poll(0)
    flush(producer)


def read_all(broker: Broker, topic: str, count: int) -> None:
    """Every number once and in order."""
    settings = {"bootstrap.servers": broker.bootstrap, "group.id": "g", "enable.auto.commit": False}
    consumer = Consumer(settings)
    consumer.assign([TopicPartition(topic, 0, 0)])
    found: list[int] = []
    deadline = time.monotonic() + 240
    while len(found) < count:
        assert time.monotonic() < deadline, f"only {len(found)} of {count} records"
        for message in consumer.consume(10_000, 1):
            value = message.value()
            assert message.error() is None
            assert value is not None
            found.append(int(value.partition(b" ")[0]))
    consumer.close()
    assert found == list(range(count))


@contextmanager
def reassignment(directory: Path, topic: str, target: Path) -> Iterator[str]:
    plan = directory / "plan.json"
    entry = {"topic": topic, "partition": 0, "replicas": [0], "log_dirs": [str(target)]}
    plan.write_text(json.dumps({"version": 1, "partitions": [entry]}))
    yield str(plan)


def test_kafka_s_tool_moves_a_partition_under_a_producer(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    broker, one, two = two_dirs(tmp_path, {"log.segment.delete.delay.ms": "3600000"})  # to see what is to be deleted
    tool = kafka_dist(KAFKA)
    with broker:
        create(broker, "moving")
        fill(broker, "moving")
        assert list(described(broker, "moving")) == [one]
        with Writing(broker, "moving", FILLED) as writing, reassignment(tmp_path, "moving", two) as plan:
            arguments = ("--bootstrap-server", broker.bootstrap, "--reassignment-json-file", plan)
            said = tool.run("kafka-reassign-partitions", *arguments, "--execute").stdout
            assert "Successfully started" in said
            wait_until(lambda: described(broker, "moving") == {two: (False, 0)})
            verified = tool.run("kafka-reassign-partitions", *arguments, "--verify").stdout
            assert "is completed" in verified or "completed successfully" in verified
            size_now = writing.count
            wait_until(lambda: writing.count > size_now + 1000)
        read_all(broker, "moving", writing.count)
        assert list(one.glob("moving-0*-delete"))
        assert not (one / "moving-0").exists()
        assert (two / "moving-0" / "partition.metadata").exists()
    with broker:
        read_all(broker, "moving", writing.count)


def test_a_move_that_is_killed_goes_on_after_the_start(tmp_path: Path) -> None:
    settings = {"log.retention.check.interval.ms": "1000"}
    broker, one, two = two_dirs(tmp_path, settings)
    broker.start()
    create(broker, "moving")
    fill(broker, "moving")
    with Writing(broker, "moving", FILLED) as writing:
        source, target = one, two

        def is_moving() -> bool:
            """Whether the copy has begun; on a busy machine it may be over before it is seen."""
            return bool(list(target.glob("moving-0.*-future/*.log"))) or described(broker, "moving") == there

        for number in range(20):
            if number >= 4 and "its move goes on" in broker.log():
                break
            there = {target: (False, 0)}
            assert alter(broker, target, "moving") == [ErrorCode.NONE]
            wait_until(is_moving)
            broker.kill()
            broker.start()
            assert sum(not copy for copy, _ in described(broker, "moving").values()) == 1
            wait_until(lambda: described(broker, "moving") == there)  # noqa: B023
            source, target = target, source
    read_all(broker, "moving", writing.count)
    assert "its move goes on" in broker.log(), "all kills were too late"
    broker.stop()


def test_one_of_two_directories_is_lost_and_the_other_serves(tmp_path: Path) -> None:
    broker, one, two = two_dirs(tmp_path)
    with broker:
        create(broker, "in-one", "in-two")
        assert list(described(broker, "in-one")) == [one]
        assert list(described(broker, "in-two")) == [two]  # the one with fewer
        assert alter(broker, two, "in-one") == [ErrorCode.NONE]
        wait_until(lambda: described(broker, "in-one") == {two: (False, 0)})
        one.rename(tmp_path / "away")  # at once, as the broker writes there
        one.write_text("what a disk that fails looks like")
        wait_until(lambda: "offline" in broker.log())
        assert alter(broker, one, "in-two") == [ErrorCode.KAFKA_STORAGE_ERROR]
        with Writing(broker, "in-one", 0) as writing:
            wait_until(lambda: writing.count > 1000)
        read_all(broker, "in-one", writing.count)


@pytest.fixture(scope="module")
def two_brokers(
    kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[tuple[Broker, Path, Path]]]:
    """wirebroker and Apache Kafka with two directories each, and a topic."""
    directory = tmp_path_factory.mktemp("refused")
    ours = two_dirs(directory / "ours")
    one, two = directory / "theirs" / "one", directory / "theirs" / "two"
    apache = KafkaBroker(kafka_dist(KAFKA), directory / "theirs", settings={"log.dirs": f"{one},{two}"})
    with ours[0], apache:
        brokers: list[tuple[Broker, Path, Path]] = [ours, (apache, one, two)]
        for broker, _, _ in brokers:
            create(broker, "there")
            wait_until(lambda: len(described(broker, "there")) == 1)  # noqa: B023
        yield brokers


@pytest.mark.parametrize("version", AlterReplicaLogDirsRequest.VERSIONS)
@pytest.mark.parametrize(
    ("path", "topic", "partition"),
    [
        ("{one}", "there", 0),
        ("{two}", "there", 0),
        ("{two}", "there", 1),
        ("{two}", "not-there", 0),
        ("{two}", "bad name!", 0),
        ("/not/a/log/dir", "there", 0),
        ("relative", "there", 0),
        ("", "there", 0),
    ],
)
def test_it_answers_as_apache_kafka_does(
    two_brokers: list[tuple[Broker, Path, Path]], version: int, path: str, topic: str, partition: int
) -> None:
    codes = [
        alter(broker, path.format(one=one, two=two), topic, partition, version=version)
        for broker, one, two in two_brokers
    ]
    assert codes[0] == codes[1]
