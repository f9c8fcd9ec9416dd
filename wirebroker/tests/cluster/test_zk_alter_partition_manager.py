"""ZkAlterPartitionManager on the fake ZooKeeper: lost answers, other versions, other leaders, notifications."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from wirebroker.cluster.zk_alter_partition_manager import ZkAlterPartitionManager
from wirebroker.model import LeaderAndIsr, LeaderRecoveryState, TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.alter_partition_manager import AlterPartitionItem
from wirebroker.tests.zookeeper.fake_client import FakeClient, LostAnswer, LostRequest
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper.errors import NoAuth
from wirebroker.zookeeper.znodes.notifications import decode_isr_change
from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch, partition_state_path

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from wirebroker.zookeeper.operations import Stat

P = TopicPartition("t", 0)
PATH = partition_state_path(P)
STATE = LeaderIsrAndControllerEpoch(1, 5, (1, 2, 3), 9)
PROPOSAL = LeaderAndIsr(1, 5, (1, 2), 0, (1, 2, 3), controller_epoch=9)


class Submitter:
    """Submits proposals, and keeps the answers."""

    def __init__(self, zookeeper: FakeZooKeeper, client: FakeClient, manager: ZkAlterPartitionManager) -> None:
        self.zookeeper, self.client, self.manager = zookeeper, client, manager
        self.answers: list[LeaderAndIsr | ErrorCode] = []

    def submit(self, proposal: LeaderAndIsr = PROPOSAL, partition: TopicPartition = P) -> None:
        self.manager.submit(AlterPartitionItem(partition, bytes(16), proposal, self.answers.append))

    def state(self, path: str = PATH) -> tuple[LeaderIsrAndControllerEpoch, int]:
        node = self.zookeeper.nodes[path]
        return LeaderIsrAndControllerEpoch.decode(P, node.data), node.version

    def notifications(self) -> list[list[TopicPartition]]:
        paths = [f"/isr_change_notification/{name}" for name in self.zookeeper.children("/isr_change_notification")]
        return [decode_isr_change(path, self.zookeeper.read(path)) for path in paths]


@asynccontextmanager
async def leader() -> AsyncIterator[Submitter]:
    zookeeper = FakeZooKeeper()
    zookeeper.put(PATH, STATE.encode())
    async with member(zookeeper) as this:
        manager = ZkAlterPartitionManager(this.session)
        this.nursery.start_soon(manager.run)
        yield Submitter(zookeeper, this.client, manager)


@pytest.mark.parametrize("faults", [[], [LostRequest(PATH)], [LostAnswer(PATH)], [LostRequest(PATH), LostAnswer(PATH)]])
async def test_a_change_is_written_once_whatever_is_lost(faults: list[LostRequest]) -> None:
    async with leader() as this:
        this.client.faults += faults
        this.submit()
        assert this.answers == []
        await wait_all_tasks_blocked()
        assert this.answers == [PROPOSAL._replace(partition_epoch=1)]
        assert this.state() == (STATE._replace(isr=(1, 2)), 1)


async def test_another_change_of_the_same_leader_epoch_is_adopted() -> None:
    async with leader() as this:
        this.zookeeper.put(PATH, STATE._replace(isr=(1, 3)).encode())
        this.submit()
        await wait_all_tasks_blocked()
        assert this.answers == [PROPOSAL._replace(isr=(1, 3), partition_epoch=1)]
        assert this.state() == (STATE._replace(isr=(1, 3)), 1)


@pytest.mark.parametrize("newer", [STATE._replace(leader=2, leader_epoch=6), STATE._replace(leader_epoch=6, isr=(1,))])
@pytest.mark.parametrize("faults", [[], [LostRequest(PATH)]])
async def test_a_leader_that_was_replaced_changes_nothing(
    newer: LeaderIsrAndControllerEpoch, faults: list[LostRequest], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with leader() as this:
        this.client.faults += faults
        this.zookeeper.put(PATH, newer.encode())
        this.submit()
        await wait_all_tasks_blocked()
        assert this.answers == [ErrorCode.FENCED_LEADER_EPOCH]
        assert this.state() == (newer, 1)
        assert f"broker {newer.leader} leads in epoch 6 by now" in caplog.text


async def test_a_partition_that_is_gone_or_corrupt_waits_for_its_controller() -> None:
    async with leader() as this:
        this.submit(partition=TopicPartition("gone", 0))
        await wait_all_tasks_blocked()
        this.zookeeper.put(PATH, b"?")
        this.submit()
        await wait_all_tasks_blocked()
        assert this.answers == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INVALID_REQUEST]


async def test_a_leader_that_has_recovered_says_so() -> None:
    async with leader() as this:
        this.zookeeper.put(PATH, STATE._replace(isr=(1,), is_recovering=True).encode())
        alone = PROPOSAL._replace(partition_epoch=1, isr=(1,))
        this.submit(alone._replace(leader_recovery_state=LeaderRecoveryState.RECOVERING))
        await wait_all_tasks_blocked()
        assert this.state()[0].is_recovering
        this.submit(alone._replace(partition_epoch=2))
        await wait_all_tasks_blocked()
        assert not this.state()[0].is_recovering
        assert [answer.leader_recovery_state.name for answer in this.answers if isinstance(answer, LeaderAndIsr)] == [
            "RECOVERING",
            "RECOVERED",
        ]


async def test_a_change_waits_for_zookeeper() -> None:
    async with leader() as this:
        this.zookeeper.down()
        this.submit()
        await wait_all_tasks_blocked()
        assert this.answers == []
        this.zookeeper.expire(this.client)
        this.zookeeper.up()
        await wait_all_tasks_blocked()
        assert this.answers == [PROPOSAL._replace(partition_epoch=1)]


async def test_a_refused_write_is_tried_again(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with leader() as this:
        accepted = this.client.set

        async def refuse(path: str, data: bytes | None, version: int = -1) -> Stat:
            if trio.current_time() < before + 2.5:
                raise NoAuth(path)
            return await accepted(path, data, version)

        before = trio.current_time()
        monkeypatch.setattr(this.client, "set", refuse)
        this.submit()
        await trio.sleep(3.5)
        assert this.answers == [PROPOSAL._replace(partition_epoch=1)]
        assert caplog.text.count("ZooKeeper refuses the change") == 3


async def test_notifications_name_many_changes_after_five_quiet_seconds(autojump_clock: MockClock) -> None:
    async with leader() as this:
        partitions = [TopicPartition("t", number) for number in range(3)]
        for partition in partitions:
            this.zookeeper.put(partition_state_path(partition), STATE.encode())
            this.submit(PROPOSAL._replace(partition_epoch=this.state(partition_state_path(partition))[1]), partition)
            await trio.sleep(2)
        await trio.sleep(2.9)
        assert this.notifications() == []
        await trio.sleep(2.7)
        assert this.notifications() == [partitions]
        await trio.sleep(70)
        assert this.notifications() == [partitions]


async def test_notifications_do_not_wait_for_more_than_a_minute(autojump_clock: MockClock) -> None:
    async with leader() as this:
        for version in range(80):
            this.submit(PROPOSAL._replace(partition_epoch=version))
            await trio.sleep(1)
        assert this.notifications() == [[P]]
        await trio.sleep(10)
        assert this.notifications() == [[P], [P]]


async def test_a_notification_whose_answer_is_lost_is_not_forgotten(autojump_clock: MockClock) -> None:
    async with leader() as this:
        this.submit()
        await wait_all_tasks_blocked()
        this.client.faults += [LostRequest(), LostRequest()]
        await trio.sleep(10)
        assert this.notifications() == [[P]]
