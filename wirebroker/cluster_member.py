"""ClusterMode: a broker of a cluster with ZooKeeper, which runs for controller like every other member.

Imported only with `zookeeper.connect`.  The order is Apache Kafka's: session, identity, settings, logs, listeners, and
then the registration, upon which the controller sends what this broker leads and follows.
"""

from __future__ import annotations

import logging
import socket
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.client.broker_channel import ChannelSettings
from wirebroker.clock import now_ms
from wirebroker.cluster.add_partitions_to_txn_manager import AddPartitionsToTxnManager
from wirebroker.cluster.administration import ZooKeeperAdministration
from wirebroker.cluster.config_publisher import ConfigPublisher
from wirebroker.cluster.config_store import ConfigStore
from wirebroker.cluster.config_znodes import record_of
from wirebroker.cluster.controlled_shutdown import ControlledShutdown, ControlledShutdownConfig, StoppingBroker
from wirebroker.cluster.controller_producer_ids import ControllerProducerIds
from wirebroker.cluster.controller_requests import ControllerRequests
from wirebroker.cluster.default_alter_partition_manager import DefaultAlterPartitionManager
from wirebroker.cluster.follower_settings import follow_fetcher_count, follow_throttles
from wirebroker.cluster.identity import InconsistentIdentity, check_cluster_id, known_broker_id
from wirebroker.cluster.leadership_guard import LeadershipGuard
from wirebroker.cluster.replica_states import LocalReplicas, LocalReplicaStates
from wirebroker.cluster.txn_marker_channels import MarkerRequests, TxnMarkerChannels
from wirebroker.cluster.zk_alter_partition_manager import ZkAlterPartitionManager
from wirebroker.composition import Foundation, build_services, dynamic_config, keep_running
from wirebroker.config.endpoints import Listener
from wirebroker.config.section import Section
from wirebroker.config.sections.replication import RACK_AWARE_SELECTOR
from wirebroker.kafka_controller.assembly import ControllerSettings, build_kafka_controller
from wirebroker.kafka_controller.controller_config import ControllerConfig
from wirebroker.kafka_controller.kafka_controller import RebalanceSettings
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.dynamic_config_publisher import dynamic_settings
from wirebroker.metadata.errors import StoreError
from wirebroker.metadata.image import ClusterImage
from wirebroker.metadata.journal import JOURNAL_NAME
from wirebroker.metadata.meta_properties import new_cluster_id, read_meta_properties, write_meta_properties
from wirebroker.metadata.records import apply
from wirebroker.model import BrokerEndpoint
from wirebroker.quota.rate import QuotaWindow
from wirebroker.quota.replication_quota import ReplicationQuota
from wirebroker.replication.fetcher.follower_config import FollowerConfig
from wirebroker.replication.fetcher.replica_fetcher_manager import Follower, ReplicaFetcherManager
from wirebroker.replication.leader_state import IsrRules
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.startup import StartupError, configure_logs
from wirebroker.storage.errors import LoadingStopped, StorageError
from wirebroker.storage.files import Files
from wirebroker.storage.log_manager import LogManager
from wirebroker.zookeeper.admin_zk_client import AdminZkClient
from wirebroker.zookeeper.cluster_znodes import generate_broker_id, get_or_create_cluster_id
from wirebroker.zookeeper.connect_string import parse_connect_string
from wirebroker.zookeeper.connection import ZooKeeperSettings, ZooKeeperUnreachable, open_zookeeper
from wirebroker.zookeeper.consumer_offsets import ZkConsumerOffsets
from wirebroker.zookeeper.controller_watch import ControllerWatch
from wirebroker.zookeeper.errors import CorruptZnode, ZooKeeperError
from wirebroker.zookeeper.log_dir_events import LogDirEvents
from wirebroker.zookeeper.producer_ids import ZkProducerIdBlocks
from wirebroker.zookeeper.registration import BrokerRegistration, DuplicateBrokerId
from wirebroker.zookeeper.znodes.brokers import VERSION_4, VERSION_5, BrokerInfo

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.config.log import LogConfig
    from wirebroker.config.server import BrokerConfig
    from wirebroker.coordinator.transaction.coordinator import TransactionCoordinator
    from wirebroker.handlers.context import Services
    from wirebroker.kafka_controller.kafka_controller import KafkaController
    from wirebroker.metadata.image import ListenerEndpoint
    from wirebroker.metadata.meta_properties import MetaProperties
    from wirebroker.replication.txn_marker_writer import TxnMarkerWriter
    from wirebroker.zookeeper.session import Session

