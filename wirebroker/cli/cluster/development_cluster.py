"""DevelopmentCluster: a ZooKeeper, wirebroker processes and Apache Kafka brokers on this machine.

Every broker has a directory broker-ID with its settings, data and log; both kinds read the same settings, and a
broker's data directory may be served by the other kind at the next start.
"""

from __future__ import annotations

import shlex
import socket
import sys
import time
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker import __version__
from wirebroker.cli.cluster.processes import Child, Processes, ProcessFailedError
from wirebroker.client.admin import Admin
from wirebroker.client.connection import ClientError
from wirebroker.jvm.ivy import classpath
from wirebroker.jvm.java import java
from wirebroker.protocol.exceptions import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

HOST: Final = "127.0.0.1"
_READY_S: Final = 120.0
_STOP_S: Final = 60.0
_ANSWER_S: Final = 5.0
HIGHEST_PORT: Final = 65535
OWN_SETTINGS: Final = frozenset({"broker.id", "node.id", "listeners", "log.dir", "log.dirs", "zookeeper.connect"})
"""The settings that differ from broker to broker, or that all of them get."""
_SMALL_JVM: Final = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Djava.awt.headless=true")
_LOGGING: Final = """\
log4j.rootLogger=INFO, stdout
log4j.appender.stdout=org.apache.log4j.ConsoleAppender
log4j.appender.stdout.layout=org.apache.log4j.PatternLayout
log4j.appender.stdout.layout.ConversionPattern=[%d] %p %m (%c)%n
"""


class Member(NamedTuple):
    """One broker of the cluster."""

    broker_id: int
    kind: str
    """Program and version."""
    address: str
    child: Child
    restart_command: str = ""
    """With which a user starts it again, empty for brokers that need a class path."""


