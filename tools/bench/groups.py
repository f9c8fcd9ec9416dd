"""``python -m tools.bench.groups``: the group coordinator's figures, beside Apache Kafka's where that says something.

Both brokers are up at once and loaded in turns.  ``--only`` takes letters:

    a  librdkafka's first record in a fresh group      d  offset commits a second
    b  1,000 groups of 3 members                       e  reload of 1,000,000 offset records after a restart
    c  one group of 200 members rebalancing            f  memory of an idle member
"""

import argparse
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.bench import group_loads, group_wire
from tools.bench.broker_session import BrokerSession
from tools.bench.brokers import BROKERS, Broker, StartError, scratch
from tools.bench.raw_client import BenchError

OTHER, OURS = "kafka", "wirebroker"
PARTITIONS = 100
RELOAD = 1_000_000


@dataclass(slots=True)
class Figure:
    """One row of the table."""

    what: str
    ours: str
    theirs: str
    target: str
    met: bool | None


@dataclass(slots=True)
class Bench:
    """The brokers that are up, and what was found."""

    sessions: dict[str, BrokerSession]
    figures: list[Figure]
    quick: bool

    def each(self, measure: Callable[[BrokerSession], str]) -> dict[str, str]:
        found = dict.fromkeys(BROKERS, "-")
        for name, session in self.sessions.items():
            found[name] = measure(session)
            say(f"{name}: {found[name]}")
        return found

    def add(self, what: str, found: dict[str, str], target: str = "", met: bool | None = None) -> None:
        self.figures.append(Figure(what, found[OURS], found[OTHER], target, met))


def say(line: str) -> None:
    load = os.getloadavg()[0]
    print(f"{time.strftime('%H:%M:%S')} load {load:.1f}  {line}", file=sys.stderr, flush=True)


def first_record(bench: Bench) -> None:
    """Median of at least 15 fresh groups per broker, in turns, after one that is thrown away."""
    topics = {name: group_loads.topic_with_a_record(session) for name, session in bench.sessions.items()}
    for settings, how in (({}, "its defaults"), (group_loads.IMPATIENT, "reconnect.backoff.ms=1")):
        times: dict[str, list[float]] = {name: [] for name in bench.sessions}
        for number in range(6 if bench.quick else 22):
            for name, session in bench.sessions.items():
                took = group_loads.first_record_ms(session.broker, topics[name], settings)
                if number:
                    times[name].append(took)
        found = dict.fromkeys(BROKERS, "-")
        for name, values in times.items():
            values.sort()
            found[name] = f"{statistics.median(values):.0f} ms ({values[0]:.0f} to {values[-1]:.0f})"
        say(str(found))
        met = statistics.median(times[OURS]) <= 100 if OURS in times else None
        what = f"(a) librdkafka with {how}, construct + subscribe to first record of a fresh group: median (range)"
        bench.add(what, found, "" if settings else "≤ 100 ms", None if settings else met)


def many_groups(bench: Bench) -> None:
    """1,000 x 3."""
    groups = 200 if bench.quick else 1000
    results: dict[str, group_loads.ManyGroups] = {}

    def measure(session: BrokerSession) -> str:
        seen = results[session.broker.name] = group_loads.many_groups(session.broker, groups, 3)
        return (
            f"stable in {seen.stable_s:.1f} s; then {seen.heartbeats_per_s:,.0f} heartbeats/s"
            f" take {seen.cpu_percent:.0f} % of a core; RSS {seen.rss_mb:.0f} MB;"
            f" {seen.lost} unexpected UNKNOWN_MEMBER_ID"
        )

    bench.add(
        f"(b) {groups:,} groups of 3 members, heartbeats every 3 s kept for 20 s", bench.each(measure), "served", True
    )
    found = dict.fromkeys(BROKERS, "-")
    for name, session in bench.sessions.items():
        found[name] = f"{results[session.broker.name].kb_per_member:.1f} kB"
    bench.add("(f) RSS growth per member of (b), its connection included", found)


def large_group(bench: Bench) -> None:
    """200 members."""

    def measure(session: BrokerSession) -> str:
        seen = group_loads.large_group(session.broker, 200, 3 if bench.quick else 7)
        prompt, paced = statistics.median(seen.prompt_ms), statistics.median(seen.paced_ms)
        return f"{prompt:.0f} ms; {paced / 1000:.1f} s with heartbeats every 3 s; formed in {seen.formed_s:.1f} s"

    what = "(c) one group of 200 members: a member leaves until all are stable again, heartbeats sent at once: median"
    bench.add(what, bench.each(measure), "measured", None)


