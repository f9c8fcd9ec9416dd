"""Connections whose requests the fast path of OffsetCommit takes, in whichever pieces the bytes come."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.frames import BufferPool
from wirebroker.server.serve_result import ServeResult
from wirebroker.tests.handlers.commit_harness import REPLICATED, Committer, commit, frame
from wirebroker.tests.server.test_known_produce import Client, produce, sized

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


def asked(number: int, index: int = 0, version: int = 7, metadata: str = "") -> bytes:
    return sized(frame(commit(("t", index, number), metadata=metadata), version, number))


class Connected:
    """A coordinator and a connection to it."""

    def __init__(self, committer: Committer) -> None:
        self.committer, self.routes = committer, RouteTable()
        self.client = Client(self.routes, committer.harness, BufferPool(keep=2))

    def send(self, *requests: bytes) -> ServeResult:
        """Send requests in one piece, and serve them."""
        self.client.peer.send(b"".join(requests))
        return self.client.serve()

    def committed(self, index: int = 0) -> int | None:
        found = self.committer.manager.offsets.get("g", "t", index)
        return None if found is None else int(found.offset)


@pytest.fixture
async def connected() -> AsyncIterator[Connected]:
    made = Connected(await Committer.new())
    yield made
    made.client.close()


async def test_a_request_that_comes_alone_takes_the_fast_path(connected: Connected) -> None:
    for number in range(5):
        connected.send(asked(number))
        assert connected.committed() == number
    assert connected.client.correlation_ids() == [0, 1, 2, 3, 4]
    assert connected.client.served_known == 3
    (metrics,) = [each for each in connected.routes.metrics() if each.name == "OffsetCommit"]
    assert sum(metrics.counts) == 5
    assert all(each.size_bytes == len(asked(0)) - 4 for each in metrics.latest())


@pytest.mark.parametrize("seed", range(20))
async def test_requests_in_any_pieces_are_answered_in_order(connected: Connected, seed: int) -> None:
    chance = random.Random(seed)
    sent = [(chance.randrange(2), chance.choice([7, 8]), chance.choice(["", "ab"])) for _ in range(30)]
    sent = [each for each in sent for _ in range(2)]
    stream = b"".join(asked(number, *each) for number, each in enumerate(sent))
    while stream:
        size = chance.choice([1, 3, 50, len(asked(0)), 1000])
        connected.client.peer.send(stream[:size])
        stream = stream[size:]
        connected.client.serve()
    assert connected.client.correlation_ids() == list(range(len(sent)))
    for index in (0, 1):
        assert connected.committed(index) == max(number for number, each in enumerate(sent) if each[0] == index)
    assert connected.committer.partition.log.log_end_offset == len(sent)


@pytest.mark.parametrize("together", [False, True], ids=["one by one", "together"])
async def test_requests_that_wait_for_replicas_are_answered_in_order(connected: Connected, together: bool) -> None:
    """Those of another API, and those of the general path, wait behind them."""
    connected.send(asked(0), asked(1))
    partition = connected.committer.partition
    await partition.make_leader(REPLICATED)
    sent = [asked(2), asked(3), produce(4, 1), asked(5, 1), asked(6)]
    if together:
        sent = [b"".join(sent)]
    for each in sent:
        assert connected.send(each) is ServeResult.IDLE
    client = connected.client
    assert client.correlation_ids() == [0, 1]
    for end, answered in ((2, 2), (3, 3), (4, 5), (5, 6), (6, 7)):
        partition.update_follower_fetch_state(1, end, 0, 6)
        assert client.connection.send_delayed() is ServeResult.IDLE
        client.receive()
        assert client.correlation_ids() == list(range(answered))
    assert connected.send(asked(7)) is ServeResult.IDLE
    partition.update_follower_fetch_state(1, 7, 0, 7)
    client.connection.send_delayed()
    client.receive()
    assert client.correlation_ids()[-1] == 7


async def test_a_request_that_comes_alone_and_waits_takes_the_fast_path(connected: Connected) -> None:
    connected.send(asked(0), asked(1))
    await connected.committer.partition.make_leader(REPLICATED)
    client = connected.client
    client.peer.send(asked(2))
    assert client.connection.serve_known(0.0) is ServeResult.IDLE
    connected.committer.partition.update_follower_fetch_state(1, 3, 0, 3)
    client.connection.send_delayed()
    client.receive()
    assert client.correlation_ids() == [0, 1, 2]


async def test_a_connection_that_is_closed_ends_its_requests(connected: Connected) -> None:
    connected.send(asked(0), asked(1))
    await connected.committer.partition.make_leader(REPLICATED)
    connected.send(asked(2), asked(3))
    (context,) = connected.committer.groups.runtime._contexts.values()
    assert len(context.responses) == 2
    connected.client.connection.close()
    assert not context.responses
    connected.committer.partition.update_follower_fetch_state(1, 4, 0, 4)
    assert connected.committed() == 3
