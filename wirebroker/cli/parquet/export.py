"""`wirebroker export TOPIC --parquet DIR`: the records of a topic, with offsets and headers, as Parquet files.

The columns are those of Spark's `kafka` source: key, value, topic, partition, offset, timestamp, timestampType and
headers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.client_config import read_client_properties
from wirebroker.cli.client_security import KEYS
from wirebroker.cli.connection import add_bootstrap_server, add_command_config, connect
from wirebroker.cli.output import counted
from wirebroker.cli.parquet.spark import ended_tasks, local_path, run_with_spark
from wirebroker.cli.progress import Progress, elapsed_time, followed_progress
from wirebroker.client.admin import EARLIEST, LATEST
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    import argparse

_OFFSETS_OF_A_TASK: Final = 250_000
"""A partition with more is read by several tasks of Spark, so that the progress bar, which counts tasks, moves."""
_MOST_TASKS: Final = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker export`."""
    parser.add_argument("topic", metavar="TOPIC")
    parser.add_argument("--parquet", required=True, metavar="DIR", help="the directory to write")
    parser.add_argument("--overwrite", action="store_true", help="replace the directory if it exists")
    add_bootstrap_server(parser)
    add_command_config(parser)


def run(args: argparse.Namespace) -> int:
    """Write the files; return the exit code."""
    return run_with_spark(args, lambda: _check(args), lambda spark: _export(args, spark))


def _check(args: argparse.Namespace) -> None:
    """Raise ClientError if there is no such topic, or the directory exists and is not to be replaced."""
    with connect(args) as admin:
        admin.partitions_of(args.topic)
    directory = local_path(args.parquet)
    if directory is not None and directory.exists() and not args.overwrite:
        raise ClientError(f"{args.parquet} exists; --overwrite replaces it")


def _export(args: argparse.Namespace, spark: Any) -> int:
    with connect(args) as admin:
        partitions = [TopicPartition(args.topic, number) for number in admin.partitions_of(args.topic)]
        firsts = admin.list_offsets(dict.fromkeys(partitions, EARLIEST))
        ends = admin.list_offsets(dict.fromkeys(partitions, LATEST))
    offsets = sum(max(0, ends[at] - firsts[at]) for at in partitions if at in ends and at in firsts)
    tasks = max(len(partitions), min(_MOST_TASKS, offsets // _OFFSETS_OF_A_TASK))
    frame = (
        spark.read.format("kafka")
        .options(**_client_options(args.command_config))
        .option("kafka.bootstrap.servers", args.bootstrap_server)
        .option("subscribe", args.topic)
        .option("startingOffsets", "earliest")
        .option("endingOffsets", "latest")
        .option("includeHeaders", "true")
        .option("minPartitions", tasks)
        .load()
    )
    bar = Progress(offsets, title=f"export {args.topic}", unit="records")
    with followed_progress(bar, lambda: offsets * ended_tasks(spark) // tasks):
        frame.write.mode("overwrite" if args.overwrite else "errorifexists").parquet(args.parquet)
    with elapsed_time(f"count {args.parquet}"):
        count = spark.read.parquet(args.parquet).count()
    print(f"{args.topic}: {counted(count, 'record')} of {counted(len(partitions), 'partition')} in {args.parquet}")
    return 0


def _client_options(path: str | None) -> dict[str, str]:
    """Return the TLS and SASL of a client.properties as options of Spark's source, which has a Java client."""
    settings = {} if path is None else read_client_properties(path)
    return {f"kafka.{name}": value for name, value in settings.items() if name in KEYS}
