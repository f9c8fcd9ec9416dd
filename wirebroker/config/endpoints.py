"""Listeners: parses `PLAINTEXT://host:port,...` of listeners and advertised.listeners.

Facts: KIP-103 (names and protocols), KIP-291, Kafka's SocketServerConfigs.  An empty host means every interface, port 0
means any free one.  A client of a listener without an advertised address is told the address that it has connected to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_ENDPOINT = re.compile(r"([^:/\s]+)://(?:\[([0-9a-fA-F:.%]+)\]|([^:/\[\]\s]*)):([0-9]+)", re.ASCII)
_HIGHEST_PORT = 65535


class Listener(NamedTuple):
    """One address to listen on; an empty host is every interface."""

    name: str
    protocol: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.name}://{bracketed(self.host)}:{self.port}"


def bracketed(host: str) -> str:
    """Return *host* as in an address: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def parse_protocol_map(text: str) -> dict[str, str]:
    """Return listener name -> security protocol; ConfigError for an invalid map."""
    protocols = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, colon, protocol = entry.rpartition(":")
        name, protocol = name.strip().upper(), protocol.strip().upper()
        if not colon or not name or protocol not in PROTOCOLS:
            raise ConfigError(f"listener.security.protocol.map={text}: {entry} is not NAME:PROTOCOL")
        if name in protocols:
            raise ConfigError(f"listener.security.protocol.map={text}: {name} is there twice")
        protocols[name] = protocol
    return protocols


def parse_listeners(key: str, text: str, protocols: Mapping[str, str]) -> tuple[Listener, ...]:
    """Return the listeners in *text*, the value of *key*, with names in upper case; ConfigError for invalid text."""
    listeners = []
    try:
        found = split_listeners(text)
    except ConfigError as problem:
        raise ConfigError(f"{key}={text}: {problem}") from None
    for name, host, port in found:
        protocol = protocols.get(name, name)
        if protocol not in PROTOCOLS:
            raise ConfigError(f"{key}={text}: listener.security.protocol.map does not say which protocol {name} speaks")
        listeners.append(Listener(name, protocol, host, port))
    return tuple(listeners)


def split_listeners(text: str) -> list[tuple[str, str, int]]:
    """Return the name in upper case, host and port of each listener in *text*; ConfigError for invalid text."""
    entries = []
    for entry in filter(None, (part.strip() for part in text.split(","))):
        found = _ENDPOINT.fullmatch(entry)
        if found is None:
            raise ConfigError(f"{entry} is not NAME://host:port")
        if int(found[4]) > _HIGHEST_PORT:
            raise ConfigError(f"port {found[4]} is out of range 0 to {_HIGHEST_PORT}")
        entries.append((found[1].upper(), found[2] or found[3], int(found[4])))
    return entries


def check_listeners(text: str, listeners: Iterable[Listener], *, by_address: bool = False) -> None:
    """Check that no two listeners have the same name or port, except an IPv4 and an IPv6 address (KIP-797).

    Args:
        text: The value of listeners, for the message.
        listeners: The parsed value.
        by_address: Allow the same name, and the same port of different hosts, for `--listener`.

    Raises:
        ConfigError: two listeners have the same name or port.
    """
    names: dict[str, Listener] = {}
    places: set[tuple[object, int]] = set()
    for each in listeners:
        name, _, host, port = each
        is_v6 = ":" in host
        twin = names.setdefault(name, each)
        if twin is not each and not by_address and (":" in twin.host) == is_v6:
            raise ConfigError(f"listeners={text}: two listeners are called {name}")
        place = (host if by_address else is_v6, port)
        if port and place in places:
            raise ConfigError(f"listeners={text}: two listeners use port {port}")
        places.add(place)


def advertised(text: str, advertise: Iterable[Listener], listeners: Iterable[Listener]) -> dict[str, tuple[str, int]]:
    """Return listener name -> advertised host and port; ConfigError for an invalid address."""
    names = {listener.name for listener in listeners}
    addresses: dict[str, tuple[str, int]] = {}
    for name, _, host, port in advertise:
        if host in ("0.0.0.0", "::"):
            raise ConfigError(f"advertised.listeners={text}: clients cannot connect to {host}; name an address of ours")
        if name not in names:
            raise ConfigError(f"advertised.listeners={text}: there is no listener called {name}")
        if name in addresses:
            raise ConfigError(f"advertised.listeners={text}: {name} is there twice")
        if host:
            addresses[name] = (host, port)
    return addresses
