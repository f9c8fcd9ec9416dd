"""A shard belongs to one Partition at one leader epoch; its appends are in order, and so are its replies."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
import trio
import trio.testing

from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.coordinator.shard import CoordinatorRecord, Now, Outcome, Reply, TransactionalWriter
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.tests.coordinator.test_runtime import Echo, FakePartition, Writer, Written, code_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from wirebroker.coordinator.shard import Shard
    from wirebroker.replication.partition import Partition

E = ErrorCode


class Scribe(Writer):
    """As Writer; besides "look" is answered without a record, "beat" at once, and what was replayed is known."""

    def replay(self, record: CoordinatorRecord, *_: object) -> None:
        self.told.append(record.key.decode())

    def replay_end_transaction(self, producer_id: int, *, committed: bool) -> None:
        self.told.append(f"marker {producer_id} {committed}")

    def loaded(self, now: Now) -> Outcome:
        return Outcome()

    def handle(self, request: Any, ticket: Any, now: Now) -> Outcome:
        outcome = Outcome()
        if request == "look":
            outcome.reply(ticket, list(self.told))
        elif request == "beat":
            outcome.immediate.append(Reply(ticket, list(self.told)))
        elif not isinstance(request, str):
            self.told.append(repr(request))
        else:
            outcome = super().handle(request, ticket, now)
        return outcome


class Stage:
    """A runtime whose partitions are in `served`; `run` it."""

    def __init__(self) -> None:
        self.served: dict[int, FakePartition] = {0: FakePartition(0)}
        self.errands: list[tuple[int, int, Any]] = []
        self.unloaded: list[int] = []
        self.runtime = CoordinatorRuntime(
            "topic",
            lambda _: cast("Shard", Scribe()),
            lambda *errand: self.errands.append(errand),
            lambda index: cast("Partition", self.served.get(index)),
            self.unloaded.append,
        )
        self.answers: dict[str, Any] = {}

    def follow(self) -> None:
        self.runtime.follow(cast("dict[int, Partition]", self.served))

    async def ask(self, name: str, request: str, writer: TransactionalWriter | None = None) -> None:
        try:
            self.answers[name] = await self.runtime.request(0, request, writer)
        except ApiError as fault:
            self.answers[name] = fault.code


@pytest.fixture
async def stage(nursery: trio.Nursery) -> AsyncIterator[Stage]:
    """One partition, loaded; on a quick disk."""
    stage = Stage()
    stage.follow()
    nursery.start_soon(stage.runtime.run)
    await stage.runtime.first_loads()
    yield stage
    nursery.cancel_scope.cancel()


# -- appends ---------------------------------------------------------------------------------------------------------


async def test_on_a_slow_disk_appends_and_replies_are_in_order_and_heartbeats_do_not_wait(
    stage: Stage, nursery: trio.Nursery
) -> None:
    partition = stage.served[0]
    partition.gate = trio.Event()
    for request in ("a", "look", "b", "beat"):
        nursery.start_soon(stage.ask, request, request)
        await trio.testing.wait_all_tasks_blocked()
    assert stage.answers == {"beat": ["a", "b"]}, "the shard went on while the first append waited"
    first, partition.gate = partition.gate, trio.Event()
    first.set()
    await trio.testing.wait_all_tasks_blocked()
    assert stage.answers.keys() == {"beat", "a", "look"}
    assert stage.answers["look"] == ["a"]
    partition.gate.set()
    await trio.testing.wait_all_tasks_blocked()
    assert "b" in stage.answers
    assert partition.appended == [[b"a"], [b"b"]]


async def test_a_disk_that_is_quick_again_does_not_overtake(stage: Stage, nursery: trio.Nursery) -> None:
    partition = stage.served[0]
    gate = partition.gate = trio.Event()
    nursery.start_soon(stage.ask, "slow", "a")
    await trio.testing.wait_all_tasks_blocked()
    partition.gate = None
    nursery.start_soon(stage.ask, "quick", "b")
    await trio.testing.wait_all_tasks_blocked()
    assert partition.appended == []
    gate.set()
    await trio.testing.wait_all_tasks_blocked()
    assert partition.appended == [[b"a"], [b"b"]]


async def test_a_failed_append_fails_everything_behind_it_and_loads_the_shard_again(
    stage: Stage, nursery: trio.Nursery
) -> None:
    partition = stage.served[0]
    partition.gate = trio.Event()
    for request in ("a", "b", "look", "wait"):
        nursery.start_soon(stage.ask, request, request)
        await trio.testing.wait_all_tasks_blocked()
    partition.fault = ApiError(E.NOT_ENOUGH_REPLICAS)
    partition.gate.set()
    await trio.testing.wait_all_tasks_blocked()
    assert stage.answers == dict.fromkeys(("a", "b", "look", "wait"), E.COORDINATOR_NOT_AVAILABLE)
    partition.fault = partition.gate = None
    assert await stage.runtime.request(0, "look") == [], "what was not written is forgotten"
    assert stage.unloaded == [], "it is still the coordinator: its errands go on"


async def test_cancelling_the_caller_cancels_no_append(stage: Stage, nursery: trio.Nursery) -> None:
    partition = stage.served[0]
    partition.gate = trio.Event()
    with trio.move_on_after(0):
        await stage.runtime.request(0, "a")
    await trio.testing.wait_all_tasks_blocked()
    partition.gate.set()
    assert await stage.runtime.request(0, "look") == ["a"]
    assert partition.appended == [[b"a"]]


async def test_a_marker_that_overtakes_a_commit_of_its_producer_is_sorted_out_by_the_log(
    stage: Stage, nursery: trio.Nursery
) -> None:
    partition = stage.served[0]
    cast("Any", partition.log).producers = SimpleNamespace(check_writer=lambda *_: None)
    partition.gate = trio.Event()
    nursery.start_soon(stage.ask, "commit", "a", TransactionalWriter(7, 0, None))
    await trio.testing.wait_all_tasks_blocked()
    await stage.runtime.end_transaction(0, 8, False)
    assert "commit" not in stage.answers
    await stage.runtime.end_transaction(0, 7, False)
    await trio.testing.wait_all_tasks_blocked()
    assert stage.answers == {"commit": E.COORDINATOR_NOT_AVAILABLE}
    partition.gate = None
    assert await stage.runtime.request(0, "look") == ["TransactionEnded(producer_id=7, committed=False)"]


async def test_a_cancelled_runtime_ends_while_an_append_waits_for_ever() -> None:
    """The broker stops while a disk hangs; the lane's owner is gone."""
    stage = Stage()
    stage.follow()
    partition = stage.served[0]
    with trio.fail_after(5):
        async with trio.open_nursery() as callers:
            async with trio.open_nursery() as background:
                background.start_soon(stage.runtime.run)
                await stage.runtime.first_loads()
                partition.gate = trio.Event()
                callers.start_soon(stage.ask, "a", "a")
                await trio.testing.wait_all_tasks_blocked()
                background.cancel_scope.cancel()
            callers.cancel_scope.cancel()
    assert stage.answers == {}


