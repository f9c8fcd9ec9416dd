"""ControllerZkClient, tested on the fake ZooKeeper and, by compat_tests, on real servers.

A module that imports these tests has a fixture `ensemble`; see `tests/zookeeper/client_contract.py`.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
import trio

from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient
from wirebroker.kafka_controller.errors import ControllerMoved
from wirebroker.model import TopicPartition
from wirebroker.tests.zookeeper.client_contract import connected, info
from wirebroker.zookeeper.cluster_znodes import create_persistent_paths
from wirebroker.zookeeper.errors import NodeExists, NoNode
from wirebroker.zookeeper.operations import CreateMode
from wirebroker.zookeeper.registration import BrokerRegistration
from wirebroker.zookeeper.znodes.admin import encode_preferred_election, encode_reassignment
from wirebroker.zookeeper.znodes.cluster import Controller
from wirebroker.zookeeper.znodes.notifications import (
    ISR_CHANGE_PREFIX,
    LOG_DIR_EVENT_PREFIX,
    encode_isr_change,
    encode_log_dir_failure,
)
from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch, ReplicaAssignment, TopicAssignment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from wirebroker.tests.zookeeper.client_contract import Ensemble
    from wirebroker.zookeeper.session import Session

TOPIC_ID = bytes(range(16))


def state(leader: int = 1, leader_epoch: int = 0, partition_epoch: int = -1) -> LeaderIsrAndControllerEpoch:
    return LeaderIsrAndControllerEpoch(leader, leader_epoch, (1, 2), 1, partition_epoch=partition_epoch)


def partitions(count: int, topic: str = "t") -> list[TopicPartition]:
    return [TopicPartition(topic, number) for number in range(count)]


def topic_of(count: int, topic: str = "t") -> TopicAssignment:
    return TopicAssignment(topic, TOPIC_ID, {number: ReplicaAssignment((1, 2)) for number in range(count)})


@asynccontextmanager
async def elected(ensemble: Ensemble) -> AsyncIterator[tuple[Session, ControllerZkClient, int]]:
    """A session whose broker 1 is the controller, and the version that its writes check."""
    async with connected(ensemble) as session:
        await create_persistent_paths(session)
        client = ControllerZkClient(session)
        registration = await client.register_controller_and_increment_epoch(1)
        yield session, client, registration.epoch_zk_version


async def test_elections_raise_the_epoch_and_end_the_writes_of_former_controllers(ensemble: Ensemble) -> None:
    async with connected(ensemble) as second_session:
        await create_persistent_paths(second_session)
        second = ControllerZkClient(second_session)
        async with elected(ensemble) as (session, first, version):
            assert await second.get_controller_id() == 1
            assert (await session.client.get("/controller_epoch")).data == b"1"
            with pytest.raises(ControllerMoved):
                await second.register_controller_and_increment_epoch(2)
            assert await first.create_topic_assignment(topic_of(1), version)
            assert not await first.create_topic_assignment(topic_of(1), version)
            await first.delete_controller(version)  # or an operator does
            registration = await second.register_controller_and_increment_epoch(2)
            assert registration == (2, version + 1)
            with pytest.raises(ControllerMoved):
                await first.set_topic_assignment(topic_of(2), version)
            with pytest.raises(ControllerMoved):
                await first.create_topic_partition_states(dict.fromkeys(partitions(60), state()), version)
            with pytest.raises(ControllerMoved):
                await first.delete_topic_znode("t", version)
            with pytest.raises(ControllerMoved):
                await first.delete_controller(version)
            await second.set_topic_assignment(topic_of(3), registration.epoch_zk_version)
        found = await second.get_replica_assignment_and_topic_ids_for_topics(["t", "missing"])
        assert found == {"t": topic_of(3)}


async def test_an_election_in_two_steps_of_another_broker_counts(ensemble: Ensemble) -> None:
    async with connected(ensemble) as session, connected(ensemble) as other:
        await create_persistent_paths(session)
        client = ControllerZkClient(session)
        await other.client.create("/controller", Controller(2, 0).encode(), CreateMode.EPHEMERAL)
        for _ in range(2):
            with pytest.raises(ControllerMoved):
                await client.register_controller_and_increment_epoch(1)
            await other.client.set("/controller_epoch", b"1")
        await other.client.delete("/controller")
        assert await client.register_controller_and_increment_epoch(1) == (2, 3)


async def test_states_of_many_partitions_are_created_and_changed(ensemble: Ensemble) -> None:
    async with elected(ensemble) as (session, client, version):
        await client.create_topic_assignment(topic_of(120), version)
        await session.client.create("/brokers/topics/t/partitions")
        await session.client.create("/brokers/topics/t/partitions/3")  # an earlier controller ended here
        for created in (7, 119):
            await session.client.create(f"/brokers/topics/t/partitions/{created}")
            await session.client.create(f"/brokers/topics/t/partitions/{created}/state", state(leader=9).encode())
        new = {**dict.fromkeys(partitions(120), state()), TopicPartition("gone", 0): state()}
        result = await client.create_topic_partition_states(new, version)
        existing = {TopicPartition("t", 7), TopicPartition("t", 119)}
        assert {key: type(error) for key, error in result.failed.items()} == {
            **dict.fromkeys(existing, NodeExists),
            TopicPartition("gone", 0): NoNode,
        }
        assert result.finished == dict.fromkeys(set(partitions(120)) - existing, state(partition_epoch=0))
        # the leader of 5 changes its ISR meanwhile, and 6 is gone
        await session.client.set("/brokers/topics/t/partitions/5/state", state().encode())
        await session.client.delete("/brokers/topics/t/partitions/6/state")
        changed = {key: state(2, 1, 0) for key in partitions(120)}
        result = await client.update_leader_and_isr(changed, version)
        assert result.partitions_to_retry == [TopicPartition("t", 5)]
        assert {key: type(error) for key, error in result.failed.items()} == {TopicPartition("t", 6): NoNode}
        assert len(result.finished) == 118
        assert set(result.finished.values()) == {state(2, 1, 1)}
        read = await client.get_topic_partition_states(partitions(121))
        assert read[TopicPartition("t", 5)] == state(partition_epoch=1)
        assert {key: read[key] for key in result.finished} == result.finished
        assert len(read) == 119


async def test_a_topic_is_deleted_with_all_its_znodes(ensemble: Ensemble) -> None:
    async with elected(ensemble) as (session, client, version):
        for topic in ("t", "u"):
            await client.create_topic_assignment(topic_of(70, topic), version)
            await client.create_topic_partition_states(dict.fromkeys(partitions(70, topic), state()), version)
            await session.client.create(f"/config/topics/{topic}", b'{"version":1,"config":{"a":"b"}}')
        assert await client.get_topic_configs(["t", "missing"]) == {"t": {"a": "b"}, "missing": {}}
        assert await client.create_delete_topic_path("t", version)
        assert not await client.create_delete_topic_path("t", version)
        assert await client.get_topic_deletions() == {"t"}
        for _ in range(2):
            await client.delete_topic_znode("t", version)
            await client.delete_topic_configs(["t"], version)
            await client.delete_topic_deletions(["t", "v"], version)
        assert await client.get_topic_deletions() == set()
        assert await client.get_all_topics_in_cluster() == {"u"}
        assert await session.client.children("/config/topics") == ["u"]
        assert len(await client.get_topic_partition_states(partitions(70, "u"))) == 70


async def test_requests_and_notifications_are_read_and_deleted(ensemble: Ensemble) -> None:
    async with elected(ensemble) as (session, client, version):
        moved = {TopicPartition("t", 1): (2, 3)}
        assert await client.get_partition_reassignment() == {}
        await client.set_or_create_partition_reassignment({**moved, TopicPartition("t", 2): (1,)}, version)
        await client.set_or_create_partition_reassignment(moved, version)
        assert (await session.client.get("/admin/reassign_partitions")).data == encode_reassignment(moved)
        assert await client.get_partition_reassignment() == moved
        await client.replace_partition_reassignment(await client.get_partition_reassignment(), {}, version)
        assert await client.get_partition_reassignment() == {}

        elections = partitions(2)
        await session.client.create("/admin/preferred_replica_election", encode_preferred_election(elections))
        assert await client.get_preferred_replica_election() == set(elections)
        await client.delete_preferred_replica_election(version)
        assert await client.get_preferred_replica_election() == set()

        for topic in ("a", "b"):
            mode = CreateMode.PERSISTENT_SEQUENTIAL
            await session.client.create(ISR_CHANGE_PREFIX, encode_isr_change(partitions(2, topic)), mode)
            await session.client.create(LOG_DIR_EVENT_PREFIX, encode_log_dir_failure(4), mode)
        names = await client.get_all_isr_change_notifications()
        assert names == ["isr_change_0000000000", "isr_change_0000000001"]
        expected = {*partitions(2, "a"), *partitions(2, "b")}
        assert await client.get_partitions_from_isr_change_notifications(names) == expected
        await client.delete_isr_change_notifications(names, version)
        assert await client.get_all_isr_change_notifications() == []
        names = await client.get_all_log_dir_event_notifications()
        assert await client.get_broker_ids_from_log_dir_events([*names, "missing"]) == {4}
        await client.delete_log_dir_event_notifications(names, version)
        assert await client.get_all_log_dir_event_notifications() == []


async def test_brokers_are_read_with_their_epochs(ensemble: Ensemble) -> None:
    async with elected(ensemble) as (session, client, _):
        epoch = await BrokerRegistration(session, info()).register()
        (broker,) = await client.get_all_brokers_and_epochs_in_cluster()
        assert broker == (info(), epoch)
        assert await client.get_broker(2) is None


async def test_a_controller_whose_session_is_over_writes_nothing(ensemble: Ensemble) -> None:
    async with elected(ensemble) as (session, client, version):
        is_lost = trio.Event()
        session.call_once_lost(is_lost.set)
        await ensemble.expire(session.client)
        await is_lost.wait()
        with pytest.raises(ControllerMoved):
            await client.create_topic_assignment(topic_of(1), version)
        assert await client.get_all_topics_in_cluster() == set()
        registration = await client.register_controller_and_increment_epoch(1)
        assert registration.epoch == 2
        assert await client.create_topic_assignment(topic_of(1), registration.epoch_zk_version)
