"""``python -m tools.bench.replicated``: a leader or follower of replicated partitions, beside Apache Kafka's own.

A cluster with ZooKeeper of Apache Kafka 3.9.1 brokers and one wirebroker.  Each topic has three replicas, and one of
them is measured: two Kafka brokers follow wirebroker or a third Kafka broker (``--role leader``), or wirebroker and a
Kafka broker, or two Kafka brokers, follow a third one (``--role follower``).  The turns of both alternate, the first
one is thrown away, and medians count.  Each turn has a topic of its own, which is deleted: logs that fill the memory
make the next turns slow.
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

from tools.bench.broker_cluster import WITHIN_S, await_
from tools.bench.brokers import StartError, Wirebroker, cpu_seconds, scratch
from tools.bench.client_processes import librdkafka
from tools.bench.cluster_loads import RECORD_OVERHEAD
from tools.bench.groups import OTHER, OURS, Figure, run_line, say, table
from tools.bench.warm_memory import warm_memory
from tools.jvm.kafka import KafkaDist
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tools.bench.broker_cluster import BrokerProcess

KAFKA = (0, 1, 3)
WIREBROKER = 2
REPLICAS = {"leader": {OURS: (2, 0, 1), OTHER: (3, 0, 1)}, "follower": {OURS: (3, 0, 2), OTHER: (3, 0, 1)}}
"""Role of the broker that is measured -> whose -> brokers of the partition, its leader first."""
MEASURED = {"leader": 0, "follower": 2}
"""Role -> which of these brokers is measured."""
SIZES = (100, 1000)
ONE_RECORDS = 1000
SETTINGS = {
    "auto.leader.rebalance.enable": "false",
    "log.cleaner.enable": "false",
    "log.segment.delete.delay.ms": "1000",
    "replica.lag.time.max.ms": "10000",
    "zookeeper.session.timeout.ms": "6000",
}


class Measured(NamedTuple):
    """The process of the broker that is measured, and where its topics are."""

    broker_id: int
    replicas: tuple[int, ...]
    """The brokers of a topic's partition, its leader first."""
    process: BrokerProcess


class Turn(NamedTuple):
    """The measurements of one broker in one turn."""

    rates: dict[int, float]
    """Size of the records -> records a second with acks=all."""
    cpu_s: dict[int, float]
    """Size -> processor time of the broker for a million records."""
    p99_ms: float
    """Of one record after the other."""


class Cluster:
    """The running cluster."""

    def __init__(self, bootstrap: str, data: Iterable[Path]) -> None:
        self.bootstrap, self._data = bootstrap, tuple(data)
        self.admin = AdminClient({"bootstrap.servers": bootstrap})

    def create(self, topic: str, replicas: Sequence[int]) -> None:
        """Create a topic of one partition; return when its replicas are in sync."""
        for created in self.admin.create_topics([NewTopic(topic, 1, replica_assignment=[list(replicas)])]).values():
            created.result()
        self.await_in_sync(topic, replicas)

    def delete(self, topic: str) -> None:
        """Delete a topic; return when its files are gone."""
        for deleted in self.admin.delete_topics([topic]).values():
            deleted.result()
        await_(lambda: not any(any(data.glob(f"{topic}-*")) for data in self._data), f"{topic} is deleted")

    def log_bytes(self, topic: str) -> int:
        """Return the size of all replicas of a topic."""
        return sum(file.stat().st_size for data in self._data for file in data.glob(f"{topic}-*/*.log"))

    def await_in_sync(self, topic: str, replicas: Sequence[int]) -> None:
        """Wait until all replicas of a topic are in sync."""

        def are_in_sync() -> bool:
            partitions = self.admin.list_topics(topic, timeout=10).topics[topic].partitions
            return bool(partitions) and all(set(each.isrs) == set(replicas) for each in partitions.values())

        await_(are_in_sync, f"{topic} is in sync")


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


