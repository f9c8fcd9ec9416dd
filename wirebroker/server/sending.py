"""Send responses to a socket: bytes from memory, records as file ranges that do not become Python objects.

A large file range leaves by sendfile, a very large one in a thread (`SendThreads`).  A response to a consumer of many
partitions holds a small range of each, and a sendfile per range costs both sides a turn for a few kilobytes: so
neighbouring pieces are gathered in a buffer first.
"""

from __future__ import annotations

import os
from contextlib import suppress
from enum import Enum, auto
from errno import EOPNOTSUPP
from socket import SO_SNDBUF, SOL_SOCKET
from time import perf_counter
from types import coroutine
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from wirebroker.protocol.frames import BIG_BYTES
from wirebroker.quota.request_time import measured
from wirebroker.server.send_threads import LEAST_BYTES
from wirebroker.server.socket_wait import becomes_writable

if TYPE_CHECKING:
    import socket
    from collections.abc import Generator, Iterator

    from wirebroker.protocol.primitives import DetachedRecords, WireBuffer
    from wirebroker.server.connection_settings import ConnectionSettings
    from wirebroker.server.send_threads import RangeSend, SendThreads

_CHUNK_BYTES: Final = 4 << 20
"""A file range is sent in pieces of this size; each piece is probed for cached pages first.  A process that only sends
takes 0.128 s of processor time for 1 GB with two probes for each MB, 0.110 s without."""
_COLD_CHUNK_BYTES: Final = 1 << 20
"""A piece that is not cached is read, and sent, in steps of this size."""
_GATHERED_BYTES: Final = 128 * 1024
"""Pieces are gathered up to this size, for which the send buffer of a socket (see Listener) has room."""
SMALL_BYTES: Final = 32 * 1024
"""A file range up to this size is gathered: 10 kB take half the CPU time of a sendfile, 30 kB 0.94, 60 kB 1.18."""
_FOLLOWER_BUFFER_BYTES: Final = 700 * 1024
"""The least SO_SNDBUF of a connection on which a follower fetches; the kernel takes twice that.  A response with 1 MB
(replica.fetch.max.bytes) is handed over whole, and the kernel sends it while the follower reads, which has a small
receive buffer (replica.socket.receive.buffer.bytes).  Against the 400 kB of Listener, records of 1 kB with acks=all to
three brokers: 1.13 to 1.27 times the rate, 0.84 to 0.88 of the processor time; 550 kB to 2.5 MB are no better."""
_TURN_S: Final = 0.002
"""How long one response may keep the event loop."""
_MSG_MORE: Final = 0x8000
_PROBE: Final = [bytearray(1)]


class PeerStalled(Exception):
    """The peer does not read."""

    @classmethod
    def after(cls, seconds: float) -> PeerStalled:
        """Return the exception of a peer that has read nothing for *seconds*."""
        return cls(f"it has read nothing of its answer for {seconds:.0f} s")


class SendWait(Enum):
    """The traps of `send_answers` that are not trio's, for the `Processor` or `wait_in_task` to obey."""

    ROOM = auto()
    """Go on when the socket has room."""
    TURN = auto()
    """Go on when others have had their turn."""


@coroutine
def _trap(wait: SendWait | RangeSend) -> Generator[SendWait | RangeSend, None, None]:
    yield wait


async def wait_in_task(wait: SendWait, sock: socket.socket, write_timeout_s: float) -> None:
    """Obey a trap of `send_answers` in a task of its own.

    Raises:
        PeerStalled: the socket had no room for `write_timeout_s`.
    """
    if wait is SendWait.TURN:
        await trio.lowlevel.checkpoint()
        return
    with trio.move_on_after(write_timeout_s):
        await trio.lowlevel.wait_writable(sock)
        return
    raise PeerStalled.after(write_timeout_s)


def widen_send_buffer(sock: socket.socket, settings: ConnectionSettings) -> None:
    """Give *sock*, on which a follower fetches, a send buffer for whole responses, unless the system sizes it."""
    if settings.send_buffer_bytes > 0:
        size_bytes = max(settings.send_buffer_bytes, _FOLLOWER_BUFFER_BYTES)
        with suppress(OSError):  # the connection may be lost
            sock.setsockopt(SOL_SOCKET, SO_SNDBUF, size_bytes)


class _FileRange(NamedTuple):
    fd: int
    position: int
    size_bytes: int


