"""Apache Kafka out of Maven Central's jars: its command line tools, and a real single broker.

    dist = KafkaDist("3.9.1")
    dist.run("kafka-topics", "--bootstrap-server", where, "--list").stdout
    with KafkaBroker(dist, tmp_path) as kafka:
        kafka.bootstrap  # "127.0.0.1:40123"

A distribution is a class path; a tool is a main class.  Tools moved from Scala to Java packages over the releases, so a
tool's name maps to candidates and the first class that the jars hold is run.  zookeeper.py has a ZooKeeper, and brokers
of the releases that want one.
"""

from __future__ import annotations

import base64
import os
import socket
import struct
import subprocess
import time
import uuid
import zipfile
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tools.jvm import class_archive
from tools.jvm.ports import free_ports
from tools.jvm.server_process import ServerProcess
from wirebroker.jvm.ivy import classpath
from wirebroker.jvm.java import java
from wirebroker.jvm.kafka_jars import kafka_jars

if TYPE_CHECKING:
    from collections.abc import Mapping

SMALL_JVM = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Djava.awt.headless=true")
BROKER_JVM = ("-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-XX:ParallelGCThreads=2", "-XX:ConcGCThreads=1")

BROKER = "kafka.Kafka"
TOOLS = {
    "kafka-acls": ("kafka.admin.AclCommand", "org.apache.kafka.tools.AclCommand"),
    "kafka-broker-api-versions": (
        "kafka.admin.BrokerApiVersionsCommand",
        "org.apache.kafka.tools.BrokerApiVersionsCommand",
    ),
    "kafka-client-metrics": ("org.apache.kafka.tools.ClientMetricsCommand",),
    "kafka-cluster": ("org.apache.kafka.tools.ClusterTool", "kafka.tools.ClusterTool"),
    "kafka-configs": ("kafka.admin.ConfigCommand", "org.apache.kafka.tools.ConfigCommand"),
    "kafka-console-consumer": ("org.apache.kafka.tools.consumer.ConsoleConsumer", "kafka.tools.ConsoleConsumer"),
    "kafka-console-producer": ("org.apache.kafka.tools.ConsoleProducer", "kafka.tools.ConsoleProducer"),
    "kafka-consumer-groups": (
        "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
        "kafka.admin.ConsumerGroupCommand",
    ),
    "kafka-consumer-perf-test": ("org.apache.kafka.tools.ConsumerPerformance", "kafka.tools.ConsumerPerformance"),
    "kafka-delegation-tokens": (
        "org.apache.kafka.tools.DelegationTokenCommand",
        "kafka.admin.DelegationTokenCommand",
    ),
    "kafka-delete-records": ("org.apache.kafka.tools.DeleteRecordsCommand", "kafka.admin.DeleteRecordsCommand"),
    "kafka-dump-log": ("kafka.tools.DumpLogSegments", "org.apache.kafka.tools.DumpLogSegments"),
    "kafka-features": ("org.apache.kafka.tools.FeatureCommand", "kafka.admin.FeatureCommand"),
    "kafka-get-offsets": ("org.apache.kafka.tools.GetOffsetShell", "kafka.tools.GetOffsetShell"),
    "kafka-leader-election": ("org.apache.kafka.tools.LeaderElectionCommand", "kafka.admin.LeaderElectionCommand"),
    "kafka-log-dirs": ("org.apache.kafka.tools.LogDirsCommand", "kafka.admin.LogDirsCommand"),
    "kafka-metadata-quorum": ("org.apache.kafka.tools.MetadataQuorumCommand",),
    "kafka-preferred-replica-election": ("kafka.admin.PreferredReplicaLeaderElectionCommand",),
    "kafka-producer-perf-test": ("org.apache.kafka.tools.ProducerPerformance",),
    "kafka-reassign-partitions": (
        "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
        "kafka.admin.ReassignPartitionsCommand",
    ),
    "kafka-replica-verification": (
        "org.apache.kafka.tools.ReplicaVerificationTool",
        "kafka.tools.ReplicaVerificationTool",
    ),
    "kafka-storage": ("kafka.tools.StorageTool", "org.apache.kafka.tools.StorageTool"),
    "kafka-topics": ("org.apache.kafka.tools.TopicCommand", "kafka.admin.TopicCommand"),
    "kafka-transactions": ("org.apache.kafka.tools.TransactionsCommand",),
    "kafka-verifiable-producer": ("org.apache.kafka.tools.VerifiableProducer",),
    "zookeeper-shell": ("org.apache.zookeeper.ZooKeeperMain",),
}
# Linux takes the ports of outgoing connections from 32768 on; two runs side by side begin at different places


