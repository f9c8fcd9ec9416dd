"""Connection: the requests of one peer, answered strictly in their order.

A request is not looked at until the handler of the one before it has returned (Kafka mutes the socket for the same
promise).  The responses of `quick` routes that are ready at the same time leave in one send: a response waits for the
requests behind it only while those are served without waiting, and for TURN_S at most.

A Produce that waits for replicas has returned, too, with a `DelayedResponse`.  It holds back the responses of the
requests behind it, which are served meanwhile (`DelayedResponses`), but for a bounded number and size.
"""

from __future__ import annotations

import logging
import socket
from functools import partial
from struct import Struct
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from wirebroker.handlers.produce_fast_path import serve_known_produce
from wirebroker.handlers.routes import BoundRoute
from wirebroker.handlers.throttling import finish_request_time
from wirebroker.metrics.request_metrics import RequestCounter
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.frames import FrameReceiver
from wirebroker.quota.request_time import RequestTime
from wirebroker.server.dispatch import read_request, serve
from wirebroker.server.response_sender import ResponseSender
from wirebroker.server.sending import SMALL_BYTES, PeerStalled, widen_send_buffer
from wirebroker.server.serve_result import ServeResult

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    import trio

    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.offset_commit_fast_path import KnownDelayedCommit
    from wirebroker.handlers.produce_fast_path import KnownDelayedProduce
    from wirebroker.protocol.primitives import WireBuffer
    from wirebroker.server.connection_settings import ConnectionSettings
    from wirebroker.server.delayed_responses import HeldResponse
    from wirebroker.server.dispatch import Request
    from wirebroker.timer.timer_task import TimerTask

    _Known = BoundRoute | KnownDelayedProduce | KnownDelayedCommit | None

logger = logging.getLogger(__name__)  # of connection_log.py, too

_INT32: Final = Struct(">i")
TURN_S: Final = 0.001
"""How long one connection is served before others are; a guess between a 1 MB batch (0.4 ms) and what a p99 notices."""
_BUSY_BYTES: Final = 64 * 1024
"""After this much in one receive more is probably waiting: receive again before polling the socket."""
_UNSENT_BYTES: Final = 256 * 1024
"""Collected responses are sent at the latest when they reach this size."""


logs_requests: Final = partial(logger.isEnabledFor, logging.DEBUG)
"""Returns whether every request is logged, which `Connection.serve_known` does not do."""


