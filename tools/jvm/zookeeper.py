"""A ZooKeeper or an ensemble of three, and Apache Kafka brokers of the releases that keep their metadata there.

    dist = KafkaDist("2.8.2")
    with ZooKeeper(dist, tmp_path / "zk") as zookeeper, ZooKeeperBroker(dist, tmp_path / "kafka", zookeeper) as kafka:
        kafka.bootstrap

    with ZooKeeperEnsemble(dist, tmp_path / "zk") as zookeeper:
        zookeeper.servers[0].stop()

The server is the one among Kafka's own jars (3.5.9 for 2.0 to 2.3, which bring only 3.4).  A broker's data directory
may be one that another broker wrote: its broker id and cluster id must be those in ZooKeeper.
"""

from __future__ import annotations

import socket
import subprocess
import time
from typing import TYPE_CHECKING, Self

from tools.jvm.kafka import SMALL_JVM, KafkaBroker, KafkaDist
from tools.jvm.ports import free_ports
from tools.jvm.server_process import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SERVER = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
SHORT_TICKS = {"tickTime": "500", "minSessionTimeout": "4000", "maxSessionTimeout": "40000"}
"""Settings of servers for clusters in which sessions expire: up to half a second late, and not up to two."""


class ZooKeeper(ServerProcess):
    """One ZooKeeper server with a directory of its own; a context manager that always ends it."""

    def __init__(self, dist: KafkaDist, directory: Path, settings: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.dist, self.directory = dist, directory
        self.settings = dict(settings or {})
        """Settings beside the usual ones; without those of an ensemble the server serves alone."""
        self.host, self.port = "127.0.0.1", 0
        self.chroot = ""
        """Appended to `connect`; a path such as /kafka."""
        self.log_file = directory / "zookeeper.out"

    @property
    def connect(self) -> str:
        """The value of a broker's `zookeeper.connect`."""
        return f"{self.host}:{self.port}{self.chroot}"

    def start(self, timeout_s: float = 240) -> Self:
        """Start the server and wait until it serves; a server that was started before keeps its port and data."""
        self.spawn()
        self.wait_until_it_serves(timeout_s)
        return self

    def spawn(self) -> None:
        """Start the server without a wait; one of an ensemble serves only when a majority runs."""
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
        } | self.settings
        properties = self.directory / "zookeeper.properties"
        properties.write_text("".join(f"{name}={value}\n" for name, value in lines.items()))
        command = self.dist.command(SERVER, str(properties), heap="128m", jvm=SMALL_JVM)
        with self.log_file.open("ab") as output:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def wait_until_it_serves(self, timeout_s: float = 240) -> None:
        """Wait until the server, which was started, serves clients."""
        assert self._process is not None
        deadline = time.monotonic() + timeout_s
        while not self._serves():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"ZooKeeper did not come up:\n{self.log_file.read_text()[-3000:]}")
            time.sleep(0.1)

    def _serves(self) -> bool:
        return self.mode() is not None

    def mode(self) -> str | None:
        """standalone, leader or follower, as the command srvr tells it; None while the server serves no clients."""
        try:
            with socket.create_connection((self.host, self.port), timeout=10) as connection:
                connection.sendall(b"srvr")
                answer = connection.recv(4096)
        except OSError:
            return None
        lines = [line for line in answer.decode().splitlines() if line.startswith("Mode: ")]
        return lines[0].removeprefix("Mode: ") if lines else None

    @property
    def is_running(self) -> bool:
        """Whether the process was started and not stopped."""
        return self._process is not None

    def stop(self) -> None:
        """End the process; acknowledged writes are on the disk."""
        self.kill()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


class ZooKeeperEnsemble:
    """Servers that replicate each other and serve while a majority runs; a context manager that always ends them."""

    def __init__(
        self, dist: KafkaDist, directory: Path, size: int = 3, settings: Mapping[str, str] | None = None
    ) -> None:
        self.chroot = ""
        """Appended to `connect`; a path such as /kafka."""
        peer_ports = free_ports(2 * size)
        peers = {
            f"server.{number + 1}": f"127.0.0.1:{peer_ports[2 * number]}:{peer_ports[2 * number + 1]}"
            for number in range(size)
        }
        given = {"initLimit": "10", "syncLimit": "5"} | peers | dict(settings or {})
        self.servers = [ZooKeeper(dist, directory / str(number + 1), given) for number in range(size)]

    @property
    def connect(self) -> str:
        """The value of a broker's `zookeeper.connect`, with all servers."""
        return ",".join(server.connect for server in self.servers) + self.chroot

    def start(self, timeout_s: float = 240) -> Self:
        """Start the servers that do not run, and wait until all serve."""
        for number, server in enumerate(self.servers, 1):
            data = server.directory / "data"
            data.mkdir(parents=True, exist_ok=True)
            (data / "myid").write_text(f"{number}\n")
            if not server.is_running:
                server.spawn()
        for server in self.servers:
            server.wait_until_it_serves(timeout_s)
        return self

    def stop(self) -> None:
        """End all processes."""
        for server in self.servers:
            server.stop()

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_: object) -> None:
        self.stop()


class ZooKeeperBroker(KafkaBroker):
    """One Apache Kafka broker with its metadata in ZooKeeper."""

    def __init__(
        self,
        dist: KafkaDist,
        directory: Path,
        zookeeper: ZooKeeper | ZooKeeperEnsemble,
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
        """Do nothing: a broker with ZooKeeper formats its directory itself."""
