"""RequestTime: how long the event loop, and threads with work of it, are taken by the requests of one connection."""

from __future__ import annotations

from contextvars import ContextVar
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class RequestTime:
    """A timer that runs while a connection has the event loop, and stands while its request waits."""

    __slots__ = ("_is_exempt", "_seconds", "_since")

    def __init__(self) -> None:
        """The timer stands at zero."""
        self._seconds = 0.0
        self._since: float | None = None
        self._is_exempt = False

    def start(self) -> None:
        """Run from now on."""
        self._since = perf_counter()

    def stop(self) -> None:
        """Stand until `start`."""
        assert self._since is not None
        self._seconds += perf_counter() - self._since
        self._since = None

    def take(self) -> float:
        """Return the seconds that the timer shows, and set it to zero; a running one goes on."""
        self._is_exempt = False
        seconds, self._seconds = self._seconds, 0.0
        if self._since is not None:
            now = perf_counter()
            seconds, self._since = seconds + now - self._since, now
        return seconds

    def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return the result of *work*, and add the time it takes; to be called in a thread while the timer stands."""
        started = perf_counter()
        try:
            return work(*arguments)
        finally:
            self._seconds += perf_counter() - started

    def discount(self, seconds: float) -> None:
        """Take back *seconds* of what `run` will add, for which the work has waited; to be called by the work."""
        self._seconds -= seconds

    def exempt(self) -> None:
        """Set the timer to zero; the rest of the request does not count, either."""
        self.take()
        self._is_exempt = True

    def take_rest(self) -> float:
        """Return as `take` the time since the last request was recorded, 0 if that request is exempt."""
        is_exempt = self._is_exempt
        seconds = self.take()
        return 0.0 if is_exempt else seconds


REQUEST_TIME: Final[ContextVar[RequestTime | None]] = ContextVar("REQUEST_TIME", default=None)
"""The timer of the request that is being served; None if no request time is measured."""


def measured(work: Callable[..., T]) -> Callable[..., T]:
    """Return *work* such that, in a thread, its time counts for the request that is being served now."""
    timer = REQUEST_TIME.get()
    return work if timer is None else partial(timer.run, work)
