"""TransactionQueries: DescribeTransactions and ListTransactions in a shard.

As in Kafka they tell of what replicas have: of a transaction whose last record they lack, the state before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from wirebroker.coordinator.transaction.requests import TransactionDescription, TransactionListing

if TYPE_CHECKING:
    from wirebroker.coordinator.transaction.requests import DescribeTransaction, ListTransactionalIds
    from wirebroker.coordinator.transaction.transaction_metadata import TransactionMetadata
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
        transactional_id = request.transactional_id
        if transactional_id in turn.replaced:
            turn.reply(turn.replaced[transactional_id])
        else:
            turn.reply(describe(self._manager.transactions.get(transactional_id)))

    def list_ids(self, _: ListTransactionalIds, turn: Turn) -> None:
        """Reply with a TransactionListing of each transactional id."""
        replaced = turn.replaced
        listings = [
            TransactionListing(each.transactional_id, each.producer_id, each.state.label, each.start_ms)
            for each in self._manager.transactions.values()
            if each.transactional_id not in replaced
        ]
        for transactional_id, before in replaced.items():
            if before is not None:
                listings.append(
                    TransactionListing(cast("str", transactional_id), before.producer_id, before.state, before.start_ms)
                )
        turn.reply(listings)


def describe(transaction: TransactionMetadata | None) -> TransactionDescription | None:
    """Return a transaction as it is now, None if there is none."""
    if transaction is None:
        return None
    return TransactionDescription(
        transaction.state.label,
        transaction.timeout_ms,
        transaction.start_ms,
        transaction.producer_id,
        transaction.producer_epoch,
        tuple(transaction.partitions),
    )
