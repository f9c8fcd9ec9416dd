"""The transactional half of Produce: whether batches may be part of the transaction that they claim to be of.

KIPs: 98 transactions, 890 verification.  A partition in which the transaction is open already is admitted at once.  For
others the transaction's coordinator is asked, once for all of them: up to v11 whether the producer has added the
partition (AddPartitionsToTxn), from v12 on to add it, which spares clients of the newer protocol that request.
Waits: for the coordinator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.clock import now_ms
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.record_batch import HEADER_SIZE, RecordBatch
from wirebroker.storage.verification import ONGOING, Verification

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.handlers.context import RequestContext

Admitted = dict[tuple[str, int], Verification | ApiError]
"""What each partition's batch is appended with, or why it is not."""

_ATTRIBUTES_AT: Final = 22
_MAGIC_AT: Final = 16
_TRANSACTIONAL: Final = 0x10
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


def is_transactional(records: memoryview) -> bool:
    """Whether the batch says that it is part of a transaction."""
    return (
        len(records) > _ATTRIBUTES_AT
        and records[_ATTRIBUTES_AT] & _TRANSACTIONAL != 0
        and records[_MAGIC_AT] == 2  # in older formats it is some byte of a record
    )


async def admit(
    context: RequestContext,
    transactional_id: str | None,
    batches: Iterable[tuple[str | None, int, memoryview]],
) -> Admitted | None:
    """May these transactional batches be appended to these partitions?  Partitions that are not here are left out.

    None when nothing has to be proved.

    Raises:
        ApiError: nothing in the request may be appended.
    """
    if transactional_id is None:
        raise ApiError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    headers = [(topic, index, RecordBatch(records)) for topic, index, records in batches if len(records) >= HEADER_SIZE]
    producers = {(batch.producer_id, batch.producer_epoch) for _, _, batch in headers if batch.producer_id >= 0}
    if len(producers) > 1:
        raise ApiError(ErrorCode.INVALID_PRODUCER_ID_MAPPING, "batches of several producers in one transaction")
    adds = context.version >= _ADDS_SINCE
    services = context.services
    if not producers or not (adds or services.config.value("transaction.partition.verification.enable")):
        return None
    ((producer_id, producer_epoch),) = producers
    admitted: Admitted = {}
    unknown: list[TopicPartition] = []
    time_ms = now_ms()
    for topic, index, batch in headers:
        partition = services.replicas.find(topic, index) if topic is not None else None
        if topic is None or partition is None or batch.producer_id < 0:
            continue
        verified = partition.log.producers.admit(
            producer_id, producer_epoch, batch.base_sequence, time_ms, from_zero=adds
        )
        admitted[topic, index] = verified
        if verified is not ONGOING:
            unknown.append(TopicPartition(topic, index))
    if unknown:
        try:
            verdicts = await services.transactions.verify(
                transactional_id, producer_id, producer_epoch, unknown, add=adds
            )
        except ApiError as fault:
            verdicts = dict.fromkeys(unknown, fault.code)
        for at in unknown:
            code = verdicts.get(at, ErrorCode.NONE)
            if code:
                admitted[at] = refusal(ErrorCode(code), abortable=context.version >= _ABORTABLE_SINCE)
    return admitted


def refusal(code: ErrorCode, *, abortable: bool) -> ApiError:
    """A coordinator's answer in the words of Produce.

    Clients retry what passes by itself only under a code that makes older ones retry without asking who leads the
    partition; Kafka has chosen NOT_ENOUGH_REPLICAS.
    """
    if code in _TRANSIENT:
        return ApiError(
            ErrorCode.NOT_ENOUGH_REPLICAS,
            f"Unable to verify the partition has been added to the transaction. Underlying error: {code.name}",
        )
    code = producer_code(code, abortable=abortable)
    if code == ErrorCode.INVALID_TXN_STATE:
        return ApiError(code, "Partition was not added to the transaction")
    return ApiError(code)


def producer_code(code: ErrorCode, *, abortable: bool) -> ErrorCode:
    """A coordinator's answer in codes that producers of this request's version know."""
    if code == ErrorCode.PRODUCER_FENCED:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    if code == ErrorCode.TRANSACTION_ABORTABLE and not abortable:
        return ErrorCode.INVALID_TXN_STATE
    return code
