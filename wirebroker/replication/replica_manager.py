"""Finds the Partition for a name; makes and ends partitions; takes a failed log directory out of service."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.compression import Codec
from wirebroker.record.validate import AppendRules
from wirebroker.replication.disk_lane import DiskLane
from wirebroker.replication.log_mover import LogMover
from wirebroker.replication.partition import Partition
from wirebroker.replication.purgatory import FetchPurgatory
from wirebroker.replication.worker_threads import WorkerThreads
from wirebroker.storage.aborted_look import LongWalk
from wirebroker.storage.faults import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from wirebroker.config.log import LogConfig
    from wirebroker.metadata.image import PartitionImage, TopicImage
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_manager import LogManager

logger = logging.getLogger(__name__)

T = TypeVar("T")

LOGS_PER_HOP: Final = 32
"""Made by one hop to a thread: 0.2 to 0.7 ms each, and what a broker that stops has to wait for."""


class ReplicaManager:
    """All partitions of this broker, by name and number."""

    def __init__(
        self,
        log_manager: LogManager,
        on_all_dirs_failed: Callable[[], None],
        *,
        limits_min_isr_to_replicas: bool = True,
    ) -> None:
        """Serve the logs of *log_manager*.

        Args:
            log_manager: The logs of this broker.
            on_all_dirs_failed: Called when no log directory is left.
            limits_min_isr_to_replicas: Whether ``min.insync.replicas`` above the number of a partition's replicas asks
                for all of them (Apache Kafka since 3.7), or for more than there are.
        """
        self._limits_min_isr_to_replicas = limits_min_isr_to_replicas
        self.log_manager = log_manager
        self.lanes: dict[Path, DiskLane] = {directory: DiskLane(str(directory)) for directory in log_manager.dirs}
        self._partitions: dict[tuple[str, int], Partition] = {}
        self._offline: dict[tuple[str, int], str] = {}  # why it is not served
        self._on_all_dirs_failed = on_all_dirs_failed
        self.mover = LogMover(self)
        self.workers = WorkerThreads()
        """For searches in logs and for large requests and answers; nothing here takes longer than a slice."""
        self.checkers = WorkerThreads()
        """For batches of records that take long to check: as many are decompressed at a time as there are threads."""
        self.fetch_purgatory = FetchPurgatory()
        self._scan_limiter = trio.CapacityLimiter(1)  # scans share the interpreter with the loop
        self._making_logs = trio.CapacityLimiter(1)

    def find(self, topic: str, index: int) -> Partition | None:
        """The partition if it is served here."""
        return self._partitions.get((topic, index))

    def get(self, topic: str, index: int) -> Partition:
        """The partition.

        Raises:
            ApiError: UNKNOWN_TOPIC_OR_PARTITION, or KAFKA_STORAGE_ERROR when its log is out of service.
        """
        partition = self._partitions.get((topic, index))
        if partition is not None:
            return partition
        reason = self._offline.get((topic, index))
        if reason is not None:
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, reason)
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

    async def after_scans(self, read: Callable[[], T]) -> T:
        """Return *read*(); whenever it needs a log scanned before, do that in a thread and call it again.

        It does not wait when no scan is needed, and what it returns is of this moment.
        """
        while True:
            try:
                return read()
            except LongWalk as scan:
                await trio.to_thread.run_sync(scan.run, abandon_on_cancel=True, limiter=self._scan_limiter)

    def is_offline(self, topic: str, index: int) -> bool:
        """Whether the partition belongs here but its log cannot be served."""
        return (topic, index) in self._offline

    def partitions(self) -> Iterator[Partition]:
        """Every served partition; the set may change between two of them."""
        return iter(tuple(self._partitions.values()))

    async def become_leaders(
        self, topic: TopicImage, indexes: Iterable[int], config: LogConfig, *, is_new: bool = False
    ) -> None:
        """Serve partitions of a topic; logs that are not there are made in a thread, many at a time.

        A log that cannot be opened is served as KAFKA_STORAGE_ERROR.  One that *is_new* cannot be in a directory that
        is offline, so it is made in another.
        """
        missing = []
        for index in indexes:
            if (topic.name, index) not in self._partitions:
                try:
                    log = self.log_manager.find(topic.name, index, topic.topic_id)
                except ApiError as fault:
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
                if isinstance(log_or_fault, ApiError):
                    self._refuse(topic, index, log_or_fault)
                else:
                    self.serve(topic, index, log_or_fault)

    def _make_logs(
        self, topic: TopicImage, indexes: Sequence[int], config: LogConfig, is_new: bool
    ) -> list[Log | ApiError]:
        made: list[Log | ApiError] = []
        for index in indexes:
            try:
                log = self.log_manager.get_or_create(topic.name, index, topic.topic_id, config, is_new=is_new)
                log.assign_leader_epoch(topic.partitions[index].leader_epoch)
                with log.writing_by_name():
                    log.leader_epochs.write_first()
                made.append(log)
            except ApiError as fault:
                made.append(fault)
        return made

    def _refuse(self, topic: TopicImage, index: int, fault: ApiError) -> None:
        is_known = TopicPartition(topic.name, index) in self.log_manager.refused() or any(
            map(self.log_manager.is_dir_offline, self.log_manager.dirs)
        )  # then there is a line already, of the load or of the directory
        level = logging.DEBUG if is_known else logging.ERROR
        logger.log(level, "topic=%s partition=%d: not served: %s", topic.name, index, fault)
        self._offline[topic.name, index] = str(fault)

    def serve(self, topic: TopicImage, index: int, log: Log) -> None:
        """Serve a partition whose log is open."""
        leader_epoch = topic.partitions[index].leader_epoch
        try:
            log.assign_leader_epoch(leader_epoch)
        except ApiError as fault:
            self._refuse(topic, index, fault)
            return
        self._offline.pop((topic.name, index), None)
        partition = Partition(
            TopicPartition(topic.name, index),
            topic.topic_id,
            log,
            leader_epoch,
            append_rules(log.config),
            self.lanes[log.directory.parent],
            self.storage_failed,
        )
        partition.below_min_isr = self._is_below_min_isr(topic.partitions[index], log.config)
        self._partitions[topic.name, index] = partition

    async def stop(self, topic: str, index: int, *, delete: bool) -> bool:
        """Serve a partition no more; with *delete* its files go, too (renamed now, removed later).

        False when that could not be done and the files may still be there under their name.
        """
        partition = self._partitions.pop((topic, index), None)
        self._offline.pop((topic, index), None)
        if partition is None:
            return not delete
        await self.mover.cancel(partition.topic_partition)
        partition.notify_listeners()
        if delete:
            try:
                await partition.on_lane(lambda: self.log_manager.delete(topic, index))
            except StorageError as fault:
                self.storage_failed(partition.log, fault)
                return False
        return True

    async def discard(self, topic: str, index: int, topic_id: bytes) -> None:
        """Remove the files of a partition whose topic was deleted before a crash, if they are still there."""
        known = self.log_manager.topic_id(topic, index)
        if known is not None and known != topic_id:
            return
        try:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(self.log_manager.delete, topic, index, limiter=self._making_logs)
        except StorageError as fault:
            logger.error("topic=%s partition=%d: not removed: %s", topic, index, fault)

    async def forget_deleted(self) -> None:
        """Take deleted partitions out of the checkpoints, in a thread."""
        await trio.to_thread.run_sync(self.log_manager.forget_deleted)

    def reconfigure(self, topic: TopicImage, config: LogConfig) -> None:
        """Topic configuration changed; it holds from the next append on."""
        rules = append_rules(config)
        for index, image in enumerate(topic.partitions):
            partition = self._partitions.get((topic.name, index))
            if partition is not None:
                partition.rules = rules
                partition.log.config = config
                partition.below_min_isr = self._is_below_min_isr(image, config)
                partition.notify_listeners()

    def _is_below_min_isr(self, image: PartitionImage, config: LogConfig) -> bool:
        required = config.min_insync_replicas
        if self._limits_min_isr_to_replicas:
            required = min(required, len(image.replicas))
        return len(image.isr) < required

    def storage_failed(self, log: Log, fault: Exception) -> None:
        """A write or read failed: everything in that log directory goes offline, the others serve on."""
        self.directory_failed(log.directory.parent, fault)

    def directory_failed(self, directory: Path, fault: Exception) -> None:
        """Put a log directory out of service, whoever has seen it fail."""
        self.log_manager.mark_offline(directory, fault)
        failed = [key for key, partition in self._partitions.items() if partition.log.directory.parent == directory]
        for key in failed:
            partition = self._partitions.pop(key)
            self._offline[key] = f"log directory {directory} failed: {fault}"
            partition.notify_listeners()
        if failed:
            logger.error("log_dir=%s: offline after %s; %d partitions are not served", directory, fault, len(failed))
        if all(self.log_manager.is_dir_offline(each) for each in self.log_manager.dirs):
            self._on_all_dirs_failed()


def append_rules(config: LogConfig) -> AppendRules:
    """What a leader checks on append, out of a topic's configuration."""
    return AppendRules(
        max_message_bytes=config.max_message_bytes,
        compacted=config.compacts,
        log_append_time=config.message_timestamp_type == "LogAppendTime",
        timestamp_before_max_ms=config.message_timestamp_before_max_ms,
        timestamp_after_max_ms=config.message_timestamp_after_max_ms,
        codec=_codec(config.compression_type),
        level=_level(config),
        magic=config.record_version,
    )


def _level(config: LogConfig) -> int | None:
    """How hard the topic's own codec tries, None for its usual way."""
    if config.compression_type == "gzip":
        return None if config.compression_gzip_level == -1 else config.compression_gzip_level
    if config.compression_type == "lz4":
        # 9 is the fast compressor's in Java, every other level the thorough one's, which begins at 3
        return None if config.compression_lz4_level == 9 else max(config.compression_lz4_level, 3)
    return config.compression_zstd_level if config.compression_type == "zstd" else None


def _codec(name: str) -> Codec | None:
    """The codec a topic insists on, or None when batches keep the producer's."""
    if name == "producer":
        return None
    if name == "uncompressed":
        return Codec.NONE
    return Codec[name.upper()]
