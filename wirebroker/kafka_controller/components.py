"""ControllerComponents: what the parts of the controller share, and the interfaces of those that are plugged in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
    from wirebroker.kafka_controller.context import ControllerContext, PartitionAndReplica
    from wirebroker.kafka_controller.controller_broker_request_batch import ControllerBrokerRequestBatch
    from wirebroker.kafka_controller.controller_event_manager import ControllerEventManager
    from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient
    from wirebroker.kafka_controller.partition_state_machine import PartitionStateMachine
    from wirebroker.kafka_controller.replica_state_machine import ReplicaStateMachine
    from wirebroker.model import TopicPartition


class ControllerComponents(NamedTuple):
    """The objects that every part of the controller works with; they live as long as the broker."""

    controller_id: int
    """The id of this broker."""
    protocol: InterBrokerProtocol
    context: ControllerContext
    zk_client: ControllerZkClient
    batch: ControllerBrokerRequestBatch
    partition_states: PartitionStateMachine
    replica_states: ReplicaStateMachine
    events: ControllerEventManager

    def send_update_metadata(self, broker_ids: Iterable[int], partitions: Iterable[TopicPartition] = ()) -> None:
        """Tell brokers all live brokers, and the leaders of *partitions*; Kafka's sendUpdateMetadataRequest."""
        self.batch.new_batch()
        self.batch.add_update_metadata_request_for_brokers(broker_ids, partitions)
        self.batch.send_requests_to_brokers()


class TopicDeletion(Protocol):
    """Kafka's TopicDeletionManager, as the other parts of the controller use it; called in the controller's events."""

    async def init(self) -> None:
        """Queue the deletions that were asked for, when a new controller has its context."""

    async def try_topic_deletion(self) -> None:
        """Go on with the deletions, when the state machines have started."""

    async def topic_deletion_requested(self) -> None:
        """Queue what /admin/delete_topics names."""

    async def stop_replica_response_received(
        self, broker_id: int, errors: Mapping[TopicPartition, int], error_code: int
    ) -> None:
        """Note which logs a broker has deleted; *errors* has a code for each partition of the request."""

    async def resume_deletion_for_topics(self, topics: Iterable[str]) -> None:
        """Try deletions again that were ineligible."""

    async def fail_replica_deletion(self, replicas: Iterable[PartitionAndReplica]) -> None:
        """Postpone the deletion of replicas that went offline."""


class Reassignments(Protocol):
    """Reassignments of partitions, as the other parts of the controller use them; called in the controller's events."""

    async def resume_all(self) -> None:
        """Go on with the reassignments that a new controller finds."""

    async def process_zk(self) -> set[TopicPartition]:
        """Begin the reassignments that /admin/reassign_partitions asks for."""

    async def brokers_started(self, broker_ids: Collection[int]) -> None:
        """Go on with the reassignments to brokers that are new or back."""

    async def isr_changed(self, partitions: Iterable[TopicPartition]) -> None:
        """Complete those of *partitions* whose target is in sync now."""


class Elections(Protocol):
    """Elections of preferred leaders; called in the controller's events."""

    async def process_zk(self) -> None:
        """Make the elections that /admin/preferred_replica_election asks for."""

    async def rebalance(self, percentage: int) -> None:
        """Give brokers back the leaderships that they are to have, if more than *percentage* are elsewhere."""


class ControllerServices(NamedTuple):
    """The parts that react to events beside the state machines."""

    deletion: TopicDeletion
    reassignments: Reassignments
    elections: Elections
