"""Connections whose requests the fast path of Produce takes: in which pieces the bytes come makes no difference."""

from __future__ import annotations

import random
import socket
from struct import pack
from typing import TYPE_CHECKING

import pytest

from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.routes import RouteTable
from wirebroker.model import LeaderAndIsr
from wirebroker.protocol.frames import SMALL_BYTES, BufferPool
from wirebroker.server.connection import Connection
from wirebroker.server.connection_settings import ConnectionSettings
from wirebroker.server.serve_result import ServeResult
from wirebroker.tests.handlers.fetch_harness import FetchHarness
from wirebroker.tests.handlers.produce_fast_path_harness import frame, records, request

if TYPE_CHECKING:
    from collections.abc import Iterator


class Client:
    """A connection, served as the processor does, and its peer."""

    def __init__(self, routes: RouteTable, harness: FetchHarness, pool: BufferPool) -> None:
        ours, self.peer = socket.socketpair()
        ours.setblocking(False)
        self.peer.setblocking(False)
        context = RequestContext(harness.services, routes=routes)
        self.connection = Connection(ours, context, ConnectionSettings(pool, 1_000_000))
        self.received = b""
        self.served_known = 0

    def serve(self) -> ServeResult:
        """Serve what has come, and receive the answers."""
        result = ServeResult.BACKLOG
        while result is ServeResult.BACKLOG:  # on a machine that is busy a turn may end at any request
            result = self._serve_turn()
        self.receive()
        return result

    def receive(self) -> None:
        """Receive the answers that have come."""
        try:
            self.received += self.peer.recv(1_000_000)
        except BlockingIOError:
            pass

    def _serve_turn(self) -> ServeResult:
        result = self.connection.serve_known(0.0)
        if result is ServeResult.UNSENT:
            self.served_known += 1
            assert self.connection.sender.flush()
        if result is not None:
            return result
        try:
            self.connection.serve_ready().send(None)
        except StopIteration as end:
            ready: ServeResult = end.value
            return ready
        pytest.fail("the connection waits")

    def correlation_ids(self) -> list[int]:
        """Return those of the answers, which are whole."""
        found, at = [], 0
        while at < len(self.received):
            found.append(int.from_bytes(self.received[at + 4 : at + 8], "big"))
            at += 4 + int.from_bytes(self.received[at : at + 4], "big")
        assert at == len(self.received)
        return found

    def close(self) -> None:
        self.connection.close()
        self.peer.close()


class Clients:
    """Connections to one broker."""

    def __init__(self) -> None:
        self.harness, self.routes, self.pool = FetchHarness({"t": 2}), RouteTable(), BufferPool(keep=2)
        self.made: list[Client] = []

    def connect(self) -> Client:
        self.made.append(Client(self.routes, self.harness, self.pool))
        return self.made[-1]


@pytest.fixture
async def clients() -> Iterator[Clients]:  # type: ignore[misc]
    made = Clients()
    yield made
    for each in made.made:
        each.close()


def sized(data: memoryview) -> bytes:
    return pack(">i", len(data)) + bytes(data)


def produce(number: int, index: int = 0, version: int = 7, value: bytes = b"v", acks: int = 1) -> bytes:
    return sized(frame(request(("t", index, records(value)), acks=acks), version, number))


@pytest.mark.parametrize("seed", range(20))
async def test_requests_in_any_pieces_are_answered_in_order(clients: Clients, seed: int) -> None:
    chance = random.Random(seed)
    client = clients.connect()
    values = [bytes(chance.randrange(1, 300)) for _ in range(60)]
    stream = b"".join(produce(n, chance.randrange(2), chance.choice([7, 9]), value) for n, value in enumerate(values))
    while stream:
        size = chance.choice([1, 3, 100, len(produce(0)), 1000])
        client.peer.send(stream[:size])
        stream = stream[size:]
        client.serve()
    assert client.correlation_ids() == list(range(len(values)))
    ends = [clients.harness.partition(index).log.log_end_offset for index in (0, 1)]
    assert sum(ends) == len(values)


