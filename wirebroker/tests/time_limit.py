"""The end of a test that hangs: its process says where every thread is, and takes what it has started with it.

No signal is used, as Python does not look at signals while a client library waits in C.  Brokers and JVMs are killed
because they hold the output of the run open, and whoever reads it would wait for them.  With pytest-xdist only the
worker ends: its test has failed, and a new worker goes on with the next one.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import threading
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT_S = 900
NIGHTLY_LIMIT_S = 6 * 3600
GRACE_S = 30
"""How much later a process ends whose interpreter does not run: a client library may hold the interpreter's lock while
it waits (confluent-kafka does if one thread polls a consumer and another asks for its assignment).  The processes that
it has started are left."""
_STDERR = pytest.StashKey[int]()


@contextmanager
def time_limit(item: pytest.Item, limit_s: float | None = None, grace_s: float = GRACE_S) -> Iterator[None]:
    """End the process if *item*, with its fixtures, takes longer than LIMIT_S, or NIGHTLY_LIMIT_S if it is nightly."""
    if limit_s is None:
        limit_s = NIGHTLY_LIMIT_S if item.get_closest_marker("nightly") else LIMIT_S
    stderr = _stderr(item.config)
    timer = threading.Timer(limit_s, end_process, (f"{item.nodeid} has not ended in {limit_s:g} s", stderr))
    timer.daemon = True
    timer.start()
    faulthandler.dump_traceback_later(limit_s + grace_s, exit=True, file=stderr)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        timer.cancel()


def _stderr(config: pytest.Config) -> int:
    """A descriptor of the stderr of this process, which pytest replaces while a test runs."""
    if _STDERR not in config.stash:
        capture = config.pluginmanager.getplugin("capturemanager")
        with nullcontext() if capture is None else capture.global_and_fixture_disabled():
            config.stash[_STDERR] = os.dup(2)
    return config.stash[_STDERR]


def end_process(reason: str, output: int) -> None:
    """Write *reason* and the stack of every thread to a descriptor, kill all descendants, and end with exit code 1."""
    try:
        os.write(output, f"\n{reason}\n".encode())
        faulthandler.dump_traceback(output)
        for pid in descendants(os.getpid()):
            os.kill(pid, signal.SIGKILL)
    finally:
        os._exit(1)


def descendants(pid: int) -> list[int]:
    """Ids of the processes that *pid* has started, and of those that these have started."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue  # it has ended meanwhile
            children.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found[1:]
