"""build_kafka_controller: the parts of the controller put together, for a broker of a cluster with ZooKeeper."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.kafka_controller.components import ControllerComponents, ControllerServices
from wirebroker.kafka_controller.context import ControllerContext
from wirebroker.kafka_controller.controller_apis import ControllerApis
from wirebroker.kafka_controller.controller_broker_request_batch import ControllerBrokerRequestBatch
from wirebroker.kafka_controller.controller_channel_manager import ControllerChannelManager
from wirebroker.kafka_controller.controller_event_manager import ControllerEventManager
from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient
from wirebroker.kafka_controller.kafka_controller import KafkaController, RebalanceSettings
from wirebroker.kafka_controller.partition_reassignments import Machines, PartitionReassignments
from wirebroker.kafka_controller.partition_state_machine import PartitionStateMachine
from wirebroker.kafka_controller.replica_elections import ReplicaElections
from wirebroker.kafka_controller.replica_requests import ReplicaRequests
from wirebroker.kafka_controller.replica_state_machine import ReplicaStateMachine
from wirebroker.kafka_controller.topic_deletion_manager import TopicDeletionManager
from wirebroker.kafka_controller.unclean_election import TopicSettings
from wirebroker.zookeeper.producer_ids import ZkProducerIdBlocks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
    from wirebroker.config.log import LogConfig
    from wirebroker.model import TopicPartition
    from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrResponse
    from wirebroker.protocol.messages.stop_replica import StopReplicaResponse
    from wirebroker.zookeeper.session import Session


class ControllerSettings(NamedTuple):
    """The settings of the controller; functions return those that may change while it runs."""

    broker_id: int
    protocol: InterBrokerProtocol
    listener_name: str
    """The listener by which brokers reach each other."""
    control_plane_listener_name: str
    """The listener that requests of the controller go to."""
    socket_timeout_s: float
    """`controller.socket.timeout.ms`."""
    log_config: Callable[[Mapping[str, str]], LogConfig]
    """Returns the settings of a topic with these overrides."""
    is_delete_topic_enabled: bool
    """`delete.topic.enable`."""
    rebalance: Callable[[], RebalanceSettings]


class AssembledController(NamedTuple):
    """The controller of this broker, and the parts that handlers ask."""

    controller: KafkaController
    context: ControllerContext
    apis: ControllerApis
    replica_requests: ReplicaRequests


def build_kafka_controller(
    session: Session, settings: ControllerSettings, channels: ControllerChannelManager | None = None
) -> AssembledController:
    """Return the controller of a broker, which does nothing before its `run`; *channels* replace the connections."""
    broker_id, protocol = settings.broker_id, settings.protocol
    context, zk_client = ControllerContext(), ControllerZkClient(session)
    controller: KafkaController
    if channels is None:
        channels = ControllerChannelManager(broker_id, settings.control_plane_listener_name, settings.socket_timeout_s)
    listener = _Responses(lambda: controller)
    batch = ControllerBrokerRequestBatch(broker_id, protocol, settings.listener_name, context, channels, listener)
    replicas = ReplicaStateMachine(broker_id, context, zk_client, batch)
    unclean = TopicSettings(zk_client, settings.log_config)
    partitions = PartitionStateMachine(broker_id, protocol, context, zk_client, batch, unclean)
    events = ControllerEventManager(lambda: controller.is_active, lambda: controller.controller_moved())
    deletion = TopicDeletionManager(
        context,
        zk_client,
        batch,
        replicas,
        partitions,
        lambda: controller.topics.process_topic_change(),
        is_delete_topic_enabled=settings.is_delete_topic_enabled,
    )
    reassignments = PartitionReassignments(
        broker_id,
        context,
        zk_client,
        Machines(partitions, replicas, deletion.resume_deletion_for_topics, batch),
        is_mirrored=not protocol.is_at_least("2.4-IV0"),
    )
    elections = ReplicaElections(context, zk_client, partitions)
    components = ControllerComponents(broker_id, protocol, context, zk_client, batch, partitions, replicas, events)
    services = ControllerServices(deletion, reassignments, elections)
    controller = KafkaController(session, components, channels, services, settings.rebalance)
    apis = ControllerApis(
        events,
        context,
        zk_client,
        batch,
        reassignments.isr_changed,
        lambda asking: ZkProducerIdBlocks(session, asking).allocate(),
    )
    requests = ReplicaRequests(events, context, reassignments, elections)
    return AssembledController(controller, context, apis, requests)


class _Responses:
    """Hands responses to the controller, which is built after the batch."""

    def __init__(self, controller: Callable[[], KafkaController]) -> None:
        self._controller = controller

    def leader_and_isr_response_received(self, broker_id: int, response: LeaderAndIsrResponse) -> None:
        self._controller().leader_and_isr_response_received(broker_id, response)

    def stop_replica_response_received(
        self, broker_id: int, response: StopReplicaResponse, deleted: frozenset[TopicPartition]
    ) -> None:
        self._controller().stop_replica_response_received(broker_id, response, deleted)
