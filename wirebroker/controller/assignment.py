"""Assignment of replicas to brokers; pure.

Kafka's scheme: first replicas are assigned round robin, so that leaders are spread evenly; second ones start a distance
further on, which grows by one with every round, so that the replicas of a broker's partitions are on different brokers.
If all brokers have racks, they are first ordered to change the rack at every step, and a rack gets a second replica
only when every rack has one (KIP-36).
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
        shift: Any number; chooses how far the second replica starts from the first.
        first_partition: Number of the first partition to assign, more than 0 for a topic that grows.
    """
    brokers = _ordered(racks)
    known_racks = {broker: rack for broker, rack in racks.items() if rack is not None}
    rack_aware = len(known_racks) == len(racks)
    count = len(brokers)
    assert 0 < replication_factor <= count
    assigned: list[tuple[int, ...]] = []
    for partition in range(first_partition, first_partition + partition_count):
        leader = (partition + start) % count
        distance = shift + partition // count
        candidates = [brokers[leader]]
        candidates += [brokers[_follower(leader, distance, step, count)] for step in range(count - 1)]
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
    """Return the brokers, reordered so that every rack comes once before a rack comes again."""
    rounds: list[list[int]] = []
    seen: dict[str, int] = {}
    for broker in candidates:
        turn = seen.get(racks[broker], 0)
        seen[racks[broker]] = turn + 1
        if turn == len(rounds):
            rounds.append([])
        rounds[turn].append(broker)
    return [broker for turn in rounds for broker in turn]
