"""ZooKeeperAdministration: the administration of a broker of a cluster with ZooKeeper (`controller.Administration`).

Requests to create, grow and delete topics are for the active controller (`topic_administration.py`); any other broker
answers NOT_CONTROLLER.  Settings, quotas and automatically created topics any broker writes to ZooKeeper, where the
controller and all brokers see them.
"""

from __future__ import annotations

import logging
import uuid
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.cluster.config_administration import ConfigAdministration
from wirebroker.cluster.scram_credentials import UserScramCredentials
from wirebroker.cluster.topic_administration import TopicAdministration
from wirebroker.controller.administration import check_quota
from wirebroker.controller.event_queue import EventQueue
from wirebroker.controller.internal_topics import auto_created
from wirebroker.controller.topic_rules import check_creation_with_zookeeper, plan_topic
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.zookeeper.errors import ZooKeeperError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence

    from wirebroker.cluster.config_publisher import ConfigPublisher
    from wirebroker.cluster.config_store import ConfigStore
    from wirebroker.cluster.topic_administration import ActiveController
    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.controller.administration import ConfigAlteration, ElectionType, QuotaAlteration, TopicResult
    from wirebroker.controller.topic_rules import NewPartitions, NewTopic
    from wirebroker.kafka_controller.replica_requests import ReplicaRequests
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.image import ClusterImage, TopicImage
    from wirebroker.model import TopicPartition
    from wirebroker.quota.levels import QuotaEntity
    from wirebroker.quota.mutation_quota import ControllerMutationQuota
    from wirebroker.zookeeper.admin_zk_client import AdminZkClient
    from wirebroker.zookeeper.znodes.topics import ReplicaAssignment

log = logging.getLogger(__name__)

_LONGEST_WRITE_S: Final = 10.0
_LONGEST_WAIT_S: Final = 2.0
"""How long a Metadata request waits for the topics that are created for it."""
_NOTED_FAILURES: Final = 100


