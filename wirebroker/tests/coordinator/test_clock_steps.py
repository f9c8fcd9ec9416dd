"""The wall clock is set forward and back: timers do not notice, records and what is compared with them do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
import trio

from wirebroker import clock
from wirebroker.coordinator.group.classic import GroupState
from wirebroker.coordinator.group.requests import GroupRequest
from wirebroker.coordinator.group.shard import GroupShard
from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.coordinator.transaction.settings import HOLD_MS
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest
from wirebroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from wirebroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from wirebroker.tests.coordinator.house import SETTINGS, House
from wirebroker.tests.coordinator.test_runtime import FakePartition
from wirebroker.tests.coordinator.transaction.stage import T0, Stage

if TYPE_CHECKING:
    from trio.testing import MockClock

    from wirebroker.replication.partition import Partition

E = ErrorCode
MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
STEPS = pytest.mark.parametrize("step_ms", [MINUTE_MS, 24 * HOUR_MS, -HOUR_MS, -24 * HOUR_MS])


@STEPS
def test_a_member_that_heartbeats_stays_and_one_that_is_silent_leaves_after_its_session(step_ms: int) -> None:
    house = House()
    (alive, silent), generation = house.stable("a", "b")
    house.pass_ms(3_000)
    house.wall_offset_ms += step_ms
    house.pass_ms(3_000)
    assert house.beat(alive, generation) == E.NONE
    house.pass_ms(3_999)
    assert house.beat(alive, generation) == E.NONE
    house.pass_ms(1)
    assert house.beat(alive, generation) == E.REBALANCE_IN_PROGRESS
    assert house.beat(silent, generation) == E.UNKNOWN_MEMBER_ID


@STEPS
def test_a_rebalance_takes_its_timeouts(step_ms: int) -> None:
    house = House()
    (first,), _ = house.stable("a")
    second = house.join(rebalance_ms=5_000, session_ms=60_000)
    house.wall_offset_ms += step_ms
    for _ in range(4):
        house.pass_ms(7_000)
        assert house.beat(first, 1) == E.REBALANCE_IN_PROGRESS
        assert second.waits
    house.pass_ms(2_000)
    assert second.reply.generation_id == 2
    house.wall_offset_ms -= 2 * step_ms
    house.pass_ms(4_999)
    assert house.shard.groups["g"].state == GroupState.COMPLETING_REBALANCE
    house.pass_ms(1)
    assert [*house.shard.groups["g"].members] == [], "no SyncGroup within the rebalance timeout"


@STEPS
def test_a_member_id_that_was_given_out_expires_after_the_session(step_ms: int) -> None:
    house = House()
    member = house.join(version=4).reply.member_id
    house.wall_offset_ms += step_ms
    house.pass_ms(9_999)
    assert member in house.shard.groups["g"].pending_members
    house.pass_ms(1)
    assert not house.shard.groups["g"].pending_members


@STEPS
def test_the_initial_delay(step_ms: int) -> None:
    house = House(SETTINGS._replace(initial_rebalance_delay_ms=3_000))
    ticket = house.join()
    house.wall_offset_ms += step_ms
    house.pass_ms(2_999)
    assert ticket.waits
    house.pass_ms(1)
    assert ticket.reply.generation_id == 1
    history = house.shard.groups["g"].history
    assert history.rebalances == type(history.rebalances)(), "it ends with the leader's assignment"
    house.sync(ticket.reply.member_id, 1, {})
    (rebalance,) = history.rebalances
    assert rebalance.finished_ms - rebalance.started_ms == 3_000


def test_committed_offsets_expire_by_the_timestamps_in_their_records() -> None:
    house = House()
    assert house.commit(5) == E.NONE
    house.wall_offset_ms += SETTINGS.offsets_retention_ms
    house.pass_ms(SETTINGS.offsets_retention_check_ms - 1)
    assert house.offset() == 5, "when it is looked at is a timer"
    house.pass_ms(1)
    assert house.offset() is None


@STEPS
def test_a_transaction_is_aborted_after_its_timeout(step_ms: int) -> None:
    stage = Stage()
    stage.add(stage.started(timeout_ms=30_000))
    stage.wall_offset_ms += step_ms
    stage.pass_ms(30_000)
    assert stage.state() == "ONGOING"
    stage.pass_ms(stage.settings.abort_interval_ms)
    assert stage.state() == "COMPLETE_ABORT"


@STEPS
def test_a_request_waits_for_the_markers_as_long_as_it_should(step_ms: int) -> None:
    stage = Stage(prompt=False)
    producer = stage.started()
    stage.add(producer)
    ticket = stage.end(producer)
    stage.wall_offset_ms += step_ms
    stage.pass_ms(HOLD_MS - 1)
    assert ticket.waits
    stage.pass_ms(1)
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
def test_a_transaction_that_is_loaded_has_what_the_log_leaves_of_its_timeout(away_ms: int, left_ms: int) -> None:
    stage = Stage(settings=Stage().settings._replace(abort_interval_ms=1))
    stage.add(stage.started(timeout_ms=30_000), T0)
    stage.pass_ms(10_000)
    stage.wall_offset_ms += away_ms
    loaded = stage.restarted()
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
    runtime = CoordinatorRuntime("topic", lambda _: GroupShard(SETTINGS, lambda *_: True))
    await runtime.load(0, cast("Partition", FakePartition(0)))

    async def ask(message: Any) -> Any:
        return await runtime.request(0, GroupRequest("g", message, 3, "c", "127.0.0.1"))

    async with trio.open_nursery() as nursery:
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
