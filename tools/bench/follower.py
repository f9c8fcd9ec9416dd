"""``python -m tools.bench.follower``: how fast a follower that is behind catches up, beside Apache Kafka's own.

One Apache Kafka 3.9.1 leads all partitions; another one and a wirebroker follow it.  Both followers are stopped,
records are produced, and then one follower after the other is started and catches up, in the other order in the next
turn.  The time is that from the first byte in the follower's logs to the last one.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tools.bench.brokers import TICKS_PER_S, StartError, Wirebroker, scratch
from tools.bench.groups import OTHER, OURS, Figure, say, table
from tools.jvm.kafka import KafkaDist
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker

if TYPE_CHECKING:
    from collections.abc import Callable

PARTITIONS = 4
RECORD_BYTES = 1000
POLL_S = 0.02
TIMEOUT_S = 150
SETTINGS = {
    "auto.leader.rebalance.enable": "false",
    "controlled.shutdown.enable": "false",
    "log.cleaner.enable": "false",
}


class CatchUp(NamedTuple):
    """One follower's way to the end of the leader's logs."""

    megabytes: float
    seconds: float
    cpu_seconds: float

    @property
    def rate(self) -> float:
        """Megabytes per second."""
        return self.megabytes / self.seconds


class Follower(NamedTuple):
    """A follower's process and its logs."""

    start: Callable[[], object]
    stop: Callable[[], object]
    pid: Callable[[], int]
    data: Path


@dataclass(slots=True)
class Watch:
    """Looks at a follower's logs, and at its processor time, until they have *target* bytes."""

    follower: Follower
    target: int
    samples: list[tuple[float, int, float]] = field(default_factory=list)
    """(time, bytes in the logs, processor time)."""

    def run(self) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            size = log_bytes(self.follower.data)
            self.samples.append((time.monotonic(), size, cpu_seconds(self.follower)))
            if size >= self.target:
                return
            time.sleep(POLL_S)

    def result(self) -> CatchUp:
        """Return the time since the last sample without new bytes."""
        before = self.samples[0][1]
        first = next(number for number, sample in enumerate(self.samples) if sample[1] > before) - 1
        began, ended = self.samples[max(first, 0)], self.samples[-1]
        if ended[1] < self.target:
            raise StartError(f"{ended[1]} of {self.target} bytes after {TIMEOUT_S} s")
        return CatchUp((ended[1] - began[1]) / 1e6, ended[0] - began[0], ended[2] - began[2])


def log_bytes(data: Path) -> int:
    """Return the size of the topic's segments."""
    files = (each for number in range(PARTITIONS) for each in (data / f"t-{number}").glob("*.log"))
    return sum(file.stat().st_size for file in files)


def cpu_seconds(follower: Follower) -> float:
    """Return user and system time of the process so far; 0 before its start."""
    try:
        fields = Path(f"/proc/{follower.pid()}/stat").read_text().rpartition(")")[2].split()
    except (OSError, AssertionError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def catch_up(follower: Follower, target: int) -> CatchUp:
    """Start a follower, and measure how it gets to *target* bytes."""
    watch = Watch(follower, target)
    watching = threading.Thread(target=watch.run)
    watching.start()
    follower.start()
    watching.join()
    return watch.result()


def measure(directory: Path, megabytes: int, turns: int) -> dict[str, list[CatchUp]]:
    """Return the turns of each follower."""
    dist = KafkaDist("3.9.1")
    found: dict[str, list[CatchUp]] = {OURS: [], OTHER: []}
    with ZooKeeper(dist, directory / "zookeeper") as zookeeper:
        leader, other = (
            ZooKeeperBroker(dist, directory / f"kafka-{n}", zookeeper, broker_id=n, heap="1g", settings=SETTINGS)
            for n in (0, 1)
        )
        ours = Wirebroker(
            directory / "wirebroker", {**SETTINGS, "broker.id": "2", "zookeeper.connect": zookeeper.connect}
        )
        followers = {
            OURS: Follower(ours.start, ours.stop, lambda: ours.pid, ours.data),
            OTHER: Follower(other.start, other.stop, lambda: other.pid, other.data_directory),
        }
        try:
            leader.start()
            for follower in followers.values():
                follower.start()
            assignment = ",".join(["0:1:2"] * PARTITIONS)
            create = ("--create", "--topic", "t", "--replica-assignment", assignment)
            dist.run("kafka-topics", "--bootstrap-server", leader.bootstrap, *create)
            for turn in range(turns):
                for follower in followers.values():
                    follower.stop()
                produce(dist, leader.bootstrap, megabytes)
                target = log_bytes(leader.data_directory)
                for name in sorted(followers, reverse=turn % 2 == 1):
                    found[name].append(catch_up(followers[name], target))
                    say(f"{name}: {found[name][-1].rate:.0f} MB/s, {found[name][-1].cpu_seconds:.2f} s of CPU")
        finally:
            ours.stop()
            other.stop()
            leader.stop()
    return found


def produce(dist: KafkaDist, bootstrap: str, megabytes: int) -> None:
    """Produce so many megabytes in records of RECORD_BYTES."""
    count = str(megabytes * 1_000_000 // RECORD_BYTES)
    amount = ("--num-records", count, "--record-size", str(RECORD_BYTES), "--throughput", "-1")
    props = ("--producer-props", f"bootstrap.servers={bootstrap}", "acks=1", "batch.size=65536", "linger.ms=5")
    dist.run("kafka-producer-perf-test", "--topic", "t", *amount, *props, timeout=600)


def figures(found: dict[str, list[CatchUp]]) -> list[Figure]:
    """Return the rows of the table."""
    rate = {name: statistics.median(each.rate for each in turns) for name, turns in found.items()}
    cpu = {
        name: statistics.median(each.cpu_seconds / each.megabytes * 1000 for each in turns)
        for name, turns in found.items()
    }
    faster, cheaper = rate[OURS] / rate[OTHER], cpu[OURS] / cpu[OTHER]
    return [
        Figure(
            "catch-up of a follower of Apache Kafka, four partitions, records of 1 kB",
            f"{rate[OURS]:.0f} MB/s",
            f"{rate[OTHER]:.0f} MB/s ({faster:.2f} x)",
            "≥ 1.5 x",
            faster >= 1.5,
        ),
        Figure(
            "processor time of the follower for 1 GB of it",
            f"{cpu[OURS]:.2f} s",
            f"{cpu[OTHER]:.2f} s ({cheaper:.2f} x)",
            "≤ 0.5 x",
            cheaper <= 0.5,
        ),
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.follower", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=1000, help="produced in each turn (default: 1000)")
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    options = parser.parse_args(arguments)
    started = os.getloadavg()[0]
    with scratch(options.directory) as directory:
        try:
            found = measure(directory, options.megabytes, options.turns)
        except (StartError, RuntimeError) as fault:
            print(fault, file=sys.stderr)
            return 1
    print(table(figures(found)))
    print(
        f"\n{time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} cores, Python {platform.python_version()},"
        f" load average {started:.1f} before and {os.getloadavg()[0]:.1f} after the run"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
