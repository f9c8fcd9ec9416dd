"""`wirebroker reassign list`: the reassignments in progress."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.connection import add_connection
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.reassign.options import run_plan
from wirebroker.cli.reassign.requests import list_reassignments

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS: Final = (
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition", align=">"),
    Column("REPLICAS", "replicas"),
    Column("ADDING", "adding_replicas"),
    Column("REMOVING", "removing_replicas"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker reassign list`."""
    add_connection(parser)


def run(args: argparse.Namespace) -> int:
    """List reassignments; return the exit code."""
    return run_plan(args, _list)


def _list(admin: Admin, args: argparse.Namespace) -> int:
    found = list_reassignments(admin)
    rows = [(at.topic, at.partition, each.replicas, each.adding, each.removing) for at, each in sorted(found.items())]
    print_records(_COLUMNS, rows, args.format)
    return 0
