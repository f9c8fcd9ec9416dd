"""Inbox and Future: how tasks hand requests to the one task that owns some state, and get the results.

State that only one task changes needs no lock: other tasks put requests into the bounded inbox of the owner task, which
handles them in groups and in order.  Each request is a Future, so its outcome reaches the task that waits for it.

    class Append(Future[int]):  # a request of some owner: what to do, and later its result
        ...

    append = Append(batch)
    await inbox.put(append)          # waits while the inbox is full
    offset = await append.wait()     # raises the error that the owner has set

    await inbox.run(handle, ...)     # the owner task; `handle` gets lists of Append and sets their results

All of it belongs to one event loop; a thread may compute an outcome but must not set it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")
F = TypeVar("F", bound="Future[Any]")

_PENDING: Final[Any] = object()
_FAILED: Final[Any] = object()


class Future(Generic[T]):
    """A result or an error that a task waits for and another task sets.  The first outcome counts."""

    __slots__ = ("_done", "_error", "_result")

    _error: BaseException
    """Set only if the outcome is an error."""

    def __init__(self) -> None:
        self._result: T = _PENDING
        self._done: trio.Event | None = None

    @property
    def is_done(self) -> bool:
        """Whether there is an outcome."""
        return self._result is not _PENDING

    def set_result(self, result: T) -> None:
        """Let `wait` return *result*; no effect on a future that is done."""
        if self._result is _PENDING:
            self._result = result
            if self._done is not None:
                self._done.set()

    def set_error(self, error: BaseException) -> None:
        """Let `wait` raise *error*; no effect on a future that is done."""
        if self._result is _PENDING:
            self._error = error
            self._result = _FAILED
            if self._done is not None:
                self._done.set()

    def outcome(self) -> T:
        """Return the result or raise the error of a future that is done."""
        assert self._result is not _PENDING
        if self._result is _FAILED:
            raise self._error
        return self._result

    async def wait(self) -> T:
        """Return the result or raise the error; yields to other tasks only if there is no outcome yet.

        Cancelling the caller gives up the outcome, not the work behind it.
        """
        if self._result is _PENDING:
            if self._done is None:
                self._done = trio.Event()
            await self._done.wait()
        return self.outcome()


class InboxClosed(Exception):
    """The owner task takes no more requests."""


class Inbox(Generic[F]):
    """A bounded queue of futures from many tasks to one owner task.

    Args:
        capacity: the number of requests that may be queued before `put` waits.
    """

    __slots__ = ("_has_owner", "_receive", "_send")

    def __init__(self, capacity: int) -> None:
        self._send, self._receive = trio.open_memory_channel[F](capacity)
        self._has_owner = False

    async def put(self, request: F) -> None:
        """Queue *request* behind all others, as soon as there is room.

        A caller that is cancelled while it waits for room has queued nothing; once queued, a request will be handled.

        Raises:
            InboxClosed: the owner task has ended, or the inbox is closed.
        """
        try:
            await self._send.send(request)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise InboxClosed from None

    def put_nowait(self, request: F) -> bool:
        """Queue *request* if that needs no wait; False when the inbox is full or closed, and nothing will be done."""
        try:
            self._send.send_nowait(request)
        except (trio.WouldBlock, trio.BrokenResourceError, trio.ClosedResourceError):
            return False
        return True

    @property
    def is_empty(self) -> bool:
        """Whether nothing is queued, nor waits for room."""
        statistics = self._receive.statistics()
        return not statistics.current_buffer_used and not statistics.tasks_waiting_send

    def close(self) -> None:
        """Take no more requests; `run` handles those that are queued, and returns."""
        self._send.close()

    async def run(
        self,
        handle: Callable[[list[F]], Awaitable[None]],
        closed_error: Callable[[], Exception] = InboxClosed,
        max_group: int = 256,
    ) -> None:
        """The owner task: call *handle* with groups of queued requests, in order, until `close` or cancellation.

        *handle* gives every request of its group an outcome.  Requests without one when `run` ends, in the group or in
        the queue, fail with *closed_error*(), so that no caller waits for ever; later ones meet InboxClosed.

        Args:
            handle: gets 1 to *max_group* requests.
            closed_error: makes the error for a request that is not handled.
            max_group: the most requests to hand out at once.

        Raises:
            trio.BusyResourceError: the inbox has had an owner task before.
        """
        if self._has_owner:
            raise trio.BusyResourceError("an inbox has one owner task in its life")
        self._has_owner = True
        group: list[F] = []
        with self._receive:
            try:
                async for first in self._receive:
                    group = self._drain([first], max_group)
                    await handle(group)
            finally:
                for request in self._drain(group):
                    request.set_error(closed_error())

    def _drain(self, group: list[F], max_group: int | None = None) -> list[F]:
        """Move queued requests to *group* until it has *max_group*, and return it."""
        receive = self._receive.receive_nowait
        while max_group is None or len(group) < max_group:
            try:
                group.append(receive())
            except (trio.WouldBlock, trio.EndOfChannel):
                break
        return group