def send_gathered(sock: socket.socket, out: WireBuffer, settings: ConnectionSettings) -> bool:
    """Send *out* with its detached file ranges at once if they are small and cached; return whether nothing is left.

    The rest, for which the socket has no room now, is put into *out*.  If there are large ranges nothing is sent.
    """
    size_bytes = len(out)
    for _, records in out.detached:
        size_bytes += records.size_bytes
        if records.size_bytes > SMALL_BYTES or size_bytes > BIG_BYTES:
            return False
    pieces: list[memoryview | _FileRange] = []
    with memoryview(out) as view:
        at = 0
        for position, records in out.detached:
            place = records.file_range()
            if place is None:
                return False
            pieces.append(view[at:position])
            pieces.append(_FileRange(*place, records.size_bytes))
            at = position
        pieces.append(view[at:])
        buffer = settings.pool.take(BIG_BYTES)
        try:
            if _gather(pieces, buffer) != size_bytes:
                return False
            try:
                sent = sock.send(buffer[:size_bytes])
            except BlockingIOError:
                return False
            left = None if sent == size_bytes else bytes(buffer[sent:size_bytes])
        finally:
            settings.pool.give_back(buffer)
            for piece in pieces:
                if isinstance(piece, memoryview):
                    piece.release()
    out.detached.clear()
    out.clear()
    if left is None:
        return True
    out += left
    return False


async def send_answers(
    sock: socket.socket, out: WireBuffer, settings: ConnectionSettings, threads: SendThreads | None = None
) -> None:
    """Send *out* with its detached file ranges in their places, and empty it.

    Small ranges are gathered in a buffer of the pool, which is not held while the peer is waited for.  That wait, and
    the end of a turn, is a trap of `SendWait`.  A range that one of *threads* sends is awaited with a trap, too: the
    RangeSend.

    Raises:
        OSError: the connection is lost.
    """
    if out.detached:
        with memoryview(out) as view:
            await _Sender(sock, settings, threads).send_with_detached(view, out)
        out.detached.clear()
    else:
        try:
            sent = sock.send(out)
        except BlockingIOError:
            sent = 0
        if sent != len(out):
            with memoryview(out) as view:
                await _Sender(sock, settings).send_memory(view[sent:], 0)
    out.clear()


