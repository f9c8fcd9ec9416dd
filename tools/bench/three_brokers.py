"""``python -m tools.bench.three_brokers``: three wirebrokers beside three Apache Kafka 3.9.1, with ZooKeeper.

Both clusters are up at once, each with a ZooKeeper of its own, and get their turns one after the other, in the other
order in the next turn; the first turn of a load is thrown away.  Medians count.  The table replaces the one in
RESULTS_CLUSTER.md.  ``one-record`` and ``commits`` begin with half a minute of their load on Apache Kafka, whose code
the rows before have compiled in a whole run, if no other row comes first.  ``--only`` takes names:

    small          idempotent librdkafka producer, records of 100 B, and the processor time of all brokers
    large          the same, records of 1 kB
    one-record     Produce requests of one record, one after the other
    commits        offset commits, 32 in flight on each of four connections, and one after the other
    transactions   transactions of one record, one after the other
    memory         resident memory of the brokers after these loads
    kill           kill -9 of a leader to the next acknowledged record
    partitions     2,000 partitions created, and a kill -9 of the controller that has them
    rolling        three brokers restarted one after the other
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sys
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from confluent_kafka import KafkaException

from tools.bench import cluster_faults as faults
from tools.bench import cluster_loads as loads
from tools.bench.broker_cluster import kafka_cluster, wirebroker_cluster
from tools.bench.brokers import StartError, scratch
from tools.bench.client_processes import ClientFailed
from tools.bench.groups import OTHER, OURS, Figure, say, table
from tools.bench.raw_client import BenchError
from tools.bench.turns import Unit, at_least, at_most

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tools.bench.broker_cluster import BrokerCluster

T = TypeVar("T")

RESULTS = Path(__file__).with_name("RESULTS_CLUSTER.md")
BEGIN, END = "<!-- three_brokers: begin -->", "<!-- three_brokers: end -->"
RATE = 1.5
CPU = 0.5
MEMORY = 0.15
TIME = 1.0
WARM_UP_S = 30
PER_S, MS, S, MB = Unit("/s", 0), Unit(" ms", 2), Unit(" s", 2), Unit(" MB", 0)


class Bench:
    """The clusters that are up, and the rows of the table so far."""

    def __init__(self, clusters: Mapping[str, BrokerCluster], *, is_quick: bool) -> None:
        self.clusters, self.is_quick = clusters, is_quick
        self.figures: list[Figure] = []

    @property
    def turns(self) -> int:
        """Turns of a load that count."""
        return 2 if self.is_quick else 5

    @property
    def fault_turns(self) -> int:
        """Turns of a fault, all of which count."""
        return 1 if self.is_quick else 3

    def scaled(self, amount: float) -> int:
        """*amount*, or a fifth of it in a quick run."""
        return int(amount / 5 if self.is_quick else amount)

    def alternate(
        self, measure: Callable[[BrokerCluster], T], turns: int, *, has_warmup: bool = True
    ) -> dict[str, list[T]]:
        """Return the turns of each cluster."""
        found: dict[str, list[T]] = {name: [] for name in self.clusters}
        for turn in range(-has_warmup, turns):
            for name in sorted(self.clusters, reverse=turn % 2 == 1):
                try:
                    value = measure(self.clusters[name])
                except ClientFailed as fault:
                    say(f"{name}: the turn is repeated: {fault}")
                    value = measure(self.clusters[name])
                say(f"{name}: {value}{'' if turn >= 0 else ' (warm-up)'}")
                if turn >= 0:
                    found[name].append(value)
        return found

    def warm_up(self, measure: Callable[[BrokerCluster], object]) -> None:
        """Repeat a load on Apache Kafka until it is compiled, unless a row before has done that."""
        cluster = self.clusters.get(OTHER)
        if self.figures or cluster is None:
            return
        ends = time.monotonic() + self.scaled(WARM_UP_S)
        while time.monotonic() < ends:
            say(f"{OTHER}: {measure(cluster)} (warm-up)")

    def run(self, name: str, measure: Callable[[Bench], None]) -> None:
        """Measure a row; one that fails is told in the table, and the others go on."""
        try:
            measure(self)
        except (BenchError, StartError, ClientFailed, KafkaException, RuntimeError, OSError) as fault:
            say(f"{name} failed: {fault}")
            self.figures.append(Figure(f"{name} failed: {str(fault).splitlines()[0]}", "-", "-", "", False))

    def higher(self, what: str, found: Mapping[str, list[T]], value: Callable[[T], float], bar: float) -> None:
        """Add a row of a rate."""
        self.figures.append(at_least(what, *_both(found, value), PER_S, bar))

    def lower(
        self, what: str, found: Mapping[str, list[T]], value: Callable[[T], float], unit: Unit, bar: float | None
    ) -> None:
        """Add a row in which less is better; without a bar it is only told."""
        self.figures.append(at_most(what, *_both(found, value), unit, bar))


def _both(found: Mapping[str, list[T]], value: Callable[[T], float]) -> tuple[list[float], list[float]]:
    ours, other = (list(map(value, found.get(name, ()))) for name in (OURS, OTHER))
    return ours, other


def _produce(bench: Bench, count: int, value_bytes: int, size: str) -> dict[str, list[loads.Rate]]:
    found = bench.alternate(lambda cluster: loads.produce(cluster, bench.scaled(count), value_bytes), bench.turns)
    what = f"idempotent librdkafka producer, records of {size}, one partition"
    bench.higher(what, found, lambda turn: turn.per_s, RATE)
    return found


def small(bench: Bench) -> None:
    """Records of 100 B."""
    found = _produce(bench, 1_500_000, 100, "100 B")
    bench.lower("… processor time of all brokers for a million of them", found, lambda t: 1e6 * t.cpu_s, S, CPU)


def large(bench: Bench) -> None:
    """Records of 1 kB."""
    found = _produce(bench, 250_000, 1000, "1 kB")
    bench.lower("… processor time of all brokers for 1 GB of them", found, lambda t: 1e6 * t.cpu_s, S, CPU)


def one_record(bench: Bench) -> None:
    """Produce requests of one record."""
    leader = 0
    topics = {name: cluster.new_topic(1, leader) for name, cluster in bench.clusters.items()}

    def measure(cluster: BrokerCluster) -> loads.Latency:
        return loads.one_record_requests(cluster, topics[cluster.name], leader, bench.scaled(15) / 5 + 0.5)

    bench.warm_up(measure)
    found = bench.alternate(measure, bench.turns)
    bench.higher("requests of one record, one after the other", found, lambda t: t.rate.per_s, RATE)
    bench.lower("… median", found, lambda t: t.p50_ms, MS, 1 / RATE)
    bench.lower("… 99 %", found, lambda t: t.p99_ms, MS, 1 / RATE)
    bench.lower("… processor time of all brokers for each", found, lambda t: 1000 * t.rate.cpu_s, MS, CPU)


def commits(bench: Bench) -> None:
    """Offset commits."""
    topics = {name: cluster.new_topic(1) for name, cluster in bench.clusters.items()}
    groups = {
        name: {group: cluster.coordinator(group) for group in loads.GROUPS} for name, cluster in bench.clusters.items()
    }
    for in_flight, count in ((loads.IN_FLIGHT, 10_000), (1, 6_000)):

        def measure(cluster: BrokerCluster, in_flight: int = in_flight, count: int = count) -> loads.Rate:
            name = cluster.name
            return loads.commits(cluster, groups[name], topics[name], in_flight, bench.scaled(count))

        bench.warm_up(measure)
        found = bench.alternate(measure, bench.turns)
        bench.higher(f"offset commits, 4 groups, {in_flight} in flight for each", found, lambda t: t.per_s, RATE)
        bench.lower("… processor time of all brokers for each", found, lambda t: 1000 * t.cpu_s, MS, CPU)


def transactions(bench: Bench) -> None:
    """Transactions of one record."""
    topics = {name: cluster.new_topic(loads.TRANSACTION_PARTITIONS) for name, cluster in bench.clusters.items()}
    producers = {name: loads.transactional_producer(cluster, "small") for name, cluster in bench.clusters.items()}
    found = bench.alternate(
        lambda cluster: loads.transactions(
            cluster, producers[cluster.name], topics[cluster.name], bench.scaled(10) / 5 + 0.5
        ),
        bench.turns,
    )
    bench.higher("transactions of one record, one after the other", found, lambda t: t.per_s, RATE)
    bench.lower("… processor time of all brokers for each", found, lambda t: 1000 * t.cpu_s, MS, CPU)


def memory(bench: Bench) -> None:
    """Resident memory."""
    found = bench.alternate(lambda cluster: cluster.resident_mb(), 1, has_warmup=False)
    bench.lower("resident memory of the three brokers after these loads", found, lambda t: t, MB, MEMORY)


def kill(bench: Bench) -> None:
    """A leader is killed, often, as it is killed at a random moment between two pings of a session."""
    found = bench.alternate(faults.kill_leader, 4 * bench.fault_turns, has_warmup=False)
    what = "kill -9 of a leader to the next acknowledged record (session timeout 6 s)"
    bench.lower(what, found, lambda t: t.from_kill_s, S, TIME)
    bench.lower("… from the end of its session with ZooKeeper", found, lambda t: t.from_session_end_s, S, TIME)


def partitions(bench: Bench) -> None:
    """Many partitions, and their controller is killed."""
    topics = bench.scaled(faults.TOPICS)
    # one turn behind the warm-up: Apache Kafka takes a minute or more for it
    found = bench.alternate(partial(faults.many_partitions, topics=topics), 1)
    count = f"{topics * faults.PARTITIONS:,} partitions"
    bench.lower(f"{count} with three replicas created: led, and known to all", found, lambda t: t.created_s, S, TIME)
    bench.lower("… processor time of all brokers", found, lambda t: t.created_cpu_s, S, CPU)
    what = f"kill -9 of the controller with {count} until all brokers are told (session timeout 6 s)"
    bench.lower(what, found, lambda t: t.failover.from_kill_s, S, TIME)
    what = "… from the end of its session with ZooKeeper"
    bench.lower(what, found, lambda t: t.failover.from_session_end_s, S, TIME)


def rolling(bench: Bench) -> None:
    """All brokers are restarted."""
    found = bench.alternate(faults.rolling_restart, bench.fault_turns, has_warmup=False)
    what = "rolling restart of three brokers, each until all replicas are in sync, nothing refused"
    bench.lower(what, found, lambda t: t.seconds, S, TIME)
    bench.lower("… longest time without an acknowledgement", found, lambda t: t.longest_gap_s, S, TIME)


ROWS: dict[str, Callable[[Bench], None]] = {
    "small": small,
    "large": large,
    "one-record": one_record,
    "commits": commits,
    "transactions": transactions,
    "memory": memory,
    "kill": kill,
    "partitions": partitions,
    "rolling": rolling,
}


def write(text: str) -> None:
    """Put *text* between the marks in RESULTS_CLUSTER.md."""
    before, begin, rest = RESULTS.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise StartError(f"{RESULTS.name} has no marks for the table")
    RESULTS.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.three_brokers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", choices=list(ROWS), action="append", metavar="NAME", help="may be repeated")
    parser.add_argument("--cluster", choices=(OURS, OTHER), help="measure only this one")
    parser.add_argument("--quick", action="store_true", help="a fifth of everything, fewer turns")
    parser.add_argument("--no-write", action="store_true", help="leave RESULTS_CLUSTER.md as it is")
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    return parser


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    started, began = os.getloadavg()[0], time.monotonic()
    kinds = {OURS: wirebroker_cluster, OTHER: kafka_cluster}
    with scratch(options.directory) as directory, ExitStack() as stack:
        try:
            clusters = {
                name: stack.enter_context(start(directory / name))
                for name, start in kinds.items()
                if options.cluster in (None, name)
            }
        except (StartError, RuntimeError) as fault:
            print(fault, file=sys.stderr)
            return 1
        bench = Bench(clusters, is_quick=options.quick)
        for name, measure in ROWS.items():
            if not options.only or name in options.only:
                say(name)
                bench.run(name, measure)
    text = (
        f"{table(bench.figures)}\n\n"
        f"{time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} cores, Python {platform.python_version()},"
        f" {(time.monotonic() - began) / 60:.0f} min; load average {started:.1f} before the run"
    )
    print(text)
    if not (options.no_write or options.only or options.cluster or options.quick):
        write(text)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which ends all processes
    sys.exit(main())
