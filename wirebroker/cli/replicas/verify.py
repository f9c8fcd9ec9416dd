"""`wirebroker replicas verify`: read and compare all replicas of partitions, as kafka-replica-verification.sh.

Kafka's tool runs until it is killed; this command compares once, up to the high watermarks, and its exit code is 1 if
replicas differ, or if the checksum of a batch is not that of its bytes, which Kafka's tool does not compute.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_connection, positive, run_with
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.replicas.comparison import replicas_of_topics, verify_partition
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.admin import EARLIEST
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_FETCH_SIZE: Final = 1 << 20
_COLUMNS: Final = (
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition", align=">"),
    Column("REPLICAS", "replicas"),
    Column("VERIFIED-TO", "offset", align=">"),
    Column("HIGH-WATERMARK", "high_watermark", align=">"),
    Column("LAG", "lag", align=">"),
    Column("RESULT", "result"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker replicas verify`."""
    add_connection(parser)
    parser.add_argument(
        "--topics-include", default=".*", metavar="REGEX", help="the topics to verify (default: all of them)"
    )
    parser.add_argument(
        "--time",
        type=int,
        default=EARLIEST,
        metavar="MS",
        help="where to begin: a timestamp in ms, -1 the end, -2 the beginning (default)",
    )
    parser.add_argument(
        "--fetch-size",
        type=positive,
        default=_FETCH_SIZE,
        metavar="BYTES",
        help=f"how much to read at once from each replica (default: {_FETCH_SIZE})",
    )


def run(args: argparse.Namespace) -> int:
    """Compare replicas; return the exit code, 1 if some differ or cannot be read."""
    try:
        re.compile(args.topics_include)
    except re.error as problem:
        raise UsageError(f"{args.topics_include} is an invalid regex: {problem}") from None
    return run_with(args, _verify)


def _verify(admin: Admin, args: argparse.Namespace) -> int:
    pattern = re.compile(args.topics_include)
    replicas = replicas_of_topics(admin, pattern)
    if not replicas:
        raise ClientError("No topics found. The --topics-include option, if specified, is filtering out all topics.")
    brokers = admin.brokers({each for broker_ids in replicas.values() for each in broker_ids})
    starts = admin.list_offsets(dict.fromkeys(replicas, args.time), may_skip=True)
    rows: list[tuple[object, ...]] = []
    code = 0
    for at, broker_ids in sorted(replicas.items()):
        cells: tuple[object, ...] = (None, None, None)
        try:
            missing = [each for each in broker_ids if each not in brokers]
            if missing:
                raise ClientError(f"partition {at}: no live broker {', '.join(map(str, missing))}")
            if at not in starts:
                raise ClientError(f"partition {at} has no leader")
            connections = {each: brokers[each] for each in broker_ids}
            found = verify_partition(at, connections, max(0, starts[at]), args.fetch_size)
        except ClientError as problem:
            result, code = "not verified", 1
            print_error(str(problem))
        else:
            cells = (found.offset, found.high_watermark, found.lag)
            result = "corrupt" if found.corruptions else "different" if found.mismatches else "equal"
            for line in found.corruptions + found.mismatches:
                print_error(line)
                code = 1
        rows.append((at.topic, at.partition, broker_ids, *cells, result))
    print_records(_COLUMNS, rows, args.format)
    return code
