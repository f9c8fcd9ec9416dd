"""CoordinatorRuntime: loads shards by replay, hands them requests, appends their records and only then replies.

A shard changes its state at once and says what is to be written.  Its outcomes are appended one batch each, in order,
and their replies leave in that order.  On a quick disk an append does not wait; on a slow one outcomes queue while the
shard goes on, and no lock is held.  Should an append fail, the state and the queue are built on what was not written:
all who wait are told to try again, and the shard is replaced by one that is loaded from the log.

A shard belongs to one Partition object at one leader epoch (`ShardContext`).  Requests for a shard whose partition is
not the served one any more are answered with NOT_COORDINATOR, and its appends go nowhere else.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.clock import now_ms
from wirebroker.coordinator.loader import replay_log
from wirebroker.coordinator.shard import Now, Reply, TransactionEnded
from wirebroker.coordinator.shard_context import PendingAppend, PendingResponse, ShardContext, ShardState
from wirebroker.coordinator.timers import TimerQueue
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.builder import build_keyed_batch
from wirebroker.record.record_batch import RecordBatch
from wirebroker.storage.faults import DiskFullError
from wirebroker.storage.producer_state import AppendOrigin

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from wirebroker.coordinator.shard import CoordinatorRecord, Outcome, Shard, TransactionalWriter
    from wirebroker.replication.partition import Partition

logger = logging.getLogger(__name__)

_FIRST_RETRY_S: Final = 0.1
_LONGEST_RETRY_S: Final = 60.0
"""Between attempts to load a log that cannot be read: each attempt reads all of it."""
_LONGEST_RELOAD_PAUSE_S: Final = 5.0
_APPENDS_BEFORE_TIMERS: Final = 100
_TIMER_PAUSE_MS: Final = 20


class CoordinatorRuntime:
    """All shards of one internal topic.

    Args:
        topic: the internal topic.
        new_shard: makes an empty shard for a partition number.
        start_errand: gets a shard's number, its leader epoch and each errand of its outcomes; must not wait.
        served_partition: the Partition that this broker serves under a number now, or None; without it every partition
            that was handed to `load` counts as served.
        unloaded: called with the number of each shard that is unloaded.
    """

    def __init__(
        self,
        topic: str,
        new_shard: Callable[[int], Shard],
        start_errand: Callable[[int, int, Any], None] | None = None,
        served_partition: Callable[[int], Partition | None] | None = None,
        unloaded: Callable[[int], None] | None = None,
    ) -> None:
        self.topic = topic
        self._new_shard = new_shard
        self._start_errand = start_errand
        self._served_partition = served_partition
        self._on_unloaded = unloaded
        self._contexts: dict[int, ShardContext] = {}
        self._timers = TimerQueue()
        self._load_slot = trio.Semaphore(1)
        """One log is replayed at a time, as in Kafka: two would take as long and share the memory."""
        self._nursery: trio.Nursery | None = None
        self._seconds: Callable[[], float] = trio.current_time

    def _now(self) -> Now:
        """The present moment; timers follow trio's clock, which is monotonic, records the wall clock."""
        return _make_now(Now, (int(1000 * self._seconds()), now_ms()))

    async def run(self) -> None:
        """Load shards, append on slow disks and keep time until cancelled.

        The nursery is kept on the object for `follow` and `request`, which start loads and appends; both end with it.
        """
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            self._seconds = trio.lowlevel.current_clock().current_time  # half the price of trio.current_time
            try:
                for context in tuple(self._contexts.values()):
                    if context.is_appending or context.appends:  # by a run that ended in between: outcome unknown
                        self._reload(context)
                    elif context.state is not ShardState.ACTIVE:
                        nursery.start_soon(self._load_until_active, context)
                await self._timers.run(self._fire)
            finally:
                self._nursery = None

    # -- loading -------------------------------------------------------------------------------------------------

    def follow(self, served: Mapping[int, Partition]) -> None:
        """Coordinate exactly these partitions: unload shards of others, load those that are new or were replaced."""
        for index, context in tuple(self._contexts.items()):
            partition = served.get(index)
            if partition is None or not context.is_for(partition):
                self.unload(index)
        for index, partition in served.items():
            if index not in self._contexts:
                self._start_loading(self._open(index, partition))

    def _open(self, index: int, partition: Partition) -> ShardContext:
        context = self._contexts[index] = ShardContext(index, partition, self._new_shard(index))
        return context

    def _start_loading(self, context: ShardContext) -> None:
        if self._nursery is not None:
            self._nursery.start_soon(self._load_until_active, context)

    async def load(self, index: int, partition: Partition) -> None:
        """Coordinate one partition, and make one attempt to load it now; `follow` leaves loading to `run`."""
        if index in self._contexts:
            self.unload(index)
        await self._attempt(self._open(index, partition))

    async def _load_until_active(self, context: ShardContext) -> None:
        """Load a shard, again and again with growing pauses; ends when it is active or closed."""
        pause_s = _FIRST_RETRY_S
        with trio.CancelScope() as context.load_scope:
            if context.failed_appends > 1:
                # A full disk, say, and clients that try again and again: each load reads the whole log.
                await trio.sleep(min(_FIRST_RETRY_S * 2**context.failed_appends, _LONGEST_RELOAD_PAUSE_S))
            while context.state in (ShardState.LOADING, ShardState.FAILED):
                async with self._load_slot:
                    await self._attempt(context, pause_s)
                if context.state is ShardState.FAILED:
                    await trio.sleep(pause_s)
                    pause_s = min(2 * pause_s, _LONGEST_RETRY_S)

    async def _attempt(self, context: ShardContext, pause_s: float = _FIRST_RETRY_S) -> None:
        if context.state is ShardState.FAILED:
            context.state = ShardState.LOADING
            context.shard = self._new_shard(context.index)
        started_s = trio.current_time()
        try:
            count = await replay_log(context.partition, context.shard)
            if context.state is ShardState.CLOSED:
                return
            outcome = context.shard.loaded(self._now())
        except Exception as fault:
            if context.state is not ShardState.CLOSED:
                context.state = ShardState.FAILED
                logger.error(
                    "%s-%d: cannot be loaded, its groups or transactions are not served; trying again in %.1f s: %s",
                    *(self.topic, context.index, pause_s, fault),
                    exc_info=None if isinstance(fault, ApiError) else fault,
                )
            return
        finally:
            context.first_load.set()
        context.state = ShardState.ACTIVE
        if count:
            elapsed_ms = round(1000 * (trio.current_time() - started_s))
            logger.info("%s-%d: loaded %d records in %d ms", self.topic, context.index, count, elapsed_ms)
        await self._apply(context, outcome)
        notices, context.notices = context.notices, []
        for notice in notices:
            self._notify(context, notice)

    async def first_loads(self) -> None:
        """Wait until every shard was loaded once, or could not be."""
        for context in tuple(self._contexts.values()):
            await context.first_load.wait()

    def unload(self, index: int) -> None:
        """Coordinate a partition no more; a load of it stops, and all who wait hear NOT_COORDINATOR."""
        context = self._contexts.pop(index, None)
        if context is None:
            return
        was_active = context.state is ShardState.ACTIVE
        context.close()
        if was_active:
            _deliver(context.shard.unloaded().replies)
        context.fail_responses(ErrorCode.NOT_COORDINATOR)
        if self._on_unloaded is not None:
            self._on_unloaded(index)

    def shards(self) -> list[int]:
        """The numbers of all shards, loaded or not."""
        return sorted(self._contexts)

    # -- requests ------------------------------------------------------------------------------------------------

    async def request(self, index: int, request: Any, writer: TransactionalWriter | None = None) -> Any:
        """Have the shard handle *request*; returns its reply, however long that takes.

        Its records are part of the transaction of *writer*, if there is one; if that may not write, the shard never
        hears of the request.  Cancelling the caller undoes nothing.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, or COORDINATOR_NOT_AVAILABLE after
                a failed append; what the log has against *writer*.
        """
        context = self._active(index)
        if writer is not None:  # a refused append would cost a reload of the shard
            context.partition.log.producers.check_writer(*writer)
        response = PendingResponse()
        context.responses.add(response)  # before the append, so that it hears of one that fails even if it is to wait
        try:
            await self._apply(context, context.shard.handle(request, response, self._now()), writer)
            return await response.wait()
        finally:
            context.responses.discard(response)

    def partition(self, index: int) -> Partition:
        """Where the records of an active shard are.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR.
        """
        return self._active(index).partition

    def _active(self, index: int) -> ShardContext:
        context = self._contexts.get(index)
        if context is None:
            raise ApiError(ErrorCode.NOT_COORDINATOR)
        served = self._served_partition
        if served is not None and served(index) is not context.partition:
            self._lost(context)
            raise ApiError(ErrorCode.NOT_COORDINATOR)
        if context.state is not ShardState.ACTIVE:
            loading = context.state is ShardState.LOADING
            raise ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS if loading else ErrorCode.NOT_COORDINATOR)
        return context

    def _lost(self, context: ShardContext) -> None:
        """Unload a shard whose partition is not the served one any more."""
        logger.info("%s-%d: unloaded, its partition is not served any more", self.topic, context.index)
        self.unload(context.index)

    def notify(self, index: int, notice: Any) -> None:
        """Tell a shard something that is no request and asks for no records; one that is loading hears it then."""
        context = self._contexts.get(index)
        if context is None:
            return
        if context.state is ShardState.ACTIVE:
            self._notify(context, notice)
        else:
            context.notices.append(notice)

    def _notify(self, context: ShardContext, notice: Any) -> None:
        outcome = context.shard.handle(notice, PendingResponse(), self._now())
        assert not outcome.records, "a notice is not answered, so nobody would hear that its records cannot be written"
        self._set_timers(context, outcome)

    async def end_transaction(self, index: int, producer_id: int, committed: bool) -> None:
        """Tell a shard that a transaction marker was appended to its partition: pending commits become real or go.

        A marker that overtook a pending commit of the same producer (the coordinator aborted it meanwhile) makes the
        shard load again, for the log alone says which came first.
        """
        context = self._contexts.get(index)
        if context is None:
            return
        if any(each.writer is not None and each.writer.producer_id == producer_id for each in context.appends):
            self._reload(context)
        self.notify(index, TransactionEnded(producer_id, committed))

    # -- outcomes ------------------------------------------------------------------------------------------------

    async def _apply(self, context: ShardContext, outcome: Outcome, writer: TransactionalWriter | None = None) -> None:
        """Append an outcome's records, then deliver its replies; waits for nothing.

        Replies without records leave behind the appends before them, for they may tell what those say, but for the
        `immediate` ones.
        """
        if outcome.timers:
            self._set_timers(context, outcome)
        if outcome.immediate:
            _deliver(outcome.immediate)
            if not outcome.records and not outcome.replies:
                return
        if context.appends or context.is_appending or (outcome.records and not context.partition.quick):
            if outcome.records or outcome.replies or outcome.errands:
                context.appends.append(PendingAppend(outcome, writer))
                self._start_appending(context)
            return
        if outcome.records:
            context.is_appending = True
            try:
                await self._append(context.partition, outcome.records, writer)  # a quick disk: does not wait
            except Exception as fault:
                self._append_failed(context, outcome, fault)
                return
            except BaseException:  # it did wait, and was cancelled: the outcome is unknown
                self._reload(context)
                raise
            context.is_appending = False
            context.failed_appends = 0
        self._complete(context, outcome)
        if context.appends:
            self._start_appending(context)

    def _start_appending(self, context: ShardContext) -> None:
        if not context.is_appending and self._nursery is not None:
            context.is_appending = True
            self._nursery.start_soon(self._append_pending, context)

    async def _append_pending(self, context: ShardContext) -> None:
        """Append what waits, in order, until nothing does; ends at once when the context is closed."""
        while context.appends:
            outcome, writer = context.appends[0]
            if outcome.records:
                try:
                    await self._append(context.partition, outcome.records, writer)
                except Exception as fault:
                    if context.state is not ShardState.CLOSED:
                        self._append_failed(context, outcome, fault)
                    return
            if context.state is ShardState.CLOSED:
                return
            if outcome.records:
                context.failed_appends = 0
            context.appends.popleft()
            self._complete(context, outcome)
        context.is_appending = False

    async def _append(
        self, partition: Partition, records: list[CoordinatorRecord], writer: TransactionalWriter | None
    ) -> None:
        time_ms = now_ms()
        if writer is None:
            data, verified = build_keyed_batch(records, time_ms), None
        else:
            producer_id, producer_epoch, verified = writer
            data = build_keyed_batch(records, time_ms, producer_id, producer_epoch)
        await partition.append_batch(RecordBatch.parse(data), time_ms, AppendOrigin.COORDINATOR, verified)

    def _append_failed(self, context: ShardContext, outcome: Outcome, fault: Exception) -> None:
        code = _coordinator_code(fault)
        logger.error(
            "%s-%d: append failed, loading the shard again: %s",
            *(self.topic, context.index, fault),
            exc_info=None if isinstance(fault, ApiError) else fault,
        )
        failed = ApiError(code)
        _deliver([Reply(ticket, failed) for ticket, _ in outcome.replies])
        self._reload(context)

    def _reload(self, context: ShardContext) -> None:
        """Replace a shard whose state is ahead of its log; who waits for it looks the coordinator up and asks again."""
        was_active = context.state is ShardState.ACTIVE
        context.close()
        context.fail_responses(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        if was_active:
            context.shard.unloaded()  # its replies are out; this lets go of its state, which has cycles
        if self._contexts.get(context.index) is context:
            again = self._open(context.index, context.partition)
            again.failed_appends = context.failed_appends + 1
            self._start_loading(again)

    def _complete(self, context: ShardContext, outcome: Outcome) -> None:
        _deliver(outcome.replies)
        for errand in outcome.errands:
            assert self._start_errand is not None
            self._start_errand(context.index, context.leader_epoch, errand)

    # -- time ----------------------------------------------------------------------------------------------------

    def _set_timers(self, context: ShardContext, outcome: Outcome) -> None:
        for key, due_ms in outcome.timers:
            self._timers.set(context, key, due_ms)

    async def _fire(self, context: ShardContext, key: Hashable) -> None:
        if context.state is not ShardState.ACTIVE:
            return
        if self._served_partition is not None and self._served_partition(context.index) is not context.partition:
            self._lost(context)
        elif len(context.appends) > _APPENDS_BEFORE_TIMERS:  # what timers lead to is written, too
            self._timers.set(context, key, self._now().monotonic_ms + _TIMER_PAUSE_MS)
        else:
            try:
                await self._apply(context, context.shard.timed_out(key, self._now()))
            except Exception:
                logger.exception("%s-%d: the timer of %s failed", self.topic, context.index, key)


_make_now: Final = tuple.__new__
"""What Now does, without a Python call: each request asks for the time."""


def _deliver(replies: list[Reply]) -> None:
    for ticket, response in replies:
        assert isinstance(ticket, PendingResponse)
        ticket.deliver(response)


def _coordinator_code(fault: Exception) -> ErrorCode:
    """What a failed append means to a client of a coordinator (rule 103)."""
    if not isinstance(fault, ApiError):
        return ErrorCode.UNKNOWN_SERVER_ERROR
    code = fault.code
    if isinstance(fault, DiskFullError) or code in (
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
