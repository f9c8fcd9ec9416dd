"""Deletion of topics by a whole controller, with simulated brokers: what waits, what resumes, and who finishes."""

from __future__ import annotations

from contextlib import AsyncExitStack
from itertools import count
from typing import TYPE_CHECKING

import pytest

from wirebroker.model import TopicPartition
from wirebroker.tests.kafka_controller.controller_harness import SimulatedCluster, topic_id
from wirebroker.tests.zookeeper.fake_client import FakeClient
from wirebroker.zookeeper.znodes.topics import ReplicaAssignment, TopicAssignment, topic_path

if TYPE_CHECKING:
    from collections.abc import Callable

REPLICAS = {0: (1, 2, 3), 1: (2, 3, 1)}
T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def logs(cluster: SimulatedCluster) -> dict[int, set[TopicPartition]]:
    return {broker_id: set(broker.logs) for broker_id, broker in cluster.brokers.items()}


async def test_a_topic_is_deleted_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = SimulatedCluster(monkeypatch, 1, 2, 3)
    async with cluster.controller() as running:
        await cluster.settle()
        for topic in ("t", "kept"):
            cluster.create_topic(topic, REPLICAS)
        await cluster.settle()
        assert logs(cluster)[1] == {T0, T1, TopicPartition("kept", 0), TopicPartition("kept", 1)}
        assert cluster.brokers[3].leaders[T1] == 2
        cluster.delete_topic("t")
        await cluster.settle()
        assert cluster.znodes_of("t") == []
        assert all(found == {TopicPartition("kept", 0), TopicPartition("kept", 1)} for found in logs(cluster).values())
        assert all(T0 not in broker.leaders for broker in cluster.brokers.values())
        context = running.context
        assert list(context.all_topics) == ["kept"]
        assert (context.topics_to_be_deleted, context.offline_partition_count) == (set(), 0)
        # again under the same name
        cluster.create_topic("t", {0: (3, 1)})
        await cluster.settle()
        assert cluster.state("t", 0)[:3] == (3, 0, (3, 1))


async def test_a_deletion_waits_for_a_broker_that_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = SimulatedCluster(monkeypatch, 1, 2, 3)
    async with cluster.controller():
        cluster.create_topic("t", REPLICAS)
        await cluster.settle()
        cluster.stop_broker(3)
        await cluster.settle()
        cluster.delete_topic("t")
        await cluster.settle()
        assert topic_path("t") in cluster.znodes_of("t")
        assert logs(cluster) == {1: set(), 2: set()}
        cluster.start_broker(3)
        await cluster.settle()
        assert cluster.znodes_of("t") == []
        assert logs(cluster) == {1: set(), 2: set(), 3: set()}


