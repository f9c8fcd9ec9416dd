"""``python -m tools.bench.transactions``: the transaction coordinator's figures, beside Apache Kafka's.

Both brokers are up at once and loaded in turns; each figure is the median of its turns.  ``--only`` takes letters:

    a  transactions a second, librdkafka           c  from send to read_committed consumer
    b  transactions a second, Java                 d  read_committed beside read_uncommitted Fetch
"""

import argparse
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tools.bench import group_wire, raw_client, wire
from tools.bench import transaction_loads as loads
from tools.bench.broker_session import BrokerSession
from tools.bench.brokers import BROKERS, Broker, StartError, scratch
from tools.bench.groups import OTHER, OURS, Figure, say, table

RESULTS = Path(__file__).with_name("RESULTS_TRANSACTIONS.md")
SIZES = (1, 10, 100)
JAVA = "3.9.1"
FETCH_BYTES = 8 << 20
SMALL_FETCHES = 5_000
OVERHEAD = 1.05


@dataclass(slots=True)
class Bench:
    """The brokers that are up, and what was found."""

    sessions: dict[str, BrokerSession]
    quick: bool
    figures: list[Figure] = field(default_factory=list)

    @property
    def turns(self) -> int:
        return 2 if self.quick else 5

    @property
    def seconds(self) -> float:
        return 1 if self.quick else 3

    def alternate(self, measure: Callable[[str], float]) -> dict[str, list[float]]:
        """Every broker in turn, after one round that is thrown away."""
        found: dict[str, list[float]] = {name: [] for name in self.sessions}
        for turn in range(self.turns + 1):
            for name in self.sessions:
                value = measure(name)
                if turn:
                    found[name].append(value)
        return found

    def add_ratio(self, what: str, found: dict[str, list[float]], show: Callable[[float], str], target: float) -> None:
        """A row whose target is ours over theirs, at least; for latencies theirs over ours."""
        medians = {name: statistics.median(values) for name, values in found.items()}
        shown = {name: show(medians[name]) if name in medians else "-" for name in BROKERS}
        met, wanted = None, f"ratio ≥ {target:g}"
        if len(medians) == len(BROKERS):
            ratio = medians[OURS] / medians[OTHER]
            met = ratio >= target
            wanted += f" (is {ratio:.2f})"
        self.figures.append(Figure(what, shown[OURS], shown[OTHER], wanted, met))
        say(str(self.figures[-1]))


def librdkafka(bench: Bench) -> None:
    """Short transactions and longer ones."""
    topics = {name: session.create_topic(loads.PARTITIONS) for name, session in bench.sessions.items()}
    for records in SIZES:
        producers = {
            name: loads.librdkafka_producer(session.broker, f"librdkafka-{records}")
            for name, session in bench.sessions.items()
        }
        found = bench.alternate(
            lambda name: loads.librdkafka_rate(producers[name], topics[name], records, bench.seconds)  # noqa: B023
        )
        what = f"(a) librdkafka, {records} record(s) a transaction over {loads.PARTITIONS} partitions"
        bench.add_ratio(what, found, lambda value: f"{value:,.0f}/s", 5 if records < SIZES[-1] else 1)


def java(bench: Bench) -> None:
    """The same with Apache Kafka's own producer."""
    topics = {name: session.create_topic(loads.PARTITIONS) for name, session in bench.sessions.items()}
    with loads.java_loops(JAVA) as made:
        for records in SIZES:
            loops = {
                name: made.loop(session.broker, topics[name], f"java-{records}")
                for name, session in bench.sessions.items()
            }
            found = bench.alternate(lambda name: loads.java_rate(loops[name], records, bench.seconds))  # noqa: B023
            what = f"(b) Java {JAVA}, {records} record(s) a transaction over {loads.PARTITIONS} partitions"
            bench.add_ratio(what, found, lambda value: f"{value:,.0f}/s", 1)
            for loop in loops.values():
                loop.close()


def latency(bench: Bench) -> None:
    """Transactions with a pause between them."""
    topics = {name: session.create_topic(1) for name, session in bench.sessions.items()}
    tails: dict[str, list[float]] = {name: [] for name in bench.sessions}
    numbers = iter(range(1000))

    def measure(name: str) -> float:
        seen = loads.latency(
            bench.sessions[name].broker, topics[name], f"latency-{next(numbers)}", 20 if bench.quick else 60, 0.05
        )
        tails[name].append(seen.percentile(99))
        return 1 / seen.median

    found = bench.alternate(measure)
    what = "(c) from the send of one record to its read_committed consumer, librdkafka, 20 transactions a second"
    bench.add_ratio(f"{what}: median", found, lambda value: f"{1 / value:.1f} ms", 1)
    inverted = {name: [1 / value for value in values[1:]] for name, values in tails.items()}
    bench.add_ratio(f"{what}: 99 %", inverted, lambda value: f"{1 / value:.1f} ms", 1)


