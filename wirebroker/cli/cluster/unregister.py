"""`wirebroker cluster unregister BROKER`: remove a broker that is gone for good from a KRaft cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.cluster.requests import unregister_broker
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column, print_records

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS: Final = (Column("BROKER", "broker_id"), Column("STATUS", "status"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker cluster unregister`."""
    parser.add_argument("broker_id", type=int, metavar="BROKER", help="its id; the broker is to be stopped before")
    add_connection(parser)


def run(args: argparse.Namespace) -> int:
    """Remove the registration; return the exit code."""
    return run_with(args, _unregister)


def _unregister(admin: Admin, args: argparse.Namespace) -> int:
    unregister_broker(admin, args.broker_id)
    print_records(_COLUMNS, [(args.broker_id, "unregistered")], args.format)
    return 0
