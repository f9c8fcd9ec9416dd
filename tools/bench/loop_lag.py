"""``python -m tools.bench.loop_lag``: how late the event loop is for one client while another makes heavy requests.

Each burden is legal and ordinary: what an administrator's tool, a Spark job or a badly set up producer sends.  The
probe (`loop_probe.py`) asks ApiVersions every 5 ms from a process of its own while the burden runs.
"""

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.bench.brokers import BROKERS, Broker, StartError, Wirebroker, scratch
from tools.bench.loop_burdens import BURDENS, Burden, Client
from tools.bench.loop_probe import Lag, LoopProbe
from tools.bench.raw import BenchError

RESULTS = Path(__file__).with_name("RESULTS_LOOP_LAG.md")
TARGET_MS = 50
SETTLE_S = 0.3
WINDOW_S = 2.0
"""A window is at least so long, so that it holds 400 requests of the probe."""


class SlowSyncWirebroker(Wirebroker):
    """Every fsync and fdatasync takes 30 ms longer, as on a busy network disk."""

    name = "wirebroker, fsync 30 ms"

    def command(self) -> Sequence[str]:
        command = list(super().command())
        command[command.index("wirebroker")] = "tools.bench.slow_sync"
        return command


PLAN: dict[str, tuple[type[Broker], tuple[str, ...]]] = {
    "kafka": (BROKERS["kafka"], ()),
    "wirebroker": (Wirebroker, ()),
    "slow-sync": (SlowSyncWirebroker, ("nothing", "delete-records", "wide-topic", "topic-setting", "rolls")),
}
"""By the name on the command line: the broker and its burdens, all of them if none are named."""


@dataclass(frozen=True, slots=True)
class Row:
    """One burden on one broker."""

    burden: str
    broker: str
    seconds: float
    lag: Lag

    def __str__(self) -> str:
        return f"{self.burden} ({self.broker}): took {self.seconds:.2f} s; lag {self.lag}"


def measure(broker: Broker, burdens: Sequence[Burden], say: Callable[[str], None]) -> list[Row]:
    """Run *burdens* on a broker that is up."""
    rows = []
    with Client(broker.address) as client, LoopProbe(*broker.address) as probe:
        for burden in burdens:
            prepared = burden.prepare(client)
            time.sleep(SETTLE_S)
            probe.read()
            began = time.perf_counter()
            prepared()
            seconds = time.perf_counter() - began
            time.sleep(max(0.0, WINDOW_S - seconds))
            rows.append(Row(f"{burden.name}: {burden.what}", broker.name, seconds, probe.read()))
            say(str(rows[-1]))
    return rows


def table(rows: list[Row]) -> str:
    """The rows as Markdown."""
    lines = [
        "| burden | broker | took s | lag p50 ms | p99 ms | p99.9 ms | max ms | ≤ 50 ms |",
        "|---|---|---:|---:|---:|---:|---:|---|",
    ]
    for row in rows:
        lag = row.lag
        figures = f"{lag.p50_ms:.1f} | {lag.p99_ms:.1f} | {lag.p999_ms:.1f} | {lag.max_ms:.1f}"
        met = "yes" if lag.p999_ms <= TARGET_MS else "no"
        lines.append(f"| {row.burden} | {row.broker} | {row.seconds:.2f} | {figures} | {met} |")
    return "\n".join(lines)


def page(rows: list[Row], started: float) -> str:
    """RESULTS_LOOP_LAG.md."""
    return "\n".join(
        [
            "# Lag of the event loop under heavy requests",
            "",
            "Written by `python -m tools.bench.loop_lag`: one client makes the requests of a row, another asks",
            "ApiVersions every 5 ms on its own connection, from a process of its own; the lag is how long it waits for",
            "an answer, requests that were due during a stall included.  The target is p99.9 ≤ 50 ms in every row.",
            "",
            table(rows),
            "",
            f"{time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} cores, Python {platform.python_version()},"
            f" load average {started:.1f} before and {os.getloadavg()[0]:.1f} after the run",
            "",
        ]
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.loop_lag", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="this burden")
    parser.add_argument("--broker", action="append", choices=list(PLAN), help="default: wirebroker and slow-sync")
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    parser.add_argument("--list", action="store_true", help="print the burdens and stop")
    parser.add_argument("--keep", action="store_true", help=f"write the result to {RESULTS.name}")
    options = parser.parse_args(arguments)
    if options.list:
        print("\n".join(f"{burden.name:20} {burden.what}" for burden in BURDENS))
        return 0
    started = os.getloadavg()[0]
    rows: list[Row] = []
    with scratch(options.directory) as directory:
        for name in options.broker or ["wirebroker", "slow-sync"]:
            kind, names = PLAN[name]
            chosen = [each for each in BURDENS if not names or each.name in names]
            if options.only:
                chosen = [each for each in chosen if each.name in options.only]
            broker = kind(directory / name)
            try:
                broker.start()
                rows += measure(broker, chosen, lambda line: print(line, file=sys.stderr, flush=True))
            except (BenchError, StartError) as fault:
                print(fault, file=sys.stderr)
                return 1
            finally:
                broker.stop()
    text = page(rows, started)
    print(text)
    if options.keep:
        RESULTS.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
