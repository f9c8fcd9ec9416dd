"""`wirebroker topics delete`: delete topics with their records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.standard_streams import print_error
from wirebroker.cli.topics.changes import delete_topic
from wirebroker.cli.topics.selection import add_patterns, given_names, matching_topics
from wirebroker.client.connection import ResponseError

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS: Final = (Column("DELETED", "topic"),)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker topics delete`."""
    add_connection(parser)
    add_patterns(parser, "names or regular expressions")
    parser.add_argument("--if-exists", action="store_true", help="a topic that does not exist is no error")


def run(args: argparse.Namespace) -> int:
    """Delete topics; return the exit code, 1 if one could not be deleted."""
    given_names(args)
    return run_with(args, _delete)


def _delete(admin: Admin, args: argparse.Namespace) -> int:
    code = 0
    rows = []
    for name in matching_topics(admin, args):
        try:
            delete_topic(admin, name)
        except ResponseError as problem:
            print_error(str(problem))
            code = 1
            continue
        rows.append((name,))
    if rows or args.format == "json":
        print_records(_COLUMNS, rows, args.format)
    return code
