"""IpConnectionRates: how many connections each address may make in a second (KIP-612)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.quota.rate import QuotaWindow, Rate

if TYPE_CHECKING:
    from collections.abc import Mapping


class IpConnectionRates:
    """The rates of new connections by address; a throttle time is at most one sample long, as in Kafka."""

    def __init__(self, window: QuotaWindow) -> None:
        """There are no limits before `update`."""
        self._window = window
        self._limits: Mapping[str, float] = {}
        self._default: float | None = None
        self._rates: dict[str, Rate] = {}
        self._next_purge_ms = 0

    def update(self, limits: Mapping[str, float], default: float | None) -> None:
        """Take the limits by address, and that of all other addresses; None is none."""
        self._limits = limits
        self._default = default

    def record_and_throttle_ms(self, address: str, now_ms: int) -> int:
        """Record a connection, and return 0; or the time for which it is throttled, and it is not recorded."""
        limit = self._limits.get(address, self._default)
        if limit is None:
            return 0
        if now_ms >= self._next_purge_ms:
            self._rates = {each: rate for each, rate in self._rates.items() if rate.measure(now_ms)}
            self._next_purge_ms = now_ms + self._window.samples * self._window.size_ms
        rate = self._rates.get(address)
        if rate is None:
            rate = self._rates[address] = Rate(self._window)
        rate.record(1, now_ms)
        throttle_ms = min(rate.throttle_ms(limit, now_ms), self._window.size_ms)
        if throttle_ms:
            rate.record(-1, now_ms)
        return throttle_ms
