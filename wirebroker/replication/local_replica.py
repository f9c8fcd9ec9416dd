"""LocalReplica: the replica of a partition on this broker: its log, role, high watermark and listeners, and its reads.

`Partition` adds the changes: of the role, the ISR and the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.append_rules import append_rules
from wirebroker.replication.errors import PartitionError, to_partition_error, translated_errors
from wirebroker.replication.log_dir_executor import PendingWork, WorkKind
from wirebroker.replication.topic_stats import PartitionStats
from wirebroker.storage.errors import LogError, ScanRequired, SegmentReplaced, StorageError
from wirebroker.storage.log_slice import NOTHING, LogSlice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from wirebroker.model import LeaderAndIsr, TopicPartition
    from wirebroker.replication.alter_partition_manager import AlterPartitionManager
    from wirebroker.replication.follower_state import FollowerState
    from wirebroker.replication.leader_state import IsrRules, LeaderState
    from wirebroker.replication.log_dir_executor import LogDirExecutor
    from wirebroker.replication.topic_stats import TopicStats
    from wirebroker.replication.worker_threads import WorkerThreads
    from wirebroker.storage.errors import SegmentScan
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_manager import LogManager
    from wirebroker.storage.verification_guard import VerificationGuard

T = TypeVar("T")


class PartitionListener(Protocol):
    """A listener that a Partition calls at its next change."""

    def partition_changed(self) -> None: ...


class LogEndListener(PartitionListener, Protocol):
    """A reader to the log end: a follower's Fetch."""

    def high_watermark_changed(self) -> None: ...


LastBatch = tuple["LeaderState", int, int, bytes]
"""The role in which a batch was appended, its first offset, the log end after it, and its bytes.

A leader appends at an offset once, so the bytes are those of the log for as long as it is in that role.
"""


class ReadResult(NamedTuple):
    """The records and offsets of one partition for a fetch."""

    records: LogSlice
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int
    aborted: list[tuple[int, int]] | None
    """(producer id, first offset) of aborted transactions in the range; None for read_uncommitted."""
    scan: SegmentScan | None
    """A scan to run (`SegmentScans`) before the next read: *records* are empty as a segment is not verified yet."""


class PartitionHost(Protocol):
    """The parts of the broker that its partitions share: the ReplicaManager."""

    @property
    def log_manager(self) -> LogManager:
        """The logs of this broker."""
        ...

    @property
    def executors(self) -> Mapping[Path, LogDirExecutor]:
        """The executors of writes, by log directory."""
        ...

    @property
    def validation_threads(self) -> WorkerThreads:
        """Threads for batches that take long to validate."""
        ...

    @property
    def isr_rules(self) -> IsrRules:
        """The settings that decide on ISRs and high watermarks."""
        ...

    @property
    def topic_stats(self) -> TopicStats:
        """Counts changes of ISRs."""
        ...

    @property
    def alter_partition_manager(self) -> AlterPartitionManager | None:
        """Submits changes of ISRs; None if the broker is its own controller, and ISRs stay as they are."""
        ...

    refuses_log_append_time: bool
    """Whether every batch with the bit of LogAppendTime is refused."""
    last_batch: LastBatch | None
    """The last small batch that was appended while followers waited for it."""

    def is_alive(self, broker_id: int) -> bool:
        """Whether the metadata has that broker: the controller adds no other to an ISR."""
        ...

    def storage_failed(self, log: Log, error: Exception) -> None:
        """Report that a file of *log* could not be read or written."""
        ...


