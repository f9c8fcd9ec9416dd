"""LeadershipGuard on the fake ZooKeeper: the requests that wait for the end of a doubt, for what, and for how long."""

from __future__ import annotations

from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from trio.testing import MockClock, wait_all_tasks_blocked

from wirebroker.cluster.leadership_guard import LeadershipGuard
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.tests.zookeeper.client_contract import info
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import Member, member
from wirebroker.zookeeper.registration import BrokerRegistration

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


async def answer(_: Any, request: Any) -> Any:
    return request


class GuardedBroker:
    """A registered broker that leads a partition, and what its guarded handlers have answered."""

    def __init__(self, zookeeper: FakeZooKeeper, this: Member) -> None:
        self.zookeeper, self.client, self.nursery = zookeeper, this.client, this.nursery
        self.leads = True
        self.registration = BrokerRegistration(this.session, info())
        self.guard = LeadershipGuard(this.session, self.registration, lambda: self.leads)
        self.answers: list[Any] = []

    def ask(self, request: int, api_key: int = ApiKey.PRODUCE) -> None:
        async def serve() -> None:
            try:
                self.answers.append(await self.guard(api_key, answer)(None, request))
            except ProtocolError as error:
                self.answers.append(str(error))

        self.nursery.start_soon(serve)

    def ask_as_controller(self, api_key: int, broker_epoch: int) -> None:
        """Send a request of the controller, whose broker epoch is the answer."""

        async def serve() -> None:
            request = SimpleNamespace(broker_epoch=broker_epoch, error_code=0)
            try:
                self.answers.append((await self.guard(api_key, answer)(None, request)).broker_epoch)
            except ProtocolError as error:
                self.answers.append(str(error))

        self.nursery.start_soon(serve)

    async def obey(self, broker_epoch: int = -1, error_code: int = 0) -> None:
        """Serve a LeaderAndIsr for *broker_epoch*, which requests below protocol 2.2 do not have."""
        request = SimpleNamespace(broker_epoch=broker_epoch, error_code=error_code)
        await self.guard(ApiKey.LEADER_AND_ISR, answer)(None, request)

    async def update_metadata(self, error_code: int = 0) -> None:
        """Serve an UpdateMetadata."""
        await self.guard(ApiKey.UPDATE_METADATA, answer)(None, SimpleNamespace(error_code=error_code))


@asynccontextmanager
async def starting_broker() -> AsyncIterator[GuardedBroker]:
    """A broker that is not registered."""
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        guarded = GuardedBroker(zookeeper, this)
        this.nursery.start_soon(guarded.guard.run)
        await wait_all_tasks_blocked()
        yield guarded


@asynccontextmanager
async def broker() -> AsyncIterator[GuardedBroker]:
    """A broker that is registered, and that a controller has told of its cluster."""
    async with starting_broker() as guarded:
        await guarded.registration.register()
        guarded.nursery.start_soon(guarded.registration.run)
        await guarded.update_metadata()
        await wait_all_tasks_blocked()
        yield guarded


async def run_normally(clock: MockClock, seconds: float) -> None:
    for _ in range(round(seconds * 10)):
        clock.jump(0.1)
        await wait_all_tasks_blocked()


async def test_requests_are_served_at_once_without_a_pause(mock_clock: MockClock) -> None:
    async with broker() as this:
        this.ask(1)
        await wait_all_tasks_blocked()
        assert this.answers == [1]
        this.zookeeper.down()  # silence alone is no reason to doubt
        await run_normally(mock_clock, 60)
        this.ask(2)
        await wait_all_tasks_blocked()
        assert this.answers == [1, 2]


async def test_a_pause_within_the_session_is_settled_by_one_read(mock_clock: MockClock) -> None:
    async with broker() as this:
        this.zookeeper.down()
        await wait_all_tasks_blocked()
        mock_clock.jump(4)
        this.ask(1)
        await run_normally(mock_clock, 1)
        assert this.answers == []
        this.zookeeper.up()
        await run_normally(mock_clock, 0.2)
        assert this.answers == [1]


