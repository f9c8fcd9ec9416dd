"""KafkaController is elected on the fake ZooKeeper, and its term ends: operators, sessions, changed epochs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.kafka_controller.controller_cluster import (
    Candidate,
    ControllerCluster,
    settle,
)
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper.operations import Create, CreateMode, Delete
from wirebroker.zookeeper.znodes.cluster import CONTROLLER_EPOCH_PATH, CONTROLLER_PATH, Controller

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


def elected(cluster: ControllerCluster) -> tuple[int, int]:
    """The controller and its epoch in ZooKeeper."""
    return (
        Controller.decode(cluster.zookeeper.read(CONTROLLER_PATH)).broker_id,
        int(cluster.zookeeper.read(CONTROLLER_EPOCH_PATH) or b""),
    )


async def test_the_first_candidate_is_elected_and_the_next_follows_it() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2)
    async with cluster.controller(2) as second, cluster.controller(1) as first:
        assert (second.is_active, first.is_active) == (True, False)
        assert elected(cluster) == (2, 1)
        with pytest.raises(ApiError) as refused:
            await first.assembled.controller.controlled_shutdown(1, -1)
        assert refused.value.code == ErrorCode.NOT_CONTROLLER
        cluster.zookeeper.expire(second.client)
        await settle()
        # either of them, the second in a new session
        assert second.is_active != first.is_active
        assert elected(cluster) == (1 if first.is_active else 2, 2)
        assert first.assembled.context.epoch + second.assembled.context.epoch == 2


async def test_an_operator_deletes_the_znode_of_the_controller() -> None:
    cluster = ControllerCluster()
    cluster.register(1)
    async with cluster.controller(1) as only:
        await only.client.delete(CONTROLLER_PATH)
        await settle()
        assert only.is_active
        assert elected(cluster) == (1, 2)
        assert only.assembled.context.epoch == 2


async def test_an_operator_names_another_controller() -> None:
    """The broker that owns the znode removes it, as the broker that it names may not know what to do."""
    cluster = ControllerCluster()
    cluster.register(1)
    cluster.put_topic("t", {0: (1,)})
    async with cluster.controller(1) as only:
        cluster.take_sent()
        await only.client.set(CONTROLLER_PATH, Controller(7, 1).encode())
        await settle()
        assert only.is_active
        assert elected(cluster) == (1, 2)
        assert {each.request.controller_epoch for each in cluster.sent} == {2}


@pytest.mark.parametrize("mode", [CreateMode.PERSISTENT, CreateMode.EPHEMERAL])
async def test_an_operator_names_a_broker_that_was_not_elected(mode: CreateMode) -> None:
    """The znode is not of the session of the broker, which removes it and is elected."""
    cluster = ControllerCluster()
    cluster.register(1)
    async with member(cluster.zookeeper) as operator:
        await operator.client.create(CONTROLLER_PATH, Controller(2, 1).encode(), mode)
        async with cluster.controller(1) as first:
            assert not first.is_active
            await operator.client.set(CONTROLLER_PATH, Controller(1, 1).encode())
            await settle()
            assert first.is_active
            assert elected(cluster) == (1, 1)


async def test_an_operator_writes_the_znode_of_the_controller_anew() -> None:
    """It would outlive the controller: a persistent znode of the same content, and one that is not JSON."""
    cluster = ControllerCluster()
    cluster.register(1)
    async with cluster.controller(1) as only, member(cluster.zookeeper) as operator:
        content = cluster.zookeeper.read(CONTROLLER_PATH)
        await operator.client.multi([Delete(CONTROLLER_PATH), Create(CONTROLLER_PATH, content)])
        await settle()
        assert only.is_active
        assert elected(cluster) == (1, 2)
        await operator.client.set(CONTROLLER_PATH, b"no JSON")
        await settle()
        assert only.is_active
        assert elected(cluster) == (1, 3)
        assert cluster.zookeeper.nodes[CONTROLLER_PATH].owner == only.client.session_id


async def test_a_corrupt_znode_of_the_controller_is_left_to_the_operator() -> None:
    cluster = ControllerCluster()
    cluster.register(1)
    async with member(cluster.zookeeper) as operator:
        await operator.client.create(CONTROLLER_PATH, b"no JSON", CreateMode.PERSISTENT)
        async with cluster.controller(1) as first:
            assert not first.is_active
            assert cluster.zookeeper.read(CONTROLLER_PATH) == b"no JSON"
            await operator.client.delete(CONTROLLER_PATH)
            await settle()
            assert elected(cluster) == (1, 1)


async def test_what_waited_for_a_term_that_has_ended_is_refused_in_the_next_one() -> None:
    """Its elections are in the queue too: the event that ends the term also begins the next one."""
    cluster = ControllerCluster()
    cluster.register(1, 2)
    cluster.put_topic("t", {0: (1, 2)})
    async with cluster.controller(1) as only, trio.open_nursery() as nursery:
        controller, codes = only.assembled.controller, []

        async def ask() -> None:
            with pytest.raises(ApiError) as refused:
                await controller.request("test", run)
            codes.append(refused.value.code)

        async def run() -> None:
            pytest.fail(f"run in epoch {only.assembled.context.epoch}, with {only.assembled.context.all_topics}")

        await only.client.delete(CONTROLLER_PATH)
        controller.controller_changed(-1)  # as the watch does, so that the request is behind it
        nursery.start_soon(ask)
        await settle()
        assert codes == [ErrorCode.NOT_CONTROLLER]
        assert only.is_active
        assert elected(cluster) == (1, 2)
        assert await controller.request("test", _topics(only)) == ["t"]


def _topics(candidate: Candidate) -> Callable[[], Awaitable[list[str]]]:
    """An event that returns the topics in the context."""

    async def run() -> list[str]:
        await trio.lowlevel.checkpoint()
        return list(candidate.assembled.context.all_topics)

    return run


async def test_a_changed_epoch_ends_the_term_with_the_next_write() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2)
    async with cluster.controller(1) as only:
        await only.client.set(CONTROLLER_EPOCH_PATH, b"40")
        cluster.take_sent()
        cluster.put_topic("t", {0: (1, 2)})
        await settle()
        # its own znode is removed, and it is elected anew
        assert elected(cluster) == (1, 41)
        assert only.is_active
        assert cluster.state("t", 0).controller_epoch == 41
        assert {each.request.controller_epoch for each in cluster.sent} == {41}


async def test_nothing_is_sent_after_the_session_is_lost() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2, 3)
    async with cluster.controller(1) as only:
        cluster.zookeeper.is_down = True
        cluster.zookeeper.expire(only.client)
        cluster.take_sent()
        cluster.put_topic("t", {0: (1, 2, 3)})
        cluster.unregister(2)
        await settle()
        cluster.zookeeper.up()
        await settle()
        assert {each.request.controller_epoch for each in cluster.sent} <= {2}
        assert only.assembled.context.epoch == 2
