"""LogTable: the logs of a broker by partition, their topic ids, and the partitions that were refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirebroker.model import TopicPartition
    from wirebroker.storage.errors import StorageError
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_dir import LogDir


class LogTable:
    """Filled by `LogDirsLoader` at start, kept by `LogManager`; several threads may add logs at a time."""

    __slots__ = ("logs", "refused", "topic_ids")

    def __init__(self) -> None:
        self.logs: dict[TopicPartition, Log] = {}
        self.topic_ids: dict[TopicPartition, bytes | None] = {}
        """The topic that each log belongs to, None if its directory does not say."""
        self.refused: dict[TopicPartition, StorageError] = {}
        """The partitions that were not loaded, and why."""

    def add(self, log_dir: LogDir, log: Log, topic_id: bytes | None) -> None:
        """Add a log that is in *log_dir*."""
        at = log.topic_partition
        self.logs[at] = log_dir.logs[at] = log
        self.topic_ids[at] = topic_id

    def remove(self, log_dir: LogDir, at: TopicPartition) -> None:
        """Remove the log of a partition that was in *log_dir*, if it is there."""
        self.logs.pop(at, None)
        log_dir.logs.pop(at, None)
        self.topic_ids.pop(at, None)
