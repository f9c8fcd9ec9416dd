"""CoordinatorShard: the interface of the state machines that a CoordinatorRuntime runs.

A shard owns one partition of an internal topic and everything whose records live there.  It changes its own state at
once and puts everything else that follows into the turn's result; the runtime appends the records, and replies when
they are in the log.  If the append fails, the shard is thrown away and loaded again from its log, so there is no
rollback code.

While the partition has fewer replicas in sync than min.insync.replicas (`Turn.below_min_isr`), a shard refuses what
needs a record, and leaves its state as it is: the append would fail.  As in Kafka, a group becomes empty without its
record, and tombstones of offsets and groups are written all the same (`CoordinatorResult.required_acks`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from wirebroker.coordinator.turn import CoordinatorRecord, Turn
    from wirebroker.protocol.errors import ErrorCode
    from wirebroker.storage.verification_guard import VerificationGuard


class TransactionalWriter(NamedTuple):
    """The producer in whose transaction a request's records are written."""

    producer_id: int
    producer_epoch: int
    verification_guard: VerificationGuard | None
    """The log's guard from the verification of this producer; None if verification is off."""


class ReplayedBatch(NamedTuple):
    """The producer and the timestamp of a batch that is being replayed."""

    producer_id: int
    producer_epoch: int
    transactional: bool
    timestamp_ms: int


class TransactionEnded(NamedTuple):
    """Notice to a shard: a marker of this producer's transaction was appended to its partition."""

    producer_id: int
    committed: bool


class CoordinatorShard(Protocol):
    """State of one partition of an internal topic.

    Every method but `finish_replay` is one turn of the event loop, so it has to end within milliseconds; longer work is
    cut into pieces, each with a timer that is due at once for the next.
    """

    def replay(self, record: CoordinatorRecord, batch: ReplayedBatch) -> None:
        """Apply one record of the log, in log order, before any request is handled.

        A record is left out if no transaction is open and its key comes again before the next one begins.
        """

    def replay_end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """Apply a transaction marker of the log."""

    def finish_replay(self) -> Iterator[None]:
        """Prepare to serve after the last record, in short steps."""

    def loaded(self, turn: Turn) -> None:
        """Start to serve: set timers, resume unfinished work of the log."""

    def handle(self, request: Any, turn: Turn) -> None:
        """Handle one request or notice; its response may come with a later turn."""

    def replication_timed_out(self, request: Any, turn: Turn) -> ErrorCode:
        """Return the code for *request*, whose records replicas do not have in time; they stay in the log."""

    def timed_out(self, key: Hashable, turn: Turn) -> None:
        """Handle a timer, which may be late, or without meaning by now."""

    def unloaded(self, turn: Turn) -> None:
        """Answer every waiting request with NOT_COORDINATOR and let go of all state; leadership is gone."""
