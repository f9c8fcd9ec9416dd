"""`wirebroker offsets get`: offsets of partitions at their begin, their end or a time."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.offsets.partition_patterns import matching_partitions, partition_patterns, topic_patterns
from wirebroker.cli.offsets.requests import find_offsets, parse_time
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    from wirebroker.client.admin import Admin

_COLUMNS: Final = (
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition"),
    Column("OFFSET", "offset"),
    Column("TIMESTAMP", "timestamp"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker offsets get`."""
    add_connection(parser)
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help="name or regular expression (default: all topics)")
    parser.add_argument("--partitions", metavar="N,...", help="only these partitions")
    parser.add_argument(
        "--topic-partitions", metavar="TOPIC:0-3,...", help="partitions of several topics; a range is without its end"
    )
    parser.add_argument(
        "--time",
        type=_time,
        default="latest",
        metavar="TIME",
        help="ms, or -1 latest (default), -2 earliest, -3 max-timestamp, -4 earliest-local, -5 latest-tiered",
    )
    parser.add_argument("--exclude-internal", action="store_true", help="leave out topics of the brokers themselves")
    parser.add_argument(
        "--read-committed", action="store_true", help="the end before the first record of an open transaction"
    )


def _time(text: str) -> int:
    try:
        return parse_time(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def run(args: argparse.Namespace) -> int:
    """Print offsets; return the exit code, 1 if a partition has none because of an error."""
    if args.topic_partitions and (args.topic or args.partitions):
        raise UsageError("--topic-partitions cannot be used with a topic or --partitions")
    try:
        args.patterns = (
            partition_patterns(args.topic_partitions)
            if args.topic_partitions
            else topic_patterns(args.topic, args.partitions)
        )
    except (ValueError, ClientError) as problem:
        raise UsageError(str(problem)) from None
    return run_with(args, _get)


def _get(admin: Admin, args: argparse.Namespace) -> int:
    partitions = matching_partitions(admin, args.patterns, exclude_internal=args.exclude_internal)
    if not partitions:
        raise ClientError("no partition matches")
    found = find_offsets(admin, partitions, args.time, committed=args.read_committed)
    for each in found:
        if each.error:
            print_error(f"{each.at}: {each.error}")
    rows = [(*each.at, each.offset, each.timestamp) for each in found if not each.error]
    print_records(_COLUMNS, rows, args.format)
    return int(any(each.error for each in found))
