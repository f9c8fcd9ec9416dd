"""ROUTES: the table of the served APIs, with handler and range of versions.  ApiVersions answers from it.

A new version of an API is a change of its file in `protocol_specs/`, a run of `python -m tools.codegen`, the behaviour
in its handler, and the greater `max_version` here.

Handlers are named as `module:function` and imported on their first request, so that a broker starts quickly and stays
small; `tests/handlers/test_routes.py` resolves every one of them.  With `--as-version` a broker serves the part of the
table that the release had (`releases/profile.py`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wirebroker.handlers import produce_fast_path
from wirebroker.handlers.response_errors import error_counter
from wirebroker.metrics.request_metrics import RequestCounter, RequestMetrics
from wirebroker.protocol.api import API, ApiKey
from wirebroker.protocol.errors import ErrorCode
from wirebroker.releases.profile import WIREBROKER, ReleaseProfile

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.produce_fast_path import KnownProduce
    from wirebroker.protocol.message import Reader, Writer
    from wirebroker.releases.api_versions import VersionRange

    Handler = Callable[[Any, Any], Awaitable[Any]]


class Route(NamedTuple):
    """One served API; both ends of the version range are inclusive."""

    key: ApiKey
    handler: str
    min_version: int
    max_version: int
    advertised_min: int | None = None
    """Printed by ApiVersions instead of *min_version*."""
    listed: bool = True
    """Printed by ApiVersions; our own APIs are not, so that no client takes us for anything but Kafka."""
    quick: bool = False
    """Answers without waiting for other clients, so its answers may be sent together."""
    in_cluster: bool = False
    """Served only by a broker with `zookeeper.connect`."""


ROUTES = (
    Route(ApiKey.PRODUCE, "produce:handle_produce", 0, 13, quick=True),
    Route(ApiKey.FETCH, "fetch:handle_fetch", 0, 18),
    Route(ApiKey.LIST_OFFSETS, "list_offsets:handle_list_offsets", 0, 11),
    Route(ApiKey.METADATA, "metadata:handle_metadata", 0, 13),
    Route(ApiKey.FIND_COORDINATOR, "coordinators:handle_find_coordinator", 0, 6),
    Route(ApiKey.LEADER_AND_ISR, "controller_requests:handle_leader_and_isr", 0, 7, in_cluster=True),
    Route(ApiKey.STOP_REPLICA, "controller_requests:handle_stop_replica", 0, 4, in_cluster=True),
    Route(ApiKey.UPDATE_METADATA, "controller_requests:handle_update_metadata", 0, 8, in_cluster=True),
    Route(ApiKey.CONTROLLED_SHUTDOWN, "controlled_shutdown:handle_controlled_shutdown", 0, 3, in_cluster=True),
    Route(ApiKey.OFFSET_COMMIT, "group_offsets:handle_offset_commit", 0, 10, quick=True),
    Route(ApiKey.OFFSET_FETCH, "group_offsets:handle_offset_fetch", 0, 10),
    Route(ApiKey.JOIN_GROUP, "groups:handle_join_group", 0, 9),
    Route(ApiKey.HEARTBEAT, "groups:handle_heartbeat", 0, 4),
    Route(ApiKey.LEAVE_GROUP, "groups:handle_leave_group", 0, 5),
    Route(ApiKey.SYNC_GROUP, "groups:handle_sync_group", 0, 5),
    Route(ApiKey.DESCRIBE_GROUPS, "groups:handle_describe_groups", 0, 6),
    Route(ApiKey.LIST_GROUPS, "groups:handle_list_groups", 0, 5),
    Route(ApiKey.SASL_HANDSHAKE, "security:handle_sasl_handshake", 0, 1),
    Route(ApiKey.DELETE_GROUPS, "groups:handle_delete_groups", 0, 2),
    Route(ApiKey.OFFSET_DELETE, "group_offsets:handle_offset_delete", 0, 0),
    Route(ApiKey.API_VERSIONS, "api_versions:handle_api_versions", 0, 4, quick=True),
    Route(ApiKey.CREATE_TOPICS, "topics:handle_create_topics", 0, 7),
    Route(ApiKey.DELETE_TOPICS, "topics:handle_delete_topics", 0, 6),
    Route(ApiKey.DELETE_RECORDS, "delete_records:handle_delete_records", 0, 2),
    Route(ApiKey.INIT_PRODUCER_ID, "producers:handle_init_producer_id", 0, 5),
    Route(ApiKey.ADD_PARTITIONS_TO_TXN, "transactions:handle_add_partitions_to_txn", 0, 5),
    Route(ApiKey.ADD_OFFSETS_TO_TXN, "transactions:handle_add_offsets_to_txn", 0, 4),
    Route(ApiKey.END_TXN, "transactions:handle_end_txn", 0, 5),
    Route(ApiKey.WRITE_TXN_MARKERS, "write_txn_markers:handle_write_txn_markers", 0, 2),
    Route(ApiKey.TXN_OFFSET_COMMIT, "txn_offset_commit:handle_txn_offset_commit", 0, 5),
    Route(ApiKey.DESCRIBE_ACLS, "security:handle_describe_acls", 0, 3),
    Route(ApiKey.CREATE_ACLS, "security:handle_create_acls", 0, 3),
    Route(ApiKey.DELETE_ACLS, "security:handle_delete_acls", 0, 3),
    Route(ApiKey.OFFSET_FOR_LEADER_EPOCH, "offset_for_leader_epoch:handle_offset_for_leader_epoch", 0, 4),
    Route(ApiKey.DESCRIBE_CONFIGS, "configs:handle_describe_configs", 0, 4),
    Route(ApiKey.ALTER_CONFIGS, "configs:handle_alter_configs", 0, 2),
    Route(ApiKey.ALTER_REPLICA_LOG_DIRS, "replica_log_dirs:handle_alter_replica_log_dirs", 0, 2),
    Route(ApiKey.DESCRIBE_LOG_DIRS, "log_dirs:handle_describe_log_dirs", 0, 5),
    Route(ApiKey.SASL_AUTHENTICATE, "security:handle_sasl_authenticate", 0, 2),
    Route(ApiKey.CREATE_PARTITIONS, "topics:handle_create_partitions", 0, 3),
    Route(ApiKey.CREATE_DELEGATION_TOKEN, "security:handle_create_delegation_token", 0, 3),
    Route(ApiKey.RENEW_DELEGATION_TOKEN, "security:handle_renew_delegation_token", 0, 2),
    Route(ApiKey.EXPIRE_DELEGATION_TOKEN, "security:handle_expire_delegation_token", 0, 2),
    Route(ApiKey.DESCRIBE_DELEGATION_TOKEN, "security:handle_describe_delegation_token", 0, 3),
    Route(ApiKey.ELECT_LEADERS, "cluster:handle_elect_leaders", 0, 2),
    Route(ApiKey.INCREMENTAL_ALTER_CONFIGS, "configs:handle_incremental_alter_configs", 0, 1),
    Route(ApiKey.ALTER_PARTITION_REASSIGNMENTS, "cluster:handle_alter_partition_reassignments", 0, 1),
    Route(ApiKey.LIST_PARTITION_REASSIGNMENTS, "cluster:handle_list_partition_reassignments", 0, 0),
    Route(ApiKey.DESCRIBE_CLIENT_QUOTAS, "client_quotas:handle_describe_client_quotas", 0, 1),
    Route(ApiKey.ALTER_CLIENT_QUOTAS, "client_quotas:handle_alter_client_quotas", 0, 1),
    Route(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, "scram_credentials:handle_describe_user_scram_credentials", 0, 0),
    Route(
        ApiKey.ALTER_USER_SCRAM_CREDENTIALS,
        "scram_credentials:handle_alter_user_scram_credentials",
        0,
        0,
        in_cluster=True,
    ),
    Route(ApiKey.ALTER_PARTITION, "controller_apis:handle_alter_partition", 0, 3, in_cluster=True),
    Route(ApiKey.UPDATE_FEATURES, "refused_apis:handle_update_features", 0, 1, in_cluster=True),
    Route(ApiKey.ENVELOPE, "refused_apis:handle_envelope", 0, 0, in_cluster=True),
    Route(ApiKey.DESCRIBE_CLUSTER, "cluster:handle_describe_cluster", 0, 2),
    Route(ApiKey.DESCRIBE_PRODUCERS, "producers:handle_describe_producers", 0, 0),
    Route(ApiKey.DESCRIBE_TRANSACTIONS, "transactions:handle_describe_transactions", 0, 0),
    Route(ApiKey.LIST_TRANSACTIONS, "transactions:handle_list_transactions", 0, 2),
    Route(ApiKey.ALLOCATE_PRODUCER_IDS, "controller_apis:handle_allocate_producer_ids", 0, 0, in_cluster=True),
    Route(ApiKey.CONSUMER_GROUP_HEARTBEAT, "refused_apis:handle_consumer_group_heartbeat", 0, 0, in_cluster=True),
    Route(ApiKey.CONSUMER_GROUP_DESCRIBE, "refused_apis:handle_consumer_group_describe", 0, 0, in_cluster=True),
    Route(ApiKey.LIST_CONFIG_RESOURCES, "config_resources:handle_list_config_resources", 0, 1),
    Route(ApiKey.DESCRIBE_TOPIC_PARTITIONS, "describe_topic_partitions:handle_describe_topic_partitions", 0, 0),
    Route(ApiKey.INSPECT, "inspect:handle_inspect", 0, 0, listed=False),
)

_OF_CONTROLLER: Final = frozenset(
    {
        ApiKey.LEADER_AND_ISR,
        ApiKey.STOP_REPLICA,
        ApiKey.UPDATE_METADATA,
        ApiKey.CONTROLLED_SHUTDOWN,
        ApiKey.ALTER_PARTITION,
        ApiKey.ALLOCATE_PRODUCER_IDS,
    }
)
"""Requests of the controller, and those that only brokers send to it."""

_METRIC_NAMES: Final = {ApiKey.FETCH: "FetchConsumer"}
_COUNT_THEIR_ERRORS: Final = frozenset({ApiKey.PRODUCE, ApiKey.FETCH})
"""The APIs whose handlers know whether a response has errors, and call `count_errors` for those that have."""


class BoundRoute(RequestCounter):
    """A route at one version, with its handler and codecs, which are imported for it.

    It is the counter of its requests, too: an object of its own would be one more line of the processor's cache.
    """

    __slots__ = (
        "api_key",
        "error_counter",
        "flexible_from",
        "handler",
        "has_records",
        "quick",
        "readers",
        "remember",
        "searched_for_errors",
        "writers",
    )

    def __init__(self, route: Route, version: int, metrics: RequestMetrics) -> None:
        super().__init__(metrics, metrics.counters[version].of_followers)
        metrics.counters[version] = self
        self.api_key = route.key
        module, _, function = route.handler.partition(":")
        self.handler: Handler = getattr(import_module(f"wirebroker.handlers.{module}"), function)
        request, response = API[route.key].load()
        self.has_records = request.HAS_RECORDS
        """Whether requests may have records: they are decoded from a view, to copy none, and others from bytes."""
        self.flexible_from = 1 << 15 if response.FLEXIBLE_FROM is None else response.FLEXIBLE_FROM
        """The first version whose response header has tagged fields (KIP-482)."""
        if route.key == ApiKey.API_VERSIONS:
            self.flexible_from = 1 << 15  # its response header never is
        self.readers: Mapping[int, Reader] = request.READERS
        self.writers: Mapping[int, Writer] = response.WRITERS
        self.quick = route.quick
        self.error_counter = error_counter(response)
        """Adds the error codes of a response to a counter; None if the response has none."""
        self.searched_for_errors = None if route.key in _COUNT_THEIR_ERRORS else self.error_counter
        """The same for APIs every response of which is searched; None for others."""
        self.remember: Callable[[RequestContext, memoryview, Any], None] | None = None
        """Notes a request, so that the fast path serves the next ones like it; None without one."""
        if route.key == ApiKey.PRODUCE:
            self.remember = produce_fast_path.remember
        elif route.key == ApiKey.OFFSET_COMMIT:
            self.remember = import_module("wirebroker.handlers.offset_commit_fast_path").remember
        elif route.key == ApiKey.FETCH:
            self.remember = import_module("wirebroker.handlers.fetch_fast_path").remember


class RouteTable:
    """The routes that one broker serves: ROUTES, restricted to the APIs and versions of the release in *profile*.

    A handler and its codecs are imported by the first request for them.
    """

    def __init__(self, profile: ReleaseProfile = WIREBROKER) -> None:
        self.profile = profile
        routes = [route for route in ROUTES if profile.in_cluster or not route.in_cluster]
        self._routes = {int(route.key): route for route in routes}
        if profile.api_versions is not None:
            restricted = [_restrict_to(route, profile.api_versions) for route in routes]
            self._routes = {int(route.key): route for route in restricted if route is not None}
        self._bound: dict[int, BoundRoute] = {}  # by version and key, see `find`
        self._metrics: dict[int, RequestMetrics] = {}
        self.known_produce: dict[bytes, KnownProduce] = {}
        """The requests that the fast path of Produce takes, by their bytes before the batch, see `remember` there."""
        self._guard: Callable[[int, Handler], Handler] | None = None
        self.is_settled: Callable[[], bool] | None = None
        """Returns whether the guard has no request wait now, for fast paths; None without a guard."""
        self._older_codes = profile.older_codes(ErrorCode)

    def guard(self, guard: Callable[[int, Handler], Handler], is_settled: Callable[[], bool] | None = None) -> None:
        """Have *guard* wrap the handler of each API key; to be called before the first request.

        There are fast paths only if *is_settled* returns whether requests are let through now.
        """
        assert not self._bound
        self._guard, self.is_settled = guard, is_settled

    def find(self, api_key: int, version: int) -> BoundRoute | None:
        """Return the route that serves *api_key* at *version*, None if there is none."""
        bound = self._bound.get(version << 16 | api_key)
        return self._bind(api_key, version) if bound is None else bound

    def _bind(self, api_key: int, version: int) -> BoundRoute | None:
        route = self._routes.get(api_key)
        if route is None or not route.min_version <= version <= route.max_version:
            return None
        metrics = self._metrics.get(api_key)
        if metrics is None:
            followers = RequestMetrics("FetchFollower", route.max_version) if api_key == ApiKey.FETCH else None
            name = _METRIC_NAMES.get(route.key, API[route.key].name)
            metrics = self._metrics[api_key] = RequestMetrics(name, route.max_version, followers)
        bound = self._bound[version << 16 | api_key] = BoundRoute(route, version, metrics)
        if self._guard is not None:
            bound.handler = self._guard(api_key, bound.handler)
            if self.is_settled is None:
                bound.remember = None
        if self._older_codes:
            from wirebroker.releases.error_codes import with_codes  # few brokers emulate a release

            bound.writers = {version: with_codes(bound.writers[version], self._older_codes)}
        return bound

    def metrics(self) -> list[RequestMetrics]:
        """Return the metrics of the APIs that requests have come for."""
        return list(self._metrics.values())

    def serves(self, api_key: int) -> bool:
        """Return whether any version of *api_key* is served."""
        return api_key in self._routes

    def advertised(self) -> list[tuple[int, int, int]]:
        """Return (key, lowest, highest version) of every listed route, by key, for ApiVersions."""
        return sorted(
            (int(r.key), r.min_version if r.advertised_min is None else r.advertised_min, r.max_version)
            for r in self._routes.values()
            if r.listed
        )


def _restrict_to(route: Route, api_versions: Mapping[int, VersionRange]) -> Route | None:
    """Return *route* at the versions that a release served, too; None if there are none.

    Our own APIs and the controller's, whose versions inter.broker.protocol.version decides, are not restricted.
    """
    if not route.listed or route.key in _OF_CONTROLLER:
        return route
    versions = api_versions.get(route.key)
    if versions is None:
        return None
    low, high = max(versions.lowest, route.min_version), min(versions.highest, route.max_version)
    shown = max(versions.advertised, route.min_version if route.advertised_min is None else route.advertised_min)
    return route._replace(min_version=low, max_version=high, advertised_min=shown) if low <= high else None