class LocalReplica(PendingWork):
    """One replica, whose partition this broker leads or follows."""

    __slots__ = (
        "below_min_isr",
        "executor",
        "follower",
        "follower_listeners",
        "high_watermark",
        "host",
        "leader",
        "leader_and_isr",
        "leader_epoch",
        "listeners",
        "log",
        "rules",
        "stats",
        "topic_id",
        "topic_partition",
        "validation_threads",
    )

    def __init__(
        self, topic_partition: TopicPartition, topic_id: bytes, log: Log, host: PartitionHost, high_watermark: int
    ) -> None:
        """A replica without a role; see `Partition.make_leader` and `Partition.make_follower`.

        *high_watermark* is the one of the checkpoint; it is limited to the offsets of *log*.
        """
        super().__init__()
        self.topic_partition = topic_partition
        self.topic_id = topic_id
        self.log = log
        self.host = host
        self.leader_and_isr: LeaderAndIsr | None = None
        """The newest state that the controller has decided, or has confirmed, None before the first."""
        self.leader_epoch = -1
        self.leader: LeaderState | None = None
        """Set while this broker is the leader."""
        self.follower: FollowerState | None = None
        """Set while this broker is a follower."""
        self.rules = append_rules(log.config, refuses_log_append_time=host.refuses_log_append_time)
        self.high_watermark = min(max(high_watermark, log.log_start_offset), log.log_end_offset)
        log.producer_state_manager.on_high_watermark_updated(self.high_watermark)
        self.listeners: set[PartitionListener] = set()
        """Each is called at one change, and then removed; see `notify_listeners`."""
        self.follower_listeners: set[LogEndListener] = set()
        """As `listeners`, of those that read to the log end: they are called when records are appended, too."""
        self.executor = host.executors[log.directory.parent]
        self.validation_threads = host.validation_threads
        self.stats = PartitionStats()
        self.below_min_isr = False
        """Whether acks=all is refused: fewer replicas are in sync than `min.insync.replicas` asks for."""

    @property
    def role(self) -> LeaderState | FollowerState | None:
        """The role of this broker; None before the first LeaderAndIsr, and while a role begins."""
        return self.leader or self.follower

    def update_high_watermark(self, offset: int) -> None:
        """Set the high watermark, and call the listeners if it has changed.

        Readers to the log end are told without being woken, and stay listeners: they get no more records by it.
        """
        if offset != self.high_watermark:
            self.high_watermark = offset
            self.log.producer_state_manager.on_high_watermark_updated(offset)
            self._notify_consumers()
            for listener in self.follower_listeners:
                listener.high_watermark_changed()

    def notify_listeners(self) -> None:
        """Call the listeners, as a Fetch may have another response now, and remove them.

        To be called after every such change: of the high watermark, last stable offset, log start or leader epoch, of
        the configuration, and when the log fails or the partition is not served any more.
        """
        self._notify_consumers()
        if self.follower_listeners:
            self._notify_follower_listeners()

    def _notify_consumers(self) -> None:
        listeners = self.listeners
        if listeners:
            self.listeners = set()
            for listener in listeners:
                listener.partition_changed()

    def _notify_follower_listeners(self) -> None:
        listeners, self.follower_listeners = self.follower_listeners, set()
        for listener in listeners:
            listener.partition_changed()

    def check_leader_epoch(self, current_leader_epoch: int) -> None:
        """Check the leader epoch that a client knows (KIP-320); -1 means that the request has none.

        Raises:
            PartitionError: FENCED_LEADER_EPOCH or UNKNOWN_LEADER_EPOCH.
        """
        if current_leader_epoch < 0 or current_leader_epoch == self.leader_epoch:
            return
        if current_leader_epoch < self.leader_epoch:
            raise PartitionError(ErrorCode.FENCED_LEADER_EPOCH)
        raise PartitionError(ErrorCode.UNKNOWN_LEADER_EPOCH)

    def check_leader(self, current_leader_epoch: int) -> LeaderState:
        """Return the role of the leader, after `check_leader_epoch`.

        Raises:
            PartitionError: FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, NOT_LEADER_OR_FOLLOWER.
        """
        self.check_leader_epoch(current_leader_epoch)
        if self.leader is None:
            raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        return self.leader

    @property
    def last_stable_offset(self) -> int:
        """The end for read_committed consumers: the first offset of an open transaction, or the high watermark."""
        return self.log.reader.last_stable_offset(self.high_watermark)

    def read(
        self, offset: int, max_bytes: int, *, committed: bool, to_log_end: bool, min_one_batch: bool
    ) -> ReadResult:
        """Return a range of the log from the batch that holds *offset* on, and the offsets of the partition.

        It does not wait.  If a segment has to be scanned before its records can be served, which may take seconds, the
        result holds that scan and no records.

        Args:
            committed: stop at the last stable offset (isolation level read_committed).
            to_log_end: read records that are not committed, too, as followers do.
            min_one_batch: return the first batch even when it is larger than *max_bytes*.

        Raises:
            PartitionError: OFFSET_OUT_OF_RANGE, CORRUPT_MESSAGE, KAFKA_STORAGE_ERROR, UNKNOWN_TOPIC_OR_PARTITION.
        """
        reader = self.log.reader
        _, _, _, _, log_start_offset, log_end_offset, unstable = reader.published
        high_watermark = self.high_watermark
        stable = high_watermark if unstable is None else reader.last_stable_offset(high_watermark)
        bound = log_end_offset if to_log_end else stable if committed else high_watermark
        try:
            records = reader.read(offset, max_bytes, bound, min_one_batch, False)
            aborted = None
            if committed:
                aborted = reader.aborted_transactions(offset, records, may_wait=False) if records.size_bytes else []
        except ScanRequired as required:
            return ReadResult(NOTHING, high_watermark, stable, log_start_offset, None, required.scan)
        except SegmentReplaced:
            return self.read(offset, max_bytes, committed=committed, to_log_end=to_log_end, min_one_batch=min_one_batch)
        except LogError as error:
            if isinstance(error, StorageError):
                self.host.storage_failed(self.log, error)
            raise to_partition_error(error) from error
        return ReadResult(records, high_watermark, stable, log_start_offset, aborted, None)

    def find_timestamp(self, timestamp: int, pause: Callable[[], None] | None = None) -> tuple[int, int, int] | None:
        """Return (timestamp, offset, leader epoch) of the first record at or after *timestamp*; in any thread.

        *pause* is called every few milliseconds.

        Raises:
            PartitionError: CORRUPT_MESSAGE, KAFKA_STORAGE_ERROR, UNKNOWN_TOPIC_OR_PARTITION.
        """
        with translated_errors():
            return self.log.reader.find_timestamp(timestamp, pause)

    def find_max_timestamp(self, pause: Callable[[], None] | None = None) -> tuple[int, int, int] | None:
        """Return the same as `find_timestamp`, of the first record with the largest timestamp."""
        with translated_errors():
            return self.log.reader.find_max_timestamp(pause)

    def segment_starts(self) -> list[tuple[int, int]]:
        """Return (first offset, time of the last change) of the segments; see `LogReader`.  Raises PartitionError."""
        with translated_errors():
            return self.log.reader.segment_starts()

    @property
    def is_replicated(self) -> bool:
        """Whether this broker leads a partition that has other replicas."""
        return self.leader is not None and bool(self.leader.remote_replicas)

    @property
    def alone_below_min_isr(self) -> bool:
        """Whether only this replica is in sync, which is fewer than min.insync.replicas: no other is to be awaited."""
        return self.below_min_isr and self.leader_and_isr is not None and len(self.leader_and_isr.isr) == 1

    @property
    def refuses_coordinator_records(self) -> bool:
        """Whether records of a coordinator, which need acks=all, would be refused with NOT_ENOUGH_REPLICAS now."""
        return self.below_min_isr and self.is_replicated

    def validate_coordinator_append(
        self, producer_id: int, producer_epoch: int, verification_guard: VerificationGuard | None
    ) -> None:
        """Raise PartitionError unless a coordinator may write for this producer."""
        with translated_errors():
            self.log.producer_state_manager.validate_coordinator_append(producer_id, producer_epoch, verification_guard)

    async def run_on_executor(self, work: Callable[[], T]) -> T:
        """Run *work*, which changes files of this log, in the thread of its directory, in order with its writes.

        Raises what *work* raises, LogError too.
        """
        try:
            result: T = await self.executor.submit(WorkKind.DISK, self, work)
        except LogError:
            self.notify_listeners()  # the log may be out of service
            raise
        return result

    async def run_in_order(self, work: Callable[[], T]) -> T:
        """Run *work*, which touches no file, in order with this log's writes: at once, if none waits or runs."""
        if not self.queued:
            return work()
        result: T = await self.executor.submit(WorkKind.MEMORY, self, work)
        return result
