"""Election of leaders: the rules of Kafka's Election and PartitionLeaderElectionAlgorithms, without I/O.

Each rule takes partitions with their present states and the context, and returns an ElectionResult per partition: the
new leader and ISR with an incremented leader epoch, and the replicas that have to be told.  An election writes nothing.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence, Set

    from wirebroker.kafka_controller.context import ControllerContext
    from wirebroker.model import TopicPartition
    from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch, ReplicaAssignment


class ElectionStrategy(Enum):
    """The reason for an election, which decides its rule."""

    OFFLINE = "OfflinePartitionLeaderElectionStrategy"
    """The leader is gone; a replica that is not in sync becomes leader only where the topic allows that."""
    UNCLEAN = "OfflinePartitionLeaderElectionStrategy(true)"
    """As OFFLINE, with replicas that are not in sync whatever the topic's settings: ElectLeaders asks for it."""
    REASSIGN = "ReassignPartitionLeaderElectionStrategy"
    """The leader is none of the replicas that a reassignment aims at."""
    PREFERRED = "PreferredReplicaPartitionLeaderElectionStrategy"
    """The first replica is to lead."""
    CONTROLLED_SHUTDOWN = "ControlledShutdownPartitionLeaderElectionStrategy"
    """The leader's broker is about to stop."""


class ElectionResult(NamedTuple):
    """The outcome of an election."""

    leader_and_isr: LeaderIsrAndControllerEpoch | None
    """To be written; None if no replica may lead."""
    live_replicas: tuple[int, ...]
    """The brokers to send LeaderAndIsr to."""


def offline_leader(
    assignment: Sequence[int], isr: Container[int], live: Container[int], *, is_unclean_allowed: bool
) -> int | None:
    """Return the first replica that is live and in sync; else, if that is allowed, the first that is live."""
    clean = _first_live_in_sync(assignment, isr, live)
    if clean is None and is_unclean_allowed:
        return next((each for each in assignment if each in live), None)
    return clean


def reassignment_leader(target: Sequence[int], isr: Container[int], live: Container[int]) -> int | None:
    """Return the first replica of the new assignment that is live and in sync."""
    return _first_live_in_sync(target, isr, live)


def preferred_leader(assignment: Sequence[int], isr: Container[int], live: Container[int]) -> int | None:
    """Return the first replica, if it is live and in sync."""
    return _first_live_in_sync(assignment[:1], isr, live)


def controlled_shutdown_leader(
    assignment: Sequence[int], isr: Container[int], live: Container[int], shutting_down: Set[int]
) -> int | None:
    """Return the first replica that is live, in sync and not on a broker that is shutting down."""
    return _first_live_in_sync([each for each in assignment if each not in shutting_down], isr, live)


def _first_live_in_sync(replicas: Sequence[int], isr: Container[int], live: Container[int]) -> int | None:
    return next((each for each in replicas if each in live and each in isr), None)


def has_live_in_sync_replica(
    context: ControllerContext, partition: TopicPartition, state: LeaderIsrAndControllerEpoch
) -> bool:
    """Return whether a replica of the ISR is online."""
    return any(context.is_replica_online(each, partition) for each in state.isr)


def elect(
    context: ControllerContext,
    partition: TopicPartition,
    state: LeaderIsrAndControllerEpoch,
    strategy: ElectionStrategy,
    *,
    is_unclean_allowed: bool = False,
    is_leader_recovery_supported: bool = False,
) -> ElectionResult:
    """Return the leader and ISR that *strategy* chooses for a partition.

    Args:
        context: Assignments and live brokers; its epoch becomes the controller epoch of the result.
        partition: The partition.
        state: The content of its state znode.
        strategy: The reason for the election.
        is_unclean_allowed: Whether the topic allows a leader out of sync; only for OFFLINE.
        is_leader_recovery_supported: Whether brokers know of recovering leaders: protocol 3.2 or later (KIP-704).
    """
    if strategy in (ElectionStrategy.OFFLINE, ElectionStrategy.UNCLEAN):
        is_unclean_allowed = is_unclean_allowed or strategy is ElectionStrategy.UNCLEAN
        return _elect_offline(context, partition, state, is_unclean_allowed, is_leader_recovery_supported)
    return _RULES[strategy](context, partition, state)


