"""Metrics of the process, from /proc; a figure that the system does not have is left out."""

from __future__ import annotations

import os
import resource
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.metrics import catalogue
from wirebroker.metrics.metric import figures

if TYPE_CHECKING:
    from wirebroker.metrics.metric import Metric, Snapshot

_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
_DESCRIPTORS: Final = "/proc/self/fd"
_STARTED_FIELD: Final = 19
"""The field of the start time in /proc/self/stat behind the name of the process."""


async def collect_process(started_s: float) -> Snapshot:
    """Return memory, CPU time, descriptors and disk traffic; /proc is read in the loop, as no disk is behind it."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    found: list[tuple[Metric, int | float]] = [
        (catalogue.CPU_SECONDS, usage.ru_utime + usage.ru_stime),
        (catalogue.START_TIME, started_s),
        (catalogue.MAX_FDS, resource.getrlimit(resource.RLIMIT_NOFILE)[0]),
    ]
    try:
        virtual, resident = _read("/proc/self/statm").split()[:2]
        found.append((catalogue.VIRTUAL_MEMORY, int(virtual) * _PAGE_BYTES))
        found.append((catalogue.RESIDENT_MEMORY, int(resident) * _PAGE_BYTES))
        # the size is the number of descriptors since Linux 6.2; before it has to be counted, which takes long
        open_fds = os.stat(_DESCRIPTORS).st_size or len(await trio.to_thread.run_sync(os.listdir, _DESCRIPTORS))
        found.append((catalogue.OPEN_FDS, open_fds))
        traffic = dict(line.split(": ") for line in _read("/proc/self/io").splitlines())
        found.append((catalogue.DISK_READ, int(traffic["read_bytes"])))
        found.append((catalogue.DISK_WRITE, int(traffic["write_bytes"])))
    except (OSError, KeyError):
        pass
    return figures(found)


def process_start_s(now_s: float) -> float:
    """Return when the process was started, in seconds since 1970; *now_s* on systems that do not say."""
    try:
        ticks = int(_read("/proc/self/stat").rpartition(")")[2].split()[_STARTED_FIELD])
        booted = next(line for line in _read("/proc/stat").splitlines() if line.startswith("btime "))
        return int(booted.split()[1]) + ticks / _TICKS_PER_S
    except (OSError, StopIteration, ValueError, IndexError):
        return now_s


def _read(path: str) -> str:
    with open(path) as file:
        return file.read()