async def test_a_runtime_that_runs_again_loads_shards_whose_appends_were_cut_off(nursery: trio.Nursery) -> None:
    stage = Stage()
    stage.follow()
    partition = stage.served[0]
    async with trio.open_nursery() as first:
        first.start_soon(stage.runtime.run)
        await stage.runtime.first_loads()
        partition.gate = trio.Event()
        nursery.start_soon(stage.ask, "a", "a")
        await trio.testing.wait_all_tasks_blocked()
        first.cancel_scope.cancel()
    partition.gate = None
    nursery.start_soon(stage.runtime.run)
    await trio.testing.wait_all_tasks_blocked()
    assert stage.answers == {"a": E.COORDINATOR_NOT_AVAILABLE}
    assert await stage.runtime.request(0, "look") == []


# -- partitions come and go ------------------------------------------------------------------------------------------


async def test_a_partition_that_was_made_again_gets_a_shard_of_its_own(stage: Stage, nursery: trio.Nursery) -> None:
    old = stage.served[0]
    assert await stage.runtime.request(0, "a") == ["a"]
    old.gate = trio.Event()
    nursery.start_soon(stage.ask, "append", "b")
    nursery.start_soon(stage.ask, "wait", "wait")
    await trio.testing.wait_all_tasks_blocked()
    new = stage.served[0] = FakePartition(0)
    stage.follow()
    await trio.testing.wait_all_tasks_blocked()
    assert stage.answers == dict.fromkeys(("append", "wait"), E.NOT_COORDINATOR)
    assert await stage.runtime.request(0, "c") == ["c"]
    old.gate.set()
    await trio.testing.wait_all_tasks_blocked()
    assert await stage.runtime.request(0, "d") == ["c", "d"]
    assert new.appended == [[b"c"], [b"d"]]
    assert stage.unloaded == [0]


async def test_a_shard_whose_partition_is_not_served_any_more_is_no_coordinator(stage: Stage) -> None:
    partition = stage.served.pop(0)  # its log directory failed, say; no metadata changes
    assert await code_of(stage.runtime, "a") == E.NOT_COORDINATOR
    assert partition.appended == []
    assert stage.unloaded == [0]
    stage.served[0] = FakePartition(0)
    assert await code_of(stage.runtime, "a") == E.NOT_COORDINATOR
    stage.follow()
    await stage.runtime.first_loads()
    assert await stage.runtime.request(0, "a") == ["a"]


