"""THE TABLE: which API key goes to which handler, at which versions.  ApiVersions is printed from it.

Handlers are named as `module:function` and imported on their first request, so that a broker
starts quickly and stays small; `tests/handlers/test_routes.py` resolves every one of them.  With
`--as-version` a broker serves the part of the table that `release_tables.py` leaves of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from wirebroker.protocol.api import API, ApiKey

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence


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


ROUTES = (
    Route(ApiKey.PRODUCE, "produce:handle_produce", 0, 13, quick=True),
    Route(ApiKey.FETCH, "fetch:handle_fetch", 0, 18),
    Route(ApiKey.LIST_OFFSETS, "list_offsets:handle_list_offsets", 0, 11),
    Route(ApiKey.METADATA, "metadata:handle_metadata", 0, 13),
    Route(ApiKey.FIND_COORDINATOR, "coordinators:handle_find_coordinator", 0, 6),
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
    Route(ApiKey.DELETE_RECORDS, "offsets:handle_delete_records", 0, 2),
    Route(ApiKey.INIT_PRODUCER_ID, "producers:handle_init_producer_id", 0, 5),
    Route(ApiKey.ADD_PARTITIONS_TO_TXN, "transactions:handle_add_partitions_to_txn", 0, 5),
    Route(ApiKey.ADD_OFFSETS_TO_TXN, "transactions:handle_add_offsets_to_txn", 0, 4),
    Route(ApiKey.END_TXN, "transactions:handle_end_txn", 0, 5),
    Route(ApiKey.WRITE_TXN_MARKERS, "txn_markers:handle_write_txn_markers", 0, 2),
    Route(ApiKey.TXN_OFFSET_COMMIT, "txn_offset_commit:handle_txn_offset_commit", 0, 5),
    Route(ApiKey.DESCRIBE_ACLS, "security:handle_describe_acls", 0, 3),
    Route(ApiKey.CREATE_ACLS, "security:handle_create_acls", 0, 3),
    Route(ApiKey.DELETE_ACLS, "security:handle_delete_acls", 0, 3),
    Route(ApiKey.OFFSET_FOR_LEADER_EPOCH, "offsets:handle_offset_for_leader_epoch", 0, 4),
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
    Route(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, "security:handle_describe_user_scram_credentials", 0, 0),
    Route(ApiKey.DESCRIBE_CLUSTER, "cluster:handle_describe_cluster", 0, 2),
    Route(ApiKey.DESCRIBE_PRODUCERS, "producers:handle_describe_producers", 0, 0),
    Route(ApiKey.DESCRIBE_TRANSACTIONS, "transactions:handle_describe_transactions", 0, 0),
    Route(ApiKey.LIST_TRANSACTIONS, "transactions:handle_list_transactions", 0, 2),
    Route(ApiKey.LIST_CONFIG_RESOURCES, "config_resources:handle_list_config_resources", 0, 1),
    Route(ApiKey.DESCRIBE_TOPIC_PARTITIONS, "metadata:handle_describe_topic_partitions", 0, 0),
    Route(ApiKey.INSPECT, "inspect:handle_inspect", 0, 0, listed=False),
)


class BoundRoute:
    """A route whose handler and codecs are imported."""

    __slots__ = ("flexible_from", "handler", "has_records", "max_version", "min_version", "quick", "readers", "writers")

    def __init__(self, route: Route) -> None:
        module, _, function = route.handler.partition(":")
        self.handler: Callable[[Any, Any], Awaitable[Any]] = getattr(
            import_module(f"wirebroker.handlers.{module}"), function
        )
        request, response = API[route.key].load()
        self.has_records = request.HAS_RECORDS
        """Decoded from a view, so that records are not copied; other messages decode faster from bytes."""
        self.flexible_from = 1 << 15 if response.FLEXIBLE_FROM is None else response.FLEXIBLE_FROM
        if route.key == ApiKey.API_VERSIONS:
            self.flexible_from = 1 << 15  # its response header never is
        self.readers: dict[int, Callable[..., tuple[Any, int]]] = request.READERS
        self.writers: dict[int, Callable[..., None]] = response.WRITERS
        self.min_version = route.min_version
        self.max_version = route.max_version
        self.quick = route.quick


class Feature(NamedTuple):
    """One feature of a cluster (KIP-584); level 0 means that it is not in use."""

    name: str
    lowest: int
    highest: int
    level: int


_TRANSACTIONS = "transaction.version"
NEWEST_TRANSACTIONS = 2


class RouteTable:
    """What one broker serves: all of ROUTES, or what a release of Apache Kafka served of it.

    Args:
        release: the release, None for all.
        transaction_version: the highest level for the feature of that name; clients use the newer protocol at 2.
    """

    def __init__(self, release: str | None = None, transaction_version: int = NEWEST_TRANSACTIONS) -> None:
        self.release = release
        self.names_versions = True
        """An ApiVersions request of an unknown version is told the versions that are known (KIP-511)."""
        self.has_zookeeper = False
        """A release that ran with ZooKeeper only: a topic that is being made lacks a leader there."""
        self.features: Sequence[Feature] = (Feature(_TRANSACTIONS, 0, NEWEST_TRANSACTIONS, NEWEST_TRANSACTIONS),)
        self.features_epoch = 0
        self._routes = {int(route.key): route for route in ROUTES}
        self._bound: dict[int, BoundRoute] = {}
        self._codes: dict[int, int] = {}
        if release is not None:
            self._put_on(release)
        self.features = [
            each._replace(level=min(each.level, transaction_version)) if each.name == _TRANSACTIONS else each
            for each in self.features
        ]

    @property
    def transaction_version(self) -> int:
        """The level of the feature transaction.version; a release that does not know it has level 0."""
        return next((each.level for each in self.features if each.name == _TRANSACTIONS), 0)

    def _put_on(self, release: str) -> None:
        from wirebroker.config.releases import RELEASES
        from wirebroker.handlers.release_codes import codes_of
        from wirebroker.handlers.release_tables import apis_of, features_of

        apis = apis_of(release)
        narrowed = {}
        for key, route in self._routes.items():
            api = apis.get(key)
            if not route.listed:
                narrowed[key] = route
            elif api is not None:
                low, high = max(api.lowest, route.min_version), min(api.highest, route.max_version)
                shown = max(api.advertised, route.min_version if route.advertised_min is None else route.advertised_min)
                if low <= high:
                    narrowed[key] = route._replace(min_version=low, max_version=high, advertised_min=shown)
        self._routes = narrowed
        self._codes = codes_of(release)
        self.names_versions = RELEASES.index(release) >= RELEASES.index("2.4")
        self.has_zookeeper = RELEASES.index(release) < RELEASES.index("3.3")
        self.features = features_of(release)
        self.features_epoch = 0 if RELEASES.index(release) >= RELEASES.index("2.7") else -1

    def find(self, api_key: int, version: int) -> BoundRoute | None:
        """The route that serves *api_key* at *version*, or None when there is none."""
        bound = self._bound.get(api_key)
        if bound is None:
            route = self._routes.get(api_key)
            if route is None:
                return None
            bound = self._bound[api_key] = BoundRoute(route)
            if self._codes:
                from wirebroker.handlers.release_codes import with_codes

                bound.writers = {at: with_codes(write, self._codes) for at, write in bound.writers.items()}
        if bound.min_version <= version <= bound.max_version:
            return bound
        return None

    def serves(self, api_key: int) -> bool:
        """Is there any version of *api_key*?"""
        return api_key in self._routes

    def advertised(self) -> list[tuple[int, int, int]]:
        """(key, lowest, highest version) of every route, by key, as ApiVersions lists them."""
        return sorted(
            (int(r.key), r.min_version if r.advertised_min is None else r.advertised_min, r.max_version)
            for r in self._routes.values()
            if r.listed
        )


EVERYTHING = RouteTable()
"""All that we serve: no release ever did just that."""
find = EVERYTHING.find
advertised = EVERYTHING.advertised
