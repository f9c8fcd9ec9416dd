"""The wall clock is set forward and back: timers ignore that, timestamps in records do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
import trio

from wirebroker import clock
from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.shard import GroupShard
from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.coordinator.transaction.transaction_config import MAX_PENDING_MS
from wirebroker.coordinator.turn import InternalClient
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest
from wirebroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from wirebroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from wirebroker.tests.coordinator.shard_harness import CONFIG, ShardHarness, group_config
from wirebroker.tests.coordinator.test_runtime import FakePartition
from wirebroker.tests.coordinator.transaction.txn_shard_harness import T0, TxnShardHarness, transaction_config
from wirebroker.timer.timer import Timer

if TYPE_CHECKING:
    from trio.testing import MockClock

    from wirebroker.replication.partition import Partition

E = ErrorCode
MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
STEPS = pytest.mark.parametrize("step_ms", [MINUTE_MS, 24 * HOUR_MS, -HOUR_MS, -24 * HOUR_MS])


@STEPS
def test_a_member_that_heartbeats_stays_and_one_that_is_silent_leaves_after_its_session(step_ms: int) -> None:
    harness = ShardHarness()
    (alive, silent), generation = harness.stable("a", "b")
    harness.pass_ms(3_000)
    harness.wall_offset_ms += step_ms
    harness.pass_ms(3_000)
    assert harness.beat(alive, generation) == E.NONE
    harness.pass_ms(3_999)
    assert harness.beat(alive, generation) == E.NONE
    harness.pass_ms(1)
    assert harness.beat(alive, generation) == E.REBALANCE_IN_PROGRESS
    assert harness.beat(silent, generation) == E.UNKNOWN_MEMBER_ID


@STEPS
def test_a_rebalance_takes_its_timeouts(step_ms: int) -> None:
    harness = ShardHarness()
    (first,), _ = harness.stable("a")
    second = harness.join(rebalance_ms=5_000, session_ms=60_000)
    harness.wall_offset_ms += step_ms
    for _ in range(4):
        harness.pass_ms(7_000)
        assert harness.beat(first, 1) == E.REBALANCE_IN_PROGRESS
        assert second.waits
    harness.pass_ms(2_000)
    assert second.reply.generation_id == 2
    harness.wall_offset_ms -= 2 * step_ms
    harness.pass_ms(4_999)
    assert harness.shard.manager.groups["g"].state == ClassicGroupState.COMPLETING_REBALANCE
    harness.pass_ms(1)
    assert [*harness.shard.manager.groups["g"].members] == [], "no SyncGroup within the rebalance timeout"


@STEPS
def test_a_member_id_that_was_given_out_expires_after_the_session(step_ms: int) -> None:
    harness = ShardHarness()
    member = harness.join(version=4).reply.member_id
    harness.wall_offset_ms += step_ms
    harness.pass_ms(9_999)
    assert member in harness.shard.manager.groups["g"].pending_join_members
    harness.pass_ms(1)
    assert not harness.shard.manager.groups["g"].pending_join_members


@STEPS
def test_the_initial_delay(step_ms: int) -> None:
    harness = ShardHarness(group_config(group_initial_rebalance_delay_ms=3_000))
    ticket = harness.join()
    harness.wall_offset_ms += step_ms
    harness.pass_ms(2_999)
    assert ticket.waits
    harness.pass_ms(1)
    assert ticket.reply.generation_id == 1
    history = harness.shard.manager.groups["g"].history
    assert history.rebalances == type(history.rebalances)(), "it ends with the leader's assignment"
    harness.sync(ticket.reply.member_id, 1, {})
    (rebalance,) = history.rebalances
    assert rebalance.finished_ms - rebalance.started_ms == 3_000


def test_committed_offsets_expire_by_the_timestamps_in_their_records() -> None:
    harness = ShardHarness()
    assert harness.commit(5) == E.NONE
    harness.wall_offset_ms += CONFIG.offsets_retention_ms
    harness.pass_ms(CONFIG.offsets_retention_check_interval_ms - 1)
    assert harness.offset() == 5, "when it is looked at is a timer"
    harness.pass_ms(1)
    assert harness.offset() is None


@STEPS
def test_a_transaction_is_aborted_after_its_timeout(step_ms: int) -> None:
    harness = TxnShardHarness()
    harness.add(harness.started(timeout_ms=30_000))
    harness.wall_offset_ms += step_ms
    harness.pass_ms(30_000)
    assert harness.state() == "ONGOING"
    harness.pass_ms(harness.config.transaction_abort_timed_out_transaction_cleanup_interval_ms)
    assert harness.state() == "COMPLETE_ABORT"


@STEPS
def test_a_request_waits_for_the_markers_as_long_as_it_should(step_ms: int) -> None:
    harness = TxnShardHarness(prompt=False)
    producer = harness.started()
    harness.add(producer)
    ticket = harness.end(producer)
    harness.wall_offset_ms += step_ms
    harness.pass_ms(MAX_PENDING_MS - 1)
    assert ticket.waits
    harness.pass_ms(1)
    assert ticket.reply.code == E.NONE


@pytest.mark.parametrize(
    ("away_ms", "left_ms"),
    [
        pytest.param(0, 20_000, id="loaded at once"),
        pytest.param(5_000, 15_000, id="loaded later"),
        pytest.param(HOUR_MS, 0, id="loaded after the timeout"),
        pytest.param(-HOUR_MS, 30_000, id="the clock was set back: one whole timeout and no more"),
    ],
)
def test_a_loaded_transaction_has_the_rest_of_its_timeout(away_ms: int, left_ms: int) -> None:
    harness = TxnShardHarness(config=transaction_config(abort_interval_ms=1))
    harness.add(harness.started(timeout_ms=30_000), T0)
    harness.pass_ms(10_000)
    harness.wall_offset_ms += away_ms
    loaded = harness.restarted()
    loaded.pass_ms(left_ms)
    assert loaded.state() == "ONGOING"
    loaded.pass_ms(1)
    assert loaded.state() == "COMPLETE_ABORT"


async def test_the_runtime_waits_by_the_monotonic_clock(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    """As seen on a running broker: +60 s expelled every member, -1 h kept the dead for an hour."""
    offset_ms = 0
    real_ms = clock.now_ms()
    monkeypatch.setattr("wirebroker.coordinator.runtime.now_ms", lambda: real_ms + offset_ms)
    timer = Timer()
    runtime = CoordinatorRuntime("topic", lambda _: GroupShard(CONFIG, lambda *_: True), timer=timer)
    await runtime.load(0, cast("Partition", FakePartition(0)))

    async def ask(message: Any) -> Any:
        return await runtime.request(0, message, InternalClient(3, "c", "127.0.0.1"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(timer.run)
        nursery.start_soon(runtime.run)
        protocols = [JoinGroupRequestProtocol("range", b"")]
        joined = await ask(JoinGroupRequest("g", 10_000, 10_000, "", None, "consumer", protocols))
        member = joined.member_id
        await ask(SyncGroupRequest("g", 1, member, assignments=[SyncGroupRequestAssignment(member, b"x")]))
        for step_ms in (MINUTE_MS, -HOUR_MS):
            offset_ms += step_ms
            await trio.sleep(5)
            assert (await ask(HeartbeatRequest("g", 1, member))).error_code == E.NONE
        await trio.sleep(10.2)
        assert (await ask(HeartbeatRequest("g", 1, member))).error_code == E.UNKNOWN_MEMBER_ID
        nursery.cancel_scope.cancel()
