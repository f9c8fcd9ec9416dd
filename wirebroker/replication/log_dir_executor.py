"""LogDirExecutor: runs the writes of one log directory, in the event loop while the disk is fast, else in a thread.

A page-cache write costs 5 us, a hop to a thread and back 70-100 us, so appends to a healthy disk run inline, in the
event loop.  A disk that stalls must not stall connections that do not need it: when slow writes have used up
`SLOW_BUDGET_S`, an owner task takes over, which drains its bounded inbox and makes one thread hop for the whole group.
After `FAST_WRITES` fast ones in a row with nothing left in the inbox, appends run inline again.  The time in which a
thread waited for a processor (`run_delay.py`) is not the disk's, and not counted.

Work that may sync, rename or make files (a flush, a new segment, retention, a deletion) always runs in the thread;
the first abort marker in a segment alone makes its transaction index where the append runs.
Writes to one log keep their order: an append runs inline only while no other work of its log is queued or running
(`PendingWork.queued`); other logs of the directory go on meanwhile.  A log that moves to another directory changes its
executor while writes are queued (`LogDirExecutor.take_over`).
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from enum import Enum
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

import trio
from trio.to_thread import run_sync as run_in_thread

from wirebroker.inbox import Future, Inbox, InboxClosed
from wirebroker.replication.run_delay import RunDelay
from wirebroker.storage.errors import WouldBlock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

logger = logging.getLogger(__name__)

T = TypeVar("T")

SLOW_WRITE_S: Final = 0.01
"""A write that takes longer is slow; a 1 MB batch takes 0.2 ms on a warm page cache."""
SLOW_BUDGET_S: Final = 0.1
"""Seconds that slow writes may take together: the host of a virtual machine takes the processor away now and then,
which no `RunDelay` has in it."""
BUDGET_REFILL_PER_S: Final = 0.05
"""Seconds by which the budget of slow writes recovers in each second."""
FAST_WRITES: Final = 100
"""Fast writes in a row after which appends run inline again."""
_CAPACITY: Final = 256


class WorkKind(Enum):
    """The effect of submitted work, which decides where the work may run."""

    APPEND = "append"
    """Writes to the page cache; called with one more argument, False in the loop: then it may raise WouldBlock."""
    MEMORY = "memory"
    """Touches no file."""
    DISK = "disk"
    """May take as long as a disk does."""


class _Job(Future[Any]):
    """Submitted work and, between its run and `finish`, the outcome."""

    __slots__ = ("_raised", "_returned", "arguments", "elapsed_s", "kind", "work")

    def __init__(self, kind: WorkKind, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        super().__init__()
        self.kind = kind
        self.work = work
        self.arguments = arguments
        self.elapsed_s = 0.0
        self._returned: Any = None
        self._raised: BaseException | None = None

    def jobs(self) -> Sequence[_Job]:
        """The jobs to run when this one is taken out of the inbox."""
        return (self,)

    def run_inline(self, run_delay: RunDelay) -> bool:
        """Run the work if it need not wait; False when it needs a thread and has changed nothing.

        *run_delay* is that of the thread which calls this.
        """
        if self.kind is WorkKind.DISK:
            return False
        started = perf_counter()
        if started > run_delay.valid_until:
            started = run_delay.refresh()
        try:
            self._returned = self.work(*self.arguments, *(False,) * (self.kind is WorkKind.APPEND))
        except WouldBlock:
            self.kind = WorkKind.DISK
            self.arguments = (*self.arguments, True)
            return False
        except BaseException as error:
            self._raised = error
        self.elapsed_s = perf_counter() - started
        if self.elapsed_s > SLOW_WRITE_S:
            self.elapsed_s -= run_delay.since_refresh()
        return True

    def run(self, run_delay: RunDelay) -> None:
        """Run the work in the executor's thread, whose *run_delay* it is."""
        if self.kind is not WorkKind.DISK and self.run_inline(run_delay):
            return
        try:
            self._returned = self.work(*self.arguments)
        except BaseException as error:
            self._raised = error

    def finish(self) -> None:
        """Hand the outcome to the caller; in the event loop."""
        if self._raised is not None:
            self.set_error(self._raised)
        else:
            self.set_result(self._returned)


class _TakeOver(_Job):
    """The place in the inbox of the work that `LogDirExecutor.take_over` holds."""

    __slots__ = ("_log",)

    def __init__(self, log: PendingWork) -> None:
        super().__init__(WorkKind.MEMORY, _nothing, ())
        self._log = log

    def jobs(self) -> Sequence[_Job]:
        held, self._log.held = self._log.held or [], None
        return (*held, self)


class PendingWork:
    """Count of the work of one log that its executor has accepted and whose callers still wait."""

    __slots__ = ("held", "queued")

    def __init__(self) -> None:
        self.queued = 0
        """Nothing of this log may run inline until the count is 0 again."""
        self.held: list[_Job] | None = None
        """The work that waits in `LogDirExecutor.take_over`, None while the log changes no executor."""


