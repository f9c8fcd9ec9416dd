"""Cutting a byte stream into Kafka frames (int32 size, then that many bytes) without copying them.  Does no I/O.

A connection receives straight into the buffer it holds here, and a frame is a view of that buffer:

    view = receiver.space()          # the memory for the next bytes of the socket
    receiver.received(n)             # n bytes were written to it
    while (frame := receiver.next_frame()) is not None: ...   # valid until the next space() or release()
    receiver.release()               # returns the memory to the pool if nothing is unread

Memory follows the bytes a peer has sent, never a length it announces: a frame's buffer doubles as
the frame arrives.  Idle connections hold no buffer at all.
"""

from __future__ import annotations

from mmap import MADV_NOHUGEPAGE, MAP_ANONYMOUS, MAP_PRIVATE, mmap
from struct import Struct
from typing import Final

from wirebroker.protocol.exceptions import ForeignProtocolError, ProtocolError

_INT32: Final = Struct(">i")

SMALL_BYTES: Final = 64 * 1024
BIG_BYTES: Final = 2 * 1024 * 1024
"""Room for a full batch of 1 MB and the next requests; larger buffers gain nothing measurable."""
BIG_FRAME_BYTES: Final = 32 * 1024
"""After a frame above this size a connection receives into big buffers."""


_HTTP: Final = frozenset({b"GET ", b"HEAD", b"POST", b"PUT ", b"DELE", b"OPTI", b"PATC", b"CONN", b"PRI ", b"HTTP"})
_TLS: Final = b"\x16\x03"  # a handshake record of SSL 3.0 or any later version


def foreign_protocol(start: bytes) -> str | None:
    """Return the protocol of a stream that begins with these four bytes, "HTTP" or "TLS"; None for any other."""
    if start in _HTTP:
        return "HTTP"
    return "TLS" if start.startswith(_TLS) else None


class BufferPool:
    """The receive buffers of all connections, lent while bytes are received or served.

    At most *keep* buffers of each size are kept; these are bytearrays, which the kernel fills at 8 % less cost.
    Further big buffers are private anonymous mmaps, which take memory page by page as bytes arrive, so that many peers
    with half a frame each do not hold a whole buffer each.  They are enlarged without a copy, which takes 30 ms for a
    frame of 50 MB, and cost a third of shared ones when they are freed.
    """

    __slots__ = ("_big_buffers", "_free", "_keep", "_shared")

    def __init__(self, keep: int = 8) -> None:
        self._keep = keep
        self._big_buffers = 0
        self._free: dict[int, list[memoryview]] = {SMALL_BYTES: [], BIG_BYTES: []}
        self._shared: memoryview | None = None

    @property
    def shared(self) -> memoryview:
        """A small buffer, for requests that are served in the call that receives them; see `FrameReceiver.adopt`."""
        shared = self._shared
        if shared is None:
            shared = self._shared = self.take(SMALL_BYTES)
        return shared

    def take_shared(self) -> memoryview:
        """Return `shared`, which is another buffer from now on."""
        shared, self._shared = self._shared, None
        return self.take(SMALL_BYTES) if shared is None else shared

    def take(self, size_bytes: int) -> memoryview:
        """Return a writable view of at least *size_bytes* bytes; its content is arbitrary."""
        free = self._free.get(size_bytes)
        if free:
            return free.pop()
        if size_bytes > SMALL_BYTES:
            if size_bytes != BIG_BYTES or self._big_buffers == self._keep:
                pages = mmap(-1, size_bytes, flags=MAP_PRIVATE | MAP_ANONYMOUS)
                pages.madvise(MADV_NOHUGEPAGE)
                return memoryview(pages)
            self._big_buffers += 1
        return memoryview(bytearray(size_bytes))

    def enlarge(self, view: memoryview, size_bytes: int) -> memoryview:
        """Return a view in place of *view*, with *size_bytes* bytes if that takes no copy, else as large as before."""
        pages = view.obj
        if type(pages) is not mmap:
            return view
        view.release()
        try:
            pages.resize(size_bytes)
        except (BufferError, OSError, SystemError):  # a frame in it is still used; no memory; no mremap on this system
            pass
        return memoryview(pages)

    def give_back(self, view: memoryview) -> None:
        """Take back *view*, which must not be used any more."""
        if type(view.obj) is bytearray:
            free = self._free[len(view)]
            if len(free) < self._keep:
                free.append(view)


class FrameReceiver:
    """Cuts the bytes that one connection receives into frames."""

    __slots__ = ("_end", "_limit", "_missing", "_pool", "_start", "_wanted", "view")

    def __init__(self, pool: BufferPool, limit_bytes: int) -> None:
        self._pool = pool
        self._limit = limit_bytes
        self._wanted = SMALL_BYTES
        self.view: memoryview | None = None
        """The buffer that is held, None if nothing is unread."""
        self._start = 0  # of the bytes that are not in a returned frame
        self._end = 0  # of the received bytes
        self._missing = 0  # bytes that an incomplete frame lacks, or 0

    def space(self) -> memoryview:
        """Return the memory to receive into.

        It ends with a large frame that is incomplete, so that the next frame begins at the start of a buffer.
        """
        view = self.view
        if view is None:
            view = self.view = self._pool.take(self._wanted)
            return view
        if self._missing:
            return self._space_for_frame(view)
        if self._start == self._end:
            self._start = self._end = 0
            if len(view) < self._wanted:
                self._pool.give_back(view)
                view = self.view = self._pool.take(self._wanted)
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
                # The buffer is full: double what has arrived, up to the frame; memory follows the bytes received.
                size_bytes = min(frame_bytes, max(2 * have, SMALL_BYTES))
                if size_bytes <= BIG_BYTES:
                    size_bytes = BIG_BYTES if size_bytes > SMALL_BYTES else SMALL_BYTES
                if size_bytes > len(view) and not self._start:
                    view = self.view = self._pool.enlarge(view, size_bytes)
                if size_bytes > len(view):
                    larger = self._pool.take(size_bytes)
                    self._move(view, larger)
                    self.view = larger
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

    def adopt(self, count: int) -> None:
        """Count in *count* bytes that were received into the pool's shared buffer; this must be empty.

        The buffer is this one's from now on, and the pool gets another one.
        """
        self.view = self._pool.take_shared()
        self._start, self._end = 0, count

    def received(self, count: int) -> None:
        """Count *count* bytes in, which were written to the beginning of `space()`."""
        self._end += count

    def next_frame(self) -> memoryview | None:
        """Return the body of the next complete frame, or None if it is incomplete.

        The view is valid until the next `space()` or `release()`.

        Raises:
            ProtocolError: the announced size is negative or above the limit.
            ForeignProtocolError: the bytes are the beginning of HTTP or TLS.
        """
        start = self._start
        have = self._end - start
        if have < 4:
            self._missing = 0
            return None
        view = self.view
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
        """The number of bytes that were received, but not returned in a frame yet."""
        return self._end - self._start

    def release(self) -> None:
        """Return the buffer to the pool unless part of a frame is in it."""
        view = self.view
        if view is not None and self._start == self._end:
            self._pool.give_back(view)
            self.view = None
            self._start = self._end = 0

    def close(self) -> None:
        """Return the buffer to the pool, with all that is in it."""
        if self.view is not None:
            self._pool.give_back(self.view)
            self.view = None
            self._start = self._end = self._missing = 0