logger = logging.getLogger(__name__)

_DEPARTURE_S: Final = 2.0
"""How long a controller before 2.2 is given to notice that a broker that was killed is gone."""


class ZooKeeperConfig(Section):
    """The config keys of the connection to ZooKeeper."""

    zookeeper_connect: str
    zookeeper_connection_timeout_ms: int | None
    zookeeper_max_in_flight_requests: int
    zookeeper_session_timeout_ms: int

    FIELDS = __slots__ = tuple(__annotations__)


class MemberConfig(Section):
    """The config keys of generated broker ids, and of followers that lag."""

    broker_id_generation_enable: bool
    replica_lag_time_max_ms: int
    replica_selector_class: str | None
    replication_quota_window_num: int
    replication_quota_window_size_seconds: int
    request_timeout_ms: int
    reserved_broker_max_id: int

    FIELDS = __slots__ = tuple(__annotations__)


@asynccontextmanager
async def open_cluster_mode(config: BrokerConfig) -> AsyncIterator[ClusterMode]:
    """Begin a session with ZooKeeper, and end it on exit: the registration of this broker ends with it.

    Raises:
        StartupError: there is no session in time.
    """
    zookeeper_config = ZooKeeperConfig(config.value)
    timeout_ms = zookeeper_config.zookeeper_connection_timeout_ms
    settings = ZooKeeperSettings(
        parse_connect_string(zookeeper_config.zookeeper_connect),
        zookeeper_config.zookeeper_session_timeout_ms / 1000,
        (zookeeper_config.zookeeper_session_timeout_ms if timeout_ms is None else timeout_ms) / 1000,
        zookeeper_config.zookeeper_max_in_flight_requests,
    )
    try:
        async with open_zookeeper(settings) as session:
            yield ClusterMode(config, session)
    except* (ZooKeeperUnreachable, DuplicateBrokerId) as faults:
        raise StartupError(str(_first(faults))) from None


def _first(group: BaseExceptionGroup[Exception]) -> BaseException:
    """Return the first exception in *group* that is no group itself."""
    first: BaseException = group
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return first


