"""RequestDeadline: a limit of time for the requests that one task sends one after the other, with one cancel scope.

To make, enter and leave a scope for each request would take an eighth of a follower's processor time.  The deadline of
the one scope is moved for a request only if it has to be: a request may take up to a thirtieth longer than the limit.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import trio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NEVER: Final = float("inf")


class RequestDeadline:
    """The deadline of the request that is in flight, if any."""

    __slots__ = ("_now_s", "_scope", "_slack_s", "_stays_until", "_timeout_s")

    def __init__(self, timeout_s: float) -> None:
        """Limit each request to *timeout_s*."""
        self._timeout_s = timeout_s
        self._slack_s = timeout_s / 30
        self._scope = trio.CancelScope()
        self._stays_until = -_NEVER
        """Requests that begin before need no other deadline."""
        self._now_s: Callable[[], float] = trio.current_time

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the requests in the body, which a request that takes too long ends."""
        self._stays_until = -_NEVER
        self._now_s = trio.lowlevel.current_clock().current_time  # half the price of trio.current_time
        with trio.CancelScope() as self._scope:
            yield

    def begin(self) -> None:
        """Have the next wait of the task be limited; until `end`, so that waits between two requests cost nothing."""
        now = self._now_s()
        if now > self._stays_until:
            self._stays_until = now + self._slack_s
            self._scope.deadline = self._stays_until + self._timeout_s

    def end(self) -> None:
        """Have the waits that follow not be limited."""
        if self._stays_until != -_NEVER:
            self._stays_until = -_NEVER
            self._scope.deadline = _NEVER
