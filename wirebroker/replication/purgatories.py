"""Purgatories: the delayed operations of a broker, by kind, and their configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.config.section import Section
from wirebroker.replication.delayed_operation import DelayedOperation, DelayedOperationPurgatory
from wirebroker.replication.fetch_purgatory import FetchPurgatory

if TYPE_CHECKING:
    from wirebroker.replication.delayed_partitions import DelayedPartitions
    from wirebroker.timer.timer import Timer


class PurgatoryConfig(Section):
    """The configuration keys of the purgatories."""

    delete_records_purgatory_purge_interval_requests: int
    fetch_purgatory_purge_interval_requests: int
    producer_purgatory_purge_interval_requests: int

    FIELDS = __slots__ = tuple(__annotations__)


class Purgatories:
    """The requests that wait in the replica manager; *timer* ends their wait."""

    def __init__(self, timer: Timer) -> None:
        self.fetch = FetchPurgatory(timer)
        self.produce = DelayedOperationPurgatory[DelayedOperation](timer)
        self.delete_records: DelayedOperationPurgatory[DelayedPartitions] = DelayedOperationPurgatory(timer)

    def configure(self, config: PurgatoryConfig) -> None:
        """Set how many completed operations are kept; none until then."""
        self.fetch.purge_interval = config.fetch_purgatory_purge_interval_requests
        self.produce.purge_interval = config.producer_purgatory_purge_interval_requests
        self.delete_records.purge_interval = config.delete_records_purgatory_purge_interval_requests

    def purge(self) -> None:
        """Forget completed operations now, as they know their partitions: one that is deleted would stay in memory."""
        self.fetch.purge()
        self.produce.purge()
        self.delete_records.purge()

    def close(self) -> None:
        """Complete every operation that waits, at once, and let no other wait."""
        self.fetch.close()
        self.produce.close()
        self.delete_records.close()
