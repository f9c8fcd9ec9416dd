"""`wirebroker metrics`: the metrics of a running broker as a table, again and again, or as CSV files.

With --csv each MBean has a file with a line for each interval, as Kafka's CSV reporter writes them
(kafka.csv.metrics.reporter.enabled).
"""

from __future__ import annotations

import sys
import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import positive, seconds
from wirebroker.cli.interrupt import raise_lost
from wirebroker.cli.monitor.scrape import ScrapeError, add_address, number, read_mbeans, read_metrics
from wirebroker.cli.output import Column, add_format, print_records
from wirebroker.cli.standard_streams import print_error
from wirebroker.metrics.csv_reporter import CsvReporter

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    Rows = list[tuple[Any, ...]]

_METRIC = Column("METRIC", "metric")
_MBEAN = Column("MBEAN", "mbean")
_ATTRIBUTE = Column("ATTRIBUTE", "attribute")
_VALUE = Column("VALUE", "value", align=">")
_CHANGE = Column("PER-SECOND", "per_second", align=">")
_CLEAR = "\x1b[H\x1b[2J"
_WATCH_S = 5.0
_CSV_S = 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker metrics`."""
    parser.add_argument("pattern", nargs="*", help="only metrics whose name has this part; * stands for anything")
    add_address(parser)
    add_format(parser)
    parser.add_argument("--jmx", action="store_true", help="Kafka's names of MBeans and attributes, with rates")
    parser.add_argument(
        "--watch",
        nargs="?",
        type=seconds,
        const=_WATCH_S,
        metavar="S",
        help="print again every S seconds (5), and rates",
    )
    parser.add_argument("--csv", metavar="DIR", help="write one CSV file for each MBean, a line every --interval")
    parser.add_argument("--interval", type=seconds, metavar="S", help="with --csv: seconds between lines (10)")
    parser.add_argument("--count", type=positive, metavar="N", help="with --watch or --csv: end after N times")


def run(args: argparse.Namespace) -> int:
    """Print or write the metrics; return the exit code."""
    if args.csv is None and args.interval is not None:
        raise UsageError("--interval belongs to --csv")
    if args.count is not None and args.csv is None and args.watch is None:
        raise UsageError("--count belongs to --watch or --csv")
    try:
        if args.csv is not None:
            return _write_csv(args)
        return _watch(args) if args.watch is not None else _print_once(args)
    except ScrapeError as problem:
        print_error(str(problem))
        return 1


def _print_once(args: argparse.Namespace) -> int:
    columns, rows = _rows(args)
    print_records(columns, rows, args.format)
    return 0 if rows else 1


def _watch(args: argparse.Namespace) -> int:
    """Print the metrics again and again, with the growth per second since the time before."""
    before: dict[tuple[Any, ...], float] = {}
    before_s, left = 0.0, args.count
    while left is None or left > 0:
        now_s = time.monotonic()
        columns, rows = _rows(args)
        elapsed_s = now_s - before_s
        with_rates = [(*row, _rate(row, before, elapsed_s)) for row in rows]
        if args.format == "table" and sys.stdout.isatty():
            print(_CLEAR, end="")
        print_records((*columns, _CHANGE), with_rates, args.format)
        sys.stdout.flush()
        before, before_s = {row[:-1]: row[-1] for row in rows}, now_s
        left = None if left is None else left - 1
        if left != 0:
            raise_lost()
            time.sleep(args.watch)
    return 0


def _rate(row: tuple[Any, ...], before: dict[tuple[Any, ...], float], elapsed_s: float) -> int | float | None:
    last = before.get(row[:-1])
    return None if last is None or elapsed_s <= 0 else number(float((row[-1] - last) / elapsed_s))


def _rows(args: argparse.Namespace) -> tuple[Sequence[Column], Rows]:
    rows: Rows = []
    if args.jmx:
        for name, attributes in read_mbeans(args.address):
            if _is_wanted(name, args.pattern):
                rows += ((name, attribute, number(float(value))) for attribute, value in attributes.items())
        return (_MBEAN, _ATTRIBUTE, _VALUE), rows
    for series in read_metrics(args.address):
        if _is_wanted(str(series), args.pattern):
            rows.append((str(series), number(series.value)))
    return (_METRIC, _VALUE), rows


def _is_wanted(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(name.lower(), f"*{pattern.lower()}*") for pattern in patterns)


def _write_csv(args: argparse.Namespace) -> int:
    reporter = CsvReporter(Path(args.csv))
    left = args.count
    while left is None or left > 0:
        found = [(name, values) for name, values in read_mbeans(args.address) if _is_wanted(name, args.pattern)]
        reporter.write(found, int(time.time()))
        left = None if left is None else left - 1
        if left != 0:
            raise_lost()
            time.sleep(_CSV_S if args.interval is None else args.interval)
    return 0
