"""LoadProgress: what a load of all log directories has done so far.

It logs a line every few seconds and ends the load on request.  Recovery reads files of any size, so it reports each
piece that it reads, not only each log.
"""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.storage.faults import LoadingStopped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

logger = logging.getLogger(__name__)

INTERVAL_S = 5.0
_NAMES_SHOWN = 3
_MIB = 1 << 20


class TruncatedLog(NamedTuple):
    """A log whose end was not written completely when the broker was killed."""

    directory: Path
    end_offset: int
    """Where the log ends now."""


class LoadProgress:
    """Counters of one load; several threads may use it at once."""

    def __init__(
        self,
        total: int = 0,
        should_stop: Callable[[], bool] = lambda: False,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin to count.

        Args:
            total: number of logs to load.
            should_stop: True ends the load.
            monotonic: seconds on a clock that is never set back.
        """
        self.truncated: list[TruncatedLog] = []
        self._total = total
        self._should_stop = should_stop
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._loaded = 0
        self._bytes_read = 0
        self._current = ""
        self._started = monotonic()
        self._next_line = self._started + INTERVAL_S

    @property
    def elapsed_s(self) -> float:
        """Seconds since the load began."""
        return self._monotonic() - self._started

    def begin(self, directory: str) -> None:
        """The log in *directory* is loaded next.  Raises LoadingStopped."""
        self._current = directory
        self.check()

    def finish(self) -> None:
        """One more log is loaded."""
        with self._lock:
            self._loaded += 1

    def check(self, bytes_read: int = 0) -> None:
        """Count *bytes_read*, and log how far the load is if the last line was some seconds ago.

        Raises LoadingStopped.
        """
        if self._should_stop():
            raise LoadingStopped
        now = self._monotonic()
        with self._lock:
            self._bytes_read += bytes_read
            if now < self._next_line:
                return
            self._next_line = now + INTERVAL_S
        logger.info(
            "loading logs: %d of %d done in %.0f s, %.1f MiB read, now at %s",
            *(self._loaded, self._total, now - self._started, self._bytes_read / _MIB, self._current),
        )

    def add_truncated(self, directory: str, end_offset: int) -> None:
        """The log in *directory* lost the records from *end_offset* on, which were not flushed."""
        with self._lock:
            self.truncated.append(TruncatedLog(Path(directory), end_offset))


def summary_of(truncated: Sequence[TruncatedLog]) -> str:
    """Return how many logs were truncated, with the first few of them."""
    if not truncated:
        return "none truncated"
    shown = ", ".join(f"{directory.name} to offset {end}" for directory, end in truncated[:_NAMES_SHOWN])
    return f"{len(truncated)} truncated ({shown}{', ...' if len(truncated) > _NAMES_SHOWN else ''})"
