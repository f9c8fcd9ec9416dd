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
        is_full: Whether no more requests are to be served before responses have left.
    """

    __slots__ = (
        "_held_bytes",
        "_is_announced",
        "_out",
        "_queue",
        "_tail_bytes",
        "_unanswered",
        "holds_requests",
        "is_full",
        "on_ready",
        "tail",
    )

    def __init__(self, out: WireBuffer) -> None:
        """*out* is the send buffer of the connection."""
        self._out = out
        # with their operations; a deque would take half a kilobyte of every connection
        self._queue: list[tuple[DelayedOperation, HeldResponse]] = []
        self._unanswered = 0
        self._held_bytes = 0
        self._tail_bytes = 0
        self._is_announced = False
        self.holds_requests = self.is_full = False
        self.tail = out
        self.on_ready: Callable[[], None] | None = None

    def __bool__(self) -> bool:
        """Whether a response waits."""
        return bool(self._queue)

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
            operation = delayed.operation
            if queue or not operation.is_completed:
                queue.append((operation, delayed))
                operation.on_response = self._operation_completed
                self.tail, self._tail_bytes = delayed.after, 0
                self._unanswered += 1
                self.holds_requests = holds = operation.holds_requests
                self.is_full = full = holds or self._has_too_many()
                return full
            delayed.encode(self.tail)
        tail = self.tail
        if not queue:
            if tail is not self._out:
                tail.move_to(self._out)
                self.tail = self._out
            return False
        queue[-1][1].requests += 1
        self._unanswered += 1
        self._held_bytes += len(tail) - self._tail_bytes
        self._tail_bytes = len(tail)
        self.is_full = full = self.holds_requests or self._has_too_many()
        return full

    def _has_too_many(self) -> bool:
        return self._unanswered >= MAX_UNANSWERED or self._held_bytes >= MAX_HELD_BYTES

    def _operation_completed(self) -> None:
        if self._is_announced or self.on_ready is None:
            return
        operation = self._queue[0][0]
        if operation.is_completed or operation.may_complete:
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
            operation, delayed = queue[0]
            if not operation.is_completed and not (operation.may_complete and operation.try_complete()):
                break
            del queue[0]
            self._unanswered -= delayed.requests
            delayed.encode(out)
            after = delayed.after
            if not queue:
                self._held_bytes = self._tail_bytes = 0
                self.holds_requests = False
            else:
                self._held_bytes -= len(after)
            if after:
                after.move_to(out)
        self.is_full = bool(queue) and (self.holds_requests or self._has_too_many())
        self._is_announced = False

    def close(self) -> None:
        """Cancel the operations, as nobody gets their responses, and forget `on_ready`, which knows the connection."""
        for operation, _ in self._queue:
            operation.on_response = None
            if not operation.is_completed:
                operation.cancel()
        self._queue.clear()
        self.on_ready = None
