"""The interfaces through which fetchers change the logs of this broker: FollowedPartition, FollowerReplicas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.model import TopicPartition
    from wirebroker.replication.follower_append import FetchedRecords
    from wirebroker.replication.log_dir_executor import LogDirExecutor
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_manager import LogManager


class FollowedPartition(Protocol):
    """The parts of a Partition that a fetcher uses.

    Each change is one job in the order of the log's writes, and changes nothing if the partition does not follow a
    leader in the given epoch any more; then it returns None, else the log end offset.  Errors are PartitionErrors.
    """

    queued: int
    topic_partition: TopicPartition
    topic_id: bytes
    log: Log
    high_watermark: int
    executor: LogDirExecutor

    async def run_in_order(self, work: Callable[[], None]) -> None:
        """Run *work*, which touches no file, after the changes of the log that are queued."""
        ...

    def append_records_at_once(
        self,
        records: memoryview,
        leader_epoch: int,
        fetch_offset: int,
        leader_high_watermark: int,
        leader_log_start_offset: int,
    ) -> int | FetchedRecords | None:
        """Append the records of a response, and take the leader's offsets; return what has to wait."""
        ...

    def append_single_batch(
        self,
        records: memoryview,
        leader_epoch: int,
        fetch_offset: int,
        leader_high_watermark: int,
        leader_log_start_offset: int,
    ) -> int | None:
        """Append the one small batch of a response; return None, with nothing changed, if it is anything else."""
        ...

    async def append_fetched_records(self, fetched: FetchedRecords) -> int | None:
        """Append what `append_records_at_once` has left."""
        ...

    async def truncate_to(self, offset: int, leader_epoch: int) -> int | None:
        """Drop the batch that holds *offset* and all behind it."""
        ...

    async def truncate_fully_and_start_at(self, offset: int, leader_epoch: int) -> int | None:
        """Drop all records; the next one gets *offset*."""
        ...


class FollowerReplicas(Protocol):
    """The replicas of this broker: the ReplicaManager."""

    @property
    def log_manager(self) -> LogManager: ...

    def find(self, topic: str, index: int) -> FollowedPartition | None:
        """Return a partition if it is served."""
        ...
