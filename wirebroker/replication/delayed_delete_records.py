"""DelayedDeleteRecords: a DeleteRecords that was carried out here, and that waits for the followers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.delayed_partitions import DelayedPartitions

if TYPE_CHECKING:
    from wirebroker.replication.delayed_partitions import PartitionStatus


class DelayedDeleteRecords(DelayedPartitions):
    """One request; the log start of every live replica has to reach the offset that is required of a partition."""

    __slots__ = ()

    def decide(self, status: PartitionStatus) -> bool:
        """Return whether the low watermark has reached the offset, and set it in the response.

        Raises:
            PartitionError: the partition has another leader.
        """
        low_watermark = status.partition.low_watermark_if_leader()
        if low_watermark < status.required_offset:
            return False
        status.response.low_watermark = low_watermark
        return True

    def fail(self, status: PartitionStatus, code: ErrorCode) -> None:
        """Set the error code; after a timeout the response keeps the low watermark of the beginning."""
        status.response.error_code = code
        if code != ErrorCode.REQUEST_TIMED_OUT:
            status.response.low_watermark = -1
