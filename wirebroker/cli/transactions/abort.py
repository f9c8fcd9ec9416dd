"""`wirebroker transactions abort`: end a hanging transaction in one partition, without its coordinator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import print_json
from wirebroker.cli.transactions.requests import add_partition, producers_of
from wirebroker.client.admin import describe_code
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition
from wirebroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_WITHOUT_TRANSACTION_VERSION = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker transactions abort`."""
    add_connection(parser)
    add_partition(parser)
    parser.add_argument("--start-offset", type=int, metavar="OFFSET", help="first offset of the transaction")
    older = parser.add_argument_group("for brokers before release 3.0, which do not describe producers")
    older.add_argument("--producer-id", type=int, metavar="ID")
    older.add_argument("--producer-epoch", type=int, metavar="EPOCH")
    older.add_argument("--coordinator-epoch", type=int, metavar="EPOCH")


def run(args: argparse.Namespace) -> int:
    """Abort a transaction; return the exit code, 2 if the options name none."""
    if args.start_offset is None:
        if args.producer_id is None:
            raise UsageError(
                "name the transaction with --start-offset, or with --producer-id, --producer-epoch and "
                "--coordinator-epoch"
            )
        if args.producer_epoch is None or args.coordinator_epoch is None:
            raise UsageError("--producer-id needs --producer-epoch and --coordinator-epoch")
    return run_with(args, _abort)


def _abort(admin: Admin, args: argparse.Namespace) -> int:
    """Write an abort marker with WriteTxnMarkers to the leader, in the place of the coordinator."""
    at = TopicPartition(args.topic, args.partition)
    if args.start_offset is None:
        producer = (args.producer_id, args.producer_epoch, args.coordinator_epoch)
    else:
        producer = _producer_at(admin, at, args.start_offset)
    producer_id, producer_epoch, coordinator_epoch = producer
    marker = WritableTxnMarker(
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        transaction_result=False,
        topics=[WritableTxnMarkerTopic(at.topic, [at.partition])],
        # -1: no coordinator has ended a transaction of this producer yet; epochs of coordinators begin at 0
        coordinator_epoch=max(coordinator_epoch, 0),
    )
    leader = admin.leaders([at]).get(at)
    if leader is None:
        raise ClientError(f"{at.topic}-{at.partition} does not exist or has no leader")
    answer = leader.send(WriteTxnMarkersRequest([marker]), _WITHOUT_TRANSACTION_VERSION)
    code = answer.markers[0].topics[0].partitions[0].error_code
    if code:
        raise ClientError(f"the transaction of producer {producer_id} was not aborted: {describe_code(code)}")
    if args.format == "json":
        names = ("producer_id", "producer_epoch", "coordinator_epoch")
        print_json(dict(zip(names, producer, strict=True)))
    return 0


def _producer_at(admin: Admin, at: TopicPartition, start_offset: int) -> tuple[int, int, int]:
    for each in producers_of(admin, [at])[at]:
        if each.current_txn_start_offset == start_offset:
            return each.producer_id, each.producer_epoch, each.coordinator_epoch
    raise ClientError(f"no transaction that is open on {at.topic}-{at.partition} begins at offset {start_offset}")
