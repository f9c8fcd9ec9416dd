"""Runs a worker in a process group of its own, so that no process of it outlives the command, whatever signal ends it.

Python with Spark, its Java and the demo's broker run in that group.  A Ctrl-C in the terminal only reaches the command,
which kills the whole group at once and then cleans up.  Signals raise no exception here, so clean-up is never cut
short.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_EXIT_TIMEOUT_S: Final = 10.0
_POLL_INTERVAL_S: Final = 0.02


class Supervisor:
    """Catches the signals that end a program while it is entered; `caught` is the first one."""

    def __init__(self) -> None:
        self.caught: signal.Signals | None = None
        self._before: dict[int, Any] = {}
        self._group: int | None = None

    def __enter__(self) -> Self:
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup and shells' background jobs ignore some
                self._before[number] = signal.signal(number, self._catch)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _catch(self, number: int, _: FrameType | None) -> None:
        self.caught = self.caught or signal.Signals(number)
        self._kill()

    def run(self, module: str, request: Mapping[str, Any], environment: Mapping[str, str]) -> int:
        """Run `python -m module` and return its exit code once every process that it started is gone.

        *request* is sent to its standard input as one line of JSON.  The pipe stays open until the end: when it closes
        early, the worker knows that this process was killed.
        """
        if self.caught is not None:
            return -signal.SIGKILL
        worker = subprocess.Popen(
            [sys.executable, "-m", module], stdin=subprocess.PIPE, env={**environment}, process_group=0
        )
        self._group = worker.pid
        if self.caught is not None:  # while the worker was being started
            self._kill()
        assert worker.stdin is not None
        try:
            worker.stdin.write(json.dumps(request).encode() + b"\n")
            worker.stdin.flush()
        except BrokenPipeError:
            pass  # the worker has ended already; its exit code says why
        code = worker.wait()
        try:
            worker.stdin.close()
        except BrokenPipeError:
            pass
        self._end_group()
        return code

    def _kill(self) -> bool:
        """Kill the group; False if no process of it is left."""
        if self._group is None:
            return False
        try:
            os.killpg(self._group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # macOS answers EPERM for processes that wait to be reaped
            return False
        return True

    def _end_group(self) -> None:
        """Wait until the processes that the worker left behind (Spark's Java) are gone."""
        deadline = time.monotonic() + _EXIT_TIMEOUT_S
        while self._kill() and time.monotonic() < deadline:
            time.sleep(_POLL_INTERVAL_S)
        self._group = None
