"""Large ranges of files that threads send: every byte in its place, and what is left when the peer, the file or the
broker goes away meanwhile.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import threading
from contextlib import suppress
from struct import pack
from time import perf_counter
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from wirebroker.server import send_threads
from wirebroker.server.send_threads import RangeSend, SendThreads
from wirebroker.storage.files import Files
from wirebroker.storage.log_slice import LogSlice
from wirebroker.tests.clocks import let_pass
from wirebroker.tests.server.processor_harness import answers, heartbeat, running_processor
from wirebroker.tests.server.test_suspended_sends import (
    SIZE_BYTES,
    WRITE_TIMEOUT_S,
    FetchHarness,
    fetch,
    receive,
    receive_records,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path


class Started(list[RangeSend]):
    """The ranges that were handed to threads."""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    ranges = Started()
    real = SendThreads.start

    def start(threads: SendThreads, *arguments: object) -> RangeSend | None:
        send = real(threads, *arguments)  # type: ignore[arg-type]
        if send is not None:
            ranges.append(send)
        return send

    monkeypatch.setattr(SendThreads, "start", start)
    return ranges


@pytest.fixture(params=["splice", "sendfile"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The call by which threads send; sendfile where the system grants no large pipe."""
    if request.param == "sendfile":

        def refuse(_fd: int, command: int, _argument: int) -> int:
            assert command == fcntl.F_SETPIPE_SZ
            raise OSError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(fcntl, "fcntl", refuse)
    return str(request.param)


@pytest.fixture
async def harness(nursery: trio.Nursery, tmp_path: Path, started: Started) -> AsyncIterator[FetchHarness]:
    async with running_processor(nursery, FetchHarness(tmp_path / "log", in_threads=True)) as harness:
        yield harness


async def until(condition: Callable[[], bool]) -> None:
    """Let other tasks, and threads, run until *condition* holds."""
    ends = perf_counter() + 20
    while not condition():
        assert perf_counter() < ends
        await trio.lowlevel.checkpoint()