class ZooKeeperAdministration:
    """Writes settings and new topics to ZooKeeper.

    Await `run` in a task.

    Args:
        config: The settings of this broker.
        metadata: The image that requests are checked against.
        topics: Where new topics are written.
        store: Where settings are read and written.
        publisher: Brings written settings into the image at once.
        allocate_producer_ids: Returns a block of producer ids that no broker was given before; raises ApiError.
        controller: The controller of this broker, which may be the active one; None if it never is.
        replicas: Its elections and reassignments; None with no *controller*.
    """

    completes_later = True

    def __init__(
        self,
        config: DynamicConfig,
        metadata: MetadataCache,
        topics: AdminZkClient,
        store: ConfigStore,
        publisher: ConfigPublisher,
        allocate_producer_ids: Callable[[], Awaitable[range]],
        controller: ActiveController | None = None,
        replicas: ReplicaRequests | None = None,
    ) -> None:
        self._config = config
        self._metadata = metadata
        self._topics = topics
        self._configs = ConfigAdministration(config.current.node_id, metadata, store, publisher)
        self._allocate_producer_ids = allocate_producer_ids
        self._controller = controller
        self._replicas = replicas
        self._active: TopicAdministration | None = None
        if controller is not None:
            self._active = TopicAdministration(config, metadata, topics, controller)
        self._queue = EventQueue()
        self.scram_credentials = UserScramCredentials(store, self._queue)
        """The SCRAM credentials of users, changed in one order with their quotas."""
        self._creating: set[str] = set()
        self._failures: dict[str, str] = {}
        """Topic -> the logged reason for which it was not created."""

    @property
    def is_active(self) -> bool:
        """Whether this broker is the active controller."""
        return self._controller is not None and self._controller.is_active

    async def run(self) -> None:
        """Create topics and write settings until cancelled."""
        await self._queue.run()

    async def create_topics(
        self, topics: Sequence[NewTopic], quota: ControllerMutationQuota | None = None, *, validate_only: bool = False
    ) -> list[TopicResult]:
        """Create the valid ones of *topics*; the results are complete when the controller has elected leaders."""
        return await self._controller_topics().create_topics(topics, quota, validate_only=validate_only)

    async def create_partitions(
        self,
        requests: Sequence[NewPartitions],
        quota: ControllerMutationQuota | None = None,
        *,
        validate_only: bool = False,
    ) -> list[TopicResult]:
        """Add partitions to topics; the results are complete when the controller has elected leaders."""
        return await self._controller_topics().create_partitions(requests, quota, validate_only=validate_only)

    async def delete_topics(
        self, topics: Sequence[TopicImage], quota: ControllerMutationQuota | None = None
    ) -> list[TopicResult]:
        """Delete topics; the results are complete when the controller has told this broker."""
        return await self._controller_topics().delete_topics(topics, quota)

    async def elect_leaders(
        self, partitions: Collection[TopicPartition], election_type: ElectionType
    ) -> Mapping[TopicPartition, int | ApiError]:
        """Elect leaders; this broker hears of them later."""
        return await self._controller_replicas().elect_leaders(partitions, election_type)

    async def alter_partition_reassignments(
        self, targets: Mapping[TopicPartition, Sequence[int] | None], *, allow_replication_factor_change: bool
    ) -> Mapping[TopicPartition, ApiError | None]:
        """Begin, replace and cancel reassignments."""
        return await self._controller_replicas().alter_partition_reassignments(
            targets, allow_replication_factor_change=allow_replication_factor_change
        )

    async def list_partition_reassignments(
        self, partitions: Collection[TopicPartition] | None
    ) -> Mapping[TopicPartition, ReplicaAssignment]:
        """Return the reassignments in progress."""
        return await self._controller_replicas().list_partition_reassignments(partitions)

    async def image_with_configs(self, resources: Collection[tuple[int, str]]) -> ClusterImage:
        """Return the image with the settings of *resources* that ZooKeeper has."""
        return await self._configs.image_with_configs(resources)

    async def alter_configs(self, resources: Collection[tuple[int, str]], alter: ConfigAlteration) -> None:
        """Write the records that *alter* returns to ZooKeeper; this broker obeys them when this returns."""
        await self._queue.run_and_wait(lambda: self._configs.alter_configs(resources, alter))

    async def alter_client_quotas(self, entities: Collection[QuotaEntity], alter: QuotaAlteration) -> None:
        """Write the records that *alter* returns to ZooKeeper; this broker obeys them when this returns."""
        await self._queue.run_and_wait(lambda: self._configs.alter_client_quotas(entities, alter))

    async def allocate_producer_ids(self) -> range:
        """Allocate a block of producer ids that no broker was given before."""
        return await self._allocate_producer_ids()

    async def auto_create(
        self, names: Iterable[str], quota: ControllerMutationQuota | None = None
    ) -> Mapping[str, ErrorCode]:
        """Write new topics to ZooKeeper, as any broker of Kafka's does; return the codes of those that are refused.

        Returns without them if ZooKeeper does not answer soon, and goes on; clients ask again.
        """
        refused: dict[str, ErrorCode] = {}
        written = self._begin_auto_create(names, quota, refused)
        if written is not None:
            with trio.move_on_after(_LONGEST_WAIT_S):
                await written.wait()
        return refused

    async def create_internal(self, name: str) -> None:
        """Ask the controller for the internal topic *name*; return before it has made it, and the client asks again."""
        self._begin_auto_create([name], None, {})

    def _begin_auto_create(
        self, names: Iterable[str], quota: ControllerMutationQuota | None, refused: dict[str, ErrorCode]
    ) -> trio.Event | None:
        """Queue the creation of topics that do not exist; return what is set then, None without any."""
        topics = self._metadata.image.topics
        missing = [name for name in names if name not in self._creating and name not in topics]
        written = trio.Event()

        async def create() -> None:
            try:
                await self._auto_create(missing, quota, refused)
            finally:
                written.set()

        if not missing or not self._queue.append_nowait(create):
            return None
        self._creating.update(missing)
        return written

    def _controller_topics(self) -> TopicAdministration:
        if self._active is None or not self.is_active:
            raise ApiError(ErrorCode.NOT_CONTROLLER)
        return self._active

    def _controller_replicas(self) -> ReplicaRequests:
        if self._replicas is None or not self.is_active:
            raise ApiError(ErrorCode.NOT_CONTROLLER)
        return self._replicas

    async def _auto_create(
        self, names: list[str], quota: ControllerMutationQuota | None, refused: dict[str, ErrorCode]
    ) -> None:
        earlier: dict[str, str] = {}
        for name in names:
            failure: str | None = None
            try:
                await self._create_topic(auto_created(name, self._config.current, None), quota, earlier)
            except ApiError as error:
                if error.code != ErrorCode.TOPIC_ALREADY_EXISTS:
                    failure = error.detail
                    if error.code != ErrorCode.REQUEST_TIMED_OUT:
                        refused[name] = error.code
            except ZooKeeperError as error:
                failure = str(error)
            finally:
                self._creating.discard(name)
            self._note_failure(name, failure)

    def _note_failure(self, name: str, failure: str | None) -> None:
        """Log why *name* was not created, once for each reason: clients ask again many times a second."""
        if failure is None:
            self._failures.pop(name, None)
        elif self._failures.get(name) != failure:
            if len(self._failures) >= _NOTED_FAILURES:
                self._failures.clear()
            self._failures[name] = failure
            log.warning("topic=%s: automatic creation failed: %s; tried again when clients ask again", name, failure)

    async def _create_topic(
        self, new: NewTopic, quota: ControllerMutationQuota | None, earlier: dict[str, str]
    ) -> None:
        """Write settings and assignment of a new topic, upon which the controller creates it.

        *earlier* are the topics before it in its request, see `check_creation_with_zookeeper`.

        Raises:
            ApiError: the topic is not valid, or exists, or ZooKeeper does not answer.
            ZooKeeperError: ZooKeeper refuses the request.
        """
        image = self._metadata.image
        plan = plan_topic(new, image, self._config.current)
        check_creation_with_zookeeper(plan, new.name, image, earlier)
        check_quota(quota, len(plan.partitions))
        has_ids = self._config.current.inter_broker_protocol.topic_ids_supported
        replicas = {number: each.replicas for number, each in enumerate(plan.partitions)}
        with trio.move_on_after(_LONGEST_WRITE_S):
            topic_id = uuid.uuid4().bytes if has_ids else None
            await self._topics.create_topic(new.name, replicas, plan.configs, topic_id)
            log.info("topic=%s: %d partitions asked of the controller", new.name, len(plan.partitions))
            return
        raise ApiError(ErrorCode.REQUEST_TIMED_OUT, "ZooKeeper does not answer; clients ask again")
