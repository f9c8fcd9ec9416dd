"""ControllerMetrics: the figures of the controller, by the names of Kafka's JMX attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from wirebroker.kafka_controller.context import ControllerContext
    from wirebroker.kafka_controller.controller_channel_manager import ControllerChannelManager
    from wirebroker.kafka_controller.controller_event_manager import ControllerEventManager
    from wirebroker.kafka_controller.partition_state_machine import PartitionStateMachine
    from wirebroker.metrics.histogram import Histogram


class ControllerMetrics:
    """The figures of kafka.controller:type=KafkaController, 0 on a broker that is not the active controller.

    Args:
        context: The cluster.
        channels: The connections to brokers.
        events: The queue of events.
        partition_states: Counts unclean elections.
        is_active: Whether this broker is the active controller.
    """

    def __init__(
        self,
        context: ControllerContext,
        channels: ControllerChannelManager,
        events: ControllerEventManager,
        partition_states: PartitionStateMachine,
        is_active: Callable[[], bool],
    ) -> None:
        self._context, self._channels, self._events, self._is_active = context, channels, events, is_active
        self._partition_states = partition_states

    @property
    def unclean_leader_elections(self) -> int:
        """Elections of leaders that were not in sync by this broker; never smaller, also when it is not active."""
        return self._partition_states.unclean_leader_elections

    @property
    def queue_times_ms(self) -> Histogram:
        """How long events have waited for their turn."""
        return self._events.queue_times_ms

    @property
    def times_ms(self) -> Mapping[str, Histogram]:
        """The beginning of a metric RateAndTimeMs -> how long its events have run."""
        return self._events.times_ms

    def gauges(self) -> dict[str, int]:
        """Return name -> value now."""
        context, is_active = self._context, self._is_active()
        if not is_active:
            return dict.fromkeys(_GAUGES, 0)
        deleted = context.topics_to_be_deleted
        ineligible = context.topics_ineligible_for_deletion
        replicas_to_delete = sum(len(context.replicas_for_topic(topic)) for topic in deleted)
        values = (
            1,
            len(context.live_broker_ids()),
            context.offline_partition_count,
            context.preferred_replica_imbalance_count,
            len(context.all_topics),
            context.partition_count(),
            len(deleted),
            len(ineligible),
            replicas_to_delete,
            self._events.queue_size,
            self._channels.total_queue_size,
        )
        return dict(zip(_GAUGES, values, strict=True))


_GAUGES = (
    "ActiveControllerCount",
    "ActiveBrokerCount",
    "OfflinePartitionsCount",
    "PreferredReplicaImbalanceCount",
    "GlobalTopicCount",
    "GlobalPartitionCount",
    "TopicsToDeleteCount",
    "TopicsIneligibleToDeleteCount",
    "ReplicasToDeleteCount",
    "EventQueueSize",
    "TotalQueueSize",
)
