"""`wirebroker transactions list`: transactional ids and the states of their transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column
from wirebroker.cli.transactions.requests import list_transactions, print_rows

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS = (
    Column("TransactionalId", "transactional_id"),
    Column("Coordinator", "coordinator"),
    Column("ProducerId", "producer_id"),
    Column("TransactionState", "state"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker transactions list`."""
    add_connection(parser)
    parser.add_argument(
        "--duration-filter", type=int, default=-1, metavar="MS", help="only transactions that have been open for longer"
    )
    parser.add_argument(
        "--transactional-id-pattern", metavar="REGEX", help="only ids that match (brokers of release 4.1 and above)"
    )


def run(args: argparse.Namespace) -> int:
    """List transactions; return the exit code."""
    return run_with(args, _list)


def _list(admin: Admin, args: argparse.Namespace) -> int:
    found = list_transactions(
        admin, duration_filter=args.duration_filter, transactional_id_pattern=args.transactional_id_pattern
    )
    rows = [
        (each.transactional_id, node_id, each.producer_id, each.transaction_state)
        for node_id, answer in found.items()
        for each in answer.transaction_states
    ]
    print_rows(_COLUMNS, rows, args.format)
    return 0
