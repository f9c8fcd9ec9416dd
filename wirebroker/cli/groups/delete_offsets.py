"""`wirebroker groups delete-offsets`: forget what a group committed on topics that it reads no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.cli.groups.common import add_connection, print_json, print_table, run_with
from wirebroker.cli.groups.topics import add_topics, chosen_partitions
from wirebroker.client.admin import explain
from wirebroker.client.connection import ClientError
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker groups delete-offsets`."""
    add_connection(parser)
    parser.add_argument("--group", required=True, metavar="GROUP")
    add_topics(parser)


def run(args: argparse.Namespace) -> int:
    """Delete offsets; the result is the exit code, 1 when one could not be deleted."""
    return run_with(args, _delete)


def _delete(admin: Admin, args: argparse.Namespace) -> int:
    topics: dict[str, list[int]] = {}
    for at in chosen_partitions(admin, args, args.group):
        topics.setdefault(at.topic, []).append(at.partition)
    request = OffsetDeleteRequest(
        group_id=args.group,
        topics=[
            OffsetDeleteRequestTopic(
                name=name, partitions=[OffsetDeleteRequestPartition(partition_index=index) for index in indexes]
            )
            for name, indexes in topics.items()
        ],
    )
    _, _, coordinator = admin.coordinator(args.group)
    answer = coordinator.ask(request)
    if answer.error_code:
        raise ClientError(f"group {args.group}: {explain(answer.error_code)}")
    rows = [
        (topic.name, each.partition_index, explain(each.error_code) if each.error_code else "Successful")
        for topic in answer.topics
        for each in topic.partitions
    ]
    if args.format == "json":
        print_json([{"topic": topic, "partition": index, "status": status} for topic, index, status in rows])
    else:
        print_table(("TOPIC", "PARTITION", "STATUS"), rows)
    return 0 if all(status == "Successful" for _, _, status in rows) else 1