@pytest.mark.parametrize("has_epochs", [True, False])
async def test_a_new_registration_waits_for_the_controller(has_epochs: bool, mock_clock: MockClock) -> None:
    async with broker() as this:
        before = this.registration.broker_epoch
        await this.obey(before)
        this.zookeeper.expire(this.client)
        await wait_all_tasks_blocked()
        this.ask(1)
        this.ask_as_controller(ApiKey.UPDATE_METADATA, 2)
        await run_normally(mock_clock, 2)
        assert await this.registration.is_still_there()
        assert this.answers == [2]
        if has_epochs:
            await this.obey(before)
            await run_normally(mock_clock, 1)
            assert this.answers == [2]
        await this.obey(this.registration.broker_epoch if has_epochs else -1)
        await run_normally(mock_clock, 0.2)
        assert this.answers == [2, 1]


async def test_a_broker_that_leads_nothing_waits_for_its_registration_only(mock_clock: MockClock) -> None:
    async with broker() as this:
        this.leads = False
        this.zookeeper.expire(this.client)
        this.ask(1)
        await run_normally(mock_clock, 0.2)
        assert this.answers == [1]


async def test_a_doubt_that_lasts_closes_the_connection(mock_clock: MockClock) -> None:
    async with broker() as this:
        this.zookeeper.expire(this.client)
        await wait_all_tasks_blocked()
        this.ask(1)
        await run_normally(mock_clock, 9.8)
        assert this.answers == []
        await run_normally(mock_clock, 0.5)
        assert this.answers == ["leadership is in doubt, and was not confirmed in 10 s"]


async def test_a_refused_request_of_a_controller_settles_nothing(mock_clock: MockClock) -> None:
    async with broker() as this:
        this.zookeeper.expire(this.client)
        await wait_all_tasks_blocked()
        await this.obey(error_code=11)
        this.ask(1)
        await run_normally(mock_clock, 1)
        assert this.answers == []


def test_a_guarded_table_wraps_each_handler_once() -> None:
    table, plain = RouteTable(), RouteTable()
    wrapped: list[tuple[int, Any]] = []

    def guard(api_key: int, inner: Any) -> Any:
        wrapped.append((api_key, inner))
        return answer

    table.guard(guard)
    found, unguarded = table.find(ApiKey.PRODUCE, 9), plain.find(ApiKey.PRODUCE, 9)
    assert found is not None
    assert unguarded is not None
    assert found.handler is answer
    assert table.find(ApiKey.PRODUCE, 9) is found
    assert wrapped == [(ApiKey.PRODUCE, unguarded.handler)]


async def test_clients_wait_for_the_first_update_metadata_after_a_start(mock_clock: MockClock) -> None:
    async with starting_broker() as this:
        await this.registration.register()
        for number, api_key in enumerate([ApiKey.METADATA, ApiKey.API_VERSIONS, ApiKey.FIND_COORDINATOR]):
            this.ask(number, api_key)
        await this.update_metadata(error_code=11)  # of a controller that was replaced
        await run_normally(mock_clock, 5)
        assert this.answers == []
        await this.update_metadata()
        await wait_all_tasks_blocked()
        assert sorted(this.answers) == [0, 1, 2]


async def test_clients_without_a_controller_are_sent_away(mock_clock: MockClock) -> None:
    async with starting_broker() as this:
        await this.registration.register()
        this.ask(1, ApiKey.METADATA)
        await run_normally(mock_clock, 9.8)
        assert this.answers == []
        await run_normally(mock_clock, 0.4)
        assert this.answers == ["the controller has said nothing to this broker in 10 s"]


@pytest.mark.parametrize("api_key", [ApiKey.LEADER_AND_ISR, ApiKey.STOP_REPLICA, ApiKey.UPDATE_METADATA])
async def test_the_controller_waits_for_the_registration(api_key: ApiKey, mock_clock: MockClock) -> None:
    async with starting_broker() as this:
        this.ask_as_controller(api_key, 7)
        await run_normally(mock_clock, 5)
        assert this.answers == []
        await this.registration.register()
        await wait_all_tasks_blocked()
        assert this.answers == [7]
        this.ask_as_controller(api_key, 8)
        await wait_all_tasks_blocked()
        assert this.answers == [7, 8]
