"""ReplicaRequests: elections and reassignments that clients ask of the active controller, each one an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from wirebroker.kafka_controller.reassignment import reassignments

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    from wirebroker.controller.administration import ElectionType
    from wirebroker.kafka_controller.context import ControllerContext
    from wirebroker.kafka_controller.partition_reassignments import PartitionReassignments
    from wirebroker.kafka_controller.replica_elections import ReplicaElections
    from wirebroker.model import TopicPartition
    from wirebroker.protocol.exceptions import ApiError
    from wirebroker.zookeeper.znodes.topics import ReplicaAssignment

T = TypeVar("T")


class RequestQueue(Protocol):
    """The events of the controller."""

    async def run_and_wait(self, name: str, run: Callable[[], Awaitable[T]]) -> T:
        """Return the result of an event; raises ApiError NOT_CONTROLLER, if this broker is not the controller."""


class ReplicaRequests:
    """Requests of clients; every method raises ApiError NOT_CONTROLLER at another broker.

    Args:
        events: The controller's queue.
        context: Partitions and their assignments.
        reassignments: Begins and cancels.
        elections: Elects.
    """

    def __init__(
        self,
        events: RequestQueue,
        context: ControllerContext,
        reassignments: PartitionReassignments,
        elections: ReplicaElections,
    ) -> None:
        self._events, self._context = events, context
        self._reassignments, self._elections = reassignments, elections

    async def elect_leaders(
        self, partitions: Collection[TopicPartition], election_type: ElectionType
    ) -> Mapping[TopicPartition, int | ApiError]:
        """Elect leaders of *partitions* that need it; return each one's new leader, or why it has none."""
        return await self._events.run_and_wait(
            "ReplicaLeaderElection", lambda: self._elections.elect(partitions, election_type)
        )

    async def alter_partition_reassignments(
        self, targets: Mapping[TopicPartition, Sequence[int] | None], *, allow_replication_factor_change: bool
    ) -> Mapping[TopicPartition, ApiError | None]:
        """Begin, replace and (with None) cancel reassignments; return the error of each, None if it has begun."""
        return await self._events.run_and_wait(
            "AlterPartitionReassignment",
            lambda: self._reassignments.alter(targets, allow_replication_factor_change=allow_replication_factor_change),
        )

    async def list_partition_reassignments(
        self, partitions: Collection[TopicPartition] | None
    ) -> Mapping[TopicPartition, ReplicaAssignment]:
        """Return those of *partitions*, None is all, that are being reassigned."""

        async def listed() -> Mapping[TopicPartition, ReplicaAssignment]:
            return reassignments(self._context, partitions)

        return await self._events.run_and_wait("ListPartitionReassignment", listed)
