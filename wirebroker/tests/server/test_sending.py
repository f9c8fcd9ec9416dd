"""Sending responses: every byte in its place, through small socket buffers, from cached and from cold files."""

from __future__ import annotations

import os
import socket
from errno import EOPNOTSUPP
from functools import partial
from types import coroutine
from typing import TYPE_CHECKING, Any

import pytest
import trio

from wirebroker.protocol.frames import BufferPool
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.server import sending
from wirebroker.server.connection_settings import ConnectionSettings
from wirebroker.server.sending import PeerStalled, SendWait, wait_in_task
from wirebroker.storage.files import File, Files
from wirebroker.storage.log_slice import LogSlice

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from pathlib import Path


@coroutine
def send_answers(sock: socket.socket, out: WireBuffer, settings: ConnectionSettings) -> Generator[Any, Any, None]:
    """Send in a task, as a worker of the processor does."""
    sender = sending.send_answers(sock, out, settings)
    resume: Callable[[], Any] = partial(sender.send, None)
    while True:
        try:
            trap = resume()
        except StopIteration:
            return
        try:
            if isinstance(trap, SendWait):
                yield from wait_in_task(trap, sock, settings.write_timeout_s)
                resume = partial(sender.send, None)
            else:
                resume = partial(sender.send, (yield trap))
        except BaseException as fault:
            resume = partial(sender.throw, fault)


@pytest.fixture(autouse=True)
def preadv(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, list[memoryview], int, int], int]:
    """Let every file be cached, on file systems without RWF_NOWAIT, too; returns preadv as it is then."""
    real = os.preadv

    def preadv_of_cached_file(fd: int, buffers: list[memoryview], position: int, flags: int) -> int:
        return real(fd, buffers, position)

    monkeypatch.setattr(os, "preadv", preadv_of_cached_file)
    return preadv_of_cached_file


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with ours, theirs:
        yield ours, theirs


async def test_a_peer_that_does_not_read_is_disconnected(
    pair: tuple[socket.socket, socket.socket], autojump_clock: trio.testing.MockClock
) -> None:
    out = WireBuffer(bytes(8_000_000))
    with pytest.raises(PeerStalled):
        await send_answers(pair[0], out, ConnectionSettings(BufferPool(), 1000))
    assert trio.current_time() == 600


async def test_one_that_reads_slowly_gets_everything(pair: tuple[socket.socket, socket.socket]) -> None:
    pair[1].setblocking(False)
    size_bytes = 3_000_000
    received = 0

    async def read() -> None:
        nonlocal received
        while received < size_bytes:
            await trio.lowlevel.wait_readable(pair[1])
            received += len(pair[1].recv(100_000))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read)
        await send_answers(pair[0], WireBuffer(bytes(size_bytes)), ConnectionSettings(BufferPool(), 1000))
    assert received == size_bytes


@pytest.fixture
def numbers(tmp_path: Path) -> tuple[File, bytes]:
    """A file whose bytes tell where they are."""
    data = b"".join(number.to_bytes(4, "big") for number in range(1_000_000))
    path = tmp_path / "numbers"
    path.write_bytes(data)
    return Files().open(str(path)), data


@pytest.mark.parametrize("reader", ["in the same loop", "in a thread"])
async def test_file_ranges_arrive_whole_through_a_small_buffer(
    pair: tuple[socket.socket, socket.socket], numbers: tuple[File, bytes], reader: str
) -> None:
    pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 50_000)
    file, data = numbers
    expected = b"head" + data[8:-4] + b"tail"
    received = bytearray()

    async def read_in_turns() -> None:
        pair[1].setblocking(False)
        while len(received) < len(expected):
            await trio.lowlevel.wait_readable(pair[1])
            received.extend(pair[1].recv(70_000))

    def read_at_once() -> None:
        while len(received) < len(expected):
            received.extend(pair[1].recv(70_000))

    async with trio.open_nursery() as nursery:
        if reader == "in a thread":
            nursery.start_soon(trio.to_thread.run_sync, read_at_once)
        else:
            nursery.start_soon(read_in_turns)
        out = WireBuffer(b"headtail")
        out.detached.append((4, LogSlice(file, 8, len(data) - 12, 0)))
        await send_answers(pair[0], out, ConnectionSettings(BufferPool(), 1000))
    assert bytes(received) == expected
    assert not out
    assert not out.detached


def response_with_ranges(file: File, data: bytes, sizes: Sequence[int]) -> tuple[WireBuffer, bytes]:
    """A response with a range of each size, 20 bytes of memory before each and 3 behind the last; and its bytes."""
    out, expected = WireBuffer(), b""
    for number, size_bytes in enumerate(sizes):
        head = f"partition {number:10}".encode()
        out += head
        position = number * 1000
        out.detached.append((len(out), LogSlice(file, position, size_bytes, 0)))
        expected += head + data[position : position + size_bytes]
    out += b"end"
    return out, expected + b"end"


async def send_and_receive(pair: tuple[socket.socket, socket.socket], out: WireBuffer, size_bytes: int) -> bytes:
    received = bytearray()

    def read() -> None:
        while len(received) < size_bytes:
            received.extend(pair[1].recv(70_000))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(trio.to_thread.run_sync, read, abandon_on_cancel=True))
        await send_answers(pair[0], out, ConnectionSettings(BufferPool(), 1000))
    assert not out
    assert not out.detached
    return bytes(received)


