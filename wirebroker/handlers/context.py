"""The arguments of every handler: the connection and request (RequestContext), the collaborators (Services)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from wirebroker.loop_budget import LoopBudget
from wirebroker.quota.managers import QuotaManagers

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable

    from wirebroker.cluster.controller_requests import ControllerRequests
    from wirebroker.cluster.scram_credentials import UserScramCredentials
    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.controller.administration import Administration
    from wirebroker.coordinator.group.coordinator import GroupCoordinator
    from wirebroker.coordinator.transaction.coordinator import TransactionCoordinator
    from wirebroker.handlers.fetch_fast_path import KnownFetches
    from wirebroker.handlers.known_fetch import KnownFetch
    from wirebroker.handlers.offset_commit_fast_path import KnownDelayedCommit, KnownOffsetCommits
    from wirebroker.handlers.produce_fast_path import KnownDelayedProduce
    from wirebroker.handlers.routes import RouteTable
    from wirebroker.kafka_controller.controller_apis import ControllerApis
    from wirebroker.kafka_controller.kafka_controller import KafkaController
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metrics.histogram import Histogram
    from wirebroker.metrics.request_metrics import RequestCounter
    from wirebroker.model import BrokerEndpoint, TopicPartition
    from wirebroker.protocol.errors import ErrorCode
    from wirebroker.protocol.primitives import WireBuffer
    from wirebroker.quota.request_time import RequestTime
    from wirebroker.replication.delayed_operation import DelayedOperation
    from wirebroker.replication.fetch_session_cache import FetchSessionCache
    from wirebroker.replication.fetcher.replica_fetcher_manager import ReplicaFetcherManager
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.replication.txn_marker_writer import TxnMarkerWriter
    from wirebroker.storage.log import Log
    from wirebroker.zookeeper.consumer_offsets import ZkConsumerOffsets


class FastPath(Protocol):
    """Serves requests of one API that are known."""

    def __call__(
        self, frame: memoryview, context: RequestContext, out: WireBuffer, /
    ) -> RequestCounter | KnownDelayedProduce | KnownDelayedCommit | KnownFetch | None:
        """Serve a request as `serve_known_produce` and `serve_known_fetch` do."""
        ...


class TransactionVerifier(Protocol):
    """Asks the coordinator of a transaction: this broker's, or in a cluster that of any broker."""

    async def verify_partitions(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: list[TopicPartition],
        *,
        add: bool,
    ) -> dict[TopicPartition, ErrorCode]:
        """Return for each of *partitions* whether the producer may write to it; see `TransactionCoordinator`."""
        ...


class Services:
    """The collaborators of all handlers, built once by `broker.py`."""

    node_id: int
    config: DynamicConfig
    """The settings; read `config.current` anew after every await, as dynamic ones may have changed."""
    metadata: MetadataCache
    """The image of topics, partitions, brokers and configs."""
    administration: Administration
    """Changes metadata, or says that another broker is the controller."""
    replicas: ReplicaManager
    """The partitions that this broker leads, and their log directories."""
    fetch_sessions: FetchSessionCache
    groups: GroupCoordinator
    """The consumer groups whose __consumer_offsets partition this broker leads."""
    markers: TxnMarkerWriter
    """Ends transactions in partitions of this broker."""
    transactions: TransactionCoordinator
    """The transactional ids whose __transaction_state partition this broker leads, and producer ids."""
    txn_verifier: TransactionVerifier
    """Verifies partitions of transactions, whichever broker coordinates them."""
    routes: RouteTable
    """The APIs of every connection, see `RequestContext.routes`."""
    controller_requests: ControllerRequests | None
    """The requests of another broker that is the controller; None without `zookeeper.connect`."""
    controller_apis: ControllerApis | None
    """The requests of brokers to this one as the controller; None without `zookeeper.connect`."""
    kafka_controller: KafkaController | None
    """The controller of this broker, active or not; None without `zookeeper.connect`."""
    zookeeper_offsets: ZkConsumerOffsets | None
    """The offsets of old consumers; None without `zookeeper.connect`."""
    scram_credentials: UserScramCredentials | None
    """The SCRAM credentials of users; None without `zookeeper.connect`, where there are none."""
    fetchers: ReplicaFetcherManager | None
    """The fetchers of the partitions that this broker follows; None without `zookeeper.connect`."""
    zookeeper_latency_ms: Histogram | None
    """The times of requests to ZooKeeper; None without `zookeeper.connect`."""
    zookeeper_events: Counter[str] | None
    """State of the session with ZooKeeper -> how often it was entered; None without `zookeeper.connect`."""
    quotas: QuotaManagers
    """The limits that clients are throttled by."""
    uncleanable_reason: Callable[[Log], str | None]
    """Returns why the log cleaner leaves a log alone, None if it does not; set when the log cleaner starts."""

    __slots__ = tuple(__annotations__)

    def __init__(
        self,
        *,
        node_id: int,
        config: DynamicConfig,
        metadata: MetadataCache,
        administration: Administration,
        replicas: ReplicaManager,
        fetch_sessions: FetchSessionCache,
        groups: GroupCoordinator,
        markers: TxnMarkerWriter,
        transactions: TransactionCoordinator,
        txn_verifier: TransactionVerifier,
        routes: RouteTable,
        quotas: QuotaManagers | None = None,
    ) -> None:
        """Set the given services; those of a cluster or of a task that starts later are None."""
        self.node_id = node_id
        self.config = config
        self.metadata = metadata
        self.administration = administration
        self.replicas = replicas
        self.fetch_sessions = fetch_sessions
        self.groups = groups
        self.markers = markers
        self.transactions = transactions
        self.txn_verifier = txn_verifier
        self.routes = routes
        self.controller_requests = self.controller_apis = self.kafka_controller = None
        self.zookeeper_offsets = self.scram_credentials = self.fetchers = None
        self.zookeeper_latency_ms = self.zookeeper_events = None
        self.quotas = QuotaManagers() if quotas is None else quotas
        self.uncleanable_reason = lambda _: None


