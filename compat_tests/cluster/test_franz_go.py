"""franz-go on three wirebrokers goes on while leaders and coordinators move; kadm does what it does on Apache Kafka."""

from __future__ import annotations

import subprocess
import threading
from contextlib import contextmanager, suppress
from queue import Empty, Queue
from typing import TYPE_CHECKING, Final

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

from compat_tests.broker import running
from compat_tests.cluster.clients import read_all
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.three_wirebrokers import BROKERS, ThreeWirebrokers
from compat_tests.conftest import wait_until
from compat_tests.go_programs import go_program
from compat_tests.spark_help import create_topic
from compat_tests.versions import KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

pytestmark = pytest.mark.nightly

SOURCE: Final = "numbers"
TARGET: Final = "copies"
PARTITIONS: Final = 6
COPIERS: Final = 2
ANSWER_S: Final = 1500
"""More than the program waits itself before it fails."""


@pytest.fixture(scope="module")
def program() -> str:
    """The built program; the test is skipped where there is no Go."""
    return go_program("franz_cluster")


class Work:
    """The program at work: producers, members of a group, and copiers in transactions."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines: Queue[str] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.strip())
        self._lines.put("the end of the output")

    def expect(self, word: str) -> dict[str, int]:
        """The numbers in the next line, which must begin with *word*."""
        try:
            line = self._lines.get(timeout=ANSWER_S)
        except Empty:
            raise TimeoutError(f"franz_cluster does not answer {word!r} in {ANSWER_S} s") from None
        found, *numbers = line.split()
        assert found == word, line
        return {name: int(value) for name, _, value in (each.partition("=") for each in numbers)}

    def ask(self, word: str) -> dict[str, int]:
        """Send a command, and return the numbers in its answer."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # the program has failed, and its last line says why
            self._process.stdin.write(f"{word}\n")
            self._process.stdin.flush()
        return self.expect(word)

    def close(self) -> None:
        """Send no more commands."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def finish(self) -> dict[str, int]:
        """Produce no more; return the numbers when all is read and copied."""
        with suppress(BrokenPipeError):
            self.close()
        numbers = self.expect("done")
        assert self._process.wait(ANSWER_S) == 0
        return numbers


@contextmanager
def work(program: str, bootstrap: str) -> Iterator[Work]:
    """Run the program until the end of the block."""
    with running(
        [program, "work", bootstrap], within_s=3600, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        working = Work(process)
        working.expect("started")
        try:
            yield working
        finally:
            with suppress(BrokenPipeError):
                working.close()


def test_clients_go_on(program: str, kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    """An idempotent producer, a group that rebalances cooperatively and transactions survive ends of brokers."""
    with ThreeWirebrokers(tmp_path / "cluster", kafka_dist(KAFKA)) as cluster:
        for topic in (SOURCE, TARGET):
            create_topic(cluster.bootstrap(), topic, PARTITIONS)
        cluster.await_in_sync()
        with work(program, cluster.bootstrap()) as clients:
            assert clients.ask("more")["sessions"] == COPIERS, "no session ends while all brokers run"
            assert clients.ask("join") == {"taken": 2}, "a cooperative rebalance takes no partition that stays"
            cluster.kill_and_restart(cluster.leader(SOURCE))
            clients.ask("more")
            cluster.restart(cluster.leader(SOURCE))
            clients.ask("more")
            cluster.kill_and_restart(cluster.transaction_coordinator("copier"))
            clients.ask("more")
            cluster.restart(cluster.group_coordinator("copiers"))
            clients.ask("more")
            cluster.kill_and_restart(cluster.controller())
            clients.ask("more")
            numbers = clients.finish()
        expected = sorted(map(str, range(numbers["acked"])))
        produced = read_all(cluster.bootstrap(), SOURCE, cluster.ends(SOURCE))
        assert sorted(each.value for each in produced) == expected
        assert sorted(committed_values(cluster.bootstrap())) == expected


def committed_values(bootstrap: str) -> list[str]:
    """The values in the target topic that a reader of committed transactions gets."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "not-used",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
        }
    )
    values: list[str] = []
    left = set(range(PARTITIONS))

    def is_read() -> bool:
        for message in consumer.consume(1000, 0.5):
            error = message.error()
            if error is None:
                values.append(message.value().decode())
            elif error.code() == KafkaError._PARTITION_EOF:
                left.discard(message.partition())
            elif not error.retriable():
                raise KafkaException(error)
        return not left

    try:
        consumer.assign([TopicPartition(TARGET, each, OFFSET_BEGINNING) for each in left])
        wait_until(is_read)
    finally:
        consumer.close()
    return values


def test_kadm(program: str, kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    """Topics, partitions, reassignments, elections, records and groups by kadm, beside three Apache Kafka brokers."""
    printed = []
    for start in (MixedCluster.kafka, MixedCluster.wirebroker):
        with MixedCluster(tmp_path / start.__name__, kafka_dist(KAFKA)) as cluster:
            for broker_id in BROKERS:
                start(cluster, broker_id)
            cluster.await_brokers(*BROKERS, timeout_s=180)
            command = [program, "admin", cluster.bootstrap()]
            done = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER_S, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            printed.append(done.stdout)
    theirs, ours = printed
    assert ours == theirs
