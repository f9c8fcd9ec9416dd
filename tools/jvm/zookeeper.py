"""A ZooKeeper, and Apache Kafka brokers of the releases that keep their metadata in one (2.0 to 3.9).

    dist = KafkaDist("2.8.2")
    with ZooKeeper(dist, tmp_path / "zk") as zookeeper, ZooKeeperBroker(dist, tmp_path / "kafka", zookeeper) as kafka:
        kafka.bootstrap

The server is the one among Kafka's own jars (3.5.9 for 2.0 to 2.3, which bring only 3.4).  A broker's data directory
may be one that somebody else wrote: its broker id and cluster id must fit what is in ZooKeeper.
"""

from __future__ import annotations

import socket
import subprocess
import time
from typing import TYPE_CHECKING, Self

from tools.jvm.kafka import SMALL_JVM, KafkaBroker, KafkaDist, free_ports

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SERVER = "org.apache.zookeeper.server.quorum.QuorumPeerMain"


class ZooKeeper:
    """One ZooKeeper server with a directory of its own; a context manager that always ends it."""

    def __init__(self, dist: KafkaDist, directory: Path) -> None:
        self.dist, self.directory = dist, directory
        self.host, self.port = "127.0.0.1", 0
        self.log_file = directory / "zookeeper.out"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def connect(self) -> str:
        """What `zookeeper.connect` is set to."""
        return f"{self.host}:{self.port}"

    def start(self, timeout_s: float = 60) -> Self:
        """Start, and wait until it says that it serves; a server started before gets its old port and data."""
        self.directory.mkdir(parents=True, exist_ok=True)
        self.port = self.port or free_ports(1)[0]
        lines = {
            "tickTime": "2000",
            "dataDir": str(self.directory / "data"),
            "clientPort": str(self.port),
            "clientPortAddress": self.host,
            "maxClientCnxns": "0",
            "admin.enableServer": "false",
            "4lw.commands.whitelist": "srvr",
        }
        properties = self.directory / "zookeeper.properties"
        properties.write_text("".join(f"{name}={value}\n" for name, value in lines.items()))
        command = self.dist.command(SERVER, str(properties), heap="128m", jvm=SMALL_JVM)
        with self.log_file.open("ab") as output:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        deadline = time.monotonic() + timeout_s
        while not self._serves():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"ZooKeeper did not come up:\n{self.log_file.read_text()[-3000:]}")
            time.sleep(0.1)
        return self

    def _serves(self) -> bool:
        try:
            with socket.create_connection((self.host, self.port), timeout=1) as connection:
                connection.sendall(b"srvr")
                return b"Mode: standalone" in connection.recv(4096)
        except OSError:
            return False

    def stop(self) -> None:
        """End the process; what it has acknowledged is on the disk."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


class ZooKeeperBroker(KafkaBroker):
    """One Apache Kafka broker whose metadata is in *zookeeper*."""

    def __init__(
        self,
        dist: KafkaDist,
        directory: Path,
        zookeeper: ZooKeeper,
        *,
        broker_id: int = 0,
        heap: str = "512m",
        settings: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(dist, directory, heap=heap, settings=settings)
        self.zookeeper, self.broker_id = zookeeper, broker_id

    def own_settings(self) -> dict[str, str]:
        self.port = self.port or free_ports(1)[0]
        return {
            "broker.id": str(self.broker_id),
            "zookeeper.connect": self.zookeeper.connect,
            # as long as the server's tickTime allows: a broker on a busy machine is late with its pings
            "zookeeper.session.timeout.ms": "40000",
            "listeners": f"PLAINTEXT://{self.bootstrap}",
            "log.cleaner.dedupe.buffer.size": "16777216",
        }

    def prepare(self, properties: Path) -> None:
        """Such brokers make what they need."""
