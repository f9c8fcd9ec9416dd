"""TokenBucket: the measure of quotas that allow a burst and then a steady rate (Kafka: TokenBucket, KIP-599)."""

from __future__ import annotations

import math

from wirebroker.quota.rate import LONGEST_MS


class TokenBucket:
    """Tokens that come at the rate of the limit, up to those of *capacity_s* seconds; a debt is paid off by waiting."""

    __slots__ = ("_capacity_s", "_last_ms", "_tokens")

    def __init__(self, capacity_s: float) -> None:
        """A new bucket is full."""
        self._capacity_s = capacity_s
        self._tokens = math.inf
        self._last_ms = 0

    def take(self, count: float, limit: float, now_ms: int) -> None:
        """Take *count* tokens, even if there are fewer."""
        self._tokens = self._refill(limit, now_ms) - count

    def throttle_ms(self, limit: float, now_ms: int) -> int:
        """Return the milliseconds until there is no debt, 0 if there is none, LONGEST_MS if the limit is 0."""
        tokens = self._refill(limit, now_ms)
        if limit <= 0:
            return LONGEST_MS if tokens < 0 else 0
        return math.floor(-tokens / limit * 1000 + 0.5) if tokens < 0 else 0

    def _refill(self, limit: float, now_ms: int) -> float:
        self._tokens = min(self._capacity_s * limit, self._tokens + limit * (now_ms - self._last_ms) / 1000)
        self._last_ms = now_ms
        return self._tokens
