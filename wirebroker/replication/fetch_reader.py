"""Read the partitions of a Fetch request: one pass over them under the request's limits, and what each is answered.

The pass is synchronous, so that all answers are of one moment.  A log that has to be scanned before it can tell which
transactions were aborted is scanned in a thread, and the pass begins anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.protocol.messages.fetch import AbortedTransaction, EpochEndOffset, PartitionData
from wirebroker.protocol.primitives import BUFFERS
from wirebroker.record.compression import Codec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.protocol.messages.fetch import FetchPartition
    from wirebroker.protocol.primitives import RecordData
    from wirebroker.replication.fetch_session import CachedPartition
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager

_READ_COMMITTED: Final = 1
_DEBUGGING_CONSUMER: Final = -2
_ONE_BATCH_SINCE: Final = 3
"""Before it a partition's limit holds for the first batch, too; see handlers/fetch_down_conversion.py."""
_FORMAT_2_SINCE: Final = 4
_STORAGE_ERROR_SINCE: Final = 6
_ZSTD_SINCE: Final = 10
_TOPIC_IDS_SINCE: Final = 13
_NOT_DIVERGING: Final = PartitionData().diverging_epoch


class FetchAnswers:
    """What each partition is answered, in the order of the response."""

    __slots__ = ("of", "records_bytes", "unwaitable")

    def __init__(self) -> None:
        self.of: dict[CachedPartition, PartitionData] = {}
        self.records_bytes = 0
        self.unwaitable = False
        """A partition has an error or a diverging epoch, which clients are told at once."""

    def put(self, entry: CachedPartition, answer: PartitionData) -> None:
        """Set the answer for one partition; one that is new comes last."""
        before = self.of.get(entry)
        if before is not None and before.records:
            self.records_bytes -= _size_bytes(before.records)
        self.of[entry] = answer
        if answer.records:
            self.records_bytes += _size_bytes(answer.records)
        elif answer.error_code or answer.diverging_epoch.epoch >= 0:
            self.unwaitable = True


def _size_bytes(records: RecordData) -> int:
    return len(records) if isinstance(records, BUFFERS) else records.size_bytes


class FetchParams(NamedTuple):
    """What a Fetch request asks for, apart from its partitions."""

    version: int
    replica_id: int
    """-1 a consumer, -2 a consumer that may read to the log end, from 0 on the follower on that broker."""
    isolation_level: int
    max_wait_ms: int
    min_bytes: int
    max_bytes: int

    @property
    def is_committed(self) -> bool:
        """Records of transactions that are not decided are held back."""
        return self.isolation_level == _READ_COMMITTED


