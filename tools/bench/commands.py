"""``python -m tools.bench.commands``: the time and rate of `wirebroker`'s commands, beside Apache Kafka's tools.

Every row is measured in turns: the command, Kafka's tool, the command again.  Tools of Apache Kafka 3.9.1 run with the
options of Java that kafka-run-class.sh gives them, without the time of that script; commands run as ``python -m
wirebroker``.  Both are asked of one wirebroker; `mirror` copies to a second one.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tools.bench.broker_session import BrokerSession
from tools.bench.brokers import KAFKA, SERVER_JVM, StartError, Wirebroker, scratch
from tools.bench.groups import Figure, run_line, say, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

RESULTS: Final = Path(__file__).with_name("RESULTS_COMMANDS.md")
INTRODUCTION: Final = """\
# The commands: time and rate

Written by `python -m tools.bench.commands --keep`: medians (lowest-highest) of turns that alternate with those of
Apache Kafka's tools, which run with the options of Java that kafka-run-class.sh gives them, without the time of that
script.  The broker of all rows is a wirebroker; `mirror` copies from it to a second one.
"""
TOPICS: Final = 100
WITHIN_S: Final = 600
MOST_HELP_S, MOST_LIST_S, MOST_START, LEAST_RATE, LEAST_MIRROR_MB = 0.1, 0.25, 0.1, 0.9, 100.0
_RATE: Final = re.compile(r"([\d.]+) records/sec")
RATES: Final = ((5_000_000, 100), (1_000_000, 1000))
"""Records, and their size, of each row of rates."""
MIRRORED_MB: Final = 2000
_BATCH_RECORDS, _RECORD_BYTES = 16, 1000
"""Of the topic that is mirrored: batches as the Java producer makes them with its defaults."""


class Tool(NamedTuple):
    """A command of wirebroker and the tool of Apache Kafka that does the same."""

    ours: Sequence[str]
    theirs: Sequence[str]
    """The name of the tool and its arguments; empty if there is none to compare with."""
    heap: str = "256m"


def ours(words: Sequence[str]) -> list[str]:
    """Return the command line of a command."""
    return [sys.executable, "-m", "wirebroker", *words]


def theirs(tool: Tool) -> list[str]:
    """Return the command line of Kafka's tool."""
    jvm = tuple(option for option in SERVER_JVM if not option.startswith("-Xms"))
    return KAFKA.command(*tool.theirs, heap=tool.heap, jvm=jvm)


class Run(NamedTuple):
    """One run of a program."""

    elapsed_s: float
    output: str


def timed(command: Sequence[str]) -> Run:
    """Run a program to its end.

    Raises:
        StartError: it failed.
    """
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    elapsed_s = time.perf_counter() - began
    if done.returncode:
        raise StartError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-1000:]}")
    return Run(elapsed_s, done.stdout)


def in_turns(tool: Tool, turns: int, figure: Callable[[Run], float]) -> tuple[list[float], list[float]]:
    """Return the figures of both programs, after one run of each that fills the page cache."""
    found: tuple[list[float], list[float]] = ([], [])
    for turn in range(turns + 1):
        for figures, command in zip(found, (ours(tool.ours), theirs(tool) if tool.theirs else None), strict=True):
            if command is not None:
                measured = figure(timed(command))
                if turn:
                    figures.append(measured)
    return found


def spread(figures: Sequence[float], digits: int, unit: str) -> str:
    """Return the median and the range of *figures*."""
    if not figures:
        return "-"
    middle, low, high = statistics.median(figures), min(figures), max(figures)
    return f"{middle:,.{digits}f} {unit} ({low:,.{digits}f}-{high:,.{digits}f})"


def time_row(what: str, tool: Tool, turns: int, most_s: float) -> Figure:
    """Measure how long a command takes."""
    mine, other = in_turns(tool, turns, lambda run: run.elapsed_s)
    met = statistics.median(mine) <= most_s
    return Figure(what, spread(mine, 3, "s"), spread(other, 2, "s"), f"≤ {most_s:g} s", met)


def start_row(where: str, turns: int) -> Figure:
    """Measure how long `perf produce` takes for one record, its own time as it reports it, and Kafka's tool."""
    tool = perf(where, "start", 1, 100)
    mine, other = in_turns(tool, turns, lambda run: run.elapsed_s)
    ratio = statistics.median(mine) / statistics.median(other)
    text = f"{spread(other, 2, 's')}; {ratio:.2f} x"
    return Figure(
        "`perf produce` of one record, start to end", spread(mine, 3, "s"), text, "≤ 0.1 x", ratio <= MOST_START
    )