def turn(cluster: Cluster, broker: Measured, topic: str, megabytes: int) -> Turn:
    """Produce to a topic of one broker."""
    rates, cpu_s = {}, {}
    for size in SIZES:
        count = min(megabytes * 1_000_000 // size, 1_000_000)
        replicas_bytes = len(broker.replicas) * count * (size + RECORD_OVERHEAD)
        with warm_memory(replicas_bytes, lambda: cluster.log_bytes(topic)):
            before = cpu_seconds(broker.process.pid)
            rates[size] = librdkafka("produce", cluster.bootstrap, topic, count, size)
            cpu_s[size] = (cpu_seconds(broker.process.pid) - before) / count * 1_000_000
    return Turn(rates, cpu_s, one_record_p99(cluster.bootstrap, topic))


def kill_and_return(cluster: Cluster, broker: Measured, topic: str) -> float:
    """Return the seconds from the start after a kill -9 until the broker is in sync again.

    The start waits for the end of the old session with ZooKeeper: Kafka refuses to start before.
    """
    broker.process.kill()
    deadline = time.monotonic() + WITHIN_S
    while broker.broker_id in cluster.admin.list_topics(timeout=10).brokers and time.monotonic() < deadline:
        time.sleep(0.5)
    began = time.monotonic()
    broker.process.start()
    cluster.await_in_sync(topic, broker.replicas)
    return time.monotonic() - began


def measure(directory: Path, role: str, megabytes: int, turns: int) -> tuple[dict[str, list[Turn]], dict[str, float]]:
    """Return the turns of each broker in *role*, and how long each is away after a kill -9."""
    dist = KafkaDist("3.9.1")
    with ZooKeeper(dist, directory / "zookeeper") as zookeeper:
        kafkas = {
            n: ZooKeeperBroker(dist, directory / f"kafka-{n}", zookeeper, broker_id=n, heap="512m", settings=SETTINGS)
            for n in KAFKA
        }
        ours = Wirebroker(
            directory / "wirebroker", {**SETTINGS, "broker.id": str(WIREBROKER), "zookeeper.connect": zookeeper.connect}
        )
        processes: dict[int, BrokerProcess] = {WIREBROKER: ours, **kafkas}
        brokers: dict[str, Measured] = {}
        for name, replicas in REPLICAS[role].items():
            broker_id = replicas[MEASURED[role]]
            brokers[name] = Measured(broker_id, replicas, processes[broker_id])
        try:
            for kafka in kafkas.values():
                kafka.start()
            ours.start()
            cluster = Cluster(kafkas[0].bootstrap, [ours.data, *(each.data_directory for each in kafkas.values())])
            found: dict[str, list[Turn]] = {name: [] for name in brokers}
            for number in range(-1, turns):
                for name in sorted(brokers, reverse=number % 2 == 1):
                    topic = f"{name}-{number}"
                    cluster.create(topic, brokers[name].replicas)
                    seen = turn(cluster, brokers[name], topic, megabytes)
                    say(f"{name}: {seen}{'' if number >= 0 else ' (warm-up)'}")
                    if number >= 0:
                        found[name].append(seen)
                    if number < turns - 1:
                        cluster.delete(topic)
            last = turns - 1
            back = {name: kill_and_return(cluster, broker, f"{name}-{last}") for name, broker in brokers.items()}
            say(f"in sync again: {back}")
        finally:
            ours.stop()
            for kafka in kafkas.values():
                kafka.stop()
    return found, back


def figures(role: str, found: dict[str, list[Turn]], back: dict[str, float]) -> list[Figure]:
    """Return the rows of the table."""
    rows: list[Figure] = []

    def median(name: str, value: Callable[[Turn], float]) -> float:
        return statistics.median(value(each) for each in found[name])

    for size in SIZES:
        ours, other = (median(name, lambda each: each.rates[size]) for name in (OURS, OTHER))  # noqa: B023
        rows.append(_at_least(f"acks=all, records of {size} B", ours, other, 1.2))
    for size in SIZES:
        ours, other = (median(name, lambda each: each.cpu_s[size]) for name in (OURS, OTHER))  # noqa: B023
        what = f"processor time of the {role} for a million records of {size} B"
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
    parser.add_argument("--role", choices=list(REPLICAS), default="leader", help="what is measured (default: leader)")
    parser.add_argument("--megabytes", type=int, default=100, help="produced per size and turn (default: 100)")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    options = parser.parse_args(arguments)
    started = os.getloadavg()[0]
    with scratch(options.directory) as directory:
        try:
            found, back = measure(directory, options.role, options.megabytes, options.turns)
        except (StartError, RuntimeError) as fault:
            print(fault, file=sys.stderr)
            return 1
    print(table(figures(options.role, found, back)))
    print(f"\n{run_line(started)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
