"""Replies of a shard leave in order, when the records that they tell of are committed on the replicas."""

from __future__ import annotations

import trio
import trio.testing

from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.runtime_harness import RuntimeHarness


async def test_replies_leave_in_order_when_the_records_are_committed_and_heartbeats_at_once(
    harness: RuntimeHarness, nursery: trio.Nursery
) -> None:
    partition = harness.served[0]
    partition.high_watermark = 0
    for request in ("a", "look", "b", "beat"):
        nursery.start_soon(harness.ask, request, request)
        await trio.testing.wait_all_tasks_blocked()
    assert partition.appended == [[b"a"], [b"b"]], "appends do not wait for replicas"
    assert harness.answers.keys() == {"beat"}
    partition.commit(1)
    await trio.testing.wait_all_tasks_blocked()
    assert harness.answers == {"beat": ["a", "b"], "a": ["a"], "look": ["a"]}
    partition.commit(2)
    await trio.testing.wait_all_tasks_blocked()
    assert "b" in harness.answers
    await harness.ask("later", "look")
    assert harness.answers["later"] == ["a", "b"]


async def test_state_of_the_log_is_not_told_before_all_of_it_is_committed(nursery: trio.Nursery) -> None:
    harness = RuntimeHarness()
    harness.served[0].high_watermark = -1  # the log is empty: its end is 0
    harness.follow()
    nursery.start_soon(harness.runtime.run)
    await harness.runtime.first_loads()
    nursery.start_soon(harness.ask, "look", "look")
    await trio.testing.wait_all_tasks_blocked()
    assert harness.answers == {}
    harness.served[0].commit(0)
    await trio.testing.wait_all_tasks_blocked()
    assert harness.answers == {"look": []}
    nursery.cancel_scope.cancel()


async def test_a_change_of_leadership_fails_replies_that_wait_for_replicas(
    harness: RuntimeHarness, nursery: trio.Nursery
) -> None:
    partition = harness.served[0]
    partition.high_watermark = 0
    nursery.start_soon(harness.ask, "a", "a")
    await trio.testing.wait_all_tasks_blocked()
    partition.leader_epoch = 6
    partition.commit(1)  # as a follower, whose first record may be another one now
    await trio.testing.wait_all_tasks_blocked()
    assert harness.answers == {}
    await harness.ask("later", "look")
    await trio.testing.wait_all_tasks_blocked()
    assert harness.answers == {"later": ErrorCode.NOT_COORDINATOR, "a": ErrorCode.NOT_COORDINATOR}
    assert harness.unloaded == [0]
    partition.commit(5)
    harness.follow()  # elected again
    await harness.runtime.first_loads()
    await harness.ask("again", "look")
    assert harness.answers["again"] == []


async def test_an_append_of_a_former_leader_epoch_writes_nothing(
    harness: RuntimeHarness, nursery: trio.Nursery
) -> None:
    partition = harness.served[0]
    partition.gate = gate = trio.Event()
    for request in ("a", "b"):
        nursery.start_soon(harness.ask, request, request)
        await trio.testing.wait_all_tasks_blocked()
    partition.leader_epoch = 6
    gate.set()
    await trio.testing.wait_all_tasks_blocked()
    assert partition.appended == [[b"a"]]
    assert harness.answers["b"] is ErrorCode.NOT_COORDINATOR


async def test_a_request_whose_records_are_not_committed_in_time_fails_and_its_records_stay(
    harness: RuntimeHarness, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    partition = harness.served[0]
    partition.high_watermark = 0
    harness.runtime.commit_timeout_s = 5.0
    await harness.ask("a", "a")
    assert trio.current_time() == 5.0
    assert harness.answers == {"a": ErrorCode.REQUEST_TIMED_OUT}
    partition.commit(1)
    await harness.ask("look", "look")
    assert harness.answers["look"] == ["a"]


async def test_a_shard_may_set_a_shorter_time_for_one_request(
    harness: RuntimeHarness, autojump_clock: trio.testing.MockClock
) -> None:
    harness.served[0].high_watermark = 0
    await harness.ask("short", "short")
    assert trio.current_time() == 2.0
    assert harness.answers == {"short": ErrorCode.REQUEST_TIMED_OUT}
