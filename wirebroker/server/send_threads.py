"""SendThreads: a few threads that send large ranges of files with calls that block, each range by a pipe of its own.

The kernel waits for room in the socket within the call: the broker is not woken for each third of the send buffer, the
pages of a cold file are read meanwhile, and the event loop serves other connections.  Handing a range over takes about
100 us of processor time, so it has to be large.  A peer that stops reading gives its thread back after _PATIENCE_S, and
the event loop sends what is left; it sends all of a range while no thread is free.

Measured on two cores with other load, against sending in the event loop: processor time with 8 MB a request 0.86, with
6 MB 0.93, with 4 MB 0.99, with 2 MB 1.14; the rate with 8 MB 1.13 to 1.21, with 4 MB 1.08.  The lag of the event loop
beside three clients that fetch 8 MB at a time: median 0.5 to 1.0 ms, 3.2 to 25 ms before.

Pages of the file move to the socket by splice and a pipe of 1 MB.  sendfile is the same with a pipe of 64 kB that the
kernel owns: it looks up, and counts references to, 16 pages at a time, 256 with this one.  That takes 0.92 to 0.94 of
the processor time of a broker that sends 8 MB a request; a pipe of 512 kB takes 1, one of 256 kB 1.13.
"""

from __future__ import annotations

import fcntl
import os
import socket
import threading
from collections import deque
from contextlib import suppress
from queue import SimpleQueue
from struct import pack
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.protocol.primitives import DetachedRecords

LEAST_BYTES: Final = 4 << 20
"""A smaller range is sent by the event loop."""
_THREADS: Final = 3
"""As many as Apache Kafka has network threads (num.network.threads)."""
_PATIENCE_S: Final = 0.02
_PATIENCE: Final = pack("@ll", 0, int(_PATIENCE_S * 1_000_000))  # struct timeval
_SEND_BUFFER_BYTES: Final = 300 * 1024
"""The least SO_SNDBUF of a socket from the first range on, unless that is left to the system.  Against 1 MB: 0.73 to
0.86 of the processor time, 1.16 to 1.23 times the rate; 200 kB takes 1.04 to 1.18 times the processor time of 300 kB,
the 400 kB of Listener 1.3 times.  On another machine 1 MB took 0.97 of that of 400 kB."""
_STEP_BYTES: Final = 4 << 20
"""A thread that has no pipe looks after so many bytes whether the connection is closed."""
_PIPE_BYTES: Final = 1 << 20
"""The most that fs.pipe-max-size allows without privileges, unless it was changed."""
_SPLICE_F_MORE: Final = 4
_JOIN_S: Final = 1.0


