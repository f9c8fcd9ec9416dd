"""ReplicaStateMachine: takes replicas from state to state, and tells their brokers.

    NON_EXISTENT -> NEW                    the broker is sent LeaderAndIsr, as a follower
    NEW, OFFLINE, INELIGIBLE -> ONLINE     the broker is sent LeaderAndIsr
    NEW, ONLINE, INELIGIBLE -> OFFLINE     StopReplica; the replica leaves the ISR, and the others are sent LeaderAndIsr
    OFFLINE -> DELETION_STARTED            StopReplica with delete
    DELETION_STARTED -> DELETION_SUCCESSFUL, DELETION_INELIGIBLE
    DELETION_SUCCESSFUL -> NON_EXISTENT    the replica leaves the assignment in memory

One task uses it, the controller's.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from wirebroker.kafka_controller.partition_state_machine import StateChangeFailed
from wirebroker.kafka_controller.state_change_log import STATE_CHANGE_LOGGER, StateChangeLogger
from wirebroker.kafka_controller.states import ReplicaState
from wirebroker.loop_budget import LoopBudget
from wirebroker.zookeeper.znodes.topics import NO_LEADER

if TYPE_CHECKING:
    from collections.abc import Collection

    from wirebroker.kafka_controller.context import ControllerContext, PartitionAndReplica
    from wirebroker.kafka_controller.controller_broker_request_batch import ControllerBrokerRequestBatch
    from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient
    from wirebroker.model import TopicPartition
    from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch


class ReplicaStateMachine:
    """The state machine of all replicas.

    Args:
        controller_id: The id of this broker.
        context: Read and changed.
        zk_client: Writes ISRs.
        batch: Collects what brokers are told.
    """

    def __init__(
        self,
        controller_id: int,
        context: ControllerContext,
        zk_client: ControllerZkClient,
        batch: ControllerBrokerRequestBatch,
    ) -> None:
        self._controller_id, self._context, self._zk_client, self._batch = controller_id, context, zk_client, batch

    async def startup(self) -> None:
        """Give all replicas of a new controller their state, and tell their brokers."""
        context, budget = self._context, LoopBudget()
        online: list[PartitionAndReplica] = []
        offline: list[PartitionAndReplica] = []
        for partition in context.all_partitions():
            await budget.yield_if_due()
            for replica in context.replicas_for_partitions((partition,)):
                if context.is_replica_online(replica.replica, partition):
                    online.append(replica)
                    context.put_replica_state(replica, ReplicaState.ONLINE)
                else:
                    offline.append(replica)
                    # if the broker of a topic to be deleted is down, the deletion has to begin anew
                    context.put_replica_state(replica, ReplicaState.DELETION_INELIGIBLE)
        await self.handle_state_changes(online, ReplicaState.ONLINE)
        await self.handle_state_changes(offline, ReplicaState.OFFLINE)

    async def handle_state_changes(self, replicas: Collection[PartitionAndReplica], target: ReplicaState) -> None:
        """Take *replicas* to *target*, and tell the brokers; those that may not enter it are logged and left alone.

        Raises:
            ControllerMoved: another broker is controller by now.
        """
        if not replicas:
            return
        self._batch.new_batch()
        try:
            by_broker: dict[int, list[PartitionAndReplica]] = {}
            for each in dict.fromkeys(replicas):
                by_broker.setdefault(each.replica, []).append(each)
            for broker_id, found in by_broker.items():
                await self._do_handle_state_changes(broker_id, found, target)
        except BaseException:
            self._batch.clear()
            raise
        self._batch.send_requests_to_brokers()

    async def _do_handle_state_changes(
        self, broker_id: int, replicas: list[PartitionAndReplica], target: ReplicaState
    ) -> None:
        context, log, budget = self._context, self._log(), LoopBudget()
        valid: list[PartitionAndReplica] = []
        for each in replicas:
            await budget.yield_if_due()
            if context.replica_may_enter(each, target):
                valid.append(each)
            else:
                log.error(
                    "Controller %d epoch %d initiated state change of replica %d for partition %s failed: it should not"
                    " change its state from %s to %s",
                    self._controller_id,
                    context.epoch,
                    broker_id,
                    each.partition,
                    context.replica_state(each).value,
                    target.value,
                )
        if target is ReplicaState.OFFLINE:
            await self._to_offline(broker_id, valid)
            return
        is_logged = STATE_CHANGE_LOGGER.isEnabledFor(logging.DEBUG)
        for each in valid:
            await budget.yield_if_due()
            before = context.replica_state(each)
            try:
                self._enter(each, before, target)
            except StateChangeFailed as failure:
                log.error(
                    "Controller %d epoch %d initiated state change of replica %d for partition %s from %s to %s failed:"
                    " %s",
                    self._controller_id,
                    context.epoch,
                    broker_id,
                    each.partition,
                    before.value,
                    target.value,
                    failure,
                )
                continue
            if is_logged:
                self._log_changed(log, each, before, target)
            context.put_replica_state(each, target)

    def _enter(self, replica: PartitionAndReplica, before: ReplicaState, target: ReplicaState) -> None:
        """Do what entering *target*, which is not OFFLINE, calls for.  Raises StateChangeFailed."""
        context, batch, partition, broker_id = self._context, self._batch, replica.partition, replica.replica
        state, assignment = context.partition_leadership.get(partition), context.replica_assignment(partition)
        match target:
            case ReplicaState.NEW:
                if state is None:
                    return
                if state.leader == broker_id:
                    raise StateChangeFailed(
                        f"Replica {broker_id} for partition {partition} cannot be moved to NewReplica state as it is"
                        " being requested to become leader"
                    )
                batch.add_leader_and_isr_request_for_brokers((broker_id,), partition, state, assignment, is_new=True)
            case ReplicaState.ONLINE:
                if before is ReplicaState.NEW:
                    if broker_id not in assignment.replicas:
                        added = assignment._replace(replicas=(*assignment.replicas, broker_id))
                        context.update_assignment(partition, added)
                elif state is not None:
                    batch.add_leader_and_isr_request_for_brokers(
                        (broker_id,), partition, state, assignment, is_new=False
                    )
            case ReplicaState.DELETION_STARTED:
                batch.add_stop_replica_request_for_brokers((broker_id,), partition, delete=True)
            case ReplicaState.NON_EXISTENT:
                left = assignment._replace(
                    replicas=tuple(each for each in assignment.replicas if each != broker_id),
                    adding_replicas=tuple(each for each in assignment.adding_replicas if each != broker_id),
                    removing_replicas=tuple(each for each in assignment.removing_replicas if each != broker_id),
                )
                context.update_assignment(partition, left)

    async def _to_offline(self, broker_id: int, replicas: list[PartitionAndReplica]) -> None:
        """Stop replicas, and take them out of the ISRs."""
        context, log, budget = self._context, self._log(), LoopBudget()
        for each in replicas:
            await budget.yield_if_due()
            self._batch.add_stop_replica_request_for_brokers((broker_id,), each.partition, delete=False)
        led = [each.partition for each in replicas if each.partition in context.partition_leadership]
        for partition, state in (await self._remove_replica_from_isrs(broker_id, led)).items():
            await budget.yield_if_due()
            log.info(
                "Partition %s state changed to %s after removing replica %d from the ISR as part of transition to %s",
                partition,
                state,
                broker_id,
                ReplicaState.OFFLINE.value,
            )
            if context.is_topic_queued_for_deletion(partition.topic):
                continue
            assignment = context.replica_assignment(partition)
            others = [each for each in assignment.replicas if each != broker_id]
            self._batch.add_leader_and_isr_request_for_brokers(others, partition, state, assignment, is_new=False)
        for each in replicas:
            await budget.yield_if_due()
            if each.partition not in context.partition_leadership:
                self._batch.add_update_metadata_request_for_brokers(
                    context.live_or_shutting_down_broker_ids(), (each.partition,)
                )
            self._log_changed(log, each, context.replica_state(each), ReplicaState.OFFLINE)
            context.put_replica_state(each, ReplicaState.OFFLINE)

    async def _remove_replica_from_isrs(
        self, broker_id: int, partitions: list[TopicPartition]
    ) -> dict[TopicPartition, LeaderIsrAndControllerEpoch]:
        """Take a broker out of the ISRs of *partitions*; return what ZooKeeper has then, changed or not.

        The last replica stays in the ISR: it alone is known to have all records.
        """
        context, log = self._context, self._log()
        result: dict[TopicPartition, LeaderIsrAndControllerEpoch] = {}
        remaining = partitions
        while remaining:
            states = await self._zk_client.get_topic_partition_states(remaining)
            self._log_missing(log, broker_id, remaining, states)
            chosen: dict[TopicPartition, LeaderIsrAndControllerEpoch] = {}
            for partition, state in states.items():
                if state.controller_epoch > context.epoch:
                    log.error(
                        "Leader and isr path of partition %s was written by another controller with epoch %d",
                        partition,
                        state.controller_epoch,
                    )
                elif broker_id in state.isr:
                    chosen[partition] = self._without(broker_id, state)
                else:
                    result[partition] = state
            if not chosen:
                break
            written = await self._zk_client.update_leader_and_isr(chosen, context.epoch_zk_version)
            result |= written.finished
            for partition, error in written.failed.items():
                log.error("Failed to remove replica %d from the ISR of partition %s: %s", broker_id, partition, error)
            remaining = written.partitions_to_retry
        for partition, state in result.items():
            context.put_partition_leadership(partition, state)
        return result

    def _without(self, broker_id: int, state: LeaderIsrAndControllerEpoch) -> LeaderIsrAndControllerEpoch:
        return state._replace(
            leader=NO_LEADER if state.leader == broker_id else state.leader,
            leader_epoch=state.leader_epoch + 1,
            isr=state.isr if len(state.isr) == 1 else tuple(each for each in state.isr if each != broker_id),
            controller_epoch=self._context.epoch,
        )

    def _log_missing(
        self,
        log: StateChangeLogger,
        broker_id: int,
        partitions: list[TopicPartition],
        found: Collection[TopicPartition],
    ) -> None:
        for partition in partitions:
            if partition not in found and not self._context.is_topic_queued_for_deletion(partition.topic):
                log.error(
                    "Failed to change state of replica %d for partition %s since the leader and isr path in zookeeper"
                    " is empty",
                    broker_id,
                    partition,
                )

    @staticmethod
    def _log_changed(
        log: StateChangeLogger, replica: PartitionAndReplica, before: ReplicaState, target: ReplicaState
    ) -> None:
        log.debug(
            "Changed state of replica %d for partition %s from %s to %s",
            replica.replica,
            replica.partition,
            before.value,
            target.value,
        )

    def _log(self) -> StateChangeLogger:
        return StateChangeLogger(self._controller_id, self._context.epoch)
