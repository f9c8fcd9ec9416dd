"""ControllerZkClient on the fake ZooKeeper: its contract, and requests and answers that are lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient
from wirebroker.kafka_controller.errors import ControllerMoved
from wirebroker.model import TopicPartition
from wirebroker.tests.kafka_controller.zk_client_contract import *  # noqa: F403  # the tests of the contract
from wirebroker.tests.kafka_controller.zk_client_contract import partitions, state, topic_of
from wirebroker.tests.zookeeper.fake_client import LostAnswer, LostRequest
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import member
from wirebroker.tests.zookeeper.test_fake_zookeeper import ensemble  # noqa: F401  # a fixture
from wirebroker.zookeeper.znodes.cluster import Controller

if TYPE_CHECKING:
    from wirebroker.tests.zookeeper.harness import Member

LOST = [LostRequest, LostAnswer]
STATE = "/brokers/topics/t/partitions/30/state"


async def controller(this: Member) -> tuple[ControllerZkClient, int]:
    client = ControllerZkClient(this.session)
    return client, (await client.register_controller_and_increment_epoch(1)).epoch_zk_version


@pytest.mark.parametrize("fault", LOST)
async def test_an_election_whose_answer_is_lost_is_ours(fault: type[LostRequest]) -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        this.client.faults.append(fault("/controller"))
        client = ControllerZkClient(this.session)
        assert await client.register_controller_and_increment_epoch(1) == (1, 1)
        assert zookeeper.read("/controller_epoch") == b"1"
        assert await client.create_topic_assignment(topic_of(1), 1)


async def test_an_election_that_another_broker_wins_meanwhile_is_not_ours() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this, member(zookeeper) as other:
        this.client.faults.append(LostRequest("/controller"))
        client = ControllerZkClient(this.session)

        async def look(path: str) -> object:
            # the winner has the same epoch, in another session
            await ControllerZkClient(other.session).register_controller_and_increment_epoch(1)
            this.client.get = get  # type: ignore[method-assign]
            return await get(path)

        get = this.client.get
        drop = this.client.drop_connection

        def dropped() -> None:
            this.client.get = look  # type: ignore[method-assign, assignment]
            drop()

        this.client.drop_connection = dropped  # type: ignore[method-assign]
        with pytest.raises(ControllerMoved):
            await client.register_controller_and_increment_epoch(1)
        assert Controller.decode(zookeeper.read("/controller")).broker_id == 1
        assert zookeeper.read("/controller_epoch") == b"1"


@pytest.mark.parametrize("fault", LOST)
async def test_writes_whose_answer_is_lost_are_recognized(fault: type[LostRequest]) -> None:
    async with member(FakeZooKeeper()) as this:
        client, version = await controller(this)
        for path in ("/brokers/topics/t", "/brokers/topics/t/partitions", STATE):
            this.client.faults.append(fault(path, "multi"))
        assert await client.create_topic_assignment(topic_of(60), version)
        result = await client.create_topic_partition_states(dict.fromkeys(partitions(60), state()), version)
        written = result.finished
        assert result == (dict.fromkeys(partitions(60), state(partition_epoch=0)), [], {})
        this.client.faults.append(fault(STATE, "multi"))
        result = await client.update_leader_and_isr(written, version)
        assert result == (dict.fromkeys(partitions(60), state(partition_epoch=1)), [], {})
        this.client.faults.append(fault("/brokers/topics/t", "multi"))
        await client.set_topic_assignment(topic_of(61), version)
        this.client.faults += [fault(STATE, "multi"), fault("/brokers/topics/t", "multi")]
        await client.delete_topic_znode("t", version)
        assert not this.client.faults
        assert await client.get_all_topics_in_cluster() == set()


async def test_a_leader_that_changes_its_isr_after_a_lost_answer_is_read_again() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        client, version = await controller(this)
        await client.create_topic_assignment(topic_of(40), version)
        await client.create_topic_partition_states(dict.fromkeys(partitions(40), state()), version)
        first, second = (f"/brokers/topics/t/partitions/{number}/state" for number in (0, 1))
        multi = zookeeper.multi

        def changed(*args: object) -> object:
            answer = multi(*args)  # type: ignore[arg-type]
            zookeeper.multi = multi  # type: ignore[method-assign]
            zookeeper.put(first, state(1, 1).encode())
            return answer

        zookeeper.multi = changed  # type: ignore[method-assign, assignment]
        this.client.faults.append(LostAnswer(second, "multi"))
        written = dict.fromkeys(partitions(40), state(partition_epoch=0))
        result = await client.update_leader_and_isr(written, version)
        assert result.partitions_to_retry == [TopicPartition("t", 0)]
        assert len(result.finished) == 39


async def test_a_corrupt_znode_does_not_hide_the_others(caplog: pytest.LogCaptureFixture) -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        client, version = await controller(this)
        await client.create_topic_assignment(topic_of(1), version)
        zookeeper.put("/brokers/topics/bad", b"{")
        zookeeper.put("/brokers/ids/5", b"")
        assert list(await client.get_replica_assignment_and_topic_ids_for_topics(["bad", "t"])) == ["t"]
        assert await client.get_all_brokers_and_epochs_in_cluster() == []
        assert [record.levelname for record in caplog.records] == ["ERROR", "ERROR"]
