"""TimerQueue: the timers of all shards of a runtime, on trio's monotonic clock."""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable

    from wirebroker.coordinator.shard_context import ShardContext

_SWEEP_AT_LEAST: Final = 1000
_LATE_MS: Final = 500
_CATCH_UP_S: Final = 0.1
"""A timer that is later than `_LATE_MS` means that this process stood still.  What clients sent meanwhile waits in
their sockets and is read first: a session that a heartbeat has prolonged does not end."""


class TimerQueue:
    """A heap of due times.  The current due time of a key is in its context's `due`; others in the heap are stale."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, ShardContext, Hashable]] = []  # due, order, context, key
        self._order = itertools.count()
        self._sweep_at = _SWEEP_AT_LEAST
        self._earlier = trio.Event()

    def __len__(self) -> int:
        return len(self._heap)

    def set(self, context: ShardContext, key: Hashable, due_ms: int | None) -> None:
        """Set the timer *key* of a shard, in place of an earlier one; None cancels it."""
        if due_ms is None:
            context.due.pop(key, None)
            return
        context.due[key] = due_ms
        soonest = self._heap[0][0] if self._heap else None
        heapq.heappush(self._heap, (due_ms, next(self._order), context, key))
        if len(self._heap) > self._sweep_at:
            self._sweep()
        if soonest is None or due_ms < soonest:
            self._earlier.set()

    def _sweep(self) -> None:
        """Drop timers that were replaced or cancelled: members that come and go leave many, due in minutes."""
        self._heap = [timer for timer in self._heap if timer[2].due.get(timer[3]) == timer[0]]
        heapq.heapify(self._heap)
        self._sweep_at = max(2 * len(self._heap), _SWEEP_AT_LEAST)

    async def run(self, fire: Callable[[ShardContext, Hashable], Awaitable[None]]) -> None:
        """Call *fire* for each timer that is due, in order; runs until cancelled."""
        caught_up = False
        turns = Turns()
        while True:
            self._earlier = trio.Event()
            if not self._heap:
                await self._earlier.wait()
                continue
            wait_ms = self._heap[0][0] - 1000 * trio.current_time()
            if wait_ms > 0:
                caught_up = False
                with trio.move_on_after(wait_ms / 1000):
                    await self._earlier.wait()
                continue
            if wait_ms < -_LATE_MS and not caught_up:
                caught_up = True
                await trio.sleep(_CATCH_UP_S)
                continue
            due_ms, _, context, key = heapq.heappop(self._heap)
            if context.due.get(key) == due_ms:
                del context.due[key]
                await fire(context, key)
            await turns.yield_if_due()
