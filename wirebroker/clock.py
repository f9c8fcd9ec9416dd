"""Wall-clock milliseconds for records and files.  Waiting uses trio's clock, never this one."""

from __future__ import annotations

import time


def now_ms() -> int:
    """Milliseconds since the epoch, as Kafka stamps records."""
    return time.time_ns() // 1_000_000
