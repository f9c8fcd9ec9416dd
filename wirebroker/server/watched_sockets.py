"""WatchedSockets: sockets that are not those of clients, and are polled with them; a function is called for each."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.server.socket_wait import SocketSet


class WatchedSockets:
    """The watched sockets of one processor.

    Args:
        sockets: The epoll set of the processor.
    """

    def __init__(self, sockets: SocketSet) -> None:
        self._sockets = sockets
        self._callbacks: dict[int, tuple[Callable[[], None], Callable[[], None]]] = {}
        self._is_open = False

    def open(self) -> None:
        """Begin: the processor polls from now on."""
        self._is_open = True

    def watch(self, fd: int, on_readable: Callable[[], None], on_closed: Callable[[], None]) -> bool:
        """Call *on_readable* when *fd* can be read, until `unwatch`; return False if that is not possible.

        *on_closed* is called when the processor ends before that.
        """
        if not self._is_open or fd in self._callbacks:
            return False
        try:
            self._sockets.add(fd)
        except OSError:  # the system cannot watch one more socket
            return False
        self._callbacks[fd] = on_readable, on_closed
        return True

    def unwatch(self, fd: int) -> None:
        """End that; nothing happens if *fd* is not watched.  Its socket may have been closed just now."""
        if self._callbacks.pop(fd, None) is not None:
            with suppress(OSError):  # a closed socket has left the set
                self._sockets.discard(fd)

    def report(self, fd: int) -> None:
        """Call the function of *fd*, if it is still watched."""
        callbacks = self._callbacks.get(fd)
        if callbacks is not None:
            callbacks[0]()

    def close(self) -> None:
        """End: the processor does not poll any more."""
        self._is_open = False
        for fd, (_, on_closed) in list(self._callbacks.items()):
            self.unwatch(fd)
            on_closed()
