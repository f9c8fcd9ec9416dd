"""One peer: bytes in, answers out, strictly in request order.

The next request is not looked at until the one before is answered (Kafka mutes the socket for the same promise).
Answers of `quick` routes that are ready at the same time leave in one send: an answer waits for the requests behind it
only while those are served without waiting, and for TURN_S at most.
"""

from __future__ import annotations

import logging
import socket
from enum import Enum, auto
from time import perf_counter
from typing import TYPE_CHECKING, Final

from wirebroker.protocol.api import API
from wirebroker.protocol.faults import ForeignProtocolError, ProtocolError
from wirebroker.protocol.frames import BufferPool, FrameReceiver
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.server.dispatch import read_request, serve
from wirebroker.server.sending import PeerStalled, send_answers

if TYPE_CHECKING:
    from collections.abc import Callable

    import trio

    from wirebroker.handlers.context import RequestContext

logger = logging.getLogger(__name__)

TURN_S: Final = 0.001
"""How long one connection is served before others are; a guess between a 1 MB batch (0.4 ms) and what a p99 notices."""
_BUSY_BYTES: Final = 64 * 1024
"""After this much in one receive more is probably waiting: receive again before polling the socket."""
_ANSWERS_BYTES: Final = 256 * 1024
"""Collected answers are sent at the latest when they reach this size."""


class Served(Enum):
    """What `Connection.serve_ready` leaves behind."""

    ALL = auto()
    """Nothing: the next bytes of the peer are waited for."""
    SOME = auto()
    """Requests that have come; it was the turn of others."""
    GONE = auto()
    """A connection that has to be closed."""


class Connection:
    """One accepted socket, which must be non-blocking; a `Processor` says when it can be read."""

    def __init__(
        self,
        sock: socket.socket,
        context: RequestContext,
        pool: BufferPool,
        limit_bytes: int,
        patience_s: float = 600.0,
        on_closed: Callable[[], None] | None = None,
        on_foreign: Callable[[str, str], None] | None = None,
    ) -> None:
        """Nothing is read yet.

        Args:
            patience_s: a peer that takes nothing of its answer for so long is hung up on.
            on_closed: called once when the socket has been closed.
            on_foreign: called with a peer and the protocol that it speaks instead of Kafka's.
        """
        self.fd = sock.fileno()
        self._sock = sock
        self._context = context
        self._receiver = FrameReceiver(pool, limit_bytes)
        self._out = WireBuffer()
        self._patience_s = patience_s
        self._on_closed = on_closed
        self._on_foreign = on_foreign
        self._behind = False  # whole requests are in the receiver
        self._sending = False
        self._serving = False  # a request that may wait for long
        self.last_active = perf_counter()
        self.closing = False
        """Leave instead of waiting for another request."""

        # How the processor stands with the connection:
        self.idle = True
        """Nothing that has come is unanswered: it may be closed without breaking a promise."""
        self.waits = False
        """A worker stays with it until its request is served, and its socket is not polled."""
        self.scope: trio.CancelScope | None = None
        """The scope of that worker."""
        self.was_reset = False
        """The peer has reset it in the meantime; the socket is not watched any more."""

    async def serve_ready(self) -> Served:
        """Answer what the peer has sent; never raises for what a peer does."""
        try:
            ends = perf_counter() + TURN_S
            sock, receiver, out, context = self._sock, self._receiver, self._out, self._context
            log_requests = logger.isEnabledFor(logging.DEBUG)
            started, size_bytes, count = 0.0, 0, 0
            while True:
                if self._behind:
                    self._behind = False
                else:
                    count = sock.recv_into(receiver.space())
                    if not count:
                        return Served.GONE
                    receiver.received(count)
                while (frame := receiver.next_frame()) is not None:
                    request = read_request(frame, context, out)
                    if request is None:
                        continue
                    if log_requests:
                        started, size_bytes = perf_counter(), len(frame)
                    if request.route.quick:
                        await serve(request, context, out)
                        if log_requests:
                            self._log_request(size_bytes, started)
                        if len(out) < _ANSWERS_BYTES and perf_counter() < ends:
                            continue
                    else:
                        if out and not self.flush():
                            await self._send()
                        # This may wait for minutes, and the decoded request needs no bytes of the buffer.
                        frame = None
                        receiver.rest()
                        self._serving = True
                        await serve(request, context, out)
                        self._serving = False
                        if log_requests:
                            self._log_request(size_bytes, started)
                    if out and not self.flush():
                        await self._send()
                    if perf_counter() >= ends:
                        self._behind = True
                        return Served.SOME
                if out and not self.flush():
                    await self._send()
                if count < _BUSY_BYTES or perf_counter() >= ends:
                    receiver.rest()
                    return Served.GONE if self.closing else Served.ALL
        except BlockingIOError:
            self._receiver.rest()
            return Served.GONE if self.closing else Served.ALL
        except (ProtocolError, PeerStalled) as fault:
            if isinstance(fault, ForeignProtocolError) and self._on_foreign is not None:
                self._on_foreign(self._context.client_host, fault.protocol)
                return Served.GONE
            logger.warning(
                "peer=%s client_id=%s: closing: %s", self._context.client_host, self._context.client_id, fault
            )
        except (ConnectionError, TimeoutError) as fault:
            logger.debug("peer=%s: gone: %s", self._context.client_host, fault)
        except Exception:
            logger.exception("peer=%s: connection failed", self._context.client_host)
        return Served.GONE

    def _log_request(self, size_bytes: int, started: float) -> None:
        context = self._context
        logger.debug(
            "api=%s version=%d client_id=%s peer=%s size_bytes=%d: served in %.3f ms",
            API[context.api_key].name,
            context.version,
            context.client_id,
            context.client_host,
            size_bytes,
            (perf_counter() - started) * 1000,
        )

    async def _send(self) -> None:
        self._sending = True  # what is left of the answers belongs to send_answers
        try:
            await send_answers(self._sock, self._out, self._patience_s)
        finally:
            self._sending = False

    def flush(self) -> bool:
        """Send what the socket takes now of the answers that are ready; True if nothing is left."""
        out = self._out
        if not out:
            return True
        if self._sending or out.detached:
            return False
        try:
            sent = self._sock.send(out)
        except OSError:  # no room, or the peer has gone, which whoever sends or receives next will notice
            return False
        if sent == len(out):
            out.clear()
            return True
        del out[:sent]
        return False

    def abandon(self) -> None:
        """Give up a request that may wait for long; any other is served to its end."""
        if self._serving and self.scope is not None:
            self.scope.cancel()

    def is_abandoned(self) -> bool:
        """Whether the peer has left while a request of it waits (a long poll with nobody at its end)."""
        if not self._serving:
            return False
        try:
            return self._sock.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def log_idle(self) -> None:
        """Say why a silent connection is closed: half a frame is worth a line, silence is not."""
        if self._receiver.unread_bytes:
            logger.warning(
                "peer=%s client_id=%s: closing: half a frame, and nothing since",
                self._context.client_host,
                self._context.client_id,
            )

    def close(self) -> None:
        """Hang up."""
        self._receiver.close()
        self._sock.close()
        if self._on_closed is not None:
            self._on_closed()
