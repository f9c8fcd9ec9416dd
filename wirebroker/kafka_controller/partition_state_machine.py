"""PartitionStateMachine: takes partitions from state to state, elects their leaders, and writes them to ZooKeeper.

    NON_EXISTENT -> NEW       the partition has an assignment
    NEW -> ONLINE             the first live replica leads, all live ones are in sync; the state znode is created
    ONLINE, OFFLINE -> ONLINE a leader is elected by a strategy (`election.py`)
    NEW, ONLINE -> OFFLINE    the leader is gone
    OFFLINE -> NON_EXISTENT   the topic was deleted

Each change is written first, then put into the context, and then brokers are told.  One task uses it, the controller's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from wirebroker.kafka_controller.election import ElectionStrategy, elect, has_live_in_sync_replica
from wirebroker.kafka_controller.state_change_log import StateChangeLogger
from wirebroker.kafka_controller.states import PartitionState
from wirebroker.loop_budget import LoopBudget
from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Set

    from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
    from wirebroker.kafka_controller.context import ControllerContext
    from wirebroker.kafka_controller.controller_broker_request_batch import ControllerBrokerRequestBatch
    from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient
    from wirebroker.model import TopicPartition


class StateChangeFailed(Exception):
    """A partition or replica was left in its state; Kafka's StateChangeFailedException."""


class UncleanElection(Protocol):
    """Where the settings of topics say whether a replica that is not in sync may lead."""

    async def topics_with_unclean_election(self, topics: Set[str]) -> Set[str]:
        """Return those of *topics* with `unclean.leader.election.enable`, read from ZooKeeper now."""


class _Elections(NamedTuple):
    """The outcome of one attempt to elect leaders."""

    failed: dict[TopicPartition, Exception]
    to_retry: list[TopicPartition]
    """Their leaders have changed the ISR meanwhile."""


