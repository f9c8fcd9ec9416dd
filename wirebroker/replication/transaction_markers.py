"""The second phase of a transaction: a control batch with the decision, at the end of every partition it wrote to.

A marker is appended as a coordinator's write (KIP-98): an older producer epoch is refused with INVALID_PRODUCER_EPOCH,
an older coordinator epoch with TRANSACTION_COORDINATOR_FENCED.  A transaction of version 2 (KIP-890) has an epoch of
its own, and its marker carries the next one: one that carries the data's is late, from before the data (KIP-1228).  A
marker for a partition in which the producer has nothing open is written all the same; it is what a coordinator sends
that does not know whether the first one arrived.

Offsets that the transaction has committed lie in `__consumer_offsets`; whoever coordinates their groups is told when
the marker is in.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from wirebroker.clock import now_ms
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.control import build_marker
from wirebroker.record.record_batch import LOG_APPEND_TIME, RecordBatch
from wirebroker.record.rewrite import with_timestamp
from wirebroker.storage.producer_state import AppendOrigin

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from wirebroker.model import TopicPartition
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager

logger = logging.getLogger(__name__)

OFFSETS_TOPIC = "__consumer_offsets"
_EPOCH_PER_TRANSACTION = 2


class TransactionMarkers:
    """Writes markers into partitions that this broker leads.

    Args:
        replicas: where the partitions are.
        offsets_decided: told (partition of __consumer_offsets, producer id, committed) when a marker is in its log.
    """

    def __init__(self, replicas: ReplicaManager, offsets_decided: Callable[[int, int, bool], Awaitable[None]]) -> None:
        self._replicas = replicas
        self._offsets_decided = offsets_decided

    async def write(
        self,
        producer_id: int,
        producer_epoch: int,
        coordinator_epoch: int,
        committed: bool,
        partitions: Iterable[TopicPartition],
        transaction_version: int = 0,
    ) -> dict[TopicPartition, ErrorCode]:
        """End a transaction in these partitions; each succeeds or fails alone, and says how."""
        time_ms = now_ms()
        data = build_marker(
            committed=committed,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            coordinator_epoch=coordinator_epoch,
            timestamp=time_ms,
        )
        results: dict[TopicPartition, ErrorCode] = {}
        for at in partitions:
            try:
                partition = self._replicas.get(at.topic, at.partition)
                if partition.rules.magic < 2:
                    raise ApiError(ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, "its format has no transactions")
                if transaction_version >= _EPOCH_PER_TRANSACTION:
                    _refuse_late(partition, producer_id, producer_epoch)
                batch = RecordBatch.parse(bytearray(data))
                if partition.rules.log_append_time:
                    with_timestamp(batch, batch.attributes | LOG_APPEND_TIME, time_ms)
                await partition.append_batch(batch, time_ms, AppendOrigin.COORDINATOR)
                if at.topic == OFFSETS_TOPIC:
                    await self._offsets_decided(at.partition, producer_id, committed)
            except ApiError as fault:
                logger.info("topic=%s partition=%d: no marker: %s %s", *at, fault.code.name, fault.detail)
                results[at] = fault.code
            else:
                results[at] = ErrorCode.NONE
        return results


def _refuse_late(partition: Partition, producer_id: int, producer_epoch: int) -> None:
    entry = partition.log.producers.entries.get(producer_id)
    if entry is not None and entry.epoch == producer_epoch and entry.current_txn_first_offset >= 0:
        raise ApiError(ErrorCode.INVALID_PRODUCER_EPOCH, f"epoch {producer_epoch} has a transaction of its own open")
