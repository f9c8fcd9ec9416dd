"""A wirebroker process: start it, find its port in the ready line, stop it cleanly or kill it.

A test sees what a user sees: the command line, the ready line, the exit code.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, Self

from compat_tests.limits import WITHIN_S
from compat_tests.wire import Wire
from tools.jvm.kafka import resident_bytes
from tools.jvm.ports import free_ports
from tools.jvm.server_process import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tools.jvm.server_process import Process

READY = re.compile(r"^wirebroker \S+ ready: broker (\d+) on .*?PLAINTEXT://127\.0\.0\.1:(\d+)", re.MULTILINE)


@contextmanager
def running(command: Sequence[str], *, within_s: float = 600, **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """A process that is killed at the end if it still runs; *options* are those of Popen.

    It is killed after *within_s* anyway, so that what waits for its output gets the end of it.
    """
    with subprocess.Popen(command, **options) as process:
        limit = threading.Timer(within_s, process.kill)
        limit.daemon = True
        limit.start()
        try:
            yield process
        finally:
            limit.cancel()
            process.kill()


Launch = Callable[["Sequence[str]", "Sequence[str]", "Path", "Mapping[str, str]"], "Process"]
"""(options of Python that name the program, its arguments, file for its output, environment) -> the process."""


def _launch(
    program: Sequence[str], arguments: Sequence[str], output: Path, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start a process of its own, whose environment has that of the tests, too."""
    with output.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, *program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            env=os.environ | environment,
        )


class Broker(Protocol):
    """The interface of a broker process, wirebroker's or Apache Kafka's."""

    host: str
    port: int
    data_directory: Path

    @property
    def bootstrap(self) -> str: ...

    @property
    def pid(self) -> int: ...


class Wirebroker(ServerProcess):
    """`wirebroker start` on a directory; may be stopped and started again on the same one."""

    def __init__(self, directory: Path, settings: Mapping[str, str] | None = None, options: Sequence[str] = ()) -> None:
        super().__init__()
        self.directory, self.settings, self.options = directory, dict(settings or {}), tuple(options)
        self.data_directory = directory / "data"
        self.log_file = directory / "wirebroker.out"
        self.program = ["-m", "wirebroker"]
        self.environment: dict[str, str] = {}
        """Added to that of the tests."""
        self.launch: Launch = _launch
        """Starts the process; that of a ForkServer spares the import of wirebroker."""
        self.host, self.port, self.starts = "127.0.0.1", 0, 0

    @property
    def bootstrap(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def resident_bytes(self) -> int:
        return resident_bytes(self.pid)

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self, timeout_s: float = 240) -> Self:
        """Start, and wait for the ready line.  A broker that was started before comes back on its old port.

        That is none of those that the system gives away, or another process might have it while the broker is down.
        """
        assert not self.running
        self.port = self.port or free_ports(1)[0]
        self.directory.mkdir(parents=True, exist_ok=True)
        arguments = ["start", *self.options]
        arguments += ["--listener", f"PLAINTEXT://{self.host}:{self.port}", "--data-dir", str(self.data_directory)]
        for name, value in self.settings.items():
            arguments += ["--set", f"{name}={value}"]
        before = self.log_file.stat().st_size if self.log_file.exists() else 0
        self._process = self.launch(self.program, arguments, self.log_file, self.environment)
        deadline = time.monotonic() + timeout_s
        while True:
            ready = READY.search(self.log(before))
            if ready:
                self.port = int(ready.group(2))
                self.starts += 1
                return self
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"wirebroker did not become ready:\n{self.log(before)[-3000:]}")
            time.sleep(0.005)

    def log(self, after: int = 0) -> str:
        """The output of the process from byte *after* on."""
        with self.log_file.open("rb") as file:
            file.seek(after)
            return file.read().decode(errors="replace")

    def stop(self, timeout_s: float = WITHIN_S) -> None:
        """End the process with SIGTERM; an exit code other than 0 is an error."""
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(WITHIN_S)
            raise
        if code != 0:
            raise RuntimeError(f"wirebroker ended with {code}:\n{self.log()[-3000:]}")

    def connect(self, timeout_s: float = 60) -> Wire:
        return Wire(self.host, self.port, timeout_s)

    def wait(self, timeout_s: float = WITHIN_S) -> int:
        """The exit code of a process that ends for another reason than `stop`."""
        process, self._process = self._process, None
        assert process is not None
        try:
            return process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(WITHIN_S)
            raise

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is None:
            self.stop()
        else:
            self.kill()
