"""DelayedRequest: a request whose shard has answered, and whose response waits until its records are committed.

A connection holds such responses back as those of Produce requests, so that commits of one connection are appended
without a wait in between, and no task waits for any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.replication.delayed_operation import DelayedOperation

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.coordinator.shard_context import ShardContext
    from wirebroker.coordinator.turn import PendingResponse
    from wirebroker.timer.timer import Timer


class DelayedRequest(DelayedOperation):
    """One request; it is complete when its pending response is.

    Its timer lets it fail with REQUEST_TIMED_OUT, as a commit of offsets does in Kafka; what was appended stays in the
    log.
    """

    __slots__ = ("_context", "_pending", "_timer", "respond")

    def __init__(self, context: ShardContext, pending: PendingResponse, timer: Timer) -> None:
        """Wait for *pending*, which is among the responses of *context*."""
        super().__init__()
        self._context, self._pending, self._timer = context, pending, timer
        self.respond: Callable[[PendingResponse], None] | None = None
        """Completes the response of the request."""
        pending.on_done = self.force_complete

    def expire_at(self, expiration_ms: int) -> None:
        """Let the request fail at *expiration_ms* of the timer."""
        self._timer.add(self, expiration_ms)

    def run(self) -> None:
        """Fail, as replicas do not have the records in time."""
        self._pending.complete(ApiError(ErrorCode.REQUEST_TIMED_OUT, "replicas do not have the records in time"))

    def try_complete(self) -> bool:
        """Return whether there is a response."""
        return self.is_completed

    def on_complete(self) -> None:
        """Complete the response of the request."""
        if self.respond is not None:
            self.respond(self._pending)
        if self.on_response is not None:
            self.on_response()

    def _end(self) -> None:
        super()._end()
        self._pending.on_done = None
        self._timer.cancel(self)
        self._context.responses.discard(self._pending)

    def watch(self) -> None:
        """Do nothing: the shard's queue of results completes the pending response."""

    @property
    def watched(self) -> int:
        """No partition has the operation among its listeners."""
        return 0

    def stop_watching(self) -> None:
        """Do nothing."""
