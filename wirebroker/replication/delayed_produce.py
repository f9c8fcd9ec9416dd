"""DelayedProduce: a Produce with acks=all whose records are written, and that waits for the in-sync replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.delayed_partitions import DelayedPartitions

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.replication.delayed_partitions import PartitionStatus
    from wirebroker.replication.partition import Partition


class DelayedProduce(DelayedPartitions):
    """One request; the offset that is required of a partition is the one after its last record.

    Args:
        find: As in DelayedPartitions.
        code_for: Returns an error code as the version of the request knows it.
    """

    __slots__ = ("_code_for",)

    def __init__(self, find: Callable[[str, int], Partition], code_for: Callable[[ErrorCode], ErrorCode]) -> None:
        super().__init__(find)
        self._code_for = code_for

    def decide(self, status: PartitionStatus) -> bool:
        """Return whether the high watermark has reached the records, or the partition has another leader."""
        has_enough, code = status.partition.check_enough_replicas_reach_offset(status.required_offset)
        if code == ErrorCode.NONE and not has_enough:
            return False
        self.fail(status, code)
        return True

    def fail(self, status: PartitionStatus, code: ErrorCode) -> None:
        """Set the error code; the offsets of the records stay in the response."""
        status.response.error_code = self._code_for(code)
