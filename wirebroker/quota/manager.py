"""ClientQuotaManager: records what clients use of one quota, and returns how long they are throttled."""

from __future__ import annotations

from functools import partial
from typing import Final

from wirebroker.quota.client_sensors import ClientSensors
from wirebroker.quota.rate import QuotaWindow, Rate

MAX_THROTTLE_MS: Final = 2**31 - 1


class ClientQuotaManager(ClientSensors[Rate]):
    """A quota of a rate: bytes per second, or the percentage of a thread.

    Args:
        key: The name of the quota, such as "producer_byte_rate".
        window: The samples that rates are measured over.
        static_default: The limit of each client id without any; None is none.
        max_throttle_ms: The longest throttle time; None is as long as it takes.
    """

    def __init__(
        self, key: str, window: QuotaWindow, *, static_default: float | None = None, max_throttle_ms: int | None = None
    ) -> None:
        super().__init__(key, partial(Rate, window), static_default)
        self._window = window
        self._max_throttle_ms = MAX_THROTTLE_MS if max_throttle_ms is None else max_throttle_ms

    def record_and_throttle_ms(self, user: str, client_id: str | None, value: float, now_ms: int) -> int:
        """Record *value*, and return how long the client is throttled for it, 0 if its rate is within its limit."""
        sensor = self.sensor(user, client_id, now_ms)
        sensor.measure.record(value, now_ms)
        if sensor.limit is None:
            return 0
        return min(sensor.measure.throttle_ms(sensor.limit, now_ms), self._max_throttle_ms)

    def record(self, user: str, client_id: str | None, value: float, now_ms: int) -> None:
        """Record *value*, which counts when the client's next request is served; a negative one takes a value back."""
        self.sensor(user, client_id, now_ms).measure.record(value, now_ms)

    def max_value_in_window(self, user: str, client_id: str | None) -> float | None:
        """Return the largest value that does not exceed the limit of a client that has been idle; None is any."""
        limit = self.limit(user, client_id)
        return None if limit is None else limit * (self._window.samples - 1) * self._window.size_s
