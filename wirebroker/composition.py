"""Composition: the rooms that every broker has, alone or in a cluster, built bottom-up; and what the two do otherwise.

`broker.py` binds listeners, serves and shuts down; a `Mode` opens the storage, and decides where metadata come from.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import trio

from wirebroker.config.dynamic_config import DynamicConfig
from wirebroker.coordinator.group.coordinator import GroupCoordinator
from wirebroker.coordinator.transaction.coordinator import TransactionCoordinator
from wirebroker.handlers.context import Services
from wirebroker.handlers.routes import RouteTable
from wirebroker.metadata.client_quota_publisher import follow_client_quotas
from wirebroker.metadata.dynamic_config_publisher import follow_broker_configs
from wirebroker.quota.managers import QuotaManagers
from wirebroker.quota.rate import QuotaWindow
from wirebroker.replication.fetch_session_cache import FetchSessionCache
from wirebroker.replication.purgatories import PurgatoryConfig
from wirebroker.replication.txn_marker_writer import TxnMarkerWriter
from wirebroker.startup import configure_logs

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wirebroker.config.server import BrokerConfig
    from wirebroker.controller.administration import Administration
    from wirebroker.coordinator.transaction.txn_marker_sender import MarkerWriter
    from wirebroker.handlers.context import TransactionVerifier
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.image import ListenerEndpoint
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.storage.log_manager import LogManager

logger = logging.getLogger(__name__)

_RESTART_PAUSE_S: Final = 1.0
"""Pause before a failed background task starts again."""


class Mode(Protocol):
    """A broker that is a cluster by itself, or a member of one."""

    @property
    def config(self) -> BrokerConfig:
        """The settings; from `open_storage` on with the id of this broker."""
        ...

    async def open_storage(self, should_stop: Callable[[], bool]) -> LogManager | None:
        """Load all logs; return None if *should_stop* has ended that early.

        Raises:
            StartupError: a directory cannot be used, or metadata not be read.
        """
        ...

    async def build_services(self, endpoints: tuple[ListenerEndpoint, ...], on_failure: Callable[[], None]) -> Services:
        """Build what handlers use; *endpoints* are this broker's addresses.

        *on_failure* is called when too few log directories are left.
        """
        ...

    def start_tasks(self, background: trio.Nursery) -> None:
        """Start the tasks of this mode."""
        ...

    async def join(self) -> None:
        """Make this broker known, now that it accepts connections.

        Raises:
            StartupError: another broker has its id.
        """
        ...

    async def leave(self) -> None:
        """Hand over leadership before the broker stops, if `join` has ended; it still serves meanwhile."""
        ...

    def close(self) -> None:
        """Close what `open_storage` has opened, but the logs."""
        ...

    @property
    def default_host(self) -> str:
        """The host in the address of a listener on every interface that is not advertised."""
        ...

    @property
    def broker_epoch(self) -> int:
        """The epoch of this broker's registration, for the marker of a clean shutdown; -1 without one."""
        ...


class Foundation(NamedTuple):
    """The rooms below the coordinators, which a mode has built."""

    config: DynamicConfig
    metadata: MetadataCache
    replicas: ReplicaManager


def dynamic_config(config: BrokerConfig, metadata: MetadataCache, log_manager: LogManager) -> DynamicConfig:
    """Return the configuration that follows the dynamic settings of *metadata*; *log_manager* follows it."""
    release = config.release_profile.release
    if release is not None:
        logger.info("emulating Apache Kafka %s: its APIs, versions, features, error codes and defaults", release)
    made = DynamicConfig(config)
    follow_broker_configs(metadata, made)
    made.subscribe(partial(configure_logs, log_manager))
    return made


def build_services(
    foundation: Foundation,
    administration: Administration,
    marker_writer: Callable[[TxnMarkerWriter], MarkerWriter] = lambda local: local,
    txn_verifier: Callable[[TransactionCoordinator], TransactionVerifier] = lambda local: local,
) -> Services:
    """Build coordinators, quotas and routes, and return all that handlers use.

    *marker_writer* returns what writes the markers of decided transactions, from the writer for this broker's
    partitions; *txn_verifier* returns what verifies transactions, from the coordinator of this broker's.
    """
    metadata, replicas = foundation.metadata, foundation.replicas
    config = foundation.config.current
    profile = config.release_profile
    foundation.config.subscribe(replicas.alter_log_dirs.configure)
    replicas.purgatories.configure(PurgatoryConfig(config.value))
    groups = GroupCoordinator(config, metadata, replicas)
    markers = TxnMarkerWriter(replicas, groups.offsets_marker_written)
    transactions = TransactionCoordinator(
        config,
        profile.transaction_version,
        metadata,
        replicas,
        marker_writer(markers),
        administration.allocate_producer_ids,
    )
    quotas = QuotaManagers(
        QuotaWindow(config.quota_window_num, config.quota_window_size_seconds),
        controller_window=QuotaWindow(config.controller_quota_window_num, config.controller_quota_window_size_seconds),
        producer_default=config.quota_producer_default,
        consumer_default=config.quota_consumer_default,
    )
    follow_client_quotas(metadata, quotas.update)
    return Services(
        node_id=config.node_id,
        config=foundation.config,
        metadata=metadata,
        administration=administration,
        replicas=replicas,
        groups=groups,
        markers=markers,
        transactions=transactions,
        txn_verifier=txn_verifier(transactions),
        fetch_sessions=FetchSessionCache(config.max_incremental_fetch_session_cache_slots),
        routes=RouteTable(profile),
        quotas=quotas,
    )


async def keep_running(name: str, run: Callable[[], Awaitable[None]]) -> None:
    """Run a background task, and start it again when it fails: the broker can serve without it meanwhile."""
    while True:
        try:
            await run()
            return
        except Exception:
            logger.exception("background task %s failed; it starts again in %.0f s", name, _RESTART_PAUSE_S)
            await trio.sleep(_RESTART_PAUSE_S)
