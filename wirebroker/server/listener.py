"""One listening socket: accept, and hand each peer as a Connection to the Processor."""

from __future__ import annotations

import errno
import logging
import socket
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.handlers.context import RequestContext
from wirebroker.server.connection import Connection
from wirebroker.server.foreign_protocols import ForeignProtocolLog

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.handlers.context import Services
    from wirebroker.protocol.frames import BufferPool
    from wirebroker.server.processor import Processor
    from wirebroker.server.quota import ConnectionQuota

logger = logging.getLogger(__name__)

_LOOK_AGAIN_S: Final = 0.1
_SEND_BUFFER_BYTES: Final = 400 * 1024
"""The least SO_SNDBUF of a connection.  With the megabytes that the system gives a socket, what the peer reads has left
the processor's cache (fetching at 1.9 instead of 2.4-2.8 GB/s, CPU + 40 %); with Kafka's 100 kB waiting for room costs
more than it saves."""
_OUT_OF_RESOURCES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class Listener:
    """A bound socket; `port` is the real one even when 0 was asked for.  Peers are refused until `listen`."""

    def __init__(self, name: str, host: str, port: int, backlog: int = 1024, *, receive_buffer_bytes: int = -1) -> None:
        """Bind.  *receive_buffer_bytes* is each connection's SO_RCVBUF; -1 leaves it to the system, which does it well.

        Raises:
            OSError: the address is in use, not ours, or unknown.
        """
        self.name = name
        self.host = host
        self._backlog = backlog
        family, _, _, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        self._sock = socket.socket(family, socket.SOCK_STREAM)
        try:
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if receive_buffer_bytes > 0:  # connections inherit it; what TCP promises at the start depends on it
                self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_bytes)
            if family == socket.AF_INET6 and not host:
                self._sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            self._sock.bind(address)
        except OSError:
            self._sock.close()
            raise
        self._sock.setblocking(False)
        self.port: int = self._sock.getsockname()[1]
        self._stopping = False
        self._foreign = ForeignProtocolLog(str(self))

    def listen(self) -> None:
        """Let peers connect.

        Raises:
            OSError: somebody else was quicker.
        """
        self._sock.listen(self._backlog)

    async def serve(
        self,
        services: Services,
        processor: Processor,
        pool: BufferPool,
        *,
        limit_bytes: int,
        patience_s: float = 600.0,
        send_buffer_bytes: int = -1,
        quota: ConnectionQuota | None = None,
    ) -> None:
        """Accept until `stop_accepting`, and hand what is accepted to *processor*.

        Without room in *quota* for more connections, new ones wait for others to end.  *patience_s* is how long a peer
        may take nothing of its answer.  *send_buffer_bytes* is each connection's SO_SNDBUF, but not less than is good
        for it, and -1 leaves it to the system.
        """
        if send_buffer_bytes > 0:
            self._sock.setsockopt(
                socket.SOL_SOCKET, socket.SO_SNDBUF, max(send_buffer_bytes, _SEND_BUFFER_BYTES)
            )  # connections inherit it
        full = False
        while not self._stopping:
            if quota is not None and not quota.has_room():
                if not full:
                    logger.error("listener=%s: all connections are in use; new ones have to wait", self.name)
                full = True
                await trio.sleep(_LOOK_AGAIN_S)
                continue
            full = False
            if quota is not None and (delay_s := quota.delay_s()):
                await trio.sleep(min(delay_s, _LOOK_AGAIN_S))  # the limit may change meanwhile
                continue
            try:
                sock, peer = self._sock.accept()
            except BlockingIOError:
                with suppress(trio.ClosedResourceError):
                    await trio.lowlevel.wait_readable(self._sock)
                continue
            except OSError as fault:
                if fault.errno in _OUT_OF_RESOURCES:
                    logger.error("listener=%s: cannot accept: %s; trying again in 0.1 s", self.name, fault)
                    await trio.sleep(0.1)
                    continue
                logger.debug("listener=%s: accept: %s", self.name, fault)  # the peer left before we looked
                await trio.lowlevel.checkpoint()
                continue
            host = _plain(peer[0])
            if quota is None:
                on_closed = None
            elif quota.enter(host):
                on_closed = partial(quota.leave, host)
            else:
                sock.close()
                continue
            connection = self._connection(sock, host, services, pool, limit_bytes, patience_s, on_closed)
            try:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                processor.add(connection)
            except OSError as fault:
                logger.debug("listener=%s: peer=%s: %s", self.name, host, fault)
                connection.close()

    def _connection(
        self,
        sock: socket.socket,
        client_host: str,
        services: Services,
        pool: BufferPool,
        limit_bytes: int,
        patience_s: float,
        on_closed: Callable[[], None] | None,
    ) -> Connection:
        sock.setblocking(False)
        local = sock.getsockname()
        context = RequestContext(
            services,
            listener=self.name,
            local_host=_plain(local[0]),
            local_port=local[1],
            client_host=client_host,
            routes=services.routes,
        )
        return Connection(
            sock, context, pool, limit_bytes, patience_s, on_closed=on_closed, on_foreign=self._foreign.report
        )

    def stop_accepting(self) -> None:
        """Close the listening socket."""
        self._stopping = True
        trio.lowlevel.notify_closing(self._sock)
        self._sock.close()

    def close(self) -> None:
        """Close the listening socket, if `stop_accepting` has not."""
        self._sock.close()

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host or "0.0.0.0"
        return f"{self.name}://{host}:{self.port}"


def _plain(host: str) -> str:
    """An IPv4 peer of a dual-stack socket, written as IPv4."""
    return host.removeprefix("::ffff:")