class Connection:
    """An accepted, non-blocking socket; a `Processor` calls `serve_ready` when bytes have come.

    Args:
        sock: The socket; the connection closes it.
        context: The context of every request.
        settings: The resources and limits that all connections share.
        on_closed: Called once when the socket has been closed.
        on_foreign_protocol: Called with the peer's address and the protocol that it speaks instead of Kafka's.

    Attributes for the processor:
        fd: The socket's descriptor.
        last_active: When something came last, by `perf_counter`.
        queued_since: Since when requests wait for their turn, if that is not since they came; else 0.
        closing: Set to have the connection closed instead of waiting for another request.
        idle: Whether everything that has come is answered, so that closing the connection breaks no promise.
        waits: Whether a worker stays with the connection until its request is served; its socket is not polled.
        scope: The cancel scope of that worker.
        waited_s: How long a request that may wait for long has waited so far.
        was_reset: Whether the peer has reset the connection meanwhile; the socket is not polled any more.
        is_held: Whether nothing is read, as too many responses are held back.
        has_unread: Whether bytes have come that were not looked at.
        is_paused: Whether the socket is not polled for requests.
        suspended: The coroutine of `serve_ready` while it waits in the middle of a response, for room or for its turn.
        awaits_room: Whether the socket is polled for room.
        write_timer: Looks whether the peer has stalled; None if it was not waited for lately.
        blocked_since_ms: Since when the socket has no room, by the timer; -1 while it has.
        sender: Sends the responses.
        delayed: Those that are held back.
        throttle_ms: For how long the connection is muted, if `serve_ready` has returned MUTED.
        throttle_timer: Ends that time; not None while the connection is muted.
        idle_timer: The timer of connections.max.idle.ms.
    """

    def __init__(
        self,
        sock: socket.socket,
        context: RequestContext,
        settings: ConnectionSettings,
        on_closed: Callable[[], None] | None = None,
        on_foreign_protocol: Callable[[str, str], None] | None = None,
    ) -> None:
        self.fd = sock.fileno()
        self.last_active = perf_counter()
        self.queued_since = 0.0
        self.closing = False
        self.idle = True
        self.waits = False
        self.scope: trio.CancelScope | None = None
        self.was_reset = False
        self.is_held = False
        self.has_unread = False
        self.is_paused = False
        self.suspended: Coroutine[Any, Any, ServeResult] | None = None
        self.awaits_room = False
        self.write_timer: TimerTask | None = None
        self.blocked_since_ms = -1
        self.waited_s = 0.0
        self.throttle_ms = 0
        self.throttle_timer: TimerTask | None = None
        self.idle_timer: TimerTask | None = None
        self._request_quota = request_quota = context.services.quotas.request
        self.sender = ResponseSender(sock, settings, request_quota)
        self.delayed = self.sender.delayed
        self._sock = sock
        self._context = context
        context.holds_responses = True
        self._settings = settings
        self._on_closed = on_closed
        self._on_foreign_protocol = on_foreign_protocol
        self._receiver = FrameReceiver(settings.pool, settings.max_request_bytes)
        self._request_time = RequestTime()
        self._serving = False  # a request that may wait for long is being served

    def serve_known(self, began: float) -> ServeResult | None:
        """Receive, and serve the request that has come if it came alone and the fast path of its API takes it.

        Returns UNSENT then, IDLE or HELD if the response is held back, and None if `serve_ready` has to be called,
        which also sends a response with large ranges of files: received bytes are kept for it.  *began* is the
        time.  Requests are not logged.
        """
        context, out, receiver = self._context, self.sender.out, self._receiver
        serve_known = context.serve_known
        if serve_known is None or out or self.has_unread or receiver.view is not None:
            return None
        responses = self.delayed
        if not responses.rewind() or self.closing or self._request_quota.enabled:
            return None
        shared = self._settings.pool.shared
        try:
            count = self._sock.recv_into(shared)
            if not count:
                return ServeResult.CLOSED
            served = None
            if count > 4 and _INT32.unpack_from(shared)[0] == count - 4:
                served = serve_known(shared[4:count], context, out)
        except BlockingIOError:
            return ServeResult.IDLE
        except Exception as fault:
            self._log_failure(fault)
            return ServeResult.CLOSED
        if served is None:
            if count == len(shared):  # there is more to receive than this is for
                context.serve_known = None
            receiver.adopt(count)
            self.has_unread = True
            return None
        if isinstance(served, RequestCounter):
            served.left = left = served.left - 1
            if not left:
                self._restart(served, perf_counter(), self.last_active, began)
            return None if out.detached and out.detached[0][1].size_bytes > SMALL_BYTES else ServeResult.UNSENT
        served.started_at = self.last_active
        if responses.served(served):
            self.queued_since = perf_counter()
            return ServeResult.HELD
        return ServeResult.UNSENT if out else ServeResult.IDLE

    async def serve_ready(self, hold: bool = False) -> ServeResult:
        """Serve the requests that have come, for TURN_S at most; return the state of the connection.

        With *hold* small responses may be left unsent, so that those of several connections can be sent one after the
        other; see `Processor`.  A fault of the peer's is logged, not raised.
        """
        try:
            if self._request_quota.enabled:
                return await self._serve_measured()
            return await self._serve(hold)
        except BlockingIOError:
            self._receiver.release()
            return ServeResult.CLOSED if self.closing and not self.delayed else ServeResult.IDLE
        except Exception as fault:
            self._log_failure(fault)
            return ServeResult.CLOSED

    async def _serve_measured(self) -> ServeResult:
        """Serve as `serve_ready`, and measure the request time; responses are sent, as that is a part of it."""
        from wirebroker.server.request_timer import run_with_timer  # a broker without such quotas needs it not

        context, timer = self._context, self._request_time
        context.request_time = timer
        try:
            return await run_with_timer(self._serve(hold=False), timer)
        finally:
            finish_request_time(context)
            context.request_time = None

    async def _serve(self, hold: bool) -> ServeResult:
        """Serve what has come, and receive more until there is nothing or the turn ends; return as `serve_ready`.

        Raises:
            BlockingIOError: all requests that have come are answered.
        """
        began = perf_counter()
        turn_ends = began + TURN_S
        # the first request has waited since it came; those behind it come with it, or later
        started, self.queued_since = self.queued_since or self.last_active, 0.0
        receiver, sender, count = self._receiver, self.sender, 0
        out = sender.out
        if out and not sender.flush():
            await sender.send()
        while True:
            if self.has_unread:
                self.has_unread = False
            else:
                count = self._sock.recv_into(receiver.space())
                if not count:
                    return ServeResult.CLOSED
                receiver.received(count)
            result = await self._serve_frames(started, began, turn_ends)
            if result is not None:
                return result
            if hold and out and count < _BUSY_BYTES and not out.detached and not self.closing:
                receiver.release()
                return ServeResult.UNSENT
            if out and not sender.flush():
                await sender.send()
            if sender.range_was_sent:  # the peer has read nearly all of it, and has probably asked for more
                sender.range_was_sent = False
                turn_ends = perf_counter() + TURN_S
            elif count < _BUSY_BYTES or perf_counter() >= turn_ends:
                receiver.release()
                return ServeResult.CLOSED if self.closing and not self.delayed else ServeResult.IDLE
            started = perf_counter()

    async def _serve_frames(self, started: float, began: float, turn_ends: float) -> ServeResult | None:
        """Serve the requests that have been received; return None if all are served, else as `serve_ready`.

        The first one came at *started*, and was looked at from *began* on.  Small responses may be left unsent.
        """
        receiver, context, sender, responses = self._receiver, self._context, self.sender, self.delayed
        out = sender.out
        log_requests, measured = logs_requests(), context.request_time is not None
        while (frame := receiver.next_frame()) is not None:
            tail, is_held = responses.tail, False
            request: Request | None = None
            delayed: HeldResponse | None = None
            known: _Known = None if measured else serve_known_produce(frame, context, tail)
            if known is None and context.known_fetches is not None and not measured:
                known = context.known_fetches.serve_consumer(frame, context, tail)
            if known is None and context.known_commits is not None and not measured:
                known = context.known_commits.serve(frame, context, tail)
            if isinstance(known, BoundRoute):
                route = known
            elif known is not None:
                delayed, route = known, known.route
            elif (request := read_request(frame, context, tail)) is not None:
                route = request.route
            else:
                if tail is not out:
                    responses.served(None)
                continue
            if request is None or route.quick:
                if request is not None:
                    delayed = await serve(request, context, tail)
                    if route.remember is not None:
                        route.remember(context, frame, request.body)
                now = perf_counter()
                if delayed is None:
                    route.left = left = route.left - 1
                    if not left:
                        self._restart(route, now, started, began)
                else:
                    delayed.started_at, delayed.handled_at = started, now
                if delayed is not None or tail is not out:
                    is_held = responses.served(delayed)
            else:
                if out and not sender.flush():
                    await sender.send()
                if route.remember is not None:
                    route.remember(context, frame, request.body)
                # This may wait for minutes, and the decoded request needs no bytes of the buffer.
                frame = None
                receiver.release()
                is_held = await self._serve_waiting(request, tail, started, began)
                now = perf_counter()
            if log_requests:
                self._log_request(now - started)
            started = now
            if context.throttle_ms:
                is_held = True
            if len(out) < _UNSENT_BYTES and now < turn_ends and not is_held and not out.detached:
                continue
            if out:
                if not sender.flush():
                    await sender.send()
                now = perf_counter()
                if sender.range_was_sent:  # others had their turn
                    turn_ends = now + TURN_S
            if is_held:
                return self._hold()
            if now >= turn_ends:
                self.has_unread = True
                self.queued_since = now
                return ServeResult.BACKLOG
        return None

    async def _serve_waiting(self, request: Request, tail: WireBuffer, started: float, began: float) -> bool:
        """Serve a request that may wait for long, and send the responses that are ready.

        It came at *started*, and was looked at from *began* on.  Returns whether too many responses are held back.
        """
        context, sender = self._context, self.sender
        out = sender.out
        self._serving = True
        self.waited_s = 0.0
        delayed = await serve(request, context, tail)
        self._serving = False
        counter: RequestCounter = request.route
        if context.from_follower:
            context.from_follower = False
            counter = request.route.of_followers or counter
            widen_send_buffer(self._sock, self._settings)
        is_held = False
        metrics, handled = None, 0.0
        if delayed is None:
            counter.left = left = counter.left - 1
            if not left:
                metrics = counter.restart(handled := perf_counter())
        else:
            delayed.counter, delayed.started_at = counter, started
        if delayed is not None or tail is not out:
            is_held = self.delayed.served(delayed)
        remote_s = self.waited_s
        if out and not sender.flush():
            await sender.send()
        if metrics is not None:
            now, queue_s = perf_counter(), max(0.0, began - started)
            metrics.record(now - started, queue_s, remote_s, now - handled, context.throttle_ms, context.request_bytes)
        return is_held

    def _restart(self, counter: RequestCounter, now: float, started: float, began: float) -> None:
        """Restart *counter*, and record the request that came at *started*, waited until *began* and ended *now*."""
        metrics = counter.restart(now)
        if metrics is not None:
            context, queue_s = self._context, max(0.0, began - started)
            metrics.record(now - started, queue_s, 0.0, 0.0, context.throttle_ms, context.request_bytes)

    def _hold(self) -> ServeResult:
        """Keep what is unread: the client is throttled, or too many responses are held back; return which."""
        context, receiver = self._context, self._receiver
        receiver.release()
        self.has_unread = receiver.unread_bytes > 0
        if context.throttle_ms:
            self.throttle_ms, context.throttle_ms = context.throttle_ms, 0
            return ServeResult.MUTED
        self.queued_since = perf_counter()
        return ServeResult.HELD

    def _log_request(self, total_s: float) -> None:
        """Log the last request, which took *total_s*."""
        from wirebroker.server.connection_log import log_request  # most brokers need it not

        log_request(self._context, total_s)

    def _log_failure(self, fault: Exception) -> None:
        """Log why the connection is closed."""
        from wirebroker.server.connection_log import log_failure  # most brokers need it not

        log_failure(fault, self._context, self._on_foreign_protocol)

    def send_delayed(self) -> ServeResult:
        """Send the responses whose operations are complete, as far as the socket takes them now.

        Returns BACKLOG if some are left, CLOSED if the connection must be closed.
        """
        if self.sender.is_sending:
            return ServeResult.IDLE  # `send` goes on with them
        try:
            self.delayed.move_completed()
        except ProtocolError as fault:
            self._log_failure(fault)
            return ServeResult.CLOSED
        if not self.sender.flush():
            return ServeResult.BACKLOG
        return ServeResult.CLOSED if self.closing and not self.delayed else ServeResult.IDLE

    @property
    def listener(self) -> str:
        """The name of the listener that the peer has connected to."""
        return self._context.listener

    @property
    def is_busy(self) -> bool:
        """Whether requests of the peer are not answered yet."""
        return not self.idle or bool(self.delayed)

    def abandon(self) -> None:
        """Cancel a request that may wait for long; any other is served to its end."""
        if self._serving and self.scope is not None:
            self.scope.cancel()

    def is_abandoned(self) -> bool:
        """Return whether the peer has disconnected while a request of it waits, such as a long poll, or it is muted."""
        if not self._serving and self.throttle_timer is None and not self.delayed.holds_requests:
            return False
        try:
            return self._sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    @property
    def write_timeout_s(self) -> float:
        """After how long a peer that reads nothing of its response is disconnected; may be infinite."""
        return self._settings.write_timeout_s

    def log_stalled(self) -> None:
        """Log that a connection is closed whose peer does not read."""
        self._log_failure(PeerStalled.after(self.write_timeout_s))

    def log_idle(self) -> None:
        """Log that an idle connection is closed if half a request has come on it; plain silence is not logged."""
        if self._receiver.unread_bytes:
            logger.warning(
                "peer=%s client_id=%s: closing: idle in the middle of a request",
                self._context.client_host,
                self._context.client_id,
            )

    def close(self) -> None:
        """Close the socket, give the buffer back, and cancel the operations whose responses are held back."""
        if self.suspended is not None:
            self.suspended.close()
            self.suspended = None
        self._receiver.close()
        self.sender.close()
        if self._on_closed is not None:
            self._on_closed()
