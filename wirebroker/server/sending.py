"""Writing answers to a socket: bytes from memory, log data as file ranges that never enter Python."""

from __future__ import annotations

import os
from select import select
from time import perf_counter
from typing import TYPE_CHECKING, Final

import trio

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

    from wirebroker.protocol.primitives import WireBuffer

_CHUNK_BYTES: Final = 1 << 20
"""A file range is sent in pieces of this size; each piece is probed for cached pages first."""
_TURN_S: Final = 0.002
"""How long one answer may keep the loop."""
_BRISK_S: Final = 0.0002
"""A peer that makes room this soon is waited for on the spot: a turn through the event loop costs five times more."""
_SELECTABLE: Final = 1024  # descriptors below this: FD_SETSIZE
_MSG_MORE: Final = 0x8000
_PROBE: Final = [bytearray(1)]


class PeerStalled(Exception):
    """The peer does not read."""


async def send_answers(sock: socket.socket, out: WireBuffer, patience_s: float) -> None:
    """Send *out* with its detached file ranges in their places, and empty it.

    Raises:
        PeerStalled: the peer took nothing for *patience_s*.
    """
    detached = out.detached
    if not detached:
        try:
            sent = sock.send(out)
        except BlockingIOError:
            sent = 0
        if sent != len(out):
            with memoryview(out) as view:
                await _send_rest(sock, view[sent:], 0, patience_s)
        out.clear()
        return
    with memoryview(out) as view:
        at = 0
        for position, part in detached:
            await _send_rest(sock, view[at:position], _MSG_MORE, patience_s)
            place = part.file_range()
            if place is not None:
                await _send_file_range(sock, *place, part.size_bytes, patience_s)
            else:
                await _send_pieces(sock, part.pieces(), patience_s)
            at = position
        if at < len(view):
            await _send_rest(sock, view[at:], 0, patience_s)
    detached.clear()
    out.clear()


async def _send_rest(sock: socket.socket, view: memoryview, flags: int, patience_s: float) -> None:
    while view:
        try:
            sent = sock.send(view, flags)
        except BlockingIOError:
            await _writable(sock, patience_s)
            continue
        view = view[sent:]


async def _send_file_range(sock: socket.socket, file_fd: int, at: int, size_bytes: int, patience_s: float) -> None:
    """Send a file range with sendfile.

    sendfile blocks the loop when pages must come from the disk, so each piece is asked first
    whether it is cached (RWF_NOWAIT, 1.4 us); a cold one is read by a thread before it is sent.  The socket's buffer is
    small (see Listener), so room is waited for often, and must cost little.
    """
    end = at + size_bytes
    sock_fd = sock.fileno()
    probed = at
    brisk = sock_fd < _SELECTABLE
    turn_ends = perf_counter() + _TURN_S
    while at < end:
        if at >= probed:
            probed = min(at + _CHUNK_BYTES, end)
            if not (_is_cached(file_fd, at) and _is_cached(file_fd, probed - 1)):
                await trio.to_thread.run_sync(_warm, file_fd, at, probed - at)
        try:
            sent = os.sendfile(sock_fd, file_fd, at, probed - at)
        except BlockingIOError:
            if brisk and perf_counter() < turn_ends:
                brisk = bool(select((), (sock_fd,), (), _BRISK_S)[1])
                if brisk:
                    continue
            await _writable(sock, patience_s)
            turn_ends = perf_counter() + _TURN_S
            continue
        if sent == 0:
            # The file is shorter than the range: the peer has been promised more bytes than exist.
            raise BrokenPipeError("log file ends inside a range being sent")
        at += sent


async def _send_pieces(sock: socket.socket, pieces: Iterator[bytes | memoryview], patience_s: float) -> None:
    """Send what is made on the way, each piece in a thread: it may read a file, and takes its time."""
    while True:
        try:
            piece = await trio.to_thread.run_sync(next, pieces, None)
        except OSError as fault:  # the peer has been promised more bytes than can be had
            raise BrokenPipeError(str(fault)) from fault
        if piece is None:
            return
        await _send_rest(sock, memoryview(piece), 0, patience_s)


async def _writable(sock: socket.socket, patience_s: float) -> None:
    with trio.move_on_after(patience_s):
        await trio.lowlevel.wait_writable(sock)
        return
    raise PeerStalled(f"it has read nothing of its answer for {patience_s:.0f} s")


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
