"""Partition: followers that leave the ISR and join it, and the controller's answers to proposals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchPartition
from wirebroker.replication.fetch_session import (
    CachedPartition,
    FetchSession,
    ReaderKind,
    TopicKey,
)
from wirebroker.replication.partition_state import CommittedPartitionState, PendingExpandIsr, PendingShrinkIsr
from wirebroker.tests.replication.replica_set import BROKERS, STATE, ReplicaSet, append_each, at_log_ends, started

if TYPE_CHECKING:
    from trio.testing import MockClock


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


async def test_a_follower_that_catches_up_while_its_removal_is_in_flight_joins_the_isr_again(
    mock_clock: MockClock,
) -> None:
    cluster = await started()
    await at_log_ends(cluster, 1, 0, 1)
    mock_clock.jump(11.0)
    await cluster.catch_up(2)
    cluster.leader.partition.maybe_shrink_isr()
    (item,) = cluster.leader.submitted
    assert item.leader_and_isr.isr == (1, 2)
    await cluster.catch_up(3)  # for the last time, as a session names no partition without news
    cluster.answer_all()
    assert cluster.state.isr == BROKERS


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
    metadata.publish(image._replace(brokers={each: image.brokers[each] for each in (1, 3)}), ())
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


async def test_the_answer_to_a_change_of_a_former_leader_epoch_is_not_that_to_the_same_change_now() -> None:
    """A leader of 2.8 takes it for that, and leaves the replica out until its next epoch."""
    cluster = await started()
    await cluster.elect(1, (1, 2))
    await cluster.catch_up(2, 3)
    former = cluster.leader.submitted.pop()
    await cluster.elect(1, (1, 2))
    await cluster.catch_up(2, 3)
    (present,) = cluster.leader.submitted
    assert former.leader_and_isr.isr == present.leader_and_isr.isr == (1, 2, 3)
    former.completed(ErrorCode.FENCED_LEADER_EPOCH)
    cluster.answer_all()
    assert cluster.state.isr == (1, 2, 3)
    assert cluster.leader.partition.leader_and_isr == cluster.state


async def test_a_follower_that_reads_up_to_an_old_log_end_of_a_busy_leader_is_caught_up(mock_clock: MockClock) -> None:
    cluster = await started()
    for _ in range(6):  # never at the log end when it asks
        await cluster.fetch(2, 3)
        await cluster.leader.append(b"x", b"y")
        mock_clock.jump(5.0)
    cluster.leader.partition.maybe_shrink_isr()
    assert cluster.leader.submitted == []


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
