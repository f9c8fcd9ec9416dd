"""LoadProgress: how far a load of all log directories is.

Logs a line every few seconds and ends the load on request.  Recovery reads files of any size, and therefore reports
each piece that it reads, not only each log.
"""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.storage.errors import LoadingStopped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

logger = logging.getLogger(__name__)

INTERVAL_S = 5.0
_NAMES_SHOWN = 3
_MIB = 1 << 20


class TruncatedLog(NamedTuple):
    """A log whose last records had not reached the disk when the broker stopped, and were cut off."""

    directory: Path
    end_offset: int
    """The offset after the last record that is left."""


class LoadProgress:
    """Counters of one load; several threads may use it at once."""

    def __init__(
        self,
        total: int = 0,
        should_stop: Callable[[], bool] = lambda: False,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start the clock.

        Args:
            total: How many logs will be loaded.
            should_stop: Returns True to end the load.
            monotonic: Returns seconds on a clock that is never set back.
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
        """Note that the log in *directory* is loaded next.  Raises LoadingStopped."""
        self._current = directory
        self.check()

    def finish(self) -> None:
        """Note that one more log is loaded."""
        with self._lock:
            self._loaded += 1

    def check(self, bytes_read: int = 0) -> None:
        """Add *bytes_read*; log how far the load is if the last line was INTERVAL_S ago.  Raises LoadingStopped."""
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
        """Note that the log in *directory* lost its unflushed records from *end_offset* on."""
        with self._lock:
            self.truncated.append(TruncatedLog(Path(directory), end_offset))


def summary_of(truncated: Sequence[TruncatedLog]) -> str:
    """Return a phrase with the number of truncated logs and the first few of them."""
    if not truncated:
        return "none truncated"
    shown = ", ".join(f"{directory.name} to offset {end}" for directory, end in truncated[:_NAMES_SHOWN])
    return f"{len(truncated)} truncated ({shown}{', ...' if len(truncated) > _NAMES_SHOWN else ''})"