class LogDirExecutor:
    """Runs the writes of one log directory in their order."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.inline = True
        """Whether appends run in the event loop, in the task of the caller."""
        self._inbox: Inbox[_Job] = Inbox(_CAPACITY)
        self._limiter = trio.CapacityLimiter(1)
        self._fast_writes = 0
        self._spent_s = 0.0
        self._spent_at = perf_counter()
        self._run_delay = RunDelay()  # of the event loop's thread

    def append_inline(self, log: PendingWork, work: Callable[[bool], T]) -> T | None:
        """Append to *log* in the event loop, and return the result; None, with nothing changed, if that has to wait.

        It has to wait for a slow disk and for queued work of the log, and if *work*, which gets False for "may not
        wait", raises WouldBlock.  Then the append is to be submitted.
        """
        if not self.inline or log.queued:
            return None
        started = perf_counter()
        if started > self._run_delay.valid_until:
            started = self._run_delay.refresh()
        try:
            result = work(False)
        except WouldBlock:
            return None
        elapsed_s = perf_counter() - started
        if elapsed_s > SLOW_WRITE_S:
            self.record_write_time(elapsed_s - self._run_delay.since_refresh())
        return result

    def record_write_time(self, elapsed_s: float) -> None:
        """Count the time of an inline write, without waits for a processor.

        Turns `inline` off when slow writes have used up their budget.
        """
        if elapsed_s > SLOW_WRITE_S:
            now = perf_counter()
            self._spent_s = max(0.0, self._spent_s - BUDGET_REFILL_PER_S * (now - self._spent_at)) + elapsed_s
            self._spent_at = now
            if self._spent_s > SLOW_BUDGET_S and self.inline:
                self.inline = False
                self._fast_writes = 0
                logger.warning(
                    "log_dir=%s: slow disk, a write took %.0f ms; appends run in a thread until writes are fast again",
                    self.directory,
                    elapsed_s * 1000,
                )

    async def submit(self, kind: WorkKind, log: PendingWork | None, work: Callable[..., T], *arguments: Any) -> T:
        """Run *work* in the order of *log* (in any order without one) and return its result.

        A caller that is cancelled already starts nothing.  Cancelling it later neither stops nor abandons the work: its
        arguments may be views of a buffer that the caller lends.
        """
        await trio.lowlevel.checkpoint_if_cancelled()
        job = _Job(kind, work, arguments)
        if log is None:
            log = PendingWork()
        log.queued += 1
        try:
            with trio.CancelScope(shield=True):
                if log.held is not None:
                    log.held.append(job)
                else:
                    await self._inbox.put(job)
                result: T = await job.wait()
        finally:
            log.queued -= 1
        return result

    async def take_over(self, log: PendingWork, previous: LogDirExecutor) -> None:
        """Run the work of *log* that is submitted from now on behind all that *previous* has of it.

        Work is submitted to this executor already when this is called.  It is held until *previous* has none left, for
        which it waits even when the caller is cancelled: other tasks wait for the held work.
        """
        assert log.held is None
        held = log.held = []
        take_over = _TakeOver(log)
        try:
            with trio.CancelScope(shield=True):
                while log.queued > len(held):  # each turn begins behind what was queued
                    await previous.submit(WorkKind.MEMORY, None, _nothing)
                await self._inbox.put(take_over)
                await take_over.wait()
        except InboxClosed as closed:
            for job in take_over.jobs():
                job.set_error(closed)
            raise

    def close(self) -> None:
        """End `run` when all queued work is done; `submit` may not be called any more."""
        self._inbox.close()

    async def run(self) -> None:
        """The owner task: run queued work until `close`; see `open_executors` for when it may be cancelled."""
        await self._inbox.run(self._run_group)

    async def _run_group(self, jobs: list[_Job]) -> None:
        jobs = [each for job in jobs for each in job.jobs()]
        while jobs:
            if self.inline:
                jobs = self._run_inline(jobs)
            jobs = await self._run_in_thread(jobs)

    def _run_inline(self, jobs: list[_Job]) -> list[_Job]:
        """Run the first of *jobs*, as many as need no thread; returns the others."""
        for at, job in enumerate(jobs):
            if not job.run_inline(self._run_delay):
                return jobs[at:]
            if job.kind is WorkKind.APPEND:
                self.record_write_time(job.elapsed_s)
            job.finish()
        return []

    async def _run_in_thread(self, jobs: list[_Job]) -> list[_Job]:
        """Run *jobs*, of an inline executor only the first of those that need a thread; returns the others."""
        count = len(jobs)
        if self.inline:
            count = next((at for at, job in enumerate(jobs) if job.kind is not WorkKind.DISK), count)
        group = jobs[:count]
        if group:
            with trio.CancelScope(shield=True):  # somebody waits for each of them
                try:
                    await run_in_thread(_run_all, group, limiter=self._limiter)
                except RuntimeError as fault:  # the system has no thread for us
                    logger.error(
                        "log_dir=%s: no thread for writes (%s); writing in the event loop", self.directory, fault
                    )
                    _run_all(group)
        for job in group:
            if job.kind is WorkKind.APPEND:  # what may sync says nothing of the next append
                self._fast_writes = 0 if job.elapsed_s > SLOW_WRITE_S else self._fast_writes + 1
            job.finish()
        if not self.inline and self._fast_writes >= FAST_WRITES and count == len(jobs) and self._inbox.is_empty:
            self.inline = True
            self._spent_s = 0.0
            logger.info("log_dir=%s: writes are fast again; appends run in the event loop", self.directory)
        return jobs[count:]


@asynccontextmanager
async def open_executors(executors: Iterable[LogDirExecutor]) -> AsyncIterator[None]:
    """Run the owner tasks of *executors* around a body that submits work; on exit they finish the queued work and end.

    Callers of `submit` wait for their work shielded from cancellation, so an owner task that is cancelled together with
    them would leave them waiting for ever.  Here the owner tasks are shielded, and the executors are closed when the
    body, with every task in it, has ended.
    """
    opened = tuple(executors)
    async with trio.open_nursery() as nursery:
        for executor in opened:
            nursery.start_soon(_run_shielded, executor)
        try:
            yield
        finally:
            for executor in opened:
                executor.close()


async def _run_shielded(executor: LogDirExecutor) -> None:
    with trio.CancelScope(shield=True):
        await executor.run()


def _run_all(group: list[_Job]) -> None:
    run_delay = RunDelay()
    for job in group:
        job.run(run_delay)


def _nothing() -> None:
    pass