async def test_a_request_that_comes_alone_takes_the_fast_path(clients: Clients) -> None:
    client = clients.connect()
    for number in range(5):
        client.peer.send(produce(number))
        client.serve()
    assert client.correlation_ids() == [0, 1, 2, 3, 4]
    assert client.served_known == 4
    (route,) = [each for each in clients.routes.metrics() if each.name == "Produce"]
    assert sum(route.counts) == 5
    assert route.recorded == 5
    assert all(each.size_bytes == len(produce(0)) - 4 for each in route.latest())


@pytest.mark.parametrize("together", [False, True], ids=["one by one", "together"])
async def test_requests_that_wait_for_replicas_are_answered_in_order(clients: Clients, together: bool) -> None:
    client = clients.connect()
    client.peer.send(produce(0, acks=-1) + produce(1, 1, acks=-1))
    client.serve()
    partition = clients.harness.partition()
    await partition.make_leader(LeaderAndIsr(0, 1, (0, 2), 1, (0, 2)))
    sent = [produce(2, acks=-1), produce(3, 1, acks=-1), produce(4, acks=-1), produce(5, 1)]
    if together:
        sent = [b"".join(sent)]
    for each in sent:
        client.peer.send(each)
        assert client.serve() is ServeResult.IDLE
    assert client.correlation_ids() == [0, 1]
    for end, answered in ((2, [0, 1, 2, 3]), (3, [0, 1, 2, 3, 4, 5])):
        partition.update_follower_fetch_state(2, end, 0, 3)
        assert client.connection.send_delayed() is ServeResult.IDLE
        client.receive()
        assert client.correlation_ids() == answered
    client.peer.send(produce(6, acks=-1))
    assert client.connection.serve_known(0.0) is ServeResult.IDLE, "by the fast path"
    partition.update_follower_fetch_state(2, 4, 0, 4)
    client.connection.send_delayed()
    client.receive()
    assert client.correlation_ids()[-1] == 6


async def test_idle_connections_hold_no_buffer(clients: Clients) -> None:
    made = [clients.connect() for _ in range(20)]
    for number in range(3):
        for client in made:
            client.peer.send(produce(number))
            assert client.serve() in (ServeResult.UNSENT, ServeResult.IDLE)
    shared = clients.pool.shared
    assert all(client.connection._receiver.view is None for client in made)
    assert clients.pool.shared is shared


async def test_half_a_request_keeps_its_buffer(clients: Clients) -> None:
    first, second = clients.connect(), clients.connect()
    for client in (first, second):
        client.peer.send(produce(0))
        client.serve()
    for client, number in ((first, 1), (second, 2)):
        client.peer.send(produce(number)[:40])
        assert client.serve() is ServeResult.IDLE
    for client, number in ((first, 1), (second, 2)):
        client.peer.send(produce(number)[40:])
        client.serve()
    assert (first.correlation_ids(), second.correlation_ids()) == ([0, 1], [0, 2])


async def test_a_large_request_behind_a_known_one(clients: Clients) -> None:
    client = clients.connect()
    client.peer.send(produce(0))
    client.serve()
    large = produce(1, value=bytes(3 * SMALL_BYTES))
    while large:
        large = large[client.peer.send(large[: SMALL_BYTES + 10]) :]
        client.serve()
    client.peer.send(produce(2))
    client.serve()
    assert client.correlation_ids() == [0, 1, 2]


@pytest.mark.parametrize(
    "data",
    [b"\xff" * 20, pack(">i", 3) + b"abc", b"GET / HTTP/1.1\r\n\r\n", produce(1)[:8] + b"\x7f" * (len(produce(1)) - 8)],
    ids=["negative size", "short", "HTTP", "garbage in a known frame"],
)
async def test_malformed_bytes_close_their_connection_only(clients: Clients, data: bytes) -> None:
    bad, good = clients.connect(), clients.connect()
    for client in (bad, good):
        client.peer.send(produce(0))
        client.serve()
    bad.peer.send(data)
    assert bad.serve() is ServeResult.CLOSED
    good.peer.send(produce(1))
    assert good.serve() is ServeResult.UNSENT
    assert good.correlation_ids() == [0, 1]


async def test_a_peer_that_has_gone_closes_the_connection(clients: Clients) -> None:
    client = clients.connect()
    client.peer.send(produce(0))
    client.serve()
    assert client.connection.serve_known(0.0) is ServeResult.IDLE
    client.peer.close()
    assert client.connection.serve_known(0.0) is ServeResult.CLOSED