async def test_a_broker_that_goes_before_it_answers_halts_the_deletion(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = SimulatedCluster(monkeypatch, 1, 2, 3)
    async with cluster.controller() as running:
        cluster.create_topic("t", REPLICAS)
        await cluster.settle()
        cluster.brokers[2].refused.add(T1)
        cluster.delete_topic("t")
        await cluster.settle()
        assert running.context.topics_ineligible_for_deletion == {"t"}
        assert logs(cluster) == {1: set(), 2: {T1}, 3: set()}
        assert "/admin/delete_topics/t" in cluster.znodes_of("t")
        cluster.stop_broker(2)
        await cluster.settle()
        cluster.start_broker(2)
        cluster.brokers[2].refused.clear()
        await cluster.settle()
        assert cluster.znodes_of("t") == []
        assert logs(cluster) == {1: set(), 2: set(), 3: set()}


@pytest.mark.parametrize("works", [True, False])
async def test_a_replica_that_is_offline_on_a_live_broker_is_deleted_if_its_log_directory_works(
    monkeypatch: pytest.MonkeyPatch, *, works: bool
) -> None:
    cluster = SimulatedCluster(monkeypatch, 1, 2, 3)
    async with cluster.controller() as running:
        cluster.create_topic("t", REPLICAS)
        await cluster.settle()
        running.context.replicas_on_offline_dirs[2] = {T1}  # its log was refused, or the directory has failed
        if not works:
            cluster.brokers[2].refused.add(T1)
        cluster.delete_topic("t")
        await cluster.settle()
        assert logs(cluster) == {1: set(), 2: set() if works else {T1}, 3: set()}
        assert running.context.topics_ineligible_for_deletion == (set() if works else {"t"})
        assert ("/admin/delete_topics/t" in cluster.znodes_of("t")) is not works


async def test_without_delete_topic_enable_requests_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = SimulatedCluster(monkeypatch, 1, 2, 3)
    cluster.create_topic("t", REPLICAS)
    cluster.delete_topic("t")
    for broker_id in (1, 2):
        async with cluster.controller(broker_id, is_delete_topic_enabled=False):
            await cluster.settle()
            assert cluster.zookeeper.children("/admin/delete_topics") == []
            cluster.delete_topic("t")
            await cluster.settle()
            assert cluster.zookeeper.children("/admin/delete_topics") == []
            assert logs(cluster)[1] == {T0, T1}
            cluster.delete_topic("t")


async def test_a_request_for_a_topic_that_does_not_exist_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = SimulatedCluster(monkeypatch, 1)
    async with cluster.controller():
        await cluster.settle()
        cluster.delete_topic("missing")
        await cluster.settle()
        assert cluster.znodes_of("missing") == []


async def test_a_topic_that_was_just_created_is_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = SimulatedCluster(monkeypatch, 1, 2, 3)
    async with cluster.controller():
        await cluster.settle()
        cluster.delete_topic("t")  # its event may come first
        cluster.create_topic("t", REPLICAS)
        await cluster.settle()
        assert cluster.znodes_of("t") == []
        assert logs(cluster) == {1: set(), 2: set(), 3: set()}


def create(cluster: SimulatedCluster) -> None:
    cluster.create_topic("t", REPLICAS)
    cluster.create_topic("u", {0: (2, 1)})


def grow(cluster: SimulatedCluster) -> None:
    assignment = {number: ReplicaAssignment(each) for number, each in {**REPLICAS, 2: (3, 1)}.items()}
    cluster.zookeeper.put(topic_path("t"), TopicAssignment("t", topic_id("t"), assignment).encode())


def delete(cluster: SimulatedCluster) -> None:
    cluster.delete_topic("t")


def check_created(cluster: SimulatedCluster, number: int = 2) -> None:
    leaders = dict(enumerate((1, 2, 3)[:number]))
    assert {each: cluster.state("t", each).leader for each in leaders} == leaders
    assert cluster.state("u", 0).leader == 2
    for broker in cluster.brokers.values():
        assert {each.partition: leader for each, leader in broker.leaders.items() if each.topic == "t"} == leaders
    expected = {1: {T0, T1}, 2: {T0, T1}, 3: {T0, T1}}
    if number == 3:
        for broker_id in (3, 1):
            expected[broker_id].add(TopicPartition("t", 2))
    for broker_id in (2, 1):
        expected[broker_id].add(TopicPartition("u", 0))
    assert logs(cluster) == expected


def check_deleted(cluster: SimulatedCluster) -> None:
    assert cluster.znodes_of("t") == []
    u = TopicPartition("u", 0)
    assert logs(cluster) == {1: {u}, 2: {u}, 3: set()}
    assert all(broker.leaders == {u: 2} for broker in cluster.brokers.values())


STORY: list[tuple[Callable[[SimulatedCluster], None], Callable[[SimulatedCluster], None]]] = [
    (create, check_created),
    (grow, lambda cluster: check_created(cluster, 3)),
    (delete, check_deleted),
]


async def test_the_next_controller_finishes_after_any_write_of_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first controller ends after its n-th write, for every n; the next one completes creation and deletion."""
    for writes in count(1):
        cluster = SimulatedCluster(monkeypatch, 1, 2, 3)
        async with AsyncExitStack() as stack:
            first = AsyncExitStack()
            running = await first.enter_async_context(cluster.controller(1, dies_after_writes=writes))
            stack.push_async_exit(first)
            has_died = False
            for step, check in STORY:
                step(cluster)
                await cluster.settle()
                if running.client.died.is_set() and not has_died:
                    has_died = True
                    await first.aclose()
                    await stack.enter_async_context(cluster.controller(2))
                    await cluster.settle()
                check(cluster)
        if not has_died:
            break
    assert writes > 12


@pytest.mark.parametrize("does_session_end", [True, False])
async def test_a_controller_may_lose_its_connection_or_its_session_after_any_write(
    monkeypatch: pytest.MonkeyPatch, does_session_end: bool
) -> None:
    """The simulated brokers fail the test if a former controller sends them anything."""
    for write in count(1):
        cluster = SimulatedCluster(monkeypatch, 1, 2, 3)
        interruption = cluster.zookeeper.expire if does_session_end else FakeClient.drop_connection
        async with cluster.controller(1, interrupted=(write, interruption)) as running:
            await cluster.settle()
            async with cluster.controller(2):
                await cluster.settle()
                for step, check in STORY:
                    step(cluster)
                    await cluster.settle()
                    check(cluster)
        if running.client.interruptions:
            break
        # the first write is /controller_epoch with 0, the second one the election
        epoch = 2 if does_session_end and write > 1 else 1
        assert cluster.zookeeper.read("/controller_epoch") == str(epoch).encode()
    assert write > 12
