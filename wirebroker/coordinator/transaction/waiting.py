"""Requests, and answers of EndTxn, that wait for their transactional id to be complete, and for how long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wirebroker.coordinator.transaction.settings import HOLD_MS

if TYPE_CHECKING:
    from collections.abc import Sequence


class Held(NamedTuple):
    """A request that waits to be handled, or an answer that waits to be given."""

    due_ms: int
    ticket: object
    request: Any
    """None when only the answer waits: an EndTransaction that was handled."""
    late: Any
    """The answer when that takes too long: to try again, or for an EndTransaction the one that it gets anyway."""


class WaitingRoom:
    """Who waits, by transactional id, in order of arrival."""

    def __init__(self) -> None:
        self._held: dict[str, list[Held]] = {}

    def enter(self, transactional_id: str, request: Any, ticket: object, late: Any, monotonic_ms: int) -> int:
        """Let a request wait, or with a *request* of None only its answer; returns when it has waited too long."""
        due_ms = monotonic_ms + HOLD_MS
        self._held.setdefault(transactional_id, []).append(Held(due_ms, ticket, request, late))
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