@pytest.mark.usefixtures("way")
async def test_ranges_are_sent_by_threads_and_requests_behind_them_are_served(
    harness: FetchHarness, started: Started
) -> None:
    peer = harness.connect()
    for number in (1, 3, 5):
        peer.send(fetch("a", number))
        await until(lambda number=number: len(started) == (number + 1) // 2)  # type: ignore[misc]
        peer.send(heartbeat("a", number + 1))  # while the thread sends
        await receive_records(peer, harness)
        await until(lambda: harness.only.idle)
        assert answers(peer) == [number + 1]
    assert harness.only._sock.getblocking() is False
    assert not harness.processor._send_threads.running


@pytest.mark.usefixtures("way")
async def test_others_are_served_while_threads_send(harness: FetchHarness, started: Started) -> None:
    slow = [harness.connect() for _ in range(5)]
    for peer in slow:
        peer.send(fetch("slow", 1))
    await until(lambda: len(harness.calls) == 5)
    assert len(started) >= send_threads._THREADS  # the others have none, or one that is free again
    quick = harness.connect()
    quick.send(heartbeat("quick", 1))
    await until(lambda: answers(quick) == [1])
    for peer in slow:
        await receive_records(peer, harness)
    await until(lambda: all(connection.idle for connection in harness.processor.connections))


async def test_a_request_that_has_waited_has_its_range_sent_by_a_thread(
    harness: FetchHarness, started: Started
) -> None:
    harness.waits = lambda _client, _number: True
    peer = harness.connect()
    peer.send(fetch("a", 1))
    await until(lambda: bool(harness.waiting))
    harness.waiting["a", 0].set()
    await receive_records(peer, harness)
    await until(lambda: harness.only.idle)
    assert len(started) == 1


@pytest.mark.usefixtures("way")
async def test_a_peer_that_stops_reading_gives_its_thread_back(
    nursery: trio.Nursery, tmp_path: Path, mock_clock: trio.testing.MockClock, started: Started
) -> None:
    async with running_processor(nursery, FetchHarness(tmp_path / "log", in_threads=True)) as harness:
        reads, stalls = harness.connect(), harness.connect()
        for peer in (reads, stalls):
            peer.send(fetch("a", 1))
        await until(lambda: len(started) == 2 and not harness.processor._send_threads.running)
        await until(lambda: len(harness.timer) == 2)
        await receive_records(reads, harness)  # the event loop sends the rest
        await until(lambda: any(connection.idle for connection in harness.processor.connections))
        await let_pass(mock_clock, WRITE_TIMEOUT_S)
        assert harness.only.idle


@pytest.mark.usefixtures("way")
async def test_a_thread_whose_peer_stopped_reading_sends_the_next_range_from_its_beginning(
    harness: FetchHarness, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(send_threads, "_THREADS", 1)
    pipes = count_pipes()
    stalls, reads = harness.connect(), harness.connect()
    for number, peer in enumerate((stalls, reads), 1):
        peer.send(fetch("a", 1))
        await until(lambda number=number: len(started) == number)  # type: ignore[misc]
        await until(lambda: not harness.processor._send_threads.running)
        assert count_pipes() == pipes
    assert all(send.result() < SIZE_BYTES for send in started)
    for peer in (reads, stalls):
        await receive_records(peer, harness)


def count_pipes() -> int:
    """Return how many ends of pipes the process has open."""
    links = []
    for fd in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # that of the listing itself
            links.append(os.readlink(f"/proc/self/fd/{fd}"))
    return sum(link.startswith("pipe:") for link in links)


async def test_ranges_without_a_free_thread_are_sent_by_the_event_loop(
    harness: FetchHarness, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(send_threads, "_THREADS", 0)
    peer = harness.connect()
    peer.send(fetch("a", 1))
    await receive_records(peer, harness)
    assert not started


@pytest.mark.parametrize("asked_for", [-1, 100 << 10, 1_500_000])
async def test_the_send_buffer_is_set_unless_it_is_left_to_the_system(
    harness: FetchHarness, started: Started, asked_for: int
) -> None:
    with socket.socket(socket.AF_UNIX) as like, socket.socket(socket.AF_UNIX) as raised:
        raised.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, max(asked_for, send_threads._SEND_BUFFER_BYTES))
        expected = like if asked_for < 0 else raised
        peer = harness.connect()
        harness.only.sender._settings = harness.only._settings._replace(send_buffer_bytes=asked_for)
        peer.send(fetch("a", 1))
        await receive_records(peer, harness)
        assert len(started) == 1
        size = harness.only._sock.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        assert size == expected.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)


@pytest.mark.parametrize("fails", ["eventfd", "watch"])
async def test_ranges_are_sent_by_the_event_loop_if_threads_cannot_report(
    harness: FetchHarness, started: Started, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    def fail(*_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    threads = harness.processor._send_threads
    place, name = (os, "eventfd") if fails == "eventfd" else (threads, "_watch")
    monkeypatch.setattr(place, name, fail)
    peer = harness.connect()
    peer.send(fetch("a", 1))
    await receive_records(peer, harness)
    assert not started
    assert threads.fd == -1


async def test_request_time_is_measured_in_the_event_loop(
    harness: FetchHarness, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness.services.quotas.request, "enabled", True)
    peer = harness.connect()
    peer.send(fetch("a", 1))
    await receive_records(peer, harness)
    assert not started


@pytest.mark.parametrize("how", ["closes", "resets"])
async def test_a_peer_that_disconnects_frees_its_thread(
    harness: FetchHarness, started: Started, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(send_threads, "_PATIENCE", pack("@ll", 20, 0))
    monkeypatch.setattr(socket, "socketpair", tcp_pair)
    peer = harness.connect()
    sock = harness.only._sock
    peer.send(fetch("a", 1))
    await receive(peer, 100_000)
    assert len(started) == 1
    if how == "resets":
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, pack("ii", 1, 0))
    peer.close()
    await until(lambda: not harness.processor.connections)
    await until(lambda: not harness.processor._send_threads.running)
    assert sock.fileno() == -1


@pytest.mark.usefixtures("way")
async def test_a_file_that_ends_in_the_middle_ends_the_connection(
    harness: FetchHarness, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(send_threads, "_STEP_BYTES", 100_000)
    peer = harness.connect()
    with harness.path.open("r+b") as file:
        file.truncate(SIZE_BYTES // 2)
    peer.send(fetch("a", 1))
    assert harness.data[: SIZE_BYTES // 2] in await receive_all(peer)
    assert len(started) == 1
    assert not harness.processor.connections


async def receive_all(peer: socket.socket) -> bytes:
    received = bytearray()
    with trio.fail_after(20):
        while True:
            await trio.lowlevel.wait_readable(peer)
            with suppress(BlockingIOError):
                got = peer.recv(100_000)
                if not got:
                    return bytes(received)
                received += got


@pytest.mark.parametrize("worker", [False, True])
async def test_a_broker_that_ends_leaves_no_thread_and_no_socket(
    tmp_path: Path, started: Started, monkeypatch: pytest.MonkeyPatch, worker: bool
) -> None:
    monkeypatch.setattr(send_threads, "_PATIENCE", pack("@ll", 20, 0))
    before = set(threading.enumerate())
    pipes = count_pipes()
    async with (
        trio.open_nursery() as nursery,
        running_processor(nursery, FetchHarness(tmp_path / "log", in_threads=True)) as harness,
    ):
        harness.waits = lambda _client, _number: worker
        peer = harness.connect()
        sock = harness.only._sock
        peer.send(fetch("a", 1))
        if worker:
            await until(lambda: bool(harness.waiting))
            harness.waiting["a", 0].set()
        await until(lambda: len(started) == 1)
    assert sock.fileno() == -1
    assert started[0].is_done
    assert not [thread for thread in set(threading.enumerate()) - before if thread.name.startswith("send-")]
    assert count_pipes() == pipes


@pytest.mark.parametrize("first", ["the thread", "the connection"])
def test_the_last_one_closes_the_socket_of_an_abandoned_range(tmp_path: Path, first: str) -> None:
    path = tmp_path / "log"
    path.write_bytes(bytes(1000))
    records = LogSlice(Files().open(str(path)), 0, 1000, 0)
    ours, theirs = socket.socketpair()
    with theirs:
        send = RangeSend(ours, records, records.file_range()[0], 0, 1000)
        if first == "the thread":
            send.run()
            assert ours.fileno() != -1
            send.abandon()
            assert len(theirs.recv(2000)) == 1000
        else:
            send.abandon()
            assert ours.fileno() != -1
            send.run()
        assert ours.fileno() == -1
        assert theirs.recv(2000) == b""


def tcp_pair() -> tuple[socket.socket, socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        theirs = socket.create_connection(listener.getsockname())
        ours, _ = listener.accept()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 100_000)
    return ours, theirs
