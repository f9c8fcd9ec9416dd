"""`wirebroker transactions find-hanging`: transactions that are open in a partition and that no coordinator will end.

Readers of committed records stop before such a transaction for ever; `wirebroker transactions abort` ends it.  A
transaction hangs when it has been silent for longer than any may take, and its producer's coordinator does not count
the partition as part of it (KIP-664).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column
from wirebroker.cli.transactions.common import describe_transaction, list_transactions, print_rows, producers_of
from wirebroker.cli.usage import UsageError
from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS = (
    Column("Topic", "topic"),
    Column("Partition", "partition"),
    Column("ProducerId", "producer_id"),
    Column("ProducerEpoch", "producer_epoch"),
    Column("CoordinatorEpoch", "coordinator_epoch"),
    Column("StartOffset", "start_offset"),
    Column("LastTimestamp", "last_timestamp"),
    Column("Duration(min)", "duration_minutes"),
)
_MS_PER_MINUTE = 60_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker transactions find-hanging`."""
    add_connection(parser)
    parser.add_argument("--topic", help="search this topic only")
    parser.add_argument("--partition", type=int, help="search this partition of --topic only")
    parser.add_argument("--broker-id", type=int, metavar="ID", help="search what this broker has")
    parser.add_argument(
        "--max-transaction-timeout",
        type=int,
        default=15,
        metavar="MINUTES",
        help="only what has been silent for longer; 15 is the longest that a producer may ask for by default",
    )


def run(args: argparse.Namespace) -> int:
    """Search; the result is the exit code, 2 when it is not said where."""
    if args.topic is None and args.broker_id is None:
        raise UsageError("name --topic or --broker-id to limit the search")
    if args.partition is not None and args.topic is None:
        raise UsageError("--partition needs --topic")
    return run_with(args, _find)


def _find(admin: Admin, args: argparse.Namespace) -> int:
    now_ms = time.time_ns() // 1_000_000
    silent = [
        (at, each)
        for at, producers in producers_of(admin, _partitions(admin, args), args.broker_id).items()
        for each in producers
        if each.current_txn_start_offset >= 0
        and now_ms - each.last_timestamp > args.max_transaction_timeout * _MS_PER_MINUTE
    ]
    owned = _owned(admin, {each.producer_id for _, each in silent}) if silent else {}
    rows = [
        (
            at.topic,
            at.partition,
            each.producer_id,
            each.producer_epoch,
            each.coordinator_epoch,
            each.current_txn_start_offset,
            each.last_timestamp,
            (now_ms - each.last_timestamp) // _MS_PER_MINUTE,
        )
        for at, each in silent
        if at not in owned.get(each.producer_id, ())
    ]
    print_rows(_COLUMNS, rows, args.format)
    return 0


def _partitions(admin: Admin, args: argparse.Namespace) -> list[TopicPartition]:
    if args.partition is not None:
        return [TopicPartition(args.topic, args.partition)]
    if args.topic is not None:
        admin.partitions_of(args.topic)  # or say that it is not there
    return [
        TopicPartition(topic.name, each.partition_index)
        for topic in admin.metadata(None if args.topic is None else [args.topic]).topics
        if topic.name is not None
        for each in topic.partitions
        if args.broker_id is None or args.broker_id in each.replica_nodes
    ]


def _owned(admin: Admin, producer_ids: set[int]) -> dict[int, set[TopicPartition]]:
    """Producer id -> the partitions that its coordinator will write a marker to."""
    owned: dict[int, set[TopicPartition]] = {}
    for _, answer in list_transactions(admin, producer_id_filters=sorted(producer_ids)):
        for each in answer.transaction_states:
            found = describe_transaction(admin, each.transactional_id)
            if found is not None and each.producer_id in producer_ids:
                owned[each.producer_id] = {
                    TopicPartition(topic.topic, index) for topic in found[1].topics for index in topic.partitions
                }
    return owned
