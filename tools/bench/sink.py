"""A peer that reads Produce frames and answers success without looking: the ceiling of the raw sender on this
machine.

Run as its own process (``python -m tools.bench.sink FRAME_BYTES RESPONSE_BYTES``); prints the port that it
listens on, serves one connection after the other until it is killed.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tools.bench import raw_client, wire

BUFFER_BYTES = 2 << 20


def serve(frame_bytes: int, response_bytes: int) -> None:
    """Answer each *frame_bytes* received with *response_bytes* zeroes (error code 0 wherever it is)."""
    answer = (response_bytes - 4).to_bytes(4, "big") + bytes(response_bytes - 4)
    buffer = memoryview(bytearray(BUFFER_BYTES))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        while True:
            sock, _ = listener.accept()
            with sock:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                held = 0
                while got := sock.recv_into(buffer):
                    done, held = divmod(held + got, frame_bytes)
                    if done:
                        sock.sendall(answer * done)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The rates of the raw sender with a peer that only reads."""

    flood_bytes_per_s: float
    small_per_s: dict[int, float]


def measure() -> Ceiling:
    """Start a sink for large frames, then one for small ones, and send to each as the workloads do."""
    now = int(time.time() * 1000)
    large = raw_client.Prepared.of("sink", [(0, wire.record_batch(9000, 100, now))])
    with _sink(large) as address:
        flood = raw_client.produce_many(address, [large], 4000, 3)
    small = raw_client.Prepared.of("sink", [(0, wire.record_batch(1, 100, now))])
    rates = {}
    with _sink(small) as address:
        for in_flight in (1, 5, 50):
            timing = raw_client.produce_small(address, small, 50_000, in_flight)
            rates[in_flight] = timing.requests / timing.seconds
    return Ceiling(flood.size_bytes / flood.seconds, rates)


@contextmanager
def _sink(prepared: raw_client.Prepared) -> Iterator[raw_client.Address]:
    command = [sys.executable, "-m", "tools.bench.sink", str(len(prepared.frame)), str(prepared.response_bytes)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield "127.0.0.1", int(process.stdout.readline())
        finally:
            process.kill()


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
