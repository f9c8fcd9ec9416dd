"""Trace: what happened in a simulation, in order; the digest of all of it, and the newest lines."""

from __future__ import annotations

import hashlib
import logging
import traceback
from collections import deque
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.tests.simulation.processes import current_process_name, is_current_killed

if TYPE_CHECKING:
    from collections.abc import Callable

_KEPT_LINES: Final = 400


class Violation(AssertionError):
    """An invariant of the cluster does not hold; the message says which, and where."""


class Trace(logging.Handler):
    """Takes the events of a simulation and the log lines of its brokers; *write* gets each line at once."""

    def __init__(self, write: Callable[[str], None] = lambda _: None) -> None:
        super().__init__(logging.INFO)
        self._write = write
        self._digest = hashlib.sha256()
        self.newest: deque[str] = deque(maxlen=_KEPT_LINES)
        """The last lines."""
        self.count = 0
        """The number of all lines."""
        self.on_traceback: Callable[[str], None] = lambda _: None
        """Called when a broker that was not killed logs an exception that nothing had foreseen."""

    @property
    def digest(self) -> str:
        """The hash of all lines so far: equal for equal runs."""
        return self._digest.hexdigest()

    def note(self, text: str, process: str | None = None) -> None:
        """Add a line for *process*, the one that runs if it is None."""
        line = f"{trio.current_time():10.4f} {process or current_process_name():<10} {text}"
        self._digest.update(line.encode())
        self.count += 1
        self.newest.append(line)
        self._write(line)

    def emit(self, record: logging.LogRecord) -> None:
        """Add the line that a broker has logged."""
        text = f"{record.levelname} {record.getMessage()}"
        if record.exc_info is not None and record.exc_info[1] is not None:
            text += f": {''.join(traceback.format_exception(record.exc_info[1]))}"
            if not is_current_killed():
                self.on_traceback(f"{current_process_name()} logs: {text}")
        self.note(text)
