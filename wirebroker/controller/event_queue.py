"""EventQueue: the controller's events, run one after the other by one task in the order of their arrival."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, TypeVar

from wirebroker.inbox import Future, Inbox, InboxClosed
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

log = logging.getLogger(__name__)

T = TypeVar("T")


class _Event(Future[T]):
    """An async function to run, and its outcome."""

    __slots__ = ("run",)

    def __init__(self, run: Callable[[], Awaitable[T]]) -> None:
        super().__init__()
        self.run = run


class EventQueue:
    """Runs one async function at a time, first come first served.  *limit* is how many functions may wait."""

    def __init__(self, limit: int = 1000) -> None:
        self._events: Inbox[_Event[Any]] = Inbox(limit)

    async def run_and_wait(self, run: Callable[[], Awaitable[T]]) -> T:
        """Queue *run*, wait until the owner task has run it, and return its result.

        A queued function runs even if the caller is cancelled meanwhile.

        Raises:
            ApiError: NOT_CONTROLLER when the owner task has ended.
            Exception: the exception that *run* raised.
        """
        event = _Event(run)
        try:
            await self._events.put(event)
        except InboxClosed:
            raise _stopped() from None
        return await event.wait()

    def append_nowait(self, run: Callable[[], Awaitable[None]]) -> bool:
        """Queue *run* without waiting for it; return False, and never run it, if the queue is full or has ended."""
        return self._events.put_nowait(_Event(run))

    async def run(self) -> None:
        """Run events until cancelled: the owner task.  Callers that are still waiting then get NOT_CONTROLLER."""
        await self._events.run(_run_events, _stopped, max_group=1)


async def _run_events(events: list[_Event[Any]]) -> None:
    for event in events:
        try:
            event.set_result(await event.run())
        except Exception as error:
            if not isinstance(error, ApiError):
                log.exception("controller event failed: %s", error)
            event.set_error(error)


def _stopped() -> ApiError:
    return ApiError(ErrorCode.NOT_CONTROLLER, "the controller has stopped")
