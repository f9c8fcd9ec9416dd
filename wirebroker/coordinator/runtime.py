"""Runs shards: loads them by replay, one request at a time, appends, and only then replies.

A shard's requests run in order of arrival.  Its records are one batch, appended like any producer's;
the replies go out when that batch is committed.  Should the append fail, the shard is dropped, everybody who waits for
it is told to try again, and it is loaded anew from what the log holds.
"""

from __future__ import annotations

import heapq
import itertools
import logging
from time import perf_counter
from typing import TYPE_CHECKING, Any

import trio

from wirebroker.clock import now_ms
from wirebroker.coordinator.shard import CoordinatorRecord, Now, Outcome, ReplayedBatch, Shard, TransactionalWriter
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.builder import build_keyed_batch
from wirebroker.record.control import read_marker
from wirebroker.record.record_batch import RecordBatch, batches
from wirebroker.storage.producer_state import AppendOrigin

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from wirebroker.replication.partition import Partition

logger = logging.getLogger(__name__)

_LOAD_BYTES = 1024 * 1024
_TURN_S = 0.005
"""How long a replay may keep the loop; other shards and other connections are served meanwhile."""
_SWEEP_AT_LEAST = 1000
_LATE_MS = 500
_CATCH_UP_S = 0.1
"""A timer that is later than that means that this process stood still.  What clients sent meanwhile waits in their
sockets and is read first: a session that a heartbeat has prolonged does not end."""


class Ticket:
    """One request that waits for its reply."""

    __slots__ = ("_event", "response")

    def __init__(self) -> None:
        self._event: trio.Event | None = None
        self.response: Any = _WAITING

    def deliver(self, response: Any) -> None:
        """Wake whoever waits; the first reply counts."""
        if self.response is _WAITING:
            self.response = response
            if self._event is not None:
                self._event.set()

    async def wait(self) -> Any:
        """The reply; raises it when it is an ApiError."""
        if self.response is _WAITING:
            self._event = trio.Event()
            await self._event.wait()
        if isinstance(self.response, ApiError):
            raise self.response
        return self.response


_WAITING: Any = object()


class _Running:
    """One loaded shard."""

    __slots__ = ("due", "loaded", "lock", "partition", "shard", "tickets")

    def __init__(self, shard: Shard, partition: Partition) -> None:
        self.shard = shard
        self.partition = partition
        self.lock = trio.Lock()
        self.due: dict[Hashable, int] = {}
        self.tickets: set[Ticket] = set()
        self.loaded = False


