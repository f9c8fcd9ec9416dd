"""`wirebroker log-dirs move`: move replicas of a broker to another of its log directories."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Final

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.log_dirs.requests import log_dirs_of, move_replicas
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    from wirebroker.client.admin import Admin

_COLUMNS: Final = (
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition"),
    Column("BROKER", "broker"),
    Column("LOG-DIR", "log_dir"),
    Column("STATE", "state"),
)
_LOOK_AGAIN_S: Final = 0.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker log-dirs move`."""
    add_connection(parser)
    parser.add_argument(
        "partitions", nargs="+", type=_partition, metavar="TOPIC:PARTITION", help="the replicas to move"
    )
    parser.add_argument("--to", required=True, metavar="DIR", help="a log directory of the broker, as it names it")
    parser.add_argument(
        "--broker", type=int, metavar="ID", help="the broker that has the replicas; needed if there are several"
    )
    parser.add_argument("--wait", action="store_true", help="wait until the replicas are there")


def _partition(text: str) -> TopicPartition:
    topic, _, number = text.rpartition(":")
    if not topic or not number.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not TOPIC:PARTITION")
    return TopicPartition(topic, int(number))


def run(args: argparse.Namespace) -> int:
    """Move replicas; return the exit code, 1 if a move was refused."""
    return run_with(args, _move)


def _move(admin: Admin, args: argparse.Namespace) -> int:
    broker_id = args.broker
    if broker_id is None:
        brokers = [broker.node_id for broker in admin.metadata(()).brokers]
        if len(brokers) != 1:
            raise ClientError(f"there are brokers {','.join(map(str, sorted(brokers)))}; name one with --broker")
        (broker_id,) = brokers
    results = move_replicas(admin, broker_id, args.partitions, args.to)
    moving = {at for at, error in results if error is None}
    for at, error in results:
        if error:
            print_error(f"{at}: {error}")
    while args.wait and moving & _future(admin, broker_id):
        time.sleep(_LOOK_AGAIN_S)
    state = "moved" if args.wait else "moving"
    rows = [(*at, broker_id, args.to, state) for at in sorted(moving)]
    if rows or args.format == "json":
        print_records(_COLUMNS, rows, args.format)
    return int(len(moving) < len(results))


def _future(admin: Admin, broker_id: int) -> set[TopicPartition]:
    """Return the replicas that are still being moved."""
    directories = log_dirs_of(broker_id, admin.broker(broker_id))
    return {replica.at for directory in directories for replica in directory.replicas if replica.is_future}