def commits(bench: Bench) -> None:
    """One partition a request, and ten."""
    topics = {name: session.create_topic(PARTITIONS) for name, session in bench.sessions.items()}
    for partitions, in_flight in ((1, 32), (10, 8), (1, 1)):
        count = (200_000 if partitions > 1 else 40_000 if in_flight > 1 else 8_000) // (5 if bench.quick else 1)
        rates: dict[str, list[float]] = {name: [] for name in bench.sessions}
        cpu_us: dict[str, list[float]] = {name: [] for name in bench.sessions}
        for number in range(4):
            for name, session in bench.sessions.items():
                cpu = session.broker.cpu_seconds()
                groups = {f"commit-{connection}": session.broker.address for connection in range(4)}
                timing = group_loads.commits(groups, topics[name], in_flight, partitions, count)
                if number:
                    rates[name].append(timing.requests * partitions / timing.seconds)
                    cpu_us[name].append((session.broker.cpu_seconds() - cpu) / timing.requests / partitions * 1e6)
        found = dict.fromkeys(BROKERS, "-")
        for name, values in rates.items():
            cpu = statistics.median(cpu_us[name])
            found[name] = (
                f"{statistics.median(values):,.0f}/s, best {max(values):,.0f}/s; {cpu:.0f} µs of broker CPU each"
            )
        say(str(found))
        what = f"(d) offset commits, 4 connections, {in_flight} in flight on each, {partitions} partition(s) a request"
        met = statistics.median(rates[OURS]) >= 20_000 if OURS in rates else None
        bench.add(what, found, "≥ 20,000/s" if in_flight > 1 else "", met if in_flight > 1 else None)


def reload(bench: Bench) -> None:
    """A million records of as many partitions, and a million of ten thousand."""
    total = RELOAD // (5 if bench.quick else 1)
    distinct = total // PARTITIONS
    for groups, what in ((100, f"{100 * PARTITIONS:,} keys"), (distinct, f"{total:,} keys")):
        times = total // (groups * PARTITIONS)
        seconds: dict[str, float] = {}

        def measure(
            session: BrokerSession, groups: int = groups, times: int = times, seconds: dict[str, float] = seconds
        ) -> str:
            fresh = BROKERS[OURS if session.broker.name == "wirebroker" else OTHER](
                session.broker.directory.with_name(f"reload-{session.broker.directory.name}-{groups}")
            )
            fresh.start()
            try:
                group_wire.await_coordinator(fresh.address)
                topic = BrokerSession(fresh).create_topic(PARTITIONS)
                written = group_loads.fill_offsets(fresh, topic, groups, times)
                say(f"{written:,} records written")
                _, load_s = group_loads.restart(fresh, topic, groups, times - 1)
                seconds[session.broker.name] = load_s
                cpu_s = fresh.cpu_seconds()
                return f"{load_s:.1f} s ({cpu_s:.1f} s of CPU, start included), RSS {fresh.memory_mb():.0f} MB"
            finally:
                fresh.stop()

        found = bench.each(measure)
        met = seconds["wirebroker"] <= 10 if "wirebroker" in seconds else None
        bench.add(
            f"(e) reload of {total:,} offset records ({what}): port open to all groups answering", found, "≤ 10 s", met
        )


def memory(bench: Bench) -> None:
    """In this process."""
    size = group_loads.member_bytes(1000, 3)
    found = {OURS: f"{size / 1000:.1f} kB", OTHER: "-"}
    say(str(found))
    bench.add("(f) state of a shard per idle member (1,000 groups of 3; tracemalloc)", found, "≤ 5 kB", size <= 5000)


FIGURES: dict[str, Callable[[Bench], None]] = {
    "a": first_record,
    "b": many_groups,
    "c": large_group,
    "d": commits,
    "e": reload,
    "f": memory,
}


def table(figures: Sequence[Figure]) -> str:
    """The rows as markdown."""
    lines = ["| what | wirebroker | Apache Kafka 3.9.1 | target | met |", "|---|---|---|---|---|"]
    words = {True: "yes", False: "**no**", None: ""}
    lines += [f"| {each.what} | {each.ours} | {each.theirs} | {each.target} | {words[each.met]} |" for each in figures]
    return "\n".join(lines)


def run_line(load_before: float) -> str:
    """When and on what a benchmark has run, which has just ended and began at this load average."""
    return (
        f"{time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} cores, Python {platform.python_version()},"
        f" load average {load_before:.1f} before and {os.getloadavg()[0]:.1f} after the run"
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.groups", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="".join(FIGURES), metavar="LETTERS")
    parser.add_argument("--broker", action="append", choices=list(BROKERS), help="measure only this one")
    parser.add_argument("--quick", action="store_true", help="a fifth of everything")
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    options = parser.parse_args(arguments)
    bench = Bench({}, [], options.quick)
    brokers: list[Broker] = []
    started = os.getloadavg()[0]
    with scratch(options.directory) as directory:
        try:
            for name in options.broker or BROKERS:
                if set(options.only) - {"f"}:
                    broker = BROKERS[name](directory / name)
                    brokers.append(broker)
                    broker.start()
                    group_wire.await_coordinator(broker.address)
                    bench.sessions[name] = BrokerSession(broker)
            for letter, measure in FIGURES.items():
                if letter in options.only:
                    say(f"({letter})")
                    measure(bench)
        except (BenchError, StartError) as fault:
            print(fault, file=sys.stderr)
            return 1
        finally:
            for broker in brokers:
                broker.stop()
    print(table(bench.figures))
    print(f"\n{run_line(started)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
