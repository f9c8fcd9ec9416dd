"""``python -m tools.bench.follower``: how fast a follower that is behind catches up, beside Apache Kafka's own.

One Apache Kafka 3.9.1 leads all partitions; another one and a wirebroker follow it.  Both followers are stopped,
records are produced, and then one follower after the other is started and catches up, in the other order in the next
turn, which has a topic of its own.  The time is that from the first byte in the follower's logs to the last one.

A turn of ``--gigabytes 10`` takes 30 GB of disk, which are given back before the next one.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tools.bench import raw_client, wire
from tools.bench.brokers import StartError, Wirebroker, cpu_seconds, scratch
from tools.bench.groups import OTHER, OURS, Figure, run_line, say, table
from tools.bench.raw_client import BenchError
from tools.bench.warm_memory import SMALL_STEPS, free_bytes, warm_memory
from tools.jvm.kafka import KafkaDist
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PARTITIONS = 4
RECORD_BYTES = 1000
BATCH_RECORDS = 64
POLL_S = 0.02
PROCESS_BYTES = 700 << 20
"""Memory for a follower's process, beside that for its logs."""
SLOWEST_BYTES_PER_S = 10_000_000
"""A follower that is slower, also on a busy machine, has failed."""
START_S = 120
SETTINGS = {
    "auto.leader.rebalance.enable": "false",
    "controlled.shutdown.enable": "false",
    "log.cleaner.enable": "false",
    "log.segment.delete.delay.ms": "1000",
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
    """Looks at a follower's logs of a topic, and at its processor time, until they have *target* bytes."""

    follower: Follower
    topic: str
    target: int
    samples: list[tuple[float, int, float]] = field(default_factory=list)
    """(time, bytes in the logs, processor time)."""

    def run(self) -> None:
        deadline = time.monotonic() + timeout_s(self.target)
        while time.monotonic() < deadline:
            size = log_bytes(self.follower.data, self.topic)
            self.samples.append((time.monotonic(), size, cpu_seconds_so_far(self.follower)))
            if size >= self.target:
                return
            time.sleep(POLL_S)

    def result(self) -> CatchUp:
        """Return the time since the last sample without new bytes."""
        before = self.samples[0][1]
        ended = self.samples[-1]
        if ended[1] < self.target:
            raise StartError(f"{ended[1]} of {self.target} bytes after {timeout_s(self.target):.0f} s")
        first = next(number for number, sample in enumerate(self.samples) if sample[1] > before) - 1
        began = self.samples[max(first, 0)]
        return CatchUp((ended[1] - began[1]) / 1e6, ended[0] - began[0], ended[2] - began[2])


def timeout_s(size_bytes: int) -> float:
    """Return the longest time that so many bytes may take."""
    return START_S + size_bytes / SLOWEST_BYTES_PER_S


def log_bytes(data: Path, topic: str) -> int:
    """Return the size of the topic's segments."""
    files = (each for number in range(PARTITIONS) for each in (data / f"{topic}-{number}").glob("*.log"))
    return sum(file.stat().st_size for file in files)


def cpu_seconds_so_far(follower: Follower) -> float:
    """Return user and system time of the process so far; 0 before its start."""
    try:
        return cpu_seconds(follower.pid())
    except (OSError, AssertionError):
        return 0.0


def evict(data: Path) -> None:
    """Drop the segments of a broker from the page cache, which is to have room for those of the leader."""
    for file in data.glob("*/*.log"):
        with file.open("rb") as opened:
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_segments(data: Path, topic: str) -> None:
    """Read the segments of a topic, so that each follower finds them in the page cache: else the first one has less to
    wait for."""
    for file in data.glob(f"{topic}-*/*.log"):
        with file.open("rb", buffering=0) as opened:
            while opened.read(1 << 20):
                pass


def catch_up(follower: Follower, topic: str, target: int) -> CatchUp:
    """Start a follower, and measure how it gets to *target* bytes.

    Memory is held ready for them, and for what the file system keeps about them: a buffer head for each block.  If they
    take most of what is free, all of it is held: what is left would be used, too, and the follower would pay the host.
    """
    watch = Watch(follower, topic, target)
    watching = threading.Thread(target=watch.run, daemon=True)
    needed, free = target + target // 16, free_bytes()
    held = max(needed, free - PROCESS_BYTES) if needed > free // 2 else needed
    with warm_memory(held, lambda: log_bytes(follower.data, topic), SMALL_STEPS):
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
            for turn in range(turns):
                topic = f"t{turn}"
                create(dist, leader.bootstrap, topic)
                await_logs(followers.values(), topic, exist=True)
                for follower in followers.values():
                    follower.stop()
                produce(leader.bootstrap, topic, megabytes)
                say(f"produced {megabytes / 1000:g} GB")
                os.sync()
                target = log_bytes(leader.data_directory, topic)
                for name in sorted(followers, reverse=turn % 2 == 1):
                    read_segments(leader.data_directory, topic)
                    found[name].append(catch_up(followers[name], topic, target))
                    say(f"{name}: {found[name][-1].rate:.0f} MB/s, {found[name][-1].cpu_seconds:.2f} s of CPU")
                    os.sync()  # the disk is not to write these bytes while the next one is measured
                    evict(followers[name].data)
                dist.run("kafka-topics", "--bootstrap-server", leader.bootstrap, "--delete", "--topic", topic)
                await_logs(followers.values(), topic, exist=False)
        finally:
            ours.stop()
            other.stop()
            leader.stop()
    return found


def create(dist: KafkaDist, bootstrap: str, topic: str) -> None:
    """Create a topic that broker 0 leads, and the others follow."""
    assignment = ",".join(["0:1:2"] * PARTITIONS)
    command = ("--create", "--topic", topic, "--replica-assignment", assignment)
    dist.run("kafka-topics", "--bootstrap-server", bootstrap, *command)


def await_logs(followers: Iterable[Follower], topic: str, *, exist: bool) -> None:
    """Wait until the followers have the logs of a topic, or have none of their files any more."""
    deadline = time.monotonic() + START_S
    wanted = PARTITIONS if exist else 0
    for follower in followers:
        while sum(1 for _ in follower.data.glob(f"{topic}-*")) != wanted:
            if time.monotonic() > deadline:
                raise StartError(f"{follower.data}: the logs of {topic} are not {'there' if exist else 'deleted'}")
            time.sleep(0.1)


def produce(bootstrap: str, topic: str, megabytes: int) -> None:
    """Produce so many megabytes in records of RECORD_BYTES, with requests made once that cost next to no time."""
    batch = wire.record_batch(BATCH_RECORDS, RECORD_BYTES, int(time.time() * 1000))
    prepared = raw_client.Prepared.of(topic, [(number, batch) for number in range(PARTITIONS)])
    requests = max(1, megabytes * 1_000_000 // prepared.batch_bytes)
    host, _, port = bootstrap.partition(":")
    raw_client.produce_many((host, int(port)), [prepared], requests, in_flight=4)


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
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument("--megabytes", type=int, default=1000, help="produced in each turn (default: 1000)")
    amount.add_argument("--gigabytes", type=int, help="the same in GB of 1,000 MB")
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    options = parser.parse_args(arguments)
    megabytes = options.megabytes if options.gigabytes is None else 1000 * options.gigabytes
    started = os.getloadavg()[0]
    with scratch(options.directory) as directory:
        try:
            found = measure(directory, megabytes, options.turns)
        except (StartError, BenchError, RuntimeError, OSError) as fault:
            print(fault, file=sys.stderr)
            return 1
    print(f"a follower {megabytes / 1000:g} GB behind, medians of {options.turns} turns\n")
    print(table(figures(found)))
    print(f"\n{run_line(started)}")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which ends all processes
    sys.exit(main())
