"""Assigning replicas to brokers: spread over brokers and racks, and stable when a topic grows."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.controller.assignment import assign

NO_RACKS = dict.fromkeys(range(5), None)


def test_one_broker_leads_everything() -> None:
    assert assign({7: None}, 3, 1, start=12, shift=5) == [(7,), (7,), (7,)]


def test_leaders_go_round_and_followers_shift() -> None:
    # The example that Kafka's documentation of the scheme uses: five brokers, ten partitions, three replicas.
    assert assign(NO_RACKS, 10, 3) == [
        (0, 1, 2),
        (1, 2, 3),
        (2, 3, 4),
        (3, 4, 0),
        (4, 0, 1),
        (0, 2, 3),
        (1, 3, 4),
        (2, 4, 0),
        (3, 0, 1),
        (4, 1, 2),
    ]


def test_a_topic_grows_with_the_given_shift() -> None:
    """Not with that which the first partitions would have led to: Kafka counts the rounds of the new ones only."""
    assert assign(NO_RACKS, 5, 3, start=3, shift=1, first_partition=6) == [
        (4, 1, 2),
        (0, 2, 3),
        (1, 3, 4),
        (2, 4, 0),
        (3, 1, 2),  # partition 10 begins a round
    ]


def test_a_rack_of_many_brokers_gets_more_replicas_when_every_rack_has_one() -> None:
    """As AdminUtils of 3.9.1 with the same start: the rest is in the order of the round, whatever its racks."""
    racks: dict[int, str | None] = {0: "a", 1: "a", 2: "a", 3: "a", 4: "b", 5: "c"}
    assert assign(racks, 2, 5, start=1, shift=1) == [(4, 3, 5, 1, 2), (5, 0, 4, 1, 2)]


def test_racks_take_turns() -> None:
    racks: dict[int, str | None] = {0: "a", 1: "a", 2: "a", 3: "b", 4: "b", 5: "c"}
    for replicas in assign(racks, 12, 3):
        assert {racks[broker] for broker in replicas} == {"a", "b", "c"}
    assert [replicas[0] for replicas in assign(racks, 6, 1)] == [0, 3, 5, 1, 4, 2]


def test_one_unknown_rack_makes_all_unknown() -> None:
    racks: dict[int, str | None] = {0: "a", 1: "a", 2: None}
    assert assign(racks, 3, 2) == assign(dict.fromkeys(range(3), None), 3, 2)


def test_more_replicas_than_brokers_is_a_bug_of_the_caller() -> None:
    with pytest.raises(AssertionError):
        assign({0: None}, 1, 2)


@given(
    racks=st.dictionaries(st.integers(0, 30), st.none() | st.sampled_from("abc"), min_size=1, max_size=9),
    partition_count=st.integers(1, 40),
    start=st.integers(0, 100),
    shift=st.integers(0, 100),
    data=st.data(),
)
def test_assignments_of_any_cluster_are_valid(
    racks: dict[int, str | None], partition_count: int, start: int, shift: int, data: st.DataObject
) -> None:
    replication_factor = data.draw(st.integers(1, len(racks)))
    placed = assign(racks, partition_count, replication_factor, start=start, shift=shift)
    assert len(placed) == partition_count
    for replicas in placed:
        assert len(set(replicas)) == len(replicas) == replication_factor
        assert set(replicas) <= set(racks)
        known = {rack for rack in racks.values() if rack is not None}
        if None not in racks.values():
            assert len({racks[broker] for broker in replicas}) == min(replication_factor, len(known))
    leaders = Counter(replicas[0] for replicas in placed)
    assert max(leaders.values()) - min(leaders.get(broker, 0) for broker in racks) <= 1
