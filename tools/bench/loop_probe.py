"""How late a broker's event loop is, as another client sees it: ApiVersions every few ms on its own connection.

``python -m tools.bench.loop_probe HOST PORT [REQUEST [PID]]`` measures until its standard input ends: each line that it
reads is answered by one JSON line with the lag since the line before.  REQUEST is another frame to send, in hexadecimal
digits.  With PID, the broker's process id, a latency is without the time in which the broker's main thread, or the
probe, was ready to run and waited for a processor.  `LoopProbe` runs that as a process of its own, so that the load
which a test or a benchmark makes does not keep the probe from its clock.

A request that should have gone out while an earlier one was waiting counts with the time from when it was due: one
stall of 400 ms is 80 late requests at an interval of 5 ms, not one.
"""

from __future__ import annotations

import json
import select
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from tools.bench import wire

if TYPE_CHECKING:
    from collections.abc import Sequence

INTERVAL_S = 0.005
API_VERSIONS = wire.frame(18, 0, b"")
_TIMEOUT_S = 120


class Lag(NamedTuple):
    """Percentiles of the time that an answer took, in milliseconds, and how many requests there were."""

    requests: int
    p50_ms: float
    p99_ms: float
    p999_ms: float
    max_ms: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Lag:
        """The percentiles (nearest rank) of *seconds*, which may be empty."""
        ordered = sorted(seconds)
        count = len(ordered)
        if not count:
            return cls(0, 0.0, 0.0, 0.0, 0.0)
        p50, p99, p999, most = (
            round(ordered[-(-count * rank // 1000) - 1] * 1000, 3) for rank in (500, 990, 999, 1000)
        )
        return cls(count, p50, p99, p999, most)

    def __str__(self) -> str:
        return (
            f"p50 {self.p50_ms:.1f} ms, p99 {self.p99_ms:.1f} ms, p99.9 {self.p999_ms:.1f} ms, max {self.max_ms:.1f} ms"
        )


def with_requests_due(latency_s: float, interval_s: float) -> list[float]:
    """The latency of one request and of those that were due while it was waited for."""
    return [latency_s - late * interval_s for late in range(max(1, int(latency_s / interval_s)))]


def run_delay_s(pid: int | str) -> float:
    """Return how long a process's main thread has waited for a processor, 0 on a system that does not tell it."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


class LoopProbe:
    """A probe process.  `read` returns the lag since the last `read` or the start.

    With the *pid* of the broker the lag is without the time in which either process waited for a processor.
    """

    def __init__(self, host: str, port: int, request: bytes = API_VERSIONS, pid: int | None = None) -> None:
        command = [sys.executable, "-m", "tools.bench.loop_probe", host, str(port), request.hex()]
        command += [] if pid is None else [str(pid)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.read()

    def read(self) -> Lag:
        """The lag of the requests that were answered since the last call; waits for the one that is under way."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write("read\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise RuntimeError(f"the probe ended with exit code {self._process.wait()}")
        return Lag(*json.loads(line))

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait(_TIMEOUT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def measure(
    host: str, port: int, request: bytes = API_VERSIONS, interval_s: float = INTERVAL_S, pid: int | None = None
) -> None:
    """Ask until standard input ends, and answer each of its lines."""
    found: list[float] = []

    def waited_s() -> float:
        return 0.0 if pid is None else run_delay_s(pid) + run_delay_s("self")

    with socket.create_connection((host, port), timeout=_TIMEOUT_S) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        due = time.perf_counter()
        while True:
            wait_s = due - time.perf_counter()
            if select.select((sys.stdin,), (), (), max(wait_s, 0))[0]:
                if not sys.stdin.readline():
                    return
                print(json.dumps(Lag.of(found)), flush=True)
                found = []
                due = time.perf_counter()
                continue
            before_s = waited_s()
            sent = time.perf_counter()
            sock.sendall(request)
            size = int.from_bytes(_exactly(sock, 4), "big")
            _exactly(sock, size)
            ended = time.perf_counter()
            found += with_requests_due(max(ended - sent - (waited_s() - before_s), 0), interval_s)
            due = max(due + interval_s, ended)


def _exactly(sock: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = sock.recv(size - len(data))
        if not piece:
            raise ConnectionError("the broker hung up on the probe")
        data += piece
    return bytes(data)


if __name__ == "__main__":
    measure(
        sys.argv[1],
        int(sys.argv[2]),
        bytes.fromhex(sys.argv[3]) if sys.argv[3:] else API_VERSIONS,
        pid=int(sys.argv[4]) if sys.argv[4:] else None,
    )
