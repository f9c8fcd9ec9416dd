"""Ports for servers of tests and benches, which no other run takes while a server is down."""

from __future__ import annotations

import fcntl
import itertools
import os
import socket
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

FIRST_PORT: Final = 12_000
RANGES: Final = 16
PORTS_PER_RANGE: Final = 1_250
_numbers = itertools.count(os.getpid())
_LOCKS: Final = Path("/tmp") if Path("/tmp").is_dir() else Path(tempfile.gettempdir())
"""Not where TMPDIR says: runs that differ in it have the same ports."""
_locks: list[int] = []
"""Descriptors that stay open until the process ends."""


def free_ports(count: int) -> list[int]:
    """*count* free TCP ports below the range from which the system takes those of outgoing connections.

    A port from that range may be taken by some client before its server binds it.  Each process has a range of its own
    and does not hand out a port twice before it has been through all of them.
    """
    first = FIRST_PORT + _own_range() * PORTS_PER_RANGE
    found: list[int] = []
    while len(found) < count:
        port = first + next(_numbers) % PORTS_PER_RANGE
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        found.append(port)
    return found


@cache
def _own_range() -> int:
    """Lock a range of ports for this process and return its number: those of pytest-xdist begin with that of a worker.

    With more processes than ranges, some share one.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    for number in range(worker, worker + RANGES):
        lock = _LOCKS / f"wirebroker-ports-{number % RANGES}.lock"
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:  # another user's
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            continue
        _locks.append(descriptor)
        return number % RANGES
    return worker % RANGES
