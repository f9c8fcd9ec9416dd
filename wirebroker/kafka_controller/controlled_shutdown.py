"""ControlledShutdown at the active controller: moves the leaders of a broker that is about to stop to other brokers."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from wirebroker.kafka_controller.context import PartitionAndReplica
from wirebroker.kafka_controller.election import ElectionStrategy
from wirebroker.kafka_controller.states import PartitionState, ReplicaState
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from wirebroker.kafka_controller.components import ControllerComponents
    from wirebroker.model import TopicPartition

logger = logging.getLogger(__name__)


async def controlled_shutdown(
    components: ControllerComponents, broker_id: int, broker_epoch: int
) -> list[TopicPartition]:
    """Move the leaders of a broker, stop its followers, and return the partitions that it still leads; an event.

    Partitions with one replica stay where they are, and are not counted.

    Raises:
        ApiError: STALE_BROKER_EPOCH, the broker was started again since; BROKER_NOT_AVAILABLE, it is not registered.
        ControllerMoved: Another broker is the controller by now.
    """
    context = components.context
    logger.info("Shutting down broker %d", broker_id)
    registered = context.broker_epoch(broker_id)
    if 0 <= broker_epoch < registered:  # one above comes from a registration that this controller has yet to process
        raise ApiError(
            ErrorCode.STALE_BROKER_EPOCH,
            f"the epoch of broker {broker_id} is {registered}, the request has {broker_epoch}",
        )
    if registered < 0:
        raise ApiError(ErrorCode.BROKER_NOT_AVAILABLE, f"broker {broker_id} is not registered")
    context.shutting_down_broker_ids.add(broker_id)
    replicated = [
        each
        for each in context.partitions_on_broker(broker_id)
        if len(context.replica_assignment(each).replicas) > 1
        and each in context.partition_leadership
        and not context.is_topic_queued_for_deletion(each.topic)
    ]
    led = [each for each in replicated if context.partition_leadership[each].leader == broker_id]
    followed = [each for each in replicated if context.partition_leadership[each].leader != broker_id]
    await components.partition_states.handle_state_changes(
        led, PartitionState.ONLINE, ElectionStrategy.CONTROLLED_SHUTDOWN
    )
    # a follower that stops fetching now leaves the ISR by the request below, not after replica.lag.time.max.ms
    components.batch.new_batch()
    for partition in followed:
        components.batch.add_stop_replica_request_for_brokers((broker_id,), partition, delete=False)
    components.batch.send_requests_to_brokers()
    await components.replica_states.handle_state_changes(
        [PartitionAndReplica(each, broker_id) for each in followed], ReplicaState.OFFLINE
    )
    return context.partitions_led_by(broker_id)
