"""What the runtime does when a shard or its log fails: that shard suffers, nobody else."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
import trio
import trio.testing

from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.coordinator.shard import CoordinatorRecord, Now, Outcome, Timer
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.builder import build_keyed_batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wirebroker.coordinator.shard import Shard
    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.replication.partition import Partition


class Echo:
    """A shard that answers every request with itself, and has timers that fail."""

    def __init__(self) -> None:
        self.fired: list[str] = []

    def finish_replay(self) -> Iterator[None]:
        return iter(())

    def loaded(self, now: Now) -> Outcome:
        outcome = Outcome()
        outcome.timers += [Timer("bad", now.monotonic_ms - 2), Timer("good", now.monotonic_ms - 1)]
        return outcome

    def unloaded(self) -> Outcome:
        return Outcome()

    def handle(self, request: Any, ticket: Any, _: Now) -> Outcome:
        outcome = Outcome()
        outcome.reply(ticket, request)
        return outcome

    def timed_out(self, key: str, _: Now) -> Outcome:
        self.fired.append(key)
        if key == "bad":
            raise KeyError(key)
        return Outcome()


class EmptyLog:
    log_start_offset = 0

    def __init__(self, log_end_offset: int = 0) -> None:
        self.log_end_offset = log_end_offset

    def read(self, *_: object) -> Any:
        raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, "cannot be read")


class FakePartition:
    """A partition whose appends succeed at once, or fail with *fault*, or wait for *gate* on a slow disk."""

    leader_epoch = 5

    def __init__(self, log_end_offset: int, fault: Exception | None = None) -> None:
        self.log = EmptyLog(log_end_offset)
        self.fault = fault
        self.gate: trio.Event | None = None
        self.appended: list[list[bytes]] = []

    @property
    def quick(self) -> bool:
        return self.gate is None

    async def in_order(self, work: Callable[[], object]) -> object:
        return work()

    async def append_batch(self, batch: RecordBatch, *_: object) -> None:
        if self.gate is not None:
            await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        self.appended.append([key or b"" for _, key, _ in batch.keyed_records()])


class Writer(Echo):
    """Writes what it is asked, unless that is to wait; answers with what it has been told so far."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def handle(self, request: Any, ticket: Any, _: Now) -> Outcome:
        outcome = Outcome()
        if request != "wait":
            self.told.append(request)
            outcome.records.append(CoordinatorRecord(request.encode(), b""))
            outcome.reply(ticket, list(self.told))
        return outcome


async def test_a_timer_that_fails_is_the_last_of_its_shard_only(caplog: pytest.LogCaptureFixture) -> None:
    shard = Echo()
    runtime = CoordinatorRuntime("topic", lambda _: cast("Shard", shard))
    await runtime.load(0, cast("Partition", FakePartition(0)))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(runtime.run)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert shard.fired == ["bad", "good"]
    assert "the timer of bad failed" in caplog.text


class Sessions(Echo):
    """A shard with one session that was to end long ago; any request prolongs it."""

    def __init__(self) -> None:
        super().__init__()
        self.expires_ms = 0

    def loaded(self, now: Now) -> Outcome:
        outcome = Outcome()
        outcome.timers.append(Timer("session", now.monotonic_ms - 20_000))
        return outcome

    def handle(self, request: Any, ticket: Any, now: Now) -> Outcome:
        self.expires_ms = now.monotonic_ms + 10_000
        return super().handle(request, ticket, now)

    def timed_out(self, key: str, now: Now) -> Outcome:
        self.fired.append("ended" if now.monotonic_ms > self.expires_ms else "goes on")
        return Outcome()


class Prolongs(Echo):
    """Each request puts the same timer off."""

    def loaded(self, now: Now) -> Outcome:
        return Outcome()

    def handle(self, request: Any, ticket: Any, now: Now) -> Outcome:
        outcome = super().handle(request, ticket, now)
        outcome.timers.append(Timer("session", now.monotonic_ms + 300_000 + request))
        outcome.timers.append(Timer(request % 100, now.monotonic_ms + 60_000))
        return outcome


async def test_timers_that_were_replaced_do_not_pile_up() -> None:
    runtime = CoordinatorRuntime("topic", lambda _: cast("Shard", Prolongs()))
    await runtime.load(0, cast("Partition", FakePartition(0)))
    for number in range(5000):
        await runtime.request(0, number)
    assert len(runtime._timers) <= 1001
    due = {key: due_ms for due_ms, _, _, key in sorted(runtime._timers._heap)}
    assert due == runtime._contexts[0].due, "and none is lost"
    assert len(due) == 101


@pytest.mark.parametrize("heard", [True, False])
async def test_after_a_standstill_clients_are_heard_first(heard: bool, autojump_clock: trio.testing.MockClock) -> None:
    shard = Sessions()
    runtime = CoordinatorRuntime("topic", lambda _: cast("Shard", shard))
    await runtime.load(0, cast("Partition", FakePartition(0)))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(runtime.run)
        for _ in range(5):  # what a connection needs to read and decode a frame
            await trio.lowlevel.checkpoint()
        assert not shard.fired
        if heard:
            await runtime.request(0, "heartbeat")
        await trio.sleep(1)
        nursery.cancel_scope.cancel()
    assert shard.fired == ["goes on" if heard else "ended"]


