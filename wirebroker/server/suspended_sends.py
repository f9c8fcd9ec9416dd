"""SuspendedSends: the responses that are half sent, as the socket has no room or a thread sends a range of a file.

The coroutine that sends such a response is kept in its connection.  The leader of the processor goes on with it when
the epoll set reports room, or the thread is done (`take_sent`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from wirebroker.server.channel_timers import WriteTimeouts
from wirebroker.server.send_threads import RangeSend
from wirebroker.server.sending import SendWait

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Coroutine

    from wirebroker.server.connection import Connection
    from wirebroker.server.send_threads import SendThreads
    from wirebroker.server.serve_result import ServeResult
    from wirebroker.server.socket_wait import SocketSet
    from wirebroker.timer.timer import Timer


class SuspendedSends:
    """The suspended responses of one processor.

    Args:
        sockets: The epoll set of the processor.
        threads: The threads that send ranges of files.
        timer: The timer of write timeouts.
        ready: The connections that the leader serves next; those whose response can go on are appended.
        close: Called with a connection whose peer does not read.
    """

    def __init__(
        self,
        sockets: SocketSet,
        threads: SendThreads,
        timer: Timer,
        ready: deque[Connection],
        close: Callable[[Connection], None],
    ) -> None:
        self._sockets = sockets
        self._threads = threads
        self._ready = ready
        self._close = close
        self._write_timeouts = WriteTimeouts(timer, self._stalled)

    def suspend(
        self, connection: Connection, coroutine: Coroutine[Any, Any, ServeResult], wait: SendWait | RangeSend
    ) -> None:
        """Go on with *coroutine*, which serves *connection*, when what it waits for has come."""
        connection.idle, connection.suspended = False, coroutine
        if wait is SendWait.ROOM:
            self._write_timeouts.wait(connection)
            if not connection.awaits_room:
                connection.awaits_room = connection.is_paused = True
                self._sockets.await_room(connection.fd)
            return
        connection.blocked_since_ms = -1
        if not isinstance(wait, RangeSend):
            self._ready.append(connection)
            return
        connection.sender.range_send, wait.on_done = wait, partial(self._range_sent, connection)
        if not connection.is_paused:  # the next request is read when the range has been sent
            connection.is_paused = True
            self._sockets.pause(connection.fd)

    def take_sent(self) -> None:
        """Go on with the connections whose ranges have been sent by threads."""
        for send in self._threads.take_done():
            if send.on_done is not None:
                send.on_done()

    def _range_sent(self, connection: Connection) -> None:
        connection.sender.range_send, connection.sender.range_was_sent = None, True
        self._ready.append(connection)

    def end(self, connection: Connection) -> None:
        """Take note that the response of *connection* has been sent, or that a worker goes on with it."""
        connection.suspended, connection.awaits_room, connection.blocked_since_ms = None, False, -1

    def remove(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        self._write_timeouts.remove(connection)

    def _stalled(self, connection: Connection) -> None:
        connection.log_stalled()
        self._close(connection)
