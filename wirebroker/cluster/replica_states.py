"""LocalReplicaStates: the effects of the controller's requests on the replicas of this broker.

A log that was refused at the start for damage in its middle is truncated there when the controller makes this broker a
follower outside of the ISR: its leader has every record that was acknowledged with acks=all.  In the ISR, as the
leader or without a live leader the partition stays offline, and the controller, which is answered so, elects another
replica or takes this one out of the ISR.  StopReplica deletes such a log as any other.

The steps are those of Apache Kafka's ReplicaManager: a partition is fetched no more before its role changes; a new
follower is fetched when its role has changed, and begins with the truncation of its log.  Logs are made in a thread,
many at a time, and leader epochs are saved in the background, so that thousands of partitions do not hold the event
loop.
"""

from __future__ import annotations

import logging
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from wirebroker.cluster.leader_and_isr import HostedReplica
from wirebroker.loop_budget import LoopBudget
from wirebroker.metadata.image import NO_LEADER, NO_TOPIC_ID
from wirebroker.model import BrokerEndpoint, LeaderAndIsr, LeaderRecoveryState
from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.fetcher.fetcher_partitions import InitialFetchState
from wirebroker.replication.fetcher.replica_fetcher_manager import LeaderAndFetchState
from wirebroker.replication.follower_wakeups import FollowerWakeups
from wirebroker.storage.errors import LogError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from wirebroker.cluster.config_publisher import ConfigPublisher
    from wirebroker.cluster.leader_and_isr import ReplicaChange
    from wirebroker.cluster.stop_replica import StopPartition
    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.config.log import LogConfig
    from wirebroker.model import TopicPartition
    from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrPartitionState
    from wirebroker.replication.fetcher.replica_fetcher_manager import ReplicaFetcherManager
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.storage.log import Log

log = logging.getLogger(__name__)

_LOGS_PER_HOP: Final = 32
"""Logs made by one hop to a thread, 0.2 to 0.7 ms each; a broker that stops may have to wait for the hop."""
_FETCHED_PER_STEP: Final = 200
"""Partitions that are handed to fetchers in one turn of the event loop, in 2 ms; truncating them takes another 2 ms."""
_OK: Final = ErrorCode.NONE


class Codes(dict["TopicPartition", ErrorCode]):
    """The outcome of a change, by partition."""


class LocalReplicas(NamedTuple):
    """The collaborators of LocalReplicaStates."""

    replicas: ReplicaManager
    fetchers: ReplicaFetcherManager
    configs: ConfigPublisher
    config: DynamicConfig
    leaders_changed: Callable[[], Awaitable[None]]
    """Awaited after each request that has changed leaders: coordinators follow."""


