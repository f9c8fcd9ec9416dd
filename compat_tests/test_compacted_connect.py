"""The compacted topics of Connect in distributed mode stay small, and a new worker goes on with what they hold."""

from __future__ import annotations

import json
import signal
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.compacted_topics import SETTINGS, CompactedTopics
from compat_tests.conftest import wait_until
from compat_tests.directory_scenario import consume_all, create
from compat_tests.versions import KAFKA
from tools.jvm import resolve
from tools.jvm.kafka import SMALL_JVM, free_ports
from wirebroker.jvm.ivy import classpath
from wirebroker.jvm.java import java

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat_tests.broker import Wirebroker

pytestmark = pytest.mark.nightly

SEGMENT_BYTES = 5_000
SMALL = 8 * SEGMENT_BYTES
PAUSES, ENOUGH = 30, 3_000
"""Lines are offsets, of 200 bytes with their markers: fifteen times SMALL, were they not compacted."""
LOG4J = Path(__file__).parent.parent / "tools" / "jvm" / "log4j.properties"


class ConnectWorker:
    """A worker of Connect in distributed mode, with the connectors for files."""

    def __init__(self, broker: Wirebroker, directory: Path) -> None:
        (port,) = free_ports(1)
        self._url = f"http://127.0.0.1:{port}"
        self._properties = directory / "worker.properties"
        self._log = directory / "worker.out"
        converters = {"key.converter": "StringConverter", "value.converter": "StringConverter"}
        settings = {
            "bootstrap.servers": broker.bootstrap,
            "group.id": "connect-workers",
            **{key: f"org.apache.kafka.connect.storage.{name}" for key, name in converters.items()},
            **{f"{kind}.storage.topic": f"connect-{kind}" for kind in ("offset", "config", "status")},
            **{f"{kind}.storage.replication.factor": "1" for kind in ("offset", "config", "status")},
            "offset.storage.partitions": "2",
            "status.storage.partitions": "1",
            "exactly.once.source.support": "enabled",
            "scheduled.rebalance.max.delay.ms": "0",
            "listeners": self._url,
        }
        self._properties.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        names = [f"org.apache.kafka:{name}:{KAFKA}" for name in ("connect-runtime", "connect-file")]
        self._jars = resolve([*names, "org.slf4j:slf4j-reload4j:1.7.36"])

    @contextmanager
    def running(self) -> Iterator[None]:
        """The worker, once it answers; it ends in order, with its offsets committed."""
        options = ["-Xmx300m", *SMALL_JVM, f"-Dlog4j.configuration=file:{LOG4J}", "-cp", classpath(self._jars)]
        main = "org.apache.kafka.connect.cli.ConnectDistributed"
        with self._log.open("ab") as output:
            process = subprocess.Popen(
                [java(), *options, main, str(self._properties)], stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        try:
            wait_until(lambda: process.poll() is not None or self._answers(), 240)
            assert process.poll() is None, self._log.read_text()[-3000:]
            yield
            process.send_signal(signal.SIGTERM)
            process.wait(120)
        finally:
            process.kill()
            process.wait()

    def _answers(self) -> bool:
        try:
            self.ask("GET", "/connectors")
        except OSError:
            return False
        return True

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """The answer of the REST interface."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            answer = response.read()
        return json.loads(answer) if answer else None

    def read_file(self, name: str, file: Path, topic: str) -> None:
        """Have the lines of *file* written to *topic* by a connector called *name*, each with its offset in the file.

        A line and its offset are one transaction.
        """
        config = {
            "connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
            **{"tasks.max": "1", "file": str(file), "topic": topic, "batch.size": "1"},
            **{"exactly.once.support": "required", "transaction.boundary": "poll"},
        }
        wait_until(lambda: self._configured(name, config))

    def _configured(self, name: str, config: dict[str, str]) -> bool:
        try:
            self.ask("PUT", f"/connectors/{name}/config", config)
        except urllib.error.HTTPError as error:
            if error.code != 409:  # the workers rebalance
                raise
            return False
        return True


def end_offset(broker: Wirebroker, topic: str, partition: int) -> int:
    from confluent_kafka import Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "ends"})
    try:
        return int(consumer.get_watermark_offsets(TopicPartition(topic, partition), 60)[1])
    finally:
        consumer.close()


def test_connect(
    start_wirebroker: Callable[..., Wirebroker], tmp_path: Path, show_at_the_end: Callable[[str, str], None]
) -> None:
    """Sources that commit their position with each line; a new worker goes on where the last one ended."""
    names = ("log.segment.bytes", "offsets.topic.segment.bytes", "transaction.state.log.segment.bytes")
    sizes = dict.fromkeys(names, str(SEGMENT_BYTES))
    # a marker stays for the time that a tombstone stays, and goes in a later round
    broker = start_wirebroker({**SETTINGS, **sizes, "log.cleaner.delete.retention.ms": "100"})
    create(broker.bootstrap, {"lines": {"segment.bytes": "10000000"}})
    files = [tmp_path / f"a file whose name is long enough to fill segments soon {number}" for number in range(8)]
    worker = ConnectWorker(broker, tmp_path)
    written = 0

    def write(count: int) -> None:
        """Append so many lines to each file."""
        nonlocal written
        for file in files:
            with file.open("a") as lines:
                lines.writelines(f"{file.name[-1]} {number}\n" for number in range(written, written + count))
        written += count

    def are_small() -> bool:
        """Whether all topics are small; rounds, which remove markers, go on while there are new lines."""
        write(1)
        time.sleep(1)
        return max(topics.sizes().values()) <= SMALL

    def connected() -> int:
        """How many lines are in the topic, each of which has a marker behind it."""
        return end_offset(broker, "lines", 0) // 2

    compacted = ("connect-offset", "connect-config", "connect-status", "__consumer_offsets", "__transaction_state")
    topics = CompactedTopics(broker, *compacted)
    with worker.running():
        for number, file in enumerate(files):
            file.touch()
            worker.read_file(f"source-{number}", file, "lines")
        for _ in range(PAUSES):  # changes of a state are records of the other two topics
            write(20)
            worker.ask("PUT", "/connectors/source-0/pause")
            time.sleep(0.3)
            worker.ask("PUT", "/connectors/source-0/resume")
            time.sleep(0.3)
        wait_until(lambda: connected() >= ENOUGH, 300)
        wait_until(are_small, 300)
    committed = sum(end_offset(broker, "connect-offset", partition) for partition in range(2))
    assert committed >= 2 * ENOUGH, "a record and a marker for each line"
    show_at_the_end(f"Connect, {PAUSES} pauses", topics.table())
    first = connected()
    broker.kill()
    broker.start()
    with worker.running():
        write(200)
        wait_until(lambda: connected() >= first + 20 * len(files), 300)
    seen: dict[str, list[int]] = {}
    for record in consume_all(broker.bootstrap, {"lines"}, "read_committed")["lines", 0]:
        source, line = (record.value or b"").decode().split()
        seen.setdefault(source, []).append(int(line))
    assert len(seen) == len(files)
    for numbers in seen.values():
        assert numbers == list(range(len(numbers)))
