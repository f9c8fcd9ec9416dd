"""Connection: responses in the order of requests, and the faults for which a connection, and no other, is closed."""

from __future__ import annotations

import logging
import math
import re
import socket
from struct import pack, unpack
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
import trio

from wirebroker.handlers.context import RequestContext, Services
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.frames import BufferPool
from wirebroker.protocol.messages.api_versions import ApiVersionsResponse
from wirebroker.quota.managers import QuotaManagers
from wirebroker.releases.profile import ReleaseProfile
from wirebroker.server.connection import Connection
from wirebroker.server.connection_settings import ConnectionSettings
from wirebroker.server.processor import Processor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

ROUTES = RouteTable()
SERVICES = cast(Services, SimpleNamespace(quotas=QuotaManagers()))
LIMIT = 1_000_000


class Peer:
    """The client's end of a socket pair."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = trio.socket.from_stdlib_socket(sock)

    async def send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[await self._sock.send(view) :]

    async def frame(self) -> bytes:
        (size,) = unpack(">i", await self._exactly(4))
        return await self._exactly(size)

    async def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = await self._sock.recv(size - len(data))
            assert piece, "the broker closed the connection"
            data += piece
        return data

    def close(self) -> None:
        self._sock.close()

    async def hung_up(self) -> bool:
        try:
            return await self._sock.recv(1) == b""
        except ConnectionResetError:
            return True


@pytest.fixture
async def connect(nursery: trio.Nursery) -> AsyncIterator[Callable[..., Peer]]:
    pool = BufferPool()
    processor = Processor(math.inf)
    nursery.start_soon(processor.run)
    peers: list[Peer] = []

    def start(routes: RouteTable = ROUTES) -> Peer:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        theirs.setblocking(False)
        context = RequestContext(SERVICES, client_host="test", routes=routes)
        processor.add(Connection(ours, context, ConnectionSettings(pool, LIMIT)))
        peers.append(Peer(theirs))
        return peers[-1]

    yield start
    for peer in peers:
        peer.close()
    nursery.cancel_scope.cancel()


def request(api_key: int, version: int, correlation_id: int, body: bytes = b"", client: bytes = b"c") -> bytes:
    head = pack(">hhih", api_key, version, correlation_id, len(client)) + client
    return pack(">i", len(head) + len(body)) + head + body


def api_versions(frame: bytes, version: int) -> tuple[int, ApiVersionsResponse]:
    response, _ = ApiVersionsResponse.read(frame, 4, version)
    return unpack(">i", frame[:4])[0], response


async def test_answers_come_in_order_however_the_bytes_arrive(connect: Callable[[], Peer]) -> None:
    peer = connect()
    stream = b"".join(request(18, version, 100 + version) for version in (0, 1, 2))
    await peer.send(stream[:7])
    await trio.testing.wait_all_tasks_blocked()
    await peer.send(stream[7:])
    for version in (0, 1, 2):
        correlation_id, response = api_versions(await peer.frame(), version)
        assert correlation_id == 100 + version
        assert {0, 1, 3, 18} <= {entry.api_key for entry in response.api_keys}


async def test_an_unknown_version_of_api_versions_gets_the_served_range(connect: Callable[[], Peer]) -> None:
    peer = connect()
    await peer.send(request(18, 99, 5, b"whatever"))
    correlation_id, response = api_versions(await peer.frame(), 0)
    assert correlation_id == 5
    assert response.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert [(e.api_key, e.min_version, e.max_version) for e in response.api_keys] == [(18, 0, 4)]
    await peer.send(request(18, 0, 6))
    assert api_versions(await peer.frame(), 0)[0] == 6


@pytest.mark.parametrize("name", [b"", b"-x", b"a b"])
async def test_client_software_must_have_a_name(connect: Callable[[], Peer], name: bytes) -> None:
    peer = connect()
    body = b"\0" + bytes([len(name) + 1]) + name + b"\x041.0\0"
    await peer.send(request(18, 3, 1, body))
    assert api_versions(await peer.frame(), 3)[1].error_code == ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(pack(">i", -1), id="negative size"),
        pytest.param(pack(">i", LIMIT + 1), id="size over the limit"),
        pytest.param(pack(">i", 3) + b"abc", id="shorter than a header"),
        pytest.param(request(999, 0, 1), id="unknown key"),
        pytest.param(request(3, 99, 1), id="unserved version"),
        pytest.param(request(0, 2, 1), id="no body"),
        pytest.param(request(3, 1, 1, pack(">i", 2**31 - 1)), id="array longer than the frame"),
        pytest.param(request(3, 1, 1, pack(">ih", 1, 5) + b"ab"), id="string longer than the frame"),
        pytest.param(pack(">i", 12) + pack(">hhih", 18, 0, 1, 500) + b"ab", id="client id longer than the frame"),
    ],
)
async def test_requests_that_close_the_connection(
    connect: Callable[[], Peer], data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    hostile, friend = connect(), connect()
    with caplog.at_level(logging.WARNING):
        await hostile.send(data)
        assert await hostile.hung_up()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    await friend.send(request(18, 0, 7))
    assert api_versions(await friend.frame(), 0)[0] == 7


async def test_bytes_after_a_request_are_tolerated(connect: Callable[[], Peer]) -> None:
    peer = connect()
    await peer.send(request(18, 1, 1, b"trailing bytes"))
    assert api_versions(await peer.frame(), 1)[0] == 1


async def test_a_handler_that_fails_closes_where_no_code_fits(
    connect: Callable[[], Peer], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: Any) -> None:
        raise RuntimeError("broken on purpose")

    bound = ROUTES.find(18, 0)
    assert bound is not None
    monkeypatch.setattr(bound, "handler", fail)
    peer = connect()
    await peer.send(request(18, 0, 9))
    correlation_id, response = api_versions(await peer.frame(), 0)
    assert (correlation_id, response.error_code) == (9, ErrorCode.UNKNOWN_SERVER_ERROR)
    assert "broken on purpose" in caplog.text


@pytest.mark.parametrize(
    ("release", "entries"), [("0.10.2", []), ("2.3", []), ("2.4", [(18, 0, 3)]), ("3.9", [(18, 0, 4)])]
)
async def test_answer_of_a_release_to_an_unknown_version(
    connect: Callable[..., Peer], release: str, entries: list[tuple[int, int, int]]
) -> None:
    peer = connect(RouteTable(ReleaseProfile(release)))
    await peer.send(request(18, 99, 5, b"whatever"))
    _, response = api_versions(await peer.frame(), 0)
    assert response.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert [(e.api_key, e.min_version, e.max_version) for e in response.api_keys] == entries


@pytest.mark.parametrize(
    ("release", "data"),
    [
        pytest.param("0.9.0", request(18, 0, 1), id="ApiVersions before there was one"),
        pytest.param("2.0", request(3, 7, 1), id="a version of later"),
        pytest.param("4.0", request(19, 1, 1), id="a version that was dropped"),
        pytest.param("0.8.2", request(12, 0, 1), id="an API of later"),
    ],
)
async def test_a_release_disconnects_for_unknown_apis(connect: Callable[..., Peer], release: str, data: bytes) -> None:
    peer = connect(RouteTable(ReleaseProfile(release)))
    await peer.send(data)
    assert await peer.hung_up()


async def test_features_of_a_release(connect: Callable[..., Peer]) -> None:
    peer = connect(RouteTable(ReleaseProfile("4.1")))
    body = b"\0\x02c\x041.0\0"
    supported = {}
    for version in (3, 4):
        await peer.send(request(18, version, 1, body))
        response = api_versions(await peer.frame(), version)[1]
        supported[version] = {each.name for each in response.supported_features}
        assert ("transaction.version", 2) in [(e.name, e.max_version_level) for e in response.finalized_features]
        assert response.finalized_features_epoch == 0
    assert supported[3] == {"metadata.version"}  # older clients cannot read a lowest level of 0 (KAFKA-17011)
    assert "transaction.version" in supported[4]


async def test_requests_are_logged_for_debugging(connect: Callable[[], Peer], caplog: pytest.LogCaptureFixture) -> None:
    peer = connect()
    for level in (logging.INFO, logging.DEBUG):  # it may change while a peer is connected
        caplog.set_level(level, "wirebroker.server.connection")
        await peer.send(request(18, 1, 7, client=b"app"))
        await peer.frame()
    (line,) = caplog.messages
    expected = r"api=ApiVersions version=1 client_id=app peer=test size_bytes=13: served in \d+\.\d+ ms"
    assert re.fullmatch(expected, line)
