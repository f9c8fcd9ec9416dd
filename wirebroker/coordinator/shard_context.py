"""ShardContext: one shard of a runtime, with its partition, appends, timers and waiting requests."""

from __future__ import annotations

import logging
from collections import deque
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import trio

from wirebroker.coordinator.deferred_event_queue import DeferredEventQueue
from wirebroker.protocol.exceptions import ApiError
from wirebroker.record.compression import Codec

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from wirebroker.coordinator.shard import CoordinatorShard, TransactionalWriter
    from wirebroker.coordinator.timers import ShardTimer
    from wirebroker.coordinator.turn import CoordinatorResult, PendingResponse
    from wirebroker.protocol.errors import ErrorCode
    from wirebroker.replication.partition import Partition

logger = logging.getLogger(__name__)


class ShardState(Enum):
    """The life of a context: LOADING -> ACTIVE, or FAILED and LOADING again; CLOSED is the end of all of them."""

    LOADING = auto()
    """Its log is being replayed."""
    ACTIVE = auto()
    """The shard handles requests."""
    FAILED = auto()
    """Its log could not be replayed; the load is tried again after a pause."""
    CLOSED = auto()
    """Unloaded, or replaced by another context: tasks that still refer to it change and answer nothing."""


class PendingAppend(NamedTuple):
    """A result whose records or replies wait for earlier records."""

    result: CoordinatorResult
    writer: TransactionalWriter | None


class ShardContext:
    """One shard, bound to one Partition object and its leader epoch.

    A partition that is deleted and created again, or that changes its leader epoch, gets a context of its own, so that
    no state, timer or append of the old one can reach the new one.
    """

    __slots__ = (
        "appends",
        "codec",
        "deferred",
        "failed_appends",
        "first_load",
        "index",
        "is_appending",
        "is_replicated",
        "leader_epoch",
        "load_scope",
        "notices",
        "partition",
        "responses",
        "shard",
        "state",
        "timers",
    )

    def __init__(
        self,
        index: int,
        partition: Partition,
        shard: CoordinatorShard,
        complete: Callable[[ShardContext, CoordinatorResult], None],
    ) -> None:
        """*complete* is called with each result whose records are committed, in order."""
        self.index = index
        self.partition = partition
        self.leader_epoch = partition.leader_epoch
        """The coordinator epoch of all markers that this shard has sent."""
        self.shard = shard
        self.codec = Codec.NONE
        """That of the batches appended for the shard."""
        self.state = ShardState.LOADING
        self.load_scope: trio.CancelScope | None = None
        self.first_load = trio.Event()
        """The first attempt to load is over, whether it succeeded, failed or was given up."""
        self.timers: dict[Hashable, ShardTimer] = {}
        """By key; those that are due and not fired yet are among them."""
        self.responses: set[PendingResponse] = set()
        self.appends: deque[PendingAppend] = deque()
        """In order; the first one is being appended while `is_appending`."""
        self.is_appending = False
        self.is_replicated = partition.is_replicated
        """Whether results keep what their records replace; an assignment changes with the leader epoch."""
        self.deferred = DeferredEventQueue(partition, partial(complete, self))
        self.failed_appends = 0
        """In a row, including those of the contexts that this one replaces."""
        self.notices: list[Any] = []
        """Notices that came while the shard was loading."""

    def is_for(self, partition: Partition) -> bool:
        """Whether this context was made for *partition* as it is led now."""
        return self.partition is partition and self.leader_epoch == partition.leader_epoch

    @property
    def knows_replaced(self) -> bool:
        """Whether the values before all those that are not committed yet are known.

        They are not while appends wait for a disk, while the log that the shard was loaded from is not replicated, and
        behind the marker of a transaction.
        """
        is_appending = self.is_appending or bool(self.appends)
        return not is_appending and self.partition.high_watermark >= self.deferred.reads_wait_until

    def activate(self) -> None:
        """Handle requests from now on; the state is that of the log up to its end."""
        self.state = ShardState.ACTIVE
        deferred = self.deferred
        deferred.last_written_offset = deferred.reads_wait_until = self.partition.log.log_end_offset

    def load_failed(self, topic: str, fault: Exception, pause_s: float) -> None:
        """Wait for the next attempt to load the log, *pause_s* from now."""
        self.state = ShardState.FAILED
        what = f"cannot be loaded, its groups or transactions are not served; trying again in {pause_s:.1f} s"
        self.log_fault(topic, what, fault)

    def log_fault(self, topic: str, what: str, fault: Exception) -> None:
        """Log an error of this shard of *topic*, with a traceback unless it is one that clients are told."""
        cause = fault.detail if isinstance(fault, ApiError) and fault.detail else fault
        trace = None if isinstance(fault, ApiError) else fault
        logger.error("%s-%d: %s: %s", topic, self.index, what, cause, exc_info=trace)

    def take_notices(self) -> list[Any]:
        """Return the notices that came while the shard was loading, and forget them."""
        notices, self.notices = self.notices, []
        return notices

    def fail_responses(self, code: ErrorCode) -> None:
        """Answer every request that waits with *code*."""
        for response in tuple(self.responses):
            response.complete(ApiError(code))

    def close(self) -> None:
        """Stop loading and appending; `ShardTimers.cancel_all` stops its timers."""
        self.state = ShardState.CLOSED
        self.appends.clear()
        self.deferred.close()
        self.notices.clear()
        self.first_load.set()
        if self.load_scope is not None:
            self.load_scope.cancel()
