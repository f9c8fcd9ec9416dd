"""Appends of a shard's records to its partition, and the codes of appends that failed (Kafka: PartitionWriter)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.clock import now_ms
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.record.builder import build_keyed_batch
from wirebroker.record.record_batch import RecordBatch
from wirebroker.storage.errors import DiskFullError
from wirebroker.storage.producer_state_manager import AppendOrigin

if TYPE_CHECKING:
    from wirebroker.coordinator.shard import TransactionalWriter
    from wirebroker.coordinator.shard_context import ShardContext
    from wirebroker.coordinator.turn import CoordinatorRecord
    from wirebroker.storage.verification_guard import VerificationGuard


async def append_records(
    context: ShardContext,
    records: list[CoordinatorRecord],
    writer: TransactionalWriter | None,
    required_acks: int = -1,
) -> None:
    """Append *records* of a shard as one batch, in the transaction of *writer* if there is one.

    Tombstones for which one segment has no room become several batches: each of them is right without the others.
    Waits only if the partition's log directory does not write inline.

    Raises:
        ApiError: as `Partition.append_batch`; NOT_LEADER_OR_FOLLOWER if the leader epoch is not that of the shard any
            more; see `coordinator_code`.
    """
    batch, time_ms, verified = _build(context, records, writer)
    try:
        appended = await context.partition.append_batch(
            batch, time_ms, AppendOrigin.COORDINATOR, verified, required_acks
        )
    except ApiError as error:
        if error.code is not ErrorCode.RECORD_LIST_TOO_LARGE or not _may_split(records):
            raise
        half = len(records) // 2
        await append_records(context, records[:half], writer, required_acks)
        await append_records(context, records[half:], writer, required_acks)
    else:
        _appended(context, appended.last_offset + 1, required_acks)


def append_records_at_once(context: ShardContext, records: list[CoordinatorRecord], required_acks: int = -1) -> bool:
    """Append *records* as `append_records` if that need not wait; else return False, with nothing changed.

    Raises:
        ApiError: as `append_records`.
    """
    batch, time_ms, verified = _build(context, records, None)
    try:
        appended = context.partition.append_batch_at_once(
            batch, time_ms, AppendOrigin.COORDINATOR, verified, required_acks
        )
    except ApiError as error:
        if error.code is not ErrorCode.RECORD_LIST_TOO_LARGE or not _may_split(records):
            raise
        return False
    if appended is None:
        return False
    _appended(context, appended.last_offset + 1, required_acks)
    return True


def _appended(context: ShardContext, end: int, required_acks: int) -> None:
    """Let the replies of later results wait for records that end at *end*, if replicas can have them."""
    if required_acks or not context.partition.refuses_coordinator_records:
        context.deferred.last_written_offset = end


def _build(
    context: ShardContext, records: list[CoordinatorRecord], writer: TransactionalWriter | None
) -> tuple[RecordBatch, int, VerificationGuard | None]:
    """Return the batch, its timestamp, and what was verified of its producer."""
    if context.partition.leader_epoch != context.leader_epoch:
        raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    time_ms = now_ms()
    if writer is None:
        return RecordBatch.parse(build_keyed_batch(records, time_ms, codec=context.codec)), time_ms, None
    producer_id, producer_epoch, verified = writer
    batch = build_keyed_batch(records, time_ms, producer_id, producer_epoch, codec=context.codec)
    return RecordBatch.parse(batch), time_ms, verified


def _may_split(records: list[CoordinatorRecord]) -> bool:
    return len(records) > 1 and all(value is None for _, value in records)


def coordinator_code(error: Exception) -> ErrorCode:
    """The code of a failed append for clients of a coordinator (Kafka: CoordinatorOperationExceptionHelper)."""
    if not isinstance(error, ApiError):
        return ErrorCode.UNKNOWN_SERVER_ERROR
    code = error.code
    if isinstance(error.__cause__, DiskFullError) or code in (
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    ):
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    if code in (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.KAFKA_STORAGE_ERROR):
        return ErrorCode.NOT_COORDINATOR
    if code in (ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.RECORD_LIST_TOO_LARGE, ErrorCode.INVALID_FETCH_SIZE):
        return ErrorCode.INVALID_COMMIT_OFFSET_SIZE
    return code
