"""ControllerMutationQuotaManager and ControllerMutationQuota: how many partitions clients may create and delete in a
second (KIP-599).

A client that has taken more tokens than its bucket held owes some.  A strict quota refuses changes as long as the
client owes tokens, and throttles only a client that it has refused; a permissive one refuses nothing, and throttles as
soon as the client owes tokens, for those clients that do not know THROTTLING_QUOTA_EXCEEDED.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from wirebroker.quota.client_sensors import ClientSensors
from wirebroker.quota.token_bucket import TokenBucket

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.quota.client_sensors import Sensor
    from wirebroker.quota.rate import QuotaWindow


class ControllerMutationQuota:
    """The quota of one client while one of its requests is served.

    Args:
        sensor: The tokens and the limit of the client; None is no limit.
        now_ms: Returns the time, in milliseconds of a monotonic clock.
        strict: Whether changes are refused.
    """

    def __init__(self, sensor: Sensor[TokenBucket] | None, now_ms: Callable[[], int], *, strict: bool) -> None:
        self._sensor = sensor
        self._now_ms = now_ms
        self._strict = strict
        self._throttled_until_ms = 0

    def accepts(self, partition_count: int) -> bool:
        """Take a token for each of *partition_count* partitions, and return True; take none and return False if the
        quota is strict and the client owes tokens."""
        sensor = self._sensor
        if sensor is None or sensor.limit is None:
            return True
        now_ms = self._now_ms()
        if self._strict:
            if throttle_ms := sensor.measure.throttle_ms(sensor.limit, now_ms):
                self._throttled_until_ms = now_ms + throttle_ms
                return False
            sensor.measure.take(partition_count, sensor.limit, now_ms)
            return True
        sensor.measure.take(partition_count, sensor.limit, now_ms)
        self._throttled_until_ms = now_ms + sensor.measure.throttle_ms(sensor.limit, now_ms)
        return True

    def throttle_ms(self) -> int:
        """Return for how long from now on the client is throttled, in milliseconds; 0 if it is not."""
        return max(0, self._throttled_until_ms - self._now_ms()) if self._throttled_until_ms else 0


class ControllerMutationQuotaManager(ClientSensors[TokenBucket]):
    """The quota controller_mutation_rate of all users and client ids.

    Args:
        key: The name of the quota.
        window: Its length is the time whose tokens a bucket holds.
    """

    def __init__(self, key: str, window: QuotaWindow) -> None:
        super().__init__(key, partial(TokenBucket, window.samples * window.size_s))

    def quota_of(
        self, user: str, client_id: str | None, now_ms: Callable[[], int], *, strict: bool
    ) -> ControllerMutationQuota:
        """Return the quota of a client for one request."""
        sensor = self.sensor(user, client_id, now_ms()) if self.enabled else None
        return ControllerMutationQuota(sensor, now_ms, strict=strict)
