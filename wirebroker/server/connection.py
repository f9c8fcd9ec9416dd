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
from struct import Struct
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.handlers.produce_fast_path import serve_known_produce
from wirebroker.handlers.routes import BoundRoute
from wirebroker.handlers.throttling import finish_request_time
from wirebroker.metrics.request_metrics import RequestCounter
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.frames import FrameReceiver
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.quota.request_time import RequestTime
from wirebroker.server.delayed_responses import DelayedResponses
from wirebroker.server.dispatch import read_request, serve
from wirebroker.server.sending import (
    SMALL_BYTES,
    PeerStalled,
    SendWait,
    send_answers,
    send_gathered,
    wait_in_task,
    widen_send_buffer,
)
from wirebroker.server.serve_result import ServeResult

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.offset_commit_fast_path import KnownDelayedCommit
    from wirebroker.handlers.produce_fast_path import KnownDelayedProduce
    from wirebroker.server.connection_settings import ConnectionSettings
    from wirebroker.server.delayed_responses import HeldResponse
    from wirebroker.server.send_threads import RangeSend, SendThreads
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


def logs_requests() -> bool:
    """Return whether every request is logged, which `Connection.serve_known` does not do."""
    return logger.isEnabledFor(logging.DEBUG)


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
        send_threads: The threads that send large ranges of files; None to send them in the event loop.
        range_send: The range that a thread sends now; nobody else may use the socket.
        awaits_room: Whether the socket is polled for room.
        write_timer: Looks whether the peer has stalled; None if it was not waited for lately.
        blocked_since_ms: Since when the socket has no room, by the timer; -1 while it has.
        delayed: The responses that are held back.
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
        self.send_threads: SendThreads | None = None
        self.range_send: RangeSend | None = None
        self.range_was_sent = False
        self.awaits_room = False
        self.write_timer: TimerTask | None = None
        self.blocked_since_ms = -1
        self.waited_s = 0.0
        self.throttle_ms = 0
        self.throttle_timer: TimerTask | None = None
        self.idle_timer: TimerTask | None = None
        self._out = WireBuffer()
        self.delayed = DelayedResponses(self._out)
        self._sock = sock
        self._context = context
        context.holds_responses = True
        self._settings = settings
        self._on_closed = on_closed
        self._on_foreign_protocol = on_foreign_protocol
        self._receiver = FrameReceiver(settings.pool, settings.max_request_bytes)
        self._request_quota = context.services.quotas.request
        self._request_time = RequestTime()
        self._sending = False  # `send_answers` runs
        self._serving = False  # a request that may wait for long is being served

    def serve_known(self, began: float) -> ServeResult | None:
        """Receive, and serve the request that has come if it came alone and the fast path of its API takes it.

        Returns UNSENT then, IDLE or HELD if the response is held back, and None if `serve_ready` has to be called,
        which also sends a response with large ranges of files: received bytes are kept for it.  *began* is the
        time.  Requests are not logged.
        """
        context, out, receiver = self._context, self._out, self._receiver
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
                self._restart(served, began)
            return None if out.detached and out.detached[0][1].size_bytes > SMALL_BYTES else ServeResult.UNSENT
        served.started_at = self.last_active
        if responses.served(served):
            self.queued_since = perf_counter()
            return ServeResult.HELD
        return ServeResult.UNSENT if out else ServeResult.IDLE

    def serve_ready(self, hold: bool = False) -> Coroutine[Any, Any, ServeResult]:
        """Serve the requests that have come, for TURN_S at most; return the state of the connection.

        With *hold* small responses may be left unsent, so that those of several connections can be sent one after the
        other; see `Processor`.  A fault of the peer's is logged, not raised.
        """
        if self._request_quota.enabled:
            return self._serve_measured()
        return self._serve(hold)

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

    def _restart(self, route: RequestCounter, began: float) -> None:
        """Restart the counter *route*, and record the request that `serve_known` has served since *began*."""
        metrics = route.restart(now := perf_counter())
        if metrics is not None:
            started = self.last_active
            metrics.record(now - started, max(0.0, began - started), 0.0, 0.0, 0, self._context.request_bytes)

    async def _serve(self, hold: bool) -> ServeResult:
        try:
            now = began = perf_counter()
            turn_ends = now + TURN_S
            # the first request has waited since it came; those behind it come with it, or later
            started, self.queued_since = self.queued_since or self.last_active, 0.0
            sock, receiver, out, context, responses = (
                self._sock,
                self._receiver,
                self._out,
                self._context,
                self.delayed,
            )
            log_requests, measured = logs_requests(), context.request_time is not None
            count, is_held = 0, False
            if log_requests:
                from wirebroker.server.connection_log import log_request
            if out and not self.flush():
                await self._send()
            while True:
                if self.has_unread:
                    self.has_unread = False
                else:
                    count = sock.recv_into(receiver.space())
                    if not count:
                        return ServeResult.CLOSED
                    receiver.received(count)
                while (frame := receiver.next_frame()) is not None:
                    tail = responses.tail
                    request = None
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
                    else:
                        request = read_request(frame, context, tail)
                        if request is None:
                            if tail is not out:
                                responses.served(None)
                            continue
                        route = request.route
                    if request is None or route.quick:
                        if request is not None:
                            delayed = await serve(request, context, tail)
                            if route.remember is not None:
                                route.remember(context, frame, request.body)
                        now = perf_counter()
                        if delayed is not None or tail is not out:
                            if delayed is not None:
                                delayed.started_at, delayed.handled_at = started, now
                            is_held = responses.served(delayed)
                        if delayed is None:
                            route.left = left = route.left - 1
                            if not left and (metrics := route.restart(now)) is not None:
                                queue_s, size_bytes = max(0.0, began - started), context.request_bytes
                                metrics.record(now - started, queue_s, 0.0, 0.0, context.throttle_ms, size_bytes)
                        if log_requests:
                            log_request(context, now - started)
                        if context.throttle_ms:
                            is_held = True
                        started = now
                        if len(out) < _UNSENT_BYTES and now < turn_ends and not is_held and not out.detached:
                            continue
                        if out and not self.flush():
                            await self._send()
                        now = perf_counter()
                        if self.range_was_sent:  # others had their turn
                            turn_ends = now + TURN_S
                    else:
                        if out and not self.flush():
                            await self._send()
                        if route.remember is not None:
                            route.remember(context, frame, request.body)
                        # This may wait for minutes, and the decoded request needs no bytes of the buffer.
                        frame = None
                        receiver.release()
                        self._serving = True
                        self.waited_s = 0.0
                        waiting = await serve(request, context, tail)
                        self._serving = False
                        counter: RequestCounter = route
                        if context.from_follower:
                            context.from_follower = False
                            counter = route.of_followers or route
                            widen_send_buffer(sock, self._settings)
                        left = -1
                        if waiting is None:
                            counter.left = left = counter.left - 1
                        else:
                            waiting.counter, waiting.started_at = counter, started
                        if waiting is not None or tail is not out:
                            is_held = responses.served(waiting)
                        if context.throttle_ms:
                            is_held = True
                        if not left and (metrics := counter.restart(now)) is not None:
                            handled, remote_s = perf_counter(), self.waited_s
                            if out and not self.flush():
                                await self._send()
                            now = perf_counter()
                            queue_s, size_bytes = max(0.0, began - started), context.request_bytes
                            metrics.record(
                                now - started, queue_s, remote_s, now - handled, context.throttle_ms, size_bytes
                            )
                        else:
                            if out and not self.flush():
                                await self._send()
                            now = perf_counter()
                        if log_requests:
                            log_request(context, now - started)
                        started = now
                    if is_held:
                        frame = None
                        receiver.release()
                        self.has_unread = receiver.unread_bytes > 0
                        if context.throttle_ms:
                            self.throttle_ms, context.throttle_ms = context.throttle_ms, 0
                            return ServeResult.MUTED
                        self.queued_since = perf_counter()
                        return ServeResult.HELD
                    if now >= turn_ends:
                        self.has_unread = True
                        self.queued_since = now
                        return ServeResult.BACKLOG
                if hold and out and count < _BUSY_BYTES and not out.detached and not self.closing:
                    receiver.release()
                    return ServeResult.UNSENT
                if out and not self.flush():
                    await self._send()
                if self.range_was_sent:  # the peer has read nearly all of it, and has probably asked for more
                    self.range_was_sent = False
                    turn_ends = perf_counter() + TURN_S
                elif count < _BUSY_BYTES or perf_counter() >= turn_ends:
                    receiver.release()
                    return ServeResult.CLOSED if self.closing and not responses else ServeResult.IDLE
        except BlockingIOError:
            self._receiver.release()
            return ServeResult.CLOSED if self.closing and not self.delayed else ServeResult.IDLE
        except Exception as fault:
            self._log_failure(fault)
            return ServeResult.CLOSED

    def _log_failure(self, fault: Exception) -> None:
        """Log why the connection is closed."""
        from wirebroker.server.connection_log import log_failure  # most brokers need it not

        log_failure(fault, self._context, self._on_foreign_protocol)

    async def _send(self) -> None:
        threads = None if self._request_quota.enabled else self.send_threads  # a thread's time would not count
        while True:
            self._sending = True  # what is left of the responses belongs to send_answers
            try:
                await send_answers(self._sock, self._out, self._settings, threads)
            finally:
                self._sending = False
            if not self.delayed:
                return
            self.delayed.move_completed()  # those that were completed meanwhile
            if self.flush():
                return

    def send_delayed(self) -> ServeResult:
        """Send the responses whose operations are complete, as far as the socket takes them now.

        Returns BACKLOG if some are left, CLOSED if the connection must be closed.
        """
        if self._sending:
            return ServeResult.IDLE  # `_send` goes on with them
        try:
            self.delayed.move_completed()
        except ProtocolError as fault:
            self._log_failure(fault)
            return ServeResult.CLOSED
        if not self.flush():
            return ServeResult.BACKLOG
        return ServeResult.CLOSED if self.closing and not self.delayed else ServeResult.IDLE

    def flush(self) -> bool:
        """Send what the socket takes now of the responses that are ready; return whether nothing is left."""
        out = self._out
        if not out:
            return True
        if self._sending:
            return False
        try:
            if out.detached:
                return send_gathered(self._sock, out, self._settings)
            sent = self._sock.send(out)
        except OSError:  # no room, or the peer has gone, which the next send or receive will raise
            return False
        if sent == len(out):
            out.clear()
            return True
        del out[:sent]
        return False

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

    async def wait_in_task(self, wait: SendWait | RangeSend) -> None:
        """Obey a trap of `send_answers` in the task of a worker.

        Raises:
            PeerStalled: the peer has read nothing for `write_timeout_s`.
        """
        if isinstance(wait, SendWait):
            await wait_in_task(wait, self._sock, self._settings.write_timeout_s)
            return
        done = trio.Event()
        self.range_send, wait.on_done = wait, done.set
        await done.wait()  # if that is cancelled the connection is closed, and takes leave of the thread
        self.range_send = None

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
        self.delayed.close()
        self._receiver.close()
        if self.range_send is not None:
            self.range_send.abandon()
        else:
            self._sock.close()
        if self._on_closed is not None:
            self._on_closed()
