"""PartitionReassignments: moves replicas step by step, resumes what an earlier controller began, answers requests.

The names of the steps are Kafka's (`KafkaController.onPartitionReassignment`); `reassignment.py` has the rules and the
table of states.  A reassignment goes on when a replica has joined the ISR, when a broker of its target comes up, and
when a broker becomes controller.  Requests come through AlterPartitionReassignments and /admin/reassign_partitions,
which tools before 2.5 write: the later request wins for each partition.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.kafka_controller.context import PartitionAndReplica
from wirebroker.kafka_controller.election import ElectionStrategy, target_replicas
from wirebroker.kafka_controller.errors import ControllerMoved
from wirebroker.kafka_controller.reassignment import (
    build_reassignment,
    check_target,
    is_being_reassigned,
    is_reassignment_complete,
    origin_replicas,
    unlike_target,
)
from wirebroker.kafka_controller.state_change_log import StateChangeLogger
from wirebroker.kafka_controller.states import PartitionState, ReplicaState
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.zookeeper.errors import ZooKeeperError
from wirebroker.zookeeper.znodes.topics import ReplicaAssignment, TopicAssignment

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence

    from wirebroker.kafka_controller.context import ControllerContext
    from wirebroker.kafka_controller.controller_broker_request_batch import ControllerBrokerRequestBatch
    from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient
    from wirebroker.kafka_controller.partition_state_machine import PartitionStateMachine
    from wirebroker.kafka_controller.replica_state_machine import ReplicaStateMachine
    from wirebroker.model import TopicPartition
    from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch

log = logging.getLogger(__name__)


class Machines(NamedTuple):
    """The parts of the controller that a reassignment drives."""

    partitions: PartitionStateMachine
    replicas: ReplicaStateMachine
    resume_deletion_for_topics: Callable[[Collection[str]], Awaitable[None]]
    """Kafka's TopicDeletionManager.resumeDeletionForTopics."""
    batch: ControllerBrokerRequestBatch


