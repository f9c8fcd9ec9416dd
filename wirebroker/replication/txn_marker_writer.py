"""TxnMarkerWriter: appends the control batch that ends a transaction to the partitions that it wrote to.

A marker is appended as a coordinator's write (KIP-98): an older producer epoch is refused with INVALID_PRODUCER_EPOCH,
an older coordinator epoch with TRANSACTION_COORDINATOR_FENCED.  A transaction of version 2 (KIP-890) has an epoch of
its own, and its marker carries the next epoch: a marker with the epoch of the data is late, it ends an earlier
transaction (KIP-1228).  A marker for a partition in which the producer has no open transaction is written, too: a
coordinator sends it again when it does not know whether the first one arrived.

Markers have acks=all: a partition's code is known when all of its in-sync replicas have the marker.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.clock import now_ms
from wirebroker.loop_budget import LoopBudget
from wirebroker.model import GROUP_METADATA_TOPIC_NAME, TransactionVersion
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.record.control import build_marker
from wirebroker.record.record_batch import LOG_APPEND_TIME, RecordBatch
from wirebroker.record.rewrite import with_timestamp
from wirebroker.replication.commit_wait import wait_until_committed
from wirebroker.storage.producer_state_manager import AppendOrigin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wirebroker.model import TopicPartition
    from wirebroker.replication.leader_state import LeaderState
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager

logger = logging.getLogger(__name__)


class TxnMarker(NamedTuple):
    """The end of one transaction, as its coordinator sends it to partitions."""

    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    """Leader epoch of the coordinator's partition of __transaction_state."""
    committed: bool
    transaction_version: int = TransactionVersion.TV_0


class _Uncommitted(NamedTuple):
    """A marker in the log of one partition that not all in-sync replicas have."""

    at: TopicPartition
    partition: Partition
    leader: LeaderState
    end_offset: int


class RefusedMarkers:
    """The partitions that have refused the markers of one request: a line in the log for each error, not for each one.

    A request may name 100,000 partitions.
    """

    def __init__(self) -> None:
        self._first: dict[ErrorCode, tuple[TopicPartition, str | None]] = {}
        self._counts: Counter[ErrorCode] = Counter()

    def add(self, at: TopicPartition, fault: ApiError) -> None:
        """Count a refusal."""
        self._first.setdefault(fault.code, (at, fault.detail))
        self._counts[fault.code] += 1

    def log(self) -> None:
        """Log the refusals."""
        for code, (at, detail) in self._first.items():
            others = self._counts[code] - 1
            more = f" (and {others} more with this error)" if others else ""
            logger.info("topic=%s partition=%d: marker refused: %s %s%s", *at, code.name, detail, more)


class AppendedMarker(NamedTuple):
    """One marker in the logs of its partitions, as far as they took it."""

    codes: dict[TopicPartition, ErrorCode]
    """Those of the appends, and of `wait_until_committed` when that has returned."""
    uncommitted: list[_Uncommitted]

    async def wait_until_committed(self) -> dict[TopicPartition, ErrorCode]:
        """Wait until each partition's in-sync replicas have the marker; return the code of each partition."""
        for at, partition, leader, end_offset in self.uncommitted:
            self.codes[at] = await wait_until_committed(partition, leader, end_offset)
        return self.codes


class TxnMarkerWriter:
    """Writes markers to partitions that this broker leads.

    Args:
        replicas: the partitions.
        offsets_marker_written: called with (partition of __consumer_offsets, producer id, committed) when a marker is
            in that partition's log, for the group coordinator to apply the offsets committed in the transaction.
    """

    def __init__(self, replicas: ReplicaManager, offsets_marker_written: Callable[[int, int, bool], None]) -> None:
        self._replicas = replicas
        self._offsets_marker_written = offsets_marker_written

    async def write(self, marker: TxnMarker, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, ErrorCode]:
        """Write *marker* to each partition; each succeeds or fails alone, with the code that is returned for it."""
        refused = RefusedMarkers()
        appended = await self.append(marker, partitions, refused, LoopBudget())
        refused.log()
        return await appended.wait_until_committed()

    async def append(
        self, marker: TxnMarker, partitions: Iterable[TopicPartition], refused: RefusedMarkers, budget: LoopBudget
    ) -> AppendedMarker:
        """Append *marker* to the log of each partition, and wait for no other replica; add those that refuse it."""
        time_ms = now_ms()
        data = build_marker(
            committed=marker.committed,
            producer_id=marker.producer_id,
            producer_epoch=marker.producer_epoch,
            coordinator_epoch=marker.coordinator_epoch,
            timestamp=time_ms,
        )
        appended = AppendedMarker({}, [])
        for at in partitions:
            await budget.yield_if_due()
            try:
                partition = self._replicas.get(at.topic, at.partition)
                if partition.rules.magic < 2:
                    raise ApiError(ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, "message format has no transactions")
                if marker.transaction_version >= TransactionVersion.TV_2:
                    _refuse_late(partition, marker)
                batch = RecordBatch.parse(bytearray(data))
                if partition.rules.log_append_time:
                    with_timestamp(batch, batch.attributes | LOG_APPEND_TIME, time_ms)
                leader = partition.check_leader(-1)
                end = (await partition.append_batch(batch, time_ms, AppendOrigin.COORDINATOR)).last_offset + 1
                if at.topic == GROUP_METADATA_TOPIC_NAME:
                    self._offsets_marker_written(at.partition, marker.producer_id, marker.committed)
            except ApiError as fault:
                refused.add(at, fault)
                appended.codes[at] = fault.code
            else:
                appended.codes[at] = ErrorCode.NONE
                if partition.high_watermark < end:
                    appended.uncommitted.append(_Uncommitted(at, partition, leader, end))
        return appended


def _refuse_late(partition: Partition, marker: TxnMarker) -> None:
    entry = partition.log.producer_state_manager.entries.get(marker.producer_id)
    if entry is not None and entry.epoch == marker.producer_epoch and entry.current_txn_first_offset >= 0:
        raise ApiError(
            ErrorCode.INVALID_PRODUCER_EPOCH, f"epoch {marker.producer_epoch} has an open transaction of its own"
        )
