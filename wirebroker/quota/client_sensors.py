"""ClientSensors: the limit and the measured use of each group of clients that shares one quota."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from wirebroker.quota.levels import QuotaLevels

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from wirebroker.quota.levels import QuotaEntity, QuotaTags

Measure = TypeVar("Measure")

_INACTIVE_MS: Final = 3_600_000
"""Sensors of clients that have been away for so long are forgotten."""
_PURGE_MS: Final = 30_000


class Sensor(Generic[Measure]):
    """The measured use of the clients that share a quota, and their limit; None is none."""

    __slots__ = ("last_ms", "limit", "measure")

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.limit: float | None = None
        self.last_ms = 0


class ClientSensors(Generic[Measure]):
    """One quota of all users and client ids; `enabled` is False as long as nobody has one, and nothing is recorded.

    Times are milliseconds of a monotonic clock.  A client id of None is taken for an empty one.

    Args:
        key: The name of the quota, such as "producer_byte_rate".
        new_measure: Returns the measure of clients that have used nothing yet.
        static_default: The limit of each client id without any; None is none.
    """

    def __init__(self, key: str, new_measure: Callable[[], Measure], static_default: float | None = None) -> None:
        self._key = key
        self._new_measure = new_measure
        self._static_default = static_default
        self._levels = QuotaLevels({}, static_default)
        self._sensors: dict[QuotaTags, Sensor[Measure]] = {}
        self._by_client: dict[tuple[str, str | None], Sensor[Measure]] = {}
        self._next_purge_ms = 0
        self.enabled = bool(self._levels)

    def update(self, quotas: Mapping[QuotaEntity, Mapping[str, float]]) -> None:
        """Take the limits from *quotas*, all quotas of each entity; what clients have used before still counts."""
        key = self._key
        self._levels = QuotaLevels(
            {entity: values[key] for entity, values in quotas.items() if key in values}, self._static_default
        )
        self._by_client.clear()
        self.enabled = bool(self._levels)
        if not self.enabled:
            self._sensors.clear()

    def limit(self, user: str, client_id: str | None) -> float | None:
        """Return the limit of a client, None if it has none."""
        return self._levels.find(user, client_id or "")[1]

    def sensor(self, user: str, client_id: str | None, now_ms: int) -> Sensor[Measure]:
        """Return the sensor of a client, with the limit that holds now."""
        if now_ms >= self._next_purge_ms:
            self._purge(now_ms)
        sensor = self._by_client.get((user, client_id))
        if sensor is None:
            tags, limit = self._levels.find(user, client_id or "")
            sensor = self._sensors.get(tags)
            if sensor is None:
                sensor = self._sensors[tags] = Sensor(self._new_measure())
            sensor.limit = limit
            self._by_client[user, client_id] = sensor
        sensor.last_ms = now_ms
        return sensor

    def _purge(self, now_ms: int) -> None:
        self._next_purge_ms = now_ms + _PURGE_MS
        idle_since_ms = now_ms - _INACTIVE_MS
        gone = [tags for tags, sensor in self._sensors.items() if sensor.last_ms < idle_since_ms]
        for tags in gone:
            del self._sensors[tags]
        self._by_client.clear()