class LocalReplicaStates:
    """Makes the replicas of this broker leaders or followers, and stops them; see `ReplicaStates`.

    Args:
        local: The collaborators.
        high_watermarks: Those of the checkpoints, by partition: where a replica begins.
    """

    def __init__(self, local: LocalReplicas, high_watermarks: Mapping[TopicPartition, int]) -> None:
        self._replicas = local.replicas
        self._fetchers = local.fetchers
        self._configs = local.configs
        self._config = local.config
        self._leaders_changed = local.leaders_changed
        self._high_watermarks = high_watermarks
        self._wakeups = FollowerWakeups(local.replicas.purgatories.fetch)
        self._making_logs = trio.CapacityLimiter(1)
        self.is_shutting_down = False
        """Whether controlled shutdown has begun.  New followers are not fetched then: the controller takes this broker
        out of ISRs, and a replica that still fetched would be taken in again."""

    def hosted(self, topic_partition: TopicPartition) -> HostedReplica | None:
        """Return the present state of a partition, None if this broker has no replica of it."""
        partition = self._replicas.find(*topic_partition)
        if partition is not None:
            return HostedReplica(partition.leader_epoch, partition.topic_id)
        if self._replicas.is_offline(*topic_partition):
            return HostedReplica(is_offline=True, is_refused=self.is_refused(topic_partition))
        return None

    def is_refused(self, topic_partition: TopicPartition) -> bool:
        """Whether the log of a partition was refused at the start, in a log directory that works.

        It is hosted, and offline, only when the controller has made this broker a replica since then.
        """
        return any(topic_partition in each.refused for each in self._replicas.log_manager.log_dirs.online)

    async def make_leaders(self, changes: Sequence[ReplicaChange]) -> Codes:
        """Become the leader of partitions."""
        self._fetchers.remove_fetcher_for_partitions([each.topic_partition for each in changes])
        hosted, codes = await self._get_or_create(changes)
        budget = LoopBudget()
        led: list[Partition] = []
        for change, partition in hosted:
            try:
                if await partition.make_leader(leader_and_isr(change.state)):
                    led.append(partition)
                codes[change.topic_partition] = _OK
            except LogError as fault:
                codes[change.topic_partition] = self._failed(change, fault)
            await budget.yield_if_due()
        if led:
            self._wakeups.leads(led)
        return codes

    async def make_followers(self, changes: Sequence[ReplicaChange]) -> Codes:
        """Become a follower of partitions, and fetch those whose leader is alive."""
        hosted, codes = await self._get_or_create(changes)
        self._fetchers.remove_fetcher_for_partitions([each.topic_partition for each, _ in hosted])
        budget = LoopBudget()
        fetched: dict[TopicPartition, LeaderAndFetchState] = {}
        for change, partition in hosted:
            at, state = change.topic_partition, change.state
            codes[at] = _OK
            leader = self._endpoint(state.leader)
            if leader is None and state.leader != NO_LEADER:
                log.error(
                    "topic=%s partition=%d: not following broker %d in leader epoch %d, as it is not alive; the "
                    "controller sends the partition again when it is",
                    *(*at, state.leader, state.leader_epoch),
                )
                continue  # as in Kafka: the epoch stays unknown, so that a later request with it counts
            partition.make_follower(leader_and_isr(state))
            if leader is not None:
                fetched[at] = LeaderAndFetchState(leader, InitialFetchState(partition.topic_id, state.leader_epoch))
            await budget.yield_if_due()
        if self.is_shutting_down:
            log.info("controlled shutdown: %d new followers are not fetched", len(fetched))
            return codes
        each = iter(fetched.items())
        while some := dict(islice(each, _FETCHED_PER_STEP)):
            self._fetchers.add_fetcher_for_partitions(some)
            await trio.lowlevel.checkpoint()  # the fetcher begins with these meanwhile
        return codes

    async def assign_topic_ids(self, changes: Sequence[ReplicaChange]) -> Codes:
        """Give partitions the ids of their topics, which the cluster has only now."""
        hosted, codes = await self._get_or_create(changes)
        codes |= {each.topic_partition: _OK for each, _ in hosted}
        self._fetchers.update_topic_ids({each.topic_partition: each.topic_id for each, _ in hosted})
        return codes

    async def changed_leaders(self) -> None:
        """End fetchers without partitions, and have coordinators follow the partitions that are led here now."""
        self._fetchers.shutdown_idle_fetchers()
        await self._leaders_changed()

    async def stop(self, stops: Sequence[StopPartition]) -> Codes:
        """Stop partitions, and delete the logs of those to be deleted, also of partitions that are not hosted."""
        self._fetchers.remove_fetcher_for_partitions([each.topic_partition for each in stops])
        codes = Codes({each.topic_partition: _OK for each in stops})
        deleted = [each.topic_partition for each in stops if each.delete]
        for at in deleted:
            is_served = self._replicas.find(*at) is not None
            delete = self._replicas.stop(*at, delete=True) if is_served else self._replicas.delete_log(*at)
            if not await delete:
                codes[at] = ErrorCode.KAFKA_STORAGE_ERROR
        if deleted:
            await self._replicas.forget_deleted()
        self._fetchers.shutdown_idle_fetchers()
        await self._leaders_changed()
        return codes

    def _endpoint(self, broker_id: int) -> BrokerEndpoint | None:
        """Return the address of a live broker for other brokers, None if it is not alive."""
        broker = self._replicas.metadata.image.brokers.get(broker_id)
        endpoint = None if broker is None else broker.endpoint(self._config.current.inter_broker_listener)
        return None if endpoint is None else BrokerEndpoint(broker_id, endpoint.host, endpoint.port)

    # -- logs

    async def _get_or_create(
        self, changes: Sequence[ReplicaChange]
    ) -> tuple[list[tuple[ReplicaChange, Partition]], Codes]:
        """Return the partitions of *changes*, made with their logs where missing, and the codes of those that fail."""
        codes = Codes()
        budget = LoopBudget()
        missing: list[ReplicaChange] = []
        for change in changes:
            if self._lacks_log(change):
                missing.append(change)
            await budget.yield_if_due()
        await self._configs.read_topics({each.topic_partition.topic for each in missing if self._lacks_configs(each)})
        for first in range(0, len(missing), _LOGS_PER_HOP):
            some = missing[first : first + _LOGS_PER_HOP]
            topics = {each.topic_partition.topic for each in some}
            image = self._replicas.metadata.image
            configs = {name: self._log_config(name) for name in topics}
            with trio.CancelScope(shield=True):
                made = await trio.to_thread.run_sync(partial(self._make_logs, some, configs), limiter=self._making_logs)
            await trio.lowlevel.checkpoint()
            if self._replicas.metadata.image.configs is not image.configs:  # others were published meanwhile
                configs = {name: self._log_config(name) for name in topics}
            for change, found in zip(some, made, strict=True):
                known = self._replicas.find(*change.topic_partition)
                if isinstance(found, LogError):
                    codes[change.topic_partition] = self._failed(change, found)
                elif known is None:
                    found.config = configs[change.topic_partition.topic]
                    mark = self._high_watermarks.get(change.topic_partition, 0)
                    self._replicas.host(change.topic_partition, change.topic_id, found, mark)
                else:
                    known.topic_id = change.topic_id
        hosted: list[tuple[ReplicaChange, Partition]] = []
        for change in changes:
            partition = self._replicas.find(*change.topic_partition)
            if partition is not None:
                hosted.append((change, partition))
            else:  # its log directory has failed meanwhile
                codes.setdefault(change.topic_partition, ErrorCode.KAFKA_STORAGE_ERROR)
            await budget.yield_if_due()
        return hosted, codes

    def _lacks_log(self, change: ReplicaChange) -> bool:
        """Whether the partition is not hosted, or its log does not know the topic's id yet."""
        partition = self._replicas.find(*change.topic_partition)
        return partition is None or (change.topic_id != NO_TOPIC_ID and partition.topic_id == NO_TOPIC_ID)

    def _lacks_configs(self, change: ReplicaChange) -> bool:
        """Whether the settings of the topic are to be read: they are not known, or may be those of an earlier topic."""
        return change.state.is_new or not self._replicas.metadata.image.topic_config(change.topic_partition.topic)

    def _log_config(self, topic: str) -> LogConfig:
        return self._config.current.log_config(self._replicas.metadata.image.topic_config(topic))

    def _make_logs(self, wanted: Sequence[ReplicaChange], configs: Mapping[str, LogConfig]) -> list[Log | LogError]:
        """Open or make logs with the settings of their topics; to be called in a thread."""
        made: list[Log | LogError] = []
        for change in wanted:
            config = configs[change.topic_partition.topic]
            topic_id = None if change.topic_id == NO_TOPIC_ID else change.topic_id
            try:
                if self._is_outside_isr(change.state):
                    self._truncate_to_damage(change, config)
                made.append(
                    self._replicas.log_manager.get_or_create(
                        *change.topic_partition, topic_id, config, is_new=change.state.is_new
                    )
                )
            except LogError as fault:
                made.append(fault)
        return made

    def _is_outside_isr(self, state: LeaderAndIsrPartitionState) -> bool:
        """Whether this broker follows a live leader, and no acknowledged record depends on its log."""
        own_id = self._config.current.node_id
        return own_id not in (state.leader, *state.isr) and self._endpoint(state.leader) is not None

    def _truncate_to_damage(self, change: ReplicaChange, config: LogConfig) -> None:
        """Open the log of a partition that was refused for damage in its middle up to there; raises StorageError."""
        damage = self._replicas.log_manager.truncate_to_damage(*change.topic_partition, config)
        if damage is not None:
            log.warning(
                "topic=%s partition=%d: truncated to offset %d, to be fetched from broker %d, as this replica is not in"
                " the ISR: %s",
                *(*change.topic_partition, damage.offset, change.state.leader, damage),
            )

    def _failed(self, change: ReplicaChange, fault: LogError) -> ErrorCode:
        """Set a partition offline whose log cannot be used; the controller elects another replica."""
        log.error("topic=%s partition=%d: not served: %s", *change.topic_partition, fault)
        self._replicas.set_offline(change.topic_partition, str(fault))
        return ErrorCode.KAFKA_STORAGE_ERROR


def leader_and_isr(state: LeaderAndIsrPartitionState) -> LeaderAndIsr:
    """Return the decision of the controller in the partition's part of a LeaderAndIsr request."""
    return LeaderAndIsr(
        state.leader,
        state.leader_epoch,
        tuple(state.isr),
        state.partition_epoch,
        tuple(state.replicas),
        state.controller_epoch,
        LeaderRecoveryState(state.leader_recovery_state),
        tuple(state.adding_replicas),
        tuple(state.removing_replicas),
        state.is_new,
    )
