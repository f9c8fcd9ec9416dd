"""Reads of a Fetch request: one pass over its partitions under its limits, with the response data of each.

The pass is synchronous, so that the data of all partitions is of one moment, unless the request is a large one.
Segments that require a scan before their records can be served are scanned in a thread, and the pass is repeated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import trio

from wirebroker.model import DEBUGGING_REPLICA_ID, FUTURE_REPLICA_ID, READ_COMMITTED
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.fetch import AbortedTransaction, EpochEndOffset, PartitionData
from wirebroker.record.compression import Codec
from wirebroker.replication.fetch_results import FetchResults, partition_error, records_size
from wirebroker.replication.replica_selector import NO_REPLICA, preferred_read_replica
from wirebroker.storage.log_slice import LogSlice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.protocol.messages.fetch import FetchPartition
    from wirebroker.quota.replication_quota import ReplicationQuota
    from wirebroker.replication.fetch_params import FetchParams
    from wirebroker.replication.fetch_session import CachedPartition
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.segment_scans import SegmentScans
    from wirebroker.storage.errors import SegmentScan

_ONE_BATCH_SINCE: Final = 3
"""Before this version the limit of a partition holds for its first batch, too; see fetch_down_conversion.py."""
FORMAT_2_SINCE: Final = 4
_STORAGE_ERROR_SINCE: Final = 6
_ZSTD_SINCE: Final = 10
_FROM_FOLLOWERS_SINCE: Final = 11
"""KIP-392."""
_TOPIC_IDS_SINCE: Final = 13
_NEGLIGIBLE_PART: Final = 64
"""A response is full when a batch does not fit and less than this part of max_bytes is left: to look for a smaller
batch in a thousand more partitions costs 10 us each."""
_NOT_DIVERGING: Final = PartitionData().diverging_epoch


class FetchSource(Protocol):
    """The ReplicaManager, as far as a FetchReader needs it."""

    @property
    def metadata(self) -> MetadataCache:
        """Resolves topic ids."""
        ...

    @property
    def scans(self) -> SegmentScans:
        """Runs the scans that segments require before they are read."""
        ...

    @property
    def leader_quota(self) -> ReplicationQuota | None:
        """The limit of bytes that throttled followers are sent; None without followers."""
        ...

    @property
    def selects_by_rack(self) -> bool:
        """Whether consumers are sent to followers in their rack."""
        ...

    @property
    def serves_debugging_from_followers(self) -> bool:
        """Whether requests with replica id -2 read from followers at every version."""
        ...

    @property
    def get(self) -> Callable[[str, int], Partition]:
        """Return a partition by topic and number; raises PartitionError."""
        ...


class FetchReader:
    """Reads partitions for one Fetch request."""

    __slots__ = (
        "_by_id",
        "_committed",
        "_follower",
        "_is_checked",
        "_quota",
        "_rack",
        "_reached_segment_end",
        "_replicas",
        "_required_scans",
        "_to_log_end",
        "_updates_follower",
        "_waits_for_scan",
        "params",
    )

    def __init__(
        self,
        replicas: FetchSource,
        params: FetchParams,
        *,
        updates_follower: bool = True,
    ) -> None:
        """Read for a request with *params*; without *updates_follower* the leader knows how far the follower is."""
        self.params = params
        self._replicas = replicas
        self._to_log_end = params.replica_id >= 0 or params.replica_id == FUTURE_REPLICA_ID
        self._committed = params.isolation_level == READ_COMMITTED and not self._to_log_end
        self._follower = params.replica_id if params.replica_id >= 0 else None
        self._quota = None if self._follower is None else replicas.leader_quota
        self._rack = params.rack_id if replicas.selects_by_rack and not self._to_log_end else ""
        self._updates_follower = updates_follower and self._follower is not None
        """Whether a read is the first one of the request, which tells the leader how far the follower is."""
        self._by_id = params.version >= _TOPIC_IDS_SINCE
        self._is_checked = params.replica_id >= 0 or params.version < _ZSTD_SINCE
        self._reached_segment_end = False
        self._waits_for_scan = False
        self._required_scans: list[SegmentScan] = []

    async def read(self, entries: Iterable[CachedPartition]) -> FetchResults:
        """Read *entries* one after the other, together within the request's max_bytes; waits only for scans."""
        while True:
            results = self._read_all(entries)
            if await self.ends_pass():
                return results

    def read_part(self, entries: Iterable[CachedPartition], results: FetchResults) -> None:
        """Read *entries* behind those in *results*: a part of a pass, at whose end `ends_pass` is asked."""
        self._read_all(entries, results)

    async def ends_pass(self) -> bool:
        """Return whether all is read; if not, run the scans that the pass requires, after which it is repeated."""
        if not self._required_scans:
            self._updates_follower = False
            return True
        await self._run_scans()
        return False

    async def read_one(self, entry: CachedPartition) -> PartitionData:
        """Read one partition as if it were the only one of the request."""
        while True:
            data = self._read(entry, self.params.max_bytes, True)
            if not self._required_scans:
                return data
            await self._run_scans()

    def read_now(self, entries: Iterable[CachedPartition]) -> FetchResults:
        """Read as `read`, without waiting: a partition that requires a scan has no records in the results.

        Then the request is complete, and the scan is left to the next one.
        """
        results = self._read_all(entries)
        if self._required_scans:
            self._required_scans, self._waits_for_scan = [], True
        return results

    def read_one_now(self, entry: CachedPartition) -> PartitionData:
        """Read as `read_one`, and without waiting as `read_now`."""
        data = self._read(entry, self.params.max_bytes, True)
        if self._required_scans:
            self._required_scans, self._waits_for_scan = [], True
        return data

    async def _run_scans(self) -> None:
        """Run the scans that the last pass requires; then the pass is to be repeated."""
        required, self._required_scans = self._required_scans, []
        for scan in required:
            await self._replicas.scans.run(scan)

    def is_complete(self, results: FetchResults) -> bool:
        """Whether the request can be answered now: with an error, with enough records, or with all of a segment.

        Records at the end of a segment that is not appended to any more are as many as they will ever be.
        """
        return (
            results.records_bytes >= self.params.min_bytes
            or results.has_error
            or self._reached_segment_end
            or self._waits_for_scan
        )

    def _read_all(self, entries: Iterable[CachedPartition], results: FetchResults | None = None) -> FetchResults:
        """Read *entries* behind those in *results*."""
        max_bytes = left_bytes = self.params.max_bytes
        hard_limit = self.params.version < _ONE_BATCH_SINCE
        min_one_batch = True
        if results is None:
            results = FetchResults()
        elif results.records_bytes:
            left_bytes, min_one_batch = max(0, max_bytes - results.records_bytes), hard_limit
        by_partition, read = results.by_partition, self._read
        negligible_bytes = max_bytes // _NEGLIGIBLE_PART
        for entry in entries:
            data = by_partition[entry] = read(entry, left_bytes, min_one_batch)
            records = data.records
            if isinstance(records, LogSlice):
                results.records_bytes += records.size_bytes
                left_bytes = max(0, max_bytes - results.records_bytes)
                min_one_batch = hard_limit
            elif data.error_code or data.diverging_epoch is not _NOT_DIVERGING or data.preferred_read_replica >= 0:
                results.has_error = True
            elif 0 < left_bytes < negligible_bytes and self._is_full(entry, data, results):
                left_bytes = 0
        return results

    def _is_full(self, entry: CachedPartition, data: PartitionData, results: FetchResults) -> bool:
        """Whether *results* have min_bytes, and the first batch of *entry* did not fit behind them."""
        return results.records_bytes >= self.params.min_bytes and not self.params.is_caught_up(entry, data)

    def _read(self, entry: CachedPartition, left_bytes: int, min_one_batch: bool) -> PartitionData:
        """Read one partition; return its part of the response, with records of *left_bytes* at most."""
        requested = entry.requested
        try:
            partition = entry.partition = self._find(entry)
            partition.stats.fetch_requests += 1
            leader_epoch = requested.current_leader_epoch
            if (
                self._is_checked
                or partition.leader is None
                or (leader_epoch >= 0 and leader_epoch != partition.leader_epoch)
            ):
                self._check(partition, requested)
            if requested.last_fetched_epoch >= 0:
                diverging = _diverging_epoch(partition, requested)
                if diverging is not None:
                    return diverging
            if self._to_log_end:
                entry.reads_to_log_end = True
                if self._updates_follower:
                    self._update_follower(partition, requested)
                if self._quota is not None and self._is_held_back(partition, self._quota):
                    left_bytes, min_one_batch = 0, False
            elif self._rack:
                preferred = self._preferred_replica(partition, requested)
                if preferred is not None:
                    return preferred
            max_bytes = requested.partition_max_bytes
            result = partition.read(
                requested.fetch_offset,
                max_bytes if max_bytes < left_bytes else left_bytes,
                committed=self._committed,
                to_log_end=self._to_log_end,
                min_one_batch=min_one_batch,
            )
        except ApiError as fault:
            return partition_error(requested.partition, self._code(fault.code))
        records, high_watermark, stable, log_start_offset, aborted, scan = result
        if not records.size_bytes:
            if scan is not None:
                self._required_scans.append(scan)
            return PartitionData(
                requested.partition,
                0,
                high_watermark,
                stable,
                log_start_offset,
                aborted_transactions=None if aborted is None else [],
                records=b"",
            )
        if records.segment is not partition.log.reader.published[1]:
            self._reached_segment_end = True
        return PartitionData(
            requested.partition,
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
            return self._replicas.get(name, entry.requested.partition)
        topic = self._replicas.metadata.image.topic_by_id(topic_id)
        if topic is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_ID)
        partition = self._replicas.get(topic.name, entry.requested.partition)
        if partition.topic_id != topic_id:  # the image and the partitions change one after the other
            raise ApiError(ErrorCode.INCONSISTENT_TOPIC_ID)
        return partition

    def _check(self, partition: Partition, requested: FetchPartition) -> None:
        """Raise ApiError if the request may not read the partition, whatever is in the log."""
        version = self.params.version
        if version < _ZSTD_SINCE:  # Apache Kafka has the settings of the log replace any other error
            if partition.rules.codec is Codec.ZSTD:
                raise ApiError(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)
            is_converted = version < FORMAT_2_SINCE and self._follower is None
            if is_converted and not partition.log.config.message_downconversion_enable:
                raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
        leader_epoch = requested.current_leader_epoch
        if leader_epoch >= 0 and leader_epoch != partition.leader_epoch:
            partition.check_leader_epoch(leader_epoch)
        leader = partition.leader
        if leader is None and (
            partition.follower is None
            or self._follower is not None
            or not (self._to_log_end or version >= _FROM_FOLLOWERS_SINCE or self._is_debugging_follower())
        ):
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        if leader is not None and self._follower is not None and self._follower not in leader.remote_replicas:
            # A broker that knows the leader epoch is told that the pair of replica and epoch is unknown, an older one
            # that it asks the wrong broker (as Apache Kafka 3.9.1 does).
            raise ApiError(ErrorCode.UNKNOWN_LEADER_EPOCH if leader_epoch >= 0 else ErrorCode.NOT_LEADER_OR_FOLLOWER)

    def _is_debugging_follower(self) -> bool:
        """Return whether a tool that compares replicas asks, in a cluster where its version may ask followers."""
        return self.params.replica_id == DEBUGGING_REPLICA_ID and self._replicas.serves_debugging_from_followers

    def _update_follower(self, partition: Partition, requested: FetchPartition) -> None:
        """Note how far the follower is, before its records are read: the response has the newest high watermark."""
        log = partition.log
        if log.log_start_offset <= requested.fetch_offset <= log.log_end_offset:
            assert self._follower is not None
            partition.update_follower_fetch_state(
                self._follower, requested.fetch_offset, requested.log_start_offset, log.log_end_offset
            )

    def _is_held_back(self, partition: Partition, quota: ReplicationQuota) -> bool:
        """Return whether the follower gets no records now: it is throttled, not in sync, and the quota is used up."""
        return (
            quota.limit is not None
            and partition.leader is not None
            and self._follower not in partition.leader.partition_state.isr
            and is_throttled(partition, quota)
            and quota.is_exceeded(monotonic_ms())
        )

    def _preferred_replica(self, partition: Partition, requested: FetchPartition) -> PartitionData | None:
        """Return the response that sends a consumer to a follower in its rack; None if it reads here."""
        leader = partition.leader
        if leader is None or not leader.remote_replicas:
            return None
        brokers = self._replicas.metadata.image.brokers
        follower = preferred_read_replica(self._rack, leader, brokers, requested.fetch_offset, trio.current_time())
        if follower == NO_REPLICA:
            return None
        return PartitionData(
            requested.partition,
            0,
            partition.high_watermark,
            partition.last_stable_offset,
            partition.log.log_start_offset,
            aborted_transactions=None,
            preferred_read_replica=follower,
            records=b"",
        )

    def _code(self, code: int) -> int:
        if code == ErrorCode.KAFKA_STORAGE_ERROR and self.params.version < _STORAGE_ERROR_SINCE:
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        return code


