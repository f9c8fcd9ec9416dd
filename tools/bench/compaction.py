"""``python -m tools.bench.compaction``: the log cleaner's figures, beside Apache Kafka's.

Both brokers are up at once and clean in turns; a figure is the median of its turns.  ``--only`` takes letters:

    a  600 MB of records of 1 kB over 60,000 keys: time, speed, fetches of another topic meanwhile, memory
    b  memory when the deduplication buffer is full
    c  reload of a compacted __consumer_offsets of 10,000,000 commits over 10,000 keys
"""

import argparse
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tools.bench import compaction_loads as loads
from tools.bench import group_wire, raw_client
from tools.bench.broker_session import BrokerSession
from tools.bench.brokers import BROKERS, Broker, StartError, Wirebroker, scratch
from tools.bench.groups import OTHER, OURS, Figure, say, table
from tools.bench.loop_report import hand_written

RESULTS = Path(__file__).with_name("RESULTS_COMPACTION.md")
KINDS: dict[str, type[Broker]] = {OTHER: loads.CleaningKafka, OURS: Wirebroker}
LARGE = loads.KeyedLog(600_000, 60_000, 970, 16, 150_000_000)
FULL = loads.KeyedLog(1_200_000, 620_000, 60, 100, 20_000_000)
FULL_BUFFER = 16 << 20
"""Has room for 629,145 keys."""
DEFAULT_BUFFER = 128 << 20
OVER_BUFFER_MB = 30
GROUPS, PARTITIONS = 100, 100
COMMITS = 10_000_000
RELOAD_S = 0.5


