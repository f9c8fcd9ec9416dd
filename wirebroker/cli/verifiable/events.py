"""Events as Apache Kafka's verifiable programs print them: one JSON object a line, with timestamp and name first."""

from __future__ import annotations

import json
import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def event_text(timestamp_ms: int, name: str, **fields: Any) -> str:
    """Return the line of an event."""
    return json.dumps({"timestamp": timestamp_ms, "name": name, **fields}, ensure_ascii=False, separators=(",", ":"))


def emit(name: str, **fields: Any) -> None:
    """Print an event of this moment."""
    print(event_text(time.time_ns() // 1_000_000, name, **fields), flush=True)


class Stop:
    """Whether a signal asked the program to stop."""

    def __init__(self) -> None:
        self.is_set = False

    def set(self, *_: object) -> None:
        """Note that the program is to stop."""
        self.is_set = True


@contextmanager
def stop_on_signal() -> Iterator[Stop]:
    """Note SIGINT and SIGTERM inside the block: the programs end with their last events, and exit code 0."""
    stop = Stop()
    before = {number: signal.signal(number, stop.set) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def throttle(sent: int, throughput: float, started_s: float) -> float:
    """Return how many seconds to wait before the next of *sent* records; 0 without a limit."""
    return max(0.0, started_s + sent / throughput - time.monotonic()) if throughput > 0 else 0.0
