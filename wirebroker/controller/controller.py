"""The controller: the only one who changes what the cluster is.

A decision runs in one task (`decisions.py`) and goes through three steps: written to the store (durable), logs made,
renamed or reconfigured, image published.  Only then is it answered, so that a topic that was created is served and one
that was deleted is gone.  A crash between the steps is made good by `start`.

With one broker it is always elected, and "tell the replicas" is a call.
"""

from __future__ import annotations

import logging
import uuid
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wirebroker.config.unsupported import Kind, UnsupportedSettings, dynamic_findings
from wirebroker.controller.decisions import DecisionQueue
from wirebroker.controller.internal_topics import auto_created
from wirebroker.controller.topic_rules import NewPartitions, NewTopic, Plan, plan_partitions, plan_topic
from wirebroker.metadata.changes import (
    Change,
    ClusterIdSet,
    ConfigsSet,
    DeletionsFinished,
    EpochsBumped,
    PartitionsAdded,
    ProducerIdsAllocated,
    TopicCreated,
    TopicDeleted,
)
from wirebroker.metadata.image import BROKER_RESOURCE, TOPIC_RESOURCE, BrokerImage, ClusterImage, TopicImage
from wirebroker.metadata.store import StoreUnavailable
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from wirebroker.config.log import LogConfig
    from wirebroker.config.server import BrokerConfig
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.store import MetadataStore

log = logging.getLogger(__name__)

PRODUCER_ID_BLOCK = 1000  # as Kafka: one durable write for so many producers, and so many ids lost per restart


class Replicas(Protocol):
    """What the controller asks of the replica manager."""

    async def become_leaders(
        self, topic: TopicImage, indexes: Iterable[int], config: LogConfig, *, is_new: bool
    ) -> None:
        """Serve partitions, making their logs if need be; a log that cannot be made leaves its partition offline.

        The logs of those that *is_new* says were never made cannot be in a directory that has failed.
        """

    def is_offline(self, topic: str, index: int) -> bool:
        """Whether the partition belongs here but its log cannot be served."""

    async def stop(self, topic: str, index: int, *, delete: bool) -> bool:
        """Serve a partition no more; with *delete* its directory is renamed, to be removed later.

        False when that could not be done (a broken disk) and the directory may still be there under its name.
        """

    async def discard(self, topic: str, index: int, topic_id: bytes) -> None:
        """Delete a log that a crash left behind, if the one at this name and number is that of *topic_id*."""

    async def forget_deleted(self) -> None:
        """Take deleted partitions out of the checkpoints, where they would prove a loss to the next start."""

    def reconfigure(self, topic: TopicImage, config: LogConfig) -> None:
        """Let a topic's logs obey *config* from now on."""


class TopicResult(NamedTuple):
    """What became of one topic of a request."""

    name: str
    error: ErrorCode = ErrorCode.NONE
    message: str | None = None
    topic: TopicImage | None = None
    configs: Mapping[str, str] = {}


