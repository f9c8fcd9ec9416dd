"""TransactionQueries: DescribeTransactions and ListTransactions in a shard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.coordinator.transaction.requests import TransactionDescription, TransactionListing

if TYPE_CHECKING:
    from wirebroker.coordinator.transaction.requests import DescribeTransaction, ListTransactionalIds
    from wirebroker.coordinator.transaction.transaction_state_manager import TransactionStateManager
    from wirebroker.coordinator.turn import Turn


class TransactionQueries:
    """Handles DescribeTransaction and ListTransactionalIds.

    Args:
        manager: the transactional ids.
    """

    def __init__(self, manager: TransactionStateManager) -> None:
        self._manager = manager

    def describe(self, request: DescribeTransaction, turn: Turn) -> None:
        """Reply with a TransactionDescription, None if there is no such transactional id."""
        found = self._manager.transactions.get(request.transactional_id)
        if found is None:
            turn.reply(None)
            return
        turn.reply(
            TransactionDescription(
                found.state.label,
                found.timeout_ms,
                found.start_ms,
                found.producer_id,
                found.producer_epoch,
                tuple(found.partitions),
            )
        )

    def list_ids(self, _: ListTransactionalIds, turn: Turn) -> None:
        """Reply with a TransactionListing of each transactional id."""
        turn.reply(
            [
                TransactionListing(each.transactional_id, each.producer_id, each.state.label, each.start_ms)
                for each in self._manager.transactions.values()
            ]
        )
