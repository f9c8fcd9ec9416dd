"""The two brokers under measurement: started, watched through /proc, stopped, their data removed.

Both run with their own defaults, unpinned, each with its data in a fresh directory on the same disk.  These settings
are given: where to listen and store, one replica for the internal topics (there is one broker), no rebalance delay
(as Apache Kafka's shipped server.properties has it), deleted files gone after a second instead of a minute, and
for Apache Kafka a heap of 768 MB.
"""

import base64
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tools.bench import raw_client
from tools.jvm.kafka import KafkaDist
from tools.jvm.ports import free_ports

START_TIMEOUT_S = 120
STOP_TIMEOUT_S = 30
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_CPUCLOCK_SCHED = 2
POLL_S = 0.001
KAFKA = KafkaDist("3.9.1")
HEAP = "768m"
# what Apache Kafka's kafka-run-class.sh passes to every server; the smaller first heap only flatters its memory figure
SERVER_JVM = (
    "-Xms256m",
    "-server",
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35",
    "-XX:+ExplicitGCInvokesConcurrent",
    "-XX:MaxInlineLevel=15",
    "-Djava.awt.headless=true",
)
SHARED_SETTINGS = {
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
    "log.segment.delete.delay.ms": "1000",
}


def cpu_seconds(pid: int) -> float:
    """Return user and system time of a process and all of its threads so far, to the nanosecond.

    /proc/PID/stat has ticks of 10 ms.  The clock is that of clock_getcpuclockid(3).

    Raises:
        OSError: there is no such process.
    """
    return time.clock_gettime(~pid << 3 | _CPUCLOCK_SCHED)


class StartError(Exception):
    """A broker did not come up; the text ends with what it printed."""


class Broker(ABC):
    """One broker process and its directory."""

    name: str

    def __init__(self, directory: Path, settings: Mapping[str, str] | None = None) -> None:
        self.directory = directory
        self.settings = {**SHARED_SETTINGS, **(settings or {})}
        (self.port,) = free_ports(1)
        self.data = directory / "data"
        self.log = directory / "output.txt"
        self._process: subprocess.Popen[bytes] | None = None
        directory.mkdir(parents=True)

    @property
    def address(self) -> raw_client.Address:
        return "127.0.0.1", self.port

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @abstractmethod
    def command(self) -> Sequence[str]:
        """The command to execute; everything that is done once per installation has been done before."""

    def start(self) -> float:
        """Start the process and return the seconds until its port accepts connections."""
        command = self.command()
        with self.log.open("ab") as output:
            began = time.perf_counter()
            self._process = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=_environment()
            )
        while time.perf_counter() - began < START_TIMEOUT_S:
            try:
                socket.create_connection(self.address, timeout=1).close()
            except OSError:
                if self._process.poll() is not None:
                    break
                time.sleep(POLL_S)
            else:
                return time.perf_counter() - began
        self.kill()
        raise StartError(f"{self.name} did not start: {self.output()}")

    def stop(self) -> None:
        """End the process, politely first."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def output(self) -> str:
        """The last lines that the process printed."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-10:])

    def cpu_seconds(self) -> float:
        """User and system time of the process so far, all threads."""
        return cpu_seconds(self.pid)

    def memory_mb(self, which: str = "VmRSS") -> float:
        """Resident memory now (VmRSS) or at its highest (VmHWM), in 10**6 bytes."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(which + ":"):
                return int(line.split()[1]) * 1024 / 1e6
        raise OSError(f"/proc/{self.pid}/status has no {which}")

    def data_bytes(self) -> int:
        """Disk space in use by the data directory."""
        total = 0
        for root, _, files in os.walk(self.data):
            for file in files:
                try:
                    total += os.stat(os.path.join(root, file)).st_blocks * 512
                except FileNotFoundError:
                    pass  # deleted meanwhile
        return total


def _environment() -> dict[str, str]:
    """The environment of a broker: Python keeps the modules that it has compiled, as in any installation."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class Wirebroker(Broker):
    """This project, run by the interpreter that runs the benchmark."""

    name = "wirebroker"
    python_options: tuple[str, ...] = ()

    def command(self) -> Sequence[str]:
        settings = [item for key, value in self.settings.items() for item in ("--set", f"{key}={value}")]
        return [
            *(sys.executable, *self.python_options, "-m", "wirebroker", "start"),
            *("--listener", f"PLAINTEXT://127.0.0.1:{self.port}"),
            *("--data-dir", str(self.data), *settings),
        ]


class ApacheKafka(Broker):
    """Apache Kafka 3.9.1 as a single KRaft node, broker and controller in one process."""

    name = "Apache Kafka"

    def __init__(self, directory: Path, settings: Mapping[str, str] | None = None) -> None:
        super().__init__(directory, settings)
        (controller,) = free_ports(1)
        properties = {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "controller.listener.names": "CONTROLLER",
            "listeners": f"PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{controller}",
            "log.dirs": str(self.data),
            **self.settings,
        }
        self._properties = directory / "server.properties"
        self._properties.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
        cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        # "=": an id may begin with a hyphen
        KAFKA.run("kafka-storage", "format", f"--cluster-id={cluster_id}", "-c", str(self._properties))

    def command(self) -> Sequence[str]:
        return KAFKA.command("kafka.Kafka", str(self._properties), heap=HEAP, jvm=SERVER_JVM)


BROKERS: dict[str, type[Broker]] = {"kafka": ApacheKafka, "wirebroker": Wirebroker}


@contextmanager
def scratch(parent: Path | None = None) -> Iterator[Path]:
    """A directory for one run's data; gone afterwards."""
    path = Path(tempfile.mkdtemp(prefix="wirebroker-bench-", dir=parent))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