class KafkaDist:
    """The jars of one Apache Kafka release, and its programs."""

    def __init__(self, version: str) -> None:
        self.version = version

    @cached_property
    def jars(self) -> list[Path]:
        """The broker, the tools and one log binding; fetched on first use."""
        return kafka_jars(self.version)

    @cached_property
    def _classes(self) -> frozenset[str]:
        """The classes in Kafka's own jars, by which `main_class` tells where a release has a tool."""
        names: set[str] = set()
        for jar in self.jars:
            if jar.name.startswith("kafka"):
                with zipfile.ZipFile(jar) as archive:
                    names.update(name[:-6].replace("/", ".") for name in archive.namelist() if name.endswith(".class"))
        return frozenset(names)

    def main_class(self, tool: str) -> str:
        """The class of a tool's short name; a name with no entry in TOOLS is a class already."""
        candidates = TOOLS.get(tool, (tool,))
        return next((name for name in candidates if name in self._classes), candidates[0])

    def command(self, tool: str, *arguments: str, heap: str = "256m", jvm: tuple[str, ...] = SMALL_JVM) -> list[str]:
        """The command line that runs *tool*, for subprocess."""
        here = Path(__file__).parent
        logging = [f"-Dlog4j.configuration=file:{here / 'log4j.properties'}"]
        if self.version.startswith("4."):
            logging = [f"-Dlog4j2.configurationFile={here / 'log4j2.properties'}"]
        class_path = classpath(self.jars)
        archive = class_archive.options(class_path, record=tool == BROKER)
        options = [f"-Xmx{heap}", *jvm, *logging, *archive]
        return [java(), *options, "-cp", class_path, self.main_class(tool), *arguments]

    def run(
        self, tool: str, *arguments: str, stdin: str | None = None, timeout: float = 240, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run a tool to its end.

        Raises:
            RuntimeError: its exit code is not 0; the text has its output.
        """
        command = self.command(tool, *arguments)
        completed = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=timeout, check=False)
        if check and completed.returncode != 0:
            raise RuntimeError(
                f"{tool} {' '.join(arguments)} ended with {completed.returncode}:\n{completed.stdout}{completed.stderr}"
            )
        return completed


class KafkaBroker(ServerProcess):
    """One Apache Kafka process, broker and KRaft controller in one; a context manager that always ends it."""

    jvm: tuple[str, ...] = BROKER_JVM
    """Options of Java; with SMALL_JVM a start costs half of the processor time, and records cost more."""

    def __init__(
        self, dist: KafkaDist, directory: Path, *, heap: str = "512m", settings: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self.dist, self.directory, self.heap = dist, directory, heap
        self.settings = dict(settings or {})
        self.host, self.port = "127.0.0.1", 0
        self.data_directory, self.log_file = directory / "data", directory / "server.out"

    @property
    def bootstrap(self) -> str:
        """The address of the broker, as host:port."""
        return f"{self.host}:{self.port}"

    def start(self, timeout_s: float = 240) -> Self:
        """Prepare the directory if it is new, start the broker, and wait until it knows a controller."""
        self.directory.mkdir(parents=True, exist_ok=True)
        properties = self.directory / "server.properties"
        lines = {
            "log.dirs": str(self.data_directory),
            "num.recovery.threads.per.data.dir": "1",
            # a cluster of one: internal topics must not ask for three replicas
            "offsets.topic.replication.factor": "1",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
        } | self.own_settings()
        properties.write_text("".join(f"{name}={value}\n" for name, value in (lines | self.settings).items()))
        self.prepare(properties)
        jvm = (*self.jvm, "-Djava.awt.headless=true")
        command = self.dist.command(BROKER, str(properties), heap=self.heap, jvm=jvm)
        with self.log_file.open("ab") as output:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            self._wait_for_controller(timeout_s)
        except BaseException:
            self.stop()
            raise
        return self

    def own_settings(self) -> dict[str, str]:
        """The settings of this kind of broker, with ports that are free now."""
        self.port, controller_port = free_ports(2)
        return {
            "process.roles": "broker,controller",
            "node.id": "0",
            "controller.quorum.voters": f"0@{self.host}:{controller_port}",
            "controller.listener.names": "CONTROLLER",
            "listeners": f"PLAINTEXT://{self.bootstrap},CONTROLLER://{self.host}:{controller_port}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "share.coordinator.state.topic.replication.factor": "1",
            "share.coordinator.state.topic.min.isr": "1",
            # its controller must not fence its broker whose heartbeats a busy machine makes late
            "broker.session.timeout.ms": "120000",
        }

    def prepare(self, properties: Path) -> None:
        """Format a directory that is new."""
        if not (self.data_directory / "meta.properties").exists():
            # a first letter of its own, as an id that begins with "-" looks like an option
            cluster_id = "w" + base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")[1:]
            self.dist.run("kafka-storage", "format", "-t", cluster_id, "-c", str(properties))

    def _wait_for_controller(self, timeout_s: float) -> None:
        assert self._process is not None
        deadline = time.monotonic() + timeout_s
        while not self._knows_controller():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"Apache Kafka did not come up:\n{self.log_file.read_text()[-3000:]}")
            time.sleep(0.1)

    def _knows_controller(self) -> bool:
        """Whether the broker answers Metadata version 1, and names a controller in it.

        The port may be open before that: with ZooKeeper up to 2.8 before the broker is registered.
        """
        request = struct.pack(">hhihi", 3, 1, 0, -1, 0)  # without a client id, about no topic
        try:
            with (
                socket.create_connection((self.host, self.port), timeout=10) as connection,
                connection.makefile("rb") as stream,
            ):
                connection.sendall(struct.pack(">i", len(request)) + request)
                size = stream.read(4)
                answer = stream.read(int.from_bytes(size, "big"))
        except OSError:
            return False
        return len(answer) == int.from_bytes(size, "big") > 0 and _controller_id(answer) >= 0

    def stop(self, timeout_s: float = 60) -> None:
        """End the process with SIGTERM, and with SIGKILL after *timeout_s*."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._process = process
            self.kill()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


def _controller_id(answer: bytes) -> int:
    """The controller in a response to Metadata version 1 about no topic, -1 if none is known."""
    (brokers,) = struct.unpack_from(">i", answer, 4)
    at = 8
    for _ in range(brokers):
        (host_size,) = struct.unpack_from(">h", answer, at + 4)
        at += 4 + 2 + host_size + 4
        (rack_size,) = struct.unpack_from(">h", answer, at)
        at += 2 + max(rack_size, 0)
    (controller_id,) = struct.unpack_from(">i", answer, at)
    return int(controller_id)


def resident_bytes(pid: int) -> int:
    """The resident set size of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