class Remembers(Writer):
    """Knows what it was told before it was loaded."""

    def replay(self, record: CoordinatorRecord, *_: object) -> None:
        self.told.append(record.key.decode())


class Written:
    """A log of five batches."""

    log_start_offset = 0
    log_end_offset = 5

    def read(self, offset: int, *_: object) -> Any:
        batch = build_keyed_batch([CoordinatorRecord(b"%d" % offset, b"")], 1)
        batch[:8] = offset.to_bytes(8, "big")
        return SimpleNamespace(size_bytes=len(batch), tobytes=lambda: batch)


async def test_while_a_shard_is_loaded_its_clients_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.turns.TURN_S", 0)
    runtime = CoordinatorRuntime("topic", lambda _: cast("Shard", Remembers()))
    partition = FakePartition(5)
    partition.log = cast("EmptyLog", Written())
    told: list[ErrorCode] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(runtime.load, 0, cast("Partition", partition))
        while not runtime.shards():
            await trio.lowlevel.checkpoint()
        while ErrorCode.NONE not in told:
            try:
                assert await runtime.request(0, "new") == ["0", "1", "2", "3", "4", "new"]
                told.append(ErrorCode.NONE)
            except ApiError as fault:
                told.append(fault.code)
                await trio.lowlevel.checkpoint()
    assert set(told[:-1]) == {ErrorCode.COORDINATOR_LOAD_IN_PROGRESS}


async def test_who_waits_when_a_shard_moves_away_is_told_so() -> None:
    runtime = CoordinatorRuntime("topic", lambda _: cast("Shard", Writer()))
    await runtime.load(0, cast("Partition", FakePartition(0)))
    told: list[ErrorCode] = []

    async def wait() -> None:
        with pytest.raises(ApiError) as refused:
            await runtime.request(0, "wait")
        told.append(refused.value.code)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        runtime.unload(0)
    with pytest.raises(ApiError) as refused:
        await runtime.request(0, "later")
    assert [*told, refused.value.code] == [ErrorCode.NOT_COORDINATOR] * 2


async def test_a_log_that_cannot_be_read_leaves_the_other_shards(caplog: pytest.LogCaptureFixture) -> None:
    runtime = CoordinatorRuntime("topic", lambda _: cast("Shard", Echo()))
    await runtime.load(0, cast("Partition", FakePartition(1)))
    await runtime.load(1, cast("Partition", FakePartition(0)))
    with pytest.raises(ApiError) as refused:
        await runtime.request(0, "hello")
    assert refused.value.code == ErrorCode.NOT_COORDINATOR
    assert await runtime.request(1, "hello") == "hello"
    assert "topic-0: cannot be loaded" in caplog.text


async def code_of(runtime: CoordinatorRuntime, request: str) -> ErrorCode:
    """The error that a request to shard 0 is answered with."""
    with pytest.raises(ApiError) as refused:
        await runtime.request(0, request)
    return refused.value.code


MEANINGS = {
    # what went wrong with the append -> what a client of the coordinator is told (rule 103)
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_LEADER_OR_FOLLOWER: ErrorCode.NOT_COORDINATOR,
    ErrorCode.KAFKA_STORAGE_ERROR: ErrorCode.NOT_COORDINATOR,
    ErrorCode.MESSAGE_TOO_LARGE: ErrorCode.INVALID_COMMIT_OFFSET_SIZE,
    ErrorCode.RECORD_LIST_TOO_LARGE: ErrorCode.INVALID_COMMIT_OFFSET_SIZE,
    ErrorCode.INVALID_FETCH_SIZE: ErrorCode.INVALID_COMMIT_OFFSET_SIZE,
    ErrorCode.REQUEST_TIMED_OUT: ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.UNKNOWN_SERVER_ERROR: ErrorCode.UNKNOWN_SERVER_ERROR,
}


@pytest.mark.parametrize(("fault", "told"), MEANINGS.items())
async def test_an_append_that_fails(fault: ErrorCode, told: ErrorCode) -> None:
    """Who asked is told what it means, who waits is sent to ask again, and what was not written is forgotten."""
    partition = FakePartition(0)
    runtime = CoordinatorRuntime("topic", lambda _: cast("Shard", Writer()))
    await runtime.load(0, cast("Partition", partition))
    assert await runtime.request(0, "a") == ["a"]
    waiting: list[ErrorCode] = []

    async def wait() -> None:
        with pytest.raises(ApiError) as refused:
            await runtime.request(0, "wait")
        waiting.append(refused.value.code)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        partition.fault = ApiError(fault)
        with pytest.raises(ApiError) as refused:
            await runtime.request(0, "b")
    assert refused.value.code == told
    assert waiting == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    partition.fault = None
    assert await code_of(runtime, "c") == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    async with trio.open_nursery() as nursery:
        nursery.start_soon(runtime.run)
        await trio.testing.wait_all_tasks_blocked()
        assert await runtime.request(0, "d") == ["d"]
        nursery.cancel_scope.cancel()


async def test_a_bug_in_an_append_is_an_unknown_error() -> None:
    runtime = CoordinatorRuntime("topic", lambda _: cast("Shard", Writer()))
    await runtime.load(0, cast("Partition", FakePartition(0, RuntimeError("bug"))))
    with pytest.raises(ApiError) as refused:
        await runtime.request(0, "a")
    assert refused.value.code == ErrorCode.UNKNOWN_SERVER_ERROR
