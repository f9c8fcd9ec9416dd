"""The state machines of partitions and replicas: every transition of Kafka's tables, and random sequences of them."""

from __future__ import annotations

import itertools
import logging
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from wirebroker.kafka_controller.context import PartitionAndReplica
from wirebroker.kafka_controller.election import ElectionStrategy
from wirebroker.kafka_controller.states import PartitionState, ReplicaState
from wirebroker.tests.kafka_controller.machines import (
    PARTITION,
    TOPIC,
    TOPIC_ID,
    ActiveController,
    controller,
    put_topic,
    state_of,
)
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.zookeeper.znodes.topics import ReplicaAssignment, TopicAssignment, partition_state_path, topic_path

if TYPE_CHECKING:
    from collections.abc import Sequence

P, R = PartitionState, ReplicaState
PARTITION_TABLE: Final = {
    P.NON_EXISTENT: {P.NEW},
    P.NEW: {P.ONLINE, P.OFFLINE},
    P.ONLINE: {P.ONLINE, P.OFFLINE},
    P.OFFLINE: {P.ONLINE, P.OFFLINE, P.NON_EXISTENT},
}
"""State -> the states that it may be left for, as Apache Kafka has them."""
REPLICA_TABLE: Final = {
    R.NON_EXISTENT: {R.NEW},
    R.NEW: {R.ONLINE, R.OFFLINE},
    R.ONLINE: {R.ONLINE, R.OFFLINE},
    R.OFFLINE: {R.ONLINE, R.OFFLINE, R.DELETION_STARTED, R.DELETION_INELIGIBLE},
    R.DELETION_STARTED: {R.DELETION_SUCCESSFUL, R.DELETION_INELIGIBLE},
    R.DELETION_SUCCESSFUL: {R.NON_EXISTENT},
    R.DELETION_INELIGIBLE: {R.ONLINE, R.OFFLINE},
}
REPLICAS: Final = (1, 2, 3)


def put_new_topic(zookeeper: FakeZooKeeper) -> None:
    """Put a topic of one partition that never had a leader."""
    assignment = TopicAssignment(TOPIC, TOPIC_ID, {0: ReplicaAssignment(REPLICAS)})
    zookeeper.put(topic_path(TOPIC), assignment.encode())


def test_the_tables_have_every_state() -> None:
    assert set(PARTITION_TABLE) == set(P)
    assert set(REPLICA_TABLE) == set(R)


@pytest.mark.parametrize(("before", "target"), list(itertools.product(P, P)))
async def test_a_partition_enters_a_state_from_those_of_the_table(
    before: PartitionState, target: PartitionState, caplog: pytest.LogCaptureFixture
) -> None:
    zookeeper = FakeZooKeeper()
    if before in (P.NEW, P.NON_EXISTENT):
        put_new_topic(zookeeper)
    else:
        put_topic(zookeeper, (REPLICAS, 1, REPLICAS))
    async with controller(zookeeper) as active:
        before_writes = zookeeper.nodes.keys() | set()
        if before in (P.NEW, P.NON_EXISTENT):
            del zookeeper.nodes[partition_state_path(PARTITION)]  # the start has elected a leader
            active.context.partition_leadership.pop(PARTITION)
            before_writes = zookeeper.nodes.keys() | set()
        active.context.put_partition_state(PARTITION, before)
        with caplog.at_level(logging.ERROR):
            results = await active.machines.partitions.handle_state_changes((PARTITION,), target)
        if target in PARTITION_TABLE[before]:
            assert active.context.partition_state(PARTITION) is target
            assert not caplog.records
            if target is P.ONLINE:
                assert results == {PARTITION: active.context.partition_leadership[PARTITION]}
                assert state_of(zookeeper).leader == 1
                assert {each.broker_id for each in active.brokers.named("LeaderAndIsr")} == set(REPLICAS)
        else:
            assert active.context.partition_state(PARTITION) is before
            assert f"should not change its state from {before.value} to {target.value}" in caplog.text
            assert zookeeper.nodes.keys() == before_writes
            assert active.brokers.sent == []


@pytest.mark.parametrize(("before", "target"), list(itertools.product(R, R)))
async def test_a_replica_enters_a_state_from_those_of_the_table(
    before: ReplicaState, target: ReplicaState, caplog: pytest.LogCaptureFixture
) -> None:
    zookeeper = FakeZooKeeper()
    put_topic(zookeeper, (REPLICAS, 1, REPLICAS))
    replica = PartitionAndReplica(PARTITION, 2)
    async with controller(zookeeper) as active:
        active.context.put_replica_state(replica, before)
        written = state_of(zookeeper)
        with caplog.at_level(logging.ERROR):
            await active.machines.replicas.handle_state_changes([replica], target)
        if target in REPLICA_TABLE[before]:
            assert active.context.replica_state(replica) is target
            assert not caplog.records
            assert requests(active) == EXPECTED_REQUESTS.get((before, target), EXPECTED_REQUESTS.get(target, set()))
        else:
            assert active.context.replica_state(replica) is before
            assert f"should not change its state from {before.value} to {target.value}" in caplog.text
            assert active.brokers.sent == []
        left_isr = target is R.OFFLINE and target in REPLICA_TABLE[before]
        assert state_of(zookeeper).isr == ((1, 3) if left_isr else written.isr)


