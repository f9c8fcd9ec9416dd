"""RunDelay: how long a thread has waited for a processor, while its writes seemed to take long.

On a busy machine a thread that is ready to run waits for a processor, 20 ms now and then, or more.  The clock does not
tell such a wait from one for a disk, but Linux counts it: the second number in /proc/thread-self/schedstat, in
nanoseconds.  Reading it takes 2 us, too much for every append, so it is read once in MAX_AGE_S, and 6 us with opening
the file, which therefore stays open.
"""

from __future__ import annotations

import os
from time import perf_counter
from typing import Final

MAX_AGE_S: Final = 0.005
"""How old a reading may be when a write begins; of the waits in that time some may be taken for the write's."""
_PATH: Final = "/proc/thread-self/schedstat"
_NS_PER_S: Final = 1_000_000_000
_NOT_OPEN, _NOT_THERE = -1, -2


class RunDelay:
    """The waits of one thread, which has to call all methods; what it has open is closed with the object.

    Attributes:
        valid_until: Until when, by `perf_counter`, a write may begin without another `refresh`.
    """

    __slots__ = ("_at_refresh_s", "_fd", "valid_until")

    def __init__(self) -> None:
        self.valid_until = 0.0
        self._at_refresh_s: float | None = None
        self._fd = _NOT_OPEN

    def __del__(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)

    def refresh(self) -> float:
        """Read how long the thread has waited so far; return the time then, by `perf_counter`."""
        self._at_refresh_s = self.waited_s()
        now = perf_counter()
        self.valid_until = now + MAX_AGE_S
        return now

    def since_refresh(self) -> float:
        """Return for how many seconds the thread has waited since `refresh`; the next write needs another one."""
        self.valid_until = 0.0
        before, now = self._at_refresh_s, self.waited_s()
        return 0.0 if before is None or now is None else now - before

    def waited_s(self) -> float | None:
        """Return for how many seconds the thread has waited for a processor, None if the system does not say."""
        if self._fd == _NOT_OPEN:
            try:
                self._fd = os.open(_PATH, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:  # not Linux, or a kernel without these statistics
                self._fd = _NOT_THERE
        if self._fd == _NOT_THERE:
            return None
        try:
            return int(os.pread(self._fd, 100, 0).split()[1]) / _NS_PER_S
        except (OSError, ValueError, IndexError):
            return None
