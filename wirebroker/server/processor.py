"""Processor: polls the sockets of all connections and serves the requests that have come (leader and followers).

Most requests are answered without waiting for anything.  They run in one task, the leader, one connection after the
other, and cost the event loop nothing: `Connection.serve_ready` is a coroutine, and the leader drives it by hand.  When
a request waits after all (a long poll, a slow disk), another worker becomes the leader, and
this one stays with the connection until the request is served; meanwhile the connection's socket is not polled.

A response for which the socket has no room, or that takes long, is suspended: its coroutine is kept, the epoll set
reports room, and the leader goes on with it in between.  So it does when a thread has sent a large range of a file.

    leader -- serve_ready() --> done: next connection
                          \\--> SendWait, RangeSend: next connection; this one again with room, or the range sent
                          \\--> waits: the next worker leads; this one finishes the connection, then follows or ends
"""

from __future__ import annotations

from collections import Counter, deque
from functools import partial
from select import EPOLLERR, EPOLLHUP
from time import perf_counter
from types import coroutine
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import trio

from wirebroker.loop_budget import LoopBudget
from wirebroker.server.channel_timers import IdleExpiryManager, ThrottledChannels
from wirebroker.server.connection import Connection, logs_requests
from wirebroker.server.send_threads import RangeSend, SendThreads
from wirebroker.server.sending import SendWait
from wirebroker.server.serve_result import ServeResult
from wirebroker.server.socket_wait import BUSY_POLL, BusyPoll, SocketSet
from wirebroker.server.suspended_sends import SuspendedSends
from wirebroker.server.watched_sockets import WatchedSockets
from wirebroker.timer.timer import Timer

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

DRAIN_S: Final = 1.0
"""The time for requests in progress when the broker stops; delayed fetches end with it."""
_SWEEP_S: Final = 10.0
_FOLLOWERS: Final = 16
"""Workers that are kept for requests that wait; a new task costs 10 us more."""
_MANY_READY: Final = 8
_SENT_TOGETHER: Final = 16
"""With requests on at least _MANY_READY connections, the responses of so many are sent one after the other: the first
one wakes the process of the peers, which costs 10 to 20 us, and the others find it awake."""
_IDLE: Final = ServeResult.IDLE
_UNSENT: Final = ServeResult.UNSENT
_HELD: Final = ServeResult.HELD


class _Waiting(NamedTuple):
    """A connection whose `serve_ready` waits, and the trap that it has yielded to the event loop."""

    connection: Connection
    coroutine: Coroutine[Any, Any, ServeResult]
    trap: Any


