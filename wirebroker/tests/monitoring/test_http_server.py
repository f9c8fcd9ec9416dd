"""The HTTP server of metrics: what it answers, refuses and limits."""

from __future__ import annotations

from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from wirebroker.monitoring.http_server import (
    MAX_CONNECTIONS,
    MAX_HEADER_BYTES,
    REQUEST_S,
    HttpRefusal,
    HttpResponse,
    HttpServer,
    parse_header,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    Server = tuple[HttpServer, trio.testing.MockClock]


async def echo(path: str) -> HttpResponse:
    if path == "/fails":
        raise ValueError(path)
    return HttpResponse(HTTPStatus.OK, [path.encode()])


@asynccontextmanager
async def serving() -> AsyncIterator[HttpServer]:
    server = HttpServer(echo)
    await server.open("127.0.0.1", 0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.serve)
        yield server
        nursery.cancel_scope.cancel()


async def receive_all(stream: trio.abc.Stream) -> bytes:
    data = b""
    async for piece in stream:
        data += piece
    return data


async def ask(server: HttpServer, request: bytes) -> bytes:
    async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
        await stream.send_all(request)
        return await receive_all(stream)


async def test_requests_of_one_connection_are_answered_in_their_order() -> None:
    async with serving() as server:
        found = await ask(server, b"GET /a?x=1 HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\nConnection: close\r\n\r\n")
    first, _, second = found.partition(b"/a")
    assert first.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"Content-Length: 2\r\n" in first
    assert second.endswith(b"Connection: close\r\n\r\n/b")


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"POST / HTTP/1.1\r\n\r\n", b"405"),
        (b"HEAD / HTTP/1.1\r\n\r\n", b"405"),
        (b"GET / HTTP/2\r\n\r\n", b"400"),
        (b"GET  HTTP/1.1\r\n\r\n", b"400"),
        (b"GET http://x/ HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n12345", b"400"),
        (b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * MAX_HEADER_BYTES, b"431"),
    ],
)
async def test_a_request_that_is_refused_closes_its_connection(request_bytes: bytes, status: bytes) -> None:
    async with serving() as server, await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
        await stream.send_all(request_bytes[: MAX_HEADER_BYTES + 100])
        found = b""
        try:
            async for piece in stream:
                found += piece
        except trio.BrokenResourceError:
            pass  # it was closed with bytes of ours unread
    assert found.startswith(b"HTTP/1.1 " + status)


async def test_a_handler_that_fails_ends_its_connection_only(caplog: pytest.LogCaptureFixture) -> None:
    async with serving() as server:
        assert await ask(server, b"GET /fails HTTP/1.1\r\n\r\n") == b""
        assert (await ask(server, b"GET /b HTTP/1.0\r\n\r\n")).endswith(b"/b")
    assert [record.message for record in caplog.records] == ["a request for metrics failed"]


async def test_connections_beyond_the_limit_are_closed() -> None:
    async with serving() as server, trio.open_nursery():
        streams = [await trio.open_tcp_stream("127.0.0.1", server.port) for _ in range(MAX_CONNECTIONS)]
        for stream in streams:  # all of them are being served
            await stream.send_all(b"GET /x HTTP/1.1\r\n\r\n")
            assert (await stream.receive_some()).endswith(b"/x")
        assert await ask(server, b"") == b""
        await streams[0].aclose()
        for stream in streams:
            await stream.aclose()
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert (await ask(server, b"GET /y HTTP/1.0\r\n\r\n")).endswith(b"/y")


async def test_half_a_request_is_given_up(autojump_clock: trio.testing.MockClock) -> None:
    ours, theirs = trio.testing.memory_stream_pair()
    server = HttpServer(echo)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server._serve_requests, theirs)
        await ours.send_all(b"GET / HTTP/1.1\r\n")
        began = trio.current_time()
        assert (await ours.receive_some()).startswith(b"HTTP/1.1 408")
        assert trio.current_time() - began == pytest.approx(REQUEST_S)


def test_a_connection_stays_open_unless_somebody_says_otherwise() -> None:
    assert parse_header(b"GET /m HTTP/1.1\r\nHost: x") == ("/m", True)
    assert parse_header(b"GET /m?a=b HTTP/1.1\r\nconnection: Close") == ("/m", False)
    assert parse_header(b"GET /m HTTP/1.0") == ("/m", False)
    with pytest.raises(HttpRefusal):
        parse_header(b"")
