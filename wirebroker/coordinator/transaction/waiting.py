"""Requests that wait for their transactional id to be complete, and for how long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wirebroker.coordinator.transaction.settings import HOLD_MS

if TYPE_CHECKING:
    from collections.abc import Sequence


class Held(NamedTuple):
    """A request that waits."""

    due_ms: int
    ticket: object
    request: Any
    late: Any
    """Its answer when that takes too long: to try again, or for an EndTransaction that did its part, that it did."""


class WaitingRoom:
    """Who waits, by transactional id, in order of arrival."""

    def __init__(self) -> None:
        self._held: dict[str, list[Held]] = {}

    def enter(self, request: Any, ticket: object, late: Any, monotonic_ms: int) -> int:
        """Let a request wait; returns when it has waited for too long."""
        due_ms = monotonic_ms + HOLD_MS
        held = Held(due_ms, ticket, request, late)
        self._held.setdefault(request.transactional_id, []).append(held)
        return due_ms

    def leave(self, transactional_id: str) -> Sequence[Held]:
        """It is complete: everybody who waited for it."""
        return self._held.pop(transactional_id, ())

    def too_late(self, monotonic_ms: int) -> tuple[list[Held], int | None]:
        """Everybody who has waited for too long, and when the next one will have."""
        gone: list[Held] = []
        next_ms = None
        for transactional_id, waiting in tuple(self._held.items()):
            left = [each for each in waiting if each.due_ms > monotonic_ms]
            gone += [each for each in waiting if each.due_ms <= monotonic_ms]
            if left:
                self._held[transactional_id] = left
                next_ms = left[0].due_ms if next_ms is None else min(next_ms, left[0].due_ms)
            else:
                del self._held[transactional_id]
        return gone, next_ms
