"""`wirebroker export TOPIC --parquet DIR`: the records of a topic, with offsets and headers, as Parquet files.

The columns are those of Spark's `kafka` source: key, value, topic, partition, offset, timestamp, timestampType and
headers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.cli.connection import add_bootstrap_server, positive
from wirebroker.cli.parquet.spark import run_with_spark
from wirebroker.client.admin import Admin

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker export`."""
    parser.add_argument("topic", metavar="TOPIC")
    parser.add_argument("--parquet", required=True, metavar="DIR", help="the directory to write")
    parser.add_argument("--overwrite", action="store_true", help="replace the directory if it exists")
    add_bootstrap_server(parser)
    parser.add_argument(
        "--timeout", type=positive, default=5000, metavar="MS", help="how long to wait for an answer (default: 5000)"
    )


def run(args: argparse.Namespace) -> int:
    """Write the files; return the exit code."""
    return run_with_spark(args, lambda spark: _export(args, spark))


def _export(args: argparse.Namespace, spark: Any) -> int:
    with Admin(args.bootstrap_server, args.timeout / 1000) as admin:
        partitions = admin.partitions_of(args.topic)
    frame = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", args.bootstrap_server)
        .option("subscribe", args.topic)
        .option("startingOffsets", "earliest")
        .option("endingOffsets", "latest")
        .option("includeHeaders", "true")
        .load()
    )
    frame.write.mode("overwrite" if args.overwrite else "errorifexists").parquet(args.parquet)
    count = spark.read.parquet(args.parquet).count()
    print(f"{args.topic}: {count} records of {len(partitions)} partitions in {args.parquet}")
    return 0
