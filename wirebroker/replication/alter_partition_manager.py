"""AlterPartitionManager: the interface through which a leader changes the ISR of its partition (KIP-497).

There is one implementation for each way of a ZooKeeper cluster: the leader writes the state znode itself (protocol
below 2.7), or sends AlterPartition to the controller.  A broker that is its own controller has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.model import LeaderAndIsr, TopicPartition
    from wirebroker.protocol.errors import ErrorCode


class AlterPartitionItem(NamedTuple):
    """A proposed ISR of one partition."""

    topic_partition: TopicPartition
    topic_id: bytes
    """16 bytes, all zero for a topic without an id."""
    leader_and_isr: LeaderAndIsr
    """The proposal: `isr` is new; `leader_epoch`, `partition_epoch` and `controller_epoch` are those that the leader
    knows, and the change is valid for them only."""
    completed: Callable[[LeaderAndIsr | ErrorCode], None]
    """To be called once, in the event loop, with the state that the partition has now, or the code of the failure.

    The state may be another than the proposed one, if another change of the same leader epoch came first.  Codes mean
    what they mean in an AlterPartition response: after OPERATION_NOT_ATTEMPTED and INELIGIBLE_REPLICA nothing has
    changed.  After UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, FENCED_LEADER_EPOCH, INVALID_UPDATE_VERSION,
    INVALID_REQUEST and NEW_LEADER_ELECTED the proposal may have been applied, and the leader waits for the next
    LeaderAndIsr.  With any other code the leader submits the same proposal again at once, so failures that need a pause
    or another controller are the manager's to retry.
    """


class AlterPartitionManager(Protocol):
    """Submits ISR changes of leaders; those of many partitions may share a request."""

    def submit(self, item: AlterPartitionItem) -> None:
        """Queue *item*, and call its `completed` later, never before this returns.

        A partition has one item in flight.  When it gets another leader, or leader epoch, meanwhile, the outcome is
        ignored; a new leader may submit an item while that of the former one is in flight.
        """
