"""Timers of connections, on the broker's timing wheel: throttled channels, connections.max.idle.ms, stalled peers.

Neither costs a task or a wake-up before it is due.  A request does not touch the idle timer of its connection: when the
timer is due, it looks at the time of the last request, and is set anew for the rest.
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import TYPE_CHECKING, Final

from wirebroker.timer.timer_task import TimerTask

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.server.connection import Connection
    from wirebroker.timer.timer import Timer

_BUSY_PART: Final = 10
"""A connection that is being served when its timer is due is looked at again after this part of the idle time."""


class ChannelTimer(TimerTask):
    """A timer that calls a function with one connection."""

    __slots__ = ("_call", "_connection")

    def __init__(self, call: Callable[[Connection], None], connection: Connection) -> None:
        super().__init__()
        self._call = call
        self._connection = connection

    def run(self) -> None:
        """Call the function."""
        self._call(self._connection)


class IdleExpiryManager:
    """Closes connections on which nothing came for a while (Kafka: Selector.IdleExpiryManager).

    Args:
        timer: The timer of the broker.
        idle_s: How long a connection may be silent; may be infinite.
        close: Called with a connection that was silent for so long.
    """

    def __init__(self, timer: Timer, idle_s: float, close: Callable[[Connection], None]) -> None:
        self._timer = timer
        self._idle_s = idle_s
        self._close = close

    def add(self, connection: Connection) -> None:
        """Watch a new connection."""
        if self._idle_s < math.inf:
            connection.idle_timer = ChannelTimer(self._is_due, connection)
            self._add(connection, self._idle_s)

    def _add(self, connection: Connection, seconds: float) -> None:
        if connection.idle_timer is not None:
            self._timer.add(connection.idle_timer, self._timer.now_ms() + math.ceil(1000 * seconds))

    def remove(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        if connection.idle_timer is not None:
            self._timer.cancel(connection.idle_timer)
            connection.idle_timer = None  # they refer to each other

    def _is_due(self, connection: Connection) -> None:
        left_s = self._idle_s - (perf_counter() - connection.last_active)
        if connection.is_busy:
            left_s = max(left_s, self._idle_s / _BUSY_PART)
        if left_s > 0:
            self._add(connection, left_s)
        else:
            connection.log_idle()
            self._close(connection)


class ThrottledChannels:
    """Connections that are muted for a quota (Kafka: ThrottledChannel).

    Args:
        timer: The timer of the broker.
        unmute: Called with a connection whose throttle time is over.
    """

    def __init__(self, timer: Timer, unmute: Callable[[Connection], None]) -> None:
        self._timer = timer
        self._unmute = unmute

    def mute(self, connection: Connection) -> None:
        """Have the connection unmuted after its throttle time."""
        connection.throttle_timer = ChannelTimer(self._is_over, connection)
        self._timer.add(connection.throttle_timer, self._timer.now_ms() + connection.throttle_ms)

    def _is_over(self, connection: Connection) -> None:
        connection.throttle_timer = None
        self._unmute(connection)

    def remove(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        if connection.throttle_timer is not None:
            self._timer.cancel(connection.throttle_timer)
            connection.throttle_timer = None


class WriteTimeouts:
    """Peers that have to read before the rest of their response can be sent.

    A timer stays set when the peer has read, until it is due: waits are many, and short.

    Args:
        timer: The timer of the broker.
        stalled: Called with a connection whose peer has read nothing for its `write_timeout_s`.
    """

    def __init__(self, timer: Timer, stalled: Callable[[Connection], None]) -> None:
        self._timer = timer
        self._stalled = stalled

    def wait(self, connection: Connection) -> None:
        """Watch a connection until its `blocked_since_ms` is -1 again."""
        connection.blocked_since_ms = self._timer.now_ms()
        if connection.write_timer is None and connection.write_timeout_s < math.inf:
            connection.write_timer = ChannelTimer(self._is_due, connection)
            self._add(connection)

    def _add(self, connection: Connection) -> None:
        if connection.write_timer is not None:
            due_ms = connection.blocked_since_ms + math.ceil(1000 * connection.write_timeout_s)
            self._timer.add(connection.write_timer, due_ms)

    def _is_due(self, connection: Connection) -> None:
        if connection.blocked_since_ms < 0:
            connection.write_timer = None
        elif self._timer.now_ms() - connection.blocked_since_ms < 1000 * connection.write_timeout_s:
            self._add(connection)
        else:
            connection.write_timer = None
            self._stalled(connection)

    def remove(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        if connection.write_timer is not None:
            self._timer.cancel(connection.write_timer)
            connection.write_timer = None
