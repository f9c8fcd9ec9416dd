"""Page-cache pages that the host has already given to this machine.

A virtual machine whose host takes back free memory (free page reporting) pays for every page that was free for
a second: measured here 1.6 CPU seconds for each GiB written, eight times the write itself, and charged to the
broker that happens to write.  So memory is touched and held before a turn, and let go a little ahead of the
growing log files, which then get exactly these pages.  On other machines this does nothing.

Memory that stays free for long is taken back, too: a slow writer needs less of it ahead (`SMALL_STEPS`).
"""

import mmap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Release(NamedTuple):
    """How memory is let go."""

    chunk_bytes: int
    ahead_bytes: int
    """So much more than has been written is free."""
    step_s: float
    """How often the number of written bytes is asked for."""


LARGE_STEPS = Release(32 << 20, 256 << 20, 0.02)
SMALL_STEPS = Release(8 << 20, 64 << 20, 0.005)
"""For writers of 2 GB a second at most, whose bytes are counted in no time."""


def free_bytes() -> int:
    """Return the memory that is free, without what the page cache has."""
    (line,) = (each for each in Path("/proc/meminfo").read_text().splitlines() if each.startswith("MemFree:"))
    return int(line.split()[1]) * 1024


@contextmanager
def warm_memory(size_bytes: int, written: Callable[[], int], release: Release = LARGE_STEPS) -> Iterator[None]:
    """Hold *size_bytes* of touched memory and release it as the number that *written* returns grows."""
    chunk, ahead, step_s = release
    length = size_bytes // chunk * chunk
    memory = mmap.mmap(-1, length, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_HUGEPAGE)
    for at in range(0, length, mmap.PAGESIZE):
        memory[at] = 1
    done = threading.Event()
    began_bytes = written()

    def feed() -> None:
        at = 0
        while at < length:
            while at < length and at < written() - began_bytes + ahead:
                memory.madvise(mmap.MADV_DONTNEED, at, chunk)
                at += chunk
            if done.wait(step_s):
                return

    feeder = threading.Thread(target=feed, name="warm memory")
    feeder.start()
    try:
        yield
    finally:
        done.set()
        feeder.join()
        memory.close()
