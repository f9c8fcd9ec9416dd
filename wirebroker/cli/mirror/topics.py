"""Topics of a mirror: those to copy, and their partitions and configs in the destination."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.configs.resources import Resource, ResourceType, alter_configs, own_configs
from wirebroker.cli.topics.changes import create_partitions, create_topic
from wirebroker.cli.topics.requests import topic_names
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    from wirebroker.client.admin import Admin

NOT_COPIED: Final = frozenset(
    {
        "follower.replication.throttled.replicas",
        "leader.replication.throttled.replicas",
        "message.timestamp.after.max.ms",
        "message.timestamp.before.max.ms",
        "message.timestamp.difference.max.ms",
        "message.timestamp.type",
        "min.insync.replicas",
        "unclean.leader.election.enable",
    }
)
"""Configs of the other cluster's brokers, and those with which it would change or refuse the source's timestamps."""


def chosen_topics(source: Admin, patterns: list[str]) -> list[str]:
    """Return the topics of the source that *patterns* match, internal ones left out.

    Raises:
        ClientError: a pattern matches none.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        names = topic_names(source, pattern, exclude_internal=True)
        if not names:
            raise ClientError(f"no topic of the source matches {pattern}")
        found |= dict.fromkeys(names)
    return sorted(found)


def copy_topic(source: Admin, destination: Admin, name: str, new_name: str, replication_factor: int | None) -> int:
    """Create a topic, or add partitions and set configs of one that exists; return the number of partitions to copy.

    Raises:
        ClientError: the destination refuses.
    """
    count = len(source.partitions_of(name))
    resource = Resource(ResourceType.TOPIC, name)
    configs = {
        each.name: each.value
        for each in own_configs(source, resource)
        if each.value is not None and each.name not in NOT_COPIED
    }
    if new_name not in topic_names(destination):
        create_topic(destination, new_name, count, replication_factor, (), configs)
        return count
    existing = len(destination.partitions_of(new_name))
    if existing < count:
        create_partitions(destination, new_name, count, ())
    there = {each.name: each.value for each in own_configs(destination, Resource(ResourceType.TOPIC, new_name))}
    changed = {key: value for key, value in configs.items() if there.get(key) != value}
    if changed:
        alter_configs(destination, Resource(ResourceType.TOPIC, new_name), changed, ())
    return count
