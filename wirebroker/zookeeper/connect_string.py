"""ConnectString: the value of `zookeeper.connect`, servers with commas between and the chroot behind the last one."""

from __future__ import annotations

from typing import NamedTuple

from wirebroker.config.values import ConfigError

_HIGHEST_PORT = 65535
_DEFAULT_PORT = 2181


class ConnectString(NamedTuple):
    """Where ZooKeeper is, and the znode below which this cluster has its own."""

    hosts: str
    """`host:port` with commas between; an IPv6 address has brackets."""
    chroot: str
    """A path such as `/kafka`, or nothing."""

    def __str__(self) -> str:
        return self.hosts + self.chroot


def parse_connect_string(text: str) -> ConnectString:
    """Return the parts of *text*; servers without a port get 2181.

    Raises:
        ConfigError: a server or the chroot is malformed.
    """
    hosts, slash, path = text.strip().partition("/")
    names = path.split("/") if path else []
    if slash and names and names[-1] == "":
        names.pop()  # a slash at the end is no part of the path
    if any(name in ("", ".", "..") for name in names):
        raise ConfigError(f"zookeeper.connect={text}: /{path} is not the path of a znode")
    servers = [_server(text, server.strip()) for server in hosts.split(",") if server.strip()]
    if not servers:
        raise ConfigError(f"zookeeper.connect={text}: no server, expected host:port")
    return ConnectString(",".join(servers), "".join(f"/{name}" for name in names))


def _server(text: str, server: str) -> str:
    host, colon, port = server.rpartition(":")
    if not colon or port.endswith("]"):
        host, port = server, str(_DEFAULT_PORT)
    if not host or (":" in host and not (host.startswith("[") and host.endswith("]"))):
        raise ConfigError(f"zookeeper.connect={text}: {server} is not host:port (an IPv6 address needs brackets)")
    if not port.isdecimal() or not 0 < int(port) <= _HIGHEST_PORT:
        raise ConfigError(f"zookeeper.connect={text}: {port} is not a port")
    return f"{host}:{port}"
