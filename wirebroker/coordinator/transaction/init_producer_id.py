"""InitProducerId in a shard: a producer starts and fences every earlier one of its transactional id (KIP-98, 360)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.coordinator.transaction.requests import InitProducer, ProducerIdResult
from wirebroker.coordinator.transaction.transaction_metadata import PREPARED, TransactionState
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.coordinator.transaction.transaction_state_manager import TransactionStateManager
    from wirebroker.coordinator.turn import Turn


class InitProducerId:
    """Handles InitProducer.

    Args:
        manager: the transactional ids.
        new_producer_id: returns a producer id that was never used; raises ApiError if there is none.
    """

    def __init__(self, manager: TransactionStateManager, new_producer_id: Callable[[], int]) -> None:
        self._manager = manager
        self._new_producer_id = new_producer_id

    def handle(self, request: InitProducer, turn: Turn) -> None:
        """Answer with a producer id and a bumped epoch; an open transaction is aborted first."""
        try:
            self._handle(request, turn)
        except ApiError as error:  # no producer id, or too few replicas in sync; nothing was changed
            turn.reply(ProducerIdResult(error.code))

    def _handle(self, request: InitProducer, turn: Turn) -> None:
        transactional_id, expected = request.transactional_id, request.expected
        transaction = self._manager.transactions.get(transactional_id)
        if transaction is None:
            _check_min_isr(turn)
            transaction = self._manager.create(transactional_id, self._new_producer_id(), request.timeout_ms, turn)
        is_open = transaction.state == TransactionState.ONGOING
        if transaction.state not in PREPARED and expected is not None:
            # An open transaction is not aborted for a producer that was fenced; Kafka would abort it.
            fenced = is_open and expected[1] != transaction.producer_epoch
            if fenced or not transaction.may_bump_epoch(*expected):
                turn.reply(ProducerIdResult(ErrorCode.PRODUCER_FENCED))
                return
        if transaction.state not in PREPARED:
            _check_min_isr(turn)
        if is_open or transaction.state in PREPARED:
            busy = ProducerIdResult(ErrorCode.CONCURRENT_TRANSACTIONS)
            self._manager.await_completion(transactional_id, turn, busy, lambda turn: self.handle(request, turn))
            if is_open:
                self._manager.fence(transaction, turn)
            return
        expected_epoch = None if expected is None else expected[1]
        if transaction.is_producer_epoch_exhausted and expected_epoch in (None, transaction.producer_epoch):
            transaction.prepare_producer_id_rotation(
                self._new_producer_id(), request.timeout_ms, turn.wall_ms, expected=expected is not None
            )
        elif not transaction.prepare_increment_producer_epoch(expected_epoch, request.timeout_ms, turn.wall_ms):
            turn.reply(ProducerIdResult(ErrorCode.PRODUCER_FENCED))
            return
        self._manager.write(transaction, turn)
        turn.reply(ProducerIdResult(ErrorCode.NONE, *transaction.client_producer_id_and_epoch))


def _check_min_isr(turn: Turn) -> None:
    if turn.below_min_isr:
        raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
