"""The options that choose topics, and filters of partitions by their state, as in kafka-topics.sh."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.topics.requests import topic_names
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection

    from wirebroker.cli.topics.requests import PartitionDescription
    from wirebroker.client.admin import Admin


def add_patterns(parser: argparse.ArgumentParser, about: str) -> None:
    """Add the names of topics, as arguments or after --topic."""
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=about)
    parser.add_argument("--topic", action="append", default=[], metavar="TOPIC", help="the same as an option")


def add_exclude_internal(parser: argparse.ArgumentParser) -> None:
    """Add --exclude-internal."""
    parser.add_argument("--exclude-internal", action="store_true", help="leave out topics of the brokers themselves")


def given_names(args: argparse.Namespace) -> list[str]:
    """Return the names or patterns of the command line.

    Raises:
        UsageError: there is none.
    """
    given: list[str] = [*args.topics, *args.topic]
    if not given:
        raise UsageError("name a topic")
    return given


def matching_topics(admin: Admin, args: argparse.Namespace) -> list[str]:
    """Return the topics that the patterns of the command line match, sorted; all topics if there is no pattern.

    Raises:
        ClientError: a pattern matches no topic, unless --if-exists is given.
    """
    patterns: list[str] = [*args.topics, *args.topic]
    exclude_internal = getattr(args, "exclude_internal", False)
    if not patterns:
        return topic_names(admin, exclude_internal=exclude_internal)
    found: set[str] = set()
    for pattern in patterns:
        names = topic_names(admin, pattern, exclude_internal=exclude_internal)
        if not names and not getattr(args, "if_exists", True):
            raise ClientError(f"topic {pattern} does not exist")
        found.update(names)
    return sorted(found)


class PartitionFilter(NamedTuple):
    """Which partitions to show, by their state; without a choice all of them."""

    under_replicated: bool
    unavailable: bool
    under_min_isr: bool
    at_min_isr: bool

    @classmethod
    def of(cls, args: argparse.Namespace) -> PartitionFilter:
        """The filter that the options name."""
        return cls(
            args.under_replicated_partitions,
            args.unavailable_partitions,
            args.under_min_isr_partitions,
            args.at_min_isr_partitions,
        )

    def shows(self, partition: PartitionDescription, min_isr: int, live_brokers: Collection[int]) -> bool:
        """Return whether *partition* is to be shown."""
        if not any(self):
            return True
        in_sync, leader = len(partition.isr), partition.leader
        return (
            (self.under_replicated and partition.replication_factor > in_sync)
            or (self.unavailable and (leader is None or leader not in live_brokers))
            or (self.under_min_isr and (leader is None or in_sync < min_isr))
            or (self.at_min_isr and in_sync == min_isr)
        )


def add_partition_filters(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose partitions by their state."""
    for name, about in (
        ("--under-replicated-partitions", "only partitions with fewer replicas in sync than replicas"),
        ("--unavailable-partitions", "only partitions whose leader is not available"),
        ("--under-min-isr-partitions", "only partitions with fewer replicas in sync than min.insync.replicas"),
        ("--at-min-isr-partitions", "only partitions with just min.insync.replicas replicas in sync"),
    ):
        parser.add_argument(name, action="store_true", help=about)
