"""`wirebroker transactions describe-producers`: the producer states of a partition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column
from wirebroker.cli.transactions.requests import add_partition, print_rows, producers_of
from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS = (
    Column("ProducerId", "producer_id"),
    Column("ProducerEpoch", "producer_epoch"),
    Column("LatestCoordinatorEpoch", "coordinator_epoch"),
    Column("LastSequence", "last_sequence"),
    Column("LastTimestamp", "last_timestamp"),
    Column("CurrentTransactionStartOffset", "start_offset"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker transactions describe-producers`."""
    add_connection(parser)
    add_partition(parser)
    parser.add_argument("--broker-id", type=int, metavar="ID", help="the replica of this broker, not the leader")


def run(args: argparse.Namespace) -> int:
    """Describe producers; return the exit code."""
    return run_with(args, _describe)


def _describe(admin: Admin, args: argparse.Namespace) -> int:
    at = TopicPartition(args.topic, args.partition)
    rows = [
        (
            each.producer_id,
            each.producer_epoch,
            each.coordinator_epoch,
            each.last_sequence,
            each.last_timestamp,
            each.current_txn_start_offset if each.current_txn_start_offset >= 0 else None,
        )
        for each in producers_of(admin, [at], args.broker_id)[at]
    ]
    print_rows(_COLUMNS, rows, args.format)
    return 0
