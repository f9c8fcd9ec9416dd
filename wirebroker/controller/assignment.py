"""Assignment of replicas to brokers, as Kafka's AdminUtils.assignReplicasToBrokers; pure.

First replicas are assigned round robin, so that leaders are spread evenly; second ones start a distance further on,
which grows by one with every round, so that the replicas of a broker's partitions are on different brokers.  If all
brokers have racks, they are first ordered to change the rack at every step, and a rack gets a second replica only when
every rack has one (KIP-36).
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def assign(
    racks: Mapping[int, str | None],
    partition_count: int,
    replication_factor: int,
    *,
    start: int = 0,
    shift: int = 0,
    first_partition: int = 0,
) -> list[tuple[int, ...]]:
    """Return the replicas of each of *partition_count* partitions, preferred leader first.

    Args:
        racks: Live broker id -> its rack.
        partition_count: The number of partitions to assign.
        replication_factor: At most the number of brokers.
        start: Any number; chooses the broker that leads partition 0.
        shift: Any number; chooses how far the second replica of the first partition starts from the first one.
        first_partition: Number of the first partition to assign, more than 0 for a topic that grows.
    """
    brokers = _ordered(racks)
    known_racks = {broker: rack for broker, rack in racks.items() if rack is not None}
    rack_aware = len(known_racks) == len(racks)
    count = len(brokers)
    assert 0 < replication_factor <= count
    stride = len(set(known_racks.values())) if rack_aware else 1
    assigned: list[tuple[int, ...]] = []
    for partition in range(first_partition, first_partition + partition_count):
        if partition > 0 and partition % count == 0:
            shift += 1
        leader = (partition + start) % count
        candidates = [brokers[leader]]
        candidates += [brokers[_follower(leader, shift * stride, step, count)] for step in range(count - 1)]
        if rack_aware:
            candidates = _racks_first(candidates, known_racks)
        assigned.append(tuple(candidates[:replication_factor]))
    return assigned


def _follower(leader: int, distance: int, step: int, count: int) -> int:
    """Return the position of follower number *step*: not the leader's, and another one for each step."""
    return (leader + 1 + (distance + step) % (count - 1)) % count


def _ordered(racks: Mapping[int, str | None]) -> list[int]:
    """Return the broker ids, sorted, or alternating between racks if every broker has one."""
    by_rack: dict[str | None, list[int]] = {}
    for broker in sorted(racks):
        by_rack.setdefault(racks[broker], []).append(broker)
    if None in by_rack:
        return sorted(racks)
    turns = zip_longest(*(by_rack[rack] for rack in sorted(by_rack, key=str)))
    return [broker for turn in turns for broker in turn if broker is not None]


def _racks_first(candidates: Sequence[int], racks: Mapping[int, str]) -> list[int]:
    """Return the brokers in the order in which they get replicas.

    Candidates are offered again and again from the first one on; a broker in a rack that has a replica is passed over
    until every rack has one.
    """
    rack_count = len({racks[broker] for broker in candidates})
    chosen = [candidates[0]]
    seen = {racks[candidates[0]]}
    step, followers = 0, candidates[1:]
    while len(chosen) < len(candidates):
        broker = followers[step % len(followers)]
        step += 1
        if broker not in chosen and (racks[broker] not in seen or len(seen) == rack_count):
            chosen.append(broker)
            seen.add(racks[broker])
    return chosen