class CoordinatorRuntime:
    """All shards of one internal topic.

    Args:
        topic: the internal topic.
        new_shard: makes an empty shard for a partition number.
        start_errand: gets a shard's number and each errand of its outcomes; must not wait.
    """

    def __init__(
        self,
        topic: str,
        new_shard: Callable[[int], Shard],
        start_errand: Callable[[int, Any], None] | None = None,
    ) -> None:
        self.topic = topic
        self._new_shard = new_shard
        self._start_errand = start_errand
        self._shards: dict[int, _Running] = {}
        self._timers: list[tuple[int, int, int, Hashable]] = []  # due, order, shard, key
        self._sweep_at = _SWEEP_AT_LEAST
        self._order = itertools.count()
        self._timer_set = trio.Event()

    # -- life ------------------------------------------------------------------------------------------------

    async def load(self, index: int, partition: Partition) -> None:
        """Become the coordinator of one partition: replay its log, then serve."""
        running = _Running(self._new_shard(index), partition)
        self._shards[index] = running
        started_s = trio.current_time()
        async with running.lock:
            try:
                count = await self._replay(running)
                outcome = running.shard.loaded(_now())
            except Exception as fault:
                self._not_loaded(index, fault)
                return
            running.loaded = True
            await self._apply(index, running, outcome)
        if count:
            elapsed_ms = round(1000 * (trio.current_time() - started_s))
            logger.info("%s-%d: loaded %d records in %d ms", self.topic, index, count, elapsed_ms)

    async def _replay(self, running: _Running) -> int:
        partition, shard = running.partition, running.shard
        log = partition.log
        offset = log.log_start_offset
        count = 0
        turn_ends = perf_counter() + _TURN_S
        while offset < partition.high_watermark:
            piece = log.read(offset, _LOAD_BYTES, partition.high_watermark, True)
            if not piece.size_bytes:
                break
            view = memoryview(piece.tobytes())
            for batch in batches(view):
                if batch.next_offset <= offset:
                    continue
                count += _replay_batch(shard, batch, offset)
                offset = batch.next_offset
                if perf_counter() > turn_ends:
                    await trio.lowlevel.checkpoint()
                    turn_ends = perf_counter() + _TURN_S
        return count

    def unload(self, index: int) -> None:
        """Coordinate a partition no more."""
        running = self._shards.pop(index, None)
        if running is not None:
            self._deliver(running.shard.unloaded())
            self._fail_waiting(running, ErrorCode.NOT_COORDINATOR)

    @property
    def shard_count(self) -> int:
        """How many shards are loaded or loading."""
        return len(self._shards)

    def shards(self) -> list[int]:
        """Their numbers."""
        return sorted(self._shards)

    # -- requests --------------------------------------------------------------------------------------------

    async def request(self, index: int, request: Any, writer: TransactionalWriter | None = None) -> Any:
        """Have the shard handle *request*; returns its reply, however long that takes.

        Its records are part of the transaction of *writer*, if there is one; if that may not write, the shard never
        hears of the request.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, or COORDINATOR_NOT_AVAILABLE after
                a failed append; what the log has against *writer*.
        """
        running = self._serving(index)
        ticket = Ticket()
        running.tickets.add(ticket)  # first, so that it hears of an append that fails even if its own reply is to wait
        try:
            if running.partition.quick and not running.lock.locked():
                # Nothing in there waits, so there is nobody to be kept out; while a shard is loaded again after an
                # append that failed, `loaded` does that.
                await self._run(index, running, request, ticket, writer)
            else:
                async with running.lock:
                    await self._run(index, running, request, ticket, writer)
            return await ticket.wait()
        finally:
            running.tickets.discard(ticket)

    def partition(self, index: int) -> Partition:
        """Where the records of a shard that serves are.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR.
        """
        return self._serving(index).partition

    def _serving(self, index: int) -> _Running:
        running = self._shards.get(index)
        if running is None:
            raise ApiError(ErrorCode.NOT_COORDINATOR)
        if not running.loaded:
            raise ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
        return running

    async def _run(
        self, index: int, running: _Running, request: Any, ticket: Ticket, writer: TransactionalWriter | None
    ) -> None:
        if self._shards.get(index) is not running:
            raise ApiError(ErrorCode.NOT_COORDINATOR)
        if writer is not None:
            # A refused append would cost a reload of the shard; and the writer may have waited here for too long.
            running.partition.log.producers.check_writer(*writer)
        outcome = running.shard.handle(request, ticket, _now())
        await self._apply(index, running, outcome, writer)

    async def _apply(
        self, index: int, running: _Running, outcome: Outcome, writer: TransactionalWriter | None = None
    ) -> None:
        """Append, then reply.  Cancelling the caller undoes nothing: its state has changed already."""
        if outcome.timers:
            for key, due_ms in outcome.timers:
                self._set_timer(index, running, key, due_ms)
        if outcome.records:
            try:
                if running.partition.quick:  # nothing to shield: this does not wait
                    await self._append(running.partition, outcome.records, writer)
                else:
                    with trio.CancelScope(shield=True):
                        await self._append(running.partition, outcome.records, writer)
            except Exception as fault:
                code = fault.code if isinstance(fault, ApiError) else ErrorCode.UNKNOWN_SERVER_ERROR
                logger.error("%s-%d: append failed, loading again: %s", self.topic, index, fault)
                with trio.CancelScope(shield=True):
                    await self._start_over(index, running, outcome, _coordinator_code(code))
                return
        self._deliver(outcome)
        self._start_errands(index, outcome)

    async def _append(
        self, partition: Partition, records: list[CoordinatorRecord], writer: TransactionalWriter | None
    ) -> None:
        time_ms = now_ms()
        if writer is None:
            await partition.append_batch(RecordBatch.parse(build_keyed_batch(records, time_ms)), time_ms)
            return
        producer_id, producer_epoch, verified = writer
        data = build_keyed_batch(records, time_ms, producer_id, producer_epoch)
        await partition.append_batch(RecordBatch.parse(data), time_ms, AppendOrigin.COORDINATOR, verified)

    def _deliver(self, outcome: Outcome) -> None:
        for ticket, response in outcome.replies:
            assert isinstance(ticket, Ticket)
            ticket.deliver(response)

    def _start_errands(self, index: int, outcome: Outcome) -> None:
        for errand in outcome.errands:
            assert self._start_errand is not None
            self._start_errand(index, errand)

    async def _start_over(self, index: int, running: _Running, outcome: Outcome, code: ErrorCode) -> None:
        for ticket, _ in outcome.replies:
            assert isinstance(ticket, Ticket)
            ticket.deliver(ApiError(code))
        # The others only lost what they waited for: they look the coordinator up and ask again.
        self._fail_waiting(running, ErrorCode.COORDINATOR_NOT_AVAILABLE)
        running.loaded = False
        running.due.clear()
        running.shard = self._new_shard(index)
        try:
            await self._replay(running)
            again = running.shard.loaded(_now())
        except Exception as fault:
            self._not_loaded(index, fault)
            return
        running.loaded = True
        for key, due_ms in again.timers:
            self._set_timer(index, running, key, due_ms)
        self._start_errands(index, again)

    def _not_loaded(self, index: int, fault: Exception) -> None:
        """A log that cannot be read or understood: the other shards serve on."""
        expected = isinstance(fault, ApiError)
        logger.error("%s-%d: cannot be loaded: %s", self.topic, index, fault, exc_info=None if expected else fault)
        self._shards.pop(index, None)

    def _fail_waiting(self, running: _Running, code: ErrorCode) -> None:
        for ticket in tuple(running.tickets):
            ticket.deliver(ApiError(code))

    async def end_transaction(self, index: int, producer_id: int, committed: bool) -> None:
        """A marker was appended to the shard's partition: pending commits become real or go."""
        running = self._shards.get(index)
        if running is not None and running.loaded:
            async with running.lock:
                running.shard.replay_end_transaction(producer_id, committed=committed)

    # -- time ------------------------------------------------------------------------------------------------

    def _set_timer(self, index: int, running: _Running, key: Hashable, due_ms: int | None) -> None:
        if due_ms is None:
            running.due.pop(key, None)
            return
        running.due[key] = due_ms
        soonest = self._timers[0][0] if self._timers else None
        heapq.heappush(self._timers, (due_ms, next(self._order), index, key))
        if len(self._timers) > self._sweep_at:
            self._sweep()
        if soonest is None or due_ms < soonest:
            self._timer_set.set()

    def _sweep(self) -> None:
        """Drop timers that were replaced or cancelled: members that come and go leave many, due in minutes."""
        live = []
        for timer in self._timers:
            running = self._shards.get(timer[2])
            if running is not None and running.due.get(timer[3]) == timer[0]:
                live.append(timer)
        heapq.heapify(live)
        self._timers = live
        self._sweep_at = max(2 * len(live), _SWEEP_AT_LEAST)

    async def run_timers(self) -> None:
        """Call shards when their timers are due; runs for ever."""
        caught_up = False
        while True:
            self._timer_set = trio.Event()
            if not self._timers:
                await self._timer_set.wait()
                continue
            wait_ms = self._timers[0][0] - 1000 * trio.current_time()
            if wait_ms > 0:
                caught_up = False
                with trio.move_on_after(wait_ms / 1000):
                    await self._timer_set.wait()
                continue
            if wait_ms < -_LATE_MS and not caught_up:
                caught_up = True
                await trio.sleep(_CATCH_UP_S)
                continue
            due_ms, _, index, key = heapq.heappop(self._timers)
            running = self._shards.get(index)
            # A timer that was replaced or cancelled is still in the heap; its due time no longer matches.
            if running is None or running.due.get(key) != due_ms:
                continue
            del running.due[key]
            async with running.lock:
                if self._shards.get(index) is running and running.loaded:
                    try:
                        await self._apply(index, running, running.shard.timed_out(key, _now()))
                    except Exception:
                        logger.exception("%s-%d: the timer of %s failed", self.topic, index, key)


def _now() -> Now:
    """The present moment; timers follow trio's clock, which is monotonic, records the wall clock."""
    return Now(int(1000 * trio.current_time()), now_ms())


def _replay_batch(shard: Shard, batch: RecordBatch, from_offset: int) -> int:
    if batch.is_control:
        marker = read_marker(batch)
        if marker is not None:
            shard.replay_end_transaction(batch.producer_id, committed=marker.committed)
        return 1
    who = ReplayedBatch(batch.producer_id, batch.producer_epoch, batch.is_transactional, batch.max_timestamp)
    count = 0
    for offset, key, value in batch.keyed_records():
        if offset >= from_offset and key is not None:
            shard.replay(CoordinatorRecord(key, value), offset, who)
            count += 1
    return count


def _coordinator_code(code: ErrorCode) -> ErrorCode:
    """What a failed append means to a client of a coordinator (rule 103)."""
    if code in (
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    ):
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    if code in (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.KAFKA_STORAGE_ERROR):
        return ErrorCode.NOT_COORDINATOR
    if code in (ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.RECORD_LIST_TOO_LARGE, ErrorCode.INVALID_FETCH_SIZE):
        return ErrorCode.INVALID_COMMIT_OFFSET_SIZE
    return code
