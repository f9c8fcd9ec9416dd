"""The transactional half of Produce: verification that batches belong to an open transaction of their producer.

KIPs: 98 transactions, 890 verification.  A partition in which the producer's transaction is open needs no verification.
For all others there is one request to the transaction's coordinator: up to v11 to verify that the producer has added
them (AddPartitionsToTxn), from v12 on to add them, which spares clients of the newer protocol that request.
Releases before 3.6 verify nothing.
Waits: for the coordinator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.clock import now_ms
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.storage.verification_guard import VerificationGuard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.handlers.context import RequestContext
    from wirebroker.record.record_batch import RecordBatch

VerificationResults = dict[tuple[str, int], VerificationGuard | ApiError]
"""(topic, partition) -> the guard to append its batch with, or the error that refuses it."""

_ABORTABLE_SINCE: Final = 11
_ADDS_SINCE: Final = 12
_TRANSIENT: Final = frozenset(
    {
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
    }
)


async def verify_transaction(
    context: RequestContext,
    transactional_id: str | None,
    batches: Sequence[tuple[str | None, int, RecordBatch]],
) -> VerificationResults | None:
    """Verify that transactional batches may be appended; partitions that are not on this broker are left out.

    Args:
        context: the request's.
        transactional_id: of the request.
        batches: topic (None if unknown), partition and header of the batch.

    Returns:
        None if no verification is needed.

    Raises:
        ApiError: no batch of the request may be appended.
    """
    if transactional_id is None:
        raise ApiError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    if not context.routes.profile.verifies_produce:
        return None
    producers = {(batch.producer_id, batch.producer_epoch) for _, _, batch in batches if batch.producer_id >= 0}
    if len(producers) > 1:
        raise ApiError(ErrorCode.INVALID_PRODUCER_ID_MAPPING, "batches of several producers in one transaction")
    adds = context.version >= _ADDS_SINCE
    services = context.services
    if not producers or not (adds or services.config.current.value("transaction.partition.verification.enable")):
        return None
    ((producer_id, producer_epoch),) = producers
    results: VerificationResults = {}
    unverified: list[TopicPartition] = []
    time_ms = now_ms()
    for topic, index, batch in batches:
        partition = services.replicas.find(topic, index) if topic is not None else None
        if topic is None or partition is None or batch.producer_id < 0:
            continue
        guard = partition.log.producer_state_manager.start_transaction_verification(
            producer_id, producer_epoch, batch.base_sequence, time_ms, supports_epoch_bump=adds
        )
        results[topic, index] = guard
        if guard is not VerificationGuard.SENTINEL:
            unverified.append(TopicPartition(topic, index))
    if unverified:
        codes = await services.txn_verifier.verify_partitions(
            transactional_id, producer_id, producer_epoch, unverified, add=adds
        )
        for at in unverified:
            code = codes.get(at, ErrorCode.NONE)
            if code:
                results[at] = _to_produce_error(ErrorCode(code), abortable=context.version >= _ABORTABLE_SINCE)
    return results


def _to_produce_error(code: ErrorCode, *, abortable: bool) -> ApiError:
    """A coordinator's code as an error of Produce.

    Errors that pass by themselves become NOT_ENOUGH_REPLICAS, as in Kafka: that lets older clients retry, too, and
    without a look for another leader of the partition.
    """
    if code in _TRANSIENT:
        return ApiError(
            ErrorCode.NOT_ENOUGH_REPLICAS,
            f"Unable to verify the partition has been added to the transaction. Underlying error: {code.name}",
        )
    code = to_producer_code(code, abortable=abortable)
    if code == ErrorCode.INVALID_TXN_STATE:
        return ApiError(code, "Partition was not added to the transaction")
    return ApiError(code)


def to_producer_code(code: ErrorCode, *, abortable: bool) -> ErrorCode:
    """A coordinator's code as one that producers know; *abortable* if they know TRANSACTION_ABORTABLE."""
    if code == ErrorCode.PRODUCER_FENCED:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    if code == ErrorCode.TRANSACTION_ABORTABLE and not abortable:
        return ErrorCode.INVALID_TXN_STATE
    return code
