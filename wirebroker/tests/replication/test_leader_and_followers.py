"""Partition: high watermark, low watermark and acknowledgements of a leader with two followers, and their fetches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from wirebroker.handlers.fetch_context import new_context
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from wirebroker.replication.commit_wait import wait_until_committed
from wirebroker.replication.fetch_params import FetchParams
from wirebroker.replication.fetch_reader import FetchReader
from wirebroker.replication.fetch_session_cache import FetchSessionCache
from wirebroker.replication.leader_state import IsrRules
from wirebroker.replication.replica import UNKNOWN_OFFSET
from wirebroker.tests.replication.replica_set import STATE, append_each, at_log_ends, started
from wirebroker.tests.storage.fakes.logs import LARGE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from trio.testing import MockClock


async def test_the_high_watermark_is_the_least_log_end_of_the_isr() -> None:
    cluster = await started()
    await at_log_ends(cluster, 7, 6, 9)
    leader = cluster.leader.partition
    assert (leader.log.log_end_offset, leader.high_watermark) == (9, 6)
    await cluster.fetch(3)  # asks for 6, gets 6 to 8
    assert leader.high_watermark == 6
    await cluster.fetch(3)
    assert leader.high_watermark == 7
    await cluster.catch_up(2, 3)
    assert [each.partition.high_watermark for each in cluster.brokers.values()] == [9, 9, 9]


async def test_a_follower_knows_the_least_of_the_leaders_high_watermark_and_its_own_log_end() -> None:
    cluster = await started()
    await at_log_ends(cluster, 3, 4, 15)
    assert cluster.leader.partition.high_watermark == 3
    assert [each.log.log_end_offset for each in cluster.brokers.values()] == [15, 3, 4]
    assert [each.partition.high_watermark for each in cluster.brokers.values()] == [3, 3, 3]


async def test_acks_all_is_refused_below_min_insync_replicas() -> None:
    cluster = await started(config=LARGE._replace(min_insync_replicas=2))
    end = await cluster.leader.append(b"1", acks=-1)
    leader = cluster.leader.partition
    assert leader.check_enough_replicas_reach_offset(end) == (False, ErrorCode.NONE)
    await cluster.catch_up(2, 3)
    assert leader.check_enough_replicas_reach_offset(end) == (True, ErrorCode.NONE)
    await cluster.elect(1, (1,))
    assert leader.check_enough_replicas_reach_offset(end) == (True, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND)
    with pytest.raises(ApiError) as refused:
        await cluster.leader.append(b"2", acks=-1)
    assert refused.value.code is ErrorCode.NOT_ENOUGH_REPLICAS
    await cluster.leader.append(b"2")
    assert leader.high_watermark == 1  # consumers see nothing that fewer replicas have
    cluster.leader.replicas.isr_rules = IsrRules(holds_below_min_isr=False)
    await cluster.leader.append(b"3")
    assert leader.high_watermark == 3
    await cluster.elect(2, (2,))
    assert leader.check_enough_replicas_reach_offset(end) == (False, ErrorCode.NOT_LEADER_OR_FOLLOWER)


async def test_the_low_watermark_is_the_least_log_start_of_all_live_replicas() -> None:
    cluster = await started()
    await append_each(cluster, 4)
    await cluster.catch_up(2, 3)
    leader = cluster.leader.partition
    assert leader.low_watermark_if_leader() == 0
    assert await leader.delete_records(3) == 3
    assert leader.low_watermark_if_leader() == 0
    await cluster.catch_up(2)
    assert leader.low_watermark_if_leader() == 0
    await cluster.catch_up(3)
    assert leader.low_watermark_if_leader() == 3
    assert [each.log.log_start_offset for each in cluster.brokers.values()] == [3, 3, 3]
    await cluster.elect(2)
    with pytest.raises(ApiError) as refused:
        leader.low_watermark_if_leader()
    assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER


async def test_brokers_without_a_replica_and_epochs_that_are_over_are_refused() -> None:
    cluster = await started(state=STATE._replace(isr=(1, 2), replicas=(1, 2)))
    cluster.brokers[3].partition.make_follower(cluster.state)
    fetched = await cluster.request(3)
    assert fetched is not None
    assert fetched.data.error_code == ErrorCode.UNKNOWN_LEADER_EPOCH
    await cluster.elect(1, to=[1])
    fetched = await cluster.request(2)
    assert fetched is not None
    assert fetched.data.error_code == ErrorCode.FENCED_LEADER_EPOCH
    await cluster.elect(1, to=[2])
    fetched = await cluster.request(2)
    assert fetched is not None
    assert fetched.data.error_code == ErrorCode.UNKNOWN_LEADER_EPOCH
    cluster.state = cluster.state._replace(leader=2)
    await cluster.send([1])
    fetched = await cluster.request(2)
    assert fetched is not None
    assert fetched.data.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


async def test_a_waiting_fetch_of_a_follower_is_answered_when_records_are_appended(autojump_clock: MockClock) -> None:
    cluster = await started()
    responses = []

    async def fetch() -> None:
        responses.append(await cluster.request(2, max_wait_ms=5000))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(fetch)
        await trio.sleep(1.0)
        assert responses == []
        await cluster.leader.append(b"x")
    assert trio.current_time() < 2.0
    (response,) = responses
    assert response is not None
    assert response.data.records
    assert response.data.high_watermark == 0


async def test_a_leader_learns_from_a_session_how_far_a_follower_is_though_no_request_names_the_partition() -> None:
    """Fetch 8 has no leader epoch, so a follower with nothing new names a partition not even under a new leader."""
    cluster = await started()
    await append_each(cluster, 1)
    await cluster.catch_up(2, 3)
    sessions = FetchSessionCache()
    params = FetchParams(8, 2, 0, max_wait_ms=0, min_bytes=1, max_bytes=1 << 20)
    topics = [FetchTopic(topic="t", partitions=[FetchPartition(partition=0, fetch_offset=1, partition_max_bytes=1000)])]

    async def fetch(request: FetchRequest, while_it_waits: Callable[[], Awaitable[None]] | None = None) -> int:
        context = new_context(request, sessions, params, 0)
        reader = FetchReader(cluster.leader.replicas, params)
        results = await reader.read(context.partitions)
        if while_it_waits is not None:
            await while_it_waits()
            for entry in context.partitions if context.session is None else context.session.dirty_in_order():
                results.put(entry, await reader.read_one(entry))
        return context.update_and_generate_response(results).session_id

    session_id = await fetch(FetchRequest(session_epoch=0, topics=topics), lambda: cluster.elect(1))
    leader = cluster.leader.partition.leader
    assert leader is not None
    assert leader.remote_replicas[2].log_end_offset == UNKNOWN_OFFSET
    await fetch(FetchRequest(session_id=session_id, session_epoch=1))
    assert leader.remote_replicas[2].log_end_offset == 1
    await fetch(FetchRequest(session_id=session_id, session_epoch=2), lambda: cluster.elect(1))
    leader = cluster.leader.partition.leader
    assert leader is not None
    await fetch(FetchRequest(session_id=session_id, session_epoch=3))
    assert leader.remote_replicas[2].log_end_offset == 1


async def test_waits_for_replicas_end_with_the_commit_the_role_or_the_log() -> None:
    cluster = await started()
    results: list[ErrorCode] = []

    async def wait() -> None:
        partition = cluster.brokers[1].partition
        role = partition.check_leader(-1)
        results.append(await wait_until_committed(partition, role, partition.log.log_end_offset))

    await cluster.leader.append(b"1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        await cluster.catch_up(2)
        assert results == []
        await cluster.catch_up(3)
    assert results == [ErrorCode.NONE]
    await cluster.leader.append(b"2")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        await cluster.elect(2)
    assert results == [ErrorCode.NONE, ErrorCode.NOT_LEADER_OR_FOLLOWER]
    await cluster.elect(1)
    await cluster.leader.append(b"3")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        await cluster.leader.replicas.stop("t", 0, delete=True)
    assert results[2:] == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
