"""Log lines about peers that speak HTTP or TLS to a Kafka listener."""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

QUIET_S: Final = 60.0
PEERS: Final = 10
"""The most peers that are logged in QUIET_S, each once: health checks come every second, port scans from everywhere."""
_REMEDIES: Final = {
    "TLS": "security.protocol must be PLAINTEXT in the client's configuration",
    "HTTP": "point web browsers and HTTP health checks at another port",
}


class ForeignProtocolLog:
    """Logs peers with another protocol, at a bounded rate."""

    def __init__(self, listener: str, clock: Callable[[], float] = monotonic) -> None:
        self._listener = listener
        self._clock = clock
        self._logged: dict[str, float] = {}  # peer -> when
        self._not_logged = 0

    def report(self, peer: str, protocol: str) -> None:
        """Log that *peer* is disconnected because it speaks *protocol*, unless a line about it was logged lately."""
        now = self._clock()
        self._logged = {host: at for host, at in self._logged.items() if now - at < QUIET_S}
        if peer in self._logged or len(self._logged) == PEERS:
            self._not_logged += 1
            return
        self._logged[peer] = now
        more, self._not_logged = self._not_logged, 0
        logger.warning(
            "peer=%s: closing: it speaks %s, and listener %s speaks only Kafka's protocol without encryption; %s%s",
            peer,
            protocol,
            self._listener,
            _REMEDIES[protocol],
            f" ({more} such connections since the last such line)" if more else "",
        )
