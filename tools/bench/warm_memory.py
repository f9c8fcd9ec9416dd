"""Page-cache pages that the host has already given to this machine.

A virtual machine whose host takes back free memory (free page reporting) pays for every page that was free for
a second: measured here 1.6 CPU seconds for each GiB written, eight times the write itself, and charged to the
broker that happens to write.  So memory is touched and held before a turn, and let go a little ahead of the
growing log files, which then get exactly these pages.  On other machines this does nothing.
"""

import mmap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

CHUNK = 32 << 20
AHEAD = 256 << 20
STEP_S = 0.02


@contextmanager
def warm_memory(size_bytes: int, written: Callable[[], int]) -> Iterator[None]:
    """Hold *size_bytes* of touched memory and release it as the number that *written* returns grows."""
    chunks = size_bytes // CHUNK
    length = chunks * CHUNK
    memory = mmap.mmap(-1, length, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_HUGEPAGE)
    for at in range(0, length, mmap.PAGESIZE):
        memory[at] = 1
    done = threading.Event()
    began_bytes = written()

    def feed() -> None:
        at = 0
        while at < length:
            while at < length and at < written() - began_bytes + AHEAD:
                memory.madvise(mmap.MADV_DONTNEED, at, CHUNK)
                at += CHUNK
            if done.wait(STEP_S):
                return

    feeder = threading.Thread(target=feed, name="warm memory")
    feeder.start()
    try:
        yield
    finally:
        done.set()
        feeder.join()
        memory.close()