class FetchReader:
    """Reads partitions for one request."""

    __slots__ = (
        "_by_id",
        "_committed",
        "_debugging",
        "_is_checked",
        "_metadata",
        "_reached_segment_end",
        "_replicas",
        "params",
    )

    def __init__(self, replicas: ReplicaManager, metadata: MetadataCache, params: FetchParams) -> None:
        self.params = params
        self._replicas = replicas
        self._metadata = metadata
        self._committed = params.is_committed
        self._debugging = params.replica_id == _DEBUGGING_CONSUMER
        self._by_id = params.version >= _TOPIC_IDS_SINCE
        self._is_checked = params.replica_id >= 0 or params.version < _ZSTD_SINCE
        self._reached_segment_end = False

    async def read(self, entries: Iterable[CachedPartition]) -> FetchAnswers:
        """Read *entries* one after the other, together within the request's max_bytes."""
        return await self._replicas.after_scans(lambda: self._read_all(entries))

    async def read_one(self, entry: CachedPartition) -> PartitionData:
        """Read one partition as if the request named no other."""
        return await self._replicas.after_scans(lambda: self._read(entry, self.params.max_bytes, True))

    def is_complete(self, answers: FetchAnswers) -> bool:
        """Whether there is enough to answer with, or something that clients are told at once.

        Records out of a segment that is not appended to any more are as many as they will ever be.
        """
        return answers.unwaitable or self._reached_segment_end or answers.records_bytes >= self.params.min_bytes

    def has_nothing_for(self, entry: CachedPartition, answer: PartitionData) -> bool:
        """Whether *answer*, read just now, stays true until the partition changes: no records, no error."""
        if answer.records or answer.error_code or answer.diverging_epoch.epoch >= 0:
            return False
        return entry.asked.fetch_offset >= (answer.last_stable_offset if self._committed else answer.high_watermark)

    def _read_all(self, entries: Iterable[CachedPartition]) -> FetchAnswers:
        max_bytes = left_bytes = self.params.max_bytes
        hard_limit = self.params.version < _ONE_BATCH_SINCE
        answers = FetchAnswers()
        of, read = answers.of, self._read
        min_one_batch = True
        for entry in entries:
            answer = read(entry, left_bytes, min_one_batch)
            if answer.records or answer.error_code or answer.diverging_epoch is not _NOT_DIVERGING:
                answers.put(entry, answer)
                left_bytes = max(0, max_bytes - answers.records_bytes)
                min_one_batch = hard_limit or not answers.records_bytes
            else:
                of[entry] = answer
        return answers

    def _read(self, entry: CachedPartition, left_bytes: int, min_one_batch: bool) -> PartitionData:
        """What one partition is answered; its part in the response has *left_bytes* at most."""
        asked = entry.asked
        try:
            partition = entry.partition = self._find(entry)
            leader_epoch = asked.current_leader_epoch
            if self._is_checked or (leader_epoch >= 0 and leader_epoch != partition.leader_epoch):
                self._check(partition, asked)
            if asked.last_fetched_epoch >= 0:
                diverging = _diverging_epoch(partition, asked)
                if diverging is not None:
                    return diverging
            max_bytes = asked.partition_max_bytes
            result = partition.read(
                asked.fetch_offset,
                max_bytes if max_bytes < left_bytes else left_bytes,
                committed=self._committed,
                debugging=self._debugging,
                min_one_batch=min_one_batch,
            )
        except ApiError as fault:
            return partition_error(asked.partition, self._code(fault.code))
        records, high_watermark, stable, log_start_offset, aborted = result
        if not records.size_bytes:
            return PartitionData(
                asked.partition,
                0,
                high_watermark,
                stable,
                log_start_offset,
                aborted_transactions=None if aborted is None else [],
                records=b"",
            )
        if records.segment_base_offset != partition.log.published[1].base_offset:
            self._reached_segment_end = True
        return PartitionData(
            asked.partition,
            0,
            high_watermark,
            stable,
            log_start_offset,
            aborted_transactions=None if aborted is None else [AbortedTransaction(*each) for each in aborted],
            records=records,
        )

    def _find(self, entry: CachedPartition) -> Partition:
        name, topic_id = entry.topic
        if not self._by_id:
            return self._replicas.get(name, entry.asked.partition)
        topic = self._metadata.image.topic_by_id(topic_id)
        if topic is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_ID)
        partition = self._replicas.get(topic.name, entry.asked.partition)
        if partition.topic_id != topic_id:  # the image and the partitions change one after the other
            raise ApiError(ErrorCode.INCONSISTENT_TOPIC_ID)
        return partition

    def _check(self, partition: Partition, asked: FetchPartition) -> None:
        """Raise ApiError for what the request may not read, whatever is in the log."""
        leader_epoch = asked.current_leader_epoch
        if leader_epoch >= 0 and leader_epoch != partition.leader_epoch:
            partition.check_leader_epoch(leader_epoch)
        if self.params.replica_id >= 0:
            # No replica is a follower of this one.  A client that knows the leader epoch is told that the pair of
            # replica and epoch is unknown, an older one that it asks the wrong broker (as Apache Kafka 3.9.1 does).
            raise ApiError(ErrorCode.UNKNOWN_LEADER_EPOCH if leader_epoch >= 0 else ErrorCode.NOT_LEADER_OR_FOLLOWER)
        version = self.params.version
        if version < _ZSTD_SINCE:
            if partition.rules.codec is Codec.ZSTD:
                raise ApiError(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)
            if version < _FORMAT_2_SINCE and not partition.log.config.message_downconversion_enable:
                raise ApiError(ErrorCode.UNSUPPORTED_VERSION)

    def _code(self, code: int) -> int:
        if code == ErrorCode.KAFKA_STORAGE_ERROR and self.params.version < _STORAGE_ERROR_SINCE:
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        return code


def _diverging_epoch(partition: Partition, asked: FetchPartition) -> PartitionData | None:
    """Tell a client that its log has other records than ours behind some offset (KIP-595); None if it has not.

    Raises:
        ApiError: the epoch that it fetched last is none of ours.
    """
    epoch, end_offset = partition.log.end_offset_for_epoch(asked.last_fetched_epoch)
    if epoch < 0:
        raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE)
    if epoch == asked.last_fetched_epoch and end_offset >= asked.fetch_offset:
        return None
    return PartitionData(
        partition_index=asked.partition,
        high_watermark=partition.high_watermark,
        last_stable_offset=partition.last_stable_offset,
        log_start_offset=partition.log.log_start_offset,
        diverging_epoch=EpochEndOffset(epoch, end_offset),
        aborted_transactions=None,
        records=b"",
    )


_UNREAD: Final = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
        ErrorCode.UNSUPPORTED_VERSION,
        ErrorCode.UNKNOWN_SERVER_ERROR,
    }
)
"""Refusals without a look at the log, which have an empty list of aborted transactions (seen on 3.9.1)."""

_NULL_RECORDS: Final = frozenset({ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, ErrorCode.UNSUPPORTED_VERSION})


def partition_error(index: int, code: int) -> PartitionData:
    """The answer for a partition that cannot be read."""
    return PartitionData(
        partition_index=index,
        error_code=code,
        high_watermark=-1,
        last_stable_offset=-1,
        log_start_offset=-1,
        aborted_transactions=[] if code in _UNREAD else None,
        records=None if code in _NULL_RECORDS else b"",
    )
