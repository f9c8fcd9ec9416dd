"""Controller: the one writer of the cluster's metadata.

Its events run one after the other (`event_queue.py`), each in three steps: records written to the journal (durable),
logs made, renamed or reconfigured, image published.  Requests are answered after the last step, so that a created topic
is served and a deleted one is gone.  `start` completes the events that a crash interrupted.

This broker is always the controller, and its replica manager is called where Kafka's controller sends LeaderAndIsr.
"""

from __future__ import annotations

import logging
import uuid
from typing import TYPE_CHECKING

from wirebroker.controller.administration import TopicResult, check_quota
from wirebroker.controller.event_queue import EventQueue
from wirebroker.controller.internal_topics import auto_created
from wirebroker.controller.log_configs import reconfigure_logs
from wirebroker.controller.topic_rules import (
    NewPartitions,
    NewTopic,
    Plan,
    check_creation_with_zookeeper,
    check_replicas,
    plan_partitions,
    plan_topic,
)
from wirebroker.loop_budget import LoopBudget
from wirebroker.metadata.errors import StoreUnavailable
from wirebroker.metadata.image import TOPIC_RESOURCE, BrokerImage, ClusterImage, TopicImage
from wirebroker.metadata.records import (
    PRODUCER_ID_BLOCK,
    ClusterIdRecord,
    ConfigsRecord,
    DeletionsCompleteRecord,
    LeaderEpochBumpRecord,
    MetadataRecord,
    PartitionsRecord,
    ProducerIdsRecord,
    RemoveTopicRecord,
    TopicRecord,
)
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.controller.administration import ConfigAlteration, ElectionType, QuotaAlteration
    from wirebroker.controller.replicas import Replicas
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.embedded_store import EmbeddedStore
    from wirebroker.model import TopicPartition
    from wirebroker.quota.levels import QuotaEntity
    from wirebroker.quota.mutation_quota import ControllerMutationQuota
    from wirebroker.zookeeper.znodes.topics import ReplicaAssignment

log = logging.getLogger(__name__)


