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
"""Each of so many peers is worth one line in QUIET_S: health checks come every second, port scans from everywhere."""
_REMEDIES: Final = {
    "TLS": "security.protocol must be PLAINTEXT in the client's configuration",
    "HTTP": "point web browsers and HTTP health checks at another port",
}


class ForeignProtocolLog:
    """What is said of such peers, at a bounded rate."""

    def __init__(self, listener: str, clock: Callable[[], float] = monotonic) -> None:
        self._listener = listener
        self._clock = clock
        self._said: dict[str, float] = {}  # peer -> when
        self._unsaid = 0

    def report(self, peer: str, protocol: str) -> None:
        """Log that *peer* was hung up on because it speaks *protocol*, unless that was said lately."""
        now = self._clock()
        self._said = {host: said for host, said in self._said.items() if now - said < QUIET_S}
        if peer in self._said or len(self._said) == PEERS:
            self._unsaid += 1
            return
        self._said[peer] = now
        more, self._unsaid = self._unsaid, 0
        logger.warning(
            "peer=%s: closing: it speaks %s, and listener %s speaks only Kafka's protocol without encryption; %s%s",
            peer,
            protocol,
            self._listener,
            _REMEDIES[protocol],
            f" ({more} such connections since the last such line)" if more else "",
        )