class _Sender:
    """The sending of one response."""

    __slots__ = ("_fd", "_gathered_bytes", "_pieces", "_settings", "_sock", "_threads", "_turn_ends")

    def __init__(self, sock: socket.socket, settings: ConnectionSettings, threads: SendThreads | None = None) -> None:
        self._sock = sock
        self._threads = threads
        self._fd = sock.fileno()
        self._settings = settings
        self._turn_ends = perf_counter() + _TURN_S
        self._pieces: list[memoryview | _FileRange] = []  # to be gathered
        self._gathered_bytes = 0

    async def send_with_detached(self, view: memoryview, out: WireBuffer) -> None:
        """Send *view*, which is of *out*, and what is detached from it."""
        at = 0
        pieces = self._pieces
        for position, records in out.detached:
            pieces.append(view[at:position])
            self._gathered_bytes += position - at
            at = position
            place = records.file_range()
            size_bytes = records.size_bytes
            if place is not None and size_bytes <= SMALL_BYTES:
                pieces.append(_FileRange(*place, size_bytes))
                self._gathered_bytes += size_bytes
                if self._gathered_bytes > _GATHERED_BYTES - SMALL_BYTES:
                    await self._send_gathered(_MSG_MORE)
                continue
            await self._send_gathered(_MSG_MORE)
            if place is not None:
                sent = 0
                if size_bytes >= LEAST_BYTES and self._threads is not None:
                    sent = await self._send_in_thread(self._threads, records, _FileRange(*place, size_bytes))
                await self._send_file_range(_FileRange(place[0], place[1] + sent, size_bytes - sent))
            else:
                await self._send_converted(records.pieces())
        if at < len(view):
            pieces.append(view[at:])
            self._gathered_bytes += len(view) - at
        await self._send_gathered(0)

    async def _send_gathered(self, flags: int) -> None:
        pieces = self._pieces
        sent = 0
        if len(pieces) > 1 and self._gathered_bytes <= BIG_BYTES:
            buffer = self._settings.pool.take(BIG_BYTES)
            try:
                sent = self._sock.send(buffer[: _gather(pieces, buffer)], flags)
            except BlockingIOError:
                pass
            finally:
                self._settings.pool.give_back(buffer)
        for piece in pieces:
            size_bytes = len(piece) if isinstance(piece, memoryview) else piece.size_bytes
            if sent >= size_bytes:
                sent -= size_bytes
            elif isinstance(piece, memoryview):
                await self.send_memory(piece[sent:], flags)
                sent = 0
            else:
                fd, position, _ = piece
                await self._send_file_range(_FileRange(fd, position + sent, size_bytes - sent))
                sent = 0
        pieces.clear()
        self._gathered_bytes = 0
        if flags and perf_counter() >= self._turn_ends:
            await self._let_others_run()

    async def send_memory(self, view: memoryview, flags: int) -> None:
        """Send all of *view*; *flags* as of socket.send."""
        while view:
            try:
                sent = self._sock.send(view, flags)
            except BlockingIOError:
                await self._wait_writable()
                continue
            view = view[sent:]

    async def _send_file_range(self, file_range: _FileRange) -> None:
        """Send a file range with sendfile.

        sendfile blocks the loop when pages must come from the disk, so each piece is asked first whether its ends are
        cached (RWF_NOWAIT, 1.4 us); what is not is read by a thread before it is sent.
        """
        file_fd, at, size_bytes = file_range
        end = at + size_bytes
        probed = at
        follows_cached = False
        while at < end:
            if at >= probed:
                if perf_counter() >= self._turn_ends:  # a peer that reads at once never makes us wait
                    await self._let_others_run()
                probed = min(at + _CHUNK_BYTES, end)
                if not (follows_cached or _is_cached(file_fd, at)) or not _is_cached(file_fd, probed - 1):
                    probed = min(at + _COLD_CHUNK_BYTES, end)
                    await trio.to_thread.run_sync(_warm, file_fd, at, probed - at)
                    follows_cached = False
                else:
                    follows_cached = True
            try:
                sent = os.sendfile(self._fd, file_fd, at, probed - at)
            except BlockingIOError:
                # The socket's buffer is small (see Listener), so room is waited for often, and must cost little.
                if perf_counter() >= self._turn_ends or not becomes_writable(self._fd, self._settings.busy_poll):
                    await self._wait_writable()
                continue
            if sent == 0:
                # The file is shorter than the range: the peer has been promised more bytes than exist.
                raise BrokenPipeError("log file ends inside a range being sent")
            at += sent

    async def _send_in_thread(self, threads: SendThreads, records: DetachedRecords, file_range: _FileRange) -> int:
        """Have a thread send the range of *records* if one is free; return how many bytes were sent."""
        fd, position, size_bytes = file_range
        send = threads.start(self._sock, records, fd, position, position + size_bytes, self._settings.send_buffer_bytes)
        if send is None:
            return 0
        await _trap(send)
        self._turn_ends = perf_counter() + _TURN_S
        return send.result() - position

    async def _send_converted(self, pieces: Iterator[bytes | memoryview]) -> None:
        """Send records that are converted while they are sent, each piece in a thread: it may read a file."""
        while True:
            try:
                piece = await trio.to_thread.run_sync(measured(next), pieces, None)
            except OSError as fault:  # the peer has been promised more bytes than can be had
                raise BrokenPipeError(str(fault)) from fault
            if piece is None:
                return
            await self.send_memory(memoryview(piece), 0)

    async def _let_others_run(self) -> None:
        await _trap(SendWait.TURN)
        self._turn_ends = perf_counter() + _TURN_S

    async def _wait_writable(self) -> None:
        await _trap(SendWait.ROOM)
        self._turn_ends = perf_counter() + _TURN_S


def _gather(pieces: list[memoryview | _FileRange], buffer: memoryview) -> int:
    """Copy *pieces* to the beginning of *buffer* up to the first that is not cached as a whole; return their size."""
    end = 0
    for piece in pieces:
        begin = end
        if isinstance(piece, memoryview):
            end = begin + len(piece)
            buffer[begin:end] = piece
            continue
        fd, position, size_bytes = piece
        end = begin + size_bytes
        try:
            if os.preadv(fd, [buffer[begin:end]], position, os.RWF_NOWAIT) != size_bytes:
                return begin
        except OSError as fault:
            if fault.errno != EOPNOTSUPP:  # not cached, or a disk that fails
                return begin
            # A file system without RWF_NOWAIT, such as tmpfs: assume the best, as `_is_cached` does.
            try:
                if os.preadv(fd, [buffer[begin:end]], position) != size_bytes:
                    return begin
            except OSError:
                return begin
    return end


def _is_cached(fd: int, position: int) -> bool:
    try:
        os.preadv(fd, _PROBE, position, os.RWF_NOWAIT)
    except BlockingIOError:
        return False
    except OSError:  # a file system without RWF_NOWAIT: assume the best, as sendfile will cope
        return True
    return True


def _warm(fd: int, position: int, size_bytes: int) -> None:
    """Read a range so that it is in the page cache (in a thread)."""
    step = 128 * 1024
    for at in range(position, position + size_bytes, step):
        os.pread(fd, min(step, position + size_bytes - at), at)
