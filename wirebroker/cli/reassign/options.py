"""Options that several commands of `wirebroker reassign` have, and how these commands report a wrong plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import print_lines
from wirebroker.cli.reassign.plan import PlanError
from wirebroker.cli.reassign.requests import clear_throttles
from wirebroker.cli.standard_streams import print_error

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    from wirebroker.client.admin import Admin
    from wirebroker.model import TopicPartition


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Add the connection and `--reassignment-json-file`."""
    add_connection(parser)
    parser.add_argument(
        "--reassignment-json-file",
        type=Path,
        required=True,
        metavar="FILE",
        help='partitions and their replicas: {"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,2]}]}',
    )


def add_preserve_throttles(parser: argparse.ArgumentParser) -> None:
    """Add `--preserve-throttles`."""
    parser.add_argument(
        "--preserve-throttles", action="store_true", help="leave the throttles of brokers and topics as they are"
    )


def read_plan(path: Path) -> str:
    """Return the text of a file.

    Raises:
        PlanError: it cannot be read.
    """
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8"
        raise PlanError(f"{path} cannot be read: {reason}") from None


def run_plan(args: argparse.Namespace, work: Callable[[Admin, argparse.Namespace], int]) -> int:
    """Connect, call *work* and return its exit code; print an error in one line and return 1."""
    try:
        return run_with(args, work)
    except PlanError as problem:
        print_error(str(problem))
        return 1


def clear_and_print(admin: Admin, plan: Mapping[TopicPartition, Sequence[int]], *, is_printed: bool) -> int:
    """Remove all throttles, and say so; return the exit code, 1 if a broker or topic may still have some."""
    brokers, topics, problems = clear_throttles(admin, plan)
    if is_printed:
        print_lines(
            (
                f"Clearing broker-level throttles on broker{'s' * (len(brokers) != 1)} {','.join(map(str, brokers))}",
                f"Clearing topic-level throttles on topic{'s' * (len(topics) != 1)} {','.join(topics)}",
            )
        )
    for each in problems:
        print_error(f"{each}; run the command again when the broker is back")
    return int(bool(problems))
