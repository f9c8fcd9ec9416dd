"""TransactionMetadata: the state of one transactional id, the producer that may use it, and the valid transitions.

    Empty -> Ongoing -> PrepareCommit -> CompleteCommit -> Ongoing, or Empty with the next InitProducerId
                     -> PrepareAbort  -> CompleteAbort  -> the same

PrepareEpochFence lies between Ongoing and PrepareAbort when the coordinator aborts (a new producer, a timeout): the
epoch is bumped first.  The state is left at once, so neither log nor client sees it.  Version 2 of the protocol
(KIP-890) bumps the epoch with every end, and may abort a transaction that never began.

Facts: KIP-98, KIP-360 (producers that raise their own epoch), KIP-890; valid transitions as in Kafka 4.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

from wirebroker.model import TransactionVersion
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.model import TopicPartition

NO_ID: Final = -1
NO_EPOCH: Final = -1
NO_TIME: Final = -1
LAST_CLIENT_EPOCH: Final = 32766
"""The last epoch that producers get; one more is left for fencing them."""


class TransactionState(IntEnum):
    """States of a transaction, numbered as in the log."""

    EMPTY = 0
    ONGOING = 1
    PREPARE_COMMIT = 2
    PREPARE_ABORT = 3
    COMPLETE_COMMIT = 4
    COMPLETE_ABORT = 5
    DEAD = 6
    PREPARE_EPOCH_FENCE = 7

    @property
    def label(self) -> str:
        """The name of the state on the wire."""
        return _LABELS[self]


_LABELS: Final = {state: state.name.title().replace("_", "") for state in TransactionState}

_S = TransactionState
COMPLETE: Final = frozenset({_S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT})
"""No transaction is open: the next one may begin, or the transactional id expires."""
PREPARED: Final = frozenset({_S.PREPARE_COMMIT, _S.PREPARE_ABORT})
"""The end is decided, but not every partition has its marker."""

VALID_PREVIOUS_STATES: Final = {
    _S.EMPTY: COMPLETE,
    _S.ONGOING: COMPLETE | {_S.ONGOING},
    _S.PREPARE_COMMIT: frozenset({_S.ONGOING}),
    _S.PREPARE_ABORT: COMPLETE | {_S.ONGOING, _S.PREPARE_EPOCH_FENCE},
    _S.COMPLETE_COMMIT: frozenset({_S.PREPARE_COMMIT}),
    _S.COMPLETE_ABORT: frozenset({_S.PREPARE_ABORT}),
    _S.DEAD: COMPLETE,
    _S.PREPARE_EPOCH_FENCE: frozenset({_S.ONGOING}),
}
"""New state -> states it may come from."""

END_STATES: Final = {
    True: (_S.PREPARE_COMMIT, _S.COMPLETE_COMMIT),
    False: (_S.PREPARE_ABORT, _S.COMPLETE_ABORT),
}
"""Whether a transaction is committed -> its prepared and its complete state."""


class TransactionMetadata:
    """State of one transactional id; each `prepare_` method and `complete_transaction` is one transition."""

    __slots__ = (
        "client_version",
        "deadline_ms",
        "last_producer_epoch",
        "next_producer_id",
        "partitions",
        "previous_producer_id",
        "producer_epoch",
        "producer_id",
        "start_ms",
        "state",
        "timeout_ms",
        "transactional_id",
        "updated_ms",
    )

    def __init__(self, transactional_id: str, producer_id: int, timeout_ms: int, now_ms: int) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = NO_EPOCH
        self.last_producer_epoch = NO_EPOCH
        """The epoch that a producer named when its epoch was bumped: a retry names it again.  Not in the log."""
        self.previous_producer_id = NO_ID
        """The producer id before, which ran out of epochs."""
        self.next_producer_id = NO_ID
        """The producer id after this transaction, if the current one has no epoch left."""
        self.timeout_ms = timeout_ms
        self.state = _S.EMPTY
        self.partitions: dict[TopicPartition, None] = {}
        self.start_ms = NO_TIME
        self.deadline_ms = 0
        """When an open transaction times out, on the monotonic clock.  Not in the log."""
        self.updated_ms = now_ms
        self.client_version = 0

    def transition_to(self, state: TransactionState, now_ms: int) -> None:
        """Change the state; the transition has to be in VALID_PREVIOUS_STATES."""
        assert self.state in VALID_PREVIOUS_STATES[state], f"{self.transactional_id}: {self.state.name} -> {state.name}"
        self.state = state
        self.updated_ms = now_ms

    @property
    def is_producer_epoch_exhausted(self) -> bool:
        """Whether the producer id has no epoch left."""
        return self.producer_epoch >= LAST_CLIENT_EPOCH

    @property
    def client_producer_id_and_epoch(self) -> tuple[int, int]:
        """The producer id and epoch that the client goes on with."""
        return (self.producer_id, self.producer_epoch) if self.next_producer_id == NO_ID else (self.next_producer_id, 0)

    def timed_out(self, monotonic_ms: int) -> bool:
        """Whether the producer has taken longer than its transaction.timeout.ms."""
        return self.state == _S.ONGOING and self.deadline_ms < monotonic_ms

    def remaining_ms(self, wall_ms: int) -> int:
        """The rest of the timeout of a transaction that was read from the log.

        The log has only the wall-clock time of the start, so here the wall clock counts, as in Apache Kafka.  A clock
        that was set back cannot give the producer more than one whole timeout, though.
        """
        return min(max(self.start_ms + self.timeout_ms - wall_ms, 0), self.timeout_ms)

    # -- a producer starts ---------------------------------------------------------------------------------------

    def validate_producer(self, producer_id: int, producer_epoch: int) -> ErrorCode:
        """NONE if this producer may use the transactional id, else INVALID_PRODUCER_ID_MAPPING or PRODUCER_FENCED.

        While the producer id is about to be rotated, the producer may know the next one already.
        """
        if self.next_producer_id != NO_ID and self.client_producer_id_and_epoch == (producer_id, producer_epoch):
            return ErrorCode.NONE
        if self.producer_id != producer_id:
            return ErrorCode.INVALID_PRODUCER_ID_MAPPING
        if self.producer_epoch != producer_epoch or producer_epoch > LAST_CLIENT_EPOCH:
            return ErrorCode.PRODUCER_FENCED
        return ErrorCode.NONE

    def is_end_txn_retry(self, producer_id: int, producer_epoch: int) -> bool:
        """Whether an EndTxn of version 2 is sent again because its response was lost.

        With the response the producer would have got the next epoch, so the epoch tells both cases apart.
        """
        return (
            self.client_version >= TransactionVersion.TV_2
            and self.state not in (_S.ONGOING, _S.EMPTY)
            and (
                (self.producer_id == producer_id and self.producer_epoch == producer_epoch + 1)
                or (
                    self.previous_producer_id == producer_id
                    and producer_epoch == LAST_CLIENT_EPOCH
                    and not self.producer_epoch
                )
            )
        )

    def may_bump_epoch(self, producer_id: int, producer_epoch: int) -> bool:
        """Whether an InitProducerId that names this producer is valid, as far as the id goes (KIP-360).

        A producer may name the id before, if that one had run out: the response with the new one got lost.
        """
        return (
            self.producer_epoch == NO_EPOCH
            or producer_id == self.producer_id
            or (producer_id == self.previous_producer_id and producer_epoch >= LAST_CLIENT_EPOCH)
        )

    def prepare_increment_producer_epoch(self, expected_epoch: int | None, timeout_ms: int, now_ms: int) -> bool:
        """Bump the epoch for a producer that starts; False if *expected_epoch* is not that of the current producer."""
        if expected_epoch is None:
            epoch, last = self.producer_epoch + 1, NO_EPOCH
        elif self.producer_epoch == NO_EPOCH or expected_epoch == self.producer_epoch:
            epoch, last = self.producer_epoch + 1, self.producer_epoch
        elif expected_epoch == self.last_producer_epoch:
            epoch, last = self.producer_epoch, self.last_producer_epoch  # a retry: the same response
        else:
            return False
        assert epoch <= LAST_CLIENT_EPOCH
        self._start(epoch, last, timeout_ms, now_ms)
        return True

    def prepare_producer_id_rotation(self, producer_id: int, timeout_ms: int, now_ms: int, *, expected: bool) -> None:
        """Rotate to *producer_id* for a producer that starts, because the epochs of the current id are exhausted."""
        old_id, old_epoch = self.producer_id, self.producer_epoch
        self.producer_id = producer_id
        self._start(0, old_epoch if expected else NO_EPOCH, timeout_ms, now_ms)
        self.previous_producer_id = old_id

    def _start(self, epoch: int, last_producer_epoch: int, timeout_ms: int, now_ms: int) -> None:
        self.transition_to(_S.EMPTY, now_ms)
        if epoch != self.producer_epoch:  # a retry may still name the id before
            self.previous_producer_id = NO_ID
        self.producer_epoch, self.last_producer_epoch = epoch, last_producer_epoch
        self.timeout_ms = timeout_ms
        self.start_ms = NO_TIME

    # -- a transaction -------------------------------------------------------------------------------------------

    def prepare_add_partitions(self, partitions: Iterable[TopicPartition], client_version: int, now_ms: int) -> None:
        """Add *partitions*, and begin a transaction unless one is open."""
        if self.state != _S.ONGOING:
            self.start_ms = now_ms
        self.transition_to(_S.ONGOING, now_ms)
        self.partitions.update(dict.fromkeys(partitions))
        self.client_version = client_version

    def prepare_abort_or_commit(
        self, client_version: int, now_ms: int, *, committed: bool, new_producer_id: int | None = None
    ) -> None:
        """Decide the end of the transaction; *new_producer_id* if the id has no epoch left (version 2)."""
        if self.state != _S.ONGOING:
            self.start_ms = now_ms  # an abort of a transaction that never began (version 2)
        self.transition_to(_S.PREPARE_COMMIT if committed else _S.PREPARE_ABORT, now_ms)
        self.client_version = client_version
        if client_version >= TransactionVersion.TV_2:
            self.last_producer_epoch = NO_EPOCH
            self.producer_epoch += 1
            if new_producer_id is not None:
                self.next_producer_id = new_producer_id

    def prepare_fence_producer_epoch(self, now_ms: int) -> None:
        """Decide an abort by the coordinator, under a bumped epoch that the producer does not get."""
        self.transition_to(_S.PREPARE_EPOCH_FENCE, now_ms)
        self.producer_epoch = min(self.producer_epoch + 1, LAST_CLIENT_EPOCH + 1)
        self.last_producer_epoch = NO_EPOCH
        self.transition_to(_S.PREPARE_ABORT, now_ms)
        self.client_version = 0  # no EndTxn bumped the epoch, so none is a retry

    def complete_transaction(self, now_ms: int) -> None:
        """Complete the transaction: every partition has its marker."""
        self.transition_to(_S.COMPLETE_COMMIT if self.state == _S.PREPARE_COMMIT else _S.COMPLETE_ABORT, now_ms)
        self.partitions = {}
        if self.next_producer_id != NO_ID:
            self.previous_producer_id, self.producer_id = self.producer_id, self.next_producer_id
            self.next_producer_id = NO_ID
            self.producer_epoch = 0

    def prepare_dead(self, now_ms: int) -> None:
        """Expire the transactional id."""
        self.transition_to(_S.DEAD, now_ms)
