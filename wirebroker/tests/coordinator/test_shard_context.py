"""A shard belongs to one Partition at one leader epoch; its appends are in order, and so are its replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
import trio
import trio.testing

from wirebroker.coordinator.delayed_request import DelayedRequest
from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.coordinator.shard import TransactionalWriter
from wirebroker.coordinator.turn import INTERNAL_CLIENT, CoordinatorRecord, Turn
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.coordinator.test_runtime import EchoShard, FakePartition, FiveBatchLog, WritingShard, code_of
from wirebroker.timer.timer import Timer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from wirebroker.coordinator.shard import CoordinatorShard
    from wirebroker.coordinator.turn import PendingResponse
    from wirebroker.replication.partition import Partition

E = ErrorCode


class RecordingShard(WritingShard):
    """As WritingShard; "look" is answered without a record, "beat" immediately, and replayed requests count, too."""

    def replay(self, record: CoordinatorRecord, *_: object) -> None:
        self.told.append(record.key.decode())

    def replay_end_transaction(self, producer_id: int, *, committed: bool) -> None:
        self.told.append(f"marker {producer_id} {committed}")

    def loaded(self, turn: Turn) -> None:
        pass

    def handle(self, request: Any, turn: Turn) -> None:
        if request == "look":
            turn.reply(list(self.told))
        elif request == "beat":
            turn.reply_immediately(list(self.told))
        elif request == "short":
            turn.result.commit_timeout_s = 2.0
            super().handle(request, turn)
        elif not isinstance(request, str):
            self.told.append(repr(request))
        else:
            super().handle(request, turn)


class RuntimeHarness:
    """A runtime whose partitions are in `served`; `run` it.

    Attributes:
        delays: Whether requests are delayed, so that no task waits in the runtime.
    """

    def __init__(self, *, delays: bool = False) -> None:
        self.delays = delays
        self.timer = Timer()
        self.served: dict[int, FakePartition] = {0: FakePartition(0)}
        self.pending_markers: list[tuple[int, int, Any]] = []
        self.unloaded: list[int] = []
        self.runtime = CoordinatorRuntime(
            "topic",
            lambda _: cast("CoordinatorShard", RecordingShard()),
            lambda index: cast("Partition", self.served.get(index)),
            self.unloaded.append,
            lambda *markers: self.pending_markers.append(markers),
            self.timer,
        )
        self.answers: dict[str, Any] = {}

    def follow(self) -> None:
        self.runtime.follow(cast("dict[int, Partition]", self.served))

    async def ask(self, name: str, request: str, writer: TransactionalWriter | None = None) -> None:
        try:
            if self.delays and writer is None:
                response = self.runtime.request_or_delay(0, request)
                if isinstance(response, DelayedRequest):
                    response = await outcome(response)
                self.answers[name] = response
            else:
                self.answers[name] = await self.runtime.request(0, request, INTERNAL_CLIENT, writer)
        except ApiError as fault:
            self.answers[name] = fault.code


async def outcome(delayed: DelayedRequest) -> Any:
    """Return the response, or raise the error, when the request is complete."""
    done = trio.Event()
    found: list[PendingResponse] = []
    delayed.respond = found.append
    delayed.on_response = done.set
    assert not delayed.holds_requests
    assert not delayed.may_complete
    assert not delayed.try_complete()
    await done.wait()
    assert delayed.is_completed
    assert not delayed.is_pending
    return found[0].outcome()


@pytest.fixture(params=[False, True], ids=["in a task", "delayed"])
async def harness(nursery: trio.Nursery, request: pytest.FixtureRequest) -> AsyncIterator[RuntimeHarness]:
    """One partition, loaded; on a quick disk."""
    harness = RuntimeHarness(delays=request.param)
    nursery.start_soon(harness.timer.run)
    harness.follow()
    nursery.start_soon(harness.runtime.run)
    await harness.runtime.first_loads()
    yield harness
    nursery.cancel_scope.cancel()


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

    def read(self, offset: int, *more: object) -> Any:
        self.reads += 1
        if self.failures:
            self.failures -= 1
            raise ApiError(E.KAFKA_STORAGE_ERROR, "cannot be read")
        return super().read(offset, *more)


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


# -- replicas --------------------------------------------------------------------------------------------------------


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
    assert harness.answers == {"a": ErrorCode.COORDINATOR_NOT_AVAILABLE}
    partition.commit(1)
    await harness.ask("look", "look")
    assert harness.answers["look"] == ["a"]


async def test_a_shard_may_set_a_shorter_time_for_one_request(
    harness: RuntimeHarness, autojump_clock: trio.testing.MockClock
) -> None:
    harness.served[0].high_watermark = 0
    await harness.ask("short", "short")
    assert trio.current_time() == 2.0
    assert harness.answers == {"short": ErrorCode.COORDINATOR_NOT_AVAILABLE}
