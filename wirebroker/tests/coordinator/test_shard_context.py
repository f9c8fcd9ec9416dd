"""A shard belongs to one Partition at one leader epoch; its appends are in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import trio
import trio.testing

from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.coordinator.shard import TransactionalWriter
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.coordinator.runtime_harness import RecordingShard, RuntimeHarness
from wirebroker.tests.coordinator.test_runtime import EchoShard, FakePartition, FiveBatchLog, code_of
from wirebroker.timer.timer import Timer

if TYPE_CHECKING:
    import pytest

    from wirebroker.coordinator.shard import CoordinatorShard
    from wirebroker.coordinator.turn import Turn
    from wirebroker.replication.partition import Partition

E = ErrorCode


# -- appends ---------------------------------------------------------------------------------------------------------


async def test_on_a_slow_disk_appends_and_replies_are_in_order_and_heartbeats_do_not_wait(
    harness: RuntimeHarness, nursery: trio.Nursery
) -> None:
    partition = harness.served[0]
    partition.gate = trio.Event()
    for request in ("a", "look", "b", "beat"):
        nursery.start_soon(harness.ask, request, request)
        await trio.testing.wait_all_tasks_blocked()
    assert harness.answers == {"beat": ["a", "b"]}, "the shard went on while the first append waited"
    first, partition.gate = partition.gate, trio.Event()
    first.set()
    await trio.testing.wait_all_tasks_blocked()
    assert harness.answers.keys() == {"beat", "a", "look"}
    assert harness.answers["look"] == ["a"]
    partition.gate.set()
    await trio.testing.wait_all_tasks_blocked()
    assert "b" in harness.answers
    assert partition.appended == [[b"a"], [b"b"]]


async def test_inline_appends_do_not_overtake_queued_ones(harness: RuntimeHarness, nursery: trio.Nursery) -> None:
    partition = harness.served[0]
    gate = partition.gate = trio.Event()
    nursery.start_soon(harness.ask, "slow", "a")
    await trio.testing.wait_all_tasks_blocked()
    partition.gate = None
    nursery.start_soon(harness.ask, "quick", "b")
    await trio.testing.wait_all_tasks_blocked()
    assert partition.appended == []
    gate.set()
    await trio.testing.wait_all_tasks_blocked()
    assert partition.appended == [[b"a"], [b"b"]]


async def test_a_failed_append_fails_everything_behind_it_and_loads_the_shard_again(
    harness: RuntimeHarness, nursery: trio.Nursery
) -> None:
    partition = harness.served[0]
    partition.gate = trio.Event()
    for request in ("a", "b", "look", "wait"):
        nursery.start_soon(harness.ask, request, request)
        await trio.testing.wait_all_tasks_blocked()
    partition.fault = ApiError(E.NOT_ENOUGH_REPLICAS)
    partition.gate.set()
    await trio.testing.wait_all_tasks_blocked()
    assert harness.answers == dict.fromkeys(("a", "b", "look", "wait"), E.COORDINATOR_NOT_AVAILABLE)
    partition.fault = partition.gate = None
    assert await harness.runtime.request(0, "look") == [], "what was not written is forgotten"
    assert harness.unloaded == [], "it is still the coordinator: its pending markers go on"


async def test_cancelling_the_caller_cancels_no_append(harness: RuntimeHarness, nursery: trio.Nursery) -> None:
    partition = harness.served[0]
    partition.gate = trio.Event()
    with trio.move_on_after(0):
        await harness.runtime.request(0, "a")
    await trio.testing.wait_all_tasks_blocked()
    partition.gate.set()
    assert await harness.runtime.request(0, "look") == ["a"]
    assert partition.appended == [[b"a"]]


async def test_a_marker_that_overtakes_a_commit_of_its_producer_reloads_the_shard(
    harness: RuntimeHarness, nursery: trio.Nursery
) -> None:
    partition = harness.served[0]
    cast("Any", partition).validate_coordinator_append = lambda *_: None
    partition.gate = trio.Event()
    nursery.start_soon(harness.ask, "commit", "a", TransactionalWriter(7, 0, None))
    await trio.testing.wait_all_tasks_blocked()
    harness.runtime.end_transaction(0, 8, False)
    assert "commit" not in harness.answers
    harness.runtime.end_transaction(0, 7, False)
    await trio.testing.wait_all_tasks_blocked()
    assert harness.answers == {"commit": E.COORDINATOR_NOT_AVAILABLE}
    partition.gate = None
    assert await harness.runtime.request(0, "look") == ["TransactionEnded(producer_id=7, committed=False)"]


async def test_a_cancelled_runtime_ends_while_an_append_waits_for_ever() -> None:
    """The broker stops while a disk hangs; the executor's owner is gone."""
    harness = RuntimeHarness()
    harness.follow()
    partition = harness.served[0]
    with trio.fail_after(5):
        async with trio.open_nursery() as callers:
            async with trio.open_nursery() as background:
                background.start_soon(harness.runtime.run)
                await harness.runtime.first_loads()
                partition.gate = trio.Event()
                callers.start_soon(harness.ask, "a", "a")
                await trio.testing.wait_all_tasks_blocked()
                background.cancel_scope.cancel()
            callers.cancel_scope.cancel()
    assert harness.answers == {}


