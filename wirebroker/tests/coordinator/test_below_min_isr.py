"""Shards whose partition has fewer replicas in sync than min.insync.replicas: no record is tried that would be refused.

`compat_tests/cluster/test_coordinators_below_min_isr.py` has the same requests beside Apache Kafka.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.requests import DeleteGroup, TopicsDeleted
from wirebroker.coordinator.transaction.requests import MarkersWritten, ProducerIdResult
from wirebroker.coordinator.transaction.timer_keys import IdExpirationKey, TransactionTimeoutKey
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from wirebroker.tests.coordinator.shard_harness import ShardHarness
from wirebroker.tests.coordinator.transaction.txn_shard_harness import T0, TxnShardHarness, transaction_config

if TYPE_CHECKING:
    from wirebroker.tests.coordinator.runtime_harness import RuntimeHarness

E = ErrorCode
DAY_MS = 86_400_000


# -- the runtime -------------------------------------------------------------------------------------------------


async def test_what_was_not_committed_before_holds_only_results_with_records(
    harness: RuntimeHarness, nursery: trio.Nursery
) -> None:
    partition = harness.served[0]
    partition.high_watermark = 0
    for request in ("a", "look"):
        nursery.start_soon(harness.ask, request, request)
        await trio.testing.wait_all_tasks_blocked()
    assert harness.answers == {}
    partition.below_min_isr, partition.alone = True, False
    partition.commit(0)  # another replica may become the leader, without the record
    await trio.testing.wait_all_tasks_blocked()
    assert harness.answers == {}
    partition.alone = True
    partition.commit(0)  # the high watermark stays
    await trio.testing.wait_all_tasks_blocked()
    assert harness.answers == {"look": ["a"]}
    await harness.ask("look again", "look")
    assert harness.answers["look again"] == ["a"]
    partition.below_min_isr = False
    partition.commit(1)
    await trio.testing.wait_all_tasks_blocked()
    assert harness.answers["a"] == ["a"]


async def test_a_tombstone_is_written_and_nothing_waits_for_it(harness: RuntimeHarness) -> None:
    partition = harness.served[0]
    partition.high_watermark, partition.below_min_isr = 0, True
    await harness.ask("delete", "delete")
    assert harness.answers == {"delete": ["delete"]}
    assert partition.appended == [[b"delete"]]
    partition.below_min_isr = False
    await harness.ask("look", "look")
    assert harness.answers["look"] == ["delete"]


async def test_a_shard_is_told(harness: RuntimeHarness) -> None:
    await harness.ask("before", "below")
    harness.served[0].below_min_isr = True
    await harness.ask("after", "below")
    assert harness.answers == {"before": False, "after": True}


# -- groups ------------------------------------------------------------------------------------------------------


def test_commits_are_refused_and_the_group_goes_on() -> None:
    harness = ShardHarness()
    (member,), generation = harness.stable("a")
    assert harness.commit(5, member, generation) == E.NONE
    harness.below_min_isr = True
    assert harness.commit(6, member, generation) == E.COORDINATOR_NOT_AVAILABLE
    assert harness.commit(6, group="new") == E.COORDINATOR_NOT_AVAILABLE
    assert harness.commit(6, member, generation + 1) == E.ILLEGAL_GENERATION
    assert (harness.offset(), harness.offset(group="new")) == (5, None)
    assert harness.beat(member, generation) == E.NONE
    harness.below_min_isr = False
    assert harness.commit(7, member, generation) == E.NONE


def test_an_assignment_is_refused_and_the_members_join_again() -> None:
    harness = ShardHarness()
    joins = [harness.join() for _ in "ab"]
    joins[0] = harness.join(joins[0].reply.member_id)
    harness.pass_ms(0)
    (leader, other), generation = [each.reply.member_id for each in joins], joins[0].reply.generation_id
    harness.below_min_isr = True
    waiting = harness.sync(other, generation)
    assert waiting.waits
    plan = {leader: b"1", other: b"2"}
    assert harness.sync(leader, generation, plan).reply.error_code == E.COORDINATOR_NOT_AVAILABLE
    assert waiting.reply.error_code == E.COORDINATOR_NOT_AVAILABLE
    assert harness.beat(leader, generation) == E.REBALANCE_IN_PROGRESS
    joins = [harness.join(each) for each in (leader, other)]
    harness.below_min_isr = False
    generation = joins[1].reply.generation_id
    assert harness.sync(leader, generation, plan).reply.assignment == b"1"
    assert harness.sync(other, generation).reply.assignment == b"2"


def test_a_group_becomes_empty_without_its_record() -> None:
    harness = ShardHarness()
    (member,), _ = harness.stable("a")
    harness.below_min_isr = True
    written = len(harness.log)
    harness.leave(member)
    assert harness.shard.manager.groups["g"].state == ClassicGroupState.EMPTY
    assert len(harness.log) == written
    restarted = harness.restarted()
    assert restarted.shard.manager.groups["g"].members, "the log has the member"
    restarted.pass_ms(100_000)
    assert restarted.shard.manager.groups["g"].state == ClassicGroupState.EMPTY, "until its session ends"


def test_a_static_member_that_starts_again_is_refused_and_keeps_its_id() -> None:
    harness = ShardHarness()
    member = harness.join(instance="i", version=5).reply.member_id
    harness.pass_ms(0)
    harness.sync(member, 1, {member: b"1"}, instance="i")
    harness.below_min_isr = True
    assert harness.join(instance="i", version=5).reply.error_code == E.COORDINATOR_NOT_AVAILABLE
    assert harness.beat(member, 1, instance="i") == E.NONE
    harness.below_min_isr = False
    again = harness.join(instance="i", version=5).reply
    assert (again.error_code, again.member_id == member) == (E.NONE, False)


def test_offsets_are_deleted() -> None:
    harness = ShardHarness()
    for group in ("deleted", "offset deleted", "topic deleted"):
        harness.commit(5, group=group)
    harness.commit(5, group="topic deleted", topic="u")
    harness.below_min_isr = True
    assert harness.ask(DeleteGroup("deleted")).reply == E.NONE
    topics = [OffsetDeleteRequestTopic("t", [OffsetDeleteRequestPartition(0)])]
    assert harness.ask(OffsetDeleteRequest("offset deleted", topics)).reply.error_code == E.NONE
    harness.ask(TopicsDeleted(frozenset({"u"})))
    harness.pass_ms(0)
    assert harness.offset(group="topic deleted", topic="u") is None
    for group in ("deleted", "offset deleted"):
        assert harness.restarted().offset(group=group) is None
    harness.pass_ms(8 * DAY_MS)
    assert not harness.restarted().shard.manager.groups, "the last offset has expired"


# -- transactions ------------------------------------------------------------------------------------------------


def test_transactions_stay_as_they_are() -> None:
    harness = TxnShardHarness(prompt=False)
    producer, idle = harness.started(), harness.started("idle")
    harness.add(producer, T0)
    before = harness.image()
    harness.below_min_isr = True
    assert harness.init(transactional_id="new").reply == ProducerIdResult(E.COORDINATOR_NOT_AVAILABLE)
    for name in ("x", "idle"):
        assert harness.init(transactional_id=name).reply == ProducerIdResult(E.COORDINATOR_NOT_AVAILABLE)
    assert harness.add(idle, T0, transactional_id="idle").reply == E.COORDINATOR_NOT_AVAILABLE
    assert harness.add((idle[0], idle[1] + 1), T0, transactional_id="idle").reply == E.PRODUCER_FENCED
    assert harness.add(producer, T0).reply == E.NONE, "it is in the transaction"
    assert harness.end(producer, commit=True).reply == ProducerIdResult(E.COORDINATOR_NOT_AVAILABLE)
    assert harness.image() == before
    harness.below_min_isr = False
    ending = harness.end(producer, commit=True)
    harness.write_markers()
    assert ending.reply.code == E.NONE
    assert harness.state() == "COMPLETE_COMMIT"


def test_a_decided_transaction_is_completed_later() -> None:
    harness = TxnShardHarness(prompt=False)
    producer = harness.started()
    harness.add(producer, T0)
    harness.end(producer, commit=True)
    (markers,) = harness.pending_markers
    harness.below_min_isr = True
    with pytest.raises(ApiError, match="COORDINATOR_NOT_AVAILABLE"):
        harness.send(MarkersWritten(markers)).outcome()
    assert harness.state() == "PREPARE_COMMIT"
    harness.below_min_isr = False
    harness.send(MarkersWritten(markers))
    assert harness.state() == "COMPLETE_COMMIT"


def test_timers_wait_for_replicas() -> None:
    config = transaction_config(id_expiration_ms=1_000, remove_interval_ms=5_000, abort_interval_ms=10_000)
    harness = TxnShardHarness(config=config, prompt=False)
    producer = harness.started(timeout_ms=100)
    harness.started("idle")
    harness.add(producer, T0)
    harness.below_min_isr = True
    harness.pass_ms(60_000)
    assert (harness.state(), harness.state("idle")) == ("ONGOING", "EMPTY")
    assert {TransactionTimeoutKey(), IdExpirationKey()} <= harness.due.keys()
    harness.below_min_isr = False
    harness.pass_ms(10_000)
    assert (harness.state(), harness.state("idle")) == ("PREPARE_ABORT", None)
