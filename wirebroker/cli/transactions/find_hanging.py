"""`wirebroker transactions find-hanging`: open transactions that no coordinator will end (KIP-664).

Consumers with read_committed never get beyond such a transaction; `wirebroker transactions abort` ends it.  A
transaction hangs if its producer has written nothing for longer than the longest timeout, and the coordinator of that
producer does not list the partition in the producer's transaction.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column
from wirebroker.cli.transactions.requests import describe_transaction, list_transactions, print_rows, producers_of
from wirebroker.client.connection import ClientError
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
    parser.add_argument("--broker-id", type=int, metavar="ID", help="search the replicas of this broker")
    parser.add_argument(
        "--max-transaction-timeout",
        type=int,
        default=15,
        metavar="MINUTES",
        help="only transactions without a write for longer; default: 15, as transaction.max.timeout.ms",
    )


def run(args: argparse.Namespace) -> int:
    """Search; return the exit code, 2 if the options name no place to search."""
    if args.topic is None and args.broker_id is None:
        raise UsageError("name --topic or --broker-id to limit the search")
    if args.partition is not None and args.topic is None:
        raise UsageError("--partition needs --topic")
    return run_with(args, _find)


def _find(admin: Admin, args: argparse.Namespace) -> int:
    """Compare open transactions of partitions with those that the coordinators list for their producers."""
    now_ms = time.time_ns() // 1_000_000
    late = [
        (at, each)
        for at, producers in producers_of(admin, _partitions(admin, args), args.broker_id, may_skip=True).items()
        for each in producers
        if each.current_txn_start_offset >= 0
        and now_ms - each.last_timestamp > args.max_transaction_timeout * _MS_PER_MINUTE
    ]
    in_transaction = _partitions_in_transaction(admin, {each.producer_id for _, each in late}) if late else {}
    hanging = [(at, each) for at, each in late if at not in in_transaction.get(each.producer_id, ())]
    if hanging and admin.unreachable:  # it may be the coordinator that would list them
        raise ClientError(
            f"{len(hanging)} open transactions may hang, or a broker that cannot be reached coordinates them; "
            "run the command again when the broker is back, or other brokers have taken its partitions over"
        )
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
        for at, each in hanging
    ]
    print_rows(_COLUMNS, rows, args.format)
    return 0


def _partitions(admin: Admin, args: argparse.Namespace) -> list[TopicPartition]:
    """The partitions to search.

    Raises:
        ClientError: the topic does not exist.
    """
    if args.partition is not None:
        return [TopicPartition(args.topic, args.partition)]
    if args.topic is not None:
        admin.partitions_of(args.topic)  # raises if there is no such topic
    return [
        TopicPartition(topic.name, each.partition_index)
        for topic in admin.metadata(None if args.topic is None else [args.topic]).topics
        if topic.name is not None
        for each in topic.partitions
        if args.broker_id is None or args.broker_id in each.replica_nodes
    ]


def _partitions_in_transaction(admin: Admin, producer_ids: set[int]) -> dict[int, set[TopicPartition]]:
    """Producer id -> the partitions of its transaction, as its coordinator lists them."""
    owned: dict[int, set[TopicPartition]] = {}
    for answer in list_transactions(admin, producer_id_filters=sorted(producer_ids)).values():
        for each in answer.transaction_states:
            found = describe_transaction(admin, each.transactional_id)
            if found is not None and each.producer_id in producer_ids:
                owned[each.producer_id] = {
                    TopicPartition(topic.topic, index) for topic in found[1].topics for index in topic.partitions
                }
    return owned
