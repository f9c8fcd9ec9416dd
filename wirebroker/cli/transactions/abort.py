"""`wirebroker transactions abort`: end a hanging transaction in one partition, without its coordinator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import print_json
from wirebroker.cli.transactions.common import add_partition, producers_of
from wirebroker.cli.usage import UsageError
from wirebroker.client.admin import explain
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
    parser.add_argument("--start-offset", type=int, metavar="OFFSET", help="where the transaction begins")
    older = parser.add_argument_group("brokers before release 3.0, which cannot be asked for the rest")
    older.add_argument("--producer-id", type=int, metavar="ID")
    older.add_argument("--producer-epoch", type=int, metavar="EPOCH")
    older.add_argument("--coordinator-epoch", type=int, metavar="EPOCH")


def run(args: argparse.Namespace) -> int:
    """Abort a transaction; the result is the exit code, 2 when it is not said which."""
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
    at = TopicPartition(args.topic, args.partition)
    if args.start_offset is None:
        who = (args.producer_id, args.producer_epoch, args.coordinator_epoch)
    else:
        who = _open_at(admin, at, args.start_offset)
    producer_id, producer_epoch, coordinator_epoch = who
    marker = WritableTxnMarker(
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        transaction_result=False,
        topics=[WritableTxnMarkerTopic(at.topic, [at.partition])],
        # -1 is a producer that no coordinator has ended anything of; every epoch of a coordinator is at least 0
        coordinator_epoch=max(coordinator_epoch, 0),
    )
    leader = admin.leaders([at]).get(at)
    if leader is None:
        raise ClientError(f"{at.topic}-{at.partition} does not exist or has no leader")
    answer = leader.ask(WriteTxnMarkersRequest([marker]), _WITHOUT_TRANSACTION_VERSION)
    code = answer.markers[0].topics[0].partitions[0].error_code
    if code:
        raise ClientError(f"the transaction of producer {producer_id} was not aborted: {explain(code)}")
    if args.format == "json":
        names = ("producer_id", "producer_epoch", "coordinator_epoch")
        print_json(dict(zip(names, who, strict=True)))
    return 0


def _open_at(admin: Admin, at: TopicPartition, start_offset: int) -> tuple[int, int, int]:
    for each in producers_of(admin, [at])[at]:
        if each.current_txn_start_offset == start_offset:
            return each.producer_id, each.producer_epoch, each.coordinator_epoch
    raise ClientError(f"no transaction that is open on {at.topic}-{at.partition} begins at offset {start_offset}")
