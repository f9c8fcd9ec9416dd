"""ForkServer: starts brokers from a process that has imported wirebroker, for tests that start the same ones often.

    broker.launch = ForkServer().launch      # in the place of subprocess.Popen

The import is most of the processor time of a start.  A broker is a fork of the process `python -m
compat_tests.fork_server`, which runs the module that would have been named behind `-m`, with the same arguments; the
rest of the start, and the process itself, are those of any broker.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
import time
from contextlib import suppress
from threading import Condition, Lock, Thread
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn

from compat_tests.limits import WITHIN_S
from tools.jvm.server_process import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_PRELOADED: Final = (
    "kazoo.client",
    "wirebroker.broker",
    "wirebroker.cli.start",
    "wirebroker.cluster_member.cluster_mode",
    "wirebroker.cluster_member.member_controller",
    "wirebroker.kafka_controller.state_change_log",
    "compat_tests.cluster.proxied_wirebroker",
)
_POLL_S: Final = 0.02
"""How often the server looks for requests and for children that have ended."""


class ForkedProcess:
    """A process that a ForkServer has started."""

    def __init__(self, server: ForkServer, pid: int) -> None:
        self.pid = pid
        self.exit_code: int | None = None
        """Minus the signal that has ended the process; None while it runs."""
        self._server = server

    def poll(self) -> int | None:
        """Return the exit code, or None while the process runs."""
        return self.exit_code

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process and return its exit code as `poll` does.

        Raises:
            TimeoutExpired: it still runs after *timeout* seconds.
        """
        with self._server.changed:
            self._server.changed.wait_for(lambda: self.poll() is not None, timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0)
        return code

    def send_signal(self, sig: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, sig)

    def terminate(self) -> None:
        """Send SIGTERM, unless the process has ended."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL, unless the process has ended."""
        self.send_signal(signal.SIGKILL)


class ForkServer(ServerProcess):
    """The process that forks, which starts with the first broker; its brokers end with it.

    Args:
        environment: added to that of the tests; what the dynamic linker reads, such as LD_PRELOAD, has to be here.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._environment = dict(environment or {})
        self.changed = Condition()
        """Notified of each start and each end."""
        self._one_at_a_time = Lock()
        """Held by the thread that waits for its process to start."""
        self._started: list[ForkedProcess] = []
        self._running: dict[int, ForkedProcess] = {}
        """Process id -> the process; the system gives the id of one that has ended to another."""
        self._pipes: tuple[IO[bytes], IO[bytes]] | None = None

    def launch(
        self, program: Sequence[str], arguments: Sequence[str], output: Path, environment: Mapping[str, str]
    ) -> ForkedProcess:
        """Run the module of *program*, ("-m", its name, its first arguments), with its output added to a file.

        Returns the process.
        """
        _, module, *first = program
        output.touch()  # it may be read before the process has begun
        line = {
            "module": module,
            "arguments": [*first, *arguments],
            "output": str(output),
            "environment": dict(environment),
        }
        with self._one_at_a_time, self.changed:
            requests = self._requests()
            count = len(self._started)
            requests.write(json.dumps(line).encode() + b"\n")
            requests.flush()
            if not self.changed.wait_for(lambda: len(self._started) > count, WITHIN_S):
                raise RuntimeError(f"the fork server has started no broker in {WITHIN_S} s")
            return self._started[-1]

    def kill(self) -> None:
        """End all processes that still run, and the server."""
        for each in self._started:
            each.kill()
        for each in self._started:
            each.wait(WITHIN_S)
        super().kill()
        for pipe in self._pipes or ():
            pipe.close()
        self._pipes = None

    def _requests(self) -> IO[bytes]:
        """The standard input of the server, which is started if it does not run."""
        if self._pipes is None:
            command = [sys.executable, "-m", "compat_tests.fork_server"]
            environment = os.environ | self._environment
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
            assert process.stdin is not None
            assert process.stdout is not None
            self._process, self._pipes = process, (process.stdin, process.stdout)
            Thread(target=self._read, args=(process.stdout,), daemon=True).start()
        return self._pipes[0]

    def _read(self, lines: IO[bytes]) -> None:
        """Note which processes were started and have ended, until the server has."""
        with suppress(ValueError):  # the pipe was closed
            for line in lines:
                found = json.loads(line)
                with self.changed:
                    if "code" in found:
                        self._running.pop(found["pid"]).exit_code = found["code"]
                    else:
                        process = self._running[found["pid"]] = ForkedProcess(self, found["pid"])
                        self._started.append(process)
                    self.changed.notify_all()


def serve() -> dict[str, Any]:
    """Fork for each line of the standard input, and write a line about each start and end.

    Returns the line in the new process.  The server ends with the end of its input.
    """
    os.set_blocking(0, False)
    rest = b""
    while True:
        while (ended := _ended()) is not None:
            _write({"pid": ended[0], "code": os.waitstatus_to_exitcode(ended[1])})
        try:
            data = os.read(0, 1 << 16)
        except BlockingIOError:
            time.sleep(_POLL_S)
            continue
        if not data:
            sys.exit()
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            pid = os.fork()
            if pid == 0:
                found: dict[str, Any] = json.loads(line)
                return found
            _write({"pid": pid})


def _ended() -> tuple[int, int] | None:
    """The process id and status of a child that has ended."""
    try:
        pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    return (pid, status) if pid else None


def _write(line: dict[str, int]) -> None:
    os.write(1, json.dumps(line).encode() + b"\n")


def become(line: dict[str, Any]) -> NoReturn:
    """In a forked process, run what *line* says as the main module, and end as it does."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(line["output"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    for descriptor, number in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(descriptor, number)
    for descriptor in (nothing, output):
        os.close(descriptor)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.update(line["environment"])
    sys.argv = [line["module"], *line["arguments"]]
    runpy.run_module(line["module"], run_name="__main__", alter_sys=True)
    sys.exit()


if __name__ == "__main__":
    # an interrupt of the tests ends the brokers one by one, and then the server by the end of its input
    for _number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(_number, signal.SIG_IGN)
    gc.disable()
    for _name in _PRELOADED:
        importlib.import_module(_name)
    gc.freeze()
    gc.enable()
    become(serve())
