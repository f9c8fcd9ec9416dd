"""A server that a test or a benchmark starts as a process, and the list of all such servers, so that none is left."""

from __future__ import annotations

from typing import ClassVar, Protocol

_ENDS_WITHIN_S = 60
"""After SIGKILL a process ends at once, but for a write that its disk does not finish."""


class Process(Protocol):
    """The part of subprocess.Popen that tests and benchmarks use."""

    pid: int

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def send_signal(self, sig: int) -> None: ...

    def terminate(self) -> None: ...

    def kill(self) -> None: ...


class ServerProcess:
    """The process of a server, if it runs; base of KafkaBroker, ZooKeeper and the tests' Wirebroker."""

    instances: ClassVar[list[ServerProcess]] = []
    """Every server object, in the order of creation; compat_tests/conftest.py kills what a test leaves running."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self.instances.append(self)

    @property
    def pid(self) -> int:
        """The process id of a server that was started."""
        assert self._process is not None
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether the process of a server that was started, and not stopped, has ended by itself."""
        return self._process is not None and self._process.poll() is not None

    def kill(self) -> None:
        """End the process with SIGKILL, which is a crash for its files; nothing happens if none runs."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait(_ENDS_WITHIN_S)
