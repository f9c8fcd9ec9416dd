"""`wirebroker topics create`: create topics."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_connection, partition_count, replication_factor, run_with
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.standard_streams import print_error
from wirebroker.cli.topics.changes import create_topic
from wirebroker.cli.topics.requests import parse_replica_assignment, topic_id_text
from wirebroker.cli.topics.selection import add_patterns, given_names
from wirebroker.client.connection import ResponseError
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from wirebroker.client.admin import Admin

_COLUMNS: Final = (
    Column("TOPIC", "topic"),
    Column("PARTITIONS", "partition_count", align=">"),
    Column("REPLICATION-FACTOR", "replication_factor", align=">"),
    Column("TOPIC-ID", "topic_id"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker topics create`."""
    add_connection(parser)
    add_patterns(parser, "names of the new topics")
    parser.add_argument("--partitions", type=partition_count, metavar="N", help="default: num.partitions of the broker")
    parser.add_argument(
        "--replication-factor",
        type=replication_factor,
        metavar="N",
        help="default: default.replication.factor of the broker",
    )
    add_replica_assignment(parser)
    add_config(parser)
    parser.add_argument("--if-not-exists", action="store_true", help="a topic that exists is no error")
    parser.add_argument("--validate-only", action="store_true", help="have the controller check, and create nothing")


def add_replica_assignment(parser: argparse.ArgumentParser) -> None:
    """Add --replica-assignment."""
    parser.add_argument(
        "--replica-assignment",
        type=_assignment,
        default=[],
        metavar="ID:ID,...",
        help="the brokers of each partition, the preferred leader first: 0:1,1:2 are two partitions of two replicas",
    )


def add_config(parser: argparse.ArgumentParser) -> None:
    """Add --config."""
    parser.add_argument(
        "--config",
        action="append",
        default=[],
        type=_setting,
        metavar="KEY=VALUE",
        help="a setting of the topic; repeatable",
    )


def _assignment(text: str) -> list[list[int]]:
    try:
        return parse_replica_assignment(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return name.strip(), value.strip()


def run(args: argparse.Namespace) -> int:
    """Create topics; return the exit code, 1 if one could not be created."""
    given_names(args)
    if args.replica_assignment and (args.partitions or args.replication_factor):
        raise UsageError("--replica-assignment says how many partitions and replicas there are; leave out the numbers")
    return run_with(args, _create)


def _create(admin: Admin, args: argparse.Namespace) -> int:
    code = 0
    rows = []
    for name in given_names(args):
        try:
            result = create_topic(
                admin,
                name,
                args.partitions,
                args.replication_factor,
                args.replica_assignment,
                dict(args.config),
                validate_only=args.validate_only,
            )
        except ResponseError as problem:
            if not (args.if_not_exists and problem.code == ErrorCode.TOPIC_ALREADY_EXISTS):
                print_error(str(problem))
                code = 1
            continue
        numbers = (each if each >= 0 else None for each in (result.num_partitions, result.replication_factor))
        rows.append((name, *numbers, topic_id_text(result.topic_id)))
    if rows or args.format == "json":
        print_records(_COLUMNS, rows, args.format)
    return code
