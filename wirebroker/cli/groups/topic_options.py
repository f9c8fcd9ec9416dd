"""The options `--topic t`, `--topic t:0,2` and `--all-topics`, as in kafka-consumer-groups.sh."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.cli.groups.requests import committed_offsets
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin


def add_topics(parser: argparse.ArgumentParser) -> None:
    """Add --topic and --all-topics."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--topic",
        action="append",
        metavar="TOPIC[:0,1]",
        help="topic, or some of its partitions; may be given several times",
    )
    which.add_argument(
        "--all-topics", action="store_true", help="every topic for which the group has committed offsets"
    )


def chosen_partitions(admin: Admin, args: argparse.Namespace, group_id: str) -> list[TopicPartition]:
    """The partitions that the options name for this group.

    Raises:
        ClientError: a topic does not exist, or a partition is no number.
    """
    if args.all_topics:
        return sorted(committed_offsets(admin, group_id))
    found: list[TopicPartition] = []
    for text in args.topic:
        name, colon, numbers = text.partition(":")
        existing = admin.partitions_of(name)
        try:
            indexes = [int(number) for number in numbers.split(",")] if colon else existing
        except ValueError:
            raise ClientError(f"--topic {text}: partitions are numbers, separated by commas") from None
        missing = sorted(set(indexes) - set(existing))
        if missing:
            raise ClientError(f"topic {name} has no partition {missing[0]}")
        found += [TopicPartition(name, index) for index in indexes]
    return found
