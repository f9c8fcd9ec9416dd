"""Where the writes of one log directory run: in the loop while its disk is quick, in a thread when it is not.

A page-cache write costs 5 us, a hop to a thread and back 70-100 us, so a healthy disk is written to
straight from the loop.  A disk that stalls must not stall connections that do not need it: slow
writes of more than `PATIENCE_S` together move the directory's writes to an owner task, which drains
its bounded inbox and makes one thread hop for the whole group.  When `QUICK_WRITES` of them in a row
were quick and nothing waits, writes come back to the loop.

What may sync, rename or make files (a flush, a new segment, retention, a deletion) always runs in the
thread.  Writes to one log keep their order: a log is written to in the loop only while none of its work
waits here or runs (`LogWork.queued`), and other logs of the directory go on meanwhile.
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from enum import Enum
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import trio
from trio.to_thread import run_sync as run_in_thread

from wirebroker.storage.faults import MustWait

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


class Kind(Enum):
    """What a piece of work does, which decides where it may run."""

    APPEND = "append"
    """Writes to the page cache; called with one more argument, False in the loop: then it may raise MustWait."""
    MEMORY = "memory"
    """Touches no file."""
    DISK = "disk"
    """May take as long as a disk does."""


class LogWork:
    """The work of one log that its lane has accepted and not finished."""

    __slots__ = ("queued",)

    def __init__(self) -> None:
        self.queued = 0
        """Nothing of this log may run in the loop until it is 0 again."""


class _Job:
    __slots__ = ("arguments", "done", "elapsed_s", "error", "kind", "log", "result", "work")

    def __init__(self, kind: Kind, log: LogWork | None, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.kind = kind
        self.log = log
        self.work = work
        self.arguments = arguments
        self.done = trio.Event()
        self.result: Any = None
        self.error: BaseException | None = None
        self.elapsed_s = 0.0

    def run_in_loop(self) -> bool:
        """Run it if it need not wait; False: it needs a thread, and has changed nothing."""
        if self.kind is Kind.DISK:
            return False
        started = perf_counter()
        try:
            self.result = self.work(*self.arguments, *(False,) * (self.kind is Kind.APPEND))
        except MustWait:
            self.kind = Kind.DISK
            self.arguments = (*self.arguments, True)
            return False
        except BaseException as error:
            self.error = error
        self.elapsed_s = perf_counter() - started
        return True

    def run(self) -> None:
        """Run it, in the owner's thread."""
        if self.kind is not Kind.DISK and self.run_in_loop():
            return
        try:
            self.result = self.work(*self.arguments)
        except BaseException as error:
            self.error = error

    def finish(self) -> None:
        if self.log is not None:
            self.log.queued -= 1
        self.done.set()


class DiskLane:
    """The way to one log directory."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.quick = True
        """Callers may append in the loop, and report to `took`."""
        self._send, self._receive = trio.open_memory_channel[_Job](_INBOX)
        self._limiter = trio.CapacityLimiter(1)
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

    async def run(
        self, kind: Kind, log: LogWork | None, work: Callable[..., Any], *arguments: Any, has_begun: bool = False
    ) -> Any:
        """Run *work* in the order of *log* (in any order without one) and return its result.

        A caller that is cancelled already starts nothing, unless it *has_begun* to.  Cancelling it later neither stops
        nor abandons the work: its arguments may be views of a buffer that the caller lends.
        """
        if not has_begun:
            await trio.lowlevel.checkpoint_if_cancelled()
        job = _Job(kind, log, work, arguments)
        if log is not None:
            log.queued += 1
        with trio.CancelScope(shield=True):
            await self._send.send(job)
            await job.done.wait()
        if job.error is not None:
            raise job.error
        return job.result

    def close(self) -> None:
        """End `own` when all queued work is done; `run` may not be called any more."""
        self._send.close()

    async def own(self) -> None:
        """The owner task: serve the inbox until `close`; see `open_lanes` for when it may be cancelled."""
        async for first in self._receive:
            jobs = [first]
            while True:
                try:
                    jobs.append(self._receive.receive_nowait())
                except trio.WouldBlock:
                    break
            while jobs:
                if self.quick:
                    jobs = self._run_in_loop(jobs)
                jobs = await self._run_in_thread(jobs)

    def _run_in_loop(self, jobs: list[_Job]) -> list[_Job]:
        """Run the first of *jobs*, as many as need no thread; returns the others."""
        for at, job in enumerate(jobs):
            if not job.run_in_loop():
                return jobs[at:]
            if job.kind is Kind.APPEND:
                self.took(job.elapsed_s)
            job.finish()
        return []

    async def _run_in_thread(self, jobs: list[_Job]) -> list[_Job]:
        """Run *jobs*, of a quick lane only the first of those that need a thread; returns the others."""
        count = len(jobs)
        if self.quick:
            count = next((at for at, job in enumerate(jobs) if job.kind is not Kind.DISK), count)
        group = jobs[:count]
        if group:
            with trio.CancelScope(shield=True):  # somebody waits for each of them
                try:
                    await run_in_thread(_run_all, group, limiter=self._limiter)
                except RuntimeError as fault:  # the system has no thread for us
                    logger.error("log_dir=%s: %s; writing in the loop", self.directory, fault)
                    _run_all(group)
        for job in group:
            if job.kind is Kind.APPEND:  # what may sync says nothing of the next append
                self._quick_in_a_row = 0 if job.elapsed_s > SLOW_S else self._quick_in_a_row + 1
            job.finish()
        inbox = self._receive.statistics()
        empty = count == len(jobs) and inbox.current_buffer_used == 0 and not inbox.tasks_waiting_send
        if empty and not self.quick and self._quick_in_a_row >= QUICK_WRITES:
            self.quick = True
            self._slow_s = 0.0
            logger.info("log_dir=%s: quick again", self.directory)
        return jobs[count:]


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
