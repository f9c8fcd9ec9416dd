"""Listener: one listening socket, whose accepted sockets become Connections of the Processor."""

from __future__ import annotations

import errno
import logging
import math
import socket
from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.handlers.context import RequestContext
from wirebroker.server.connection import Connection
from wirebroker.server.foreign_protocols import ForeignProtocolLog

if TYPE_CHECKING:
    from wirebroker.handlers.context import Services
    from wirebroker.server.connection_quotas import ConnectionQuotas
    from wirebroker.server.connection_settings import ConnectionSettings
    from wirebroker.server.processor import Processor

logger = logging.getLogger(__name__)

_QUOTA_CHECK_S: Final = 0.1
"""How often the quota is asked for room while new connections have to wait."""
_SEND_BUFFER_BYTES: Final = 400 * 1024
"""The least SO_SNDBUF of a connection.  With the megabytes that the system gives a socket, what the peer reads has left
the processor's cache (fetching at 1.9 instead of 2.4-2.8 GB/s, CPU + 40 %); with Kafka's 100 kB waiting for room costs
more than it saves."""
_PACING: Final = b"bbr"
"""The beginning of the names of congestion controls that pace: a timer of the kernel separates the segments."""
_WITHOUT_PACING: Final = b"reno"
"""The congestion control of connections from the same machine if the system's paces.  No network is congested between
two processes, and the timers cost a third of the processor time of a raw fetch.  Every kernel has reno."""
_NAME_BYTES: Final = 16  # TCP_CA_NAME_MAX
_OUT_OF_RESOURCES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class Listener:
    """A bound socket; `port` is the real one even when 0 was asked for.  Peers are refused until `listen`."""

    def __init__(
        self,
        name: str,
        host: str,
        port: int,
        backlog: int = 1024,
        *,
        receive_buffer_bytes: int = -1,
        send_buffer_bytes: int = -1,
    ) -> None:
        """Bind the socket.

        Args:
            name: The listener's name, as in `listeners`.
            host: The address; empty means every interface.
            port: 0 means any free one.
            backlog: How many peers may wait to be accepted.
            receive_buffer_bytes: SO_RCVBUF of each connection; -1 leaves it to the system, which does it well.
            send_buffer_bytes: SO_SNDBUF of each connection, raised to _SEND_BUFFER_BYTES; -1 leaves it to the system.

        Raises:
            OSError: the address is in use, not ours, or unknown.
        """
        self.name = name
        self.host = host
        self._backlog = backlog
        # bytes, as the codec of international names takes 1 ms and 0.1 MB to import, and most names need none
        encoded = host.encode() if host.isascii() else host.encode("idna")
        family, _, _, _, address = socket.getaddrinfo(
            encoded or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        self._sock = socket.socket(family, socket.SOCK_STREAM)
        try:
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # connections inherit both sizes; the window that TCP announces at the start depends on the first one
            if receive_buffer_bytes > 0:
                self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_bytes)
            if send_buffer_bytes > 0:
                self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, max(send_buffer_bytes, _SEND_BUFFER_BYTES))
            if family == socket.AF_INET6 and not host:
                self._sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            self._sock.bind(address)
        except OSError:
            self._sock.close()
            raise
        self._sock.setblocking(False)
        self._has_pacing = _has_pacing(self._sock)  # connections inherit it
        self.port: int = self._sock.getsockname()[1]
        self._stopping = False
        self._foreign = ForeignProtocolLog(str(self))
        self._throttled: deque[tuple[float, socket.socket]] = deque()
        """Connections of addresses that make too many, and when each is closed."""

    def listen(self) -> None:
        """Let peers connect.

        Raises:
            OSError: another process has begun to listen on the address.
        """
        self._sock.listen(self._backlog)

    async def serve(
        self,
        services: Services,
        processor: Processor,
        settings: ConnectionSettings,
        quota: ConnectionQuotas,
    ) -> None:
        """Accept until `stop_accepting`, and hand what is accepted to *processor*.

        Without room in *quota* new peers wait in the kernel until other connections end.
        """
        full = False
        while not self._stopping:
            if not quota.has_room():
                if not full:
                    logger.error("listener=%s: all connections are in use; new ones have to wait", self.name)
                full = True
                await trio.sleep(_QUOTA_CHECK_S)
                continue
            full = False
            if delay_s := quota.delay_s():
                await trio.sleep(min(delay_s, _QUOTA_CHECK_S))  # the limit may change meanwhile
                continue
            try:
                sock, peer = self._sock.accept()
            except BlockingIOError:
                with suppress(trio.ClosedResourceError), trio.move_on_at(self._close_throttled()):
                    await trio.lowlevel.wait_readable(self._sock)
                continue
            except OSError as fault:
                if fault.errno in _OUT_OF_RESOURCES:
                    logger.error("listener=%s: cannot accept: %s; trying again in 0.1 s", self.name, fault)
                    await trio.sleep(0.1)
                    continue
                logger.debug("listener=%s: accept: %s", self.name, fault)  # the peer has disconnected already
                await trio.lowlevel.checkpoint()
                continue
            host = _plain(peer[0])
            if throttle_s := quota.throttle_s(host):  # closed later, so that the peer does not come again at once
                self._throttled.append((trio.current_time() + throttle_s, sock))
                self._close_throttled()
                continue
            if not quota.enter(host):
                sock.close()
                continue
            context = self._request_context(sock, host, services)
            connection = Connection(
                sock,
                context,
                settings,
                on_closed=partial(quota.leave, host),
                on_foreign_protocol=self._foreign.report,
            )
            try:
                sock.setblocking(False)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._has_pacing and host == context.local_host:
                    _end_pacing(sock)
                processor.add(connection)
            except OSError as fault:
                logger.debug("listener=%s: peer=%s: %s", self.name, host, fault)
                connection.close()

    def _request_context(self, sock: socket.socket, client_host: str, services: Services) -> RequestContext:
        """Return the context of all requests on a connection."""
        local = sock.getsockname()
        return RequestContext(
            services,
            listener=self.name,
            local_host=_plain(local[0]),
            local_port=local[1],
            client_host=client_host,
            routes=services.routes,
        )

    def _close_throttled(self) -> float:
        """Close the throttled connections whose time is over; return when the next one is due, on trio's clock."""
        while self._throttled:
            until, sock = self._throttled[0]
            if until > trio.current_time():
                return until
            self._throttled.popleft()
            sock.close()
        return math.inf

    def stop_accepting(self) -> None:
        """Close the listening socket."""
        while self._throttled:
            self._throttled.popleft()[1].close()
        self._stopping = True
        trio.lowlevel.notify_closing(self._sock)
        self._sock.close()

    def close(self) -> None:
        """Close the listening socket, if `stop_accepting` has not."""
        self._sock.close()

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host or "0.0.0.0"
        return f"{self.name}://{host}:{self.port}"


def _has_pacing(sock: socket.socket) -> bool:
    """Return whether the congestion control of *sock*, which is the system's, paces."""
    try:
        return sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, _NAME_BYTES).startswith(_PACING)
    except OSError:  # a kernel without a choice
        return False


def _end_pacing(sock: socket.socket) -> None:
    """Set a congestion control that does not pace, if net.ipv4.tcp_allowed_congestion_control lets this process."""
    with suppress(OSError):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, _WITHOUT_PACING)


def _plain(host: str) -> str:
    """An IPv4 peer of a dual-stack socket, written as IPv4."""
    return host.removeprefix("::ffff:")
