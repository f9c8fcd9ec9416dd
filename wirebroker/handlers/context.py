"""What every handler is given: who asks (RequestContext) and whom to ask (Services)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.handlers.routes import EVERYTHING
from wirebroker.model import Caller
from wirebroker.turns import Turns

if TYPE_CHECKING:
    from wirebroker.config.server import BrokerConfig
    from wirebroker.controller.controller import Controller
    from wirebroker.coordinator.group.coordinator import GroupCoordinator
    from wirebroker.coordinator.transaction.coordinator import TransactionCoordinator
    from wirebroker.handlers.routes import RouteTable
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.model import BrokerEndpoint
    from wirebroker.replication.fetch_session import FetchSessions
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.replication.transaction_markers import TransactionMarkers


class Services:
    """The collaborators, built once by `broker.py`."""

    __slots__ = (
        "controller",
        "fetch_sessions",
        "groups",
        "markers",
        "metadata",
        "node_id",
        "replicas",
        "routes",
        "transactions",
    )

    def __init__(
        self,
        *,
        node_id: int,
        metadata: MetadataCache,
        controller: Controller,
        replicas: ReplicaManager,
        fetch_sessions: FetchSessions,
        groups: GroupCoordinator,
        markers: TransactionMarkers,
        transactions: TransactionCoordinator,
        routes: RouteTable = EVERYTHING,
    ) -> None:
        self.node_id = node_id
        self.metadata = metadata
        self.controller = controller
        self.replicas = replicas
        self.fetch_sessions = fetch_sessions
        self.groups = groups
        self.markers = markers
        self.transactions = transactions
        self.routes = routes

    @property
    def config(self) -> BrokerConfig:
        """The broker's settings as they are now; dynamic ones may change with every await."""
        return self.controller.config


class RequestContext:
    """One connection's identity plus the request being served; requests of a connection are served one by one.

    A connection owns one of these and overwrites `api_key`, `version` and `client_id` for each
    request, so a handler must not keep it after it has answered.
    """

    __slots__ = (
        "api_key",
        "client_host",
        "client_id",
        "listener",
        "local_host",
        "local_port",
        "principal",
        "routes",
        "services",
        "software",
        "turns",
        "version",
    )

    def __init__(
        self,
        services: Services,
        *,
        listener: str = "PLAINTEXT",
        local_host: str = "127.0.0.1",
        local_port: int = 9092,
        client_host: str = "127.0.0.1",
        principal: str = "User:ANONYMOUS",
        routes: RouteTable = EVERYTHING,
    ) -> None:
        self.services = services
        self.routes = routes
        self.listener = listener
        self.local_host = local_host
        self.local_port = local_port
        self.client_host = client_host
        self.principal = principal
        self.software: tuple[str, str] | None = None  # name and version from ApiVersions 3+
        self.api_key = -1
        self.version = 0
        self.client_id: str | None = None
        self.turns: Turns | None = None
        """The turns of the request being served, if its handler takes any."""

    @property
    def caller(self) -> Caller:
        """Who asks, as a value that may be kept."""
        return Caller(self.principal, self.client_id, self.client_host, self.listener)

    def start_turns(self) -> Turns:
        """The turns of the request being served; an answer that took more than one is encoded in a thread, too."""
        self.turns = Turns()
        return self.turns

    def advertised(self, endpoint: BrokerEndpoint) -> tuple[str, int]:
        """The host and port that a client on this connection should use for *endpoint*.

        Our own broker is reachable under the address this client has just used, whatever name it
        has elsewhere; only `advertised.listeners` overrides that.
        """
        if endpoint.node_id != self.services.node_id:
            return endpoint.host, endpoint.port
        configured = self.services.config.advertised.get(self.listener)
        return configured if configured is not None else (self.local_host, self.local_port)
