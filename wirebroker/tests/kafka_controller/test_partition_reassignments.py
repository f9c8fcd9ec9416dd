"""Reassignments: the table of states, cancellation, both ways to ask, and another controller after each write."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import trio

from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.kafka_controller.machines import (
    PARTITION,
    TOPIC,
    TOPIC_ID,
    ActiveController,
    assignment_of,
    controller,
    join_isr,
    put_topic,
    state_of,
)
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.zookeeper.znodes.admin import REASSIGN_PARTITIONS_PATH, decode_reassignment, encode_reassignment
from wirebroker.zookeeper.znodes.topics import ReplicaAssignment, TopicAssignment, topic_path

if TYPE_CHECKING:
    from collections.abc import Sequence

OTHER = TopicPartition(TOPIC, 1)


def three(zookeeper: FakeZooKeeper) -> None:
    """A partition on brokers 1, 2 and 3, and one beside it."""
    put_topic(zookeeper, ((1, 2, 3), 1, (1, 2, 3)), ((1, 2, 3), 1, (1, 2, 3)))


def row(zookeeper: FakeZooKeeper) -> tuple[str, str, str, int, str]:
    """Replicas, adding, removing, leader and ISR in ZooKeeper, as in the table of `reassignment.py`."""
    replicas, adding, removing = (",".join(map(str, each)) for each in assignment_of(zookeeper))
    state = state_of(zookeeper)
    return replicas, adding, removing, state.leader, ",".join(map(str, sorted(state.isr)))


def follow(zookeeper: FakeZooKeeper) -> list[tuple[str, str, str, int, str]]:
    """The different rows that ZooKeeper has from now on, in order; the list grows."""
    rows = [row(zookeeper)]
    apply = zookeeper.apply

    def look(*args: object, **options: object) -> object:
        result = apply(*args, **options)  # type: ignore[arg-type]
        if zookeeper.clients and row(zookeeper) != rows[-1]:  # a multi is tried first, without clients
            rows.append(row(zookeeper))
        return result

    zookeeper.apply = look  # type: ignore[method-assign, assignment]
    return rows


async def test_the_table_of_states() -> None:
    zookeeper = FakeZooKeeper()
    three(zookeeper)
    async with controller(zookeeper) as this:
        rows = follow(zookeeper)
        assert await this.reassignments.alter({PARTITION: (4, 5, 6)}) == {PARTITION: None}
        for broker_id in (4, 5, 6):
            join_isr(zookeeper, broker_id)
            await this.see_isrs()
        moving = ("4,5,6,1,2,3", "4,5,6", "1,2,3")
        assert [each for each in rows if each[4] not in ("1,2,3,4", "1,2,3,4,5")] == [
            ("1,2,3", "", "", 1, "1,2,3"),
            (*moving, 1, "1,2,3"),
            (*moving, 1, "1,2,3,4,5,6"),
            (*moving, 4, "1,2,3,4,5,6"),
            (*moving, 4, "2,3,4,5,6"),
            (*moving, 4, "3,4,5,6"),
            (*moving, 4, "4,5,6"),
            ("4,5,6", "", "", 4, "4,5,6"),
        ]
        assert assignment_of(zookeeper, OTHER) == ReplicaAssignment((1, 2, 3))
        assert this.context.replica_assignment(PARTITION) == ReplicaAssignment((4, 5, 6))
        assert not this.context.partitions_being_reassigned
        deleted = {each.broker_id for each in this.brokers.named("StopReplica") if deletes(each.request)}
        assert deleted == {1, 2, 3}
        assert this.deletion.calls[-1] == ("resume", {TOPIC})


def deletes(request: object) -> bool:
    """Whether a StopReplica asks for the deletion of the partition."""
    states = [state for topic in request.topic_states for state in topic.partition_states]  # type: ignore[attr-defined]
    return any(state.delete_partition for state in states)


async def test_new_replicas_are_told_first_and_that_they_are_new() -> None:
    zookeeper = FakeZooKeeper()
    three(zookeeper)
    async with controller(zookeeper) as this:
        await this.reassignments.alter({PARTITION: (1, 4)})
        told: dict[int, tuple[bool, int, list[int], list[int]]] = {}
        for each in this.brokers.named("LeaderAndIsr"):
            (topic,) = each.request.topic_states
            (state,) = topic.partition_states
            told.setdefault(each.broker_id, (state.is_new, state.leader_epoch, state.replicas, state.adding_replicas))
        assert told == {
            1: (False, 1, [1, 4, 2, 3], [4]),
            2: (False, 1, [1, 4, 2, 3], [4]),
            3: (False, 1, [1, 4, 2, 3], [4]),
            4: (True, 1, [1, 4, 2, 3], [4]),
        }


@pytest.mark.parametrize(
    ("target", "caught_up", "leader"),
    [((1, 2, 3, 4), (4,), 1), ((2,), (), 2), ((3, 2, 1), (), 1), ((1,), (), 1), ((6,), (6,), 6)],
)
async def test_other_numbers_and_orders_of_replicas(
    target: tuple[int, ...], caught_up: Sequence[int], leader: int
) -> None:
    zookeeper = FakeZooKeeper()
    three(zookeeper)
    async with controller(zookeeper) as this:
        assert await this.reassignments.alter({PARTITION: target}) == {PARTITION: None}
        join_isr(zookeeper, *caught_up)
        await this.see_isrs()
        assert assignment_of(zookeeper) == ReplicaAssignment(target)
        assert (state_of(zookeeper).leader, set(state_of(zookeeper).isr)) == (leader, set(target))


async def test_cancellation_goes_back_and_stops_the_new_replicas() -> None:
    zookeeper = FakeZooKeeper()
    three(zookeeper)
    async with controller(zookeeper) as this:
        await this.reassignments.alter({PARTITION: (4, 5, 6)})
        join_isr(zookeeper, 4)
        await this.see_isrs()
        assert await this.reassignments.alter({PARTITION: None}) == {PARTITION: None}
        assert assignment_of(zookeeper) == ReplicaAssignment((1, 2, 3))
        assert set(state_of(zookeeper).isr) == {1, 2, 3}
        deleted = {each.broker_id for each in this.brokers.named("StopReplica") if deletes(each.request)}
        assert deleted == {4, 5, 6}
        error = (await this.reassignments.alter({PARTITION: None}))[PARTITION]
        assert error is not None
        assert error.code == ErrorCode.NO_REASSIGNMENT_IN_PROGRESS


async def test_a_replaced_reassignment_keeps_its_origin() -> None:
    zookeeper = FakeZooKeeper()
    three(zookeeper)
    async with controller(zookeeper) as this:
        await this.reassignments.alter({PARTITION: (4, 5, 6)})
        await this.reassignments.alter({PARTITION: (1, 2, 5)})
        assert assignment_of(zookeeper) == ReplicaAssignment((1, 2, 5, 3), (5,), (3,))
        join_isr(zookeeper, 5)
        await this.see_isrs()
        assert assignment_of(zookeeper) == ReplicaAssignment((1, 2, 5))


@pytest.mark.parametrize(
    ("partition", "target", "code"),
    [
        (PARTITION, (), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (PARTITION, (1, 1), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (PARTITION, (-1,), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (PARTITION, (1, 6), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (TopicPartition(TOPIC, 7), (1,), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (TopicPartition("gone", 0), (1,), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (TopicPartition("gone", 0), None, ErrorCode.NO_REASSIGNMENT_IN_PROGRESS),
    ],
)
async def test_refused_requests(partition: TopicPartition, target: tuple[int, ...] | None, code: ErrorCode) -> None:
    zookeeper = FakeZooKeeper()
    three(zookeeper)
    async with controller(zookeeper, live=(1, 2, 3, 4, 5)) as this:
        error = (await this.reassignments.alter({partition: target}))[partition]
        assert error is not None
        assert error.code == code
        assert not this.context.partitions_being_reassigned


async def test_another_number_of_replicas_may_be_refused() -> None:
    zookeeper = FakeZooKeeper()
    three(zookeeper)
    async with controller(zookeeper) as this:
        result = await this.reassignments.alter({PARTITION: (4, 5)}, allow_replication_factor_change=False)
        error = result[PARTITION]
        assert error is not None
        assert error.code == ErrorCode.INVALID_REPLICATION_FACTOR
        result = await this.reassignments.alter({PARTITION: (4, 5, 6)}, allow_replication_factor_change=False)
        assert result == {PARTITION: None}


async def test_requests_in_zookeeper_are_taken_out_when_they_are_done() -> None:
    zookeeper = FakeZooKeeper()
    three(zookeeper)
    async with controller(zookeeper) as this:
        asked = {PARTITION: (4, 5), OTHER: (1, 6), TopicPartition("gone", 0): (1,)}
        zookeeper.put(REASSIGN_PARTITIONS_PATH, encode_reassignment(asked))
        assert await this.reassignments.process_zk() == {PARTITION, OTHER}
        assert decode_reassignment(zookeeper.read(REASSIGN_PARTITIONS_PATH)) == {PARTITION: (4, 5), OTHER: (1, 6)}
        join_isr(zookeeper, 6, partition=OTHER)
        await this.see_isrs([OTHER])
        assert decode_reassignment(zookeeper.read(REASSIGN_PARTITIONS_PATH)) == {PARTITION: (4, 5)}
        await this.reassignments.alter({PARTITION: (1, 2)})  # the API replaces it
        assert REASSIGN_PARTITIONS_PATH not in zookeeper.nodes
        assert assignment_of(zookeeper) == ReplicaAssignment((1, 2))


async def test_below_protocol_2_4_requests_of_the_api_are_in_zookeeper_too() -> None:
    zookeeper = FakeZooKeeper()
    three(zookeeper)
    async with controller(zookeeper, is_mirrored=True) as this:
        await this.reassignments.alter({PARTITION: (4, 5)})
        assert decode_reassignment(zookeeper.read(REASSIGN_PARTITIONS_PATH)) == {PARTITION: (4, 5)}
        join_isr(zookeeper, 4, 5)
        await this.see_isrs()
        assert REASSIGN_PARTITIONS_PATH not in zookeeper.nodes
        assert assignment_of(zookeeper) == ReplicaAssignment((4, 5))


async def test_a_broker_of_the_target_that_starts_is_told() -> None:
    zookeeper = FakeZooKeeper()
    three(zookeeper)
    async with controller(zookeeper) as this:
        await this.reassignments.alter({PARTITION: (4, 5, 6)})
        this.brokers.sent.clear()
        await this.reassignments.brokers_started([2])
        assert not this.brokers.sent
        await this.reassignments.brokers_started([5])
        assert 5 in {each.broker_id for each in this.brokers.named("LeaderAndIsr")}


async def finish(zookeeper: FakeZooKeeper, *replicas: int, is_mirrored: bool) -> None:
    """Have another controller take over, and let *replicas* catch up."""
    async with controller(zookeeper, is_mirrored=is_mirrored) as this:
        await this.reassignments.resume_all()
        join_isr(zookeeper, *(set(replicas) & set(assignment_of(zookeeper).replicas)))
        await this.see_isrs()
        assert not this.context.partitions_being_reassigned


async def run_until_death(this: ActiveController, zookeeper: FakeZooKeeper, target: Sequence[int]) -> bool:
    """Move the partition to *target*; return whether the controller has died meanwhile."""
    async with trio.open_nursery() as nursery:

        async def end_with_client() -> None:
            await this.client.died.wait()
            nursery.cancel_scope.cancel()

        nursery.start_soon(end_with_client)
        await this.reassignments.alter({PARTITION: target})
        join_isr(zookeeper, *target)
        await this.see_isrs()
        nursery.cancel_scope.cancel()
    return this.client.died.is_set()


TARGETS = [(4, 5), (1, 2, 3, 4), (4, 1, 2, 3), (3, 4, 2, 1), (2, 3)]
"""Replicas added and removed, only added at either end and in between, only removed; from 1, 2 and 3."""


@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize("is_mirrored", [False, True], ids=["from 2.4", "below 2.4"])
async def test_another_controller_goes_on_after_every_write(is_mirrored: bool, target: tuple[int, ...]) -> None:
    """The request is written before anything else, so the partition always moves."""
    writes = 0
    while True:
        writes += 1
        zookeeper = FakeZooKeeper()
        three(zookeeper)
        async with controller(zookeeper, is_mirrored=is_mirrored, dies_after_writes=writes) as this:
            has_died = await run_until_death(this, zookeeper, target)
        await finish(zookeeper, *target, is_mirrored=is_mirrored)
        assert assignment_of(zookeeper) == ReplicaAssignment(target), writes
        state = state_of(zookeeper)
        assert (state.leader, set(state.isr)) == (1 if 1 in target else target[0], set(target)), writes
        assert REASSIGN_PARTITIONS_PATH not in zookeeper.nodes
        assert assignment_of(zookeeper, OTHER) == ReplicaAssignment((1, 2, 3))
        if not has_died:
            break
    assert writes > 4


def finish_as_2_0_1(zookeeper: FakeZooKeeper, target: Sequence[int]) -> None:
    """Do with /admin/reassign_partitions what a controller of Apache Kafka 2.0.1 does when it has been elected.

    It reads the replicas of a topic and writes them as JSON version 1; a partition that has the replicas asked for is
    not looked at.
    """
    asked = decode_reassignment(zookeeper.read(REASSIGN_PARTITIONS_PATH))
    replicas = assignment_of(zookeeper).replicas
    if replicas != asked[PARTITION]:
        if not set(target) <= set(state_of(zookeeper).isr):
            replicas = tuple(dict.fromkeys((*asked[PARTITION], *replicas)))
            write_as_2_0_1(zookeeper, replicas)
            join_isr(zookeeper, *set(target) & set(replicas))
        write_as_2_0_1(zookeeper, asked[PARTITION])
    zookeeper.remove(REASSIGN_PARTITIONS_PATH)


def write_as_2_0_1(zookeeper: FakeZooKeeper, replicas: Sequence[int]) -> None:
    """Replace the assignment of the partition."""
    partitions = {"0": list(replicas), "1": list(assignment_of(zookeeper, OTHER).replicas)}
    zookeeper.put(topic_path(TOPIC), json.dumps({"version": 1, "partitions": partitions}).encode())


@pytest.mark.parametrize("target", TARGETS, ids=str)
async def test_a_controller_of_2_0_1_goes_on_after_every_write(target: tuple[int, ...]) -> None:
    for writes in range(1, 30):
        zookeeper = FakeZooKeeper()
        three(zookeeper)
        async with controller(zookeeper, protocol="2.0", is_mirrored=True, dies_after_writes=writes) as this:
            has_died = await run_until_death(this, zookeeper, target)
        if REASSIGN_PARTITIONS_PATH in zookeeper.nodes:
            finish_as_2_0_1(zookeeper, target)
        assert assignment_of(zookeeper) == ReplicaAssignment(target), writes
        assert set(state_of(zookeeper).isr) >= set(target), writes
        if not has_died:
            break
    assert writes > 4


async def test_below_protocol_2_4_replicas_in_zookeeper_are_never_the_target_before_its_end() -> None:
    """A second partition that moves meanwhile writes the replicas of the first one too."""
    zookeeper = FakeZooKeeper()
    three(zookeeper)
    async with controller(zookeeper, protocol="2.0", is_mirrored=True) as this:
        await this.reassignments.alter({PARTITION: (1, 2, 3, 4)})
        await this.reassignments.alter({OTHER: (4, 5)})
        assert assignment_of(zookeeper) == ReplicaAssignment((4, 1, 2, 3), (4,))
        assert this.context.replica_assignment(PARTITION) == ReplicaAssignment((1, 2, 3, 4), (4,))
    async with controller(zookeeper, protocol="2.0", is_mirrored=True) as this:
        await this.reassignments.resume_all()
        assert this.context.replica_assignment(PARTITION) == ReplicaAssignment((1, 2, 3, 4), (4,))
        join_isr(zookeeper, 4)
        await this.see_isrs()
        assert assignment_of(zookeeper) == ReplicaAssignment((1, 2, 3, 4))


async def test_below_protocol_2_4_a_reassignment_of_another_controller_is_written_as_a_request() -> None:
    """Apache Kafka from 2.4 on writes those of the API into the topic only, whatever the protocol."""
    zookeeper = FakeZooKeeper()
    three(zookeeper)
    moving = {0: ReplicaAssignment((1, 2, 3, 4), (4,)), 1: ReplicaAssignment((1, 2, 3))}
    zookeeper.put(topic_path(TOPIC), TopicAssignment(TOPIC, TOPIC_ID, moving).encode())
    async with controller(zookeeper, protocol="2.0", is_mirrored=True) as this:
        await this.reassignments.resume_all()
        assert decode_reassignment(zookeeper.read(REASSIGN_PARTITIONS_PATH)) == {PARTITION: (1, 2, 3, 4)}
        join_isr(zookeeper, 4)
        await this.see_isrs()
        assert REASSIGN_PARTITIONS_PATH not in zookeeper.nodes
        assert assignment_of(zookeeper) == ReplicaAssignment((1, 2, 3, 4))
