"""Throttle: holds the bytes that are read and written per second below a limit, by sleeping."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_CHECK_S: Final = 0.3
"""How long bytes are counted before the rate is looked at, as in Apache Kafka."""


class Throttle:
    """Bytes per second, of all that is paid for.

    Args:
        bytes_per_second: the limit; Apache Kafka's default is the largest double, which is none.
        clock: monotonic seconds.
        sleep: waits for some seconds; blocks the thread.
    """

    def __init__(
        self,
        bytes_per_second: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._rate = bytes_per_second
        self._clock = clock
        self._sleep = sleep
        self._since = clock()
        self._paid = 0

    def pay(self, size_bytes: int) -> None:
        """Count *size_bytes*, and sleep for as long as the rate is above the limit."""
        self._paid += size_bytes
        elapsed = self._clock() - self._since
        if elapsed < _CHECK_S:
            return
        due = self._paid / self._rate
        if due > elapsed:
            self._sleep(due - elapsed)
        self._since = self._clock()
        self._paid = 0
