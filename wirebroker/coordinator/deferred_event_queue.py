"""DeferredEventQueue: results of a shard whose records are not committed yet, in order (Kafka: DeferredEventQueue)."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

import trio

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Sequence

    from wirebroker.coordinator.turn import CoordinatorResult, PendingResponse
    from wirebroker.replication.partition import Partition

REPLIES_IN_A_TURN: Final = 64
"""Responses that are completed in one turn of the event loop; each takes 25 us there."""


class DeferredEventQueue:
    """Completes results when all in-sync replicas have the records of the shard that were written before.

    A result without records waits, too, as it tells of state that the records before it have made; one that names what
    it tells of (`CoordinatorResult.replaced`) waits only if that is not committed.  With one replica in sync nothing
    waits.  With fewer in sync than min.insync.replicas the high watermark stays (KIP-966), but groups and transactions
    have to be seen: while the leader is alone in sync, only results with records wait.  Results that need no
    acknowledgement of replicas, as those of deletions, wait for none, as in Kafka.  After a change of leadership
    nothing is completed any more: the records may be lost.

    Args:
        partition: the partition that the shard writes to.
        complete: called with each result, in order.
    """

    __slots__ = ("_complete", "_leader_epoch", "_partition", "_waiting", "last_written_offset", "reads_wait_until")

    def __init__(self, partition: Partition, complete: Callable[[CoordinatorResult], None]) -> None:
        self._partition = partition
        self._leader_epoch = partition.leader_epoch
        self._complete = complete
        self._waiting: deque[tuple[int, CoordinatorResult]] = deque()
        self.last_written_offset = 0
        """The end of the last records that the shard's state is made of."""
        self.reads_wait_until = 0
        """The end of the last records of which no result tells what they have replaced (`CoordinatorResult.replaced`):
        of the log that the shard was loaded from, and of markers of transactions."""

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, result: CoordinatorResult) -> None:
        """Complete *result* now if everything is committed, else as soon as it is."""
        partition = self._partition
        if partition.leader_epoch == self._leader_epoch and (
            (partition.high_watermark >= self.last_written_offset and not self._waiting)
            or not result.required_acks
            or (partition.alone_below_min_isr and _waits_for_no_replica(result))
            or (result.replaced and not result.records and self._has_committed(result.replaced))
        ):
            self._complete(result)
        elif result.replies or result.pending_markers:
            self._waiting.append((self.last_written_offset, result))
            partition.listeners.add(self)

    def replaced(self) -> dict[Hashable, Any]:
        """Return key of the state -> committed value, None if there is none, of values that are not committed yet."""
        found: dict[Hashable, Any] = {}
        for _, result in reversed(self._waiting):  # of several results that change a value the first one counts
            if result.replaced and result.records:
                found.update(result.replaced)
        return found

    def _has_committed(self, keys: Collection[Hashable]) -> bool:
        """Whether the values of these *keys* of the state are committed."""
        if self._partition.high_watermark < self.reads_wait_until:
            return False
        return not any(
            result.replaced and result.records and not result.replaced.keys().isdisjoint(keys)
            for _, result in self._waiting
        )

    def partition_changed(self) -> None:
        """Complete the results that are committed by now; called by the partition, which has removed the listener."""
        partition, waiting = self._partition, self._waiting
        if partition.leader_epoch != self._leader_epoch:
            return
        while waiting and waiting[0][0] <= partition.high_watermark:
            self._complete(waiting.popleft()[1])
        if waiting and partition.alone_below_min_isr:
            released = [result for _, result in waiting if _waits_for_no_replica(result)]
            self._waiting = waiting = deque(each for each in waiting if not _waits_for_no_replica(each[1]))
            for result in released:
                self._complete(result)
        if waiting:
            partition.listeners.add(self)

    def close(self) -> None:
        """Complete nothing any more, and forget *complete*, which knows the shard."""
        self._complete = _complete_nothing
        self._waiting.clear()
        self._partition.listeners.discard(self)


async def complete_in_turns(replies: Sequence[tuple[PendingResponse, Any]]) -> None:
    """Complete many responses, some in each turn of the event loop: each of them wakes a task, which sends it."""
    for first in range(0, len(replies), REPLIES_IN_A_TURN):
        for pending, response in replies[first : first + REPLIES_IN_A_TURN]:
            pending.complete(response)
        await trio.lowlevel.checkpoint()


def _complete_nothing(result: CoordinatorResult) -> None:
    """Do nothing: the requests have been answered when the shard was unloaded."""


def _waits_for_no_replica(result: CoordinatorResult) -> bool:
    """Whether *result* is completed with fewer replicas in sync than min.insync.replicas."""
    return not (result.records and result.required_acks)
