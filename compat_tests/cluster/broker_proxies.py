"""BrokerProxies: proxies around one wirebroker of a cluster, by which it is cut off in both directions.

Connections to it pass a proxy as the addresses that it advertises are those of proxies, and its own connections as
`proxied_wirebroker` leads them there.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from compat_tests.cluster.proxied_wirebroker import PROXIED_PORTS
from compat_tests.cluster.tcp_proxy import TcpProxy
from tools.jvm.ports import free_ports

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from compat_tests.broker import Wirebroker
    from compat_tests.cluster.mixed_cluster import MixedCluster


class BrokerProxies:
    """The proxies of one broker; a context manager that ends all of them.

    Args:
        cluster: Where the broker is, with a second listener, which brokers use among themselves, and its ZooKeeper.
        broker_id: The broker, which must not exist yet.
        peers: The other brokers.
        cuts_clients: Whether clients reach the broker through a proxy, too.  A broker that does not run has to refuse
            connections: librdkafka takes one that accepts and closes them for a release without ApiVersions.
    """

    def __init__(self, cluster: MixedCluster, broker_id: int, peers: Iterable[int], *, cuts_clients: bool) -> None:
        self._cluster, self._broker_id, self._cuts_clients = cluster, broker_id, cuts_clients
        self._stack = ExitStack()
        self.port = free_ports(1)[0]
        """Of the broker itself."""
        self.to_zookeeper = self._proxy(cluster.zookeeper.port)
        self.from_clients = self._proxy(self.port)
        self.from_peers = self._proxy(cluster.second_port(broker_id))
        self._to_peers = {cluster.second_port(each): self._proxy(cluster.second_port(each)) for each in peers}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _proxy(self, port: int) -> TcpProxy:
        return self._stack.enter_context(TcpProxy(port))

    @property
    def peers(self) -> list[TcpProxy]:
        """The proxies between the broker and other brokers, of both directions."""
        return [self.from_peers, *self._to_peers.values()]

    def add_wirebroker(self, listener: str, settings: Mapping[str, str]) -> Wirebroker:
        """Return the wirebroker behind the proxies, which is to be started; *listener* is the name of the second."""
        advertised = {"PLAINTEXT": self.from_clients.port if self._cuts_clients else self.port}
        advertised[listener] = self.from_peers.port
        own = {
            "inter.broker.listener.name": listener,
            "zookeeper.connect": f"127.0.0.1:{self.to_zookeeper.port}",
            "advertised.listeners": ",".join(f"{name}://127.0.0.1:{at}" for name, at in advertised.items()),
        }
        broker = self._cluster.add_wirebroker(self._broker_id, {**settings, **own})
        broker.port = self.port
        broker.program = ["-m", "compat_tests.cluster.proxied_wirebroker"]
        ports = {str(port): proxy.port for port, proxy in self._to_peers.items()}
        broker.environment = {PROXIED_PORTS: json.dumps(ports)}
        return broker