class Controller:
    """Decides about topics, settings and producer ids.  `start` before anything else, then keep `run` running."""

    def __init__(
        self,
        *,
        store: MetadataStore,
        cache: MetadataCache,
        replicas: Replicas,
        config: BrokerConfig,
        new_topic_id: Callable[[], bytes] = lambda: uuid.uuid4().bytes,
    ) -> None:
        self.config = config
        """The broker's settings with the dynamic ones of the current image over them."""
        self._store = store
        self._cache = cache
        self._replicas = replicas
        self._new_topic_id = new_topic_id
        self._queue = DecisionQueue()
        self._version = 0
        self._deleted: list[bytes] = []  # directories renamed, not yet written down as finished
        self._creating: set[str] = set()  # by auto creation, waiting in the queue
        self._next_producer_id = 0
        self._producer_ids_end = 0

    async def start(self, broker: BrokerImage, cluster_id: str, *, clean: bool) -> None:
        """Take over: register, make good what a crash cut short, serve every partition, publish the image.

        Args:
            broker: This broker, as others and clients see it.
            cluster_id: The cluster's id if it has none yet.
            clean: False after a crash: partitions get new leader epochs, so that clients notice a lost tail.

        Raises:
            StoreUnavailable: the store cannot be written.
            UnsupportedSettings: a dynamic setting has no effect, and is not one to be without unawares.
        """
        await self._store.register(broker)
        await self._store.campaign(broker.node_id)
        image, self._version = self._store.read()
        _check_dynamic_settings(self._dynamic_config(image))
        changes: list[Change] = []
        if image.cluster_id is None:
            changes.append(ClusterIdSet(cluster_id))
        if not clean and image.topics:
            changes.append(EpochsBumped(broker.node_id))
        for topic_id, gone in image.deleting.items():
            for index in range(gone.partition_count):
                await self._replicas.discard(gone.name, index, topic_id)
        if image.deleting:
            await self._replicas.forget_deleted()
            changes.append(DeletionsFinished(tuple(image.deleting)))
        if changes:
            image = await self._write(changes)
        self.config = self._dynamic_config(image)
        turns = Turns()
        for topic in image.topics.values():
            await self._serve(topic, range(len(topic.partitions)), image.topic_config(topic.name), turns, are_new=False)
        self._cache.publish(image, changes)

    async def run(self) -> None:
        """Make decisions until cancelled."""
        await self._queue.run()

    async def create_topics(self, topics: Sequence[NewTopic], *, validate_only: bool = False) -> list[TopicResult]:
        """Create what can be created, together; one result for each of *topics*, whose names differ."""
        return await self._queue.decide(lambda: self._create_topics(topics, validate_only=validate_only))

    async def create_partitions(
        self, wishes: Sequence[NewPartitions], *, validate_only: bool = False
    ) -> list[TopicResult]:
        """Let topics grow; one result for each of *wishes*, whose topics differ."""
        return await self._queue.decide(lambda: self._create_partitions(wishes, validate_only=validate_only))

    async def delete_topics(self, topic_ids: Sequence[bytes]) -> list[TopicResult]:
        """Delete topics, together; one result for each of *topic_ids*, which differ."""
        return await self._queue.decide(lambda: self._delete_topics(topic_ids))

    async def alter_configs(self, alter: Callable[[ClusterImage], Awaitable[Sequence[ConfigsSet]]]) -> None:
        """Change settings: *alter* gets the newest image and says what to set; nobody changes anything in between.

        Raises:
            ApiError: whatever *alter* raises, or KAFKA_STORAGE_ERROR.
        """
        await self._queue.decide(lambda: self._alter_configs(alter))

    async def next_producer_id(self) -> int:
        """A producer id that nobody ever got before; from memory but once in a thousand.

        Raises:
            ApiError: KAFKA_STORAGE_ERROR when no new block can be made durable.
        """
        while self._next_producer_id == self._producer_ids_end:
            await self._queue.decide(self._allocate_producer_ids)
        producer_id = self._next_producer_id
        self._next_producer_id += 1
        return producer_id

    def auto_create(self, names: Iterable[str]) -> None:
        """Have topics created soon, with the broker's defaults or as internal topics are made.

        Who asked tells the client to try again; what fails is tried again with it.
        """
        fresh = [name for name in names if name not in self._creating and name not in self._cache.image.topics]
        if fresh and self._queue.decide_nowait(lambda: self._auto_create(fresh)):
            self._creating.update(fresh)

    async def create_internal(self, name: str) -> None:
        """Have an internal topic made now, if it is not there; failing to is no error, the caller looks again."""
        if name not in self._cache.image.topics:
            await self._queue.decide(lambda: self._auto_create([name]))

    async def _auto_create(self, names: list[str]) -> None:
        try:
            broker_count = len(self._cache.image.brokers)
            topics = [auto_created(name, self.config, broker_count) for name in names]
            results = await self._create_topics(topics, validate_only=False)
        finally:
            self._creating.difference_update(names)
        for result in results:
            if result.error not in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS):
                log.warning("topic=%s: not created on first use: %s", result.name, result.message)

    async def _create_topics(self, topics: Sequence[NewTopic], *, validate_only: bool) -> list[TopicResult]:
        image = self._cache.image
        changes: list[Change] = []
        results: list[TopicResult] = []
        turns = Turns()
        for new in topics:
            await turns.yield_if_due()
            try:
                plan = plan_topic(new, image, self.config)
            except ApiError as error:
                results.append(TopicResult(new.name, error.code, error.detail))
                continue
            topic = TopicImage(new.name, self._new_topic_id(), plan.partitions)
            changes += _creation(topic, plan)
            results.append(TopicResult(new.name, topic=topic, configs=plan.configs))
        if validate_only or not changes:
            return results
        try:
            image = await self._write(changes)
        except ApiError as error:
            return [_failed(result, error) for result in results]
        failed: list[TopicImage] = []
        for at, (name, _, _, made, configs) in enumerate(results):
            if made is not None and not await self._serve(made, range(len(made.partitions)), configs, turns):
                failed.append(made)
                results[at] = TopicResult(name, ErrorCode.KAFKA_STORAGE_ERROR, "its logs cannot be made")
        self._cache.publish(image, changes)
        if failed:
            await self._delete_topics([topic.topic_id for topic in failed])
        for result in results:
            if result.topic is not None:
                log.info("topic=%s: created with %d partitions", result.name, len(result.topic.partitions))
        return results

    async def _create_partitions(self, wishes: Sequence[NewPartitions], *, validate_only: bool) -> list[TopicResult]:
        changes: list[Change] = []
        results: list[TopicResult] = []
        grown: list[tuple[str, int]] = []
        for wish in wishes:
            try:
                added = plan_partitions(wish, self._cache.image)
            except ApiError as error:
                results.append(TopicResult(wish.topic, error.code, error.detail))
                continue
            changes.append(PartitionsAdded(wish.topic, added))
            results.append(TopicResult(wish.topic))
            grown.append((wish.topic, wish.total_count - len(added)))
        if validate_only or not changes:
            return results
        try:
            image = await self._write(changes)
        except ApiError as error:
            return [_failed(result, error) for result in results]
        unserved: set[str] = set()
        turns = Turns()
        for name, first in grown:
            topic = image.topics[name]
            if not await self._serve(topic, range(first, len(topic.partitions)), image.topic_config(name), turns):
                unserved.add(name)  # the partitions are there all the same, offline
        self._cache.publish(image, changes)
        for name, first in grown:
            log.info("topic=%s: partitions added, %d -> %d", name, first, len(image.topics[name].partitions))
        return [
            TopicResult(result.name, ErrorCode.KAFKA_STORAGE_ERROR, "not all of its logs can be made")
            if result.name in unserved
            else result
            for result in results
        ]

    async def _delete_topics(self, topic_ids: Sequence[bytes]) -> list[TopicResult]:
        image = self._cache.image
        topics = [image.topic_by_id(topic_id) for topic_id in topic_ids]
        results = [
            TopicResult("", ErrorCode.UNKNOWN_TOPIC_ID) if topic is None else TopicResult(topic.name, topic=topic)
            for topic in topics
        ]
        gone = [topic for topic in topics if topic is not None]
        if not gone:
            return results
        changes: list[Change] = [TopicDeleted(each.name, each.topic_id, len(each.partitions)) for each in gone]
        try:
            image = await self._write(changes)
        except ApiError as error:
            return [_failed(result, error) for result in results]
        # First out of the metadata, then out of service: a client that is refused finds the topic gone when it looks.
        self._cache.publish(image, changes)
        turns = Turns()
        for topic in gone:
            stopped = []
            for index in range(len(topic.partitions)):
                stopped.append(await self._replicas.stop(topic.name, index, delete=True))
                await turns.yield_if_due()
            if all(stopped):  # what is not done yet is tried again at the next start
                self._deleted.append(topic.topic_id)
            log.info("topic=%s: deleted with %d partitions", topic.name, len(topic.partitions))
        await self._replicas.forget_deleted()
        return results

    async def _alter_configs(self, alter: Callable[[ClusterImage], Awaitable[Sequence[ConfigsSet]]]) -> None:
        changes = await alter(self._cache.image)
        if not changes:
            return
        image = await self._write(changes)
        before, self.config = self.config, self._dynamic_config(image)
        self._cache.publish(image, changes)
        names: Iterable[str] = [change.name for change in changes if change.resource_type == TOPIC_RESOURCE]
        if self.config.topic_defaults != before.topic_defaults:
            names = image.topics
        await self._reconfigure([image.topics[name] for name in names if name in image.topics], image)

    async def _reconfigure(self, topics: Sequence[TopicImage], image: ClusterImage) -> None:
        """Let the logs of *topics* obey their settings in *image*; topics with the same settings share a LogConfig."""
        turns = Turns()
        known: dict[frozenset[tuple[str, str]], LogConfig] = {}
        for topic in topics:
            settings = image.topic_config(topic.name)
            key = frozenset(settings.items())
            config = known.get(key)
            if config is None:
                config = known[key] = self.config.log_config(settings)
            self._replicas.reconfigure(topic, config)
            await turns.yield_if_due()

    async def _allocate_producer_ids(self) -> None:
        if self._next_producer_id != self._producer_ids_end:
            return  # somebody who waited before us has done it
        first = self._cache.image.next_producer_id
        changes = [ProducerIdsAllocated(first + PRODUCER_ID_BLOCK)]
        self._cache.publish(await self._write(changes), changes)
        self._next_producer_id, self._producer_ids_end = first, first + PRODUCER_ID_BLOCK

    async def _serve(
        self,
        topic: TopicImage,
        indexes: Iterable[int],
        configs: Mapping[str, str],
        turns: Turns,
        *,
        are_new: bool = True,
    ) -> bool:
        """Serve partitions that we lead; False when the log of one cannot be made."""
        mine = [index for index in indexes if topic.partitions[index].leader == self.config.node_id]
        await self._replicas.become_leaders(topic, mine, self.config.log_config(configs), is_new=are_new)
        await turns.yield_if_due()
        return not any(self._replicas.is_offline(topic.name, index) for index in mine)

    async def _write(self, changes: Sequence[Change]) -> ClusterImage:
        """Make *changes* durable, with the deletions finished since the last write; return the new image.

        Raises:
            ApiError: KAFKA_STORAGE_ERROR; nothing may be done about the changes.
        """
        finished: list[Change] = [DeletionsFinished(tuple(self._deleted))] if self._deleted else []
        try:
            self._version = await self._store.write([*finished, *changes], self._version)
        except StoreUnavailable as error:
            log.error("%s", error)
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, str(error)) from error
        if finished:
            self._deleted.clear()
        return self._store.read()[0]

    def _dynamic_config(self, image: ClusterImage) -> BrokerConfig:
        cluster_default = image.config(BROKER_RESOURCE, "")
        per_broker = image.config(BROKER_RESOURCE, str(self.config.node_id))
        sources = self.config.sources
        if (sources.cluster_default, sources.per_broker) == (cluster_default, per_broker):
            return self.config
        return self.config.with_dynamic(cluster_default, per_broker)


def _check_dynamic_settings(config: BrokerConfig) -> None:
    """Log the dynamic settings that are not obeyed; UnsupportedSettings when one is not to be ignored."""
    found = dynamic_findings(config)
    refused = [finding for finding in found if finding.kind is Kind.REFUSED]
    if refused:
        raise UnsupportedSettings(refused)
    for finding in found:
        log.warning("%s", finding)


def _creation(topic: TopicImage, plan: Plan) -> list[Change]:
    changes: list[Change] = [TopicCreated(topic.name, topic.topic_id, topic.partitions)]
    if plan.configs:
        changes.append(ConfigsSet(TOPIC_RESOURCE, topic.name, plan.configs))
    return changes


def _failed(result: TopicResult, error: ApiError) -> TopicResult:
    """The result after the write that was to make it true failed; one that had failed before keeps its error."""
    return result if result.error else TopicResult(result.name, error.code, error.detail)
