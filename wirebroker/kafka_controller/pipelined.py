"""pipelined: many requests to ZooKeeper, some under way at a time, and their results in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, cast

import trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

T = TypeVar("T")
R = TypeVar("R")

REQUESTS_AT_ONCE: Final = 64
"""Tasks that wait for an answer; how many requests are sent is `zookeeper.max.in.flight.requests`."""
OPERATIONS_PER_MULTI: Final = 50
"""A multi has to stay below the 1 MB of jute.maxbuffer; a partition's path and state take 700 bytes at most."""


async def pipelined(items: Sequence[T], request: Callable[[T], Awaitable[R]]) -> list[R]:
    """Return the result of *request* for each of *items*, in order.

    The first exception of a request ends the others, and is raised.
    """
    if len(items) == 1:
        return [await request(items[0])]
    results: list[R | None] = [None] * len(items)
    failures: list[Exception] = []
    queue = iter(enumerate(items))

    async def work() -> None:
        for at, item in queue:
            try:
                results[at] = await request(item)
            except Exception as failure:
                failures.append(failure)
                nursery.cancel_scope.cancel()
                return

    async with trio.open_nursery() as nursery:
        for _ in range(min(REQUESTS_AT_ONCE, len(items))):
            nursery.start_soon(work)
    if failures:
        raise failures[0]
    return cast("list[R]", results)


def chunks(items: Sequence[T], size: int = OPERATIONS_PER_MULTI) -> Iterator[Sequence[T]]:
    """Yield *items* in order, *size* at a time."""
    for first in range(0, len(items), size):
        yield items[first : first + size]
