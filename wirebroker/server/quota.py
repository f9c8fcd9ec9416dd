"""How many connections there may be: of one peer (max.connections.per.ip, its overrides), altogether (max.connections).

Counted over all listeners, as in Kafka (KIP-402): a peer with too many is hung up on at once; when the broker is full,
new connections wait in the kernel until others end.  The limits may change while the broker runs.
"""

from __future__ import annotations

import logging
import socket
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.config.server import BrokerConfig

logger = logging.getLogger(__name__)


class ConnectionQuota:
    """The connections of one broker by the peer's address."""

    def __init__(self, config: Callable[[], BrokerConfig], most: int) -> None:
        """*config* is asked each time; *most* is what the system has descriptors for."""
        self._config = config
        self._most = most
        self._counts: Counter[str] = Counter()
        self._overrides_text = ""
        self._overrides: dict[str, int] = {}

    @property
    def count(self) -> int:
        """How many connections there are."""
        return self._counts.total()

    def has_room(self) -> bool:
        """May another connection be accepted?"""
        return self.count < min(self._most, self._config().max_connections)

    def enter(self, host: str) -> bool:
        """Count a connection of *host*; False, and it is not counted, if that peer has enough of them."""
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