class Controller:
    """Creates, grows and deletes topics, alters configs, and allocates producer ids.

    Await `start` first, then run `run` in a task; the other methods wait until it has processed their event.

    Args:
        store: The journal; nothing else may write to it.
        cache: Where images are published.
        replicas: Serves the partitions.
        config: The broker's settings.
        new_topic_id: Returns a random 16-byte id.
    """

    def __init__(
        self,
        *,
        store: EmbeddedStore,
        cache: MetadataCache,
        replicas: Replicas,
        config: DynamicConfig,
        new_topic_id: Callable[[], bytes] = lambda: uuid.uuid4().bytes,
    ) -> None:
        self._config = config
        self._store = store
        self._cache = cache
        self._replicas = replicas
        self._new_topic_id = new_topic_id
        self._queue = EventQueue()
        self._deleted: list[bytes] = []
        """Ids of deleted topics whose directories are renamed, for the next DeletionsCompleteRecord."""
        self._creating: set[str] = set()
        """Names of topics whose automatic creation is queued."""

    async def start(self, broker: BrokerImage, cluster_id: str, *, clean: bool) -> None:
        """Register *broker*, complete interrupted deletions, serve every partition and publish the first image.

        Args:
            broker: This broker, as clients see it.
            cluster_id: The id for a cluster that has none yet.
            clean: False after a crash: each partition gets a new leader epoch, so that clients notice a lost tail.

        Raises:
            StoreUnavailable: the store cannot be written.
        """
        self._store.register_broker(broker)
        image = self._store.image
        records: list[MetadataRecord] = []
        if image.cluster_id is None:
            records.append(ClusterIdRecord(cluster_id))
        if not clean and image.topics:
            records.append(LeaderEpochBumpRecord(broker.node_id))
        for topic_id, deleted in image.deleting.items():
            for index in range(deleted.partition_count):
                await self._replicas.discard(deleted.name, index, topic_id)
        if image.deleting:
            await self._replicas.forget_deleted()
            records.append(DeletionsCompleteRecord(tuple(image.deleting)))
        if records:
            image = await self._write(records)
        budget = LoopBudget()
        for topic in image.topics.values():
            await self._serve(
                topic, range(len(topic.partitions)), image.topic_config(topic.name), budget, are_new=False
            )
        self._cache.publish(image, records)

    @property
    def is_active(self) -> bool:
        """True: a broker that is a cluster by itself is its controller."""
        return True

    @property
    def completes_later(self) -> bool:
        """False: a change is complete when its event is."""
        return False

    async def run(self) -> None:
        """Process events until cancelled."""
        await self._queue.run()

    async def create_topics(
        self, topics: Sequence[NewTopic], quota: ControllerMutationQuota | None = None, *, validate_only: bool = False
    ) -> list[TopicResult]:
        """Create the valid ones of *topics* in one write.

        Args:
            topics: Topics with different names.
            quota: The quota that the partitions count for, also with *validate_only*; None is none.
            validate_only: Check them, and create none.

        Returns:
            One result for each of *topics*, in order.
        """
        return await self._queue.run_and_wait(lambda: self._create_topics(topics, quota, validate_only=validate_only))

    async def create_partitions(
        self,
        requests: Sequence[NewPartitions],
        quota: ControllerMutationQuota | None = None,
        *,
        validate_only: bool = False,
    ) -> list[TopicResult]:
        """Add partitions to topics in one write; arguments and result are as those of `create_topics`."""
        return await self._queue.run_and_wait(
            lambda: self._create_partitions(requests, quota, validate_only=validate_only)
        )

    async def delete_topics(
        self, topics: Sequence[TopicImage], quota: ControllerMutationQuota | None = None
    ) -> list[TopicResult]:
        """Delete different topics in one write; return one result for each of them.

        The partitions count for *quota*.
        """
        topic_ids = [topic.topic_id for topic in topics]
        return await self._queue.run_and_wait(lambda: self._delete_topics(topic_ids, quota))

    async def elect_leaders(
        self, partitions: Collection[TopicPartition], election_type: ElectionType
    ) -> dict[TopicPartition, int | ApiError]:
        """Return that no election is needed: this broker leads every partition."""
        results: dict[TopicPartition, int | ApiError] = {}
        image, budget = self._cache.image, LoopBudget()
        for partition in partitions:
            await budget.yield_if_due()
            if image.partition(*partition) is None:
                results[partition] = _unknown_partition(image, partition)
            else:
                code = ErrorCode.ELECTION_NOT_NEEDED
                results[partition] = ApiError(code, code.meaning)
        return results

    async def alter_partition_reassignments(
        self, targets: Mapping[TopicPartition, Sequence[int] | None], *, allow_replication_factor_change: bool
    ) -> dict[TopicPartition, ApiError | None]:
        """Accept the replicas that a partition has already; others name unknown brokers and are refused."""
        results: dict[TopicPartition, ApiError | None] = {}
        image, budget = self._cache.image, LoopBudget()
        for partition, replicas in targets.items():
            await budget.yield_if_due()
            try:
                if image.partition(*partition) is None:
                    raise _unknown_partition(image, partition)
                if replicas is None:
                    raise ApiError(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS)
                check_replicas([replicas], image)
                results[partition] = None
            except ApiError as error:
                results[partition] = error
        return results

    async def list_partition_reassignments(
        self, partitions: Collection[TopicPartition] | None
    ) -> dict[TopicPartition, ReplicaAssignment]:
        """Return none: there is no other broker."""
        return {}

    async def image_with_configs(self, resources: Collection[tuple[int, str]]) -> ClusterImage:
        """Return the newest image: it has all settings."""
        return self._cache.image

    async def alter_configs(self, resources: Collection[tuple[int, str]], alter: ConfigAlteration) -> None:
        """Write the records that *alter* returns for the newest image; no other event runs between the two.

        The settings are in effect when this returns.

        Raises:
            ApiError: any that *alter* raises, or KAFKA_STORAGE_ERROR.
        """
        await self._queue.run_and_wait(lambda: self._alter_configs(alter))

    async def alter_client_quotas(self, entities: Collection[QuotaEntity], alter: QuotaAlteration) -> None:
        """Write the records that *alter* returns for the newest image; the quotas are in effect when this returns.

        Raises:
            ApiError: KAFKA_STORAGE_ERROR.
        """
        await self._queue.run_and_wait(lambda: self._alter_client_quotas(alter))

    async def allocate_producer_ids(self) -> range:
        """Allocate a block of producer ids that was never allocated before (Kafka: AllocateProducerIds, KIP-730).

        Raises:
            ApiError: KAFKA_STORAGE_ERROR if the block cannot be made durable.
        """
        return await self._queue.run_and_wait(self._allocate_producer_ids)

    async def auto_create(
        self, names: Iterable[str], quota: ControllerMutationQuota | None = None
    ) -> Mapping[str, ErrorCode]:
        """Queue the creation of topics that do not exist, with the broker's defaults or those of internal topics.

        The partitions count for *quota*.  Failures are logged only, and none is returned, as by a broker that asks a
        KRaft controller: clients ask for the topics again, which queues their creation again.
        """
        missing = [name for name in names if name not in self._creating and name not in self._cache.image.topics]
        if missing and self._queue.append_nowait(lambda: self._auto_create(missing, quota)):
            self._creating.update(missing)
        return {}

    async def create_internal(self, name: str) -> None:
        """Create the internal topic *name* unless it exists; a failure is logged, and the caller looks again."""
        if name not in self._cache.image.topics:
            await self._queue.run_and_wait(lambda: self._auto_create([name]))

    async def _auto_create(self, names: list[str], quota: ControllerMutationQuota | None = None) -> None:
        try:
            broker_count = len(self._cache.image.brokers)
            topics = [auto_created(name, self._config.current, broker_count) for name in names]
            results = await self._create_topics(topics, quota, validate_only=False)
        finally:
            self._creating.difference_update(names)
        budget = LoopBudget()
        for result in results:
            if result.error not in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS):
                log.warning("topic=%s: automatic creation failed: %s", result.name, result.message)
            await budget.yield_if_due()

    async def _create_topics(
        self, topics: Sequence[NewTopic], quota: ControllerMutationQuota | None, *, validate_only: bool
    ) -> list[TopicResult]:
        image = self._cache.image
        records: list[MetadataRecord] = []
        results: list[TopicResult] = []
        budget = LoopBudget()
        earlier: dict[str, str] = {}
        with_zookeeper = self._config.current.release_profile.is_zookeeper_era and not validate_only
        for new in topics:
            await budget.yield_if_due()
            try:
                plan = plan_topic(new, image, self._config.current)
                if with_zookeeper:
                    check_creation_with_zookeeper(plan, new.name, image, earlier)
                check_quota(quota, len(plan.partitions))
            except ApiError as error:
                results.append(TopicResult(new.name, error.code, error.detail))
                continue
            topic = TopicImage(new.name, self._new_topic_id(), plan.partitions)
            records += _creation(topic, plan)
            results.append(TopicResult(new.name, topic=topic, configs=plan.configs))
        if validate_only or not records:
            return results
        try:
            image = await self._write(records)
        except ApiError as error:
            return [_failed(result, error) for result in results]
        failed: list[TopicImage] = []
        for at, result in enumerate(results):
            created = result.topic
            if created is None or await self._serve(
                created, range(len(created.partitions)), result.configs, budget, are_new=True
            ):
                continue
            failed.append(created)
            results[at] = TopicResult(result.name, ErrorCode.KAFKA_STORAGE_ERROR, "its logs cannot be made")
        self._cache.publish(image, records)
        if failed:
            await self._delete_topics([topic.topic_id for topic in failed])
        for result in results:
            if result.topic is not None:
                log.info("topic=%s: created with %d partitions", result.name, len(result.topic.partitions))
                await budget.yield_if_due()
        return results

    async def _create_partitions(
        self, requests: Sequence[NewPartitions], quota: ControllerMutationQuota | None, *, validate_only: bool
    ) -> list[TopicResult]:
        records: list[MetadataRecord] = []
        results: list[TopicResult] = []
        first_new: dict[str, int] = {}
        budget = LoopBudget()
        for request in requests:
            await budget.yield_if_due()
            try:
                added = plan_partitions(request, self._cache.image)
                check_quota(quota, len(added))
            except ApiError as error:
                results.append(TopicResult(request.topic, error.code, error.detail))
                continue
            records.append(PartitionsRecord(request.topic, added))
            results.append(TopicResult(request.topic))
            first_new[request.topic] = request.total_count - len(added)
        if validate_only or not records:
            return results
        try:
            image = await self._write(records)
        except ApiError as error:
            return [_failed(result, error) for result in results]
        offline: set[str] = set()
        for name, first in first_new.items():
            topic = image.topics[name]
            added_indexes = range(first, len(topic.partitions))
            if not await self._serve(topic, added_indexes, image.topic_config(name), budget, are_new=True):
                offline.add(name)  # the partitions exist all the same
        self._cache.publish(image, records)
        for name, first in first_new.items():
            log.info("topic=%s: partitions added, %d -> %d", name, first, len(image.topics[name].partitions))
            await budget.yield_if_due()
        return [
            TopicResult(result.name, ErrorCode.KAFKA_STORAGE_ERROR, "not all of its logs can be made")
            if result.name in offline
            else result
            for result in results
        ]

    async def _delete_topics(
        self, topic_ids: Sequence[bytes], quota: ControllerMutationQuota | None = None
    ) -> list[TopicResult]:
        image = self._cache.image
        results: list[TopicResult] = []
        deleted: list[TopicImage] = []
        budget = LoopBudget()
        for topic_id in topic_ids:
            await budget.yield_if_due()
            topic = image.topic_by_id(topic_id)
            if topic is None:
                results.append(TopicResult("", ErrorCode.UNKNOWN_TOPIC_ID))
                continue
            try:
                check_quota(quota, len(topic.partitions))
            except ApiError as error:
                results.append(TopicResult(topic.name, error.code, error.detail))
                continue
            results.append(TopicResult(topic.name, topic=topic))
            deleted.append(topic)
        if not deleted:
            return results
        records: list[MetadataRecord] = [
            RemoveTopicRecord(each.name, each.topic_id, len(each.partitions)) for each in deleted
        ]
        try:
            image = await self._write(records)
        except ApiError as error:
            return [_failed(result, error) for result in results]
        # First out of the metadata, then out of service: a client that is refused finds the topic gone when it looks.
        self._cache.publish(image, records)
        for topic in deleted:
            stopped = []
            for index in range(len(topic.partitions)):
                stopped.append(await self._replicas.stop(topic.name, index, delete=True))
                await budget.yield_if_due()
            if all(stopped):  # else `start` tries again
                self._deleted.append(topic.topic_id)
            log.info("topic=%s: deleted with %d partitions", topic.name, len(topic.partitions))
        await self._replicas.forget_deleted()
        return results

    async def _alter_configs(self, alter: ConfigAlteration) -> None:
        records = await alter(self._cache.image)
        if not records:
            return
        image = await self._write(records)
        defaults = self._config.current.topic_defaults
        self._cache.publish(image, records)
        names: Iterable[str] = [each.name for each in records if each.resource_type == TOPIC_RESOURCE]
        if self._config.current.topic_defaults != defaults:
            names = image.topics
        await reconfigure_logs(self._replicas, names, image, self._config)

    async def _alter_client_quotas(self, alter: QuotaAlteration) -> None:
        image = self._cache.image
        records = await LoopBudget().collect(each for each in await alter(image) if each.changes(image))
        if records:
            self._cache.publish(await self._write(records), records)

    async def _allocate_producer_ids(self) -> range:
        first = self._cache.image.next_producer_id
        records = [ProducerIdsRecord(first + PRODUCER_ID_BLOCK)]
        self._cache.publish(await self._write(records), records)
        return range(first, first + PRODUCER_ID_BLOCK)

    async def _serve(
        self,
        topic: TopicImage,
        indexes: Iterable[int],
        configs: Mapping[str, str],
        budget: LoopBudget,
        *,
        are_new: bool,
    ) -> bool:
        """Serve those of the partitions *indexes* that this broker leads; return False if one of them is offline."""
        mine = [index for index in indexes if topic.partitions[index].leader == self._config.current.node_id]
        await self._replicas.become_leaders(topic, mine, self._config.current.log_config(configs), is_new=are_new)
        await budget.yield_if_due()
        return not any(self._replicas.is_offline(topic.name, index) for index in mine)

    async def _write(self, records: Sequence[MetadataRecord]) -> ClusterImage:
        """Write *records*, and the deletions completed since the last write; return the new image.

        Raises:
            ApiError: KAFKA_STORAGE_ERROR; the records must not be acted on.
        """
        completed: list[MetadataRecord] = [DeletionsCompleteRecord(tuple(self._deleted))] if self._deleted else []
        try:
            image = await self._store.write([*completed, *records])
        except StoreUnavailable as error:
            log.error("%s", error)
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, str(error)) from error
        if completed:
            self._deleted.clear()
        return image


def _creation(topic: TopicImage, plan: Plan) -> list[MetadataRecord]:
    """Return the records that create *topic*."""
    records: list[MetadataRecord] = [TopicRecord(topic.name, topic.topic_id, topic.partitions)]
    if plan.configs:
        records.append(ConfigsRecord(TOPIC_RESOURCE, topic.name, plan.configs))
    return records


def _failed(result: TopicResult, error: ApiError) -> TopicResult:
    """Return the result of a topic after the write failed; a topic that was refused before keeps its error."""
    return result if result.error else TopicResult(result.name, error.code, error.detail)


def _unknown_partition(image: ClusterImage, partition: TopicPartition) -> ApiError:
    missing = f"partition {partition}" if image.topic(partition.topic) is not None else f"topic {partition.topic}"
    return ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no {missing}")
