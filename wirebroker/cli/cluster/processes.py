"""Child processes that never outlive the command that started them, whatever ends it.

A signal raises no exception here: it is noted, and the code that waits looks at it, so no clean-up is cut short.  Each
child has a process group of its own, so a Ctrl-C in the terminal reaches the command only.  On Linux the kernel kills
the children of a command that was itself killed.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import FrameType

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
POLL_INTERVAL_S: Final = 0.1
_PR_SET_PDEATHSIG: Final = 1


class StoppedBySignalError(Exception):
    """A signal asks the command to stop; it has noted which one."""


class ProcessFailedError(Exception):
    """A child could not be started, or did not become ready; the text is for the user."""


class Child(NamedTuple):
    """One running program."""

    name: str
    process: subprocess.Popen[bytes]
    log_file: Path

    @property
    def is_running(self) -> bool:
        """Whether the program has not ended."""
        return self.process.poll() is None

    def last_line(self) -> str:
        """The last line of the log, empty if there is none."""
        lines = self.log_file.read_text(errors="replace").splitlines() if self.log_file.exists() else []
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


class Processes:
    """Starts programs while it is entered; leaving it kills those that still run.

    `signals` counts the signals that asked the command to stop.
    """

    def __init__(self) -> None:
        self.children: list[Child] = []
        self.signals = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup and shells' background jobs ignore some
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        self.kill(self.children)
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self.signals += 1

    def start(self, name: str, command: Sequence[str], log_file: Path) -> Child:
        """Start a program whose output is appended to *log_file*.

        Raises:
            StoppedBySignalError: the command is to stop.
            ProcessFailedError: there is no such program.
        """
        if self.signals:
            raise StoppedBySignalError
        with log_file.open("ab") as output:
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    process_group=0,
                    preexec_fn=_die_with_parent if sys.platform == "linux" else None,
                )
            except OSError as fault:
                raise ProcessFailedError(f"{name} cannot be started: {fault}") from fault
        child = Child(name, process, log_file)
        self.children.append(child)
        return child

    def wait_until(self, is_done: Callable[[], bool], missing: str, deadline_s: float) -> None:
        """Wait until *is_done*.

        Args:
            is_done: Asked ten times a second.
            missing: The message if the time is over.
            deadline_s: When the time is over, by `time.monotonic`.

        Raises:
            StoppedBySignalError: the command is to stop.
            ProcessFailedError: a child has ended, or the time is over.
        """
        while not is_done():
            if self.signals:
                raise StoppedBySignalError
            for child in self.children:
                if not child.is_running:
                    raise ProcessFailedError(
                        f"{child.name} ended with exit code {child.process.returncode}: {child.last_line()}"
                    )
            if time.monotonic() > deadline_s:
                raise ProcessFailedError(missing)
            time.sleep(POLL_INTERVAL_S)

    def stop(self, children: Sequence[Child], timeout_s: float) -> None:
        """Send SIGTERM to *children* and wait for their end; kill those left after the time or upon another signal."""
        seen = self.signals
        for child in children:
            if child.is_running:
                child.process.terminate()
        deadline_s = time.monotonic() + timeout_s
        while any(child.is_running for child in children):
            if self.signals > seen or time.monotonic() > deadline_s:
                break
            time.sleep(POLL_INTERVAL_S)
        self.kill(children)

    def kill(self, children: Sequence[Child]) -> None:
        """Kill *children* with all processes that they started (a log cleaner, for one), and wait for their end."""
        for child in children:
            try:
                os.killpg(child.process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):  # macOS answers EPERM for processes that wait to be reaped
                pass
        for child in children:
            child.process.wait()


def _die_with_parent() -> None:
    """Have the kernel kill this process, a new child, when the command ends in whatever way."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
