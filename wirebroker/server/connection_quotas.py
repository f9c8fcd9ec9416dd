"""ConnectionQuotas: the limits max.connections, max.connections.per.ip(.overrides) and max.connection.creation.rate,
and the quota connection_creation_rate of addresses.

Connections are counted over all listeners, as in Kafka (KIP-402, KIP-612): the socket of a peer with too many is closed
at once; when the broker is full, or too many come at a time, new connections wait in the kernel.  The limits may change
while the broker runs.  A connection over the quota of its address is accepted, and closed when the throttle time is
over.  Host names in limits are resolved by a task of their own (``host_addresses.py``); until then they have no effect.
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.config.keys import UNLIMITED
from wirebroker.quota.connection_rates import IpConnectionRates
from wirebroker.quota.levels import IP
from wirebroker.quota.managers import CONNECTION_CREATION_RATE
from wirebroker.quota.rate import QuotaWindow
from wirebroker.server.host_addresses import HostAddresses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.config.server import BrokerConfig
    from wirebroker.quota.levels import QuotaEntity

logger = logging.getLogger(__name__)

_SAVED_S: Final = 10.0
"""After a time without connections this many seconds of the rate may come at once, as Kafka's rates do."""
_OVERRIDES: Final = "max.connections.per.ip.overrides"

_DEFAULT_WINDOW: Final = QuotaWindow()


class ConnectionQuotas:
    """The connections of one broker by the address of the peer, and whether another one may be accepted."""

    def __init__(self, config: DynamicConfig, most: int, window: QuotaWindow = _DEFAULT_WINDOW) -> None:
        """Obey the limits of *config* at every arrival; *most* is for how many connections there are descriptors."""
        self._window = window
        self._ip_rates: IpConnectionRates | None = None
        self._config = config
        self._most = most
        self._counts: Counter[str] = Counter()
        self._hosts = HostAddresses(self._apply_addresses)
        self._host_rates: dict[str, float] = {}
        self._default_rate: float | None = None
        self._overrides_text = ""
        self._host_overrides: dict[str, int] = {}
        self._overrides: dict[str, int] = {}
        """Address -> how many connections it may have, in place of max.connections.per.ip."""
        self._paced_until = -math.inf
        """The time at which the last connection would have come at the rate; of trio's clock."""
        config.subscribe(self._update_overrides)

    async def resolve_hosts(self) -> None:
        """Resolve the host names in limits, those of later changes, too, until cancelled."""
        await self._hosts.run()

    @property
    def count(self) -> int:
        """The number of open connections."""
        return self._counts.total()

    def has_room(self) -> bool:
        """Return whether another connection may be accepted under max.connections."""
        return self.count < min(self._most, self._config.current.max_connections)

    def delay_s(self) -> float:
        """Return how long the next connection has to wait under max.connection.creation.rate, in seconds."""
        rate = self._config.current.max_connection_creation_rate
        if rate == UNLIMITED:
            return 0.0
        now = trio.current_time()
        return max(0.0, self._paced_until + 1 / rate - now) if rate else math.inf

    def update_ip_rates(self, quotas: Mapping[QuotaEntity, Mapping[str, float]]) -> None:
        """Take the rates of addresses from *quotas*; a host name stands for all its addresses."""
        self._host_rates, self._default_rate = {}, None
        for entity, values in quotas.items():
            kind, name = entity[0]
            limit = values.get(CONNECTION_CREATION_RATE)
            if kind != IP or limit is None:
                continue
            if name is None:
                self._default_rate = limit
            else:
                self._host_rates[name] = limit
        self._hosts.use(CONNECTION_CREATION_RATE, self._host_rates)
        self._apply_addresses()

    def _update_overrides(self, config: BrokerConfig) -> None:
        text = config.max_connections_per_ip_overrides
        if text == self._overrides_text:
            return
        self._overrides_text, self._host_overrides = text, _overrides(text)
        self._hosts.use(_OVERRIDES, self._host_overrides)
        self._apply_addresses()

    def _apply_addresses(self) -> None:
        """Take over the limits of hosts for their addresses that are known by now."""
        self._overrides = {
            address: limit for host, limit in self._host_overrides.items() for address in self._hosts.of(host)
        }
        if not self._host_rates and self._default_rate is None:
            self._ip_rates = None
            return
        self._ip_rates = self._ip_rates or IpConnectionRates(self._window)
        rates = {address: rate for host, rate in self._host_rates.items() for address in self._hosts.of(host)}
        self._ip_rates.update(rates, self._default_rate)

    def throttle_s(self, host: str) -> float:
        """Return the seconds after which a new connection of *host* is to be closed; 0 if it may be served."""
        if self._ip_rates is None:
            return 0.0
        return self._ip_rates.record_and_throttle_ms(host, int(trio.current_time() * 1000)) / 1000

    def _count_arrival(self) -> None:
        rate = self._config.current.max_connection_creation_rate
        if rate and rate != UNLIMITED:
            self._paced_until = max(self._paced_until, trio.current_time() - _SAVED_S) + 1 / rate

    def enter(self, host: str) -> bool:
        """Count a connection of *host* and return True; count nothing and return False at max.connections.per.ip."""
        self._count_arrival()
        limit = self._overrides.get(host, self._config.current.max_connections_per_ip)
        if self._counts[host] >= limit:
            logger.warning(
                "peer=%s: connection refused: max.connections.per.ip allows %d, and it has %d",
                *(host, limit, self._counts[host]),
            )
            return False
        self._counts[host] += 1
        return True

    def leave(self, host: str) -> None:
        """Count a connection of *host* out, which `enter` has counted."""
        self._counts[host] -= 1
        if not self._counts[host]:
            del self._counts[host]


def _overrides(text: str) -> dict[str, int]:
    """Return host -> limit of `host:count,host:count`."""
    found: dict[str, int] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        host, _, count = entry.rpartition(":")
        found[host.strip("[]")] = int(count)
    return found
