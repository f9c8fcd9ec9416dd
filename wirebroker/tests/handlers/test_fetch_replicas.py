"""Fetch at a leader with followers: replication throttles (KIP-73) and preferred read replicas (KIP-392)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.metadata.image import BrokerImage
from wirebroker.model import LeaderAndIsr
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import ReplicaState
from wirebroker.quota.rate import QuotaWindow
from wirebroker.quota.replication_quota import ReplicationQuota
from wirebroker.tests.handlers.fetch_harness import FetchHarness, answers

if TYPE_CHECKING:
    from trio.testing import MockClock

    from wirebroker.protocol.messages.fetch import FetchResponse, PartitionData

FOLLOWER: dict[str, Any] = {"replica_state": ReplicaState(1, -1)}
NEAR: dict[str, Any] = {"rack_id": "b"}


async def leading(*isr: int) -> FetchHarness:
    """Broker 0 leads three partitions whose other replica is on broker 1, in rack b."""
    harness = FetchHarness()
    await lead(harness, 1, *isr)
    harness.metadata.image.brokers[1] = BrokerImage(1, 0, (), "b")
    for index in range(3):
        await harness.append(index, b"x" * 100)
    return harness


async def lead(harness: FetchHarness, epoch: int, *isr: int) -> None:
    for index in range(3):
        await harness.partition(index).make_leader(LeaderAndIsr(0, epoch, isr, epoch, (0, 1)))


def throttle(harness: FetchHarness, *replicas: str, limit: float = 1.0) -> ReplicationQuota:
    """Throttle replicas ("partition:broker") of the topic, with a quota that is used up."""
    for index in range(3):
        log = harness.partition(index).log
        log.config = log.config._replace(leader_replication_throttled_replicas=replicas)
    quota = harness.replicas.leader_quota = ReplicationQuota(0, QuotaWindow(), limit)
    quota.record(1 << 20, 0)
    return quota


def with_records(partitions: dict[int, PartitionData]) -> list[int]:
    return [index for index, data in partitions.items() if data.records]


async def test_throttled_followers_out_of_sync_get_no_records(autojump_clock: MockClock) -> None:
    harness = await leading(0)
    throttle(harness, "0:0", "1:1")
    found = await harness.fetch({0: 0, 1: 0, 2: 0}, **FOLLOWER)
    assert with_records(found) == [1, 2]
    assert (found[0].error_code, found[0].high_watermark) == (0, harness.partition(0).high_watermark)
    leader = harness.partition(0).leader
    assert leader is not None
    assert leader.remote_replicas[1].log_end_offset == 0, "it is known how far the follower is"


async def test_followers_in_the_isr_and_consumers_are_never_held_back(autojump_clock: MockClock) -> None:
    harness = await leading(0, 1)
    throttle(harness, "*")
    assert with_records(await harness.fetch({0: 0, 1: 0, 2: 0}, **FOLLOWER)) == [0, 1, 2]
    await lead(harness, 2, 0)
    assert with_records(await harness.fetch({0: 0}, replica_state=ReplicaState(-2, -1))) == [0]
    assert with_records(await harness.fetch({0: 0}, **FOLLOWER)) == []


@pytest.mark.parametrize("isr", [(0,), (0, 1)])
async def test_bytes_of_throttled_replicas_count_and_others_do_not(
    isr: tuple[int, ...], autojump_clock: MockClock
) -> None:
    harness = await leading(*isr)
    throttle(harness, "1:0")
    recorded: list[int] = []

    class RecordingQuota(ReplicationQuota):
        def record(self, size_bytes: int, now_ms: int) -> None:
            recorded.append(size_bytes)

    harness.replicas.leader_quota = RecordingQuota(0, QuotaWindow(), 1.0)
    found = await harness.fetch({0: 0, 1: 0, 2: 0}, **FOLLOWER)
    records: Any = found[1].records
    assert recorded == [records.size_bytes]
    await harness.fetch({0: 0, 1: 0})
    assert len(recorded) == 1


async def test_a_throttled_partition_goes_on_in_its_session_when_there_is_room(autojump_clock: MockClock) -> None:
    harness = await leading(0)
    quota = throttle(harness, "*")
    opened = await harness.ask(harness.request({0: 0}, session_epoch=0, **FOLLOWER))
    assert with_records(answers(opened)) == []
    session: dict[str, Any] = {"session_id": opened.session_id, **FOLLOWER}
    assert with_records(await harness.fetch({}, session_epoch=1, **session)) == []
    quota.limit = None
    assert with_records(await harness.fetch({}, session_epoch=2, **session)) == [0]


async def caught_up(selects: bool = True) -> FetchHarness:
    """A leader whose followers have all records."""
    harness = await leading(0, 1)
    await harness.fetch({0: 1, 1: 1, 2: 1}, **FOLLOWER)
    harness.replicas.selects_by_rack = selects
    return harness


def preferred(response: FetchResponse) -> dict[int, int]:
    return {index: data.preferred_read_replica for index, data in answers(response).items()}


async def test_a_consumer_is_sent_to_the_follower_in_its_rack(autojump_clock: MockClock) -> None:
    harness = await caught_up()
    response = await harness.ask(harness.request({0: 0, 1: 1}, max_wait_ms=500, **NEAR))
    assert preferred(response) == {0: 1, 1: 1}
    assert with_records(answers(response)) == []
    assert answers(response)[0].high_watermark == 1


@pytest.mark.parametrize(("version", "request_of"), [(17, {}), (17, {"rack_id": "c"}), (17, FOLLOWER | NEAR), (10, {})])
async def test_others_read_from_the_leader(version: int, request_of: dict[str, Any], autojump_clock: MockClock) -> None:
    harness = await caught_up()
    response = await harness.ask(harness.request({0: 0}, version=version, **request_of), version)
    assert preferred(response) == {0: -1}
    assert with_records(answers(response)) == [0]


async def test_the_leader_serves_everybody_without_the_selector(autojump_clock: MockClock) -> None:
    harness = await caught_up(selects=False)
    response = await harness.ask(harness.request({0: 0}, **NEAR))
    assert preferred(response) == {0: -1}
    assert with_records(answers(response)) == [0]


async def test_a_session_repeats_the_preferred_replica(autojump_clock: MockClock) -> None:
    harness = await caught_up()
    opened = await harness.ask(harness.request({0: 1}, session_epoch=0, **NEAR))
    assert preferred(opened) == {0: 1}
    request = harness.request({}, session_id=opened.session_id, session_epoch=1, **NEAR)
    assert preferred(await harness.ask(request)) == {0: 1}


@pytest.mark.parametrize(
    ("version", "replica_id", "served"),
    [(8, -2, True), (8, -1, False), (10, -2, True), (10, 1, False), (11, -1, True)],
)
async def test_tools_of_old_releases_read_from_followers(
    version: int, replica_id: int, served: bool, autojump_clock: MockClock
) -> None:
    harness = await caught_up()
    harness.partition(0).make_follower(LeaderAndIsr(1, 2, (0, 1), 2, (0, 1)))
    request = harness.request({0: 0}, version=version, replica_id=replica_id)

    async def answer() -> tuple[int, bool]:
        data = answers(await harness.ask(request, version))[0]
        return data.error_code, bool(data.records)

    refused = (ErrorCode.NOT_LEADER_OR_FOLLOWER, False)
    assert await answer() == ((0, True) if version >= 11 else refused)
    harness.replicas.serves_debugging_from_followers = True
    assert await answer() == ((0, True) if served else refused)
