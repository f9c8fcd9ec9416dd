"""BrokerChannel: versions, timeouts, reconnects, and peers that are no brokers, over socket pairs."""

from __future__ import annotations

import socket
from contextlib import suppress
from itertools import pairwise
from struct import pack
from threading import get_ident
from typing import TYPE_CHECKING, Any

import pytest
import trio

from wirebroker.client.broker_channel import (
    FIRST_BACKOFF_S,
    LAST_BACKOFF_S,
    STREAM_BUFFER,
    BrokerChannel,
    ChannelError,
    ChannelSettings,
)
from wirebroker.model import BrokerEndpoint
from wirebroker.protocol.headers import read_request_header
from wirebroker.protocol.messages.api_versions import ApiVersion, ApiVersionsResponse
from wirebroker.protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Answer = Callable[[int, int, int], bytes]
    """(API key, version, correlation id) -> the bytes to send back, b"" to hang up."""

ENDPOINT = BrokerEndpoint(2, "leader", 9092)
SETTINGS = ChannelSettings("broker-1-fetcher-0", 30.0)


class Leader:
    """The other broker: its connections are socket pairs, and a function answers their requests."""

    def __init__(self, nursery: trio.Nursery, answer: Answer) -> None:
        self.answer = answer
        self.connected_at: list[float] = []
        self.requests: list[tuple[int, int, str | None]] = []
        self.is_down = False
        self._nursery = nursery
        self._connections: list[trio.socket.SocketType] = []

    def hang_up(self) -> None:
        """Close the connections when everything that was sent is received."""
        for connection in self._connections:
            connection.close()

    async def connect(self, endpoint: BrokerEndpoint) -> trio.socket.SocketType:
        await trio.lowlevel.checkpoint()
        self.connected_at.append(trio.current_time())
        if self.is_down:
            raise ConnectionRefusedError("refused")
        ours, theirs = trio.socket.socketpair()
        self._connections.append(theirs)
        self._nursery.start_soon(self._serve, theirs)
        return ours

    async def _serve(self, connection: trio.socket.SocketType) -> None:
        with connection, suppress(OSError, trio.ClosedResourceError):  # the channel may close it within a response
            while size := await connection.recv(4):
                frame = b""
                while len(frame) < int.from_bytes(size, "big"):
                    frame += await connection.recv(1 << 16)
                key, version, correlation_id, client_id, _ = read_request_header(frame)
                self.requests.append((key, version, client_id))
                answer = memoryview(self.answer(key, version, correlation_id))
                if not answer:
                    return
                while answer:
                    answer = answer[await connection.send(answer) :]


def framed(response: Any, version: int, correlation_id: int) -> bytes:
    body = bytearray(pack(">i", correlation_id))
    if type(response).FLEXIBLE_FROM is not None and version >= type(response).FLEXIBLE_FROM and response.API_KEY != 18:
        body.append(0)
    response.write(body, version)
    return pack(">i", len(body)) + bytes(body)


def fetch_response(records: bytes) -> FetchResponse:
    data = PartitionData(partition_index=0, records=records)
    return FetchResponse(session_id=7, responses=[FetchableTopicResponse(topic="t", partitions=[data])])


def answers_fetch(records: bytes) -> Answer:
    return lambda _, version, correlation_id: framed(fetch_response(records), version, correlation_id)


def run(answer: Answer, body: Callable[[BrokerChannel, Leader], Awaitable[None]], clock: Any) -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            leader = Leader(nursery, answer)
            channel = BrokerChannel(ENDPOINT, SETTINGS, leader.connect)
            try:
                await body(channel, leader)
            finally:
                channel.close()
                nursery.cancel_scope.cancel()

    trio.run(main, clock=clock)


