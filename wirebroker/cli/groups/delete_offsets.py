"""`wirebroker groups delete-offsets`: delete the offsets that a group has committed for topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.groups.topic_options import add_topics, chosen_partitions
from wirebroker.cli.output import Column, print_records
from wirebroker.client.admin import describe_code, response_error
from wirebroker.model import partitions_by_topic
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
    OffsetDeleteResponse,
)

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin

_COLUMNS = (Column("TOPIC", "topic"), Column("PARTITION", "partition"), Column("STATUS", "status"))
_SUCCESSFUL = "Successful"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker groups delete-offsets`."""
    add_connection(parser)
    parser.add_argument("--group", required=True, metavar="GROUP", help="group id")
    add_topics(parser)


def run(args: argparse.Namespace) -> int:
    """Delete offsets; return the exit code, 1 when one could not be deleted."""
    return run_with(args, _delete)


def _delete(admin: Admin, args: argparse.Namespace) -> int:
    topics = partitions_by_topic(chosen_partitions(admin, args, args.group))
    request = OffsetDeleteRequest(
        group_id=args.group,
        topics=[
            OffsetDeleteRequestTopic(
                name=name, partitions=[OffsetDeleteRequestPartition(partition_index=index) for index in indexes]
            )
            for name, indexes in topics.items()
        ],
    )

    def send() -> OffsetDeleteResponse:
        _, _, coordinator = admin.coordinator(args.group)
        answer: OffsetDeleteResponse = coordinator.send(request)
        if answer.error_code:
            raise response_error(f"group {args.group}", answer.error_code)
        return answer

    rows = [
        (topic.name, each.partition_index, describe_code(each.error_code) if each.error_code else _SUCCESSFUL)
        for topic in admin.retry(send).topics
        for each in topic.partitions
    ]
    print_records(_COLUMNS, rows, args.format)
    return 0 if all(status == _SUCCESSFUL for _, _, status in rows) else 1
