"""FlushStats: the number and times of flushes of all logs (Kafka: LogFlushStats)."""

from __future__ import annotations

from collections import deque
from typing import Final

KEPT: Final = 1024


class FlushStats:
    """The flushes so far, which may be recorded in several threads at a time."""

    def __init__(self) -> None:
        self.count = 0
        """The number of flushes; two threads at the same moment may count as one."""
        self.times_s: deque[float] = deque(maxlen=KEPT)

    def record(self, took_s: float) -> None:
        """Count a flush that took *took_s* seconds."""
        self.count += 1
        self.times_s.append(took_s)
