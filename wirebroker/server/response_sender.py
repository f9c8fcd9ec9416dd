"""ResponseSender: sends the responses of one connection, in the order of its requests.

`flush` sends as much as the socket takes now.  `send` is a coroutine that sends all of it: it waits for room, and has
threads send large ranges of files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from wirebroker.protocol.primitives import WireBuffer
from wirebroker.server.delayed_responses import DelayedResponses
from wirebroker.server.sending import SendWait, send_answers, send_gathered, wait_in_task

if TYPE_CHECKING:
    import socket

    from wirebroker.quota.manager import ClientQuotaManager
    from wirebroker.server.connection_settings import ConnectionSettings
    from wirebroker.server.send_threads import RangeSend, SendThreads


class ResponseSender:
    """The responses of one connection that are ready, and those that are held back.

    Args:
        sock: The socket; `close` closes it.
        settings: The resources and limits that all connections share.
        request_quota: If it is enabled no thread is used, as the time of a thread would not count.

    Attributes:
        out: The responses that are ready.
        delayed: The responses that are held back.
        threads: The threads that send large ranges of files; None to send them in the event loop.
        range_send: The range that a thread sends now; nobody else may use the socket.
        range_was_sent: Set when a thread has sent a range, and cleared by the connection.
        is_sending: Whether `send` runs; what is left of the responses belongs to it.
    """

    __slots__ = (
        "_request_quota",
        "_settings",
        "_sock",
        "delayed",
        "is_sending",
        "out",
        "range_send",
        "range_was_sent",
        "threads",
    )

    def __init__(self, sock: socket.socket, settings: ConnectionSettings, request_quota: ClientQuotaManager) -> None:
        self.out = WireBuffer()
        self.delayed = DelayedResponses(self.out)
        self.threads: SendThreads | None = None
        self.range_send: RangeSend | None = None
        self.range_was_sent = False
        self.is_sending = False
        self._sock = sock
        self._settings = settings
        self._request_quota = request_quota

    def flush(self) -> bool:
        """Send what the socket takes now of the responses that are ready; return whether nothing is left."""
        out = self.out
        if not out:
            return True
        if self.is_sending:
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

    async def send(self) -> None:
        """Send the responses that are ready, and those that become ready meanwhile.

        Raises:
            OSError: the peer has gone.
            PeerStalled: the peer has read nothing for `write_timeout_s`.
            ProtocolError: the connection has to be closed.
        """
        threads = None if self._request_quota.enabled else self.threads
        while True:
            self.is_sending = True
            try:
                await send_answers(self._sock, self.out, self._settings, threads)
            finally:
                self.is_sending = False
            if not self.delayed:
                return
            self.delayed.move_completed()  # those that were completed meanwhile
            if self.flush():
                return

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

    def close(self) -> None:
        """Close the socket, and cancel the operations whose responses are held back."""
        self.delayed.close()
        if self.range_send is not None:
            self.range_send.abandon()
        else:
            self._sock.close()
