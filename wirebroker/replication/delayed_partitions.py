"""DelayedPartitions: base class of operations that wait for a condition of each of several partitions.

A change of a partition checks that partition, and no other.  The operation is complete when each of them was decided:
its condition is met, or it is not led here any more.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.delayed_operation import DelayedOperation
from wirebroker.replication.errors import PartitionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.replication.partition import Partition


class PartitionStatus:
    """One partition, the offset that is waited for, and the part of the response that gets the outcome."""

    __slots__ = ("_operation", "partition", "required_offset", "response")

    def __init__(self, operation: DelayedPartitions, partition: Partition, required_offset: int, response: Any) -> None:
        self._operation = operation
        self.partition = partition
        self.required_offset = required_offset
        self.response = response

    def partition_changed(self) -> None:
        """Check the partition, which has removed this listener; listen to it again if nothing is decided."""
        if not self._operation.is_completed and not self._operation.check(self):
            self.partition.listeners.add(self)


class DelayedPartitions(DelayedOperation):
    """One request that waits.  Its response is complete but for partitions that are waited for.

    Args:
        find: Returns the Partition that is served under a topic and a number, with PartitionError if there is none.
    """

    __slots__ = ("_find", "_waiting")

    def __init__(self, find: Callable[[str, int], Partition]) -> None:
        super().__init__()
        self._find = find
        self._waiting: set[PartitionStatus] = set()

    @abstractmethod
    def decide(self, status: PartitionStatus) -> bool:
        """Return whether the condition of a partition is met, which is served here; then set the outcome."""

    @abstractmethod
    def fail(self, status: PartitionStatus, code: ErrorCode) -> None:
        """Set the outcome of a partition whose condition was not met."""

    def add(self, partition: Partition, required_offset: int, response: Any) -> None:
        """Wait for *required_offset* of *partition*, too; the outcome goes into *response*."""
        self._waiting.add(PartitionStatus(self, partition, required_offset, response))

    def check(self, status: PartitionStatus) -> bool:
        """Return whether one partition is not waited for any more; with the last one the operation is complete."""
        is_decided = self._is_decided(status)
        if is_decided and not self._waiting:
            self.force_complete()
        return is_decided

    def _is_decided(self, status: PartitionStatus) -> bool:
        try:
            if self._find(*status.partition.topic_partition) is not status.partition:
                raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            if not self.decide(status):
                return False
        except PartitionError as error:
            self.fail(status, error.code)
        self._waiting.discard(status)
        return True

    def try_complete(self) -> bool:
        """Complete the operation if no partition has to be waited for."""
        for status in tuple(self._waiting):
            self._is_decided(status)
        return not self._waiting and self.force_complete()

    def watch(self) -> None:
        """Listen to every partition that is waited for."""
        for status in self._waiting:
            status.partition.listeners.add(status)

    @property
    def watched(self) -> int:
        """The number of partitions that were still waited for when the operation ended."""
        return len(self._waiting)

    def stop_watching(self) -> None:
        """Listen to no partition any more."""
        for status in self._waiting:
            status.partition.listeners.discard(status)

    def on_complete(self) -> None:
        """Answer REQUEST_TIMED_OUT for partitions that are still waited for, and have the response sent."""
        for status in self._waiting:
            self.fail(status, ErrorCode.REQUEST_TIMED_OUT)
        if self.on_response is not None:
            self.on_response()
