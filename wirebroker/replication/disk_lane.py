"""Where the writes of one log directory run: in the loop while its disk is quick, in a thread when it is not.

A page-cache write costs 5 us, a hop to a thread and back 70-100 us, so a healthy disk is written to
straight from the loop.  A disk that stalls must not stall connections that do not need it: slow
writes of more than `PATIENCE_S` together move the directory's writes to an owner task, which drains
its bounded inbox and makes one thread hop for the whole group.  When `QUICK_WRITES` of them in a row
were quick and nothing waits, writes come back to the loop.

Writes keep their order: the loop is used only while the inbox is empty and the owner rests.
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import trio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

logger = logging.getLogger(__name__)

SLOW_S: Final = 0.01
"""A write that takes longer is not quick; a 1 MB batch takes 0.2 ms on a warm page cache."""
PATIENCE_S: Final = 0.1
"""Slow time that is forgiven: a busy machine takes the processor away for some 20 ms now and then."""
FORGIVEN_PER_S: Final = 0.05
QUICK_WRITES: Final = 100
_INBOX: Final = 256


class _Job:
    __slots__ = ("arguments", "done", "elapsed_s", "error", "result", "work")

    def __init__(self, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.work = work
        self.arguments = arguments
        self.done = trio.Event()
        self.result: Any = None
        self.error: BaseException | None = None
        self.elapsed_s = 0.0

    def run(self) -> None:
        started = perf_counter()
        try:
            self.result = self.work(*self.arguments)
        except BaseException as error:
            self.error = error
        self.elapsed_s = perf_counter() - started


class DiskLane:
    """The way to one log directory."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.quick = True
        """Callers may write in the loop, and report to `took`."""
        self._send, self._receive = trio.open_memory_channel[_Job](_INBOX)
        self._busy = False
        self._quick_in_a_row = 0
        self._slow_s = 0.0
        self._slow_at = perf_counter()

    def took(self, elapsed_s: float) -> None:
        """A write in the loop took this long."""
        if elapsed_s > SLOW_S:
            now = perf_counter()
            self._slow_s = max(0.0, self._slow_s - FORGIVEN_PER_S * (now - self._slow_at)) + elapsed_s
            self._slow_at = now
            if self._slow_s > PATIENCE_S and self.quick:
                self.quick = False
                self._quick_in_a_row = 0
                logger.warning(
                    "log_dir=%s: slow, the last write took %.0f ms; writing from a thread until it is quick again",
                    self.directory,
                    elapsed_s * 1000,
                )

    async def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run *work* in this directory's order and return its result.

        A caller that is cancelled already starts nothing.  Cancelling it later neither stops nor abandons the work: its
        arguments may be views of a buffer that the caller lends.
        """
        if self.quick:
            # Not counted: what comes here (deletions, retention) may sync, and says nothing of the next append.
            return work(*arguments)
        await trio.lowlevel.checkpoint_if_cancelled()
        job = _Job(work, arguments)
        with trio.CancelScope(shield=True):
            await self._send.send(job)
            await job.done.wait()
        if job.error is not None:
            raise job.error
        return job.result

    @property
    def is_idle(self) -> bool:
        """Nothing is written here, and nothing waits to be."""
        inbox = self._send.statistics()
        return not self._busy and not inbox.current_buffer_used and not inbox.tasks_waiting_send

    def close(self) -> None:
        """End `own` when all queued work is done; `run` may not be called any more."""
        self._send.close()

    async def own(self) -> None:
        """The owner task: serve the inbox until `close`; see `open_lanes` for when it may be cancelled."""
        limiter = trio.CapacityLimiter(1)
        async for first in self._receive:
            group = [first]
            while True:
                try:
                    group.append(self._receive.receive_nowait())
                except trio.WouldBlock:
                    break
            self._busy = True
            with trio.CancelScope(shield=True):  # somebody waits for each of them
                try:
                    await trio.to_thread.run_sync(_run_all, group, limiter=limiter)
                except RuntimeError as fault:  # the system has no thread for us
                    logger.error("log_dir=%s: %s; writing in the loop", self.directory, fault)
                    _run_all(group)
            self._busy = False
            for job in group:
                if job.elapsed_s > SLOW_S:
                    self._quick_in_a_row = 0
                else:
                    self._quick_in_a_row += 1
                job.done.set()
            inbox = self._receive.statistics()
            empty = inbox.current_buffer_used == 0 and not inbox.tasks_waiting_send
            if empty and self._quick_in_a_row >= QUICK_WRITES:
                self.quick = True
                self._slow_s = 0.0
                logger.info("log_dir=%s: quick again", self.directory)


@asynccontextmanager
async def open_lanes(lanes: Iterable[DiskLane]) -> AsyncIterator[None]:
    """Run the owner tasks of *lanes* around a body that writes on them; on exit they finish what is queued, and end.

    Callers of `run` wait for their work shielded from cancellation, so an owner task that is cancelled together with
    them would leave them waiting for ever.  Here the owner tasks are shielded, and the lanes are closed when the body,
    with every task in it, has ended.
    """
    opened = tuple(lanes)
    async with trio.open_nursery() as nursery:
        for lane in opened:
            nursery.start_soon(_own_shielded, lane)
        try:
            yield
        finally:
            for lane in opened:
                lane.close()


async def _own_shielded(lane: DiskLane) -> None:
    with trio.CancelScope(shield=True):
        await lane.own()


def _run_all(group: list[_Job]) -> None:
    for job in group:
        job.run()