def _elect_offline(
    context: ControllerContext,
    partition: TopicPartition,
    state: LeaderIsrAndControllerEpoch,
    is_unclean_allowed: bool,
    is_leader_recovery_supported: bool,
) -> ElectionResult:
    assignment = context.replica_assignment(partition).replicas
    live = _online(context, partition, assignment)
    leader = offline_leader(assignment, state.isr, live, is_unclean_allowed=is_unclean_allowed)
    if leader is None:
        return ElectionResult(None, live)
    if leader in state.isr:
        return ElectionResult(_new_leader(context, state, leader, _online(context, partition, state.isr)), live)
    elected = _new_leader(context, state, leader, (leader,))
    return ElectionResult(elected._replace(is_recovering=is_leader_recovery_supported or state.is_recovering), live)


def _elect_for_reassignment(
    context: ControllerContext, partition: TopicPartition, state: LeaderIsrAndControllerEpoch
) -> ElectionResult:
    target = target_replicas(context.replica_assignment(partition))
    leader = reassignment_leader(target, state.isr, _online(context, partition, target))
    return _unless_none(context, state, leader, state.isr, target)


def _elect_preferred(
    context: ControllerContext, partition: TopicPartition, state: LeaderIsrAndControllerEpoch
) -> ElectionResult:
    assignment = context.replica_assignment(partition).replicas
    leader = preferred_leader(assignment, state.isr, _online(context, partition, assignment))
    return _unless_none(context, state, leader, state.isr, assignment)


def _elect_for_controlled_shutdown(
    context: ControllerContext, partition: TopicPartition, state: LeaderIsrAndControllerEpoch
) -> ElectionResult:
    assignment = context.replica_assignment(partition).replicas
    shutting_down = context.shutting_down_broker_ids
    live = tuple(each for each in assignment if context.is_replica_online(each, partition, include_shutting_down=True))
    leader = controlled_shutdown_leader(assignment, state.isr, live, shutting_down)
    isr = tuple(each for each in state.isr if each not in shutting_down)
    return _unless_none(context, state, leader, isr, live)


_RULES: Final[
    dict[
        ElectionStrategy,
        Callable[[ControllerContext, TopicPartition, LeaderIsrAndControllerEpoch], ElectionResult],
    ]
] = {
    ElectionStrategy.REASSIGN: _elect_for_reassignment,
    ElectionStrategy.PREFERRED: _elect_preferred,
    ElectionStrategy.CONTROLLED_SHUTDOWN: _elect_for_controlled_shutdown,
}


def target_replicas(assignment: ReplicaAssignment) -> tuple[int, ...]:
    """Return the replicas that remain when the reassignment is done; Kafka's targetReplicas."""
    return tuple(each for each in assignment.replicas if each not in assignment.removing_replicas)


def _online(context: ControllerContext, partition: TopicPartition, replicas: Sequence[int]) -> tuple[int, ...]:
    return tuple(each for each in replicas if context.is_replica_online(each, partition))


def _unless_none(
    context: ControllerContext,
    state: LeaderIsrAndControllerEpoch,
    leader: int | None,
    isr: tuple[int, ...],
    recipients: tuple[int, ...],
) -> ElectionResult:
    elected = None if leader is None else _new_leader(context, state, leader, isr)
    return ElectionResult(elected, recipients)


def _new_leader(
    context: ControllerContext, state: LeaderIsrAndControllerEpoch, leader: int, isr: tuple[int, ...]
) -> LeaderIsrAndControllerEpoch:
    """Return *state* with another leader and ISR; Kafka's newLeaderAndIsr."""
    return state._replace(leader=leader, leader_epoch=state.leader_epoch + 1, isr=isr, controller_epoch=context.epoch)
