"""HttpServer: a small HTTP/1.1 server for metrics and health, bounded in everything that a peer decides.

GET only; a request has no body, a header of at most MAX_HEADER_BYTES, and REQUEST_S to come.  Further connections than
MAX_CONNECTIONS are closed at once.  A connection stays open for the next request, as Prometheus wants it.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

logger = logging.getLogger(__name__)

MAX_HEADER_BYTES: Final = 8 * 1024
MAX_CONNECTIONS: Final = 32
REQUEST_S: Final = 10.0
"""For a request to come; idle connections are closed after IDLE_S."""
IDLE_S: Final = 120.0
RESPONSE_S: Final = 30.0
"""For a response to be taken by the peer."""
SEND_BYTES: Final = 128 * 1024
"""Pieces of a response are put together to this size before they are sent."""
_END: Final = b"\r\n\r\n"
_BACKLOG: Final = 16


class HttpResponse(NamedTuple):
    """The answer to a request."""

    status: HTTPStatus
    body: Sequence[bytes]
    """In pieces, so that the whole of a large one need not be copied at once."""
    content_type: str = "text/plain; charset=utf-8"


class HttpRefusal(Exception):
    """A request that is answered with an error, after which the connection is closed."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class HttpServer:
    """Answers requests with `handle(path)`."""

    def __init__(self, handle: Callable[[str], Awaitable[HttpResponse]]) -> None:
        self._handle = handle
        self._connections = 0
        self._listeners: list[trio.SocketListener] = []
        self.port = 0

    async def open(self, host: str, port: int) -> None:
        """Listen on an address.

        Raises:
            OSError: it is in use, or not this machine's.
        """
        self._listeners = await trio.open_tcp_listeners(port, host=host or None, backlog=_BACKLOG)
        self.port = int(self._listeners[0].socket.getsockname()[1])

    async def serve(self) -> None:
        """Serve until cancelled."""
        try:
            await trio.serve_listeners(self._serve_connection, self._listeners)
        finally:
            for listener in self._listeners:
                listener.socket.close()

    async def _serve_connection(self, stream: trio.SocketStream) -> None:
        if self._connections >= MAX_CONNECTIONS:
            return  # serve_listeners closes it
        self._connections += 1
        try:
            await self._serve_requests(stream)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the peer has gone
        except Exception:
            logger.exception("a request for metrics failed")
        finally:
            self._connections -= 1

    async def _serve_requests(self, stream: trio.abc.Stream) -> None:
        received = bytearray()
        while True:
            try:
                header = await _receive_header(stream, received)
                if header is None:
                    return
                path, keep_alive = parse_header(header)
                response = await self._handle(path)
            except HttpRefusal as refusal:
                body = f"{refusal.status.phrase}\n".encode()
                response, keep_alive = HttpResponse(refusal.status, [body]), False
            with trio.move_on_after(RESPONSE_S) as scope:
                for data in encode(response, keep_alive=keep_alive):
                    await stream.send_all(data)
            if scope.cancelled_caught or not keep_alive:
                return


async def _receive_header(stream: trio.abc.Stream, received: bytearray) -> bytes | None:
    """Return the next header, without its end; None if the peer has closed the connection, or sends none.

    Raises:
        HttpRefusal: it is too long, or does not come to its end in time.
    """
    if not received:
        with trio.move_on_after(IDLE_S):
            received += await stream.receive_some(MAX_HEADER_BYTES)
        if not received:
            return None
    with trio.move_on_after(REQUEST_S):
        while (end := received.find(_END)) < 0:
            if len(received) > MAX_HEADER_BYTES:
                raise HttpRefusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
            more = await stream.receive_some(MAX_HEADER_BYTES)
            if not more:
                return None
            received += more
        header = bytes(received[:end])
        del received[: end + len(_END)]
        return header
    raise HttpRefusal(HTTPStatus.REQUEST_TIMEOUT)


def parse_header(header: bytes) -> tuple[str, bool]:
    """Return the path of a request, without its query, and whether the connection stays open.

    Raises:
        HttpRefusal: it is no GET, has a body, or is not HTTP/1.
    """
    first, *rest = header.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or words[2] not in ("HTTP/1.0", "HTTP/1.1") or not words[1].startswith("/"):
        raise HttpRefusal(HTTPStatus.BAD_REQUEST)
    if words[0] != "GET":
        raise HttpRefusal(HTTPStatus.METHOD_NOT_ALLOWED)
    fields = {name.strip().lower(): value.strip().lower() for name, _, value in (line.partition(":") for line in rest)}
    if "transfer-encoding" in fields or fields.get("content-length", "0") != "0":
        raise HttpRefusal(HTTPStatus.BAD_REQUEST)
    keep_alive = words[2] == "HTTP/1.1" and fields.get("connection") != "close"
    return words[1].partition("?")[0], keep_alive


def encode(response: HttpResponse, *, keep_alive: bool) -> Iterator[bytes]:
    """Yield the bytes of a response, SEND_BYTES or a little more at a time."""
    status = response.status
    lines = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        f"Content-Type: {response.content_type}",
        f"Content-Length: {sum(map(len, response.body))}",
        "Cache-Control: no-store",
    ]
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        lines.append("Allow: GET")
    if not keep_alive:
        lines.append("Connection: close")
    pieces = ["\r\n".join(lines).encode("latin-1"), _END]
    size_bytes = 0
    for piece in response.body:
        pieces.append(piece)
        size_bytes += len(piece)
        if size_bytes >= SEND_BYTES:
            yield b"".join(pieces)
            pieces, size_bytes = [], 0
    if pieces:
        yield b"".join(pieces)
