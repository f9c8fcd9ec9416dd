"""ReplicationQuota: a limit on the bytes that leaders send to, or followers fetch for, replicas that are throttled.

`kafka-reassign-partitions --throttle` sets the limit of each broker (`leader.replication.throttled.rate`,
`follower.replication.throttled.rate`) and the replicas of each topic (`leader.replication.throttled.replicas`,
`follower.replication.throttled.replicas`).  In-sync replicas are never held back, but their bytes count (KIP-73).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from wirebroker.quota.rate import Rate

if TYPE_CHECKING:
    from wirebroker.quota.rate import QuotaWindow

ALL_REPLICAS: Final = ("*",)


class ReplicationQuota:
    """The limit of one direction on this broker (Kafka: ReplicationQuotaManager).  Times are monotonic milliseconds."""

    __slots__ = ("_broker_id", "_rate", "limit")

    def __init__(self, broker_id: int, window: QuotaWindow, limit: float | None = None) -> None:
        self._broker_id = broker_id
        self._rate = Rate(window)
        self.limit = limit
        """Bytes per second, None without a limit."""

    def is_throttled(self, replicas: tuple[str, ...], partition: int) -> bool:
        """Return whether a topic's setting *replicas* ("partition:broker" or "*") names this broker's replica."""
        return bool(replicas) and (replicas == ALL_REPLICAS or partition in _partitions(replicas, self._broker_id))

    def record(self, size_bytes: int, now_ms: int) -> None:
        """Count bytes of a throttled replica."""
        self._rate.record(size_bytes, now_ms)

    def is_exceeded(self, now_ms: int) -> bool:
        """Return whether the measured rate is above the limit."""
        return self.limit is not None and self._rate.measure(now_ms) > self.limit


@lru_cache(maxsize=256)
def _partitions(replicas: tuple[str, ...], broker_id: int) -> frozenset[int]:
    """Return the partitions of which *replicas* names the replica on *broker_id*."""
    pairs = (each.partition(":") for each in replicas)
    return frozenset(int(partition) for partition, _, broker in pairs if broker == str(broker_id))
