"""HostedPartitions: the partitions of this broker by topic and number, served or offline (Kafka: HostedPartition)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.errors import PartitionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wirebroker.model import TopicPartition
    from wirebroker.replication.partition import Partition


class HostedPartitions:
    """A table of partitions.  One that is in the table is either served, or offline with the reason for it."""

    def __init__(self, exists: Callable[[str, int], bool] = lambda _topic, _index: False) -> None:
        """*exists* returns whether the metadata know a partition: one that is not here is another broker's then."""
        self._exists = exists
        self._served: dict[tuple[str, int], Partition] = {}
        self._of_topics: dict[str, dict[int, Partition]] = {}
        """Topic -> number -> partition, of those that are served."""
        self._offline: dict[tuple[str, int], str] = {}
        self.on_added: Callable[[Partition], None] = lambda _partition: None
        """Called with each partition that is served from now on."""
        self.served = self._served.get
        """Returns a partition by topic and number if it is served."""

    def __iter__(self) -> Iterator[Partition]:
        """Every served partition; the table may change between two of them."""
        return iter(tuple(self._served.values()))

    def topics(self) -> tuple[str, ...]:
        """Return the names of topics of which partitions are served."""
        return tuple(self._of_topics)

    def of_topic(self, topic: str) -> tuple[Partition, ...]:
        """Return the served partitions of a topic."""
        return tuple(self._of_topics.get(topic, {}).values())

    def find(self, topic: str, index: int) -> Partition | None:
        """Return the partition if it is served."""
        return self._served.get((topic, index))

    def get(self, topic: str, index: int) -> Partition:
        """Return the partition.

        Raises:
            PartitionError: KAFKA_STORAGE_ERROR for a partition that is offline, NOT_LEADER_OR_FOLLOWER for one of other
                brokers, UNKNOWN_TOPIC_OR_PARTITION.
        """
        partition = self._served.get((topic, index))
        if partition is not None:
            return partition
        reason = self._offline.get((topic, index))
        if reason is not None:
            raise PartitionError(ErrorCode.KAFKA_STORAGE_ERROR, reason)
        if self._exists(topic, index):
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        raise PartitionError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

    def is_offline(self, topic: str, index: int) -> bool:
        """Whether the partition belongs to this broker but its log cannot be served."""
        return (topic, index) in self._offline

    @property
    def offline_count(self) -> int:
        """The number of partitions that are offline."""
        return len(self._offline)

    def add(self, partition: Partition) -> None:
        """Serve *partition* from now on."""
        self._offline.pop(partition.topic_partition, None)
        self._served[partition.topic_partition] = partition
        topic, index = partition.topic_partition
        self._of_topics.setdefault(topic, {})[index] = partition
        self.on_added(partition)

    def set_offline(self, topic_partition: TopicPartition, reason: str) -> None:
        """Answer requests for a partition that is not served with KAFKA_STORAGE_ERROR and *reason*."""
        self._offline[topic_partition] = reason

    def forget_offline(self, topic: str, index: int) -> None:
        """Take a partition out of the table if it is offline."""
        self._offline.pop((topic, index), None)

    def remove(self, topic: str, index: int) -> Partition | None:
        """Take a partition out of the table, and return it if it was served."""
        self._offline.pop((topic, index), None)
        partition = self._served.pop((topic, index), None)
        if partition is not None:
            self._forget(topic, index)
        return partition

    def set_log_dir_offline(self, directory: Path, reason: str) -> int:
        """Set the partitions whose log is in *directory* offline, tell their listeners, and return their number."""
        failed = [partition for partition in self if partition.log.directory.parent == directory]
        for partition in failed:
            del self._served[partition.topic_partition]
            self._forget(*partition.topic_partition)
            self._offline[partition.topic_partition] = reason
            partition.notify_listeners()
        return len(failed)

    def _forget(self, topic: str, index: int) -> None:
        """Take a partition out of those of its topic."""
        of_topic = self._of_topics[topic]
        del of_topic[index]
        if not of_topic:
            del self._of_topics[topic]