async def test_a_runtime_that_runs_again_loads_shards_whose_appends_were_cut_off(nursery: trio.Nursery) -> None:
    harness = RuntimeHarness()
    harness.follow()
    partition = harness.served[0]
    async with trio.open_nursery() as first:
        first.start_soon(harness.runtime.run)
        await harness.runtime.first_loads()
        partition.gate = trio.Event()
        nursery.start_soon(harness.ask, "a", "a")
        await trio.testing.wait_all_tasks_blocked()
        first.cancel_scope.cancel()
    partition.gate = None
    nursery.start_soon(harness.runtime.run)
    await trio.testing.wait_all_tasks_blocked()
    assert harness.answers == {"a": E.COORDINATOR_NOT_AVAILABLE}
    assert await harness.runtime.request(0, "look") == []


# -- partitions come and go ------------------------------------------------------------------------------------------


async def test_a_partition_that_was_made_again_gets_a_shard_of_its_own(
    harness: RuntimeHarness, nursery: trio.Nursery
) -> None:
    old = harness.served[0]
    assert await harness.runtime.request(0, "a") == ["a"]
    old.gate = trio.Event()
    nursery.start_soon(harness.ask, "append", "b")
    nursery.start_soon(harness.ask, "wait", "wait")
    await trio.testing.wait_all_tasks_blocked()
    new = harness.served[0] = FakePartition(0)
    harness.follow()
    await trio.testing.wait_all_tasks_blocked()
    assert harness.answers == dict.fromkeys(("append", "wait"), E.NOT_COORDINATOR)
    assert await harness.runtime.request(0, "c") == ["c"]
    old.gate.set()
    await trio.testing.wait_all_tasks_blocked()
    assert await harness.runtime.request(0, "d") == ["c", "d"]
    assert new.appended == [[b"c"], [b"d"]]
    assert harness.unloaded == [0]


async def test_a_shard_whose_partition_is_not_served_any_more_is_no_coordinator(harness: RuntimeHarness) -> None:
    partition = harness.served.pop(0)  # its log directory failed, say; no metadata changes
    assert await code_of(harness.runtime, "a") == E.NOT_COORDINATOR
    assert partition.appended == []
    assert harness.unloaded == [0]
    harness.served[0] = FakePartition(0)
    assert await code_of(harness.runtime, "a") == E.NOT_COORDINATOR
    harness.follow()
    await harness.runtime.first_loads()
    assert await harness.runtime.request(0, "a") == ["a"]


async def test_a_new_leader_epoch_loads_the_shard_again(harness: RuntimeHarness, nursery: trio.Nursery) -> None:
    nursery.start_soon(harness.ask, "wait", "wait")
    await trio.testing.wait_all_tasks_blocked()
    harness.follow()
    assert harness.answers == {}, "nothing has changed"
    harness.served[0].leader_epoch = 6
    harness.follow()
    await trio.testing.wait_all_tasks_blocked()
    assert harness.answers == {"wait": E.NOT_COORDINATOR}
    assert await harness.runtime.request(0, "look") == []
    assert harness.runtime._contexts[0].leader_epoch == 6


