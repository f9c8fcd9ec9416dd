"""Whether a producer is who may speak for a transactional id now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.coordinator.transaction.state import (
    EPOCH_PER_TRANSACTION,
    LAST_EPOCH,
    NO_ID,
    Transaction,
    TransactionState,
)
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from wirebroker.coordinator.transaction.requests import EndTransaction


def stranger(transaction: Transaction | None, producer_id: int, producer_epoch: int) -> ErrorCode:
    """Why this producer may not speak for the transactional id.

    While its id is about to change, for it has run out of epochs, a producer may know the new one already.
    """
    if transaction is None:
        return ErrorCode.INVALID_PRODUCER_ID_MAPPING
    if transaction.next_producer_id != NO_ID and transaction.granted == (producer_id, producer_epoch):
        return ErrorCode.NONE
    if transaction.producer_id != producer_id:
        return ErrorCode.INVALID_PRODUCER_ID_MAPPING
    if transaction.producer_epoch != producer_epoch or producer_epoch > LAST_EPOCH:
        return ErrorCode.PRODUCER_FENCED
    return ErrorCode.NONE


def may_end(transaction: Transaction, request: EndTransaction) -> tuple[ErrorCode, bool]:
    """Why a client of version 2 may not end this transaction, and whether it asks again because an answer got lost.

    With the answer its epoch would have become the next one, so it is the epoch that tells both cases apart.
    """
    producer_id, epoch = request.producer_id, request.producer_epoch
    again = transaction.client_version >= EPOCH_PER_TRANSACTION and (
        (transaction.producer_id == producer_id and transaction.producer_epoch == epoch + 1)
        or (transaction.previous_producer_id == producer_id and epoch == LAST_EPOCH and not transaction.producer_epoch)
    )
    if again and transaction.state not in (TransactionState.ONGOING, TransactionState.EMPTY):
        return ErrorCode.NONE, True
    return stranger(transaction, producer_id, epoch), False