class PartitionStateMachine:
    """The state machine of all partitions.

    Args:
        controller_id: The id of this broker.
        protocol: Says whether brokers know of leaders that recover.
        context: Read and changed.
        zk_client: Writes leaders and ISRs.
        batch: Collects what brokers are told.
        settings: The topics that allow an unclean election.
    """

    def __init__(
        self,
        controller_id: int,
        protocol: InterBrokerProtocol,
        context: ControllerContext,
        zk_client: ControllerZkClient,
        batch: ControllerBrokerRequestBatch,
        settings: UncleanElection,
    ) -> None:
        self._controller_id, self._protocol = controller_id, protocol
        self._context, self._zk_client, self._batch, self._settings = context, zk_client, batch, settings
        self.unclean_leader_elections = 0
        """Elections of leaders that were not in sync, since the start of the broker."""

    async def startup(self) -> None:
        """Give all partitions of a new controller their state, and elect leaders for those without one."""
        context, budget = self._context, LoopBudget()
        for partition in context.all_partitions():
            await budget.yield_if_due()
            state = context.partition_leadership.get(partition)
            if state is None:
                context.put_partition_state(partition, PartitionState.NEW)
            elif context.is_replica_online(state.leader, partition):
                context.put_partition_state(partition, PartitionState.ONLINE)
            else:
                context.put_partition_state(partition, PartitionState.OFFLINE)
        await self.trigger_online_partition_state_change()

    async def trigger_online_partition_state_change(self, topic: str | None = None) -> None:
        """Elect leaders for all partitions that have none, or for those of *topic*."""
        partitions = [
            each
            for each in self._context.partitions_in_states(PartitionState.NEW, PartitionState.OFFLINE)
            if topic in (None, each.topic) and not self._context.is_topic_queued_for_deletion(each.topic)
        ]
        await self.handle_state_changes(partitions, PartitionState.ONLINE, ElectionStrategy.OFFLINE)

    async def handle_state_changes(
        self,
        partitions: Collection[TopicPartition],
        target: PartitionState,
        strategy: ElectionStrategy = ElectionStrategy.OFFLINE,
    ) -> dict[TopicPartition, LeaderIsrAndControllerEpoch | Exception]:
        """Take *partitions* to *target*, and tell the brokers.

        Args:
            partitions: Those that may not enter *target* from their state are logged and left alone.
            target: The state to enter.
            strategy: By which leaders are elected, for ONLINE.

        Returns:
            The elected leaders, and why no leader was elected; empty for states other than ONLINE.

        Raises:
            ControllerMoved: another broker is controller by now.
        """
        if not partitions:
            return {}
        self._batch.new_batch()
        try:
            results = await self._do_handle_state_changes(partitions, target, strategy)
        except BaseException:
            self._batch.clear()
            raise
        self._batch.send_requests_to_brokers()
        return results

    async def _do_handle_state_changes(
        self, partitions: Collection[TopicPartition], target: PartitionState, strategy: ElectionStrategy
    ) -> dict[TopicPartition, LeaderIsrAndControllerEpoch | Exception]:
        context, log = self._context, self._log()
        valid: list[TopicPartition] = []
        results: dict[TopicPartition, LeaderIsrAndControllerEpoch | Exception] = {}
        budget = LoopBudget()
        for partition in dict.fromkeys(partitions):
            await budget.yield_if_due()
            if context.partition_may_enter(partition, target):
                valid.append(partition)
                continue
            failure = StateChangeFailed(
                f"Partition {partition} should not change its state from {context.partition_state(partition).value} to"
                f" {target.value}"
            )
            results[partition] = failure
            log.error("Initiated state change for partition %s failed: %s", partition, failure)
        if target is PartitionState.ONLINE:
            new = [each for each in valid if context.partition_state(each) is PartitionState.NEW]
            others = [each for each in valid if context.partition_state(each) is not PartitionState.NEW]
            results |= await self._initialize_leader_and_isr(new)
            results |= await self._elect_leaders(others, strategy)
            return results
        for partition in valid:
            await budget.yield_if_due()
            before = context.partition_state(partition)
            if target is PartitionState.NEW:
                assigned = ",".join(map(str, context.replica_assignment(partition).replicas))
                log.info(
                    "Changed partition %s state from %s to %s with assigned replicas %s",
                    partition,
                    before.value,
                    target.value,
                    assigned,
                )
            else:
                log.info("Changed partition %s state from %s to %s", partition, before.value, target.value)
            context.put_partition_state(partition, target)
        return {}

    async def _initialize_leader_and_isr(
        self, partitions: list[TopicPartition]
    ) -> dict[TopicPartition, LeaderIsrAndControllerEpoch | Exception]:
        """Make the first live replica of new partitions their leader, with all live ones in the ISR."""
        if not partitions:
            return {}
        context, log = self._context, self._log()
        chosen: dict[TopicPartition, LeaderIsrAndControllerEpoch] = {}
        results: dict[TopicPartition, LeaderIsrAndControllerEpoch | Exception] = {}
        budget = LoopBudget()
        for partition in partitions:
            await budget.yield_if_due()
            replicas = context.replica_assignment(partition).replicas
            live = tuple(each for each in replicas if context.is_replica_online(each, partition))
            if live:
                chosen[partition] = LeaderIsrAndControllerEpoch(live[0], 0, live, context.epoch)
            else:
                failure = StateChangeFailed(
                    f"Controller {self._controller_id} epoch {context.epoch} encountered error during state change of"
                    f" partition {partition} from New to Online, assigned replicas are [{_listed(replicas)}], live"
                    f" brokers are [{_listed(sorted(context.live_broker_ids()))}]. No assigned replica is alive."
                )
                results[partition] = failure
                self._log_failed(log, partition, PartitionState.NEW, failure)
        if not chosen:
            return results
        written = await self._zk_client.create_topic_partition_states(chosen, context.epoch_zk_version)
        for partition, state in written.finished.items():
            await budget.yield_if_due()
            assignment = context.replica_assignment(partition)
            self._enter_online(log, partition, state)
            self._batch.add_leader_and_isr_request_for_brokers(state.isr, partition, state, assignment, is_new=True)
        for partition, error in written.failed.items():
            self._log_failed(log, partition, PartitionState.NEW, error)
        return results | written.finished | written.failed

    async def _elect_leaders(
        self, partitions: list[TopicPartition], strategy: ElectionStrategy
    ) -> dict[TopicPartition, LeaderIsrAndControllerEpoch | Exception]:
        results: dict[TopicPartition, LeaderIsrAndControllerEpoch | Exception] = {}
        log, remaining = self._log(), partitions
        while remaining:
            elections = await self._try_elect_leaders(remaining, strategy, results)
            for partition, error in elections.failed.items():
                self._log_failed(log, partition, self._context.partition_state(partition), error)
            results |= elections.failed
            remaining = elections.to_retry
            if remaining:
                log.info("Retry leader election for %d partitions: their znodes have changed meanwhile", len(remaining))
        return results

    async def _try_elect_leaders(
        self,
        partitions: list[TopicPartition],
        strategy: ElectionStrategy,
        elected: dict[TopicPartition, LeaderIsrAndControllerEpoch | Exception],
    ) -> _Elections:
        """Elect leaders once, from what ZooKeeper has now; add them to *elected*."""
        context, log = self._context, self._log()
        states = await self._zk_client.get_topic_partition_states(partitions)
        failed: dict[TopicPartition, Exception] = {
            each: StateChangeFailed(f"LeaderAndIsr information doesn't exist for partition {each}")
            for each in partitions
            if each not in states
        }
        for partition, state in list(states.items()):
            if state.controller_epoch > context.epoch:
                failed[partition] = StateChangeFailed(
                    f"Aborted leader election for partition {partition} since the LeaderAndIsr path was already written"
                    f" by another controller. This probably means that the current controller {self._controller_id}"
                    f" went through a soft failure and another controller was elected with epoch"
                    f" {state.controller_epoch}."
                )
                del states[partition]
        unclean = await self._topics_with_unclean_election(states, strategy)
        chosen: dict[TopicPartition, LeaderIsrAndControllerEpoch] = {}
        recipients: dict[TopicPartition, tuple[int, ...]] = {}
        budget = LoopBudget()
        for partition, state in states.items():
            await budget.yield_if_due()
            result = elect(
                context,
                partition,
                state,
                strategy,
                is_unclean_allowed=partition.topic in unclean,
                is_leader_recovery_supported=self._protocol.leader_recovery_supported,
            )
            if result.leader_and_isr is None:
                failed[partition] = StateChangeFailed(
                    f"Failed to elect leader for partition {partition} under strategy {strategy.value}"
                )
            else:
                chosen[partition], recipients[partition] = result.leader_and_isr, result.live_replicas
        if not chosen:
            return _Elections(failed, [])
        written = await self._zk_client.update_leader_and_isr(chosen, context.epoch_zk_version)
        for partition, state in written.finished.items():
            await budget.yield_if_due()
            self._enter_online(log, partition, state)
            elected[partition] = state
            self.unclean_leader_elections += state.leader not in states[partition].isr
            self._batch.add_leader_and_isr_request_for_brokers(
                recipients[partition], partition, state, context.replica_assignment(partition), is_new=False
            )
        return _Elections({**failed, **written.failed}, written.partitions_to_retry)

    async def _topics_with_unclean_election(
        self, states: Mapping[TopicPartition, LeaderIsrAndControllerEpoch], strategy: ElectionStrategy
    ) -> Set[str]:
        """Return the topics of *states* that allow an unclean leader, asked only where no replica in sync is live."""
        if strategy is not ElectionStrategy.OFFLINE:
            return frozenset()
        topics = {
            partition.topic
            for partition, state in states.items()
            if not has_live_in_sync_replica(self._context, partition, state)
        }
        return await self._settings.topics_with_unclean_election(topics) if topics else frozenset()

    def _enter_online(
        self, log: StateChangeLogger, partition: TopicPartition, state: LeaderIsrAndControllerEpoch
    ) -> None:
        context = self._context
        before = context.partition_state(partition)
        context.put_partition_leadership(partition, state)
        context.put_partition_state(partition, PartitionState.ONLINE)
        log.info(
            "Changed partition %s from %s to %s with state LeaderAndIsr(leader=%d, leaderEpoch=%d, isr=List(%s),"
            " leaderRecoveryState=%s, partitionEpoch=%d)",
            partition,
            before.value,
            PartitionState.ONLINE.value,
            state.leader,
            state.leader_epoch,
            _listed(state.isr, ", "),
            "RECOVERING" if state.is_recovering else "RECOVERED",
            state.partition_epoch,
        )

    def _log_failed(
        self, log: StateChangeLogger, partition: TopicPartition, before: PartitionState, error: Exception
    ) -> None:
        log.error(
            "Controller %d epoch %d failed to change state for partition %s from %s to %s: %s",
            self._controller_id,
            self._context.epoch,
            partition,
            before.value,
            PartitionState.ONLINE.value,
            error,
        )

    def _log(self) -> StateChangeLogger:
        return StateChangeLogger(self._controller_id, self._context.epoch)


def _listed(ids: Iterable[int], separator: str = ",") -> str:
    return separator.join(map(str, ids))
