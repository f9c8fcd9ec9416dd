"""FollowerWakeups: waiting requests of followers that do not fetch a newly led partition yet are answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from wirebroker.model import TopicPartition
from wirebroker.replication.follower_wakeups import FollowerWakeups
from wirebroker.replication.isr_updates import update_follower_fetch_state
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.tests.replication.replica_set import STATE, TOPIC_ID, ReplicaSet, started
from wirebroker.tests.storage.fakes.logs import LARGE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from trio.testing import MockClock

    from wirebroker.replication.partition import Partition

OTHER = TopicPartition("other", 0)
WAIT_MS = 500


class Leads:
    """Broker 1 of a cluster, which leads the partition of the ReplicaSet and *other*, and whose timer runs."""

    def __init__(self, cluster: ReplicaSet, other: Partition) -> None:
        self.cluster, self.other = cluster, other
        self.wakeups = FollowerWakeups(cluster.leader.replicas.purgatories.fetch)

    async def waits_ms(self, follower: int) -> float:
        """Let a follower fetch the partition that nobody writes to; return for how long the leader kept the request."""
        began = trio.current_time()
        fetched = await self.cluster.request(follower, max_wait_ms=WAIT_MS)
        assert fetched is not None
        assert not fetched.data.error_code
        return 1000 * (trio.current_time() - began)

    def fetches_other(self, follower: int) -> None:
        """Note a request of the follower for the other partition."""
        update_follower_fetch_state(self.other, follower, 0, 0, 0, trio.current_time())


@pytest.fixture
async def leads() -> AsyncIterator[Leads]:
    cluster = await started()
    leader = cluster.leader
    log = leader.logs.get_or_create(*OTHER, TOPIC_ID, LARGE, is_new=True)
    other = leader.replicas.host(OTHER, TOPIC_ID, log, 0)
    await other.make_leader(STATE)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(leader.replicas.timer.run)
        yield Leads(cluster, other)
        nursery.cancel_scope.cancel()


async def test_a_request_waits_for_its_time_without_a_new_leader(autojump_clock: MockClock, leads: Leads) -> None:
    assert await leads.waits_ms(2) == pytest.approx(WAIT_MS, abs=2)


async def test_a_request_that_waits_is_answered_at_once(autojump_clock: MockClock, leads: Leads) -> None:
    waited: list[float] = []

    async def wait() -> None:
        waited.append(await leads.waits_ms(2))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.sleep(0.1)
        leads.wakeups.leads([leads.other])
    assert waited == [pytest.approx(100, abs=2)]


async def test_requests_are_answered_soon_until_the_follower_fetches_the_partition(
    autojump_clock: MockClock, leads: Leads
) -> None:
    """The controller may tell the follower later than the leader."""
    leads.wakeups.leads([leads.other])
    assert await leads.waits_ms(2) == pytest.approx(5, abs=2)
    assert await leads.waits_ms(2) == pytest.approx(10, abs=2)
    leads.fetches_other(2)
    assert await leads.waits_ms(2) == pytest.approx(WAIT_MS, abs=2)


async def test_other_followers_are_left_alone(autojump_clock: MockClock, leads: Leads) -> None:
    leads.fetches_other(3)
    leads.wakeups.leads([leads.other])
    assert await leads.waits_ms(3) == pytest.approx(WAIT_MS, abs=2)


async def test_a_follower_that_never_fetches_is_left_to_its_own_requests(
    autojump_clock: MockClock, leads: Leads
) -> None:
    leads.wakeups.leads([leads.other])
    waited = [await leads.waits_ms(2) for _ in range(8)]
    assert waited[5] == pytest.approx(160, abs=3)
    assert waited[6:] == [pytest.approx(WAIT_MS, abs=2)] * 2


async def test_nothing_is_looked_at_again_once_all_live_followers_fetch(
    autojump_clock: MockClock, leads: Leads, monkeypatch: pytest.MonkeyPatch
) -> None:
    leads.wakeups.leads([leads.other])
    leads.fetches_other(2)
    await trio.sleep(0.01)
    assert leads.wakeups.is_pending, "broker 3 does not fetch yet"
    monkeypatch.setattr(ReplicaManager, "is_alive", lambda _, broker_id: broker_id != 3)
    await trio.sleep(0.02)
    assert not leads.wakeups.is_pending


async def test_a_partition_that_is_not_led_any_more_wakes_nobody(autojump_clock: MockClock, leads: Leads) -> None:
    leads.wakeups.leads([leads.other])
    leads.other.make_follower(STATE._replace(leader=2, leader_epoch=2, partition_epoch=2))
    assert await leads.waits_ms(2) == pytest.approx(WAIT_MS, abs=2)
