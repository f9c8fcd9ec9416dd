"""Large responses whose peers read slowly, not at all, or disconnect: nobody else waits, and nothing is left behind."""

from __future__ import annotations

import socket
from contextlib import suppress
from struct import pack
from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

from wirebroker.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from wirebroker.storage.files import Files
from wirebroker.storage.log_slice import LogSlice
from wirebroker.tests.clocks import let_pass
from wirebroker.tests.server.processor_harness import (
    ProcessorHarness,
    answers,
    frame,
    heartbeat,
    running_processor,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from wirebroker.handlers.context import RequestContext
    from wirebroker.server.connection import Connection

FETCH = 1
SIZE_BYTES = 5_000_000
WRITE_TIMEOUT_S = 600


def fetch(client: str, number: int) -> bytes:
    return frame(FETCH, client, number, pack(">iiiii", -1, 0, 0, 0, 0))


class FetchHarness(ProcessorHarness):
    """Answers Fetch with all of one file."""

    def __init__(self, path: Path, in_threads: bool = False) -> None:
        super().__init__()
        self.in_threads = in_threads
        self.data = b"".join(number.to_bytes(4, "big") for number in range(SIZE_BYTES // 4))
        path.write_bytes(self.data)
        self.path = path
        self.file = Files().open(str(path))
        self.set(FETCH, self.fetch)

    async def fetch(self, context: RequestContext, request: Any) -> FetchResponse:
        await self._called(context, request.max_wait_ms)
        records = LogSlice(self.file, 0, SIZE_BYTES, 0)
        topic = FetchableTopicResponse(topic="t", partitions=[PartitionData(0, records=records)])
        return FetchResponse(responses=[topic])

    def connect(self) -> socket.socket:
        peer = super().connect()
        if not self.in_threads:
            self.processor.connections[-1].sender.threads = None
        return peer

    @property
    def only(self) -> Connection:
        (connection,) = self.processor.connections
        return connection


@pytest.fixture
async def harness(nursery: trio.Nursery, tmp_path: Path) -> AsyncIterator[FetchHarness]:
    async with running_processor(nursery, FetchHarness(tmp_path / "log")) as harness:
        yield harness


async def settle() -> None:
    """Let the processor run until it waits."""
    await trio.testing.wait_all_tasks_blocked(0.001)


async def receive(peer: socket.socket, size_bytes: int) -> bytes:
    received = bytearray()
    with trio.fail_after(20):
        while len(received) < size_bytes:
            await trio.lowlevel.wait_readable(peer)
            with suppress(BlockingIOError):
                received += peer.recv(size_bytes - len(received))
    return bytes(received)


async def receive_records(peer: socket.socket, harness: FetchHarness) -> None:
    """Receive one answer and compare its records with the file."""
    size_bytes = int.from_bytes(await receive(peer, 4), "big")
    assert (await receive(peer, size_bytes)).endswith(harness.data)


async def test_a_response_arrives_whole_and_the_next_request_is_served(harness: FetchHarness) -> None:
    peer = harness.connect()
    peer.send(fetch("a", 1))
    await settle()
    await receive_records(peer, harness)
    peer.send(fetch("a", 2) + heartbeat("a", 3))
    await receive_records(peer, harness)
    await settle()
    assert answers(peer) == [3]
    assert harness.only.idle
    peer.send(heartbeat("a", 4))
    await settle()
    assert answers(peer) == [4]


@pytest.mark.parametrize("asked_for", [-1, 100_000, 1_500_000])
@pytest.mark.parametrize("by_follower", [False, True])
async def test_a_follower_s_connection_has_a_send_buffer_for_whole_responses(
    harness: FetchHarness, by_follower: bool, asked_for: int
) -> None:
    async def fetch_(context: RequestContext, request: Any) -> FetchResponse:
        context.from_follower = by_follower
        return await harness.fetch(context, request)

    harness.set(FETCH, fetch_)
    peer = harness.connect()
    sock = harness.only._sock
    at_first = sock.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
    harness.only._settings = harness.only._settings._replace(send_buffer_bytes=asked_for)
    peer.send(fetch("a", 1))
    await receive_records(peer, harness)
    with socket.socket(socket.AF_UNIX) as like:  # the system may limit the size
        if by_follower and asked_for > 0:
            like.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, max(asked_for, 700 * 1024))
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) == like.getsockopt(
            socket.SOL_SOCKET, socket.SO_SNDBUF
        )
    assert (at_first != sock.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)) == (by_follower and asked_for > 0)