async def test_a_new_leader_epoch_loads_the_shard_again(stage: Stage, nursery: trio.Nursery) -> None:
    nursery.start_soon(stage.ask, "wait", "wait")
    await trio.testing.wait_all_tasks_blocked()
    stage.follow()
    assert stage.answers == {}, "nothing has changed"
    stage.served[0].leader_epoch = 6
    stage.follow()
    await trio.testing.wait_all_tasks_blocked()
    assert stage.answers == {"wait": E.NOT_COORDINATOR}
    assert await stage.runtime.request(0, "look") == []
    assert stage.runtime._contexts[0].leader_epoch == 6


async def test_timers_of_an_unloaded_shard_do_not_reach_the_next_one(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    shards = [Echo(), Scribe()]
    runtime = CoordinatorRuntime("topic", lambda _: cast("Shard", shards.pop(0)))
    nursery.start_soon(runtime.run)
    runtime.follow(cast("dict[int, Partition]", {0: FakePartition(0)}))
    await trio.testing.wait_all_tasks_blocked()
    runtime.follow(cast("dict[int, Partition]", {0: FakePartition(0)}))
    await trio.sleep(10)
    assert cast("Scribe", runtime._contexts[0].shard).fired == []
    nursery.cancel_scope.cancel()


# -- loading ---------------------------------------------------------------------------------------------------------


class Flaky(Written):
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
    stage = Stage()
    stage.served[0].log = cast("Any", Flaky(4))
    stage.follow()
    nursery.start_soon(stage.runtime.run)
    await stage.runtime.first_loads()
    assert await code_of(stage.runtime, "look") == E.NOT_COORDINATOR
    await trio.sleep(0.1 + 0.2 + 0.4 + 0.75)
    assert caplog.text.count("cannot be loaded") == 4
    assert await code_of(stage.runtime, "look") == E.NOT_COORDINATOR
    await trio.sleep(0.1)
    assert await stage.runtime.request(0, "look") == ["0", "1", "2", "3", "4"]
    assert caplog.text.count("cannot be loaded") == 4
    nursery.cancel_scope.cancel()


async def test_one_log_that_cannot_be_read_does_not_hold_up_the_others(nursery: trio.Nursery) -> None:
    stage = Stage()
    stage.served[0].log = cast("Any", Flaky(10**9))
    stage.served[1] = FakePartition(0)
    stage.follow()
    nursery.start_soon(stage.runtime.run)
    await stage.runtime.first_loads()
    assert await stage.runtime.request(1, "look") == []
    nursery.cancel_scope.cancel()


async def test_a_load_that_lost_its_partition_stops(nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.turns.TURN_S", 0)
    stage = Stage()
    old = stage.served[0]
    old.log = cast("Any", Flaky(0))
    stage.follow()
    nursery.start_soon(stage.runtime.run)
    while not old.log.reads:  # type: ignore[attr-defined]
        await trio.lowlevel.checkpoint()
    orphan = stage.runtime._contexts[0].shard
    assert await code_of(stage.runtime, "look") == E.COORDINATOR_LOAD_IN_PROGRESS
    stage.served[0] = FakePartition(0)
    stage.follow()
    await stage.runtime.first_loads()
    await trio.testing.wait_all_tasks_blocked()
    assert await stage.runtime.request(0, "look") == []
    assert len(cast("Scribe", orphan).told) < 5, "the rest was not replayed"
    nursery.cancel_scope.cancel()


async def test_what_happens_while_a_shard_is_loaded_reaches_it_afterwards(
    nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wirebroker.turns.TURN_S", 0)
    stage = Stage()
    stage.served[0].log = cast("Any", Flaky(0))
    stage.follow()
    nursery.start_soon(stage.runtime.run)
    while not stage.served[0].log.reads:  # type: ignore[attr-defined]
        await trio.lowlevel.checkpoint()
    await stage.runtime.end_transaction(0, 9, True)
    stage.runtime.notify(0, ("deleted", "t"))
    await stage.runtime.first_loads()
    assert await stage.runtime.request(0, "look") == [
        *"01234",
        "TransactionEnded(producer_id=9, committed=True)",
        "('deleted', 't')",
    ]
    nursery.cancel_scope.cancel()


async def test_errands_carry_the_leader_epoch_that_the_shard_was_loaded_with(stage: Stage) -> None:
    class Errands(Scribe):
        def handle(self, request: Any, ticket: Any, now: Now) -> Outcome:
            outcome = Outcome()
            outcome.errands.append(request)
            outcome.reply(ticket, None)
            return outcome

    stage.runtime._contexts[0].shard = cast("Shard", Errands())
    stage.served[0].leader_epoch = 6
    await stage.runtime.request(0, "markers")
    assert stage.errands == [(0, 5, "markers")]