SIZES = {
    "small": [10_000] * 300,
    "tiny": [100] * 2000,
    "large": [200_000] * 10,
    "mixed": [10_000, 200_000, 32 * 1024, 32 * 1024 + 1, 1, 2_000_000, *[5000] * 50, 100_000],
}


@pytest.mark.parametrize("send_buffer_bytes", [5_000, 400_000])
@pytest.mark.parametrize("sizes", SIZES)
async def test_many_ranges_arrive_in_their_places(
    pair: tuple[socket.socket, socket.socket], numbers: tuple[File, bytes], sizes: str, send_buffer_bytes: int
) -> None:
    pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer_bytes)
    out, expected = response_with_ranges(*numbers, SIZES[sizes])
    assert await send_and_receive(pair, out, len(expected)) == expected


@pytest.mark.parametrize("chunk_bytes", [None, 50_000], ids=["in one piece", "in pieces"])
@pytest.mark.parametrize("cached", ["none", "some", "a part of each", "unknown"])
async def test_ranges_that_are_not_cached_arrive_in_their_places(
    pair: tuple[socket.socket, socket.socket],
    numbers: tuple[File, bytes],
    cached: str,
    chunk_bytes: int | None,
    preadv: Callable[[int, list[memoryview], int, int], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if chunk_bytes is not None:
        monkeypatch.setattr(sending, "_CHUNK_BYTES", 2 * chunk_bytes)
        monkeypatch.setattr(sending, "_COLD_CHUNK_BYTES", chunk_bytes)
    calls = 0
    warmed: list[tuple[int, ...]] = []

    def preadv_of_cold_file(fd: int, buffers: list[memoryview], position: int, flags: int) -> int:
        nonlocal calls
        calls += 1
        if cached == "unknown":
            raise OSError("Operation not supported")
        if cached == "none" or (cached == "some" and calls % 3 == 0):
            raise BlockingIOError
        if cached == "a part of each" and len(buffers[0]) > 100:
            buffers = [buffers[0][:100]]
        return preadv(fd, buffers, position, flags)

    monkeypatch.setattr(os, "preadv", preadv_of_cold_file)
    warm = sending._warm

    def count_warm(*file_range: int) -> None:
        warmed.append(file_range)
        warm(*file_range)

    monkeypatch.setattr(sending, "_warm", count_warm)
    out, expected = response_with_ranges(*numbers, SIZES["mixed"])
    assert await send_and_receive(pair, out, len(expected)) == expected
    assert bool(warmed) == (cached in ("none", "some"))


async def test_small_ranges_are_gathered_on_a_file_system_that_cannot_say_what_is_cached(
    pair: tuple[socket.socket, socket.socket],
    numbers: tuple[File, bytes],
    preadv: Callable[[int, list[memoryview], int, int], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def preadv_of_tmpfs(fd: int, buffers: list[memoryview], position: int, flags: int = 0) -> int:
        if flags:
            raise OSError(EOPNOTSUPP, "Operation not supported")
        return preadv(fd, buffers, position, flags)

    def sendfile(*_: int) -> int:
        raise AssertionError("a small range was sent by itself")

    monkeypatch.setattr(os, "preadv", preadv_of_tmpfs)
    monkeypatch.setattr(os, "sendfile", sendfile)
    out, expected = response_with_ranges(*numbers, [100, 2000])
    assert await send_and_receive(pair, out, len(expected)) == expected


async def test_a_gathering_buffer_is_not_held_while_the_peer_is_waited_for(
    pair: tuple[socket.socket, socket.socket], numbers: tuple[File, bytes], autojump_clock: trio.testing.MockClock
) -> None:
    taken: list[int] = []

    class CountingPool(BufferPool):
        def take(self, size_bytes: int) -> memoryview:
            taken.append(1)
            return super().take(size_bytes)

        def give_back(self, view: memoryview) -> None:
            taken.append(-1)
            super().give_back(view)

    out, _ = response_with_ranges(*numbers, SIZES["small"])
    with pytest.raises(PeerStalled):
        await send_answers(pair[0], out, ConnectionSettings(CountingPool(), 1000))
    assert 1 in taken
    assert sum(taken) == 0


async def test_a_file_that_ends_inside_a_range_ends_the_connection(
    pair: tuple[socket.socket, socket.socket], numbers: tuple[File, bytes]
) -> None:
    file, data = numbers
    out = WireBuffer(b"head")
    out.detached.append((4, LogSlice(file, len(data) - 100, 1000, 0)))
    with pytest.raises(BrokenPipeError):
        await send_answers(pair[0], out, ConnectionSettings(BufferPool(), 1000))


async def test_others_run_between_the_pieces_of_a_long_range(
    pair: tuple[socket.socket, socket.socket], numbers: tuple[File, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "_TURN_S", 0.0)
    monkeypatch.setattr(sending, "_CHUNK_BYTES", 20_000)
    out, expected = response_with_ranges(*numbers, [200_000])
    pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * len(expected))
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while out:
            turns += 1
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(count_turns)
        await send_answers(pair[0], out, ConnectionSettings(BufferPool(), 1000))
    assert turns >= 10


async def test_others_run_while_a_long_response_is_sent_to_a_fast_reader(
    pair: tuple[socket.socket, socket.socket], numbers: tuple[File, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "_TURN_S", 0.0)
    out, expected = response_with_ranges(*numbers, [100] * 2500)
    pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * len(expected))
    ran: list[int] = []

    async def run() -> None:
        ran.append(len(out))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await send_answers(pair[0], out, ConnectionSettings(BufferPool(), 1000))
    assert ran[0] > 0
