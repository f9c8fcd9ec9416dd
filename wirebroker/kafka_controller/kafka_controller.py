"""KafkaController: takes part in the election of the controller, and does its work while this broker is elected.

Every broker of the cluster runs one, of either kind; the broker whose ephemeral znode is /controller is the active one.
Whatever changes brokers, topics or leaders is an event in one queue (`controller_event_manager.py`), so the parts of
the controller need no locks.  A broker that resigns, or loses its session, forgets all in the same turn of the event
loop: the event that runs is cancelled, and requests that are queued for brokers are dropped.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from wirebroker.kafka_controller.broker_changes import BrokerChanges
from wirebroker.kafka_controller.controlled_shutdown import controlled_shutdown
from wirebroker.kafka_controller.controller_watches import ControllerWatches
from wirebroker.kafka_controller.errors import ControllerMoved
from wirebroker.kafka_controller.feature_versioning import set_up_feature_versioning
from wirebroker.kafka_controller.metrics import ControllerMetrics
from wirebroker.kafka_controller.responses import stop_replica_errors
from wirebroker.kafka_controller.topic_changes import TopicChanges
from wirebroker.zookeeper.errors import CorruptZnode, NoNode, ZooKeeperError
from wirebroker.zookeeper.operations import SessionState
from wirebroker.zookeeper.znodes.cluster import CONTROLLER_PATH, Controller

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeVar

    from wirebroker.kafka_controller.components import ControllerComponents, ControllerServices
    from wirebroker.kafka_controller.controller_channel_manager import ControllerChannelManager
    from wirebroker.model import TopicPartition
    from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrResponse
    from wirebroker.protocol.messages.stop_replica import StopReplicaResponse
    from wirebroker.zookeeper.operations import SessionEvent, Znode
    from wirebroker.zookeeper.session import Session

    T = TypeVar("T")

logger = logging.getLogger(__name__)

FIRST_REBALANCE_S: Final = 5.0
"""How long after a failover leaders are rebalanced for the first time."""
_RETRY_S: Final = 1.0


class RebalanceSettings(NamedTuple):
    """The settings of automatic elections of preferred leaders, as they are now."""

    is_enabled: bool
    interval_s: float
    percentage: int


class KafkaController:
    """The controller of this broker; await `run` in a task, once the broker is registered.

    Args:
        session: The broker's session.
        components: The state machines and what they work with.
        channels: The connections to brokers.
        services: Deletions, reassignments and elections.
        rebalance_settings: Returns the settings of automatic elections.
    """

    def __init__(
        self,
        session: Session,
        components: ControllerComponents,
        channels: ControllerChannelManager,
        services: ControllerServices,
        rebalance_settings: Callable[[], RebalanceSettings],
    ) -> None:
        self._session, self._components, self._channels, self._services = session, components, channels, services
        self._rebalance_settings = rebalance_settings
        self._events, self._context, self._zk_client = components.events, components.context, components.zk_client
        self._watches = ControllerWatches(session, self)
        self.topics = TopicChanges(components, self._watches.topics, services.reassignments)
        self.brokers = BrokerChanges(
            components, channels, self._watches.brokers, services.deletion, services.reassignments
        )
        self.metrics = ControllerMetrics(
            self._context, channels, self._events, components.partition_states, lambda: self.is_active
        )
        self.is_active = False
        """Whether this broker is the active controller; its context may be incomplete until the failover is done."""
        self._term: trio.CancelScope | None = None
        """The tasks of the present term: watches, and the timer of elections."""
        self._nursery: trio.Nursery | None = None

    async def run(self) -> None:
        """Run for controller, and be it, until cancelled."""
        self._session.subscribe(self._session_changed)
        async with trio.open_nursery() as self._nursery:
            await self._nursery.start(self._channels.run)
            self._nursery.start_soon(self._events.run)
            self._put_elect("Startup")
            await trio.sleep_forever()

    def controller_changed(self, controller_id: int) -> None:
        """Take note that /controller names another broker now, or none (-1)."""
        if controller_id not in (-1, self._components.controller_id):
            self.resign(f"/controller names broker {controller_id}")
        # it may have been read before this broker was elected, so an event reads it again
        self._events.put_once("Reelect", self._reelect, is_for_active=False)

    @property
    def is_idle(self) -> bool:
        """Whether no event runs or waits."""
        return self._events.is_idle

    def is_topic_queued_for_deletion(self, topic: str) -> bool:
        """Return whether the deletion of *topic* was asked for and is not complete."""
        return self._context.is_topic_queued_for_deletion(topic)

    async def request(self, name: str, run: Callable[[], Awaitable[T]]) -> T:
        """Run a request to the active controller as an event, and return its result.

        Raises:
            ApiError: NOT_CONTROLLER, or the error of *run*.
        """
        return await self._events.run_and_wait(name, run)

    async def controlled_shutdown(self, broker_id: int, broker_epoch: int) -> list[TopicPartition]:
        """Move the leaders of a broker that is about to stop; return the partitions that it still leads."""
        return await self.request(
            "ControlledShutdown", lambda: controlled_shutdown(self._components, broker_id, broker_epoch)
        )

    def enable_unclean_leader_election(self, topic: str | None = None) -> None:
        """Elect leaders again, since *topic*, or all topics without a setting, allow an unclean election now."""
        if self.is_active:
            elect = partial(self._components.partition_states.trigger_online_partition_state_change, topic)
            self._events.put_once(f"UncleanLeaderElectionEnable {topic or ''}", elect)

    # -- election

    def _session_changed(self, event: SessionEvent) -> None:
        if event.state in (SessionState.EXPIRED, SessionState.CLOSED):
            self.resign("the session with ZooKeeper is over")
        elif event.state is SessionState.CONNECTED and not self.is_active:
            self._put_elect("RegisterBrokerAndReelect")

    def _put_elect(self, name: str) -> None:
        if self._nursery is not None:
            self._events.put_once(name, self._elect, is_for_active=False)

    async def _reelect(self) -> None:
        if self.is_active and not await self._is_registered():
            self.resign("/controller was deleted or changed")
        await self._elect()

    async def _is_registered(self) -> bool:
        """Whether /controller is of this session and names this broker."""
        try:
            znode = await self._session.retry(lambda: self._session.client.get(CONTROLLER_PATH))
        except NoNode:
            return False
        return znode.stat.ephemeral_owner == self._session.session_id and self._names_this_broker(znode)

    async def _elect(self) -> None:
        if self.is_active:
            return
        controller_id = self._components.controller_id
        try:
            if not await self._is_vacant():
                return
            registration = await self._zk_client.register_controller_and_increment_epoch(controller_id)
        except ControllerMoved as error:
            logger.debug("broker %d was not elected as the controller: %s", controller_id, error)
            return
        self._context.reset()
        self._context.epoch, self._context.epoch_zk_version = registration
        self.is_active = True
        logger.info(
            "%d successfully elected as the controller. Epoch incremented to %d and epoch zk version is now %d",
            controller_id,
            *registration,
        )
        self._events.put("Failover", self._fail_over)

    async def _is_vacant(self) -> bool:
        """Whether no broker is the controller; a registration that nobody acts upon is removed.

        That is one of this session that was resigned from, such as one that an operator has changed to another broker,
        and one with which an operator has named this broker, which was not elected.  With Apache Kafka the cluster has
        no controller until the operator deletes it: the named broker takes itself for the controller, without an epoch.
        """
        try:
            znode = await self._session.retry(lambda: self._session.client.get(CONTROLLER_PATH))
        except NoNode:
            return True
        if znode.stat.ephemeral_owner != self._session.session_id:
            if not self._names_this_broker(znode):
                return False
            logger.warning(
                "/controller names this broker, %d, which was not elected: the znode was written by hand; deleting it, "
                "and a controller is elected",
                self._components.controller_id,
            )
        try:
            await self._session.retry(lambda: self._session.client.delete(CONTROLLER_PATH, znode.stat.version))
        except (NoNode, ZooKeeperError):
            return False
        return True

    def _names_this_broker(self, znode: Znode) -> bool:
        """Whether the content of /controller is the id of this broker."""
        try:
            return Controller.decode(znode.data).broker_id == self._components.controller_id
        except CorruptZnode:
            return False

    async def _fail_over(self) -> None:
        """Become the active controller: Kafka's onControllerFailover."""
        try:
            await self._on_controller_failover()
        except ControllerMoved:
            raise
        except Exception as error:
            logger.exception("controller: the failover failed, another broker is to take over: %s", error)
            self._nursery_().start_soon(self._move_controller)

    async def _move_controller(self) -> None:
        """Resign after a failed failover: delete /controller, after a pause that lets others be elected."""
        epoch_zk_version = self._context.epoch_zk_version
        self.resign("its failover failed")
        await trio.sleep(_RETRY_S)
        try:
            await self._zk_client.delete_controller(epoch_zk_version)
        except (ControllerMoved, ZooKeeperError):
            pass  # it is gone
        self._put_elect("Reelect")

    async def _on_controller_failover(self) -> None:
        context, components, services = self._context, self._components, self._services
        await set_up_feature_versioning(components.zk_client, components.protocol, context.epoch_zk_version)
        logger.info("Registering handlers and initializing the controller context")
        await self._nursery_().start(self._run_term)
        await self._delete_notifications()
        await self._initialize_context()
        await services.deletion.init()
        # brokers must know all live brokers before they can follow leaders
        components.send_update_metadata(context.live_or_shutting_down_broker_ids())
        await components.replica_states.startup()
        await components.partition_states.startup()
        logger.info("Ready to serve as the new controller with epoch %d", context.epoch)
        await services.reassignments.resume_all()
        await services.deletion.try_topic_deletion()
        await services.elections.process_zk()
        self._watches.put_all()

    async def _delete_notifications(self) -> None:
        """Delete notifications to earlier controllers: all that they tell of is about to be read."""
        version = self._context.epoch_zk_version
        await self._zk_client.delete_log_dir_event_notifications(
            await self._zk_client.get_all_log_dir_event_notifications(), version
        )
        await self._zk_client.delete_isr_change_notifications(
            await self._zk_client.get_all_isr_change_notifications(), version
        )

    async def _initialize_context(self) -> None:
        context = self._context
        context.set_live_brokers(await self._zk_client.get_all_brokers_and_epochs_in_cluster())
        topics = await self._zk_client.get_all_topics_in_cluster()
        await self._watches.topics.add(topics)
        await self._watches.brokers.add(str(each) for each in context.brokers)
        await self.topics.update_leader_and_isr_cache(await self.topics.add_topics(topics))
        self._channels.startup(each.info for each in context.brokers.values())
        logger.info(
            "Currently active brokers in the cluster: %s; %d topics, %d partitions, %d partitions being reassigned",
            sorted(context.brokers),
            len(topics),
            context.partition_count(),
            len(context.partitions_being_reassigned),
        )

    async def _run_term(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Run what belongs to this term, until `resign`."""
        with trio.CancelScope() as term:
            self._term = term
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._rebalance_leaders)
                await nursery.start(self._watches.run)
                task_status.started()

    async def _rebalance_leaders(self) -> None:
        await trio.sleep(FIRST_REBALANCE_S)
        while True:
            settings = self._rebalance_settings()
            if settings.is_enabled:
                rebalance = partial(self._services.elections.rebalance, settings.percentage)
                self._events.put_once("AutoPreferredReplicaLeaderElection", rebalance)
            await trio.sleep(settings.interval_s)

    def resign(self, reason: str) -> None:
        """Stop being the controller at once: Kafka's onControllerResignation."""
        if not self.is_active:
            return
        logger.info("Resigned as the controller, epoch %d: %s", self._context.epoch, reason)
        self.is_active = False
        self._events.end_term()
        self._channels.shutdown()
        self._components.batch.clear()
        if self._term is not None:
            self._term.cancel()
            self._term = None
        self._watches.clear()
        self._context.reset()

    def controller_moved(self) -> None:
        """Resign: an event has found that another controller was elected, or the epoch was changed."""
        self.resign("another controller was elected")
        self._put_elect("Reelect")

    def _nursery_(self) -> trio.Nursery:
        assert self._nursery is not None
        return self._nursery

    # -- what watches and brokers tell

    def brokers_changed(self) -> None:
        """Have the registered brokers read."""
        self._events.put_once("BrokerChange", self.brokers.process_broker_change)

    def broker_modified(self, broker_id: int) -> None:
        """Have the registration of a broker read."""
        self._events.put("BrokerModifications", partial(self.brokers.process_broker_modification, broker_id))

    def topics_changed(self) -> None:
        """Have the names of all topics read."""
        self._events.put_once("TopicChange", self.topics.process_topic_change)

    def partitions_modified(self, topic: str) -> None:
        """Have the assignment of a topic read."""
        self._events.put("PartitionModifications", partial(self.topics.process_partition_modifications, topic))

    def deletions_changed(self) -> None:
        """Have the requests to delete topics read."""
        self._events.put_once("TopicDeletion", self._services.deletion.topic_deletion_requested)

    def isrs_changed(self) -> None:
        """Have the notifications of changed ISRs read."""
        self._events.put_once("IsrChangeNotification", self.topics.process_isr_change_notification)

    def log_dirs_failed(self) -> None:
        """Have the notifications of failed log directories read."""
        self._events.put_once("LogDirEventNotification", self.brokers.process_log_dir_event_notification)

    def reassignment_requested(self) -> None:
        """Have /admin/reassign_partitions read."""

        async def process() -> None:
            await self._services.reassignments.process_zk()

        self._events.put_once("ZkPartitionReassignment", process)

    def preferred_election_requested(self) -> None:
        """Have /admin/preferred_replica_election read."""
        self._events.put_once("ReplicaLeaderElection", self._services.elections.process_zk)

    def leader_and_isr_response_received(self, broker_id: int, response: LeaderAndIsrResponse) -> None:
        """Have the errors of log directories in the response looked at."""
        process = partial(self.brokers.process_leader_and_isr_response, broker_id, response)
        self._events.put("LeaderAndIsrResponseReceived", process)

    def stop_replica_response_received(
        self, broker_id: int, response: StopReplicaResponse, deleted: frozenset[TopicPartition]
    ) -> None:
        """Go on with the deletion of the partitions *deleted*."""
        errors = {each: code for each, code in stop_replica_errors(response).items() if each in deleted}
        received = self._services.deletion.stop_replica_response_received
        process = partial(received, broker_id, errors, response.error_code)
        self._events.put("TopicDeletionStopReplicaResponseReceived", process)
