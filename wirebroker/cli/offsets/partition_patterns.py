"""Patterns that choose partitions by topic and number, as in kafka-get-offsets.sh."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.cli.topics.requests import all_topics, name_pattern
from wirebroker.model import INTERNAL_TOPICS, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.client.admin import Admin

_RULE: Final = re.compile(r"([^:,]*)(?::(?:([0-9]*)|(?:([0-9]*)-([0-9]*))))?")
_EVERY: Final = ".*"


class PartitionPattern(NamedTuple):
    """Topics whose whole name matches, and some of their partitions."""

    topics: re.Pattern[str]
    partitions: frozenset[int] | None = None
    """The numbers; None if *lower* and *upper* choose."""
    lower: int = 0
    upper: int | None = None
    """The first number above the range."""

    def matches(self, at: TopicPartition) -> bool:
        """Return whether *at* is chosen."""
        if not self.topics.fullmatch(at.topic):
            return False
        if self.partitions is not None:
            return at.partition in self.partitions
        return at.partition >= self.lower and (self.upper is None or at.partition < self.upper)


def topic_patterns(topic: str | None, partitions: str | None) -> list[PartitionPattern]:
    """Return the pattern of --topic and --partitions.

    Raises:
        ValueError: the partitions are no numbers, in Kafka's words.
    """
    try:
        numbers = frozenset(map(int, partitions.split(","))) if partitions else None
    except ValueError:
        raise ValueError(
            f"--partitions expects a comma separated list of numeric partition ids, but received: {partitions}"
        ) from None
    return [PartitionPattern(name_pattern(_EVERY if topic is None else topic), numbers)]


def partition_patterns(text: str) -> list[PartitionPattern]:
    """Return the patterns in `topic:0,topic:0-3,topic,:5-`; a range is without its end.

    Raises:
        ValueError: a part is of another form, in Kafka's words.
    """
    patterns: list[PartitionPattern] = []
    for part in text.split(","):
        found = _RULE.fullmatch(part)
        if not found:
            raise ValueError(f"Invalid rule specification: {part}")
        topics = name_pattern(found[1] or _EVERY)
        if found[2]:
            patterns.append(PartitionPattern(topics, frozenset([int(found[2])])))
        else:
            patterns.append(PartitionPattern(topics, None, int(found[3] or 0), int(found[4]) if found[4] else None))
    return patterns


def matching_partitions(
    admin: Admin, patterns: Sequence[PartitionPattern], *, exclude_internal: bool = False
) -> list[TopicPartition]:
    """Return the partitions of the cluster that match one of *patterns*, sorted."""
    return sorted(
        at
        for topic in all_topics(admin)
        if not (exclude_internal and topic.name in INTERNAL_TOPICS)
        for each in topic.partitions
        if any(pattern.matches(at := TopicPartition(topic.name or "", each.partition_index)) for pattern in patterns)
    )
