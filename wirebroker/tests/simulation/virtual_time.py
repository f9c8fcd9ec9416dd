"""deterministic_run: within the block time, threads, random numbers and the order of tasks depend on a seed alone.

Sets of strings are ordered by the hash seed of the interpreter, so equal traces need an equal PYTHONHASHSEED, too;
`__main__.py` sets it.
"""

from __future__ import annotations

import logging
import os
import random
import sys
import time
import uuid
from contextlib import contextmanager, nullcontext
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import pytest
import trio
from trio._core import _run as trio_run

from wirebroker.storage import log_dirs_loader
from wirebroker.storage.load_progress import LoadProgress
from wirebroker.tests.simulation.processes import current_process_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

START_MS: Final = 1_700_000_000_000
"""The wall clock at the beginning of a run."""
_LONGEST_HOP_S: Final = 0.002
clock_offsets_ms: Final[dict[str, int]] = {}
"""Process -> by how much its wall clock is fast; `deterministic_run` begins with none."""


def wall_clock_ms() -> int:
    """Return the virtual milliseconds since 1970, by the clock of the process that runs."""
    return (
        START_MS + int(1000 * _seconds()) + (clock_offsets_ms.get(current_process_name(), 0) if clock_offsets_ms else 0)
    )


def _seconds() -> float:
    return trio.current_time() if trio.lowlevel.in_trio_run() else 0.0


class VirtualThreads:
    """In the place of `trio.to_thread.run_sync`: the work runs in the event loop, some time after it was asked for."""

    def __init__(self, generator: random.Random) -> None:
        self._random = generator
        self.delays: dict[str, Callable[[], float]] = {}
        """Process -> returns how long the work of one thread takes longer, in seconds."""

    async def run_sync(
        self,
        work: Callable[..., Any],
        *arguments: Any,
        abandon_on_cancel: bool = False,
        limiter: trio.CapacityLimiter | None = None,
        **_: Any,
    ) -> Any:
        """Return what *work* returns; cancelled only before it begins, or if it may be abandoned."""
        await trio.lowlevel.checkpoint_if_cancelled()
        async with nullcontext() if limiter is None else limiter:
            await self._wait(abandon_on_cancel)
            try:
                return work(*arguments)
            finally:
                await self._wait(abandon_on_cancel)

    async def _wait(self, abandon_on_cancel: bool) -> None:
        with trio.CancelScope(shield=not abandon_on_cancel):
            await trio.sleep(self._random.uniform(0, _LONGEST_HOP_S))


@contextmanager
def deterministic_run(seed: int) -> Iterator[None]:
    """Patch what a run could depend on; to be entered outside of trio, after the imports of the product."""
    generator = random.Random(f"identifiers {seed}")
    threads = VirtualThreads(random.Random(f"threads {seed}"))

    def new_uuid() -> uuid.UUID:
        return uuid.UUID(bytes=generator.randbytes(16), version=4)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trio_run, "_ALLOW_DETERMINISTIC_SCHEDULING", True)
        patch.setattr(trio_run, "_r", random.Random(f"tasks {seed}"))
        patch.setattr(trio.to_thread, "run_sync", threads.run_sync)
        patch.setattr("wirebroker.replication.log_dir_executor.run_in_thread", threads.run_sync)
        patch.setattr(log_dirs_loader, "run_all", _run_one_by_one)
        patch.setattr(log_dirs_loader, "LoadProgress", partial(LoadProgress, monotonic=_seconds))
        patch.setattr("wirebroker.replication.run_delay.RunDelay.waited_s", lambda _: None)
        patch.setattr("wirebroker.clock.time", SimpleNamespace(time_ns=lambda: wall_clock_ms() * 1_000_000))
        patch.setattr(os, "urandom", generator.randbytes)
        patch.setattr(random, "SystemRandom", lambda: random.Random(generator.random()))
        replaced = {time.perf_counter: _seconds, time.monotonic: _seconds, uuid.uuid4: new_uuid}
        for original, replacement in replaced.items():
            for module in [time, uuid, *(each for name, each in sys.modules.items() if name.startswith("wirebroker."))]:
                if vars(module).get(original.__name__) is original:
                    patch.setattr(module, original.__name__, replacement)
        random.seed(seed)
        clock_offsets_ms.clear()
        try:
            yield
        finally:
            _restore(replaced)


def _restore(replaced: Mapping[Callable[..., object], Callable[..., object]]) -> None:
    """Give the original functions to modules that were imported meanwhile: the next run has replacements of its own."""
    for name, module in tuple(sys.modules.items()):
        if name.startswith("wirebroker."):
            for original, replacement in replaced.items():
                if vars(module).get(original.__name__) is replacement:
                    setattr(module, original.__name__, original)


@contextmanager
def logged_to(handler: logging.Handler) -> Iterator[None]:
    """Have *handler*, and no other, take the product's log lines."""
    root = logging.getLogger("wirebroker")
    before = root.handlers, root.level, root.propagate
    root.handlers, root.propagate = [handler], False
    root.setLevel(handler.level)
    try:
        yield
    finally:
        root.handlers, root.propagate = before[0], before[2]
        root.setLevel(before[1])


def _run_one_by_one(work: Sequence[Callable[[], None]]) -> None:
    for each in work:
        each()
