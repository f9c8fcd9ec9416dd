"""The transactional ids of one __transaction_state partition: requests in, records and replies out.

The order of the checks is Kafka 4's.  Where Kafka answers CONCURRENT_TRANSACTIONS because the markers of the last
transaction are still being written, we hold the request for a while (`waiting.py`); and an EndTxn is answered
when they are, not before, for its client would only come back too early.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.coordinator.shard import CoordinatorRecord, Now, Outcome, ReplayedBatch, Timer
from wirebroker.coordinator.transaction import records
from wirebroker.coordinator.transaction.identity import may_end, stranger
from wirebroker.coordinator.transaction.requests import (
    NEEDS_ID,
    AddPartitions,
    DescribeTransaction,
    Description,
    EndTransaction,
    InitProducer,
    Listing,
    ListTransactionalIds,
    MarkersWritten,
    ProducerAnswer,
    VerifyPartitions,
    WriteMarkers,
)
from wirebroker.coordinator.transaction.settings import EXPIRED_AT_ONCE
from wirebroker.coordinator.transaction.state import (
    AT_REST,
    EPOCH_PER_TRANSACTION,
    PREPARED,
    Transaction,
    TransactionState,
)
from wirebroker.coordinator.transaction.waiting import WaitingRoom
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from wirebroker.coordinator.transaction.settings import TransactionSettings

_HOLDS: Final = "holds"
_TIMEOUTS: Final = "timeouts"
_EXPIRY: Final = "expiry"


class TransactionShard:
    """State machine of one shard; see `coordinator/shard.py` for the promise."""

    def __init__(self, settings: TransactionSettings) -> None:
        self.settings = settings
        self.transactions: dict[str, Transaction] = {}
        self._waiting = WaitingRoom()
        self._armed: set[str] = set()
        self._replayed: dict[bytes, bytes] = {}
        self._unfinished: list[Transaction] = []
        """Decided or open when they were loaded."""

    # -- loading -------------------------------------------------------------------------------------------------

    def replay(self, record: CoordinatorRecord, offset: int, batch: ReplayedBatch) -> None:
        """Take over one record.  Only the last one of each key is read, and only in the end."""
        if record.value is None:
            self._replayed.pop(record.key, None)
        else:
            self._replayed[record.key] = record.value

    def replay_end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """Nobody writes to this topic in a transaction."""

    def finish_replay(self) -> Iterator[None]:
        """Read the last record of each transactional id.

        Raises:
            ProtocolError: some record is none of ours.
        """
        while self._replayed:
            known = records.read(CoordinatorRecord(*self._replayed.popitem()))
            if known is not None:
                self.transactions[known.transactional_id] = known
                if known.state in PREPARED or known.state == TransactionState.ONGOING:
                    self._unfinished.append(known)
            yield

    def loaded(self, now: Now) -> Outcome:
        """What was decided goes on: its markers are written again."""
        out = Outcome()
        for transaction in self._unfinished:
            if transaction.state in PREPARED:
                out.errands.append(_markers(transaction))
            elif transaction.state == TransactionState.ONGOING:
                transaction.deadline_ms = now.monotonic_ms + transaction.remaining_ms(now.wall_ms)
                self._arm(_TIMEOUTS, now.monotonic_ms + self.settings.abort_interval_ms, out)
        self._unfinished.clear()
        if self.transactions:
            self._arm(_EXPIRY, now.monotonic_ms + self.settings.remove_interval_ms, out)
        return out

    def unloaded(self) -> Outcome:
        """Somebody else coordinates these transactions now; the runtime tells those who wait."""
        self.transactions.clear()
        self._waiting = WaitingRoom()
        return Outcome()

    # -- requests ------------------------------------------------------------------------------------------------

    def handle(self, request: Any, ticket: object, now: Now) -> Outcome:
        """Route one request."""
        out = Outcome()
        self._handle(request, ticket, now, out)
        return out

    def _handle(self, request: Any, ticket: object, now: Now, out: Outcome) -> None:
        if isinstance(request, VerifyPartitions):
            out.reply(ticket, self._verify(request))
        elif isinstance(request, AddPartitions):
            self._add(request, ticket, now, out)
        elif isinstance(request, EndTransaction):
            self._end(request, ticket, now, out)
        elif isinstance(request, InitProducer):
            self._init(request, ticket, now, out)
        elif isinstance(request, MarkersWritten):
            self._complete(request.errand, now, out)
            out.reply(ticket, None)
        elif isinstance(request, DescribeTransaction):
            out.reply(ticket, self._describe(request.transactional_id))
        else:
            assert isinstance(request, ListTransactionalIds)
            out.reply(
                ticket,
                [Listing(t.transactional_id, t.producer_id, t.state.label, t.start_ms) for t in self._all()],
            )

    def _all(self) -> list[Transaction]:
        return list(self.transactions.values())

    def _describe(self, transactional_id: str) -> Description | None:
        found = self.transactions.get(transactional_id)
        if found is None:
            return None
        return Description(
            found.state.label,
            found.timeout_ms,
            found.start_ms,
            found.producer_id,
            found.producer_epoch,
            tuple(found.partitions),
        )

    # -- a producer starts ---------------------------------------------------------------------------------------

    def _init(self, request: InitProducer, ticket: object, now: Now, out: Outcome) -> None:
        expected = request.expected
        transaction = self.transactions.get(request.transactional_id)
        if transaction is None:
            if request.fresh_id is None:
                out.reply(ticket, NEEDS_ID)
                return
            transaction = Transaction(request.transactional_id, request.fresh_id, request.timeout_ms, now.wall_ms)
            self.transactions[request.transactional_id] = transaction
            self._arm(_EXPIRY, now.monotonic_ms + self.settings.remove_interval_ms, out)
        if transaction.state in PREPARED:
            self._hold(request, ticket, ProducerAnswer(ErrorCode.CONCURRENT_TRANSACTIONS), now, out)
            return
        if expected is not None and not transaction.is_producer(*expected):
            out.reply(ticket, ProducerAnswer(ErrorCode.PRODUCER_FENCED))
            return
        if transaction.state == TransactionState.ONGOING:
            if expected is not None and expected[1] != transaction.producer_epoch:
                # Kafka would abort the living producer's transaction before it refuses the zombie.
                out.reply(ticket, ProducerAnswer(ErrorCode.PRODUCER_FENCED))
                return
            self._hold(request, ticket, ProducerAnswer(ErrorCode.CONCURRENT_TRANSACTIONS), now, out)
            self._fence(transaction, now, out)
            return
        expected_epoch = None if expected is None else expected[1]
        if transaction.exhausted and expected_epoch in (None, transaction.producer_epoch):
            if request.fresh_id is None:
                out.reply(ticket, NEEDS_ID)
                return
            transaction.change_id(request.fresh_id, request.timeout_ms, now.wall_ms, expected=expected is not None)
        elif not transaction.raise_epoch(expected_epoch, request.timeout_ms, now.wall_ms):
            out.reply(ticket, ProducerAnswer(ErrorCode.PRODUCER_FENCED))
            return
        self._write(transaction, out)
        out.reply(ticket, ProducerAnswer(ErrorCode.NONE, *transaction.granted))

    def _fence(self, transaction: Transaction, now: Now, out: Outcome) -> None:
        """Abort what is open, whoever opened it."""
        transaction.fence(now.wall_ms)
        self._prepared(transaction, now, out)

    # -- partitions ----------------------------------------------------------------------------------------------

    def _verify(self, request: VerifyPartitions) -> dict[Any, ErrorCode]:
        transaction = self.transactions.get(request.transactional_id)
        code = stranger(transaction, request.producer_id, request.producer_epoch)
        if transaction is not None and not code:
            if transaction.state not in PREPARED:
                known = transaction.partitions
                return {
                    each: ErrorCode.NONE if each in known else ErrorCode.TRANSACTION_ABORTABLE
                    for each in request.partitions
                }
            code = ErrorCode.CONCURRENT_TRANSACTIONS
        return dict.fromkeys(request.partitions, code)

    def _add(self, request: AddPartitions, ticket: object, now: Now, out: Outcome) -> None:
        transaction = self.transactions.get(request.transactional_id)
        code = stranger(transaction, request.producer_id, request.producer_epoch)
        if transaction is None or code:
            out.reply(ticket, code)
            return
        if transaction.state in PREPARED:
            self._hold(request, ticket, ErrorCode.CONCURRENT_TRANSACTIONS, now, out)
            return
        new = [each for each in request.partitions if each not in transaction.partitions]
        if new or transaction.state != TransactionState.ONGOING:
            if transaction.state != TransactionState.ONGOING:
                transaction.deadline_ms = now.monotonic_ms + transaction.timeout_ms
            transaction.add(new, min(request.client_version, self.settings.version), now.wall_ms)
            self._write(transaction, out)
            self._arm(_TIMEOUTS, now.monotonic_ms + self.settings.abort_interval_ms, out)
        out.reply(ticket, ErrorCode.NONE)

    # -- the end -------------------------------------------------------------------------------------------------

    def _end(self, request: EndTransaction, ticket: object, now: Now, out: Outcome) -> None:
        version = min(request.client_version, self.settings.version)
        transaction = self.transactions.get(request.transactional_id)
        if transaction is None:
            out.reply(ticket, ProducerAnswer(ErrorCode.INVALID_PRODUCER_ID_MAPPING))
            return
        if version >= EPOCH_PER_TRANSACTION:
            code, again = may_end(transaction, request)
        else:
            code, again = stranger(transaction, request.producer_id, request.producer_epoch), True
        if code:
            out.reply(ticket, ProducerAnswer(code))
            return
        state = transaction.state
        ends_so = _ENDS[request.committed]
        if state in PREPARED:
            if again and state != ends_so[0]:
                out.reply(ticket, ProducerAnswer(ErrorCode.INVALID_TXN_STATE))
            else:
                self._hold(request, ticket, ProducerAnswer(ErrorCode.CONCURRENT_TRANSACTIONS), now, out)
            return
        if state != TransactionState.ONGOING:
            if again and state == ends_so[1]:
                out.reply(ticket, ProducerAnswer(ErrorCode.NONE, *transaction.granted))
                return
            if request.committed or version < EPOCH_PER_TRANSACTION or (again and state != TransactionState.EMPTY):
                out.reply(ticket, ProducerAnswer(ErrorCode.INVALID_TXN_STATE))
                return
        if version >= EPOCH_PER_TRANSACTION and transaction.exhausted and request.fresh_id is None:
            out.reply(ticket, NEEDS_ID)
            return
        fresh_id = request.fresh_id if transaction.exhausted else None
        transaction.prepare(version, now.wall_ms, committed=request.committed, fresh_id=fresh_id)
        answer = ProducerAnswer(ErrorCode.NONE, *transaction.granted)
        self._wait(request.transactional_id, None, ticket, answer, now, out)
        self._prepared(transaction, now, out)

    def _prepared(self, transaction: Transaction, now: Now, out: Outcome) -> None:
        """It is decided: write that down, then tell the partitions."""
        self._write(transaction, out)
        errand = _markers(transaction)
        if errand.partitions:
            out.errands.append(errand)
        else:
            self._complete(errand, now, out)

    def _complete(self, errand: WriteMarkers, now: Now, out: Outcome) -> None:
        transaction = self.transactions.get(errand.transactional_id)
        if (
            transaction is None
            or transaction.state != _ENDS[errand.committed][0]
            or (transaction.producer_id, transaction.producer_epoch) != (errand.producer_id, errand.producer_epoch)
        ):
            return  # it was completed before
        transaction.complete(now.wall_ms)
        self._write(transaction, out)
        for held in self._waiting.leave(errand.transactional_id):
            if held.request is None:
                out.reply(held.ticket, held.late)
            else:
                self._handle(held.request, held.ticket, now, out)

    # -- waiting -------------------------------------------------------------------------------------------------

    def _hold(self, request: Any, ticket: object, late: Any, now: Now, out: Outcome) -> None:
        """Handle a request when its transactional id is complete; with *late* if that takes too long."""
        self._wait(request.transactional_id, request, ticket, late, now, out)

    def _wait(self, transactional_id: str, request: Any, ticket: object, late: Any, now: Now, out: Outcome) -> None:
        self._arm(_HOLDS, self._waiting.enter(transactional_id, request, ticket, late, now.monotonic_ms), out)

    def _arm(self, timer: str, due_ms: int, out: Outcome) -> None:
        """Set a timer, unless it is: one for the whole shard costs less than one per transaction."""
        if timer not in self._armed:
            self._armed.add(timer)
            out.timers.append(Timer(timer, due_ms))

    def timed_out(self, key: Hashable, now: Now) -> Outcome:
        """Look at those who wait, at open transactions, or at old transactional ids."""
        out = Outcome()
        assert isinstance(key, str)
        self._armed.discard(key)
        if key == _HOLDS:
            self._release(now, out)
        elif key == _TIMEOUTS:
            self._abort_timed_out(now, out)
        else:
            self._expire(now, out)
        return out

    def _release(self, now: Now, out: Outcome) -> None:
        late, next_ms = self._waiting.too_late(now.monotonic_ms)
        for held in late:
            out.reply(held.ticket, held.late)
        if next_ms is not None:
            self._arm(_HOLDS, next_ms, out)

    def _abort_timed_out(self, now: Now, out: Outcome) -> None:
        is_open = False
        for transaction in self._all():
            if transaction.timed_out(now.monotonic_ms):
                self._fence(transaction, now, out)
            elif transaction.state == TransactionState.ONGOING:
                is_open = True
        if is_open:
            self._arm(_TIMEOUTS, now.monotonic_ms + self.settings.abort_interval_ms, out)

    def _expire(self, now: Now, out: Outcome) -> None:
        last_ms = now.wall_ms - self.settings.id_expiration_ms
        old = [each for each in self._all() if each.state in AT_REST and each.updated_ms <= last_ms]
        for transaction in old[:EXPIRED_AT_ONCE]:
            transaction.die(now.wall_ms)
            del self.transactions[transaction.transactional_id]
            out.records.append(records.tombstone(transaction.transactional_id))
        if len(old) > EXPIRED_AT_ONCE:
            self._arm(_EXPIRY, now.monotonic_ms, out)
        elif self.transactions:
            self._arm(_EXPIRY, now.monotonic_ms + self.settings.remove_interval_ms, out)

    def _write(self, transaction: Transaction, out: Outcome) -> None:
        out.records.append(records.record_of(transaction, self.settings.version))


_ENDS: Final = {
    True: (TransactionState.PREPARE_COMMIT, TransactionState.COMPLETE_COMMIT),
    False: (TransactionState.PREPARE_ABORT, TransactionState.COMPLETE_ABORT),
}
"""Whether it is committed -> how that is decided, and done."""


def _markers(transaction: Transaction) -> WriteMarkers:
    return WriteMarkers(
        transaction.transactional_id,
        transaction.producer_id,
        transaction.producer_epoch,
        transaction.state == TransactionState.PREPARE_COMMIT,
        transaction.client_version,
        tuple(transaction.partitions),
    )
