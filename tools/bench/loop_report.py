"""The measurements of the event loop's lag as a page, and the command line that writes it."""

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.bench.brokers import Broker, StartError
from tools.bench.loop_probe import Lag
from tools.bench.raw_client import BenchError

TARGET_MS = 50
SETTLE_S = 0.3
WINDOW_S = 2.0
"""A window is at least so long, so that it holds 400 requests of the probe."""
WRITTEN_BY_HAND = "\n## "
"""The sections of a page, from the first one on, are written by people and stay when it is measured anew."""


@dataclass(frozen=True, slots=True)
class Row:
    """The lag of one broker under one burden, which took *seconds*."""

    burden: str
    broker: str
    seconds: float
    lag: Lag

    def __str__(self) -> str:
        return f"{self.burden} ({self.broker}): took {self.seconds:.2f} s; lag {self.lag}"


def table(rows: Sequence[Row]) -> str:
    """Return the rows as Markdown."""
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


def add_options(parser: argparse.ArgumentParser, results: Path) -> None:
    """Add the options that both commands have."""
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    parser.add_argument("--keep", action="store_true", help=f"write the result to {results.name}")


def measure_on(broker: Broker, measure: Callable[[], Iterable[Row]]) -> list[Row] | None:
    """Print and collect the rows of *measure*, then stop *broker*; return None after an error, which is printed."""
    rows: list[Row] = []
    try:
        for row in measure():
            rows.append(row)
            print(row, file=sys.stderr, flush=True)
    except (BenchError, StartError) as error:
        print(f"{error}\n{broker.output()}", file=sys.stderr)
        return None
    finally:
        broker.stop()
    return rows


def publish(introduction: str, rows: Sequence[Row], load_before: float, results: Path | None) -> None:
    """Print the page, and replace what *results*, if given, holds before the sections that are written by hand."""
    conditions = (
        f"{time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"load average {load_before:.1f} before and {os.getloadavg()[0]:.1f} after the run"
    )
    page = f"{introduction.strip()}\n\n{table(rows)}\n\n{conditions}\n"
    print(page)
    if results is not None:
        results.write_text(page + hand_written(results.read_text() if results.exists() else ""))


def hand_written(page: str) -> str:
    """Return the sections of a page, with the line break before them; empty if it has none."""
    _, heading, rest = page.partition(WRITTEN_BY_HAND)
    return heading + rest
