"""``wirebroker start`` in a process of its own, on a free port, for the time of the demo."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

READY = re.compile(r" ready: broker \d+ on PLAINTEXT://(\S+?),")


class NoBrokerError(Exception):
    """The broker process ended or never became ready; the text has the last line of its log."""


def listens(bootstrap: str) -> bool:
    """Whether anything accepts a connection at one of the addresses in *bootstrap* (``host:port[,host:port]``)."""
    for address in bootstrap.split(","):
        host, _, port = address.strip().rpartition(":")
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=3):
                return True
        except (OSError, ValueError):
            continue
    return False


@contextmanager
def local_broker(work_dir: Path, ready_within_s: float = 30) -> Iterator[str]:
    """Run a broker with its data in *work_dir*; yields its address, and stops it on the way out."""
    work_dir.mkdir(parents=True, exist_ok=True)
    log = work_dir / "broker.log"
    command = [sys.executable, "-m", "wirebroker", "start"]
    command += ["--listener", "PLAINTEXT://127.0.0.1:0", "--data-dir", str(work_dir / "broker-data")]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    try:
        yield wait_ready(process, log, ready_within_s)
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_ready(process: subprocess.Popen[bytes], log: Path, within_s: float) -> str:
    """The address in the broker's ready line."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        text = log.read_text(errors="replace")
        if match := READY.search(text):
            return match[1]
        if process.poll() is not None:
            break
        time.sleep(0.05)
    last = log.read_text(errors="replace").strip().rpartition("\n")[2]
    raise NoBrokerError(f"the demo's own broker did not start: {last or 'it wrote nothing'}")
