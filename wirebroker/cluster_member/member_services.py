"""MemberServices: what handlers of a member use, and the parts of it that start and end with the broker."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.clock import now_ms
from wirebroker.cluster.administration import ZooKeeperAdministration
from wirebroker.cluster.config_publisher import ConfigPublisher
from wirebroker.cluster.config_store import ConfigStore
from wirebroker.cluster.controlled_shutdown import ControlledShutdown, ControlledShutdownConfig, StoppingBroker
from wirebroker.cluster.controller_requests import ControllerRequests
from wirebroker.cluster.leadership_guard import LeadershipGuard
from wirebroker.cluster.replica_states import LocalReplicas, LocalReplicaStates
from wirebroker.cluster_member.member_controller import build_member_controller
from wirebroker.cluster_member.member_replicas import build_fetchers, build_replica_manager
from wirebroker.cluster_member.transaction_channels import (
    build_marker_channels,
    build_producer_ids,
    build_txn_verifier,
)
from wirebroker.composition import Foundation, build_services, dynamic_config
from wirebroker.config.endpoints import Listener
from wirebroker.zookeeper.admin_zk_client import AdminZkClient
from wirebroker.zookeeper.consumer_offsets import ZkConsumerOffsets
from wirebroker.zookeeper.registration import BrokerRegistration
from wirebroker.zookeeper.znodes.brokers import VERSION_4, VERSION_5, BrokerInfo

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.cluster_member.member import Member
    from wirebroker.handlers.context import Services
    from wirebroker.kafka_controller.kafka_controller import KafkaController
    from wirebroker.metadata.image import ListenerEndpoint
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.storage.log_manager import LogManager

_DEPARTURE_S: Final = 2.0
"""How long a controller before 2.2 is given to notice that a broker that was killed is gone."""


class MemberServices(NamedTuple):
    """The rooms of a member."""

    services: Services
    registration: BrokerRegistration
    controller: KafkaController
    replica_states: LocalReplicaStates
    shutdown: ControlledShutdown


def build_member_services(
    member: Member, log_manager: LogManager, endpoints: tuple[ListenerEndpoint, ...], on_failure: Callable[[], None]
) -> MemberServices:
    """Build what handlers use; no partition is served before the controller says so.

    Args:
        member: The broker, whose tasks those of the rooms are added to.
        log_manager: Its loaded logs.
        endpoints: Its addresses.
        on_failure: Called when too few log directories are left.
    """
    metadata = member.metadata
    registration = _registration(member, endpoints)
    config = dynamic_config(member.config, metadata, log_manager)
    replicas = build_replica_manager(member, log_manager, on_failure)
    fetchers = build_fetchers(member, config, replicas)
    store = ConfigStore(member.session, member.node_id)
    publisher = ConfigPublisher(store, metadata, config, replicas)
    member.tasks.add_repeatable("config publisher", publisher.run)
    assembled = build_member_controller(member, config, publisher)
    topics = AdminZkClient(member.session)
    administration = ZooKeeperAdministration(
        config,
        metadata,
        topics,
        store,
        publisher,
        build_producer_ids(member).allocate,
        assembled.controller,
        assembled.replica_requests,
    )
    services = build_services(
        Foundation(config, metadata, replicas),
        administration,
        partial(build_marker_channels, member),
        partial(build_txn_verifier, member),
    )
    local_replicas = LocalReplicas(replicas, fetchers, publisher, config, partial(_leaders_changed, services))
    states = LocalReplicaStates(local_replicas, log_manager.log_dirs.high_watermarks())
    requests = ControllerRequests(member.node_id, member.broker_epoch, states, metadata, topics.is_to_be_deleted)
    guard = LeadershipGuard(member.session, registration, replicas.leads_any)
    services.routes.guard(guard, guard.is_settled)
    services.zookeeper_events = member.session.events
    services.zookeeper_latency_ms = member.session.client.latency_ms
    services.zookeeper_offsets = ZkConsumerOffsets(member.session)
    services.scram_credentials = administration.scram_credentials
    services.fetchers = fetchers
    services.controller_requests = requests
    services.kafka_controller, services.controller_apis = assembled.controller, assembled.apis
    member.tasks.add(requests.run, administration.run, guard.run)
    return MemberServices(services, registration, assembled.controller, states, _controlled_shutdown(member, replicas))


async def _leaders_changed(services: Services) -> None:
    """Have the coordinators follow the leaders that a request of the controller has changed."""
    await services.groups.follow_leaders()
    await services.transactions.follow_leaders()


def _registration(member: Member, endpoints: tuple[ListenerEndpoint, ...]) -> BrokerRegistration:
    """Return the registration of the member, which tells its broker epoch from now on."""
    departure_s = 0.0 if member.config.inter_broker_protocol.broker_epoch_supported else _DEPARTURE_S
    registration = BrokerRegistration(member.session, _broker_info(member, endpoints), departure_s=departure_s)
    member.registration = registration
    return registration


def _controlled_shutdown(member: Member, replicas: ReplicaManager) -> ControlledShutdown:
    version = member.config.inter_broker_protocol.controlled_shutdown_version
    return ControlledShutdown(
        ControlledShutdownConfig(member.config.value),
        StoppingBroker(member.node_id, member.broker_epoch, version),
        member.find_controller,
        replicas.leads_any,
    )


def _broker_info(member: Member, endpoints: tuple[ListenerEndpoint, ...]) -> BrokerInfo:
    protocol = member.config.inter_broker_protocol
    return BrokerInfo(
        member.node_id,
        tuple(Listener(each.listener, each.security_protocol, each.host, each.port) for each in endpoints),
        member.config.broker_rack,
        timestamp_ms=now_ms(),
        version=VERSION_5 if protocol.feature_versioning_supported else VERSION_4,
    )
