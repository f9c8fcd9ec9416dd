"""The screen of `wirebroker top` made of what the Kafka protocol says: of any Kafka, without its metrics."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.cli.groups.requests import committed_offsets, list_groups
from wirebroker.cli.log_dirs.requests import describe_log_dirs
from wirebroker.cli.monitor.screen import Screen, Section, short
from wirebroker.cli.output import Column
from wirebroker.client.admin import LATEST
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    from wirebroker.cli.log_dirs.requests import LogDirDescription
    from wirebroker.client.admin import Admin
    from wirebroker.protocol.messages.metadata import MetadataResponse

_TOPICS = (
    Column("TOPIC", "topic"),
    Column("PARTITIONS", "partitions", ">"),
    Column("MSG/S", "messages", ">"),
    Column("SIZE", "size", ">"),
    Column("OUT OF SYNC", "out_of_sync", ">"),
)
_GROUPS = (Column("GROUP", "group"), Column("TOPIC", "topic"), Column("LAG", "lag", ">"))
_DISKS = (
    Column("BROKER", "broker", ">"),
    Column("LOG DIRECTORY", "directory"),
    Column("REPLICAS", "replicas", ">"),
    Column("SIZE", "size", ">"),
    Column("FREE", "free", ">"),
    Column("STATE", "state"),
)


class ClusterState(NamedTuple):
    """The answers of a cluster at one moment."""

    at_s: float
    metadata: MetadataResponse
    ends: dict[TopicPartition, int]
    committed: dict[str, dict[TopicPartition, int]]
    disks: dict[int, list[LogDirDescription]]


def read_cluster(admin: Admin) -> ClusterState:
    """Ask for topics, log ends, committed offsets and log directories; those that are refused are left out.

    Raises:
        ClientError: the cluster cannot be reached.
    """
    metadata = admin.metadata()
    partitions = [
        TopicPartition(topic.name or "", partition.partition_index)
        for topic in metadata.topics
        for partition in topic.partitions
    ]
    ends = admin.list_offsets(dict.fromkeys(partitions, LATEST))
    at_s = time.monotonic()
    committed: dict[str, dict[TopicPartition, int]] = {}
    disks: dict[int, list[LogDirDescription]] = {}
    try:
        for group in list_groups(admin):
            committed[group.group_id] = committed_offsets(admin, group.group_id)
        disks = describe_log_dirs(admin, [broker.node_id for broker in metadata.brokers])
    except ClientError:
        pass  # a release without the API, or without the right to use it
    return ClusterState(at_s, metadata, ends, committed, disks)


def screen_of(before: ClusterState, now: ClusterState) -> Screen:
    """Return the screen, with rates between the two moments."""
    out_of_sync = {
        topic.name: sum(len(each.isr_nodes) < len(each.replica_nodes) for each in topic.partitions)
        for topic in now.metadata.topics
    }
    offline = sum(each.leader_id < 0 for topic in now.metadata.topics for each in topic.partitions)
    summary = "  ".join(
        (
            f"brokers {len(now.metadata.brokers)}",
            f"controller {now.metadata.controller_id}",
            f"topics {len(now.metadata.topics)}",
            f"partitions {sum(len(topic.partitions) for topic in now.metadata.topics)}",
            f"under-replicated {sum(out_of_sync.values())}",
            f"offline {offline}",
            f"groups {len(now.committed)}",
        )
    )
    return Screen(
        summary,
        [
            Section(_TOPICS, _topics(before, now, out_of_sync)),
            Section(_GROUPS, _groups(now)),
            Section(_DISKS, _disks(now)),
        ],
    )


def _topics(before: ClusterState, now: ClusterState, out_of_sync: dict[str | None, int]) -> list[tuple[str, ...]]:
    elapsed_s = max(now.at_s - before.at_s, 1e-9)
    rates: dict[str, float] = {}
    for at, end in now.ends.items():
        grown = max(0, end - before.ends.get(at, end))
        rates[at.topic] = rates.get(at.topic, 0.0) + grown / elapsed_s
    sizes: dict[str, int] = {}
    for directories in now.disks.values():
        for directory in directories:
            for replica in directory.replicas:
                sizes[replica.at.topic] = sizes.get(replica.at.topic, 0) + replica.size_bytes
    counts = {topic.name or "": len(topic.partitions) for topic in now.metadata.topics}
    names = sorted(counts, key=lambda name: (-rates.get(name, 0.0), name))
    return [
        (name, str(counts[name]), short(rates.get(name)), short(sizes.get(name)), str(out_of_sync[name]))
        for name in names
    ]


def _groups(now: ClusterState) -> list[tuple[str, ...]]:
    """Return the groups and topics, those that lag most first."""
    lags: dict[tuple[str, str], int] = {}
    for group, offsets in now.committed.items():
        for at, offset in offsets.items():
            end = now.ends.get(at)
            if end is not None and offset >= 0:
                lags[group, at.topic] = lags.get((group, at.topic), 0) + max(0, end - offset)
    ordered = sorted(lags.items(), key=lambda item: (-item[1], item[0]))
    return [(group, topic, short(lag)) for (group, topic), lag in ordered]


def _disks(now: ClusterState) -> list[tuple[str, ...]]:
    return [
        (
            str(broker_id),
            directory.path,
            str(len(directory.replicas)),
            short(sum(replica.size_bytes for replica in directory.replicas)),
            short(directory.usable_bytes),
            directory.error or "online",
        )
        for broker_id, directories in now.disks.items()
        for directory in directories
    ]
