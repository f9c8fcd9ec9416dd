"""BrokerChannel: a connection to another broker of the cluster, for trio: one request in flight, reconnected on demand.

Requests between brokers have versions that `inter.broker.protocol.version` fixes (`config/inter_broker_protocol.py`),
and no ApiVersions goes before them; `send_negotiated` is for the few that follow ApiVersions.  PLAINTEXT only.
"""

from __future__ import annotations

import socket
from contextlib import contextmanager
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import trio

from wirebroker.client.channel_socket import ChannelSocket
from wirebroker.protocol.api import API
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.headers import read_response_header, write_request_header
from wirebroker.protocol.message import ReadableMessage
from wirebroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from wirebroker.model import BrokerEndpoint
    from wirebroker.protocol.message import WritableMessage

_INT32: Final = Struct(">i")
_PREFIX: Final = _INT32.size
_API_KEY: Final = Struct(">h")
_CORRELATION_ID_AT: Final = 8
"""Behind the size of the frame, the API key and the version."""
_LARGEST_RESPONSE: Final = 0x15000000
"""352 MB, above any response to a follower, and below the first bytes of TLS or HTTP as an int32."""
_LARGEST_HEADER: Final = 64
"""More than the size and the header of a response that has no tagged fields in the header; there are none."""
_BUFFER: Final = 64 << 10
"""First size of the receive buffer."""
STREAM_BUFFER: Final = 1280 << 10
"""Size of the buffer for a response that is received in pieces: room for the largest batch of the default settings.

A piece is still in the processor's cache when it is written to a log.
"""
_SMALL_RESPONSES: Final = 64
"""Responses in a row that fit the first size after which a larger buffer is given back."""
FIRST_BACKOFF_S: Final = 0.05
LAST_BACKOFF_S: Final = 1.0


class ChannelError(Exception):
    """Another broker cannot be reached, or did not answer a request; the message names it and the reason."""


class UnsupportedVersionError(ChannelError):
    """Another broker serves a request at no version that this one would send."""


class ChannelSettings(NamedTuple):
    """The settings of a channel."""

    client_id: str
    """In the header of each request, and so in the other broker's request log and quotas."""
    request_timeout_s: float
    """How long a request may take, with connecting: ``replica.socket.timeout.ms`` or ``request.timeout.ms``."""
    receive_buffer_bytes: int = -1
    """SO_RCVBUF at least; a buffer that the system gives a connection anyway (-1: any) is left to the system.

    The system lets such a buffer grow with the connection: a follower that gets 1 MB at a time takes a quarter less
    processor time than with the 64 kB of Kafka's default for good.
    """
    longest_backoff_s: float = LAST_BACKOFF_S
    """The longest pause between attempts to connect."""


async def open_socket(endpoint: BrokerEndpoint) -> trio.socket.SocketType:
    """Return a connected socket.  Raises OSError."""
    stream = await trio.open_tcp_stream(endpoint.host, endpoint.port)
    return stream.socket


