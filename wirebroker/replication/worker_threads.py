"""WorkerThreads: a few threads for requests whose work would hold the event loop, shared fairly between them.

A request waits in line for a thread and gives it back after `SLICE_S` when it has more to do, so a request of 10,000
searches delays one of a single search by some slices, not by all of it.  Python code in a thread shares the interpreter
with the loop: work that is handed over here should spend its time in C (decompression, reading, checksums) or be rare.
"""

from __future__ import annotations

from collections import deque
from threading import Lock, local
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

import trio

from wirebroker.quota.request_time import REQUEST_TIME, measured

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

THREADS: Final = 2
"""More would only wait for the interpreter; one alone would let a read from a slow disk hold up all others."""
SLICE_S: Final = 0.05
SEARCH_THREADS: Final = 32
"""Searches that take turns: all but `THREADS` of them wait in their threads."""


class WorkerThreads:
    """Runs synchronous work of requests outside of the loop."""

    def __init__(self, threads: int = THREADS, slice_s: float = SLICE_S) -> None:
        self._limiter = trio.CapacityLimiter(threads)
        self._slice_s = slice_s

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run *work* in a thread and return what it returns.

        Cancelling the caller neither stops nor abandons the work: its arguments may be views of a buffer that the
        caller lends.
        """
        return await trio.to_thread.run_sync(measured(work), *arguments, limiter=self._limiter)

    async def run_each(self, work: Callable[[T], None], items: Sequence[T]) -> None:
        """Call *work* with each item, in a thread, with a new wait in line after every slice.

        When the caller is cancelled the rest of the slice still runs, unobserved.
        """
        done = 0

        def run_slice() -> None:
            nonlocal done
            ends = perf_counter() + self._slice_s
            while True:
                work(items[done])
                done += 1
                if done == len(items) or perf_counter() >= ends:
                    return

        while done < len(items):
            await trio.to_thread.run_sync(measured(run_slice), limiter=self._limiter, abandon_on_cancel=True)


class SearchThreads(WorkerThreads):
    """Runs searches, which may take seconds each, so that others go on meanwhile.

    At most *running* of *threads* search at a time; a search that calls `pause` gives its turn to another one after
    every slice, in the order in which they came.
    """

    def __init__(self, threads: int = SEARCH_THREADS, running: int = THREADS, slice_s: float = SLICE_S) -> None:
        super().__init__(threads, slice_s)
        self._guard = Lock()
        self._turns_left = running
        self._waiting: deque[Lock] = deque()
        self._slice = local()

    async def run_each(self, work: Callable[[T], None], items: Sequence[T]) -> None:
        """Call *work* with each item as `WorkerThreads.run_each` does, each time in a turn."""

        def run_in_turn(item: T) -> None:
            self._begin_turn()
            try:
                work(item)
            finally:
                self._end_turn()

        await super().run_each(run_in_turn, items)

    def pause(self) -> None:
        """Give the turn of this thread to another thread that waits for one, if the slice is over."""
        if self._waiting and perf_counter() >= self._slice.ends:
            self._end_turn()
            self._begin_turn()

    def _begin_turn(self) -> None:
        turn = None
        with self._guard:
            if self._turns_left:
                self._turns_left -= 1
            else:
                turn = Lock()
                turn.acquire()
                self._waiting.append(turn)
        now = perf_counter()
        if turn is not None:
            turn.acquire()  # released by the thread whose turn this one gets
            began, now = now, perf_counter()
            timer = REQUEST_TIME.get()
            if timer is not None:
                timer.discount(now - began)
        self._slice.ends = now + self._slice_s

    def _end_turn(self) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._turns_left += 1
