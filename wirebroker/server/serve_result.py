"""ServeResult: the state of a connection after its turn."""

from __future__ import annotations

from enum import Enum, auto


class ServeResult(Enum):
    """The state in which `Connection.serve_ready` leaves a connection."""

    IDLE = auto()
    """Every request that has come is answered; the next one is waited for."""
    UNSENT = auto()
    """As IDLE, but the responses are still to be sent, with `ResponseSender.flush`."""
    BACKLOG = auto()
    """Requests have come that are not answered, as it is the turn of other connections."""
    MUTED = auto()
    """The client is throttled: nothing is read for `Connection.throttle_ms` (KIP-219)."""
    HELD = auto()
    """Too many responses are held back: nothing is read until some of them were sent."""
    CLOSED = auto()
    """The peer has gone or must be disconnected: the processor closes the connection."""