def fetching(bench: Bench) -> None:
    """Nothing is open; one topic without transactions, and one of committed transactions only."""
    for small in (True, False):
        for transactional in (False, True):
            topics: dict[str, tuple[str, int]] = {}
            for name, session in bench.sessions.items():
                topic = session.create_topic(1)
                if transactional:
                    end = _fill_transactions(session, topic, session.scaled(20_000_000 if small else 60_000_000))
                elif small:
                    end = session.fill(topic, 1, 100, 100, session.scaled(20_000_000))
                else:
                    end = session.fill(topic, 1, 970, 1000, session.scaled(400_000_000))
                topics[name] = topic, end
            kind = "committed transactions of 100 records" if transactional else "a log without transactions"
            _compare_isolation(bench, topics, kind, small)


def _fill_transactions(session: BrokerSession, topic: str, size_bytes: int) -> int:
    producer = loads.librdkafka_producer(session.broker, f"fill-{topic}")
    count = max(1, size_bytes // 100_000)
    for _ in range(count):
        producer.begin_transaction()
        for _ in range(100):
            producer.produce(topic, b"x" * 1000, partition=0)
        producer.commit_transaction(loads.PATIENCE_S)
    return count * 101


def _compare_isolation(bench: Bench, topics: dict[str, tuple[str, int]], kind: str, small: bool) -> None:
    """Time a request takes, read_committed over read_uncommitted, on the same broker in turns."""
    shown, met = dict.fromkeys(BROKERS, "-"), None
    for name, session in bench.sessions.items():
        topic, end = topics[name]
        address = session.broker.address
        times: dict[bool, list[float]] = {True: [], False: []}
        for turn in range(4 * bench.turns + 1):
            for committed in (True, False) if turn % 2 else (False, True):
                if small:
                    frame = wire.fetch(topic, [(0, end // 2)], 1, committed=committed)
                    timing = raw_client.fetch_again(address, frame, session.scaled(SMALL_FETCHES))
                else:
                    volume = session.scaled(800_000_000)
                    timing = raw_client.fetch_many(address, topic, 1, end, volume, FETCH_BYTES, committed=committed)
                if turn:
                    times[committed].append(timing.seconds / timing.requests * 1e6)
        median = {committed: statistics.median(values) for committed, values in times.items()}
        ratio = median[True] / median[False]
        shown[name] = f"{ratio:.3f} ({median[True]:,.0f} and {median[False]:,.0f} µs)"
        if name == OURS:
            met = ratio <= OVERHEAD
    size = "one batch" if small else "8 MB"
    what = f"(d) Fetch of {size}, {kind}: read_committed over read_uncommitted (time a request)"
    bench.figures.append(Figure(what, shown[OURS], shown[OTHER], f"≤ {OVERHEAD}", met))
    say(str(bench.figures[-1]))


FIGURES: dict[str, Callable[[Bench], None]] = {"a": librdkafka, "b": java, "c": latency, "d": fetching}


def report(bench: Bench, started: float) -> str:
    """The page that is printed and kept."""
    import confluent_kafka

    release, _ = confluent_kafka.libversion()
    return "\n".join(
        [
            "# Transactions: wirebroker beside Apache Kafka 3.9.1",
            "",
            "`python -m tools.bench.transactions`: both brokers up in one run with their defaults and loaded in turns,",
            f"medians of {bench.turns} turns.  A producer sends the next transaction when the last is committed;",
            "values have 100 bytes.  For rates and latencies the ratio is how many times better wirebroker is.",
            "",
            table(bench.figures),
            "",
            f"{time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} cores, Python {platform.python_version()}, librdkafka"
            f" {release}, load average {started:.1f} before and {os.getloadavg()[0]:.1f} after the run",
            "",
        ]
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.transactions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", default="".join(FIGURES), metavar="LETTERS")
    parser.add_argument("--broker", action="append", choices=list(BROKERS), help="measure only this one")
    parser.add_argument("--quick", action="store_true", help="less of everything")
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    parser.add_argument("--keep", action="store_true", help=f"write the result to {RESULTS.name}")
    options = parser.parse_args(arguments)
    bench = Bench({}, options.quick)
    brokers: list[Broker] = []
    started = os.getloadavg()[0]
    with scratch(options.directory) as directory:
        try:
            for name in options.broker or BROKERS:
                broker = BROKERS[name](directory / name)
                brokers.append(broker)
                broker.start()
                group_wire.await_coordinator(broker.address)
                bench.sessions[name] = BrokerSession(broker, options.quick)
            for letter, measure in FIGURES.items():
                if letter in options.only:
                    measure(bench)
        except (raw_client.BenchError, StartError) as fault:
            print(fault, file=sys.stderr)
            return 1
        finally:
            for broker in brokers:
                broker.stop()
    page = report(bench, started)
    print(page)
    if options.keep:
        RESULTS.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
