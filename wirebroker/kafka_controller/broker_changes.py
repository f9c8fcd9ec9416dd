"""BrokerChanges: what the controller does when brokers come, go, are restarted or change their registration."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from wirebroker.kafka_controller.context import PartitionAndReplica
from wirebroker.kafka_controller.states import PartitionState, ReplicaState

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Set

    from wirebroker.kafka_controller.components import ControllerComponents, Reassignments, TopicDeletion
    from wirebroker.kafka_controller.context import LiveBroker
    from wirebroker.kafka_controller.controller_channel_manager import ControllerChannelManager
    from wirebroker.kafka_controller.data_watches import DataWatches
    from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrResponse

from wirebroker.kafka_controller.responses import leader_and_isr_errors
from wirebroker.protocol.errors import ErrorCode

logger = logging.getLogger(__name__)


class BrokerChanges:
    """The events of /brokers/ids and of log directories.

    Args:
        components: The parts of the controller.
        channels: The connections to brokers.
        watches: The watches of registrations, by the text of the broker's id.
        deletion: The deletions of topics.
        reassignments: The reassignments.
    """

    def __init__(
        self,
        components: ControllerComponents,
        channels: ControllerChannelManager,
        watches: DataWatches,
        deletion: TopicDeletion,
        reassignments: Reassignments,
    ) -> None:
        self._components, self._channels, self._watches = components, channels, watches
        self._deletion, self._reassignments = deletion, reassignments

    async def process_broker_change(self) -> None:
        """Compare the registered brokers with the known ones, and take over what has changed."""
        context = self._components.context
        found = {
            each.info.broker_id: each
            for each in await self._components.zk_client.get_all_brokers_and_epochs_in_cluster()
        }
        known = context.brokers
        new = {broker_id: each for broker_id, each in found.items() if broker_id not in known}
        bounced = {
            broker_id: each
            for broker_id, each in found.items()
            if broker_id in known and each.epoch > known[broker_id].epoch
        }
        dead = known.keys() - found.keys()
        if not (new or bounced or dead):
            return
        logger.info(
            "Newly added brokers: %s, deleted brokers: %s, bounced brokers: %s, all live brokers: %s",
            _listed(new),
            _listed(dead),
            _listed(bounced),
            _listed(found),
        )
        for each in new.values():
            self._channels.add_broker(each.info)
        for broker_id in [*bounced, *dead]:
            self._channels.remove_broker(broker_id)
        for each in bounced.values():
            self._channels.add_broker(each.info)
        await self._on_broker_startup(new)
        if bounced:
            await self._on_broker_failure(bounced.keys())
            await self._on_broker_startup(bounced)
        if dead:
            await self._on_broker_failure(dead)

    async def process_broker_modification(self, broker_id: int) -> None:
        """Tell all brokers the new endpoints of a broker that has changed its registration."""
        context = self._components.context
        known, found = context.brokers.get(broker_id), await self._components.zk_client.get_broker(broker_id)
        if known is None or found is None or found.epoch != known.epoch:
            return  # a broker that went or was restarted is another event
        if (known.info.endpoints, known.info.features) != (found.info.endpoints, found.info.features):
            logger.info("Updated broker metadata: %s -> %s", known.info, found.info)
            context.add_live_broker(found)
            self._channels.remove_broker(broker_id)
            self._channels.add_broker(found.info)
            self._components.send_update_metadata(context.live_or_shutting_down_broker_ids())

    async def _on_broker_startup(self, brokers: dict[int, LiveBroker]) -> None:
        if not brokers:
            return
        components, context = self._components, self._components.context
        existing = context.live_or_shutting_down_broker_ids() - brokers.keys()
        for each in brokers.values():
            context.add_live_broker(each)
            context.replicas_on_offline_dirs.pop(each.info.broker_id, None)
        logger.info("New broker startup callback for %s", _listed(brokers))
        components.send_update_metadata(existing)
        # a broker that has just started knows nothing of the cluster
        components.send_update_metadata(brokers, list(context.partition_leadership))
        replicas = context.replicas_on_brokers(brokers.keys())
        await components.replica_states.handle_state_changes(replicas, ReplicaState.ONLINE)
        await components.partition_states.trigger_online_partition_state_change()
        await self._reassignments.brokers_started(brokers.keys())
        deleted = {
            each.partition.topic for each in replicas if context.is_topic_queued_for_deletion(each.partition.topic)
        }
        if deleted:
            await self._deletion.resume_deletion_for_topics(deleted)
        await self._watches.add(str(each) for each in brokers)

    async def _on_broker_failure(self, broker_ids: Set[int]) -> None:
        context = self._components.context
        broker_ids = set(broker_ids)
        logger.info("Broker failure callback for %s", _listed(broker_ids))
        for broker_id in broker_ids:
            context.remove_live_broker(broker_id)
        await self.on_replicas_become_offline(context.replicas_on_brokers(broker_ids))
        self._watches.forget(str(each) for each in broker_ids)

    async def on_replicas_become_offline(self, replicas: Collection[PartitionAndReplica]) -> None:
        """Elect other leaders, take *replicas* out of the ISRs, and postpone the deletion of their topics."""
        components, context = self._components, self._components.context
        to_be_deleted = [each for each in replicas if context.is_topic_queued_for_deletion(each.partition.topic)]
        others = [each for each in replicas if not context.is_topic_queued_for_deletion(each.partition.topic)]
        without_leader = context.partitions_with_offline_leader()
        await components.partition_states.handle_state_changes(without_leader, PartitionState.OFFLINE)
        await components.partition_states.trigger_online_partition_state_change()
        await components.replica_states.handle_state_changes(others, ReplicaState.OFFLINE)
        if to_be_deleted:
            await self._deletion.fail_replica_deletion(to_be_deleted)
        if not without_leader:
            components.send_update_metadata(context.live_or_shutting_down_broker_ids())

    # -- log directories

    async def process_log_dir_event_notification(self) -> None:
        """Ask brokers with a failed log directory which of their replicas are on it: by LeaderAndIsr for all."""
        components, context = self._components, self._components.context
        names = await components.zk_client.get_all_log_dir_event_notifications()
        if not names:
            return
        broker_ids = await components.zk_client.get_broker_ids_from_log_dir_events(names)
        logger.info("Handling log directory failure for brokers %s", _listed(broker_ids))
        replicas = context.replicas_on_brokers(broker_ids)
        await components.replica_states.handle_state_changes(replicas, ReplicaState.ONLINE)
        await components.zk_client.delete_log_dir_event_notifications(names, context.epoch_zk_version)

    async def process_leader_and_isr_response(self, broker_id: int, response: LeaderAndIsrResponse) -> None:
        """Take replicas offline that a broker has on a failed log directory."""
        context = self._components.context
        if response.error_code != ErrorCode.NONE:
            logger.error(
                "Received error %s in the response to LeaderAndIsr from broker %d",
                ErrorCode(response.error_code).name,
                broker_id,
            )
            return
        errors = leader_and_isr_errors(response, context.topic_names)
        before = context.replicas_on_offline_dirs.get(broker_id, set())
        offline = {each for each, code in errors.items() if code == ErrorCode.KAFKA_STORAGE_ERROR}
        online = {each for each, code in errors.items() if code == ErrorCode.NONE}
        now = (before - online) | offline
        if now == before:
            return
        context.replicas_on_offline_dirs[broker_id] = now
        if added := now - before:
            logger.info("Mark replicas %s on broker %d as offline", ", ".join(map(str, sorted(added))), broker_id)
            await self.on_replicas_become_offline([PartitionAndReplica(each, broker_id) for each in sorted(added)])


def _listed(ids: Iterable[int]) -> str:
    return ",".join(map(str, sorted(ids)))
