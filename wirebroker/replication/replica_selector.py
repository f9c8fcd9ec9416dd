"""Fetch from the nearest replica (KIP-392): which replica a leader tells a consumer to read from, as pure rules.

A consumer names its rack (`client.rack`).  With `replica.selector.class` RackAwareReplicaSelector the leader answers
with an in-sync replica of that rack, and no records, and the consumer goes on there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wirebroker.metadata.image import BrokerImage
    from wirebroker.replication.leader_state import LeaderState

NO_REPLICA: Final = -1


class ReplicaView(NamedTuple):
    """A replica that a consumer may read from."""

    broker_id: int
    rack: str | None
    log_end_offset: int
    since_caught_up_s: float
    """Seconds since it had all records of the leader."""


def select_in_rack(rack: str, leader: ReplicaView, followers: Iterable[ReplicaView]) -> ReplicaView:
    """Return the replica for a consumer in *rack*: the leader, unless only followers are there.

    Of several followers the one with the most records, and then the one that was caught up last.
    """
    if not rack or leader.rack == rack:
        return leader
    near = [each for each in followers if each.rack == rack]
    return max(near, key=_preference, default=leader)


def _preference(view: ReplicaView) -> tuple[int, float, int]:
    return view.log_end_offset, -view.since_caught_up_s, view.broker_id


def preferred_read_replica(
    rack: str, leader: LeaderState, brokers: Mapping[int, BrokerImage], fetch_offset: int, now_s: float
) -> int:
    """Return the id of the follower that a consumer in *rack* should read from, NO_REPLICA for the leader itself.

    Only live followers in the ISR that have the record at *fetch_offset*, or end there, count.
    """
    state = leader.partition_state
    own = brokers.get(state.committed.leader)
    if own is not None and own.rack == rack:
        return NO_REPLICA
    views: list[ReplicaView] = []
    for broker_id, replica in leader.remote_replicas.items():
        broker = brokers.get(broker_id)
        has_record = replica.log_start_offset <= fetch_offset <= replica.log_end_offset
        if broker is not None and broker_id in state.isr and has_record:
            since_s = now_s - replica.last_caught_up_s
            views.append(ReplicaView(broker_id, broker.rack, replica.log_end_offset, since_s))
    leading = ReplicaView(NO_REPLICA, None if own is None else own.rack, 0, 0.0)
    return select_in_rack(rack, leading, views).broker_id
