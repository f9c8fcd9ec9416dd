"""Run one function in the middle of another, at any of its bytecodes, as a switch between two threads would.

Deterministic and without threads: the interpreter's trace hook calls in between.  It switches once at a time, which is
what a race between one writer and one reader takes.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Any

import wirebroker.storage
from wirebroker.storage import index_file, transaction_index

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Lock
    from types import CodeType, FrameType

_STORAGE = str(Path(wirebroker.storage.__file__).parent)
_LOCKS = (index_file._counting, transaction_index._counting)
"""While the first function holds one of them, the other one would wait."""
_OBJECTS = 5
"""New objects to each collection in `at_every_collection`."""


def at_every_bytecode(first: Callable[[], object], other: Callable[[], object], *locks: Lock) -> int:
    """Run *first* once and *other* before each bytecode of storage in it; returns how often that was.

    Not while *first* holds one of *locks*, where *other* would wait.
    """
    switches = _Switches(other, None, locks)
    switches.run(first)
    other()
    return switches.count


def at_bytecode(number: int, first: Callable[[], object], other: Callable[[], object], *locks: Lock) -> bool:
    """Run *first*, and *other* once before the bytecode of storage with that *number*; False if there are fewer."""
    switches = _Switches(other, number, locks)
    switches.run(first)
    return switches.count > number


class _Switches:
    def __init__(self, other: Callable[[], object], only: int | None, locks: tuple[Lock, ...]) -> None:
        self.count = 0
        self._other = other
        self._only = only
        self._inside = False
        self._locks = (*_LOCKS, *locks)

    def run(self, first: Callable[[], object]) -> None:
        if sys.version_info >= (3, 12):
            self._run_monitored(first)
            return
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            first()
        finally:
            sys.settrace(before)

    def _run_monitored(self, first: Callable[[], object]) -> None:
        """As with a trace function, whose opcode events 3.12 and 3.13.0 lose where both functions run the same code."""
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        tool, event, thread = monitoring.PROFILER_ID, monitoring.events.INSTRUCTION, get_ident()

        def step(code: CodeType, _: int) -> None:
            if code.co_filename.startswith(_STORAGE) and get_ident() == thread:
                self._maybe_switch()

        monitoring.use_tool_id(tool, "preemption")
        monitoring.register_callback(tool, event, step)
        monitoring.set_events(tool, event)
        try:
            first()
        finally:
            monitoring.set_events(tool, 0)
            monitoring.register_callback(tool, event, None)
            monitoring.free_tool_id(tool)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        if self._inside or not frame.f_code.co_filename.startswith(_STORAGE):
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return self._step

    def _step(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode":
            self._maybe_switch()
        return self._step

    def _maybe_switch(self) -> None:
        if self._inside or any(lock.locked() for lock in self._locks):
            return
        self.count += 1
        if self._only is None or self.count == self._only + 1:
            self._inside = True
            try:
                self._other()
            finally:
                self._inside = False


def at_every_collection(first: Callable[[], object], other: Callable[[], object]) -> int:
    """Run *first*, and *other* whenever Python's garbage collector begins in it; returns how often that was.

    The functions in gc.callbacks are Python code: between their bytecodes, and so in the middle of a function in C,
    another thread may run.
    """
    count = 0

    def run_other(phase: str, _: object) -> None:
        nonlocal count
        if phase == "start":
            count += 1
            other()

    gc.collect()
    thresholds = gc.get_threshold()
    gc.callbacks.append(run_other)
    gc.set_threshold(_OBJECTS)
    try:
        first()
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(run_other)
    return count
