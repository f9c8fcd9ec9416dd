"""``python -m tools.bench.standalone_cost REVISION``: a broker without `zookeeper.connect`, now and at a revision.

Both revisions start, idle and serve requests of one record in turns, so that they meet the same machine.  Counts that a
busy machine does not change are kept by `wirebroker/tests/test_standalone_cost.py`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tools.bench import raw_client, wire
from tools.bench.broker_session import BrokerSession, now_ms
from tools.bench.brokers import Wirebroker, scratch

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT: Final = Path(__file__).parents[2]
RECORD_BYTES: Final = 100
WARM_REQUESTS: Final = 500
REQUESTS: Final = 10_000
IDLE_S: Final = 1.0
MOST: Final = 1.03


class Turn(NamedTuple):
    """The figures of one broker."""

    start_cpu_s: float
    resident_mb: float
    p50_us: float
    request_cpu_us: float


TITLES: Final = {
    "start_cpu_s": "processor time of a start, s",
    "resident_mb": "resident memory after it, MB",
    "p50_us": "Produce of one record, one after the other: p50, µs",
    "request_cpu_us": "processor time of each, µs",
}


class WirebrokerAt(Wirebroker):
    """A broker of the sources in *root*."""

    root = ROOT

    def command(self) -> Sequence[str]:
        return ["env", f"PYTHONPATH={self.root}", *super().command()]


def measure(directory: Path, root: Path) -> Turn:
    """Start a broker of the sources in *root*, ask it, and stop it."""
    broker = WirebrokerAt(directory)
    broker.root = root
    broker.start()
    try:
        time.sleep(IDLE_S)
        start_cpu_s, resident_mb = broker.cpu_seconds(), broker.memory_mb()
        topic = BrokerSession(broker).create_topic()
        frame = wire.produce(topic, [(0, wire.record_batch(1, RECORD_BYTES, now_ms()))])
        with raw_client.connect(broker.address) as sock:
            for _ in range(WARM_REQUESTS):
                raw_client.ask(sock, frame)
            before = broker.cpu_seconds()
            latencies = []
            for _ in range(REQUESTS):
                began = time.perf_counter()
                raw_client.ask(sock, frame)
                latencies.append(time.perf_counter() - began)
            cpu_us = (broker.cpu_seconds() - before) / REQUESTS * 1e6
    finally:
        broker.stop()
    return Turn(start_cpu_s, resident_mb, statistics.median(latencies) * 1e6, cpu_us)


def checkout(directory: Path, revision: str) -> Path:
    """Write the sources of a revision to a directory."""
    directory.mkdir()
    archive = subprocess.run(["git", "archive", revision, "wirebroker"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", str(directory)], input=archive.stdout, check=True)
    return directory


def rows(before: Sequence[Turn], now: Sequence[Turn]) -> list[str]:
    """Return the table of both."""
    lines = ["| what | before | now | ratio |", "|---|---|---|---|"]
    for name, title in TITLES.items():
        values = [[getattr(turn, name) for turn in each] for each in (before, now)]
        medians = [statistics.median(each) for each in values]
        shown = [f"{statistics.median(each):.2f} ({min(each):.2f}-{max(each):.2f})" for each in values]
        ratio = medians[1] / medians[0]
        lines.append(
            f"| {title} | {shown[0]} | {shown[1]} | {ratio:.2f} x{'' if ratio <= MOST else ', more than 1.03'} |"
        )
    return lines


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.standalone_cost", description=__doc__)
    parser.add_argument("revision", help="the commit to compare with")
    parser.add_argument("--turns", type=int, default=10, help="turns of each (10)")
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    options = parser.parse_args(arguments)
    load = os.getloadavg()[0]
    turns: dict[str, list[Turn]] = {"before": [], "now": []}
    with scratch(options.directory) as directory:
        roots = {"before": checkout(directory / "sources", options.revision), "now": ROOT}
        for root in roots.values():  # so that none of them has to compile its modules
            measure(directory / f"warm-{root.name}", root)
        for number in range(options.turns):
            for name in roots if number % 2 else reversed(roots):
                turns[name].append(measure(directory / f"{name}-{number}", roots[name]))
    print("\n".join(rows(turns["before"], turns["now"])))
    print(f"\n{options.turns} turns; load average {load:.1f} before and {os.getloadavg()[0]:.1f} after the run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
