"""LogDirExecutors in unit tests: their owner tasks, and disks that are fast, slow or both in turn.

The loop plays the thread: the work of an executor runs after some checkpoints, and its end is reported after some more,
so that other tasks run in between, always in the same order, while a virtual clock stands still.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import trio
import trio.lowlevel

from wirebroker.replication.log_dir_executor import LogDirExecutor, PendingWork

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

ExecutorMode = Literal["inline", "threaded", "alternating"]
EXECUTOR_MODES: Final[tuple[ExecutorMode, ...]] = ("inline", "threaded", "alternating")
_CHECKPOINTS: Final = 3
_INIT, _APPEND_INLINE, _SUBMIT, _TAKE_OVER, _RUN = (
    LogDirExecutor.__init__,
    LogDirExecutor.append_inline,
    LogDirExecutor.submit,
    LogDirExecutor.take_over,
    LogDirExecutor.run,
)


def set_up_executors(patch: pytest.MonkeyPatch, mode: ExecutorMode) -> None:
    """Start the owner task of every LogDirExecutor when work is first submitted, and fix how long its writes take.

    inline: no write takes any time.  threaded: the executor never writes inline.  alternating: one inline append makes
    the executor use its thread, and one write in the thread makes it write inline again.
    """
    started: set[LogDirExecutor] = set()

    def init(executor: LogDirExecutor, directory: str) -> None:
        _INIT(executor, directory)
        executor.inline = mode != "threaded"

    async def run(executor: LogDirExecutor) -> None:
        started.add(executor)
        await _RUN(executor)

    def start(executor: LogDirExecutor) -> None:
        if executor not in started:
            started.add(executor)
            trio.lowlevel.spawn_system_task(_RUN, executor)

    async def submit(executor: LogDirExecutor, *arguments: Any) -> Any:
        start(executor)
        return await _SUBMIT(executor, *arguments)

    async def take_over(executor: LogDirExecutor, *arguments: Any) -> None:
        start(executor)
        await _TAKE_OVER(executor, *arguments)

    def append_slowly(executor: LogDirExecutor, log: PendingWork, work: Callable[[bool], Any]) -> Any:
        result = _APPEND_INLINE(executor, log, work)
        if result is not None:
            executor.record_write_time(1.0)
        return result

    patch.setattr(LogDirExecutor, "__init__", init)
    patch.setattr(LogDirExecutor, "run", run)
    patch.setattr(LogDirExecutor, "submit", submit)
    patch.setattr(LogDirExecutor, "take_over", take_over)
    if mode == "alternating":
        patch.setattr(LogDirExecutor, "append_inline", append_slowly)
    patch.setattr("wirebroker.replication.log_dir_executor.logger.disabled", mode == "alternating")
    patch.setattr("wirebroker.replication.log_dir_executor.run_in_thread", _run_as_in_thread)
    patch.setattr("wirebroker.replication.log_dir_executor.perf_counter", lambda: 0.0)
    patch.setattr("wirebroker.replication.log_dir_executor.FAST_WRITES", 1 if mode == "alternating" else 1 << 60)


async def _run_as_in_thread(work: Callable[..., Any], *arguments: Any, limiter: trio.CapacityLimiter) -> Any:
    async with limiter:
        for _ in range(_CHECKPOINTS):
            await trio.lowlevel.checkpoint()
        try:
            return work(*arguments)
        finally:
            for _ in range(_CHECKPOINTS):
                await trio.lowlevel.cancel_shielded_checkpoint()
