"""BrokerRegistration under faults; the ordinary ways are in client_contract.py."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from wirebroker.tests.zookeeper.client_contract import info
from wirebroker.tests.zookeeper.fake_client import LostAnswer, LostRequest
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper.operations import CreateMode
from wirebroker.zookeeper.registration import BrokerRegistration, DuplicateBrokerId

PATH = "/brokers/ids/1"


@pytest.mark.parametrize("fault", [LostRequest(PATH), LostAnswer(PATH)])
async def test_a_lost_request_or_answer_is_found_out(fault: LostRequest) -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        this.client.faults.append(fault)
        registration = BrokerRegistration(this.session, info())
        assert await registration.register() == zookeeper.nodes[PATH].czxid
        assert zookeeper.nodes[PATH].owner == this.session.session_id


async def test_the_znode_of_a_former_session_is_replaced() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        registration = BrokerRegistration(this.session, info())
        before = await registration.register()
        this.nursery.start_soon(registration.run)
        # ZOOKEEPER-2985: a server that keeps the ephemeral znode of a session that has expired
        owner, zookeeper.nodes[PATH].owner = zookeeper.nodes[PATH].owner, 0
        zookeeper.expire(this.client)
        zookeeper.nodes[PATH].owner = owner
        await wait_all_tasks_blocked()
        assert registration.broker_epoch == zookeeper.nodes[PATH].czxid > before
        assert zookeeper.nodes[PATH].owner == this.session.session_id != owner


async def test_an_earlier_process_that_lives_on_is_a_duplicate(autojump_clock: MockClock) -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as first, member(zookeeper) as second:
        await BrokerRegistration(first.session, info()).register()
        with pytest.raises(DuplicateBrokerId, match=r"whose session 0x[0-9a-f]+ lives: another process of it"):
            await BrokerRegistration(second.session, info()).register()
        assert zookeeper.nodes[PATH].owner == first.session.session_id


async def test_the_id_of_an_earlier_process_stays_away_for_controllers_that_compare_ids(
    autojump_clock: MockClock,
) -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as first, member(zookeeper) as second:
        await BrokerRegistration(first.session, info()).register()
        registered_s: list[float] = []
        again = BrokerRegistration(second.session, info(), lambda _: registered_s.append(trio.current_time()), 2.0)
        second.nursery.start_soon(again.register)
        await wait_all_tasks_blocked()
        gone_s = trio.current_time()
        zookeeper.expire(first.client)
        await trio.sleep(1.9)
        assert PATH not in zookeeper.nodes
        await trio.sleep(0.2)
        assert zookeeper.nodes[PATH].owner == second.session.session_id
        assert registered_s == [pytest.approx(gone_s + 2.0, abs=0.05)]


async def test_a_corrupt_registration_of_another_session_is_a_duplicate() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as first, member(zookeeper) as second:
        await first.client.create(PATH, b"{", CreateMode.EPHEMERAL)
        with pytest.raises(DuplicateBrokerId, match=r"registered by another broker: \{;"):
            await BrokerRegistration(second.session, info()).register()


async def test_a_connection_that_comes_back_with_its_session_registers_nothing() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        epochs: list[int] = []
        registration = BrokerRegistration(this.session, info(), epochs.append)
        await registration.register()
        this.nursery.start_soon(registration.run)
        zookeeper.down()
        await wait_all_tasks_blocked()
        zookeeper.up()
        await wait_all_tasks_blocked()
        assert len(epochs) == 1
        assert await registration.is_still_there()
