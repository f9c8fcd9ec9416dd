"""Cancellation of waits by an event, such as the request to stop a broker that still starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")


async def unless_set(event: trio.Event, work: Callable[[], Awaitable[T]]) -> T | None:
    """Return the result of *work*, or None if *event* is set before it has one: *work* is cancelled, or not begun.

    Exceptions of *work* are raised as they are, in no group.
    """
    if event.is_set():
        return None
    result: T | None = None
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(cancel_when_set, nursery.cancel_scope, event)
        try:
            result = await work()
        except Exception as error:
            failure = error
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return result


async def cancel_when_set(scope: trio.CancelScope, event: trio.Event) -> None:
    """Cancel *scope* when *event* is set; to be started in a nursery around it."""
    await event.wait()
    scope.cancel()
