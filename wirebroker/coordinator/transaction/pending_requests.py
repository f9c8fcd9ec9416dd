"""PendingRequests: requests that wait until the transaction of their transactional id is complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wirebroker.coordinator.transaction.transaction_config import MAX_PENDING_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wirebroker.coordinator.turn import PendingResponse, Turn


class PendingRequest(NamedTuple):
    """A request that is answered when its transactional id is complete, or at *due_ms* of the monotonic clock."""

    due_ms: int
    pending: PendingResponse
    on_complete: Callable[[Turn], None] | None
    """Handles the request when the id is complete; None if it was handled and only its response waits."""
    response: Any
    """The response at *due_ms*, and also on completion if *on_complete* is None."""


class PendingRequests:
    """The pending requests of one shard, by transactional id, in order of arrival."""

    def __init__(self) -> None:
        self._requests: dict[str, list[PendingRequest]] = {}

    def add(
        self, transactional_id: str, turn: Turn, response: Any, on_complete: Callable[[Turn], None] | None = None
    ) -> int:
        """Let the request of *turn* wait; return when it has waited for too long."""
        due_ms = turn.monotonic_ms + MAX_PENDING_MS
        request = PendingRequest(due_ms, turn.pending, on_complete, response)
        self._requests.setdefault(transactional_id, []).append(request)
        return due_ms

    def take(self, transactional_id: str) -> Sequence[PendingRequest]:
        """Remove and return the requests that wait for *transactional_id*."""
        return self._requests.pop(transactional_id, ())

    def take_expired(self, monotonic_ms: int) -> tuple[list[PendingRequest], int | None]:
        """Remove and return the requests that have waited for too long, and when the next one will have."""
        expired: list[PendingRequest] = []
        next_ms = None
        for transactional_id, requests in tuple(self._requests.items()):
            expired += [each for each in requests if each.due_ms <= monotonic_ms]
            left = [each for each in requests if each.due_ms > monotonic_ms]
            if left:
                self._requests[transactional_id] = left
                next_ms = left[0].due_ms if next_ms is None else min(next_ms, left[0].due_ms)
            else:
                del self._requests[transactional_id]
        return expired, next_ms

    def clear(self) -> None:
        """Drop all requests; the runtime answers them."""
        self._requests.clear()
