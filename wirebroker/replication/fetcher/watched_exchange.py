"""WatchedExchange: has the responses of a leader handled by the task that polls the sockets of the broker.

A fetcher that waits for its socket gets its turn from the event loop, which takes longer than to append a small batch.
The processor polls all sockets of clients anyway, and calls a function for those that are watched.  The fetcher's task
sleeps meanwhile, and goes on with anything that is unusual: a response that comes in pieces, an error, the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import trio

from wirebroker.protocol.messages.fetch import FetchRequest
from wirebroker.replication.fetcher.leader_endpoint import STREAMED_FROM

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.replication.fetcher.leader_endpoint import Channel


class SocketWatcher(Protocol):
    """Polls sockets for others: the WatchedSockets of the processor."""

    def watch(self, fd: int, on_readable: Callable[[], None], on_closed: Callable[[], None]) -> bool:
        """Call *on_readable* when *fd* can be read, until `unwatch`; return False if that is not possible.

        *on_closed* is called if polling ends before that.
        """
        ...

    def unwatch(self, fd: int) -> None:
        """End that; nothing happens if *fd* is not watched."""
        ...


class WatchedExchange:
    """Exchanges Fetch requests of one version for responses, one after the other.

    Args:
        channel: The connection to the leader.
        sockets: Returns the sockets that are polled; None as long as none are.
        handle: Called with each response as `exchange_fetch` returns it; returns the frame of the next request, None if
            the task has to go on.
    """

    def __init__(
        self,
        channel: Channel,
        sockets: Callable[[], SocketWatcher | None],
        handle: Callable[[memoryview, int], bytearray | None],
    ) -> None:
        self._channel, self._find_sockets, self._handle = channel, sockets, handle
        self._sockets: SocketWatcher | None = None
        self._version, self._fd = 0, -1
        self._done = trio.Event()
        self._is_handled = False
        self._error: Exception | None = None

    async def exchange(self, frame: bytearray, version: int) -> tuple[memoryview, int] | None:
        """Send *frame*, and the next one as long as the responses are handled and `handle` returns one.

        Returns a response that is not handled, perhaps only the beginning of it, as `exchange_fetch` does; None if the
        last one was.

        Raises:
            ChannelError: the leader was not reached, or answered something else.
        """
        channel, sockets = self._channel, self._find_sockets()
        if sockets is None or not channel.try_send(frame):
            return await channel.exchange(frame, FetchRequest.API_KEY, version, STREAMED_FROM)
        self._sockets, self._version, self._fd = sockets, version, channel.fd
        self._done, self._is_handled, self._error = trio.Event(), False, None
        try:
            if sockets.watch(self._fd, self._receive, self._done.set):
                try:
                    await self._done.wait()
                finally:
                    sockets.unwatch(self._fd)
            if self._error is not None:
                raise self._error
            if self._is_handled:
                return None
            return await channel.receive_rest(FetchRequest.API_KEY, version, STREAMED_FROM)
        except BaseException:
            channel.abandon()
            raise

    def close(self) -> None:
        """Forget *handle*, whose object has this exchange; no exchange may be under way, or follow."""
        del self._handle

    def _receive(self) -> None:
        """Handle the response that has come, and send the next request; else let the task go on."""
        channel = self._channel
        try:
            received = channel.try_receive(FetchRequest.API_KEY, self._version)
            if received is not None:
                frame = self._handle(*received)
                if frame is not None and channel.try_send(frame):
                    return
                self._is_handled = True
        except Exception as error:
            self._error = error
        assert self._sockets is not None
        self._sockets.unwatch(self._fd)
        self._done.set()
