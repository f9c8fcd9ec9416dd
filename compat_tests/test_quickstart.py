"""`wirebroker quickstart` that is ended early leaves no broker behind."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys

import pytest


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_stops_the_broker_of_quickstart(number: signal.Signals, exit_code: int) -> None:
    command = [sys.executable, "-m", "wirebroker", "quickstart"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    port = None
    for line in process.stdout:
        ready = re.search(r"ready: broker 0 on PLAINTEXT://127\.0\.0\.1:(\d+)", line)
        if ready is not None:
            port = int(ready[1])
            break
    assert port is not None, "quickstart ended without a broker"
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == exit_code
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)
