"""Process: the tasks of one simulated process, which can be paused (SIGSTOP) and killed (kill -9) as a whole.

Tasks belong to the process in whose context they were started.  A paused process's tasks are not run: what would wake
them is kept, and happens when the process goes on.  Timers go on meanwhile, as a computer's clock does.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import pytest
import trio
from trio._core._run import Runner

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

_current: ContextVar[Process | None] = ContextVar("process", default=None)


def process_of(task: trio.lowlevel.Task) -> Process | None:
    """Return the process that *task* belongs to, None for the simulation itself."""
    return task.context.get(_current)


def current_process_name() -> str:
    """Return the name of the process whose task runs, "-" for the simulation itself."""
    process = _current.get()
    return "-" if process is None else process.name


def is_current_killed() -> bool:
    """Whether the process whose task runs was killed, and comes to its end."""
    process = _current.get()
    return process is not None and process.is_killed


class Process:
    """One run of a program; after its end it is not started again."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_paused = False
        self.is_killed = False
        self.ended = trio.Event()
        self._held: list[trio.lowlevel.Task] = []
        self._scope = trio.CancelScope()

    async def run(self, main: Callable[[], Awaitable[None]]) -> None:
        """Run *main* as this process; errors of a process that is killed are nobody's."""
        _current.set(self)
        try:
            with self._scope:
                await main()
        except BaseException:
            if not self.is_killed:
                raise
        finally:
            self.ended.set()

    def hold(self, task: trio.lowlevel.Task) -> None:
        """Keep a task that became runnable in a pause."""
        self._held.append(task)

    def pause(self) -> None:
        """Let no task run until `go_on`."""
        self.is_paused = True

    def go_on(self) -> None:
        """Run the tasks that became runnable meanwhile."""
        if self.is_paused:
            self.is_paused = False
            held, self._held = self._held, []
            trio._core._run.GLOBAL_RUN_CONTEXT.runner.runq.extend(held)

    def kill(self) -> None:
        """End all tasks; the caller has cut off disk and network, so their last actions reach nobody."""
        self.is_killed = True
        self.go_on()
        self._scope.cancel()


@contextmanager
def pausable_processes() -> Iterator[None]:
    """Have the event loop respect `Process.pause` within the block."""
    reschedule = Runner.reschedule

    def hold_or_reschedule(runner: Runner, task: trio.lowlevel.Task, *outcome: Any) -> None:
        reschedule(runner, task, *outcome)
        process = task.context.get(_current)
        if process is not None and process.is_paused:
            runner.runq.pop()
            process.hold(task)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Runner, "reschedule", hold_or_reschedule)
        yield
