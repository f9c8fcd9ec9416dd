"""Wall-clock milliseconds for records and files.  Timers and waiting use trio's clock, which is monotonic."""

from __future__ import annotations

import time


def now_ms() -> int:
    """Return the milliseconds since 1970, as in the timestamps of records."""
    return time.time_ns() // 1_000_000