@pytest.mark.parametrize("version", [8, 11, 12])
@pytest.mark.parametrize("size", [0, 10, 70_000, 3_000_000])
def test_a_response_of_any_size_is_read_at_the_version_of_the_request(
    version: int, size: int, autojump_clock: trio.testing.MockClock
) -> None:
    records = bytes(i & 0xFF for i in range(256)) * (size // 256) + bytes(size % 256)

    async def body(channel: BrokerChannel, leader: Leader) -> None:
        for _ in range(3):
            response = await channel.send(FetchRequest(), version)
            data = response.responses[0].partitions[0]
            assert bytes(data.records or b"") == records
        assert leader.requests == [(1, version, "broker-1-fetcher-0")] * 3
        assert len(leader.connected_at) == 1

    run(answers_fetch(records), body, autojump_clock)


@pytest.mark.parametrize("is_large", [False, True])
def test_the_response_to_a_large_request_is_decoded_in_a_thread(
    is_large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []
    read = FetchResponse.read

    def noted(*arguments: Any) -> Any:
        threads.append(get_ident())
        return read(*arguments)

    monkeypatch.setattr(FetchResponse, "read", noted)

    async def body(channel: BrokerChannel, leader: Leader) -> None:
        response = await channel.send(FetchRequest(), 12, is_large=is_large)
        assert response.session_id == 7
        assert [each != get_ident() for each in threads] == [is_large]

    run(answers_fetch(b""), body, None)


def test_records_are_views_of_one_buffer(autojump_clock: trio.testing.MockClock) -> None:
    async def body(channel: BrokerChannel, leader: Leader) -> None:
        buffers = []
        for _ in range(2):
            response = await channel.send(FetchRequest(), 12)
            records = response.responses[0].partitions[0].records
            assert isinstance(records, memoryview)
            buffers.append(records.obj)
        assert buffers[0] is buffers[1]

    run(answers_fetch(bytes(1_000_000)), body, autojump_clock)


def test_a_large_buffer_is_given_back_when_responses_are_small(autojump_clock: trio.testing.MockClock) -> None:
    async def body(channel: BrokerChannel, leader: Leader) -> None:
        sizes = []
        for n in range(100):
            leader.answer = answers_fetch(b"" if n else bytes(5_000_000))
            await channel.send(FetchRequest(), 12)
            sizes.append(len(channel._buffer))
        assert sizes[0] >= 5_000_000
        assert sizes[50] == sizes[0]
        assert sizes[-1] == 65536

    run(answers_fetch(b""), body, autojump_clock)


def test_no_answer_in_time_closes_the_connection_and_the_next_request_opens_another(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async def body(channel: BrokerChannel, leader: Leader) -> None:
        leader.answer = lambda *_: pack(">i", 100)
        started = trio.current_time()
        with pytest.raises(ChannelError, match=r"broker 2 \(leader:9092\) did not respond to FetchRequest within 30 s"):
            await channel.send(FetchRequest(), 12)
        assert trio.current_time() - started == pytest.approx(30)
        assert not channel.is_connected
        leader.answer = answers_fetch(b"x")
        assert (await channel.send(FetchRequest(), 12)).session_id == 7
        assert len(leader.connected_at) == 2

    run(lambda *_: b"", body, autojump_clock)


def test_a_cancelled_request_closes_the_connection(autojump_clock: trio.testing.MockClock) -> None:
    async def body(channel: BrokerChannel, leader: Leader) -> None:
        with trio.move_on_after(1):
            await channel.send(FetchRequest(), 12)
        assert not channel.is_connected

    run(lambda *_: pack(">i", 100), body, autojump_clock)


def test_reconnects_wait_longer_and_longer_up_to_a_second_and_at_once_after_a_response(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async def body(channel: BrokerChannel, leader: Leader) -> None:
        leader.is_down = True
        for _ in range(8):
            with pytest.raises(ChannelError, match="refused"):
                await channel.send(FetchRequest(), 12)
        pauses = [b - a for a, b in zip(leader.connected_at, leader.connected_at[1:], strict=False)]
        assert pauses == pytest.approx([FIRST_BACKOFF_S * 2**n for n in range(5)] + [LAST_BACKOFF_S] * 2)
        leader.is_down = False
        await channel.send(FetchRequest(), 12)
        leader.answer = lambda *_: b""
        with pytest.raises(ChannelError, match="closed by the other broker"):
            await channel.send(FetchRequest(), 12)
        leader.answer = answers_fetch(b"")
        before = trio.current_time()
        await channel.send(FetchRequest(), 12)
        assert trio.current_time() == before

    run(answers_fetch(b""), body, autojump_clock)


BAD_ANSWERS = [
    (lambda *_: b"HTTP/1.1 400 Bad Request\r\n", "does not speak Kafka's protocol"),
    (lambda *_: b"\x15\x03\x03\x00\x02\x02\x46", "does not speak Kafka's protocol"),
    (lambda *_: pack(">i", -5), "does not speak Kafka's protocol"),
    (lambda _, version, correlation_id: framed(fetch_response(b""), version, correlation_id + 1), "expected 1"),
    (lambda _, version, correlation_id: framed(fetch_response(b""), version, correlation_id) + b"x", "1 bytes behind"),
    (lambda _k, _v, correlation_id: pack(">iiB", 6, correlation_id, 0) + b"x", "FetchResponse"),
]


@pytest.mark.parametrize(("answer", "message"), BAD_ANSWERS)
def test_answers_that_are_no_responses(answer: Answer, message: str, autojump_clock: trio.testing.MockClock) -> None:
    async def body(channel: BrokerChannel, leader: Leader) -> None:
        with pytest.raises(ChannelError, match=message):
            await channel.send(FetchRequest(), 12)
        assert not channel.is_connected

    run(answer, body, autojump_clock)


@pytest.mark.parametrize(("wanted", "is_set"), [(-1, False), (1 << 10, False), (1 << 17, True)])
def test_a_receive_buffer_that_the_system_gives_anyway_is_left_to_it(
    wanted: int, is_set: bool, autojump_clock: trio.testing.MockClock
) -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            leader = Leader(nursery, answers_fetch(b""))
            opened: list[trio.socket.SocketType] = []
            options: list[tuple[int, int, int]] = []

            async def connect(endpoint: BrokerEndpoint) -> trio.socket.SocketType:
                opened.append(await leader.connect(endpoint))
                opened[0].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 15)
                opened[0].setsockopt = lambda *option: options.append(option)  # type: ignore[method-assign]
                return opened[0]

            channel = BrokerChannel(ENDPOINT, SETTINGS._replace(receive_buffer_bytes=wanted), connect)
            await channel.send(FetchRequest(), 12)
            assert options == [(socket.SOL_SOCKET, socket.SO_RCVBUF, wanted)] * is_set
            channel.close()
            nursery.cancel_scope.cancel()

    trio.run(main, clock=autojump_clock)


def test_a_second_task_is_refused(autojump_clock: trio.testing.MockClock) -> None:
    async def body(channel: BrokerChannel, leader: Leader) -> None:
        async def first() -> None:
            with pytest.raises(ChannelError, match="failed"):
                await channel.send(FetchRequest(), 12)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(first)
            await trio.testing.wait_all_tasks_blocked()
            with pytest.raises(trio.BusyResourceError):
                await channel.send(FetchRequest(), 12)
            channel.close()
        with pytest.raises(ChannelError, match="the channel is closed"):
            await channel.send(FetchRequest(), 12)

    run(lambda *_: pack(">i", 100), body, autojump_clock)


def test_negotiated_versions_are_asked_for_once_per_connection(autojump_clock: trio.testing.MockClock) -> None:
    def answer(key: int, version: int, correlation_id: int) -> bytes:
        if key == 18:
            return framed(ApiVersionsResponse(api_keys=[ApiVersion(1, 0, 11)]), version, correlation_id)
        return framed(fetch_response(b"x"), version, correlation_id)

    async def body(channel: BrokerChannel, leader: Leader) -> None:
        await channel.send_negotiated(FetchRequest())
        await channel.send_negotiated(FetchRequest(), highest=8)
        assert [request[:2] for request in leader.requests] == [(18, 0), (1, 11), (1, 8)]
        leader.answer = lambda *_: b""
        with pytest.raises(ChannelError, match="closed"):
            await channel.send_negotiated(FetchRequest())
        leader.requests.clear()
        leader.answer = answer
        await channel.send_negotiated(FetchRequest())
        assert [request[:2] for request in leader.requests] == [(18, 0), (1, 11)]
        with pytest.raises(ChannelError, match="does not serve"):
            await channel.send_negotiated(FetchRequest(), highest=-1)

    run(answer, body, autojump_clock)


async def received_in_pieces(channel: BrokerChannel, limit: int, taken: int) -> tuple[bytes, list[int]]:
    """Return a Fetch response that is taken *taken* bytes at a time, and the sizes of the receive buffer."""
    frame, at = await channel.exchange(channel.encode(FetchRequest(), 12), FetchRequest.API_KEY, 12, 100)
    found, unread = b"", frame[at:]
    sizes: list[int] = []
    while True:
        found += bytes(unread[:taken])
        unread = unread[taken:]
        if not channel.missing_bytes:
            return found + bytes(unread), sizes
        unread = await channel.receive_more(unread, limit, FetchRequest.API_KEY)
        assert isinstance(unread.obj, bytearray)
        sizes.append(len(unread.obj))


@pytest.mark.parametrize(("limit", "taken"), [(1 << 31, 1 << 20), (300_000, 1 << 20), (300_000, 250_000), (7000, 7000)])
def test_a_large_response_is_received_in_pieces_into_one_buffer(
    limit: int, taken: int, autojump_clock: trio.testing.MockClock
) -> None:
    records = bytes(i & 0xFF for i in range(256)) * 8000

    async def body(channel: BrokerChannel, leader: Leader) -> None:
        for _ in range(2):
            data, sizes = await received_in_pieces(channel, limit, taken)
            found = FetchResponse.read(memoryview(data), 0, 12)[0].responses[0].partitions[0]
            assert found.records == records
            assert set(sizes) == {STREAM_BUFFER}
        small = (await channel.send(FetchRequest(), 12)).responses[0].partitions[0]
        assert small.records == records, "whole, if nobody asks for pieces"
        assert len(leader.connected_at) == 1

    run(answers_fetch(records), body, autojump_clock)


def test_a_buffer_for_pieces_grows_while_nothing_is_taken(autojump_clock: trio.testing.MockClock) -> None:
    async def body(channel: BrokerChannel, leader: Leader) -> None:
        data, sizes = await received_in_pieces(channel, 1 << 31, 0)
        assert len(data) > 6_000_000
        assert sizes == sorted(sizes)
        assert sizes[0] == STREAM_BUFFER
        assert all(later <= 2 * size for size, later in pairwise(sizes)), "no more than has come"

    run(answers_fetch(bytes(6_000_000)), body, autojump_clock)


def test_a_response_up_to_the_limit_is_whole(autojump_clock: trio.testing.MockClock) -> None:
    async def body(channel: BrokerChannel, leader: Leader) -> None:
        for whole_up_to in (2_000_000, 1_000_000):
            request = channel.encode(FetchRequest(), 12)
            frame, at = await channel.exchange(request, FetchRequest.API_KEY, 12, whole_up_to)
            is_whole = len(frame) > 1_500_000
            assert is_whole == (whole_up_to == 2_000_000)
            assert (channel.missing_bytes == 0) == is_whole
            assert at == 5

    run(answers_fetch(bytes(1_500_000)), body, autojump_clock)


def test_a_response_of_which_the_rest_was_not_received_closes_the_connection(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async def body(channel: BrokerChannel, leader: Leader) -> None:
        request = channel.encode(FetchRequest(), 12)
        await channel.exchange(request, FetchRequest.API_KEY, 12, 100)
        assert channel.missing_bytes
        assert (await channel.send(FetchRequest(), 12)).session_id == 7
        assert not channel.missing_bytes
        assert len(leader.connected_at) == 2

    run(answers_fetch(bytes(3_000_000)), body, autojump_clock)


def test_a_connection_that_ends_within_a_response(autojump_clock: trio.testing.MockClock) -> None:
    def answer(key: int, version: int, correlation_id: int) -> bytes:
        whole = framed(fetch_response(bytes(500_000)), version, correlation_id)
        return pack(">i", 3_000_000) + whole[4:] + b"\0" * 5

    async def body(channel: BrokerChannel, leader: Leader) -> None:
        frame, _ = await channel.exchange(channel.encode(FetchRequest(), 12), FetchRequest.API_KEY, 12, 100)
        leader.hang_up()
        with pytest.raises(ChannelError, match="closed by the other broker"):
            await channel.receive_more(frame, 1 << 31, FetchRequest.API_KEY)
        assert not channel.is_connected
        assert not channel.missing_bytes

    run(answer, body, autojump_clock)


def test_a_wait_for_a_piece_that_is_cancelled_closes_the_connection(autojump_clock: trio.testing.MockClock) -> None:
    async def body(channel: BrokerChannel, leader: Leader) -> None:
        frame, _ = await channel.exchange(channel.encode(FetchRequest(), 12), FetchRequest.API_KEY, 12, 100)
        with trio.move_on_after(1) as scope:
            await channel.receive_more(frame, 1 << 31, FetchRequest.API_KEY)
        assert scope.cancelled_caught
        assert not channel.is_connected

    def answer(key: int, version: int, correlation_id: int) -> bytes:
        whole = framed(fetch_response(bytes(500_000)), version, correlation_id)
        return pack(">i", 3_000_000) + whole[4:]

    run(answer, body, autojump_clock)
