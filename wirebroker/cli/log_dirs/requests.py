"""Requests about log directories: DescribeLogDirs and AlterReplicaLogDirs, sent to the broker that has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.client.admin import code_name, response_error
from wirebroker.model import TopicPartition, partitions_by_topic
from wirebroker.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from wirebroker.protocol.messages.describe_log_dirs import DescribeLogDirsRequest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from wirebroker.client.admin import Admin
    from wirebroker.client.connection import Connection


class ReplicaInfo(NamedTuple):
    """One replica in a log directory."""

    at: TopicPartition
    size_bytes: int
    offset_lag: int
    is_future: bool
    """Whether it is being moved here."""


class LogDirDescription(NamedTuple):
    """One log directory of a broker; sizes are None if the broker does not tell them."""

    path: str
    error: str | None
    replicas: list[ReplicaInfo]
    total_bytes: int | None
    usable_bytes: int | None


def describe_log_dirs(admin: Admin, broker_ids: Collection[int]) -> dict[int, list[LogDirDescription]]:
    """Return broker id -> its log directories.

    Raises:
        ClientError: a broker refuses.
    """
    return admin.ask_brokers(log_dirs_of, broker_ids)


def log_dirs_of(broker_id: int, broker: Connection) -> list[LogDirDescription]:
    """Return the log directories of one broker.

    Raises:
        ClientError: the broker refuses.
    """
    response = broker.send(DescribeLogDirsRequest(topics=None))
    if response.error_code:
        raise response_error(f"broker {broker_id}", response.error_code)
    return [
        LogDirDescription(
            result.log_dir,
            code_name(result.error_code) if result.error_code else None,
            [
                ReplicaInfo(
                    TopicPartition(topic.name, each.partition_index),
                    each.partition_size,
                    each.offset_lag,
                    each.is_future_key,
                )
                for topic in result.topics
                for each in topic.partitions
            ],
            result.total_bytes if result.total_bytes >= 0 else None,
            result.usable_bytes if result.usable_bytes >= 0 else None,
        )
        for result in response.results
    ]


def move_replicas(
    admin: Admin, broker_id: int, partitions: Iterable[TopicPartition], path: str
) -> list[tuple[TopicPartition, str | None]]:
    """Have a broker move its replicas of *partitions* to the log directory *path*; return their errors, or None."""
    topics = [AlterReplicaLogDirTopic(name, indexes) for name, indexes in partitions_by_topic(partitions).items()]
    request = AlterReplicaLogDirsRequest(dirs=[AlterReplicaLogDir(path, topics)])
    return sorted(
        (
            TopicPartition(topic.topic_name, each.partition_index),
            code_name(each.error_code) if each.error_code else None,
        )
        for topic in admin.broker(broker_id).send(request).results
        for each in topic.partitions
    )