class BrokerChannel:
    """The connection of one task to one broker.  A second task that sends meanwhile gets trio.BusyResourceError."""

    def __init__(
        self,
        endpoint: BrokerEndpoint,
        settings: ChannelSettings,
        connect: Callable[[BrokerEndpoint], Awaitable[trio.socket.SocketType]] = open_socket,
    ) -> None:
        """Nothing is connected yet; the first request does that.

        Args:
            endpoint: The broker.
            settings: Client id, timeout and buffer.
            connect: Returns a connected socket, or raises OSError.
        """
        self.endpoint = endpoint
        self.name = f"broker {endpoint.node_id} ({endpoint.host}:{endpoint.port})"
        """The broker, for messages."""
        self.request_timeout_s = settings.request_timeout_s
        self._settings = settings
        self._connect = connect
        self._socket: ChannelSocket | None = None
        self._served: dict[int, tuple[int, int]] | None = None
        """API key -> lowest and highest version of the connected broker; None before ApiVersions."""
        self._correlation_id = 0
        self._buffer = bytearray(_BUFFER)
        self._small_responses = 0
        self.missing_bytes = 0
        """The bytes of a response that are not received yet, see `exchange`; 0 if there is none, or it is complete."""
        self._backoff_s = 0.0
        self._retry_at = 0.0
        self._is_busy = False
        self._received = 0
        """The bytes of the response in flight that `try_receive` has put into the buffer."""
        self._is_closed = False

    @property
    def is_connected(self) -> bool:
        """Whether a connection is open; the other broker may have closed its end."""
        return self._socket is not None

    async def send(self, request: WritableMessage, version: int, *, is_large: bool = False) -> Any:
        """Send *request* at *version* and return the response; connect first if there is no connection.

        After a failed attempt the next one waits, up to a second.  A request that fails in any way, also by
        cancellation, closes the connection: a later response must not be taken for that of another request.
        A large request, which nobody may change meanwhile, is encoded in a thread, and its response decoded there.

        Records in the response are views of the receive buffer, which the next request overwrites.

        Raises:
            ChannelError: the broker was not reached, did not answer in time, or answered something else.
        """
        with trio.move_on_after(self.request_timeout_s):
            if is_large:
                out = await trio.to_thread.run_sync(self.encode, request, version)
            else:
                out = self.encode(request, version)
            frame, at = await self.exchange(out, request.API_KEY, version)
            _, response_class = API[request.API_KEY].load()
            assert issubclass(response_class, ReadableMessage)
            try:
                if is_large:
                    return (await trio.to_thread.run_sync(response_class.read, frame, at, version))[0]
                return response_class.read(frame, at, version)[0]
            except ProtocolError as fault:
                raise self.failed(request.API_KEY, fault) from fault
        raise self.timed_out(request.API_KEY)

    def encode(self, request: WritableMessage, version: int) -> bytearray:
        """Return the frame of *request*, for `exchange`, which sets its correlation id."""
        out = bytearray(_PREFIX)
        write_request_header(out, request.API_KEY, version, 0, self._settings.client_id)
        request.write(out, version)
        _INT32.pack_into(out, 0, len(out) - _PREFIX)
        return out

    async def exchange(
        self, request: bytearray, api_key: int, version: int, whole_up_to: int = _LARGEST_RESPONSE
    ) -> tuple[memoryview, int]:
        """Send a frame of `encode` and return the response's frame and where its body begins; connect first if needed.

        The same as `send`, without a limit of time: the caller cancels it.  Of a response of more than *whole_up_to*
        bytes only the beginning is returned, and `missing_bytes` says how many follow: see `receive_more`.

        Raises:
            ChannelError: the broker was not reached, or answered something else.
        """
        if self._is_busy:
            raise trio.BusyResourceError(f"another request to {self.name} is in flight")
        if self.missing_bytes:  # nobody will receive them
            self._disconnect()
        with self._in_flight(api_key):
            connection = self._socket
            if connection is None:
                connection = await self._open()
            self._correlation_id = sent_id = (self._correlation_id + 1) & 0x7FFFFFFF
            _INT32.pack_into(request, _CORRELATION_ID_AT, sent_id)
            sent = await connection.send(request)
            if sent < len(request):
                unsent = memoryview(request)[sent:]
                while unsent:
                    unsent = unsent[await connection.send(unsent) :]
            frame = await self._receive(connection, whole_up_to)
            return frame, self._body_at(frame, api_key, version)

    @contextmanager
    def _in_flight(self, api_key: int) -> Iterator[None]:
        """Let nobody else send; close the connection if the body fails, whose response may come later.

        Raises:
            ChannelError: instead of an error of the connection or of the protocol.
        """
        self._is_busy = True
        try:
            yield
        except (OSError, ProtocolError, trio.ClosedResourceError) as fault:
            raise self.failed(api_key, fault) from fault
        except BaseException:
            self._disconnect()
            raise
        finally:
            self._is_busy = False

    def _body_at(self, frame: memoryview, api_key: int, version: int) -> int:
        """Return where the body begins in *frame*, the response to the last request.  Raises ProtocolError."""
        correlation_id, at = read_response_header(frame, api_key, version)
        if correlation_id != self._correlation_id:
            raise ProtocolError(f"response to request {correlation_id}, expected {self._correlation_id}")
        return at

    # -- the steps of `exchange` one by one, for a caller that waits for the socket elsewhere

    @property
    def fd(self) -> int:
        """The descriptor of the connection; -1 if there is none."""
        return -1 if self._socket is None else self._socket.fileno()

    def try_send(self, request: bytearray) -> bool:
        """Send a frame of `encode` without a wait, on the open connection; return False if `exchange` has to do that.

        The response is for `try_receive`, and after that for `receive_rest`; `abandon` gives it up.

        Raises:
            ChannelError: only a part was sent.
        """
        connection = self._socket
        if connection is None or self._is_busy or self.missing_bytes:
            return False
        self._correlation_id = sent_id = (self._correlation_id + 1) & 0x7FFFFFFF
        _INT32.pack_into(request, _CORRELATION_ID_AT, sent_id)
        try:
            sent = connection.send_now(request)
        except OSError:  # which another attempt will meet, too, unless there is no room
            return False
        if sent < len(request):
            (api_key,) = _API_KEY.unpack_from(request, _PREFIX)
            raise self.failed(api_key, OSError(f"sent {sent} of {len(request)} bytes"))
        self._is_busy, self._received = True, 0
        return True

    def try_receive(self, api_key: int, version: int) -> tuple[memoryview, int] | None:
        """Return the response to the request of `try_send` as `exchange` does; None if `receive_rest` has to do that.

        Then it is not there yet, or not as a whole, or it is large.

        Raises:
            ChannelError: the connection was closed, or this is another response.
        """
        connection = self._socket
        try:
            if connection is None:
                raise OSError("the connection was closed")
            view = memoryview(self._buffer)
            try:
                self._received = count = connection.recv_now(view)
            except BlockingIOError:
                return None
            if not count:
                raise OSError("the connection was closed by the other broker")
            if count < 2 * _PREFIX or _INT32.unpack_from(view)[0] != count - _PREFIX or count > _BUFFER:
                return None
            if len(view) > _BUFFER:
                self._keep(view, count)
            self._is_busy = False
            frame = view[_PREFIX:count]
            return frame, self._body_at(frame, api_key, version)
        except (OSError, ProtocolError) as fault:
            self._is_busy = False
            raise self.failed(api_key, fault) from fault

    async def receive_rest(
        self, api_key: int, version: int, whole_up_to: int = _LARGEST_RESPONSE
    ) -> tuple[memoryview, int]:
        """Return the response to the request of `try_send`, as `exchange` does, after a `try_receive` that did not.

        Raises:
            ChannelError: the connection was closed, or this is another response.
        """
        with self._in_flight(api_key):
            if self._socket is None:
                raise OSError("the connection was closed")
            frame = await self._receive(self._socket, whole_up_to, self._received)
            return frame, self._body_at(frame, api_key, version)

    def abandon(self) -> None:
        """Give up the response to the request of `try_send`: the connection is closed."""
        self._is_busy = False
        self._disconnect()

    async def receive_more(self, unread: memoryview, limit: int, api_key: int) -> memoryview:
        """Receive a piece of a response of which `missing_bytes` are missing; return *unread* and the bytes behind it.

        *unread* is the end of what was returned before, and no view of it means anything afterwards.  At most *limit*
        bytes are received, and all of them if there is room in a buffer of STREAM_BUFFER.

        Raises:
            ChannelError: the connection was closed.
        """
        connection = self._socket
        kept, missing = len(unread), self.missing_bytes
        assert missing
        if self._is_busy:
            raise trio.BusyResourceError(f"another request to {self.name} is in flight")
        with self._in_flight(api_key):
            if connection is None:
                raise OSError("the connection was closed")
            view = memoryview(self._buffer)
            room = STREAM_BUFFER if 2 * kept <= STREAM_BUFFER else 2 * kept  # a batch of any size fits at last
            if len(view) < room:
                view = memoryview(bytearray(room))
            view[:kept] = unread
            end = min(kept + min(missing, limit), len(view))
            received = await connection.recv_many_into(view[kept:end], end - kept)
            if received < end - kept:
                raise OSError("the connection was closed by the other broker")
            self.missing_bytes = missing - received
            if not self.missing_bytes:
                connection.set_low_watermark(1)
            self._keep(view, end)
            return view[:end]

    def failed(self, api_key: int, fault: Exception) -> ChannelError:
        """Close the connection, whose response cannot be used, and return the error to raise."""
        self._disconnect()
        return ChannelError(f"{API[api_key].name}Request to {self.name} failed: {fault}")

    def timed_out(self, api_key: int) -> ChannelError:
        """Close the connection, whose response did not come in time, and return the error to raise."""
        self._disconnect()
        seconds = f"{self.request_timeout_s:g} s"
        return ChannelError(f"{self.name} did not respond to {API[api_key].name}Request within {seconds}")

    async def send_negotiated(self, request: WritableMessage, highest: int | None = None, *, lowest: int = 0) -> Any:
        """Send *request* at the newest version that both brokers know, and return the response.

        Raises:
            UnsupportedVersionError: there is no common version from *lowest* to *highest*.
            ChannelError: as `send`.
        """
        while self._served is None or self._socket is None:
            response: ApiVersionsResponse = await self.send(ApiVersionsRequest(), 0)
            self._served = {entry.api_key: (entry.min_version, entry.max_version) for entry in response.api_keys}
        low, high = self._served.get(request.API_KEY, (0, -1))
        ours = request.VERSIONS
        version = min(high, ours[-1], ours[-1] if highest is None else highest)
        if version < max(low, ours[0], lowest):
            raise UnsupportedVersionError(
                f"{self.name} does not serve {API[request.API_KEY].name} at a version known here"
            )
        return await self.send(request, version)

    def close(self) -> None:
        """Close the connection for good; a request in flight fails with a ChannelError."""
        self._is_closed = True
        self._disconnect()

    async def _open(self) -> ChannelSocket:
        if self._is_closed:
            raise OSError("the channel is closed")
        await trio.sleep_until(self._retry_at)
        self._backoff_s = min(self._backoff_s * 2 or FIRST_BACKOFF_S, self._settings.longest_backoff_s)
        self._retry_at = trio.current_time() + self._backoff_s
        connection = await self._connect(self.endpoint)
        if self._is_closed:
            connection.close()
            raise OSError("the channel is closed")
        if connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        wanted = self._settings.receive_buffer_bytes
        if wanted > 0 and 2 * wanted > connection.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF):  # Linux doubles it
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, wanted)
        opened = self._socket = ChannelSocket(connection)
        return opened

    async def _receive(self, connection: ChannelSocket, whole_up_to: int, count: int = 0) -> memoryview:
        """Return the next frame without its size, as a view of the receive buffer; the beginning of a larger one.

        Every byte that comes is part of it, as one request is in flight; *count* of them have come.
        """
        view = memoryview(self._buffer)
        received, end = 0, _PREFIX
        while received < end:
            if received or not count:
                count = await connection.recv_into(view[received:] if received else view)
            if not received and count >= 2 * _PREFIX and _INT32.unpack_from(view)[0] == count - _PREFIX < _BUFFER:
                received = end = count  # most responses are small, and come at once
                break
            if not count:
                raise OSError("the connection was closed by the other broker")
            if received < _PREFIX <= received + count:
                end = _PREFIX + self._response_size(view)
                if end > whole_up_to:
                    self.missing_bytes = end
                    end = _LARGEST_HEADER
                elif end > len(view):
                    larger = memoryview(bytearray(max(end, 2 * len(view))))
                    larger[: received + count] = view[: received + count]
                    view = larger
            received += count
        if self.missing_bytes and received <= self.missing_bytes:
            self.missing_bytes -= received
            end = received
        elif received > end:
            raise ProtocolError(f"{received - (self.missing_bytes or end)} bytes behind the response")
        self._backoff_s = self._retry_at = 0.0
        self._keep(view, end)
        return view[_PREFIX:end]

    def _response_size(self, view: memoryview) -> int:
        size: int = _INT32.unpack_from(view)[0]
        if not _PREFIX <= size <= _LARGEST_RESPONSE:
            raise ProtocolError(f"response of {size} bytes: that port does not speak Kafka's protocol without TLS")
        return size

    def _keep(self, view: memoryview, used: int) -> None:
        """Receive the next response into the buffer of *view*, or into a small one if the last ones were small."""
        self._small_responses = self._small_responses + 1 if used <= _BUFFER else 0
        if len(view) > _BUFFER and self._small_responses >= _SMALL_RESPONSES:
            self._buffer = bytearray(_BUFFER)
        else:
            buffer = view.obj
            assert isinstance(buffer, bytearray)
            self._buffer = buffer

    def _disconnect(self) -> None:
        self._served = None
        self.missing_bytes = 0
        if self._socket is not None:
            self._socket.close()
            self._socket = None
