"""ClientChannel: the connection of a simulated client to one broker, for all requests that clients send."""

from __future__ import annotations

from contextlib import suppress
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, cast

import trio

from tools.codegen import codecs
from wirebroker.client.broker_channel import ChannelError
from wirebroker.protocol.api import API
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.headers import read_response_header, write_request_header

if TYPE_CHECKING:
    from wirebroker.protocol.message import Message
    from wirebroker.tests.simulation.network import SimulatedSocket

_INT32: Final = Struct(">i")


class ClientChannel:
    """Sends one request at a time, and connects when there is no connection; brokers have no codec for most of them."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._socket: SimulatedSocket | None = None
        self._correlation_id = 0

    async def send(self, request: Message, version: int, timeout_s: float = 3.0) -> Any:
        """Return the response.  Raises ChannelError; the request may have had its effect all the same."""
        with trio.move_on_after(timeout_s):
            try:
                return await self._exchange(request, version)
            except (OSError, ProtocolError, trio.ClosedResourceError) as fault:
                self._disconnect()
                raise ChannelError(f"{self._host}: {fault}") from fault
            except BaseException:
                self._disconnect()
                raise
        raise ChannelError(f"{self._host} does not respond")

    def _disconnect(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.close()
            self._socket = None

    async def _exchange(self, request: Message, version: int) -> Any:
        if self._socket is None:
            self._socket = await _connected(self._host, self._port)
        connection = self._socket
        self._correlation_id += 1
        out = bytearray(_INT32.size)
        write_request_header(out, request.API_KEY, version, self._correlation_id, "client")
        codecs.write(request, out, version)
        _INT32.pack_into(out, 0, len(out) - _INT32.size)
        await connection.send(bytes(out))
        frame = memoryview(await _receive(connection))[_INT32.size :]
        correlation_id, at = read_response_header(frame, request.API_KEY, version)
        if correlation_id != self._correlation_id:
            raise ProtocolError(f"response to request {correlation_id}, expected {self._correlation_id}")
        return codecs.read(API[request.API_KEY].load()[1], frame, at, version)[0]


async def _receive(connection: SimulatedSocket) -> bytearray:
    """Return the only response that is under way, with its size in front."""
    frame = bytearray()
    while len(frame) < _INT32.size or len(frame) < _INT32.size + _INT32.unpack_from(frame)[0]:
        more = await connection.receive()
        if not more:
            raise OSError("the connection was closed")
        frame += more
    return frame


async def _connected(host: str, port: int) -> SimulatedSocket:
    stream: Any = await trio.open_tcp_stream(host, port)  # the simulation's
    return cast("SimulatedSocket", stream.socket)
