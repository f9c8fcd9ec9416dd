"""``python -m tools.bench.replicated``: the leader of replicated partitions, beside Apache Kafka's own.

A cluster with ZooKeeper of Apache Kafka 3.9.1 brokers and one wirebroker.  Two Kafka brokers follow in both topics: one
is led by wirebroker, the other by a third Kafka broker.  The turns of both alternate, and medians count.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from tools.bench.brokers import TICKS_PER_S, StartError, Wirebroker, scratch
from tools.bench.client_processes import librdkafka
from tools.bench.groups import OTHER, OURS, Figure, run_line, say, table
from tools.bench.warm_memory import warm_memory
from tools.jvm.kafka import KafkaDist
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FOLLOWERS = (0, 1)
SIZES = (100, 1000)
RECORD_OVERHEAD = 16
"""Bytes of a record beside its value, about."""
ONE_RECORDS = 300
WITHIN_S = 120
SETTINGS = {
    "auto.leader.rebalance.enable": "false",
    "log.cleaner.enable": "false",
    "replica.lag.time.max.ms": "10000",
    "zookeeper.session.timeout.ms": "6000",
}


class Leader(NamedTuple):
    """A leader's process, and its topic."""

    broker_id: int
    topic: str
    start: Callable[[], object]
    kill: Callable[[], object]
    pid: Callable[[], int]


class Turn(NamedTuple):
    """The measurements of one leader in one turn."""

    rates: dict[int, float]
    """Size of the records -> records a second with acks=all."""
    cpu_s: dict[int, float]
    """Size -> processor time of the leader for a million records."""
    p99_ms: float
    """Of one record after the other."""


class Cluster:
    """The running cluster."""

    def __init__(self, bootstrap: str, data: Iterable[Path]) -> None:
        self.bootstrap, self._data = bootstrap, tuple(data)
        self.admin = AdminClient({"bootstrap.servers": bootstrap})

    def create(self, leader: Leader) -> None:
        topic = NewTopic(leader.topic, 1, replica_assignment=[[leader.broker_id, *FOLLOWERS]])
        for created in self.admin.create_topics([topic]).values():
            created.result()
        self.await_in_sync(leader)

    def log_bytes(self, topic: str) -> int:
        """Return the size of all replicas of a topic."""
        return sum(file.stat().st_size for data in self._data for file in data.glob(f"{topic}-*/*.log"))

    def await_in_sync(self, leader: Leader) -> None:
        """Wait until all replicas of the leader's topic are in sync."""
        deadline = time.monotonic() + WITHIN_S
        wanted = {leader.broker_id, *FOLLOWERS}
        while True:
            topic = self.admin.list_topics(leader.topic, timeout=10).topics[leader.topic]
            if topic.partitions and all(set(each.isrs) == wanted for each in topic.partitions.values()):
                return
            if time.monotonic() > deadline:
                raise StartError(f"{leader.topic} is not in sync after {WITHIN_S} s")
            time.sleep(0.02)


