"""How many connections there may be: of one peer (max.connections.per.ip, its overrides), altogether (max.connections),
and new ones a second (max.connection.creation.rate).

Counted over all listeners, as in Kafka (KIP-402, KIP-612): a peer with too many is hung up on at once; when the broker
is full, or too many come at a time, new connections wait in the kernel.  The limits may change while the broker runs.
"""

from __future__ import annotations

import logging
import math
import socket
from collections import Counter
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.config.keys import UNLIMITED

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.config.server import BrokerConfig

logger = logging.getLogger(__name__)

_SAVED_S: Final = 10.0
"""What may come at once after a quiet time: as many as in so long.  Kafka measures rates over ten seconds, too."""


class ConnectionQuota:
    """The connections of one broker by the peer's address."""

    def __init__(self, config: Callable[[], BrokerConfig], most: int) -> None:
        """*config* is asked each time; *most* is what the system has descriptors for."""
        self._config = config
        self._most = most
        self._counts: Counter[str] = Counter()
        self._overrides_text = ""
        self._overrides: dict[str, int] = {}
        self._paced_until = -math.inf
        """If connections had come evenly, the last one would have come now."""

    @property
    def count(self) -> int:
        """How many connections there are."""
        return self._counts.total()

    def has_room(self) -> bool:
        """May another connection be accepted?"""
        return self.count < min(self._most, self._config().max_connections)

    def delay_s(self) -> float:
        """How long the next connection has to wait because of how many came lately."""
        rate = self._config().max_connection_creation_rate
        if rate == UNLIMITED:
            return 0.0
        now = trio.current_time()
        return max(0.0, self._paced_until + 1 / rate - now) if rate else math.inf

    def _count_arrival(self) -> None:
        rate = self._config().max_connection_creation_rate
        if rate and rate != UNLIMITED:
            self._paced_until = max(self._paced_until, trio.current_time() - _SAVED_S) + 1 / rate

    def enter(self, host: str) -> bool:
        """Count a connection of *host*; False, and it is not counted, if that peer has enough of them."""
        self._count_arrival()
        config = self._config()
        if config.max_connections_per_ip_overrides != self._overrides_text:
            self._overrides_text = config.max_connections_per_ip_overrides
            self._overrides = _overrides(self._overrides_text)
        limit = self._overrides.get(host, config.max_connections_per_ip)
        if self._counts[host] >= limit:
            logger.warning("peer=%s: refused, it has %d connections and may have %d", host, self._counts[host], limit)
            return False
        self._counts[host] += 1
        return True

    def leave(self, host: str) -> None:
        """A counted connection has ended."""
        self._counts[host] -= 1
        if not self._counts[host]:
            del self._counts[host]


def _overrides(text: str) -> dict[str, int]:
    """Address -> limit of `host:count,host:count`; a name stands for all its addresses."""
    found: dict[str, int] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        host, _, count = entry.rpartition(":")
        host = host.strip("[]")
        found[host] = int(count)
        try:
            for *_, address in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM):
                found[str(address[0])] = int(count)
        except OSError as fault:
            logger.warning("max.connections.per.ip.overrides: %s: %s", host, fault)
    return found
