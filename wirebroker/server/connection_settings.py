"""ConnectionSettings: what the connections of a broker have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.server.socket_wait import BUSY_POLL, BusyPoll

if TYPE_CHECKING:
    from wirebroker.protocol.frames import BufferPool


class ConnectionSettings(NamedTuple):
    """The resources and limits of every connection; made once by `broker.py`."""

    pool: BufferPool
    """The receive buffers; responses borrow one to gather small pieces in."""
    max_request_bytes: int
    """A larger request closes its connection (socket.request.max.bytes)."""
    write_timeout_s: float = 600.0
    """A peer that takes nothing of its response for so long is disconnected; may be infinite."""
    busy_poll: BusyPoll = BUSY_POLL
    send_buffer_bytes: int = -1
    """The send buffer that was asked for (socket.send.buffer.bytes); -1 leaves it to the system."""
