"""`wirebroker topics alter`: more partitions, and other settings, for topics that exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.configs.resources import Resource, ResourceType, alter_configs
from wirebroker.cli.connection import add_connection, partition_count, run_with
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.standard_streams import print_error
from wirebroker.cli.topics.changes import create_partitions
from wirebroker.cli.topics.create import add_config, add_replica_assignment
from wirebroker.cli.topics.selection import add_patterns, given_names, matching_topics
from wirebroker.client.connection import ResponseError

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS: Final = (Column("TOPIC", "topic"), Column("PARTITIONS", "partition_count", align=">"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker topics alter`."""
    add_connection(parser)
    add_patterns(parser, "names or regular expressions")
    parser.add_argument(
        "--partitions", type=partition_count, metavar="N", help="how many partitions there are to be in all"
    )
    add_replica_assignment(parser)
    add_config(parser)
    parser.add_argument(
        "--delete-config", action="append", default=[], metavar="KEY", help="a setting to delete; repeatable"
    )
    parser.add_argument("--if-exists", action="store_true", help="a topic that does not exist is no error")


def run(args: argparse.Namespace) -> int:
    """Alter topics; return the exit code, 1 if one could not be altered."""
    given_names(args)
    if not (args.partitions or args.config or args.delete_config):
        raise UsageError("name a change: --partitions, --config or --delete-config")
    if args.replica_assignment and not args.partitions:
        raise UsageError("--replica-assignment needs --partitions")
    return run_with(args, _alter)


def _alter(admin: Admin, args: argparse.Namespace) -> int:
    code = 0
    rows = []
    for name in matching_topics(admin, args):
        existing = len(admin.partitions_of(name))
        try:
            if args.partitions:
                create_partitions(admin, name, args.partitions, args.replica_assignment[existing:])
            if args.config or args.delete_config:
                alter_configs(admin, Resource(ResourceType.TOPIC, name), dict(args.config), args.delete_config)
        except ResponseError as problem:
            print_error(str(problem))
            code = 1
            continue
        rows.append((name, args.partitions or existing))
    if rows or args.format == "json":
        print_records(_COLUMNS, rows, args.format)
    return code