def perf(where: str, topic: str, records: int, size: int) -> Tool:
    """Return both commands that produce *records* of *size* bytes."""
    numbers = ("--num-records", str(records), "--record-size", str(size), "--throughput", "-1")
    return Tool(
        ("perf", "produce", topic, "-b", where, *numbers),
        ("kafka-producer-perf-test", "--topic", topic, *numbers, "--producer-props", f"bootstrap.servers={where}"),
        heap="512m",
    )


def rate_row(where: str, records: int, size: int, turns: int) -> Figure:
    """Measure the rate that both report."""
    mine, other = in_turns(
        perf(where, f"rate-{size}", records, size), turns, lambda run: float(_RATE.findall(run.output)[-1])
    )
    ratio = statistics.median(mine) / statistics.median(other)
    text = f"{spread(other, 0, '/s')}; {ratio:.2f} x"
    what = f"`perf produce`, {records:,} records of {size} B"
    return Figure(what, spread(mine, 0, "/s"), text, f"≥ {LEAST_RATE:g} x", ratio >= LEAST_RATE)


def mirror_row(source: Wirebroker, destination: Wirebroker, megabytes: int, turns: int) -> Figure:
    """Measure the time of `mirror` for a topic of *megabytes*, copied under another name in each turn."""
    session = BrokerSession(source)
    topic = session.create_topic()
    size_bytes = _RECORD_BYTES * session.fill(topic, 1, _BATCH_RECORDS, _RECORD_BYTES, megabytes * 1_000_000)
    rates: list[float] = []
    for turn in range(turns + 1):
        words = ("mirror", "--from", source.bootstrap, "--to", destination.bootstrap, "--topic", topic, "--quiet")
        checkpoint = destination.directory / f"mirror-{turn}.json"
        run = timed(ours((*words, "--prefix", f"copy-{turn}.", "--checkpoint", str(checkpoint))))
        say(f"mirror: {run.output.strip()}; {run.elapsed_s:.2f} s")
        if turn:
            rates.append(size_bytes / 1e6 / run.elapsed_s)
    what = f"`mirror` of {size_bytes / 1e6:,.0f} MB, records of 1 kB, batches of {_BATCH_RECORDS}, start to end"
    met = statistics.median(rates) >= LEAST_MIRROR_MB
    return Figure(what, spread(rates, 0, "MB/s"), "-", f"≥ {LEAST_MIRROR_MB:g} MB/s", met)


def measure(directory: Path, options: argparse.Namespace) -> Iterator[Figure]:
    """Start two brokers and yield the rows."""
    source, destination = Wirebroker(directory / "source"), Wirebroker(directory / "destination")
    turns, share = options.turns, 10 if options.quick else 1
    try:
        source.start()
        where = source.bootstrap
        timed(ours(("topics", "create", "-b", where, *(f"topic-{number}" for number in range(TOPICS)))))
        yield time_row("`--help`", Tool(("--help",), ("kafka-topics", "--version")), turns, MOST_HELP_S)
        listing = Tool(("topics", "list", "-b", where), ("kafka-topics", "--bootstrap-server", where, "--list"))
        yield time_row(f"`topics list`, {TOPICS} topics", listing, turns, MOST_LIST_S)
        timed(ours(("topics", "create", "-b", where, *(f"rate-{size}" for _, size in RATES), "start")))
        yield start_row(where, turns)
        for records, size in RATES:
            yield rate_row(where, records // share, size, turns)
        destination.start()
        yield mirror_row(source, destination, MIRRORED_MB // share, turns)
    finally:
        source.stop()
        destination.stop()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.commands", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=5, help="measurements of each row (default: 5)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the records")
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    parser.add_argument("--keep", action="store_true", help=f"write the result to {RESULTS.name}")
    options = parser.parse_args(arguments)
    load = os.getloadavg()[0]
    figures: list[Figure] = []
    with scratch(options.directory) as directory:
        try:
            for figure in measure(directory, options):
                say(f"{figure.what}: {figure.ours}, {figure.theirs}")
                figures.append(figure)
        except StartError as fault:
            print(fault, file=sys.stderr)
            return 1
    print(table(figures))
    print(f"\n{run_line(load)}")
    if options.keep:
        RESULTS.write_text(f"{INTRODUCTION}\n{table(figures)}\n\n{run_line(load)}\n")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which ends all processes
    sys.exit(main())
