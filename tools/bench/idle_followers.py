"""``python -m tools.bench.idle_followers``: what partitions cost a follower that is in sync, beside Apache Kafka's own.

One Apache Kafka 3.9.1 leads all partitions; a wirebroker and another Apache Kafka 3.9.1 follow all of them, and are
measured in the same minutes.  Nothing is produced.  Time counts from a moment after all partitions are in sync.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from confluent_kafka.admin import AdminClient, NewTopic

from tools.bench.brokers import StartError, Wirebroker, scratch
from tools.bench.follower import Follower, cpu_seconds_so_far
from tools.bench.groups import OTHER, OURS, Figure, run_line, say, table
from tools.jvm.kafka import KafkaDist
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

BROKERS = (0, 1, 2)
"""The leader, which is the first replica, and the followers: Apache Kafka, and wirebroker."""
PARTITIONS_PER_TOPIC = 100
WITHIN_S = 300
SETTLE_S = 15
"""After the last partition is in sync: the JIT compiler, checkpoints and garbage of the start."""
MOST = 3.0
"""Percent of a core that idle partitions may cost."""
SETTINGS = {
    "auto.leader.rebalance.enable": "false",
    "controlled.shutdown.enable": "false",
    "log.cleaner.enable": "false",
    "zookeeper.session.timeout.ms": "18000",
}


class Idle(NamedTuple):
    """One follower's time with nothing to do."""

    seconds: float
    cpu_seconds: float

    @property
    def percent(self) -> float:
        """Of one core."""
        return 100 * self.cpu_seconds / self.seconds


class Cluster:
    """The running cluster.

    Args:
        bootstrap: The address of the leader.
        partitions: The number of partitions in all topics.
    """

    def __init__(self, bootstrap: str, partitions: int) -> None:
        self._admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
        self._partitions = partitions

    def await_brokers(self) -> None:
        """Wait until the leader knows all brokers."""
        self._await(lambda: len(self._admin.list_topics(timeout=30).brokers) == len(BROKERS), "the brokers")

    def create(self) -> None:
        """Create the topics, and wait until all replicas are in sync."""
        assignment = [list(BROKERS)] * PARTITIONS_PER_TOPIC
        for number in range(self._partitions // PARTITIONS_PER_TOPIC):
            topic = NewTopic(f"idle-{number:04d}", PARTITIONS_PER_TOPIC, replica_assignment=assignment)
            for created in self._admin.create_topics([topic], request_timeout=60).values():
                created.result(WITHIN_S)
        self._await(self.is_in_sync, "replicas in sync")

    def is_in_sync(self) -> bool:
        """Return whether all partitions are there, and all replicas in sync."""
        topics = self._admin.list_topics(timeout=30).topics.values()
        states = [each for topic in topics for each in topic.partitions.values()]
        return len(states) == self._partitions and all(len(each.isrs) == len(BROKERS) for each in states)

    def _await(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + WITHIN_S
        while not condition():
            if time.monotonic() > deadline:
                raise StartError(f"waited {WITHIN_S} s for {what}")
            time.sleep(0.5)


def idle(followers: Mapping[str, Follower], seconds: float) -> dict[str, Idle]:
    """Return what each follower takes in the next *seconds*."""
    began = time.monotonic()
    before = {name: cpu_seconds_so_far(each) for name, each in followers.items()}
    time.sleep(seconds)
    elapsed = time.monotonic() - began
    return {name: Idle(elapsed, cpu_seconds_so_far(each) - before[name]) for name, each in followers.items()}


def measure(directory: Path, partitions: int, seconds: float, turns: int) -> dict[str, list[Idle]]:
    """Return the turns of each follower."""
    dist = KafkaDist("3.9.1")
    found: dict[str, list[Idle]] = {OURS: [], OTHER: []}
    with ZooKeeper(dist, directory / "zookeeper") as zookeeper:
        leader, other = (
            ZooKeeperBroker(dist, directory / f"kafka-{n}", zookeeper, broker_id=n, heap="1g", settings=SETTINGS)
            for n in BROKERS[:2]
        )
        settings = {**SETTINGS, "broker.id": str(BROKERS[2]), "zookeeper.connect": zookeeper.connect}
        ours = Wirebroker(directory / "wirebroker", settings)
        followers = {
            OURS: Follower(ours.start, ours.stop, lambda: ours.pid, ours.data),
            OTHER: Follower(other.start, other.stop, lambda: other.pid, other.data_directory),
        }
        try:
            leader.start()
            for follower in followers.values():
                follower.start()
            cluster = Cluster(leader.bootstrap, partitions)
            cluster.await_brokers()
            cluster.create()
            say(f"{partitions} partitions are in sync")
            time.sleep(SETTLE_S)
            for _ in range(turns):
                for name, each in idle(followers, seconds).items():
                    found[name].append(each)
                    say(f"{name}: {each.percent:.2f} % of a core in {each.seconds:.0f} s")
                if not cluster.is_in_sync():
                    raise StartError("a follower has left an ISR")
        finally:
            ours.stop()
            other.stop()
            leader.stop()
    return found


def figures(found: dict[str, list[Idle]], partitions: int) -> Sequence[Figure]:
    """Return the row of the table."""
    ours, other = (statistics.median(each.percent for each in found[name]) for name in (OURS, OTHER))
    what = f"{partitions:,} followed partitions, idle: processor time of the follower"
    return [
        Figure(what, f"{ours:.2f} %", f"{other:.2f} % ({ours / other:.2f} x)", f"≤ {MOST:g} % of a core", ours <= MOST)
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.idle_followers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--partitions", type=int, default=4000, help="a multiple of 100 (default: 4000)")
    parser.add_argument("--seconds", type=float, default=60, help="how long a turn is measured (default: 60)")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    options = parser.parse_args(arguments)
    if options.partitions < PARTITIONS_PER_TOPIC or options.partitions % PARTITIONS_PER_TOPIC:
        parser.error(f"--partitions must be a multiple of {PARTITIONS_PER_TOPIC}")
    started = os.getloadavg()[0]
    with scratch(options.directory) as directory:
        try:
            found = measure(directory, options.partitions, options.seconds, options.turns)
        except (StartError, RuntimeError) as fault:
            print(fault, file=sys.stderr)
            return 1
    print(table(figures(found, options.partitions)))
    print(f"\n{run_line(started)}")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which ends all processes
    sys.exit(main())