class PartitionReassignments:
    """Everything here runs in the controller's event queue, and raises ControllerMoved.

    Args:
        controller_id: The id of this broker, for the log.
        context: The cluster.
        zk: Where each step is written first.
        machines: The state machines, and the requests to brokers.
        is_mirrored: Whether every reassignment is in /admin/reassign_partitions until it is done, those of the API too,
            and the replicas of its topic are `unlike_target` until then: below protocol 2.4, a controller before 2.4
            may take over, which knows of a reassignment by these two only.
    """

    def __init__(
        self,
        controller_id: int,
        context: ControllerContext,
        zk: ControllerZkClient,
        machines: Machines,
        *,
        is_mirrored: bool = False,
    ) -> None:
        self._controller_id, self._context, self._zk, self._machines = controller_id, context, zk, machines
        self._is_mirrored = is_mirrored

    # -- requests and events

    async def alter(
        self,
        targets: Mapping[TopicPartition, Sequence[int] | None],
        *,
        allow_replication_factor_change: bool = True,
    ) -> dict[TopicPartition, ApiError | None]:
        """Begin, replace and (with None) cancel reassignments; return the error of each, None if it has begun."""
        results: dict[TopicPartition, ApiError | None] = {}
        accepted: dict[TopicPartition, ReplicaAssignment] = {}
        for partition, target in targets.items():
            try:
                if target is not None:
                    check_target(
                        self._context,
                        partition,
                        target,
                        allow_replication_factor_change=allow_replication_factor_change,
                    )
                accepted[partition] = build_reassignment(self._context.replica_assignment(partition), target)
            except ApiError as error:
                results[partition] = error
        if self._is_mirrored:
            await self._mirror(accepted)
        else:
            await self._remove_from_zk(lambda partition, _: partition in accepted)
        results |= await self._trigger(accepted)
        return {partition: results[partition] for partition in targets}

    async def process_zk(self) -> set[TopicPartition]:
        """Begin the reassignments that /admin/reassign_partitions asks for; return those that have begun.

        The znode changes whenever one of many partitions is done: those under way are left alone.
        """
        asked = {
            partition: replicas
            for partition, replicas in (await self._zk.get_partition_reassignment()).items()
            if not self._is_under_way(partition, replicas)
        }
        accepted = {
            partition: build_reassignment(self._context.replica_assignment(partition), replicas)
            for partition, replicas in asked.items()
            if replicas
        }
        results = await self._trigger(accepted)
        failed = {partition for partition in asked if partition not in accepted or results[partition] is not None}
        if failed:
            log.warning("reassignments asked for in ZooKeeper failed: %s", _explained(failed, results))
            await self._remove_from_zk(lambda partition, _: partition in failed)
        return asked.keys() - failed

    async def resume_all(self) -> None:
        """Go on with what earlier controllers began, and with what was asked for in ZooKeeper meanwhile."""
        context = self._context
        for partition in context.all_partitions():
            if is_being_reassigned(context.replica_assignment(partition)):
                context.partitions_being_reassigned.add(partition)
        begun = await self.process_zk()
        resumed = context.partitions_being_reassigned - begun
        if self._is_mirrored:
            await self._mirror({partition: context.replica_assignment(partition) for partition in resumed})
        await self._resume(resumed)

    async def brokers_started(self, broker_ids: Collection[int]) -> None:
        """Go on with the reassignments to brokers that are new or back."""
        await self._resume(
            partition
            for partition in list(self._context.partitions_being_reassigned)
            if partition.topic not in self._context.topics_with_deletion_started
            and not set(broker_ids).isdisjoint(target_replicas(self._context.replica_assignment(partition)))
        )

    async def isr_changed(self, partitions: Iterable[TopicPartition]) -> None:
        """Complete those of *partitions* whose target is in sync now; the context has their new ISRs."""
        for partition in partitions:
            if (
                partition not in self._context.partitions_being_reassigned
                or partition.topic in self._context.topics_with_deletion_started
            ):
                continue
            assignment = self._context.replica_assignment(partition)
            if is_reassignment_complete(assignment, await self._isr(partition)):
                log.info(
                    "partition %s: target replicas %s have all caught up with the leader",
                    partition,
                    target_replicas(assignment),
                )
                await self._on_partition_reassignment(partition, assignment)

    def _is_under_way(self, partition: TopicPartition, replicas: Sequence[int]) -> bool:
        assignment = self._context.replica_assignment(partition)
        return (
            partition in self._context.partitions_being_reassigned
            and is_being_reassigned(assignment)
            and target_replicas(assignment) == tuple(replicas)
        )

    # -- one partition

    async def _trigger(
        self, accepted: Mapping[TopicPartition, ReplicaAssignment]
    ) -> dict[TopicPartition, ApiError | None]:
        results: dict[TopicPartition, ApiError | None] = {}
        for partition, assignment in accepted.items():
            if (
                self._context.is_topic_queued_for_deletion(partition.topic)
                or not self._context.replica_assignment(partition).replicas
            ):
                results[partition] = ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist.")
                continue
            try:
                await self._on_partition_reassignment(partition, assignment)
                results[partition] = None
            except ControllerMoved:
                raise
            except ZooKeeperError as error:
                log.exception("partition %s: the reassignment to %s failed", partition, assignment)
                results[partition] = ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, str(error))
        return results

    async def _resume(self, partitions: Iterable[TopicPartition]) -> None:
        for partition in sorted(partitions):
            await self._on_partition_reassignment(partition, self._context.replica_assignment(partition))

    async def _on_partition_reassignment(self, partition: TopicPartition, assignment: ReplicaAssignment) -> None:
        """Take the steps that can be taken now: phase U, then phase A, or phase B if the target is in sync."""
        context, machines = self._context, self._machines
        if context.is_topic_queued_for_deletion(partition.topic):
            context.topics_ineligible_for_deletion.add(partition.topic)
        await self._update_current_reassignment(partition, assignment)
        if not is_reassignment_complete(assignment, await self._isr(partition)):
            await self._update_leader_epoch_and_send(partition, assignment)  # A1
            adding = [PartitionAndReplica(partition, each) for each in assignment.adding_replicas]
            await machines.replicas.handle_state_changes(  # A2, but for those that an earlier controller has started
                [each for each in adding if context.replica_may_enter(each, ReplicaState.NEW)], ReplicaState.NEW
            )
            return
        await machines.replicas.handle_state_changes(  # B1
            [PartitionAndReplica(partition, each) for each in assignment.adding_replicas], ReplicaState.ONLINE
        )
        completed = ReplicaAssignment(target_replicas(assignment))
        context.update_assignment(partition, completed)  # B2
        await self._move_leader_if_required(partition, completed)  # B3
        await self._stop_removed_replicas(partition, assignment.removing_replicas)  # B4, B5
        await self._write_assignment(partition, completed)  # B6
        await self._remove_from_zk(  # B7
            lambda each, replicas: each == partition and replicas == completed.replicas
        )
        context.partitions_being_reassigned.discard(partition)
        machines.batch.new_batch()  # B8
        machines.batch.add_update_metadata_request_for_brokers(context.live_or_shutting_down_broker_ids(), (partition,))
        machines.batch.send_requests_to_brokers()
        await machines.resume_deletion_for_topics({partition.topic})

    async def _update_current_reassignment(self, partition: TopicPartition, assignment: ReplicaAssignment) -> None:
        """Phase U: write the assignment, and stop the replicas that a replaced reassignment added."""
        before = self._context.replica_assignment(partition)
        if before != assignment:
            await self._write_assignment(partition, assignment)  # U1
            self._context.update_assignment(partition, assignment)  # U2
            unneeded = tuple(each for each in before.replicas if each not in assignment.replicas)
            if unneeded:
                await self._stop_removed_replicas(partition, unneeded)  # U3
        self._context.partitions_being_reassigned.add(partition)

    async def _move_leader_if_required(self, partition: TopicPartition, completed: ReplicaAssignment) -> None:
        """B3: elect a leader of the target if the present one is none or dead, else tell all the new replicas."""
        leadership = self._context.partition_leadership.get(partition)
        if leadership is None:
            return  # a new partition, whose leader will be one of the new replicas
        leader = leadership.leader
        if leader in completed.replicas and self._context.is_replica_online(leader, partition):
            await self._update_leader_epoch_and_send(partition, completed)
        else:
            await self._machines.partitions.handle_state_changes(
                [partition], PartitionState.ONLINE, ElectionStrategy.REASSIGN
            )

    async def _stop_removed_replicas(self, partition: TopicPartition, removed: Sequence[int]) -> None:
        """Take replicas out of the ISR, stop them and delete their logs; a broker that is down does so at its start."""
        replicas = [PartitionAndReplica(partition, each) for each in removed]
        if not replicas:
            return
        for state in (
            ReplicaState.OFFLINE,
            ReplicaState.DELETION_STARTED,
            ReplicaState.DELETION_SUCCESSFUL,
            ReplicaState.NON_EXISTENT,
        ):
            await self._machines.replicas.handle_state_changes(replicas, state)

    # -- ZooKeeper

    async def _isr(self, partition: TopicPartition) -> tuple[int, ...]:
        """Return the ISR that ZooKeeper has, empty if there never was a leader."""
        found = await self._zk.get_topic_partition_states([partition])
        return found[partition].isr if partition in found else ()

    async def _write_assignment(self, partition: TopicPartition, assignment: ReplicaAssignment) -> None:
        context = self._context
        partitions = {**context.assignments[partition.topic], partition.partition: assignment}
        if self._is_mirrored:
            partitions = {number: unlike_target(each) for number, each in partitions.items()}
        topic = TopicAssignment(partition.topic, context.topic_ids.get(partition.topic), partitions)
        await self._zk.set_topic_assignment(topic, context.epoch_zk_version)
        log.info("partition %s: assignment updated to %s", partition, assignment)

    async def _update_leader_epoch_and_send(self, partition: TopicPartition, assignment: ReplicaAssignment) -> None:
        """Raise the leader epoch, and tell all of *assignment* the leader, the ISR and the replicas."""
        state_change_log = StateChangeLogger(self._controller_id, self._context.epoch)
        state = await self._raise_leader_epoch(partition)
        if state is None:
            state_change_log.error(
                "Failed to send LeaderAndIsr request with new replica assignment %s to leader for partition being "
                "reassigned %s",
                assignment,
                partition,
            )
            return
        batch = self._machines.batch
        batch.new_batch()
        # a new replica may be created in any log directory; an old one may be on a directory that is offline
        batch.add_leader_and_isr_request_for_brokers(
            origin_replicas(assignment), partition, state, assignment, is_new=False
        )
        batch.add_leader_and_isr_request_for_brokers(
            assignment.adding_replicas, partition, state, assignment, is_new=True
        )
        batch.send_requests_to_brokers()
        state_change_log.info(
            "Sent LeaderAndIsr request %s with new replica assignment %s to leader %d for partition being reassigned "
            "%s",
            state,
            assignment,
            state.leader,
            partition,
        )

    async def _raise_leader_epoch(self, partition: TopicPartition) -> LeaderIsrAndControllerEpoch | None:
        """Return the state with its leader epoch raised, as ZooKeeper has it now; None if it never had a leader."""
        context = self._context
        while True:
            found = await self._zk.get_topic_partition_states([partition])
            if partition not in found:
                return None
            before = found[partition]
            if before.controller_epoch > context.epoch:
                raise ControllerMoved(f"the state of {partition} was written by controller {before.controller_epoch}")
            raised = before._replace(leader_epoch=before.leader_epoch + 1, controller_epoch=context.epoch)
            result = await self._zk.update_leader_and_isr({partition: raised}, context.epoch_zk_version)
            if partition in result.failed:
                raise result.failed[partition]
            if partition in result.finished:
                context.put_partition_leadership(partition, result.finished[partition])
                return result.finished[partition]

    async def _remove_from_zk(self, is_removed: Callable[[TopicPartition, tuple[int, ...]], bool]) -> None:
        """Take partitions out of /admin/reassign_partitions, and delete it when none is left."""
        asked = await self._zk.get_partition_reassignment()
        left = {partition: replicas for partition, replicas in asked.items() if not is_removed(partition, replicas)}
        await self._write_zk(asked, left)

    async def _mirror(self, accepted: Mapping[TopicPartition, ReplicaAssignment]) -> None:
        asked = await self._zk.get_partition_reassignment()
        wanted = asked | {partition: target_replicas(assignment) for partition, assignment in accepted.items()}
        await self._write_zk(asked, wanted)

    async def _write_zk(
        self, before: Mapping[TopicPartition, tuple[int, ...]], wanted: Mapping[TopicPartition, tuple[int, ...]]
    ) -> None:
        await self._zk.replace_partition_reassignment(before, wanted, self._context.epoch_zk_version)


def _explained(failed: Iterable[TopicPartition], results: Mapping[TopicPartition, ApiError | None]) -> str:
    reasons = ((partition, results.get(partition)) for partition in sorted(failed))
    return "; ".join(f"{partition}: {'no replicas' if error is None else error}" for partition, error in reasons)
