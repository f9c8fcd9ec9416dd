"""`wirebroker state-changes merge`: the state changes of partitions from the logs of several brokers, by time.

A line counts if it has a time (2026-11-23 10:00:00,000) and a partition: `[topic,0]` as in Apache Kafka's tool, or
`partition topic-0`, `Leader topic-0`, `Follower topic-0` and `topicName='topic', partitionIndex=0`, as its brokers
write it.  Each log is in the order of time.
"""

from __future__ import annotations

import argparse
import heapq
import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.standard_streams import print_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2},[0-9]{3}")
_LEGAL: Final = r"[a-zA-Z0-9._-]+"
_PARTITION: Final = re.compile(
    rf"\[({_LEGAL}), *([0-9]+)\]|\btopic(?:Name)?='?({_LEGAL})'?, partition(?:Index)?=([0-9]+)|"
    rf"\b(?:partition|Leader|Follower) ({_LEGAL})-([0-9]+)\b"
)


class Selection(NamedTuple):
    """Which lines to merge; times are text, which sorts as they do."""

    topic: str | None
    partitions: frozenset[int]
    start: str
    end: str

    def time_of(self, line: str) -> str | None:
        """Return the time of a line that is selected, None for others."""
        time = _TIME.search(line)
        if time is None or not self.start <= time[0] <= self.end:
            return None
        for found in _PARTITION.finditer(line):
            topic, number = (each for each in found.groups() if each is not None)
            if self.topic in (None, topic) and (not self.partitions or int(number) in self.partitions):
                return time[0]
        return None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker state-changes merge`."""
    logs = parser.add_mutually_exclusive_group(required=True)
    logs.add_argument("--logs", type=_files, metavar="FILE,...", help="state-change.log of each broker")
    logs.add_argument("--logs-regex", metavar="REGEX", help="a directory and a regular expression for names of files")
    parser.add_argument("--topic", help="only changes of this topic")
    parser.add_argument("--partitions", type=_numbers, default=frozenset(), metavar="N,...", help="needs --topic")
    parser.add_argument(
        "--start-time", type=_time, default="0000-00-00 00:00:00,000", metavar="TIME", help="2026-11-23 10:00:00,000"
    )
    parser.add_argument("--end-time", type=_time, default="9999-12-31 23:59:59,999", metavar="TIME", help="inclusive")


def _files(text: str) -> list[str]:
    return text.split(",")


def _numbers(text: str) -> frozenset[int]:
    try:
        numbers = [int(each) for each in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not N,N") from None
    if len(set(numbers)) < len(numbers):
        raise argparse.ArgumentTypeError(f"The list of partitions contains repeated entries: {text}")
    return frozenset(numbers)


def _time(text: str) -> str:
    text = text.strip(' "')
    if not _TIME.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time as 2026-11-23 10:00:00,000")
    return text


def run(args: argparse.Namespace) -> int:
    """Print the merged lines; return the exit code, 1 if a file cannot be read."""
    if args.partitions and args.topic is None:
        raise UsageError("--partitions needs --topic")
    selection = Selection(args.topic, args.partitions, args.start_time, args.end_time)
    try:
        paths = args.logs or _matching(args.logs_regex)
        with ExitStack() as files:
            logs = [files.enter_context(open(path, encoding="utf-8", errors="replace")) for path in paths]
            for line in merge(logs, selection):
                print(line)
    except OSError as fault:
        print_error(f"{fault.filename}: {fault.strerror}")
        return 1
    return 0


def _matching(expression: str) -> list[str]:
    directory, _, pattern = expression.rpartition("/")
    try:
        names = re.compile(pattern)
    except re.error as problem:
        raise UsageError(f"{pattern} is not a regular expression: {problem}") from None
    return [str(path) for path in sorted(Path(directory or ".").iterdir()) if names.search(path.name)]


def merge(logs: Iterable[Iterable[str]], selection: Selection) -> Iterator[str]:
    """Yield the selected lines of all *logs* in the order of their times."""
    return (line for _, line in heapq.merge(*(_selected(log, selection) for log in logs), key=lambda pair: pair[0]))


def _selected(log: Iterable[str], selection: Selection) -> Iterator[tuple[str, str]]:
    for line in log:
        time = selection.time_of(line)
        if time is not None:
            yield time, line.rstrip("\n")
