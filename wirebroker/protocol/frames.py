"""Cutting a byte stream into Kafka frames (int32 size, then that many bytes) without copying them.  Does no I/O.

A connection receives straight into the buffer it holds here, and a frame is a view of that buffer:

    view = receiver.space()          # where the next bytes may land
    receiver.received(n)             # n of them did
    while (frame := receiver.next_frame()) is not None: ...   # valid until the next space() or rest()
    receiver.rest()                  # nothing unread: the memory goes back to the pool

Memory follows the bytes a peer has sent, never a length it announces: a frame's buffer doubles as
the frame arrives.  Idle connections hold no buffer at all.
"""

from __future__ import annotations

from mmap import MADV_NOHUGEPAGE, mmap
from struct import Struct
from typing import Final

from wirebroker.protocol.faults import ForeignProtocolError, ProtocolError

_INT32: Final = Struct(">i")

SMALL_BYTES: Final = 64 * 1024
BIG_BYTES: Final = 2 * 1024 * 1024
"""Holds a full 1 MB batch and what follows it; larger gains nothing measurable."""
BIG_FRAME_BYTES: Final = 32 * 1024
"""A peer that sends frames above this size is handed big buffers from then on."""


_HTTP: Final = frozenset({b"GET ", b"HEAD", b"POST", b"PUT ", b"DELE", b"OPTI", b"PATC", b"CONN", b"PRI ", b"HTTP"})
_TLS: Final = b"\x16\x03"  # a handshake record of SSL 3.0 or any later version


def foreign_protocol(start: bytes) -> str | None:
    """The name of the protocol that a stream with these four bytes at its start is of; None if it is none we know."""
    if start in _HTTP:
        return "HTTP"
    return "TLS" if start.startswith(_TLS) else None


class BufferPool:
    """A few receive buffers shared by all connections, lent while bytes are being read or served.

    When all big ones are lent, more are made that become memory page by page as bytes arrive, so that many peers with
    half a frame each do not hold a whole buffer each.  The few are bytearrays, which the kernel fills 8% cheaper.
    """

    __slots__ = ("_big_ones", "_free", "_keep")

    def __init__(self, keep: int = 8) -> None:
        self._keep = keep
        self._big_ones = 0
        self._free: dict[int, list[memoryview]] = {SMALL_BYTES: [], BIG_BYTES: []}

    def take(self, size_bytes: int) -> memoryview:
        """A writable view of at least *size_bytes* bytes; its content is arbitrary."""
        free = self._free.get(size_bytes)
        if free:
            return free.pop()
        if size_bytes > SMALL_BYTES:
            if size_bytes != BIG_BYTES or self._big_ones == self._keep:
                pages = mmap(-1, size_bytes)
                pages.madvise(MADV_NOHUGEPAGE)
                return memoryview(pages)
            self._big_ones += 1
        return memoryview(bytearray(size_bytes))

    def give_back(self, view: memoryview) -> None:
        """Return a view that nobody looks at any more."""
        if type(view.obj) is bytearray:
            free = self._free[len(view)]
            if len(free) < self._keep:
                free.append(view)


class FrameReceiver:
    """The receive side of one connection."""

    __slots__ = ("_end", "_limit", "_missing", "_pool", "_start", "_view", "_wanted")

    def __init__(self, pool: BufferPool, limit_bytes: int) -> None:
        self._pool = pool
        self._limit = limit_bytes
        self._wanted = SMALL_BYTES
        self._view: memoryview | None = None
        self._start = 0  # first byte not yet handed out
        self._end = 0  # first byte not yet received
        self._missing = 0  # of a frame that has begun, or 0

    def space(self) -> memoryview:
        """Where to receive next; it ends where a large frame that has begun ends, so that the next starts afresh."""
        view = self._view
        if view is None:
            view = self._view = self._pool.take(self._wanted)
            return view
        if self._missing:
            return self._space_for_frame(view)
        if self._start == self._end:
            self._start = self._end = 0
            if len(view) < self._wanted:
                self._pool.give_back(view)
                view = self._view = self._pool.take(self._wanted)
            return view
        if self._end == len(view):  # fewer than four bytes are left over
            self._move(view, view)
        return view[self._end :]

    def _space_for_frame(self, view: memoryview) -> memoryview:
        have = self._end - self._start
        frame_bytes = have + self._missing
        if frame_bytes > len(view) - self._start:
            if frame_bytes <= len(view):
                self._move(view, view)
            elif self._end == len(view) or self._start:
                # Full: twice what has arrived, at most the frame; a peer pays for memory with bytes.
                size_bytes = min(frame_bytes, max(2 * have, SMALL_BYTES))
                if size_bytes <= BIG_BYTES:
                    size_bytes = BIG_BYTES if size_bytes > SMALL_BYTES else SMALL_BYTES
                if size_bytes > len(view):
                    larger = self._pool.take(size_bytes)
                    self._move(view, larger)
                    self._view = larger
                    self._pool.give_back(view)
                    view = larger
                else:
                    self._move(view, view)
        if frame_bytes > BIG_FRAME_BYTES:
            return view[self._end : min(self._start + frame_bytes, len(view))]
        return view[self._end :]

    def _move(self, source: memoryview, target: memoryview) -> None:
        have = self._end - self._start
        target[:have] = source[self._start : self._end]
        self._start, self._end = 0, have

    def received(self, count: int) -> None:
        """*count* bytes were written at the beginning of `space()`."""
        self._end += count

    def next_frame(self) -> memoryview | None:
        """The body of the next whole frame, or None until more bytes arrive.

        Raises:
            ProtocolError: the announced size is negative or above the limit.
            ForeignProtocolError: because it is the beginning of something else.
        """
        start = self._start
        have = self._end - start
        if have < 4:
            self._missing = 0
            return None
        view = self._view
        assert view is not None
        size_bytes: int = _INT32.unpack_from(view, start)[0]
        if not 0 <= size_bytes <= self._limit:
            protocol = foreign_protocol(bytes(view[start : start + 4]))
            if protocol is not None:
                raise ForeignProtocolError(protocol)
            raise ProtocolError(f"a frame of {size_bytes} bytes; the limit is {self._limit}")
        if size_bytes > BIG_FRAME_BYTES:
            self._wanted = BIG_BYTES
        stop = start + 4 + size_bytes
        if stop > self._end:
            self._missing = stop - self._end
            return None
        self._missing = 0
        self._start = stop
        return view[start + 4 : stop]

    @property
    def unread_bytes(self) -> int:
        """Received, but not handed out yet."""
        return self._end - self._start

    def rest(self) -> None:
        """Give the buffer back unless part of a frame is in it."""
        view = self._view
        if view is not None and self._start == self._end:
            self._pool.give_back(view)
            self._view = None
            self._start = self._end = 0

    def close(self) -> None:
        """Give the buffer back whatever is in it."""
        if self._view is not None:
            self._pool.give_back(self._view)
            self._view = None
            self._start = self._end = self._missing = 0
