"""Word count as a Kafka Streams application on wirebroker: killed, started again, and with a second instance.

The Java program beside this file is compiled by Eclipse's compiler, a jar from Maven Central: PyPI's Java has none.
"""

from __future__ import annotations

import struct
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from compat_tests.conftest import wait_until
from compat_tests.limits import flush
from compat_tests.spark_help import create_topic
from compat_tests.versions import KAFKA
from tools.jvm import resolve
from tools.jvm.kafka import SMALL_JVM
from wirebroker.jvm.ivy import classpath
from wirebroker.jvm.java import java

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat_tests.broker import Wirebroker

COMPILER = "org.eclipse.jdt:ecj:3.37.0"
PROGRAM = Path(__file__).with_name("WordCount.java")
SOURCE, SINK, APPLICATION = "lines", "words", "word-count"
PARTITIONS = 2
PATIENCE_S = 240
LINES = ["all streams lead to kafka", "hello kafka streams", "join kafka summit"]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The class path of the program."""
    jars = resolve([f"org.apache.kafka:kafka-streams:{KAFKA}", "org.slf4j:slf4j-nop:1.7.36"])
    (compiler,) = resolve([COMPILER], transitive=False)
    classes = tmp_path_factory.mktemp("classes")
    command = [java(), "-Xmx128m", *SMALL_JVM, "-jar", str(compiler), "-17", "-cp", classpath(jars)]
    done = subprocess.run(
        [*command, "-d", str(classes), str(PROGRAM)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [classes, *jars]


@contextmanager
def word_count(broker: Wirebroker, program: list[Path], directory: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The application with a state directory of its own; killed at the end, as a crash does."""
    directory.mkdir(exist_ok=True)
    settings = directory / "streams.properties"
    settings.write_text(
        f"bootstrap.servers={broker.bootstrap}\napplication.id={APPLICATION}\nstate.dir={directory / 'state'}\n"
        "default.key.serde=org.apache.kafka.common.serialization.Serdes$StringSerde\n"
        "default.value.serde=org.apache.kafka.common.serialization.Serdes$StringSerde\n"
        "auto.offset.reset=earliest\ncommit.interval.ms=100\nsession.timeout.ms=10000\nheartbeat.interval.ms=500\nreconnect.backoff.max.ms=200\n"
        "statestore.cache.max.bytes=0\n"
    )
    command = [java(), "-Xmx192m", *SMALL_JVM, "-cp", classpath(program), "WordCount", str(settings)]
    with (directory / "out").open("ab") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.kill()
        process.wait(60)


class Counts:
    """The output of the application, and the offsets that its group has committed."""

    def __init__(self, broker: Wirebroker) -> None:
        settings = {"bootstrap.servers": broker.bootstrap, "enable.auto.commit": False, "log_level": 0}
        self.consumer = Consumer(settings | {"group.id": "reader", "reconnect.backoff.max.ms": 200})
        self.consumer.assign([TopicPartition(SINK, each, 0) for each in range(PARTITIONS)])
        self.latest: dict[str, int] = {}
        self.group = Consumer(settings | {"group.id": APPLICATION, "reconnect.backoff.max.ms": 200})

    def committed(self) -> int:
        found = self.group.committed([TopicPartition(SOURCE, each) for each in range(PARTITIONS)], timeout=60)
        return sum(max(each.offset, 0) for each in found)

    def await_words(self, wanted: dict[str, int], process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while self.latest != wanted:
            assert time.monotonic() < deadline, (self.latest, process.poll())
            for message in self.consumer.consume(500, 0.2):
                if message.error() is None:
                    self.latest[message.key().decode()] = struct.unpack(">q", message.value())[0]

    def close(self) -> None:
        self.consumer.close()
        self.group.close()


def words(times: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in " ".join(LINES).split():
        found[word] = found.get(word, 0) + times
    return found


def test_word_count(start_wirebroker: Callable[..., Wirebroker], program: list[Path], tmp_path: Path) -> None:
    broker = start_wirebroker({"group.initial.rebalance.delay.ms": "0"})
    for name in (SOURCE, SINK):
        create_topic(broker.bootstrap, name, PARTITIONS)
    producer = Producer({"bootstrap.servers": broker.bootstrap, "log_level": 0, "reconnect.backoff.max.ms": 200})

    def feed() -> None:
        for number, line in enumerate(LINES):
            producer.produce(SOURCE, line, partition=number % PARTITIONS)
        flush(producer)

    counts = Counts(broker)
    feed()
    with word_count(broker, program, tmp_path / "one") as process:
        counts.await_words(words(1), process)
        wait_until(lambda: counts.committed() == 3)
        feed()
        counts.await_words(words(2), process)
        wait_until(lambda: counts.committed() == 6)
        # A second instance takes over a part, with the state of its tasks out of the changelog.
        with word_count(broker, program, tmp_path / "two") as second:
            wait_until(lambda: f"group={APPLICATION}" in broker.log() and ", 2 members," in broker.log(), PATIENCE_S)
            feed()
            counts.await_words(words(3), second)
            wait_until(lambda: counts.committed() == 9)
    # Both instances have ended. Committed records are not counted again: state and offsets are those of before.
    broker.kill()
    broker.start()
    feed()
    with word_count(broker, program, tmp_path / "one") as process:
        counts.await_words(words(4), process)
        wait_until(lambda: counts.committed() == 12)
        time.sleep(0.5)
        counts.await_words(words(4), process)
    counts.close()
