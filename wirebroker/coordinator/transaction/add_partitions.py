"""AddPartitionsToTxn in a shard: partitions join a transaction, or are verified to be in it (KIP-98, 890)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.coordinator.transaction.transaction_metadata import PREPARED, TransactionState
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from wirebroker.coordinator.transaction.requests import AddPartitions, VerifyPartitions
    from wirebroker.coordinator.transaction.transaction_state_manager import TransactionStateManager
    from wirebroker.coordinator.turn import Turn


class AddPartitionsToTxn:
    """Handles AddPartitions and VerifyPartitions."""

    def __init__(self, manager: TransactionStateManager) -> None:
        self._manager = manager

    def add(self, request: AddPartitions, turn: Turn) -> None:
        """Add partitions, and begin a transaction if none is open; waits for the one before to be complete."""
        transaction = self._manager.transactions.get(request.transactional_id)
        if transaction is None:
            turn.reply(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
            return
        code = transaction.validate_producer(request.producer_id, request.producer_epoch)
        if code:
            turn.reply(code)
            return
        if transaction.state in PREPARED:
            self._manager.await_completion(
                request.transactional_id,
                turn,
                ErrorCode.CONCURRENT_TRANSACTIONS,
                lambda turn: self.add(request, turn),
            )
            return
        begins = transaction.state != TransactionState.ONGOING
        new = [each for each in request.partitions if each not in transaction.partitions]
        if new or begins:
            if turn.below_min_isr:
                turn.reply(ErrorCode.COORDINATOR_NOT_AVAILABLE)
                return
            if begins:
                transaction.deadline_ms = turn.monotonic_ms + transaction.timeout_ms
            client_version = min(request.client_version, self._manager.config.version)
            transaction.prepare_add_partitions(new, client_version, turn.wall_ms)
            self._manager.write(transaction, turn)
            self._manager.schedule_timeouts(turn)
        turn.reply(ErrorCode.NONE)

    def verify(self, request: VerifyPartitions, turn: Turn) -> None:
        """Answer with NONE for each partition of the transaction, and TRANSACTION_ABORTABLE for each other one."""
        transaction = self._manager.transactions.get(request.transactional_id)
        if transaction is None:
            code = ErrorCode.INVALID_PRODUCER_ID_MAPPING
        else:
            code = transaction.validate_producer(request.producer_id, request.producer_epoch)
            if not code and transaction.state in PREPARED:
                code = ErrorCode.CONCURRENT_TRANSACTIONS
        if transaction is None or code:
            turn.reply(dict.fromkeys(request.partitions, code))
            return
        known = transaction.partitions
        turn.reply(
            {each: ErrorCode.NONE if each in known else ErrorCode.TRANSACTION_ABORTABLE for each in request.partitions}
        )
