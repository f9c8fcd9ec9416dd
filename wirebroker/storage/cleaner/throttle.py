"""Throttle: holds the bytes that are read and written per second below a limit, by sleeping."""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_CHECK_S: Final = 0.3
"""How long bytes are counted before the rate is looked at, as in Apache Kafka."""
_MOST_AHEAD_S: Final = 0.3
"""How far the bytes may be ahead of the limit before that: a fast disk reads a whole log in less than `_CHECK_S`."""
_LONGEST_S: Final = 24 * 3600.0
"""The longest sleep: with a limit of 0 a round never goes on, and begins anew when the limit is changed."""


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
        self.bytes_per_second = bytes_per_second
        self._clock = clock
        self._sleep = sleep
        self._since = clock()
        self._paid = 0

    def pay(self, size_bytes: int) -> None:
        """Count *size_bytes*, and sleep for as long as the rate is above the limit."""
        self._paid += size_bytes
        elapsed = self._clock() - self._since
        due = self._paid / self.bytes_per_second if self.bytes_per_second else inf
        if elapsed < _CHECK_S and due - elapsed < _MOST_AHEAD_S:
            return
        if due > elapsed:
            self._sleep(min(due - elapsed, _LONGEST_S))
        self._since = self._clock()
        self._paid = 0
