"""`wirebroker topics list`: topics with the number of their partitions and replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.topics.requests import all_topics, topic_id_text
from wirebroker.cli.topics.selection import add_exclude_internal, add_patterns, matching_topics

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS: Final = (
    Column("TOPIC", "topic"),
    Column("PARTITIONS", "partition_count", align=">"),
    Column("REPLICATION-FACTOR", "replication_factor", align=">"),
    Column("TOPIC-ID", "topic_id"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker topics list`."""
    add_connection(parser)
    add_patterns(parser, "names or regular expressions (default: all topics)")
    add_exclude_internal(parser)


def run(args: argparse.Namespace) -> int:
    """List topics; return the exit code."""
    return run_with(args, _list)


def _list(admin: Admin, args: argparse.Namespace) -> int:
    wanted = set(matching_topics(admin, args))
    rows = [
        (
            topic.name,
            len(topic.partitions),
            min((len(each.replica_nodes) for each in topic.partitions), default=0),
            topic_id_text(topic.topic_id),
        )
        for topic in all_topics(admin)
        if topic.name in wanted
    ]
    print_records(_COLUMNS, rows, args.format)
    return 0