EXPECTED_REQUESTS: Final = {
    R.NEW: {("LeaderAndIsr", 2)},
    (R.NEW, R.ONLINE): set(),
    R.ONLINE: {("LeaderAndIsr", 2)},
    R.OFFLINE: {("StopReplica", 2), ("LeaderAndIsr", 1), ("LeaderAndIsr", 3)},
    R.DELETION_STARTED: {("StopReplica delete", 2)},
}
"""(State, target), or target -> (request, broker), beside UpdateMetadata."""


def requests(active: ActiveController) -> set[tuple[str, int]]:
    """(Request, broker) for all but UpdateMetadata."""
    return {
        (f"{each.name} delete" if each.name == "StopReplica" and is_delete(each.request) else each.name, each.broker_id)
        for each in active.brokers.sent
        if each.name != "UpdateMetadata"
    }


def is_delete(request: object) -> bool:
    return all(each.delete_partition for topic in request.topic_states for each in topic.partition_states)  # type: ignore[attr-defined]


async def test_a_new_replica_must_not_be_the_leader(caplog: pytest.LogCaptureFixture) -> None:
    zookeeper = FakeZooKeeper()
    put_topic(zookeeper, (REPLICAS, 1, REPLICAS))
    replica = PartitionAndReplica(PARTITION, 1)
    async with controller(zookeeper) as active:
        active.context.put_replica_state(replica, R.NON_EXISTENT)
        await active.machines.replicas.handle_state_changes([replica], R.NEW)
        assert active.context.replica_state(replica) is R.NON_EXISTENT
    assert "cannot be moved to NewReplica state as it is being requested to become leader" in caplog.text


async def test_a_partition_without_a_live_replica_stays_new() -> None:
    zookeeper = FakeZooKeeper()
    put_new_topic(zookeeper)
    async with controller(zookeeper, live=(4, 5)) as active:
        assert active.context.partition_state(PARTITION) is P.NEW
        assert partition_state_path(PARTITION) not in zookeeper.nodes


class LiveBrokers(NamedTuple):
    """Other brokers are alive from now on."""

    broker_ids: frozenset[int]


class PartitionStep(NamedTuple):
    """The partition is to enter a state, by an election if that is ONLINE."""

    target: PartitionState
    strategy: ElectionStrategy


class ReplicaStep(NamedTuple):
    """A replica is to enter a state."""

    broker_id: int
    target: ReplicaState


STEPS: Final = st.lists(
    st.one_of(
        st.builds(LiveBrokers, st.frozensets(st.sampled_from(REPLICAS))),
        st.builds(PartitionStep, st.sampled_from(P), st.sampled_from(ElectionStrategy)),
        st.builds(ReplicaStep, st.sampled_from(REPLICAS), st.sampled_from(R)),
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(steps=STEPS)
def test_what_is_written_is_always_a_state_that_kafka_allows(
    steps: Sequence[LiveBrokers | PartitionStep | ReplicaStep],
) -> None:
    trio.run(walk, steps)


async def walk(steps: Sequence[LiveBrokers | PartitionStep | ReplicaStep]) -> None:
    """Take *steps*, valid or not, and check the znode and the states behind each."""
    zookeeper = FakeZooKeeper()
    put_topic(zookeeper, (REPLICAS, 1, REPLICAS))
    async with controller(zookeeper) as active:
        context = active.context
        everybody = {each.info.broker_id: each for each in context.brokers.values()}
        for step in steps:
            before = state_of(zookeeper)
            match step:
                case LiveBrokers(broker_ids):
                    context.set_live_brokers(everybody[each] for each in sorted(broker_ids))
                case PartitionStep(target, strategy):
                    was = context.partition_state(PARTITION)
                    await active.machines.partitions.handle_state_changes((PARTITION,), target, strategy)
                    assert context.partition_state(PARTITION) in {was} | PARTITION_TABLE[was]
                case ReplicaStep(broker_id, into):
                    replica = PartitionAndReplica(PARTITION, broker_id)
                    state = context.replica_state(replica)
                    await active.machines.replicas.handle_state_changes([replica], into)
                    assert context.replica_state(replica) in {state} | REPLICA_TABLE[state]
            after = state_of(zookeeper)
            assert after.isr
            assert set(after.isr) <= set(REPLICAS)
            assert after.leader == -1 or after.leader in after.isr
            assert after.controller_epoch <= context.epoch
            if after == before:
                continue
            assert after.leader_epoch == before.leader_epoch + 1, "a change of leader or ISR has an epoch of its own"
            assert after.controller_epoch == context.epoch
            if after.leader not in (-1, before.leader):
                assert context.is_replica_online(after.leader, PARTITION)
                if after.leader not in before.isr:
                    assert after.isr == (after.leader,)
