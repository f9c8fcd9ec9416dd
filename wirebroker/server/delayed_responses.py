"""DelayedResponses: the responses of one connection that wait for an operation, and those that wait behind them.

Responses leave in the order of their requests.  Requests behind a Produce that waits for replicas are served, and their
responses are held back: for 50 requests at most, and 1 MB, after which nothing more is read from the connection.
Nothing is read behind a Fetch that waits, as the next one of its session would be served too early.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.protocol.primitives import WireBuffer
    from wirebroker.replication.delayed_operation import DelayedOperation

MAX_UNANSWERED: Final = 50
MAX_HELD_BYTES: Final = 1 << 20


class HeldResponse(Protocol):
    """A response that an operation completes: a DelayedResponse, or one of a fast path."""

    requests: int
    """The number of requests that are answered with this response and *after*, 1 at first."""
    started_at: float
    """When the request had come, by `perf_counter`."""
    handled_at: float
    """When its handler returned."""

    @property
    def after(self) -> WireBuffer:
        """The responses of the connection's next requests, which leave after this one."""
        ...

    @property
    def operation(self) -> DelayedOperation:
        """The operation that is waited for."""
        ...

    def encode(self, out: WireBuffer) -> None:
        """Append the response, which is complete, to *out*, and count the request; may raise ProtocolError."""
        ...


class DelayedResponses:
    """The queue of one connection; without operations that wait it is empty.

    Attributes:
        tail: The buffer for the response of the next request: the send buffer, or one that is held back.
        on_ready: Called when `move_completed` can perhaps move something.
        holds_requests: Whether the last response has to leave before the next request is served.
    """

    __slots__ = (
        "_held_bytes",
        "_is_announced",
        "_out",
        "_queue",
        "_tail_bytes",
        "_unanswered",
        "holds_requests",
        "on_ready",
        "tail",
    )

    def __init__(self, out: WireBuffer) -> None:
        """*out* is the send buffer of the connection."""
        self._out = out
        self._queue: list[HeldResponse] = []  # a deque would take half a kilobyte of every connection
        self._unanswered = 0
        self._held_bytes = 0
        self._tail_bytes = 0
        self._is_announced = False
        self.holds_requests = False
        self.tail = out
        self.on_ready: Callable[[], None] | None = None

    def __bool__(self) -> bool:
        """Whether a response waits."""
        return bool(self._queue)

    @property
    def is_full(self) -> bool:
        """Whether no more requests are to be served before responses have left."""
        return self.holds_requests or self._unanswered >= MAX_UNANSWERED or self._held_bytes >= MAX_HELD_BYTES

    def rewind(self) -> bool:
        """Have the next response be put into the send buffer if none is held back; return whether it is.

        Not to be called while a request is being served.
        """
        if self.tail is self._out:
            return True
        if self._queue or self.tail:
            return False
        self.tail = self._out
        return True

    def served(self, delayed: HeldResponse | None) -> bool:
        """Take note of a request that was served; return `is_full`.

        To be called if its response is *delayed*, or if it was written to a `tail` other than the send buffer, as the
        responses before that one may have left meanwhile.

        Raises:
            ProtocolError: the connection has to be closed.
        """
        queue = self._queue
        if delayed is not None:
            if queue or not delayed.operation.is_completed:
                queue.append(delayed)
                delayed.operation.on_response = self._operation_completed
                self.tail, self._tail_bytes = delayed.after, 0
                self._unanswered += 1
                self.holds_requests = delayed.operation.holds_requests
                return self.is_full
            delayed.encode(self.tail)
        tail = self.tail
        if not queue:
            if tail is not self._out:
                tail.move_to(self._out)
                self.tail = self._out
            return False
        queue[-1].requests += 1
        self._unanswered += 1
        self._held_bytes += len(tail) - self._tail_bytes
        self._tail_bytes = len(tail)
        return self.is_full

    def _operation_completed(self) -> None:
        operation = self._queue[0].operation
        if not self._is_announced and (operation.is_completed or operation.may_complete) and self.on_ready is not None:
            self._is_announced = True
            self.on_ready()

    def move_completed(self) -> None:
        """Move the complete responses at the head, and those behind them, to the send buffer.

        The buffer of the last one stays the `tail`, as a request may be being served that writes to it.

        Raises:
            ProtocolError: the connection has to be closed.
        """
        queue, out = self._queue, self._out
        self._is_announced = True  # completing an operation below must not announce it
        while queue:
            operation = queue[0].operation
            if not operation.is_completed and not (operation.may_complete and operation.try_complete()):
                break
            delayed = queue.pop(0)
            self._unanswered -= delayed.requests
            delayed.encode(out)
            if not queue:
                self._held_bytes = self._tail_bytes = 0
                self.holds_requests = False
            else:
                self._held_bytes -= len(delayed.after)
            if delayed.after:
                delayed.after.move_to(out)
        self._is_announced = False

    def close(self) -> None:
        """Cancel the operations, as nobody gets their responses."""
        for delayed in self._queue:
            delayed.operation.on_response = None
            if not delayed.operation.is_completed:
                delayed.operation.cancel()
        self._queue.clear()