class DevelopmentCluster:
    """Starts the processes of a cluster.

    Args:
        processes: Where they are started.
        directory: Where all of them keep their files.
        settings: Settings of every broker, over those of a small cluster.
        racks: Given to the brokers in turn.
    """

    def __init__(
        self, processes: Processes, directory: Path, settings: Mapping[str, str], racks: Sequence[str] = ()
    ) -> None:
        self._processes, self._directory = processes, directory
        self._settings, self._racks = dict(settings), racks
        self._logging = directory / "log4j.properties"
        self.zookeeper: Child | None = None
        self.zookeeper_connect = ""
        self.members: list[Member] = []

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of all brokers."""
        return ",".join(member.address for member in self.members)

    def start_zookeeper(self, jars: Sequence[Path], port: int) -> None:
        """Start the ZooKeeper on the first free port from *port* on, and wait until it serves.

        Raises:
            ProcessFailedError: it does not serve.
            StoppedBySignalError: the command is to stop.
        """
        directory = self._directory / "zookeeper"
        directory.mkdir(parents=True, exist_ok=True)
        self._logging.write_text(_LOGGING)
        port = free_port(port)
        properties = directory / "zookeeper.properties"
        _write(
            properties,
            {
                "tickTime": "2000",
                "dataDir": str(directory / "data"),
                "clientPort": str(port),
                "clientPortAddress": HOST,
                "maxClientCnxns": "0",
                "admin.enableServer": "false",
                "4lw.commands.whitelist": "srvr",
            },
        )
        self.zookeeper_connect = f"{HOST}:{port}"
        command = self._java(jars, "128m", "org.apache.zookeeper.server.quorum.QuorumPeerMain", properties)
        self.zookeeper = self._processes.start("ZooKeeper", command, directory / "zookeeper.log")
        missing = f"ZooKeeper does not serve after {_READY_S:g} s; its log is {self.zookeeper.log_file}"
        self._processes.wait_until(lambda: _zookeeper_serves(port), missing, time.monotonic() + _READY_S)

    def start_wirebroker(self, broker_id: int, port: int) -> None:
        """Start a wirebroker on the first free port from *port* on."""
        properties, address = self._prepare(broker_id, port)
        command = [sys.executable, "-m", "wirebroker", "start", "--config", str(properties)]
        restart_command = f"wirebroker start --config {shlex.quote(str(properties))}"
        self._start_broker(broker_id, f"wirebroker {__version__}", address, command, restart_command)

    def start_kafka(self, broker_id: int, port: int, version: str, jars: Sequence[Path]) -> None:
        """Start a broker of Apache Kafka on the first free port from *port* on."""
        properties, address = self._prepare(broker_id, port)
        command = self._java(jars, "512m", "kafka.Kafka", properties)
        self._start_broker(broker_id, f"Apache Kafka {version}", address, command)

    def _prepare(self, broker_id: int, port: int) -> tuple[Path, str]:
        """Write the settings of a broker; return their file, and the address at which it will listen."""
        taken = {member.address for member in self.members}
        port = free_port(port)
        while f"{HOST}:{port}" in taken:
            port = free_port(port + 1)
        directory = self._directory / f"broker-{broker_id}"
        directory.mkdir(parents=True, exist_ok=True)
        own = {
            "broker.id": str(broker_id),
            "listeners": f"PLAINTEXT://{HOST}:{port}",
            "log.dirs": str(directory / "data"),
            "zookeeper.connect": self.zookeeper_connect,
        }
        if self._racks:
            own["broker.rack"] = self._racks[broker_id % len(self._racks)]
        properties = directory / "server.properties"
        _write(properties, own | self._settings)
        return properties, f"{HOST}:{port}"

    def _start_broker(
        self, broker_id: int, kind: str, address: str, command: Sequence[str], restart_command: str = ""
    ) -> None:
        log_file = self._directory / f"broker-{broker_id}" / "broker.log"
        child = self._processes.start(f"broker {broker_id} ({kind})", command, log_file)
        self.members.append(Member(broker_id, kind, address, child, restart_command))

    def _java(self, jars: Sequence[Path], heap: str, main_class: str, properties: Path) -> list[str]:
        options = [f"-Xmx{heap}", *_SMALL_JVM, f"-Dlog4j.configuration=file:{self._logging}"]
        return [java(), *options, "-cp", classpath(jars), main_class, str(properties)]

    def wait_until_complete(self) -> None:
        """Wait until every broker names all of them, and one of them as the controller.

        Raises:
            ProcessFailedError: that does not happen.
            StoppedBySignalError: the command is to stop.
        """
        waiting = list(self.members)
        wanted = {member.broker_id for member in self.members}

        def is_complete() -> bool:
            while waiting and _brokers_known_to(waiting[0].address) == wanted:
                waiting.pop(0)
            return not waiting

        deadline_s = time.monotonic() + _READY_S
        try:
            self._processes.wait_until(is_complete, "", deadline_s)
        except ProcessFailedError as fault:
            if str(fault):
                raise
            late = waiting[0]
            raise ProcessFailedError(
                f"{late.child.name} does not name {len(wanted)} brokers and a controller after {_READY_S:g} s; "
                f"its log is {late.child.log_file}"
            ) from fault

    def stop(self) -> None:
        """Stop the brokers, then ZooKeeper, each with SIGTERM, so that their files are complete."""
        self._processes.stop([member.child for member in self.members], _STOP_S)
        if self.zookeeper is not None:
            self._processes.stop([self.zookeeper], _STOP_S)


def small_cluster_settings(broker_count: int, protocol: str | None) -> dict[str, str]:
    """The settings of a cluster of few brokers on one machine.

    Args:
        broker_count: Internal and new topics have a replica on each broker, three at most.
        protocol: `inter.broker.protocol.version`, None for that of wirebroker.
    """
    replicas = min(3, broker_count)
    settings = {
        "default.replication.factor": str(replicas),
        "offsets.topic.replication.factor": str(replicas),
        "transaction.state.log.replication.factor": str(replicas),
        "transaction.state.log.min.isr": str(min(2, replicas)),
        "group.initial.rebalance.delay.ms": "0",
        "log.cleaner.dedupe.buffer.size": "16777216",
    }
    return settings if protocol is None else settings | {"inter.broker.protocol.version": protocol}


def free_port(first: int) -> int:
    """The first port from *first* on at which nothing listens.

    Raises:
        ProcessFailedError: there is none.
    """
    for port in range(first, HIGHEST_PORT + 1):
        try:
            socket.create_server((HOST, port)).close()
        except OSError:
            continue
        return port
    raise ProcessFailedError(f"no port from {first} on is free")


def _brokers_known_to(address: str) -> set[int]:
    """The broker ids in the Metadata of one broker; empty without an answer or a controller."""
    try:
        with Admin(address, _ANSWER_S) as admin:
            found = admin.metadata(())
    except (ClientError, ProtocolError):
        return set()
    brokers = {broker.node_id for broker in found.brokers}
    return brokers if found.controller_id in brokers else set()


def _zookeeper_serves(port: int) -> bool:
    """Whether the server answers the command srvr as one that serves."""
    try:
        with socket.create_connection((HOST, port), timeout=1) as connection:
            connection.sendall(b"srvr")
            return b"Mode: " in connection.recv(4096)
    except OSError:
        return False


def _write(path: Path, settings: Mapping[str, str]) -> None:
    path.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
