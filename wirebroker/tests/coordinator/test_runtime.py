"""CoordinatorRuntime: loading, appending and replying; a shard that fails leaves the other shards."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
import trio
import trio.testing

from wirebroker.coordinator.deferred_event_queue import REPLIES_IN_A_TURN
from wirebroker.coordinator.partition_writer import append_records
from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.coordinator.shard_context import ShardContext
from wirebroker.coordinator.turn import CoordinatorRecord, Turn
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.record.builder import build_keyed_batch
from wirebroker.tests.clocks import let_pass
from wirebroker.timer.timer import Timer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wirebroker.coordinator.shard import CoordinatorShard
    from wirebroker.coordinator.turn import PendingResponse
    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.replication.local_replica import PartitionListener
    from wirebroker.replication.partition import Partition


class EchoShard:
    """A shard that answers every request with itself, and has timers that fail."""

    def __init__(self) -> None:
        self.fired: list[str] = []

    def finish_replay(self) -> Iterator[None]:
        return iter(())

    def loaded(self, turn: Turn) -> None:
        turn.set_timer("bad", turn.monotonic_ms - 2)
        turn.set_timer("good", turn.monotonic_ms - 1)

    def unloaded(self, turn: Turn) -> None:
        pass

    def handle(self, request: Any, turn: Turn) -> None:
        turn.reply(request)

    def timed_out(self, key: str, turn: Turn) -> None:
        self.fired.append(key)
        if key == "bad":
            raise KeyError(key)


class EmptyLog:
    log_start_offset = 0

    def __init__(self, log_end_offset: int = 0) -> None:
        self.log_end_offset = log_end_offset

    @property
    def reader(self) -> EmptyLog:
        return self

    def read_bytes(self, *_: object) -> bytes:
        raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, "cannot be read")


class FakePartition:
    """A partition whose appends succeed at once, fail with *fault*, or wait: for *gate*, or for a new segment."""

    leader_epoch = 5
    high_watermark = 1 << 60
    below_min_isr = False
    is_replicated = True

    def __init__(self, log_end_offset: int, fault: Exception | None = None) -> None:
        self.listeners: set[PartitionListener] = set()
        self.log = EmptyLog(log_end_offset)
        self.fault = fault
        self.gate: trio.Event | None = None
        self.has_full_segment = False
        self.appended: list[list[bytes]] = []

    alone = True
    """Whether no other replica is in sync below min.insync.replicas."""

    @property
    def alone_below_min_isr(self) -> bool:
        return self.below_min_isr and self.alone

    @property
    def refuses_coordinator_records(self) -> bool:
        return self.below_min_isr

    @property
    def appends_inline(self) -> bool:
        return self.gate is None

    async def run_in_order(self, work: Callable[[], object]) -> object:
        return work()

    async def append_batch(self, batch: RecordBatch, *options: object) -> SimpleNamespace:
        if self.gate is not None:
            await self.gate.wait()
        self.has_full_segment = False
        return self._append(batch, *options)

    def append_batch_at_once(self, batch: RecordBatch, *options: object) -> SimpleNamespace | None:
        if self.has_full_segment:
            return None
        return self._append(batch, *options)

    def _append(self, batch: RecordBatch, *options: object) -> SimpleNamespace:
        if self.fault is not None:
            raise self.fault
        required_acks = options[-1]
        if self.below_min_isr and required_acks:
            raise ApiError(ErrorCode.NOT_ENOUGH_REPLICAS)
        self.appended.append([key or b"" for _, key, _ in batch.keyed_records()])
        return SimpleNamespace(last_offset=len(self.appended) - 1)

    def commit(self, high_watermark: int) -> None:
        """Move the high watermark."""
        self.high_watermark = high_watermark
        listeners, self.listeners = self.listeners, set()
        for listener in listeners:
            listener.partition_changed()


class WritingShard(EchoShard):
    """Appends each request but "wait", which stays pending; answers with all requests so far."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def handle(self, request: Any, turn: Turn) -> None:
        if request != "wait":
            self.told.append(request)
            turn.append(CoordinatorRecord(request.encode(), b""))
            turn.reply(list(self.told))


