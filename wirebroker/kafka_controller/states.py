"""PartitionState and ReplicaState: the states of Kafka's state machines, and from which each may be entered."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


class PartitionState(Enum):
    """The state of a partition, for the active controller."""

    NEW = "NewPartition"
    """Has an assignment; no leader was ever elected."""
    ONLINE = "OnlinePartition"
    """Has a leader."""
    OFFLINE = "OfflinePartition"
    """Its leader is gone, and no other was elected."""
    NON_EXISTENT = "NonExistentPartition"
    """Was never created, or was deleted."""


class ReplicaState(Enum):
    """The state of one replica of a partition, for the active controller."""

    NEW = "NewReplica"
    """Just created, by a topic's creation or a reassignment; gets become-follower requests only."""
    ONLINE = "OnlineReplica"
    """Its broker is alive."""
    OFFLINE = "OfflineReplica"
    """Its broker or its log directory is down."""
    DELETION_STARTED = "ReplicaDeletionStarted"
    """StopReplica with delete was sent."""
    DELETION_SUCCESSFUL = "ReplicaDeletionSuccessful"
    """The broker has answered StopReplica without an error."""
    DELETION_INELIGIBLE = "ReplicaDeletionIneligible"
    """The deletion cannot be tried now."""
    NON_EXISTENT = "NonExistentReplica"
    """Was never created, or was deleted successfully."""


VALID_PREVIOUS_PARTITION_STATES: Final[Mapping[PartitionState, frozenset[PartitionState]]] = {
    PartitionState.NEW: frozenset({PartitionState.NON_EXISTENT}),
    PartitionState.ONLINE: frozenset({PartitionState.NEW, PartitionState.ONLINE, PartitionState.OFFLINE}),
    PartitionState.OFFLINE: frozenset({PartitionState.NEW, PartitionState.ONLINE, PartitionState.OFFLINE}),
    PartitionState.NON_EXISTENT: frozenset({PartitionState.OFFLINE}),
}
"""State -> the states from which it may be entered."""

VALID_PREVIOUS_REPLICA_STATES: Final[Mapping[ReplicaState, frozenset[ReplicaState]]] = {
    ReplicaState.NEW: frozenset({ReplicaState.NON_EXISTENT}),
    ReplicaState.ONLINE: frozenset(
        {ReplicaState.NEW, ReplicaState.ONLINE, ReplicaState.OFFLINE, ReplicaState.DELETION_INELIGIBLE}
    ),
    ReplicaState.OFFLINE: frozenset(
        {ReplicaState.NEW, ReplicaState.ONLINE, ReplicaState.OFFLINE, ReplicaState.DELETION_INELIGIBLE}
    ),
    ReplicaState.DELETION_STARTED: frozenset({ReplicaState.OFFLINE}),
    ReplicaState.DELETION_SUCCESSFUL: frozenset({ReplicaState.DELETION_STARTED}),
    ReplicaState.DELETION_INELIGIBLE: frozenset({ReplicaState.OFFLINE, ReplicaState.DELETION_STARTED}),
    ReplicaState.NON_EXISTENT: frozenset({ReplicaState.DELETION_SUCCESSFUL}),
}
"""State -> the states from which it may be entered."""
