"""ReplicaElections: preferred and unclean elections, asked for by a client, by a znode, or by time."""

from __future__ import annotations

import logging
from enum import Enum
from typing import TYPE_CHECKING

from wirebroker.controller.administration import ElectionType
from wirebroker.kafka_controller.election import ElectionStrategy
from wirebroker.kafka_controller.errors import ControllerMoved
from wirebroker.kafka_controller.preferred_leaders import imbalanced_partitions
from wirebroker.kafka_controller.states import PartitionState
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.zookeeper.znodes.topics import NO_LEADER, LeaderIsrAndControllerEpoch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.kafka_controller.context import ControllerContext
    from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient
    from wirebroker.kafka_controller.partition_state_machine import PartitionStateMachine
    from wirebroker.model import TopicPartition

log = logging.getLogger(__name__)


class ElectionTrigger(Enum):
    """The origin of an election, by Kafka's names."""

    ADMIN_CLIENT = "AdminClientTriggered"
    ZK = "ZkTriggered"
    AUTO = "AutoTriggered"


class ReplicaElections:
    """Everything here runs in the controller's event queue, and raises ControllerMoved.

    Args:
        context: The cluster.
        zk: Where elections are asked for by tools before 2.4.
        partitions: Elects.
    """

    def __init__(self, context: ControllerContext, zk: ControllerZkClient, partitions: PartitionStateMachine) -> None:
        self._context, self._zk, self._partitions = context, zk, partitions

    async def elect(
        self,
        partitions: Iterable[TopicPartition],
        election_type: ElectionType,
        trigger: ElectionTrigger = ElectionTrigger.ADMIN_CLIENT,
    ) -> dict[TopicPartition, int | ApiError]:
        """Elect leaders where that is needed; return the new leader of each partition, or why there is none."""
        context = self._context
        results: dict[TopicPartition, int | ApiError] = {}
        electable: list[TopicPartition] = []
        for partition in partitions:
            if not context.replica_assignment(partition).replicas:
                results[partition] = ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist.")
            elif context.is_topic_queued_for_deletion(partition.topic):
                results[partition] = ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, "The topic is being deleted")
            elif not self._is_needed(partition, election_type):
                results[partition] = ApiError(ErrorCode.ELECTION_NOT_NEEDED)
            else:
                electable.append(partition)
        return results | await self._elect(electable, election_type, trigger)

    async def process_zk(self) -> None:
        """Make the elections that /admin/preferred_replica_election asks for, and delete it."""
        asked = await self._zk.get_preferred_replica_election()
        if asked:
            await self.elect(sorted(asked), ElectionType.PREFERRED, ElectionTrigger.ZK)
        await self._zk.delete_preferred_replica_election(self._context.epoch_zk_version)

    async def rebalance(self, percentage: int) -> None:
        """Give brokers back the leaderships that they are to have, if more than *percentage* are elsewhere."""
        for broker_id, partitions in imbalanced_partitions(self._context, percentage).items():
            log.info("broker %d: %d partitions that prefer it are led elsewhere", broker_id, len(partitions))
            await self._elect(partitions, ElectionType.PREFERRED, ElectionTrigger.AUTO)

    def _is_needed(self, partition: TopicPartition, election_type: ElectionType) -> bool:
        leadership = self._context.partition_leadership.get(partition)
        leader = NO_LEADER if leadership is None else leadership.leader
        if election_type is ElectionType.PREFERRED:
            return leader != self._context.replica_assignment(partition).replicas[0]
        return leader == NO_LEADER or not self._context.is_live(leader)

    async def _elect(
        self, partitions: list[TopicPartition], election_type: ElectionType, trigger: ElectionTrigger
    ) -> dict[TopicPartition, int | ApiError]:
        if not partitions:
            return {}
        log.info("replica leader election (%s) for %s by %s", election_type.name, partitions, trigger.value)
        strategy = ElectionStrategy.PREFERRED
        if election_type is ElectionType.UNCLEAN:
            strategy = ElectionStrategy.UNCLEAN
        elected = await self._partitions.handle_state_changes(partitions, PartitionState.ONLINE, strategy)
        results: dict[TopicPartition, int | ApiError] = {}
        for partition in partitions:
            outcome = elected.get(partition)
            if isinstance(outcome, ControllerMoved):
                raise outcome
            if isinstance(outcome, LeaderIsrAndControllerEpoch):
                results[partition] = outcome.leader
                continue
            results[partition] = _not_elected(election_type, outcome)
            if trigger is not ElectionTrigger.ADMIN_CLIENT:
                log.warning("partition %s: no election of the preferred replica: %s", partition, outcome)
        return results


def _not_elected(election_type: ElectionType, reason: Exception | None) -> ApiError:
    code = ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    if election_type is ElectionType.UNCLEAN:
        code = ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
    return ApiError(code, str(reason) if reason is not None else None)
