"""FetchParams: the fields of a Fetch request that concern all of its partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.model import READ_COMMITTED

if TYPE_CHECKING:
    from wirebroker.protocol.messages.fetch import PartitionData
    from wirebroker.replication.fetch_session import CachedPartition


class FetchParams(NamedTuple):
    """The fields of a Fetch request that concern all of its partitions."""

    version: int
    replica_id: int
    """-1 and -2 are consumers, -3 copies a log to another directory, from 0 on it is the follower on that broker."""
    isolation_level: int
    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    rack_id: str = ""
    """``client.rack`` of a consumer, which may be sent to a replica there (KIP-392)."""

    def is_caught_up(self, entry: CachedPartition, data: PartitionData) -> bool:
        """Whether *data*, read just now, stays true until the partition changes: no records, no error."""
        if data.records or data.error_code or data.diverging_epoch.epoch >= 0 or data.preferred_read_replica >= 0:
            return False
        if entry.reads_to_log_end:
            assert entry.partition is not None
            end = entry.partition.log.log_end_offset
        else:
            end = data.last_stable_offset if self.isolation_level == READ_COMMITTED else data.high_watermark
        return entry.requested.fetch_offset >= end
