"""ReplicaManager: starts and stops the partitions of this broker, and takes failed log directories out of service."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.loop_budget import LoopBudget
from wirebroker.model import LeaderAndIsr, TopicPartition
from wirebroker.replication.alter_log_dirs import ReplicaAlterLogDirsManager
from wirebroker.replication.append_rules import append_rules
from wirebroker.replication.hosted_partitions import HostedPartitions
from wirebroker.replication.isr_updates import isr_changed
from wirebroker.replication.leader_state import IsrRules
from wirebroker.replication.log_dir_executor import LogDirExecutor
from wirebroker.replication.partition import Partition
from wirebroker.replication.purgatories import Purgatories
from wirebroker.replication.segment_scans import SegmentScans
from wirebroker.replication.topic_stats import TopicStats
from wirebroker.replication.worker_threads import SearchThreads, WorkerThreads
from wirebroker.storage.errors import LogError, StorageError
from wirebroker.timer.timer import Timer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from wirebroker.config.log import LogConfig
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.image import TopicImage
    from wirebroker.quota.replication_quota import ReplicationQuota
    from wirebroker.replication.alter_partition_manager import AlterPartitionManager
    from wirebroker.replication.local_replica import LastBatch
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_manager import LogManager

logger = logging.getLogger(__name__)


_DEFAULT_RULES: Final = IsrRules()
LOGS_PER_HOP: Final = 32
"""Logs created by one hop to a thread, 0.2 to 0.7 ms each; a broker that stops may have to wait for the hop."""


class ReplicaManager:
    """The partitions of this broker, what they share, and their start and end."""

    def __init__(
        self,
        log_manager: LogManager,
        metadata: MetadataCache,
        on_failure: Callable[[], None],
        isr_rules: IsrRules = _DEFAULT_RULES,
        alter_partition_manager: AlterPartitionManager | None = None,
    ) -> None:
        """Serve the logs of *log_manager*.

        Args:
            log_manager: The logs of this broker.
            metadata: Resolves the topic ids of Fetch requests.
            on_failure: Called when so many log directories have failed that this broker cannot serve on.
            isr_rules: The settings that decide on ISRs and high watermarks.
            alter_partition_manager: Submits changes of ISRs; None if this broker is its own controller.
        """
        self.isr_rules = isr_rules
        self.alter_partition_manager = alter_partition_manager
        self.log_manager = log_manager
        self.metadata = metadata
        self.executors: dict[Path, LogDirExecutor] = {
            directory: LogDirExecutor(str(directory)) for directory in log_manager.log_dirs.paths
        }
        self._partitions = HostedPartitions()
        if alter_partition_manager is not None:  # a broker that is its own controller has every partition there is
            self._partitions = HostedPartitions(lambda topic, index: metadata.image.partition(topic, index) is not None)
        self.find, self.get, self.served = self._partitions.find, self._partitions.get, self._partitions.served
        """The methods of `HostedPartitions`, without a call in between: every request needs them."""
        self._on_failure = on_failure
        self.on_log_dir_failed: Callable[[], None] = lambda: None
        """Called in the event loop with each log directory that fails."""
        self.on_compaction_reconfigured: Callable[[], None] = lambda: None
        """Called in the event loop when the settings of a topic that is compacted from now on, or still, change."""
        self._loop = trio.lowlevel.current_trio_token() if trio.lowlevel.in_trio_run() else None
        log_manager.log_dirs.on_offline = self._log_dir_failed
        self.alter_log_dirs = ReplicaAlterLogDirsManager(log_manager, self._partitions, self.executors)
        self.workers = WorkerThreads()
        """Threads for large requests and responses, and for searches without times; no work takes longer than a slice.
        """
        self.search_threads = SearchThreads()
        """Threads for searches by time, which may take seconds each."""
        self.validation_threads = WorkerThreads()
        """Threads for produced batches that take long to validate; each of them may decompress one batch at a time."""
        self.timer = Timer()
        """The timer of this broker; `broker.py` runs it."""
        self.purgatories = Purgatories(self.timer)
        self.scans = SegmentScans()
        self.topic_stats = TopicStats()
        self.leader_quota: ReplicationQuota | None = None
        """The limit of bytes that throttled followers are sent; set in a cluster."""
        self.selects_by_rack = False
        """Whether consumers are sent to followers in their rack; may be set in a cluster."""
        self.serves_debugging_from_followers = False
        """Whether requests with replica id -2 read from followers at every version; may be set in a cluster."""
        self.refuses_log_append_time = False
        """Whether every batch with the bit of LogAppendTime is refused; set for the partitions that are served later.
        """
        self._making_logs = trio.CapacityLimiter(1)
        self.last_batch: LastBatch | None = None
        """The last small batch that was appended while followers waited for it, which they are all sent."""

    def is_offline(self, topic: str, index: int) -> bool:
        """Whether the partition belongs to this broker but its log cannot be served."""
        return self._partitions.is_offline(topic, index)

    @property
    def offline_count(self) -> int:
        """The number of partitions that belong to this broker but cannot be served."""
        return self._partitions.offline_count

    def partitions(self) -> Iterator[Partition]:
        """Iterate over the served partitions; the table may change between two of them."""
        return iter(self._partitions)

    async def become_leaders(
        self, topic: TopicImage, indexes: Iterable[int], config: LogConfig, *, is_new: bool = False
    ) -> None:
        """Become the leader of partitions of a topic; missing logs are created in a thread, many at a time.

        A log that cannot be opened is served as KAFKA_STORAGE_ERROR.  One that *is_new* cannot be in a directory that
        is offline, so it is made in another.
        """
        missing = []
        for index in indexes:
            if self.find(topic.name, index) is None:
                try:
                    log = self.log_manager.find(topic.name, index, topic.topic_id)
                except LogError as fault:
                    self._refuse(topic, index, fault)
                    continue
                if log is None:
                    missing.append(index)
                else:
                    log.config = config
                    self.serve(topic, index, log)
        for first in range(0, len(missing), LOGS_PER_HOP):
            some = missing[first : first + LOGS_PER_HOP]
            make = partial(self._make_logs, topic, some, config, is_new)
            with trio.CancelScope(shield=True):
                made = await trio.to_thread.run_sync(make, limiter=self._making_logs)
            for index, log_or_fault in zip(some, made, strict=True):
                if isinstance(log_or_fault, LogError):
                    self._refuse(topic, index, log_or_fault)
                else:
                    self.serve(topic, index, log_or_fault)

    def _make_logs(
        self, topic: TopicImage, indexes: Sequence[int], config: LogConfig, is_new: bool
    ) -> list[Log | LogError]:
        made: list[Log | LogError] = []
        for index in indexes:
            try:
                log = self.log_manager.get_or_create(topic.name, index, topic.topic_id, config, is_new=is_new)
                log.assign_leader_epoch(topic.partitions[index].leader_epoch)
                with log.local_log.writing_by_name():
                    log.leader_epoch_cache.write_first()
                made.append(log)
            except LogError as fault:
                made.append(fault)
        return made

    def _refuse(self, topic: TopicImage, index: int, fault: LogError) -> None:
        is_known = TopicPartition(topic.name, index) in self.log_manager.refused() or any(
            map(self.log_manager.log_dirs.is_offline, self.log_manager.log_dirs.paths)
        )  # then there is a line already, of the load or of the directory
        level = logging.DEBUG if is_known else logging.ERROR
        logger.log(level, "topic=%s partition=%d: not served: %s", topic.name, index, fault)
        self._partitions.set_offline(TopicPartition(topic.name, index), str(fault))

    def serve(self, topic: TopicImage, index: int, log: Log) -> None:
        """Become the leader of a partition whose log is open."""
        image = topic.partitions[index]
        state = LeaderAndIsr(image.leader, image.leader_epoch, image.isr, image.partition_epoch, image.replicas)
        partition = Partition(TopicPartition(topic.name, index), topic.topic_id, log, self, log.log_end_offset)
        try:
            if log.failure is not None:  # its log directory went offline while a thread made the log
                raise log.failure
            partition.begin_as_leader(state)
        except LogError as fault:
            self._refuse(topic, index, fault)
            return
        self._partitions.add(partition)

    def host(self, topic_partition: TopicPartition, topic_id: bytes, log: Log, high_watermark: int) -> Partition:
        """Return a new Partition without a role, which is served from now on, for a log that is open.

        *high_watermark* is that of the checkpoint, 0 if there is none.
        """
        partition = Partition(topic_partition, topic_id, log, self, high_watermark)
        self._partitions.add(partition)
        return partition

    def set_offline(self, topic_partition: TopicPartition, reason: str) -> None:
        """Answer requests for a partition whose log cannot be used with KAFKA_STORAGE_ERROR and *reason*."""
        self._partitions.set_offline(topic_partition, reason)

    async def stop(self, topic: str, index: int, *, delete: bool) -> bool:
        """Stop serving a partition; with *delete* also delete its files (renamed now, removed later).

        False when that could not be done and the files may still be there under their name.
        """
        partition = self._partitions.remove(topic, index)
        if partition is None:
            return not delete
        self.topic_stats.departs(partition)
        await self.alter_log_dirs.cancel(partition.topic_partition)
        partition.notify_listeners()
        try:
            if delete:
                await partition.run_on_executor(lambda: self.log_manager.delete(topic, index))
                partition.notify_listeners()  # of the end of its log
        except StorageError as fault:
            self.storage_failed(partition.log, fault)
            return False
        finally:
            self.purgatories.purge()
        return True

    async def discard(self, topic: str, index: int, topic_id: bytes) -> None:
        """Delete the files of a partition whose topic was deleted before a crash, if they are still there."""
        known = self.log_manager.topic_id(topic, index)
        if known is not None and known != topic_id:
            return
        await self.delete_log(topic, index)

    async def delete_log(self, topic: str, index: int) -> bool:
        """Delete the log of a partition that is not served; return False if the disk has failed, which is logged."""
        try:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(self.log_manager.delete, topic, index, limiter=self._making_logs)
        except StorageError as fault:
            logger.error("topic=%s partition=%d: the log of a deleted topic cannot be removed: %s", topic, index, fault)
            return False
        self._partitions.forget_offline(topic, index)
        return True

    async def forget_deleted(self) -> None:
        """Remove deleted partitions from the checkpoints, in a thread."""
        await trio.to_thread.run_sync(self.log_manager.log_dirs.remove_deleted_partitions)

    def topics(self) -> tuple[str, ...]:
        """Return the names of topics of which partitions are served."""
        return self._partitions.topics()

    def reconfigure(self, topic: str, config: LogConfig) -> None:
        """Apply a changed topic configuration from the next append on, also if the metadata lack the topic yet."""
        rules = append_rules(config, refuses_log_append_time=self.refuses_log_append_time)
        for partition in self._partitions.of_topic(topic):
            partition.rules = rules
            partition.log.config = config
            isr_changed(partition)
        if config.compacts:
            self.on_compaction_reconfigured()

    def is_alive(self, broker_id: int) -> bool:
        """Whether the metadata has that broker."""
        return broker_id in self.metadata.image.brokers

    def leads_any(self) -> bool:
        """Return whether this broker leads a partition."""
        return any(partition.leader is not None for partition in self._partitions)

    async def shrink_isrs(self) -> None:
        """Propose to remove followers that lag from the ISRs; called every half of ``replica.lag.time.max.ms``."""
        budget = LoopBudget()
        for partition in self._partitions:
            partition.maybe_shrink_isr()
            await budget.yield_if_due()

    def storage_failed(self, log: Log, error: Exception) -> None:
        """Report that a file of *log* could not be read or written: its log directory goes offline."""
        self.log_manager.log_dirs.mark_offline(log.directory.parent, error)

    def _log_dir_failed(self, directory: Path, error: StorageError) -> None:
        """Set the partitions of *directory* offline; LogManager calls it once for each directory, in any thread."""
        if self._loop is None or trio.lowlevel.in_trio_run():
            self._set_log_dir_offline(directory, error)
        else:
            self._loop.run_sync_soon(self._set_log_dir_offline, directory, error)

    def _set_log_dir_offline(self, directory: Path, error: StorageError) -> None:
        for partition in self._partitions:
            if partition.log.directory.parent == directory:
                self.topic_stats.departs(partition)
        count = self._partitions.set_log_dir_offline(directory, f"log directory {directory} failed: {error}")
        if count:
            logger.error("log_dir=%s: offline after %s; %d partitions are not served", directory, error, count)
        self.on_log_dir_failed()
        if not self.log_manager.log_dirs.can_serve:
            self._on_failure()