async def test_timers_of_an_unloaded_shard_do_not_reach_the_next_one(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    shards = [EchoShard(), RecordingShard()]
    timer = Timer()
    runtime = CoordinatorRuntime("topic", lambda _: cast("CoordinatorShard", shards.pop(0)), timer=timer)
    nursery.start_soon(timer.run)
    nursery.start_soon(runtime.run)
    runtime.follow(cast("dict[int, Partition]", {0: FakePartition(0)}))
    await trio.testing.wait_all_tasks_blocked()
    runtime.follow(cast("dict[int, Partition]", {0: FakePartition(0)}))
    await trio.sleep(10)
    assert cast("RecordingShard", runtime._contexts[0].shard).fired == []
    nursery.cancel_scope.cancel()


# -- loading ---------------------------------------------------------------------------------------------------------


class UnreadableLog(FiveBatchLog):
    """A log of five batches that cannot be read a few times."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.reads = 0
        self.gate: trio.Event | None = None

    def read_bytes(self, offset: int, *more: object) -> bytes:
        self.reads += 1
        if self.failures:
            self.failures -= 1
            raise ApiError(E.KAFKA_STORAGE_ERROR, "cannot be read")
        return super().read_bytes(offset, *more)


async def test_a_load_that_failed_is_tried_again_with_growing_pauses(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    harness = RuntimeHarness()
    harness.served[0].log = cast("Any", UnreadableLog(4))
    harness.follow()
    nursery.start_soon(harness.runtime.run)
    await harness.runtime.first_loads()
    assert await code_of(harness.runtime, "look") == E.NOT_COORDINATOR
    await trio.sleep(0.1 + 0.2 + 0.4 + 0.75)
    assert caplog.text.count("cannot be loaded") == 4
    assert await code_of(harness.runtime, "look") == E.NOT_COORDINATOR
    await trio.sleep(0.1)
    assert await harness.runtime.request(0, "look") == ["0", "1", "2", "3", "4"]
    assert caplog.text.count("cannot be loaded") == 4
    nursery.cancel_scope.cancel()


async def test_one_log_that_cannot_be_read_does_not_hold_up_the_others(nursery: trio.Nursery) -> None:
    harness = RuntimeHarness()
    harness.served[0].log = cast("Any", UnreadableLog(10**9))
    harness.served[1] = FakePartition(0)
    harness.follow()
    nursery.start_soon(harness.runtime.run)
    await harness.runtime.first_loads()
    assert await harness.runtime.request(1, "look") == []
    nursery.cancel_scope.cancel()


async def test_a_load_that_lost_its_partition_stops(nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.loop_budget.BUDGET_S", 0)
    harness = RuntimeHarness()
    old = harness.served[0]
    old.log = cast("Any", UnreadableLog(0))
    harness.follow()
    nursery.start_soon(harness.runtime.run)
    while not old.log.reads:  # type: ignore[attr-defined]
        await trio.lowlevel.checkpoint()
    orphan = harness.runtime._contexts[0].shard
    assert await code_of(harness.runtime, "look") == E.COORDINATOR_LOAD_IN_PROGRESS
    harness.served[0] = FakePartition(0)
    harness.follow()
    await harness.runtime.first_loads()
    await trio.testing.wait_all_tasks_blocked()
    assert await harness.runtime.request(0, "look") == []
    assert len(cast("RecordingShard", orphan).told) < 5, "the rest was not replayed"
    nursery.cancel_scope.cancel()


async def test_notices_that_come_during_a_load_are_handled_afterwards(
    nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wirebroker.loop_budget.BUDGET_S", 0)
    harness = RuntimeHarness()
    harness.served[0].log = cast("Any", UnreadableLog(0))
    harness.follow()
    nursery.start_soon(harness.runtime.run)
    while not harness.served[0].log.reads:  # type: ignore[attr-defined]
        await trio.lowlevel.checkpoint()
    harness.runtime.end_transaction(0, 9, True)
    harness.runtime.notify(0, ("deleted", "t"))
    await harness.runtime.first_loads()
    assert await harness.runtime.request(0, "look") == [
        *"01234",
        "TransactionEnded(producer_id=9, committed=True)",
        "('deleted', 't')",
    ]
    nursery.cancel_scope.cancel()


async def test_pending_markers_carry_the_leader_epoch_that_the_shard_was_loaded_with(harness: RuntimeHarness) -> None:
    class DecidingShard(RecordingShard):
        def handle(self, request: Any, turn: Turn) -> None:
            turn.result.pending_markers.append(request)
            turn.reply(None)

    harness.runtime._contexts[0].shard = cast("CoordinatorShard", DecidingShard())
    await harness.runtime.request(0, "markers")
    harness.served[0].leader_epoch = 6
    await harness.ask("later", "markers")
    assert harness.answers == {"later": ErrorCode.NOT_COORDINATOR}
    assert harness.pending_markers == [(0, 5, "markers")]
