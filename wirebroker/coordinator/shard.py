"""What a coordinator shard is: a function from (state, request, now) to an Outcome.

One shard owns one partition of an internal topic and everything whose records live there.  It
changes its own state at once and says what is to be written and who is to be told; the runtime
appends the records and delivers the replies when they are committed.  If the append fails, the shard
is thrown away and loaded again from its log, so there is no rollback code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from wirebroker.storage.verification import Verification


class Now(NamedTuple):
    """One moment on both clocks.

    Timers and deadlines use *monotonic_ms*, which never steps; *wall_ms* is for timestamps that are written into
    records, and for what is compared with those.
    """

    monotonic_ms: int
    wall_ms: int


class CoordinatorRecord(NamedTuple):
    """One record of an internal topic; a value of None is a tombstone."""

    key: bytes
    value: bytes | None


class Reply(NamedTuple):
    """A response for whoever holds *ticket*."""

    ticket: object
    response: Any


class Timer(NamedTuple):
    """Call `timed_out(key)` at *due_ms* of the monotonic clock.

    An equal key replaces the older timer, and None cancels it.
    """

    key: Hashable
    due_ms: int | None


class Outcome:
    """What a shard wants done; it does none of it itself."""

    __slots__ = ("errands", "immediate", "records", "replies", "timers")

    def __init__(self) -> None:
        self.records: list[CoordinatorRecord] = []
        """Append these, in one batch."""
        self.replies: list[Reply] = []
        """Deliver these once the records are committed."""
        self.immediate: list[Reply] = []
        """Deliver these at once: they tell nothing that a record of this or an earlier outcome has to hold."""
        self.timers: list[Timer] = []
        self.errands: list[Any] = []
        """Work outside of the shard, to be started once the records are committed; its owner knows what it means."""

    def reply(self, ticket: object, response: Any) -> None:
        """Answer the request that *ticket* stands for."""
        self.replies.append(Reply(ticket, response))


class TransactionalWriter(NamedTuple):
    """The producer in whose transaction a request's records are written."""

    producer_id: int
    producer_epoch: int
    verified: Verification | None
    """What the log has admitted it with; None if nothing has to be proved."""


class ReplayedBatch(NamedTuple):
    """Who wrote a batch that is being replayed."""

    producer_id: int
    producer_epoch: int
    transactional: bool
    timestamp_ms: int


class TransactionEnded(NamedTuple):
    """Notice to a shard: a marker of this producer's transaction was appended to its partition."""

    producer_id: int
    committed: bool


class Shard(Protocol):
    """State of one partition of an internal topic.

    Every method but `finish_replay` is one turn of the event loop, so it has to end within milliseconds; what takes
    longer is cut into pieces, each with a timer that is due at once for the next.
    """

    def replay(self, record: CoordinatorRecord, offset: int, batch: ReplayedBatch) -> None:
        """Take over one record of the log, in log order, before any request is handled."""

    def replay_end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """Take over a transaction marker of the log."""

    def finish_replay(self) -> Iterator[None]:
        """Everything is replayed: prepare to serve, in short steps."""

    def loaded(self, now: Now) -> Outcome:
        """The shard serves from now on: start the timers."""

    def handle(self, request: Any, ticket: object, now: Now) -> Outcome:
        """One request; its reply may come with a later outcome."""

    def timed_out(self, key: Hashable, now: Now) -> Outcome:
        """A timer is due.  It may be late or meaningless by now."""

    def unloaded(self) -> Outcome:
        """Leadership is gone: tell everybody who waits to look elsewhere."""
