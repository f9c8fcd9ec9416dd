"""`wirebroker import TOPIC --parquet DIR`: the records that `wirebroker export` wrote, back in a topic.

Spark reads the files, and the records of each partition are produced in the order of their offsets, with their keys,
headers and timestamps (Spark's own sink would give them new timestamps).  In an empty topic the offsets are those of
before, where the export has no gaps between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.cli.output import counted
from wirebroker.cli.parquet.spark import local_path, run_with_spark
from wirebroker.cli.progress import Progress, elapsed_time
from wirebroker.cli.records.client_library import add_client, library, settings
from wirebroker.cli.records.json_record import OutgoingRecord
from wirebroker.cli.records.produce import RecordProducer
from wirebroker.cli.topics.changes import create_topic
from wirebroker.cli.topics.requests import topic_names
from wirebroker.client.admin import LATEST, Admin
from wirebroker.client.connection import ClientError
from wirebroker.client.security import PLAINTEXT
from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker import`."""
    parser.add_argument("topic", metavar="TOPIC", help="created with the exported partitions, if it does not exist")
    parser.add_argument("--parquet", required=True, metavar="DIR", help="the directory that `wirebroker export` wrote")
    add_client(parser)


def run(args: argparse.Namespace) -> int:
    """Produce the records; return the exit code."""
    config = settings(args, {"acks": "all", "enable.idempotence": True})
    return run_with_spark(args, lambda: _check(args), lambda spark: _import(args, config, spark))


def _check(args: argparse.Namespace) -> None:
    """Raise ClientError if there is no such directory, or no client library."""
    library()
    directory = local_path(args.parquet)
    if directory is not None and not directory.exists():
        raise ClientError(f"{args.parquet} does not exist")


def _import(args: argparse.Namespace, config: dict[str, Any], spark: Any) -> int:
    """Create the topic if need be, and produce the rows.

    Raises:
        ClientError: the files are of another kind, or a record was not delivered.
    """
    frame = spark.read.parquet(args.parquet)
    missing = {"key", "value", "partition", "offset", "timestamp", "headers"} - set(frame.columns)
    if missing:
        raise ClientError(f"{args.parquet} has no column {', '.join(sorted(missing))}; was it written by export?")
    with elapsed_time(f"read {args.parquet}"):
        extents = frame.groupBy("partition").agg({"offset": "min", "*": "count"}).collect()
        firsts = {row["partition"]: (row["min(offset)"], row["count(1)"]) for row in extents}
        lasts = {row["partition"]: row["max(offset)"] for row in frame.groupBy("partition").max("offset").collect()}
    with Admin(args.bootstrap_server, args.timeout / 1000, security=args.security or PLAINTEXT) as admin:
        if args.topic not in topic_names(admin):
            create_topic(admin, args.topic, max(firsts, default=0) + 1, None, (), {})
        ends = admin.list_offsets({TopicPartition(args.topic, number): LATEST for number in firsts})
    producer = RecordProducer(args.topic, config, args)
    columns = ("key", "value", "headers", "partition", "unix_millis(timestamp) AS timestamp_ms")
    total = 0
    with Progress(sum(count for _, count in firsts.values()), title=f"import {args.topic}", unit="records") as progress:
        for row in frame.orderBy("partition", "offset").selectExpr(*columns).toLocalIterator():
            headers = tuple((each["key"], _bytes(each["value"])) for each in row["headers"] or ())
            key, value = _bytes(row["key"]), _bytes(row["value"])
            producer.send(OutgoingRecord(value, key, headers, row["partition"], row["timestamp_ms"]))
            total += 1
            progress.advance(1)
        producer.finish()
    is_same = all(
        ends.get(TopicPartition(args.topic, number)) == first and lasts[number] - first + 1 == count
        for number, (first, count) in firsts.items()
    )
    offsets = "their offsets are those of the export" if is_same else "their offsets are other ones"
    print(f"{args.topic}: {counted(total, 'record')} from {args.parquet}; {offsets}")
    return 0


def _bytes(data: Any) -> bytes | None:
    """*data* of Spark, a bytearray or None."""
    return None if data is None else bytes(data)
