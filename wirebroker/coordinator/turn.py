"""Turn: one run of a coordinator shard, from its input (moment, client, pending response) to its result."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from wirebroker.inbox import Future
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping


class RequestClient(Protocol):
    """The sender and version of a request; `handlers.context.RequestContext` is one.

    Valid until the request is answered: a shard that needs a value later copies it.
    """

    @property
    def version(self) -> int:
        """Version of the request's API."""

    @property
    def client_id(self) -> str | None:
        """As in the request header."""

    @property
    def client_host(self) -> str:
        """IP address, without Java's slash."""


class InternalClient(NamedTuple):
    """The client of a request that the broker makes itself."""

    version: int = -1
    client_id: str | None = None
    client_host: str = ""


INTERNAL_CLIENT: Final = InternalClient()
_NOTHING: Final[Mapping[Hashable, Any]] = {}


class PendingResponse(Future[Any]):
    """The response to one request, once there is one."""

    __slots__ = ("on_done",)

    def __init__(self) -> None:
        super().__init__()
        self.on_done: Callable[[], object] | None = None
        """Called once when there is a response."""

    def complete(self, response: Any) -> None:
        """Set the response, unless there is one; an ApiError is raised by `wait`."""
        if isinstance(response, ApiError):
            self.set_error(response)
        else:
            self.set_result(response)
        on_done, self.on_done = self.on_done, None
        if on_done is not None:
            on_done()


class CoordinatorRecord(NamedTuple):
    """One record of an internal topic; a value of None is a tombstone."""

    key: bytes
    value: bytes | None


class CoordinatorResult:
    """Everything that a turn leads to outside of the shard; the runtime does it."""

    __slots__ = ("commit_timeout_s", "pending_markers", "records", "replaced", "replies", "required_acks", "timers")

    def __init__(self) -> None:
        self.commit_timeout_s = math.inf
        """How long the request may wait for replicas to have its records."""
        self.records: list[CoordinatorRecord] = []
        """Append these, in one batch."""
        self.replaced: dict[Hashable, Any] | None = None
        """Key of the state -> the value that *records* replace, None if there was none; for reads before they are
        committed.  Without records, the keys whose values the replies tell of, if that is known.  None where nothing is
        replicated, as records are committed at once."""
        self.required_acks = -1
        """0 for tombstones that are appended, and answered, also with too few replicas in sync (as in Kafka)."""
        self.replies: list[tuple[PendingResponse, Any]] = []
        """Complete these once the records are in the log, and those of all earlier results."""
        self.timers: list[tuple[Hashable, int | None]] = []
        """(key, due time in milliseconds of the monotonic clock); None cancels.  An equal key replaces the older."""
        self.pending_markers: list[Any] = []
        """Transactions whose markers are sent once the records are in the log (transaction coordinator only)."""


class Turn:
    """One run of a shard: the moment on both clocks, whose request it is, and the result under construction.

    Timers and deadlines use *monotonic_ms*, which never steps; *wall_ms* is for timestamps in records, and for values
    that are compared with those.  *pending* is completed by this turn or a later one; for a timer no task waits for it.
    """

    __slots__ = ("below_min_isr", "client", "monotonic_ms", "pending", "replaced", "result", "wall_ms")

    def __init__(self, monotonic_ms: int, wall_ms: int, client: RequestClient = INTERNAL_CLIENT) -> None:
        self.monotonic_ms = monotonic_ms
        self.wall_ms = wall_ms
        self.client = client
        self.below_min_isr = False
        """The partition has too few replicas in sync, so that records would be refused: requests that need some are."""
        self.replaced: Mapping[Hashable, Any] = _NOTHING
        """For a read (`CoordinatorRuntime.read`): key of the state -> the committed value, or None if there is none, of
        values that are not committed yet."""
        self.pending = PendingResponse()
        self.result = CoordinatorResult()

    def resume(self, pending: PendingResponse) -> Turn:
        """A turn for an earlier request that goes on now: same moment, same result, its own pending response."""
        turn = Turn(self.monotonic_ms, self.wall_ms)
        turn.pending, turn.result, turn.below_min_isr = pending, self.result, self.below_min_isr
        return turn

    def reply(self, response: Any) -> None:
        """Answer this turn's request when the records of this and all earlier results are in the log."""
        self.result.replies.append((self.pending, response))

    def reply_to(self, pending: PendingResponse, response: Any) -> None:
        """Answer an earlier request, when `reply` would answer this one."""
        self.result.replies.append((pending, response))

    def reply_immediately(self, response: Any) -> None:
        """Answer this turn's request now; *response* must not depend on a record that is not written yet."""
        self.pending.complete(response)

    def append(self, record: CoordinatorRecord) -> None:
        """Have *record* appended; a shard changes its state in the same turn, not when the record is in the log."""
        self.result.records.append(record)

    def set_timer(self, key: Hashable, due_ms: int) -> None:
        """Have the shard's `timed_out(key)` called at *due_ms* of the monotonic clock; replaces an equal key."""
        self.result.timers.append((key, due_ms))

    def cancel_timer(self, key: Hashable) -> None:
        """Cancel the timer of *key*, if there is one."""
        self.result.timers.append((key, None))
