"""ControllerEventManager: the events of the controller, one after the other in the order of their arrival."""

from __future__ import annotations

import logging
from collections import deque
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

import trio

from wirebroker.inbox import Future
from wirebroker.kafka_controller.errors import ControllerMoved
from wirebroker.metrics.histogram import Histogram
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

logger = logging.getLogger(__name__)

T = TypeVar("T")

RATE_AND_TIME_METRICS: Final[Mapping[str, str]] = {
    "AlterPartition": "IsrChange",
    "AlterPartitionReassignment": "PartitionReassignment",
    "AutoPreferredReplicaLeaderElection": "AutoLeaderBalance",
    "BrokerChange": "LeaderElection",
    "BrokerModifications": "LeaderElection",
    "IsrChangeNotification": "IsrChange",
    "LeaderAndIsrResponseReceived": "LeaderAndIsrResponseReceived",
    "ListPartitionReassignment": "ListPartitionReassignment",
    "LogDirEventNotification": "LogDirChange",
    "PartitionModifications": "TopicChange",
    "Reelect": "ControllerChange",
    "ReplicaLeaderElection": "ManualLeaderBalance",
    "TopicChange": "TopicChange",
    "TopicDeletion": "TopicDeletion",
    "TopicDeletionStopReplicaResponseReceived": "TopicDeletion",
    "ZkPartitionReassignment": "PartitionReassignment",
}
"""Name of an event -> the beginning of the metric RateAndTimeMs that it counts for (Kafka: ControllerState)."""


class _Event(Future[Any]):
    """An async function to run, and its outcome."""

    __slots__ = ("is_for_active", "name", "queued_s", "run")

    def __init__(self, name: str, run: Callable[[], Awaitable[Any]], *, is_for_active: bool) -> None:
        super().__init__()
        self.name, self.run, self.is_for_active = name, run, is_for_active
        self.queued_s = perf_counter()


class ControllerEventManager:
    """Runs one event at a time.

    Events of the active controller are refused with NOT_CONTROLLER when it resigns, so none runs in a later term.

    Args:
        is_active: Whether this broker is the active controller.
        on_controller_moved: Called when an event finds that another controller was elected.
    """

    def __init__(self, is_active: Callable[[], bool], on_controller_moved: Callable[[], None]) -> None:
        self._is_active, self._on_controller_moved = is_active, on_controller_moved
        self._queue: deque[_Event] = deque()
        self._is_queued = trio.Event()
        self._current: _Event | None = None
        self._scope = trio.CancelScope()
        self.queue_times_ms = Histogram()
        """How long events have waited."""
        self.times_ms = {name: Histogram() for name in RATE_AND_TIME_METRICS.values()}
        """The beginning of a metric RateAndTimeMs -> how long its events have run."""

    @property
    def queue_size(self) -> int:
        """The number of events that wait; Kafka's EventQueueSize."""
        return len(self._queue)

    @property
    def is_idle(self) -> bool:
        """Whether no event runs or waits."""
        return self._current is None and not self._queue

    def put(self, name: str, run: Callable[[], Awaitable[None]], *, is_for_active: bool = True) -> None:
        """Queue an event."""
        self._put(_Event(name, run, is_for_active=is_for_active))

    def put_once(self, name: str, run: Callable[[], Awaitable[None]], *, is_for_active: bool = True) -> None:
        """Queue an event unless one of that name waits already: for events that read anew what has changed."""
        if all(event.name != name for event in self._queue):
            self.put(name, run, is_for_active=is_for_active)

    async def run_and_wait(self, name: str, run: Callable[[], Awaitable[T]]) -> T:
        """Queue an event, wait until it has run, and return its result.

        It runs even if the caller is cancelled meanwhile.

        Raises:
            ApiError: NOT_CONTROLLER, if this broker is not the active controller or resigns before the end.
            Exception: The exception that *run* raised.
        """
        if not self._is_active():
            raise not_controller()
        event = _Event(name, run, is_for_active=True)
        self._put(event)
        result: T = await event.wait()
        return result

    def end_term(self) -> None:
        """Refuse the events of the active controller that wait, and cancel the one that runs: it has resigned.

        The one that runs ends at its next checkpoint.
        """
        if self._current is not None and self._current.is_for_active:
            self._scope.cancel()
        waiting = list(self._queue)
        self._queue.clear()
        for event in waiting:
            if event.is_for_active:
                event.set_error(not_controller())
            else:
                self._queue.append(event)

    async def run(self) -> None:
        """Run events until cancelled; callers that still wait then get NOT_CONTROLLER."""
        try:
            while True:
                while not self._queue:
                    self._is_queued = trio.Event()
                    await self._is_queued.wait()
                await self._process(self._queue.popleft())
        finally:
            for event in self._queue:
                event.set_error(not_controller())
            if self._current is not None:
                self._current.set_error(not_controller())

    def _put(self, event: _Event) -> None:
        self._queue.append(event)
        self._is_queued.set()

    async def _process(self, event: _Event) -> None:
        if event.is_for_active and not self._is_active():
            event.set_error(not_controller())
            return
        self._current = event
        began = perf_counter()
        self.queue_times_ms.update(1000 * (began - event.queued_s))
        with trio.CancelScope() as self._scope:
            try:
                event.set_result(await event.run())
            except ControllerMoved as error:
                logger.info("controller moved to another broker while it processed %s: %s", event.name, error)
                self._on_controller_moved()
                event.set_error(not_controller())
            except Exception as error:
                if not isinstance(error, ApiError):
                    logger.exception("controller: error while it processed event %s: %s", event.name, error)
                event.set_error(error)
        if self._scope.cancelled_caught:
            event.set_error(not_controller())
        self._current = None
        metric = RATE_AND_TIME_METRICS.get(event.name)
        if metric is not None:
            self.times_ms[metric].update(1000 * (perf_counter() - began))


def not_controller() -> ApiError:
    """Return the error of a request that only the active controller serves."""
    return ApiError(ErrorCode.NOT_CONTROLLER, "This is not the correct controller for this cluster.")
