"""TopicDeletionManager: deletes the topics that /admin/delete_topics names, as Kafka's class of that name does.

A deletion takes these steps, all in events of the controller:

1. The topic is queued.  It waits while a broker of one of its replicas is down (ineligible), and in the queue of a
   controller that was just elected while one of its partitions is reassigned, until `resume_deletion_for_topics`.
2. Its partitions become NON_EXISTENT; UpdateMetadata with leader -2 tells all brokers that the topic goes.
3. StopReplica stops its replicas (OFFLINE), and a second one has their logs deleted (DELETION_STARTED).  Live brokers
   get it for replicas that are offline there, too: a wirebroker deletes a log that it has refused, which is offline
   although its log directory works.  (Apache Kafka's controller does not ask; its brokers refuse no log.)
4. Each replica whose broker has answered without an error is DELETION_SUCCESSFUL; a failure makes the topic ineligible.
5. When all are, the znodes go: the topic, its settings, and last the request, so that a controller that is elected in
   between begins again at 1, and brokers answer to StopReplica for logs that they do not have without an error.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from wirebroker.kafka_controller.context import PartitionAndReplica
from wirebroker.kafka_controller.states import PartitionState, ReplicaState
from wirebroker.loop_budget import LoopBudget
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping

    from wirebroker.kafka_controller.context import ControllerContext
    from wirebroker.kafka_controller.controller_broker_request_batch import ControllerBrokerRequestBatch
    from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient
    from wirebroker.kafka_controller.partition_state_machine import PartitionStateMachine
    from wirebroker.kafka_controller.replica_state_machine import ReplicaStateMachine
    from wirebroker.model import TopicPartition

log = logging.getLogger(__name__)


class TopicDeletionManager:
    """The queue of topics to be deleted; belongs to the controller's event loop.

    Args:
        context: has the queue and the states, which a new controller reads anew.
        zk_client: deletes znodes.
        batch: the requests to brokers.
        replicas: changes states of replicas.
        partitions: changes states of partitions.
        find_new_topics: brings new topics of ZooKeeper into the context.
        is_delete_topic_enabled: `delete.topic.enable`.
    """

    def __init__(
        self,
        context: ControllerContext,
        zk_client: ControllerZkClient,
        batch: ControllerBrokerRequestBatch,
        replicas: ReplicaStateMachine,
        partitions: PartitionStateMachine,
        find_new_topics: Callable[[], Awaitable[None]],
        *,
        is_delete_topic_enabled: bool,
    ) -> None:
        self._context, self._zk_client, self._batch = context, zk_client, batch
        self._replicas, self._partitions = replicas, partitions
        self._find_new_topics, self._is_delete_topic_enabled = find_new_topics, is_delete_topic_enabled

    # -- the events of the controller

    async def init(self) -> None:
        """Queue the deletions that were asked for; the context has topics, live brokers and reassignments."""
        context = self._context
        topics = await self._zk_client.get_topic_deletions()
        if not topics:
            return
        if not self._is_delete_topic_enabled:
            await self._remove_requests(topics)
            return
        context.queue_topics_for_deletion(topics)
        waiting = {topic for topic in topics if self._has_offline_replica(topic)} | self._reassigned(topics)
        context.topics_ineligible_for_deletion |= waiting
        log.info("controller: topics to delete: %s; of these wait: %s", sorted(topics), sorted(waiting))

    async def try_topic_deletion(self) -> None:
        """Begin or go on with every deletion that is not ineligible."""
        if self._is_delete_topic_enabled:
            await self._resume_deletions()

    async def topic_deletion_requested(self) -> None:
        """Queue what /admin/delete_topics names, as that has changed."""
        context = self._context
        topics = await self._zk_client.get_topic_deletions()
        if not topics <= set(context.all_topics):
            # a topic that was just created is deleted; only a request for one that does not exist is dropped
            await self._find_new_topics()
        missing = topics - set(context.all_topics)
        if missing:
            log.warning("controller: topics %s do not exist; their deletion requests are removed", sorted(missing))
            await self._zk_client.delete_topic_deletions(missing, context.epoch_zk_version)
            topics -= missing
        if not topics:
            return
        if not self._is_delete_topic_enabled:
            await self._remove_requests(topics)
            return
        # also those with a reassignment in progress: Apache Kafka marks them ineligible before they are queued, which
        # has no effect, and deletes them
        context.queue_topics_for_deletion(topics)
        await self._resume_deletions()

    async def stop_replica_response_received(
        self, broker_id: int, errors: Mapping[TopicPartition, int], error_code: int
    ) -> None:
        """Note which logs a broker has deleted; *errors* has a code for each partition of the request."""
        failed = [each for each, code in errors.items() if code or error_code]
        if failed:
            codes = {str(each): ErrorCode(error_code or errors[each]).name for each in failed}
            log.warning("controller: broker %d has not deleted its replicas: %s", broker_id, codes)
            await self.fail_replica_deletion(PartitionAndReplica(each, broker_id) for each in failed)
        deleted = errors.keys() - failed
        if deleted:
            await self.complete_replica_deletion(PartitionAndReplica(each, broker_id) for each in sorted(deleted))

    async def resume_deletion_for_topics(self, topics: Iterable[str]) -> None:
        """Try deletions again that were ineligible: a broker is back, or a reassignment is done."""
        resumed = self._context.topics_to_be_deleted.intersection(topics)
        if resumed and self._is_delete_topic_enabled:
            self._context.topics_ineligible_for_deletion -= resumed
            await self._resume_deletions()

    async def fail_replica_deletion(self, replicas: Iterable[PartitionAndReplica]) -> None:
        """Note that replicas cannot be deleted now: their broker or log directory is down, or has failed to."""
        failed = self._queued(replicas)
        if failed and self._is_delete_topic_enabled:
            await self._replicas.handle_state_changes(failed, ReplicaState.DELETION_INELIGIBLE)
            self.mark_topic_ineligible_for_deletion(
                {each.partition.topic for each in failed}, "replicas could not be deleted"
            )
            await self._resume_deletions()

    async def complete_replica_deletion(self, replicas: Iterable[PartitionAndReplica]) -> None:
        """Note that the logs of replicas are deleted."""
        await self._replicas.handle_state_changes(self._queued(replicas), ReplicaState.DELETION_SUCCESSFUL)
        await self._resume_deletions()

    def mark_topic_ineligible_for_deletion(self, topics: Iterable[str], reason: str) -> None:
        """Halt the deletion of those of *topics* that are queued, until it is resumed."""
        halted = self._context.topics_to_be_deleted.intersection(topics)
        if halted and self._is_delete_topic_enabled:
            self._context.topics_ineligible_for_deletion |= halted
            log.info("controller: the deletion of topics %s waits: %s", sorted(halted), reason)

    def is_topic_queued_up_for_deletion(self, topic: str) -> bool:
        """Return whether *topic* is queued; always False where deletion is disabled."""
        return self._is_delete_topic_enabled and self._context.is_topic_queued_for_deletion(topic)

    # -- the steps of a deletion

    async def _resume_deletions(self) -> None:
        context = self._context
        to_retry: list[str] = []
        to_start: list[str] = []
        budget = LoopBudget()
        for topic in sorted(context.topics_to_be_deleted):
            await budget.yield_if_due()
            if context.are_all_replicas_in_state(topic, ReplicaState.DELETION_SUCCESSFUL):
                await self._complete_delete_topic(topic)
                continue
            if context.replicas_in_state(topic, ReplicaState.DELETION_STARTED):
                continue  # brokers have not answered yet
            if context.replicas_in_state(topic, ReplicaState.DELETION_INELIGIBLE):
                to_retry.append(topic)
            if context.is_topic_eligible_for_deletion(topic):
                log.info("controller: deletion of topic %s (re)started", topic)
                to_start.append(topic)
        if to_retry:
            failed = [
                each
                for topic in to_retry
                for each in context.replicas_in_state(topic, ReplicaState.DELETION_INELIGIBLE)
            ]
            await self._replicas.handle_state_changes(failed, ReplicaState.OFFLINE)
        if to_start:
            await self._on_topic_deletion(to_start)

    async def _on_topic_deletion(self, topics: list[str]) -> None:
        """Tell all brokers that *topics* go, and have their replicas deleted."""
        context = self._context
        new = [topic for topic in topics if topic not in context.topics_with_deletion_started]
        partitions = [each for topic in new for each in context.partitions_for_topic(topic)]
        await self._partitions.handle_state_changes(partitions, PartitionState.OFFLINE)
        await self._partitions.handle_state_changes(partitions, PartitionState.NON_EXISTENT)
        # after the states, which count as offline no longer
        context.begin_topic_deletion(new)
        self._batch.new_batch()
        self._batch.add_update_metadata_request_for_brokers(
            context.live_or_shutting_down_broker_ids(),
            [each for topic in topics for each in context.partitions_for_topic(topic)],
        )
        self._batch.send_requests_to_brokers()
        await self._on_partition_deletion(topics)

    async def _on_partition_deletion(self, topics: list[str]) -> None:
        context = self._context
        dead: list[PartitionAndReplica] = []
        alive: list[PartitionAndReplica] = []
        budget = LoopBudget()
        for topic in topics:
            await budget.yield_if_due()
            for each in context.replicas_for_topic(topic):
                if not context.is_live(each.replica):
                    dead.append(each)
                elif context.replica_state(each) is not ReplicaState.DELETION_SUCCESSFUL:
                    alive.append(each)
        await self._replicas.handle_state_changes(dead, ReplicaState.DELETION_INELIGIBLE)
        # followers stop to fetch before the logs go
        await self._replicas.handle_state_changes(alive, ReplicaState.OFFLINE)
        await self._replicas.handle_state_changes(alive, ReplicaState.DELETION_STARTED)
        self.mark_topic_ineligible_for_deletion({each.partition.topic for each in dead}, "replicas are offline")

    async def _complete_delete_topic(self, topic: str) -> None:
        context, version = self._context, self._context.epoch_zk_version
        replicas = context.replicas_in_state(topic, ReplicaState.DELETION_SUCCESSFUL)
        await self._replicas.handle_state_changes(replicas, ReplicaState.NON_EXISTENT)
        moving = {each for each in context.partitions_being_reassigned if each.topic == topic}
        if moving:
            asked = await self._zk_client.get_partition_reassignment()
            left = {partition: target for partition, target in asked.items() if partition not in moving}
            await self._zk_client.replace_partition_reassignment(asked, left, version)
        await self._zk_client.delete_topic_znode(topic, version)
        await self._zk_client.delete_topic_configs([topic], version)
        await self._zk_client.delete_topic_deletions([topic], version)
        context.remove_topic(topic)
        log.info("controller: deletion of topic %s successfully completed", topic)

    async def _remove_requests(self, topics: Collection[str]) -> None:
        log.info("controller: delete.topic.enable is false: the requests to delete %s are removed", sorted(topics))
        await self._zk_client.delete_topic_deletions(topics, self._context.epoch_zk_version)

    def _queued(self, replicas: Iterable[PartitionAndReplica]) -> list[PartitionAndReplica]:
        return [each for each in replicas if self.is_topic_queued_up_for_deletion(each.partition.topic)]

    def _has_offline_replica(self, topic: str) -> bool:
        context = self._context
        return any(
            not context.is_replica_online(each.replica, each.partition) for each in context.replicas_for_topic(topic)
        )

    def _reassigned(self, topics: Collection[str]) -> set[str]:
        """Return those of *topics* of which a partition is being reassigned."""
        return {each.topic for each in self._context.partitions_being_reassigned}.intersection(topics)
