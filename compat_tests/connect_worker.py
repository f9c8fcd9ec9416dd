"""A worker of Kafka Connect in distributed mode, in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA
from tools.jvm import class_archive, resolve
from tools.jvm.kafka import SMALL_JVM
from tools.jvm.ports import free_ports
from wirebroker.jvm.ivy import classpath
from wirebroker.jvm.java import java

if TYPE_CHECKING:
    from collections.abc import Iterator

LOG4J = Path(__file__).parent.parent / "tools" / "jvm" / "log4j.properties"


class ConnectWorker:
    """A worker of Connect in distributed mode, with the connectors for files."""

    def __init__(self, bootstrap: str, directory: Path, replicas: int = 1) -> None:
        (port,) = free_ports(1)
        self._url = f"http://127.0.0.1:{port}"
        self._properties = directory / "worker.properties"
        self._log = directory / "worker.out"
        converters = {"key.converter": "StringConverter", "value.converter": "StringConverter"}
        settings = {
            "bootstrap.servers": bootstrap,
            "group.id": "connect-workers",
            **{key: f"org.apache.kafka.connect.storage.{name}" for key, name in converters.items()},
            **{f"{kind}.storage.topic": f"connect-{kind}" for kind in ("offset", "config", "status")},
            **{f"{kind}.storage.replication.factor": str(replicas) for kind in ("offset", "config", "status")},
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
        options = ["-Xmx300m", *SMALL_JVM, f"-Dlog4j.configuration=file:{LOG4J}"]
        class_path = classpath(self._jars)
        options += [*class_archive.options(class_path, record=True), "-cp", class_path]
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
            process.wait(60)

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

    def read_file(self, name: str, file: Path, topic: str, *, batch_size: int = 1) -> None:
        """Have the lines of *file* written to *topic* by a connector called *name*, with their offsets in the file.

        At most *batch_size* lines and the offset behind them are one transaction.
        """
        config = {
            "connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
            **{"tasks.max": "1", "file": str(file), "topic": topic, "batch.size": str(batch_size)},
            **{"exactly.once.support": "required", "transaction.boundary": "poll"},
        }
        wait_until(lambda: self._configured(name, config))

    def write_file(self, name: str, topic: str, file: Path) -> None:
        """Have the committed records of *topic* appended to *file* by a connector called *name*, at least once."""
        config = {
            "connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
            **{"tasks.max": "1", "file": str(file), "topics": topic},
            "consumer.override.isolation.level": "read_committed",
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
