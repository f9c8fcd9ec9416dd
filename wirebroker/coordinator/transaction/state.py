"""One transactional id: who may write under it now, and how far its transaction is.

    Empty -> Ongoing -> PrepareCommit -> CompleteCommit -> Ongoing, or Empty with the next InitProducerId
                     -> PrepareAbort  -> CompleteAbort  -> the same

PrepareEpochFence lies between Ongoing and PrepareAbort when it is the coordinator who aborts (a new producer, a
timeout): the epoch goes up first.  It is passed at once, so neither log nor client sees it.  Version 2 of the protocol
(KIP-890) raises the epoch with every end, and may abort what was never begun.

Facts: KIP-98, KIP-360 (producers that raise their own epoch), KIP-890; legal moves as in Kafka 4.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.model import TopicPartition

NO_ID: Final = -1
NO_EPOCH: Final = -1
NO_TIME: Final = -1
LAST_EPOCH: Final = 32766
"""The last that producers get; one more is left for fencing them."""
EPOCH_PER_TRANSACTION: Final = 2
"""Clients of this transaction version get a new epoch with every end."""


class TransactionState(IntEnum):
    """How far a transaction is, numbered as in the log."""

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
        """Its name on the wire."""
        return _LABELS[self]


_LABELS: Final = {state: state.name.title().replace("_", "") for state in TransactionState}

_S = TransactionState
AT_REST: Final = frozenset({_S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT})
"""No transaction is open: a new one may begin, the id may expire."""
PREPARED: Final = frozenset({_S.PREPARE_COMMIT, _S.PREPARE_ABORT})
"""How it ends is decided, but not every partition knows."""

MAY_FOLLOW: Final = {  # new state -> states it may come from
    _S.EMPTY: AT_REST,
    _S.ONGOING: AT_REST | {_S.ONGOING},
    _S.PREPARE_COMMIT: frozenset({_S.ONGOING}),
    _S.PREPARE_ABORT: AT_REST | {_S.ONGOING, _S.PREPARE_EPOCH_FENCE},
    _S.COMPLETE_COMMIT: frozenset({_S.PREPARE_COMMIT}),
    _S.COMPLETE_ABORT: frozenset({_S.PREPARE_ABORT}),
    _S.DEAD: AT_REST,
    _S.PREPARE_EPOCH_FENCE: frozenset({_S.ONGOING}),
}


class Transaction:
    """State of one transactional id; every method is one legal move."""

    __slots__ = (
        "client_version",
        "deadline_ms",
        "last_epoch",
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
        self.last_epoch = NO_EPOCH
        """What a producer believed when it raised its epoch: it may ask again.  Not in the log, as in Kafka."""
        self.previous_producer_id = NO_ID
        """The id that ran out of epochs."""
        self.next_producer_id = NO_ID
        """The id that the producer goes on with when this transaction is complete, if its own has no epoch left."""
        self.timeout_ms = timeout_ms
        self.state = _S.EMPTY
        self.partitions: dict[TopicPartition, None] = {}
        self.start_ms = NO_TIME
        self.deadline_ms = 0
        """When an open transaction times out, on the monotonic clock; not in the log."""
        self.updated_ms = now_ms
        self.client_version = 0

    def _go(self, state: TransactionState, now_ms: int) -> None:
        assert self.state in MAY_FOLLOW[state], f"{self.transactional_id}: {self.state.name} -> {state.name}"
        self.state = state
        self.updated_ms = now_ms

    @property
    def exhausted(self) -> bool:
        """Its producer id has no epoch left."""
        return self.producer_epoch >= LAST_EPOCH

    @property
    def granted(self) -> tuple[int, int]:
        """The producer id and epoch that the client goes on with."""
        return (self.producer_id, self.producer_epoch) if self.next_producer_id == NO_ID else (self.next_producer_id, 0)

    def timed_out(self, monotonic_ms: int) -> bool:
        """Whether the producer has taken longer than its transaction.timeout.ms."""
        return self.state == _S.ONGOING and self.deadline_ms < monotonic_ms

    def remaining_ms(self, wall_ms: int) -> int:
        """What is left of the timeout of a transaction that was read from the log.

        The log has only the wall-clock time of the start, so this is where the wall clock counts, as in Apache Kafka; a
        clock that was set back cannot give the producer more than one whole timeout, though.
        """
        return min(max(self.start_ms + self.timeout_ms - wall_ms, 0), self.timeout_ms)

    # -- a producer starts ---------------------------------------------------------------------------------------

    def is_producer(self, producer_id: int, producer_epoch: int) -> bool:
        """Whether a producer that believes to be this one may raise its epoch, as far as the id tells (KIP-360).

        It may name the id before, if that one had run out: the answer with the new one got lost.
        """
        return (
            self.producer_epoch == NO_EPOCH
            or producer_id == self.producer_id
            or (producer_id == self.previous_producer_id and producer_epoch >= LAST_EPOCH)
        )

    def raise_epoch(self, expected_epoch: int | None, timeout_ms: int, now_ms: int) -> bool:
        """Start anew with the next epoch; False if *expected_epoch* is not that of the living producer."""
        if expected_epoch is None:
            epoch, last = self.producer_epoch + 1, NO_EPOCH
        elif self.producer_epoch == NO_EPOCH or expected_epoch == self.producer_epoch:
            epoch, last = self.producer_epoch + 1, self.producer_epoch
        elif expected_epoch == self.last_epoch:
            epoch, last = self.producer_epoch, self.last_epoch  # it asks again: same answer
        else:
            return False
        assert epoch <= LAST_EPOCH
        self._start(epoch, last, timeout_ms, now_ms)
        return True

    def change_id(self, producer_id: int, timeout_ms: int, now_ms: int, *, expected: bool) -> None:
        """Start anew with another producer id, for this one is exhausted."""
        old_id, old_epoch = self.producer_id, self.producer_epoch
        self.producer_id = producer_id
        self._start(0, old_epoch if expected else NO_EPOCH, timeout_ms, now_ms)
        self.previous_producer_id = old_id

    def _start(self, epoch: int, last_epoch: int, timeout_ms: int, now_ms: int) -> None:
        self._go(_S.EMPTY, now_ms)
        if epoch != self.producer_epoch:  # who asks again may still name the id before
            self.previous_producer_id = NO_ID
        self.producer_epoch, self.last_epoch = epoch, last_epoch
        self.timeout_ms = timeout_ms
        self.start_ms = NO_TIME

    # -- a transaction -------------------------------------------------------------------------------------------

    def add(self, partitions: Iterable[TopicPartition], client_version: int, now_ms: int) -> None:
        """It writes to *partitions*; the first ones open it."""
        if self.state != _S.ONGOING:
            self.start_ms = now_ms
        self._go(_S.ONGOING, now_ms)
        self.partitions.update(dict.fromkeys(partitions))
        self.client_version = client_version

    def prepare(self, client_version: int, now_ms: int, *, committed: bool, fresh_id: int | None = None) -> None:
        """The producer has decided; *fresh_id* when the next epoch is one too many."""
        if self.state != _S.ONGOING:
            self.start_ms = now_ms  # an abort of what never began (version 2)
        self._go(_S.PREPARE_COMMIT if committed else _S.PREPARE_ABORT, now_ms)
        self.client_version = client_version
        if client_version >= EPOCH_PER_TRANSACTION:
            self.last_epoch = NO_EPOCH
            self.producer_epoch += 1
            if fresh_id is not None:
                self.next_producer_id = fresh_id

    def fence(self, now_ms: int) -> None:
        """The coordinator aborts, under an epoch that the producer does not know and is never told."""
        self._go(_S.PREPARE_EPOCH_FENCE, now_ms)
        self.producer_epoch = min(self.producer_epoch + 1, LAST_EPOCH + 1)
        self.last_epoch = NO_EPOCH
        self._go(_S.PREPARE_ABORT, now_ms)
        self.client_version = 0  # no EndTxn has raised the epoch, so none can be asked again

    def complete(self, now_ms: int) -> None:
        """Every partition knows."""
        self._go(_S.COMPLETE_COMMIT if self.state == _S.PREPARE_COMMIT else _S.COMPLETE_ABORT, now_ms)
        self.partitions = {}
        if self.next_producer_id != NO_ID:
            self.previous_producer_id, self.producer_id = self.producer_id, self.next_producer_id
            self.next_producer_id = NO_ID
            self.producer_epoch = 0

    def die(self, now_ms: int) -> None:
        """Nobody has used it for long."""
        self._go(_S.DEAD, now_ms)
