"""The compacted topics of Connect in distributed mode stay small, and a new worker goes on with what they hold."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.compacted_topics import SETTINGS, CompactedTopics
from compat_tests.conftest import wait_until
from compat_tests.directory_scenario import create
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
            "offset.flush.interval.ms": "50",
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
            process.wait(60)
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
        """Have the lines of *file* written to *topic*, a line at a time, by a connector called *name*."""
        config = {
            "connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
            **{"tasks.max": "1", "file": str(file), "topic": topic, "batch.size": "1"},
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


def test_connect(
    start_wirebroker: Callable[..., Wirebroker], tmp_path: Path, show_at_the_end: Callable[[str, str], None]
) -> None:
    """Sources that commit their position many times a second; a new worker goes on where the last one ended."""
    small = str(SEGMENT_BYTES)
    broker = start_wirebroker({**SETTINGS, "log.segment.bytes": small, "offsets.topic.segment.bytes": small})
    create(broker.bootstrap, {"lines": {"segment.bytes": "10000000"}})
    files = [tmp_path / f"a file whose name is long enough to fill segments soon {number}" for number in range(8)]
    worker = ConnectWorker(broker, tmp_path)
    written = 0

    def write(seconds: float) -> None:
        nonlocal written
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            for file in files:
                with file.open("a") as lines:
                    lines.writelines(f"{file.name[-1]} {number}\n" for number in range(written, written + 5))
            written += 5
            time.sleep(0.05)

    def connected() -> int:
        """How many lines are in the topic."""
        return int(consumer.get_watermark_offsets(TopicPartition("lines", 0), 30)[1])

    def known() -> bool:
        """Whether the consumer has found the broker again."""
        try:
            return connected() >= first
        except KafkaException:
            return False

    from confluent_kafka import Consumer, KafkaException, TopicPartition

    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "reader", "enable.auto.commit": False})
    topics = CompactedTopics(broker, "connect-offset", "connect-config", "connect-status", "__consumer_offsets")
    with worker.running():
        for number, file in enumerate(files):
            file.touch()
            worker.read_file(f"source-{number}", file, "lines")
        writer = threading.Thread(target=write, args=(30,))
        writer.start()
        turns = 0
        while writer.is_alive():  # changes of a state are records of the other two topics
            worker.ask("PUT", "/connectors/source-0/pause")
            time.sleep(0.3)
            worker.ask("PUT", "/connectors/source-0/resume")
            time.sleep(0.3)
            turns += 1
        writer.join()
        # a line at a time: the source keeps the last kilobytes in its buffer until more are written
        wait_until(lambda: connected() >= len(files) * written * 0.8, 120)
    topics.wait_until_small(4 * SEGMENT_BYTES)
    show_at_the_end(f"Connect, {turns} pauses", topics.table())
    first = connected()
    broker.kill()
    broker.start()
    wait_until(known)
    with worker.running():
        write(2)
        wait_until(lambda: connected() >= first + 20 * len(files), 120)
    consumer.assign([TopicPartition("lines", 0, 0)])
    seen: dict[str, list[int]] = {}
    for _ in range(connected()):
        message = consumer.poll(30)
        source, number = message.value().decode().split()
        seen.setdefault(source, []).append(int(number))
    consumer.close()
    assert len(seen) == len(files)
    for numbers in seen.values():
        assert numbers == list(range(len(numbers)))
