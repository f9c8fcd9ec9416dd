"""EndTxn in a shard: the producer commits or aborts, and is answered when every partition has its marker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.coordinator.transaction.requests import EndTransaction, ProducerIdResult
from wirebroker.coordinator.transaction.transaction_metadata import (
    END_STATES,
    PREPARED,
    TransactionMetadata,
    TransactionState,
)
from wirebroker.model import TransactionVersion
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.coordinator.transaction.requests import MarkersWritten
    from wirebroker.coordinator.transaction.transaction_state_manager import TransactionStateManager
    from wirebroker.coordinator.turn import Turn


class EndTxn:
    """Handles EndTransaction, and MarkersWritten, which completes the transaction that was decided.

    Args:
        manager: the transactional ids.
        new_producer_id: returns a producer id that was never used; raises ApiError if there is none.
    """

    def __init__(self, manager: TransactionStateManager, new_producer_id: Callable[[], int]) -> None:
        self._manager = manager
        self._new_producer_id = new_producer_id

    def handle(self, request: EndTransaction, turn: Turn) -> None:
        """Check the request in Kafka's order, and decide the end of the transaction."""
        transaction = self._manager.transactions.get(request.transactional_id)
        if transaction is None:
            turn.reply(ProducerIdResult(ErrorCode.INVALID_PRODUCER_ID_MAPPING))
            return
        version = min(request.client_version, self._manager.config.version)
        bumps_epoch = version >= TransactionVersion.TV_2
        if bumps_epoch and transaction.is_end_txn_retry(request.producer_id, request.producer_epoch):
            may_be_retry = True
        else:
            code = transaction.validate_producer(request.producer_id, request.producer_epoch)
            if code:
                turn.reply(ProducerIdResult(code))
                return
            may_be_retry = not bumps_epoch  # before version 2 nothing tells a retry from a first request
        prepared, complete = END_STATES[request.committed]
        state = transaction.state
        if state in PREPARED:
            if may_be_retry and state != prepared:
                turn.reply(ProducerIdResult(ErrorCode.INVALID_TXN_STATE))
            else:
                self._handle_when_complete(request, transaction, turn, is_retry=may_be_retry)
        elif may_be_retry and state == complete:
            turn.reply(_success(transaction))
        elif state != TransactionState.ONGOING and (
            request.committed or not bumps_epoch or (may_be_retry and state != TransactionState.EMPTY)
        ):
            turn.reply(ProducerIdResult(ErrorCode.INVALID_TXN_STATE))
        else:
            self._decide(request, transaction, version, turn)

    def complete(self, request: MarkersWritten, turn: Turn) -> None:
        """Complete the transaction, and answer the requests that wait for it."""
        if turn.below_min_isr:
            turn.reply(ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE))  # TxnMarkerSender tries again
            return
        self._manager.complete(request.markers, turn)
        turn.reply(None)

    def _handle_when_complete(
        self, request: EndTransaction, transaction: TransactionMetadata, turn: Turn, *, is_retry: bool
    ) -> None:
        """Wait for the end that is decided; it answers a retry, and makes room for the end of the next transaction."""
        success = _success(transaction)
        self._manager.await_completion(
            request.transactional_id,
            turn,
            ProducerIdResult(ErrorCode.CONCURRENT_TRANSACTIONS),
            (lambda turn: turn.reply(success)) if is_retry else (lambda turn: self.handle(request, turn)),
        )

    def _decide(self, request: EndTransaction, transaction: TransactionMetadata, version: int, turn: Turn) -> None:
        """Decide the end, have the markers sent, and let the response wait for them, but not for long."""
        if turn.below_min_isr:
            turn.reply(ProducerIdResult(ErrorCode.COORDINATOR_NOT_AVAILABLE))
            return
        new_producer_id = None
        if version >= TransactionVersion.TV_2 and transaction.is_producer_epoch_exhausted:
            try:
                new_producer_id = self._new_producer_id()
            except ApiError as error:
                turn.reply(ProducerIdResult(error.code))
                return
        transaction.prepare_abort_or_commit(
            version, turn.wall_ms, committed=request.committed, new_producer_id=new_producer_id
        )
        self._manager.await_completion(request.transactional_id, turn, _success(transaction))
        self._manager.write_decision(transaction, turn)


def _success(transaction: TransactionMetadata) -> ProducerIdResult:
    return ProducerIdResult(ErrorCode.NONE, *transaction.client_producer_id_and_epoch)
