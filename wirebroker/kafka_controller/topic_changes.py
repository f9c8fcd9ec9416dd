"""TopicChanges: what the controller does when topics come, grow or go in /brokers/topics, and when ISRs change."""

from __future__ import annotations

import logging
import uuid
from typing import TYPE_CHECKING

from wirebroker.kafka_controller.states import PartitionState, ReplicaState
from wirebroker.loop_budget import LoopBudget

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wirebroker.kafka_controller.components import ControllerComponents, Reassignments
    from wirebroker.kafka_controller.data_watches import DataWatches
    from wirebroker.zookeeper.znodes.topics import TopicAssignment

from wirebroker.model import TopicPartition

logger = logging.getLogger(__name__)


class TopicChanges:
    """The events of /brokers/topics and of /isr_change_notification.

    Args:
        components: The parts of the controller.
        watches: The watches of topics.
        reassignments: The reassignments.
    """

    def __init__(self, components: ControllerComponents, watches: DataWatches, reassignments: Reassignments) -> None:
        self._components, self._watches, self._reassignments = components, watches, reassignments

    async def process_topic_change(self) -> None:
        """Compare the topics in ZooKeeper with the known ones: elect leaders for new ones, forget deleted ones."""
        context, zk_client = self._components.context, self._components.zk_client
        found = await zk_client.get_all_topics_in_cluster()
        new, deleted = found - set(context.all_topics), set(context.all_topics) - found
        if not (new or deleted):
            return
        await self._watches.add(new)
        self._watches.forget(deleted)
        for topic in deleted:
            context.remove_topic(topic)
        added = await self.add_topics(new)
        logger.info("New topics: %s, deleted topics: %s, %d new partitions", sorted(new), sorted(deleted), len(added))
        await self.on_new_partition_creation(added)

    async def add_topics(self, topics: Iterable[str]) -> list[TopicPartition]:
        """Read assignments and ids of *topics* into the context, and return their partitions.

        From protocol 2.8 on a topic without an id, of an earlier release, is given one.
        """
        context, zk_client = self._components.context, self._components.zk_client
        added: list[TopicPartition] = []
        budget = LoopBudget()
        for topic, assignment in (await zk_client.get_replica_assignment_and_topic_ids_for_topics(topics)).items():
            await budget.yield_if_due()
            try:
                context.add_topic(topic, (await self._with_topic_id(assignment)).topic_id)
            except ValueError as error:
                logger.error("controller: %s; it is served by the id that was known before", error)
            for number, replicas in assignment.partitions.items():
                partition = TopicPartition(topic, number)
                context.update_assignment(partition, replicas)
                added.append(partition)
                if replicas.adding_replicas or replicas.removing_replicas:
                    context.partitions_being_reassigned.add(partition)
        return added

    async def _with_topic_id(self, assignment: TopicAssignment) -> TopicAssignment:
        if not self._components.protocol.topic_ids_supported:
            return assignment._replace(topic_id=None)
        if assignment.topic_id is not None:
            return assignment
        known = self._components.context.topic_ids.get(assignment.topic)
        changed = assignment._replace(topic_id=known or uuid.uuid4().bytes)
        await self._components.zk_client.set_topic_assignment(changed, self._components.context.epoch_zk_version)
        return changed

    async def process_partition_modifications(self, topic: str) -> None:
        """Create the partitions that were added to a topic."""
        context, zk_client = self._components.context, self._components.zk_client
        found = (await zk_client.get_replica_assignment_and_topic_ids_for_topics([topic])).get(topic)
        if found is None or topic not in context.all_topics:
            return
        known = context.assignments[topic]
        added = {
            TopicPartition(topic, number): each for number, each in found.partitions.items() if number not in known
        }
        if not added:
            return
        if context.is_topic_queued_for_deletion(topic):
            logger.warning("Skipping adding partitions %s for topic %s since it is being deleted", list(added), topic)
            restored = found._replace(partitions=dict(known))
            await zk_client.set_topic_assignment(restored, context.epoch_zk_version)
            return
        logger.info("New partitions to be added %s", ", ".join(map(str, added)))
        for partition, assignment in added.items():
            context.update_assignment(partition, assignment)
        await self.on_new_partition_creation(list(added))

    async def on_new_partition_creation(self, partitions: Sequence[TopicPartition]) -> None:
        """Take new partitions and their replicas to NEW, elect leaders, and take the replicas to ONLINE."""
        if not partitions:
            return
        partition_states, replica_states = self._components.partition_states, self._components.replica_states
        await partition_states.handle_state_changes(partitions, PartitionState.NEW)
        replicas = self._components.context.replicas_for_partitions(partitions)
        await replica_states.handle_state_changes(replicas, ReplicaState.NEW)
        await partition_states.handle_state_changes(partitions, PartitionState.ONLINE)
        await replica_states.handle_state_changes(replicas, ReplicaState.ONLINE)

    async def process_isr_change_notification(self) -> None:
        """Read the ISRs that leaders have changed, and tell all brokers."""
        components, context = self._components, self._components.context
        names = await components.zk_client.get_all_isr_change_notifications()
        if not names:
            return
        changed = await components.zk_client.get_partitions_from_isr_change_notifications(names)
        partitions = [each for each in changed if context.replica_assignment(each).replicas]
        if partitions:
            await self.update_leader_and_isr_cache(partitions)
            components.send_update_metadata(context.live_or_shutting_down_broker_ids(), partitions)
        await components.zk_client.delete_isr_change_notifications(names, context.epoch_zk_version)
        if partitions:
            await self._reassignments.isr_changed(partitions)

    async def update_leader_and_isr_cache(self, partitions: Sequence[TopicPartition]) -> None:
        """Read leaders and ISRs from ZooKeeper."""
        context = self._components.context
        found = await self._components.zk_client.get_topic_partition_states(partitions)
        budget = LoopBudget()
        for partition, state in found.items():
            await budget.yield_if_due()
            context.put_partition_leadership(partition, state)