def cpu_seconds(pid: int) -> float:
    """Return user and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def one_record_p99(bootstrap: str, topic: str) -> float:
    """Return the 99th percentile in milliseconds of records with acks=all, each sent when the last one is answered."""
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all", "linger.ms": 0})
    taken: list[float] = []
    for _ in range(ONE_RECORDS + 20):
        began = time.perf_counter()
        producer.produce(topic, bytes(100), partition=0)
        if producer.flush(30):
            raise StartError("a record was not acknowledged in 30 s")
        taken.append(1000 * (time.perf_counter() - began))
    return statistics.quantiles(taken[20:], n=100)[98]


def turn(cluster: Cluster, leader: Leader, megabytes: int) -> Turn:
    """Produce to one leader."""
    rates, cpu_s = {}, {}
    for size in SIZES:
        count = min(megabytes * 1_000_000 // size, 1_000_000)
        replicas_bytes = (1 + len(FOLLOWERS)) * count * (size + RECORD_OVERHEAD)
        with warm_memory(replicas_bytes, lambda: cluster.log_bytes(leader.topic)):
            before = cpu_seconds(leader.pid())
            rates[size] = librdkafka("produce", cluster.bootstrap, leader.topic, count, size)
            cpu_s[size] = (cpu_seconds(leader.pid()) - before) / count * 1_000_000
    return Turn(rates, cpu_s, one_record_p99(cluster.bootstrap, leader.topic))


def kill_and_return(cluster: Cluster, leader: Leader) -> float:
    """Return the seconds from the start after a kill -9 until the broker is in sync again.

    The start waits for the end of the old session with ZooKeeper: Kafka refuses to start before.
    """
    leader.kill()
    deadline = time.monotonic() + WITHIN_S
    while leader.broker_id in cluster.admin.list_topics(timeout=10).brokers and time.monotonic() < deadline:
        time.sleep(0.5)
    began = time.monotonic()
    leader.start()
    cluster.await_in_sync(leader)
    return time.monotonic() - began


def measure(directory: Path, megabytes: int, turns: int) -> tuple[dict[str, list[Turn]], dict[str, float]]:
    """Return the turns of each leader, and how long each is away after a kill -9."""
    dist = KafkaDist("3.9.1")
    with ZooKeeper(dist, directory / "zookeeper") as zookeeper:
        kafkas = [
            ZooKeeperBroker(dist, directory / f"kafka-{n}", zookeeper, broker_id=n, heap="512m", settings=SETTINGS)
            for n in (*FOLLOWERS, 3)
        ]
        ours = Wirebroker(
            directory / "wirebroker", {**SETTINGS, "broker.id": "2", "zookeeper.connect": zookeeper.connect}
        )
        other = kafkas[2]
        leaders = {
            OURS: Leader(2, "led-by-wirebroker", ours.start, ours.kill, lambda: ours.pid),
            OTHER: Leader(3, "led-by-kafka", other.start, other.kill, lambda: other.pid),
        }
        try:
            for kafka in kafkas:
                kafka.start()
            ours.start()
            cluster = Cluster(kafkas[0].bootstrap, [ours.data, *(each.data_directory for each in kafkas)])
            found: dict[str, list[Turn]] = {name: [] for name in leaders}
            for leader in leaders.values():
                cluster.create(leader)
                librdkafka("produce", cluster.bootstrap, leader.topic, 50_000, 100)  # warm
            for number in range(turns):
                for name in sorted(leaders, reverse=number % 2 == 1):
                    found[name].append(turn(cluster, leaders[name], megabytes))
                    say(f"{name}: {found[name][-1]}")
            back = {name: kill_and_return(cluster, leader) for name, leader in leaders.items()}
            say(f"in sync again: {back}")
        finally:
            ours.stop()
            for kafka in kafkas:
                kafka.stop()
    return found, back


def figures(found: dict[str, list[Turn]], back: dict[str, float]) -> list[Figure]:
    """Return the rows of the table."""
    rows: list[Figure] = []

    def median(name: str, value: Callable[[Turn], float]) -> float:
        return statistics.median(value(each) for each in found[name])

    for size in SIZES:
        ours, other = (median(name, lambda each: each.rates[size]) for name in (OURS, OTHER))  # noqa: B023
        rows.append(_at_least(f"acks=all, records of {size} B, two followers of Kafka", ours, other, 1.2))
    for size in SIZES:
        ours, other = (median(name, lambda each: each.cpu_s[size]) for name in (OURS, OTHER))  # noqa: B023
        what = f"processor time of the leader for a million records of {size} B"
        rows.append(_at_most(what, ours, other, 0.5, "s"))
    ours, other = (median(name, lambda each: each.p99_ms) for name in (OURS, OTHER))
    rows.append(_at_most("one record after the other, acks=all, p99", ours, other, 0.8, "ms"))
    rows.append(_at_most("kill -9: from the start to in sync", back[OURS], back[OTHER], 1.0, "s"))
    return rows


def _at_least(what: str, ours: float, other: float, bar: float) -> Figure:
    ratio = ours / other
    return Figure(what, f"{ours:,.0f}/s", f"{other:,.0f}/s ({ratio:.2f} x)", f"≥ {bar} x", ratio >= bar)


def _at_most(what: str, ours: float, other: float, bar: float, unit: str) -> Figure:
    ratio = ours / other
    return Figure(what, f"{ours:.2f} {unit}", f"{other:.2f} {unit} ({ratio:.2f} x)", f"≤ {bar} x", ratio <= bar)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.replicated",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--megabytes", type=int, default=100, help="produced per size and turn (default: 100)")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    options = parser.parse_args(arguments)
    started = os.getloadavg()[0]
    with scratch(options.directory) as directory:
        try:
            found, back = measure(directory, options.megabytes, options.turns)
        except (StartError, RuntimeError) as fault:
            print(fault, file=sys.stderr)
            return 1
    print(table(figures(found, back)))
    print(f"\n{run_line(started)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
