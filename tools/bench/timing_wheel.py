"""Timers: what adding and cancelling one costs with many pending, and the wake-ups of an idle timer.

`python -m tools.bench.timing_wheel` prints a table and writes RESULTS_TIMERS.md.  Beside the timing wheel there are the
two other ways of keeping time: a heap of due times from which nothing is removed (a cancelled timer stays until it is
due), and a cancel scope of trio for each timer.
"""

from __future__ import annotations

import argparse
import gc
import heapq
import os
import platform
import random
import resource
from datetime import datetime
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from wirebroker.timer.timer import Timer
from wirebroker.timer.timer_task import TimerTask

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RESULTS: Final = Path(__file__).parent / "RESULTS_TIMERS.md"
_MEASURED: Final = 100_000
_ROUNDS: Final = 5
_LONGEST_MS: Final = 3_600_000


class NoWork(TimerTask):
    """A task that is never due in a measurement."""

    __slots__ = ()

    def run(self) -> None:
        """Do nothing."""


class Row(NamedTuple):
    """The costs of one timer, in microseconds of CPU time."""

    name: str
    pending: int
    add_us: float
    cancel_us: float


def timing_wheel(timer: Timer, pending: int) -> Row:
    """Measure the timing wheel with *pending* timers that are due within an hour."""
    now_ms = timer.now_ms()
    for _ in range(pending - len(timer)):
        timer.add(NoWork(), now_ms + random.randrange(1000, _LONGEST_MS))
    add_s = cancel_s = float("inf")
    for _ in range(_ROUNDS):
        due = [now_ms + random.randrange(1000, _LONGEST_MS) for _ in range(_MEASURED)]
        began = process_time()
        tasks = []
        for due_ms in due:
            task = NoWork()
            timer.add(task, due_ms)
            tasks.append(task)
        add_s = min(add_s, process_time() - began)
        random.shuffle(tasks)
        began = process_time()
        for task in tasks:
            timer.cancel(task)
        cancel_s = min(cancel_s, process_time() - began)
    return Row("timing wheel", pending, 1e6 * add_s / _MEASURED, 1e6 * cancel_s / _MEASURED)


def heap(pending: int) -> Row:
    """Measure a heap with *pending* due times, and a table of those that still hold."""
    now_ms = 1_000_000_000
    current = {number: now_ms + random.randrange(1000, _LONGEST_MS) for number in range(pending)}
    queue = [(due_ms, number) for number, due_ms in current.items()]
    heapq.heapify(queue)
    add_s = cancel_s = float("inf")
    for _ in range(_ROUNDS):
        due = [now_ms + random.randrange(1000, _LONGEST_MS) for _ in range(_MEASURED)]
        began = process_time()
        for number, due_ms in enumerate(due, pending):
            current[number] = due_ms
            heapq.heappush(queue, (due_ms, number))
        add_s = min(add_s, process_time() - began)
        began = process_time()
        for number in range(pending, pending + _MEASURED):
            del current[number]
        cancel_s = min(cancel_s, process_time() - began)
    return Row("heap, cancelled timers stay", pending, 1e6 * add_s / _MEASURED, 1e6 * cancel_s / _MEASURED)


def cancel_scope() -> Row:
    """Measure entering and leaving a cancel scope of trio that has a deadline."""
    best_s = float("inf")
    for _ in range(_ROUNDS):
        deadline = trio.current_time() + 3600
        began = process_time()
        for _ in range(_MEASURED):
            with trio.CancelScope(deadline=deadline):  # noqa: ASYNC100 - it is the price of the scope alone
                pass
        best_s = min(best_s, process_time() - began)
    return Row("cancel scope, entered and left", 1, 1e6 * best_s / _MEASURED, 0.0)


class _Steps(trio.abc.Instrument):
    """Counts the steps of all tasks."""

    def __init__(self) -> None:
        self.count = 0

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self.count += 1


async def _measure(counts: Sequence[int], idle_s: float) -> tuple[list[Row], int, float]:
    """Return the rows, and the wake-ups and the CPU time of a timer that nobody uses for *idle_s*."""
    gc.freeze()
    rows, timer = [cancel_scope()], Timer()
    for pending in counts:
        rows += [timing_wheel(timer, pending), heap(pending)]
    far = Timer()
    for number in range(counts[-1]):
        far.add(NoWork(), far.now_ms() + 300_000 + number)
    steps = _Steps()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(far.run)
        await trio.sleep(0.1)
        trio.lowlevel.add_instrument(steps)
        began = process_time()
        await trio.sleep(idle_s)
        cpu_s = process_time() - began
        trio.lowlevel.remove_instrument(steps)
        nursery.cancel_scope.cancel()
    return rows, steps.count - 1, cpu_s  # one step is that of this task


def _markdown(rows: Sequence[Row], wake_ups: int, cpu_s: float, idle_s: float) -> str:
    lines = [
        "# Timers",
        "",
        "Written by `python -m tools.bench.timing_wheel`: CPU time of a call, the best of five rounds of 100,000, with",
        "so many timers pending, due within an hour.  The target is 3 µs for add and for cancel with a million.",
        "",
        "| timers | pending | add µs | cancel µs |",
        "|---|---:|---:|---:|",
    ]
    lines += [f"| {row.name} | {row.pending:,} | {row.add_us:.2f} | {row.cancel_us:.2f} |" for row in rows]
    lines += [
        "",
        f"A million timers that are due in five minutes, and nothing to do for {idle_s:.0f} s: {wake_ups} wake-ups of "
        f"the event loop's tasks, {1000 * cpu_s:.1f} ms of CPU time.",
        "",
        f"{datetime.now():%Y-%m-%d %H:%M}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB resident at most.",
        "",
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None, write: Callable[[str], object] = RESULTS.write_text) -> int:
    """Measure, print, and write the file of results."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.timing_wheel", description=__doc__)
    parser.add_argument("--no-write", action="store_true", help="leave RESULTS_TIMERS.md as it is")
    parser.add_argument("--idle-s", type=float, default=5.0)
    options = parser.parse_args(arguments)
    rows, wake_ups, cpu_s = trio.run(_measure, (1000, 1_000_000), options.idle_s)
    text = _markdown(rows, wake_ups, cpu_s, options.idle_s)
    print(text)
    if not options.no_write:
        write(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