@dataclass(slots=True)
class Bench:
    """The brokers that are up, and what was found."""

    directory: Path
    sessions: dict[str, BrokerSession]
    turns: int
    quick: bool
    figures: list[Figure] = field(default_factory=list)

    def clean(self, keyed: loads.KeyedLog, turns: int) -> dict[str, list[loads.Cleaning]]:
        """Clean one topic after the other, each broker in turn."""
        others = {name: session.create_topic() for name, session in self.sessions.items()}
        for name, session in self.sessions.items():
            session.fill(others[name], 1, 10, 300, 1_000_000)
        if self.quick:
            keyed = keyed._replace(records=keyed.records // 5, segment_bytes=keyed.segment_bytes // 5)
        batches = list(keyed.batches())
        found: dict[str, list[loads.Cleaning]] = {name: [] for name in self.sessions}
        for turn in range(turns):
            for name, session in self.sessions.items():
                with session.room_for(sum(map(len, batches))):
                    cleaning = loads.clean(session, keyed, batches, others[name])
                found[name].append(cleaning)
                say(f"turn {turn + 1}, {name}: {cleaning}")
        return found

    def add(
        self,
        what: str,
        found: Mapping[str, list[loads.Cleaning]],
        value: Callable[[loads.Cleaning], float],
        show: str,
        target: str = "",
        met: Callable[[float, float | None], bool | None] = lambda _ours, _theirs: None,
    ) -> None:
        """A row of medians and ranges; *met* gets the medians, that of Apache Kafka None if it was not measured."""
        medians: dict[str, float] = {}
        shown = dict.fromkeys(BROKERS, "-")
        for name, cleanings in found.items():
            values = [value(each) for each in cleanings]
            medians[name] = statistics.median(values)
            shown[name] = show.format(medians[name])
            if len(values) > 1:
                shown[name] += f" ({min(values):,.2f} to {max(values):,.2f})"
        is_met = met(medians[OURS], medians.get(OTHER)) if OURS in medians else None
        self.figures.append(Figure(what, shown[OURS], shown[OTHER], target, is_met))
        say(str(self.figures[-1]))


def large(bench: Bench) -> None:
    """Time, speed, what other clients feel, and memory."""
    found = bench.clean(LARGE, bench.turns)
    last = next(iter(found.values()))[-1]
    sizes = f"{last.before_bytes / 1e6:.0f} to {last.after_bytes / 1e6:.0f} MB"
    bench.add(
        f"(a) records of 1 kB, 60,000 keys at random, {sizes} (the active segment stays): from the change of the policy"
        " to the cleaning's checkpoint",
        found,
        lambda each: each.wait_s + each.seconds,
        "{:.2f} s",
        "≤ half",
        lambda ours, theirs: None if theirs is None else ours <= theirs / 2,
    )
    bench.add(
        "(a) of which the cleaning itself",
        found,
        lambda each: each.seconds,
        "{:.2f} s",
        "≤ half",
        lambda ours, theirs: None if theirs is None else ours <= theirs / 2,
    )
    bench.add(
        "(a) speed, of the segments that are cleaned, of whose records a tenth stays",
        found,
        lambda each: each.mb_per_s,
        "{:.0f} MB/s",
        "≥ 100 MB/s",
        lambda ours, _: ours >= 100,
    )
    bench.add(
        "(a) CPU time of all processes of the broker, a GB",
        found,
        lambda e: e.cpu_s / e.cleaned_bytes * 1e9,
        "{:.1f} s",
    )
    bench.add(
        "(a) Fetch of 4 kB from another topic every 5 ms, 99 %, over that before the cleaning",
        found,
        lambda each: each.busy.p99_ms / each.idle.p99_ms,
        "{:.2f}",
        "≤ 2",
        lambda ours, _: ours <= 2,
    )
    bench.add("(a) the same in ms, before", found, lambda each: each.idle.p99_ms, "{:.2f} ms")
    bench.add("(a) the same in ms, meanwhile", found, lambda each: each.busy.p99_ms, "{:.2f} ms")
    _add_memory(bench, "(a)", found, DEFAULT_BUFFER)


def _add_memory(bench: Bench, letter: str, found: Mapping[str, list[loads.Cleaning]], buffer_bytes: int) -> None:
    limit = buffer_bytes / 1e6 + OVER_BUFFER_MB
    bench.add(
        f"{letter} resident memory of all processes over that before, highest, buffer {buffer_bytes >> 20} MiB",
        found,
        lambda each: each.memory_mb,
        "{:.0f} MB",
        f"≤ {limit:.0f} MB",
        lambda ours, _: ours <= limit,
    )


def full_buffer(bench: Bench) -> None:
    """620,000 keys in a buffer for 629,145."""
    for session in bench.sessions.values():
        loads.alter_broker(session.broker, {"log.cleaner.dedupe.buffer.size": str(FULL_BUFFER)})
    found = bench.clean(FULL, 1)
    what = "(b) 1,200,000 records of 100 B over 620,000 keys: speed"
    bench.add(what, found, lambda each: each.mb_per_s, "{:.0f} MB/s")
    bench.add(f"{what} in records", found, lambda e: e.mb_per_s * 1e6 / (e.before_bytes / FULL.records), "{:,.0f}/s")
    _add_memory(bench, "(b)", found, FULL_BUFFER)
    for session in bench.sessions.values():
        loads.alter_broker(session.broker, {"log.cleaner.dedupe.buffer.size": str(DEFAULT_BUFFER)})


def reload(bench: Bench) -> None:
    """On brokers of their own, one after the other."""
    times = COMMITS // GROUPS // PARTITIONS // (10 if bench.quick else 1)
    shown = dict.fromkeys(BROKERS, "-")
    met = None
    for name in bench.sessions:
        broker = KINDS[name](bench.directory / f"reload-{name}", {"offsets.topic.num.partitions": "1"})
        broker.start()
        try:
            group_wire.await_coordinator(broker.address)
            topic = BrokerSession(broker).create_topic(PARTITIONS)
            began = time.perf_counter()
            loads.fill_offsets(broker.address, topic, GROUPS, PARTITIONS, times)
            say(f"{name}: {times * GROUPS * PARTITIONS:,} commits in {time.perf_counter() - began:.0f} s")
            loads.alter_topic(broker, "__consumer_offsets", {"min.cleanable.dirty.ratio": "0.01"})
            loads.await_clean_offsets(broker)
            sizes = {each.name[:20].lstrip("0"): each.stat().st_size for each in loads.offsets_segments(broker)}
            say(f"{name}: {sizes}")
            seen = []
            for _ in range(3):
                broker.stop()
                broker.start()
                group_wire.await_coordinator(broker.address, "reload-0")
                loads.verify_offsets(broker.address, topic, GROUPS, PARTITIONS, times - 1)
                seen.append(loads.last_load(broker))
                say(f"{name}: {seen[-1]}")
            best = statistics.median(each.seconds for each in seen)
            shown[name] = f"{best:.2f} s; {sum(sizes.values()) / 1e6:.1f} MB"
            if name == OURS:
                shown[name] += f", {seen[-1].records:,} records"
                met = best <= RELOAD_S
        finally:
            broker.stop()
    what = f"(c) reload of a compacted __consumer_offsets, {times * GROUPS * PARTITIONS:,} commits over 10,000 keys"
    bench.figures.append(Figure(what, shown[OURS], shown[OTHER], f"≤ {RELOAD_S} s", met))
    say(str(bench.figures[-1]))


FIGURES: dict[str, Callable[[Bench], None]] = {"a": large, "b": full_buffer, "c": reload}


def report(bench: Bench, started: float) -> str:
    """The page that is printed and kept."""
    return "\n".join(
        [
            "# Log compaction: wirebroker beside Apache Kafka 3.9.1",
            "",
            "`python -m tools.bench.compaction`: both brokers up in one run with their defaults (one cleaner,",
            "log.cleaner.backoff.ms=15000), cleaning in turns; medians (lowest to highest).  A log is filled while its",
            "policy is `delete`, then changed to `compact`.",
            "",
            table(bench.figures),
            "",
            f"{time.strftime('%Y-%m-%d %H:%M')}, {bench.turns} turns, {os.cpu_count()} cores, Python"
            f" {platform.python_version()}, load average {started:.1f} before, {os.getloadavg()[0]:.1f} after the run",
            "",
        ]
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.compaction",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", default="".join(FIGURES), metavar="LETTERS")
    parser.add_argument("--broker", action="append", choices=list(BROKERS), help="measure only this one")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="less of everything")
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    parser.add_argument("--keep", action="store_true", help=f"write the result to {RESULTS.name}")
    options = parser.parse_args(arguments)
    started = os.getloadavg()[0]
    with scratch(options.directory) as directory:
        bench = Bench(directory, {}, options.turns, options.quick)
        brokers: list[Broker] = []
        try:
            for name in options.broker or BROKERS:
                broker = KINDS[name](directory / name)
                brokers.append(broker)
                broker.start()
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
        RESULTS.write_text(page + hand_written(RESULTS.read_text() if RESULTS.exists() else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