class Processor:
    """The connections of a broker: `run` serves those that listeners `add`."""

    def __init__(self, idle_s: float, busy_poll: BusyPoll = BUSY_POLL, timer: Timer | None = None) -> None:
        """Make a processor without connections.

        Args:
            idle_s: A connection without a request for so long is closed (connections.max.idle.ms); may be infinite.
            busy_poll: The policy of polling without sleep.
            timer: The timer of idle and of throttled connections, which `broker.py` runs.
        """
        timer = Timer() if timer is None else timer
        self._idle_expiry = IdleExpiryManager(timer, idle_s, self._close)
        self._throttled = ThrottledChannels(timer, self._unmute)
        self._sockets = SocketSet(busy_poll)
        self.watched = WatchedSockets(self._sockets)
        """Sockets that are polled for others."""
        self._send_threads = SendThreads(self._sockets.add)
        self._connections: dict[int, Connection] = {}
        self.created: Counter[str] = Counter()
        """Listener -> the number of connections that were accepted on it."""
        self.closed: Counter[str] = Counter()
        """Listener -> the number of its connections that were closed."""
        self._ready: deque[Connection] = deque()
        self._suspended = SuspendedSends(self._sockets, self._send_threads, timer, self._ready, self._close)
        self._followers = trio.lowlevel.ParkingLot()
        self._with_completed: deque[Connection] = deque()  # whose delayed responses can be sent
        self._completed = trio.lowlevel.ParkingLot()
        self._leads = False  # the leader serves, and sends delayed responses before it waits
        self._nursery: trio.Nursery | None = None
        self._stop = trio.Event()
        self._drained = trio.Event()

    @property
    def connections(self) -> list[Connection]:
        """The open connections."""
        return list(self._connections.values())

    @property
    def polled_s(self) -> float:
        """For how many seconds the event loop has polled sockets without finding anything."""
        return self._sockets.polled_s

    @property
    def queued(self) -> int:
        """The number of connections whose requests wait for their turn."""
        return len(self._ready)

    def add(self, connection: Connection) -> None:
        """Serve a connection until it ends or the processor does.

        Raises:
            OSError: the system cannot watch one more socket.
        """
        self._sockets.add(connection.fd)
        self._connections[connection.fd] = connection
        self.created[connection.listener] += 1
        connection.sender.threads = self._send_threads
        connection.delayed.on_ready = partial(self._delayed_ready, connection)
        self._idle_expiry.add(connection)

    async def run(self) -> None:
        """Serve until `stop`; then requests that are being served may take DRAIN_S."""
        self._sockets.open()
        self.watched.open()
        try:
            async with trio.open_nursery() as self._nursery:
                self._nursery.start_soon(self._work)
                self._nursery.start_soon(self._sweep)
                self._nursery.start_soon(self._send_delayed)
                await self._stop.wait()
                for connection in self.connections:
                    connection.closing = True
                    if (connection.idle or connection.throttle_timer is not None) and not connection.delayed:
                        self._close(connection)
                if self._connections:
                    with trio.move_on_after(DRAIN_S):
                        await self._drained.wait()
                self._nursery.cancel_scope.cancel()
        finally:
            for connection in self.connections:
                self._close(connection)
            self._send_threads.close()
            self.watched.close()
            self._sockets.close()

    def stop(self) -> None:
        """End `run`: connections that wait for their peer are closed, the others when they are served."""
        self._stop.set()

    def _close(self, connection: Connection) -> None:
        if self._connections.get(connection.fd) is not connection:
            return
        del self._connections[connection.fd]
        self._idle_expiry.remove(connection)
        self._throttled.remove(connection)
        self._suspended.remove(connection)
        if not connection.was_reset:
            self._sockets.discard(connection.fd)
        connection.close()
        self.closed[connection.listener] += 1
        if not self._connections and self._stop.is_set():
            self._drained.set()

    # -- workers

    async def _work(self) -> None:
        with trio.CancelScope() as scope:
            while True:
                waiting = await self._lead()
                await self._finish(waiting, scope)
                if scope.cancel_called or len(self._followers) >= _FOLLOWERS:
                    return
                await self._followers.park()

    async def _lead(self) -> _Waiting:
        """Serve connections until one of them waits."""
        ready, connections, sockets, threads = self._ready, self._connections, self._sockets, self._send_threads
        with_completed = self._with_completed
        unsent: list[Connection] = []
        now = perf_counter()
        self._leads = True
        while True:
            hold, log_requests = len(ready) >= _MANY_READY, logs_requests()
            for _ in range(len(ready)):  # those with a backlog come again after others have been polled
                connection = ready.popleft()
                if connections.get(connection.fd) is not connection:
                    continue  # closed meanwhile
                result: ServeResult | _Waiting | None = None if log_requests else connection.serve_known(now)
                if result is None:
                    result = self._advance(connection, hold)
                if result is _UNSENT:
                    unsent.append(connection)
                    if not hold or len(unsent) == _SENT_TOGETHER:
                        self._flush(unsent)
                elif result is _HELD and connection.delayed.is_full:  # as `_hold` does
                    connection.idle, connection.is_held = False, True
                elif isinstance(result, _Waiting):
                    self._flush(unsent)
                    self._end_leading()
                    return result
                elif result is not None and (result is not _IDLE or not connection.idle):
                    self._served(connection, result)
                now = perf_counter()
                if ready and now > sockets.turn_ends:  # else `wait` lets others run
                    self._flush(unsent)
                    await self._run_others()
                    now = perf_counter()
            if unsent:
                self._flush(unsent)
            while with_completed:
                self._flush_delayed(with_completed.popleft())
                if perf_counter() > sockets.turn_ends:
                    await self._run_others()
            self._leads = False
            events = sockets.poll() if ready else await sockets.wait(may_busy_poll=not threads.running)
            now = perf_counter()
            self._leads = True
            for fd, event in events:
                if fd not in connections:
                    self._report(fd)
                    continue
                connection = connections[fd]
                connection.last_active = now
                if connection.idle:
                    ready.append(connection)
                elif connection not in ready:
                    self._report_unready(connection, event)

    def _advance(self, connection: Connection, hold: bool) -> ServeResult | _Waiting | None:
        """Serve *connection*, or go on with its suspended response; return None if that waits for the socket.

        A _Waiting is returned if it waits for anything else.
        """
        coroutine = connection.suspended or connection.serve_ready(hold)
        try:
            trap = coroutine.send(None)
        except StopIteration as end:
            result: ServeResult = end.value
            if connection.suspended is None:
                return result
            self._suspended.end(connection)
            self._poll_again(connection)
            return ServeResult.CLOSED if connection.was_reset else result
        if type(trap) is SendWait or type(trap) is RangeSend:
            self._suspended.suspend(connection, coroutine, trap)
            return None
        self._suspended.end(connection)
        return _Waiting(connection, coroutine, trap)

    def _end_leading(self) -> None:
        """Leave the delayed responses that are complete to another task, as the leader waits."""
        self._leads = False
        if self._with_completed:
            self._completed.unpark()

    def _report(self, fd: int) -> None:
        """Handle an event of *fd*, which is not a connection's."""
        if fd == self._send_threads.fd:
            self._suspended.take_sent()
        else:
            self.watched.report(fd)

    def _report_unready(self, connection: Connection, event: int) -> None:
        """Handle *event* of a connection whose last request is not answered yet."""
        if connection.suspended is not None and connection.sender.range_send is None:
            self._ready.append(connection)
        elif event & (EPOLLHUP | EPOLLERR):
            self._was_reset(connection)  # a socket that is paused reports nothing else
        else:
            self._pause(connection)  # it is held, and more has come

    async def _run_others(self) -> None:
        """Let other tasks run if there is something to do for them."""
        if not self._sockets.others_wait():
            return
        self._leads = False
        await self._sockets.run_others()
        self._leads = True

    def _pause(self, connection: Connection) -> None:
        connection.is_paused = True
        self._sockets.pause(connection.fd)

    def _flush(self, unsent: list[Connection]) -> None:
        """Send the responses of *unsent* and empty it; a connection that has no room for them is served again."""
        for connection in unsent:
            if connection.sender.flush():
                connection.idle = True
            else:
                self._served(connection, ServeResult.BACKLOG)
        unsent.clear()

    def _served(self, connection: Connection, result: ServeResult) -> None:
        if result is ServeResult.BACKLOG:
            connection.idle = False
            self._ready.append(connection)
        elif result is ServeResult.HELD:
            self._hold(connection)
        elif result is ServeResult.MUTED:
            connection.idle = False
            self._pause(connection)
            self._throttled.mute(connection)
        elif result is ServeResult.CLOSED:
            self._close(connection)
        else:
            connection.idle = True

    async def _finish(self, waiting: _Waiting, scope: trio.CancelScope) -> None:
        """Have another worker lead, and serve a connection that waits until it does not."""
        assert self._nursery is not None
        if not self._followers.unpark():
            self._nursery.start_soon(self._work)
        self._pause(waiting.connection)
        await self._stay_with(waiting, scope)

    async def _stay_with(self, waiting: _Waiting, scope: trio.CancelScope) -> None:
        """Serve a connection whose socket is paused, until it has no requests that have to be served now."""
        connection, coroutine, trap = waiting
        connection.idle, connection.waits, connection.scope = False, True, scope
        result = ServeResult.CLOSED
        try:
            result = await _drive(coroutine, trap, connection)
            while result in (ServeResult.BACKLOG, ServeResult.UNSENT) or (
                result is ServeResult.HELD and not connection.delayed.is_full
            ):
                await trio.lowlevel.checkpoint()
                result = await _drive(connection.serve_ready(), None, connection)
        finally:
            connection.waits, connection.scope = False, None
            if connection.was_reset:
                result = ServeResult.CLOSED
            self._served(connection, result)
            if result is ServeResult.IDLE:
                self._poll_again(connection)

    def _was_reset(self, connection: Connection) -> None:
        """The peer of a connection that is being served has reset it, which would be reported without end."""
        connection.was_reset = True
        self._sockets.discard(connection.fd)
        if connection.sender.range_send is not None:
            return  # its thread notices
        if connection.waits:
            connection.abandon()
        else:
            self._close(connection)

    # -- delayed responses

    def _hold(self, connection: Connection) -> None:
        """Read nothing from a connection until some of its delayed responses have left.

        Its socket is paused when more comes, which a client with one request in flight does not send.
        """
        connection.idle = False
        if connection.delayed.is_full:
            connection.is_held = True
        else:  # they have left meanwhile
            self._ready.append(connection)

    def _delayed_ready(self, connection: Connection) -> None:
        self._with_completed.append(connection)
        if not self._leads:
            self._completed.unpark()

    async def _send_delayed(self) -> None:
        """Send the responses of operations that were completed by other tasks than the leader: one turn for many."""
        while True:
            budget = LoopBudget()
            while self._with_completed:
                self._flush_delayed(self._with_completed.popleft())
                await budget.yield_if_due()
            await self._completed.park()

    def _flush_delayed(self, connection: Connection) -> None:
        """Send the complete responses of one connection, and go on reading if that was given up for them."""
        if self._connections.get(connection.fd) is not connection:
            return
        result = connection.send_delayed()
        if connection.waits:
            return  # its worker sends the rest
        if result is ServeResult.CLOSED:
            self._close(connection)
        elif connection.is_held:
            if not connection.delayed.is_full:
                connection.is_held = False
                if result is ServeResult.BACKLOG or connection.has_unread:
                    self._serve_again(connection)
                else:
                    connection.idle, connection.queued_since = True, 0.0
                    if connection.is_paused:
                        self._poll_again(connection)
        elif result is ServeResult.BACKLOG and connection.idle and connection not in self._ready:
            self._serve_again(connection)

    def _serve_again(self, connection: Connection) -> None:
        """Have the leader serve a connection if it is its turn, else another task."""
        if self._leads:
            connection.idle, connection.queued_since = False, perf_counter()
            self._poll_again(connection)
            self._ready.append(connection)
        else:
            self._pause(connection)
            self._resume(connection)

    def _poll_again(self, connection: Connection) -> None:
        if connection.is_paused and not connection.was_reset:
            connection.is_paused = False
            self._sockets.resume(connection.fd)

    def _unmute(self, connection: Connection) -> None:
        """Go on with a connection whose throttle time is over."""
        connection.last_active = perf_counter()
        if connection.delayed.is_full:
            self._hold(connection)
        else:
            self._resume(connection)

    def _resume(self, connection: Connection) -> None:
        """Serve a connection whose socket is paused, in a task of its own."""
        assert self._nursery is not None
        connection.idle, connection.waits = False, True
        connection.queued_since = perf_counter()
        self._nursery.start_soon(self._resumed, connection)

    async def _resumed(self, connection: Connection) -> None:
        with trio.CancelScope() as scope:
            await self._stay_with(_Waiting(connection, connection.serve_ready(), None), scope)

    # -- abandoned connections

    async def _sweep(self) -> None:
        """One task for all connections: a timer for each wait would cost every small request."""
        while True:
            await trio.sleep(_SWEEP_S)
            self.close_abandoned()

    def close_abandoned(self) -> None:
        """Close muted connections whose peer has left, and end its long polls."""
        for connection in self.connections:
            if not connection.idle and connection.is_abandoned():
                if connection.waits:
                    connection.abandon()
                else:
                    self._close(connection)


@coroutine
def _drive(
    coroutine: Coroutine[Any, Any, ServeResult], trap: Any, connection: Connection
) -> Generator[Any, Any, ServeResult]:
    """Run *coroutine*, which serves *connection*, to its end as `await` does; send what is ready whenever it waits.

    *trap* is what it waits for already, None if it has not begun.
    """
    resume: Callable[[], Any] = partial(coroutine.send, None)
    while True:
        if trap is None:
            try:
                trap = resume()
            except StopIteration as end:
                result: ServeResult = end.value
                return result
        connection.sender.flush()
        began = perf_counter()
        try:
            if type(trap) is SendWait or type(trap) is RangeSend:
                value = yield from connection.sender.wait_in_task(trap)
            else:
                value = yield trap
            connection.waited_s += perf_counter() - began
        except BaseException as fault:  # that is how the event loop cancels
            resume = partial(coroutine.throw, fault)
        else:
            resume = partial(coroutine.send, value)
        trap = None
