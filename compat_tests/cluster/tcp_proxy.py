"""TcpProxy: a port that forwards to another one, until it is cut as a network is: silently, one way or both."""

from __future__ import annotations

import contextlib
import socket
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

from compat_tests.limits import join


class TcpProxy:
    """Forwards connections to a port of this machine; a context manager that ends all of them.

    Args:
        target_port: The port behind the proxy; need not be open yet.
    """

    def __init__(self, target_port: int) -> None:
        self._target = ("127.0.0.1", target_port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open = Event()
        self._open.set()
        self._answers = Event()
        self._answers.set()
        self._lock = Lock()
        self._sockets: list[socket.socket] = []
        self._has_ended = False
        self._thread = Thread(target=self._accept, name=f"proxy-{self.port}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            self._has_ended = True
        self.heal()
        join(self._thread)

    def cut(self) -> None:
        """Hold back everything that is sent from now on; connections stay open, and new ones get no answer."""
        self._open.clear()

    def cut_answers(self) -> None:
        """Hold back what comes from the port behind the proxy; requests arrive there, of new connections, too."""
        self._answers.clear()

    def heal(self) -> None:
        """Close the connections of before, and forward new ones."""
        with self._lock:
            sockets, self._sockets = self._sockets, []
        for each in sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open.set()
        self._answers.set()

    def _hold(self, connection: socket.socket) -> bool:
        """Have `heal` close a connection; close it here and return false if the proxy has ended."""
        with self._lock:
            if not self._has_ended:
                self._sockets.append(connection)
                return True
        connection.close()
        return False

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        if not self._hold(client):
            return
        self._open.wait()
        try:
            server = socket.create_connection(self._target, timeout=60)
        except OSError:
            client.close()
            return
        server.settimeout(None)
        if not self._hold(server):
            return
        Thread(target=self._forward, args=(server, client, self._answers), daemon=True).start()
        self._forward(client, server, self._open)

    def _forward(self, source: socket.socket, sink: socket.socket, way: Event) -> None:
        try:
            while data := source.recv(1 << 16):
                self._open.wait()
                way.wait()
                sink.sendall(data)
        except OSError:
            pass
        finally:
            for each in (source, sink):
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)


@contextmanager
def cut_off(proxies: Iterable[TcpProxy]) -> Iterator[None]:
    """Cut proxies until the end of the block."""
    proxies = list(proxies)
    for each in proxies:
        each.cut()
    try:
        yield
    finally:
        for each in proxies:
            each.heal()
