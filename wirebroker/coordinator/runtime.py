"""CoordinatorRuntime: loads shards by replay, hands them requests, appends their records and replies when committed.

A shard changes its state at once, and its turns' results are appended one batch each, in order; replies leave in that
order, too.  While its log directory writes inline, an append does not wait; else results queue while the shard goes on,
and no lock is held.  If an append fails, the state and the queue are built on records that are not in the log: every
waiting request is failed, and the shard is replaced by one that is loaded from the log.

A shard belongs to one Partition object at one leader epoch (`ShardContext`).  Requests for a shard whose partition is
not the served one any more are answered with NOT_COORDINATOR, and its appends go nowhere else.
"""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.clock import now_ms
from wirebroker.coordinator.deferred_event_queue import REPLIES_IN_A_TURN, complete_in_turns
from wirebroker.coordinator.delayed_request import DelayedRequest
from wirebroker.coordinator.partition_writer import append_records, append_records_at_once, coordinator_code
from wirebroker.coordinator.shard import TransactionEnded
from wirebroker.coordinator.shard_context import PendingAppend, ShardContext, ShardState
from wirebroker.coordinator.timers import ShardTimers
from wirebroker.coordinator.turn import INTERNAL_CLIENT, Turn
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.record.compression import Codec
from wirebroker.timer.timer import Timer

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from wirebroker.coordinator.shard import CoordinatorShard, TransactionalWriter
    from wirebroker.coordinator.turn import CoordinatorResult, PendingResponse, RequestClient
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
        new_shard: returns an empty shard for a partition number.
        served_partition: the Partition that this broker serves under a number now, or None; without it every partition
            that was handed to `load` counts as served.
        shard_unloaded: called with the number of each shard that is unloaded.
        send_markers: called with a shard's number, its leader epoch and its pending markers, one transaction at a time,
            when the decision is in the log; must not wait.
        timer: the timer of the broker, which `run` needs; without it no timer is ever due.
    """

    def __init__(
        self,
        topic: str,
        new_shard: Callable[[int], CoordinatorShard],
        served_partition: Callable[[int], Partition | None] | None = None,
        shard_unloaded: Callable[[int], None] | None = None,
        send_markers: Callable[[int, int, Any], None] | None = None,
        timer: Timer | None = None,
    ) -> None:
        self.topic = topic
        self._new_shard = new_shard
        self._send_markers = send_markers
        self._served_partition = served_partition
        self._shard_unloaded = shard_unloaded
        self.commit_timeout_s = math.inf
        """How long any request may wait for replicas to have its records; a shard may set less for one."""
        self.codec = Codec.NONE
        """The codec of the batches that shards opened from now on append."""
        self._contexts: dict[int, ShardContext] = {}
        self._timers = ShardTimers(Timer() if timer is None else timer)
        self.check_load: Callable[[], None] = lambda: None
        """Called before each load; an exception fails it, and it is tried again."""
        self._load_slot = trio.Semaphore(1)
        """One log is replayed at a time, as in Kafka: two would take as long and share the memory."""
        self._nursery: trio.Nursery | None = None
        self._seconds: Callable[[], float] = trio.current_time

    def _turn(self, context: ShardContext, client: RequestClient = INTERNAL_CLIENT) -> Turn:
        """A turn of a shard; without *client* for a timer, a notice, the begin or the end of the shard."""
        turn = Turn(int(1000 * self._seconds()), now_ms(), client)
        if context.is_replicated:
            turn.result.replaced = {}
        if context.partition.below_min_isr:
            turn.below_min_isr = context.partition.refuses_coordinator_records
        return turn

    async def run(self) -> None:
        """Load shards, append the results that wait, and fire timers until cancelled.

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
        """Have shards for exactly these partitions: unload the others, load new partitions and replaced ones."""
        for index, context in tuple(self._contexts.items()):
            partition = served.get(index)
            if partition is None or not context.is_for(partition):
                self.unload(index)
        for index, partition in served.items():
            if index not in self._contexts:
                self._start_loading(self._open(index, partition))

    def _open(self, index: int, partition: Partition) -> ShardContext:
        context = self._contexts[index] = ShardContext(index, partition, self._new_shard(index), self._complete)
        context.codec = self.codec
        return context

    def _start_loading(self, context: ShardContext) -> None:
        if self._nursery is not None:
            self._nursery.start_soon(self._load_until_active, context)

    async def load(self, index: int, partition: Partition) -> None:
        """Open a shard for one partition and try once to load it now; `follow` leaves loading to `run`."""
        if index in self._contexts:
            self.unload(index)
        await self._attempt(self._open(index, partition))

    async def _load_until_active(self, context: ShardContext) -> None:
        """Try to load a shard, with growing pauses, until it is active or closed."""
        pause_s = _FIRST_RETRY_S
        with trio.CancelScope() as context.load_scope:
            if context.failed_appends > 1:
                # A full disk, say, and clients that retry: each load reads the whole log.
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
        from wirebroker.coordinator.loader import replay_log  # a broker without groups needs it not

        started_s = trio.current_time()
        try:
            self.check_load()
            count = await replay_log(context.partition, context.shard)
            if context.state is ShardState.CLOSED:
                return
            turn = self._turn(context)
            context.shard.loaded(turn)
        except Exception as fault:
            if context.state is not ShardState.CLOSED:
                context.load_failed(self.topic, fault, pause_s)
            return
        finally:
            context.first_load.set()
        context.activate()
        if count:
            elapsed_ms = round(1000 * (trio.current_time() - started_s))
            logger.info("%s-%d: loaded %d records in %d ms", self.topic, context.index, count, elapsed_ms)
        await self._apply(context, turn.result)
        for notice in context.take_notices():
            self._notify(context, notice)

    async def first_loads(self) -> None:
        """Wait until the first attempt to load each shard is over."""
        for context in tuple(self._contexts.values()):
            await context.first_load.wait()

    def unload(self, index: int) -> None:
        """Unload the shard of a partition: stop its load, and answer every waiting request with NOT_COORDINATOR."""
        context = self._contexts.pop(index, None)
        if context is None:
            return
        was_active = context.state is ShardState.ACTIVE
        context.close()
        self._timers.cancel_all(context)
        if was_active:
            turn = self._turn(context)
            context.shard.unloaded(turn)
            for pending, response in turn.result.replies:
                pending.complete(response)
        context.fail_responses(ErrorCode.NOT_COORDINATOR)
        if self._shard_unloaded is not None:
            self._shard_unloaded(index)

    def active_shards(self) -> list[CoordinatorShard]:
        """Return the shards that handle requests."""
        return [context.shard for context in self._contexts.values() if context.state is ShardState.ACTIVE]

    def shards(self) -> list[int]:
        """The numbers of all shards, loaded or not."""
        return sorted(self._contexts)

    # -- requests ------------------------------------------------------------------------------------------------

    async def request(
        self,
        index: int,
        request: Any,
        client: RequestClient | None = None,
        writer: TransactionalWriter | None = None,
    ) -> Any:
        """Have shard *index* handle *request*, and return its response, however long that takes.

        Without a *client* it is a request of the broker itself.

        Its records are part of the transaction of *writer*, if there is one; if that producer may not write, the shard
        does not see the request.  Cancelling the caller undoes nothing.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, or COORDINATOR_NOT_AVAILABLE after a failed append;
                the shard's code if replicas do not have the request's records in time; the reason why *writer* may not
                write.
        """
        context = self.active(index)
        if writer is not None:  # a refused append would cost a reload of the shard
            context.partition.validate_coordinator_append(*writer)
        turn = self._turn(context, INTERNAL_CLIENT if client is None else client)
        context.shard.handle(request, turn)
        pending, result = turn.pending, turn.result
        if pending.is_done and not (result.records or result.replies or result.timers):
            return await pending.wait()
        context.responses.add(pending)  # before the append, so that one that fails fails this request, too
        try:
            await self._apply(context, result, writer)
            if pending.is_done or not (result.records and context.deferred):
                return await pending.wait()
            with trio.move_on_after(min(self.commit_timeout_s, result.commit_timeout_s)):
                return await pending.wait()
            raise await self._replication_timed_out(context, request, result)
        finally:
            context.responses.discard(pending)

    async def _replication_timed_out(self, context: ShardContext, request: Any, result: CoordinatorResult) -> ApiError:
        """Fail all that *result* answers, as replicas do not have its records in time; return the error."""
        turn = self._turn(context)
        code = context.shard.replication_timed_out(request, turn)
        error = ApiError(code, "replicas do not have the records in time")
        for pending, _ in result.replies:
            pending.complete(error)
        await self._apply(context, turn.result)
        return error

    def request_or_delay(
        self,
        index: int,
        request: Any,
        client: RequestClient | None = None,
        new_delayed: Callable[[ShardContext, PendingResponse, Timer], DelayedRequest] | None = None,
    ) -> Any:
        """Have shard *index* handle *request* as `request`; return the response, or a DelayedRequest that waits for it.

        Does not wait: an append that has to wait is queued.  *new_delayed* returns the DelayedRequest.

        Raises:
            ApiError: as `request`, if there is no wait.
        """
        context = self.active(index)
        turn = self._turn(context, INTERNAL_CLIENT if client is None else client)
        context.shard.handle(request, turn)
        pending, result = turn.pending, turn.result
        context.responses.add(pending)  # before the append, so that one that fails fails this request, too
        self._apply_at_once(context, result)
        if pending.is_done:
            context.responses.discard(pending)
            return pending.outcome()
        delayed = (DelayedRequest if new_delayed is None else new_delayed)(context, pending, self._timers.timer)
        if result.records and context.deferred:
            timeout_s = min(self.commit_timeout_s, result.commit_timeout_s)
            if timeout_s < math.inf:
                delayed.expire_at(int(1000 * (self._seconds() + timeout_s)))
        return delayed

    async def read(self, index: int, request: Any) -> Any:
        """Have shard *index* answer *request*, which changes nothing, from what is committed, and return the response.

        Without `ShardContext.knows_replaced` the response waits for replicas, as that of any other request.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR.
        """
        context = self.active(index)
        if not context.knows_replaced:
            return await self.request(index, request)
        turn = self._turn(context)
        turn.replaced = context.deferred.replaced()
        context.shard.handle(request, turn)
        ((_, response),) = turn.result.replies
        return response

    def active(self, index: int) -> ShardContext:
        """Return a shard that handles requests.  Raises ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR."""
        context = self._contexts.get(index)
        if context is None:
            raise ApiError(ErrorCode.NOT_COORDINATOR)
        served, partition = self._served_partition, context.partition
        if context.leader_epoch != partition.leader_epoch or (served is not None and served(index) is not partition):
            self._lost(context)
            raise ApiError(ErrorCode.NOT_COORDINATOR)
        if context.state is not ShardState.ACTIVE:
            loading = context.state is ShardState.LOADING
            raise ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS if loading else ErrorCode.NOT_COORDINATOR)
        return context

    def _is_lost(self, context: ShardContext) -> bool:
        """Whether the partition of a shard is not the served one any more, or not led in the same epoch."""
        served, partition = self._served_partition, context.partition
        return context.leader_epoch != partition.leader_epoch or (
            served is not None and served(context.index) is not partition
        )

    def _lost(self, context: ShardContext) -> None:
        """Unload a shard that has lost its partition."""
        logger.info("%s-%d: unloaded, its partition is not led in its epoch any more", self.topic, context.index)
        self.unload(context.index)

    def notify(self, index: int, notice: Any) -> None:
        """Have a shard handle a notice, which leads to no records; a shard that is loading handles it afterwards."""
        context = self._contexts.get(index)
        if context is None:
            return
        if context.state is ShardState.ACTIVE:
            self._notify(context, notice)
        else:
            context.notices.append(notice)

    def _notify(self, context: ShardContext, notice: Any) -> None:
        turn = self._turn(context)
        context.shard.handle(notice, turn)
        assert not turn.result.records, "nobody waits for a notice, so a failed append would go unnoticed"
        for key, due_ms in turn.result.timers:
            self._timers.set(context, key, due_ms)

    def end_transaction(self, index: int, producer_id: int, committed: bool) -> None:
        """Tell a shard that a marker was appended to its partition: pending commits take effect or are dropped.

        A marker that overtook the append of a commit of the same producer (the coordinator aborted its transaction
        meanwhile) makes the shard load again, for only the log knows which came first.
        """
        context = self._contexts.get(index)
        if context is None:
            return
        deferred = context.deferred  # what the marker changes is not to be told before it is committed
        end = context.partition.log.log_end_offset
        deferred.last_written_offset, deferred.reads_wait_until = max(deferred.last_written_offset, end), end
        if any(each.writer is not None and each.writer.producer_id == producer_id for each in context.appends):
            self._reload(context)
        self.notify(index, TransactionEnded(producer_id, committed))

    # -- results ------------------------------------------------------------------------------------------------

    async def _apply(
        self, context: ShardContext, result: CoordinatorResult, writer: TransactionalWriter | None = None
    ) -> None:
        """Append a result's records, then send its replies when they are committed; does not wait.

        Replies without records leave after the earlier appends, too, for they may depend on those records.
        """
        if self._has_queued(context, result, writer):
            return
        if result.records:
            context.is_appending = True
            try:
                await append_records(context, result.records, writer, result.required_acks)  # inline: does not wait
            except Exception as fault:
                self._append_failed(context, result, fault)
                return
            except BaseException:  # it did wait, and was cancelled: the outcome is unknown
                self._reload(context)
                raise
            context.is_appending = False
            context.failed_appends = 0
        context.deferred.add(result)
        if context.appends:
            self._start_appending(context)

    def _apply_at_once(self, context: ShardContext, result: CoordinatorResult) -> None:
        """Do as `_apply` in the same turn of the event loop, by queueing an append that has to wait."""
        if self._has_queued(context, result, None):
            return
        if result.records:
            try:
                is_appended = append_records_at_once(context, result.records, result.required_acks)
            except Exception as fault:
                self._append_failed(context, result, fault)
                return
            if not is_appended:
                context.appends.append(PendingAppend(result, None))
                self._start_appending(context)
                return
            context.failed_appends = 0
        context.deferred.add(result)

    def _has_queued(self, context: ShardContext, result: CoordinatorResult, writer: TransactionalWriter | None) -> bool:
        """Set the timers of *result*; return whether it waits for earlier appends, or for a slow disk."""
        for key, due_ms in result.timers:
            self._timers.set(context, key, due_ms)
        if not (context.appends or context.is_appending or (result.records and not context.partition.appends_inline)):
            return False
        if result.records or result.replies or result.pending_markers:
            context.appends.append(PendingAppend(result, writer))
            self._start_appending(context)
        return True

    def _start_appending(self, context: ShardContext) -> None:
        if not context.is_appending and self._nursery is not None:
            context.is_appending = True
            self._nursery.start_soon(self._append_pending, context)

    async def _append_pending(self, context: ShardContext) -> None:
        """Append the queued results in order until none is left; ends at once when the context is closed."""
        while context.appends:
            result, writer = context.appends[0]
            if result.records:
                try:
                    await append_records(context, result.records, writer, result.required_acks)
                except Exception as fault:
                    if context.state is not ShardState.CLOSED:
                        self._append_failed(context, result, fault)
                    return
            if context.state is ShardState.CLOSED:
                return
            if result.records:
                context.failed_appends = 0
            context.appends.popleft()
            context.deferred.add(result)
        context.is_appending = False

    def _append_failed(self, context: ShardContext, result: CoordinatorResult, fault: Exception) -> None:
        if self._is_lost(context):
            self._lost(context)
            return
        context.log_fault(self.topic, "append failed, loading the shard again", fault)
        failed = ApiError(coordinator_code(fault))
        for pending, _ in result.replies:
            pending.complete(failed)
        self._reload(context)

    def _reload(self, context: ShardContext) -> None:
        """Replace a shard whose state is ahead of its log; clients with a waiting request have to retry."""
        was_active = context.state is ShardState.ACTIVE
        context.close()
        self._timers.cancel_all(context)
        context.fail_responses(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        if was_active:
            context.shard.unloaded(self._turn(context))  # drops its state; no request waits any more
        if self._contexts.get(context.index) is context:
            again = self._open(context.index, context.partition)
            again.failed_appends = context.failed_appends + 1
            self._start_loading(again)

    def _complete(self, context: ShardContext, result: CoordinatorResult) -> None:
        if len(result.replies) > REPLIES_IN_A_TURN and self._nursery is not None:
            self._nursery.start_soon(complete_in_turns, result.replies)
        else:
            for pending, response in result.replies:
                pending.complete(response)
        for markers in result.pending_markers:
            assert self._send_markers is not None
            self._send_markers(context.index, context.leader_epoch, markers)

    # -- time ----------------------------------------------------------------------------------------------------

    async def _fire(self, context: ShardContext, key: Hashable) -> None:
        if context.state is not ShardState.ACTIVE:
            return
        if self._is_lost(context):
            self._lost(context)
        elif len(context.appends) > _APPENDS_BEFORE_TIMERS:  # timers lead to records, too
            self._timers.set(context, key, int(1000 * self._seconds()) + _TIMER_PAUSE_MS)
        else:
            try:
                turn = self._turn(context)
                context.shard.timed_out(key, turn)
                await self._apply(context, turn.result)
            except Exception:
                logger.exception("%s-%d: the timer of %s failed", self.topic, context.index, key)