def monotonic_ms() -> int:
    """Return the time of the event loop's clock, for quotas."""
    return int(trio.current_time() * 1000)


def is_throttled(partition: Partition, quota: ReplicationQuota) -> bool:
    """Return whether the settings of the topic name this leader among the throttled replicas of *partition*."""
    return quota.is_throttled(
        partition.log.config.leader_replication_throttled_replicas, partition.topic_partition.partition
    )


def record_throttled_bytes(quota: ReplicationQuota, results: FetchResults) -> None:
    """Count the bytes of a response to a follower, of its throttled partitions, in sync or not."""
    size_bytes = 0
    for entry, data in results.by_partition.items():
        if data.records and entry.partition is not None and is_throttled(entry.partition, quota):
            size_bytes += records_size(data.records)
    if size_bytes:
        quota.record(size_bytes, monotonic_ms())


def _diverging_epoch(partition: Partition, requested: FetchPartition) -> PartitionData | None:
    """Return the diverging epoch if the client has other records than this log (KIP-595), else None.

    Raises:
        ApiError: the epoch that it fetched last is none of ours, or the log begins behind the offset that it asks for.
    """
    epoch, end_offset = partition.log.end_offset_for_epoch(requested.last_fetched_epoch)
    if epoch < 0 or requested.fetch_offset < partition.log.log_start_offset:
        raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE)
    if epoch == requested.last_fetched_epoch and end_offset >= requested.fetch_offset:
        return None
    return PartitionData(
        partition_index=requested.partition,
        high_watermark=partition.high_watermark,
        last_stable_offset=partition.last_stable_offset,
        log_start_offset=partition.log.log_start_offset,
        diverging_epoch=EpochEndOffset(epoch, end_offset),
        aborted_transactions=None,
        records=b"",
    )
