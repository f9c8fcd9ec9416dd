"""Serves the requests of simulated connections with the product's codecs, routes, handlers and fast paths.

It stands for the product's listener and processor, which drive sockets of the operating system.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.handlers.context import RequestContext
from wirebroker.metrics.request_metrics import RequestCounter
from wirebroker.protocol.api import API
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.server.delayed_responses import DelayedResponses
from wirebroker.server.dispatch import read_request, serve
from wirebroker.tests.simulation.network import SimulatedSocket

if TYPE_CHECKING:
    from wirebroker.handlers.context import Services
    from wirebroker.tests.simulation.trace import Trace

_INT32: Final = Struct(">i")


class SimulatedListener:
    """Accepts connections to one broker."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._send, self._receive = trio.open_memory_channel[SimulatedSocket](1000)

    def accept(self, sock: SimulatedSocket) -> None:
        """Take a connection, to be served when the process runs."""
        self._send.send_nowait(sock)

    async def serve(self, services: Services, connections: trio.Nursery) -> None:
        """Serve each connection in a task of *connections*, until cancelled."""
        async for sock in self._receive:
            connections.start_soon(self._serve_connection, services, sock)

    async def _serve_connection(self, services: Services, sock: SimulatedSocket) -> None:
        connection = _Connection(services, sock, self._trace)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(connection.send_delayed)
            try:
                await connection.serve()
            except (OSError, trio.ClosedResourceError):
                pass  # the peer has gone
            except ProtocolError as fault:
                self._trace.note(f"closing the connection of {sock.link[1]}: {fault}")
            finally:
                connection.close()
            nursery.cancel_scope.cancel()


class _Connection:
    """One connection; its requests are served one after the other, and delayed responses leave in their order."""

    def __init__(self, services: Services, sock: SimulatedSocket, trace: Trace) -> None:
        self._sock, self._trace = sock, trace
        self._context = RequestContext(
            services, local_host=sock.link[0], client_host=sock.link[1], routes=services.routes
        )
        self._context.holds_responses = True
        self._out = WireBuffer()
        self._responses = DelayedResponses(self._out)
        self._is_ready = trio.Event()
        self._has_sent = trio.Event()
        self._responses.on_ready = lambda: self._is_ready.set()

    async def serve(self) -> None:
        """Serve until the peer ends the connection.  Raises OSError, ProtocolError."""
        received = bytearray()
        while more := await self._sock.receive():
            received += more
            while len(received) >= _INT32.size:
                end = _INT32.size + _INT32.unpack_from(received)[0]
                if len(received) < end:
                    break
                frame = received[_INT32.size : end]
                del received[:end]
                await self._serve(frame)
                while self._responses.is_full:
                    await self._has_sent.wait()
                    self._has_sent = trio.Event()
        if received:
            raise OSError("the connection ends within a request")

    async def _serve(self, frame: bytearray) -> None:
        context, responses = self._context, self._responses
        if context.serve_known is not None and responses.rewind():
            served = context.serve_known(memoryview(frame), context, self._out)
            if served is not None:
                self._trace.note(f"{API[context.api_key].name} v{context.version} from {self._sock.link[1]}, known")
                if not isinstance(served, RequestCounter):
                    responses.served(served)
                self._flush()
                return
        tail = responses.tail
        request = read_request(memoryview(frame), context, tail)
        delayed = None
        if request is not None:
            self._trace.note(f"{API[context.api_key].name} v{context.version} from {self._sock.link[1]}")
            if request.route.remember is not None:
                request.route.remember(context, memoryview(frame), request.body)
            delayed = await serve(request, context, tail)
        if delayed is not None or tail is not self._out:
            responses.served(delayed)
        context.throttle_ms = 0
        self._flush()

    async def send_delayed(self) -> None:
        """Send delayed responses that are complete, until cancelled."""
        while True:
            await self._is_ready.wait()
            self._is_ready = trio.Event()
            try:
                self._responses.move_completed()
                self._flush()
                self._has_sent.set()
            except (OSError, trio.ClosedResourceError, ProtocolError):
                self._sock.close()

    def close(self) -> None:
        """Give up the responses that wait."""
        self._responses.close()
        self._sock.close()

    def _flush(self) -> None:
        if self._out:
            self._sock.send_nowait(self._out.joined())
            self._out.detached.clear()
            self._out.clear()
