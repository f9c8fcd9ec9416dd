"""Rules of partition reassignments, without I/O: what Kafka's ReplicaAssignment and its validation say.

A reassignment has replicas of both sides at once, those of the target first, until it is done.  With the original
replicas 1,2,3 and the target 4,5,6:

    REPLICAS     ADDING  REMOVING  LEADER  ISR
    1,2,3                          1       1,2,3           before
    4,5,6,1,2,3  4,5,6   1,2,3     1       1,2,3           U1, U2, A1, A2: the new replicas copy
    4,5,6,1,2,3  4,5,6   1,2,3     1       1,2,3,4,5,6     all of the target are in sync: phase B
    4,5,6,1,2,3  4,5,6   1,2,3     4       1,2,3,4,5,6     B3: a leader of the target
    4,5,6,1,2,3  4,5,6   1,2,3     4       4,5,6           B4: the removed ones leave the ISR, and are deleted (B5)
    4,5,6                          4       4,5,6           B6: done

ZooKeeper has each step before memory and brokers have it, and the target alone only at the end, so any controller of
either kind goes on from what it reads.  Where replicas are only added, the union may be the target itself; controllers
before 2.4 compare nothing else, so below protocol 2.4 ZooKeeper has the union in another order (`unlike_target`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.kafka_controller.election import target_replicas
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.zookeeper.znodes.topics import ReplicaAssignment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wirebroker.kafka_controller.context import ControllerContext
    from wirebroker.model import TopicPartition


def is_being_reassigned(assignment: ReplicaAssignment) -> bool:
    """Return whether replicas are being added or removed."""
    return bool(assignment.adding_replicas or assignment.removing_replicas)


def origin_replicas(assignment: ReplicaAssignment) -> tuple[int, ...]:
    """Return the replicas before the reassignment, in the order that is left of them."""
    return tuple(each for each in assignment.replicas if each not in assignment.adding_replicas)


def reassign_to(assignment: ReplicaAssignment, target: Sequence[int]) -> ReplicaAssignment:
    """Return the assignment while replicas move to *target*; one under way is replaced, and keeps its origin."""
    origin = origin_replicas(assignment)
    replicas = tuple(dict.fromkeys((*target, *origin)))
    return ReplicaAssignment(
        replicas,
        tuple(each for each in replicas if each not in origin),
        tuple(each for each in replicas if each not in target),
    )


def build_reassignment(assignment: ReplicaAssignment, target: Sequence[int] | None) -> ReplicaAssignment:
    """Return the assignment while replicas move to *target*, with None back to the original ones.

    Raises:
        ApiError: NO_REASSIGNMENT_IN_PROGRESS; there is none to cancel.
    """
    if target is None:
        if not is_being_reassigned(assignment):
            raise ApiError(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS)
        target = origin_replicas(assignment)
    return reassign_to(assignment, target)


def unlike_target(assignment: ReplicaAssignment) -> ReplicaAssignment:
    """Return the assignment, its replicas in another order if a reassignment goes on and they equal the target.

    A controller before 2.4 reads no adding replicas: it takes a partition whose replicas are those that
    /admin/reassign_partitions asks for as moved, and drops the request.
    """
    target = target_replicas(assignment)
    if not is_being_reassigned(assignment) or assignment.replicas != target:
        return assignment
    origin, adding = origin_replicas(assignment), assignment.adding_replicas
    return assignment._replace(
        replicas=next((each for each in (origin + adding, adding + origin) if each != target), target)
    )


def is_reassignment_complete(assignment: ReplicaAssignment, isr: Iterable[int]) -> bool:
    """Return whether every replica of the target is in sync, or nothing is added or removed."""
    return not is_being_reassigned(assignment) or set(target_replicas(assignment)) <= set(isr)


def check_target(
    context: ControllerContext,
    partition: TopicPartition,
    target: Sequence[int],
    *,
    allow_replication_factor_change: bool = True,
) -> None:
    """Check the replicas that a client asks for.

    Raises:
        ApiError: INVALID_REPLICA_ASSIGNMENT, INVALID_REPLICATION_FACTOR.
    """
    if not target:
        raise _invalid("Empty replica list specified in partition reassignment.")
    if len(target) != len(set(target)):
        raise _invalid(f"Duplicate replica ids in partition reassignment replica list: {_ids(target)}")
    if min(target) < 0:
        raise _invalid(f"Invalid broker id in replica list: {_ids(target)}")
    assignment = context.replica_assignment(partition)
    adding = reassign_to(assignment, target).adding_replicas
    if not set(adding) <= context.live_broker_ids():
        raise _invalid(
            "Replica assignment has brokers that are not alive. "
            f"Replica list: {_ids(adding)}, live broker list: {_ids(sorted(context.live_broker_ids()))}"
        )
    before = len(origin_replicas(assignment))
    if not allow_replication_factor_change and before and len(target) != before:
        raise ApiError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"The replication factor is {before}, the replica list has {len(target)} replicas, "
            "and the request does not allow a change.",
        )


def reassignments(
    context: ControllerContext, partitions: Iterable[TopicPartition] | None
) -> Mapping[TopicPartition, ReplicaAssignment]:
    """Return those of *partitions*, None is all, that are being reassigned, with their assignments."""
    wanted = context.partitions_being_reassigned if partitions is None else partitions
    found = ((partition, context.replica_assignment(partition)) for partition in wanted)
    return {partition: assignment for partition, assignment in found if is_being_reassigned(assignment)}


def _invalid(detail: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, detail)


def _ids(replicas: Iterable[int]) -> str:
    return ",".join(map(str, replicas))
