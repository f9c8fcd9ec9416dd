"""Processor: serves the connections of all listeners; polls their sockets and runs the requests that have come.

Most requests are answered without waiting for anything.  They run in one task, the leader, one connection after the
other, and cost the event loop nothing: `Connection.serve_ready` is a coroutine, and the leader drives it by hand.  When
it waits after all (a long poll, a slow disk, a peer that does not read), another worker becomes the leader, and this
one stays with the connection until that is served; meanwhile its socket is not polled.

    leader -- serve_ready() --> done: next connection
                          \\--> waits: the next worker leads; this one finishes the connection, then follows or ends
"""

from __future__ import annotations

from collections import deque
from functools import partial
from select import EPOLLERR, EPOLLHUP
from time import perf_counter
from types import coroutine
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import trio

from wirebroker.server.connection import Connection, Served
from wirebroker.server.socket_wait import SocketSet

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

DRAIN_S: Final = 1.0
"""What a request in progress gets when the broker stops; parked fetches end with it."""
_SWEEP_S: Final = 10.0
_FOLLOWERS: Final = 16
"""Workers that are kept for requests that wait; a new task costs 10 us more."""


class _Waiting(NamedTuple):
    """A connection whose `serve_ready` waits, and what it has asked the event loop for."""

    connection: Connection
    coroutine: Coroutine[Any, Any, Served]
    trap: Any


class Processor:
    """All connections of a broker.  `run` it; listeners `add` what they accept."""

    def __init__(self, idle_s: float) -> None:
        """Connections on which nothing comes for *idle_s*, which may be infinite, are closed."""
        self._idle_s = idle_s
        self._sockets = SocketSet()
        self._connections: dict[int, Connection] = {}
        self._ready: deque[Connection] = deque()
        self._followers = trio.lowlevel.ParkingLot()
        self._nursery: trio.Nursery | None = None
        self._stop = trio.Event()
        self._drained = trio.Event()

    @property
    def connections(self) -> list[Connection]:
        """Those that are open."""
        return list(self._connections.values())

    def add(self, connection: Connection) -> None:
        """Serve a connection until it ends or the processor does.

        Raises:
            OSError: the system cannot watch one more socket.
        """
        self._sockets.add(connection.fd)
        self._connections[connection.fd] = connection

    async def run(self) -> None:
        """Serve until `stop`; then requests that are being served may take DRAIN_S."""
        self._sockets.open()
        try:
            async with trio.open_nursery() as self._nursery:
                self._nursery.start_soon(self._work)
                self._nursery.start_soon(self._sweep)
                await self._stop.wait()
                for connection in self.connections:
                    connection.closing = True
                    if connection.idle:
                        self._close(connection)
                if self._connections:
                    with trio.move_on_after(DRAIN_S):
                        await self._drained.wait()
                self._nursery.cancel_scope.cancel()
        finally:
            for connection in self.connections:
                self._close(connection)
            self._sockets.close()

    def stop(self) -> None:
        """End `run`: connections that wait for their peer are closed, the others when they are served."""
        self._stop.set()

    def _close(self, connection: Connection) -> None:
        if self._connections.get(connection.fd) is not connection:
            return
        del self._connections[connection.fd]
        if not connection.was_reset:
            self._sockets.discard(connection.fd)
        connection.close()
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
        ready, connections, sockets = self._ready, self._connections, self._sockets
        while True:
            while ready:
                connection = ready.popleft()
                if connections.get(connection.fd) is not connection:
                    continue  # closed meanwhile
                coroutine = connection.serve_ready()
                try:
                    trap = coroutine.send(None)
                except StopIteration as end:
                    if end.value is not Served.ALL or not connection.idle:
                        self._served(connection, end.value)
                else:
                    return _Waiting(connection, coroutine, trap)
                if perf_counter() > sockets.turn_ends:
                    await sockets.run_others()
            events = await sockets.wait()
            now = perf_counter()
            for fd, event in events:
                connection = connections[fd]
                connection.last_active = now
                if connection.waits:
                    if event & (EPOLLHUP | EPOLLERR):
                        self._was_reset(connection)
                else:
                    ready.append(connection)

    def _served(self, connection: Connection, served: Served) -> None:
        if served is Served.SOME:
            connection.idle = False
            self._ready.append(connection)
        elif served is Served.GONE:
            self._close(connection)
        else:
            connection.idle = True

    async def _finish(self, waiting: _Waiting, scope: trio.CancelScope) -> None:
        """Have another worker lead, and serve a connection that waits until it does not."""
        connection, coroutine, trap = waiting
        assert self._nursery is not None
        if not self._followers.unpark():
            self._nursery.start_soon(self._work)
        self._sockets.pause(connection.fd)
        connection.idle, connection.waits, connection.scope = False, True, scope
        served = Served.GONE
        try:
            served = await _drive(coroutine, trap, connection.flush)
            while served is Served.SOME:
                await trio.lowlevel.checkpoint()
                served = await _drive(connection.serve_ready(), None, connection.flush)
        finally:
            connection.waits, connection.scope = False, None
            if connection.was_reset:
                served = Served.GONE
            self._served(connection, served)
            if served is Served.ALL:
                self._sockets.resume(connection.fd)

    def _was_reset(self, connection: Connection) -> None:
        """The peer of a connection that is being served has reset it, which would be reported without end."""
        connection.was_reset = True
        self._sockets.discard(connection.fd)
        connection.abandon()

    # -- connections that nobody needs

    async def _sweep(self) -> None:
        """One task for all connections: a deadline per wait would cost every small request."""
        while True:
            await trio.sleep(min(max(self._idle_s / 10, 0.1), _SWEEP_S))
            self.close_idle(perf_counter() - self._idle_s)

    def close_idle(self, silent_since: float) -> None:
        """Close connections on which nothing came after *silent_since*, and long polls whose peer has left."""
        for connection in self.connections:
            if connection.idle:
                if connection.last_active < silent_since:
                    connection.log_idle()
                    self._close(connection)
            elif connection.is_abandoned():
                connection.abandon()


@coroutine
def _drive(
    coroutine: Coroutine[Any, Any, Served], trap: Any, before_waiting: Callable[[], object]
) -> Generator[Any, Any, Served]:
    """Run *coroutine* to its end as `await` does, and call *before_waiting* whenever it waits.

    *trap* is what it waits for already, None if it has not begun.
    """
    resume: Callable[[], Any] = partial(coroutine.send, None)
    while True:
        if trap is None:
            try:
                trap = resume()
            except StopIteration as end:
                served: Served = end.value
                return served
        before_waiting()
        try:
            value = yield trap
        except BaseException as fault:  # that is how the event loop cancels
            resume = partial(coroutine.throw, fault)
        else:
            resume = partial(coroutine.send, value)
        trap = None