async def test_a_request_that_has_waited_is_answered_by_its_worker(
    harness: FetchHarness, autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    harness.waits = lambda _client, number: number == 0
    peer, stalled = harness.connect(), harness.connect()
    for client, each in (("a", peer), ("stalled", stalled)):
        each.send(fetch(client, 1))
        await settle()
        harness.waiting[client, 0].set()
        await settle()
    assert [connection.waits for connection in harness.processor.connections] == [True, True]
    await receive_records(peer, harness)
    await trio.sleep(WRITE_TIMEOUT_S)
    await settle()
    assert harness.only.idle
    assert caplog.messages == ["peer=127.0.0.1 client_id=stalled: closing: it has read nothing of its answer for 600 s"]


async def test_a_peer_that_reads_slowly_takes_no_task_and_holds_up_nobody(harness: FetchHarness) -> None:
    before = trio.lowlevel.current_statistics().tasks_living
    slow = [harness.connect() for _ in range(5)]
    for peer in slow:
        peer.send(fetch("slow", 1))
    await settle()
    assert trio.lowlevel.current_statistics().tasks_living == before
    quick = harness.connect()
    for number in (1, 2):
        quick.send(heartbeat("quick", number))
        await settle()
        assert answers(quick) == [number]
    for peer in slow:
        peer.send(fetch("slow", 2))  # not looked at before the first one is answered
    await settle()
    assert len([call for call in harness.calls if call[0] == "slow"]) == 5
    for peer in slow:
        await receive_records(peer, harness)
        await receive_records(peer, harness)
    await settle()
    assert all(connection.idle for connection in harness.processor.connections)


async def test_a_peer_that_does_not_read_is_disconnected(
    nursery: trio.Nursery, tmp_path: Path, mock_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_processor(nursery, FetchHarness(tmp_path / "log")) as harness:
        peer = harness.connect()
        peer.send(fetch("a", 1))
        await settle()
        await let_pass(mock_clock, WRITE_TIMEOUT_S - 1)
        assert harness.only.suspended is not None
        await receive(peer, 1_000_000)  # the time begins anew
        await settle()
        await let_pass(mock_clock, WRITE_TIMEOUT_S - 1)
        assert harness.only.suspended is not None
        assert not caplog.messages
        await let_pass(mock_clock, 1)
        assert not harness.processor.connections
        assert caplog.messages == ["peer=127.0.0.1 client_id=a: closing: it has read nothing of its answer for 600 s"]
        assert len(harness.timer) == 0


async def test_the_timer_of_a_peer_that_has_read_ends_by_itself(
    nursery: trio.Nursery, tmp_path: Path, mock_clock: trio.testing.MockClock
) -> None:
    async with running_processor(nursery, FetchHarness(tmp_path / "log")) as harness:
        peer = harness.connect()
        peer.send(fetch("a", 1))
        await settle()
        assert len(harness.timer) == 1
        await receive_records(peer, harness)
        await let_pass(mock_clock, WRITE_TIMEOUT_S)
        assert len(harness.timer) == 0
        assert harness.only.idle


async def test_a_peer_that_disconnects_in_the_middle_is_closed(harness: FetchHarness) -> None:
    peer = harness.connect()
    peer.send(fetch("a", 1))
    await settle()
    await receive(peer, 1_000_000)
    peer.close()
    await settle()
    assert not harness.processor.connections
    assert len(harness.timer) == 0


async def test_a_file_that_ends_in_the_middle_ends_the_connection(harness: FetchHarness) -> None:
    peer = harness.connect()
    peer.send(fetch("a", 1))
    await settle()
    with harness.path.open("r+b") as file:
        file.truncate(SIZE_BYTES // 2)
    received = 0
    with trio.fail_after(20):
        while True:
            await trio.lowlevel.wait_readable(peer)
            got = peer.recv(100_000)
            received += len(got)
            if not got:
                break
    assert SIZE_BYTES // 2 <= received < SIZE_BYTES
    await settle()
    assert not harness.processor.connections


async def test_a_file_that_is_deleted_in_the_middle_is_sent_to_its_end(harness: FetchHarness) -> None:
    peer = harness.connect()
    peer.send(fetch("a", 1))
    await settle()
    harness.path.unlink()
    await receive_records(peer, harness)


@pytest.mark.parametrize("then", ["is read", "is not read"])
async def test_a_response_that_is_being_sent_when_the_broker_stops(
    harness: FetchHarness, then: str, autojump_clock: trio.testing.MockClock
) -> None:
    peer = harness.connect()
    peer.send(fetch("a", 1))
    await settle()
    connection = harness.only
    harness.processor.stop()
    await settle()
    assert harness.processor.connections == [connection]
    if then == "is read":
        await receive_records(peer, harness)
    await trio.sleep(2)
    await settle()
    assert not harness.processor.connections
    assert connection.suspended is None
    while peer.recv(1_000_000):
        pass