PRINCIPAL: Final = "User:ANONYMOUS"
"""The principal of every client, as no listener authenticates."""


class RequestContext:
    """A connection and the request being served on it; requests of a connection are served one by one.

    The connection overwrites `api_key`, `version`, `client_id` and `request_bytes` for each request, so a handler must
    not keep the context after its response.

    Args:
        services: The collaborators.
        listener: The name of the listener that the client has connected to.
        local_host: The address of this broker that the client has connected to, without brackets.
        local_port: Its port.
        client_host: The address of the client.
        routes: The APIs that are served on the connection.
    """

    __slots__ = (
        "api_key",
        "client_host",
        "client_id",
        "delayed",
        "from_follower",
        "holds_responses",
        "known_commits",
        "known_fetches",
        "listener",
        "local_host",
        "local_port",
        "loop_budget",
        "request_bytes",
        "request_time",
        "routes",
        "serve_known",
        "services",
        "throttle_ms",
        "unpack_produce",
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
        routes: RouteTable,
        quotas: QuotaManagers | None = None,
    ) -> None:
        self.services = services
        self.routes = routes
        self.listener = listener
        self.local_host = local_host
        self.local_port = local_port
        self.client_host = client_host
        self.api_key = -1
        self.version = 0
        self.client_id: str | None = None
        self.request_bytes = 0
        """The size of the request being served, header and body."""
        self.throttle_ms = 0
        """For how long the connection is muted after the response; set by a handler, reset by the connection."""
        self.delayed: DelayedOperation | None = None
        """The operation that completes the response which the handler has returned; the connection takes it over."""
        self.holds_responses = False
        """Whether the connection takes any operation as `delayed`, and no task has to wait for it.

        It serves no other request before an operation that demands that is complete.
        """
        self.from_follower = False
        """Whether the request being served is the Fetch of a follower; the connection resets it."""
        self.request_time: RequestTime | None = None
        """The timer of the connection, which measures the request time; None while no client has a quota of it."""
        self.serve_known: FastPath | None = None
        """Serves the next request if it is like an earlier one; None before one that a fast path takes."""
        self.known_fetches: KnownFetches | None = None
        """The requests that the fast path of Fetch takes; None before the first one."""
        self.known_commits: KnownOffsetCommits | None = None
        """The requests that the fast path of OffsetCommit takes; None before the first one."""
        self.unpack_produce: Callable[[memoryview], tuple[int, int, bytes, int]] | None = None
        """Unpacks the next request if it is like the last Produce; None before one that the fast path takes."""
        self.loop_budget: LoopBudget | None = None
        """The loop budget of the request being served; None if its handler never started one."""

    def start_budget(self) -> LoopBudget:
        """Start the loop budget of the request being served, unless it was started, and return it.

        After a yield its response is encoded in a thread, too.
        """
        if self.loop_budget is None:
            self.loop_budget = LoopBudget()
        return self.loop_budget

    def advertised(self, endpoint: BrokerEndpoint) -> tuple[str, int]:
        """Return the host and port that a client on this connection should use for *endpoint*.

        A broker alone is reachable under the address that the client has used for the connection, whatever its name is
        elsewhere; only `advertised.listeners` overrides that.  In a cluster all brokers name the registered address.
        """
        if endpoint.node_id != self.services.node_id or self.services.controller_requests is not None:
            return endpoint.host, endpoint.port
        configured = self.services.config.current.advertised.get(self.listener)
        return configured if configured is not None else (self.local_host, self.local_port)
