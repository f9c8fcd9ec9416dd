"""Waiting for partitions to move: what Kafka calls purgatory, without timer wheel or locks.

A request that cannot be answered yet registers one Waiter with each of its partitions and sleeps
under its own cancel scope; whoever moves a watermark pokes the waiters of that partition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from wirebroker.replication.partition import Partition


class Waiter:
    """One sleeping request.  As a context manager it is registered with *partitions*."""

    __slots__ = ("_event", "_partitions")

    def __init__(self, partitions: Iterable[Partition]) -> None:
        self._partitions = list(partitions)
        self._event = trio.Event()

    def __enter__(self) -> Waiter:
        for partition in self._partitions:
            partition.waiters.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for partition in self._partitions:
            partition.waiters.discard(self)

    def poke(self) -> None:
        """Something changed; wake the request so that it looks again."""
        self._event.set()

    async def wait(self) -> None:
        """Sleep until the next poke."""
        await self._event.wait()
        self._event = trio.Event()