class ClusterMode:
    """The mode of a broker with `zookeeper.connect`; see `composition.Mode`."""

    def __init__(self, config: BrokerConfig, session: Session) -> None:
        self.config = config
        self._session = session
        self._controller_watch = ControllerWatch(session, self._controller_changed)
        self._controller: KafkaController | None = None
        self._cluster_id = ""
        self._files = Files()
        self._log_manager: LogManager | None = None
        self._metadata = MetadataCache(ClusterImage())
        self._registration: BrokerRegistration | None = None
        self._shutdown: ControlledShutdown | None = None
        self._replica_states: LocalReplicaStates | None = None
        self._tasks: list[Callable[[], Awaitable[None]]] = []
        self._repeatable_tasks: dict[str, Callable[[], Awaitable[None]]] = {}
        """Those that start again after an error."""
        self._background: trio.Nursery | None = None

    @property
    def default_host(self) -> str:
        """The name under which other hosts reach a listener without a host."""
        return socket.getfqdn()

    @property
    def broker_epoch(self) -> int:
        """The czxid of this broker's registration, -1 before the first."""
        return -1 if self._registration is None else self._registration.broker_epoch

    # -- start

    async def open_storage(self, should_stop: Callable[[], bool]) -> LogManager | None:
        """Find out who this broker is in which cluster, read the settings of ZooKeeper, and load every log."""
        log_manager = await trio.to_thread.run_sync(self._make_log_manager)
        try:
            self._cluster_id = await get_or_create_cluster_id(self._session, new_cluster_id)
            found = await trio.to_thread.run_sync(self._lock, log_manager)
            check_cluster_id(found, self._cluster_id, self.config.text("zookeeper.connect") or "")
            self.config = await self._identified(known_broker_id(found, self.config.node_id))
            await self._read_configs()
            load = partial(self._load, log_manager, should_stop)
            await trio.to_thread.run_sync(load)
        except LoadingStopped:
            log_manager.log_dirs.unlock()
            return None
        except OSError as fault:
            named = fault.filename or log_manager.log_dirs.paths[0]
            raise StartupError(f"cannot use {named}: {fault.strerror or fault}") from fault
        except (StorageError, StoreError, CorruptZnode, ZooKeeperError) as fault:
            raise StartupError(str(fault)) from fault
        self._log_manager = log_manager
        return log_manager

    def _make_log_manager(self) -> LogManager:
        return LogManager([Path(each).absolute() for each in self.config.log_dirs], self.config.topic_defaults)

    def _lock(self, log_manager: LogManager) -> list[MetaProperties]:
        """Lock the log directories, and return what they say about broker and cluster; in a thread."""
        log_manager.log_dirs.lock()
        dirs = [each.path for each in log_manager.log_dirs.online]
        for directory in dirs:
            if self._files.exists(str(directory / JOURNAL_NAME)):
                raise InconsistentIdentity(
                    f"{directory} has the metadata of a broker that is a cluster by itself ({JOURNAL_NAME}): start it"
                    " without zookeeper.connect, or use another directory"
                )
        return read_meta_properties(dirs, self._files)

    async def _identified(self, broker_id: int) -> BrokerConfig:
        """Return the settings with the id of this broker, generated if *broker_id* is -1."""
        place = "meta.properties"
        if broker_id < 0:
            member_config = MemberConfig(self.config.value)
            if not member_config.broker_id_generation_enable:
                raise StartupError("this broker has no id: set broker.id, or broker.id.generation.enable=true")
            broker_id = await generate_broker_id(self._session, member_config.reserved_broker_max_id)
            place = "generated in ZooKeeper"
        return self.config if broker_id == self.config.node_id else self.config.with_broker_id(broker_id, place)

    async def _read_configs(self) -> None:
        """Begin with an image that has the settings of topics, brokers and clients, and nothing else."""
        store = ConfigStore(self._session, self.config.node_id)
        entities = await store.entities()
        found = await store.read_many(entities)
        records = [record_of(*each) for each in zip(entities, found, strict=True)]
        self._metadata = MetadataCache(apply(ClusterImage(cluster_id=self._cluster_id), *records))

    def _load(self, log_manager: LogManager, should_stop: Callable[[], bool]) -> None:
        """Load every log; in a thread."""
        image = self._metadata.image
        config = self.config.with_dynamic(*dynamic_settings(image, self.config.node_id))
        configure_logs(log_manager, config)

        def config_of(topic: str) -> LogConfig:
            return config.log_config(image.topic_config(topic))

        log_manager.load(config_of, should_stop=should_stop)

    # -- rooms

    async def build_services(self, endpoints: tuple[ListenerEndpoint, ...], on_failure: Callable[[], None]) -> Services:
        """Build what handlers use; no partition is served before the controller says so."""
        assert self._log_manager is not None
        node_id, protocol, metadata = self.config.node_id, self.config.inter_broker_protocol, self._metadata
        departure_s = 0.0 if protocol.broker_epoch_supported else _DEPARTURE_S
        self._registration = BrokerRegistration(self._session, self._broker_info(endpoints), departure_s=departure_s)
        config = dynamic_config(self.config, metadata, self._log_manager)
        replicas = self._replica_manager(self._log_manager, on_failure)
        fetchers = self._fetchers(config, replicas)
        store = ConfigStore(self._session, node_id)
        publisher = ConfigPublisher(store, metadata, config, replicas)
        assembled = build_kafka_controller(self._session, self._controller_settings(config))
        self._controller = assembled.controller
        self._follow_unclean_elections(config, publisher, assembled.controller)
        producer_ids = self._producer_ids()
        topics = AdminZkClient(self._session)
        administration = ZooKeeperAdministration(
            config,
            metadata,
            topics,
            store,
            publisher,
            producer_ids.allocate,
            assembled.controller,
            assembled.replica_requests,
        )
        services = build_services(
            Foundation(config, metadata, replicas), administration, self._marker_writer, self._txn_verifier
        )

        async def leaders_changed() -> None:
            await services.groups.follow_leaders()
            await services.transactions.follow_leaders()

        marks = {at: mark for each in self._log_manager.log_dirs.online for at, mark in each.high_watermarks().items()}
        states = LocalReplicaStates(LocalReplicas(replicas, fetchers, publisher, config, leaders_changed), marks)
        requests = ControllerRequests(node_id, lambda: self.broker_epoch, states, metadata)
        self._replica_states = states
        services.zookeeper_events = self._session.events
        services.zookeeper_offsets = ZkConsumerOffsets(self._session)
        services.controller_requests = requests
        services.kafka_controller, services.controller_apis = assembled.controller, assembled.apis
        self._shutdown = ControlledShutdown(
            ControlledShutdownConfig(self.config.value),
            StoppingBroker(node_id, lambda: self.broker_epoch, protocol.controlled_shutdown_version),
            self._find_controller,
        )
        guard = LeadershipGuard(self._session, self._registration, replicas.leads_any)
        services.routes.guard(guard)
        self._tasks += [requests.run, administration.run, guard.run]
        self._repeatable_tasks |= {"controller watch": self._controller_watch.run, "config publisher": publisher.run}
        return services

    def _replica_manager(self, log_manager: LogManager, on_failure: Callable[[], None]) -> ReplicaManager:
        """Return the replicas of this broker, whose leaders change ISRs with the consent of the cluster."""
        member_config = MemberConfig(self.config.value)
        lag_s = member_config.replica_lag_time_max_ms / 1000
        rules = IsrRules(
            lag_s,
            limits_min_isr_to_replicas=self.config.release_profile.limits_min_isr_to_replicas,
            holds_below_min_isr=self.config.inter_broker_protocol.is_at_least("3.7-IV0"),
        )
        isr_changes = self._isr_changes()
        replicas = ReplicaManager(log_manager, self._metadata, on_failure, rules, isr_changes)
        replicas.selects_by_rack = member_config.replica_selector_class == RACK_AWARE_SELECTOR
        self._tasks.append(isr_changes.run)
        self._repeatable_tasks["ISR expiration"] = partial(_shrink_isrs, replicas, lag_s / 2)
        return replicas

    def _fetchers(self, config: DynamicConfig, replicas: ReplicaManager) -> ReplicaFetcherManager:
        """Return the fetchers of the partitions that are followed here, and limit both sides of replication."""
        node_id = self.config.node_id
        member_config = MemberConfig(self.config.value)
        window = QuotaWindow(
            member_config.replication_quota_window_num, member_config.replication_quota_window_size_seconds
        )
        replicas.leader_quota = ReplicationQuota(node_id, window)
        follower_quota = ReplicationQuota(node_id, window)
        follow_throttles(config, replicas.leader_quota, follower_quota)
        fetchers = ReplicaFetcherManager(
            Follower(node_id, self.config.inter_broker_protocol, lambda: self.broker_epoch),
            replicas,
            FollowerConfig(self.config.value),
            follower_quota,
        )
        follow_fetcher_count(config, fetchers.resize)
        log_dir_events = LogDirEvents(self._session, node_id)

        def log_dir_failed() -> None:
            fetchers.remove_fetcher_for_unserved_partitions()
            log_dir_events.log_dir_failed()

        replicas.on_log_dir_failed = log_dir_failed
        self._tasks.append(fetchers.run)
        self._repeatable_tasks["log directory events"] = log_dir_events.run
        return fetchers

    def _marker_writer(self, local: TxnMarkerWriter) -> TxnMarkerChannels:
        """Return what writes markers to the partitions of all brokers; *local* writes to those that are led here."""
        member_config = MemberConfig(self.config.value)
        requests = MarkerRequests(
            self.config.node_id,
            self.config.inter_broker_listener,
            self.config.inter_broker_protocol.write_txn_markers_version,
            member_config.request_timeout_ms / 1000,
        )
        channels = TxnMarkerChannels(local, self._metadata, requests)
        self._tasks.append(channels.run)
        return channels

    def _txn_verifier(self, local: TransactionCoordinator) -> AddPartitionsToTxnManager:
        """Return what asks the coordinators of all brokers; *local* coordinates the transactions of this one."""
        timeout_s = MemberConfig(self.config.value).request_timeout_ms / 1000
        settings = ChannelSettings(str(self.config.node_id), timeout_s)
        listener = self.config.inter_broker_listener
        manager = AddPartitionsToTxnManager(self.config.node_id, local, self._metadata, listener, settings)
        self._tasks.append(manager.run)
        return manager

    def _isr_changes(self) -> ZkAlterPartitionManager | DefaultAlterPartitionManager:
        """Return the way in which leaders change ISRs at this inter-broker protocol."""
        if not self.config.inter_broker_protocol.alter_partition_supported:
            return ZkAlterPartitionManager(self._session)
        timeout_s = ControlledShutdownConfig(self.config.value).controller_socket_timeout_ms / 1000
        return DefaultAlterPartitionManager(
            self.config.node_id, lambda: self.broker_epoch, self._find_control_plane, timeout_s
        )

    def _controller_settings(self, config: DynamicConfig) -> ControllerSettings:
        controller_config = ControllerConfig(self.config.value)
        rebalance = RebalanceSettings(
            controller_config.auto_leader_rebalance_enable,
            controller_config.leader_imbalance_check_interval_seconds,
            controller_config.leader_imbalance_per_broker_percentage,
        )
        return ControllerSettings(
            self.config.node_id,
            self.config.inter_broker_protocol,
            self.config.inter_broker_listener,
            self.config.control_plane_listener or self.config.inter_broker_listener,
            controller_config.controller_socket_timeout_ms / 1000,
            lambda overrides: config.current.log_config(overrides),
            self.config.delete_topic_enable,
            lambda: rebalance,
        )

    def _follow_unclean_elections(
        self, config: DynamicConfig, publisher: ConfigPublisher, controller: KafkaController
    ) -> None:
        """Have leaders elected again when a topic, or the default of all topics, allows an unclean election."""
        was_enabled = config.current.topic_defaults.unclean_leader_election_enable

        def topic_changed(topic: str) -> None:
            own = self._metadata.image.topic_config(topic)
            if config.current.log_config(own).unclean_leader_election_enable:
                controller.enable_unclean_leader_election(topic)

        def default_changed(changed: BrokerConfig) -> None:
            nonlocal was_enabled
            is_enabled = changed.topic_defaults.unclean_leader_election_enable
            if is_enabled and not was_enabled:
                controller.enable_unclean_leader_election()
            was_enabled = is_enabled

        publisher.on_topic_changed = topic_changed
        config.subscribe(default_changed)

    def _controller_changed(self, controller_id: int) -> None:
        if self._controller is not None:
            self._controller.controller_changed(controller_id)

    def _broker_info(self, endpoints: tuple[ListenerEndpoint, ...]) -> BrokerInfo:
        protocol = self.config.inter_broker_protocol
        return BrokerInfo(
            self.config.node_id,
            tuple(Listener(each.listener, each.security_protocol, each.host, each.port) for each in endpoints),
            self.config.broker_rack,
            timestamp_ms=now_ms(),
            version=VERSION_5 if protocol.feature_versioning_supported else VERSION_4,
        )

    def _producer_ids(self) -> ControllerProducerIds | ZkProducerIdBlocks:
        """Return the source of producer ids at this inter-broker protocol."""
        node_id = self.config.node_id
        if not self.config.inter_broker_protocol.allocate_producer_ids_supported:
            return ZkProducerIdBlocks(self._session, node_id)
        return ControllerProducerIds(node_id, lambda: self.broker_epoch, self._find_control_plane)

    def _find_controller(self) -> BrokerEndpoint | None:
        """Return the address of the controller for other brokers, None if there is none now."""
        return self._controller_endpoint(self.config.inter_broker_listener)

    def _find_control_plane(self) -> BrokerEndpoint | None:
        """Return the address of the controller on the listener that it serves such requests on, as Kafka does."""
        return self._controller_endpoint(self.config.control_plane_listener or self.config.inter_broker_listener)

    def _controller_endpoint(self, listener: str) -> BrokerEndpoint | None:
        broker = self._metadata.image.brokers.get(self._controller_watch.controller_id)
        endpoint = None if broker is None else broker.endpoint(listener)
        if broker is None or endpoint is None:
            return None
        return BrokerEndpoint(broker.node_id, endpoint.host, endpoint.port)

    # -- tasks

    def start_tasks(self, background: trio.Nursery) -> None:
        """Start fetchers, and the tasks that follow controller and settings."""
        self._background = background
        for task in self._tasks:
            background.start_soon(task)
        for name, repeatable in self._repeatable_tasks.items():
            background.start_soon(keep_running, name, repeatable)

    async def join(self) -> None:
        """Register this broker, upon which the controller sends its partitions, and mark its directories."""
        assert self._registration is not None
        assert self._background is not None
        assert self._log_manager is not None
        try:
            await self._registration.register()
        except DuplicateBrokerId as fault:
            raise StartupError(str(fault)) from fault
        self._background.start_soon(self._registration.run)
        assert self._controller is not None
        self._background.start_soon(self._controller.run)
        dirs = [each.path for each in self._log_manager.log_dirs.online]
        write = partial(write_meta_properties, dirs, self.config.node_id, self._files, self._cluster_id)
        await trio.to_thread.run_sync(write)

    async def leave(self) -> None:
        """Have the controller move the leaders away."""
        if self._replica_states is not None:
            self._replica_states.is_shutting_down = True
        if self._shutdown is not None:
            await self._shutdown.run()

    def close(self) -> None:
        """Close nothing: the session ends when the logs are closed."""


async def _shrink_isrs(replicas: ReplicaManager, interval_s: float) -> None:
    """Remove followers that lag from the ISRs of partitions that are led here, until cancelled."""
    while True:
        await trio.sleep(interval_s)
        await replicas.shrink_isrs()
