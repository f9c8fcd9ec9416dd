"""ConfigPublisher: brings the settings in ZooKeeper into the metadata image, and from there to logs."""

from __future__ import annotations

import logging
from itertools import count
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.cluster.config_znodes import config_entity, entity_of_record, record_of
from wirebroker.cluster.invalid_configs import applicable_configs
from wirebroker.controller.log_configs import reconfigure_logs
from wirebroker.metadata.image import TOPIC_RESOURCE
from wirebroker.metadata.records import ClientQuotaRecord, ConfigsRecord, apply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from wirebroker.cluster.config_store import ConfigStore
    from wirebroker.config.dynamic_config import DynamicConfig
    from wirebroker.metadata.cache import MetadataCache
    from wirebroker.metadata.records import MetadataRecord
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.zookeeper.znodes.configs import ConfigEntity

log = logging.getLogger(__name__)

_SLOW_READ_S: Final = 2.0
"""After how long a line says that new partitions wait for ZooKeeper."""


class ConfigPublisher:
    """Publishes images with the settings that ZooKeeper has.

    Args:
        store: Where settings are read.
        metadata: Where images are published.
        config: The settings of this broker, a part of them.
        replicas: The logs.
    """

    def __init__(
        self, store: ConfigStore, metadata: MetadataCache, config: DynamicConfig, replicas: ReplicaManager
    ) -> None:
        self._store = store
        self._metadata = metadata
        self._config = config
        self._replicas = replicas
        self._numbers = count()
        self._under_way: dict[int, set[ConfigEntity]] = {}
        """Number of a read -> the entities whose settings were published since it began."""
        self.on_topic_changed: Callable[[str], None] = lambda _: None
        """Called with each topic whose settings have changed, once they are published."""

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Follow all changes until cancelled."""
        await self._store.follow(self.refresh, task_status)

    async def refresh(self, entities: Sequence[ConfigEntity]) -> None:
        """Read the settings of *entities* again, and publish those that have changed."""
        await self._refresh(entities, self._has_configs)

    async def _refresh(self, entities: Sequence[ConfigEntity], has_configs: Callable[[ConfigEntity], bool]) -> None:
        while entities:
            number = next(self._numbers)
            published: set[ConfigEntity] = set()
            self._under_way[number] = published
            try:
                found = await self._store.read_many(entities)
            finally:
                del self._under_way[number]
            records: list[ConfigsRecord | ClientQuotaRecord] = []
            for entity, settings in zip(entities, found, strict=True):
                if entity in published:  # meanwhile, perhaps with newer settings than were read
                    continue
                valid = applicable_configs(entity, settings, self._config.current, has_configs=has_configs(entity))
                if valid is not None:
                    records.append(record_of(entity, valid))
            await self.publish(records)
            entities = [each for each in entities if each in published]

    def _has_configs(self, entity: ConfigEntity) -> bool:
        """Return whether *entity* is a topic whose settings were read before."""
        image = self._metadata.image
        return entity.name in image.topics or (TOPIC_RESOURCE, entity.name) in image.configs

    async def read_topics(self, names: Iterable[str]) -> None:
        """Read and publish the settings of topics of which this broker gets partitions.

        Waits until ZooKeeper has answered, as Apache Kafka does: a log with other settings than those of its topic
        would delete or refuse records.
        """
        entities = [config_entity(TOPIC_RESOURCE, name) for name in names]
        if not entities:
            return
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_warn_of_slow_read, entities)
            await self._refresh(entities, lambda _: False)
            nursery.cancel_scope.cancel()

    async def publish(self, records: Sequence[ConfigsRecord | ClientQuotaRecord]) -> None:
        """Publish *records* as far as they change anything; return when logs have their settings."""
        for published in self._under_way.values():
            published.update(map(entity_of_record, records))
        image = self._metadata.image
        changes: list[MetadataRecord] = []
        topics: list[str] = []
        for each in records:
            if isinstance(each, ClientQuotaRecord):
                if each.changes(image):
                    changes.append(each)
            elif dict(image.config(each.resource_type, each.name)) != dict(each.configs or {}):
                changes.append(each)
                if each.resource_type == TOPIC_RESOURCE:
                    topics.append(each.name)
        if not changes:
            return
        defaults = self._config.current.topic_defaults
        self._metadata.publish(apply(image, *changes), changes)
        names = None if self._config.current.topic_defaults != defaults else topics
        for topic in topics:
            self.on_topic_changed(topic)
        await self._reconfigure_logs(names)

    async def _reconfigure_logs(self, names: Sequence[str] | None) -> None:
        """Give the logs of topics, None is all, their settings in the newest image."""
        while True:
            image = self._metadata.image
            await reconfigure_logs(
                self._replicas, self._replicas.topics() if names is None else names, image, self._config
            )
            if self._metadata.image.configs is image.configs:
                return  # else other settings were published meanwhile, and perhaps given to the logs before these


async def _warn_of_slow_read(entities: Sequence[ConfigEntity]) -> None:
    """Log a line if ZooKeeper does not answer soon."""
    await trio.sleep(_SLOW_READ_S)
    log.warning(
        "topic=%s: ZooKeeper has not told the settings of this and %d other topics in %.0f s; their new partitions, and"
        " all later requests of the controller, wait until it does",
        *(entities[0].name, len(entities) - 1, _SLOW_READ_S),
    )