class CollectingShard(EchoShard):
    """Answers all requests with the last one, "all"."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[PendingResponse] = []

    def handle(self, request: Any, turn: Turn) -> None:
        self.waiting.append(turn.pending)
        if request == "all":
            for pending in self.waiting:
                turn.reply_to(pending, request)


async def test_many_responses_leave_in_several_turns(nursery: trio.Nursery) -> None:
    shard = CollectingShard()
    runtime = CoordinatorRuntime("topic", lambda _: cast("CoordinatorShard", shard))
    await runtime.load(0, cast("Partition", FakePartition(0)))
    nursery.start_soon(runtime.run)
    answered = 0

    async def ask(request: str) -> None:
        nonlocal answered
        assert await runtime.request(0, request) == "all"
        answered += 1

    for _ in range(5 * REPLIES_IN_A_TURN):
        nursery.start_soon(ask, "one")
    await trio.testing.wait_all_tasks_blocked()
    nursery.start_soon(ask, "all")
    in_a_turn = []
    while answered <= 5 * REPLIES_IN_A_TURN:
        before = answered
        await trio.lowlevel.checkpoint()
        in_a_turn.append(answered - before)
    assert max(in_a_turn) <= 2 * REPLIES_IN_A_TURN  # of a turn of the event loop, and the one that it overlaps
    nursery.cancel_scope.cancel()


async def test_a_timer_that_fails_is_the_last_of_its_shard_only(
    caplog: pytest.LogCaptureFixture, mock_clock: trio.testing.MockClock
) -> None:
    shard = EchoShard()
    timer = Timer()
    runtime = CoordinatorRuntime("topic", lambda _: cast("CoordinatorShard", shard), timer=timer)
    await runtime.load(0, cast("Partition", FakePartition(0)))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(timer.run)
        nursery.start_soon(runtime.run)
        await let_pass(mock_clock, 0.001)
        nursery.cancel_scope.cancel()
    assert shard.fired == ["bad", "good"]
    assert "the timer of bad failed" in caplog.text


class SessionShard(EchoShard):
    """A shard with one session of ten seconds; any request prolongs it."""

    def __init__(self) -> None:
        super().__init__()
        self.expires_ms = 0

    def loaded(self, turn: Turn) -> None:
        turn.set_timer("session", turn.monotonic_ms + 10_000)

    def handle(self, request: Any, turn: Turn) -> None:
        self.expires_ms = turn.monotonic_ms + 10_000
        super().handle(request, turn)

    def timed_out(self, key: str, turn: Turn) -> None:
        self.fired.append("ended" if turn.monotonic_ms > self.expires_ms else "goes on")


class ProlongingShard(EchoShard):
    """Each request puts the same timer off."""

    def loaded(self, turn: Turn) -> None:
        pass

    def handle(self, request: Any, turn: Turn) -> None:
        super().handle(request, turn)
        turn.set_timer("session", turn.monotonic_ms + 300_000 + request)
        turn.set_timer(request % 100, turn.monotonic_ms + 60_000)


async def test_timers_that_were_replaced_do_not_pile_up() -> None:
    timer = Timer()
    runtime = CoordinatorRuntime("topic", lambda _: cast("CoordinatorShard", ProlongingShard()), timer=timer)
    await runtime.load(0, cast("Partition", FakePartition(0)))
    for number in range(5000):
        await runtime.request(0, number)
    timers = runtime._contexts[0].timers
    assert len(timer) == len(timers) == 101
    assert all(each.is_pending for each in timers.values()), "and none is lost"
    runtime.unload(0)
    assert len(timer) == 0


@pytest.mark.parametrize("heard", [True, False])
async def test_after_a_standstill_requests_come_before_timers(heard: bool, mock_clock: trio.testing.MockClock) -> None:
    shard, timer = SessionShard(), Timer()
    runtime = CoordinatorRuntime("topic", lambda _: cast("CoordinatorShard", shard), timer=timer)
    await runtime.load(0, cast("Partition", FakePartition(0)))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(timer.run)
        nursery.start_soon(runtime.run)
        await trio.testing.wait_all_tasks_blocked()
        mock_clock.jump(30)
        for _ in range(5):  # what a connection needs to read and decode a frame
            await trio.lowlevel.checkpoint()
        assert not shard.fired
        if heard:
            await runtime.request(0, "heartbeat")
        await let_pass(mock_clock, 1)
        nursery.cancel_scope.cancel()
    assert shard.fired == ["goes on" if heard else "ended"]


class ReplayingShard(WritingShard):
    """Replays the requests of earlier shards."""

    def replay(self, record: CoordinatorRecord, *_: object) -> None:
        self.told.append(record.key.decode())


class FiveBatchLog:
    """A log of five batches."""

    log_start_offset = 0
    log_end_offset = 5

    @property
    def reader(self) -> FiveBatchLog:
        return self

    def read_bytes(self, offset: int, *_: object) -> bytes:
        batch = build_keyed_batch([CoordinatorRecord(b"%d" % offset, b"")], 1)
        batch[:8] = offset.to_bytes(8, "big")
        return bytes(batch)


async def test_requests_fail_while_a_shard_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.loop_budget.BUDGET_S", 0)
    runtime = CoordinatorRuntime("topic", lambda _: cast("CoordinatorShard", ReplayingShard()))
    partition = FakePartition(5)
    partition.log = cast("EmptyLog", FiveBatchLog())
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


async def test_waiting_requests_fail_when_their_shard_is_unloaded() -> None:
    runtime = CoordinatorRuntime("topic", lambda _: cast("CoordinatorShard", WritingShard()))
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
    runtime = CoordinatorRuntime("topic", lambda _: cast("CoordinatorShard", EchoShard()))
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
    # error of the append -> error of the request
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
    """The request gets the error in its own terms, waiting requests are to be retried, and the state is reloaded."""
    partition = FakePartition(0)
    runtime = CoordinatorRuntime("topic", lambda _: cast("CoordinatorShard", WritingShard()))
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


class SmallSegments(FakePartition):
    """A partition whose segments have room for three records."""

    async def append_batch(self, batch: RecordBatch, *options: object) -> SimpleNamespace:
        if batch.record_count > 3:
            raise ApiError(ErrorCode.RECORD_LIST_TOO_LARGE)
        return await super().append_batch(batch, *options)


async def test_tombstones_without_room_in_one_segment_become_several_batches() -> None:
    partition = SmallSegments(0)
    shard = cast("CoordinatorShard", WritingShard())
    context = ShardContext(0, cast("Partition", partition), shard, lambda *_: None)
    tombstones = [CoordinatorRecord(b"%d" % number, None) for number in range(10)]
    await append_records(context, tombstones, None)
    assert [key for keys in partition.appended for key in keys] == [key for key, _ in tombstones]
    assert max(map(len, partition.appended)) <= 3
    with pytest.raises(ApiError, match="RECORD_LIST_TOO_LARGE"):
        await append_records(context, [*tombstones, CoordinatorRecord(b"k", b"v")], None)


async def test_a_bug_in_an_append_is_an_unknown_error() -> None:
    runtime = CoordinatorRuntime("topic", lambda _: cast("CoordinatorShard", WritingShard()))
    await runtime.load(0, cast("Partition", FakePartition(0, RuntimeError("bug"))))
    with pytest.raises(ApiError) as refused:
        await runtime.request(0, "a")
    assert refused.value.code == ErrorCode.UNKNOWN_SERVER_ERROR