class _Pipe:
    """The pipe by which a range of a file is sent; sendfile if there is no large one.

    The kernel limits the size of one pipe, and of all that a user has (fs.pipe-max-size, fs.pipe-user-pages-soft).  To
    open and close one takes 6 us, so no thread keeps descriptors while it has nothing to send.
    """

    __slots__ = ("_filled_bytes", "_reader", "_writer")

    def __init__(self) -> None:
        self._filled_bytes = 0
        self._reader = self._writer = -1
        with suppress(OSError):
            self._reader, self._writer = os.pipe2(os.O_CLOEXEC)
            try:
                fcntl.fcntl(self._writer, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
            except OSError:
                self.close()

    def send(self, sock_fd: int, file_fd: int, at: int, end: int) -> int:
        """Send some of the bytes *at* to *end* of a file, which follow those of the call before; return how many.

        Raises:
            BrokenPipeError: the file ends before *at*.
            OSError: as of os.splice and os.sendfile.
        """
        if self._writer < 0:
            sent = os.sendfile(sock_fd, file_fd, at, min(_STEP_BYTES, end - at))
        else:
            if not self._filled_bytes:
                self._filled_bytes = os.splice(file_fd, self._writer, min(_PIPE_BYTES, end - at), at)
            sent = 0
            if self._filled_bytes:
                # The end of a range is sent at once, that of a full pipe together with what follows.
                more = _SPLICE_F_MORE if at + self._filled_bytes < end else 0
                sent = os.splice(self._reader, sock_fd, self._filled_bytes, flags=more)
                self._filled_bytes -= sent
        if sent == 0:
            # The file is shorter than the range: the peer has been promised more bytes than exist.
            raise BrokenPipeError("log file ends inside a range being sent")
        return sent

    def close(self) -> None:
        """Close the pipe with what is in it, if there is one."""
        if self._writer >= 0:
            os.close(self._reader)
            os.close(self._writer)
            self._reader = self._writer = -1


class RangeSend:
    """One range on its way, in blocking mode of the socket; the thread and the event loop both refer to it.

    It keeps the records, and with them their file, while the thread reads it.
    """

    __slots__ = (
        "_at",
        "_end",
        "_fault",
        "_file_fd",
        "_lock",
        "_records",
        "_sock",
        "is_abandoned",
        "is_done",
        "on_done",
    )

    def __init__(self, sock: socket.socket, records: DetachedRecords, file_fd: int, at: int, end: int) -> None:
        self._sock = sock
        self._records = records
        self._file_fd = file_fd
        self._at = at
        self._end = end
        self._fault: OSError | None = None
        self._lock = threading.Lock()
        self.is_done = False
        self.is_abandoned = False
        """Whether the connection has been closed; then the thread closes the socket."""
        self.on_done: Callable[[], None] | None = None
        """Called in the event loop when the thread is done, unless the connection has been closed."""

    def run(self) -> None:
        """Send, in a thread, until all is sent, the peer stops reading, or the connection is closed."""
        fd = self._sock.fileno()
        pipe = _Pipe()
        try:
            while self._at < self._end and not self.is_abandoned:
                self._at += pipe.send(fd, self._file_fd, self._at, self._end)
        except BlockingIOError:
            pass  # nothing was read for _PATIENCE_S
        except OSError as fault:
            self._fault = fault
        finally:
            pipe.close()
        with self._lock:
            self.is_done = True
            if self.is_abandoned:
                self._sock.close()

    def abandon(self) -> None:
        """Close the socket, now or when the thread is done with it, which is soon."""
        self.on_done = None
        with self._lock:
            self.is_abandoned = True
            if self.is_done:
                self._sock.close()
                return
            with suppress(OSError):
                self._sock.shutdown(socket.SHUT_RDWR)  # ends the thread's wait for room

    def result(self) -> int:
        """Return the position of the first byte that was not sent; the socket does not block any more.

        Raises:
            OSError: the connection is lost, or the file cannot be read.
        """
        os.set_blocking(self._sock.fileno(), False)
        if self._fault is not None:
            raise self._fault
        return self._at


class SendThreads:
    """The threads, which start with the first range.

    Args:
        watch: Called with `fd` when it is opened, for the first range; what it raises is as if no thread could start.

    Attributes:
        fd: A descriptor that can be read when a range is done; see `take_done`.  -1 before the first one.
        running: The number of ranges that are being sent.
    """

    def __init__(self, watch: Callable[[int], None]) -> None:
        self.fd = -1
        self.running = 0
        self._watch = watch
        self._queue: SimpleQueue[RangeSend | None] = SimpleQueue()
        self._done: deque[RangeSend] = deque()
        self._threads: list[threading.Thread] = []

    def start(
        self, sock: socket.socket, records: DetachedRecords, file_fd: int, at: int, end: int, send_buffer_bytes: int
    ) -> RangeSend | None:
        """Have a thread send bytes *at* to *end* of a file, which *records* hold open; None if all are taken.

        *send_buffer_bytes* is the buffer that was asked for, -1 if that is left to the system.  Until
        `RangeSend.on_done` nobody else may use the socket.
        """
        if self.running == _THREADS:
            return None
        if self.running == len(self._threads):
            thread = threading.Thread(target=self._work, name=f"send-{self.running}", daemon=True)
            try:
                if self.fd < 0:
                    self._open()
                thread.start()
            except (RuntimeError, OSError):  # the system has no thread, or no descriptor, left
                return None
            self._threads.append(thread)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _PATIENCE)
        if send_buffer_bytes > 0:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, max(send_buffer_bytes, _SEND_BUFFER_BYTES))
        os.set_blocking(sock.fileno(), True)
        self.running += 1
        send = RangeSend(sock, records, file_fd, at, end)
        self._queue.put(send)
        return send

    def _open(self) -> None:
        fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        try:
            self._watch(fd)
        except OSError:
            os.close(fd)
            raise
        self.fd = fd

    def take_done(self) -> list[RangeSend]:
        """Return the ranges that were done since the last call, when `fd` can be read."""
        os.eventfd_read(self.fd)
        done = []
        while self._done:
            done.append(self._done.popleft())
        self.running -= len(done)
        return done

    def _work(self) -> None:
        while (send := self._queue.get()) is not None:
            send.run()
            self._done.append(send)
            os.eventfd_write(self.fd, 1)

    def close(self) -> None:
        """End the threads, when every connection is closed."""
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(_JOIN_S)
        if self.fd >= 0 and not any(thread.is_alive() for thread in self._threads):  # else one waits for a disk
            os.close(self.fd)
