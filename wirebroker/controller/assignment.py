"""Where replicas go.  Pure: brokers and two starting points in, broker ids out.

Kafka's scheme: the first replicas walk round the brokers one by one, so that leaders are spread evenly; the second ones
start a distance further on, which grows by one with every round, so that a broker's partners differ.  With racks known
for all brokers, they are first put in an order that changes rack at every step, and a rack gets a second replica only
when all have one (KIP-36).
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
    """The replicas of each of *partition_count* partitions, preferred leader first.

    Args:
        racks: Live broker id -> its rack.
        partition_count: How many partitions to place.
        replication_factor: At most the number of brokers.
        start: Any number; chooses the broker that leads partition 0.
        shift: Any number; chooses how far the second replica starts from the first.
        first_partition: Number of the first partition to place, more than 0 when a topic grows.
    """
    brokers = _ordered(racks)
    known_racks = {broker: rack for broker, rack in racks.items() if rack is not None}
    rack_aware = len(known_racks) == len(racks)
    count = len(brokers)
    assert 0 < replication_factor <= count
    placed: list[tuple[int, ...]] = []
    for partition in range(first_partition, first_partition + partition_count):
        leader = (partition + start) % count
        distance = shift + partition // count
        candidates = [brokers[leader]]
        candidates += [brokers[_follower(leader, distance, step, count)] for step in range(count - 1)]
        if rack_aware:
            candidates = _racks_first(candidates, known_racks)
        placed.append(tuple(candidates[:replication_factor]))
    return placed


def _follower(leader: int, distance: int, step: int, count: int) -> int:
    """Position of the follower number *step*: never the leader's, all different for different steps."""
    return (leader + 1 + (distance + step) % (count - 1)) % count


def _ordered(racks: Mapping[int, str | None]) -> list[int]:
    """Broker ids, sorted, or taking turns between racks when every broker has one."""
    by_rack: dict[str | None, list[int]] = {}
    for broker in sorted(racks):
        by_rack.setdefault(racks[broker], []).append(broker)
    if None in by_rack:
        return sorted(racks)
    turns = zip_longest(*(by_rack[rack] for rack in sorted(by_rack, key=str)))
    return [broker for turn in turns for broker in turn if broker is not None]


def _racks_first(candidates: Sequence[int], racks: Mapping[int, str]) -> list[int]:
    """The same brokers, reordered so that each round of racks is complete before a rack comes again."""
    rounds: list[list[int]] = []
    seen: dict[str, int] = {}
    for broker in candidates:
        turn = seen.get(racks[broker], 0)
        seen[racks[broker]] = turn + 1
        if turn == len(rounds):
            rounds.append([])
        rounds[turn].append(broker)
    return [broker for turn in rounds for broker in turn]
