"""TransactionStateManager: the transactional ids of one shard, their records, timeouts and expiration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.coordinator.transaction import records
from wirebroker.coordinator.transaction.pending_requests import PendingRequests
from wirebroker.coordinator.transaction.queries import describe
from wirebroker.coordinator.transaction.requests import PendingMarkers
from wirebroker.coordinator.transaction.timer_keys import IdExpirationKey, PendingRequestsKey, TransactionTimeoutKey
from wirebroker.coordinator.transaction.transaction_config import MAX_ABORTED_PER_TURN, MAX_EXPIRED_PER_TURN
from wirebroker.coordinator.transaction.transaction_metadata import (
    COMPLETE,
    END_STATES,
    TransactionMetadata,
    TransactionState,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from wirebroker.coordinator.transaction.transaction_config import TransactionConfig
    from wirebroker.coordinator.turn import Turn


class TransactionStateManager:
    """Transactional ids, the requests that wait for them, timeouts and expiration."""

    def __init__(self, config: TransactionConfig) -> None:
        self.config = config
        self.transactions: dict[str, TransactionMetadata] = {}
        self._pending = PendingRequests()
        self._timers_set: set[Hashable] = set()

    def clear(self) -> None:
        """Drop everything; the shard is unloaded."""
        self.transactions.clear()
        self._pending.clear()

    def create(self, transactional_id: str, producer_id: int, timeout_ms: int, turn: Turn) -> TransactionMetadata:
        """Create a transactional id; the caller writes it."""
        transaction = TransactionMetadata(transactional_id, producer_id, timeout_ms, turn.wall_ms)
        self.transactions[transactional_id] = transaction
        self.schedule_expiration(turn)
        return transaction

    def write(self, transaction: TransactionMetadata, turn: Turn) -> None:
        """Append the record of a transactional id as it is now.

        The request waits for replicas to have the record as long as the transaction may take, as in Kafka.
        """
        turn.result.commit_timeout_s = min(turn.result.commit_timeout_s, transaction.timeout_ms / 1000)
        turn.append(records.record_of(transaction, self.config.version))

    def note_replaced(self, transactional_id: str, turn: Turn) -> None:
        """Note in the result of *turn* what a transactional id is before it, for reads while replicas lack records."""
        replaced = turn.result.replaced
        if replaced is not None and transactional_id not in replaced:
            replaced[transactional_id] = describe(self.transactions.get(transactional_id))

    # -- the end of a transaction --------------------------------------------------------------------------------

    def fence(self, transaction: TransactionMetadata, turn: Turn) -> None:
        """Abort an open transaction, and fence its producer."""
        transaction.prepare_fence_producer_epoch(turn.wall_ms)
        self.write_decision(transaction, turn)

    def write_decision(self, transaction: TransactionMetadata, turn: Turn) -> None:
        """Write a transaction whose end is decided, and have its markers sent; without partitions it is complete."""
        self.write(transaction, turn)
        markers = markers_of(transaction)
        if markers.partitions:
            turn.result.pending_markers.append(markers)
        else:
            self.complete(markers, turn)

    def complete(self, markers: PendingMarkers, turn: Turn) -> None:
        """Complete a transaction whose markers are written, and handle the requests that wait for it."""
        transaction = self.transactions.get(markers.transactional_id)
        if (
            transaction is None
            or transaction.state != END_STATES[markers.committed][0]
            or (transaction.producer_id, transaction.producer_epoch) != (markers.producer_id, markers.producer_epoch)
        ):
            return  # it was completed before
        transaction.complete_transaction(turn.wall_ms)
        self.write(transaction, turn)
        for request in self._pending.take(markers.transactional_id):
            if request.on_complete is None:
                turn.reply_to(request.pending, request.response)
            else:
                request.on_complete(turn.resume(request.pending))

    def await_completion(
        self, transactional_id: str, turn: Turn, response: Any, on_complete: Callable[[Turn], None] | None = None
    ) -> None:
        """Let the request of *turn* wait until the transaction is complete.

        Then *on_complete* handles it; without that it is answered with *response*.  A request that waits for too long
        is answered with *response* in any case.
        """
        self._set_timer(PendingRequestsKey(), self._pending.add(transactional_id, turn, response, on_complete), turn)

    # -- timers --------------------------------------------------------------------------------------------------

    def _set_timer(self, key: Hashable, due_ms: int, turn: Turn) -> None:
        """Set a timer, unless it is set."""
        if key not in self._timers_set:
            self._timers_set.add(key)
            turn.set_timer(key, due_ms)

    def schedule_timeouts(self, turn: Turn) -> None:
        """Look for transactions that have timed out after the configured interval."""
        self._set_timer(
            TransactionTimeoutKey(),
            turn.monotonic_ms + self.config.transaction_abort_timed_out_transaction_cleanup_interval_ms,
            turn,
        )

    def schedule_expiration(self, turn: Turn) -> None:
        """Look for transactional ids that expire after the configured interval."""
        self._set_timer(
            IdExpirationKey(),
            turn.monotonic_ms + self.config.transaction_remove_expired_transaction_cleanup_interval_ms,
            turn,
        )

    def answer_late_requests(self, key: PendingRequestsKey, turn: Turn) -> None:
        """Answer the requests that have waited for too long."""
        self._timers_set.discard(key)
        expired, next_ms = self._pending.take_expired(turn.monotonic_ms)
        for request in expired:
            turn.reply_to(request.pending, request.response)
        if next_ms is not None:
            self._set_timer(key, next_ms, turn)

    def abort_timed_out(self, key: TransactionTimeoutKey, turn: Turn) -> None:
        """Abort the open transactions whose producer has taken longer than its transaction.timeout.ms."""
        self._timers_set.discard(key)
        is_open = False
        aborted = 0
        for transaction in list(self.transactions.values()):
            if transaction.timed_out(turn.monotonic_ms) and not turn.below_min_isr:
                if aborted == MAX_ABORTED_PER_TURN:
                    self._set_timer(key, turn.monotonic_ms, turn)
                    return
                aborted += 1
                self.note_replaced(transaction.transactional_id, turn)
                self.fence(transaction, turn)
            elif transaction.state == TransactionState.ONGOING:
                is_open = True
        if is_open:
            self.schedule_timeouts(turn)

    def expire_ids(self, key: IdExpirationKey, turn: Turn) -> None:
        """Remove the transactional ids that were not used for transactional.id.expiration.ms."""
        self._timers_set.discard(key)
        if turn.below_min_isr:
            self.schedule_expiration(turn)
            return
        last_ms = turn.wall_ms - self.config.transactional_id_expiration_ms
        expired = [each for each in self.transactions.values() if each.state in COMPLETE and each.updated_ms <= last_ms]
        for transaction in expired[:MAX_EXPIRED_PER_TURN]:
            self.note_replaced(transaction.transactional_id, turn)
            transaction.prepare_dead(turn.wall_ms)
            del self.transactions[transaction.transactional_id]
            turn.append(records.tombstone(transaction.transactional_id))
        if len(expired) > MAX_EXPIRED_PER_TURN:
            self._set_timer(key, turn.monotonic_ms, turn)
        elif self.transactions:
            self.schedule_expiration(turn)


def markers_of(transaction: TransactionMetadata) -> PendingMarkers:
    """The markers of a transaction whose end is decided."""
    return PendingMarkers(
        transaction.transactional_id,
        transaction.producer_id,
        transaction.producer_epoch,
        transaction.state == TransactionState.PREPARE_COMMIT,
        transaction.client_version,
        tuple(transaction.partitions),
    )
