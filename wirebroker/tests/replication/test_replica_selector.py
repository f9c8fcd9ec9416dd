"""Fetch from the nearest replica (KIP-392): the choice of a replica, and whether followers are up to it."""

from __future__ import annotations

import pytest

from wirebroker.metadata.image import BrokerImage
from wirebroker.model import LeaderAndIsr
from wirebroker.replication.leader_state import LeaderState
from wirebroker.replication.replica_selector import NO_REPLICA, ReplicaView, preferred_read_replica, select_in_rack

LEADER = ReplicaView(1, "a", 100, 0.0)
BEHIND = ReplicaView(2, "b", 90, 0.5)
EQUAL = ReplicaView(3, "b", 100, 0.5)
LATER = ReplicaView(4, "b", 100, 0.1)
ELSEWHERE = ReplicaView(5, "c", 100, 0.0)

CHOICES = [
    ("a", [BEHIND, EQUAL], LEADER),
    ("", [BEHIND, EQUAL], LEADER),
    ("d", [BEHIND, EQUAL, ELSEWHERE], LEADER),
    ("b", [BEHIND], BEHIND),
    ("b", [BEHIND, EQUAL], EQUAL),
    ("b", [LATER, EQUAL, BEHIND], LATER),
    ("b", [EQUAL._replace(broker_id=9), EQUAL], EQUAL._replace(broker_id=9)),
    ("c", [BEHIND, ELSEWHERE], ELSEWHERE),
    ("b", [], LEADER),
]


@pytest.mark.parametrize(("rack", "followers", "chosen"), CHOICES)
def test_the_replica_for_a_rack(rack: str, followers: list[ReplicaView], chosen: ReplicaView) -> None:
    assert select_in_rack(rack, LEADER, followers) == chosen


def leading(isr: tuple[int, ...]) -> LeaderState:
    """Broker 1, with followers 2 and 3 that have the offsets 10 to 50."""
    state = LeaderAndIsr(1, 0, isr, 0, (1, 2, 3))
    leader = LeaderState(state, 0, 0.0)
    leader.update(state)
    for replica in leader.remote_replicas.values():
        replica.update_fetch_state(50, 10, 1.0, 50)
    return leader


@pytest.mark.parametrize(
    ("rack", "isr", "offset", "chosen"),
    [
        ("b", (1, 2, 3), 20, 3),
        ("b", (1, 2), 20, 2),
        ("b", (1,), 20, NO_REPLICA),
        ("b", (1, 2, 3), 9, NO_REPLICA),
        ("b", (1, 2, 3), 10, 3),
        ("b", (1, 2, 3), 50, 3),
        ("b", (1, 2, 3), 51, NO_REPLICA),
        ("a", (1, 2, 3), 20, NO_REPLICA),
        ("c", (1, 2, 3), 20, NO_REPLICA),
    ],
)
def test_only_in_sync_followers_with_the_record_count(
    rack: str, isr: tuple[int, ...], offset: int, chosen: int
) -> None:
    brokers = {1: BrokerImage(1, 0, (), "a"), 2: BrokerImage(2, 0, (), "b"), 3: BrokerImage(3, 0, (), "b")}
    assert preferred_read_replica(rack, leading(isr), brokers, offset, 5.0) == chosen


def test_a_follower_that_is_not_alive_does_not_count() -> None:
    brokers = {1: BrokerImage(1, 0, (), "a"), 2: BrokerImage(2, 0, (), "b")}
    assert preferred_read_replica("b", leading((1, 2, 3)), brokers, 20, 5.0) == 2
