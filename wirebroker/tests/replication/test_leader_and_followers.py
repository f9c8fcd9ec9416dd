"""Partition: high watermark, ISR and truncation of three replicas, in the scenarios that Kafka's design is about."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.fetch import FetchPartition
from wirebroker.replication.commit_wait import wait_until_committed
from wirebroker.replication.fetch_session import CachedPartition, FetchSession, ReaderKind, TopicKey
from wirebroker.replication.leader_state import IsrRules
from wirebroker.replication.partition_state import CommittedPartitionState, PendingExpandIsr, PendingShrinkIsr
from wirebroker.tests.replication.replica_set import BROKERS, STATE, ReplicaSet
from wirebroker.tests.storage.fakes.logs import LARGE

if TYPE_CHECKING:
    from trio.testing import MockClock


async def started(**options: object) -> ReplicaSet:
    cluster = ReplicaSet(**options)  # type: ignore[arg-type]
    await cluster.send()
    return cluster


async def append_each(cluster: ReplicaSet, count: int) -> None:
    for number in range(count):
        await cluster.leader.append(b"%d" % number)


async def at_log_ends(cluster: ReplicaSet, second: int, third: int, leader: int) -> None:
    """Followers 2 and 3 have as many records, and have told the leader so."""
    await append_each(cluster, min(second, third))
    await cluster.catch_up(2, 3)
    ahead = 2 if second > third else 3
    await append_each(cluster, abs(second - third))
    await cluster.catch_up(ahead)
    await append_each(cluster, leader - max(second, third))


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


async def test_a_lagging_follower_leaves_the_isr_and_comes_back(mock_clock: MockClock) -> None:
    cluster = await started()
    await at_log_ends(cluster, 7, 6, 9)
    mock_clock.jump(9.0)
    await cluster.catch_up(2)
    leader = cluster.leader.partition
    leader.maybe_shrink_isr()
    assert cluster.leader.submitted == []  # not yet
    mock_clock.jump(2.0)
    leader.maybe_shrink_isr()
    (item,) = cluster.leader.submitted
    assert item.leader_and_isr.isr == (1, 2)
    assert leader.leader is not None
    assert isinstance(leader.leader.partition_state, PendingShrinkIsr)
    assert leader.high_watermark == 6  # until the removal is committed
    leader.maybe_shrink_isr()
    assert len(cluster.leader.submitted) == 1
    cluster.answer_all()
    assert leader.high_watermark == 9
    assert leader.leader_and_isr is not None
    assert (leader.leader_and_isr.isr, leader.leader_and_isr.partition_epoch) == ((1, 2), 2)
    await cluster.fetch(3)
    assert cluster.leader.submitted == []  # it has asked for 6, and 9 is committed
    await cluster.fetch(3)
    (item,) = cluster.leader.submitted
    assert item.leader_and_isr.isr == (1, 2, 3)
    assert isinstance(leader.leader.partition_state, PendingExpandIsr)
    await cluster.leader.append(b"x")
    await cluster.catch_up(2)
    assert leader.high_watermark == 9  # a replica that may be in the ISR holds it back at once
    cluster.answer_all()
    await cluster.catch_up(2, 3)
    assert leader.high_watermark == 10
    assert cluster.state.isr == (1, 2, 3)


async def without_followers_in_the_isr() -> ReplicaSet:
    """The leader is alone in the ISR; both followers have all records but the last look, and have not said so."""
    cluster = await started()
    cluster.state = cluster.state._replace(isr=(1,))
    await cluster.elect(1, isr=(1,))
    await append_each(cluster, 3)
    await cluster.fetch(2, 3)
    return cluster


async def test_two_followers_that_catch_up_at_once_join_the_isr_one_after_the_other() -> None:
    cluster = await without_followers_in_the_isr()
    await cluster.fetch(2, 3)  # each for the last time, as a session names no partition without news
    (item,) = cluster.leader.submitted
    assert item.leader_and_isr.isr == (1, 2)
    cluster.answer_all()
    assert cluster.state.isr == (1, 2, 3)


async def test_a_follower_that_was_refused_joins_the_isr_later() -> None:
    cluster = await without_followers_in_the_isr()
    await cluster.fetch(2)
    cluster.leader.submitted.pop().completed(ErrorCode.INELIGIBLE_REPLICA)
    assert cluster.leader.submitted == []
    cluster.leader.partition.maybe_shrink_isr()
    cluster.answer_all()
    assert cluster.state.isr == (1, 2)


async def test_a_follower_that_fetched_before_it_was_known_to_live_joins_the_isr_later() -> None:
    cluster = await without_followers_in_the_isr()
    metadata = cluster.leader.replicas.metadata
    image = metadata.image
    metadata.publish(replace(image, brokers={each: image.brokers[each] for each in (1, 3)}), ())
    await cluster.fetch(2)
    cluster.leader.partition.maybe_shrink_isr()
    assert cluster.leader.submitted == []
    metadata.publish(image, ())
    cluster.leader.partition.maybe_shrink_isr()
    cluster.answer_all()
    assert cluster.state.isr == (1, 2)


@pytest.mark.parametrize("code", [ErrorCode.OPERATION_NOT_ATTEMPTED, ErrorCode.INELIGIBLE_REPLICA])
async def test_a_proposal_that_was_not_applied_is_reverted(code: ErrorCode, mock_clock: MockClock) -> None:
    cluster = await started()
    await at_log_ends(cluster, 1, 0, 1)
    mock_clock.jump(11.0)
    await cluster.catch_up(2)
    leader = cluster.leader.partition
    leader.maybe_shrink_isr()
    cluster.leader.submitted.pop().completed(code)
    assert leader.leader is not None
    assert isinstance(leader.leader.partition_state, CommittedPartitionState)
    assert leader.leader.partition_state.isr == BROKERS
    leader.maybe_shrink_isr()
    assert len(cluster.leader.submitted) == 1


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.INVALID_UPDATE_VERSION,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.NEW_LEADER_ELECTED,
    ],
)
async def test_a_proposal_of_which_the_outcome_is_unknown_stays_pending_until_the_controller_says_more(
    code: ErrorCode, mock_clock: MockClock
) -> None:
    cluster = await started()
    await at_log_ends(cluster, 1, 0, 1)
    mock_clock.jump(11.0)
    await cluster.catch_up(2)
    leader = cluster.leader.partition
    leader.maybe_shrink_isr()
    cluster.leader.submitted.pop().completed(code)
    leader.maybe_shrink_isr()
    assert cluster.leader.submitted == []
    assert leader.high_watermark == 0
    await cluster.elect(1, (1, 2))
    await cluster.catch_up(2)
    assert leader.high_watermark == 1


async def test_a_proposal_that_failed_otherwise_is_submitted_again(mock_clock: MockClock) -> None:
    cluster = await started()
    await at_log_ends(cluster, 1, 0, 1)
    mock_clock.jump(11.0)
    await cluster.catch_up(2)
    cluster.leader.partition.maybe_shrink_isr()
    cluster.leader.submitted.pop().completed(ErrorCode.NOT_CONTROLLER)
    assert [each.leader_and_isr.isr for each in cluster.leader.submitted] == [(1, 2)]


async def test_answers_for_a_former_leader_epoch_change_nothing(mock_clock: MockClock) -> None:
    cluster = await started()
    await at_log_ends(cluster, 1, 0, 1)
    mock_clock.jump(11.0)
    await cluster.catch_up(2)
    cluster.leader.partition.maybe_shrink_isr()
    item = cluster.leader.submitted.pop()
    await cluster.elect(1)
    item.completed(item.leader_and_isr._replace(partition_epoch=9))
    state = cluster.leader.partition.leader_and_isr
    assert state is not None
    assert (state.isr, state.partition_epoch) == (BROKERS, 2)


async def test_a_follower_that_reads_up_to_an_old_log_end_of_a_busy_leader_is_caught_up(mock_clock: MockClock) -> None:
    cluster = await started()
    for _ in range(6):  # never at the log end when it asks
        await cluster.fetch(2, 3)
        await cluster.leader.append(b"x", b"y")
        mock_clock.jump(5.0)
    cluster.leader.partition.maybe_shrink_isr()
    assert cluster.leader.submitted == []


async def test_acks_all_is_refused_below_min_insync_replicas() -> None:
    cluster = await started(config=replace(LARGE, min_insync_replicas=2))
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


async def test_a_restarted_follower_keeps_records_above_its_high_watermark_that_the_leader_has() -> None:
    """With the high watermark alone (before KIP-101) the second record would be lost."""
    cluster = await started(state=STATE._replace(isr=(1, 2), replicas=(1, 2)))
    await append_each(cluster, 2)
    await cluster.fetch(2)
    assert (cluster.brokers[2].log.log_end_offset, cluster.brokers[2].partition.high_watermark) == (2, 0)
    await cluster.fetch(2)
    assert cluster.leader.partition.high_watermark == 2
    cluster.brokers[2].restart(0)
    await cluster.elect(1, (1, 2))
    await cluster.fetch(2)
    assert cluster.brokers[2].log.log_end_offset == 2
    await cluster.elect(2, (2,), to=[2])
    assert [value for _, value in cluster.leader.records()] == [b"0", b"1"]
    assert cluster.leader.partition.high_watermark == 2


async def test_truncation_to_the_high_watermark_loses_what_the_leader_had_acknowledged() -> None:
    """The same scenario for logs of old formats, which have no epochs."""
    cluster = await started(state=STATE._replace(isr=(1, 2), replicas=(1, 2)))
    await append_each(cluster, 2)
    await cluster.fetch(2)
    await cluster.fetch(2)
    follower = cluster.brokers[2]
    follower.restart(1)
    await cluster.elect(1, (1, 2))
    assert await follower.partition.truncate_to(follower.partition.high_watermark, 2) == 1
    await cluster.elect(2, (2,), to=[2])
    assert [value for _, value in follower.records()] == [b"0"]


async def test_diverged_logs_are_made_equal_by_epochs() -> None:
    cluster = await started(state=STATE._replace(isr=(1, 2), replicas=(1, 2)))
    await append_each(cluster, 1)
    await cluster.catch_up(2)
    await cluster.leader.append(b"only here")
    cluster.brokers[1].restart(1)
    await cluster.elect(2, (2,), to=[2])
    await cluster.leader.append(b"another")
    await cluster.leader.append(b"one more")
    await cluster.send([1])
    await cluster.catch_up(1)
    assert cluster.brokers[1].records() == cluster.brokers[2].records()
    assert [value for _, value in cluster.brokers[1].records()] == [b"0", b"another", b"one more"]
    assert cluster.brokers[1].log.leader_epoch_cache.entries == cluster.brokers[2].log.leader_epoch_cache.entries


async def test_double_failover_leaves_no_record_of_the_epochs_that_were_lost() -> None:
    cluster = await started()
    await append_each(cluster, 1)
    await cluster.catch_up(2, 3)
    await cluster.leader.append(b"epoch 1, lost")
    await cluster.elect(2, (2, 3), to=[2, 3])
    await cluster.leader.append(b"epoch 2, lost")
    await cluster.leader.append(b"epoch 2, lost, too")
    await cluster.elect(3, (3,), to=[3])
    await cluster.leader.append(b"epoch 3")
    await cluster.send([1, 2])
    await cluster.catch_up(1, 2)
    assert [each.records() for each in cluster.brokers.values()] == [[(1, b"0"), (3, b"epoch 3")]] * 3


async def test_acks_1_loses_records_on_failover_and_acks_all_does_not() -> None:
    cluster = await started()
    first = await cluster.leader.append(b"acks=all", acks=-1)
    await cluster.catch_up(2, 3)
    assert cluster.leader.partition.check_enough_replicas_reach_offset(first) == (True, ErrorCode.NONE)
    second = await cluster.leader.append(b"acks=1", acks=1)
    assert cluster.leader.partition.check_enough_replicas_reach_offset(second) == (False, ErrorCode.NONE)
    await cluster.elect(2, (2, 3))
    await cluster.catch_up(1, 3)
    assert [each.records() for each in cluster.brokers.values()] == [[(1, b"acks=all")]] * 3


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


async def test_a_queued_append_writes_nothing_after_a_change_of_leadership() -> None:
    cluster = await started()
    broker = cluster.leader
    broker.partition.executor.inline = False
    codes: list[ErrorCode] = []

    async def append() -> None:
        try:
            await broker.append(b"late")
        except ApiError as error:
            codes.append(error.code)

    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(append)
        while not broker.partition.queued:
            await trio.lowlevel.checkpoint()
        await cluster.elect(2)
    assert codes == [ErrorCode.NOT_LEADER_OR_FOLLOWER] * 3
    assert broker.log.log_end_offset == 0


async def test_a_response_of_a_former_leader_changes_nothing() -> None:
    cluster = await started()
    await append_each(cluster, 2)
    late = await cluster.request(3)
    assert late is not None
    await cluster.elect(2)
    await cluster.deliver(late)
    follower = cluster.brokers[3].partition
    assert follower.log.log_end_offset == 0
    assert await follower.truncate_fully_and_start_at(7, 1) is None
    assert follower.log.log_end_offset == 0
    assert await follower.truncate_fully_and_start_at(7, 2) == 7
    assert (follower.log.log_start_offset, follower.high_watermark) == (7, 7)


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


async def test_a_follower_is_caught_up_in_partitions_that_its_session_does_not_read_again(
    mock_clock: MockClock,
) -> None:
    """Else the first records after a long pause would take it out of the ISR."""
    cluster = await started()
    await append_each(cluster, 1)
    await cluster.catch_up(2, 3)
    session = FetchSession(1, ReaderKind(12, 2, 0), 0, uses_topic_ids=False, follower=True)
    requested = FetchPartition(partition=0, fetch_offset=1)
    entry = CachedPartition(TopicKey("t", bytes(16)), requested)
    entry.partition, entry.reads_to_log_end = cluster.leader.partition, True
    session.add(entry)
    session.clean(entry)
    mock_clock.jump(100.0)
    session.last_fetch_s = trio.current_time()
    mock_clock.jump(1.0)
    await cluster.leader.append(b"x")
    assert entry in session.dirty
    cluster.leader.partition.maybe_shrink_isr()
    assert [each.leader_and_isr.isr for each in cluster.leader.submitted] == [(1, 2)]  # 3 has no session


async def test_a_follower_without_all_records_of_earlier_epochs_does_not_join_the_isr() -> None:
    """A new leader's high watermark may be low, though its predecessor has acknowledged more."""
    cluster = await started(state=STATE._replace(isr=(1, 2)))
    await append_each(cluster, 3)
    await cluster.catch_up(2)
    assert cluster.leader.partition.high_watermark == 3
    cluster.brokers[2].restart(0)
    await cluster.elect(2)
    leader = cluster.leader.partition
    assert leader.high_watermark == 0
    fetched = await cluster.request(3, max_bytes=1)  # one batch
    assert fetched is not None
    await cluster.deliver(fetched)
    await cluster.request(3)
    assert (cluster.brokers[3].log.log_end_offset, leader.high_watermark) == (1, 0)
    assert cluster.leader.submitted == []
    await cluster.catch_up(3)
    assert [each.leader_and_isr.isr for each in cluster.leader.submitted] == [(1, 2, 3)]


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
