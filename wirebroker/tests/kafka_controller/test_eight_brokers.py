"""Eight simulated brokers: brokers stop and start, leaders move and come back, replicas move to other brokers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.model import TopicPartition
from wirebroker.tests.kafka_controller.controller_harness import SimulatedCluster
from wirebroker.zookeeper.znodes.admin import (
    PREFERRED_ELECTION_PATH,
    REASSIGN_PARTITIONS_PATH,
    encode_preferred_election,
    encode_reassignment,
)
from wirebroker.zookeeper.znodes.notifications import ISR_CHANGES_PATH
from wirebroker.zookeeper.znodes.topics import encode_partitions, partition_state_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

BROKERS = range(8)
REPLICAS = {number: tuple((number + step) % 8 for step in range(3)) for number in BROKERS}


def leaders(cluster: SimulatedCluster) -> list[int]:
    """The leaders of partitions 0 to 7, in ZooKeeper and in the metadata of every live broker."""
    found = [cluster.state("t", number).leader for number in BROKERS]
    told = {number: leader for number, leader in enumerate(found)}
    for broker in cluster.brokers.values():
        assert {at.partition: leader for at, leader in broker.leaders.items()} == told
    return found


async def catch_up(cluster: SimulatedCluster, replicas: Iterable[int]) -> None:
    """Have leaders take *replicas* into the ISRs of their partitions, and tell the controller."""
    changed: list[TopicPartition] = []
    for number in BROKERS:
        partition = TopicPartition("t", number)
        state = cluster.state("t", number)
        hosted = [each for each in replicas if partition in cluster.brokers[each].logs and each not in state.isr]
        if hosted and state.leader >= 0:
            isr = (*state.isr, *hosted)
            cluster.zookeeper.put(partition_state_path(partition), state._replace(isr=isr).encode())
            changed.append(partition)
    cluster.zookeeper.put(f"{ISR_CHANGES_PATH}/isr_change_{len(changed):010d}", encode_partitions(1, changed))
    await cluster.settle()


async def test_leaders_move_to_the_next_replicas_and_come_back_by_preferred_elections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = SimulatedCluster(monkeypatch, *BROKERS)
    partitions = [TopicPartition("t", number) for number in BROKERS]
    async with cluster.controller(0):
        cluster.create_topic("t", REPLICAS)
        await cluster.settle()
        assert leaders(cluster) == [0, 1, 2, 3, 4, 5, 6, 7]
        for broker_id in (1, 2, 4):
            cluster.stop_broker(broker_id)
            await cluster.settle()
        assert leaders(cluster) == [0, 3, 3, 3, 5, 5, 6, 7]
        assert cluster.state("t", 1).isr == (3,)

        cluster.start_broker(1)
        await cluster.settle()
        await catch_up(cluster, [1])
        assert leaders(cluster) == [0, 3, 3, 3, 5, 5, 6, 7], "a broker that is back does not lead by itself"
        cluster.zookeeper.put(PREFERRED_ELECTION_PATH, encode_preferred_election(partitions))
        await cluster.settle()
        assert leaders(cluster) == [0, 1, 3, 3, 5, 5, 6, 7]
        assert PREFERRED_ELECTION_PATH not in cluster.zookeeper.nodes

        for broker_id in (2, 4):
            cluster.start_broker(broker_id)
        await cluster.settle()
        await catch_up(cluster, [2, 4])
        cluster.zookeeper.put(PREFERRED_ELECTION_PATH, encode_preferred_election(partitions))
        await cluster.settle()
        assert leaders(cluster) == [0, 1, 2, 3, 4, 5, 6, 7]
        assert {number: set(cluster.state("t", number).isr) for number in BROKERS} == {
            number: set(replicas) for number, replicas in REPLICAS.items()
        }


async def test_a_topic_moves_to_other_brokers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each partition to two of brokers 4 to 7, asked for as by tools of 2.x; the old logs are deleted."""
    cluster = SimulatedCluster(monkeypatch, *BROKERS)
    targets = {TopicPartition("t", number): (4 + number % 4, 4 + (number + 1) % 4) for number in BROKERS}
    async with cluster.controller(0):
        cluster.create_topic("t", REPLICAS)
        await cluster.settle()
        cluster.zookeeper.put(REASSIGN_PARTITIONS_PATH, encode_reassignment(targets))
        await cluster.settle()
        await catch_up(cluster, range(4, 8))
        assert REASSIGN_PARTITIONS_PATH not in cluster.zookeeper.nodes
        for partition, replicas in targets.items():
            assert set(cluster.state(*partition).isr) == set(replicas)
            hosts = {broker_id for broker_id, each in cluster.brokers.items() if partition in each.logs}
            assert hosts == set(replicas)
        assert all(leader in targets[TopicPartition("t", number)] for number, leader in enumerate(leaders(cluster)))
