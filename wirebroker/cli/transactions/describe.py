"""`wirebroker transactions describe`: the transaction of one transactional id."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column
from wirebroker.cli.standard_streams import print_error
from wirebroker.cli.transactions.requests import describe_transaction, print_rows

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS = (
    Column("CoordinatorId", "coordinator"),
    Column("TransactionalId", "transactional_id"),
    Column("ProducerId", "producer_id"),
    Column("ProducerEpoch", "producer_epoch"),
    Column("TransactionState", "state"),
    Column("TransactionTimeoutMs", "timeout_ms"),
    Column("CurrentTransactionStartTimeMs", "start_time_ms"),
    Column("TransactionDurationMs", "duration_ms"),
    Column("TopicPartitions", "partitions"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker transactions describe`."""
    add_connection(parser)
    parser.add_argument("--transactional-id", required=True, metavar="ID", help="transactional id")


def run(args: argparse.Namespace) -> int:
    """Describe a transaction; return the exit code, 1 when the id is not known."""
    return run_with(args, _describe)


def _describe(admin: Admin, args: argparse.Namespace) -> int:
    transactional_id = args.transactional_id
    found = describe_transaction(admin, transactional_id)
    if found is None:
        print_error(f"there is no transactional id {transactional_id}")
        return 1
    node_id, state = found
    start_ms = state.transaction_start_time_ms if state.transaction_start_time_ms >= 0 else None
    row = (
        node_id,
        transactional_id,
        state.producer_id,
        state.producer_epoch,
        state.transaction_state,
        state.transaction_timeout_ms,
        start_ms,
        None if start_ms is None else time.time_ns() // 1_000_000 - start_ms,
        [f"{topic.topic}-{index}" for topic in state.topics for index in topic.partitions],
    )
    print_rows(_COLUMNS, [row], args.format)
    return 0
