"""TransactionShard: the transactional ids of one __transaction_state partition; routes each request to its class.

The order of the checks is Kafka 4's.  Where Kafka answers CONCURRENT_TRANSACTIONS because markers of the transaction
before are still being written, the request waits for a while (`pending_requests.py`).  EndTxn is answered when its
markers are written, not before, for its client would only have to retry its next request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.coordinator.transaction import records
from wirebroker.coordinator.transaction.add_partitions import AddPartitionsToTxn
from wirebroker.coordinator.transaction.end_txn import EndTxn
from wirebroker.coordinator.transaction.init_producer_id import InitProducerId
from wirebroker.coordinator.transaction.queries import TransactionQueries
from wirebroker.coordinator.transaction.requests import (
    AddPartitions,
    DescribeTransaction,
    EndTransaction,
    InitProducer,
    ListTransactionalIds,
    MarkersWritten,
    VerifyPartitions,
)
from wirebroker.coordinator.transaction.timer_keys import IdExpirationKey, PendingRequestsKey, TransactionTimeoutKey
from wirebroker.coordinator.transaction.transaction_metadata import PREPARED, TransactionMetadata, TransactionState
from wirebroker.coordinator.transaction.transaction_state_manager import TransactionStateManager, markers_of
from wirebroker.coordinator.turn import CoordinatorRecord, Turn
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from wirebroker.coordinator.shard import ReplayedBatch
    from wirebroker.coordinator.transaction.transaction_config import TransactionConfig


class TransactionShard:
    """State machine of one shard; `coordinator/shard.py` has the contract, the tables here the routes.

    The tables have no method of the shard itself: no cycle keeps its state when it is dropped (collector.py).

    Args:
        config: limits and times.
        new_producer_id: returns a producer id that was never used; raises ApiError if there is none.
    """

    def __init__(self, config: TransactionConfig, new_producer_id: Callable[[], int]) -> None:
        self.manager = manager = TransactionStateManager(config)
        partitions, queries = AddPartitionsToTxn(manager), TransactionQueries(manager)
        end_txn = EndTxn(manager, new_producer_id)
        self._requests: dict[type, Callable[[Any, Turn], None]] = {
            InitProducer: InitProducerId(manager, new_producer_id).handle,
            AddPartitions: partitions.add,
            VerifyPartitions: partitions.verify,
            EndTransaction: end_txn.handle,
            MarkersWritten: end_txn.complete,
            DescribeTransaction: queries.describe,
            ListTransactionalIds: queries.list_ids,
        }
        self._timers: dict[type, Callable[[Any, Turn], None]] = {
            PendingRequestsKey: manager.answer_late_requests,
            TransactionTimeoutKey: manager.abort_timed_out,
            IdExpirationKey: manager.expire_ids,
        }
        self._replayed: dict[bytes, bytes] = {}
        self._unfinished: list[TransactionMetadata] = []
        """Transactions that were decided or open when they were loaded."""

    # -- loading -------------------------------------------------------------------------------------------------

    def replay(self, record: CoordinatorRecord, batch: ReplayedBatch) -> None:
        """Apply one record; only the last record of each key is parsed, and only in the end."""
        if record.value is None:
            self._replayed.pop(record.key, None)
        else:
            self._replayed[record.key] = record.value

    def replay_end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """Without effect: __transaction_state holds no transactional batches."""

    def finish_replay(self) -> Iterator[None]:
        """Parse the last record of each transactional id.

        Raises:
            ProtocolError: a record is malformed.
        """
        while self._replayed:
            transaction = records.read(CoordinatorRecord(*self._replayed.popitem()))
            if transaction is not None:
                self.manager.transactions[transaction.transactional_id] = transaction
                if transaction.state in PREPARED or transaction.state == TransactionState.ONGOING:
                    self._unfinished.append(transaction)
            yield

    def loaded(self, turn: Turn) -> None:
        """Send the markers of decided transactions again, and time the open ones."""
        for transaction in self._unfinished:
            if transaction.state in PREPARED:
                turn.result.pending_markers.append(markers_of(transaction))
            elif transaction.state == TransactionState.ONGOING:
                transaction.deadline_ms = turn.monotonic_ms + transaction.remaining_ms(turn.wall_ms)
                self.manager.schedule_timeouts(turn)
        self._unfinished.clear()
        if self.manager.transactions:
            self.manager.schedule_expiration(turn)

    def unloaded(self, turn: Turn) -> None:
        """Drop all transactional ids; the runtime answers the requests that wait."""
        self.manager.clear()

    # -- requests and timers -------------------------------------------------------------------------------------

    def handle(self, request: Any, turn: Turn) -> None:
        """Handle one request with the method that its type has in the table.

        Where replicas have a part, a response waits for their records of its own transactional id, and no others.
        """
        if not isinstance(request, ListTransactionalIds):
            self.manager.note_replaced(request.transactional_id, turn)
        self._requests[type(request)](request, turn)

    def replication_timed_out(self, request: Any, turn: Turn) -> ErrorCode:
        """Return COORDINATOR_NOT_AVAILABLE, upon which the client tries again, as from Kafka."""
        return ErrorCode.COORDINATOR_NOT_AVAILABLE

    def timed_out(self, key: Hashable, turn: Turn) -> None:
        """Handle a timer with the method that the type of its key has in the table."""
        self._timers[type(key)](key, turn)
