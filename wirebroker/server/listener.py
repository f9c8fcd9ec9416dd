"""One listening socket: accept, hand each peer to a Connection, close the idle ones.

Stopping: the socket closes, connections that wait for their peer are cancelled at once, the others
may finish what they are serving within the drain time.
"""

from __future__ import annotations

import errno
import logging
import socket
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.handlers.context import RequestContext
from wirebroker.server.connection import Connection, Floor

if TYPE_CHECKING:
    from wirebroker.handlers.context import Services
    from wirebroker.protocol.frames import BufferPool
    from wirebroker.server.quota import ConnectionQuota

logger = logging.getLogger(__name__)

DRAIN_S: Final = 1.0
"""What a request in progress gets when the broker stops; parked fetches end with it."""
_SWEEP_S: Final = 10.0
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
        self._connections: set[Connection] = set()
        self._floor = Floor()
        self._stopping = False

    def listen(self) -> None:
        """Let peers connect.

        Raises:
            OSError: somebody else was quicker.
        """
        self._sock.listen(self._backlog)

    async def serve(
        self,
        services: Services,
        pool: BufferPool,
        *,
        limit_bytes: int,
        idle_s: float,
        send_buffer_bytes: int = -1,
        quota: ConnectionQuota | None = None,
    ) -> None:
        """Accept until `stop_accepting`, then let open requests finish within the drain time.

        *idle_s* may be infinite.  Without room in *quota* for more connections, new ones wait for others to end.
        *send_buffer_bytes* is each connection's SO_SNDBUF, but not less than is good for it, and -1 leaves it to the
        system.
        """
        if send_buffer_bytes > 0:
            self._sock.setsockopt(
                socket.SOL_SOCKET, socket.SO_SNDBUF, max(send_buffer_bytes, _SEND_BUFFER_BYTES)
            )  # connections inherit it
        async with trio.open_nursery() as nursery, trio.open_nursery() as housekeeping:
            housekeeping.start_soon(self._close_idle, idle_s)
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
                if quota is not None and not quota.enter(_plain(peer[0])):
                    sock.close()
                    continue
                nursery.start_soon(partial(self._run, sock, peer, services, pool, limit_bytes, idle_s, quota))
            housekeeping.cancel_scope.cancel()
            nursery.cancel_scope.deadline = trio.current_time() + DRAIN_S

    async def _run(
        self,
        sock: socket.socket,
        peer: tuple[str, int],
        services: Services,
        pool: BufferPool,
        limit_bytes: int,
        idle_s: float,
        quota: ConnectionQuota | None,
    ) -> None:
        try:
            await self._serve(sock, peer, services, pool, limit_bytes, idle_s)
        finally:
            if quota is not None:
                quota.leave(_plain(peer[0]))

    async def _serve(
        self,
        sock: socket.socket,
        peer: tuple[str, int],
        services: Services,
        pool: BufferPool,
        limit_bytes: int,
        idle_s: float,
    ) -> None:
        sock.setblocking(False)
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            local = sock.getsockname()
        except OSError:
            sock.close()
            return
        context = RequestContext(
            services,
            listener=self.name,
            local_host=_plain(local[0]),
            local_port=local[1],
            client_host=_plain(peer[0]),
            routes=services.routes,
        )
        connection = Connection(sock, context, pool, limit_bytes, idle_s, self._floor)
        self._connections.add(connection)
        try:
            await connection.run()
        finally:
            self._connections.discard(connection)

    async def _close_idle(self, idle_s: float) -> None:
        """Close connections on which nothing came for connections.max.idle.ms, and long polls whose peer has left.

        One sweep for all: a deadline per wait would cost every small request.
        """
        while True:
            await trio.sleep(min(max(idle_s / 10, 0.1), _SWEEP_S))
            oldest = perf_counter() - idle_s
            for connection in self._connections:
                if connection.last_active < oldest if connection.idle else connection.is_abandoned():
                    connection.give_up()

    def stop_accepting(self) -> None:
        """Close the listening socket, and every connection that waits for its peer."""
        self._stopping = True
        trio.lowlevel.notify_closing(self._sock)
        self._sock.close()
        for connection in self._connections:
            connection.closing = True
            if connection.idle:
                connection.scope.cancel()

    def close(self) -> None:
        """Close the listening socket, if `stop_accepting` has not."""
        self._sock.close()

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host or "0.0.0.0"
        return f"{self.name}://{host}:{self.port}"


def _plain(host: str) -> str:
    """An IPv4 peer of a dual-stack socket, written as IPv4."""
    return host.removeprefix("::ffff:")
