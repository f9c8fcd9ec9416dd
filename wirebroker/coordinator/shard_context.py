"""ShardContext: one shard of a runtime, with the partition that it was loaded from and everything that waits for it."""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import trio

from wirebroker.protocol.faults import ApiError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from wirebroker.coordinator.shard import Outcome, Shard, TransactionalWriter
    from wirebroker.protocol.errors import ErrorCode
    from wirebroker.replication.partition import Partition


class ShardState(Enum):
    """The life of a context: LOADING -> ACTIVE, or FAILED and LOADING again; CLOSED is the end of all of them."""

    LOADING = auto()
    """Its log is being replayed."""
    ACTIVE = auto()
    """Serves requests."""
    FAILED = auto()
    """Its log could not be replayed; the load is tried again after a pause."""
    CLOSED = auto()
    """Unloaded, or replaced by another context: nothing that still refers to it changes or answers anything."""


class PendingResponse:
    """The response to one request, once there is one."""

    __slots__ = ("_event", "response")

    def __init__(self) -> None:
        self._event: trio.Event | None = None
        self.response: Any = _NONE_YET

    def deliver(self, response: Any) -> None:
        """Set the response, unless there is one; an ApiError is raised by `wait`."""
        if self.response is _NONE_YET:
            self.response = response
            if self._event is not None:
                self._event.set()

    async def wait(self) -> Any:
        """Return the response; raises it when it is an ApiError."""
        if self.response is _NONE_YET:
            self._event = trio.Event()
            await self._event.wait()
        if isinstance(self.response, ApiError):
            raise self.response
        return self.response


_NONE_YET: Final[Any] = object()


class PendingAppend(NamedTuple):
    """An outcome whose records wait for earlier ones, or whose replies do."""

    outcome: Outcome
    writer: TransactionalWriter | None


class ShardContext:
    """One shard, bound to one Partition object and its leader epoch.

    A partition that is deleted and made again, or that changes its leader epoch, gets a context of its own, so that no
    state, timer or append of the old one can reach the new one.
    """

    __slots__ = (
        "appends",
        "due",
        "failed_appends",
        "first_load",
        "index",
        "is_appending",
        "leader_epoch",
        "load_scope",
        "notices",
        "partition",
        "responses",
        "shard",
        "state",
    )

    def __init__(self, index: int, partition: Partition, shard: Shard) -> None:
        self.index = index
        self.partition = partition
        self.leader_epoch = partition.leader_epoch
        """The coordinator epoch of everything that this shard decides."""
        self.shard = shard
        self.state = ShardState.LOADING
        self.load_scope: trio.CancelScope | None = None
        self.first_load = trio.Event()
        """The first attempt to load is over, whether it succeeded, failed or was given up."""
        self.due: dict[Hashable, int] = {}
        self.responses: set[PendingResponse] = set()
        self.appends: deque[PendingAppend] = deque()
        """In order; the first one is being appended while `is_appending`."""
        self.is_appending = False
        self.failed_appends = 0
        """In a row, those of the contexts that this one replaces included."""
        self.notices: list[Any] = []
        """What the shard is to be told when it is loaded."""

    def is_for(self, partition: Partition) -> bool:
        """Whether this context was made for *partition* as it is led now."""
        return self.partition is partition and self.leader_epoch == partition.leader_epoch

    def fail_responses(self, code: ErrorCode) -> None:
        """Answer every request that waits with *code*."""
        for response in tuple(self.responses):
            response.deliver(ApiError(code))

    def close(self) -> None:
        """Stop loading, appending and keeping time."""
        self.state = ShardState.CLOSED
        self.due.clear()
        self.appends.clear()
        self.notices.clear()
        self.first_load.set()
        if self.load_scope is not None:
            self.load_scope.cancel()
