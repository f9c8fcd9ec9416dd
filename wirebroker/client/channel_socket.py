"""ChannelSocket: a connected socket for a task of trio that sends requests one after the other.

The methods of trio's sockets pass through the scheduler with each call, which takes longer than the call itself.
These call the system at once, and wait only if they have to.  A task that sends and receives in turns lets other tasks
run all the same, since its first receive after a send always waits.
"""

from __future__ import annotations

import socket

import trio


class ChannelSocket:
    """A stream socket, connected and non-blocking.  Every method may raise OSError, and ClosedResourceError."""

    __slots__ = ("_has_sent", "_low_watermark", "_socket", "family", "setsockopt")

    def __init__(self, connected: trio.socket.SocketType) -> None:
        """Take over the descriptor of *connected*, which cannot be used any more."""
        self._socket = socket.socket(fileno=connected.detach())
        self._socket.setblocking(False)
        self._has_sent = False
        """Whether nothing was received since the last send: an attempt would be too early."""
        self._low_watermark = 1
        self.family = self._socket.family
        self.setsockopt = self._socket.setsockopt

    async def send(self, data: bytearray | memoryview) -> int:
        """Send a part of *data*; return its size."""
        while True:
            try:
                sent = self._socket.send(data)
            except BlockingIOError:
                await trio.lowlevel.wait_writable(self._socket)
            else:
                self._has_sent = True
                return sent

    def fileno(self) -> int:
        """Return the descriptor of the socket."""
        return self._socket.fileno()

    def send_now(self, data: bytearray) -> int:
        """Send a part of *data*, without a wait; return its size.  Raises BlockingIOError."""
        sent = self._socket.send(data)
        self._has_sent = True
        return sent

    def recv_now(self, view: memoryview) -> int:
        """Receive into *view* without a wait; return the number of bytes, 0 at the end.  Raises BlockingIOError."""
        count = self._socket.recv_into(view)
        self._has_sent = False
        return count

    async def recv_into(self, view: memoryview) -> int:
        """Receive at least one byte into *view*; return the number of bytes, 0 at the end of the stream."""
        if self._has_sent:
            self._has_sent = False
            await trio.lowlevel.wait_readable(self._socket)
        while True:
            try:
                return self._socket.recv_into(view)
            except BlockingIOError:
                await trio.lowlevel.wait_readable(self._socket)

    async def recv_many_into(self, view: memoryview, at_least: int) -> int:
        """Receive at least *at_least* bytes into *view*; return the number of bytes, fewer at the end of the stream.

        The system wakes the task when they are there, not for each segment of them.
        """
        received = 0
        while received < at_least:
            try:
                count = self._socket.recv_into(view[received:])
            except BlockingIOError:
                self.set_low_watermark(at_least - received)
                await trio.lowlevel.wait_readable(self._socket)
            else:
                if not count:
                    break
                received += count
        return received

    def set_low_watermark(self, count: int) -> None:
        """Have waits for bytes end when *count* of them are there, or the stream ends; the default is 1."""
        if count != self._low_watermark:
            self._low_watermark = count
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, count)

    def close(self) -> None:
        """Close the socket; a task that waits for it gets a ClosedResourceError."""
        if self._socket.fileno() >= 0:
            trio.lowlevel.notify_closing(self._socket)
            self._socket.close()
